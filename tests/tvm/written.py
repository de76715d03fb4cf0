"""Modules written by hand, for forms that no front end produces. Each function returns one; a release that rejects
it raises, and generate.py skips it."""
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


def prim_condition():
    @I.ir_module
    class Module:
        @T.prim_func(private=True)
        def even(n: T.int64) -> T.bool:
            return n % T.int64(2) == T.int64(0)

        @R.function(pure=False)
        def main(x: R.Tensor(("n",), "float32")):
            n = T.int64()
            cls = Module
            c = cls.even(R.prim_value(n))
            _ = R.assert_op(c)
            if c:
                y = R.add(x, x)
            else:
                y = R.multiply(x, x)
            return y
    return Module


def prim_numbers():
    @I.ir_module
    class Module:
        @T.prim_func(private=True)
        def area(n: T.int64, m: T.int64) -> T.int64:
            return n * m

        @T.prim_func(private=True)
        def inverse(n: T.int64) -> T.float32:
            return T.float32(1) / T.sqrt(T.Cast("float32", n))

        @T.prim_func(private=True)
        def scaled(A: T.Buffer((4,), "float32"), s: T.float32, B: T.Buffer((4,), "float32")):
            for i in range(4):
                B[i] = A[i] * s

        @R.function
        def main(x: R.Tensor((4,), "float32"), y: R.Tensor(("n", "m"), "float32")):
            n = T.int64()
            m = T.int64()
            cls = Module
            a = cls.area(R.prim_value(n), R.prim_value(m))
            b = cls.inverse(a)
            z = R.call_tir(cls.scaled, (x, b), R.Tensor((4,), "float32"))
            return z
    return Module


def prim_of_tensor():
    @I.ir_module
    class Module:
        @T.prim_func(private=True)
        def first_above(A: T.Buffer((4,), "float32"), limit: T.float32) -> T.int64:
            for i in range(4):
                if A[i] > limit:
                    return T.Cast("int64", i)
            return T.int64(-1)

        @R.function(pure=False)
        def main(x: R.Tensor((4,), "float32")):
            cls = Module
            at = cls.first_above(x, R.prim_value(T.float32(0.5)))
            return at
    return Module


def prim_for_hosts():
    @I.ir_module
    class Module:
        I.module_global_infos({"dummy": [I.dummy_global_info()]})

        @T.prim_func
        def small(value: T.int32) -> T.bool:
            return value < 10

        @T.prim_func
        def choice(value: T.bool) -> T.int32:
            if value:
                return 10
            else:
                return 20
    return Module


def jumps():
    @I.ir_module
    class Module:
        @T.prim_func(private=True)
        def steps(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
            for i in range(8):
                B[i] = T.float32(0)
            for i in range(8):
                if A[i] > T.float32(5):
                    break
                if A[i] < T.float32(0.5):
                    continue
                assert A[i] > T.float32(0), "must be positive"
                B[i] = A[i] * T.float32(2)

        @R.function
        def main(x: R.Tensor((8,), "float32")):
            cls = Module
            y = R.call_tir(cls.steps, (x,), R.Tensor((8,), "float32"))
            return y
    return Module


MODULES = [prim_condition, prim_numbers, prim_of_tensor, prim_for_hosts, jumps]
