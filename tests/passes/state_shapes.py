# ==== facts
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "k"), "float32"), w: R.Tensor(("l", "m"), "float32"), b: R.Tensor(("j",), "float32"), c: R.Tensor((), "bool"), p: R.Tensor(("q",), "float32")):
        l = T.int64()
        m = T.int64()
        # once: k equals l from here on, in shapes too
        with R.dataflow():
            a = R.matmul(x, w)
            s = R.sum(w, axis=[1])
            z = R.zeros(R.shape([l]), "float32")
            d = R.add(s, z)
            # the same sum needs no second check
            e = R.add(a, b)
            f = R.subtract(a, b)
            R.output(d, e, f)
        # facts of a branch hold inside it
        if c:
            y = R.concat((x, R.reshape(p, (1, -1))), axis=0)
            u = R.sum(y)
        else:
            u = R.sum(p)
        g = R.add(d, p)
        return (e, f, g, u)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "k"), dtype="float32"), w: R.Tensor(("l", "m"), dtype="float32"), b: R.Tensor(("j",), dtype="float32"), c: R.Tensor((), dtype="bool"), p: R.Tensor(("q",), dtype="float32")) -> R.Tuple(R.Tensor(("n", "T.Select(m == 1, j, m)"), dtype="float32"), R.Tensor(("n", "T.Select(m == 1, j, m)"), dtype="float32"), R.Tensor(("T.Select(l == 1, q, l)",), dtype="float32"), R.Tensor((), dtype="float32")):
        n = T.int64()
        k = T.int64()
        l = T.int64()
        m = T.int64()
        j = T.int64()
        q = T.int64()
        with R.dataflow():
            _: R.Tuple = R.check_sizes(R.prim_value(k), R.prim_value(l), relation="equal", message="matmul: dimension 1 of x1 'x' and dimension 0 of x2 'w' must be equal")
            w_1: R.Tensor((k, m), dtype="float32") = R.match_cast(w, R.Tensor((k, m), dtype="float32"))
            a: R.Tensor((n, m), dtype="float32") = R.matmul(x, w_1, out_dtype="void")
            s: R.Tensor((k,), dtype="float32") = R.sum(w_1, axis=[1], keepdims=False)
            z: R.Tensor((k,), dtype="float32") = R.zeros(R.shape([k]), dtype="float32")
            d: R.Tensor((k,), dtype="float32") = R.add(s, z)
            _: R.Tuple = R.check_sizes(R.prim_value(m), R.prim_value(j), relation="broadcast", message="add: dimension 1 of lhs 'a' and dimension 0 of rhs 'b' must be equal, or one of them 1")
            e: R.Tensor((n, T.Select(m == 1, j, m)), dtype="float32") = R.add(a, b)
            f: R.Tensor((n, T.Select(m == 1, j, m)), dtype="float32") = R.subtract(a, b)
            R.output(d, e, f)
        if c:
            gv: R.Tensor((1, q), dtype="float32") = R.reshape(p, R.shape([1, -1]))
            _: R.Tuple = R.check_sizes(R.prim_value(k), R.prim_value(q), relation="equal", message="concat: dimension 1 of tensor 0 of tensors 'x' and dimension 1 of tensor 1 of tensors 'gv' must be equal")
            gv_1: R.Tensor((1, k), dtype="float32") = R.match_cast(gv, R.Tensor((1, k), dtype="float32"))
            y: R.Tensor((n + 1, k), dtype="float32") = R.concat((x, gv_1), axis=0)
            u: R.Tensor((), dtype="float32") = R.sum(y, axis=None, keepdims=False)
            u_1: R.Tensor((), dtype="float32") = u
        else:
            u_2: R.Tensor((), dtype="float32") = R.sum(p, axis=None, keepdims=False)
            u_1: R.Tensor((), dtype="float32") = u_2
        _: R.Tuple = R.check_sizes(R.prim_value(k), R.prim_value(q), relation="broadcast", message="add: dimension 0 of lhs 'd' and dimension 0 of rhs 'p' must be equal, or one of them 1")
        g: R.Tensor((T.Select(k == 1, q, k),), dtype="float32") = R.add(d, p)
        return (e, f, g, u_1)

# ==== a value without operands keeps its device
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global")]})

    @R.function
    def main(x: R.Tensor((2, "n"), "float32", "opencl:0"), y: R.Tensor(("m", 3), "float32", "opencl:0")):
        m = T.int64()
        a = R.matmul(x, y)
        z = R.arange(R.prim_value(0), R.prim_value(m), R.prim_value(1), dtype="float32")
        b = R.multiply(x, z)
        return (a, b)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global"), I.vdevice("llvm", 0, "global")]})
    @R.function
    def main(x: R.Tensor((2, "n"), dtype="float32", vdevice="opencl:0"), y: R.Tensor(("m", 3), dtype="float32", vdevice="opencl:0")) -> R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="opencl:0"), R.Tensor((2, "T.Select(n == 1, m, n)"), dtype="float32", vdevice="opencl:0")):
        n = T.int64()
        m = T.int64()
        _: R.Tuple = R.check_sizes(R.prim_value(n), R.prim_value(m), relation="equal", message="matmul: dimension 1 of x1 'x' and dimension 0 of x2 'y' must be equal")
        y_1: R.Tensor((n, 3), dtype="float32", vdevice="opencl:0") = R.match_cast(y, R.Tensor((n, 3), dtype="float32", vdevice="opencl:0"))
        a: R.Tensor((2, 3), dtype="float32", vdevice="opencl:0") = R.matmul(x, y_1, out_dtype="void")
        z: R.Tensor((n,), dtype="float32", vdevice="opencl:0") = R.arange(R.prim_value(0), R.prim_value(n), R.prim_value(1), dtype="float32")
        b: R.Tensor((2, n), dtype="float32", vdevice="opencl:0") = R.multiply(x, z)
        return (a, b)
