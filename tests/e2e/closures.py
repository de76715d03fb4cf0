# ==== dataflow
"""Local functions in dataflow blocks, with dataflow blocks of their own."""
# call main: tensor float32 [3] {1, 2, 3} => tensor float32 [3] {6, 16, 30}
# call handed_out: tensor float32 [2] {1, 2} => tensor float32 [2] {2, 6}
from tvm.script import relax as R
from tvm.script import tir as T


@R.function
def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    with R.dataflow():
        y = R.add(x, x)

        @R.function
        def f(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            with R.dataflow():
                a = R.multiply(z, x)
                b = R.add(a, y)
                R.output(b)
            return b

        w = f(y)
        v = R.add(w, y)
        R.output(v)
    return v


@R.function
def handed_out(x: R.Tensor(("n",), "float32")) -> R.Object:
    n = T.int64()
    with R.dataflow():

        @R.function
        def f(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            return R.add(R.multiply(z, x), x)

        R.output(f)
    return f(x)

# ==== forms
"""Local functions: captured values and symbols, recursion, as arguments, in tuples, returned."""
# call captured: tensor float32 [2] {1, 2}, tensor float32 [2] {10, 20} => tensor float32 [2] {22, 44}
# call captured: tensor float32 [0] {}, tensor float32 [0] {} => tensor float32 [0] {}
# call in_tuple: tensor float32 [2] {1, 2} => tuple(tensor float32 [2] {2, 4}, tensor float32 [2] {1, 4})
# call passed: tensor float32 [2] {3, 4} => tensor float32 [2] {12, 16}
# call count_down: tensor int64 [] {4}, tensor float32 [1] {1} => tensor float32 [1] {16}
# call chosen: tensor bool [] {true}, tensor float32 [2] {3, 4} => tensor float32 [2] {6, 8}
# call chosen: tensor bool [] {false}, tensor float32 [2] {3, 4} => tensor float32 [2] {9, 16}
# call nested: tensor float32 [2] {3, 4} => tensor float32 [2] {10, 13}
# call made: tensor float32 [2] {3, 4}, tensor float32 [2] {1, 2} => tensor float32 [2] {2, 2}
# call host: tensor float32 [2] {3, 4} => tensor float32 [2] {6, 8}
# call twice_returned: tensor float32 [3] {1, 2, 3} => tensor float32 [3] {2, 4, 6}
# call tuple_captured: tensor float32 [3] {1, 2, 3} => tensor float32 [3] {2, 5, 10}
# call shape_captured: tensor float32 [2, 3] {1, 2, 3, 4, 5, 6} => tensor float32 [3, 2] {1, 2, 3, 4, 5, 6}
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def captured(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()

        @R.function
        def add(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            w: R.Tensor((n,), "float32") = R.add(z, y)
            return w

        @R.function
        def twice(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            a = add(z)
            b = R.add(a, a)
            return b

        r = twice(x)
        return r

    @R.function
    def in_tuple(x: R.Tensor(("n",), "float32")):
        n = T.int64()

        @R.function
        def dbl(z: R.Tensor(("k",), "float32")) -> R.Tensor(("k",), "float32"):
            return R.add(z, z)

        @R.function
        def sqr(z: R.Tensor(("k",), "float32")) -> R.Tensor(("k",), "float32"):
            return R.multiply(z, z)

        fs = (dbl, (sqr,))
        f = fs[0]
        g = fs[1][0]
        a = f(x)
        b = g(x)
        return (a, b)

    @R.function(private=True)
    def apply(f: R.Callable((R.Tensor(("n",), "float32"),), R.Tensor(("n",), "float32"), True), x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        a = f(x)
        b = f(a)
        return b

    @R.function
    def passed(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        cls = Module

        @R.function
        def dbl(z: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
            return R.add(z, z)

        y = cls.apply(dbl, x)
        return y

    @R.function
    def count_down(k: R.Tensor((), "int64"), x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()

        @R.function
        def loop(i: R.Tensor((), "int64"), z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            c: R.Tensor((), "bool") = R.less(i, k)
            if c:
                r: R.Tensor((n,), "float32") = loop(R.add(i, R.const(1, "int64")), R.add(z, z))
            else:
                r: R.Tensor((n,), "float32") = z
            return r

        y = loop(R.const(0, "int64"), x)
        return y

    @R.function
    def chosen(c: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32")) -> R.Object:
        n = T.int64()

        @R.function
        def dbl(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            return R.add(z, z)

        @R.function
        def sqr(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            return R.multiply(z, x)

        if c:
            f = dbl
        else:
            f = sqr
        y = f(x)
        return y

    @R.function
    def nested(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()

        @R.function
        def outer(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            one = R.const(1, "float32")

            @R.function
            def inner(w: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
                a = R.add(w, z)
                b = R.add(a, x)
                return R.add(b, one)

            return inner(z)

        return outer(x)

    @R.function(private=True)
    def sub2(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        return R.subtract(x, y)

    @R.function
    def made(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Object:
        n = T.int64()
        cls = Module
        f = R.make_closure(cls.sub2, (y,))
        z = R.invoke_pure_closure(f, (x,), sinfo_args=(R.Tensor((n,), "float32"),))
        return z

    @R.function(pure=False)
    def host(x: R.Tensor(("n",), "float32")) -> R.Object:
        n = T.int64()

        @R.function
        def dbl(z: R.Tensor(("m",), "float32")) -> R.Tensor(("m",), "float32"):
            return R.add(z, z)

        y = R.call_packed("test.call", dbl, x, sinfo_args=R.Tensor((n,), "float32"))
        return y

    @R.function(private=True)
    def adder(x: R.Tensor(("n",), "float32")) -> R.Callable((R.Tensor(("n",), "float32"),), R.Tensor(("n",), "float32"), True):
        n = T.int64()

        @R.function
        def add(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            return R.add(z, x)

        return add

    @R.function
    def twice_returned(x: R.Tensor(("n",), "float32")) -> R.Object:
        n = T.int64()
        cls = Module
        f = cls.adder(x)
        y = f(x)
        return y

    @R.function
    def tuple_captured(x: R.Tensor(("n",), "float32")) -> R.Object:
        n = T.int64()
        t = (R.multiply(x, x), (R.const(1, "float32"), x))

        @R.function
        def f(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            a = t[0]
            b = t[1]
            c = b[0]
            return R.add(R.multiply(a, R.divide(z, b[1])), c)

        return f(x)

    @R.function
    def shape_captured(x: R.Tensor(("n", "m"), "float32")) -> R.Object:
        n = T.int64()
        m = T.int64()
        s = R.shape([m, n])

        @R.function
        def f(z: R.Tensor((n, m), "float32")) -> R.Tensor((m, n), "float32"):
            return R.reshape(z, s)

        return f(x)

# ==== nested
"""Local functions in branches, nested, with symbols of match_cast, with shadowed names."""
# call in_branch: tensor bool [] {true}, tensor float32 [2] {1, 2} => tensor float32 [2] {2, 4}
# call in_branch: tensor bool [] {false}, tensor float32 [2] {1, 2} => tensor float32 [2] {1, 4}
# call of_cast: tensor float32 [4] {1, 2, 3, 4} => tensor float32 [2, 2] {1, 2, 3, 4}
# call three: tensor float32 [1] {1} => tensor float32 [1] {6}
# call shadowed: tensor float32 [1] {3} => tensor float32 [1] {12}
# call list_of: tensor float32 [1] {3} => tensor float32 [1] {24}
# call through_if: tensor bool [] {true}, tensor float32 [2] {5, 6} => tensor float32 [2] {10, 12}
# call loop_tuple: int 4, tensor float32 [1] {1} => tuple(int 4, tensor float32 [1] {5})
# call prim_captured: int 3, tensor float32 [2] {1, 2} => shape [3, 2]
# call name_is_symbol: tensor float32 [3] {1, 2, 3} => tensor float32 [3] {2, 4, 6}
# call no_parameters: => tensor float32 [2] {1, 1}
# call nothing: tensor float32 [1] {1} => tuple()
# call const_only: => int 3
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def in_branch(c: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        if c:
            @R.function
            def f(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
                return R.add(z, x)

            r = f(x)
        else:
            @R.function
            def g(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
                return R.multiply(z, x)

            r = g(x)
        return r

    @R.function
    def of_cast(x: R.Tensor("float32", ndim=1)) -> R.Tensor("float32", ndim=2):
        a = T.int64()
        y = R.match_cast(x, R.Tensor((a,), "float32"))

        @R.function
        def f(z: R.Tensor((a,), "float32")) -> R.Tensor((2, a // 2), "float32"):
            return R.reshape(z, (2, a // 2))

        return f(y)

    @R.function
    def three(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        one = R.const(1, "float32")

        @R.function
        def a(p: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            two = R.add(one, one)

            @R.function
            def b(q: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
                @R.function
                def c(r: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
                    return R.add(R.add(R.add(r, two), R.add(p, q)), one)

                return c(q)

            return b(p)

        return a(x)

    @R.function
    def shadowed(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()

        @R.function
        def f(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            x = R.add(x, x)
            return x

        x = f(x)
        x = f(x)
        return x

    @R.function
    def list_of(x: R.Tensor(("n",), "float32")) -> R.Object:
        n = T.int64()

        @R.function
        def f(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            return R.add(z, z)

        fs = (f, f, f)
        y = fs[0](x)
        y = fs[1](y)
        y = fs[2](y)
        return y

    @R.function
    def through_if(c: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32")) -> R.Object:
        n = T.int64()

        @R.function
        def f(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            if c:
                r = R.add(z, z)
            else:
                r = z
            return r

        return f(x)

    @R.function
    def loop_tuple(k: R.Prim(value="k_is"), x: R.Tensor(("n",), "float32")):
        k_is = T.int64()
        n = T.int64()

        @R.function
        def loop(i: R.Prim(value="i_is"), y: R.Tensor((n,), "float32")) -> R.Tuple(R.Prim("int64"), R.Tensor((n,), "float32")):
            i_is = T.int64()
            c = R.prim_value(i_is < k_is)
            if c:
                z = R.add(y, R.const(1, "float32"))
                r = loop(R.prim_value(i_is + 1), z)
            else:
                r = (i, y)
            return r

        t = loop(R.prim_value(0), x)
        a = t[0]
        b = t[1]
        return (a, b)

    @R.function
    def prim_captured(k: R.Prim(value="q"), x: R.Tensor(("n",), "float32")) -> R.Object:
        q = T.int64()
        n = T.int64()

        @R.function
        def f(z: R.Tensor((n,), "float32")) -> R.Shape([q, n]):
            return R.shape([q, n])

        return f(x)

    @R.function
    def name_is_symbol(n: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        y = R.add(n, n)
        return y

    @R.function
    def no_parameters() -> R.Tensor((2,), "float32"):
        return R.ones((2,), "float32")

    @R.function
    def nothing(x: R.Tensor(("n",), "float32")) -> R.Tuple:
        y = R.add(x, x)
        return ()

    @R.function
    def const_only() -> R.Prim("int64"):
        return R.prim_value(3)
