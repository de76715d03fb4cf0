"""Operators' requirements on dimensions with unrelated names are checked at run time."""
# call product: tensor float32 [1, 2] {1, 2}, tensor float32 [2, 2] {1, 2, 3, 4} => tensor float32 [1, 2] {7, 10}
# call product: tensor float32 [1, 0] {}, tensor float32 [0, 2] {} => tensor float32 [1, 2] {0, 0}
# fail product: tensor float32 [1, 2] {1, 2}, tensor float32 [1, 2] {1, 2} => matmul: dimension 1 of x1 'a' and dimension 0 of x2 'b' must be equal: 2 and 1
# call batches: tensor float32 [2, 1, 1] {2, 3}, tensor float32 [1, 1, 1] {5} => tensor float32 [2, 1, 1] {10, 15}
# call batches: tensor float32 [1, 1, 1] {5}, tensor float32 [2, 1, 1] {2, 3} => tensor float32 [2, 1, 1] {10, 15}
# call batches: tensor float32 [0, 1, 1] {}, tensor float32 [1, 1, 1] {5} => tensor float32 [0, 1, 1] {}
# call batches: tensor float32 [1, 1, 1] {5}, tensor float32 [0, 1, 1] {} => tensor float32 [0, 1, 1] {}
# call batches: tensor float32 [2, 1, 1] {2, 3}, tensor float32 [2, 1, 1] {5, 7} => tensor float32 [2, 1, 1] {10, 21}
# fail batches: tensor float32 [2, 1, 1] {2, 3}, tensor float32 [3, 1, 1] {5, 7, 9} => matmul: dimension 0 of x1 'a' and dimension 0 of x2 'b' must be equal, or one of them 1: 2 and 3
# call sums: tensor float32 [1] {1}, tensor float32 [3] {1, 2, 3}, tensor float32 [1] {10} => tensor float32 [3] {12, 13, 14}
# call sums: tensor float32 [3] {1, 2, 3}, tensor float32 [1] {1}, tensor float32 [3] {10, 20, 30} => tensor float32 [3] {12, 23, 34}
# call sums: tensor float32 [1] {1}, tensor float32 [1] {1}, tensor float32 [2] {10, 20} => tensor float32 [2] {12, 22}
# call sums: tensor float32 [1] {1}, tensor float32 [0] {}, tensor float32 [1] {10} => tensor float32 [0] {}
# fail sums: tensor float32 [1] {1}, tensor float32 [2] {1, 2}, tensor float32 [3] {1, 2, 3} => must be equal, or one of them 1: 2 and 3
# fail sums: tensor float32 [0] {}, tensor float32 [2] {1, 2}, tensor float32 [1] {1} => add: dimension 0 of lhs 'x' and dimension 0 of rhs 'y' must be equal, or one of them 1: 0 and 2
# call computed: tensor float32 [1] {3}, tensor float32 [2] {1, 2} => tensor float32 [2] {4, 5}
# call computed: tensor float32 [2] {3, 4}, tensor float32 [1] {1} => tensor float32 [4] {4, 5, 4, 5}
# call computed: tensor float32 [0] {}, tensor float32 [1] {1} => tensor float32 [0] {}
# fail computed: tensor float32 [2] {3, 4}, tensor float32 [3] {1, 2, 3} => must be equal, or one of them 1: 4 and 3
# call joined: tensor float32 [1, 2] {1, 2}, tensor float32 [2, 2] {3, 4, 5, 6} => tensor float32 [3, 2] {1, 2, 3, 4, 5, 6}
# fail joined: tensor float32 [1, 2] {1, 2}, tensor float32 [2, 1] {3, 4} => concat: dimension 1 of tensor 0 of tensors 'a' and dimension 1 of tensor 1 of tensors 'b' must be equal: 2 and 1
# call unused: tensor float32 [2] {1, 2}, tensor float32 [2] {3, 4} => tensor float32 [2] {1, 2}
# fail unused: tensor float32 [2] {1, 2}, tensor float32 [3] {3, 4, 5} => must be equal, or one of them 1: 2 and 3
# call branch: tensor bool [] {1}, tensor float32 [2] {1, 2}, tensor float32 [2] {3, 4} => tensor float32 [2] {4, 6}
# call branch: tensor bool [] {0}, tensor float32 [2] {1, 2}, tensor float32 [3] {3, 4, 5} => tensor float32 [2] {1, 2}
# fail branch: tensor bool [] {1}, tensor float32 [2] {1, 2}, tensor float32 [3] {3, 4, 5} => must be equal, or one of them 1: 2 and 3
# call groups: tensor float32 [1, 2] {1, 3}, tensor float32 [2] {1, 1}, tensor float32 [2] {0, 0} => tensor float32 [1, 2] {0, 0}
# fail groups: tensor float32 [1, 3] {1, 2, 3}, tensor float32 [3] {1, 1, 1}, tensor float32 [3] {0, 0, 0} => nn.group_norm: dimension 1 of x 'x' must be a multiple of 2: 3 and 2
# call written: tensor float32 [3] {1, 2, 3}, tensor int64 [1, 1] {1}, tensor float32 [1] {9} => tensor float32 [3] {1, 9, 3}
# fail written: tensor float32 [3] {1, 2, 3}, tensor int64 [1, 1] {1}, tensor float32 [2] {9, 8} => scatter_nd: dimension 0 of updates 'u' and dimension 0 of indices 'i' must be equal: 2 and 1
# call ranked: tensor float32 [1, 2] {1, 2}, tensor float32 [3] {1, 2, 3} => tuple(tensor float32 [1, 2] {2, 4}, tensor float32 [2] {2, 4})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def product(a: R.Tensor(("n", "k"), "float32"), b: R.Tensor(("l", "p"), "float32")):
        with R.dataflow():
            c = R.matmul(a, b)
            R.output(c)
        return c

    @R.function
    def batches(a: R.Tensor(("m", 1, 1), "float32"), b: R.Tensor(("n", 1, 1), "float32")):
        return R.matmul(a, b)

    @R.function
    def sums(x: R.Tensor(("m",), "float32"), y: R.Tensor(("n",), "float32"), z: R.Tensor(("k",), "float32")):
        with R.dataflow():
            a = R.add(R.add(x, y), z)
            R.output(a)
        return a

    @R.function
    def computed(x: R.Tensor(("m",), "float32"), y: R.Tensor(("n",), "float32")):
        t = R.tile(x, [2])
        return R.add(t, y)

    @R.function
    def joined(a: R.Tensor(("m", "k"), "float32"), b: R.Tensor(("n", "l"), "float32")):
        return R.concat((a, b), axis=0)

    @R.function
    def unused(x: R.Tensor(("m",), "float32"), y: R.Tensor(("n",), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.add(a, y)
            R.output(b)
        return x

    @R.function
    def branch(c: R.Tensor((), "bool"), x: R.Tensor(("m",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(dtype="float32", ndim=1):
        if c:
            r = R.add(x, y)
        else:
            r = x
        return r

    @R.function
    def groups(x: R.Tensor(("n", "c"), "float32"), g: R.Tensor(("c",), "float32"), b: R.Tensor(("c",), "float32")):
        return R.nn.group_norm(x, g, b, num_groups=2, channel_axis=1, axes=[])

    @R.function
    def written(x: R.Tensor(("n",), "float32"), i: R.Tensor(("k", 1), "int64"), u: R.Tensor(("l",), "float32")):
        return R.scatter_nd(x, i, u)

    @R.function
    def ranked(x: R.Tensor(dtype="float32", ndim=2), y: R.Tensor(dtype="float32", ndim=1)) -> R.Tuple(R.Tensor(dtype="float32", ndim=2), R.Tensor(dtype="float32", ndim=1)):
        a = R.add(x, x)
        b = R.sum(a, axis=[0])
        return (a, b)
