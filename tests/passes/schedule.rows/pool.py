# Windows over adjacent columns are pooled dimension by dimension on a padded copy, image by image.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, "h", "w"), "float32")):
        with R.dataflow():
            y = R.nn.max_pool2d(x, (3, 3), strides=[2, 2], padding=[1, 1, 1, 1])
            R.output(y)
        return y
