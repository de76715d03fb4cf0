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
