# ==== annotation
# error => errors.py#annotation:6:
from tvm.script import relax as R, tir as T
@R.function
def main(x: R.Tensor(("n",), "float32")):
    n = T.int64()
    y: R.Tensor((n + 1,), "float32") = R.exp(x)
    return y

# ==== broadcast
# error => do not broadcast in dimension 0
from tvm.script import relax as R
@R.function
def main(x: R.Tensor((3,), "float32"), y: R.Tensor((4,), "float32")):
    return R.add(x, y)

# ==== call_arguments
# error => 'f' takes 1 argument
from tvm.script import relax as R
@R.function(private=True)
def f(x: R.Tensor((4,), "float32")):
    return x
@R.function
def main(x: R.Tensor((4,), "float32")):
    y = f(x, x)
    return y

# ==== checks
"""Rows of rlx.checks that do not name a check."""
# error => rows: a row of rlx.checks needs "param", a buffer of integers, "text"
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def rows(x: T.Buffer((T.int64(2),), "int64"), y: T.Buffer((T.int64(2),), "int64")):
        T.func_attr({"rlx.checks": [{"param": 0, "size": [1, 1], "text": "index"}]})
        for i in range(2):
            with T.block("y"):
                v = T.axis.spatial(2, i)
                y[v] = x[v]

    @R.function
    def main(x: R.Tensor((2,), "int64")):
        cls = Module
        y = R.call_tir(cls.rows, (x,), out_sinfo=R.Tensor((2,), "int64"))
        return y

# ==== closure_arguments
# error => invoke_pure_closure: 'f' takes 2 arguments, got 1
from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function(private=True)
    def f(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        return R.add(x, y)
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        return R.invoke_pure_closure(cls.f, (x,), sinfo_args=(R.Tensor((4,), "float32"),))

# ==== condition
# error => errors.py#condition:5
from tvm.script import relax as R
@R.function
def main(x: R.Tensor((4,), "float32")):
    if x:
        y = R.add(x, x)
    else:
        y = x
    return y

# ==== dataflow_escape
# error => 'y' is not defined
from tvm.script import relax as R
@R.function
def main(x: R.Tensor((4,), "float32")):
    with R.dataflow():
        y = R.add(x, x)
        z = R.add(y, y)
        R.output(z)
    return y

# ==== impure
# error => pure
from tvm.script import relax as R
@R.function
def main(x: R.Tensor((4,), "float32")):
    y = R.call_packed("test.id", x, sinfo_args=R.Tensor((4,), "float32"))
    return y

# ==== kernel_arity
# error => 'k'
from tvm.script import relax as R, tir as T
@T.prim_func
def k(a: T.handle, b: T.handle, c: T.handle):
    A = T.match_buffer(a, (4,))
    B = T.match_buffer(b, (4,))
    C = T.match_buffer(c, (4,))
    for i in range(4):
        C[i] = A[i] + B[i]
@R.function
def main(x: R.Tensor((4,), "float32")):
    return R.call_tir(k, (x,), out_sinfo=R.Tensor((4,), "float32"))

# ==== kernel_dtype
# error => int32
from tvm.script import relax as R, tir as T
@T.prim_func
def k(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (4,))
    B = T.match_buffer(b, (4,))
    for i in range(4):
        B[i] = A[i]
@R.function
def main(x: R.Tensor((4,), "int32")):
    return R.call_tir(k, (x,), out_sinfo=R.Tensor((4,), "float32"))

# ==== many
# error => errors.py#many:7:9
from tvm.script import relax as R
@R.function
def main(x: R.Tensor((4,), "float32")):
    a = R.foo(x)
    b = R.add(x)
    c = R.bar(a, b)
    return c

# ==== packed_buffer
# error => parameter A has elements of type int4: elements smaller than a byte are read from uint8
from tvm.script import relax as R, tir as T
@T.prim_func
def k(A: T.Buffer((4,), "int4"), B: T.Buffer((4,), "int8")):
    for i in range(4):
        B[i] = T.Cast("int8", A[i])
@R.function
def main(x: R.Tensor((4,), "int4")):
    return R.call_tir(k, (x,), out_sinfo=R.Tensor((4,), "int8"))

# ==== packed_layout
# error => R.nn.conv2d: 6, dimension C of the result, is not a multiple of 4, which layout "NCHW4c" needs
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2, 8, 8, 4), "float32"), w: R.Tensor((6, 8, 3, 3), "float32")):
        y = R.nn.conv2d(x, w, data_layout="NCHW4c", kernel_layout="OIHW", out_layout="NCHW4c")
        return y

# ==== predicate
# error => a predicate of 4 lanes, at most 64, of bool is needed, got boolx2
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.Buffer((8,), "float32"), o: T.Buffer((8,), "float32")):
        o.vstore([T.Ramp(0, 1, 4)], a[0:4], predicate=T.Broadcast(T.bool(True), 2))

# ==== prim_address
# error => parameter 'B' of PrimFunc 'f' is a buffer: pass a buffer, not an address
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        A[0] = Module.f(A[0], A.data)
    @T.prim_func(private=True)
    def f(x: T.float32, B: T.Buffer((2,), "float32")) -> T.float32:
        return x

# ==== prim_arguments
# error => PrimFunc 'f' takes 2 arguments, got 1
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        A[0] = Module.f(A[0])
    @T.prim_func(private=True)
    def f(x: T.float32, B: T.Buffer((2,), "float32")) -> T.float32:
        return x

