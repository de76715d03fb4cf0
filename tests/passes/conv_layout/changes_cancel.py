metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4, 5, 6]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"2\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"3\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQAEAAAAAAAAAAUAAAAAAAAAAwAAAAAAAAADAAAAAAAAANACAAAAAAAAAAAAAAAAgD8AAABAAABAQAAAgEAAAKBAAADAQAAA4EAAAABBAAAQQQAAIEEAADBBAABAQQAAUEEAAGBBAABwQQAAgEEAAIhBAACQQQAAmEEAAKBBAACoQQAAsEEAALhBAADAQQAAyEEAANBBAADYQQAA4EEAAOhBAADwQQAA+EEAAABCAAAEQgAACEIAAAxCAAAQQgAAFEIAABhCAAAcQgAAIEIAACRCAAAoQgAALEIAADBCAAA0QgAAOEIAADxCAABAQgAAREIAAEhCAABMQgAAUEIAAFRCAABYQgAAXEIAAGBCAABkQgAAaEIAAGxCAABwQgAAdEIAAHhCAAB8QgAAgEIAAIJCAACEQgAAhkIAAIhCAACKQgAAjEIAAI5CAACQQgAAkkIAAJRCAACWQgAAmEIAAJpCAACcQgAAnkIAAKBCAACiQgAApEIAAKZCAACoQgAAqkIAAKxCAACuQgAAsEIAALJCAAC0QgAAtkIAALhCAAC6QgAAvEIAAL5CAADAQgAAwkIAAMRCAADGQgAAyEIAAMpCAADMQgAAzkIAANBCAADSQgAA1EIAANZCAADYQgAA2kIAANxCAADeQgAA4EIAAOJCAADkQgAA5kIAAOhCAADqQgAA7EIAAO5CAADwQgAA8kIAAPRCAAD2QgAA+EIAAPpCAAD8QgAA/kIAAABDAAABQwAAAkMAAANDAAAEQwAABUMAAAZDAAAHQwAACEMAAAlDAAAKQwAAC0MAAAxDAAANQwAADkMAAA9DAAAQQwAAEUMAABJDAAATQwAAFEMAABVDAAAWQwAAF0MAABhDAAAZQwAAGkMAABtDAAAcQwAAHUMAAB5DAAAfQwAAIEMAACFDAAAiQwAAI0MAACRDAAAlQwAAJkMAACdDAAAoQwAAKUMAACpDAAArQwAALEMAAC1DAAAuQwAAL0MAADBDAAAxQwAAMkMAADND\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQABAAAAAAAAAAQAAAAAAAAAAQAAAAAAAAABAAAAAAAAABAAAAAAAAAAAAAAAAAAgD8AAABAAABAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAABAAAAAIgAQAEAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAABAAAAAAAAAAAAAAAAAAgD8AAABAAABAQA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAIAAAAAAAAACAAAAAAAAAAAAAAAAAAgD8AAABAAABAQAAAgEAAAKBAAADAQAAA4EA=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 5, 8, 8), dtype="float32"), free: R.Tensor((4, 4, 1, 1), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4, 8, 8), dtype="float32"), R.Tensor(("n", 4, 1, 1), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            l0: R.Tensor((n, 4, 8, 8), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            l1: R.Tensor((n, 4, 8, 8), dtype="float32") = R.add(l0, metadata["relax.expr.Constant"][1])
            l2: R.Tensor((n, 4, 8, 8), dtype="float32") = R.nn.relu(l1)
            l3: R.Tensor((n, 4, 4, 4), dtype="float32") = R.nn.max_pool2d(l2, pool_size=[2, 2], strides=[2, 2], dilation=[1, 1], padding=[0, 0, 0, 0], ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout=None)
            l4: R.Tensor((n, 4, 4, 4), dtype="float32") = R.nn.conv2d(l3, metadata["relax.expr.Constant"][2], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=4, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            l5: R.Tensor((n, 4, 4, 4), dtype="float32") = R.add(l3, l4)
            l6: R.Tensor((n, 4, 8, 8), dtype="float32") = R.multiply(l2, metadata["relax.expr.Constant"][3])
            l7: R.Tensor((n, 4, 4, 4), dtype="float32") = R.nn.conv2d(l5, free, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            l8: R.Tensor((n, 4, 1, 1), dtype="float32") = R.nn.adaptive_avg_pool2d(l7, output_size=[1, 1], layout="NCHW", out_layout=None)
            R.output(l6, l8)
        return (l6, l8)

