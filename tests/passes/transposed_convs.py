# ==== columns
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 16, "h", 8), dtype="float32"), w: R.Tensor((16, 2, 4, 3), dtype="float32")):
        n = T.int64()
        h = T.int64()
        with R.dataflow():
            y = R.nn.conv2d_transpose(x, w, strides=[2, 3], padding=[1, 0, 1, 0], dilation=[1, 2])
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 16, "h", 8), dtype="float32"), w: R.Tensor((16, 2, 4, 3), dtype="float32")) -> R.Tensor(("n", 2, "h * 2", 26), dtype="float32"):
        n = T.int64()
        h = T.int64()
        with R.dataflow():
            filter: R.Tensor((2, 4, 3, 16), dtype="float32") = R.permute_dims(w, axes=[1, 2, 3, 0])
            filter_1: R.Tensor((24, 16), dtype="float32") = R.reshape(filter, R.shape([24, 16]))
            elements: R.Tensor((n, 16, h * 8), dtype="float32") = R.reshape(x, R.shape([n, 16, h * 8]))
            columns: R.Tensor((n, 24, h * 8), dtype="float32") = R.matmul(filter_1, elements, out_dtype="void")
            columns_1: R.Tensor((n, 24, h, 8), dtype="float32") = R.reshape(columns, R.shape([n, 24, h, 8]))
            phases: R.Tensor((n, 12, h + 1, 9), dtype="float32") = R.nn.add_columns(columns_1, R.shape([h + 1, 9]), kernel=[4, 3], strides=[2, 3], dilation=[1, 2])
            y: R.Tensor((n, 2, h * 2, 26), dtype="float32") = R.nn.join_phases2d(phases, R.shape([h * 2, 26]), strides=[2, 3], padding=[1, 0, 0, 0], groups=1, stacked=False, layout="NCHW", out_layout="NCHW")
            R.output(y)
        return y

# ==== images
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

