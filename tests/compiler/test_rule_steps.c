/* Steps made by rules: the output of rlxc --emit=schedule parses back and gives the same loops and
 * object code; edited sizes are applied, or refused with the step, the size and its bound. */
#include "tests/support/rlx_test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/codegen/codegen.h"
#include "compiler/driver/compile.h"
#include "compiler/kernels/rules.h"
#include "compiler/script/script.h"
#include "tests/compiler/files.h"

typedef struct outcome {
    const char *steps, *module; /* as text; NULL: refused */
    const char *errors;
    rlxc_native object;
} outcome;

/* Lowers the file, with the steps |given| unless NULL. */
static outcome lower(rlxc_context *ctx, const char *path, const char *text, const char *given,
                     bool compile)
{
    rlxc_options options;
    rlxc_rule_steps steps = {0};
    rlxc_schedules lists = {0};
    outcome out = {0};
    cr_assert(rlxc_options_init(ctx, &options, NULL, "x86-64-v3", 2));
    options.steps = &steps;
    rlxc_module *module = rlxc_read_module(ctx, path, text, strlen(text));
    cr_assert(module);
    if (given) {
        cr_assert(rlxc_parse_schedules(ctx, "given.py", given, strlen(given), &lists), "%s",
                  rlxc_render_diagnostics(ctx));
        steps.given = &lists;
    }
    if (rlxc_lower_module(ctx, module, &options, NULL) &&
        (!compile || rlxc_compile_native(ctx, module, &options, RLXC_NATIVE_OBJECT, &out.object))) {
        out.steps = rlxc_print_schedules(ctx, "Module", &steps.made);
        out.module = rlxc_print_module(ctx, module);
    }
    out.errors = rlxc_render_diagnostics(ctx);
    return out;
}

static void check_round_trip(const char *path, const char *step)
{
    char *text = file_read(path, NULL);
    rlxc_context *first = rlxc_context_create(NULL), *second = rlxc_context_create(NULL);
    const bool compile = strcmp(step, "\"tile\"") == 0 || strcmp(step, "\"quant\"") == 0 ||
                         strcmp(step, "sch.merge(") == 0;
    const outcome made = lower(first, path, text, NULL, compile);
    cr_assert(made.steps && strstr(made.steps, step), "%s: %s\n%s", path, made.errors, made.steps);
    const outcome again = lower(second, path, text, made.steps, compile);
    cr_assert(again.steps, "%s: %s", path, again.errors);
    cr_expect_str_eq(again.steps, made.steps, "%s", path);
    cr_expect(strcmp(again.module, made.module) == 0, "%s: other loops", path);
    cr_expect(again.object.size == made.object.size &&
                  (!compile || memcmp(again.object.data, made.object.data, made.object.size) == 0),
              "%s: other object code", path);
    rlxc_context_destroy(first);
    rlxc_context_destroy(second);
    free(text);
}

static const struct {
    const char *path, *step;
} examples[] = {
    {"tests/passes/schedule.attention.py#two_heads", "\"online_softmax\""},
    {"tests/passes/schedule.inline.py#producer_of_a_sum", "compute_inline"},
    {"tests/passes/schedule.winograd.py#convolution_and_bias", "\"minimal_filtering\""},
    {"tests/passes/schedule.quant.py#weights_of_eight_bits", "\"quant\""},
    {"tests/passes/schedule.int8_gemm.py#integers", "\"int8_gemm\""},
    {"tests/passes/schedule.int8_conv.py#pointwise", "\"int8_conv\""},
    {"tests/passes/schedule.sliding.py#depthwise", "\"sliding\""},
    {"tests/passes/schedule.tile.py#product_and_row_sums", "\"tile\""},
    {"tests/passes/schedule.rows.py#choice", "ann_key=\"rlx.rule\", ann_val=\"rows\""},
    {"tests/passes/schedule.rows.py#pool", "sch.merge("},
    {"tests/passes/schedule.rows.py#resized", "sch.fuse("},
    {"tests/passes/schedule.single.py#transposed", "\"single\""},
    {"tests/passes/schedule.py#matmul_tile_and_rows", "sch.merge("},
};

RLX_TEST(rule_steps, printed_steps_give_the_same_code)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        check_round_trip(examples[i].path, examples[i].step);
}

