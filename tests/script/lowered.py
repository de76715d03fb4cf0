# Code after the memory passes: storages, kills, direct calls of PrimFuncs.
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R

metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQADAAAAAAAAAAwAAAAAAAAAAADAPwAAIEAAAGBA\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(3)))
        B = T.match_buffer(b, (T.int64(3),))
        C = T.match_buffer(c, (n, T.int64(3)))
        # with T.block("root"):
        for i, j in T.grid(n, T.int64(3)):
            with T.block("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + B[vj]

    @R.function
    def main(x: R.Tensor(("n", 3), dtype="float32")) -> R.Tensor(("n", 3), dtype="float32"):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        storage: R.Object = R.memory.alloc_storage(R.shape([n * 12]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        alloc: R.Tensor((n, 3), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([n, 3]), R.dtype("float32"))
        R.memory.kill_storage(storage)
        cls.add(x, metadata["relax.expr.Constant"][0], alloc)
        storage1: R.Object = R.vm.alloc_storage(R.shape([n * 12]), R.prim_value(0), R.dtype("uint8"), R.str("global"))
        alloc1: R.Tensor((n, 3), dtype="float32") = R.vm.alloc_tensor(storage1, R.prim_value(0), R.shape([n, 3]), R.dtype("float32"))
        R.vm.kill_object(storage1)
        R.vm.call_tir_dyn(cls.add, (alloc, metadata["relax.expr.Constant"][0], alloc1))
        R.memory.kill_tensor(alloc)
        alloc2: R.Tensor((n, 3), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 3]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        return alloc1
