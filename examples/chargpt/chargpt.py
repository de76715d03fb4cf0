# The character GPT: 4 transformer blocks of width 128 with 4 heads over a vocabulary of 83 characters.
# Batch b and length n (at most 128) are symbolic; the causal mask is computed from n. Weights come from
# chargpt.safetensors: a parameter is bound to the tensor of its name, with '.' written as '_'.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(
        tokens: R.Tensor(("b", "n"), dtype="int64"),
        tok_weight: R.Tensor((83, 128), dtype="float32"),
        pos_weight: R.Tensor((128, 128), dtype="float32"),
        blocks_0_ln1_weight: R.Tensor((128,), dtype="float32"),
        blocks_0_ln1_bias: R.Tensor((128,), dtype="float32"),
        blocks_0_qkv_weight: R.Tensor((384, 128), dtype="float32"),
        blocks_0_qkv_bias: R.Tensor((384,), dtype="float32"),
        blocks_0_proj_weight: R.Tensor((128, 128), dtype="float32"),
        blocks_0_proj_bias: R.Tensor((128,), dtype="float32"),
        blocks_0_ln2_weight: R.Tensor((128,), dtype="float32"),
        blocks_0_ln2_bias: R.Tensor((128,), dtype="float32"),
        blocks_0_fc1_weight: R.Tensor((512, 128), dtype="float32"),
        blocks_0_fc1_bias: R.Tensor((512,), dtype="float32"),
        blocks_0_fc2_weight: R.Tensor((128, 512), dtype="float32"),
        blocks_0_fc2_bias: R.Tensor((128,), dtype="float32"),
        blocks_1_ln1_weight: R.Tensor((128,), dtype="float32"),
        blocks_1_ln1_bias: R.Tensor((128,), dtype="float32"),
        blocks_1_qkv_weight: R.Tensor((384, 128), dtype="float32"),
        blocks_1_qkv_bias: R.Tensor((384,), dtype="float32"),
        blocks_1_proj_weight: R.Tensor((128, 128), dtype="float32"),
        blocks_1_proj_bias: R.Tensor((128,), dtype="float32"),
        blocks_1_ln2_weight: R.Tensor((128,), dtype="float32"),
        blocks_1_ln2_bias: R.Tensor((128,), dtype="float32"),
        blocks_1_fc1_weight: R.Tensor((512, 128), dtype="float32"),
        blocks_1_fc1_bias: R.Tensor((512,), dtype="float32"),
        blocks_1_fc2_weight: R.Tensor((128, 512), dtype="float32"),
        blocks_1_fc2_bias: R.Tensor((128,), dtype="float32"),
        blocks_2_ln1_weight: R.Tensor((128,), dtype="float32"),
        blocks_2_ln1_bias: R.Tensor((128,), dtype="float32"),
        blocks_2_qkv_weight: R.Tensor((384, 128), dtype="float32"),
        blocks_2_qkv_bias: R.Tensor((384,), dtype="float32"),
        blocks_2_proj_weight: R.Tensor((128, 128), dtype="float32"),
        blocks_2_proj_bias: R.Tensor((128,), dtype="float32"),
        blocks_2_ln2_weight: R.Tensor((128,), dtype="float32"),
        blocks_2_ln2_bias: R.Tensor((128,), dtype="float32"),
        blocks_2_fc1_weight: R.Tensor((512, 128), dtype="float32"),
        blocks_2_fc1_bias: R.Tensor((512,), dtype="float32"),
        blocks_2_fc2_weight: R.Tensor((128, 512), dtype="float32"),
        blocks_2_fc2_bias: R.Tensor((128,), dtype="float32"),
        blocks_3_ln1_weight: R.Tensor((128,), dtype="float32"),
        blocks_3_ln1_bias: R.Tensor((128,), dtype="float32"),
        blocks_3_qkv_weight: R.Tensor((384, 128), dtype="float32"),
        blocks_3_qkv_bias: R.Tensor((384,), dtype="float32"),
        blocks_3_proj_weight: R.Tensor((128, 128), dtype="float32"),
        blocks_3_proj_bias: R.Tensor((128,), dtype="float32"),
        blocks_3_ln2_weight: R.Tensor((128,), dtype="float32"),
        blocks_3_ln2_bias: R.Tensor((128,), dtype="float32"),
        blocks_3_fc1_weight: R.Tensor((512, 128), dtype="float32"),
        blocks_3_fc1_bias: R.Tensor((512,), dtype="float32"),
        blocks_3_fc2_weight: R.Tensor((128, 512), dtype="float32"),
        blocks_3_fc2_bias: R.Tensor((128,), dtype="float32"),
        ln_weight: R.Tensor((128,), dtype="float32"),
        ln_bias: R.Tensor((128,), dtype="float32"),
        head_weight: R.Tensor((83, 128), dtype="float32"),
    ) -> R.Tensor(("b", "n", 83), dtype="float32"):
        b = T.int64()
        n = T.int64()
        R.func_attr({"num_input": 1, "tir_var_upper_bound": {"n": 128}})
        with R.dataflow():
            positions = R.arange(R.prim_value(0), R.prim_value(n), R.prim_value(1), dtype="int64")
            token = R.take(tok_weight, tokens, axis=0)
            position = R.take(pos_weight, positions, axis=0)
            x = R.add(token, position)
            row = R.expand_dims(positions, axis=[1])
            column = R.expand_dims(positions, axis=[0])
            visible = R.greater_equal(row, column)
            mask = R.where(visible, R.const(0, "float32"), R.const(-1000000000, "float32"))
            norm1_0 = R.nn.layer_norm(x, blocks_0_ln1_weight, blocks_0_ln1_bias, axes=[-1], epsilon=1e-05)
            qkv_0 = R.add(R.matmul(norm1_0, R.permute_dims(blocks_0_qkv_weight)), blocks_0_qkv_bias)
            parts_0 = R.split(qkv_0, indices_or_sections=3, axis=2)
            q_0 = R.permute_dims(R.reshape(parts_0[0], R.shape([b, n, 4, 32])), axes=[0, 2, 1, 3])
            k_0 = R.permute_dims(R.reshape(parts_0[1], R.shape([b, n, 4, 32])), axes=[0, 2, 3, 1])
            v_0 = R.permute_dims(R.reshape(parts_0[2], R.shape([b, n, 4, 32])), axes=[0, 2, 1, 3])
            scores_0 = R.multiply(R.matmul(q_0, k_0), R.const(0.1767766922712326, "float32"))
            weights_0 = R.nn.softmax(R.add(scores_0, mask), axis=-1)
            heads_0 = R.permute_dims(R.matmul(weights_0, v_0), axes=[0, 2, 1, 3])
            joined_0 = R.reshape(heads_0, R.shape([b, n, 128]))
            attended_0 = R.add(R.matmul(joined_0, R.permute_dims(blocks_0_proj_weight)), blocks_0_proj_bias)
            x = R.add(x, attended_0)
            norm2_0 = R.nn.layer_norm(x, blocks_0_ln2_weight, blocks_0_ln2_bias, axes=[-1], epsilon=1e-05)
            hidden_0 = R.nn.gelu(R.add(R.matmul(norm2_0, R.permute_dims(blocks_0_fc1_weight)), blocks_0_fc1_bias))
            fed_0 = R.add(R.matmul(hidden_0, R.permute_dims(blocks_0_fc2_weight)), blocks_0_fc2_bias)
            x = R.add(x, fed_0)
            norm1_1 = R.nn.layer_norm(x, blocks_1_ln1_weight, blocks_1_ln1_bias, axes=[-1], epsilon=1e-05)
            qkv_1 = R.add(R.matmul(norm1_1, R.permute_dims(blocks_1_qkv_weight)), blocks_1_qkv_bias)
            parts_1 = R.split(qkv_1, indices_or_sections=3, axis=2)
            q_1 = R.permute_dims(R.reshape(parts_1[0], R.shape([b, n, 4, 32])), axes=[0, 2, 1, 3])
            k_1 = R.permute_dims(R.reshape(parts_1[1], R.shape([b, n, 4, 32])), axes=[0, 2, 3, 1])
            v_1 = R.permute_dims(R.reshape(parts_1[2], R.shape([b, n, 4, 32])), axes=[0, 2, 1, 3])
            scores_1 = R.multiply(R.matmul(q_1, k_1), R.const(0.1767766922712326, "float32"))
            weights_1 = R.nn.softmax(R.add(scores_1, mask), axis=-1)
            heads_1 = R.permute_dims(R.matmul(weights_1, v_1), axes=[0, 2, 1, 3])
            joined_1 = R.reshape(heads_1, R.shape([b, n, 128]))
            attended_1 = R.add(R.matmul(joined_1, R.permute_dims(blocks_1_proj_weight)), blocks_1_proj_bias)
            x = R.add(x, attended_1)
            norm2_1 = R.nn.layer_norm(x, blocks_1_ln2_weight, blocks_1_ln2_bias, axes=[-1], epsilon=1e-05)
            hidden_1 = R.nn.gelu(R.add(R.matmul(norm2_1, R.permute_dims(blocks_1_fc1_weight)), blocks_1_fc1_bias))
            fed_1 = R.add(R.matmul(hidden_1, R.permute_dims(blocks_1_fc2_weight)), blocks_1_fc2_bias)
            x = R.add(x, fed_1)
            norm1_2 = R.nn.layer_norm(x, blocks_2_ln1_weight, blocks_2_ln1_bias, axes=[-1], epsilon=1e-05)
            qkv_2 = R.add(R.matmul(norm1_2, R.permute_dims(blocks_2_qkv_weight)), blocks_2_qkv_bias)
            parts_2 = R.split(qkv_2, indices_or_sections=3, axis=2)
            q_2 = R.permute_dims(R.reshape(parts_2[0], R.shape([b, n, 4, 32])), axes=[0, 2, 1, 3])
            k_2 = R.permute_dims(R.reshape(parts_2[1], R.shape([b, n, 4, 32])), axes=[0, 2, 3, 1])
            v_2 = R.permute_dims(R.reshape(parts_2[2], R.shape([b, n, 4, 32])), axes=[0, 2, 1, 3])
            scores_2 = R.multiply(R.matmul(q_2, k_2), R.const(0.1767766922712326, "float32"))
            weights_2 = R.nn.softmax(R.add(scores_2, mask), axis=-1)
            heads_2 = R.permute_dims(R.matmul(weights_2, v_2), axes=[0, 2, 1, 3])
            joined_2 = R.reshape(heads_2, R.shape([b, n, 128]))
            attended_2 = R.add(R.matmul(joined_2, R.permute_dims(blocks_2_proj_weight)), blocks_2_proj_bias)
            x = R.add(x, attended_2)
            norm2_2 = R.nn.layer_norm(x, blocks_2_ln2_weight, blocks_2_ln2_bias, axes=[-1], epsilon=1e-05)
            hidden_2 = R.nn.gelu(R.add(R.matmul(norm2_2, R.permute_dims(blocks_2_fc1_weight)), blocks_2_fc1_bias))
            fed_2 = R.add(R.matmul(hidden_2, R.permute_dims(blocks_2_fc2_weight)), blocks_2_fc2_bias)
            x = R.add(x, fed_2)
            norm1_3 = R.nn.layer_norm(x, blocks_3_ln1_weight, blocks_3_ln1_bias, axes=[-1], epsilon=1e-05)
            qkv_3 = R.add(R.matmul(norm1_3, R.permute_dims(blocks_3_qkv_weight)), blocks_3_qkv_bias)
            parts_3 = R.split(qkv_3, indices_or_sections=3, axis=2)
            q_3 = R.permute_dims(R.reshape(parts_3[0], R.shape([b, n, 4, 32])), axes=[0, 2, 1, 3])
            k_3 = R.permute_dims(R.reshape(parts_3[1], R.shape([b, n, 4, 32])), axes=[0, 2, 3, 1])
            v_3 = R.permute_dims(R.reshape(parts_3[2], R.shape([b, n, 4, 32])), axes=[0, 2, 1, 3])
            scores_3 = R.multiply(R.matmul(q_3, k_3), R.const(0.1767766922712326, "float32"))
            weights_3 = R.nn.softmax(R.add(scores_3, mask), axis=-1)
            heads_3 = R.permute_dims(R.matmul(weights_3, v_3), axes=[0, 2, 1, 3])
            joined_3 = R.reshape(heads_3, R.shape([b, n, 128]))
            attended_3 = R.add(R.matmul(joined_3, R.permute_dims(blocks_3_proj_weight)), blocks_3_proj_bias)
            x = R.add(x, attended_3)
            norm2_3 = R.nn.layer_norm(x, blocks_3_ln2_weight, blocks_3_ln2_bias, axes=[-1], epsilon=1e-05)
            hidden_3 = R.nn.gelu(R.add(R.matmul(norm2_3, R.permute_dims(blocks_3_fc1_weight)), blocks_3_fc1_bias))
            fed_3 = R.add(R.matmul(hidden_3, R.permute_dims(blocks_3_fc2_weight)), blocks_3_fc2_bias)
            x = R.add(x, fed_3)
            final = R.nn.layer_norm(x, ln_weight, ln_bias, axes=[-1], epsilon=1e-05)
            logits = R.matmul(final, R.permute_dims(head_weight))
            R.output(logits)
        return logits
