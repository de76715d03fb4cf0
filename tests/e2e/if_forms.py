"""Branches: tuples, different shapes, nested, conditions of every kind, values of outer scopes."""
# call tuples: tensor bool [] {true}, tensor float32 [2] {1, 2} => tuple(tensor float32 [2] {1, 2}, tensor float32 [2] {2, 4})
# call tuples: tensor bool [] {false}, tensor float32 [2] {1, 2} => tuple(tensor float32 [2] {2, 4}, tensor float32 [2] {1, 2})
# call shapes: tensor bool [] {true}, tensor float32 [2] {1, 2} => tensor float32 [4] {1, 2, 1, 2}
# call shapes: tensor bool [] {false}, tensor float32 [2] {1, 2} => tensor float32 [1, 2] {1, 2}
# call nested: tensor bool [] {true}, tensor bool [] {false}, tensor float32 [2] {1, 2} => tensor float32 [2] {3, 4}
# call nested: tensor bool [] {true}, tensor bool [] {true}, tensor float32 [2] {1, 2} => tensor float32 [2] {2, 4}
# call nested: tensor bool [] {false}, tensor bool [] {true}, tensor float32 [2] {1, 2} => tensor float32 [2] {1, 4}
# call prim: int 3 => shape [6]
# call prim: int 2 => shape [1]
# call prim_bool: true => int 1
# call prim_bool: false => int 2
# call dims: tensor float32 [3, 4] {1,2,3,4,5,6,7,8,9,10,11,12} => tensor float32 [12] {1,2,3,4,5,6,7,8,9,10,11,12}
# call dims: tensor float32 [4, 2] {1,2,3,4,5,6,7,8} => tensor float32 [2, 4] {1,2,3,4,5,6,7,8}
# call effects: tensor bool [] {true}, tensor float32 [1] {5} => tensor float32 [1] {5}
# call early: tensor bool [] {true}, tensor float32 [1] {5} => tensor float32 [1] {10}
# call early: tensor bool [] {false}, tensor float32 [1] {5} => tensor float32 [1] {25}
# call long: tensor int64 [] {0} => tensor int64 [] {100}
# call long: tensor int64 [] {1} => tensor int64 [] {101}
# call long: tensor int64 [] {2} => tensor int64 [] {102}
# call long: tensor int64 [] {3} => tensor int64 [] {103}
# call number: tensor int32 [] {5}, tensor float32 [1] {3} => tensor float32 [1] {6}
# call number: tensor int32 [] {0}, tensor float32 [1] {3} => tensor float32 [1] {3}
# call of_one: tensor uint8 [1, 1] {1}, tensor float32 [1] {3} => tensor float32 [1] {6}
# call of_one: tensor uint8 [1, 1] {0}, tensor float32 [1] {3} => tensor float32 [1] {3}
# call any_length: tensor bool [1] {true}, tensor float32 [1] {3} => tensor float32 [1] {6}
# fail any_length: tensor bool [0] {}, tensor float32 [1] {3} => a tensor of one integer
# fail any_length: tensor bool [2] {true, true}, tensor float32 [1] {3} => a tensor of one integer
# call declared: tensor bool [1] {true}, tensor float32 [1] {3} => tensor float32 [1] {6}
# call declared: tensor bool [1] {false}, tensor float32 [1] {3} => tensor float32 [1] {3}
# fail declared: tensor float32 [1] {1}, tensor float32 [1] {3} => a tensor of one integer
# fail not_scalar: tensor bool [2] {true, false} => a tensor of one integer
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def tuples(c: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32")) -> R.Tuple(R.Tensor(("n",), "float32"), R.Tensor(("n",), "float32")):
        y = R.add(x, x)
        if c:
            r = (x, y)
        else:
            r = (y, x)
        a = r[0]
        b = r[1]
        return (a, b)

    @R.function
    def shapes(c: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32")) -> R.Tensor("float32"):
        n = T.int64()
        if c:
            r = R.concat([x, x])
        else:
            r = R.expand_dims(x, 0)
        return r

    @R.function
    def nested(c: R.Tensor((), "bool"), d: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        two = R.const(2, "float32")
        if c:
            if d:
                with R.dataflow():
                    a = R.multiply(x, two)
                    R.output(a)
                s = a
            else:
                s = R.add(x, two)
            r = s
        elif d:
            t = R.multiply(x, x)
            r = t
        else:
            r = x
        return r

    @R.function
    def prim(k: R.Prim(value="q")) -> R.Shape(ndim=1):
        q = T.int64()
        c = R.prim_value(q % 2 == 1)
        if c:
            r = R.shape([q * 2])
        else:
            r = R.shape([q // 2])
        return r

    @R.function
    def prim_bool(k: R.Prim("bool")) -> R.Prim("int64"):
        if k:
            r = R.prim_value(1)
        else:
            r = R.prim_value(2)
        return r

    @R.function
    def dims(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor("float32"):
        n = T.int64()
        m = T.int64()
        c = R.prim_value(n < m)
        if c:
            r = R.reshape(x, (n * m,))
        else:
            r = R.reshape(x, (m, n))
        return r

    @R.function(pure=False)
    def effects(c: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32")) -> R.Object:
        n = T.int64()
        if c:
            _ = R.assert_op(c, format="never")
        else:
            _ = R.print(x, format="{}")
        return x

    @R.function
    def early(c: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        if c:
            y = R.add(x, x)
            return y
        else:
            y = R.multiply(x, x)
            return y

    @R.function
    def long(i: R.Tensor((), "int64")) -> R.Tensor((), "int64"):
        if R.equal(i, R.const(0, "int64")):
            r = R.const(100, "int64")
        elif R.equal(i, R.const(1, "int64")):
            r = R.const(101, "int64")
        elif R.equal(i, R.const(2, "int64")):
            r = R.const(102, "int64")
        else:
            r = R.add(i, R.const(100, "int64"))
        return r

    @R.function
    def not_scalar(c: R.Object) -> R.Prim("int64"):
        d = R.match_cast(c, R.Tensor(dtype="bool"))
        if d:
            r = R.prim_value(1)
        else:
            r = R.prim_value(2)
        return r

    @R.function
    def number(c: R.Tensor((), "int32"), x: R.Tensor(("n",), "float32")):
        if c:
            y = R.add(x, x)
        else:
            y = x
        return y

    @R.function
    def of_one(c: R.Tensor((1, 1), "uint8"), x: R.Tensor(("n",), "float32")):
        if c:
            y = R.add(x, x)
        else:
            y = x
        return y

    @R.function
    def any_length(c: R.Tensor(("k",), "bool"), x: R.Tensor(("n",), "float32")):
        if c:
            y = R.add(x, x)
        else:
            y = x
        return y

    @R.function
    def declared(c: R.Tensor, x: R.Tensor(("n",), "float32")):
        t = R.call_pure_packed("test.id", c, sinfo_args=R.Tensor(ndim=1, dtype="float32"))
        if t:
            y = R.add(x, x)
        else:
            y = x
        return y
