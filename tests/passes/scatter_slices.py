# ==== one_dimension
# x[1:] = v with indices as an exporter writes them.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3), "float32"), v: R.Tensor(("n - 1", 3), "float32")):
        n = T.int64()
        with R.dataflow():
            i = R.strided_slice(R.arange(0, n, 1, dtype="int64"), [0], [1], [n])
            y = R.scatter_nd(x, R.expand_dims(i, 1), v, reduction="update")
            R.output(y)
        return y
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3), dtype="float32"), v: R.Tensor(("n - 1", 3), dtype="float32")) -> R.Tensor(("n", 3), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((n,), dtype="int64") = R.arange(R.prim_value(0), R.prim_value(n), R.prim_value(1), dtype="int64")
            i: R.Tensor((n - T.min(n, 1),), dtype="int64") = R.strided_slice(lv, (R.prim_value(0),), (R.prim_value(1),), (R.prim_value(n),), assume_inbound=False)
            lv_1: R.Tensor((n - T.min(n, 1), 1), dtype="int64") = R.expand_dims(i, axis=[1])
            _: R.Tuple = R.check_sizes(R.prim_value(n - 1), R.prim_value(n - T.min(n, 1)), relation="equal", message="scatter_nd: dimension 0 of updates 'v' and dimension 0 of indices 'lv' must be equal")
            lv_2: R.Tensor((n - 1, 1), dtype="int64") = R.match_cast(lv_1, R.Tensor((n - 1, 1), dtype="int64"))
            updates: R.Tensor((n - 1, 3), dtype="float32") = R.reshape(v, R.shape([n - 1, 3]))
            assigned: R.Tensor((n, 3), dtype="float32") = R.slice_scatter(x, updates, R.prim_value(1), R.prim_value(n), R.prim_value(1), axis=0)
            R.output(assigned)
        return assigned

# ==== box
# x[:, 1, 0:4:2] = v; the vectors of indices are concatenated.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("b", 2, 5, 3), "float32"), v: R.Tensor(("b", 1, 2, 3), "float32")):
        b = T.int64()
        with R.dataflow():
            i = R.reshape(R.arange(0, b, 1, dtype="int64"), R.shape([b, 1, 1]))
            i0 = R.expand_dims(R.broadcast_to(i, R.shape([b, 1, 2])), 3)
            i1 = R.expand_dims(R.broadcast_to(R.const([[[1]]], "int64"), R.shape([b, 1, 2])), 3)
            i2 = R.expand_dims(R.broadcast_to(R.const([0, 2], "int64"), R.shape([b, 1, 2])), 3)
            y = R.scatter_nd(x, R.concat((i0, i1, i2), axis=-1), v, reduction="update")
            R.output(y)
        return y
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAwAAAABAAQABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAAIAAAAAAAAAAEAAAAAAAAA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAABAAQACAAAAAAAAABAAAAAAAAAAAAAAAAAAAAACAAAAAAAAAA==\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("b", 2, 5, 3), dtype="float32"), v: R.Tensor(("b", 1, 2, 3), dtype="float32")) -> R.Tensor(("b", 2, 5, 3), dtype="float32"):
        b = T.int64()
        with R.dataflow():
            lv: R.Tensor((b,), dtype="int64") = R.arange(R.prim_value(0), R.prim_value(b), R.prim_value(1), dtype="int64")
            i: R.Tensor((b, 1, 1), dtype="int64") = R.reshape(lv, R.shape([b, 1, 1]))
            lv_1: R.Tensor((b, 1, 2), dtype="int64") = R.broadcast_to(i, R.shape([b, 1, 2]))
            i0: R.Tensor((b, 1, 2, 1), dtype="int64") = R.expand_dims(lv_1, axis=[3])
            lv_2: R.Tensor((b, 1, 2), dtype="int64") = R.broadcast_to(metadata["relax.expr.Constant"][0], R.shape([b, 1, 2]))
            i1: R.Tensor((b, 1, 2, 1), dtype="int64") = R.expand_dims(lv_2, axis=[3])
            lv_3: R.Tensor((b, 1, 2), dtype="int64") = R.broadcast_to(metadata["relax.expr.Constant"][1], R.shape([b, 1, 2]))
            i2: R.Tensor((b, 1, 2, 1), dtype="int64") = R.expand_dims(lv_3, axis=[3])
            lv_4: R.Tensor((b, 1, 2, 3), dtype="int64") = R.concat((i0, i1, i2), axis=-1)
            updates: R.Tensor((b, 1, 2, 3), dtype="float32") = R.reshape(v, R.shape([b, 1, 2, 3]))
            part: R.Tensor((b, 1, 5, 3), dtype="float32") = R.strided_slice(x, (R.prim_value(1),), (R.prim_value(1),), (R.prim_value(2),), (R.prim_value(1),), assume_inbound=True)
            assigned: R.Tensor((b, 1, 5, 3), dtype="float32") = R.slice_scatter(part, updates, R.prim_value(0), R.prim_value(3), R.prim_value(2), axis=2)
            assigned_1: R.Tensor((b, 2, 5, 3), dtype="float32") = R.slice_scatter(x, assigned, R.prim_value(1), R.prim_value(2), R.prim_value(1), axis=1)
            R.output(assigned_1)
        return assigned_1