/* Replaces |from| by |to| in the steps made for the example. */
typedef struct edit {
    const char *path, *from, *to;
    const char *message; /* NULL: the steps are applied, and the loops change */
} edit;

#define TILE "tests/passes/schedule.tile.py#product_and_row_sums"
#define WINDOW "tests/passes/schedule.tile.py#panel_first"
#define SLIDING "tests/passes/schedule.sliding.py#depthwise"
#define ATTENTION "tests/passes/schedule.attention.py#two_heads"
#define QUANT "tests/passes/schedule.quant.py#weights_of_eight_bits"
#define GEMM "tests/passes/schedule.int8_gemm.py#integers"
#define CONV "tests/passes/schedule.int8_conv.py#pointwise"
#define WINOGRAD "tests/passes/schedule.winograd.py#convolution_and_bias"
#define ROWS "tests/passes/schedule.rows.py#choice"
#define POOL "tests/passes/schedule.rows.py#pool"
#define SINGLE "tests/passes/schedule.single.py#transposed"

static const edit edits[] = {
    {TILE, "\"rows\": 4, \"tail1\": 3", "\"rows\": 5, \"tail1\": 3", NULL},
    {TILE, "\"block\": 48", "\"block\": 2", NULL},
    {TILE, "\"lanes\": 8", "\"lanes\": 4", NULL},
    {WINDOW, "\"k_block\": 256, \"fetch\": 256", "\"k_block\": 100", NULL},
    {SLIDING, "\"columns\": 8", "\"columns\": 5", NULL},
    {ATTENTION, "\"keys\": 48", "\"keys\": 96", NULL},
    {QUANT, "\"rows1\": 4", "\"rows1\": 3", NULL},
    {QUANT, "\"int_rows\": 1", "\"int_rows\": 3", NULL},
    {GEMM, "\"rows1\": 6", "\"rows1\": 4", NULL},
    {CONV, "\"rows1\": 6", "\"rows1\": 4", NULL},
    {WINOGRAD, "\"tiles\": 30", "\"tiles\": 12", NULL},
    {ROWS, "sch.parallel(loop=l2)\n", "", NULL},
    {ROWS, "sch.parallel(loop=l2)",
     "l9, l10 = sch.split(loop=l2, factors=[None, 4])\nsch.parallel(loop=l9)", NULL},
    {SINGLE, "\"threads\": 1", "\"threads\": 0", NULL},
    {TILE, "\"rows\": 4", "\"rows\": 99", "size 'rows' is 99, between 1 and 32 is needed"},
    {TILE, "\"rows\": 4", "\"rows\": \"x\"", "size 'rows' is not a number"},
    {TILE, "\"lanes\": 8, ", "", "size 'lanes' is missing"},
    {TILE, "\"lanes\": 8", "\"lanes\": 8, \"colour\": 1", "tile has no size 'colour'"},
    {TILE, "\"tail1\": 3", "\"tail1\": 4", "tail1 is 4, below 4 is needed"},
    {TILE, "\"tail3\": 1", "\"tail3\": 0", "has 2 rows, 1 is needed"},
    {TILE, "\"chains\": 8", "\"chains\": 8, \"k_block\": 8", "k_block is 8, which needs panels"},
    {WINDOW, ", \"panel_first\": 1", "", "k_block is 256, which needs panels"},
    {TILE, "\"chains\": 8", "\"chains\": 8, \"fetch\": 1", "fetch is 1, which needs panels"},
    {TILE, "\"chains\": 8", "\"chains\": 8, \"epilogue\": 1", "epilogue is 1, but no block maps c"},
    {TILE, "name=\"c\"", "name=\"d\"", "no block d of k is left for it"},
    {TILE, "tensor_intrin=\"tile\"", "tensor_intrin=\"quant\"", "quant has no size"},
    {SLIDING, "\"lanes\": 8", "\"lanes\": 0", "size 'lanes' is 0, between 1 and 64 is needed"},
    {ATTENTION, "\"keys\": 48", "\"keys\": 2", "keys is 2, below rows or tail_rows"},
    {QUANT, "\"vectors1\": 2", "\"vectors1\": 3", "do not divide panels of 32 columns"},
    {QUANT, "\"row_bits\": 16", "\"row_bits\": 9", "0, 8, 12, 16 and 24 are known"},
    {QUANT, "\"span\": 1", "\"span\": 2", "span is 2, which needs"},
    {QUANT, "\"int_rows\": 1", "\"int_rows\": 33", "size 'int_rows' is 33"},
    {QUANT, "\"int_rows\": 1", "\"int_rows\": 0", "int_rows is 0 and row_bits 16"},
    {GEMM, "\"rows1\": 6", "\"rows1\": 6, \"bytes\": 1", "bytes is 1, which needs"},
    {CONV, "\"lanes\": 8", "\"lanes\": 7", "do not divide panels of"},
    {CONV, "\"lanes\": 8", "\"lanes\": 8, \"minimal\": 1", "minimal is 1, which needs"},
    {WINOGRAD, "\"product_rows\": 6", "\"product_rows\": 33", "size 'product_rows' is 33"},
    {ROWS, "sch.parallel(loop=l2)", "sch.vectorize(loop=l2)", "vector lanes must be a constant"},
    {POOL, "name=\"pool_max_1\"", "name=\"pool_max_2\"", "get_block: "},
    {SINGLE, "\"transpose\": 16", "\"transpose\": 64", "transpose is 64, but"},
};

