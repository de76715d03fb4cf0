# PrimFuncs that call packed functions of the host and the runtime, and C functions; scalar parameters of
# every kind; stages of one PrimFunc that pass a temporary to a packed function.
# call main: tensor float32 [3] {1, 2, 3}, float 0.5 => tuple(tensor float32 [3] {2, 4, 6}, tensor float32 [3] {3.5, 4, 4.5}, tensor float32 [3] {1, 1.75, 2.5}, tensor int64 [3] {2, 1, 0}, tensor int32 [2] {4, 2})
# call main: tensor float32 [0] {}, float -1 => tuple(tensor float32 [0] {}, tensor float32 [0] {}, tensor float32 [0] {}, tensor int64 [0] {}, tensor int32 [2] {4, 2})
# call scalars: true => tensor float64 [4] {-1.5, 255, 1, 0.25}
# fail missing: tensor float32 [1] {1} => kernel missing_f: packed function test.none: no packed function or builtin is named 'test.none'
# fail refused: tensor float32 [2] {1, 2} => packed function test.twice: test.twice wants tensors
# call in_loop: tensor float32 [4] {1, 2, 3, 4} => tensor float32 [4] {2, 4, 6, 8}
# call through_pointers: tensor float32 [2, 3] {0, 1, 2, 3, 4, 5} => tensor float32 [3] {6, 8, 10}
# call staged: tensor float32 [3] {1, 2, 3} => tensor float32 [3] {6, 9, 12}


@I.ir_module
class Module:
    @T.prim_func
    def twice(x_handle: T.handle, y_handle: T.handle):
        n = T.int64()
        x = T.match_buffer(x_handle, (n,))
        y = T.match_buffer(y_handle, (n,))
        with T.block("twice"):
            T.reads(x[0:n])
            T.writes(y[0:n])
            T.call_packed("test.twice", x, y)

    @T.prim_func
    def scale(x_handle: T.handle, y_handle: T.handle, alpha: T.float32, beta: T.int32):
        n = T.int64()
        x = T.match_buffer(x_handle, (n,))
        y = T.match_buffer(y_handle, (n,))
        for i in range(n):
            with T.block("scale"):
                v = T.axis.spatial(n, i)
                y[v] = x[v] * alpha + T.Cast("float32", beta)

    @T.prim_func
    def order(x_handle: T.handle, y_handle: T.handle):
        n = T.int64()
        x = T.match_buffer(x_handle, (n,))
        y = T.match_buffer(y_handle, (n,), "int64")
        with T.block("order"):
            T.reads(x[0:n])
            T.writes(y[0:n])
            T.call_packed("tvm.contrib.sort.argsort", T.tvm_stack_make_array(x.data, T.tvm_stack_make_shape(n), 0, 1, T.float32(0.0), 0), T.tvm_stack_make_array(y.data, T.tvm_stack_make_shape(n), 0, 1, T.int64(0), 0), 0, T.bool(False))

    @T.prim_func
    def counts(y: T.Buffer((2,), "int32")):
        y[0] = T.call_packed("test.count", 1, T.float32(2.5), "text", T.bool(True))
        y[1] = T.call_cpacked("test.count", T.int64(-1), y)

    @T.prim_func
    def all_scalars(y: T.Buffer((4,), "float64"), h: T.float16, u: T.uint8, b: T.bool, d: T.float64):
        T.func_attr({"tir.noalias": True})
        y[0] = T.Cast("float64", h)
        y[1] = T.Cast("float64", u)
        y[2] = T.Cast("float64", b)
        y[3] = d

    @T.prim_func
    def missing_f(x: T.Buffer((1,)), y: T.Buffer((1,))):
        T.call_packed("test.none", x, y)

    @T.prim_func
    def refused_f(x: T.Buffer((2,)), y: T.Buffer((2,))):
        T.call_packed("test.twice", x[0], T.float32(1))

    @T.prim_func
    def row_by_row(x_handle: T.handle, y_handle: T.handle):
        n = T.int64()
        x = T.match_buffer(x_handle, (n,))
        y = T.match_buffer(y_handle, (n,))
        for i in T.parallel(n):
            T.call_packed("test.twice", T.tvm_stack_make_array(x.data, T.tvm_stack_make_shape(1), T.tvm_stack_make_shape(7), 1, T.float32(0), i), T.tvm_stack_make_array(y.data, T.tvm_stack_make_shape(1), 0, 1, T.float32(0), i))

    @T.prim_func
    def second_row(x: T.Buffer((2, 3)), y: T.Buffer((3,))):
        with T.block("root"):
            row = T.match_buffer(x[1, 0:3], (3,), elem_offset=T.int64(3))
            T.call_packed("test.twice", row, y)

    @T.prim_func
    def two_stages(x: T.Buffer((3,)), z: T.Buffer((3,))):
        with T.block("root"):
            t = T.alloc_buffer((3,))
            u = T.alloc_buffer((3,))
            for i in range(3):
                with T.block("t"):
                    v = T.axis.spatial(3, i)
                    t[v] = x[v] + T.float32(1)
            with T.block("u"):
                T.reads(t[0:3])
                T.writes(u[0:3])
                T.call_packed("test.twice", t, u)
            for i in range(3):
                with T.block("z"):
                    v = T.axis.spatial(3, i)
                    z[v] = u[v] + t[v]

    @R.function
    def main(x: R.Tensor(("n",), "float32"), a: R.Prim("float32")):
        n = T.int64()
        cls = Module
        y = R.call_tir(cls.twice, (x,), out_sinfo=R.Tensor((n,), "float32"))
        z = R.builtin.alloc_tensor(R.shape([n]), "float32", R.prim_value(0), R.str("global"))
        cls.scale(x, z, a, R.prim_value(3))
        w = R.builtin.alloc_tensor(R.shape([n]), "float32", R.prim_value(0), R.str("global"))
        cls.scale(x, w, R.prim_value(T.float32(0.75)), R.prim_value(0))
        w1 = R.add(w, R.const(0.25, "float32"))
        order = R.call_tir(cls.order, (x,), out_sinfo=R.Tensor((n,), "int64"))
        c = R.call_tir(cls.counts, (), out_sinfo=R.Tensor((2,), "int32"))
        return (y, z, w1, order, c)

    @R.function
    def scalars(b: R.Prim("bool")) -> R.Tensor((4,), "float64"):
        cls = Module
        y = R.builtin.alloc_tensor(R.shape([4]), "float64", R.prim_value(0), R.str("global"))
        cls.all_scalars(y, R.prim_value(T.float16(-1.5)), R.prim_value(255), b, R.prim_value(T.float64(0.25)))
        return y

    @R.function
    def missing(x: R.Tensor((1,), "float32")) -> R.Tensor((1,), "float32"):
        return R.call_tir(Module.missing_f, (x,), out_sinfo=R.Tensor((1,), "float32"))

    @R.function
    def refused(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return R.call_tir(Module.refused_f, (x,), out_sinfo=R.Tensor((2,), "float32"))

    @R.function
    def in_loop(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        return R.call_tir(Module.row_by_row, (x,), out_sinfo=R.Tensor((n,), "float32"))

    @R.function
    def through_pointers(x: R.Tensor((2, 3), "float32")) -> R.Tensor((3,), "float32"):
        return R.call_tir(Module.second_row, (x,), out_sinfo=R.Tensor((3,), "float32"))

    @R.function
    def staged(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        return R.call_tir(Module.two_stages, (x,), out_sinfo=R.Tensor((3,), "float32"))