# ==== constant_indices
# All indices in one constant: x[1:3, -1] = v; and the whole of x.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 2), "float32"), v: R.Tensor((2,), "float32"), w: R.Tensor((4, 2), "float32")):
        with R.dataflow():
            y = R.scatter_nd(x, R.const([[1, -1], [2, -1]], "int64"), v, reduction="update")
            z = R.scatter_nd(x, R.const([[0], [1], [2], [3]], "int64"), w, reduction="update")
            r = (y, z)
            R.output(r)
        return r
# ---- expected
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 2), dtype="float32"), v: R.Tensor((2,), dtype="float32"), w: R.Tensor((4, 2), dtype="float32")) -> R.Tuple(R.Tensor((4, 2), dtype="float32"), R.Tensor((4, 2), dtype="float32")):
        with R.dataflow():
            updates: R.Tensor((2, 1), dtype="float32") = R.reshape(v, R.shape([2, 1]))
            part: R.Tensor((2, 2), dtype="float32") = R.strided_slice(x, (R.prim_value(0),), (R.prim_value(1),), (R.prim_value(3),), (R.prim_value(1),), assume_inbound=True)
            assigned: R.Tensor((2, 2), dtype="float32") = R.slice_scatter(part, updates, R.prim_value(1), R.prim_value(2), R.prim_value(1), axis=1)
            assigned_1: R.Tensor((4, 2), dtype="float32") = R.slice_scatter(x, assigned, R.prim_value(1), R.prim_value(3), R.prim_value(1), axis=0)
            updates_1: R.Tensor((4, 2), dtype="float32") = R.reshape(w, R.shape([4, 2]))
            r: R.Tuple(R.Tensor((4, 2), dtype="float32"), R.Tensor((4, 2), dtype="float32")) = (assigned_1, updates_1)
            R.output(r)
        return r

# ==== not_slices
# Repeated, unordered and unequal indices, dimensions in another order, positions that may be
# outside, extreme numbers, ranges of narrow elements that wrap, slices of unclipped negative
# bounds, and sums stay scatters.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 4), "float32"), v: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32"), z: R.Tensor(("n", 4), "float32"), u: R.Tensor((1, 4), "float32"), wide: R.Tensor((300,), "float32")):
        n = T.int64()
        with R.dataflow():
            repeated = R.scatter_nd(x, R.const([[1], [1]], "int64"), v, reduction="update")
            unordered = R.scatter_nd(x, R.const([[2], [1]], "int64"), v, reduction="update")
            unequal = R.scatter_nd(x, R.const([[0], [1], [3], [2]], "int64"), w, reduction="update")
            rows = R.expand_dims(R.broadcast_to(R.arange(0, 4, 1, dtype="int64"), R.shape([4, 4])), 2)
            columns = R.expand_dims(R.broadcast_to(R.expand_dims(R.arange(0, 4, 1, dtype="int64"), 1), R.shape([4, 4])), 2)
            transposed = R.scatter_nd(x, R.concat((rows, columns), axis=-1), w, reduction="update")
            outside = R.scatter_nd(z, R.const([[2]], "int64"), u, reduction="update")
            extreme = R.scatter_nd(x, R.const([[9223372036854775807], [-9223372036854775807]], "int64"), v, reduction="update")
            wrapped = R.scatter_nd(wide, R.expand_dims(R.arange(0, 300, 1, dtype="int8"), 1), wide, reduction="update")
            unclipped = R.scatter_nd(x, R.expand_dims(R.strided_slice(R.arange(0, 4, 1, dtype="int64"), [0], [-3], [-1], [1], assume_inbound=True), 1), v, reduction="update")
            summed = R.scatter_nd(x, R.const([[1], [2]], "int64"), v, reduction="add")
            r = (repeated, unordered, unequal, transposed, outside, extreme, wrapped, unclipped, summed)
            R.output(r)
        return r
