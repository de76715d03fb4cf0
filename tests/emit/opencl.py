# ==== forms
# Threads that the module binds: memory of a block with a barrier, guards, loops that end early, and types that memory keeps shorter.
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global")]})

    @T.prim_func(private=True)
    def turned(a: T.handle, o: T.handle):
        T.func_attr({"target": "opencl"})
        n = T.int64()
        A = T.match_buffer(a, (n, 64), "float16")
        B = T.match_buffer(o, (n, 64), "float32")
        for i in T.thread_binding(n, thread="blockIdx.x"):
            S = T.decl_buffer((64,), "float32", scope="shared")
            for j in T.thread_binding(64, thread="threadIdx.x"):
                S[j] = T.Cast("float32", A[i, j])
            T.tvm_storage_sync("shared")
            for j in T.thread_binding(64, thread="threadIdx.x"):
                B[i, j] = S[63 - j] * T.exp(S[j])

    @T.prim_func(private=True)
    def first(a: T.Buffer((8, 100), "int8"), o: T.Buffer((100,), "int32")):
        T.func_attr({"target": "opencl"})
        for b in T.thread_binding(4, thread="blockIdx.x"):
            for j in T.thread_binding(32, thread="threadIdx.x"):
                if b * 32 + j < 100:
                    o[b * 32 + j] = -1
                    for i in range(8):
                        if a[i, b * 32 + j] > T.int8(0):
                            o[b * 32 + j] = i
                            T.break_loop()

    @R.function
    def main(x: R.Tensor(("n", 64), "float16", "opencl:0"), y: R.Tensor((8, 100), "int8", "opencl:0")):
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.turned, (x,), out_sinfo=R.Tensor((n, 64), "float32", "opencl:0"))
        b = R.call_tir(cls.first, (y,), out_sinfo=R.Tensor((100,), "int32", "opencl:0"))
        return (a, b)
# ---- expected
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
float rlx_from_half(ushort x) { return vload_half(0, (const half *)&x); }

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void rlx_turned_0(const __global uchar *A_1_memory, const long A_1_offset,
    __global uchar *B_2_memory, const long B_2_offset)
{
  __local float S_4[64];
  const __global ushort *A_1 = (const __global ushort *)(A_1_memory + A_1_offset);
  __global float *B_2 = (__global float *)(B_2_memory + B_2_offset);
  const int i_3 = (int)get_group_id(0);
  {
    const int j_5 = 0 + (int)get_local_id(0);
    const float t_6 = rlx_from_half(A_1[(((long)(long)i_3 * 64l) + (long)j_5)]);
    S_4[j_5] = t_6;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  {
    const int j_7 = 0 + (int)get_local_id(0);
    const float t_8 = S_4[(63 - j_7)];
    const float t_9 = S_4[j_7];
    const float t_10 = exp(t_9);
    B_2[(((long)(long)i_3 * 64l) + (long)j_7)] = (t_8 * t_10);
  }
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void rlx_first_0(const __global uchar *a_11_memory, const long a_11_offset,
    __global uchar *o_12_memory, const long o_12_offset)
{
  const __global char *a_11 = (const __global char *)(a_11_memory + a_11_offset);
  __global int *o_12 = (__global int *)(o_12_memory + o_12_offset);
  const int b_13 = (int)get_group_id(0);
  const int j_14 = (int)get_local_id(0);
  if (((int)((uint)(int)((uint)b_13 * (uint)32) + (uint)j_14) < 100)) {
    o_12[((b_13 * 32) + j_14)] = (-1);
    int jump_15[1];
    jump_15[0] = 0;
    for (int i_16 = 0; i_16 < 8; ++i_16) {
      const int t_17 = jump_15[0];
      if ((t_17 < 2)) {
        jump_15[0] = 0;
        const char t_18 = a_11[((i_16 * 100) + ((b_13 * 32) + j_14))];
        if ((t_18 > 0)) {
          o_12[((b_13 * 32) + j_14)] = i_16;
          jump_15[0] = 2;
        }
      }
    }
  }
}
