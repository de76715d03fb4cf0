/* Weight files: valid ones are read, and every malformed header is refused with a message. */
#include <string.h>

#include "compiler/driver/safetensors.h"
#include "compiler/script/script.h"
#include "tests/support/rlx_test.h"

enum { MAX_FILE = 1024 };

/* Writes header length, header, then |data_size| bytes counting up. Returns the size. */
static size_t make_file(unsigned char *out, const char *header, size_t data_size)
{
    size_t n = strlen(header);
    memset(out, 0, MAX_FILE);
    out[0] = (unsigned char)(n & 255);
    out[1] = (unsigned char)(n >> 8);
    memcpy(out + 8, header, n);
    for (size_t i = 0; i < data_size; i++)
        out[8 + n + i] = (unsigned char)i;
    return 8 + n + data_size;
}

RLX_TEST(safetensors, reads_tensors_in_place)
{
    static unsigned char file[MAX_FILE] __attribute__((aligned(64)));
    const char *header =
        "{\"__metadata__\":{\"format\":\"pt\"},"
        "\"layer.0/w\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
        "\"b\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[24,32]},"
        "\"e\":{\"dtype\":\"U8\",\"shape\":[0,5],\"data_offsets\":[32,32]},"
        "\"q\":{\"dtype\":\"F8_E8M0\",\"shape\":[1],\"data_offsets\":[0,1]}}    ";
    size_t size = make_file(file, header, 32);
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_weights w;
    cr_assert(rlxc_weights_parse(ctx, "w.safetensors", file, size, &w), "%s",
              rlxc_render_diagnostics(ctx));
    cr_assert_eq(w.tensors.count, 3); /* the exponent key is skipped with a warning */
    const rlxc_weight *first = &w.tensors.items[0];
    cr_expect_str_eq(first->name, "layer.0/w");
    cr_expect_str_eq(first->symbol, "layer_0_w");
    cr_expect(rlxc_dtype_eq(first->dtype, RLX_F32));
    cr_expect_eq(first->ndim, 2);
    cr_expect_eq(first->shape[1], 3);
    cr_expect_eq(memcmp(first->data, file + size - 32, 24), 0);
    cr_expect_eq((uintptr_t)first->data % 4, 0);
    cr_expect_eq(w.tensors.items[1].ndim, 0);
    cr_expect_eq(memcmp(w.tensors.items[1].data, file + size - 8, 8), 0);
    cr_expect_eq(w.tensors.items[2].nbytes, 0);
    rlxc_weights_close(&w);
    rlxc_context_destroy(ctx);
}

RLX_TEST(safetensors, malformed_headers_are_refused)
{
    static const struct {
        const char *header;
        const char *message;
    } rows[] = {
        {"", "not JSON"},
        {"[1, 2]", "not a JSON object"},
        {"{\"a\":", "not JSON"},
        {"{\"a\":1}", "expected dtype"},
        {"{\"a\":{}}", "expected dtype"},
        {"{\"a\":{\"dtype\":7,\"shape\":[],\"data_offsets\":[0,4]}}", "expected dtype"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":4,\"data_offsets\":[0,4]}}", "expected dtype"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", "data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}", "data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4.0]}}", "data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", "data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[-4,0]}}", "data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[5],\"data_offsets\":[0,20]}}", "data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,9223372036854775807]}}",
         "data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", "need 8 bytes"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", "bad shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,4]}}", "bad shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,0]}}",
         "bad shape"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[2305843009213693952],\"data_offsets\":[0,0]}}",
         "bad shape"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
         "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
         "not JSON"},
    };
    static unsigned char file[MAX_FILE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_weights w;
        size_t size = make_file(file, rows[i].header, 16);
        cr_expect_not(rlxc_weights_parse(ctx, "w.safetensors", file, size, &w), "row %zu", i);
        const char *text = rlxc_render_diagnostics(ctx);
        cr_expect(strstr(text, rows[i].message) != NULL, "row %zu: %s", i, text);
        rlxc_weights_close(&w);
        rlxc_context_destroy(ctx);
    }
}

RLX_TEST(safetensors, lengths_beyond_the_file_are_refused)
{
    static const uint64_t lengths[] = {9, 100, 1u << 30, UINT64_MAX - 8, UINT64_MAX};
    unsigned char file[16];
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t size = 0; size <= sizeof file; size += 4) {
            memcpy(file, &lengths[i], 8);
            memset(file + 8, ' ', 8);
            rlxc_context *ctx = rlxc_context_create(&t->allocator);
            rlxc_weights w;
            cr_expect_not(rlxc_weights_parse(ctx, "w.safetensors", file, size, &w));
            cr_expect_eq(rlxc_error_count(ctx), 1);
            rlxc_context_destroy(ctx);
        }
}

/* --- binding --------------------------------------------------------------------------------- */

static const char *const MODULE =
    "@I.ir_module\n"
    "class Module:\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((\"n\", 2), dtype=\"float32\"), w: R.Tensor((2, \"m\"), "
    "dtype=\"float32\"), b: R.Tensor((3,), dtype=\"float32\")) -> R.Tensor(dtype=\"float32\", "
    "ndim=2):\n"
    "        %s\n"
    "        y = R.matmul(x, w)\n"
    "        z = R.add(y, b)\n"
    "        return z\n";