# ---- expected
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
            filter: R.Tensor((12, 2, 1, 1), dtype="float32") = R.nn.phase_filter(metadata["relax.expr.Constant"][0], strides=[2, 2], dilation=[1, 1], groups=1, first=[0, 0], phases=[2, 2], taps=[1, 1])
            phases: R.Tensor((n, 12, 4, 4), dtype="float32") = R.nn.conv2d(x, filter, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            l0: R.Tensor((n, 3, 8, 8), dtype="float32") = R.nn.join_phases2d(phases, R.shape([8, 8]), strides=[2, 2], padding=[0, 0, 0, 0], groups=1, stacked=False, layout="NCHW", out_layout="NCHW")
            l1: R.Tensor((n, 3, 8, 8), dtype="float32") = R.nn.relu(l0)
            filter_1: R.Tensor((2, 1, 1, 1), dtype="float32") = R.nn.phase_filter(metadata["relax.expr.Constant"][1], strides=[2, 2], dilation=[1, 1], groups=2, first=[0, 0], phases=[1, 1], taps=[1, 1])
            phases_1: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.conv2d(x, filter_1, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=2, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            filter_2: R.Tensor((2, 1, 1, 1), dtype="float32") = R.nn.phase_filter(metadata["relax.expr.Constant"][1], strides=[2, 2], dilation=[1, 1], groups=2, first=[0, 1], phases=[1, 1], taps=[1, 1])
            phases_2: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.conv2d(x, filter_2, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=2, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            filter_3: R.Tensor((2, 1, 1, 1), dtype="float32") = R.nn.phase_filter(metadata["relax.expr.Constant"][1], strides=[2, 2], dilation=[1, 1], groups=2, first=[1, 0], phases=[1, 1], taps=[1, 1])
            phases_3: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.conv2d(x, filter_3, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=2, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            filter_4: R.Tensor((2, 1, 1, 1), dtype="float32") = R.nn.phase_filter(metadata["relax.expr.Constant"][1], strides=[2, 2], dilation=[1, 1], groups=2, first=[1, 1], phases=[1, 1], taps=[1, 1])
            phases_4: R.Tensor((n, 2, 4, 4), dtype="float32") = R.nn.conv2d(x, filter_4, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=2, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            phases_5: R.Tensor((n * 4, 2, 4, 4), dtype="float32") = R.concat((phases_1, phases_2, phases_3, phases_4), axis=0)
            l2: R.Tensor((n, 2, 8, 8), dtype="float32") = R.nn.join_phases2d(phases_5, R.shape([8, 8]), strides=[2, 2], padding=[0, 0, 0, 0], groups=1, stacked=True, layout="NCHW", out_layout="NCHW")
            R.output(l1, l2)
        return (l1, l2)

# ==== parts
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 64, 4, 3), dtype="float32"), w: R.Tensor((64, 32, 4, 4), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            y = R.nn.conv2d_transpose(x, w, strides=[2, 2], padding=[1, 1, 1, 1])
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 64, 4, 3), dtype="float32"), w: R.Tensor((64, 32, 4, 4), dtype="float32")) -> R.Tensor(("n", 32, 8, 6), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            filter: R.Tensor((32, 64, 2, 2), dtype="float32") = R.nn.phase_filter(w, strides=[2, 2], dilation=[1, 1], groups=1, first=[1, 1], phases=[1, 1], taps=[2, 2])
            phases: R.Tensor((n, 32, 4, 3), dtype="float32") = R.nn.conv2d(x, filter, strides=[1, 1], padding=[1, 1, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            filter_1: R.Tensor((32, 64, 2, 2), dtype="float32") = R.nn.phase_filter(w, strides=[2, 2], dilation=[1, 1], groups=1, first=[1, 0], phases=[1, 1], taps=[2, 2])
            phases_1: R.Tensor((n, 32, 4, 3), dtype="float32") = R.nn.conv2d(x, filter_1, strides=[1, 1], padding=[1, 0, 0, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            filter_2: R.Tensor((32, 64, 2, 2), dtype="float32") = R.nn.phase_filter(w, strides=[2, 2], dilation=[1, 1], groups=1, first=[0, 1], phases=[1, 1], taps=[2, 2])
            phases_2: R.Tensor((n, 32, 4, 3), dtype="float32") = R.nn.conv2d(x, filter_2, strides=[1, 1], padding=[0, 1, 1, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            filter_3: R.Tensor((32, 64, 2, 2), dtype="float32") = R.nn.phase_filter(w, strides=[2, 2], dilation=[1, 1], groups=1, first=[0, 0], phases=[1, 1], taps=[2, 2])
            phases_3: R.Tensor((n, 32, 4, 3), dtype="float32") = R.nn.conv2d(x, filter_3, strides=[1, 1], padding=[0, 0, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype="void")
            phases_4: R.Tensor((n * 4, 32, 4, 3), dtype="float32") = R.concat((phases, phases_1, phases_2, phases_3), axis=0)
            y: R.Tensor((n, 32, 8, 6), dtype="float32") = R.nn.join_phases2d(phases_4, R.shape([8, 6]), strides=[2, 2], padding=[0, 0, 0, 0], groups=1, stacked=True, layout="NCHW", out_layout="NCHW")
            R.output(y)
        return y

# ==== uneven
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 16, "h"), dtype="float32"), w: R.Tensor((16, 8, 3), dtype="float32")):
        n = T.int64()
        h = T.int64()
        with R.dataflow():
            y = R.nn.conv1d_transpose(x, w, strides=[2], padding=[1, 1], output_padding=[1])
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 16, "h"), dtype="float32"), w: R.Tensor((16, 8, 3), dtype="float32")) -> R.Tensor(("n", 8, "h * 2"), dtype="float32"):
        n = T.int64()
        h = T.int64()
        with R.dataflow():
            filter: R.Tensor((8, 16, 1), dtype="float32") = R.nn.phase_filter(w, strides=[2], dilation=[1], groups=1, first=[1], phases=[1], taps=[1])
            phases: R.Tensor((n, 8, h), dtype="float32") = R.nn.conv1d(x, filter, strides=[1], padding=[0, 0], dilation=[1], groups=1, data_layout="NCW", kernel_layout="OIW", out_layout=None, out_dtype="void")
            filter_1: R.Tensor((8, 16, 2), dtype="float32") = R.nn.phase_filter(w, strides=[2], dilation=[1], groups=1, first=[0], phases=[1], taps=[2])
            phases_1: R.Tensor((n, 8, h), dtype="float32") = R.nn.conv1d(x, filter_1, strides=[1], padding=[0, 1], dilation=[1], groups=1, data_layout="NCW", kernel_layout="OIW", out_layout=None, out_dtype="void")
            phases_2: R.Tensor((n * 2, 8, h), dtype="float32") = R.concat((phases, phases_1), axis=0)
            y: R.Tensor((n, 8, h * 2), dtype="float32") = R.nn.join_phases1d(phases_2, R.shape([h * 2]), strides=[2], padding=[0, 0], groups=1, stacked=True, layout="NCW", out_layout="NCW")
            R.output(y)
        return y

# ==== padding wider than the taps
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 16, "h"), dtype="float32"), w: R.Tensor((16, 8, 3), dtype="float32")):
        n = T.int64()
        h = T.int64()
        with R.dataflow():
            y = R.nn.conv1d_transpose(x, w, strides=[2], padding=[3, 3])
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 16, "h"), dtype="float32"), w: R.Tensor((16, 8, 3), dtype="float32")) -> R.Tensor(("n", 8, "h * 2 - 5"), dtype="float32"):
        n = T.int64()
        h = T.int64()
        with R.dataflow():
            filter: R.Tensor((16, 16, 2), dtype="float32") = R.nn.phase_filter(w, strides=[2], dilation=[1], groups=1, first=[0], phases=[2], taps=[2])
            phases: R.Tensor((n, 16, h - 1), dtype="float32") = R.nn.conv1d(x, filter, strides=[1], padding=[0, 0], dilation=[1], groups=1, data_layout="NCW", kernel_layout="OIW", out_layout=None, out_dtype="void")
            y: R.Tensor((n, 8, h * 2 - 5), dtype="float32") = R.nn.join_phases1d(phases, R.shape([h * 2 - 5]), strides=[2], padding=[1, 0], groups=1, stacked=False, layout="NCW", out_layout="NCW")
            R.output(y)
        return y

# ==== mostly padding
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 16, 1, 1), dtype="float32"), w: R.Tensor((16, 32, 4, 4), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            y = R.nn.conv2d_transpose(x, w)
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 16, 1, 1), dtype="float32"), w: R.Tensor((16, 32, 4, 4), dtype="float32")) -> R.Tensor(("n", 32, 4, 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            filter: R.Tensor((32, 4, 4, 16), dtype="float32") = R.permute_dims(w, axes=[1, 2, 3, 0])
            filter_1: R.Tensor((512, 16), dtype="float32") = R.reshape(filter, R.shape([512, 16]))
            elements: R.Tensor((n, 16, 1), dtype="float32") = R.reshape(x, R.shape([n, 16, 1]))
            columns: R.Tensor((n, 512, 1), dtype="float32") = R.matmul(filter_1, elements, out_dtype="void")
            columns_1: R.Tensor((n, 512, 1, 1), dtype="float32") = R.reshape(columns, R.shape([n, 512, 1, 1]))
            phases: R.Tensor((n, 32, 4, 4), dtype="float32") = R.nn.add_columns(columns_1, R.shape([4, 4]), kernel=[4, 4], strides=[1, 1], dilation=[1, 1])
            R.output(phases)
        return phases
