"""Constants inside PrimFuncs as several printers spell them: a tensor of the module's table, elements in lists of any depth, no dimensions, as operands of the module's own constants."""
# each FORM: table flat
# call FORM: tensor float32 [4] {0, 1, 2, 3} => tensor float32 [4] {1, 3.5, -1, 7}
# end
# call ranks: tensor float32 [4] {0, 1, 2, 3} => tensor float32 [4] {4, 6, 9, 14}
# call types: tensor float32 [4] {0, 1, 2, 3} => tensor float32 [4] {1, -127, 65537, 4}
metadata = tvm.ir.load_json("""{
  \"root\": 1,
  \"nodes\": [
    {\"type_key\": \"\"},
    {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]},
    {\"type_key\": \"Array\", \"data\": [3]},
    {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAEAAAAAAAAABAAAAAAAAAAAACAPwAAIEAAAEDAAACAQA==\"}
  ],
  \"b64ndarrays\": [],
  \"attrs\": {\"tvm_version\": \"0.17.0\"}
}""")
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    I.module_attrs({"constants": [metadata["runtime.NDArray"][0]]})

    @T.prim_func(private=True)
    def of_table(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        c = T.allocate_const(metadata["runtime.NDArray"][0], "float32", [4], annotations={"irmod_storage_idx": 0})
        C = T.decl_buffer((4,), data=c)
        for i in range(4):
            with T.block("B"):
                v = T.axis.spatial(4, i)
                T.reads(A[v], C[v])
                T.writes(B[v])
                B[v] = A[v] + C[v]

    @T.prim_func(private=True)
    def of_list(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        with T.allocate_const([1.0, 2.5, -3.0, 4.0], "float32", [2, 2]) as c:
            C = T.buffer_decl([2, 2], dtype="float32", data=c)
            for i in T.parallel(0, 4):
                B[i] = A[i] + C[i // 2, i % 2]

    @T.prim_func(private=True)
    def of_ranks(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        s = T.allocate_const(3.0, "float32", [])
        S = T.Buffer((), "float32", data=s)
        d = T.allocate_const([[[[[[[[1]], [[2]]]]]]], [[[[[[[4]], [[8]]]]]]]], "int16", [2, 1, 1, 1, 1, 1, 2, 1, 1])
        D = T.Buffer((2, 1, 1, 1, 1, 1, 2, 1, 1), "int16", data=d)
        e = T.allocate_const([], "float32", [0])
        for i in range(4):
            if i >= 0:
                B[i] = A[i] + S[()] + T.Cast("float32", D[i // 2, 0, 0, 0, 0, 0, i % 2, 0, 0])

    @T.prim_func(private=True)
    def of_types(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("B"):
                v = T.axis.spatial(4, i)
                f = T.allocate_const([True, False, T.bool(True), 0], "bool", [4])
                F = T.Buffer((4,), "bool", data=f)
                n = T.allocate_const([0, T.int8(-128), 0, 0], "int8", [4])
                N = T.Buffer((4,), "int8", data=n)
                u = T.allocate_const([0, 0, 65535, 0], "uint16", [4])
                U = T.Buffer((4,), "uint16", data=u)
                h = T.allocate_const([T.float16(1), 0, -1, 1], "float16", [4])
                H = T.Buffer((4,), "float16", data=h)
                B[v] = A[v] + T.Cast("float32", N[v]) + T.Cast("float32", U[v]) + T.Select(F[v], T.Cast("float32", H[v]), T.Cast("float32", H[3 - v]) * T.float32(0)) + T.Select(v > 0 and F[v], T.float32(1), T.float32(0)) + T.Select(v == 3, T.float32(1), T.float32(0))

    @R.function
    def table(x: R.Tensor((4,), "float32")):
        cls = Module
        return R.call_tir(cls.of_table, (x,), out_sinfo=R.Tensor((4,), "float32"))

    @R.function
    def flat(x: R.Tensor((4,), "float32")):
        cls = Module
        return R.call_tir(cls.of_list, (x,), out_sinfo=R.Tensor((4,), "float32"))

    @R.function
    def ranks(x: R.Tensor((4,), "float32")):
        cls = Module
        return R.call_tir(cls.of_ranks, (x,), out_sinfo=R.Tensor((4,), "float32"))

    @R.function
    def types(x: R.Tensor((4,), "float32")):
        cls = Module
        return R.call_tir(cls.of_types, (x,), out_sinfo=R.Tensor((4,), "float32"))

    __tvm_meta__ = None
