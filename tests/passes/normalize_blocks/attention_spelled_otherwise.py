# Attention without batch and head, with swapped operands, powers of two, the scale after the mask or in the query:
# all become the seven blocks that R.nn.attention legalizes to.
# module tests/explain/attention_spelled_otherwise.py
