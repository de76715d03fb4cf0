# ==== attention_spelled_otherwise
# Attention without batch and head, with swapped operands, powers of two, the scale after the mask or in the query:
# all become the seven blocks that R.nn.attention legalizes to.
# module tests/explain.py#attention_spelled_otherwise
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def reversed(Q: T.Buffer((7, 2), "float32"), K: T.Buffer((7, 2), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((7, 2), "float32")):
        # with T.block("root"):
        T_score = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(7)))
        T_masked = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(7)))
        T_max = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7)))
        T_exp = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(7)))
        T_sum = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7)))
        T_total = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(2)))
        for b, h, i, j, d in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7), T.int64(2)):
            with T.block("T_score"):
                v_b, v_h, v_i, v_j, v_d = T.axis.remap("SSSSR", [b, h, i, j, d])
                T.block_attr({"rlx.operator": "matmul bbmnk"})
                with T.init():
                    T_score[v_b, v_h, v_i, v_j] = T.float32(0.0)
                T_score[v_b, v_h, v_i, v_j] = T_score[v_b, v_h, v_i, v_j] + Q[v_i, v_d] * K[v_j, v_d]
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_masked"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSS", [b, h, i, j])
                T.block_attr({"rlx.operator": "elementwise ssss"})
                T_masked[v_b, v_h, v_i, v_j] = T_score[v_b, v_h, v_i, v_j] * T.float32(0.7071067690849304)
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_max"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSR", [b, h, i, j])
                T.block_attr({"rlx.operator": "reduction sssk"})
                with T.init():
                    T_max[v_b, v_h, v_i] = T.float32("-inf")
                T_max[v_b, v_h, v_i] = T.max(T_max[v_b, v_h, v_i], T_masked[v_b, v_h, v_i, v_j])
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_exp"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSS", [b, h, i, j])
                T.block_attr({"rlx.operator": "elementwise ssss"})
                T_exp[v_b, v_h, v_i, v_j] = T.exp(T_masked[v_b, v_h, v_i, v_j] - T_max[v_b, v_h, v_i])
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_sum"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSR", [b, h, i, j])
                T.block_attr({"rlx.operator": "reduction sssk"})
                with T.init():
                    T_sum[v_b, v_h, v_i] = T.float32(0.0)
                T_sum[v_b, v_h, v_i] = T_sum[v_b, v_h, v_i] + T_exp[v_b, v_h, v_i, v_j]
        for b, h, i, e, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(2), T.int64(7)):
            with T.block("T_total"):
                v_b, v_h, v_i, v_e, v_j = T.axis.remap("SSSSR", [b, h, i, e, j])
                T.block_attr({"rlx.operator": "matmul mmmnk"})
                with T.init():
                    T_total[v_b, v_h, v_i, v_e] = T.float32(0.0)
                T_total[v_b, v_h, v_i, v_e] = T_total[v_b, v_h, v_i, v_e] + T_exp[v_b, v_h, v_i, v_j] * V[v_j, v_e]
        for i, e in T.grid(T.int64(7), T.int64(2)):
            with T.block("O"):
                v_i, v_e = T.axis.remap("SS", [i, e])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[v_i, v_e] = T_total[T.int64(0), T.int64(0), v_i, v_e] / T_sum[T.int64(0), T.int64(0), v_i]

    @T.prim_func(private=True)
    def powers_of_two(Q: T.Buffer((7, 2), "float32"), K: T.Buffer((7, 2), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((7, 2), "float32")):
        # with T.block("root"):
        T_score = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(7)))
        T_masked = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(7)))
        T_max = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7)))
        T_exp = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(7)))
        T_sum = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7)))
        T_total = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(2)))
        for b, h, i, j, d in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7), T.int64(2)):
            with T.block("T_score"):
                v_b, v_h, v_i, v_j, v_d = T.axis.remap("SSSSR", [b, h, i, j, d])
                T.block_attr({"rlx.operator": "matmul bbmnk"})
                with T.init():
                    T_score[v_b, v_h, v_i, v_j] = T.float32(0.0)
                T_score[v_b, v_h, v_i, v_j] = T_score[v_b, v_h, v_i, v_j] + Q[v_i, v_d] * K[v_j, v_d]
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_masked"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSS", [b, h, i, j])
                T.block_attr({"rlx.operator": "elementwise ssss"})
                T_masked[v_b, v_h, v_i, v_j] = T_score[v_b, v_h, v_i, v_j] * T.float32(0.7071067690849304)
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_max"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSR", [b, h, i, j])
                T.block_attr({"rlx.operator": "reduction sssk"})
                with T.init():
                    T_max[v_b, v_h, v_i] = T.float32(-1.0000000150474662e+30)
                T_max[v_b, v_h, v_i] = T.max(T_max[v_b, v_h, v_i], T_masked[v_b, v_h, v_i, v_j])
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_exp"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSS", [b, h, i, j])
                T.block_attr({"rlx.operator": "elementwise ssss"})
                T_exp[v_b, v_h, v_i, v_j] = T.exp(T_masked[v_b, v_h, v_i, v_j] - T_max[v_b, v_h, v_i])
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_sum"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSR", [b, h, i, j])
                T.block_attr({"rlx.operator": "reduction sssk"})
                with T.init():
                    T_sum[v_b, v_h, v_i] = T.float32(0.0)
                T_sum[v_b, v_h, v_i] = T_sum[v_b, v_h, v_i] + T_exp[v_b, v_h, v_i, v_j]
        for b, h, i, e, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(2), T.int64(7)):
            with T.block("T_total"):
                v_b, v_h, v_i, v_e, v_j = T.axis.remap("SSSSR", [b, h, i, e, j])
                T.block_attr({"rlx.operator": "matmul mmmnk"})
                with T.init():
                    T_total[v_b, v_h, v_i, v_e] = T.float32(0.0)
                T_total[v_b, v_h, v_i, v_e] = T_total[v_b, v_h, v_i, v_e] + T_exp[v_b, v_h, v_i, v_j] * V[v_j, v_e]
        for i, e in T.grid(T.int64(7), T.int64(2)):
            with T.block("O"):
                v_i, v_e = T.axis.remap("SS", [i, e])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[v_i, v_e] = T_total[T.int64(0), T.int64(0), v_i, v_e] / T_sum[T.int64(0), T.int64(0), v_i]

    @T.prim_func(private=True)
    def hidden_first(Q: T.Buffer((7, 2), "float32"), K: T.Buffer((7, 2), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((7, 2), "float32")):
        # with T.block("root"):
        T_score = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(7)))
        T_masked = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(7)))
        T_max = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7)))
        T_exp = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(7)))
        T_sum = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7)))
        T_total = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(2)))
        for b, h, i, j, d in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7), T.int64(2)):
            with T.block("T_score"):
                v_b, v_h, v_i, v_j, v_d = T.axis.remap("SSSSR", [b, h, i, j, d])
                T.block_attr({"rlx.operator": "matmul bbmnk"})
                with T.init():
                    T_score[v_b, v_h, v_i, v_j] = T.float32(0.0)
                T_score[v_b, v_h, v_i, v_j] = T_score[v_b, v_h, v_i, v_j] + Q[v_i, v_d] * K[v_j, v_d]
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_masked"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSS", [b, h, i, j])
                T.block_attr({"rlx.operator": "elementwise ssss"})
                T_masked[v_b, v_h, v_i, v_j] = T.Select(v_i >= v_j, T_score[v_b, v_h, v_i, v_j], T.float32(-3.4028234663852886e+38)) * T.float32(0.7071067690849304)
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_max"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSR", [b, h, i, j])
                T.block_attr({"rlx.operator": "reduction sssk"})
                with T.init():
                    T_max[v_b, v_h, v_i] = T.float32(-3.4028234663852886e+38)
                T_max[v_b, v_h, v_i] = T.max(T_max[v_b, v_h, v_i], T_masked[v_b, v_h, v_i, v_j])
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_exp"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSS", [b, h, i, j])
                T.block_attr({"rlx.operator": "elementwise ssss"})
                T_exp[v_b, v_h, v_i, v_j] = T.exp(T_masked[v_b, v_h, v_i, v_j] - T_max[v_b, v_h, v_i])
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_sum"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSR", [b, h, i, j])
                T.block_attr({"rlx.operator": "reduction sssk"})
                with T.init():
                    T_sum[v_b, v_h, v_i] = T.float32(0.0)
                T_sum[v_b, v_h, v_i] = T_sum[v_b, v_h, v_i] + T_exp[v_b, v_h, v_i, v_j]
        for b, h, i, e, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(2), T.int64(7)):
            with T.block("T_total"):
                v_b, v_h, v_i, v_e, v_j = T.axis.remap("SSSSR", [b, h, i, e, j])
                T.block_attr({"rlx.operator": "matmul mmmnk"})
                with T.init():
                    T_total[v_b, v_h, v_i, v_e] = T.float32(0.0)
                T_total[v_b, v_h, v_i, v_e] = T_total[v_b, v_h, v_i, v_e] + T_exp[v_b, v_h, v_i, v_j] * V[v_j, v_e]
        for i, e in T.grid(T.int64(7), T.int64(2)):
            with T.block("O"):
                v_i, v_e = T.axis.remap("SS", [i, e])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[v_i, v_e] = T_total[T.int64(0), T.int64(0), v_i, v_e] / T_sum[T.int64(0), T.int64(0), v_i]

    @T.prim_func(private=True)
    def scaled_query(Q: T.Buffer((7, 2), "float32"), K: T.Buffer((7, 2), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((7, 2), "float32")):
        # with T.block("root"):
        T_score = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(7)))
        T_masked = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(7)))
        T_max = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7)))
        T_exp = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(7)))
        T_sum = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7)))
        T_total = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(7), T.int64(2)))
        for b, h, i, j, d in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7), T.int64(2)):
            with T.block("T_score"):
                v_b, v_h, v_i, v_j, v_d = T.axis.remap("SSSSR", [b, h, i, j, d])
                T.block_attr({"rlx.operator": "matmul bbmnk"})
                with T.init():
                    T_score[v_b, v_h, v_i, v_j] = T.float32(0.0)
                T_score[v_b, v_h, v_i, v_j] = T_score[v_b, v_h, v_i, v_j] + Q[v_i, v_d] * T.float32(0.7071067690849304) * K[v_j, v_d]
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_masked"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSS", [b, h, i, j])
                T.block_attr({"rlx.operator": "elementwise ssss"})
                T_masked[v_b, v_h, v_i, v_j] = T_score[v_b, v_h, v_i, v_j]
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_max"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSR", [b, h, i, j])
                T.block_attr({"rlx.operator": "reduction sssk"})
                with T.init():
                    T_max[v_b, v_h, v_i] = T.float32(-3.4028234663852886e+38)
                T_max[v_b, v_h, v_i] = T.max(T_max[v_b, v_h, v_i], T_masked[v_b, v_h, v_i, v_j])
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_exp"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSS", [b, h, i, j])
                T.block_attr({"rlx.operator": "elementwise ssss"})
                T_exp[v_b, v_h, v_i, v_j] = T.exp(T_masked[v_b, v_h, v_i, v_j] - T_max[v_b, v_h, v_i])
        for b, h, i, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(7)):
            with T.block("T_sum"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSR", [b, h, i, j])
                T.block_attr({"rlx.operator": "reduction sssk"})
                with T.init():
                    T_sum[v_b, v_h, v_i] = T.float32(0.0)
                T_sum[v_b, v_h, v_i] = T_sum[v_b, v_h, v_i] + T_exp[v_b, v_h, v_i, v_j]
        for b, h, i, e, j in T.grid(T.int64(1), T.int64(1), T.int64(7), T.int64(2), T.int64(7)):
            with T.block("T_total"):
                v_b, v_h, v_i, v_e, v_j = T.axis.remap("SSSSR", [b, h, i, e, j])
                T.block_attr({"rlx.operator": "matmul mmmnk"})
                with T.init():
                    T_total[v_b, v_h, v_i, v_e] = T.float32(0.0)
                T_total[v_b, v_h, v_i, v_e] = T_total[v_b, v_h, v_i, v_e] + T_exp[v_b, v_h, v_i, v_j] * V[v_j, v_e]
        for i, e in T.grid(T.int64(7), T.int64(2)):
            with T.block("O"):
                v_i, v_e = T.axis.remap("SS", [i, e])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[v_i, v_e] = T_total[T.int64(0), T.int64(0), v_i, v_e] / T_sum[T.int64(0), T.int64(0), v_i]

    @R.function
    def main(q: R.Tensor((7, 2), dtype="float32"), k: R.Tensor((7, 2), dtype="float32"), v: R.Tensor((7, 2), dtype="float32")) -> R.Tuple(R.Tensor((7, 2), dtype="float32"), R.Tensor((7, 2), dtype="float32"), R.Tensor((7, 2), dtype="float32"), R.Tensor((7, 2), dtype="float32")):
        cls = Module
        o0: R.Tensor((7, 2), dtype="float32") = R.call_tir(cls.reversed, (q, k, v), out_sinfo=R.Tensor((7, 2), dtype="float32"))
        o1: R.Tensor((7, 2), dtype="float32") = R.call_tir(cls.powers_of_two, (q, k, v), out_sinfo=R.Tensor((7, 2), dtype="float32"))
        o2: R.Tensor((7, 2), dtype="float32") = R.call_tir(cls.hidden_first, (q, k, v), out_sinfo=R.Tensor((7, 2), dtype="float32"))
        o3: R.Tensor((7, 2), dtype="float32") = R.call_tir(cls.scaled_query, (q, k, v), out_sinfo=R.Tensor((7, 2), dtype="float32"))
        return (o0, o1, o2, o3)

# ==== kept_as_written
# Unless proved equal, code stays: overlapping tiles (each restarts its sums), sums read before they are complete,
# a buffer that is written while it is read, initial values of elements other than those updated next.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def overlapping_tiles(x: T.Buffer((20, 8), "float32"), z: T.Buffer((18,), "float32")):
        for t in range(2):
            for i in range(10):
                with T.block("z_init"):
                    vi = T.axis.spatial(18, t * 8 + i)
                    z[vi] = T.float32(0)
            for i, k in T.grid(10, 8):
                with T.block("z_update"):
                    vi = T.axis.spatial(18, t * 8 + i)
                    vk = T.axis.reduce(8, k)
                    z[vi] = z[vi] + x[vi, vk]

    @T.prim_func(private=True)
    def prefix_sums(x: T.Buffer((8,), "float32"), z: T.Buffer((8,), "float32")):
        s = T.alloc_buffer((1,))
        for k in range(8):
            with T.block("s"):
                vi = T.axis.spatial(1, 0)
                vk = T.axis.reduce(8, k)
                with T.init():
                    s[vi] = T.float32(0)
                s[vi] = s[vi] + x[vk]
            with T.block("z"):
                vk = T.axis.spatial(8, k)
                z[vk] = s[0]

    @T.prim_func(private=True)
    def read_and_stored(x: T.Buffer((8,), "float32"), z: T.Buffer((8,), "float32")):
        s = T.alloc_buffer((8,))
        for i in range(8):
            with T.block("s"):
                vi = T.axis.spatial(8, i)
                s[vi] = x[vi] + z[vi]
            with T.block("z"):
                vi = T.axis.spatial(8, i)
                z[vi] = s[7 - vi]

    @T.prim_func(private=True)
    def other_elements(x: T.Buffer((16, 8), "float32"), z: T.Buffer((16,), "float32")):
        for a, b in T.grid(4, 4):
            with T.block("z_init"):
                vi = T.axis.spatial(16, a * 4 + b)
                z[vi] = T.float32(0)
            for k in range(8):
                with T.block("z_update"):
                    vi = T.axis.spatial(16, b * 4 + a)
                    vk = T.axis.reduce(8, k)
                    z[vi] = z[vi] + x[vi, vk]

    @T.prim_func(private=True)
    def gaps(x: T.Buffer((32,), "float32"), z: T.Buffer((32,), "float32")):
        for a, b in T.grid(4, 4):
            with T.block("z"):
                vi = T.axis.spatial(32, a * 8 + b)
                z[vi] = x[vi] + T.float32(1)

    @R.function
    def main(x: R.Tensor((20, 8), "float32"), y: R.Tensor((8,), "float32"), w: R.Tensor((16, 8), "float32"), v: R.Tensor((32,), "float32")):
        cls = Module
        a = R.call_tir(cls.overlapping_tiles, (x,), out_sinfo=R.Tensor((18,), "float32"))
        b = R.call_tir(cls.prefix_sums, (y,), out_sinfo=R.Tensor((8,), "float32"))
        c = R.call_tir(cls.read_and_stored, (y,), out_sinfo=R.Tensor((8,), "float32"))
        d = R.call_tir(cls.other_elements, (w,), out_sinfo=R.Tensor((16,), "float32"))
        e = R.call_tir(cls.gaps, (v,), out_sinfo=R.Tensor((32,), "float32"))
        return (a, b, c, d, e)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def overlapping_tiles(x: T.Buffer((20, 8), "float32"), z: T.Buffer((18,), "float32")):
        # with T.block("root"):
        for t in range(T.int64(2)):
            for i in range(T.int64(10)):
                with T.block("z_init"):
                    vi = T.axis.spatial(T.int64(18), t * T.int64(8) + i)
                    T.block_attr({"rlx.operator": "elementwise s"})
                    z[vi] = T.float32(0.0)
            for i, k in T.grid(T.int64(10), T.int64(8)):
                with T.block("z_update"):
                    vi = T.axis.spatial(T.int64(18), t * T.int64(8) + i)
                    vk = T.axis.reduce(T.int64(8), k)
                    z[vi] = z[vi] + x[vi, vk]

    @T.prim_func(private=True)
    def prefix_sums(x: T.Buffer((8,), "float32"), z: T.Buffer((8,), "float32")):
        # with T.block("root"):
        s = T.alloc_buffer((1,))
        for k in range(T.int64(8)):
            with T.block("s"):
                vi = T.axis.spatial(T.int64(1), T.int64(0))
                vk = T.axis.reduce(T.int64(8), k)
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    s[vi] = T.float32(0.0)
                s[vi] = s[vi] + x[vk]
            with T.block("z"):
                vk = T.axis.spatial(T.int64(8), k)
                T.block_attr({"rlx.operator": "elementwise s"})
                z[vk] = s[T.int64(0)]

    @T.prim_func(private=True)
    def read_and_stored(x: T.Buffer((8,), "float32"), z: T.Buffer((8,), "float32")):
        # with T.block("root"):
        s = T.alloc_buffer((8,))
        for i in range(T.int64(8)):
            with T.block("s"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                s[vi] = x[vi] + z[vi]
            with T.block("z"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "rearrange s"})
                z[vi] = s[T.int64(7) - vi]

    @T.prim_func(private=True)
    def other_elements(x: T.Buffer((16, 8), "float32"), z: T.Buffer((16,), "float32")):
        # with T.block("root"):
        for a, b in T.grid(T.int64(4), T.int64(4)):
            with T.block("z_init"):
                vi = T.axis.spatial(T.int64(16), a * T.int64(4) + b)
                T.block_attr({"rlx.operator": "elementwise s"})
                z[vi] = T.float32(0.0)
            for k in range(T.int64(8)):
                with T.block("z_update"):
                    vi = T.axis.spatial(T.int64(16), b * T.int64(4) + a)
                    vk = T.axis.reduce(T.int64(8), k)
                    z[vi] = z[vi] + x[vi, vk]

    @T.prim_func(private=True)
    def gaps(x: T.Buffer((32,), "float32"), z: T.Buffer((32,), "float32")):
        # with T.block("root"):
        for a, b in T.grid(T.int64(4), T.int64(4)):
            with T.block("z"):
                vi = T.axis.spatial(T.int64(32), a * T.int64(8) + b)
                T.block_attr({"rlx.operator": "elementwise s"})
                z[vi] = x[vi] + T.float32(1.0)

    @R.function
    def main(x: R.Tensor((20, 8), dtype="float32"), y: R.Tensor((8,), dtype="float32"), w: R.Tensor((16, 8), dtype="float32"), v: R.Tensor((32,), dtype="float32")) -> R.Tuple(R.Tensor((18,), dtype="float32"), R.Tensor((8,), dtype="float32"), R.Tensor((8,), dtype="float32"), R.Tensor((16,), dtype="float32"), R.Tensor((32,), dtype="float32")):
        cls = Module
        a: R.Tensor((18,), dtype="float32") = R.call_tir(cls.overlapping_tiles, (x,), out_sinfo=R.Tensor((18,), dtype="float32"))
        b: R.Tensor((8,), dtype="float32") = R.call_tir(cls.prefix_sums, (y,), out_sinfo=R.Tensor((8,), dtype="float32"))
        c: R.Tensor((8,), dtype="float32") = R.call_tir(cls.read_and_stored, (y,), out_sinfo=R.Tensor((8,), dtype="float32"))
        d: R.Tensor((16,), dtype="float32") = R.call_tir(cls.other_elements, (w,), out_sinfo=R.Tensor((16,), dtype="float32"))
        e: R.Tensor((32,), dtype="float32") = R.call_tir(cls.gaps, (v,), out_sinfo=R.Tensor((32,), dtype="float32"))
        return (a, b, c, d, e)

# ==== scheduled_elsewhere
# A product after split (one that does not divide), reorder, cache_read, cache_write and decompose_reduction; a map
# after fuse, split and vectorize; a product with swapped operands. All become plain loops.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def product(x: T.Buffer((32, 768), "float32"), y: T.Buffer((768, 77), "float32"), z: T.Buffer((32, 77), "float32")):
        T.func_attr({"tir.is_scheduled": True})
        z_local = T.alloc_buffer((32, 77), scope="local")
        y_local = T.alloc_buffer((768, 77), scope="local")
        for i, j_0 in T.grid(32, 5):
            for j_1_init in T.vectorized(16):
                with T.block("z_init"):
                    vi = T.axis.spatial(32, i)
                    vj = T.axis.spatial(77, j_0 * 16 + j_1_init)
                    T.where(j_0 * 16 + j_1_init < 77)
                    z_local[vi, vj] = T.float32(0)
            for k_0 in range(192):
                for ax0, ax1 in T.grid(4, 16):
                    with T.block("y_local"):
                        v0 = T.axis.spatial(768, k_0 * 4 + ax0)
                        v1 = T.axis.spatial(77, j_0 * 16 + ax1)
                        T.where(j_0 * 16 + ax1 < 77)
                        y_local[v0, v1] = y[v0, v1]
                for k_1, j_1 in T.grid(4, 16):
                    with T.block("z_update"):
                        vi = T.axis.spatial(32, i)
                        vj = T.axis.spatial(77, j_0 * 16 + j_1)
                        vk = T.axis.reduce(768, k_0 * 4 + k_1)
                        T.where(j_0 * 16 + j_1 < 77)
                        z_local[vi, vj] = x[vi, vk] * y_local[vk, vj] + z_local[vi, vj]
            for ax1 in range(16):
                with T.block("z_local"):
                    v0 = T.axis.spatial(32, i)
                    v1 = T.axis.spatial(77, j_0 * 16 + ax1)
                    T.where(j_0 * 16 + ax1 < 77)
                    z[v0, v1] = z_local[v0, v1]

    @T.prim_func(private=True)
    def map(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(77)))
        B = T.match_buffer(b, (n, T.int64(77)))
        for f_0 in T.parallel((n * T.int64(77) + T.int64(31)) // T.int64(32)):
            for f_1 in T.vectorized(T.int64(32)):
                with T.block("B"):
                    vi = T.axis.spatial(n, (f_0 * T.int64(32) + f_1) // T.int64(77))
                    vj = T.axis.spatial(T.int64(77), (f_0 * T.int64(32) + f_1) % T.int64(77))
                    T.where(f_0 * T.int64(32) + f_1 < n * T.int64(77))
                    B[vi, vj] = T.exp(A[vi, vj])

    @R.function
    def main(x: R.Tensor((32, 768), "float32"), y: R.Tensor((768, 77), "float32"), u: R.Tensor(("n", 77), "float32")):
        n = T.int64()
        cls = Module
        z = R.call_tir(cls.product, (x, y), out_sinfo=R.Tensor((32, 77), "float32"))
        v = R.call_tir(cls.map, (u,), out_sinfo=R.Tensor((n, 77), "float32"))
        return (z, v)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def product(x: T.Buffer((32, 768), "float32"), y: T.Buffer((768, 77), "float32"), z: T.Buffer((32, 77), "float32")):
        T.func_attr({"tir.is_scheduled": True})
        # with T.block("root"):
        for i, j, k in T.grid(T.int64(32), T.int64(77), T.int64(768)):
            with T.block("z"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    z[vi, vj] = T.float32(0.0)
                z[vi, vj] = z[vi, vj] + x[vi, vk] * y[vk, vj]

    @T.prim_func(private=True)
    def map(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(77)))
        B = T.match_buffer(b, (n, T.int64(77)))
        # with T.block("root"):
        for f_1, f_1_1 in T.grid(n, T.int64(77)):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [f_1, f_1_1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                B[vi, vj] = T.exp(A[vi, vj])

    @R.function
    def main(x: R.Tensor((32, 768), dtype="float32"), y: R.Tensor((768, 77), dtype="float32"), u: R.Tensor(("n", 77), dtype="float32")) -> R.Tuple(R.Tensor((32, 77), dtype="float32"), R.Tensor(("n", 77), dtype="float32")):
        n = T.int64()
        cls = Module
        z: R.Tensor((32, 77), dtype="float32") = R.call_tir(cls.product, (x, y), out_sinfo=R.Tensor((32, 77), dtype="float32"))
        v: R.Tensor((n, 77), dtype="float32") = R.call_tir(cls.map, (u,), out_sinfo=R.Tensor((n, 77), dtype="float32"))
        return (z, v)

# ==== powers
# A square and a cube are products; other powers stay.
@T.prim_func
def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = T.pow(A[vi], T.float32(2)) + T.pow(A[vi] + T.float32(1), T.float32(3)) + T.pow(A[vi], T.float32(0.5))
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        # with T.block("root"):
        for i in range(T.int64(8)):
            with T.block("B"):
                vi = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                B[vi] = A[vi] * A[vi] + (A[vi] + T.float32(1.0)) * (A[vi] + T.float32(1.0)) * (A[vi] + T.float32(1.0)) + T.pow(A[vi], T.float32(0.5))

# ==== sums_in_one_block
# The sums of a mean and a variance, as layer_norm is legalized elsewhere, become a block each.
@T.prim_func
def f(A: T.Buffer((8, 32), "float32"), S: T.Buffer((8,), "float32"), Q: T.Buffer((8,), "float32")):
    for i, j in T.grid(8, 32):
        with T.block("sums"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                S[vi] = T.float32(0)
                Q[vi] = T.float32(0)
            v_S: T.float32 = S[vi] + A[vi, vj]
            v_Q: T.float32 = Q[vi] + A[vi, vj] * A[vi, vj]
            S[vi] = v_S
            Q[vi] = v_Q
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8, 32), "float32"), S: T.Buffer((8,), "float32"), Q: T.Buffer((8,), "float32")):
        # with T.block("root"):
        for i, j in T.grid(T.int64(8), T.int64(32)):
            with T.block("sums"):
                vi, vj = T.axis.remap("SR", [i, j])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    S[vi] = T.float32(0.0)
                S[vi] = S[vi] + A[vi, vj]
        for i, j in T.grid(T.int64(8), T.int64(32)):
            with T.block("sums_1"):
                vi, vj = T.axis.remap("SR", [i, j])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    Q[vi] = T.float32(0.0)
                Q[vi] = Q[vi] + A[vi, vj] * A[vi, vj]

# ==== best_in_one_block
# A position that depends on the largest value so far stays with it.
@T.prim_func
def f(A: T.Buffer((8, 32), "float32"), P: T.Buffer((8,), "int64"), V: T.Buffer((8,), "float32")):
    for i, j in T.grid(8, 32):
        with T.block("best"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                P[vi] = T.int64(-1)
                V[vi] = T.float32(-3.0e38)
            v_P: T.int64 = T.Select(A[vi, vj] > V[vi], T.Cast("int64", vj), P[vi])
            v_V: T.float32 = T.max(V[vi], A[vi, vj])
            P[vi] = v_P
            V[vi] = v_V
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8, 32), "float32"), P: T.Buffer((8,), "int64"), V: T.Buffer((8,), "float32")):
        # with T.block("root"):
        for i, j in T.grid(T.int64(8), T.int64(32)):
            with T.block("best"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    P[vi] = T.int64(-1)
                    V[vi] = T.float32(-3.0000000054977558e+38)
                v_P: T.int64 = T.Select(A[vi, vj] > V[vi], vj, P[vi])
                v_V: T.float32 = T.max(V[vi], A[vi, vj])
                P[vi] = v_P
                V[vi] = v_V

# ==== ifs_and_lets
# Conditions around a block bound its axes; names for values disappear. Conditions on data stay.
@T.prim_func
def f(A: T.Buffer((130,), "float32"), B: T.Buffer((130,), "float32"), C: T.Buffer((130,), "float32")):
    for i, j in T.grid(19, 7):
        if T.likely(i * 7 + j < 130):
            with T.block("B"):
                vi = T.axis.spatial(130, i * 7 + j)
                p: T.float32 = A[vi] * A[vi]
                B[vi] = p + T.float32(1)
    for i in range(130):
        if A[i] > T.float32(0):
            with T.block("C"):
                vi = T.axis.spatial(130, i)
                C[vi] = A[vi]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((130,), "float32"), B: T.Buffer((130,), "float32"), C: T.Buffer((130,), "float32")):
        # with T.block("root"):
        for i in range(T.int64(130)):
            with T.block("B"):
                vi = T.axis.spatial(T.int64(130), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                B[vi] = A[vi] * A[vi] + T.float32(1.0)
        for i in range(T.int64(130)):
            if A[i] > T.float32(0.0):
                with T.block("C"):
                    vi = T.axis.spatial(T.int64(130), i)
                    T.block_attr({"rlx.operator": "elementwise s"})
                    C[vi] = A[vi]

# ==== blocks_in_one_loop
# Loops that are the axes of each of their blocks become a nest for each block, once.
@T.prim_func
def f(A: T.Buffer((8, 9), "float32"), B: T.Buffer((8, 9), "float32"), C: T.Buffer((8, 9), "float32")):
    for i, j in T.grid(8, 9):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = B[vi, vj] + A[vi, vj]
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8, 9), "float32"), B: T.Buffer((8, 9), "float32"), C: T.Buffer((8, 9), "float32")):
        # with T.block("root"):
        for i, j in T.grid(T.int64(8), T.int64(9)):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = B[vi, vj] + A[vi, vj]
        for i, j in T.grid(T.int64(8), T.int64(9)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                C[vi, vj] = A[vi, vj]

# ==== first_step
# Initial values under a condition on the first step of a reduction are its init. Of two reduction
# axes, a condition on one starts again for each step of the other.
@T.prim_func
def f(A: T.Buffer((8, 32, 4), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i, j, k in T.grid(8, 32, 4):
        with T.block("B"):
            vi, vj, vk = T.axis.remap("SRR", [i, j, k])
            if vj == 0 and vk == 0:
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vj, vk]
    for i, j, k in T.grid(8, 32, 4):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SRR", [i, j, k])
            if vk == 0:
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vi, vj, vk]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8, 32, 4), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        # with T.block("root"):
        for i, j, k in T.grid(T.int64(8), T.int64(32), T.int64(4)):
            with T.block("B"):
                vi, vj, vk = T.axis.remap("SRR", [i, j, k])
                T.block_attr({"rlx.operator": "reduction skk"})
                with T.init():
                    B[vi] = T.float32(0.0)
                B[vi] = B[vi] + A[vi, vj, vk]
        for i, j, k in T.grid(T.int64(8), T.int64(32), T.int64(4)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SRR", [i, j, k])
                if vk == T.int64(0):
                    C[vi] = T.float32(0.0)
                C[vi] = C[vi] + A[vi, vj, vk]

# ==== plain_loops
# Loops around a store are a block's axes: a product with its initial value.
@T.prim_func
def f(a: T.handle, b: T.handle, c: T.handle):
    n, m, k = T.int64(), T.int64(), T.int64()
    A = T.match_buffer(a, (n, k))
    B = T.match_buffer(b, (k, m))
    C = T.match_buffer(c, (n, m))
    for i, j in T.grid(n, m):
        C[i, j] = T.float32(0)
        for l in range(k):
            C[i, j] = C[i, j] + A[i, l] * B[l, j]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        k = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n, k))
        B = T.match_buffer(b, (k, m))
        C = T.match_buffer(c, (n, m))
        # with T.block("root"):
        for i, j, l in T.grid(n, m, k):
            with T.block("C"):
                i_1, j_1, l_1 = T.axis.remap("SSR", [i, j, l])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[i_1, j_1] = T.float32(0.0)
                C[i_1, j_1] = C[i_1, j_1] + A[i_1, l_1] * B[l_1, j_1]

