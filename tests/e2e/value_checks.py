"""Run-time values for which an operator is undefined: strict modules, the default, name them."""
# call rows: tensor float32 [3, 1] {1, 2, 3}, tensor int64 [3] {0, -3, 2} => tensor float32 [3, 1] {1, 1, 3}
# fail rows: tensor float32 [3, 1] {1, 2, 3}, tensor int64 [2] {0, 1000000000} => take: index 1000000000 at [1] is out of range: expected -3 to 2
# fail rows: tensor float32 [3, 1] {1, 2, 3}, tensor int64 [1] {-4} => index -4 at [0]
# fail rows: tensor float32 [0, 1] {}, tensor int64 [1] {0} => index 0 at [0] is out of range: the dimension is empty
# call rows: tensor float32 [0, 1] {}, tensor int64 [0] {} => tensor float32 [0, 1] {}
# fail flat: tensor float32 [2, 2] {1, 2, 3, 4}, tensor int32 [1] {4} => index 4 at [0] is out of range: expected -4 to 3
# call stated: tensor float32 [2] {1, 2}, tensor int64 [2] {5, 2} => tuple(tensor float32 [2] {2, 2}, tensor float32 [2] {2, 1})
# fail nan: tensor float32 [2] {1, 2}, tensor float32 [2] {1, nan} => take: index -9223372036854775808 at [1]
# fail unsigned: tensor float32 [2] {1, 2}, tensor uint64 [1] hex "ffffffffffffffff" => index 18446744073709551615 at [0] is out of range: expected -2 to 1
# fail elements: tensor float32 [2, 2] {1, 2, 3, 4}, tensor int64 [1, 2] {0, 2} => gather_elements: index 2 at [0, 1] is out of range: expected -2 to 1
# fail vectors: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6}, tensor int64 [2, 2] {1, 2, 2, 0} => gather_nd: index 2 at [1, 0] is out of range: expected -2 to 1
# fail tuples: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6}, tensor int64 [1] {0}, tensor int64 [1] {-4} => index_tensor: index -4 at [0] is out of range: expected -3 to 2
# fail put: tensor float32 [2] {1, 2}, tensor int64 [1] {2}, tensor float32 [1] {5} => index_put: index 2 at [0]
# fail scatter: tensor float32 [2] {1, 2}, tensor int64 [1] {-3}, tensor float32 [1] {5} => scatter_elements: index -3 at [0]
# fail scatter_nd: tensor float32 [2] {1, 2}, tensor int64 [1, 1] {7}, tensor float32 [1] {5} => scatter_nd: index 7 at [0, 0]
# fail reversed: tensor float32 [1, 2] {1, 2}, tensor int64 [1] {3} => reverse_sequence: length 3 at [0] is out of range: expected 0 to 2
# call loss: tensor float32 [2, 2] {1, 2, 3, 4}, tensor int64 [2] {1, -100} => tensor float32 [] {-2}
# fail loss: tensor float32 [2, 2] {1, 2, 3, 4}, tensor int64 [2] {1, 2} => nn.nll_loss: class 2 at [1] is out of range: expected 0 to 1
# fail quotients: tensor int32 [2] {4, 5}, tensor int32 [2] {2, 0} => divide: the divisor at [1] is 0
# fail remainder: tensor int8 [1] {4}, tensor int8 [] {0} => floor_mod: the divisor is 0
# call quotients: tensor int32 [2] {-2147483648, 5}, tensor int32 [2] {-1, 2} => tensor int32 [2] {-2147483648, 2}
# fail dynamic: tensor float32 [3] {1, 2, 3}, tensor int64 [1] {0} => strided_slice: the stride of dimension 0 is 0
# call dynamic: tensor float32 [3] {1, 2, 3}, tensor int64 [1] {2} => tensor float32 [2] {1, 3}
# call counted: tensor float32 [3] {1, 2, 3} => tensor float32 [3] {3, 2, 1}
# call regions: tensor float32 [1, 1, 1, 1] {7}, tensor float32 [1, 5] {0, 0, 0, 1, 1} => tensor float32 [1, 1, 1, 1] {7}
# fail regions: tensor float32 [1, 1, 1, 1] {7}, tensor float32 [2, 5] {0, 0, 0, 1, 1, 1, 0, 0, 1, 1} => vision.roi_align: batch index 1 at [1, 0] is out of range: expected 0 or more and less than 1
# fail regions: tensor float32 [1, 1, 1, 1] {7}, tensor float32 [1, 5] {-1, 0, 0, 1, 1} => vision.roi_align: batch index -1 at [0, 0]
# fail regions: tensor float32 [1, 1, 1, 1] {7}, tensor float32 [1, 5] {nan, 0, 0, 1, 1} => vision.roi_align: batch index nan at [0, 0]
# fail pools: tensor float32 [1, 1, 1, 1] {7}, tensor float32 [1, 5] {2, 0, 0, 1, 1} => vision.roi_pool: batch index 2 at [0, 0]
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def rows(x: R.Tensor(("n", 1), "float32"), i: R.Tensor(("k",), "int64")):
        y = R.take(x, i, axis=0)
        return y

    @R.function
    def regions(x: R.Tensor(("n", 1, 1, 1), "float32"), i: R.Tensor(("k", 5), "float32")):
        y = R.vision.roi_align(x, i, pooled_size=(1, 1), spatial_scale=1.0, sample_ratio=1, aligned=False)
        return y

    @R.function
    def pools(x: R.Tensor(("n", 1, 1, 1), "float32"), i: R.Tensor(("k", 5), "float32")):
        y = R.vision.roi_pool(x, i, pooled_size=(1, 1), spatial_scale=1.0)
        return y

    @R.function
    def flat(x: R.Tensor(("n", 2), "float32"), i: R.Tensor(("k",), "int32")):
        y = R.take(x, i)
        return y

    @R.function
    def stated(x: R.Tensor((2,), "float32"), i: R.Tensor((2,), "int64")):
        with R.dataflow():
            clipped = R.take(x, i, axis=0, mode="clip")
            wrapped = R.take(x, i, axis=0, mode="wrap")
            R.output(clipped, wrapped)
        return (clipped, wrapped)

    @R.function
    def nan(x: R.Tensor((2,), "float32"), i: R.Tensor((2,), "float32")):
        y = R.take(x, R.astype(i, "int64"), axis=0)
        return y

    @R.function
    def unsigned(x: R.Tensor((2,), "float32"), i: R.Tensor((1,), "uint64")):
        y = R.take(x, i, axis=0)
        return y

    @R.function
    def elements(x: R.Tensor(("n", 2), "float32"), i: R.Tensor(("m", 2), "int64")):
        y = R.gather_elements(x, i, axis=0)
        return y

    @R.function
    def vectors(x: R.Tensor(("n", 3), "float32"), i: R.Tensor(("m", 2), "int64")):
        y = R.gather_nd(x, i)
        return y

    @R.function
    def tuples(x: R.Tensor(("n", 3), "float32"), i: R.Tensor((1,), "int64"), j: R.Tensor((1,), "int64")):
        y = R.index_tensor(x, (i, j))
        return y

    @R.function
    def put(x: R.Tensor(("n",), "float32"), i: R.Tensor((1,), "int64"), v: R.Tensor((1,), "float32")):
        y = R.index_put(x, (i,), v)
        return y

    @R.function
    def scatter(x: R.Tensor(("n",), "float32"), i: R.Tensor((1,), "int64"), v: R.Tensor((1,), "float32")):
        y = R.scatter_elements(x, i, v)
        return y

    @R.function
    def scatter_nd(x: R.Tensor(("n",), "float32"), i: R.Tensor((1, 1), "int64"), v: R.Tensor((1,), "float32")):
        y = R.scatter_nd(x, i, v)
        return y

    @R.function
    def reversed(x: R.Tensor(("b", "n"), "float32"), i: R.Tensor(("b",), "int64")):
        y = R.reverse_sequence(x, i, seq_axis=1, batch_axis=0)
        return y

    @R.function
    def loss(x: R.Tensor(("n", 2), "float32"), i: R.Tensor(("n",), "int64")):
        y = R.nn.nll_loss(x, i)
        return y

    @R.function
    def quotients(x: R.Tensor(("n",), "int32"), y: R.Tensor(("n",), "int32")):
        z = R.divide(x, y)
        return z

    @R.function
    def remainder(x: R.Tensor(("n",), "int8"), y: R.Tensor((), "int8")):
        z = R.floor_mod(x, y)
        return z

    @R.function
    def dynamic(x: R.Tensor((3,), "float32"), s: R.Tensor((1,), "int64")):
        y = R.dynamic_strided_slice(x, R.const([0], "int64"), R.const([3], "int64"), s)
        return y

    @R.function
    def counted(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        y = R.take(x, R.subtract(R.const(2, "int64"), R.arange(n)), axis=0)
        return y
