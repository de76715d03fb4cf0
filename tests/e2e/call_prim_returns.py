# PrimFuncs that return a value: called with tensors and numbers, in branches and checks; pure and not.
# call branch: tensor float32 [2] {1, 2} => tensor float32 [2] {2, 4}
# call branch: tensor float32 [3] {1, 2, 3} => tensor float32 [3] {-1, -2, -3}
# call branch: tensor float32 [0] {} => tensor float32 [0] {}
# call checked: tensor float32 [2] {1, 2} => tensor float32 [2] {1, 2}
# fail checked: tensor float32 [1] {1} => n must be even
# call numbers: tensor float32 [1, 4] {1, 2, 3, 4} => tuple(int 4, int -84, float 0.5, int 1)
# call numbers: tensor float32 [1, 1] {1} => tuple(int 1, int -99, float 1, int 0)
# call search: tensor float32 [3] {1, 5, 9}, float 2 => int 1
# call search: tensor float32 [3] {1, 5, 9}, float 9 => int -1
# call sum_sign: tensor float32 [4] {1, 2, 3, -4} => tensor int32 [] {1}
# call sum_sign: tensor float32 [4] {1, 2, 3, -8} => tensor int32 [] {-1}
# call scale: tensor float32 [4] {1, 2, 3, -4}, int 16 => tensor float32 [4] {0.25, 0.5, 0.75, -1}
# call cleared: tensor float32 [4] {1, 2, 3, 4} => tuple(tensor float32 [4] {0, 0, 0, 0}, int 4)
# call sized: tensor float32 [2, 1] {1, 2} => tensor float32 [2] {1, 2}
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def even(n: T.int64) -> T.bool:
        T.func_attr({"tir.is_host_func": True})
        T.ret(n % 2 == 0)
    @T.prim_func(private=True)
    def area(n: T.int64, m: T.int64) -> T.int64:
        return n * m
    @T.prim_func(private=True)
    def narrow(n: T.int64) -> T.int32:
        return T.Cast("int32", n * n) - 100
    @T.prim_func(private=True)
    def inverse(n: T.int64) -> T.float32:
        return T.float32(1) / T.sqrt(T.Cast("float32", n))
    @T.prim_func(private=True)
    def first_above(a: T.handle, limit: T.float32) -> T.int64:
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        for i in range(n):
            if A[i] > limit:
                return T.Cast("int64", i)
        return T.int64(-1)
    @T.prim_func(private=True)
    def positive(A: T.Buffer((4,), "float32")) -> T.bool:
        s = T.alloc_buffer((1,), "float32")
        s[0] = T.float32(0)
        for i in range(4):
            s[0] = s[0] + A[i]
        return s[0] > T.float32(0)
    @T.prim_func(private=True)
    def sign(n: T.int64) -> T.int64:
        if n > T.int64(3):
            return T.int64(1)
        else:
            return T.int64(0)
    @T.prim_func(private=True)
    def clear(A: T.Buffer((4,), "float32")) -> T.int64:
        for i in range(4):
            A[i] = T.float32(0)
        return T.int64(4)
    @T.prim_func(private=True)
    def scaled(A: T.Buffer((4,), "float32"), s: T.float32, B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("b"):
                v = T.axis.spatial(4, i)
                B[v] = A[v] * s
    @R.function
    def branch(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        c: R.Prim("bool") = cls.even(R.prim_value(n))
        if c:
            out = R.add(x, x)
        else:
            out = R.negative(x)
        return out
    @R.function(pure=False)
    def checked(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        c: R.Prim("bool") = cls.even(n)
        _ = R.assert_op(c, format="n must be even")
        return x
    @R.function
    def numbers(x: R.Tensor(("n", "m"), "float32")):
        n = T.int64()
        m = T.int64()
        cls = Module
        with R.dataflow():
            a = cls.area(n, m)
            b = cls.narrow(a)
            c = cls.inverse(a)
            d = cls.sign(a)
            R.output(a, b, c, d)
        return (a, b, c, d)
    @R.function
    def search(x: R.Tensor(("n",), "float32"), limit: R.Prim("float32")):
        cls = Module
        at = cls.first_above(x, limit)
        return at
    @R.function
    def sum_sign(x: R.Tensor((4,), "float32")):
        cls = Module
        c = cls.positive(x)
        if c:
            out = R.const(1, "int32")
        else:
            out = R.const(-1, "int32")
        return out
    @R.function
    def scale(x: R.Tensor((4,), "float32"), k: R.Prim("int64")):
        cls = Module
        c = cls.inverse(k)
        out = R.call_tir(cls.scaled, (x, c), out_sinfo=R.Tensor((4,), "float32"))
        return out
    @R.function(pure=False)
    def cleared(x: R.Tensor((4,), "float32")):
        cls = Module
        y = R.add(x, x)
        n = cls.clear(y)
        return (y, n)
    @R.function
    def sized(x: R.Tensor(("n", "m"), "float32")):
        n = T.int64()
        m = T.int64()
        k = T.int64()
        cls = Module
        a = cls.area(n, m)
        b = R.match_cast(a, R.Prim(value=k))
        flat = R.reshape(x, R.shape([k]))
        return flat