# ==== loops_in_order
# The order of these iterations counts, or their number does.
@T.prim_func
def f(A: T.Buffer((8, 32), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8, 32), "float32"), D: T.Buffer((8, 8), "float32"), E: T.Buffer((8,), "float32")):
    for i, j in T.grid(8, 32):
        B[i] = B[i] * T.float32(0.5) + A[i, j]
    for i, j in T.grid(8, 31):
        C[i, j + 1] = C[i, j] + A[i, j]
    for i in range(8):
        for j in range(i):
            D[i, j] = A[i, j]
    for i, j in T.grid(8, 32):
        E[i] = A[i, j]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8, 32), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8, 32), "float32"), D: T.Buffer((8, 8), "float32"), E: T.Buffer((8,), "float32")):
        with T.block("root"):
            for i, j in T.grid(T.int64(8), T.int64(32)):
                B[i] = B[i] * T.float32(0.5) + A[i, j]
            for i, j in T.grid(T.int64(8), T.int64(31)):
                C[i, j + T.int64(1)] = C[i, j] + A[i, j]
            for i in range(T.int64(8)):
                for j in range(i):
                    D[i, j] = A[i, j]
            for i, j in T.grid(T.int64(8), T.int64(32)):
                E[i] = A[i, j]

# ==== blocks_in_blocks
# Blocks of tiles around blocks of elements, as blockize leaves them; the axes of the tile and of the element are one.
@T.prim_func
def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((64, 48), "float32"), C: T.Buffer((32, 48), "float32"), D: T.Buffer((32, 48), "float32")):
    for k0, i0, j0 in T.grid(16, 2, 3):
        with T.block("tile"):
            vi0, vj0, vk0 = T.axis.remap("SSR", [i0, j0, k0])
            with T.init():
                for i1, j1 in T.grid(16, 16):
                    with T.block("C_init"):
                        vi1, vj1 = T.axis.remap("SS", [i1, j1])
                        C[vi0 * 16 + vi1, vj0 * 16 + vj1] = T.float32(0)
            for i1, j1, k1 in T.grid(16, 16, 4):
                with T.block("C"):
                    vi1, vj1, vk1 = T.axis.remap("SSR", [i1, j1, k1])
                    C[vi0 * 16 + vi1, vj0 * 16 + vj1] = C[vi0 * 16 + vi1, vj0 * 16 + vj1] + A[vi0 * 16 + vi1, vk0 * 4 + vk1] * B[vk0 * 4 + vk1, vj0 * 16 + vj1]
    for i0, j0 in T.grid(2, 3):
        with T.block("rows"):
            vi0, vj0 = T.axis.remap("SS", [i0, j0])
            for i1, j1 in T.grid(16, 16):
                with T.block("D"):
                    vi = T.axis.spatial(32, vi0 * 16 + i1)
                    vj = T.axis.spatial(48, vj0 * 16 + j1)
                    D[vi, vj] = C[vi, vj] * T.float32(2)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((64, 48), "float32"), C: T.Buffer((32, 48), "float32"), D: T.Buffer((32, 48), "float32")):
        # with T.block("root"):
        for i1, j1, k1 in T.grid(T.int64(32), T.int64(48), T.int64(64)):
            with T.block("C"):
                vi1, vj1, vk1 = T.axis.remap("SSR", [i1, j1, k1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[vi1, vj1] = T.float32(0.0)
                C[vi1, vj1] = C[vi1, vj1] + A[vi1, vk1] * B[vk1, vj1]
        for i, j in T.grid(T.int64(32), T.int64(48)):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                D[vi, vj] = C[vi, vj] * T.float32(2.0)

# ==== axes_that_are_not_indices
# Opaque axes, a fused axis, tiles in plain loops, and a reduction whose axes are said to be spatial.
@T.prim_func
def f(A: T.Buffer((32, 48), "float32"), B: T.Buffer((32, 48), "float32"), C: T.Buffer((32, 48), "float32"), D: T.Buffer((32, 48), "float32"), E: T.Buffer((32,), "float32")):
    for i, j in T.grid(32, 48):
        with T.block("B"):
            vi = T.axis.opaque(32, i)
            vj = T.axis.opaque(48, j)
            B[vi, vj] = T.exp(A[vi, vj])
    for f in range(1536):
        with T.block("C"):
            vf = T.axis.spatial(1536, f)
            C[vf // 48, vf % 48] = T.exp(A[vf // 48, vf % 48])
    for i0, j0, i1, j1 in T.grid(4, 3, 8, 16):
        D[i0 * 8 + i1, j0 * 16 + j1] = T.if_then_else(i0 * 8 + i1 < 3, A[i0 * 8 + i1, j0 * 16 + j1], T.Cast("float32", j0 * 16 + j1))
    for i, j in T.grid(32, 48):
        with T.block("E"):
            vi, vj = T.axis.remap("SS", [i, j])
            E[vi] = E[vi] + A[vi, vj]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((32, 48), "float32"), B: T.Buffer((32, 48), "float32"), C: T.Buffer((32, 48), "float32"), D: T.Buffer((32, 48), "float32"), E: T.Buffer((32,), "float32")):
        # with T.block("root"):
        for i, j in T.grid(T.int64(32), T.int64(48)):
            with T.block("B"):
                i_1, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                B[i_1, j_1] = T.exp(A[i_1, j_1])
        for f, f_1 in T.grid(T.int64(32), T.int64(48)):
            with T.block("C"):
                vf, vf_1 = T.axis.remap("SS", [f, f_1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                C[vf, vf_1] = T.exp(A[vf, vf_1])
        for i1, j1 in T.grid(T.int64(32), T.int64(48)):
            with T.block("D"):
                i1_1, j1_1 = T.axis.remap("SS", [i1, j1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                D[i1_1, j1_1] = T.if_then_else(i1_1 < T.int64(3), A[i1_1, j1_1], T.Cast("float32", j1_1))
        for i, j in T.grid(T.int64(32), T.int64(48)):
            with T.block("E"):
                i_2, j_2 = T.axis.remap("SR", [i, j])
                E[i_2] = E[i_2] + A[i_2, j_2]

# ==== tiles_that_stay
# The sum starts anew in each tile; axes are used apart; tiles overlap.
@T.prim_func
def f(A: T.Buffer((32, 48), "float32"), B: T.Buffer((32, 48), "float32"), C: T.Buffer((32,), "float32"), D: T.Buffer((24,), "float32")):
    for i0, j0 in T.grid(2, 3):
        with T.block("tile"):
            vi0, vj0 = T.axis.remap("SR", [i0, j0])
            for i1, j1 in T.grid(16, 16):
                with T.block("C"):
                    vi1, vj1 = T.axis.remap("SR", [i1, j1])
                    with T.init():
                        C[vi0 * 16 + vi1] = T.float32(0)
                    C[vi0 * 16 + vi1] = C[vi0 * 16 + vi1] + A[vi0 * 16 + vi1, vj0 * 16 + vj1]
    for i0, i1, j in T.grid(2, 16, 48):
        with T.block("B"):
            vi0, vi1, vj = T.axis.remap("SSS", [i0, i1, j])
            B[vi0 * 16 + vi1, vj] = A[vi0 * 8, vj] + A[vi1, vj]
    for i0, i1 in T.grid(2, 16):
        D[i0 * 8 + i1] = A[i0, i1]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((32, 48), "float32"), B: T.Buffer((32, 48), "float32"), C: T.Buffer((32,), "float32"), D: T.Buffer((24,), "float32")):
        # with T.block("root"):
        for i0, j0 in T.grid(T.int64(2), T.int64(3)):
            with T.block("tile"):
                vi0, vj0 = T.axis.remap("SR", [i0, j0])
                for i1, j1 in T.grid(T.int64(16), T.int64(16)):
                    with T.block("C"):
                        vi1, vj1 = T.axis.remap("SR", [i1, j1])
                        with T.init():
                            C[vi0 * T.int64(16) + vi1] = T.float32(0.0)
                        C[vi0 * T.int64(16) + vi1] = C[vi0 * T.int64(16) + vi1] + A[vi0 * T.int64(16) + vi1, vj0 * T.int64(16) + vj1]
        for i1, j in T.grid(T.int64(32), T.int64(48)):
            with T.block("B"):
                vi1, vj = T.axis.remap("SS", [i1, j])
                T.block_attr({"rlx.operator": "rearrange ss"})
                B[vi1, vj] = A[vi1 // T.int64(16) * T.int64(8), vj] + A[vi1 % T.int64(16), vj]
        for i0, i1 in T.grid(T.int64(2), T.int64(16)):
            D[i0 * T.int64(8) + i1] = A[i0, i1]

# ==== partial_reductions
# A reduction of partial results, as rfactor leaves it, is one reduction. The sums of the columns of a product are not:
# the product would be no product any more.
@T.prim_func
def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((64, 48), "float32"), C: T.Buffer((32, 48), "float32"), D: T.Buffer((32,), "float32"), E: T.Buffer((32,), "float32")):
    with T.block("root"):
        C_rf = T.alloc_buffer((32, 48, 16))
        D_rf = T.alloc_buffer((32, 4))
        E_rf = T.alloc_buffer((32, 48))
        for k1, i, j, k0 in T.grid(16, 32, 48, 4):
            with T.block("C_rf"):
                vk1, vi, vj, vk0 = T.axis.remap("SSSR", [k1, i, j, k0])
                with T.init():
                    C_rf[vi, vj, vk1] = T.float32(0)
                C_rf[vi, vj, vk1] = C_rf[vi, vj, vk1] + A[vi, vk0 * 16 + vk1] * B[vk0 * 16 + vk1, vj]
        for i, j, k1 in T.grid(32, 48, 16):
            with T.block("C"):
                vk1, vi, vj = T.axis.remap("RSS", [k1, i, j])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + C_rf[vi, vj, vk1]
        for i, k0, k1 in T.grid(32, 4, 16):
            with T.block("D_rf"):
                vi, vk0, vk1 = T.axis.remap("SSR", [i, k0, k1])
                with T.init():
                    D_rf[vi, vk0] = T.min_value("float32")
                D_rf[vi, vk0] = T.max(D_rf[vi, vk0], A[vi, vk0 * 16 + vk1])
        for i, k0 in T.grid(32, 4):
            with T.block("D"):
                vi, vk0 = T.axis.remap("SR", [i, k0])
                with T.init():
                    D[vi] = T.min_value("float32")
                D[vi] = T.max(D[vi], D_rf[vi, vk0])
        for i, j, k in T.grid(32, 48, 64):
            with T.block("E_rf"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    E_rf[vi, vj] = T.float32(0)
                E_rf[vi, vj] = E_rf[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid(32, 48):
            with T.block("E"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    E[vi] = T.float32(0)
                E[vi] = E[vi] + E_rf[vi, vj]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((64, 48), "float32"), C: T.Buffer((32, 48), "float32"), D: T.Buffer((32,), "float32"), E: T.Buffer((32,), "float32")):
        # with T.block("root"):
        E_rf = T.alloc_buffer((32, 48))
        for i, j, k1 in T.grid(T.int64(32), T.int64(48), T.int64(64)):
            with T.block("C"):
                vi, vj, vk1 = T.axis.remap("SSR", [i, j, k1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk1] * B[vk1, vj]
        for i, k1 in T.grid(T.int64(32), T.int64(64)):
            with T.block("D"):
                vi, vk1 = T.axis.remap("SR", [i, k1])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    D[vi] = T.float32(-3.4028234663852886e+38)
                D[vi] = T.max(D[vi], A[vi, vk1])
        for i, j, k in T.grid(T.int64(32), T.int64(48), T.int64(64)):
            with T.block("E_rf"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    E_rf[vi, vj] = T.float32(0.0)
                E_rf[vi, vj] = E_rf[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid(T.int64(32), T.int64(48)):
            with T.block("E"):
                vi, vj = T.axis.remap("SR", [i, j])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    E[vi] = T.float32(0.0)
                E[vi] = E[vi] + E_rf[vi, vj]

# ==== first_iteration
# Initial values in the first iteration of plain loops, also in a block without axes; a sum without axes.
@T.prim_func
def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((64, 48), "float32"), C: T.Buffer((32, 48), "float32"), D: T.Buffer((32,), "float32"), E: T.Buffer((), "float32")):
    for k0, i, j, k1 in T.grid(16, 32, 48, 4):
        if k0 * 4 + k1 == 0:
            C[i, j] = T.float32(0)
        C[i, j] = C[i, j] + A[i, k0 * 4 + k1] * B[k0 * 4 + k1, j]
    for f in T.parallel(32):
        for k0 in range(16):
            for k1 in T.unroll(4):
                with T.block("D"):
                    T.reads(A[f, k0 * 4 + k1])
                    T.writes(D[f])
                    if k0 == 0 and k1 == 0:
                        D[f] = T.float32(0)
                    D[f] = D[f] + A[f, k0 * 4 + k1]
    E[()] = T.float32(0)
    for i, k in T.grid(32, 64):
        E[()] = E[()] + A[i, k]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((64, 48), "float32"), C: T.Buffer((32, 48), "float32"), D: T.Buffer((32,), "float32"), E: T.Buffer((), "float32")):
        # with T.block("root"):
        for i, j, k1 in T.grid(T.int64(32), T.int64(48), T.int64(64)):
            with T.block("C"):
                i_1, j_1, k1_1 = T.axis.remap("SSR", [i, j, k1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[i_1, j_1] = T.float32(0.0)
                C[i_1, j_1] = C[i_1, j_1] + A[i_1, k1_1] * B[k1_1, j_1]
        for f, k1 in T.grid(T.int64(32), T.int64(64)):
            with T.block("D"):
                f_1, k1_2 = T.axis.remap("SR", [f, k1])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    D[f_1] = T.float32(0.0)
                D[f_1] = D[f_1] + A[f_1, k1_2]
        for i, k in T.grid(T.int64(32), T.int64(64)):
            with T.block("E"):
                i_2, k_1 = T.axis.remap("RR", [i, k])
                T.block_attr({"rlx.operator": "reduction kk"})
                with T.init():
                    E[()] = T.float32(0.0)
                E[()] = E[()] + A[i_2, k_1]

# ==== not_the_first_iteration
# The initial value is stored in another iteration than the first, and a result is read before the sum is complete.
@T.prim_func
def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32"), D: T.Buffer((32,), "float32")):
    for i, k in T.grid(32, 64):
        if k == 1:
            B[i] = T.float32(0)
        B[i] = B[i] + A[i, k]
    for i, k in T.grid(32, 64):
        if k == 0:
            C[i] = T.float32(0)
        C[i] = C[i] + A[i, k]
        if k == 0:
            D[i] = C[i]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32"), D: T.Buffer((32,), "float32")):
        with T.block("root"):
            for i, k in T.grid(T.int64(32), T.int64(64)):
                if k == T.int64(1):
                    B[i] = T.float32(0.0)
                B[i] = B[i] + A[i, k]
            for i, k in T.grid(T.int64(32), T.int64(64)):
                if k == T.int64(0):
                    C[i] = T.float32(0.0)
                C[i] = C[i] + A[i, k]
                if k == T.int64(0):
                    D[i] = C[i]

# ==== in_the_loop_of_a_sum
# What is computed from a sum in each of its steps counts in the last one only: the bias. Sums and prefixes of what is
# computed so stay, and so does a read of another element.
@T.prim_func
def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32"), D: T.Buffer((32,), "float32"), E: T.Buffer((32, 64), "float32"), F: T.Buffer((32,), "float32")):
    with T.block("root"):
        S = T.alloc_buffer((32,))
        U = T.alloc_buffer((32,))
        W = T.alloc_buffer((32,))
        X = T.alloc_buffer((32,))
        Y = T.alloc_buffer((32,))
        Z = T.alloc_buffer((32,))
        for i, k in T.grid(32, 64):
            with T.block("S"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    S[vi] = T.float32(0)
                S[vi] = S[vi] + A[vi, vk]
            with T.block("C"):
                vi = T.axis.spatial(32, i)
                C[vi] = S[vi] + B[vi]
        for i in range(32):
            D[i] = T.float32(0)
        for i, k in T.grid(32, 64):
            with T.block("U"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    U[vi] = T.float32(0)
                U[vi] = U[vi] + A[vi, vk]
            with T.block("W"):
                vi = T.axis.spatial(32, i)
                W[vi] = U[vi] * T.float32(2)
            with T.block("D"):
                vi, vk = T.axis.remap("SR", [i, k])
                D[vi] = D[vi] + W[vi]
        for i, k in T.grid(32, 64):
            with T.block("X"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    X[vi] = T.float32(0)
                X[vi] = X[vi] + A[vi, vk]
            with T.block("Y"):
                vi = T.axis.spatial(32, i)
                Y[vi] = X[vi]
            with T.block("E"):
                vi, vk = T.axis.remap("SS", [i, k])
                E[vi, vk] = Y[vi]
        for i, k in T.grid(32, 64):
            with T.block("Z"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    Z[vi] = T.float32(0)
                Z[vi] = Z[vi] + A[vi, vk]
            with T.block("F"):
                vi = T.axis.spatial(32, i)
                F[vi] = Z[31 - vi]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32"), D: T.Buffer((32,), "float32"), E: T.Buffer((32, 64), "float32"), F: T.Buffer((32,), "float32")):
        # with T.block("root"):
        S = T.alloc_buffer((32,))
        U = T.alloc_buffer((32,))
        W = T.alloc_buffer((32,))
        X = T.alloc_buffer((32,))
        Y = T.alloc_buffer((32,))
        Z = T.alloc_buffer((32,))
        for i, k in T.grid(T.int64(32), T.int64(64)):
            with T.block("S"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    S[vi] = T.float32(0.0)
                S[vi] = S[vi] + A[vi, vk]
        for i in range(T.int64(32)):
            with T.block("C"):
                vi = T.axis.spatial(T.int64(32), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                C[vi] = S[vi] + B[vi]
        for i in range(T.int64(32)):
            with T.block("D"):
                i_1 = T.axis.spatial(T.int64(32), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                D[i_1] = T.float32(0.0)
        for i, k in T.grid(T.int64(32), T.int64(64)):
            with T.block("U"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    U[vi] = T.float32(0.0)
                U[vi] = U[vi] + A[vi, vk]
            with T.block("W"):
                vi = T.axis.spatial(T.int64(32), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                W[vi] = U[vi] * T.float32(2.0)
            with T.block("D"):
                vi, vk = T.axis.remap("SR", [i, k])
                D[vi] = D[vi] + W[vi]
        for i, k in T.grid(T.int64(32), T.int64(64)):
            with T.block("X"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    X[vi] = T.float32(0.0)
                X[vi] = X[vi] + A[vi, vk]
            with T.block("Y"):
                vi = T.axis.spatial(T.int64(32), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                Y[vi] = X[vi]
            with T.block("E"):
                vi, vk = T.axis.remap("SS", [i, k])
                T.block_attr({"rlx.operator": "elementwise ss"})
                E[vi, vk] = Y[vi]
        for i, k in T.grid(T.int64(32), T.int64(64)):
            with T.block("Z"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    Z[vi] = T.float32(0.0)
                Z[vi] = Z[vi] + A[vi, vk]
            with T.block("F"):
                vi = T.axis.spatial(T.int64(32), i)
                T.block_attr({"rlx.operator": "rearrange s"})
                F[vi] = Z[T.int64(31) - vi]

# ==== flat_buffers
# Views of one dimension, as FlattenBuffer leaves them: the buffers themselves, and temporaries of their shape. Views
# with vectors and of other rows stay.
@T.prim_func
def f(a: T.handle, B: T.Buffer((64, 48), "float32"), C: T.Buffer((32, 48), "float32")):
    A = T.match_buffer(a, (32, 64), "float32")
    with T.block("root"):
        D = T.alloc_buffer((1536,))
        A_1 = T.decl_buffer((2048,), data=A.data)
        B_1 = T.decl_buffer((3072,), data=B.data)
        C_1 = T.decl_buffer((1536,), data=C.data)
        for i, j, k in T.grid(32, 48, 64):
            if k == 0:
                D[i * 48 + j] = T.float32(0)
            D[i * 48 + j] = D[i * 48 + j] + A_1[i * 64 + k] * B_1[k * 48 + j]
        for i0, j, i1 in T.grid(4, 48, 8):
            C_1[i0 * 384 + i1 * 48 + j] = T.exp(D[i0 * 384 + i1 * 48 + j])

@T.prim_func
def g(A: T.Buffer((32, 64), "float32"), C: T.Buffer((32, 64), "float32")):
    A_1 = T.decl_buffer((2048,), data=A.data)
    C_1 = T.decl_buffer((2048,), data=C.data)
    for i in range(512):
        C_1[T.Ramp(i * 4, 1, 4)] = A_1[T.Ramp(i * 4, 1, 4)]

@T.prim_func
def h(A: T.Buffer((32, 64), "float32"), C: T.Buffer((32, 64), "float32")):
    A_1 = T.decl_buffer((2048,), data=A.data)
    C_1 = T.decl_buffer((2048,), data=C.data)
    for i, j in T.grid(20, 100):
        C_1[i * 100 + j] = A_1[i * 100 + j]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((64, 48), "float32"), C: T.Buffer((32, 48), "float32")):
        # with T.block("root"):
        D = T.alloc_buffer((32, 48))
        for i, j, k in T.grid(T.int64(32), T.int64(48), T.int64(64)):
            with T.block("D"):
                i_1, j_1, k_1 = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    D[i_1, j_1] = T.float32(0.0)
                D[i_1, j_1] = D[i_1, j_1] + A[i_1, k_1] * B[k_1, j_1]
        for i1, j in T.grid(T.int64(32), T.int64(48)):
            with T.block("C"):
                i1_1, j_2 = T.axis.remap("SS", [i1, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                C[i1_1, j_2] = T.exp(D[i1_1, j_2])

    @T.prim_func
    def g(A: T.Buffer((32, 64), "float32"), C: T.Buffer((32, 64), "float32")):
        # with T.block("root"):
        for i, lane in T.grid(T.int64(32), T.int64(64)):
            with T.block("C"):
                i_1, lane_1 = T.axis.remap("SS", [i, lane])
                T.block_attr({"rlx.operator": "elementwise ss"})
                C[i_1, lane_1] = A[i_1, lane_1]

    @T.prim_func
    def h(A: T.Buffer((32, 64), "float32"), C: T.Buffer((32, 64), "float32")):
        A_1 = T.decl_buffer((2048,), data=A.data)
        C_1 = T.decl_buffer((2048,), data=C.data)
        for i, j in T.grid(20, 100):
            C_1[i * 100 + j] = A_1[i * 100 + j]

# ==== values_of_one_iteration
# A sum in one element, a tile allocated in a block of tiles, and one allocated in plain loops. A line of each row.
@T.prim_func
def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((64, 48), "float32"), C: T.Buffer((32, 48), "float32"), D: T.Buffer((32, 48), "float32"), E: T.Buffer((32, 48), "float32")):
    with T.block("root"):
        s = T.alloc_buffer((1,), scope="local")
        for i, j in T.grid(32, 48):
            s[0] = T.float32(0)
            for k in range(64):
                s[0] = s[0] + A[i, k] * B[k, j]
            C[i, j] = T.max(s[0], T.float32(0))
        for i0, j0 in T.grid(4, 3):
            with T.block("tile"):
                vi0, vj0 = T.axis.remap("SS", [i0, j0])
                t = T.alloc_buffer((8, 16), scope="local")
                for i1, j1, k in T.grid(8, 16, 64):
                    with T.block("t"):
                        vi, vj, vk = T.axis.remap("SSR", [i1, j1, k])
                        with T.init():
                            t[vi, vj] = T.float32(0)
                        t[vi, vj] = t[vi, vj] + A[vi0 * 8 + vi, vk] * B[vk, vj0 * 16 + vj]
                for i1, j1 in T.grid(8, 16):
                    with T.block("D"):
                        vi, vj = T.axis.remap("SS", [i1, j1])
                        D[vi0 * 8 + vi, vj0 * 16 + vj] = t[vi, vj]
        for i, j0 in T.grid(32, 3):
            u = T.decl_buffer((1, 16), "float32", scope="local")
            for j in range(16):
                u[i - i, j0 * 16 + j - j0 * 16] = T.float32(0)
            for k, j in T.grid(64, 16):
                u[i - i, j0 * 16 + j - j0 * 16] = u[i - i, j0 * 16 + j - j0 * 16] + A[i, k] * B[k, j0 * 16 + j]
            for j in range(16):
                E[i, j0 * 16 + j] = u[i - i, j0 * 16 + j - j0 * 16]

@T.prim_func
def g(A: T.Buffer((32, 48), "float32"), C: T.Buffer((32, 48), "float32")):
    with T.block("root"):
        line = T.alloc_buffer((48,), scope="local")
        s = T.alloc_buffer((1,), scope="local")
        for i in range(32):
            s[0] = T.float32(0)
            for k in range(48):
                line[k] = T.exp(A[i, k])
            for k in range(48):
                s[0] = s[0] + line[k]
            for k in range(48):
                C[i, k] = line[k] / s[0]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((64, 48), "float32"), C: T.Buffer((32, 48), "float32"), D: T.Buffer((32, 48), "float32"), E: T.Buffer((32, 48), "float32")):
        # with T.block("root"):
        s = T.alloc_buffer((T.int64(32), T.int64(48)))
        for i, j, k in T.grid(T.int64(32), T.int64(48), T.int64(64)):
            with T.block("s"):
                i_1, j_1, k_1 = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    s[i_1, j_1] = T.float32(0.0)
                s[i_1, j_1] = s[i_1, j_1] + A[i_1, k_1] * B[k_1, j_1]
        for i, j in T.grid(T.int64(32), T.int64(48)):
            with T.block("C"):
                i_2, j_2 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                C[i_2, j_2] = T.max(s[i_2, j_2], T.float32(0.0))
        for i, j, k in T.grid(T.int64(32), T.int64(48), T.int64(64)):
            with T.block("t"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    D[vi, vj] = T.float32(0.0)
                D[vi, vj] = D[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j, k in T.grid(T.int64(32), T.int64(48), T.int64(64)):
            with T.block("u"):
                i_3, j_3, k_2 = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    E[i_3, j_3] = T.float32(0.0)
                E[i_3, j_3] = E[i_3, j_3] + A[i_3, k_2] * B[k_2, j_3]

    @T.prim_func
    def g(A: T.Buffer((32, 48), "float32"), C: T.Buffer((32, 48), "float32")):
        # with T.block("root"):
        line = T.alloc_buffer((T.int64(32), T.int64(48)))
        s = T.alloc_buffer((T.int64(32),))
        for i, k in T.grid(T.int64(32), T.int64(48)):
            with T.block("line"):
                i_1, k_1 = T.axis.remap("SS", [i, k])
                T.block_attr({"rlx.operator": "elementwise ss"})
                line[i_1, k_1] = T.exp(A[i_1, k_1])
        for i, k in T.grid(T.int64(32), T.int64(48)):
            with T.block("s"):
                i_2, k_2 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    s[i_2] = T.float32(0.0)
                s[i_2] = s[i_2] + line[i_2, k_2]
        for i, k in T.grid(T.int64(32), T.int64(48)):
            with T.block("C"):
                i_3, k_3 = T.axis.remap("SS", [i, k])
                T.block_attr({"rlx.operator": "elementwise ss"})
                C[i_3, k_3] = line[i_3, k_3] / s[i_3]

# ==== values_of_other_iterations
# Iterations that read what earlier ones stored; a line that is stored to again and again, many times the results.
@T.prim_func
def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    with T.block("root"):
        s = T.alloc_buffer((1,), scope="local")
        line = T.alloc_buffer((1000,), scope="local")
        s[0] = T.float32(0)
        for i in range(32):
            s[0] = s[0] * T.float32(0.5) + A[i, 0]
            B[i] = s[0]
        for i in range(32):
            for k in range(1000):
                line[k] = A[i, k // 16]
            C[i] = line[7] + line[993]

@T.prim_func
def g(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32")):
    for i in range(8):
        s = T.decl_buffer((1,), "float32", scope="local")
        for k in range(16):
            if k == 0:
                s[0] = A[i, 3]
            C[i, k] = s[0] * A[i, k]

# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
        # with T.block("root"):
        s = T.alloc_buffer((1,), scope="local")
        line = T.alloc_buffer((1000,), scope="local")
        s[T.int64(0)] = T.float32(0.0)
        for i in range(T.int64(32)):
            s[T.int64(0)] = s[T.int64(0)] * T.float32(0.5) + A[i, T.int64(0)]
            B[i] = s[T.int64(0)]
        for i in range(T.int64(32)):
            for k in range(T.int64(1000)):
                line[k] = A[i, k // T.int64(16)]
            C[i] = line[T.int64(7)] + line[T.int64(993)]

    @T.prim_func
    def g(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32")):
        # with T.block("root"):
        s = T.alloc_buffer((T.int64(8),))
        for i in range(T.int64(8)):
            with T.block("s"):
                i_1 = T.axis.spatial(T.int64(8), i)
                T.block_attr({"rlx.operator": "rearrange s"})
                s[i_1] = A[i_1, T.int64(3)]
        for i, k in T.grid(T.int64(8), T.int64(16)):
            with T.block("C"):
                i_2, k_1 = T.axis.remap("SS", [i, k])
                T.block_attr({"rlx.operator": "elementwise ss"})
                C[i_2, k_1] = s[i_2] * A[i_2, k_1]

# ==== vectors
# Stores of vectors are loops over their lanes, and names for indices are their values.
@T.prim_func
def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((64, 48), "float32"), C: T.Buffer((32, 48), "float32"), D: T.Buffer((32, 48), "float32")):
    for i, j in T.grid(32, 3):
        C[i, j * 16:j * 16 + 16] = T.Broadcast(T.float32(0), 16)
        for k in range(64):
            C[i, j * 16:j * 16 + 16] = C[i, j * 16:j * 16 + 16] + T.Broadcast(A[i, k], 16) * B[k, j * 16:j * 16 + 16]
    for i, j0, j1 in T.grid(32, 3, 16):
        j: T.int32 = j0 * 16 + j1
        D[i, j] = T.exp(C[i, j])
    for i, j in T.grid(32, 12):
        D[i, j * 4:j * 4 + 4] = T.exp(D[i, j * 4:j * 4 + 4]) * T.Select(C[i, j * 4:j * 4 + 4] < T.Broadcast(T.float32(0), 4), T.Broadcast(T.float32(2), 4), T.Broadcast(T.float32(3), 4))
    for i, j in T.grid(32, 12):
        D[i, j * 4:j * 4 + 4] = D[31 - i, j * 4:j * 4 + 4]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((64, 48), "float32"), C: T.Buffer((32, 48), "float32"), D: T.Buffer((32, 48), "float32")):
        # with T.block("root"):
        for i, lane, k in T.grid(T.int64(32), T.int64(48), T.int64(64)):
            with T.block("C"):
                i_1, lane_1, k_1 = T.axis.remap("SSR", [i, lane, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[i_1, lane_1] = T.float32(0.0)
                C[i_1, lane_1] = C[i_1, lane_1] + A[i_1, k_1] * B[k_1, lane_1]
        for i, j1 in T.grid(T.int64(32), T.int64(48)):
            with T.block("D"):
                i_2, j1_1 = T.axis.remap("SS", [i, j1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                D[i_2, j1_1] = T.exp(C[i_2, j1_1])
        for i, lane in T.grid(T.int64(32), T.int64(48)):
            with T.block("D"):
                i_3, lane_2 = T.axis.remap("SS", [i, lane])
                D[i_3, lane_2] = T.exp(D[i_3, lane_2]) * T.Select(C[i_3, lane_2] < T.float32(0.0), T.float32(2.0), T.float32(3.0))
        for i, j in T.grid(T.int64(32), T.int64(12)):
            D[T.Cast("int32", i), T.Ramp(T.Cast("int32", j) * 4, 1, 4)] = D[31 - T.Cast("int32", i), T.Ramp(T.Cast("int32", j) * 4, 1, 4)]

# ==== stores_behind_lets
# The sums of a mean and a variance in plain loops; a block that does nothing.
@T.prim_func
def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    for i in range(32):
        B[i] = T.float32(0)
        C[i] = T.float32(0)
    for i, k in T.grid(32, 64):
        x: T.let[T.float32] = B[i] + A[i, k]
        y: T.let[T.float32] = C[i] + A[i, k] * A[i, k]
        B[i] = x
        C[i] = y
    for i in range(32):
        with T.block("nothing"):
            vi = T.axis.spatial(32, i)
            T.reads(A[vi, 0])
            T.writes(B[vi])
            T.evaluate(0)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((32, 64), "float32"), B: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
        # with T.block("root"):
        for i, k in T.grid(T.int64(32), T.int64(64)):
            with T.block("B"):
                i_1, k_1 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    B[i_1] = T.float32(0.0)
                B[i_1] = B[i_1] + A[i_1, k_1]
        for i, k in T.grid(T.int64(32), T.int64(64)):
            with T.block("C"):
                i_2, k_2 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    C[i_2] = T.float32(0.0)
                C[i_2] = C[i_2] + A[i_2, k_2] * A[i_2, k_2]

# ==== symbolic_splits
# All loops of a product fused, the reduction of unknown extent split before; the copy of the sum inside of its loop.
@T.prim_func
def f(a: T.handle, b: T.handle, C: T.Buffer((64, 256), "float32")):
    n = T.int64()
    A = T.match_buffer(a, (64, n))
    B = T.match_buffer(b, (n, 256))
    with T.block("root"):
        S = T.alloc_buffer((64, 256))
        for f, k1, z in T.grid((n + 15) // 16 * 16384, 16, 1):
            with T.block("S"):
                vi = T.axis.spatial(64, f // ((n + 15) // 16 * 256))
                vj = T.axis.spatial(256, f % ((n + 15) // 16 * 256) // ((n + 15) // 16))
                vk = T.axis.reduce(n, f % ((n + 15) // 16) * 16 + k1)
                T.where(f % ((n + 15) // 16) * 16 + k1 < n)
                with T.init():
                    S[vi, vj] = T.float32(0)
                S[vi, vj] = S[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid(64, 256):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.exp(S[vi, vj])

@T.prim_func
def g(a: T.handle, C: T.Buffer((64,), "float32")):
    n = T.int64()
    A = T.match_buffer(a, (64, n))
    with T.block("root"):
        S = T.alloc_buffer((64,))
        for i, k in T.grid(64, n):
            with T.block("S"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    S[vi] = T.float32(0)
                S[vi] = S[vi] + A[vi, vk]
            with T.block("C"):
                vi = T.axis.spatial(64, i)
                C[vi] = S[vi]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle, C: T.Buffer((64, 256), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (64, n))
        B = T.match_buffer(b, (n, 256))
        # with T.block("root"):
        S = T.alloc_buffer((64, 256))
        for i, j, k in T.grid(T.int64(64), T.int64(256), n):
            with T.block("S"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    S[vi, vj] = T.float32(0.0)
                S[vi, vj] = S[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid(T.int64(64), T.int64(256)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                C[vi, vj] = T.exp(S[vi, vj])

    @T.prim_func
    def g(a: T.handle, C: T.Buffer((64,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (64, n))
        # with T.block("root"):
        S = T.alloc_buffer((64,))
        for i, k in T.grid(T.int64(64), n):
            with T.block("S"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    S[vi] = T.float32(0.0)
                S[vi] = S[vi] + A[vi, vk]
            with T.block("C"):
                vi = T.axis.spatial(T.int64(64), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                C[vi] = S[vi]

# ==== read_in_one_iteration
# Partial sums that are read in one iteration, or in the first three, also through another temporary.
@T.prim_func
def f(A: T.Buffer((8, 16), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"), D: T.Buffer((8,), "float32")):
    with T.block("root"):
        R = T.alloc_buffer((8,))
        S = T.alloc_buffer((8,))
        U = T.alloc_buffer((8,))
        W = T.alloc_buffer((8,))
        for i, k in T.grid(8, 16):
            if k == 0:
                R[i] = T.float32(0)
            R[i] = R[i] + A[i, k]
            if k == 0:
                B[i] = R[i]
        for i, k in T.grid(8, 16):
            with T.block("S"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    S[vi] = T.float32(0)
                S[vi] = S[vi] + A[vi, vk]
            with T.block("C"):
                vi = T.axis.spatial(8, i)
                T.where(k < 3)
                C[vi] = S[vi]
        for i, k in T.grid(8, 16):
            if k == 0:
                U[i] = T.float32(0)
            U[i] = U[i] + A[i, k]
            W[i] = U[i] * T.float32(2)
            if k == 0:
                D[i] = W[i]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8, 16), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"), D: T.Buffer((8,), "float32")):
        # with T.block("root"):
        R_1 = T.alloc_buffer((8,))
        S = T.alloc_buffer((8,))
        U = T.alloc_buffer((8,))
        W = T.alloc_buffer((8,))
        for i, k in T.grid(T.int64(8), T.int64(16)):
            if k == T.int64(0):
                R_1[i] = T.float32(0.0)
            R_1[i] = R_1[i] + A[i, k]
            if k == T.int64(0):
                B[i] = R_1[i]
        for i, k in T.grid(T.int64(8), T.int64(16)):
            with T.block("S"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    S[vi] = T.float32(0.0)
                S[vi] = S[vi] + A[vi, vk]
            with T.block("C"):
                vi = T.axis.spatial(T.int64(8), i)
                T.where(k < T.int64(3))
                T.block_attr({"rlx.operator": "elementwise s"})
                C[vi] = S[vi]
        for i, k in T.grid(T.int64(8), T.int64(16)):
            if k == T.int64(0):
                U[i] = T.float32(0.0)
            U[i] = U[i] + A[i, k]
            W[i] = U[i] * T.float32(2.0)
            if k == T.int64(0):
                D[i] = W[i]

# ==== steps_in_order
# Reductions whose steps must run in the order of the loops, which is not the order of the axes.
@T.prim_func
def f(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8,), "float32"), D: T.Buffer((8,), "float32")):
    for i, k1, k0 in T.grid(8, 4, 4):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            vk = T.axis.reduce(16, k0 * 4 + k1)
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] * T.float32(0.5) + A[vi, vk]
    for i, k0, k1 in T.grid(8, 4, 4):
        with T.block("D"):
            vi = T.axis.spatial(8, i)
            vk = T.axis.reduce(16, k0 * 4 + k1)
            with T.init():
                D[vi] = T.float32(0)
            D[vi] = D[vi] * T.float32(0.5) + A[vi, vk]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8,), "float32"), D: T.Buffer((8,), "float32")):
        # with T.block("root"):
        for i, k1, k0 in T.grid(T.int64(8), T.int64(4), T.int64(4)):
            with T.block("C"):
                vi = T.axis.spatial(T.int64(8), i)
                vk = T.axis.reduce(T.int64(16), k0 * T.int64(4) + k1)
                T.block_attr({"rlx.operator": "fold sk"})
                with T.init():
                    C[vi] = T.float32(0.0)
                C[vi] = C[vi] * T.float32(0.5) + A[vi, vk]
        for i, k1 in T.grid(T.int64(8), T.int64(16)):
            with T.block("D"):
                vi, vk = T.axis.remap("SR", [i, k1])
                T.block_attr({"rlx.operator": "fold sk"})
                with T.init():
                    D[vi] = T.float32(0.0)
                D[vi] = D[vi] * T.float32(0.5) + A[vi, vk]

# ==== attention_over_fewer_keys
# The sum of the exponentials leaves out keys: this is no attention.
@T.prim_func
def f(Q: T.Buffer((5, 3), "float32"), K: T.Buffer((7, 3), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((5, 2), "float32")):
    with T.block("root"):
        S = T.alloc_buffer((5, 7))
        M = T.alloc_buffer((5,))
        P = T.alloc_buffer((5, 7))
        Z = T.alloc_buffer((5,))
        W = T.alloc_buffer((5, 2))
        for i, j, d in T.grid(5, 7, 3):
            with T.block("S"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                with T.init():
                    S[vi, vj] = T.float32(0)
                S[vi, vj] = S[vi, vj] + Q[vi, vd] * K[vj, vd]
        for i, j in T.grid(5, 7):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    M[vi] = T.float32(-1e30)
                M[vi] = T.max(M[vi], S[vi, vj])
        for i, j in T.grid(5, 7):
            P[i, j] = T.exp(S[i, j] - M[i])
        for i, j in T.grid(5, 5):
            with T.block("Z"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    Z[vi] = T.float32(0)
                Z[vi] = Z[vi] + P[vi, vj]
        for i, e, j in T.grid(5, 2, 7):
            with T.block("W"):
                vi, ve, vj = T.axis.remap("SSR", [i, e, j])
                with T.init():
                    W[vi, ve] = T.float32(0)
                W[vi, ve] = W[vi, ve] + P[vi, vj] * V[vj, ve]
        for i, e in T.grid(5, 2):
            O[i, e] = W[i, e] / Z[i]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(Q: T.Buffer((5, 3), "float32"), K: T.Buffer((7, 3), "float32"), V: T.Buffer((7, 2), "float32"), O: T.Buffer((5, 2), "float32")):
        # with T.block("root"):
        S = T.alloc_buffer((5, 7))
        M = T.alloc_buffer((5,))
        P = T.alloc_buffer((5, 7))
        Z = T.alloc_buffer((5,))
        W = T.alloc_buffer((5, 2))
        for i, j, d in T.grid(T.int64(5), T.int64(7), T.int64(3)):
            with T.block("S"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    S[vi, vj] = T.float32(0.0)
                S[vi, vj] = S[vi, vj] + Q[vi, vd] * K[vj, vd]
        for i, j in T.grid(T.int64(5), T.int64(7)):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    M[vi] = T.float32(-1.0000000150474662e+30)
                M[vi] = T.max(M[vi], S[vi, vj])
        for i, j in T.grid(T.int64(5), T.int64(7)):
            with T.block("P"):
                i_1, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                P[i_1, j_1] = T.exp(S[i_1, j_1] - M[i_1])
        for i, j in T.grid(T.int64(5), T.int64(5)):
            with T.block("Z"):
                vi, vj = T.axis.remap("SR", [i, j])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    Z[vi] = T.float32(0.0)
                Z[vi] = Z[vi] + P[vi, vj]
        for i, e, j in T.grid(T.int64(5), T.int64(2), T.int64(7)):
            with T.block("W"):
                vi, ve, vj = T.axis.remap("SSR", [i, e, j])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    W[vi, ve] = T.float32(0.0)
                W[vi, ve] = W[vi, ve] + P[vi, vj] * V[vj, ve]
        for i, e in T.grid(T.int64(5), T.int64(2)):
            with T.block("O"):
                i_2, e_1 = T.axis.remap("SS", [i, e])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_2, e_1] = W[i_2, e_1] / Z[i_2]

# ==== temporaries_of_other_tools
# Overlapping tiles, other layouts, borders, flat positions and loops in parts, and what looks like them but is not.
# module tests/e2e/tir_temporaries.py#of_other_tools
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def tiles_k(A: T.Buffer((2, 6, 6), "float32"), W: T.Buffer((2, 3, 3), "float32"), C: T.Buffer((6, 6), "float32")):
        # with T.block("root"):
        P = T.alloc_buffer((2, 8, 8))
        for c, y, x in T.grid(T.int64(2), T.int64(8), T.int64(8)):
            with T.block("P"):
                vc, vy, vx = T.axis.remap("SSS", [c, y, x])
                T.block_attr({"rlx.operator": "rearrange sss"})
                P[vc, vy, vx] = T.if_then_else(T.int64(1) <= vy and vy < T.int64(7) and T.int64(1) <= vx and vx < T.int64(7), A[vc, vy - T.int64(1), vx - T.int64(1)], T.float32(0.0))
        for y, x, c, r, q in T.grid(T.int64(6), T.int64(6), T.int64(2), T.int64(3), T.int64(3)):
            with T.block("C"):
                vy, vx, vc, vr, vq = T.axis.remap("SSRRR", [y, x, c, r, q])
                T.block_attr({"rlx.operator": "conv ppkrr"})
                with T.init():
                    C[vy, vx] = T.float32(0.0)
                C[vy, vx] = C[vy, vx] + P[vc, vy + vr, vx + vq] * W[vc, vr, vq]

    @T.prim_func
    def line_k(A: T.Buffer((6,), "float32"), C: T.Buffer((6,), "float32")):
        # with T.block("root"):
        P = T.alloc_buffer((8,))
        for y in range(T.int64(8)):
            with T.block("P"):
                vy = T.axis.spatial(T.int64(8), y)
                T.block_attr({"rlx.operator": "rearrange s"})
                P[vy] = T.if_then_else(T.int64(1) <= vy and vy < T.int64(7), A[vy - T.int64(1)], T.float32(0.0))
        for y, r in T.grid(T.int64(6), T.int64(3)):
            with T.block("C"):
                vy, vr = T.axis.remap("SR", [y, r])
                T.block_attr({"rlx.operator": "pool pr"})
                with T.init():
                    C[vy] = T.float32(0.0)
                C[vy] = C[vy] + P[vy + vr]

    @T.prim_func
    def by_tile_k(A: T.Buffer((8,), "float32"), C: T.Buffer((2, 3), "float32")):
        # with T.block("root"):
        P = T.alloc_buffer((6,))
        for t in range(T.int64(2)):
            for i in range(T.int64(4)):
                with T.block("P"):
                    vi = T.axis.spatial(T.int64(6), t * T.int64(2) + i)
                    vt = T.axis.spatial(T.int64(2), t)
                    P[vi] = A[vi] * T.Cast("float32", vt + T.int64(1))
            for i in range(T.int64(3)):
                with T.block("C"):
                    vt, vi = T.axis.remap("SS", [t, i])
                    T.block_attr({"rlx.operator": "rearrange ss"})
                    C[vt, vi] = P[vt * T.int64(2) + vi + T.int64(1)]

    @T.prim_func
    def updated_k(A: T.Buffer((6,), "float32"), C: T.Buffer((2, 3), "float32")):
        # with T.block("root"):
        P = T.alloc_buffer((6,))
        for t in range(T.int64(2)):
            for i in range(T.int64(4)):
                with T.block("P"):
                    vi = T.axis.spatial(T.int64(6), t * T.int64(2) + i)
                    T.block_attr({"rlx.operator": "elementwise s"})
                    P[vi] = A[vi]
            for i in range(T.int64(3)):
                with T.block("Q"):
                    vi = T.axis.spatial(T.int64(6), t * T.int64(3) + i)
                    P[vi] = P[vi] + T.float32(1.0)
            for i in range(T.int64(3)):
                with T.block("C"):
                    vt, vi = T.axis.remap("SS", [t, i])
                    T.block_attr({"rlx.operator": "rearrange ss"})
                    C[vt, vi] = P[vt * T.int64(2) + vi]

    @T.prim_func
    def outside_k(A: T.Buffer((5,), "float32"), C: T.Buffer((2, 3), "float32")):
        # with T.block("root"):
        P = T.alloc_buffer((6,))
        for t in range(T.int64(2)):
            for i in range(T.int64(3)):
                with T.block("P"):
                    vi = T.axis.spatial(T.int64(6), t * T.int64(2) + i)
                    T.block_attr({"rlx.operator": "elementwise s"})
                    P[vi] = A[vi]
            for i in range(T.int64(3)):
                with T.block("C"):
                    vt, vi = T.axis.remap("SS", [t, i])
                    T.block_attr({"rlx.operator": "rearrange ss"})
                    C[vt, vi] = P[vt * T.int64(2) + vi]

    @T.prim_func
    def packed_k(A: T.Buffer((3, 5), "float32"), B: T.Buffer((5, 8), "float32"), C: T.Buffer((3, 8), "float32")):
        # with T.block("root"):
        for i, j, l in T.grid(T.int64(3), T.int64(8), T.int64(5)):
            with T.block("C"):
                vi, vj, vl = T.axis.remap("SSR", [i, j, l])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vl] * B[vl, vj]

    @T.prim_func
    def padded_columns_k(A: T.Buffer((3, 5), "float32"), B: T.Buffer((5, 7), "float32"), C: T.Buffer((3, 7), "float32")):
        # with T.block("root"):
        for i, j, l in T.grid(T.int64(3), T.int64(7), T.int64(5)):
            with T.block("C"):
                vi, vj, vl = T.axis.remap("SSR", [i, j, l])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vl] * B[vl, vj]

    @T.prim_func
    def reindexed_k(X: T.Buffer((4, 5), "float32"), W: T.Buffer((2, 2), "float32"), C: T.Buffer((3, 4), "float32")):
        # with T.block("root"):
        for y, x, r, q in T.grid(T.int64(3), T.int64(4), T.int64(2), T.int64(2)):
            with T.block("C"):
                vy, vx, vr, vq = T.axis.remap("SSRR", [y, x, r, q])
                T.block_attr({"rlx.operator": "conv pprr"})
                with T.init():
                    C[vy, vx] = T.float32(0.0)
                C[vy, vx] = C[vy, vx] + X[vy + vr, vx + vq] * W[vr, vq]

    @T.prim_func
    def reversed_k(A: T.Buffer((3, 5), "float32"), C: T.Buffer((5, 3), "float32")):
        # with T.block("root"):
        P = T.alloc_buffer((T.int64(3), T.int64(5)))
        for i, j in T.grid(T.int64(3), T.int64(5)):
            with T.block("P"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                P[vi, vj] = T.exp(A[vi, vj])
        for i, j in T.grid(T.int64(5), T.int64(3)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "rearrange ss"})
                C[vi, vj] = P[vj, vi] + P[vj, T.int64(4) - vi]

    @T.prim_func
    def inlined_k(A: T.Buffer((2, 6), "float32"), W: T.Buffer((2, 3), "float32"), C: T.Buffer((6,), "float32")):
        # with T.block("root"):
        A_pad = T.alloc_buffer((T.int64(2), T.int64(8)))
        for i0, i1 in T.grid(T.int64(2), T.int64(8)):
            with T.block("A_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.block_attr({"rlx.operator": "rearrange ss"})
                A_pad[v0, v1] = T.if_then_else(T.int64(1) <= v1 and v1 < T.int64(7), A[v0, v1 - T.int64(1)], T.float32(0.0))
        for x, c, r in T.grid(T.int64(6), T.int64(2), T.int64(3)):
            with T.block("C"):
                vx, vc, vr = T.axis.remap("SRR", [x, c, r])
                T.block_attr({"rlx.operator": "conv pkr"})
                with T.init():
                    C[vx] = T.float32(0.0)
                C[vx] = C[vx] + A_pad[vc, vx + vr] * W[vc, vr]

    @T.prim_func
    def symbolic_k(a: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        C = T.match_buffer(c, (n,))
        # with T.block("root"):
        A_pad = T.alloc_buffer((n + T.int64(2),))
        for i0 in range(n + T.int64(2)):
            with T.block("A_pad"):
                v0 = T.axis.spatial(n + T.int64(2), i0)
                T.block_attr({"rlx.operator": "rearrange s"})
                A_pad[v0] = T.if_then_else(T.int64(1) <= v0 and v0 < n + T.int64(1), A[v0 - T.int64(1)], T.float32(-1.0))
        for x, r in T.grid(n, T.int64(3)):
            with T.block("C"):
                vx, vr = T.axis.remap("SR", [x, r])
                T.block_attr({"rlx.operator": "pool pr"})
                with T.init():
                    C[vx] = T.float32(-1.0)
                C[vx] = T.max(C[vx], A_pad[vx + vr])

    @T.prim_func
    def in_tiles_k(A: T.Buffer((6,), "float32"), W: T.Buffer((3,), "float32"), C: T.Buffer((6,), "float32")):
        # with T.block("root"):
        A_pad = T.alloc_buffer((T.int64(8),))
        for i0 in range(T.int64(8)):
            with T.block("A_pad"):
                v0 = T.axis.spatial(T.int64(8), i0)
                T.block_attr({"rlx.operator": "rearrange s"})
                A_pad[v0] = T.if_then_else(T.int64(1) <= v0 and v0 < T.int64(7), A[v0 - T.int64(1)], T.float32(0.0))
        for x, r in T.grid(T.int64(6), T.int64(3)):
            with T.block("C"):
                x_1, r_1 = T.axis.remap("SR", [x, r])
                T.block_attr({"rlx.operator": "conv pr"})
                with T.init():
                    C[x_1] = T.float32(0.0)
                C[x_1] = C[x_1] + A_pad[r_1 + x_1] * W[r_1]

    @T.prim_func
    def once_k(A: T.Buffer((6,), "float32"), C: T.Buffer((1,), "float32")):
        # with T.block("root"):
        for u, r in T.grid(T.int64(1), T.int64(8)):
            with T.block("C"):
                u_1, vr = T.axis.remap("SR", [u, r])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    C[u_1] = T.float32(0.0)
                C[u_1] = C[u_1] + T.if_then_else(T.int64(1) <= vr and vr < T.int64(7), A[vr - T.int64(1)], T.float32(0.0))

    @T.prim_func
    def flat_k(A: T.Buffer((5, 6), "float32"), C: T.Buffer((5, 6), "float32")):
        # with T.block("root"):
        P = T.alloc_buffer((T.int64(7), T.int64(8)))
        for y, x in T.grid(T.int64(7), T.int64(8)):
            with T.block("P"):
                y_1, x_1 = T.axis.remap("SS", [y, x])
                T.block_attr({"rlx.operator": "rearrange ss"})
                P[y_1, x_1] = T.if_then_else(T.int64(1) <= y_1 and y_1 < T.int64(6) and T.int64(1) <= x_1 and x_1 < T.int64(7), A[y_1 - T.int64(1), x_1 - T.int64(1)], T.float32(0.0))
        for y, x, r, q in T.grid(T.int64(5), T.int64(6), T.int64(3), T.int64(3)):
            with T.block("C"):
                y_2, x_2, r_1, q_1 = T.axis.remap("SSRR", [y, x, r, q])
                T.block_attr({"rlx.operator": "pool pprr"})
                with T.init():
                    C[y_2, x_2] = T.float32(0.0)
                C[y_2, x_2] = C[y_2, x_2] + P[r_1 + y_2, q_1 + x_2]

    @T.prim_func
    def over_the_end_k(A: T.Buffer((5, 6), "float32"), C: T.Buffer((4, 6), "float32")):
        A_1 = T.decl_buffer((30,), data=A.data)
        C_1 = T.decl_buffer((24,), data=C.data)
        for y, x in T.grid(4, 6):
            C_1[y * 6 + x] = A_1[y * 6 + x + 1]

    @T.prim_func
    def parts_k(A: T.Buffer((3, 9), "float32"), C: T.Buffer((3, 9), "float32")):
        # with T.block("root"):
        for i, j in T.grid(T.int64(3), T.int64(9)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                C[vi, vj] = A[vi, vj] * T.float32(2.0)

    @T.prim_func
    def others_k(A: T.Buffer((9,), "float32"), C: T.Buffer((9,), "float32")):
        # with T.block("root"):
        for j in range(T.int64(4)):
            with T.block("C"):
                j_1 = T.axis.spatial(T.int64(4), j)
                T.block_attr({"rlx.operator": "elementwise s"})
                C[j_1] = A[j_1] * T.float32(2.0)
        for j in range(T.int64(4)):
            C[j + T.int64(4)] = A[j + T.int64(4)] * T.float32(3.0)
        for j in range(T.int64(1)):
            C[j + T.int64(8)] = A[T.int64(8) - j] * T.float32(3.0)

    @R.function
    def tiles(x0: R.Tensor((2, 6, 6), dtype="float32"), x1: R.Tensor((2, 3, 3), dtype="float32")) -> R.Tensor((6, 6), dtype="float32"):
        cls = Module
        gv: R.Tensor((6, 6), dtype="float32") = R.call_tir(cls.tiles_k, (x0, x1), out_sinfo=R.Tensor((6, 6), dtype="float32"))
        return gv

    @R.function
    def line(x0: R.Tensor((6,), dtype="float32")) -> R.Tensor((6,), dtype="float32"):
        cls = Module
        gv: R.Tensor((6,), dtype="float32") = R.call_tir(cls.line_k, (x0,), out_sinfo=R.Tensor((6,), dtype="float32"))
        return gv

    @R.function
    def by_tile(x0: R.Tensor((8,), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        cls = Module
        gv: R.Tensor((2, 3), dtype="float32") = R.call_tir(cls.by_tile_k, (x0,), out_sinfo=R.Tensor((2, 3), dtype="float32"))
        return gv

    @R.function
    def updated(x0: R.Tensor((6,), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        cls = Module
        gv: R.Tensor((2, 3), dtype="float32") = R.call_tir(cls.updated_k, (x0,), out_sinfo=R.Tensor((2, 3), dtype="float32"))
        return gv

    @R.function
    def outside(x0: R.Tensor((5,), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        cls = Module
        gv: R.Tensor((2, 3), dtype="float32") = R.call_tir(cls.outside_k, (x0,), out_sinfo=R.Tensor((2, 3), dtype="float32"))
        return gv

    @R.function
    def packed(x0: R.Tensor((3, 5), dtype="float32"), x1: R.Tensor((5, 8), dtype="float32")) -> R.Tensor((3, 8), dtype="float32"):
        cls = Module
        gv: R.Tensor((3, 8), dtype="float32") = R.call_tir(cls.packed_k, (x0, x1), out_sinfo=R.Tensor((3, 8), dtype="float32"))
        return gv

    @R.function
    def padded_columns(x0: R.Tensor((3, 5), dtype="float32"), x1: R.Tensor((5, 7), dtype="float32")) -> R.Tensor((3, 7), dtype="float32"):
        cls = Module
        gv: R.Tensor((3, 7), dtype="float32") = R.call_tir(cls.padded_columns_k, (x0, x1), out_sinfo=R.Tensor((3, 7), dtype="float32"))
        return gv

    @R.function
    def reindexed(x0: R.Tensor((4, 5), dtype="float32"), x1: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((3, 4), dtype="float32"):
        cls = Module
        gv: R.Tensor((3, 4), dtype="float32") = R.call_tir(cls.reindexed_k, (x0, x1), out_sinfo=R.Tensor((3, 4), dtype="float32"))
        return gv

    @R.function
    def reversed(x0: R.Tensor((3, 5), dtype="float32")) -> R.Tensor((5, 3), dtype="float32"):
        cls = Module
        gv: R.Tensor((5, 3), dtype="float32") = R.call_tir(cls.reversed_k, (x0,), out_sinfo=R.Tensor((5, 3), dtype="float32"))
        return gv

    @R.function
    def inlined(x0: R.Tensor((2, 6), dtype="float32"), x1: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((6,), dtype="float32"):
        cls = Module
        gv: R.Tensor((6,), dtype="float32") = R.call_tir(cls.inlined_k, (x0, x1), out_sinfo=R.Tensor((6,), dtype="float32"))
        return gv

    @R.function
    def symbolic(x0: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((n,), dtype="float32") = R.call_tir(cls.symbolic_k, (x0,), out_sinfo=R.Tensor((n,), dtype="float32"))
        return gv

    @R.function
    def in_tiles(x0: R.Tensor((6,), dtype="float32"), x1: R.Tensor((3,), dtype="float32")) -> R.Tensor((6,), dtype="float32"):
        cls = Module
        gv: R.Tensor((6,), dtype="float32") = R.call_tir(cls.in_tiles_k, (x0, x1), out_sinfo=R.Tensor((6,), dtype="float32"))
        return gv

    @R.function
    def once(x0: R.Tensor((6,), dtype="float32")) -> R.Tensor((1,), dtype="float32"):
        cls = Module
        gv: R.Tensor((1,), dtype="float32") = R.call_tir(cls.once_k, (x0,), out_sinfo=R.Tensor((1,), dtype="float32"))
        return gv

    @R.function
    def flat(x0: R.Tensor((5, 6), dtype="float32")) -> R.Tensor((5, 6), dtype="float32"):
        cls = Module
        gv: R.Tensor((5, 6), dtype="float32") = R.call_tir(cls.flat_k, (x0,), out_sinfo=R.Tensor((5, 6), dtype="float32"))
        return gv

    @R.function
    def over_the_end(x0: R.Tensor((5, 6), dtype="float32")) -> R.Tensor((4, 6), dtype="float32"):
        cls = Module
        gv: R.Tensor((4, 6), dtype="float32") = R.call_tir(cls.over_the_end_k, (x0,), out_sinfo=R.Tensor((4, 6), dtype="float32"))
        return gv

    @R.function
    def parts(x0: R.Tensor((3, 9), dtype="float32")) -> R.Tensor((3, 9), dtype="float32"):
        cls = Module
        gv: R.Tensor((3, 9), dtype="float32") = R.call_tir(cls.parts_k, (x0,), out_sinfo=R.Tensor((3, 9), dtype="float32"))
        return gv

    @R.function
    def others(x0: R.Tensor((9,), dtype="float32")) -> R.Tensor((9,), dtype="float32"):
        cls = Module
        gv: R.Tensor((9,), dtype="float32") = R.call_tir(cls.others_k, (x0,), out_sinfo=R.Tensor((9,), dtype="float32"))
        return gv

# ==== tiles_of_what_changes
# What the tiles of the temporary read changes between them: they stay.
@T.prim_func
def f(A: T.Buffer((6,), "float32"), C: T.Buffer((6,), "float32")):
    with T.block("root"):
        P = T.alloc_buffer((6,))
        for t in range(2):
            for i in range(4):
                with T.block("P"):
                    vi = T.axis.spatial(6, t * 2 + i)
                    P[vi] = C[vi] + A[vi]
            for i in range(3):
                with T.block("C"):
                    vi = T.axis.spatial(6, t * 3 + i)
                    C[vi] = P[vi] * T.float32(2)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((6,), "float32"), C: T.Buffer((6,), "float32")):
        # with T.block("root"):
        P = T.alloc_buffer((6,))
        for t in range(T.int64(2)):
            for i in range(T.int64(4)):
                with T.block("P"):
                    vi = T.axis.spatial(T.int64(6), t * T.int64(2) + i)
                    T.block_attr({"rlx.operator": "elementwise s"})
                    P[vi] = C[vi] + A[vi]
            for i in range(T.int64(3)):
                with T.block("C"):
                    vi = T.axis.spatial(T.int64(6), t * T.int64(3) + i)
                    T.block_attr({"rlx.operator": "elementwise s"})
                    C[vi] = P[vi] * T.float32(2.0)

# ==== loops_and_conditions
# Loops that begin elsewhere, count down or end at a minimum, conditions, shifts, lets, choices and guards: the plain form.
# module tests/e2e/tir_spellings.py#loops_and_conditions
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def from_one_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        C = T.match_buffer(c, (n, 4))
        # with T.block("root"):
        for i, j, k in T.grid(n, T.int64(4), T.int64(4)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def down_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        C = T.match_buffer(c, (n, 4))
        # with T.block("root"):
        for i, j, k in T.grid(n, T.int64(4), T.int64(4)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def limited_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        C = T.match_buffer(c, (n, 4))
        # with T.block("root"):
        for i, j, k in T.grid(n, T.int64(4), T.int64(4)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def bits_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        C = T.match_buffer(c, (n, 4))
        # with T.block("root"):
        for f, f_1, k in T.grid(n, T.int64(4), T.int64(4)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [f, f_1, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def doubled_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        C = T.match_buffer(c, (n, 4))
        # with T.block("root"):
        for i1, j, k in T.grid(n, T.int64(4), T.int64(4)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i1, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def moved_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        C = T.match_buffer(c, (n, 4))
        # with T.block("root"):
        for i, j, k in T.grid(n, T.int64(4), T.int64(4)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def named_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        C = T.match_buffer(c, (n, 4))
        # with T.block("root"):
        for i, j, k in T.grid(n, T.int64(4), T.int64(4)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def chosen_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        C = T.match_buffer(c, (n, 4))
        # with T.block("root"):
        for i, j, k in T.grid(n, T.int64(4), T.int64(4)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def hoisted_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        C = T.match_buffer(c, (n, 4))
        # with T.block("root"):
        for i, j, k in T.grid(n, T.int64(4), T.int64(4)):
            with T.block("C"):
                i_1, j_1, k_1 = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[i_1, j_1] = T.float32(0.0)
                C[i_1, j_1] = C[i_1, j_1] + A[i_1, k_1] * B[k_1, j_1]

    @T.prim_func
    def first_term_(a: T.handle, B: T.Buffer((4, 4), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        C = T.match_buffer(c, (n, 4))
        # with T.block("root"):
        for i, j, k in T.grid(n, T.int64(4), T.int64(4)):
            with T.block("C"):
                i_1, j_1, k_1 = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[i_1, j_1] = T.float32(0.0)
                C[i_1, j_1] = C[i_1, j_1] + A[i_1, k_1] * B[k_1, j_1]

    @T.prim_func
    def guarded_(a: T.handle, B: T.Buffer((2, 3), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        C = T.match_buffer(c, (2, n))
        # with T.block("root"):
        A_pad = T.alloc_buffer((n + T.int64(2),))
        for i0 in range(n + T.int64(2)):
            with T.block("A_pad"):
                v0 = T.axis.spatial(n + T.int64(2), i0)
                T.block_attr({"rlx.operator": "rearrange s"})
                A_pad[v0] = T.if_then_else(T.int64(1) <= v0 and v0 < n + T.int64(1), A[v0 - T.int64(1)], T.float32(0.0))
        for f, i, r in T.grid(T.int64(2), n, T.int64(3)):
            with T.block("C"):
                vf, vi, vr = T.axis.remap("SSR", [f, i, r])
                T.block_attr({"rlx.operator": "conv npr"})
                with T.init():
                    C[vf, vi] = T.float32(0.0)
                C[vf, vi] = C[vf, vi] + A_pad[vi + vr] * B[vf, vr]

    @T.prim_func
    def guarded_loops_(a: T.handle, B: T.Buffer((2, 3), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        C = T.match_buffer(c, (2, n))
        # with T.block("root"):
        A_pad = T.alloc_buffer((n + T.int64(2),))
        for i0 in range(n + T.int64(2)):
            with T.block("A_pad"):
                v0 = T.axis.spatial(n + T.int64(2), i0)
                T.block_attr({"rlx.operator": "rearrange s"})
                A_pad[v0] = T.if_then_else(T.int64(1) <= v0 and v0 < n + T.int64(1), A[v0 - T.int64(1)], T.float32(0.0))
        for f, i, r in T.grid(T.int64(2), n, T.int64(3)):
            with T.block("C"):
                f_1, i_1, r_1 = T.axis.remap("SSR", [f, i, r])
                T.block_attr({"rlx.operator": "conv npr"})
                with T.init():
                    C[f_1, i_1] = T.float32(0.0)
                C[f_1, i_1] = C[f_1, i_1] + A_pad[i_1 + r_1] * B[f_1, r_1]

    @T.prim_func
    def chosen_product_(a: T.handle, B: T.Buffer((2, 3), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        C = T.match_buffer(c, (2, n))
        # with T.block("root"):
        A_pad = T.alloc_buffer((n + T.int64(2),))
        for i0 in range(n + T.int64(2)):
            with T.block("A_pad"):
                v0 = T.axis.spatial(n + T.int64(2), i0)
                T.block_attr({"rlx.operator": "rearrange s"})
                A_pad[v0] = T.if_then_else(T.int64(1) <= v0 and v0 < n + T.int64(1), A[v0 - T.int64(1)], T.float32(0.0))
        for f, i, r in T.grid(T.int64(2), n, T.int64(3)):
            with T.block("C"):
                vf, vi, vr = T.axis.remap("SSR", [f, i, r])
                T.block_attr({"rlx.operator": "conv npr"})
                with T.init():
                    C[vf, vi] = T.float32(0.0)
                C[vf, vi] = C[vf, vi] + A_pad[vi + vr] * B[vf, vr]

    @T.prim_func
    def padded_sum_(a: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (3, n))
        # with T.block("root"):
        for i, k in T.grid(T.int64(3), n):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    C[vi] = T.float32(0.0)
                C[vi] = C[vi] + A[vi, vk]

    @T.prim_func
    def padded_max_(a: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (3, n))
        # with T.block("root"):
        for i, k in T.grid(T.int64(3), n):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    C[vi] = T.float32(-50.0)
                C[vi] = T.max(C[vi], A[vi, vk])

    @T.prim_func
    def some_rows_(a: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (3, n))
        # with T.block("root"):
        for i in range(T.int64(3)):
            with T.block("C"):
                i_1 = T.axis.spatial(T.int64(3), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                C[i_1] = T.float32(0.0)
        for i, k in T.grid(T.int64(2), n):
            with T.block("C"):
                i_2, k_1 = T.axis.remap("SR", [i, k])
                C[i_2] = C[i_2] + A[i_2, k_1]

    @T.prim_func
    def larger_(a: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (3, n))
        # with T.block("root"):
        for i, k in T.grid(T.int64(3), n):
            with T.block("C"):
                i_1, k_1 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    C[i_1] = T.float32(-9.0)
                C[i_1] = T.max(C[i_1], T.Select(A[i_1, k_1] == A[i_1, k_1], A[i_1, k_1], T.float32("-inf")))

    @T.prim_func
    def smaller_(a: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (3, n))
        # with T.block("root"):
        for i, k in T.grid(T.int64(3), n):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    C[vi] = T.float32(9.0)
                C[vi] = T.min(C[vi], T.Select(A[vi, vk] == A[vi, vk], A[vi, vk], T.float32("inf")))

    @T.prim_func
    def down_init_(a: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (3, n))
        # with T.block("root"):
        for i, k in T.grid(T.int64(3), n):
            with T.block("C"):
                vi = T.axis.spatial(T.int64(3), i)
                vk = T.axis.reduce(n, n - T.int64(1) - k)
                if vk == T.int64(0):
                    C[vi] = T.float32(0.0)
                C[vi] = C[vi] + A[vi, vk]

    @T.prim_func
    def excluded_init_(a: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (3, n))
        # with T.block("root"):
        for i in range(T.int64(3)):
            with T.block("C"):
                i_1 = T.axis.spatial(T.int64(3), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                C[i_1] = T.float32(2.0)
        for i, k in T.grid(T.int64(3), n):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.where(T.int64(1) <= k)
                if vk == T.int64(0):
                    C[vi] = T.float32(0.0)
                C[vi] = C[vi] + A[vi, vk]

    @T.prim_func
    def no_second_term_(A: T.Buffer((3, 6), "float32"), b: T.handle, C: T.Buffer((3,), "float32")):
        m = T.int64()
        B = T.match_buffer(b, (m,))
        # with T.block("root"):
        C_1 = T.alloc_buffer((3,))
        for i, k in T.grid(T.int64(3), m - T.int64(1)):
            with T.block("C"):
                i_1, k_1 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    C_1[i_1] = T.float32(0.0)
                C_1[i_1] = C_1[i_1] + A[i_1, k_1 + T.int64(1)]
        for i in range(T.int64(3)):
            with T.block("C"):
                i_2 = T.axis.spatial(T.int64(3), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                C[i_2] = A[i_2, T.int64(0)] + C_1[i_2]

    @T.prim_func
    def init_in_parts_(A: T.Buffer((3, 5), "float32"), C: T.Buffer((3,), "float32")):
        # with T.block("root"):
        for i, k in T.grid(T.int64(3), T.int64(5)):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    C[vi] = T.float32(0.0)
                C[vi] = C[vi] + A[vi, vk]

    @T.prim_func
    def chain_of_lets_(A: T.Buffer((3,), "float32"), C: T.Buffer((3,), "float32")):
        # with T.block("root"):
        for i in range(T.int64(3)):
            with T.block("C"):
                vi = T.axis.spatial(T.int64(3), i)
                C[vi] = T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(z40, where={z40: z36 * z36 * (z36 * z36) * (z36 * z36 * (z36 * z36)) * (z36 * z36 * (z36 * z36) * (z36 * z36 * (z36 * z36)))}), where={z36: z32 * z32 * (z32 * z32) * (z32 * z32 * (z32 * z32)) * (z32 * z32 * (z32 * z32) * (z32 * z32 * (z32 * z32)))}), where={z32: z28 * z28 * (z28 * z28) * (z28 * z28 * (z28 * z28)) * (z28 * z28 * (z28 * z28) * (z28 * z28 * (z28 * z28)))}), where={z28: z24 * z24 * (z24 * z24) * (z24 * z24 * (z24 * z24)) * (z24 * z24 * (z24 * z24) * (z24 * z24 * (z24 * z24)))}), where={z24: z20 * z20 * (z20 * z20) * (z20 * z20 * (z20 * z20)) * (z20 * z20 * (z20 * z20) * (z20 * z20 * (z20 * z20)))}), where={z20: z16 * z16 * (z16 * z16) * (z16 * z16 * (z16 * z16)) * (z16 * z16 * (z16 * z16) * (z16 * z16 * (z16 * z16)))}), where={z16: z12 * z12 * (z12 * z12) * (z12 * z12 * (z12 * z12)) * (z12 * z12 * (z12 * z12) * (z12 * z12 * (z12 * z12)))}), where={z12: z8 * z8 * (z8 * z8) * (z8 * z8 * (z8 * z8)) * (z8 * z8 * (z8 * z8) * (z8 * z8 * (z8 * z8)))}), where={z8: z4 * z4 * (z4 * z4) * (z4 * z4 * (z4 * z4)) * (z4 * z4 * (z4 * z4) * (z4 * z4 * (z4 * z4)))}), where={z4: A[vi] * A[vi] * (A[vi] * A[vi]) * (A[vi] * A[vi] * (A[vi] * A[vi])) * (A[vi] * A[vi] * (A[vi] * A[vi]) * (A[vi] * A[vi] * (A[vi] * A[vi])))})

    @T.prim_func
    def changed_limit_(A: T.Buffer((3,), "float32"), C: T.Buffer((3,), "float32")):
        # with T.block("root"):
        most = T.alloc_buffer((1,), "int64")
        for i1 in range(T.int64(3)):
            with T.block("C"):
                vi = T.axis.spatial(T.int64(3), i1)
                T.block_attr({"rlx.operator": "elementwise s"})
                C[vi] = T.float32(0.0)
        most[T.int64(0)] = T.int64(3)
        for i in range(T.min(T.int64(5), most[T.int64(0)])):
            C[i] = A[i] + T.float32(1.0)
            most[T.int64(0)] = T.int64(1)

    @T.prim_func
    def changed_start_(A: T.Buffer((3,), "float32"), C: T.Buffer((3,), "float32")):
        # with T.block("root"):
        least = T.alloc_buffer((1,), "int64")
        for i1 in range(T.int64(3)):
            with T.block("C"):
                vi = T.axis.spatial(T.int64(3), i1)
                T.block_attr({"rlx.operator": "elementwise s"})
                C[vi] = T.float32(0.0)
        C[T.int64(0)] = A[T.int64(0)]
        least[T.int64(0)] = T.int64(1)
        for i in range(least[T.int64(0)], least[T.int64(0)] + T.int64(2)):
            C[i] = A[i] + T.float32(1.0)
            least[T.int64(0)] = T.int64(0)

    @R.function
    def from_one(a: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.from_one_, (a, b), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        return gv

    @R.function
    def down(a: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.down_, (a, b), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        return gv

    @R.function
    def limited(a: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.limited_, (a, b), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        return gv

    @R.function
    def bits(a: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.bits_, (a, b), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        return gv

    @R.function
    def doubled(a: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.doubled_, (a, b), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        return gv

    @R.function
    def moved(a: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.moved_, (a, b), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        return gv

    @R.function
    def named(a: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.named_, (a, b), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        return gv

    @R.function
    def chosen(a: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.chosen_, (a, b), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        return gv

    @R.function
    def hoisted(a: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.hoisted_, (a, b), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        return gv

    @R.function
    def first_term(a: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.first_term_, (a, b), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        return gv

    @R.function
    def guarded(a: R.Tensor(("n",), dtype="float32"), b: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, "n"), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((2, n), dtype="float32") = R.call_tir(cls.guarded_, (a, b), out_sinfo=R.Tensor((2, n), dtype="float32"))
        return gv

    @R.function
    def guarded_loops(a: R.Tensor(("n",), dtype="float32"), b: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, "n"), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((2, n), dtype="float32") = R.call_tir(cls.guarded_loops_, (a, b), out_sinfo=R.Tensor((2, n), dtype="float32"))
        return gv

    @R.function
    def chosen_product(a: R.Tensor(("n",), dtype="float32"), b: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, "n"), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((2, n), dtype="float32") = R.call_tir(cls.chosen_product_, (a, b), out_sinfo=R.Tensor((2, n), dtype="float32"))
        return gv

    @R.function
    def padded_sum(a: R.Tensor((3, "n"), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((3,), dtype="float32") = R.call_tir(cls.padded_sum_, (a,), out_sinfo=R.Tensor((3,), dtype="float32"))
        return gv

    @R.function
    def padded_max(a: R.Tensor((3, "n"), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((3,), dtype="float32") = R.call_tir(cls.padded_max_, (a,), out_sinfo=R.Tensor((3,), dtype="float32"))
        return gv

    @R.function
    def some_rows(a: R.Tensor((3, "n"), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((3,), dtype="float32") = R.call_tir(cls.some_rows_, (a,), out_sinfo=R.Tensor((3,), dtype="float32"))
        return gv

    @R.function
    def larger(a: R.Tensor((3, "n"), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((3,), dtype="float32") = R.call_tir(cls.larger_, (a,), out_sinfo=R.Tensor((3,), dtype="float32"))
        return gv

    @R.function
    def smaller(a: R.Tensor((3, "n"), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((3,), dtype="float32") = R.call_tir(cls.smaller_, (a,), out_sinfo=R.Tensor((3,), dtype="float32"))
        return gv

    @R.function
    def down_init(a: R.Tensor((3, "n"), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((3,), dtype="float32") = R.call_tir(cls.down_init_, (a,), out_sinfo=R.Tensor((3,), dtype="float32"))
        return gv

    @R.function
    def excluded_init(a: R.Tensor((3, "n"), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((3,), dtype="float32") = R.call_tir(cls.excluded_init_, (a,), out_sinfo=R.Tensor((3,), dtype="float32"))
        return gv

    @R.function
    def no_second_term(a: R.Tensor((3, 6), dtype="float32"), b: R.Tensor(("m",), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        m = T.int64()
        cls = Module
        gv: R.Tensor((3,), dtype="float32") = R.call_tir(cls.no_second_term_, (a, b), out_sinfo=R.Tensor((3,), dtype="float32"))
        return gv

    @R.function
    def init_in_parts(a: R.Tensor((3, 5), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        cls = Module
        gv: R.Tensor((3,), dtype="float32") = R.call_tir(cls.init_in_parts_, (a,), out_sinfo=R.Tensor((3,), dtype="float32"))
        return gv

    @R.function
    def chain_of_lets(a: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        cls = Module
        gv: R.Tensor((3,), dtype="float32") = R.call_tir(cls.chain_of_lets_, (a,), out_sinfo=R.Tensor((3,), dtype="float32"))
        return gv

    @R.function
    def changed_limit(a: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        cls = Module
        gv: R.Tensor((3,), dtype="float32") = R.call_tir(cls.changed_limit_, (a,), out_sinfo=R.Tensor((3,), dtype="float32"))
        return gv

    @R.function
    def changed_start(a: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        cls = Module
        gv: R.Tensor((3,), dtype="float32") = R.call_tir(cls.changed_start_, (a,), out_sinfo=R.Tensor((3,), dtype="float32"))
        return gv

# ==== of_one_iteration
# Temporaries of one row or tile get a place for each: normal form splits the loops around them.
# module tests/e2e/tir_temporaries.py#of_one_iteration
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def rows_(a: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (3, n))
        C = T.match_buffer(c, (3, n))
        # with T.block("root"):
        most = T.alloc_buffer((T.int64(3),))
        e = T.alloc_buffer((T.int64(3), n))
        total = T.alloc_buffer((T.int64(3),))
        for i, k in T.grid(T.int64(3), n):
            with T.block("most"):
                i_1, k_1 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    most[i_1] = T.float32(-9.0)
                most[i_1] = T.max(most[i_1], A[i_1, k_1])
        for i, k in T.grid(T.int64(3), n):
            with T.block("e"):
                i_2, k_2 = T.axis.remap("SS", [i, k])
                T.block_attr({"rlx.operator": "elementwise ss"})
                e[i_2, k_2] = most[i_2] - A[i_2, k_2] + T.float32(1.0)
        for i, k in T.grid(T.int64(3), n):
            with T.block("total"):
                i_3, k_3 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    total[i_3] = T.float32(0.0)
                total[i_3] = total[i_3] + e[i_3, k_3]
        for i, k in T.grid(T.int64(3), n):
            with T.block("C"):
                i_4, k_4 = T.axis.remap("SS", [i, k])
                T.block_attr({"rlx.operator": "elementwise ss"})
                C[i_4, k_4] = e[i_4, k_4] - total[i_4]

    @T.prim_func
    def blocks_(a: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (3, n))
        C = T.match_buffer(c, (3, n))
        # with T.block("root"):
        most = T.alloc_buffer((T.int64(3),))
        total = T.alloc_buffer((T.int64(3),))
        for i, k in T.grid(T.int64(3), n):
            with T.block("most"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    most[vi] = T.float32(-9.0)
                most[vi] = T.max(most[vi], A[vi, vk])
        for i, k in T.grid(T.int64(3), n):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    total[vi] = T.float32(0.0)
                total[vi] = total[vi] + (most[vi] - A[vi, vk] + T.float32(1.0))
        for i, k in T.grid(T.int64(3), n):
            with T.block("C"):
                vi, vk = T.axis.remap("SS", [i, k])
                T.block_attr({"rlx.operator": "elementwise ss"})
                C[vi, vk] = most[vi] - A[vi, vk] + T.float32(1.0) - total[vi]

    @T.prim_func
    def tile_(a: T.handle, B: T.Buffer((4, 8), "float32"), c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        C = T.match_buffer(c, (n, 8))
        # with T.block("root"):
        for i, j1, k in T.grid(n, T.int64(8), T.int64(4)):
            with T.block("sums"):
                i_1, j1_1, k_1 = T.axis.remap("SSR", [i, j1, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[i_1, j1_1] = T.float32(0.0)
                C[i_1, j1_1] = C[i_1, j1_1] + A[i_1, k_1] * B[k_1, j1_1]

    @R.function
    def rows(a: R.Tensor((3, "n"), dtype="float32")) -> R.Tensor((3, "n"), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((3, n), dtype="float32") = R.call_tir(cls.rows_, (a,), out_sinfo=R.Tensor((3, n), dtype="float32"))
        return gv

    @R.function
    def blocks(a: R.Tensor((3, "n"), dtype="float32")) -> R.Tensor((3, "n"), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((3, n), dtype="float32") = R.call_tir(cls.blocks_, (a,), out_sinfo=R.Tensor((3, n), dtype="float32"))
        return gv

    @R.function
    def tile(a: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((4, 8), dtype="float32")) -> R.Tensor(("n", 8), dtype="float32"):
        n = T.int64()
        cls = Module
        gv: R.Tensor((n, 8), dtype="float32") = R.call_tir(cls.tile_, (a, b), out_sinfo=R.Tensor((n, 8), dtype="float32"))
        return gv

# ==== values_in_turn
# Each value that a buffer holds in turn gets a buffer of its own. The order stays where iterations read what others stored.
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def output_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        for i in range(2):
            m = T.alloc_buffer((1,), "float32")
            t = T.alloc_buffer((1,), "float32")
            m[0] = T.float32(-9)
            for j in range(3):
                m[0] = T.max(m[0], A[i, j])
            t[0] = T.float32(0)
            for j in range(3):
                B[i, j] = (m[0] - A[i, j]) * T.float32(2)
                t[0] = t[0] + B[i, j]
            for j in range(3):
                B[i, j] = B[i, j] * t[0]
    @T.prim_func
    def epilogue_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 2), "float32")):
        for i, j in T.grid(2, 2):
            B[i, j] = T.float32(0)
            for k in range(3):
                B[i, j] = B[i, j] + A[i, k] * A[j, k]
            B[i, j] = T.max(B[i, j] - T.float32(20), T.float32(0))
    @T.prim_func
    def reused_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        s = T.alloc_buffer((2,), "float32")
        u = T.alloc_buffer((2,), "float32")
        for i in range(2):
            s[i] = T.float32(0)
            for j in range(3):
                s[i] = s[i] + A[i, j]
        for i in range(2):
            u[i] = s[i] * T.float32(10)
        for i in range(2):
            s[i] = T.float32(-9)
            for j in range(3):
                s[i] = T.max(s[i], A[i, j])
        for i, j in T.grid(2, 3):
            B[i, j] = A[i, j] + u[i] + s[i]
    @T.prim_func
    def carried_(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] + T.if_then_else(i > 0, B[T.max(i - 1, 0)], T.float32(0))
            B[i] = B[i] * T.float32(2)
    @T.prim_func
    def first_row_(A: T.Buffer((3, 3), "float32"), B: T.Buffer((3, 3), "float32")):
        for i in range(3):
            for j in range(3):
                B[i, j] = A[i, j]
            for j in range(3):
                B[i, j] = B[i, j] + T.if_then_else(i > 0, B[0, 2 - j], T.float32(0))
    @T.prim_func
    def a_part_(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for r in range(1):
            for i in range(4):
                B[i] = A[i]
            for i in range(2):
                B[i] = B[i] * T.float32(5)
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def output_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        # with T.block("root"):
        m = T.alloc_buffer((T.int64(2),))
        t = T.alloc_buffer((T.int64(2),))
        B_1 = T.alloc_buffer((2, 3))
        for i, j in T.grid(T.int64(2), T.int64(3)):
            with T.block("m"):
                i_1, j_1 = T.axis.remap("SR", [i, j])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    m[i_1] = T.float32(-9.0)
                m[i_1] = T.max(m[i_1], A[i_1, j_1])
        for i, j in T.grid(T.int64(2), T.int64(3)):
            with T.block("B"):
                i_2, j_2 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                B_1[i_2, j_2] = (m[i_2] - A[i_2, j_2]) * T.float32(2.0)
        for i, j in T.grid(T.int64(2), T.int64(3)):
            with T.block("t"):
                i_3, j_3 = T.axis.remap("SR", [i, j])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    t[i_3] = T.float32(0.0)
                t[i_3] = t[i_3] + B_1[i_3, j_3]
        for i, j in T.grid(T.int64(2), T.int64(3)):
            with T.block("B"):
                i_4, j_4 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                B[i_4, j_4] = B_1[i_4, j_4] * t[i_4]

    @T.prim_func
    def epilogue_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 2), "float32")):
        # with T.block("root"):
        B_1 = T.alloc_buffer((2, 2))
        for i, j, k in T.grid(T.int64(2), T.int64(2), T.int64(3)):
            with T.block("B"):
                i_1, j_1, k_1 = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    B_1[i_1, j_1] = T.float32(0.0)
                B_1[i_1, j_1] = B_1[i_1, j_1] + A[i_1, k_1] * A[j_1, k_1]
        for i, j in T.grid(T.int64(2), T.int64(2)):
            with T.block("B"):
                i_2, j_2 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                B[i_2, j_2] = T.max(B_1[i_2, j_2] - T.float32(20.0), T.float32(0.0))

    @T.prim_func
    def reused_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        # with T.block("root"):
        s = T.alloc_buffer((2,))
        u = T.alloc_buffer((2,))
        s_1 = T.alloc_buffer((2,))
        for i, j in T.grid(T.int64(2), T.int64(3)):
            with T.block("s"):
                i_1, j_1 = T.axis.remap("SR", [i, j])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    s_1[i_1] = T.float32(0.0)
                s_1[i_1] = s_1[i_1] + A[i_1, j_1]
        for i in range(T.int64(2)):
            with T.block("u"):
                i_2 = T.axis.spatial(T.int64(2), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                u[i_2] = s_1[i_2] * T.float32(10.0)
        for i, j in T.grid(T.int64(2), T.int64(3)):
            with T.block("s"):
                i_3, j_2 = T.axis.remap("SR", [i, j])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    s[i_3] = T.float32(-9.0)
                s[i_3] = T.max(s[i_3], A[i_3, j_2])
        for i, j in T.grid(T.int64(2), T.int64(3)):
            with T.block("B"):
                i_4, j_3 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                B[i_4, j_3] = A[i_4, j_3] + u[i_4] + s[i_4]

    @T.prim_func
    def carried_(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        with T.block("root"):
            for i in range(T.int64(4)):
                B[i] = A[i] + T.if_then_else(i > T.int64(0), B[T.max(i - T.int64(1), T.int64(0))], T.float32(0.0))
                B[i] = B[i] * T.float32(2.0)

    @T.prim_func
    def first_row_(A: T.Buffer((3, 3), "float32"), B: T.Buffer((3, 3), "float32")):
        with T.block("root"):
            for i in range(T.int64(3)):
                for j in range(T.int64(3)):
                    B[i, j] = A[i, j]
                for j in range(T.int64(3)):
                    B[i, j] = B[i, j] + T.if_then_else(i > T.int64(0), B[T.int64(0), T.int64(2) - j], T.float32(0.0))

    @T.prim_func
    def a_part_(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(T.int64(4)):
            with T.block("B"):
                i_1 = T.axis.spatial(T.int64(4), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                B[i_1] = A[i_1]
        for i in range(T.int64(2)):
            with T.block("B"):
                i_2 = T.axis.spatial(T.int64(2), i)
                B[i_2] = B[i_2] * T.float32(5.0)

# ==== unrolled
# Statements and terms whose indices grow by constants become loops; a sum that begins with an element adds it after.
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def stores_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = T.float32(0)
            for k in range(3):
                B[i] = B[i] + A[i, k * 4]
                B[i] = B[i] + A[i, k * 4 + 1]
                B[i] = B[i] + A[i, k * 4 + 2]
                B[i] = B[i] + A[i, k * 4 + 3]
    @T.prim_func
    def terms_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = T.float32(0)
            for k in range(4):
                B[i] = B[i] + (A[i, k * 3] + A[i, k * 3 + 1] + A[i, k * 3 + 2])
    @T.prim_func
    def accumulators_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((4,), "float32")):
        for j in range(2):
            s = T.alloc_buffer((2,), "float32", scope="local")
            s[0] = T.float32(0)
            s[1] = T.float32(0)
            for i in range(2):
                s[0] = s[0] + A[i, j * 2]
                s[1] = s[1] + A[i, j * 2 + 1]
            B[j * 2] = s[0]
            B[j * 2 + 1] = s[1]
    @T.prim_func
    def uneven_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = T.float32(0)
            for k in range(2):
                B[i] = B[i] + A[i, k]
                B[i] = B[i] + A[i, k + 2]
                B[i] = B[i] + A[i, k + 6]
    @T.prim_func
    def nests_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((4,), "float32")):
        for j in range(2):
            B[j * 2] = T.float32(0)
            for i in range(2):
                B[j * 2] = B[j * 2] + A[i, j * 2]
            B[j * 2 + 1] = T.float32(0)
            for i in range(2):
                B[j * 2 + 1] = B[j * 2 + 1] + A[i, j * 2 + 1]
    @T.prim_func
    def bias_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = A[i, 11]
            for k in range(5):
                B[i] = B[i] + A[i, k]
            B[i] = T.max(B[i] - T.float32(15), T.float32(0))
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def stores_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        # with T.block("root"):
        for i, u in T.grid(T.int64(2), T.int64(12)):
            with T.block("B"):
                i_1, u_1 = T.axis.remap("SR", [i, u])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    B[i_1] = T.float32(0.0)
                B[i_1] = B[i_1] + A[i_1, u_1]

    @T.prim_func
    def terms_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        # with T.block("root"):
        for i, u in T.grid(T.int64(2), T.int64(12)):
            with T.block("B"):
                i_1, u_1 = T.axis.remap("SR", [i, u])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    B[i_1] = T.float32(0.0)
                B[i_1] = B[i_1] + A[i_1, u_1]

    @T.prim_func
    def accumulators_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for u, i in T.grid(T.int64(4), T.int64(2)):
            with T.block("s"):
                u_1, i_1 = T.axis.remap("SR", [u, i])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    B[u_1] = T.float32(0.0)
                B[u_1] = B[u_1] + A[i_1, u_1]

    @T.prim_func
    def uneven_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        with T.block("root"):
            for i in range(T.int64(2)):
                B[i] = T.float32(0.0)
                for k in range(T.int64(2)):
                    for u in range(T.int64(2)):
                        B[i] = B[i] + A[i, k + u * T.int64(2)]
                    B[i] = B[i] + A[i, k + T.int64(6)]

    @T.prim_func
    def nests_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for u, i in T.grid(T.int64(4), T.int64(2)):
            with T.block("B"):
                u_1, i_1 = T.axis.remap("SR", [u, i])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    B[u_1] = T.float32(0.0)
                B[u_1] = B[u_1] + A[i_1, u_1]

    @T.prim_func
    def bias_(A: T.Buffer((2, 12), "float32"), B: T.Buffer((2,), "float32")):
        # with T.block("root"):
        B_1 = T.alloc_buffer((2,))
        B_2 = T.alloc_buffer((2,))
        for i, k in T.grid(T.int64(2), T.int64(5)):
            with T.block("B"):
                i_1, k_1 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    B_2[i_1] = T.float32(0.0)
                B_2[i_1] = B_2[i_1] + A[i_1, k_1]
        for i in range(T.int64(2)):
            with T.block("B"):
                i_2 = T.axis.spatial(T.int64(2), i)
                T.block_attr({"rlx.operator": "rearrange s"})
                B_1[i_2] = A[i_2, T.int64(11)] + B_2[i_2]
        for i in range(T.int64(2)):
            with T.block("B"):
                i_3 = T.axis.spatial(T.int64(2), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                B[i_3] = T.max(B_1[i_3] - T.float32(15.0), T.float32(0.0))

# ==== whole_tiles_and_rests
# Branches for whole tiles and for the rest become one loop, if the second branch does the same.
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def rest_in_else_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        for i0 in range(2):
            if i0 * 4 + 4 <= 7:
                for i1 in range(4):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
            else:
                for i1 in range(7 - i0 * 4):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
    @T.prim_func
    def minimum_in_else_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        for i0 in range(2):
            if i0 * 4 + 3 < 7:
                for i1 in range(4):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
            else:
                for i1 in range(T.min(4, 7 - i0 * 4)):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
    @T.prim_func
    def guard_in_else_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        for i0 in range(2):
            if i0 * 4 + 4 <= 7:
                for i1 in range(4):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
            else:
                for i1 in range(4):
                    if i0 * 4 + i1 < 7:
                        B[i0 * 4 + i1] = T.float32(0)
                        for k in range(3):
                            B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
    @T.prim_func
    def rest_in_a_loop_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        for i0 in range(1):
            for i1 in range(4):
                B[i0 * 4 + i1] = T.float32(0)
                for k in range(3):
                    B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
        for i1 in range(3):
            B[4 + i1] = T.float32(0)
            for k in range(3):
                B[4 + i1] = B[4 + i1] + A[4 + i1, k]
    @T.prim_func
    def else_differs_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        for i0 in range(2):
            if i0 * 4 + 4 <= 7:
                for i1 in range(4):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
            else:
                for i1 in range(7 - i0 * 4):
                    B[i0 * 4 + i1] = T.float32(9)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
    @T.prim_func
    def other_condition_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        for i in range(7):
            B[i] = T.float32(0)
        for i0 in range(2):
            if i0 * 4 + 5 <= 7:
                for i1 in range(3):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
            else:
                for i1 in range(T.min(3, 3 - i0 * 4)):
                    B[i0 * 4 + i1] = T.float32(0)
                    for k in range(3):
                        B[i0 * 4 + i1] = B[i0 * 4 + i1] + A[i0 * 4 + i1, k]
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def rest_in_else_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        # with T.block("root"):
        for i1, k in T.grid(T.int64(7), T.int64(3)):
            with T.block("B"):
                i1_1, k_1 = T.axis.remap("SR", [i1, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    B[i1_1] = T.float32(0.0)
                B[i1_1] = B[i1_1] + A[i1_1, k_1]

    @T.prim_func
    def minimum_in_else_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        # with T.block("root"):
        for i1, k in T.grid(T.int64(7), T.int64(3)):
            with T.block("B"):
                i1_1, k_1 = T.axis.remap("SR", [i1, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    B[i1_1] = T.float32(0.0)
                B[i1_1] = B[i1_1] + A[i1_1, k_1]

    @T.prim_func
    def guard_in_else_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        # with T.block("root"):
        for i1, k in T.grid(T.int64(7), T.int64(3)):
            with T.block("B"):
                i1_1, k_1 = T.axis.remap("SR", [i1, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    B[i1_1] = T.float32(0.0)
                B[i1_1] = B[i1_1] + A[i1_1, k_1]

    @T.prim_func
    def rest_in_a_loop_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        # with T.block("root"):
        for i0, k in T.grid(T.int64(7), T.int64(3)):
            with T.block("B"):
                i0_1, k_1 = T.axis.remap("SR", [i0, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    B[i0_1] = T.float32(0.0)
                B[i0_1] = B[i0_1] + A[i0_1, k_1]

    @T.prim_func
    def else_differs_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        with T.block("root"):
            for i0 in range(T.int64(2)):
                if i0 * T.int64(4) + T.int64(4) <= T.int64(7):
                    for i1 in range(T.int64(4)):
                        B[i0 * T.int64(4) + i1] = T.float32(0.0)
                        for k in range(T.int64(3)):
                            B[i0 * T.int64(4) + i1] = B[i0 * T.int64(4) + i1] + A[i0 * T.int64(4) + i1, k]
                else:
                    for i1 in range(T.int64(7) - i0 * T.int64(4)):
                        B[i0 * T.int64(4) + i1] = T.float32(9.0)
                        for k in range(T.int64(3)):
                            B[i0 * T.int64(4) + i1] = B[i0 * T.int64(4) + i1] + A[i0 * T.int64(4) + i1, k]

    @T.prim_func
    def other_condition_(A: T.Buffer((7, 3), "float32"), B: T.Buffer((7,), "float32")):
        # with T.block("root"):
        for i in range(T.int64(7)):
            with T.block("B"):
                i_1 = T.axis.spatial(T.int64(7), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                B[i_1] = T.float32(0.0)
        for i0 in range(T.int64(2)):
            if i0 * T.int64(4) + T.int64(5) <= T.int64(7):
                for i1 in range(T.int64(3)):
                    B[i0 * T.int64(4) + i1] = T.float32(0.0)
                    for k in range(T.int64(3)):
                        B[i0 * T.int64(4) + i1] = B[i0 * T.int64(4) + i1] + A[i0 * T.int64(4) + i1, k]
            else:
                for i1 in range(T.int64(3)):
                    if i1 < T.int64(3) - i0 * T.int64(4):
                        B[i0 * T.int64(4) + i1] = T.float32(0.0)
                        for k in range(T.int64(3)):
                            B[i0 * T.int64(4) + i1] = B[i0 * T.int64(4) + i1] + A[i0 * T.int64(4) + i1, k]

# ==== last_steps
# What counts in the first or last step of a loop only is a nest without that loop, if no other step depends on it.
# module tests/e2e/tir_temporaries.py#of_last_steps
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def in_block_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 2), "float32")):
        # with T.block("root"):
        C = T.alloc_buffer((2, 2))
        for i, j, k in T.grid(T.int64(2), T.int64(2), T.int64(3)):
            with T.block("C"):
                i_1, j_1, k_1 = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[i_1, j_1] = T.float32(0.0)
                C[i_1, j_1] = C[i_1, j_1] + A[i_1, k_1] * A[j_1, k_1]
        for i, j in T.grid(T.int64(2), T.int64(2)):
            with T.block("B"):
                i_2, j_2 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                B[i_2, j_2] = T.max(C[i_2, j_2] - T.float32(20.0), T.float32(0.0))

    @T.prim_func
    def in_place_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 2), "float32")):
        # with T.block("root"):
        B_1 = T.alloc_buffer((2, 2))
        B_2 = T.alloc_buffer((2, 2))
        for i, j, k in T.grid(T.int64(2), T.int64(2), T.int64(3)):
            with T.block("B"):
                i_1, j_1, k_1 = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    B_1[i_1, j_1] = T.float32(0.0)
                B_1[i_1, j_1] = B_1[i_1, j_1] + A[i_1, k_1] * A[j_1, k_1]
        for i, j in T.grid(T.int64(2), T.int64(2)):
            with T.block("B"):
                i_2, j_2 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                B_2[i_2, j_2] = B_1[i_2, j_2] + A[i_2, j_2]
        for i, j in T.grid(T.int64(2), T.int64(2)):
            with T.block("B"):
                i_3, j_3 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                B[i_3, j_3] = T.max(B_2[i_3, j_3] - T.float32(20.0), T.float32(0.0))

    @T.prim_func
    def outermost_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 2), "float32")):
        # with T.block("root"):
        C = T.alloc_buffer((2, 2))
        for i, j, k in T.grid(T.int64(2), T.int64(2), T.int64(3)):
            with T.block("C"):
                i_1, j_1, k_1 = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[i_1, j_1] = T.float32(0.0)
                C[i_1, j_1] = C[i_1, j_1] + A[i_1, k_1] * A[j_1, k_1]
        for j, i in T.grid(T.int64(2), T.int64(2)):
            with T.block("B"):
                j_2, i_2 = T.axis.remap("SS", [j, i])
                T.block_attr({"rlx.operator": "transpose ss"})
                B[j_2, i_2] = C[i_2, j_2] * T.float32(2.0) + A[i_2, j_2]

    @T.prim_func
    def rows_of_last_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 2), "float32")):
        # with T.block("root"):
        C = T.alloc_buffer((2,))
        for i, k0 in T.grid(T.int64(2), T.int64(3)):
            for j in range(T.int64(2)):
                if k0 == T.int64(0):
                    C[j] = T.float32(0.0)
            for j in range(T.int64(2)):
                C[j] = C[j] + A[i, k0] * A[j, k0]
            if k0 == T.int64(2):
                for j in range(T.int64(2)):
                    B[i, j] = C[j]

    @T.prim_func
    def sum_of_last_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        # with T.block("root"):
        C = T.alloc_buffer((2, 2))
        for i, j, k in T.grid(T.int64(2), T.int64(2), T.int64(3)):
            with T.block("C"):
                i_1, j_1, k_1 = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    C[i_1, j_1] = T.float32(0.0)
                C[i_1, j_1] = C[i_1, j_1] + A[i_1, k_1] * A[j_1, k_1]
        for i, j in T.grid(T.int64(2), T.int64(2)):
            with T.block("B"):
                i_2, j_2 = T.axis.remap("SR", [i, j])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    B[i_2] = T.float32(0.0)
                B[i_2] = B[i_2] + C[i_2, j_2]

    @T.prim_func
    def last_of_some_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        # with T.block("root"):
        for i, j in T.grid(T.int64(2), T.int64(3)):
            with T.block("B"):
                i_1, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                B[i_1, j_1] = A[i_1, j_1]
        for i in range(T.int64(2)):
            with T.block("B"):
                i_2 = T.axis.spatial(T.int64(2), i)
                B[i_2, T.int64(0)] = B[i_2, T.int64(0)] + A[i_2, T.int64(2)]

    @T.prim_func
    def first_after_last_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        # with T.block("root"):
        for i in range(T.int64(2)):
            with T.block("B"):
                i_1 = T.axis.spatial(T.int64(2), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                B[i_1] = A[i_1, T.int64(0)]
        for k, i in T.grid(T.int64(3), T.int64(2)):
            if k == T.int64(2):
                B[i] = B[i] * T.float32(10.0)
            if k == T.int64(0):
                B[i] = B[i] + A[i, T.int64(1)]

    @T.prim_func
    def each_after_first_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        with T.block("root"):
            for k, i in T.grid(T.int64(3), T.int64(2)):
                B[i] = A[i, T.int64(0)]
                if k == T.int64(0):
                    B[i] = B[i] + A[i, T.int64(1)]

    @T.prim_func
    def read_in_each_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        # with T.block("root"):
        C = T.alloc_buffer((2,))
        for i in range(T.int64(2)):
            with T.block("C"):
                i_1 = T.axis.spatial(T.int64(2), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                C[i_1] = T.float32(7.0)
        for i, k in T.grid(T.int64(2), T.int64(3)):
            if k == T.int64(2):
                C[i] = A[i, k]
            B[i, k] = C[i] + A[i, k]

    @T.prim_func
    def next_to_last_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        # with T.block("root"):
        C = T.alloc_buffer((2,))
        for i, k in T.grid(T.int64(2), T.int64(3)):
            if k == T.int64(0):
                C[i] = T.float32(0.0)
            C[i] = C[i] + A[i, k]
            if k == T.int64(1):
                B[i] = C[i]

    @T.prim_func
    def carried_back_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        # with T.block("root"):
        C = T.alloc_buffer((2,))
        D = T.alloc_buffer((2,))
        for i, k in T.grid(T.int64(2), T.int64(3)):
            if k == T.int64(0):
                C[i] = T.float32(0.0)
                D[i] = T.float32(0.0)
            C[i] = C[i] + A[i, k]
            D[i] = D[i] + C[i]
            if k == T.int64(2):
                C[i] = D[i] * T.float32(2.0)
                B[i] = C[i]

    @T.prim_func
    def restarted_in_first_(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
        with T.block("root"):
            for i, k, u in T.grid(T.int64(2), T.int64(3), T.int64(2)):
                if k == T.int64(0):
                    B[i] = T.float32(0.0)
                B[i] = B[i] + A[i, k]

    @R.function
    def in_block(a: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        cls = Module
        b: R.Tensor((2, 2), dtype="float32") = R.call_tir(cls.in_block_, (a,), out_sinfo=R.Tensor((2, 2), dtype="float32"))
        return b

    @R.function
    def in_place(a: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        cls = Module
        b: R.Tensor((2, 2), dtype="float32") = R.call_tir(cls.in_place_, (a,), out_sinfo=R.Tensor((2, 2), dtype="float32"))
        return b

    @R.function
    def outermost(a: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        cls = Module
        b: R.Tensor((2, 2), dtype="float32") = R.call_tir(cls.outermost_, (a,), out_sinfo=R.Tensor((2, 2), dtype="float32"))
        return b

    @R.function
    def rows_of_last(a: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        cls = Module
        b: R.Tensor((2, 2), dtype="float32") = R.call_tir(cls.rows_of_last_, (a,), out_sinfo=R.Tensor((2, 2), dtype="float32"))
        return b

    @R.function
    def sum_of_last(a: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        b: R.Tensor((2,), dtype="float32") = R.call_tir(cls.sum_of_last_, (a,), out_sinfo=R.Tensor((2,), dtype="float32"))
        return b

    @R.function
    def last_of_some(a: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        cls = Module
        b: R.Tensor((2, 3), dtype="float32") = R.call_tir(cls.last_of_some_, (a,), out_sinfo=R.Tensor((2, 3), dtype="float32"))
        return b

    @R.function
    def first_after_last(a: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        b: R.Tensor((2,), dtype="float32") = R.call_tir(cls.first_after_last_, (a,), out_sinfo=R.Tensor((2,), dtype="float32"))
        return b

    @R.function
    def each_after_first(a: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        b: R.Tensor((2,), dtype="float32") = R.call_tir(cls.each_after_first_, (a,), out_sinfo=R.Tensor((2,), dtype="float32"))
        return b

    @R.function
    def read_in_each(a: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        cls = Module
        b: R.Tensor((2, 3), dtype="float32") = R.call_tir(cls.read_in_each_, (a,), out_sinfo=R.Tensor((2, 3), dtype="float32"))
        return b

    @R.function
    def next_to_last(a: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        b: R.Tensor((2,), dtype="float32") = R.call_tir(cls.next_to_last_, (a,), out_sinfo=R.Tensor((2,), dtype="float32"))
        return b

    @R.function
    def carried_back(a: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        b: R.Tensor((2,), dtype="float32") = R.call_tir(cls.carried_back_, (a,), out_sinfo=R.Tensor((2,), dtype="float32"))
        return b

    @R.function
    def restarted_in_first(a: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        b: R.Tensor((2,), dtype="float32") = R.call_tir(cls.restarted_in_first_, (a,), out_sinfo=R.Tensor((2,), dtype="float32"))
        return b

# ==== later_stages
# Names of indices, fused and split loops, flat positions, padded rows and vectors become the form that the operators make.
# module tests/e2e/tir_scheduled.py#later_stages
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def named_indices_(a_: T.handle, B: T.Buffer((4, 5), "float32"), o_: T.handle):
        n = T.int64()
        A = T.match_buffer(a_, (n, 4))
        O = T.match_buffer(o_, (n, 5))
        # with T.block("root"):
        for i, j, k_1 in T.grid(n, T.int64(5), T.int64(4)):
            with T.block("O"):
                i_1, j_1, k_1_1 = T.axis.remap("SSR", [i, j, k_1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    O[i_1, j_1] = T.float32(0.0)
                O[i_1, j_1] = O[i_1, j_1] + A[i_1, k_1_1] * B[k_1_1, j_1]

    @T.prim_func
    def fused_steps_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for f, f_1 in T.grid(T.int64(4), T.int64(5)):
            with T.block("O"):
                f_2, f_3 = T.axis.remap("SR", [f, f_1])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    O[f_2] = T.float32(0.0)
                O[f_2] = O[f_2] + B[f_2, f_3]

    @T.prim_func
    def fused_columns_(a_: T.handle, o_: T.handle):
        n = T.int64()
        A = T.match_buffer(a_, (n, 4))
        O = T.match_buffer(o_, (4, n))
        # with T.block("root"):
        for f, f_1 in T.grid(T.int64(4), n):
            with T.block("O"):
                f_2, f_3 = T.axis.remap("SS", [f, f_1])
                T.block_attr({"rlx.operator": "transpose ss"})
                O[f_2, f_3] = A[f_3, f_2] * T.float32(2.0)

    @T.prim_func
    def symbolic_tiles_(a_: T.handle, o_: T.handle):
        n = T.int64()
        A = T.match_buffer(a_, (n, 4))
        O = T.match_buffer(o_, (n, 4))
        # with T.block("root"):
        for i_1, j in T.grid(n, T.int64(4)):
            with T.block("O"):
                i_1_1, j_1 = T.axis.remap("SS", [i_1, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_1_1, j_1] = A[i_1_1, j_1] + T.float32(1.0)

    @T.prim_func
    def one_memory_(a_: T.handle, o_: T.handle):
        n = T.int64()
        A = T.match_buffer(a_, (n, 4))
        O = T.match_buffer(o_, (n, 4))
        # with T.block("root"):
        t = T.alloc_buffer((n, 4))
        t_1 = T.alloc_buffer((n, 4))
        for j, j_1 in T.grid(n, T.int64(4)):
            with T.block("t"):
                j_2, j_3 = T.axis.remap("SS", [j, j_1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                t[j_2, j_3] = A[j_2, j_3] * T.float32(3.0)
        for j, j_4 in T.grid(n, T.int64(4)):
            with T.block("t"):
                j_5, j_6 = T.axis.remap("SS", [j, j_4])
                T.block_attr({"rlx.operator": "elementwise ss"})
                t_1[j_5, j_6] = t[j_5, j_6] + A[j_5, j_6]
        for j, j_7 in T.grid(n, T.int64(4)):
            with T.block("t"):
                j_8, j_9 = T.axis.remap("SS", [j, j_7])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[j_8, j_9] = t_1[j_8, j_9] - T.float32(1.0)

    @T.prim_func
    def either_branch_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4, 8), "float32")):
        # with T.block("root"):
        for f_1, f_1_1 in T.grid(T.int64(4), T.int64(8)):
            with T.block("O"):
                f_1_2, f_1_3 = T.axis.remap("SS", [f_1, f_1_1])
                T.block_attr({"rlx.operator": "rearrange ss"})
                O[f_1_2, f_1_3] = T.if_then_else(T.int64(3) <= f_1_3, B[f_1_2, f_1_3 - T.int64(3)], B[f_1_2, f_1_3])

    @T.prim_func
    def cut_again_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4, 5), "float32")):
        # with T.block("root"):
        for i, j_1_1 in T.grid(T.int64(4), T.int64(5)):
            with T.block("O"):
                i_1, j_1_1_1 = T.axis.remap("SS", [i, j_1_1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_1, j_1_1_1] = B[i_1, j_1_1_1] * T.float32(4.0)

    @T.prim_func
    def padded_rows_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4, 5), "float32")):
        # with T.block("root"):
        t = T.alloc_buffer((4, 5))
        for i, j in T.grid(T.int64(4), T.int64(5)):
            with T.block("t"):
                i_1, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                t[i_1, j_1] = B[i_1, j_1] + T.float32(1.0)
        for i, j in T.grid(T.int64(4), T.int64(5)):
            with T.block("O"):
                i_2, j_2 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "rearrange ss"})
                O[i_2, j_2] = t[i_2, j_2] * t[T.int64(3) - i_2, j_2]

    @T.prim_func
    def padded_rows_in_view_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4, 2), "float32")):
        # with T.block("root"):
        t = T.alloc_buffer((4, 5), strides=(9, 1))
        v = T.decl_buffer((4, 2), data=t.data, strides=(9, 1), elem_offset=3)
        for i, j in T.grid(4, 5):
            t[i, j] = B[i, j] + T.float32(1.0)
        for i, j in T.grid(4, 2):
            O[i, j] = v[3 - i, j]

    @T.prim_func
    def lanes_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4, 5), "float32")):
        # with T.block("root"):
        for j, j_1 in T.grid(T.int64(4), T.int64(5)):
            with T.block("t"):
                j_2, j_3 = T.axis.remap("SS", [j, j_1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[j_2, j_3] = B[j_2, j_3] * B[j_2, j_3]

    @T.prim_func
    def lanes_before_stores_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4, 5), "float32")):
        o_1 = T.decl_buffer((20,), data=O.data)
        for i, j in T.grid(4, 5):
            o_1[i * 5 + j] = B[T.Cast("int64", i), T.Cast("int64", j)]
        for f in range(2):
            o_1[T.Ramp(f * 4 + 1, 1, 4)] = o_1[T.Ramp(f * 4, 1, 4)]

    @T.prim_func
    def fused_window_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((1, 2, 2), "float32")):
        # with T.block("root"):
        for u, i, j, r, r_1 in T.grid(T.int64(1), T.int64(2), T.int64(2), T.int64(2), T.int64(2)):
            with T.block("O"):
                u_1, i_1, j_1, r_2, r_3 = T.axis.remap("SSSRR", [u, i, j, r, r_1])
                T.block_attr({"rlx.operator": "pool spprr"})
                with T.init():
                    O[u_1, i_1, j_1] = T.float32(-100.0)
                O[u_1, i_1, j_1] = T.max(O[u_1, i_1, j_1], B[i_1 * T.int64(2) + r_2, j_1 * T.int64(2) + r_3])

    @T.prim_func
    def one_of_a_tile_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4, 5), "float32")):
        # with T.block("root"):
        for i, j in T.grid(T.int64(4), T.int64(5)):
            with T.block("O"):
                i_1, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_1, j_1] = B[i_1, j_1] - T.float32(1.0)

    @T.prim_func
    def steps_outside_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i, k in T.grid(T.int64(4), T.int64(5)):
            with T.block("O"):
                i_1, k_1 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    O[i_1] = T.float32(0.0)
                O[i_1] = O[i_1] + B[i_1, k_1] * B[i_1, k_1]

    @T.prim_func
    def rounded_steps_(a_: T.handle, O: T.Buffer((4,), "float32")):
        n = T.int64()
        A = T.match_buffer(a_, (n, 4))
        # with T.block("root"):
        for j, f in T.grid(T.int64(4), n):
            with T.block("O"):
                j_1, f_1 = T.axis.remap("SR", [j, f])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    O[j_1] = T.float32(0.0)
                O[j_1] = O[j_1] + A[f_1, j_1]

    @T.prim_func
    def shaped_by_its_loop_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4, 5), "float32")):
        # with T.block("root"):
        for i, j in T.grid(T.int64(4), T.int64(5)):
            with T.block("O"):
                i_1, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_1, j_1] = T.float32(0.0)
        for f in range(20):
            t = T.allocate([f // 5 + 1], "float32", "global")
            t_1 = T.decl_buffer((f // 5 + 1,), data=t)
            t_1[T.Cast("int64", f) // T.int64(5)] = B[T.Cast("int64", f) // T.int64(5), T.Cast("int64", f) % T.int64(5)]
            O[T.Cast("int64", f) // T.int64(5), T.Cast("int64", f) % T.int64(5)] = t_1[T.Cast("int64", f) // T.int64(5)] * T.float32(2.0) + O[T.int64(3) - T.Cast("int64", f) // T.int64(5), T.Cast("int64", f) % T.int64(5)]

    @T.prim_func
    def shaped_from_one_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4, 5), "float32")):
        # with T.block("root"):
        for i, j in T.grid(T.int64(4), T.int64(5)):
            with T.block("O"):
                i_1, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_1, j_1] = T.float32(0.0)
        for i in range(1, 5):
            t = T.allocate([i], "float32", "global")
            t_1 = T.decl_buffer((i,), data=t)
            for j in range(T.int64(5)):
                t_1[T.Cast("int64", i) - T.int64(1)] = B[T.Cast("int64", i) - T.int64(1), j]
                O[T.Cast("int64", i) - T.int64(1), j] = t_1[T.Cast("int64", i) - T.int64(1)] * T.float32(2.0) + O[T.int64(4) - T.Cast("int64", i), j]

    @T.prim_func
    def unread_copy_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i, k in T.grid(T.int64(4), T.int64(5)):
            with T.block("O"):
                i_1, k_1 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    O[i_1] = T.float32(0.0)
                O[i_1] = O[i_1] + B[i_1, k_1]

    @R.function
    def named_indices(a: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor(("n", 5), dtype="float32"):
        n = T.int64()
        cls = Module
        r: R.Tensor((n, 5), dtype="float32") = R.call_tir(cls.named_indices_, (a, b), out_sinfo=R.Tensor((n, 5), dtype="float32"))
        return r

    @R.function
    def fused_steps(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        r: R.Tensor((4,), dtype="float32") = R.call_tir(cls.fused_steps_, (b,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return r

    @R.function
    def fused_columns(a: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor((4, "n"), dtype="float32"):
        n = T.int64()
        cls = Module
        r: R.Tensor((4, n), dtype="float32") = R.call_tir(cls.fused_columns_, (a,), out_sinfo=R.Tensor((4, n), dtype="float32"))
        return r

    @R.function
    def symbolic_tiles(a: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        r: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.symbolic_tiles_, (a,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        return r

    @R.function
    def one_memory(a: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        r: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.one_memory_, (a,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        return r

    @R.function
    def either_branch(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4, 8), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 8), dtype="float32") = R.call_tir(cls.either_branch_, (b,), out_sinfo=R.Tensor((4, 8), dtype="float32"))
        return r

    @R.function
    def cut_again(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4, 5), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 5), dtype="float32") = R.call_tir(cls.cut_again_, (b,), out_sinfo=R.Tensor((4, 5), dtype="float32"))
        return r

    @R.function
    def padded_rows(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4, 5), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 5), dtype="float32") = R.call_tir(cls.padded_rows_, (b,), out_sinfo=R.Tensor((4, 5), dtype="float32"))
        return r

    @R.function
    def padded_rows_in_view(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4, 2), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 2), dtype="float32") = R.call_tir(cls.padded_rows_in_view_, (b,), out_sinfo=R.Tensor((4, 2), dtype="float32"))
        return r

    @R.function
    def lanes(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4, 5), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 5), dtype="float32") = R.call_tir(cls.lanes_, (b,), out_sinfo=R.Tensor((4, 5), dtype="float32"))
        return r

    @R.function
    def lanes_before_stores(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4, 5), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 5), dtype="float32") = R.call_tir(cls.lanes_before_stores_, (b,), out_sinfo=R.Tensor((4, 5), dtype="float32"))
        return r

    @R.function
    def fused_window(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((1, 2, 2), dtype="float32"):
        cls = Module
        r: R.Tensor((1, 2, 2), dtype="float32") = R.call_tir(cls.fused_window_, (b,), out_sinfo=R.Tensor((1, 2, 2), dtype="float32"))
        return r

    @R.function
    def one_of_a_tile(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4, 5), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 5), dtype="float32") = R.call_tir(cls.one_of_a_tile_, (b,), out_sinfo=R.Tensor((4, 5), dtype="float32"))
        return r

    @R.function
    def steps_outside(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        r: R.Tensor((4,), dtype="float32") = R.call_tir(cls.steps_outside_, (b,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return r

    @R.function
    def rounded_steps(a: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        n = T.int64()
        cls = Module
        r: R.Tensor((4,), dtype="float32") = R.call_tir(cls.rounded_steps_, (a,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return r

    @R.function
    def shaped_by_its_loop(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4, 5), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 5), dtype="float32") = R.call_tir(cls.shaped_by_its_loop_, (b,), out_sinfo=R.Tensor((4, 5), dtype="float32"))
        return r

    @R.function
    def shaped_from_one(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4, 5), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 5), dtype="float32") = R.call_tir(cls.shaped_from_one_, (b,), out_sinfo=R.Tensor((4, 5), dtype="float32"))
        return r

    @R.function
    def unread_copy(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        r: R.Tensor((4,), dtype="float32") = R.call_tir(cls.unread_copy_, (b,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return r

# ==== mixed_types
# Indices of both types, limits of loops and comparisons of fused loops become the form that the operators make.
# module tests/e2e/tir_scheduled.py#mixed_types
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def mixed_columns_(a_: T.handle, b_: T.handle, o_: T.handle):
        n = T.int64()
        A = T.match_buffer(a_, (n, 4))
        B = T.match_buffer(b_, (n, 2))
        O = T.match_buffer(o_, (n, 6))
        # with T.block("root"):
        for f, f_1 in T.grid(n, T.int64(6)):
            with T.block("O"):
                f_2, f_3 = T.axis.remap("SS", [f, f_1])
                T.block_attr({"rlx.operator": "rearrange ss"})
                O[f_2, f_3] = T.if_then_else(T.int64(4) <= f_3, B[f_2, f_3 - T.int64(4)], A[f_2, f_3])

    @T.prim_func
    def limited_steps_(a_: T.handle, B: T.Buffer((4, 5), "float32"), o_: T.handle):
        n = T.int64()
        A = T.match_buffer(a_, (n, 4))
        O = T.match_buffer(o_, (n, 5))
        # with T.block("root"):
        for i_1, f, f_1 in T.grid(n, T.int64(5), T.int64(4)):
            with T.block("O"):
                i_1_1, f_2, f_3 = T.axis.remap("SSR", [i_1, f, f_1])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    O[i_1_1, f_2] = T.float32(0.0)
                O[i_1_1, f_2] = O[i_1_1, f_2] + A[i_1_1, f_3] * B[f_3, f_2]

    @T.prim_func
    def other_limits_(a_: T.handle, o_: T.handle):
        n = T.int64()
        A = T.match_buffer(a_, (n, 4))
        O = T.match_buffer(o_, (n, 4))
        with T.block("root"):
            for i_0, i_1 in T.grid(T.int64(2), (n + T.int64(3)) // T.int64(4) * T.int64(2)):
                for j in range(T.int64(4)):
                    if i_1 < (n + T.int64(1)) // T.int64(2) and i_0 * ((n + T.int64(1)) // T.int64(2)) + i_1 < n:
                        O[i_0 * ((n + T.int64(1)) // T.int64(2)) + i_1, j] = A[i_0 * ((n + T.int64(1)) // T.int64(2)) + i_1, j]
                for j in range(T.int64(4)):
                    if i_1 < (n + T.int64(2)) // T.int64(4) and i_0 * ((n + T.int64(1)) // T.int64(2)) + i_1 < n:
                        O[i_0 * ((n + T.int64(1)) // T.int64(2)) + i_1, j] = O[i_0 * ((n + T.int64(1)) // T.int64(2)) + i_1, j] + T.float32(1.0)

    @T.prim_func
    def limits_stated_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4, 5), "float32")):
        # with T.block("root"):
        for i, j_1 in T.grid(T.int64(4), T.int64(5)):
            with T.block("O"):
                i_1, j_1_1 = T.axis.remap("SS", [i, j_1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_1, j_1_1] = B[i_1, j_1_1] * T.float32(2.0)

    @T.prim_func
    def padded_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((6, 8), "float32")):
        # with T.block("root"):
        for f, f_1 in T.grid(T.int64(6), T.int64(8)):
            with T.block("O"):
                f_2, f_3 = T.axis.remap("SS", [f, f_1])
                T.block_attr({"rlx.operator": "rearrange ss"})
                O[f_2, f_3] = T.if_then_else(T.int64(1) <= f_2 and f_2 < T.int64(5) and T.int64(2) <= f_3 and f_3 < T.int64(7), B[f_2 - T.int64(1), f_3 - T.int64(2)], T.float32(0.5))

    @T.prim_func
    def whole_sum_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((), "float32")):
        # with T.block("root"):
        for k0, k1 in T.grid(T.int64(4), T.int64(5)):
            with T.block("O"):
                k0_1, k1_1 = T.axis.remap("RR", [k0, k1])
                T.block_attr({"rlx.operator": "reduction kk"})
                with T.init():
                    O[()] = T.float32(0.0)
                O[()] = O[()] + B[k0_1, k1_1]

    @T.prim_func
    def digits_apart_(a_: T.handle, o_: T.handle):
        n = T.int64()
        A = T.match_buffer(a_, (n, 2, 2))
        O = T.match_buffer(o_, (n, 4))
        # with T.block("root"):
        for i, j_1 in T.grid(n, T.int64(4)):
            with T.block("O"):
                i_1, j_1_1 = T.axis.remap("SS", [i, j_1])
                T.block_attr({"rlx.operator": "rearrange ss"})
                O[i_1, j_1_1] = A[i_1, j_1_1 // T.int64(2), j_1_1 % T.int64(2)]

    @T.prim_func
    def quotient_limits_(a_: T.handle, o_: T.handle):
        n = T.int64()
        A = T.match_buffer(a_, (n, 4))
        O = T.match_buffer(o_, (n, 9))
        # with T.block("root"):
        for i, j in T.grid(n, T.int64(9)):
            with T.block("O"):
                i_1, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "rearrange ss"})
                O[i_1, j_1] = T.if_then_else(j_1 < T.int64(6) and T.int64(2) <= j_1, A[i_1, j_1 - T.int64(2)], T.float32(-1.0))

    @T.prim_func
    def low_loop_first_(a_: T.handle, B: T.Buffer((4, 5), "float32"), o_: T.handle):
        n = T.int64()
        A = T.match_buffer(a_, (n, 4))
        O = T.match_buffer(o_, (n, 5))
        # with T.block("root"):
        for i_1, j, k in T.grid(n, T.int64(5), T.int64(4)):
            with T.block("O"):
                i_1_1, j_1, k_1 = T.axis.remap("SSR", [i_1, j, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    O[i_1_1, j_1] = T.float32(0.0)
                O[i_1_1, j_1] = O[i_1_1, j_1] + A[i_1_1, k_1] * B[k_1, j_1]

    @T.prim_func
    def split_in_digits_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for g, g_1 in T.grid(T.int64(4), T.int64(5)):
            with T.block("O"):
                g_2, g_3 = T.axis.remap("SR", [g, g_1])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    O[g_2] = T.float32(0.0)
                O[g_2] = O[g_2] + B[g_2, g_3]

    @T.prim_func
    def limited_sum_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4, 5), "float32")):
        # with T.block("root"):
        for j, j_1 in T.grid(T.int64(4), T.int64(5)):
            with T.block("O"):
                j_2, j_3 = T.axis.remap("SS", [j, j_1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[j_2, j_3] = B[j_2, j_3] + T.float32(1.0)

    @T.prim_func
    def limited_in_a_block_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((3,), "float32")):
        # with T.block("root"):
        for i_1, f, f_1 in T.grid(T.int64(3), T.int64(3), T.int64(2)):
            with T.block("O"):
                i_1_1, f_2, f_3 = T.axis.remap("SRR", [i_1, f, f_1])
                T.block_attr({"rlx.operator": "pool pkr"})
                with T.init():
                    O[i_1_1] = T.float32(0.0)
                O[i_1_1] = O[i_1_1] + B[f_2, i_1_1 + f_3]

    @T.prim_func
    def limited_sums_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i_1, k in T.grid(T.int64(4), T.int64(5)):
            with T.block("O"):
                i_1_1, k_1 = T.axis.remap("SR", [i_1, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    O[i_1_1] = T.float32(0.0)
                O[i_1_1] = O[i_1_1] + B[i_1_1, k_1]

    @T.prim_func
    def known_conditions_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((4, 5), "float32")):
        # with T.block("root"):
        for i, j in T.grid(T.int64(4), T.int64(5)):
            with T.block("O"):
                i_1, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_1, j_1] = B[i_1, j_1]

    @T.prim_func
    def lanes_of_a_sum_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((5,), "float32")):
        # with T.block("root"):
        for lane, k in T.grid(T.int64(5), T.int64(4)):
            with T.block("O"):
                lane_1, k_1 = T.axis.remap("SR", [lane, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    O[lane_1] = T.float32(0.0)
                O[lane_1] = O[lane_1] + B[k_1, lane_1]

    @T.prim_func
    def lanes_that_overlap_(B: T.Buffer((4, 5), "float32"), O: T.Buffer((5,), "float32")):
        # with T.block("root"):
        for k in range(T.int64(5)):
            with T.block("O"):
                k_1 = T.axis.spatial(T.int64(5), k)
                T.block_attr({"rlx.operator": "elementwise s"})
                O[k_1] = B[T.int64(0), k_1]
        O[T.Ramp(1, 1, 4)] = O[T.Ramp(0, 1, 4)] + O[T.Ramp(1, 1, 4)]

    @T.prim_func
    def last_below_one_(a_: T.handle, o_: T.handle):
        n = T.int64()
        A = T.match_buffer(a_, (n, 4))
        O = T.match_buffer(o_, (n, 4))
        # with T.block("root"):
        for i, j in T.grid(n, T.int64(4)):
            with T.block("O"):
                i_1, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_1, j_1] = A[i_1, j_1] + T.float32(2.0)

    @T.prim_func
    def wraps_around_(o_: T.handle):
        n = T.int64()
        O = T.match_buffer(o_, (n, 3), "int32")
        # with T.block("root"):
        for i, j in T.grid(n, T.int64(3)):
            with T.block("O"):
                i_1, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_1, j_1] = T.Cast("int32", i_1) + T.Cast("int32", j_1) * 1431655766

    @R.function
    def mixed_columns(a: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor(("n", 2), dtype="float32")) -> R.Tensor(("n", 6), dtype="float32"):
        n = T.int64()
        cls = Module
        r: R.Tensor((n, 6), dtype="float32") = R.call_tir(cls.mixed_columns_, (a, b), out_sinfo=R.Tensor((n, 6), dtype="float32"))
        return r

    @R.function
    def limited_steps(a: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor(("n", 5), dtype="float32"):
        n = T.int64()
        cls = Module
        r: R.Tensor((n, 5), dtype="float32") = R.call_tir(cls.limited_steps_, (a, b), out_sinfo=R.Tensor((n, 5), dtype="float32"))
        return r

    @R.function
    def other_limits(a: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        r: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.other_limits_, (a,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        return r

    @R.function
    def limits_stated(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4, 5), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 5), dtype="float32") = R.call_tir(cls.limits_stated_, (b,), out_sinfo=R.Tensor((4, 5), dtype="float32"))
        return r

    @R.function
    def padded(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((6, 8), dtype="float32"):
        cls = Module
        r: R.Tensor((6, 8), dtype="float32") = R.call_tir(cls.padded_, (b,), out_sinfo=R.Tensor((6, 8), dtype="float32"))
        return r

    @R.function
    def whole_sum(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((), dtype="float32"):
        cls = Module
        r: R.Tensor((), dtype="float32") = R.call_tir(cls.whole_sum_, (b,), out_sinfo=R.Tensor((), dtype="float32"))
        return r

    @R.function
    def digits_apart(a: R.Tensor(("n", 2, 2), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        r: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.digits_apart_, (a,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        return r

    @R.function
    def quotient_limits(a: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 9), dtype="float32"):
        n = T.int64()
        cls = Module
        r: R.Tensor((n, 9), dtype="float32") = R.call_tir(cls.quotient_limits_, (a,), out_sinfo=R.Tensor((n, 9), dtype="float32"))
        return r

    @R.function
    def low_loop_first(a: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor(("n", 5), dtype="float32"):
        n = T.int64()
        cls = Module
        r: R.Tensor((n, 5), dtype="float32") = R.call_tir(cls.low_loop_first_, (a, b), out_sinfo=R.Tensor((n, 5), dtype="float32"))
        return r

    @R.function
    def split_in_digits(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        r: R.Tensor((4,), dtype="float32") = R.call_tir(cls.split_in_digits_, (b,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return r

    @R.function
    def limited_sum(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4, 5), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 5), dtype="float32") = R.call_tir(cls.limited_sum_, (b,), out_sinfo=R.Tensor((4, 5), dtype="float32"))
        return r

    @R.function
    def limited_in_a_block(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        cls = Module
        r: R.Tensor((3,), dtype="float32") = R.call_tir(cls.limited_in_a_block_, (b,), out_sinfo=R.Tensor((3,), dtype="float32"))
        return r

    @R.function
    def limited_sums(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        r: R.Tensor((4,), dtype="float32") = R.call_tir(cls.limited_sums_, (b,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return r

    @R.function
    def known_conditions(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((4, 5), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 5), dtype="float32") = R.call_tir(cls.known_conditions_, (b,), out_sinfo=R.Tensor((4, 5), dtype="float32"))
        return r

    @R.function
    def lanes_of_a_sum(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((5,), dtype="float32"):
        cls = Module
        r: R.Tensor((5,), dtype="float32") = R.call_tir(cls.lanes_of_a_sum_, (b,), out_sinfo=R.Tensor((5,), dtype="float32"))
        return r

    @R.function
    def lanes_that_overlap(b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((5,), dtype="float32"):
        cls = Module
        r: R.Tensor((5,), dtype="float32") = R.call_tir(cls.lanes_that_overlap_, (b,), out_sinfo=R.Tensor((5,), dtype="float32"))
        return r

    @R.function
    def last_below_one(a: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        r: R.Tensor((n, 4), dtype="float32") = R.call_tir(cls.last_below_one_, (a,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        return r

    @R.function
    def wraps_around(a: R.Tensor(("n", 1), dtype="float32")) -> R.Tensor(("n", 3), dtype="int32"):
        n = T.int64()
        cls = Module
        r: R.Tensor((n, 3), dtype="int32") = R.call_tir(cls.wraps_around_, R.tuple(), out_sinfo=R.Tensor((n, 3), dtype="int32"))
        return r

# ==== tuned
# What a tuner leaves becomes the form that the operators make; what only looks like repeated work stays as written.
# module tests/e2e/tir_scheduled.py#tuned
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def rows_again_(A: T.Buffer((4, 6), "float32"), O: T.Buffer((4, 6), "float32")):
        # with T.block("root"):
        t = T.alloc_buffer((4, 6))
        s = T.alloc_buffer((4,))
        for i, k in T.grid(T.int64(4), T.int64(6)):
            with T.block("t"):
                vi, vk = T.axis.remap("SS", [i, k])
                T.block_attr({"rlx.operator": "elementwise ss"})
                t[vi, vk] = A[vi, vk] * T.float32(2.0)
        for i, k in T.grid(T.int64(4), T.int64(6)):
            with T.block("s"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    s[vi] = T.float32(0.0)
                s[vi] = s[vi] + t[vi, vk]
        for i, j in T.grid(T.int64(4), T.int64(6)):
            with T.block("O"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[vi, vj] = t[vi, vj] - s[vi]

    @T.prim_func
    def rows_in_two_loops_(A: T.Buffer((4, 6), "float32"), O: T.Buffer((4, 6), "float32")):
        # with T.block("root"):
        s = T.alloc_buffer((T.int64(4),))
        for i, q in T.grid(T.int64(4), T.int64(6)):
            with T.block("s"):
                i_1, q_1 = T.axis.remap("SR", [i, q])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    s[i_1] = T.float32(0.0)
                s[i_1] = s[i_1] + A[i_1, q_1]
        for i, j_1 in T.grid(T.int64(4), T.int64(6)):
            with T.block("O"):
                i_2, j_1_1 = T.axis.remap("SS", [i, j_1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_2, j_1_1] = A[i_2, j_1_1] * s[i_2]

    @T.prim_func
    def sums_that_grow_(A: T.Buffer((4, 6), "float32"), O: T.Buffer((4, 6), "float32")):
        # with T.block("root"):
        s = T.alloc_buffer((4,))
        for i in range(T.int64(4)):
            s[i] = T.float32(0.0)
            for j in range(T.int64(6)):
                for k in range(T.int64(6)):
                    s[i] = s[i] + A[i, k]
                O[i, j] = s[i]

    @T.prim_func
    def left_by_the_last_(A: T.Buffer((4, 6), "float32"), O: T.Buffer((4, 6), "float32")):
        # with T.block("root"):
        s = T.alloc_buffer((4,))
        for i in range(T.int64(4)):
            s[i] = T.float32(5.0)
            for j in range(T.int64(6)):
                O[i, j] = A[i, j] + s[i]
                s[i] = A[i, T.int64(0)]

    @T.prim_func
    def a_term_many_times_(A: T.Buffer((4, 6), "float32"), O: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i, k, j in T.grid(T.int64(4), T.int64(6), T.int64(3)):
            with T.block("O"):
                i_1, k_1, j_1 = T.axis.remap("SRR", [i, k, j])
                T.block_attr({"rlx.operator": "reduction skk"})
                with T.init():
                    O[i_1] = T.float32(0.0)
                O[i_1] = O[i_1] + A[i_1, k_1]

    @T.prim_func
    def tile_copied_out_(A: T.Buffer((6, 5), "float32"), B: T.Buffer((4, 5), "float32"), O: T.Buffer((1, 6, 4), "float32")):
        # with T.block("root"):
        for i_3, j, k_0 in T.grid(T.int64(6), T.int64(4), T.int64(5)):
            with T.block("c"):
                i_3_1, j_1, k_0_1 = T.axis.remap("SSR", [i_3, j, k_0])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    O[T.int64(0), i_3_1, j_1] = T.float32(0.0)
                O[T.int64(0), i_3_1, j_1] = O[T.int64(0), i_3_1, j_1] + A[i_3_1, k_0_1] * B[j_1, k_0_1]

    @T.prim_func
    def border_in_tiles_(A: T.Buffer((2, 6, 6), "float32"), W: T.Buffer((3, 2, 3, 3), "float32"), O: T.Buffer((3, 6, 6), "float32")):
        # with T.block("root"):
        t = T.alloc_buffer((2, 8, 8))
        for c, y, x in T.grid(T.int64(2), T.int64(8), T.int64(8)):
            with T.block("t"):
                c_1, y_1, x_1 = T.axis.remap("SSS", [c, y, x])
                T.block_attr({"rlx.operator": "rearrange sss"})
                t[c_1, y_1, x_1] = T.if_then_else(T.int64(1) <= y_1 and y_1 < T.int64(7) and T.int64(1) <= x_1 and x_1 < T.int64(7), A[c_1, y_1 - T.int64(1), x_1 - T.int64(1)], T.float32(0.0))
        for o, y, x, c, p, q in T.grid(T.int64(3), T.int64(6), T.int64(6), T.int64(2), T.int64(3), T.int64(3)):
            with T.block("O"):
                o_1, y_2, x_2, c_2, p_1, q_1 = T.axis.remap("SSSRRR", [o, y, x, c, p, q])
                T.block_attr({"rlx.operator": "conv nppkrr"})
                with T.init():
                    O[o_1, y_2, x_2] = T.float32(0.0)
                O[o_1, y_2, x_2] = O[o_1, y_2, x_2] + t[c_2, y_2 + p_1, x_2 + q_1] * W[o_1, c_2, p_1, q_1]

    @T.prim_func
    def tile_kept_outside_(A: T.Buffer((2, 6, 6), "float32"), W: T.Buffer((2, 3, 3), "float32"), O: T.Buffer((2, 6, 6), "float32")):
        # with T.block("root"):
        A_pad = T.alloc_buffer((T.int64(2), T.int64(8), T.int64(6)))
        for i0, i1, i2 in T.grid(T.int64(2), T.int64(8), T.int64(6)):
            with T.block("A_pad"):
                v0, v1, v2 = T.axis.remap("SSS", [i0, i1, i2])
                T.block_attr({"rlx.operator": "rearrange sss"})
                A_pad[v0, v1, v2] = T.if_then_else(T.int64(1) <= v1 and v1 < T.int64(7), A[v0, v1 - T.int64(1), v2], T.float32(0.0))
        for c, y, x, p, q in T.grid(T.int64(2), T.int64(6), T.int64(6), T.int64(3), T.int64(3)):
            with T.block("O"):
                c_1, y_1, x_1, p_1, q_1 = T.axis.remap("SSSRR", [c, y, x, p, q])
                T.block_attr({"rlx.operator": "conv gpbrk"})
                with T.init():
                    O[c_1, y_1, x_1] = T.float32(0.0)
                O[c_1, y_1, x_1] = O[c_1, y_1, x_1] + A_pad[c_1, p_1 + y_1, x_1] * W[c_1, p_1, q_1]

    @T.prim_func
    def sum_of_parts_(A: T.Buffer((6, 8), "float32"), O: T.Buffer((), "float32")):
        # with T.block("root"):
        for k, k_1 in T.grid(T.int64(6), T.int64(8)):
            with T.block("O"):
                k_2, k_3 = T.axis.remap("RR", [k, k_1])
                T.block_attr({"rlx.operator": "reduction kk"})
                with T.init():
                    O[()] = T.float32(0.0)
                O[()] = O[()] + A[k_2, k_3]

    @T.prim_func
    def parts_of_rows_(A: T.Buffer((4, 6), "float32"), B: T.Buffer((4, 1), "float32"), O: T.Buffer((4, 1), "float32")):
        # with T.block("root"):
        for i, u, v0 in T.grid(T.int64(4), T.int64(1), T.int64(6)):
            with T.block("O"):
                vi, u_1, v0_1 = T.axis.remap("SSR", [i, u, v0])
                T.block_attr({"rlx.operator": "reduction ssk"})
                with T.init():
                    O[vi, u_1] = T.float32(0.0)
                O[vi, u_1] = O[vi, u_1] + (A[vi, v0_1] - B[vi, T.int64(0)])

    @T.prim_func
    def one_step_(A: T.Buffer((4, 6), "float32"), O: T.Buffer((4, 6), "float32")):
        # with T.block("root"):
        r = T.alloc_buffer((4, 6))
        for f, f_1 in T.grid(T.int64(4), T.int64(6)):
            with T.block("r"):
                f_2, f_3 = T.axis.remap("SS", [f, f_1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                r[f_2, f_3] = T.float32(1.0) + A[f_2, f_3]
        for i, j in T.grid(T.int64(4), T.int64(6)):
            with T.block("O"):
                i_1, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_1, j_1] = r[i_1, j_1] * T.float32(2.0)

    @T.prim_func
    def no_loop_(A: T.Buffer((1, 1), "float32"), O: T.Buffer((1, 1), "float32")):
        # with T.block("root"):
        r = T.alloc_buffer((1, 1))
        r[T.int64(0), T.int64(0)] = T.float32(0.0)
        r[T.int64(0), T.int64(0)] = r[T.int64(0), T.int64(0)] + A[T.int64(0), T.int64(0)]
        O[T.int64(0), T.int64(0)] = r[T.int64(0), T.int64(0)] + T.float32(1.0)

    @T.prim_func
    def unrolled_together_(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 6), "float32"), O: T.Buffer((4, 6), "float32")):
        # with T.block("root"):
        t = T.alloc_buffer((4, 6))
        for i, lane, u in T.grid(T.int64(4), T.int64(6), T.int64(4)):
            with T.block("t"):
                i_1, lane_1, u_1 = T.axis.remap("SSR", [i, lane, u])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    t[i_1, lane_1] = T.float32(0.0)
                t[i_1, lane_1] = t[i_1, lane_1] + A[i_1, u_1] * B[u_1, lane_1]
        for i, u in T.grid(T.int64(4), T.int64(6)):
            with T.block("O"):
                i_2, u_2 = T.axis.remap("SS", [i, u])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_2, u_2] = T.if_then_else(u_2 <= i_2, t[i_2, u_2], T.float32(0.0))

    @T.prim_func
    def hints_(A: T.Buffer((4, 6), "float32"), O: T.Buffer((4, 6), "float32")):
        # with T.block("root"):
        for f, f_1 in T.grid(T.int64(4), T.int64(6)):
            with T.block("O"):
                f_2, f_3 = T.axis.remap("SS", [f, f_1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[f_2, f_3] = A[f_2, f_3] + T.float32(1.0)

    @T.prim_func
    def vectorized_digits_(A: T.Buffer((4, 6), "float32"), O: T.Buffer((4, 6), "float32")):
        # with T.block("root"):
        for l, l_1 in T.grid(T.int64(4), T.int64(6)):
            with T.block("O"):
                l_2, l_3 = T.axis.remap("SS", [l, l_1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[l_2, l_3] = A[l_2, l_3] + T.float32(3.0)

    @T.prim_func
    def flat_images_(A: T.Buffer((2, 3, 3), "float32"), O: T.Buffer((2, 7, 7), "float32")):
        # with T.block("root"):
        d = T.alloc_buffer((T.int64(2), T.int64(5), T.int64(5)))
        for c, y, x in T.grid(T.int64(2), T.int64(5), T.int64(5)):
            with T.block("d"):
                c_1, y_1, x_1 = T.axis.remap("SSS", [c, y, x])
                T.block_attr({"rlx.operator": "rearrange sss"})
                d[c_1, y_1, x_1] = T.if_then_else(y_1 % T.int64(2) == T.int64(0) and x_1 % T.int64(2) == T.int64(0), A[c_1, y_1 // T.int64(2), x_1 // T.int64(2)], T.float32(0.0))
        for c, y, x in T.grid(T.int64(2), T.int64(7), T.int64(7)):
            with T.block("O"):
                c_2, y_2, x_2 = T.axis.remap("SSS", [c, y, x])
                T.block_attr({"rlx.operator": "rearrange sss"})
                O[c_2, y_2, x_2] = T.if_then_else(T.int64(1) <= y_2 and y_2 < T.int64(6) and T.int64(1) <= x_2 and x_2 < T.int64(6), d[c_2, y_2 - T.int64(1), x_2 - T.int64(1)], T.float32(0.5))

    @T.prim_func
    def tile_in_more_loops_(A: T.Buffer((6, 4), "float32"), B: T.Buffer((2, 2, 6), "float32"), O: T.Buffer((6, 6), "float32")):
        # with T.block("root"):
        for i, lane, k in T.grid(T.int64(6), T.int64(6), T.int64(4)):
            with T.block("t"):
                i_1, lane_1, k_1 = T.axis.remap("SSR", [i, lane, k])
                T.block_attr({"rlx.operator": "matmul mnk"})
                with T.init():
                    O[i_1, lane_1] = T.float32(0.0)
                O[i_1, lane_1] = O[i_1, lane_1] + A[i_1, k_1] * B[k_1 // T.int64(2), k_1 % T.int64(2), lane_1]

    @T.prim_func
    def diagonals_(A: T.Buffer((6,), "float32"), O: T.Buffer((2, 5), "float32")):
        # with T.block("root"):
        t = T.alloc_buffer((6, 6))
        for i, j in T.grid(T.int64(2), T.int64(5)):
            t[i + j, j] = A[i + j]
        for i, j in T.grid(T.int64(2), T.int64(5)):
            with T.block("O"):
                i_1, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "rearrange ss"})
                O[i_1, j_1] = t[i_1 + j_1, j_1]

    @T.prim_func
    def digits_that_end_(A: T.Buffer((3, 4), "float32"), O: T.Buffer((), "float32")):
        # with T.block("root"):
        for k in range(T.int64(10)):
            with T.block("O"):
                vk = T.axis.reduce(T.int64(10), k)
                T.block_attr({"rlx.operator": "reduction k"})
                with T.init():
                    O[()] = T.float32(0.0)
                O[()] = O[()] + A[vk // T.int64(4), vk % T.int64(4)]

    @T.prim_func
    def maybe_none_(a_: T.handle, B: T.Buffer((6,), "float32"), o_: T.handle):
        n = T.int64()
        A = T.match_buffer(a_, (n, 2))
        O = T.match_buffer(o_, (n, 2))
        # with T.block("root"):
        s = T.alloc_buffer((n,))
        for i, k in T.grid(n, T.int64(6)):
            with T.block("s"):
                i_1, k_1 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    s[i_1] = T.float32(0.0)
                s[i_1] = s[i_1] + B[k_1]
        for i, j in T.grid(n, T.int64(2)):
            with T.block("O"):
                i_2, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_2, j_1] = A[i_2, j_1] * s[i_2]

    @T.prim_func
    def none_before_(a_: T.handle, B: T.Buffer((6,), "float32"), O: T.Buffer((4,), "float32")):
        n = T.int64()
        A = T.match_buffer(a_, (n, 2))
        # with T.block("root"):
        s = T.alloc_buffer((4,))
        for i in range(T.int64(4)):
            with T.block("s"):
                i_1 = T.axis.spatial(T.int64(4), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                s[i_1] = T.float32(1.0)
        for j in range(T.int64(3)):
            for i in range(n):
                s[T.int64(0)] = T.float32(0.0)
            for k in range(T.int64(6)):
                s[T.int64(0)] = s[T.int64(0)] + B[k]
        for i in range(T.int64(4)):
            with T.block("O"):
                i_2 = T.axis.spatial(T.int64(4), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                O[i_2] = s[i_2]

    @R.function
    def rows_again(a: R.Tensor((4, 6), dtype="float32")) -> R.Tensor((4, 6), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 6), dtype="float32") = R.call_tir(cls.rows_again_, (a,), out_sinfo=R.Tensor((4, 6), dtype="float32"))
        return r

    @R.function
    def rows_in_two_loops(a: R.Tensor((4, 6), dtype="float32")) -> R.Tensor((4, 6), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 6), dtype="float32") = R.call_tir(cls.rows_in_two_loops_, (a,), out_sinfo=R.Tensor((4, 6), dtype="float32"))
        return r

    @R.function
    def sums_that_grow(a: R.Tensor((4, 6), dtype="float32")) -> R.Tensor((4, 6), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 6), dtype="float32") = R.call_tir(cls.sums_that_grow_, (a,), out_sinfo=R.Tensor((4, 6), dtype="float32"))
        return r

    @R.function
    def left_by_the_last(a: R.Tensor((4, 6), dtype="float32")) -> R.Tensor((4, 6), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 6), dtype="float32") = R.call_tir(cls.left_by_the_last_, (a,), out_sinfo=R.Tensor((4, 6), dtype="float32"))
        return r

    @R.function
    def a_term_many_times(a: R.Tensor((4, 6), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        r: R.Tensor((4,), dtype="float32") = R.call_tir(cls.a_term_many_times_, (a,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return r

    @R.function
    def tile_copied_out(a: R.Tensor((6, 5), dtype="float32"), b: R.Tensor((4, 5), dtype="float32")) -> R.Tensor((1, 6, 4), dtype="float32"):
        cls = Module
        r: R.Tensor((1, 6, 4), dtype="float32") = R.call_tir(cls.tile_copied_out_, (a, b), out_sinfo=R.Tensor((1, 6, 4), dtype="float32"))
        return r

    @R.function
    def border_in_tiles(a: R.Tensor((2, 6, 6), dtype="float32"), b: R.Tensor((3, 2, 3, 3), dtype="float32")) -> R.Tensor((3, 6, 6), dtype="float32"):
        cls = Module
        r: R.Tensor((3, 6, 6), dtype="float32") = R.call_tir(cls.border_in_tiles_, (a, b), out_sinfo=R.Tensor((3, 6, 6), dtype="float32"))
        return r

    @R.function
    def tile_kept_outside(a: R.Tensor((2, 6, 6), dtype="float32"), b: R.Tensor((2, 3, 3), dtype="float32")) -> R.Tensor((2, 6, 6), dtype="float32"):
        cls = Module
        r: R.Tensor((2, 6, 6), dtype="float32") = R.call_tir(cls.tile_kept_outside_, (a, b), out_sinfo=R.Tensor((2, 6, 6), dtype="float32"))
        return r

    @R.function
    def sum_of_parts(a: R.Tensor((6, 8), dtype="float32")) -> R.Tensor((), dtype="float32"):
        cls = Module
        r: R.Tensor((), dtype="float32") = R.call_tir(cls.sum_of_parts_, (a,), out_sinfo=R.Tensor((), dtype="float32"))
        return r

    @R.function
    def parts_of_rows(a: R.Tensor((4, 6), dtype="float32"), b: R.Tensor((4, 1), dtype="float32")) -> R.Tensor((4, 1), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 1), dtype="float32") = R.call_tir(cls.parts_of_rows_, (a, b), out_sinfo=R.Tensor((4, 1), dtype="float32"))
        return r

    @R.function
    def one_step(a: R.Tensor((4, 6), dtype="float32")) -> R.Tensor((4, 6), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 6), dtype="float32") = R.call_tir(cls.one_step_, (a,), out_sinfo=R.Tensor((4, 6), dtype="float32"))
        return r

    @R.function
    def no_loop(a: R.Tensor((1, 1), dtype="float32")) -> R.Tensor((1, 1), dtype="float32"):
        cls = Module
        r: R.Tensor((1, 1), dtype="float32") = R.call_tir(cls.no_loop_, (a,), out_sinfo=R.Tensor((1, 1), dtype="float32"))
        return r

    @R.function
    def unrolled_together(a: R.Tensor((4, 4), dtype="float32"), b: R.Tensor((4, 6), dtype="float32")) -> R.Tensor((4, 6), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 6), dtype="float32") = R.call_tir(cls.unrolled_together_, (a, b), out_sinfo=R.Tensor((4, 6), dtype="float32"))
        return r

    @R.function
    def hints(a: R.Tensor((4, 6), dtype="float32")) -> R.Tensor((4, 6), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 6), dtype="float32") = R.call_tir(cls.hints_, (a,), out_sinfo=R.Tensor((4, 6), dtype="float32"))
        return r

    @R.function
    def vectorized_digits(a: R.Tensor((4, 6), dtype="float32")) -> R.Tensor((4, 6), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 6), dtype="float32") = R.call_tir(cls.vectorized_digits_, (a,), out_sinfo=R.Tensor((4, 6), dtype="float32"))
        return r

    @R.function
    def flat_images(a: R.Tensor((2, 3, 3), dtype="float32")) -> R.Tensor((2, 7, 7), dtype="float32"):
        cls = Module
        r: R.Tensor((2, 7, 7), dtype="float32") = R.call_tir(cls.flat_images_, (a,), out_sinfo=R.Tensor((2, 7, 7), dtype="float32"))
        return r

    @R.function
    def tile_in_more_loops(a: R.Tensor((6, 4), dtype="float32"), b: R.Tensor((2, 2, 6), dtype="float32")) -> R.Tensor((6, 6), dtype="float32"):
        cls = Module
        r: R.Tensor((6, 6), dtype="float32") = R.call_tir(cls.tile_in_more_loops_, (a, b), out_sinfo=R.Tensor((6, 6), dtype="float32"))
        return r

    @R.function
    def diagonals(a: R.Tensor((6,), dtype="float32")) -> R.Tensor((2, 5), dtype="float32"):
        cls = Module
        r: R.Tensor((2, 5), dtype="float32") = R.call_tir(cls.diagonals_, (a,), out_sinfo=R.Tensor((2, 5), dtype="float32"))
        return r

    @R.function
    def digits_that_end(a: R.Tensor((3, 4), dtype="float32")) -> R.Tensor((), dtype="float32"):
        cls = Module
        r: R.Tensor((), dtype="float32") = R.call_tir(cls.digits_that_end_, (a,), out_sinfo=R.Tensor((), dtype="float32"))
        return r

    @R.function
    def maybe_none(a: R.Tensor(("n", 2), dtype="float32"), b: R.Tensor((6,), dtype="float32")) -> R.Tensor(("n", 2), dtype="float32"):
        n = T.int64()
        cls = Module
        r: R.Tensor((n, 2), dtype="float32") = R.call_tir(cls.maybe_none_, (a, b), out_sinfo=R.Tensor((n, 2), dtype="float32"))
        return r

    @R.function
    def none_before(a: R.Tensor(("n", 2), dtype="float32"), b: R.Tensor((6,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        n = T.int64()
        cls = Module
        r: R.Tensor((4,), dtype="float32") = R.call_tir(cls.none_before_, (a, b), out_sinfo=R.Tensor((4,), dtype="float32"))
        return r

# ==== operands
# Operands and temporaries become those that the operators make; what only looks like them stays as written.
# module tests/e2e/tir_scheduled.py#operands
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def dilated_window_(A: T.Buffer((2, 3, 3), "float32"), B: T.Buffer((2, 3, 2, 2), "float32"), O: T.Buffer((3, 6, 6), "float32")):
        # with T.block("root"):
        A_pad = T.alloc_buffer((T.int64(2), T.int64(7), T.int64(7)))
        for i0, i1, i2 in T.grid(T.int64(2), T.int64(7), T.int64(7)):
            with T.block("A_pad"):
                v0, v1, v2 = T.axis.remap("SSS", [i0, i1, i2])
                T.block_attr({"rlx.operator": "rearrange sss"})
                A_pad[v0, v1, v2] = T.if_then_else(T.int64(1) <= v1 and v1 < T.int64(6) and T.int64(1) <= v2 and v2 < T.int64(6), T.if_then_else((v1 + T.int64(1)) % T.int64(2) == T.int64(0) and (v2 + T.int64(1)) % T.int64(2) == T.int64(0), A[v0, (v1 - T.int64(1)) // T.int64(2), (v2 - T.int64(1)) // T.int64(2)], T.float32(0.0)), T.float32(0.0))
        for o, y, x, c, p, q in T.grid(T.int64(3), T.int64(6), T.int64(6), T.int64(2), T.int64(2), T.int64(2)):
            with T.block("O"):
                o_1, y_1, x_1, c_1, p_1, q_1 = T.axis.remap("SSSRRR", [o, y, x, c, p, q])
                T.block_attr({"rlx.operator": "conv nppkrr"})
                with T.init():
                    O[o_1, y_1, x_1] = T.float32(0.0)
                O[o_1, y_1, x_1] = O[o_1, y_1, x_1] + A_pad[c_1, y_1 + p_1, x_1 + q_1] * B[c_1, o_1, T.int64(1) - p_1, T.int64(1) - q_1]

    @T.prim_func
    def window_of_groups_(A: T.Buffer((4, 4, 4), "float32"), B: T.Buffer((4, 2, 3, 3), "float32"), O: T.Buffer((4, 4, 4), "float32")):
        # with T.block("root"):
        A_pad = T.alloc_buffer((T.int64(4), T.int64(6), T.int64(6)))
        for i0, i1, i2 in T.grid(T.int64(4), T.int64(6), T.int64(6)):
            with T.block("A_pad"):
                v0, v1, v2 = T.axis.remap("SSS", [i0, i1, i2])
                T.block_attr({"rlx.operator": "rearrange sss"})
                A_pad[v0, v1, v2] = T.if_then_else(T.int64(1) <= v1 and v1 < T.int64(5) and T.int64(1) <= v2 and v2 < T.int64(5), A[v0, v1 - T.int64(1), v2 - T.int64(1)], T.float32(0.0))
        for f, y, x, c, p, q in T.grid(T.int64(4), T.int64(4), T.int64(4), T.int64(2), T.int64(3), T.int64(3)):
            with T.block("O"):
                f_1, y_1, x_1, c_1, p_1, q_1 = T.axis.remap("SSSRRR", [f, y, x, c, p, q])
                T.block_attr({"rlx.operator": "conv gppkrr"})
                with T.init():
                    O[f_1, y_1, x_1] = T.float32(0.0)
                O[f_1, y_1, x_1] = O[f_1, y_1, x_1] + A_pad[c_1 + f_1 // T.int64(2) * T.int64(2), y_1 + p_1, x_1 + q_1] * B[f_1, c_1, p_1, q_1]

    @T.prim_func
    def window_of_values_(A: T.Buffer((5, 4), "float32"), B: T.Buffer((3, 2), "float32"), O: T.Buffer((5, 2), "float32")):
        # with T.block("root"):
        A_pad = T.alloc_buffer((T.int64(7), T.int64(4)))
        for i0, i1 in T.grid(T.int64(7), T.int64(4)):
            with T.block("A_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.block_attr({"rlx.operator": "rearrange ss"})
                A_pad[v0, v1] = T.if_then_else(T.int64(1) <= v0 and v0 < T.int64(6), T.max(A[v0 - T.int64(1), v1], T.float32(0.0)) * T.float32(2.0), T.float32(-1.0))
        for y, o, p, c in T.grid(T.int64(5), T.int64(2), T.int64(3), T.int64(4)):
            with T.block("O"):
                y_1, o_1, p_1, c_1 = T.axis.remap("SSRR", [y, o, p, c])
                T.block_attr({"rlx.operator": "conv pnrk"})
                with T.init():
                    O[y_1, o_1] = T.float32(0.0)
                O[y_1, o_1] = O[y_1, o_1] + A_pad[y_1 + p_1, c_1] * B[p_1, o_1]

    @T.prim_func
    def not_a_window_(A: T.Buffer((5, 5), "float32"), B: T.Buffer((3,), "float32"), O: T.Buffer((5,), "float32")):
        # with T.block("root"):
        for y, p in T.grid(T.int64(5), T.int64(3)):
            with T.block("O"):
                y_1, p_1 = T.axis.remap("SR", [y, p])
                T.block_attr({"rlx.operator": "conv pr"})
                with T.init():
                    O[y_1] = T.float32(0.0)
                O[y_1] = O[y_1] + T.if_then_else(T.int64(1) <= y_1 + p_1 and y_1 + p_1 < T.int64(6), A[y_1 + p_1 - T.int64(1), y_1], T.float32(0.0)) * B[p_1]

    @T.prim_func
    def tile_at_an_offset_(A: T.Buffer((4, 3), "float32"), B: T.Buffer((3,), "float32"), O: T.Buffer((8, 3), "float32")):
        # with T.block("root"):
        A_pad = T.alloc_buffer((T.int64(10), T.int64(3)))
        for i0, i1 in T.grid(T.int64(10), T.int64(3)):
            with T.block("A_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.block_attr({"rlx.operator": "rearrange ss"})
                A_pad[v0, v1] = T.if_then_else(T.int64(1) <= v0 and v0 < T.int64(8), T.if_then_else(T.int64(1) <= v0 and v0 < T.int64(8), T.if_then_else((v0 + T.int64(1)) % T.int64(2) == T.int64(0), A[(v0 - T.int64(1)) // T.int64(2), v1], T.float32(0.0)), T.float32(0.0)), T.float32(0.0))
        for y, x, k in T.grid(T.int64(8), T.int64(3), T.int64(3)):
            with T.block("O"):
                y_1, x_1, k_1 = T.axis.remap("SSR", [y, x, k])
                T.block_attr({"rlx.operator": "conv pbr"})
                with T.init():
                    O[y_1, x_1] = T.float32(0.0)
                O[y_1, x_1] = O[y_1, x_1] + A_pad[k_1 + y_1, x_1] * B[k_1]

    @T.prim_func
    def loops_that_cancel_(A: T.Buffer((3, 8), "float32"), B: T.Buffer((4, 4), "float32"), O: T.Buffer((8, 4), "float32")):
        # with T.block("root"):
        S = T.alloc_buffer((T.int64(2), T.int64(4), T.int64(4)))
        for f, i, j, k in T.grid(T.int64(2), T.int64(4), T.int64(4), T.int64(3)):
            with T.block("S"):
                f_1, i_1, j_1, k_1 = T.axis.remap("SSSR", [f, i, j, k])
                T.block_attr({"rlx.operator": "reduction sssk"})
                with T.init():
                    S[f_1, i_1, j_1] = T.float32(0.0)
                S[f_1, i_1, j_1] = S[f_1, i_1, j_1] + A[k_1, f_1 * T.int64(4) + i_1] * B[i_1, j_1]
        for i, j in T.grid(T.int64(8), T.int64(4)):
            with T.block("O"):
                i_2, j_2 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "rearrange ss"})
                O[i_2, j_2] = S[i_2 // T.int64(4), i_2 % T.int64(4), j_2]

    @T.prim_func
    def softmax_in_two_(A: T.Buffer((3, 4), "float32"), O: T.Buffer((3, 4), "float32")):
        # with T.block("root"):
        M = T.alloc_buffer((3,))
        S = T.alloc_buffer((3,))
        S_1 = T.alloc_buffer((T.int64(3), T.int64(4)))
        for i, k in T.grid(T.int64(3), T.int64(4)):
            with T.block("M"):
                i_1, k_1 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    M[i_1] = T.float32(-10.0)
                M[i_1] = T.max(M[i_1], A[i_1, k_1])
        for i0, i1 in T.grid(T.int64(3), T.int64(4)):
            with T.block("S"):
                i, k = T.axis.remap("SS", [i0, i1])
                T.block_attr({"rlx.operator": "elementwise ss"})
                S_1[i, k] = T.exp(A[i, k] - M[i])
        for i, k in T.grid(T.int64(3), T.int64(4)):
            with T.block("S"):
                i_2, k_2 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    S[i_2] = T.float32(0.0)
                S[i_2] = S[i_2] + S_1[i_2, k_2]
        for i, j in T.grid(T.int64(3), T.int64(4)):
            with T.block("O"):
                i_3, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_3, j_1] = S_1[i_3, j_1] / S[i_3]

    @T.prim_func
    def maximum_that_changes_(A: T.Buffer((3, 4), "float32"), O: T.Buffer((3, 4), "float32")):
        # with T.block("root"):
        M = T.alloc_buffer((3,))
        S = T.alloc_buffer((3,))
        M_1 = T.alloc_buffer((3,))
        for i, k in T.grid(T.int64(3), T.int64(4)):
            with T.block("M"):
                i_1, k_1 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    M_1[i_1] = T.float32(-10.0)
                M_1[i_1] = T.max(M_1[i_1], A[i_1, k_1])
        for i, k in T.grid(T.int64(3), T.int64(4)):
            with T.block("S"):
                i_2, k_2 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    S[i_2] = T.float32(0.0)
                S[i_2] = S[i_2] + T.exp(A[i_2, k_2] - M_1[i_2])
        for i in range(T.int64(3)):
            with T.block("M"):
                i_3 = T.axis.spatial(T.int64(3), i)
                T.block_attr({"rlx.operator": "elementwise s"})
                M[i_3] = M_1[i_3] - T.float32(1.0)
        for i, j in T.grid(T.int64(3), T.int64(4)):
            with T.block("O"):
                i_4, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O[i_4, j_1] = T.exp(A[i_4, j_1] - M[i_4]) / S[i_4]

    @T.prim_func
    def memory_apart_(A: T.Buffer((3, 4), "float32"), B: T.Buffer((2,), "float32"), O: T.Buffer((3, 4), "float32")):
        # with T.block("root"):
        V = T.alloc_buffer((T.int64(3), T.int64(2)))
        S = T.alloc_buffer((T.int64(3), T.int64(4)))
        O_1 = T.alloc_buffer((3, 4))
        for i, j in T.grid(T.int64(3), T.int64(4)):
            with T.block("S"):
                i_1, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                S[i_1, j_1] = A[i_1, j_1] * T.float32(2.0)
        for i, j in T.grid(T.int64(3), T.int64(4)):
            with T.block("O"):
                i_2, j_2 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                O_1[i_2, j_2] = S[i_2, j_2] + T.float32(1.0)
        for i, j, k in T.grid(T.int64(3), T.int64(2), T.int64(4)):
            with T.block("V"):
                i_3, j_3, k_1 = T.axis.remap("SSR", [i, j, k])
                T.block_attr({"rlx.operator": "reduction ssk"})
                with T.init():
                    V[i_3, j_3] = T.float32(0.0)
                V[i_3, j_3] = V[i_3, j_3] + A[i_3, k_1] * B[j_3]
        for i, j in T.grid(T.int64(3), T.int64(4)):
            with T.block("O"):
                i_4, j_4 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "rearrange ss"})
                O[i_4, j_4] = O_1[i_4, j_4] + V[i_4, j_4 // T.int64(2)]

    @T.prim_func
    def memory_in_common_(A: T.Buffer((3, 4), "float32"), B: T.Buffer((2,), "float32"), O: T.Buffer((3, 4), "float32")):
        s = T.allocate([4], "float32", "global")
        S = T.decl_buffer((4,), data=s)
        V = T.decl_buffer((2,), data=s)
        for i in range(3):
            for j in range(4):
                S[j] = A[i, j] * T.float32(2.0)
            for j in range(4):
                O[i, j] = S[j] + T.float32(1.0)
            for j in range(1):
                V[j] = T.float32(0.0)
            for j, k in T.grid(2, 4):
                V[j] = V[j] + A[i, k] * B[j]
            for j in range(4):
                O[i, j] = O[i, j] + V[j // 2]

    @T.prim_func
    def columns_of_one_(A: T.Buffer((3, 5, 18), "float32"), O: T.Buffer((3, 18, 1), "float32")):
        # with T.block("root"):
        for i, j, u, k in T.grid(T.int64(3), T.int64(18), T.int64(1), T.int64(5)):
            with T.block("m"):
                vi, vj, vu, vk = T.axis.remap("SSSR", [i, j, u, k])
                T.block_attr({"rlx.operator": "reduction sssk"})
                with T.init():
                    O[vi, vj, vu] = T.float32(-9.0)
                O[vi, vj, vu] = T.max(O[vi, vj, vu], A[vi, vk, vj])

    @T.prim_func
    def digits_of_both_(A: T.Buffer((3, 4), "float32"), O: T.Buffer((), "float32")):
        # with T.block("root"):
        S = T.alloc_buffer((4,))
        for i, k in T.grid(T.int64(4), T.int64(3)):
            with T.block("S"):
                i_1, k_1 = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "reduction sk"})
                with T.init():
                    S[i_1] = T.float32(0.0)
                S[i_1] = S[i_1] + A[k_1, i_1]
        for i in range(T.int64(4)):
            with T.block("O"):
                i_2 = T.axis.reduce(T.int64(4), i)
                T.block_attr({"rlx.operator": "reduction k"})
                with T.init():
                    O[()] = T.float32(0.0)
                O[()] = O[()] + S[i_2]

    @T.prim_func
    def call_under_a_condition_(A: T.Buffer((3, 3), "float32"), O: T.Buffer((3, 4), "float32")):
        # with T.block("root"):
        P = T.alloc_buffer((3, 4))
        for i, j in T.grid(T.int64(3), T.int64(4)):
            with T.block("P"):
                i_1, j_1 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "elementwise ss"})
                P[i_1, j_1] = T.if_then_else(j_1 < T.int64(3), T.exp(A[i_1, j_1]), T.float32(2.0))
        for i, j in T.grid(T.int64(3), T.int64(4)):
            with T.block("O"):
                i_2, j_2 = T.axis.remap("SS", [i, j])
                T.block_attr({"rlx.operator": "rearrange ss"})
                O[i_2, j_2] = P[i_2, T.int64(3) - j_2] + T.if_then_else(j_2 < T.int64(3), T.exp(A[i_2, j_2]), T.float32(0.0))

    @T.prim_func
    def memory_of_iterations_(A: T.Buffer((4, 3), "float32"), O: T.Buffer((4, 3), "float32")):
        s = T.allocate([12], "float32", "global")
        S = T.decl_buffer((12,), data=s)
        for i, j in T.grid(4, 3):
            S[i * 3 + j] = A[i, j] * T.float32(2.0)
        for i, j in T.grid(4, 3):
            O[i, j] = S[i * 3 + j]
        for i in range(4):
            V = T.decl_buffer((4,), data=s)
            V[i] = A[i, 0] + T.float32(1.0)
            for j in range(3):
                O[i, j] = O[i, j] + V[0] * V[i]

    @R.function
    def dilated_window(a: R.Tensor((2, 3, 3), dtype="float32"), b: R.Tensor((2, 3, 2, 2), dtype="float32")) -> R.Tensor((3, 6, 6), dtype="float32"):
        cls = Module
        r: R.Tensor((3, 6, 6), dtype="float32") = R.call_tir(cls.dilated_window_, (a, b), out_sinfo=R.Tensor((3, 6, 6), dtype="float32"))
        return r

    @R.function
    def window_of_groups(a: R.Tensor((4, 4, 4), dtype="float32"), b: R.Tensor((4, 2, 3, 3), dtype="float32")) -> R.Tensor((4, 4, 4), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 4, 4), dtype="float32") = R.call_tir(cls.window_of_groups_, (a, b), out_sinfo=R.Tensor((4, 4, 4), dtype="float32"))
        return r

    @R.function
    def window_of_values(a: R.Tensor((5, 4), dtype="float32"), b: R.Tensor((3, 2), dtype="float32")) -> R.Tensor((5, 2), dtype="float32"):
        cls = Module
        r: R.Tensor((5, 2), dtype="float32") = R.call_tir(cls.window_of_values_, (a, b), out_sinfo=R.Tensor((5, 2), dtype="float32"))
        return r

    @R.function
    def not_a_window(a: R.Tensor((5, 5), dtype="float32"), b: R.Tensor((3,), dtype="float32")) -> R.Tensor((5,), dtype="float32"):
        cls = Module
        r: R.Tensor((5,), dtype="float32") = R.call_tir(cls.not_a_window_, (a, b), out_sinfo=R.Tensor((5,), dtype="float32"))
        return r

    @R.function
    def tile_at_an_offset(a: R.Tensor((4, 3), dtype="float32"), b: R.Tensor((3,), dtype="float32")) -> R.Tensor((8, 3), dtype="float32"):
        cls = Module
        r: R.Tensor((8, 3), dtype="float32") = R.call_tir(cls.tile_at_an_offset_, (a, b), out_sinfo=R.Tensor((8, 3), dtype="float32"))
        return r

    @R.function
    def loops_that_cancel(a: R.Tensor((3, 8), dtype="float32"), b: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((8, 4), dtype="float32"):
        cls = Module
        r: R.Tensor((8, 4), dtype="float32") = R.call_tir(cls.loops_that_cancel_, (a, b), out_sinfo=R.Tensor((8, 4), dtype="float32"))
        return r

    @R.function
    def softmax_in_two(a: R.Tensor((3, 4), dtype="float32")) -> R.Tensor((3, 4), dtype="float32"):
        cls = Module
        r: R.Tensor((3, 4), dtype="float32") = R.call_tir(cls.softmax_in_two_, (a,), out_sinfo=R.Tensor((3, 4), dtype="float32"))
        return r

    @R.function
    def maximum_that_changes(a: R.Tensor((3, 4), dtype="float32")) -> R.Tensor((3, 4), dtype="float32"):
        cls = Module
        r: R.Tensor((3, 4), dtype="float32") = R.call_tir(cls.maximum_that_changes_, (a,), out_sinfo=R.Tensor((3, 4), dtype="float32"))
        return r

    @R.function
    def memory_apart(a: R.Tensor((3, 4), dtype="float32"), b: R.Tensor((2,), dtype="float32")) -> R.Tensor((3, 4), dtype="float32"):
        cls = Module
        r: R.Tensor((3, 4), dtype="float32") = R.call_tir(cls.memory_apart_, (a, b), out_sinfo=R.Tensor((3, 4), dtype="float32"))
        return r

    @R.function
    def memory_in_common(a: R.Tensor((3, 4), dtype="float32"), b: R.Tensor((2,), dtype="float32")) -> R.Tensor((3, 4), dtype="float32"):
        cls = Module
        r: R.Tensor((3, 4), dtype="float32") = R.call_tir(cls.memory_in_common_, (a, b), out_sinfo=R.Tensor((3, 4), dtype="float32"))
        return r

    @R.function
    def columns_of_one(a: R.Tensor((3, 5, 18), dtype="float32")) -> R.Tensor((3, 18, 1), dtype="float32"):
        cls = Module
        r: R.Tensor((3, 18, 1), dtype="float32") = R.call_tir(cls.columns_of_one_, (a,), out_sinfo=R.Tensor((3, 18, 1), dtype="float32"))
        return r

    @R.function
    def digits_of_both(a: R.Tensor((3, 4), dtype="float32")) -> R.Tensor((), dtype="float32"):
        cls = Module
        r: R.Tensor((), dtype="float32") = R.call_tir(cls.digits_of_both_, (a,), out_sinfo=R.Tensor((), dtype="float32"))
        return r

    @R.function
    def call_under_a_condition(a: R.Tensor((3, 3), dtype="float32")) -> R.Tensor((3, 4), dtype="float32"):
        cls = Module
        r: R.Tensor((3, 4), dtype="float32") = R.call_tir(cls.call_under_a_condition_, (a,), out_sinfo=R.Tensor((3, 4), dtype="float32"))
        return r

    @R.function
    def memory_of_iterations(a: R.Tensor((4, 3), dtype="float32")) -> R.Tensor((4, 3), dtype="float32"):
        cls = Module
        r: R.Tensor((4, 3), dtype="float32") = R.call_tir(cls.memory_of_iterations_, (a,), out_sinfo=R.Tensor((4, 3), dtype="float32"))
        return r

# ==== a border of integers
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def windows(x: T.Buffer((T.int64(40), T.int64(40)), "int32"), w: T.Buffer((T.int64(3), T.int64(3)), "int32"), y: T.Buffer((T.int64(40), T.int64(40)), "int32")):
        for a, b, i, j in T.grid(T.int64(40), T.int64(40), T.int64(3), T.int64(3)):
            with T.block("sum"):
                va, vb, vi, vj = T.axis.remap("SSRR", [a, b, i, j])
                with T.init():
                    y[va, vb] = 0
                y[va, vb] = y[va, vb] + T.if_then_else(T.int64(1) <= va + vi and va + vi < T.int64(41) and T.int64(1) <= vb + vj and vb + vj < T.int64(41), x[va + vi - T.int64(1), vb + vj - T.int64(1)], 7) * w[vi, vj]

    @R.function
    def main(x: R.Tensor((40, 40), "int32"), w: R.Tensor((3, 3), "int32")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.windows, (x, w), out_sinfo=R.Tensor((40, 40), "int32"))
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def windows(x: T.Buffer((T.int64(40), T.int64(40)), "int32"), w: T.Buffer((T.int64(3), T.int64(3)), "int32"), y: T.Buffer((T.int64(40), T.int64(40)), "int32")):
        # with T.block("root"):
        x_pad = T.alloc_buffer((T.int64(42), T.int64(42)), "int32")
        for i0, i1 in T.grid(T.int64(42), T.int64(42)):
            with T.block("x_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.block_attr({"rlx.operator": "rearrange ss"})
                x_pad[v0, v1] = T.if_then_else(T.int64(1) <= v0 and v0 < T.int64(41) and T.int64(1) <= v1 and v1 < T.int64(41), x[v0 - T.int64(1), v1 - T.int64(1)], 7)
        for a, b, i, j in T.grid(T.int64(40), T.int64(40), T.int64(3), T.int64(3)):
            with T.block("sum"):
                va, vb, vi, vj = T.axis.remap("SSRR", [a, b, i, j])
                T.block_attr({"rlx.operator": "conv pprr"})
                with T.init():
                    y[va, vb] = 0
                y[va, vb] = y[va, vb] + x_pad[va + vi, vb + vj] * w[vi, vj]

    @R.function
    def main(x: R.Tensor((40, 40), dtype="int32"), w: R.Tensor((3, 3), dtype="int32")) -> R.Tensor((40, 40), dtype="int32"):
        cls = Module
        with R.dataflow():
            y: R.Tensor((40, 40), dtype="int32") = R.call_tir(cls.windows, (x, w), out_sinfo=R.Tensor((40, 40), dtype="int32"))
            R.output(y)
        return y

# ==== digits that are not nested
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def sums(a: T.Buffer((T.int64(6),), "float32"), b: T.Buffer((T.int64(3),), "float32"), c: T.Buffer((T.int64(1),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        for i, k in T.grid(T.int64(8), T.int64(12)):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    y[vi] = T.float32(0)
                y[vi] = y[vi] + a[vk // T.int64(2)] * b[vk % T.int64(3)] * c[vk // T.int64(12)]

    @R.function
    def main(a: R.Tensor((6,), "float32"), b: R.Tensor((3,), "float32"), c: R.Tensor((1,), "float32")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.sums, (a, b, c), out_sinfo=R.Tensor((8,), "float32"))
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def sums(a: T.Buffer((T.int64(6),), "float32"), b: T.Buffer((T.int64(3),), "float32"), c: T.Buffer((T.int64(1),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        # with T.block("root"):
        for i, k in T.grid(T.int64(8), T.int64(12)):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.block_attr({"rlx.operator": "matmul bk"})
                with T.init():
                    y[vi] = T.float32(0.0)
                y[vi] = y[vi] + a[vk // T.int64(2)] * b[vk % T.int64(3)] * c[vk // T.int64(12)]

    @R.function
    def main(a: R.Tensor((6,), dtype="float32"), b: R.Tensor((3,), dtype="float32"), c: R.Tensor((1,), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        cls = Module
        with R.dataflow():
            y: R.Tensor((8,), dtype="float32") = R.call_tir(cls.sums, (a, b, c), out_sinfo=R.Tensor((8,), dtype="float32"))
            R.output(y)
        return y

# ==== attention_masked
# A causal mask in another spelling: not (key > query).
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor(("b", "s", 4, 32), dtype="float32"), k: R.Tensor(("b", "s", 4, 32), dtype="float32"), v: R.Tensor(("b", "s", 4, 32), dtype="float32")) -> R.Tensor(("b", "s", 4, 32), dtype="float32"):
        b = T.int64()
        s = T.int64()
        cls = Module
        with R.dataflow():
            y: R.Tensor((b, s, 4, 32), dtype="float32") = R.call_tir(cls.attention, (q, k, v), out_sinfo=R.Tensor((b, s, 4, 32), dtype="float32"))
            R.output(y)
        return y

    @T.prim_func(private=True)
    def attention(var_q: T.handle, var_k: T.handle, var_v: T.handle, var_T_attention: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True)})
        b = T.int64()
        s = T.int64()
        q = T.match_buffer(var_q, (b, s, T.int64(4), T.int64(32)))
        k = T.match_buffer(var_k, (b, s, T.int64(4), T.int64(32)))
        v = T.match_buffer(var_v, (b, s, T.int64(4), T.int64(32)))
        T_attention = T.match_buffer(var_T_attention, (b, s, T.int64(4), T.int64(32)))
        # with T.block("root"):
        T_score = T.alloc_buffer((b, T.int64(4), s, s))
        T_masked = T.alloc_buffer((b, T.int64(4), s, s))
        T_max = T.alloc_buffer((b, T.int64(4), s))
        T_exp = T.alloc_buffer((b, T.int64(4), s, s))
        T_sum = T.alloc_buffer((b, T.int64(4), s))
        T_total = T.alloc_buffer((b, T.int64(4), s, T.int64(32)))
        for b_1, h, i, j, d in T.grid(b, T.int64(4), s, s, T.int64(32)):
            with T.block("T_score"):
                v_b, v_h, v_i, v_j, v_d = T.axis.remap("SSSSR", [b_1, h, i, j, d])
                T.reads(q[v_b, v_i, v_h, v_d], k[v_b, v_j, v_h, v_d])
                T.writes(T_score[v_b, v_h, v_i, v_j])
                with T.init():
                    T_score[v_b, v_h, v_i, v_j] = T.float32(0.0)
                T_score[v_b, v_h, v_i, v_j] = T_score[v_b, v_h, v_i, v_j] + q[v_b, v_i, v_h, v_d] * k[v_b, v_j, v_h, v_d]
        for b_2, h, i, j in T.grid(b, T.int64(4), s, s):
            with T.block("T_masked"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSS", [b_2, h, i, j])
                T.reads(T_score[v_b, v_h, v_i, v_j])
                T.writes(T_masked[v_b, v_h, v_i, v_j])
                T_masked[v_b, v_h, v_i, v_j] = T.if_then_else(not (v_j > v_i), T_score[v_b, v_h, v_i, v_j] * T.float32(0.1767766922712326), T.float32(-3.0000000054977558e+38))
        for b_3, h, i, j in T.grid(b, T.int64(4), s, s):
            with T.block("T_max"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSR", [b_3, h, i, j])
                T.reads(T_masked[v_b, v_h, v_i, v_j])
                T.writes(T_max[v_b, v_h, v_i])
                with T.init():
                    T_max[v_b, v_h, v_i] = T.float32(-3.4028234663852886e+38)
                T_max[v_b, v_h, v_i] = T.max(T_max[v_b, v_h, v_i], T_masked[v_b, v_h, v_i, v_j])
        for b_4, h, i, j in T.grid(b, T.int64(4), s, s):
            with T.block("T_exp"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSS", [b_4, h, i, j])
                T.reads(T_masked[v_b, v_h, v_i, v_j], T_max[v_b, v_h, v_i])
                T.writes(T_exp[v_b, v_h, v_i, v_j])
                T_exp[v_b, v_h, v_i, v_j] = T.exp(T_masked[v_b, v_h, v_i, v_j] - T_max[v_b, v_h, v_i])
        for b_5, h, i, j in T.grid(b, T.int64(4), s, s):
            with T.block("T_sum"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSR", [b_5, h, i, j])
                T.reads(T_exp[v_b, v_h, v_i, v_j])
                T.writes(T_sum[v_b, v_h, v_i])
                with T.init():
                    T_sum[v_b, v_h, v_i] = T.float32(0.0)
                T_sum[v_b, v_h, v_i] = T_sum[v_b, v_h, v_i] + T_exp[v_b, v_h, v_i, v_j]
        for b_6, h, i, j, k_1 in T.grid(b, T.int64(4), s, T.int64(32), s):
            with T.block("T_total"):
                v_b, v_h, v_i, v_j, v_k = T.axis.remap("SSSSR", [b_6, h, i, j, k_1])
                T.reads(T_exp[v_b, v_h, v_i, v_k], v[v_b, v_k, v_h, v_j])
                T.writes(T_total[v_b, v_h, v_i, v_j])
                with T.init():
                    T_total[v_b, v_h, v_i, v_j] = T.float32(0.0)
                T_total[v_b, v_h, v_i, v_j] = T_total[v_b, v_h, v_i, v_j] + T_exp[v_b, v_h, v_i, v_k] * v[v_b, v_k, v_h, v_j]
        for ax0, ax1, ax2, ax3 in T.grid(b, s, T.int64(4), T.int64(32)):
            with T.block("T_attention"):
                v_ax0, v_ax1, v_ax2, v_ax3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(T_total[v_ax0, v_ax2, v_ax1, v_ax3], T_sum[v_ax0, v_ax2, v_ax1])
                T.writes(T_attention[v_ax0, v_ax1, v_ax2, v_ax3])
                T_attention[v_ax0, v_ax1, v_ax2, v_ax3] = T.Select(s > T.int64(0), T_total[v_ax0, v_ax2, v_ax1, v_ax3] / T_sum[v_ax0, v_ax2, v_ax1], T.float32(0.0))
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor(("b", "s", 4, 32), dtype="float32"), k: R.Tensor(("b", "s", 4, 32), dtype="float32"), v: R.Tensor(("b", "s", 4, 32), dtype="float32")) -> R.Tensor(("b", "s", 4, 32), dtype="float32"):
        b = T.int64()
        s = T.int64()
        cls = Module
        with R.dataflow():
            y: R.Tensor((b, s, 4, 32), dtype="float32") = R.call_tir(cls.attention, (q, k, v), out_sinfo=R.Tensor((b, s, 4, 32), dtype="float32"))
            R.output(y)
        return y

    @T.prim_func(private=True)
    def attention(var_q: T.handle, var_k: T.handle, var_v: T.handle, var_T_attention: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True)})
        b = T.int64()
        s = T.int64()
        q = T.match_buffer(var_q, (b, s, T.int64(4), T.int64(32)))
        k = T.match_buffer(var_k, (b, s, T.int64(4), T.int64(32)))
        v = T.match_buffer(var_v, (b, s, T.int64(4), T.int64(32)))
        T_attention = T.match_buffer(var_T_attention, (b, s, T.int64(4), T.int64(32)))
        # with T.block("root"):
        T_score = T.alloc_buffer((b, T.int64(4), s, s))
        T_masked = T.alloc_buffer((b, T.int64(4), s, s))
        T_max = T.alloc_buffer((b, T.int64(4), s))
        T_exp = T.alloc_buffer((b, T.int64(4), s, s))
        T_sum = T.alloc_buffer((b, T.int64(4), s))
        T_total = T.alloc_buffer((b, T.int64(4), s, T.int64(32)))
        for b_1, h, i, j, d in T.grid(b, T.int64(4), s, s, T.int64(32)):
            with T.block("T_score"):
                v_b, v_h, v_i, v_j, v_d = T.axis.remap("SSSSR", [b_1, h, i, j, d])
                T.block_attr({"rlx.operator": "matmul bbmnk"})
                with T.init():
                    T_score[v_b, v_h, v_i, v_j] = T.float32(0.0)
                T_score[v_b, v_h, v_i, v_j] = T_score[v_b, v_h, v_i, v_j] + q[v_b, v_i, v_h, v_d] * k[v_b, v_j, v_h, v_d]
        for b_2, h, i, j in T.grid(b, T.int64(4), s, s):
            with T.block("T_masked"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSS", [b_2, h, i, j])
                T.block_attr({"rlx.operator": "elementwise ssss"})
                T_masked[v_b, v_h, v_i, v_j] = T.Select(v_j <= v_i, T_score[v_b, v_h, v_i, v_j] * T.float32(0.1767766922712326), T.float32(-3.0000000054977558e+38))
        for b_3, h, i, j in T.grid(b, T.int64(4), s, s):
            with T.block("T_max"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSR", [b_3, h, i, j])
                T.block_attr({"rlx.operator": "reduction sssk"})
                with T.init():
                    T_max[v_b, v_h, v_i] = T.float32(-3.4028234663852886e+38)
                T_max[v_b, v_h, v_i] = T.max(T_max[v_b, v_h, v_i], T_masked[v_b, v_h, v_i, v_j])
        for b_4, h, i, j in T.grid(b, T.int64(4), s, s):
            with T.block("T_exp"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSS", [b_4, h, i, j])
                T.block_attr({"rlx.operator": "elementwise ssss"})
                T_exp[v_b, v_h, v_i, v_j] = T.exp(T_masked[v_b, v_h, v_i, v_j] - T_max[v_b, v_h, v_i])
        for b_5, h, i, j in T.grid(b, T.int64(4), s, s):
            with T.block("T_sum"):
                v_b, v_h, v_i, v_j = T.axis.remap("SSSR", [b_5, h, i, j])
                T.block_attr({"rlx.operator": "reduction sssk"})
                with T.init():
                    T_sum[v_b, v_h, v_i] = T.float32(0.0)
                T_sum[v_b, v_h, v_i] = T_sum[v_b, v_h, v_i] + T_exp[v_b, v_h, v_i, v_j]
        for b_6, h, i, e, j in T.grid(b, T.int64(4), s, T.int64(32), s):
            with T.block("T_total"):
                v_b, v_h, v_i, v_e, v_j = T.axis.remap("SSSSR", [b_6, h, i, e, j])
                T.block_attr({"rlx.operator": "matmul bbmnk"})
                with T.init():
                    T_total[v_b, v_h, v_i, v_e] = T.float32(0.0)
                T_total[v_b, v_h, v_i, v_e] = T_total[v_b, v_h, v_i, v_e] + T_exp[v_b, v_h, v_i, v_j] * v[v_b, v_j, v_h, v_e]
        for b_7, i, h, e in T.grid(b, s, T.int64(4), T.int64(32)):
            with T.block("T_attention"):
                v_b, v_i, v_h, v_e = T.axis.remap("SSSS", [b_7, i, h, e])
                T.block_attr({"rlx.operator": "transpose ssss"})
                T_attention[v_b, v_i, v_h, v_e] = T.Select(s > T.int64(0), T_total[v_b, v_h, v_i, v_e] / T_sum[v_b, v_h, v_i], T.float32(0.0))
