/* A module as C (compiler/codegen/c*.c): the text, and the errors for what cannot be written in C.
 * tests/c checks that the text compiles and computes the same numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rlx/compiler.h"
#include "tests/compiler/library.h"
#include "tests/support/rlx_test.h"

#define MODULE(parameters, body) \
    "@I.ir_module\nclass Module:\n    @R.function\n    def main(" parameters "):\n" body

/* The text of the module as C; the caller frees it with free. */
static char *c_text(rlx_test *t, const char *module, const rlx_dim_bound *bound)
{
    rlx_compiler *c = library_compiler(t);
    rlx_compile_options o;
    void *data = NULL;
    size_t size = 0;
    rlx_compile_options_init(&o);
    o.bounds = bound;
    o.n_bounds = bound ? 1 : 0;
    RLX_OKAY(
        rlx_ir_module_emit(library_parse(t, c, module), &o, RLX_EMIT_C, &data, &size, &t->error));
    char *text = strndup(data, size);
    cr_assert_not_null(text);
    rlx_free(&t->allocator, data, size, 64);
    rlx_compiler_destroy(c);
    return text;
}

/* What the compiler says of the module, which has no form in C. */
static void expect_refused(rlx_test *t, const char *module, const rlx_compile_options *options,
                           const char *why)
{
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = NULL;
    void *data = NULL;
    size_t size = 0;
    rlx_status status = rlx_compiler_parse(c, "m.py", module, strlen(module), &m, &t->error);
    if (status == RLX_OK)
        status = rlx_ir_module_emit(m, options, RLX_EMIT_C, &data, &size, &t->error);
    cr_expect_neq(status, RLX_OK);
    cr_expect(strstr(rlx_compiler_diagnostics_text(c), why) != NULL, "%s: %s", why,
              rlx_compiler_diagnostics_text(c));
    rlx_compiler_destroy(c);
}

static void expect(const char *text, const char *part)
{
    cr_expect(strstr(text, part) != NULL, "%s in\n%.6000s", part, text);
}

static const char soft[] =
    MODULE("x: R.Tensor((\"n\", 10), \"float32\")",
           "        y = R.nn.softmax(R.add(x, x))\n        z = R.add(y, x)\n        return z\n");

RLX_TEST(c, bounded_symbols_need_no_arena)
{
    const rlx_dim_bound bound = {"n", 0, 16};
    char *text = c_text(t, soft, &bound);
    expect(text, "int model_main(const float *x, int64_t n, float *out);");
    expect(text, "if (n < 0 || n > 16)");
    cr_expect(strstr(text, "arena_bytes") == NULL, "%.6000s", text);
    free(text);
}

RLX_TEST(c, other_symbols_take_the_caller_s_arena)
{
    static const char chain[] =
        MODULE("x: R.Tensor((\"n\", 10), \"float32\"), w: R.Tensor((10, 10), \"float32\")",
               "        y = R.matmul(x, w)\n        z = R.matmul(y, w)\n        return z\n");
    char *text = c_text(t, chain, NULL);
    expect(text, "size_t model_main_arena_bytes(int64_t n);");
    expect(text, "void *arena_start, size_t arena_bytes);");
    expect(text, "return MODEL_E_MEMORY;");
    free(text);
}

#define FIRST_ROWS(n)                                                                   \
    MODULE("x: R.Tensor((\"n\", 10), \"float32\"), w: R.Tensor((10, 10), \"float32\")", \
           "        y = R.matmul(R.strided_slice(x, [0], [0], [" n "]), w)\n"           \
           "        z = R.matmul(y, w)\n        return z\n")

RLX_TEST(c, a_size_that_limits_itself_needs_no_arena_if_small)
{
    char *small = c_text(t, FIRST_ROWS("4"), NULL),
         *large = c_text(t, FIRST_ROWS("2147483648"), NULL);
    cr_expect(strstr(small, "arena_bytes") == NULL, "%.6000s", small);
    expect(small, "bytes of static memory");
    expect(large, "size_t model_main_arena_bytes(int64_t n);");
    free(small);
    free(large);
}