static void check_edit(const edit *e)
{
    char *text = file_read(e->path, NULL);
    rlxc_context *first = rlxc_context_create(NULL), *second = rlxc_context_create(NULL);
    const outcome made = lower(first, e->path, text, NULL, false);
    cr_assert(made.steps);
    const char *at = strstr(made.steps, e->from);
    cr_assert(at, "%s is not in\n%s", e->from, made.steps);
    char *edited = calloc(1, strlen(made.steps) + strlen(e->to) + 1);
    memcpy(edited, made.steps, (size_t)(at - made.steps));
    strcat(edited, e->to);
    strcat(edited, at + strlen(e->from));
    const outcome again = lower(second, e->path, text, edited, false);
    if (e->message)
        cr_expect(!again.steps && strstr(again.errors, e->message) &&
                      strstr(again.errors, "given.py:"),
                  "%s: '%s' expected, got\n%s", e->to, e->message, again.errors);
    else
        cr_expect(again.steps && strcmp(again.module, made.module) != 0, "%s: %s", e->to,
                  again.errors);
    rlxc_context_destroy(first);
    rlxc_context_destroy(second);
    free(edited);
    free(text);
}

RLX_TEST(rule_steps, edited_steps_are_applied_or_refused)
{
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        check_edit(&edits[i]);
}

/* Depthwise windows slide, unless the rows of a band map to few cache sets: then they run in tiles
 * of whole lines. */
