# ==== forms
# Constants inside PrimFuncs become arguments of their calls: in a loop's scope, declared whole or in
# parts, taken from the metadata. `direct` is called without call_tir and keeps its constant.
# module tests/e2e/constants.py#in_prim_funcs
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4, 5, 6, 7]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"2\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"3\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"4\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAEAAAAAAAAABAAAAAAAAAAAACAPwAAIEAAAEDAAACAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAEAAAAAAAAABAAAAAAAAAAAACAPwAAIEAAAEDAAACAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAIAQABAAAAAAAAAAEAAAAAAAAABw==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAEAAAAAAAAABAAAAAAAAAAAACAPwAAIEAAAEDAAACAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQABAAAAAAAAAAQAAAAAAAAAAAAgQQ==\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def nested(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] + C[i]

    @T.prim_func(private=True)
    def parts(A: T.Buffer((4,), "float32"), c: T.Buffer((T.int64(4),), "float32"), E: T.Buffer((1,), "int8"), B: T.Buffer((4,), "float32")):
        C = T.decl_buffer((2,), data=c.data)
        D = T.decl_buffer((2,), data=c.data, elem_offset=2)
        for i in range(2):
            B[i] = A[i] + C[i]
            B[i + 2] = A[i + 2] + D[i] * T.Cast("float32", E[0])

    @T.prim_func(private=True)
    def direct(C: T.Buffer((1,), "float32"), A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] * C[0]

    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        a: R.Tensor((4,), dtype="float32") = R.call_tir(cls.nested, (x, metadata["relax.expr.Constant"][0]), out_sinfo=R.Tensor((4,), dtype="float32"))
        b: R.Tensor((4,), dtype="float32") = R.call_tir(cls.parts, (a, metadata["relax.expr.Constant"][1], metadata["relax.expr.Constant"][2]), out_sinfo=R.Tensor((4,), dtype="float32"))
        c: R.Tensor((4,), dtype="float32") = R.call_tir(cls.nested, (b, metadata["relax.expr.Constant"][0]), out_sinfo=R.Tensor((4,), dtype="float32"))
        d: R.Tensor((4,), dtype="float32") = R.add(c, metadata["relax.expr.Constant"][3])
        out: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0))
        _: R.Tuple = cls.direct(metadata["relax.expr.Constant"][4], d, out)
        return out
