# ==== causal
# Attention where threads run in step: a thread for each query, over the keys that it sees.
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("cuda", 0, "global")]})
    @R.function
    def main(q: R.Tensor((1, "n", 2, 4), "float32", "cuda:0"), k: R.Tensor((1, "n", 2, 4), "float32", "cuda:0"), v: R.Tensor((1, "n", 2, 4), "float32", "cuda:0")):
        with R.dataflow():
            o = R.nn.attention(q, k, v, causal_mask="TopLeft")
            R.output(o)
        return o
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("cuda", 0, "global"), I.vdevice("llvm", 0, "global")]})
    @R.function
    def main(q: R.Tensor((1, "n", 2, 4), dtype="float32", vdevice="cuda:0"), k: R.Tensor((1, "n", 2, 4), dtype="float32", vdevice="cuda:0"), v: R.Tensor((1, "n", 2, 4), dtype="float32", vdevice="cuda:0")) -> R.Tensor((1, "n", 2, 4), dtype="float32", vdevice="cuda:0"):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = Module
        o: R.Tensor((1, n, 2, 4), dtype="float32", vdevice="cuda:0") = R.builtin.alloc_tensor(R.shape([1, n, 2, 4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.attention(q, k, v, o)
        return o

    @T.prim_func(private=True)
    def attention(var_q: T.handle, var_k: T.handle, var_v: T.handle, var_T_attention: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True), "target": "cuda"})
        n = T.int64()
        q = T.match_buffer(var_q, (T.int64(1), n, T.int64(2), T.int64(4)))
        k = T.match_buffer(var_k, (T.int64(1), n, T.int64(2), T.int64(4)))
        v = T.match_buffer(var_v, (T.int64(1), n, T.int64(2), T.int64(4)))
        T_attention = T.match_buffer(var_T_attention, (T.int64(1), n, T.int64(2), T.int64(4)))
        with T.block("root"):
            with T.block("flash"):
                for block in T.thread_binding(T.int64(2) * ((n + T.int64(63)) // T.int64(64)), thread="blockIdx.x"):
                    for thread in T.thread_binding(T.int64(64), thread="threadIdx.x"):
                        if block % ((n + T.int64(63)) // T.int64(64)) * T.int64(64) + thread < n:
                            q_1 = T.allocate([T.int64(4)], "float32", "global")
                            q_2 = T.decl_buffer((T.int64(4),), data=q_1)
                            o = T.allocate([T.int64(4)], "float32", "global")
                            o_1 = T.decl_buffer((T.int64(4),), data=o)
                            largest = T.allocate([T.int64(1)], "float32", "global")
                            largest_1 = T.decl_buffer((T.int64(1),), data=largest)
                            sum = T.allocate([T.int64(1)], "float32", "global")
                            sum_1 = T.decl_buffer((T.int64(1),), data=sum)
                            for d in T.unroll(T.int64(4)):
                                q_2[d] = q[T.int64(0), block % ((n + T.int64(63)) // T.int64(64)) * T.int64(64) + thread, block // ((n + T.int64(63)) // T.int64(64)) % T.int64(2), d] * T.float32(0.5)
                            for e in T.unroll(T.int64(4)):
                                o_1[e] = T.float32(0.0)
                            largest_1[T.int64(0)] = T.float32(-3.4028234663852886e+38)
                            sum_1[T.int64(0)] = T.float32(0.0)
                            for j in range(T.Select(block % ((n + T.int64(63)) // T.int64(64)) * T.int64(64) + thread >= T.int64(0), T.min(n, T.min(block % ((n + T.int64(63)) // T.int64(64)) * T.int64(64) + thread, n - T.int64(1)) + T.int64(1)), n)):
                                score = T.allocate([T.int64(1)], "float32", "global")
                                score_1 = T.decl_buffer((T.int64(1),), data=score)
                                before = T.allocate([T.int64(1)], "float32", "global")
                                before_1 = T.decl_buffer((T.int64(1),), data=before)
                                weight = T.allocate([T.int64(1)], "float32", "global")
                                weight_1 = T.decl_buffer((T.int64(1),), data=weight)
                                score_1[T.int64(0)] = T.float32(0.0)
                                for d in T.unroll(T.int64(4)):
                                    score_1[T.int64(0)] = score_1[T.int64(0)] + q_2[d] * k[T.int64(0), j, block // ((n + T.int64(63)) // T.int64(64)) % T.int64(2), d]
                                score_1[T.int64(0)] = T.Select(j <= block % ((n + T.int64(63)) // T.int64(64)) * T.int64(64) + thread, score_1[T.int64(0)], T.float32(-3.0000000054977558e+38))
                                before_1[T.int64(0)] = largest_1[T.int64(0)]
                                largest_1[T.int64(0)] = T.Select(largest_1[T.int64(0)] < score_1[T.int64(0)], score_1[T.int64(0)], largest_1[T.int64(0)])
                                weight_1[T.int64(0)] = T.exp_nonpositive(score_1[T.int64(0)] - largest_1[T.int64(0)])
                                before_1[T.int64(0)] = T.exp_nonpositive(before_1[T.int64(0)] - largest_1[T.int64(0)])
                                sum_1[T.int64(0)] = sum_1[T.int64(0)] * before_1[T.int64(0)] + weight_1[T.int64(0)]
                                for e in T.unroll(T.int64(4)):
                                    o_1[e] = o_1[e] * before_1[T.int64(0)] + weight_1[T.int64(0)] * v[T.int64(0), j, block // ((n + T.int64(63)) // T.int64(64)) % T.int64(2), e]
                            inverse = T.allocate([T.int64(1)], "float32", "global")
                            inverse_1 = T.decl_buffer((T.int64(1),), data=inverse)
                            inverse_1[T.int64(0)] = T.float32(1.0) / sum_1[T.int64(0)]
                            for e in T.unroll(T.int64(4)):
                                T_attention[T.int64(0), block % ((n + T.int64(63)) // T.int64(64)) * T.int64(64) + thread, block // ((n + T.int64(63)) // T.int64(64)) % T.int64(2), e] = T.Select(n > T.int64(0), o_1[e] * inverse_1[T.int64(0)], T.float32(0.0))
