# Sizes that only data determines: a shape that is data, with memory behind the plan; a reshape to it; branches of two shapes; elements that are found;
# a size that may overflow.
@I.ir_module
class Module:
    @R.function
    def fill(x: R.Tensor(("n",), dtype="float32"), s: R.Tensor((2,), dtype="int64")) -> R.Tensor(dtype="float32", ndim=3):
        n = T.int64()
        a = T.int64()
        b = T.int64()
        shape: R.Shape(ndim=2) = R.tensor_to_shape(s)
        known: R.Shape([a, b]) = R.match_cast(shape, R.Shape([a, b]))
        ones: R.Tensor((a, b, 1), dtype="float32") = R.ones(R.shape([a, b, 1]), dtype="float32")
        sum: R.Tensor((a, b, n), dtype="float32") = R.add(ones, x)
        return sum

    @R.function
    def turn(x: R.Tensor(("n",), dtype="float32"), s: R.Tensor((2,), dtype="int64")) -> R.Tensor(dtype="float32", ndim=2):
        n = T.int64()
        a = T.int64()
        b = T.int64()
        shape: R.Shape(ndim=2) = R.tensor_to_shape(s)
        known: R.Shape([a, b]) = R.match_cast(shape, R.Shape([a, b]))
        y: R.Tensor((a, b), dtype="float32") = R.reshape(x, R.shape([a, b]))
        z: R.Tensor((b, a), dtype="float32") = R.permute_dims(y, axes=[1, 0])
        return z

    @R.function
    def choose(x: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor(dtype="float32", ndim=1):
        n = T.int64()
        if c:
            twice: R.Tensor((n * 2,), dtype="float32") = R.concat((x, x), axis=0)
            y: R.Tensor(dtype="float32", ndim=1) = twice
        else:
            y: R.Tensor(dtype="float32", ndim=1) = x
        return y

    @R.function
    def find(x: R.Tensor(("n", 2), dtype="float32")) -> R.Tuple(R.Tensor(dtype="int64", ndim=2), R.Tensor(dtype="float32", ndim=1)):
        n = T.int64()
        k = T.int64()
        found: R.Tensor(dtype="int64", ndim=2) = R.nonzero(x)
        places: R.Tensor((2, k), dtype="int64") = R.match_cast(found, R.Tensor((2, k), dtype="int64"))
        ones: R.Tensor((k,), dtype="float32") = R.ones(R.shape([k]), dtype="float32")
        powers: R.Tensor((k,), dtype="float32") = R.exp(ones)
        return (places, powers)

    @R.function
    def double(s: R.Tensor((1,), dtype="int64")) -> R.Tensor(dtype="float32", ndim=1):
        k = T.int64()
        shape: R.Shape(ndim=1) = R.tensor_to_shape(s)
        known: R.Shape([k]) = R.match_cast(shape, R.Shape([k]))
        ones: R.Tensor((k * 2,), dtype="float32") = R.ones(R.shape([k * 2]), dtype="float32")
        y: R.Tensor((k * 2,), dtype="float32") = R.exp(ones)
        return y

    @R.function
    def above(s: R.Tensor((1,), dtype="int64")) -> R.Tensor(dtype="float32", ndim=1):
        k = T.int64()
        shape: R.Shape(ndim=1) = R.tensor_to_shape(s)
        known: R.Shape([k]) = R.match_cast(shape, R.Shape([k]))
        ones: R.Tensor((T.max(k, 0) + 1,), dtype="float32") = R.ones(R.shape([T.max(k, 0) + 1]), dtype="float32")
        y: R.Tensor((T.max(k, 0) + 1,), dtype="float32") = R.exp(ones)
        return y

    @R.function
    def box(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("m",), dtype="float32"), z: R.Tensor(("k",), dtype="float32")) -> R.Tensor((), dtype="float32"):
        n = T.int64()
        m = T.int64()
        k = T.int64()
        a: R.Tensor((n, 1, 1), dtype="float32") = R.reshape(x, R.shape([n, 1, 1]))
        b: R.Tensor((1, m, 1), dtype="float32") = R.reshape(y, R.shape([1, m, 1]))
        sums: R.Tensor((n, m, k), dtype="float32") = R.add(R.add(a, b), z)
        along: R.Tensor((n, m, k), dtype="float32") = R.cumsum(sums, axis=1)
        largest: R.Tensor((), dtype="float32") = R.max(along)
        return largest
