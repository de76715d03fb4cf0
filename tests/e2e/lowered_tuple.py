"""A function as TVM prints it after VMShapeLower: items of a tuple are read after their sources were killed."""
# call main: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tuple(tensor float32 [3] {5, 7, 9}, tensor float32 [2] {6, 15})
# fail main: tensor float32 [2] {1, 2} => expected Tensor((n, 3), float32)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def columns(x_handle: T.handle, y: T.Buffer((3,))):
        n = T.int64()
        x = T.match_buffer(x_handle, (n, 3))
        for i, j in T.grid(3, n):
            with T.block("columns"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    y[vi] = T.float32(0)
                y[vi] = y[vi] + x[vj, vi]

    @T.prim_func
    def rows(x_handle: T.handle, y_handle: T.handle):
        n = T.int64()
        x = T.match_buffer(x_handle, (n, 3))
        y = T.match_buffer(y_handle, (n,))
        for i, j in T.grid(n, 3):
            with T.block("rows"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    y[vi] = T.float32(0)
                y[vi] = y[vi] + x[vi, vj]

    @R.function
    def main(x: R.Tensor(("n", 3), dtype="float32")) -> R.Tuple(R.Tensor((3,), dtype="float32"), R.Tensor(("n",), dtype="float32")):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        heap: R.Tensor(dtype="int64", ndim=1) = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (R.prim_value(1),), sinfo_args=(R.Tensor(dtype="int64", ndim=1),))
        R.call_packed("vm.builtin.check_tensor_info", x, R.prim_value(2), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
        R.call_packed("vm.builtin.match_shape", x, heap, R.prim_value(2), R.prim_value(1), R.prim_value(0), R.prim_value(0), R.prim_value(3), R.str(""), sinfo_args=(R.Tuple,))
        storage: R.Object = R.vm.alloc_storage(R.shape([12]), R.prim_value(0), R.dtype("uint8"), R.str("global"))
        a: R.Tensor((3,), dtype="float32") = R.vm.alloc_tensor(storage, R.prim_value(0), R.shape([3]), R.dtype("float32"), R.prim_value(0), sinfo_args=(R.Tensor((3,), dtype="float32"),))
        R.vm.kill_object(storage)
        cls.columns(x, a)
        shape: R.Shape(ndim=1) = R.call_packed("vm.builtin.make_shape", heap, R.prim_value(1), R.prim_value(1), R.prim_value(0), sinfo_args=(R.Shape(ndim=1),))
        b: R.Tensor(dtype="float32", ndim=1) = R.builtin.alloc_tensor(shape, R.dtype("float32"), R.prim_value(0), R.str("global"), sinfo_args=(R.Tensor(dtype="float32", ndim=1),))
        cls.rows(x, b)
        both: R.Tuple(R.Tensor((3,), dtype="float32"), R.Tensor(dtype="float32", ndim=1)) = (a, b)
        R.vm.kill_object(a)
        R.vm.kill_object(b)
        second: R.Tensor(dtype="float32", ndim=1) = both[1]
        R.call_packed("vm.builtin.match_shape", second, heap, R.prim_value(1), R.prim_value(3), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
        return both
