"""Every form of Relax that is not an operator, and the operators with forms of their own."""
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    I.module_attrs({"note": 7, "list": [1, 2.5, "x", None, {"deep": True}]})
    I.module_global_infos({"vdevice": [I.vdevice({"kind": "llvm", "keys": ["cpu"]}, 0, "global"), I.vdevice("llvm")]})

    @R.function(private=True)
    def helper(x: R.Tensor(("n",), "float32"), k: R.Prim("int64"), s: R.Shape(["n", "m"])) -> R.Tensor(("n",), "float32"):
        R.func_attr({"num_input": 1})
        return x

    @R.function(pure=False)
    def main(
        x: R.Tensor(("n", "m * 2"), "float32"),
        m_is: R.Shape(["m"]),
        b: R.Tensor((), "bool"),
        t: R.Tuple(R.Tensor((2,), "int64"), R.Tuple(R.Object, R.Prim(value="p"))),
        f: R.Callable((R.Tensor(("q",), "float32"),), R.Tensor(("q",), "float32"), True),
        g: R.Callable,
        u: R.Tensor,
        v: R.Tensor("float16"),
        w: R.Tensor(ndim=3),
    ) -> R.Object:
        # comments and joined \
        # lines are skipped
        n = T.int64()
        m, p = T.int64(), T.int64()
        cls = Module
        """a string statement means nothing"""
        a = x + x * 2.0 - R.const(1.5, "float32") / x
        a = -a
        c = R.add(R.exp(x), 1)
        d = R.const([[1, 2], [3, 4]], "int8")
        e = R.const(True, "bool")
        e2 = R.const([True, False])
        h = R.const(float("-inf"), "float16")
        s = R.shape([n + 1, m // 2, 3, R.prim_value(n)])
        pv = R.prim_value(T.max(n, 3) % 5)
        st = R.str("text with \"quotes\" and \u00e9\t\\")
        dt = R.dtype("bfloat16")
        tup = (x, (c,), ())
        tup2 = R.tuple(x, c)
        t10: R.Object = t[1][0]
        y = R.match_cast(x, R.Tensor(("n1", "m1"), "float32"))
        n1 = T.int64()
        z: R.Tensor((n1, 4), "float32") = R.match_cast(u, R.Tensor((n1, 4), "float32"))
        sh: R.Shape(ndim=2) = R.shape_of(z)
        q = cls.helper(z, R.prim_value(3), R.shape([n1, 2]))
        r = Module.helper(q, 4, (n1, 2))
        o1 = R.call_packed("some.f", x, 1, 2.5, "str", (x, y), sinfo_args=(R.Object, R.Tensor(ndim=1)))
        o2 = R.call_pure_packed("some.g", x, sinfo_args=R.Object())
        o3 = R.ExternFunc("some.h")(x)
        ext = R.ExternFunc("some.i")
        o4 = R.call_builtin_with_ctx("vm.builtin.x", (x, R.prim_value(1)), sinfo_args=(R.Object,))
        clo = R.make_closure(cls.helper, (x,))
        o5 = R.invoke_closure(clo, (y,), sinfo_args=(R.Tensor(ndim=2, dtype="float32"),))
        o6 = f(z)
        R.print(x, y, format="{} {}")
        R.assert_op(b, x, format=R.str("no {}"))
        _ = R.null_value()

        @R.function
        def local(i: R.Tensor((n1,), "float32"), j: R.Tensor(("k",), "float32")) -> R.Tensor((n1,), "float32"):
            k = T.int64()
            if b:
                res = local(i, j)
            elif e:
                rr = R.negative(i)
                res = rr
            else:
                res = i
            return res

        with R.dataflow():
            lv = R.concat([x, x], 1)
            lv1 = R.split(x, [1, 2], axis=0)
            lv2, lv3, lv4 = R.split(lv, 3)
            gv: R.Tuple(R.Object) = (lv2,)
            R.output(gv, lv)
        with R.dataflow():
            R.output()
        if b:
            with R.dataflow():
                k0 = R.nn.conv2d(x, x, strides=2, padding=(1, 2))
                R.output(k0)
            last = k0
        else:
            last = R.strided_slice(x, axes=[0], begin=[1], end=[n])
        big = R.const(-9223372036854775808, "int64")
        huge = R.const(18446744073709551615, "uint64")
        if b:
            return (last, big)
        else:
            return huge
