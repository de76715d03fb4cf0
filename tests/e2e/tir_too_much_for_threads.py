"""What threads of a device cannot do, which only their code shows, is the CPU's there: memory of a thread that is too large or
whose size it computes, a value of the device that the host would need; masked stores of lanes of two types are the device's."""
# call large: tensor float32 [3] {1, 2, -1} => tensor float32 [3] {20007, 40014, -20007}
# call open: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [2] {8, 20}
# call needed: tensor int32 [4] {1, 2, 0, 3} => tensor int32 [4] {0, 2, 4, 4}
# call lanes: tensor float32 [4] {1, 2, 3, 4}, tensor int32 [4] {1, 0, 0, 1} => tensor float32 [4] {2, 7, 7, 5}
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def large_(a: T.Buffer((3,), "float32"), o: T.Buffer((3,), "float32")):
        for i in range(3):
            with T.block("rows"):
                vi = T.axis.spatial(3, i)
                line = T.alloc_buffer((20001,), "float32")
                for k in range(20001):
                    line[k] = a[vi] * T.Cast("float32", k)
                o[vi] = line[7] + line[20000]

    @T.prim_func(private=True)
    def open_(a: T.handle, o: T.Buffer((2,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (2, n), "float32")
        for i in range(2):
            with T.block("rows"):
                vi = T.axis.spatial(2, i)
                line = T.alloc_buffer((n,), "float32")
                for k in range(n):
                    line[k] = A[vi, k] * T.float32(2)
                o[vi] = line[0] + line[n - T.int64(1)]

    @T.prim_func(private=True)
    def needed_(a: T.Buffer((4,), "int32"), o: T.Buffer((4,), "int32")):
        for i in range(4):
            with T.block("more"):
                vi = T.axis.spatial(4, i)
                o[vi] = a[vi] + 1
        line = T.alloc_buffer((o[1],), "int32")
        for i in range(o[1]):
            line[i] = i * 2
        for i in range(o[1]):
            o[i] = line[i]

    @T.prim_func(private=True)
    def lanes_(a: T.Buffer((4,), "float32"), m: T.Buffer((4,), "int32"), o: T.Buffer((4,), "float32")):
        for i in range(4):
            o[i] = T.float32(7)
        o.vstore([T.Ramp(0, 1, 4)], a.vload([T.Ramp(0, 1, 4)]) + T.Broadcast(T.float32(1), 4), predicate=m[0:4] == T.Broadcast(1, 4))

    @R.function
    def large(a: R.Tensor((3,), "float32")):
        o = R.call_tir(Module.large_, (a,), out_sinfo=R.Tensor((3,), "float32"))
        return o

    @R.function
    def open(a: R.Tensor((2, "n"), "float32")):
        o = R.call_tir(Module.open_, (a,), out_sinfo=R.Tensor((2,), "float32"))
        return o

    @R.function
    def needed(a: R.Tensor((4,), "int32")):
        o = R.call_tir(Module.needed_, (a,), out_sinfo=R.Tensor((4,), "int32"))
        return o

    @R.function
    def lanes(a: R.Tensor((4,), "float32"), m: R.Tensor((4,), "int32")):
        o = R.call_tir(Module.lanes_, (a, m), out_sinfo=R.Tensor((4,), "float32"))
        return o