RLX_TEST(c, products_sum_tiles)
{
    static const char product[] =
        MODULE("x: R.Tensor((\"n\", 96), \"float32\"), w: R.Tensor((96, 200), \"float32\")",
               "        y = R.matmul(x, w)\n        return y\n");
    char *text = c_text(t, product, NULL);
    expect(text, "for (int32_t k = 0; k < 96; ++k) {\n        for (int32_t m");
    expect(text, "acc[(m * 4) + 3] = ");
    free(text);
}

RLX_TEST(c, names_are_never_keywords_or_taken)
{
    static const char words[] =
        MODULE("int: R.Tensor((4,), \"float32\"), expf: R.Tensor((4,), \"float32\"), out: "
               "R.Tensor((4,), \"float32\")",
               "        y = R.add(R.add(int, expf), out)\n        return y\n");
    char *text = c_text(t, words, NULL);
    expect(text, "int model_main(const float *int_, const float *expf_, const float *out, float "
                 "*out_1);");
    free(text);
}

RLX_TEST(c, a_result_that_is_a_parameter_is_copied)
{
    static const char same[] = MODULE("x: R.Tensor((4,), \"float16\"), y: R.Tensor((4,), \"bool\")",
                                      "        return (x, y, x)\n");
    char *text = c_text(t, same, NULL);
    expect(text, "memcpy(out_0, x, (size_t)8);");
    expect(text, "memcpy(out_1, y, (size_t)4);");
    expect(text, "memcpy(out_2, x, (size_t)8);");
    free(text);
}

RLX_TEST(c, indices_are_checked)
{
    static const char take[] =
        MODULE("x: R.Tensor((4,), \"float32\"), i: R.Tensor((2,), \"int32\")",
               "        y = R.take(x, i, axis=0)\n        return y\n");
    char *text = c_text(t, take, NULL);
    expect(text, "return MODEL_E_VALUE;");
    expect(text, "!= 0)\n    return status;");
    free(text);
}

RLX_TEST(c, results_are_tensors_shapes_and_numbers)
{
    static const char results[] =
        MODULE("x: R.Tensor((\"n\",), \"float32\"), m: R.Prim(\"int64\"), b: R.Prim(\"bool\")",
               "        n = T.int64()\n        y = R.exp(x)\n        z = R.negative(x)\n"
               "        t = (y, z)\n        w = R.add(x, x)\n"
               "        return (t, w, R.shape([n + 1, 3]), m, b)\n");
    const rlx_dim_bound bound = {"n", 0, 16};
    char *text = c_text(t, results, &bound);
    expect(text, "int model_main(const float *x, int64_t m, bool b, int64_t n, float *out_0_0, "
                 "float *out_0_1, float *out_1, int64_t *out_2, int64_t *out_3, bool *out_4);");
    expect(text, "model_add(x, x, out_1, n);");
    expect(text, "out_2[0] = (n + 1);");
    expect(text, "out_2[1] = 3;");
    expect(text, "*out_3 = (int64_t)m;");
    expect(text, "memcpy(out_0_1, z, (size_t)(n * 4));");
    free(text);
}

RLX_TEST(c, builtins_become_kernels_and_conditions)
{
    static const char text_of[] =
        MODULE("x: R.Tensor((4,), \"int32\"), y: R.Tensor((4,), \"int32\")",
               "        z = R.floor_divide(x, y)\n        o = R.argsort(z)\n"
               "        return o\n");
    char *text = c_text(t, text_of, NULL);
    expect(text, "model_check_nonzero(y)) != 0)\n    return status;");
    expect(text, "model_argsort(");
    free(text);
}

RLX_TEST(c, branches_choose_a_pointer)
{
    static const char branches[] =
        MODULE("x: R.Tensor((4,), \"float32\"), c: R.Tensor((), \"bool\")",
               "        if c:\n            y = R.exp(x)\n        else:\n            y = x\n"
               "        z = R.add(y, x)\n        return z\n");
    char *text = c_text(t, branches, NULL);
    expect(text, "if (*c) {");
    expect(text, "} else {");
    free(text);
}

