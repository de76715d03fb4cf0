# Constants inside PrimFuncs become arguments of their calls: in a loop's scope, declared whole or in
# parts, taken from the metadata. `direct` is called without call_tir and keeps its constant.
metadata = tvm.ir.load_json("""{
  \"root\": 1,
  \"nodes\": [
    {\"type_key\": \"\"},
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]},
    {\"type_key\": \"Array\", \"data\": [3]},
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ],
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAEAAAAAAAAABAAAAAAAAAAAACAPwAAIEAAAEDAAACAQA==\"
  ],
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    @T.prim_func
    def nested(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.allocate_const([[1.0, 2.5], [-3.0, 4.0]], "float32", [2, 2]) as c:
                C = T.Buffer((4,), "float32", data=c)
                B[i] = A[i] + C[i]

    @T.prim_func(private=True)
    def parts(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        c = T.allocate_const(metadata["relax.expr.Constant"][0], "float32", [4])
        C = T.Buffer((2,), "float32", data=c)
        D = T.Buffer((2,), "float32", data=c, elem_offset=2)
        e = T.allocate_const([7], "int8", [1], annotations={"note": 1})
        E = T.Buffer((1,), "int8", data=e)
        for i in range(2):
            B[i] = A[i] + C[i]
            B[i + 2] = A[i + 2] + D[i] * T.Cast("float32", E[0])

    @T.prim_func(private=True)
    def direct(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        c = T.allocate_const([10.0], "float32", [1])
        C = T.Buffer((1,), "float32", data=c)
        for i in range(4):
            B[i] = A[i] * C[0]

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        a = R.call_tir(cls.nested, (x,), out_sinfo=R.Tensor((4,), "float32"))
        b = R.call_tir(cls.parts, (a,), out_sinfo=R.Tensor((4,), "float32"))
        c = R.call_tir(cls.nested, (b,), out_sinfo=R.Tensor((4,), "float32"))
        d = R.add(c, metadata["relax.expr.Constant"][0])
        out = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0))
        _ = cls.direct(d, out)
        return out
