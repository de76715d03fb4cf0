# Devices that all mean the CPU: every way to name one, copies between them, in a signature, a tuple and a hint.
# call main: tensor float32 [2] {1, 2}, tensor float32 [2] {3, 4} => tuple(tensor float32 [2] {5, 8}, tensor float32 [2] {4, 6})
# call hinted: tensor float32 [2] {1, 2} => tensor float32 [2] {2, 4}
# call described: tensor float32 [2] {1, 2} => tensor float32 [2] {3, 6}
# call memory: tensor float32 [2] {1, 2} => tensor float32 [2] {1, 2}
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice({"kind": "llvm", "mcpu": "znver4"}, 0, "global"), I.vdevice("cuda")]})
    @R.function
    def main(x: R.Tensor((2,), "float32", "llvm"), y: R.Tensor((2,), "float32", vdevice="vdevice:1")):
        with R.dataflow():
            a: R.Tensor((2,), "float32", "llvm:1") = R.to_vdevice(x, "llvm:1")
            b: R.Tensor((2,), "float32", vdevice="llvm:1") = R.add(R.const([1.0, 2.0], "float32"), y)
            c = R.add(a, b)
            d = R.to_vdevice(R.add(x, R.to_vdevice(y, "llvm:0")), dst_vdevice="llvm:1")
            R.output(c, d)
        return (c, d)
    @R.function
    def hinted(x: R.Tensor((2,), "float32", 1)) -> R.Tensor((2,), "float32"):
        a = R.hint_on_device(x, R.device(device_type=1, index=0), "global")
        b = R.hint_on_device(x, R.device("cpu"))
        return R.add(a, b)
    @R.function
    def described(x: R.Tensor((2,), "float32", I.vdevice("llvm"))) -> R.Tensor((2,), "float32"):
        held = I.vdevice("llvm -num-cores=2")
        a = R.to_vdevice(x, tvm.ir.VDevice("llvm -num-cores=4", 0, "global"))
        b: R.Tensor((2,), "float32", held) = R.to_vdevice(a, dst_vdevice=held)
        c: R.Tensor((2,), "float32", I.vdevice("llvm -num-cores=2")) = R.add(b, b)
        return R.add(R.to_vdevice(c, I.vdevice("llvm")), x)
    @R.function(pure=False)
    def memory(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        s = R.memory.alloc_storage(R.shape([8]), R.prim_value(1), R.str("global"), R.dtype("float32"))
        t: R.Tensor((2,), "float32") = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([2]), R.dtype("float32"))
        u = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        return x
