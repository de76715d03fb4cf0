"""Arithmetic of every element type; expected values are NumPy's."""
# call f_int8: tensor int8 [5] {7, 127, -128, 5, 12}, tensor int8 [5] {2, 3, 5, 7, 4} => tuple(tensor int8 [5] {22, 3, 48, 30, 57}, tensor int8 [5] {7, -1, 5, 7, 12}, tensor bool [5] {false, false, true, true, false})
# call f_int16: tensor int16 [5] {7, 32767, -32768, 5, 12}, tensor int16 [5] {2, 3, 5, 7, 4} => tuple(tensor int16 [5] {22, 3, 13104, 30, 57}, tensor int16 [5] {7, -1, 5, 7, 12}, tensor bool [5] {false, false, true, true, false})
# call f_int32: tensor int32 [5] {7, 2147483647, -2147483648, 5, 12}, tensor int32 [5] {2, 3, 5, 7, 4} => tuple(tensor int32 [5] {22, 3, 858993456, 30, 57}, tensor int32 [5] {7, -1, 5, 7, 12}, tensor bool [5] {false, false, true, true, false})
# call f_int64: tensor int64 [5] {7, 9223372036854775807, -9223372036854775808, 5, 12}, tensor int64 [5] {2, 3, 5, 7, 4} => tuple(tensor int64 [5] {22, 3, 3689348814741910320, 30, 57}, tensor int64 [5] {7, -1, 5, 7, 12}, tensor bool [5] {false, false, true, true, false})
# call f_uint8: tensor uint8 [5] {7, 255, 0, 5, 12}, tensor uint8 [5] {2, 3, 5, 7, 4} => tuple(tensor uint8 [5] {22, 252, 5, 30, 57}, tensor uint8 [5] {7, 127, 5, 7, 12}, tensor bool [5] {false, false, true, true, false})
# call f_uint16: tensor uint16 [5] {7, 65535, 0, 5, 12}, tensor uint16 [5] {2, 3, 5, 7, 4} => tuple(tensor uint16 [5] {22, 65532, 5, 30, 57}, tensor uint16 [5] {7, 32767, 5, 7, 12}, tensor bool [5] {false, false, true, true, false})
# call f_uint32: tensor uint32 [5] {7, 4294967295, 0, 5, 12}, tensor uint32 [5] {2, 3, 5, 7, 4} => tuple(tensor uint32 [5] {22, 4294967292, 5, 30, 57}, tensor uint32 [5] {7, 2147483647, 5, 7, 12}, tensor bool [5] {false, false, true, true, false})
# call f_uint64: tensor uint64 [5] hex "0700000000000000ffffffffffffffff000000000000000005000000000000000c00000000000000", tensor uint64 [5] hex "02000000000000000300000000000000050000000000000007000000000000000400000000000000" => tuple(tensor uint64 [5] hex "1600000000000000fcffffffffffffff05000000000000001e000000000000003900000000000000", tensor uint64 [5] hex "0700000000000000ffffffffffffff7f050000000000000007000000000000000c00000000000000", tensor bool [5] {false, false, true, true, false})
# call f_float16: tensor float16 [3] hex "0038003e8040", tensor float16 [3] hex "004000c20034" => tuple(tensor float16 [3] hex "a83900c5c848", tensor float16 [3] hex "983e7b44be48", tensor int32 [3] {0, 1, 2})
# call f_float32: tensor float32 [3] {0.5, 1.5, 2.25}, tensor float32 [3] {2.0, -3.0, 0.25} => tuple(tensor float32 [3] {0.7071067690849304, -5.0, 9.5625}, tensor float32 [3] {1.6487212181091309, 4.481688976287842, 9.487735748291016}, tensor int32 [3] {0, 1, 2})
# call f_float64: tensor float64 [3] {0.5, 1.5, 2.25}, tensor float64 [3] {2.0, -3.0, 0.25} => tuple(tensor float64 [3] {0.7071067811865476, -5.0, 9.5625}, tensor float64 [3] {1.6487212707001282, 4.481689070338065, 9.487735836358526}, tensor int32 [3] {0, 1, 2})
# call f_bfloat16: tensor bfloat16 [3] hex "003fc03f1040", tensor bfloat16 [3] hex "004040c0803e" => tuple(tensor bfloat16 [3] hex "353fa0c01941", tensor bfloat16 [3] hex "d33f8f401841", tensor int32 [3] {0, 1, 2})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
# each DTYPE: int8 int16 int32 int64 uint8 uint16 uint32 uint64
    @T.prim_func(private=True)
    def k_DTYPE(a: T.handle, b: T.handle, c: T.handle, d: T.handle, e: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "DTYPE")
        B = T.match_buffer(b, (n,), "DTYPE")
        C = T.match_buffer(c, (n,), "DTYPE")
        D = T.match_buffer(d, (n,), "DTYPE")
        E = T.match_buffer(e, (n,), "bool")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                C[vi] = T.max(A[vi] * B[vi] + A[vi] // B[vi] * T.DTYPE(3) - A[vi] % B[vi], B[vi])
                D[vi] = T.shift_right(T.shift_left(T.bitwise_or(T.bitwise_and(A[vi], B[vi]), T.bitwise_xor(A[vi], B[vi])), T.DTYPE(1)), T.DTYPE(1))
                E[vi] = A[vi] < B[vi]

    @R.function
    def f_DTYPE(x: R.Tensor(("n",), "DTYPE"), y: R.Tensor(("n",), "DTYPE")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.k_DTYPE, (x, y), out_sinfo=[R.Tensor((n,), "DTYPE"), R.Tensor((n,), "DTYPE"), R.Tensor((n,), "bool")])

# end
# each DTYPE: float16 float32 float64 bfloat16
    @T.prim_func(private=True)
    def k_DTYPE(a: T.handle, b: T.handle, c: T.handle, d: T.handle, e: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "DTYPE")
        B = T.match_buffer(b, (n,), "DTYPE")
        C = T.match_buffer(c, (n,), "DTYPE")
        D = T.match_buffer(d, (n,), "DTYPE")
        E = T.match_buffer(e, (n,), "int32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                C[vi] = T.Select(A[vi] > B[vi], A[vi] * B[vi] + A[vi] / B[vi], T.sqrt(A[vi]))
                D[vi] = T.exp(A[vi])
                E[vi] = T.Cast("int32", A[vi])

    @R.function
    def f_DTYPE(x: R.Tensor(("n",), "DTYPE"), y: R.Tensor(("n",), "DTYPE")):
        n = T.int64()
        cls = Module
        return R.call_tir(cls.k_DTYPE, (x, y), out_sinfo=[R.Tensor((n,), "DTYPE"), R.Tensor((n,), "DTYPE"), R.Tensor((n,), "int32")])

# end
