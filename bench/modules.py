"""TVMScript modules that `make bench` measures, as text."""

HEAD = """from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
"""


def dispatch(calls=1000):
    """Chains of a PrimFunc that fusion must leave alone (op_pattern 8: opaque), of a builtin, of nothing."""
    vector = 'R.Tensor((16,), "float32")'
    lines = [HEAD + f"""    @T.prim_func(private=True)
    def step(x: T.Buffer((T.int64(16),), "float32"), y: T.Buffer((T.int64(16),), "float32")):
        T.func_attr({{"op_pattern": 8, "tir.noalias": T.bool(True)}})
        for i in range(T.int64(16)):
            with T.block("step"):
                vi = T.axis.spatial(T.int64(16), i)
                y[vi] = x[vi] + T.float32(1)

    @R.function
    def kernels(x0: {vector}) -> {vector}:
        cls = Module"""]
    lines += [f"        x{i + 1} = R.call_tir(cls.step, (x{i},), out_sinfo={vector})" for i in range(calls)]
    lines += [f"        return x{calls}", "", "    @R.function(pure=False)",
              f"    def builtins(x0: {vector}) -> {vector}:"]
    lines += [f'        x{i + 1} = R.call_packed("vm.builtin.copy", x{i}, sinfo_args=({vector},))'
              for i in range(calls)]
    lines += [f"        return x{calls}", "", "    @R.function", f"    def empty(x0: {vector}) -> {vector}:",
              "        return x0"]
    return "\n".join(lines) + "\n"


def device_chain(kind, calls=1000):
    """A chain of kernels that are bound to threads already, on the first device of |kind|."""
    vector = f'R.Tensor((1024,), "float32", "{kind}:0")'
    lines = [HEAD + f"""    I.module_global_infos({{"vdevice": [I.vdevice("{kind}", 0, "global")]}})

    @T.prim_func(private=True)
    def step(x: T.Buffer((T.int64(1024),), "float32"), y: T.Buffer((T.int64(1024),), "float32")):
        T.func_attr({{"op_pattern": 8, "tir.noalias": T.bool(True), "target": T.target("{kind}")}})
        for bx in T.thread_binding(T.int64(4), thread="blockIdx.x"):
            for tx in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                y[bx * T.int64(256) + tx] = x[bx * T.int64(256) + tx] + T.float32(1)

    @R.function
    def main(x0: {vector}) -> {vector}:
        cls = Module"""]
    lines += [f"        x{i + 1} = R.call_tir(cls.step, (x{i},), out_sinfo={vector})" for i in range(calls)]
    return "\n".join([*lines, f"        return x{calls}"]) + "\n"


def square_product(n, dtype):
    matrix = f'R.Tensor(({n}, {n}), "{dtype}")'
    return HEAD + f"""    @R.function
    def main(x: {matrix}, w: {matrix}) -> {matrix}:
        y = R.matmul(x, w)
        return y
"""


def many_products(count=400):
    """Products of as many different sizes, rows fixed in one half and symbolic in the other."""
    sizes = [(1 + i * 7 % 79, 16 + i * 13 % 780, 8 + i * 29 % 890) for i in range(count)]
    params, lines, names = [], [], []
    for i, (rows, k, columns) in enumerate(sizes):
        height = rows if i % 2 else '"n"'
        params.append(f'x{i}: R.Tensor(({height}, {k}), "float32")')
        params.append(f'w{i}: R.Tensor(({k}, {columns}), "float32")')
        lines.append(f"            y{i} = R.matmul(x{i}, w{i})")
        names.append(f"y{i}")
    return "\n".join([HEAD + f"    @R.function\n    def main({', '.join(params)}):", "        with R.dataflow():", *lines,
                      f"            out = ({', '.join(names)})", "            R.output(out)", "        return out", ""])


def planning(buffers=500):
    """Buffers of 13 symbolic sizes whose lives overlap: each call reads the last one and one made up
    to 40 calls before. The kernel touches one element, so that a call costs little but its memory."""
    lines = [HEAD + """    @T.prim_func(private=True)
    def touch(pa: T.handle, pb: T.handle, pc: T.handle):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True)})
        la, lb, lc = T.int64(), T.int64(), T.int64()
        a = T.match_buffer(pa, (la,), "float32")
        b = T.match_buffer(pb, (lb,), "float32")
        c = T.match_buffer(pc, (lc,), "float32")
        for i in range(T.int64(1)):
            with T.block("touch"):
                vi = T.axis.spatial(T.int64(1), i)
                c[vi] = a[vi] + b[vi]

    @R.function
    def main(x0: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module"""]
    for i in range(buffers):
        far = max(0, i - i * 7919 % 40)
        lines.append(f"        x{i + 1} = R.call_tir(cls.touch, (x{i}, x{far}), "
                     f'out_sinfo=R.Tensor((n * {1 + i * 5 % 13},), "float32"))')
    return "\n".join(lines + [f"        return x{buffers}"]) + "\n"


# --- one-row products: w is (K, N), or (N, K) in groups of G along K that share a scale ----------------

