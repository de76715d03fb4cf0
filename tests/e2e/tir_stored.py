"""PrimFuncs on float8: conversions, copies that keep every bit (also NaN's), arithmetic rounded to the type; int4 values in
registers. Expected values follow the formats' definitions."""
# call main: tensor float8_e4m3fn [4] hex "30c07ea3", tensor int32 [4] {7, 8, -9, 255} => tuple(tensor float32 [4] {1.0, -4.0, 896.0, -0.34375}, tensor float8_e5m2 [4] hex "38c05f3e", tensor float8_e4m3fn [4] hex "38287f28", tensor bool [4] {false, true, false, true}, tensor float8_e4m3fn [4] hex "a37ec030", tensor int32 [4] {7, -8, 7, -1})
# call moved: tensor float8_e5m2 [3] hex "7dfe80" => tensor float8_e5m2 [6] hex "7dfe807dfe80"
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def convert(A: T.Buffer((4,), "float8_e4m3fn"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float8_e5m2")):
        for i in range(4):
            with T.block("b"):
                v = T.axis.spatial(4, i)
                B[v] = T.Cast("float32", A[v]) * T.float32(2)
                C[v] = T.Select(v < 3, T.Cast("float8_e5m2", A[v]), T.float8_e5m2(1.5))

    @T.prim_func(private=True)
    def compute(A: T.Buffer((4,), "float8_e4m3fn"), B: T.Buffer((4,), "float8_e4m3fn"), C: T.Buffer((4,), "bool")):
        for i in range(4):
            with T.block("b"):
                v = T.axis.spatial(4, i)
                B[v] = T.max(A[v] + A[v], T.float8_e4m3fn(0.25))
                C[v] = A[v] < T.float8_e4m3fn(0)

    @T.prim_func(private=True)
    def low(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            with T.block("b"):
                v = T.axis.spatial(4, i)
                B[v] = T.Cast("int32", T.Cast("int4", A[v]))

    @R.function
    def main(x: R.Tensor((4,), "float8_e4m3fn"), k: R.Tensor((4,), "int32")):
        cls = Module
        a = R.call_tir(cls.convert, (x,), out_sinfo=[R.Tensor((4,), "float32"), R.Tensor((4,), "float8_e5m2")])
        b = R.call_tir(cls.compute, (x,), out_sinfo=[R.Tensor((4,), "float8_e4m3fn"), R.Tensor((4,), "bool")])
        c = R.flip(x, axis=0)
        d = R.call_tir(cls.low, (k,), out_sinfo=R.Tensor((4,), "int32"))
        return (a[0], a[1], b[0], b[1], c, d)

    @R.function
    def moved(x: R.Tensor(("n",), "float8_e5m2")):
        y = R.concat((x, x), axis=0)
        return y
