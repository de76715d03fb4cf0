# Scalars as parameters, results and operands, as TVM 0.26 and 0.27 print them; conditions that are not bool scalars.
# call operands: tensor float32 [2] {1, 2}, float 0.5, int 1 => tuple(tensor float32 [2] {1.5, 2.5}, tensor float32 [] {2}, tensor float32 [2] {2, 3}, tensor float32 [2] {0, 1})
# call size: int 3, tensor float32 [3] {1, 2, 3} => tuple(int 3, tensor float32 [6] {1, 2, 3, 1, 2, 3})
# call condition: tensor bool [1] {true}, tensor int32 [] {0}, tensor float32 [2] {1, 2} => tensor float32 [2] {1, 4}
# call bools: tensor bool [2, 2] {true, true, false, true} => tuple(tensor bool [2] {true, true}, tensor bool [2] {true, false}, tensor bool [] {true}, tensor bool [] {false})
# call small: tensor float32 [2, 1, 3] {1, 2, 3, 4, 5, 6} => tuple(tensor float32 [2, 3] {1, 2, 3, 4, 5, 6}, tensor float32 [2] {-inf, nan})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T
@I.ir_module
class Module:
    @R.function
    def operands(x: R.Tensor((2,), "float32"), y: T.float32, k: T.int64):
        a: R.Tensor((2,), "float32") = R.add(x, y)
        b: R.Tensor((), "float32") = R.take(x, k, axis=0, mode="fast")
        c = R.add(x, R.prim_value(1))
        d = R.subtract(x, R.prim_value(T.float32(1)))
        return (a, b, c, d)
    @R.function
    def size(n: T.int64, x: R.Tensor((n,), "float32")) -> R.Tuple(T.int64, R.Tensor(("n * 2",), "float32")):
        m: T.int64 = n * 2
        y: R.Tensor((n * 2,), "float32") = R.concat((x, x))
        return (n, R.reshape(y, R.shape([m])))
    @R.function
    def condition(a: R.Tensor((1,), "bool"), b: R.Tensor((), "int32"), x: R.Tensor((2,), "float32")):
        if a:
            y = R.multiply(x, x)
        else:
            y = x
        if b:
            z = x
        else:
            z = y
        return z
    @R.function
    def bools(x: R.Tensor((2, 2), "bool")):
        return (R.sum(x, axis=1), R.prod(x, axis=[-1]), R.max(x), R.min(x))
    @R.function
    def small(x: R.Tensor((2, 1, 3), "float32")):
        return (R.squeeze(R.squeeze(x, [0]), [1]), R.stack((R.const("-inf", "float32"), R.const("nan", "float32"))))
print("this is not read", Module.script())