# ==== prim_number
# error => parameter 'x' of PrimFunc 'f' is float32, got handle
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        A[0] = Module.f(A.data, A)
    @T.prim_func(private=True)
    def f(x: T.float32, B: T.Buffer((2,), "float32")) -> T.float32:
        return x

# ==== prim_recursion
# error => PrimFunc 'f' calls itself, directly or through others; recursion is not supported
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        A[0] = Module.f(A[0], A)
    @T.prim_func(private=True)
    def f(x: T.float32, B: T.Buffer((4,), "float32")) -> T.float32:
        return Module.f(x, B)

# ==== prim_shape
# error => buffer 'B' of PrimFunc 'f' has 2 elements in dimension 0, got 4
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        A[0] = Module.f(A[0], A)
    @T.prim_func(private=True)
    def f(x: T.float32, B: T.Buffer((2,), "float32")) -> T.float32:
        return x

# ==== return_type
# error => main
from tvm.script import relax as R
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((5,), "float32"):
    y = R.add(x, x)
    return y

# ==== separators
# error => axis separators must be increasing dimension numbers, at most 2
from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle):
        A = T.match_buffer(a, (8, 8), "float32", axis_separators=[2, 1])
        A[0, 0] = T.float32(0)

# ==== thread_barrier
# error => PrimFunc 'f' cannot run on 'opencl:0': T.tvm_storage_sync: only threads of one block can wait for each other
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global")]})

    @T.prim_func
    def f(a: T.Buffer((8,), "float32"), o: T.Buffer((8,), "float32")):
        tx = T.launch_thread("threadIdx.x", 8)
        o[tx] = a[tx]
        T.tvm_storage_sync("global")
        o[tx] = a[7 - tx]

    @R.function
    def main(a: R.Tensor((8,), "float32", "opencl:0")):
        o = R.call_tir(Module.f, (a,), out_sinfo=R.Tensor((8,), "float32", "opencl:0"))
        return o

# ==== thread_phases
# error => errors.py#thread_phases:16:17: error: f1: all threads of threadIdx.y run this store to s, whose value depends on what it overwrites
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global")]})

    @T.prim_func
    def f(a: T.Buffer((32,), "float32"), o: T.Buffer((8,), "float32")):
        for b in T.thread_binding(1, thread="blockIdx.x"):
            s = T.alloc_buffer((32,), "float32", scope="shared")
            for t in T.thread_binding(32, thread="threadIdx.x"):
                s[t] = T.float32(0)
            for t in T.thread_binding(32, thread="threadIdx.x"):
                s[t] = s[t] + a[t]
            for u in T.thread_binding(8, thread="threadIdx.y"):
                o[u] = s[u]

    @R.function
    def main(a: R.Tensor((32,), "float32", "opencl:0")):
        o = R.call_tir(Module.f, (a,), out_sinfo=R.Tensor((8,), "float32", "opencl:0"))
        return o

# ==== thread_sum
# error => block 'total': reduction axis vk is bound to threadIdx.x: only threads of one block are reduced, by a sum from 0, a product from 1
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global")]})

    @T.prim_func
    def total(a: T.Buffer((8, 32), "float32"), o: T.Buffer((8,), "float32")):
        T.func_attr({"target": T.target("opencl")})
        for i in T.thread_binding(8, thread="blockIdx.x"):
            for k in T.thread_binding(32, thread="threadIdx.x"):
                with T.block("total"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        o[vi] = T.float32(1)
                    o[vi] = o[vi] + a[vi, vk]

    @R.function
    def main(a: R.Tensor((8, 32), "float32", "opencl:0")):
        o = R.call_tir(Module.total, (a,), out_sinfo=R.Tensor((8,), "float32", "opencl:0"))
        return o

# ==== tuple_index
# error => 2
from tvm.script import relax as R
@R.function
def main(x: R.Tuple(R.Tensor((4,), "float32"), R.Object)):
    y = x[2]
    return y

# ==== type_mismatch
# error => R.add
from tvm.script import relax as R
@R.function
def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "int32")):
    return R.add(x, y)

# ==== unbound_symbol
# error => errors.py#unbound_symbol:3:1: error: symbolic variable 'n' is used before it is bound
from tvm.script import relax as R, tir as T
@R.function
def main(x: R.Tensor(("n * 2",), "float32")):
    return R.add(x, x)

# ==== unknown_operator
# error => errors.py#unknown_operator:6:12: error: operator R.nn.lstm is not supported
from tvm.script import relax as R
@R.function
def main(x: R.Tensor(("n",), "float32")):
    y = R.add(x, x)
    return R.nn.lstm(y)

# ==== strides_of_a_temporary
# error => the strides of the temporary 't' must be numbers
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def f(a_: T.handle, o_: T.handle):
        n = T.int64()
        A = T.match_buffer(a_, (4, n), "float32")
        O = T.match_buffer(o_, (4, n), "float32")
        t = T.alloc_buffer((4, n), strides=(3, 1))
        for i, j in T.grid(4, n):
            t[i, j] = A[i, j]
        for i, j in T.grid(4, n):
            O[i, j] = t[i, j]
    @R.function
    def main(a: R.Tensor((4, "n"), dtype="float32")) -> R.Tensor((4, "n"), dtype="float32"):
        n = T.int64()
        r = R.call_tir(Module.f, (a,), out_sinfo=R.Tensor((4, n), "float32"))
        return r

# ==== a_string_for_a_buffer
# error => call of PrimFunc 'add' with 2 parameters: the argument for buffer 'A' is not a tensor
from tvm.script import ir as I, tir as T, relax as R
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        for i in range(4):
            C[i] = A[i]
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        cls.add(["x"][0], y)
        return y