# What a layer's constants are, and its lines from row {x} to row y{i}.
FLOAT = ('w{i}: R.Tensor(({K}, {N}), "float32")', """
            y{i}: R.Tensor((m, {N}), "float32") = R.matmul({x}, w{i})""")
EIGHT_BIT = ("""w{i}: R.Tensor(({groups}, {G}), "int8"), s{i}: R.Tensor(({groups},), "float32"),
             z{i}: R.Tensor(({groups},), "int8")""", """
            d{i} = R.dequantize(w{i}, s{i}, z{i}, out_dtype="float32", axis=0)
            r{i} = R.reshape(d{i}, R.shape([{N}, {K}]))
            t{i} = R.permute_dims(r{i}, axes=None)
            y{i}: R.Tensor((m, {N}), "float32") = R.matmul({x}, t{i})""")
FOUR_BIT = ("""w{i}: R.Tensor(({N}, {words}), "uint32"), s{i}: R.Tensor(({N}, {row_groups}), "float32")""", """
            d{i} = R.call_tir(Module.dequantize, (w{i}, s{i}), out_sinfo=R.Tensor(({N}, {K}), "float32"))
            t{i} = R.permute_dims(d{i}, axes=None)
            y{i}: R.Tensor((m, {N}), "float32") = R.matmul({x}, t{i})""")
# Eight weights in a word, the arithmetic as a module that was quantized for TVM prints it.
DEQUANTIZE = """    @T.prim_func(private=True)
    def dequantize(w: T.Buffer((T.int64({N}), T.int64({words})), "uint32"),
                   s: T.Buffer((T.int64({N}), T.int64({row_groups})), "float32"),
                   out: T.Buffer((T.int64({N}), T.int64({K})), "float32")):
        T.func_attr({{"tir.noalias": T.bool(True)}})
        for i0, i1 in T.grid(T.int64({N}), T.int64({K})):
            with T.block("dequantize"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                out[v0, v1] = (T.Cast("float32", T.bitwise_and(T.shift_right(w[v0, v1 // T.int64(8)], T.Cast("uint32", v1 % T.int64(8) * T.int64(4))), T.uint32(15))) - T.float32(7)) * s[v0, v1 // T.int64({G})]

"""
PALETTE = ("""w{i}: R.Tensor(({N}, {K}), "uint8"), s{i}: R.Tensor(({N}, {row_groups}), "float32"), p{i}: R.Tensor((16,), "float32")""", """
            e{i} = R.take(p{i}, R.astype(w{i}, dtype="int32"))
            g{i} = R.reshape(e{i}, R.shape([{N}, {row_groups}, {G}]))
            d{i} = R.reshape(R.multiply(g{i}, R.expand_dims(s{i}, axis=2)), R.shape([{N}, {K}]))
            t{i} = R.permute_dims(d{i}, axes=None)
            y{i}: R.Tensor((m, {N}), "float32") = R.matmul({x}, t{i})""")
PRODUCTS = {"f32": ("", FLOAT), "q8": ("", EIGHT_BIT), "q4": (DEQUANTIZE, FOUR_BIT), "p4": ("", PALETTE)}
# Kind, N, K, how many one after the other, bits that the row is rounded to (0: as by default). One alone stays in the caches from
# call to call; 256 MB of them, as a model has, come from memory each time.
GROUPED = [("q8", 3072, 768, 1, 0), ("q8", 4096, 4096, 1, 0), ("q8", 4096, 4096, 14, 0),
           ("q4", 3072, 768, 1, 0), ("q4", 4096, 4096, 1, 0), ("q4", 4096, 4096, 24, 0),
           ("q4", 3072, 768, 1, 8), ("q4", 4096, 4096, 1, 8)]

# Single operators of bench/models.py: name in the table, file, shape of the input.
OPERATORS = [("transposed 64 to 32", "transposed", "1,64,32,32"), ("transposed 64 to 3", "transposed_few", "1,64,32,32"),
             ("convolution 3-D", "conv3d", "1,64,8,28,28"), ("MaxPool 3x3", "maxpool", "1,64,56,56"),
             ("AveragePool 3x3", "avgpool", "1,64,56,56"), ("Resize nearest", "resize_nearest", "1,64,40,40"),
             ("Resize linear", "resize_linear", "1,64,40,40"), ("GridSample", "grid_sample", "1,64,40,40")]


def product_file(kind, n, k, layers):
    return f"{kind}_{n}_{k}" + (f"_{layers}" if layers > 1 else "")


def product(kind, n, k, group, layers):
    """A row through |layers| products one after the other, each with constants of its own."""
    functions, (constants, lines) = PRODUCTS[kind]
    sizes = {"N": n, "K": k, "G": group, "groups": n * k // group, "words": k // 8, "row_groups": k // group}
    rows = ["x"] + [f"y{i}" for i in range(layers)]
    given = ",\n             ".join(constants.format(i=i, **sizes) for i in range(layers))
    body = "".join(lines.format(i=i, x=rows[i], **sizes) for i in range(layers))
    return HEAD + functions.format(**sizes) + f"""    @R.function
    def main(x: R.Tensor(("m", {k}), "float32"), {given}):
        m = T.int64()
        with R.dataflow():{body}
            R.output({rows[-1]})
        return {rows[-1]}
"""
