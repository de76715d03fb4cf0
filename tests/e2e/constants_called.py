"""Constants in PrimFuncs that are called by name, in place, or return a value: equal ones are one in the file."""
# call main: tensor float32 [4] {0, 1, 2, 3} => tuple(tensor float32 [4] {10, 21, 32, 43}, tensor float32 [4] {1, 3, 5, 7}, int 10)
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        c = T.allocate_const([1.0, 2.0, 3.0, 4.0], "float32", [4])
        C = T.Buffer((4,), "float32", data=c)
        for i in range(4):
            B[i] = A[i] + C[i]

    @T.prim_func(private=True)
    def scale(A: T.Buffer((4,), "float32")):
        two = T.allocate_const([2.0], "float32", [1])
        Two = T.Buffer((1,), "float32", data=two)
        for i in range(4):
            with T.block("scale"):
                v = T.axis.spatial(4, i)
                A[v] = A[v] * Two[0]

    @T.prim_func(private=True)
    def total(n: T.int64) -> T.int64:
        c = T.allocate_const([1, 2, 3, 4], "int64", [4])
        C = T.Buffer((4,), "int64", data=c)
        return C[0] + C[1] + C[2] + C[3] + n

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        a = R.call_tir(cls.add, (x,), out_sinfo=R.Tensor((4,), "float32"))
        out = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0))
        _ = cls.add(x, out)
        b = R.add(a, R.const([9.0, 18.0, 27.0, 36.0]))
        c = R.call_tir_inplace(cls.scale, (R.multiply(a, R.const(0.5)),), inplace_indices=[0], out_sinfo=R.Tensor((4,), "float32"))
        n = cls.total(R.prim_value(0))
        return (R.add(b, R.subtract(c, a)), out, n)
