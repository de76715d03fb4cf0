# Updates at places that data gives: threads have the columns that no index touches and shares of the rows,
# or shares of both; on a CPU nothing is shared out.
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("opencl"), I.vdevice("opencl -device=cpu -vector-width=256")]})

    @R.function
    def rows(x: R.Tensor((5000, 20), "float32", "opencl:0"), i: R.Tensor(("k", 1), "int32", "opencl:0"), u: R.Tensor(("k", 20), "float32", "opencl:0")):
        with R.dataflow():
            y = R.scatter_nd(x, i, u, reduction="add")
            R.output(y)
        return y

    @R.function
    def elements(x: R.Tensor((8, "n"), "float32", "opencl:0"), i: R.Tensor(("k",), "int32", "opencl:0"), j: R.Tensor(("k",), "int32", "opencl:0"), u: R.Tensor(("k",), "float32", "opencl:0")):
        with R.dataflow():
            y = R.index_put(x, (i, j), u, accumulate=True)
            R.output(y)
        return y

    @R.function
    def lines(x: R.Tensor((8, "n"), "float32", "opencl:1"), i: R.Tensor((8, "k"), "int32", "opencl:1"), u: R.Tensor((8, "k"), "float32", "opencl:1")):
        with R.dataflow():
            y = R.scatter_elements(x, i, u, axis=1, reduction="max")
            R.output(y)
        return y

    @R.function
    def alone(x: R.Tensor(("n",), "float32", "opencl:1"), i: R.Tensor(("k",), "int32", "opencl:1"), u: R.Tensor(("k",), "float32", "opencl:1")):
        with R.dataflow():
            y = R.scatter_elements(x, i, u, axis=0)
            R.output(y)
        return y
