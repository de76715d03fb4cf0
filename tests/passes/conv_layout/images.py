metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAMAAAAAAAAAAQAAAAAAAAABAAAAAAAAABgAAAAAAAAAAAAAAAAAgD8AAABAAABAQAAAgEAAAKBA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAgAAAAAAAAAAAAAAAAAgD8=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, 8, 8), dtype="float32"), s: R.Tensor(("n", 2, 1, 1), dtype="float32"), rows: R.Tensor((5,), dtype="int64")):
        n = T.int64()
        with R.dataflow():
            l0 = R.nn.conv2d(x, metadata["relax.expr.Constant"][0], padding=[0, 0, 0, 0])
            l1 = R.multiply(l0, s)
            l2 = R.mean(l1, axis=[-1, 2], keepdims=True)
            l3 = R.multiply(l2, l1)
            l4 = R.take(l3, rows, axis=2)
            l5 = R.take(l4, rows, axis=-1)
            l6 = R.nn.relu(l5)
            kept = R.max(l6, axis=[2, 3])
            channels = R.sum(l6, axis=[1, 2])
            pairs = R.take(l6, rows, axis=0)
            R.output(l6, kept, channels, pairs)
        return (l6, kept, channels, pairs)
