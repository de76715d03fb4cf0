# A packed function that may write its arguments gets copies of those that are read later: of
# parameters, constants, and operands of other bindings.
# call main: tensor float32 [2] {1, 2} => tuple(tensor float32 [2] {2, 4}, tensor float32 [2] {1, 2}, tensor float32 [2] {3, 3})
# call later: tensor float32 [2] {1, 2} => tensor float32 [2] {4, 8}
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        with R.dataflow():
            y = R.add(x, x)
            a = R.call_inplace_packed("vm.builtin.copy", y, inplace_indices=[0], sinfo_args=(R.Tensor((2,), dtype="float32"),))
            b = R.call_inplace_packed("vm.builtin.copy", x, inplace_indices=0, ty_args=R.Tensor((2,), dtype="float32"))
            c = R.call_inplace_packed("vm.builtin.copy", R.const([3, 3], "float32"), inplace_indices=[0], sinfo_args=(R.Tensor((2,), dtype="float32"),))
            R.output(a, b, c)
        return (a, b, c)

    @R.function
    def later(x: R.Tensor((2,), "float32")):
        with R.dataflow():
            y = R.add(x, x)
            a = R.call_inplace_packed("vm.builtin.copy", y, inplace_indices=[0], sinfo_args=(R.Tensor((2,), dtype="float32"),))
            b = R.add(a, y)
            R.output(b)
        return b
