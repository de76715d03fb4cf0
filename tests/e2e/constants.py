# ==== called
"""Constants in PrimFuncs that are called by name, in place, or return a value: equal ones are one in the file."""
# call main: tensor float32 [4] {0, 1, 2, 3} => tuple(tensor float32 [4] {10, 21, 32, 43}, tensor float32 [4] {1, 3, 5, 7}, int 10)
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        c = T.allocate_const([1.0, 2.0, 3.0, 4.0], "float32", [4])
        C = T.Buffer((4,), "float32", data=c)
        for i in range(4):
            B[i] = A[i] + C[i]

    @T.prim_func(private=True)
    def scale(A: T.Buffer((4,), "float32")):
        two = T.allocate_const([2.0], "float32", [1])
        Two = T.Buffer((1,), "float32", data=two)
        for i in range(4):
            with T.block("scale"):
                v = T.axis.spatial(4, i)
                A[v] = A[v] * Two[0]

    @T.prim_func(private=True)
    def total(n: T.int64) -> T.int64:
        c = T.allocate_const([1, 2, 3, 4], "int64", [4])
        C = T.Buffer((4,), "int64", data=c)
        return C[0] + C[1] + C[2] + C[3] + n

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        a = R.call_tir(cls.add, (x,), out_sinfo=R.Tensor((4,), "float32"))
        out = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0))
        _ = cls.add(x, out)
        b = R.add(a, R.const([9.0, 18.0, 27.0, 36.0]))
        c = R.call_tir_inplace(cls.scale, (R.multiply(a, R.const(0.5)),), inplace_indices=[0], out_sinfo=R.Tensor((4,), "float32"))
        n = cls.total(R.prim_value(0))
        return (R.add(b, R.subtract(c, a)), out, n)

# ==== in_prim_funcs
"""Constants inside PrimFuncs: in a loop, in parts, from the metadata, in a function called directly."""
# call main: tensor float32 [4] {0, 1, 2, 3} => tensor float32 [4] {40, 110, -280, 430}
metadata = tvm.ir.load_json("""{
  \"root\": 1,
  \"nodes\": [
    {\"type_key\": \"\"},
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]},
    {\"type_key\": \"Array\", \"data\": [3]},
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ],
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAEAAAAAAAAABAAAAAAAAAAAACAPwAAIEAAAEDAAACAQA==\"
  ],
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    @T.prim_func
    def nested(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.allocate_const([[1.0, 2.5], [-3.0, 4.0]], "float32", [2, 2]) as c:
                C = T.Buffer((4,), "float32", data=c)
                B[i] = A[i] + C[i]

    @T.prim_func(private=True)
    def parts(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        c = T.allocate_const(metadata["relax.expr.Constant"][0], "float32", [4])
        C = T.Buffer((2,), "float32", data=c)
        D = T.Buffer((2,), "float32", data=c, elem_offset=2)
        e = T.allocate_const([7], "int8", [1], annotations={"note": 1})
        E = T.Buffer((1,), "int8", data=e)
        for i in range(2):
            B[i] = A[i] + C[i]
            B[i + 2] = A[i + 2] + D[i] * T.Cast("float32", E[0])

    @T.prim_func(private=True)
    def direct(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        c = T.allocate_const([10.0], "float32", [1])
        C = T.Buffer((1,), "float32", data=c)
        for i in range(4):
            B[i] = A[i] * C[0]

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        a = R.call_tir(cls.nested, (x,), out_sinfo=R.Tensor((4,), "float32"))
        b = R.call_tir(cls.parts, (a,), out_sinfo=R.Tensor((4,), "float32"))
        c = R.call_tir(cls.nested, (b,), out_sinfo=R.Tensor((4,), "float32"))
        d = R.add(c, metadata["relax.expr.Constant"][0])
        out = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0))
        _ = cls.direct(d, out)
        return out

# ==== spelled
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
