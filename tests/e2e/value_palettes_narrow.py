"""Tables of elements of 8 and 16 bits, which vectors take by permutations; lines end within a vector."""
# call bytes: tensor uint8 [2, 19] {12, 1, 2, 3, 2, 10, 11, 7, 0, 1, 4, 5, 8, 6, 3, 2, 8, 9, 0, 1, 5, 5, 11, 6, 5, 5, 8, 7, 2, 9, 9, 12, 10, 3, 4, 8, 8, 12}, tensor int8 [2, 19] {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2}, tensor int8 [13] {-20, -13, -6, 1, 8, 15, 22, 29, 36, 43, 50, 57, 64} => tensor int8 [2, 19] {64, -12, -4, 4, -2, 50, 58, 31, -17, -9, 8, 16, 38, 25, 5, -6, 37, 45, -17, -9, 15, 16, 59, 25, 19, 15, 37, 31, -3, 47, 43, 65, 52, 4, 12, 36, 37, 66}
# call shorts: tensor uint8 [2, 19] {15, 4, 15, 0, 1, 15, 15, 4, 2, 5, 0, 14, 10, 9, 3, 7, 3, 12, 7, 0, 4, 11, 8, 5, 4, 1, 9, 10, 8, 14, 14, 3, 9, 10, 3, 4, 7, 15}, tensor uint16 [2, 19] {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2}, tensor uint16 [16] {20, 27, 34, 41, 48, 55, 62, 69, 76, 83, 90, 97, 104, 111, 118, 125} => tensor uint16 [2, 19] {125, 49, 127, 23, 31, 125, 126, 50, 37, 59, 20, 119, 92, 86, 45, 69, 42, 106, 72, 24, 48, 98, 78, 58, 52, 27, 84, 92, 79, 122, 118, 42, 85, 93, 45, 48, 70, 127}
# call halves: tensor uint8 [2, 19] {8, 6, 5, 1, 3, 7, 7, 5, 0, 6, 2, 7, 8, 3, 8, 6, 2, 7, 3, 0, 5, 7, 5, 3, 8, 4, 3, 1, 1, 6, 7, 2, 5, 7, 1, 2, 4, 8}, tensor float16 [2, 19] {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2}, tensor float16 [9] {-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2} => tensor float16 [2, 19] {2, 2, 2.5, 1.5, 3.5, 1.5, 2.5, 2.5, 1, 5, -1, 2.5, 4, 2.5, 6, 1, 0, 3.5, 2.5, 2, 0.5, 2.5, 2.5, 2.5, 6, 0, 0.5, 0.5, 1.5, 5, 1.5, 0, 2.5, 4.5, 2.5, -1, 1, 4}
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def bytes(q: R.Tensor(("m", "n"), "uint8"), x: R.Tensor(("m", "n"), "int8"), p: R.Tensor((13,), "int8")):
        y = R.add(R.take(p, R.astype(q, "int32")), x)
        return y

    @R.function
    def shorts(q: R.Tensor(("m", "n"), "uint8"), x: R.Tensor(("m", "n"), "uint16"), p: R.Tensor((16,), "uint16")):
        y = R.add(R.take(p, R.astype(q, "int32")), x)
        return y

    @R.function
    def halves(q: R.Tensor(("m", "n"), "uint8"), x: R.Tensor(("m", "n"), "float16"), p: R.Tensor((9,), "float16")):
        y = R.add(R.take(p, R.astype(q, "int32")), x)
        return y
