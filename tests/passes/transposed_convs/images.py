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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAMAAAAAAAAAAgAAAAAAAAACAAAAAAAAAGAAAAAAAAAAAAAAAAAAgD8AAABAAABAQAAAgEAAAKBAAADAQAAA4EAAAABBAAAQQQAAIEEAADBBAABAQQAAUEEAAGBBAABwQQAAgEEAAIhBAACQQQAAmEEAAKBBAACoQQAAsEEAALhB\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQACAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAACAAAAAAAAACAAAAAAAAAAAAAAAAAAgD8AAABAAABAQAAAgEAAAKBAAADAQAAA4EA=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2, 4, 4), dtype="float32")) -> R.Tuple(R.Tensor(("n", 3, 8, 8), dtype="float32"), R.Tensor(("n", 2, 8, 8), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            l0: R.Tensor((n, 3, 8, 8), dtype="float32") = R.nn.conv2d_transpose(x, metadata["relax.expr.Constant"][0], strides=[2, 2], padding=[0, 0, 0, 0], output_padding=[0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="IOHW", out_layout=None, out_dtype="void")
            l1: R.Tensor((n, 3, 8, 8), dtype="float32") = R.nn.relu(l0)
            l2: R.Tensor((n, 2, 8, 8), dtype="float32") = R.nn.conv2d_transpose(x, metadata["relax.expr.Constant"][1], strides=[2, 2], padding=[0, 0, 0, 0], output_padding=[0, 0], dilation=[1, 1], groups=2, data_layout="NCHW", kernel_layout="IOHW", out_layout=None, out_dtype="void")
            R.output(l1, l2)
        return (l1, l2)

