"""match_cast and match_shape: tensors, shapes, prims, tuples, results with data-dependent sizes."""
# call tensor: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [6] {2, 4, 6, 8, 10, 12}
# fail tensor: tensor float32 [2] {1, 2} => match_forms.py
# fail tensor: tensor int32 [1, 2] {1, 2} => expected Tensor((a, b), float32), got a int32 tensor of shape (1, 2)
# call shape: shape [2, 3] => shape [3, 2, 6]
# fail shape: shape [2, 3, 4] => shape of 3
# call prim: int 5 => tuple(int 11, shape [5])
# call tuple_cast: tuple(tensor float32 [2] {1, 2}, tuple(shape [2, 4], int 9)) => shape [2, 4, 9]
# fail tuple_cast: tuple(tensor float32 [3] {1, 2, 3}, tuple(shape [2, 4], int 9)) => a = 3
# fail tuple_cast: tuple(tensor float32 [3] {1, 2, 3}, shape [2]) => item 1
# call constant: tensor float32 [4] {1, 2, 3, 4} => tensor float32 [4] {2, 4, 6, 8}
# fail constant: tensor float32 [5] {1, 2, 3, 4, 5} => expected 4, got 5
# call distinct: tensor int64 [5] {3, 1, 3, 1, 7} => tuple(tensor int64 [3] {2, 6, 14}, shape [3], tensor int64 [4] {0, 1, 3, 7})
# call distinct: tensor int64 [0] {} => tuple(tensor int64 [0] {}, shape [0], tensor int64 [1] {0})
# call positions: tensor bool [2, 2] {true, false, true, true} => tuple(tensor int64 [2, 3] {0, 1, 1, 0, 0, 1}, tensor float32 [3] {1, 1, 1}, tensor float32 [3, 6] {0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0})
# call positions: tensor bool [1, 1] {false} => tuple(tensor int64 [2, 0] {}, tensor float32 [0] {}, tensor float32 [0, 0] {})
# call bound_twice: tensor float32 [4, 2] {1, 2, 3, 4, 5, 6, 7, 8} => shape [2]
# fail bound_twice: tensor float32 [5, 2] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10} => expected n * 2 = 4, got 5
# call expression: tensor float32 [4] {1, 2, 3, 4}, tensor float32 [9] {1, 2, 3, 4, 5, 6, 7, 8, 9} => shape [4, 9]
# fail expression: tensor float32 [4] {1, 2, 3, 4}, tensor float32 [8] {1, 2, 3, 4, 5, 6, 7, 8} => n * 2
# call in_dataflow: tensor float32 [2, 2] {1, 2, 3, 4} => tensor float32 [4] {2, 4, 6, 8}
# call in_branch: tensor bool [] {true}, tensor float32 [3] {1, 2, 3} => tensor float32 [3] {2, 4, 6}
# call in_branch: tensor bool [] {false}, tensor float32 [3] {1, 2, 3} => tensor float32 [3] {1, 4, 9}
# call old_style: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [6] {1, 2, 3, 4, 5, 6}
# call host: tensor float32 [3] {1, 2, 3} => tensor float32 [3] {2, 4, 6}
# call same_symbol_again: tensor float32 [3] {1, 2, 3}, tensor float32 [3] {1, 2, 3} => tensor float32 [3] {2, 4, 6}
# fail same_symbol_again: tensor float32 [3] {1, 2, 3}, tensor float32 [2] {1, 2} => expected k = 3, got 2
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def tensor(x: R.Object) -> R.Tensor(ndim=1, dtype="float32"):
        a = T.int64()
        b = T.int64()
        y = R.match_cast(x, R.Tensor((a, b), "float32"))
        z: R.Tensor((a * b,), "float32") = R.reshape(y, (a * b,))
        return R.add(z, z)

    @R.function
    def shape(s: R.Shape) -> R.Shape(ndim=3):
        a, b = T.int64(), T.int64()
        t = R.match_cast(s, R.Shape([a, b]))
        return R.shape([b, a, a * b])

    @R.function
    def prim(k: R.Prim("int64")):
        v = T.int64()
        _ = R.match_cast(k, R.Prim(value=v))
        return (R.prim_value(v * 2 + 1), R.shape([v]))

    @R.function
    def tuple_cast(x: R.Object) -> R.Shape(ndim=3):
        a, b, c = T.int64(), T.int64(), T.int64()
        y = R.match_cast(x, R.Tuple(R.Tensor((a,), "float32"), R.Tuple(R.Shape([a, b]), R.Prim(value=c))))
        return R.shape([a, b, c])

    @R.function
    def constant(x: R.Tensor("float32", ndim=1)) -> R.Tensor((4,), "float32"):
        y = R.match_cast(x, R.Tensor((4,), "float32"))
        return R.add(y, y)

    @R.function
    def distinct(x: R.Tensor(("n",), "int64")):
        n = T.int64()
        k = T.int64()
        u = R.unique(x)
        v = R.match_cast(u, R.Tensor((k,), "int64"))
        w = R.add(v, v)
        p: R.Tensor((k + 1,), "int64") = R.concat([R.zeros((1,), "int64"), v])
        return (w, R.shape([k]), p)

    @R.function
    def positions(x: R.Tensor(("n", "m"), "bool")):
        n, m, k = T.int64(), T.int64(), T.int64()
        with R.dataflow():
            i = R.nonzero(x)
            j = R.match_cast(i, R.Tensor((2, k), "int64"))
            o = R.ones((k,), "float32")
            z = R.zeros((k, k * 2), "float32")
            R.output(j, o, z)
        return (j, o, z)

    @R.function
    def bound_twice(x: R.Tensor(ndim=2, dtype="float32")) -> R.Shape(ndim=1):
        n = T.int64()
        y = R.match_cast(x, R.Tensor((n * 2, n), "float32"))
        return R.shape([n])

    @R.function
    def expression(x: R.Tensor(("n",), "float32"), y: R.Tensor("float32", ndim=1)) -> R.Shape(ndim=2):
        n = T.int64()
        z = R.match_cast(y, R.Tensor((n * 2 + 1,), "float32"))
        return R.shape([n, n * 2 + 1])

    @R.function
    def in_dataflow(x: R.Tensor("float32")) -> R.Tensor("float32", ndim=1):
        with R.dataflow():
            a, b = T.int64(), T.int64()
            lv = R.match_cast(x, R.Tensor((a, b), "float32"))
            lv1 = R.add(lv, lv)
            lv2 = R.reshape(lv1, (a * b,))
            R.output(lv2)
        return lv2

    @R.function
    def in_branch(c: R.Tensor((), "bool"), x: R.Tensor("float32")) -> R.Tensor("float32"):
        if c:
            a = T.int64()
            y = R.match_cast(x, R.Tensor((a,), "float32"))
            z = R.add(y, y)
        else:
            b = T.int64()
            y1 = R.match_cast(x, R.Tensor((b,), "float32"))
            z = R.multiply(y1, y1)
        return z

    @R.function
    def old_style(x: R.Tensor("float32", ndim=2)) -> R.Tensor("float32", ndim=1):
        p, q = T.var("int64"), T.var("int64")
        R.match_shape(x, (p, q))
        return R.reshape(x, (p * q,))

    @R.function(pure=False)
    def host(x: R.Tensor(("n",), "float32")) -> R.Tensor(ndim=1):
        y = R.call_packed("test.id", x, sinfo_args=R.Object)
        k = T.int64()
        z = R.match_cast(y, R.Tensor((k,), "float32"))
        return R.add(z, z)

    @R.function
    def same_symbol_again(x: R.Tensor("float32", ndim=1), y: R.Tensor("float32", ndim=1)) -> R.Tensor("float32", ndim=1):
        k = T.int64()
        a = R.match_cast(x, R.Tensor((k,), "float32"))
        b = R.match_cast(y, R.Tensor((k,), "float32"))
        return R.add(a, b)
