# Forms from TVM's own tests: a variable's type used as a type, constructors by name, external functions in
# the module, attention with a bias, constants by class name.
# call typed: tensor float32 [2] {1, 2} => tensor float32 [2] {2, 4}
# call newer: tensor float32 [2] {1, 2} => tensor float32 [2] {2, 4}
# call cast: tensor float32 [2] {1, 2} => tensor float32 [2] {1, 2}
# call items: tensor float32 [1] {3}, tensor float32 [2] {1, 2} => tuple(tensor float32 [2] {1, 2}, tensor float32 [1] {3}, shape [2, 3])
# call attend: tensor float32 [1, 1, 1, 1] {1}, tensor float32 [1, 2, 1, 1] {0, 0}, tensor float32 [1, 2, 1, 1] {2, 4}, tensor float32 [1, 1, 1, 2] {0, 1000} => tuple(tensor float32 [1, 1, 1, 1] {4}, tensor float32 [1, 1, 1, 1] {4}, tensor float32 [1, 1, 1, 1] {3}, tensor float32 [1, 1, 1, 1] {3}, tensor float32 [1, 1, 1, 1] {3})
# call numbers: tensor float32 [2] {1, 2} => tensor float32 [2] {1.5, 2.5}
from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    twice = R.ExternFunc("test.twice")
    @R.function
    def typed(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        y = R.call_dps_packed("test.twice", (x,), x.struct_info)
        return y
    @R.function
    def newer(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        cls = Module
        y = R.call_dps_packed(cls.twice, (x,), out_sinfo=[x.ty])
        return y
    @R.function
    def cast(x: R.Tensor(("n",), "float32")):
        y: x.struct_info = R.add(x, x)
        z = R.match_cast(y, x.struct_info)
        return R.subtract(z, x)
    @R.function
    def items(x: R.Tensor((1,), "float32"), y: R.Tensor(("n",), "float32")):
        n = T.int64()
        t = R.tuple(x, y)
        a = R.TupleGetItem(t, 1)
        b = R.TupleGetItem(tuple_value=t, index=0)
        return (a, b, R.ShapeExpr((n, 3)))
    @R.function
    def attend(q: R.Tensor((1, 1, 1, 1), "float32"), k: R.Tensor((1, 2, 1, 1), "float32"), v: R.Tensor((1, 2, 1, 1), "float32"), b: R.Tensor((1, 1, 1, 2), "float32")):
        a = R.nn.attention(q, k, v, b, scale=T.FloatImm("float32", 0.5))
        c = R.nn.attention(q, k, v, bias=b)
        d = R.nn.attention(q, k, v, None, 0.5)
        e = R.nn.attention(q, k, v, bias=None, scale=0.5)
        f = R.nn.attention(q, k, v)
        return (a, c, d, e, f)
    @T.prim_func(private=True)
    def half_more(x: T.Buffer((T.IntImm("int64", 2),), "float32"), y: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.block("y"):
                vi = T.axis.spatial(2, i)
                y[vi] = x[vi] + T.FloatImm("float32", 0.5)
    @R.function
    def numbers(x: R.Tensor((2,), "float32")):
        return R.call_tir(Module.half_more, (x,), R.Tensor((2,), "float32"))