RLX_TEST(c, called_functions_are_part_of_their_caller)
{
    static const char calls[] =
        "@I.ir_module\nclass Module:\n"
        "    @R.function(private=True)\n"
        "    def twice(a: R.Tensor((\"m\",), \"float32\")):\n"
        "        return R.add(a, a)\n"
        "    @R.function\n"
        "    def main(x: R.Tensor((\"n\",), \"float32\"), c: R.Tensor((), \"bool\")):\n"
        "        cls = Module\n"
        "        y = cls.twice(x)\n"
        "        z = R.concat((y, cls.twice(y)))\n"
        "        return z\n";
    const rlx_dim_bound bound = {"n", 0, 16};
    char *text = c_text(t, calls, &bound);
    expect(text, "int model_main(const float *x, const uint8_t *c, int64_t n, float *out);");
    cr_expect(strstr(text, "twice") == NULL, "%.6000s", text);
    free(text);
}

RLX_TEST(c, what_has_no_form_is_named)
{
    static const struct {
        const char *module, *why;
    } rows[] = {
        {MODULE("x: R.Tensor((\"n\",), \"float32\")",
                "        y = R.unique(x)\n        return y\n"),
         "C has no form of a call of rlx.unique"},
        {MODULE("x: R.Tensor((4,), \"int4\")", "        return x\n"), "smaller than a byte"},
        {MODULE("x: R.Tensor(ndim=2, dtype=\"float32\")",
                "        y = R.exp(x)\n        return y\n"),
         "C has no form of parameter x"},
        {MODULE("x: R.Tensor((4,), \"float32\")",
                "        y = R.call_packed(\"f\", x, sinfo_args=R.Tensor((4,), \"float32\"))\n"
                "        return y\n"),
         "is not marked pure=False"},
        {"@I.ir_module\nclass Module:\n    @R.function\n"
         "    def main(c: R.Tensor((), \"bool\")) -> R.Tensor((), \"bool\"):\n"
         "        cls = Module\n        if c:\n            r = cls.main(R.logical_not(c))\n"
         "        else:\n            r = c\n        return r\n",
         "C has no form of a call of main, which may call itself or is too large for its caller"},
        {MODULE("x: R.Tensor((4,), \"float32\")", "        return R.str(\"a\")\n"),
         "the result is neither a number nor a tensor or shape of known rank"},
        {"@I.ir_module\nclass Module:\n    I.module_attrs({\"rlx.pools\": [\"name=sram\"]})\n"
         "    @R.function\n    def main(s: R.Tensor((1,), \"int64\")):\n"
         "        k = T.int64()\n        t = R.tensor_to_shape(s)\n"
         "        u = R.match_cast(t, R.Shape([k]))\n"
         "        y = R.exp(R.ones(R.shape([k]), \"float32\"))\n        return y\n",
         "memory pools where only data determines sizes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_refused(t, rows[i].module, NULL, rows[i].why);
    rlx_compile_options device;
    rlx_compile_options_init(&device);
    device.default_device = "opencl:0";
    expect_refused(t, soft, &device, "C has no form of a kernel of a device");
}

RLX_TEST(c, a_limit_of_a_size_that_is_data_is_planned)
{
    char *text = c_text(t,
                        "@I.ir_module\nclass Module:\n    @R.function\n"
                        "    def main(x: R.Tensor((4, 6), \"float32\")):\n"
                        "        y = R.nonzero(x)\n        return y\n",
                        NULL);
    expect(text,
           "int model_main(const float *x, int64_t *out, int64_t out_room, int64_t *out_shape);");
    expect(text, "unsigned char bytes[");
    cr_expect(strstr(text, "rlx_take") == NULL, "%.6000s", text);
    free(text);
}

/* Two temporaries of 16 KiB and one of 4 KiB, of which the larger two are in use at once. */
#define POOLED(pools, rows)                                                                \
    "@I.ir_module\nclass Module:\n    I.module_attrs({\"rlx.pools\": [" pools "]})\n"      \
    "    @R.function\n    def main(x: R.Tensor((" rows ", 64), \"float32\"), w: "          \
    "R.Tensor((64, 64), \"float32\"), v: R.Tensor((64, 16), \"float32\")):\n"              \
    "        a = R.matmul(x, w)\n        b = R.matmul(a, w)\n        c = R.matmul(b, v)\n" \
    "        d = R.matmul(R.permute_dims(c), a)\n        return d\n"

RLX_TEST(c, each_pool_is_a_pointer)
{
    char *text =
        c_text(t, POOLED("\"name=fast-ram,size=20K,align=32\", \"name=dram\"", "64"), NULL);
    expect(text, "int model_main(const float *x, const float *w, const float *v, float *out, "
                 "void *fast_ram, void *dram);");
    expect(text, "#define model_main_fast_ram_bytes ");
    expect(text, "#define model_main_dram_bytes 16384\n");
    expect(text, "if (!fast_ram || (uintptr_t)fast_ram % 32 != 0)");
    expect(text, "((unsigned char *)dram + 0)");
    cr_expect(strstr(text, "_arena") == NULL, "%.6000s", text);
    free(text);
}

RLX_TEST(c, what_fits_into_no_pool_is_named)
{
    expect_refused(t, POOLED("\"name=sram,size=20K\"", "64"), NULL,
                   "memory pool 'sram' has 20480 bytes, 'main' needs ");
    expect_refused(t, POOLED("\"name=sram,size=20K\"", "64"), NULL,
                   "note: in use there: 'a', R.Tensor((64, 64), dtype=\"float32\"), 16384 bytes");
    expect_refused(t, POOLED("\"name=sram\"", "\"n\""), NULL, "need an upper bound");
}

RLX_TEST(c, files_are_a_source_and_its_header)
{
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = library_parse(t, c, soft);
    char folder[] = "/tmp/rlx-c-XXXXXX", path[64], line[256] = "";
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.txt", folder);
    RLX_FAILS(rlx_ir_module_emit_file(m, NULL, RLX_EMIT_C, path, &t->error), RLX_E_INVALID_ARG,
              "NAME.c");
    m = library_parse(t, c, soft);
    snprintf(path, sizeof path, "%s/my-model.c", folder);
    RLX_OKAY(rlx_ir_module_emit_file(m, NULL, RLX_EMIT_C, path, &t->error));
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    cr_assert_not_null(fgets(line, sizeof line, file));
    cr_assert_not_null(fgets(line, sizeof line, file));
    cr_expect_str_eq(line, "#include \"my-model.h\"\n");
    fclose(file);
    unlink(path);
    snprintf(path, sizeof path, "%s/my-model.h", folder);
    cr_expect_eq(unlink(path), 0);
    rmdir(folder);
    rlx_compiler_destroy(c);
}

RLX_TEST(c, weights_apart_need_a_file_beside_the_source)
{
    static const char weights[] = MODULE(
        "x: R.Tensor((16,), \"float32\")",
        "        y = R.add(x, R.const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], "
        "\"float32\"))\n        return y\n");
    rlx_compiler *c = library_compiler(t);
    rlx_compile_options o;
    char folder[] = "/tmp/rlx-c-XXXXXX", path[64];
    void *data = NULL;
    size_t size = 0;
    rlx_compile_options_init(&o);
    o.weights_apart = true;
    RLX_FAILS(
        rlx_ir_module_emit(library_parse(t, c, weights), &o, RLX_EMIT_C, &data, &size, &t->error),
        RLX_E_INVALID_MODULE, "needs an output file");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.c", folder);
    RLX_OKAY(
        rlx_ir_module_emit_file(library_parse(t, c, weights), &o, RLX_EMIT_C, path, &t->error));
    unlink(path);
    snprintf(path, sizeof path, "%s/m.h", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/m.weights", folder);
    FILE *file = fopen(path, "rb");
    float read[17];
    cr_assert_not_null(file);
    cr_expect_eq(fread(read, sizeof *read, 17, file), (size_t)16);
    cr_expect_eq(read[15], 15.0f);
    fclose(file);
    unlink(path);
    rmdir(folder);
    rlx_compiler_destroy(c);
}