# ---- expected
metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {\"type_key\": \"\"}, 
    {\"type_key\": \"Map\", \"keys\": [\"relax.expr.Constant\"], \"data\": [2]}, 
    {\"type_key\": \"Array\", \"data\": [3, 4, 5, 6, 7, 8]}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"0\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"1\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"2\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"3\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"4\", \"span\": \"0\", \"struct_info_\": \"0\"}}, 
    {\"type_key\": \"relax.expr.Constant\", \"attrs\": {\"data\": \"5\", \"span\": \"0\", \"struct_info_\": \"0\"}}
  ], 
  \"b64ndarrays\": [
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAABAAQACAAAAAAAAAAEAAAAAAAAAEAAAAAAAAAABAAAAAAAAAAEAAAAAAAAA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAABAAQACAAAAAAAAAAEAAAAAAAAAEAAAAAAAAAACAAAAAAAAAAEAAAAAAAAA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAABAAQAEAAAAAAAAAAEAAAAAAAAAIAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAwAAAAAAAAACAAAAAAAAAA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAABAAQABAAAAAAAAAAEAAAAAAAAACAAAAAAAAAACAAAAAAAAAA==\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAABAAQACAAAAAAAAAAEAAAAAAAAAEAAAAAAAAAD/////////fwEAAAAAAACA\", 
    \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAABAAQACAAAAAAAAAAEAAAAAAAAAEAAAAAAAAAABAAAAAAAAAAIAAAAAAAAA\"
  ], 
  \"attrs\": {\"tvm_version\": \"0.20.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 4), dtype="float32"), v: R.Tensor((2, 4), dtype="float32"), w: R.Tensor((4, 4), dtype="float32"), z: R.Tensor(("n", 4), dtype="float32"), u: R.Tensor((1, 4), dtype="float32"), wide: R.Tensor((300,), dtype="float32")) -> R.Tuple(R.Tensor((4, 4), dtype="float32"), R.Tensor((4, 4), dtype="float32"), R.Tensor((4, 4), dtype="float32"), R.Tensor((4, 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32"), R.Tensor((4, 4), dtype="float32"), R.Tensor((300,), dtype="float32"), R.Tensor((4, 4), dtype="float32"), R.Tensor((4, 4), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            repeated: R.Tensor((4, 4), dtype="float32") = R.scatter_nd(x, metadata["relax.expr.Constant"][0], v, reduction="update")
            unordered: R.Tensor((4, 4), dtype="float32") = R.scatter_nd(x, metadata["relax.expr.Constant"][1], v, reduction="update")
            unequal: R.Tensor((4, 4), dtype="float32") = R.scatter_nd(x, metadata["relax.expr.Constant"][2], w, reduction="update")
            lv: R.Tensor((4,), dtype="int64") = R.arange(R.prim_value(0), R.prim_value(4), R.prim_value(1), dtype="int64")
            lv_1: R.Tensor((4, 4), dtype="int64") = R.broadcast_to(lv, R.shape([4, 4]))
            rows: R.Tensor((4, 4, 1), dtype="int64") = R.expand_dims(lv_1, axis=[2])
            lv_2: R.Tensor((4,), dtype="int64") = R.arange(R.prim_value(0), R.prim_value(4), R.prim_value(1), dtype="int64")
            lv_3: R.Tensor((4, 1), dtype="int64") = R.expand_dims(lv_2, axis=[1])
            lv_4: R.Tensor((4, 4), dtype="int64") = R.broadcast_to(lv_3, R.shape([4, 4]))
            columns: R.Tensor((4, 4, 1), dtype="int64") = R.expand_dims(lv_4, axis=[2])
            lv_5: R.Tensor((4, 4, 2), dtype="int64") = R.concat((rows, columns), axis=-1)
            transposed: R.Tensor((4, 4), dtype="float32") = R.scatter_nd(x, lv_5, w, reduction="update")
            outside: R.Tensor((n, 4), dtype="float32") = R.scatter_nd(z, metadata["relax.expr.Constant"][3], u, reduction="update")
            extreme: R.Tensor((4, 4), dtype="float32") = R.scatter_nd(x, metadata["relax.expr.Constant"][4], v, reduction="update")
            lv_6: R.Tensor((300,), dtype="int8") = R.arange(R.prim_value(0), R.prim_value(300), R.prim_value(1), dtype="int8")
            lv_7: R.Tensor((300, 1), dtype="int8") = R.expand_dims(lv_6, axis=[1])
            wrapped: R.Tensor((300,), dtype="float32") = R.scatter_nd(wide, lv_7, wide, reduction="update")
            lv_8: R.Tensor((4,), dtype="int64") = R.arange(R.prim_value(0), R.prim_value(4), R.prim_value(1), dtype="int64")
            lv_9: R.Tensor((2,), dtype="int64") = R.strided_slice(lv_8, (R.prim_value(0),), (R.prim_value(-3),), (R.prim_value(-1),), (R.prim_value(1),), assume_inbound=True)
            lv_10: R.Tensor((2, 1), dtype="int64") = R.expand_dims(lv_9, axis=[1])
            unclipped: R.Tensor((4, 4), dtype="float32") = R.scatter_nd(x, lv_10, v, reduction="update")
            summed: R.Tensor((4, 4), dtype="float32") = R.scatter_nd(x, metadata["relax.expr.Constant"][5], v, reduction="add")
            r: R.Tuple(R.Tensor((4, 4), dtype="float32"), R.Tensor((4, 4), dtype="float32"), R.Tensor((4, 4), dtype="float32"), R.Tensor((4, 4), dtype="float32"), R.Tensor((n, 4), dtype="float32"), R.Tensor((4, 4), dtype="float32"), R.Tensor((300,), dtype="float32"), R.Tensor((4, 4), dtype="float32"), R.Tensor((4, 4), dtype="float32")) = (repeated, unordered, unequal, transposed, outside, extreme, wrapped, unclipped, summed)
            R.output(r)
        return r
