# The number of elements of a tensor is the host's, wherever the tensor lies; an einsum of unequal
# symbols is on the device of its operands.
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl")]})
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32", "opencl:0")):
        size = R.size(x)
        square = R.einsum((x, x), "ij,jk->ik")
        return (size, square)