static const char *bind(rlxc_context *ctx, const char *attrs, const char *header, bool strict,
                        unsigned char *file, rlxc_module **out)
{
    const char *text = rlxc_internf(ctx, MODULE, attrs);
    rlxc_module *module = rlxc_parse_module(ctx, "m.py", text, strlen(text));
    rlxc_weights w;
    *out = module;
    if (module != NULL && rlxc_weights_parse(ctx, "w", file, make_file(file, header, 40), &w)) {
        w.strict = strict;
        rlxc_bind_weights(ctx, module, &w);
    }
    return rlxc_render_diagnostics(ctx);
}

#define W "\"w\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}"
#define B "\"b\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[24,36]}"

RLX_TEST(safetensors, parameters_become_constants)
{
    static unsigned char file[MAX_FILE];
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_module *module;
    const char *text =
        bind(ctx, "R.func_attr({\"num_input\": 1})", "{" W "," B "}", true, file, &module);
    cr_assert_not(rlxc_failed(ctx), "%s", text);
    const rlxc_function *f = module->globals.items[0]->relax;
    cr_expect_eq(f->n_params, 1);
    const rlxc_binding_block *block = f->body.blocks[0];
    cr_assert_eq(block->n, 2);
    cr_expect_eq(block->bindings[0]->form, RLXC_FORM_MATCH_CAST, "w has a symbol to bind");
    cr_expect_eq(block->bindings[1]->form, RLXC_FORM_COPY);
    cr_expect_eq(block->bindings[1]->args[0].kind, RLXC_ATOM_CONSTANT);
    cr_expect_eq(block->bindings[1]->args[0].constant->nbytes, 12);
    rlxc_context_destroy(ctx);
}

RLX_TEST(safetensors, weights_that_do_not_fit_name_the_parameter)
{
    static const struct {
        const char *attrs, *header, *message;
        bool warns; /* an error only with --strict */
    } rows[] = {
        {"R.func_attr({\"num_input\": 1})", "{" W "}",
         "no tensor named 'b' in w for a parameter of 'main'", true},
        {"R.func_attr({\"num_input\": 1})",
         "{" W ",\"b\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[24,40]}}",
         "parameter 'b': expected R.Tensor((3,), dtype=\"float32\")", false},
        {"R.func_attr({\"k\": 1})",
         "{\"b\":{\"dtype\":\"F16\",\"shape\":[3],\"data_offsets\":[0,6]}}", "parameter 'b'",
         false},
        {"R.func_attr({\"k\": 1})",
         "{\"other\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
         "no parameter has the name of a tensor in w, which has 1: 'other'", true},
        {"R.func_attr({\"num_input\": 0})", "{" B "}", "2 parameters of 'main' have no tensor in w",
         true},
        {"R.func_attr({\"num_input\": 1})",
         "{" W "," B ",\"a.b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
         "w: 1 of 3 tensors match no parameter: 'a.b'", true},
    };
    static unsigned char file[MAX_FILE];
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++) {
        const bool strict = i % 2;
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_module *module;
        const char *text = bind(ctx, rows[i / 2].attrs, rows[i / 2].header, strict, file, &module);
        cr_expect(strstr(text, rows[i / 2].message) != NULL, "row %zu: %s", i / 2, text);
        cr_expect_eq(rlxc_failed(ctx), strict || !rows[i / 2].warns, "row %zu: %s", i / 2, text);
        rlxc_context_destroy(ctx);
    }
}

/* Every exported function of the module gets its tensors, except one that the module itself calls;
 * a tensor used by two functions becomes one constant. */
RLX_TEST(safetensors, every_function_gets_its_weights)
{
    static const char text[] =
        "@I.ir_module\nclass Module:\n"
        "    @R.function\n    def prefill(x: R.Tensor((\"n\", 2), \"float32\"), "
        "w: R.Tensor((2, 3), \"float32\")):\n        return R.matmul(x, w)\n"
        "    @R.function\n    def decode(x: R.Tensor((\"n\", 2), \"float32\"), "
        "w: R.Tensor((2, 3), \"float32\"), b: R.Tensor((3,), \"float32\")):\n"
        "        cls = Module\n        y = cls.helper(x, w)\n        return R.add(y, b)\n"
        "    @R.function\n    def helper(x: R.Tensor((\"n\", 2), \"float32\"), "
        "w: R.Tensor((2, 3), \"float32\")):\n        return R.matmul(x, w)\n"
        "    @R.function(private=True)\n    def inside(w: R.Tensor((2, 3), \"float32\")):\n"
        "        return w\n";
    static const struct {
        const char *name;
        uint32_t n_params;
    } rows[] = {{"prefill", 1}, {"decode", 1}, {"helper", 2}, {"inside", 1}};
    static unsigned char file[MAX_FILE];
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_module *module = rlxc_parse_module(ctx, "m.py", text, strlen(text));
    rlxc_weights w;
    cr_assert_not_null(module, "%s", rlxc_render_diagnostics(ctx));
    cr_assert(rlxc_weights_parse(ctx, "w", file, make_file(file, "{" W "," B "}", 40), &w));
    cr_assert(rlxc_bind_weights(ctx, module, &w), "%s", rlxc_render_diagnostics(ctx));
    cr_expect_str_eq(rlxc_render_diagnostics(ctx), "");
    const rlxc_function *f[4];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        f[i] = rlxc_module_find(module, rlxc_intern_cstr(ctx, rows[i].name))->relax;
        cr_expect_eq(f[i]->n_params, rows[i].n_params, "%s", rows[i].name);
    }
    const rlxc_atom one = f[0]->body.blocks[0]->bindings[0]->args[0];
    const rlxc_atom other = f[1]->body.blocks[0]->bindings[0]->args[0];
    cr_expect_eq(one.constant, other.constant);
    rlxc_context_destroy(ctx);
}
