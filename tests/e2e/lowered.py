# ==== forms
"""Forms of the memory passes and of the VM level, and builtins by name."""
# call memory: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [2, 3] {4, 8, 12, 16, 20, 24}
# call memory: tensor float32 [0, 3] {} => tensor float32 [0, 3] {}
# call written_before: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [2, 3] {8, 16, 24, 32, 40, 48}
# call vm: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [2, 3] {4, 8, 12, 16, 20, 24}
# call any_type: tensor int8 [2] {1, 2} => tensor int8 [2] {1, 2}
# call any_type: tensor float32 [2] {1, 2} => tensor float32 [2] {1, 2}
# fail any_type: tensor float32 [2, 1] {1, 2} => rank is 2, expected 1
# call elements: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [2, 3] {2, 4, 6, 8, 10, 12}
# call unread: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [2, 3] {2, 4, 6, 8, 10, 12}
# call unread: tensor float32 [0, 3] {} => tensor float32 [0, 3] {}
# call views: tensor int32 [4] {1, 2, 3, 4} => tuple(tensor int32 [2, 2] {1, 2, 3, 4}, tensor int32 [2] {3, 4}, tensor uint8 [4] {2, 0, 0, 0}, tensor int16 [2] {4, 0})
# call elements: tensor float32 [0, 3] {} => tensor float32 [0, 3] {}
# call builtin: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [2, 3] {2, 4, 6, 8, 10, 12}
# call null: tensor float32 [1, 3] {1, 2, 3} => tuple(none, tensor float32 [3] {1, 2, 3})
# call closure: tensor float32 [1] {5}, tensor float32 [1] {2} => tensor float32 [1] {3}
# call with_ctx: tensor float32 [2] {1, 2} => tensor float32 [2] {1, 2}
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(3)))
        B = T.match_buffer(b, (n, T.int64(3)))
        for i, j in T.grid(n, T.int64(3)):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)

    @R.function
    def memory(x: R.Tensor(("n", 3), "float32")) -> R.Tensor(("n", 3), "float32"):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        storage: R.Object = R.memory.alloc_storage(R.shape([n * 12]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        alloc: R.Tensor((n, 3), "float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([n, 3]), R.dtype("float32"))
        cls.twice(x, alloc)
        alloc1: R.Tensor((n, 3), "float32") = R.builtin.alloc_tensor(R.shape([n, 3]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _ = cls.twice(alloc, alloc1)
        R.memory.kill_tensor(alloc)
        R.memory.kill_storage(storage)
        return alloc1

    @R.function
    def written_before(x: R.Tensor(("n", 3), "float32")) -> R.Tensor(("n", 3), "float32"):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        a: R.Tensor((n, 3), "float32") = R.builtin.alloc_tensor(R.shape([n, 3]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        cls.twice(x, a)
        t: R.Tensor((n, 3), "float32") = R.builtin.alloc_tensor(R.shape([n, 3]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        u: R.Tensor((n, 3), "float32") = R.reshape(t, R.shape([n, 3]))
        cls.twice(x, u)
        cls.twice(a, t)
        out: R.Tensor((n, 3), "float32") = R.builtin.alloc_tensor(R.shape([n, 3]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        cls.twice(t, out)
        return out

    @T.prim_func(private=True)
    def ignores(a: T.handle, b: T.handle, n: T.int64, c: T.handle):
        T.evaluate(0)

    @T.prim_func(private=True)
    def twice_of(a: T.handle, unread: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(3)))
        B = T.match_buffer(b, (n, T.int64(3)))
        for i, j in T.grid(n, T.int64(3)):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)

    @R.function(pure=False)
    def unread(x: R.Tensor(("n", 3), "float32")):
        n = T.int64()
        cls = Module
        a = R.builtin.alloc_tensor(R.shape([n]), R.dtype("int8"), R.prim_value(0))
        _ = cls.ignores(x, a, R.prim_value(n), x)
        return R.call_tir(cls.twice_of, (x, a), out_sinfo=R.Tensor((n, 3), "float32"))

    @R.function
    def views(x: R.Tensor((4,), "int32")):
        a = R.memory.view(x, [2, 2], "int32", 0)
        b = R.call_packed("runtime.TVMTensorCreateView", x, R.shape([2]), R.dtype("int32"), R.prim_value(8))
        c = R.ExternFunc("runtime.TVMArrayCreateView", R.Callable(derive_func="tvm.relax.type.infer_view_ty", purity=True))(x, R.shape([4]), R.dtype("uint8"), 4)
        d = R.memory.view(b, dtype="int16", shape=[2], relative_byte_offset=4)
        return (a, b, c, d)

    @R.function(pure=False)
    def any_type(x: R.Tensor):
        _ = R.call_packed("vm.builtin.check_tensor_info", x, 1, R.dtype(""), "", ty_args=[R.Tuple()])
        _1 = R.call_packed("vm.builtin.check_tensor_info", x, 1, R.dtype("void"), "", ty_args=[R.Tuple()])
        return x

    @R.function(pure=False)
    def elements(x: R.Tensor(("n", 3), "float32")) -> R.Tensor(("n", 3), "float32"):
        n = T.int64()
        cls = Module
        storage: R.Object = R.vm.alloc_storage(R.shape([n * 3]), R.prim_value(0), R.dtype("float32"))
        half: R.Object = R.vm.alloc_storage(R.shape([n, 6]), R.prim_value(0), R.dtype("float16"), R.str("global"))
        a: R.Tensor((n, 3), "float32") = R.vm.alloc_tensor(half, R.prim_value(0), R.shape([n, 3]), R.dtype("float32"))
        cls.twice(x, a)
        b: R.Tensor((n, 3), "float32") = R.vm.alloc_tensor(storage, offset=R.prim_value(0), shape=R.shape([n, 3]), dtype=R.dtype("float32"))
        cls.twice(x, b)
        R.vm.kill_object(half)
        return b

    @R.function(pure=False)
    def vm(x: R.Tensor(("n", 3), "float32")) -> R.Tensor(("n", 3), "float32"):
        n = T.int64()
        cls = Module
        storage: R.Object = R.vm.alloc_storage(R.shape([n * 24]), R.prim_value(0), R.dtype("uint8"), R.str("global"))
        alloc: R.Tensor((n, 3), "float32") = R.vm.alloc_tensor(storage, R.prim_value(0), R.shape([n, 3]), R.dtype("float32"))
        alloc1: R.Tensor((n, 3), "float32") = R.vm.alloc_tensor(storage, R.prim_value(n * 12), R.shape([n, 3]), R.dtype("float32"))
        R.vm.kill_object(storage)
        R.vm.call_tir_dyn(cls.twice, (x, alloc))
        R.vm.call_tir_dyn(cls.twice, (alloc, alloc1))
        R.vm.kill_object(alloc)
        return alloc1

    @R.function(pure=False)
    def builtin(x: R.Tensor(("n", 3), "float32")) -> R.Tensor(("n", 3), "float32"):
        n = T.int64()
        cls = Module
        s = R.call_packed("vm.builtin.shape_of", x, sinfo_args=(R.Shape(ndim=2),))
        t = R.match_cast(s, R.Shape([n, 3]))
        y = R.call_packed("vm.builtin.reshape", x, R.shape([n, 3]), sinfo_args=(R.Tensor((n, 3), "float32"),))
        return R.call_tir(cls.twice, (y,), out_sinfo=R.Tensor((n, 3), "float32"))

    @R.function(pure=False)
    def null(x: R.Tensor((1, 3), "float32")):
        a = R.null_value()
        b = R.call_packed("vm.builtin.reshape", x, R.shape([3]), sinfo_args=(R.Tensor((3,), "float32"),))
        return (a, b)

    @R.function(private=True)
    def minus(a: R.Tensor(("n",), "float32"), b: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        return R.subtract(a, b)

    @R.function(pure=False)
    def closure(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Object:
        n = T.int64()
        cls = Module
        f = R.make_closure(cls.minus, (y,))
        z = R.invoke_closure(f, (x,), sinfo_args=(R.Tensor((n,), "float32"),))
        return z

    @R.function(pure=False)
    def with_ctx(x: R.Tensor(("n",), "float32")) -> R.Object:
        n = T.int64()
        y = R.call_builtin_with_ctx("vm.builtin.copy", (x,), sinfo_args=(R.Tensor((n,), "float32"),))
        return y

# ==== tuple
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
