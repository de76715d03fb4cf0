# Explicit memory: a scope is an entry of the table of its own, which positions then name.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0), I.vdevice("llvm"), I.vdevice("opencl", 0, "global.texture")]})
    @R.function(pure=False)
    def memory(x: R.Tensor((2,), "float32")):
        s = R.memory.alloc_storage(R.shape([8]), R.prim_value(0), R.str("global.texture"), R.dtype("float32"))
        t = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([2]), R.dtype("float32"))
        u = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global.texture"))
        return (t, u)
