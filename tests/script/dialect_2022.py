# The dialect of 2022: match_shape, call_tir with shapes and dtype=, type_args=, ndim annotations.
import tvm
from tvm.script import tir as T, relax as R


@tvm.script.ir_module
class InputModule:
    @T.prim_func
    def tir_matmul(x: T.handle, y: T.handle, z: T.handle) -> None:
        T.func_attr({"global_symbol": "tir_matmul"})
        m = T.var("int64")
        n = T.var("int64")
        k = T.var("int64")
        A = T.match_buffer(x, (m, n), "float32")
        B = T.match_buffer(y, (n, k), "float32")
        C = T.match_buffer(z, (m, k), "float32")

        for i, j, l in T.grid(m, k, n):
            with T.block("matmul"):
                vi, vj, vl = T.axis.remap("SSR", [i, j, l])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vl] * B[vl, vj]

    @T.prim_func
    def copy(A: T.Buffer[(4, 4), "float32"], B: T.Buffer[(4, 4), "float32"]):
        for i in T.serial(0, 16):
            B[i // 4, i % 4] = A[i // 4, i % 4]

    @R.function
    def main(x: R.Tensor((m, n), "float32"), w: R.Tensor(None, "float32", ndim=2)) -> R.Tensor:
        R.func_attr({"global_symbol": "main"})
        y, z = R.shape_of(x), R.shape_of(w)
        k = T.var("int64")
        w1 = R.match_shape(w, (n, k))
        R.match_shape(z, (n, k))
        gv0 = R.call_tir(tir_matmul, (x, w1), (m, k), dtype="float32")
        gv1 = R.call_tir("test.extern", (gv0,), (m, k), dtype="float32")
        gv2 = R.call_tir("test.two", (gv1, gv1), ((m, k), (k,)), dtype=("float32", "int32"))
        gv3 = gv2[0]
        gv4 = R.call_packed("my.packed", gv3, type_args=(R.Tensor(ndim=2, dtype="float32")))
        with R.dataflow():
            lv0 = R.call_tir(tir_matmul, (gv4, gv4), (m, k), dtype="float32")
            gv = R.call_tir("test.one", lv0, (m, k), dtype="float32")
            R.output(gv)
        return gv
