# ==== devices
# Constants on two devices: what is computed from them is where it was.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl", 0), I.vdevice("opencl", 1)]})
    @R.function
    def main(x: R.Tensor((2,), "float32", "opencl:0"), h: R.Tensor((2,), "float32", "llvm:0")):
        with R.dataflow():
            c = R.add(R.const([1.0, 2.0], "float32"), R.const([3.0, 4.0], "float32"))
            there = R.add(x, c)
            here = R.add(h, c)
            placed: R.Tensor((2,), "float32", "opencl:1") = R.exp(R.zeros((2,), "float32"))
            moved = R.to_vdevice(R.negative(R.const([5.0, 6.0], "float32")), "opencl:1")
            sum = R.add(placed, moved)
            zeros: R.Tensor((2,), "float32", "opencl:0") = R.zeros((2,), "float32")
            R.output(there, here, sum, placed, zeros)
        return (there, here, sum, placed, zeros, R.to_vdevice(R.const([7.0, 8.0], "float32"), "opencl:0"))
# ---- expected
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
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAQAAAwEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAQAAAwEA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACgwAAAwMA=\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAADgQAAAAEE=\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("opencl", 0, "global"), I.vdevice("opencl", 1, "global")]})
    @R.function
    def main(x: R.Tensor((2,), dtype="float32", vdevice="opencl:0"), h: R.Tensor((2,), dtype="float32", vdevice="llvm:0")) -> R.Tuple(R.Tensor((2,), dtype="float32", vdevice="opencl:0"), R.Tensor((2,), dtype="float32", vdevice="llvm:0"), R.Tensor((2,), dtype="float32", vdevice="opencl:1"), R.Tensor((2,), dtype="float32", vdevice="opencl:1"), R.Tensor((2,), dtype="float32", vdevice="opencl:0"), R.Tensor((2,), dtype="float32", vdevice="opencl:0")):
        with R.dataflow():
            there: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = R.add(x, metadata["relax.expr.Constant"][0])
            here: R.Tensor((2,), dtype="float32", vdevice="llvm:0") = R.add(h, metadata["relax.expr.Constant"][1])
            lv: R.Tensor((2,), dtype="float32", vdevice="opencl:1") = R.zeros(R.shape([2]), dtype="float32")
            placed: R.Tensor((2,), dtype="float32", vdevice="opencl:1") = R.exp(lv)
            sum: R.Tensor((2,), dtype="float32", vdevice="opencl:1") = R.add(placed, metadata["relax.expr.Constant"][2])
            zeros: R.Tensor((2,), dtype="float32", vdevice="opencl:0") = R.zeros(R.shape([2]), dtype="float32")
            R.output(there, here, placed, sum, zeros)
        return (there, here, sum, placed, zeros, metadata["relax.expr.Constant"][3])

# ==== transposed_weight
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        with R.dataflow():
            w = R.add(R.const(1.5, "float32"), R.const(2, "float32"))
            y = R.multiply(x, w)
            z = R.sum(y, axis=[1], keepdims=False)
            R.output(z)
        return z
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            y: R.Tensor((n, 2), dtype="float32") = R.multiply(x, R.const(3.5, "float32"))
            z: R.Tensor((n,), dtype="float32") = R.sum(y, axis=[1], keepdims=False)
            R.output(z)
        return z

# ==== equal_quantization
# Quantizing a dequantized value with the same scale and zero point gives the value itself: the table
# of that function holds every number at its own place.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "uint8"), y: R.Tensor(("n", 4), "int8")):
        with R.dataflow():
            a = R.dequantize(x, R.const(0.1, "float32"), R.const(123, "uint8"))
            b = R.quantize(a, R.const(0.1, "float32"), R.const(123, "uint8"), out_dtype="uint8")
            c = R.dequantize(y, R.const(3.7, "float32"), R.const(-5, "int8"))
            d = R.quantize(c, R.const(3.7, "float32"), R.const(-5, "int8"), out_dtype="int8")
            R.output(b, d)
        return (b, d)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="uint8"), y: R.Tensor(("n", 4), dtype="int8")) -> R.Tuple(R.Tensor(("n", 4), dtype="uint8"), R.Tensor(("n", 4), dtype="int8")):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((n, 4), dtype="float32") = R.dequantize(x, R.const(0.10000000149011612, "float32"), R.const(123, "uint8"), axis=-1, out_dtype="float32")
            c: R.Tensor((n, 4), dtype="float32") = R.dequantize(y, R.const(3.700000047683716, "float32"), R.const(-5, "int8"), axis=-1, out_dtype="float32")
            R.output()
        return (x, y)
