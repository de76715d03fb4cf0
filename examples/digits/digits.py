# Classifier of 8x8 images of digits: two convolutions, batch norm at inference, two dense layers, softmax.
# The batch n is symbolic. Weights come from digits.safetensors: a parameter is bound to the tensor of its
# name, with '.' written as '_'.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(
        image: R.Tensor(("n", 1, 8, 8), dtype="float32"),
        conv1_weight: R.Tensor((16, 1, 3, 3), dtype="float32"),
        conv1_bias: R.Tensor((16,), dtype="float32"),
        bn1_weight: R.Tensor((16,), dtype="float32"),
        bn1_bias: R.Tensor((16,), dtype="float32"),
        bn1_running_mean: R.Tensor((16,), dtype="float32"),
        bn1_running_var: R.Tensor((16,), dtype="float32"),
        conv2_weight: R.Tensor((32, 16, 3, 3), dtype="float32"),
        conv2_bias: R.Tensor((32,), dtype="float32"),
        fc1_weight: R.Tensor((64, 128), dtype="float32"),
        fc1_bias: R.Tensor((64,), dtype="float32"),
        fc2_weight: R.Tensor((10, 64), dtype="float32"),
        fc2_bias: R.Tensor((10,), dtype="float32"),
    ) -> R.Tensor(("n", 10), dtype="float32"):
        n = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            conv1 = R.nn.conv2d(image, conv1_weight, strides=[1, 1], padding=[1, 1, 1, 1])
            conv1_biased = R.add(conv1, R.reshape(conv1_bias, R.shape([1, 16, 1, 1])))
            norm = R.nn.batch_norm(
                conv1_biased, bn1_weight, bn1_bias, bn1_running_mean, bn1_running_var,
                axis=1, epsilon=1e-05, center=True, scale=True, momentum=0.1, training=False,
            )
            relu1 = R.nn.relu(norm[0])
            pool1 = R.nn.max_pool2d(relu1, pool_size=[2, 2], strides=[2, 2])
            conv2 = R.nn.conv2d(pool1, conv2_weight, strides=[1, 1], padding=[1, 1, 1, 1])
            relu2 = R.nn.relu(R.add(conv2, R.reshape(conv2_bias, R.shape([1, 32, 1, 1]))))
            pool2 = R.nn.max_pool2d(relu2, pool_size=[2, 2], strides=[2, 2])
            flat = R.reshape(R.flatten(pool2), R.shape([n, 128]))
            fc1 = R.nn.relu(R.add(R.matmul(flat, R.permute_dims(fc1_weight)), fc1_bias))
            fc2 = R.add(R.matmul(fc1, R.permute_dims(fc2_weight)), fc2_bias)
            probability = R.nn.softmax(fc2, axis=1)
            R.output(probability)
        return probability