RLX_TEST(rule_steps, windows_avoid_conflicts_in_the_cache)
{
    static const struct {
        int64_t size, channels, window, stride;
        const char *step;
    } rows[] = {{14, 512, 3, 1, "\"tile\""},    {28, 128, 3, 1, "\"tile\""},
                {7, 1024, 3, 1, "\"tile\""},    {56, 128, 3, 2, "\"tile\""},
                {14, 512, 5, 1, "\"tile\""},    {14, 576, 3, 1, "\"sliding\""},
                {28, 96, 3, 1, "\"sliding\""},  {14, 128, 3, 1, "\"sliding\""},
                {14, 128, 5, 1, "\"sliding\""}, {14, 512, 7, 1, "\"sliding\""},
                {28, 8, 3, 1, "\"sliding\""},   {3, 512, 3, 1, "\"sliding\""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        const int n = (int)rows[i].size, c = (int)rows[i].channels, k = (int)rows[i].window,
                  s = (int)rows[i].stride, p = k / 2;
        snprintf(text, sizeof text,
                 "@R.function\ndef main(x: R.Tensor((1, %d, %d, %d), \"float32\"), "
                 "w: R.Tensor((%d, %d, 1, %d), \"float32\")):\n"
                 "    y = R.nn.conv2d(x, w, strides=(%d, %d), padding=(%d, %d, %d, %d), groups=%d, "
                 "data_layout=\"NHWC\", kernel_layout=\"HWIO\")\n    return y\n",
                 n, n, c, k, k, c, s, s, p, p, p, p, c);
        rlxc_context *ctx = rlxc_context_create(NULL);
        const outcome made = lower(ctx, "w.py", text, NULL, false);
        cr_expect(made.steps && strstr(made.steps, rows[i].step), "%zu: %s%s", i,
                  made.steps ? made.steps : "", made.errors);
        rlxc_context_destroy(ctx);
    }
}

/* Pooling windows slide where neighbours overlap; else they run in tiles of whole lines. */
RLX_TEST(rule_steps, windows_that_overlap_slide)
{
    static const struct {
        int64_t window, stride, dilation;
        const char *step;
    } rows[] = {{2, 2, 1, "\"tile\""},    {2, 3, 1, "\"tile\""},    {3, 3, 1, "\"tile\""},
                {2, 1, 1, "\"sliding\""}, {3, 2, 1, "\"sliding\""}, {2, 2, 2, "\"sliding\""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        const int k = (int)rows[i].window, s = (int)rows[i].stride, d = (int)rows[i].dilation;
        snprintf(text, sizeof text,
                 "@R.function\ndef main(x: R.Tensor((\"n\", 13, 13, 24), \"float32\")):\n"
                 "    y = R.nn.max_pool2d(x, pool_size=(%d, %d), strides=(%d, %d), "
                 "dilation=(%d, %d), layout=\"NHWC\")\n    return y\n",
                 k, k, s, s, d, d);
        rlxc_context *ctx = rlxc_context_create(NULL);
        const outcome made = lower(ctx, "p.py", text, NULL, false);
        cr_expect(made.steps && strstr(made.steps, rows[i].step), "%zu: %s%s", i,
                  made.steps ? made.steps : "", made.errors);
        rlxc_context_destroy(ctx);
    }
}

/* A transposition in blocks moves one operand; a choice among several is made outside of loops. */
RLX_TEST(rule_steps, choices_are_not_transposed)
{
    static const char head[] =
        "@R.function\ndef main(x: R.Tensor((\"n\", 32, \"m\"), \"float32\"), "
        "z: R.Tensor((\"n\", 32, \"m\"), \"float32\")):\n    with R.dataflow():\n";
    static const struct {
        const char *value;
        bool transposed;
    } rows[] = {{"R.permute_dims(x, axes=[0, 2, 1])", true},
                {"R.permute_dims(R.concat((x, z), axis=1), axes=[0, 2, 1])", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s        y = %s\n        R.output(y)\n    return y\n", head,
                 rows[i].value);
        rlxc_context *ctx = rlxc_context_create(NULL);
        const outcome made = lower(ctx, "t.py", text, NULL, false);
        cr_expect(made.steps && (strstr(made.steps, "\"transpose\"") != NULL) == rows[i].transposed,
                  "%zu: %s%s", i, made.steps ? made.steps : "", made.errors);
        rlxc_context_destroy(ctx);
    }
}

/* Rows of few-bit weights: words of 8 bits one at a time, so that sums stay in 16 registers;
 * columns of 4 bits in turns, so that weights come in the order of memory. */
RLX_TEST(rule_steps, rows_of_few_bits_suit_registers_and_memory)
{
    static const struct {
        int largest; /* of the weights */
        const char *step, *loop;
    } rows[] = {{100, "\"unroll\": 1})", "for step in T.serial("},
                {3, "\"unroll\": 8})", "for turn in T.serial("}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        const int q = rows[i].largest;
        snprintf(text, sizeof text,
                 "@R.function\ndef main(x: R.Tensor((1, 8), \"float32\")):\n"
                 "    w = R.dequantize(R.const([[%d, 1], [1, 0], [0, 1], [1, 0], [2, 1], [0, 0], "
                 "[1, 2], [0, 1]], \"int8\"), R.const(0.5, \"float32\"), R.const(0, \"int8\"), "
                 "out_dtype=\"float32\", axis=1)\n"
                 "    y = R.matmul(x, w)\n    return y\n",
                 q);
        rlxc_context *ctx = rlxc_context_create(NULL);
        const outcome made = lower(ctx, "w.py", text, NULL, false);
        cr_expect(made.steps && strstr(made.steps, rows[i].step), "%zu: %s%s", i,
                  made.steps ? made.steps : "", made.errors);
        cr_expect(made.module && strstr(made.module, rows[i].loop), "%zu: %s", i,
                  made.module ? made.module : "");
        rlxc_context_destroy(ctx);
    }
}
