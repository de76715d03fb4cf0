/* Modules as TVM 0.25, 0.26 and 0.27 print them, by their front ends and after
 * their passes (tests/tvm/corpus.txt, which tests/tvm/generate.py and corpus.py
 * make): each is parsed, checked and compiled whole. Where a module has a
 * function main of tensors, what its passes made of it gives the same numbers
 * as the module itself. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/compile.h"
#include "compiler/script/script.h"
#include "tests/support/rlx_test.h"

enum {
    MAX_PARAMS = 16,
    MAX_SYMBOLS = 8,
    OPTIMISED = 16 /* one in so many at -O2 */
};

static char *read_file(const char *path, size_t *out_length)
{
    FILE *file = fopen(path, "rb");
    cr_assert(file, "%s", path);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    cr_assert(text && fread(text, 1, (size_t)size, file) == (size_t)size);
    text[size] = '\0';
    fclose(file);
    *out_length = (size_t)size;
    return text;
}

/* --- running ------------------------------------------------------------------------------ */

/* Small numbers that suit every operator of the corpus: indices in range,
 * logarithms defined. */
static void fill(rlx_dtype t, void *data, int64_t n)
{
    memset(data, 0, (size_t)n * rlx_dtype_size(t));
    for (int64_t i = 0; i < n; i++) {
        double value = 0.25 + 0.5 * (double)(i * 7 % 5) / 5;
        if (t.code == RLX_FLOAT && t.bits == 32)
            ((float *)data)[i] = (float)value;
        else if (t.code == RLX_FLOAT && t.bits == 64)
            ((double *)data)[i] = value;
        else
            ((char *)data)[(size_t)i * rlx_dtype_size(t)] = (char)(i * 7 % 2);
    }
}

/* A tensor for a parameter; every symbol is 4. False where the type is no
 * tensor of known sizes. */
static bool make_argument(rlx_test *t, const rlx_executable *exe, uint32_t type, rlx_value *out)
{
    rlx_type_info info;
    int64_t dims[RLX_MAX_NDIM], slots[MAX_SYMBOLS];
    for (int i = 0; i < MAX_SYMBOLS; i++)
        slots[i] = 4;
    if (!rlx_executable_type(exe, type, &info) || info.kind != RLX_TYPE_TENSOR ||
        !info.rank_known || info.dtype.bits == 0)
        return false;
    for (uint32_t i = 0; i < info.n_dims; i++) {
        dims[i] = 4;
        if (info.dims[i].kind == RLX_DIM_EXPR &&
            rlx_executable_eval(exe, info.dims[i].index, slots, MAX_SYMBOLS, &dims[i], &t->error))
            return false;
    }
    rlx_tensor *tensor = NULL;
    RLX_OKAY(rlx_tensor_create(&t->allocator, info.dtype, info.n_dims, dims, &tensor, &t->error));
    fill(info.dtype, rlx_tensor_mutable_data(tensor), rlx_tensor_numel(tensor));
    *out = rlx_of_tensor(tensor);
    return true;
}

static void release_all(rlx_value *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        rlx_value_release(values[i]);
}

/* The result of main, none where it cannot be run on tensors alone. */
static rlx_value run_main(rlx_test *t, rlx_executable *exe)
{
    rlx_vm_options options = {.allocator = &t->allocator, .threads = 1};
    rlx_value args[MAX_PARAMS], out = rlx_none();
    rlx_function_info info;
    rlx_vm *vm = NULL;
    uint32_t f = rlx_executable_find_function(exe, RLX_STR("main")), n = 0;
    if (f == RLX_NONE || !rlx_executable_function(exe, f, &info) || info.n_params > MAX_PARAMS)
        return out;
    while (n < info.n_params && make_argument(t, exe, rlx_function_param_type(exe, f, n), &args[n]))
        n++;
    if (n == info.n_params) {
        RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
        if (rlx_vm_invoke(vm, RLX_STR("main"), args, n, &out, &t->error) != RLX_OK)
            out = rlx_none(); /* values that this module does not take */
        rlx_vm_destroy(vm);
    }
    release_all(args, n);
    return out;
}

static double element(const rlx_tensor *x, int64_t i)
{
    const char *at =
        (const char *)rlx_tensor_data(x) + (size_t)i * rlx_dtype_size(rlx_tensor_dtype(x));
    rlx_dtype type = rlx_tensor_dtype(x);
    int64_t whole = 0;
    float narrow;
    double wide;
    if (type.code == RLX_FLOAT && type.bits == 32) {
        memcpy(&narrow, at, sizeof narrow);
        return (double)narrow;
    }
    if (type.code == RLX_FLOAT && type.bits == 64) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&whole, at, rlx_dtype_size(type));
    return (double)whole;
}

static bool same(rlx_value a, rlx_value b)
{
    if (a.kind != b.kind)
        return false;
    if (a.kind == RLX_KIND_TUPLE) {
        uint32_t n = rlx_tuple_count(a.as.tuple);
        bool equal = n == rlx_tuple_count(b.as.tuple);
        for (uint32_t i = 0; i < n && equal; i++)
            equal = same(rlx_tuple_get(a.as.tuple, i), rlx_tuple_get(b.as.tuple, i));
        return equal;
    }
    if (a.kind != RLX_KIND_TENSOR)
        return true;
    const rlx_tensor *x = a.as.tensor, *y = b.as.tensor;
    int64_t n = rlx_tensor_numel(x);
    rlx_dtype type = rlx_tensor_dtype(x);
    if (!rlx_dtype_eq(type, rlx_tensor_dtype(y)) || n != rlx_tensor_numel(y))
        return false;
    if (type.bits == 16 && type.code != RLX_INT && type.code != RLX_UINT)
        return true; /* 16 bits round at other places in another form */
    for (int64_t i = 0; i < n; i++) {
        double u = element(x, i), v = element(y, i);
        if (!(u == v || (isnan(u) && isnan(v)) || fabs(u - v) <= 1e-4 * (1 + fabs(v))))
            return false;
    }
    return true;
}

/* --- the corpus --------------------------------------------------------------------------- */

/* Passes that change what the module computes, or its types: "mixed" rounds to
 * float16. */
static bool keeps_values(const char *name)
{
    return strstr(name, ".mixed") == NULL && strstr(name, ".train") == NULL &&
           strstr(name, ".bind") == NULL && strstr(name, ".bundle") == NULL;
}

/* Compiles one text and, |out| given, runs it. */
static bool compile_text(rlx_test *t, const char *name, const char *text, size_t length, int level,
                         rlx_value *out)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlx_exec_builder *builder = NULL;
    rlx_executable *exe = NULL;
    rlxc_options options;
    rlx_load_options load = {.allocator = &t->allocator, .trust_native = true};
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &builder, &t->error));
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, level));
    bool good = rlxc_compile_text(ctx, name, text, length, &options, builder);
    cr_expect(good, "%s: %s", name, rlxc_render_diagnostics(ctx));
    if (good && out != NULL) {
        RLX_OKAY(rlx_exec_builder_load(builder, &load, &exe, &t->error));
        *out = run_main(t, exe);
        rlx_executable_release(exe);
    }
    rlx_exec_builder_destroy(builder);
    rlxc_context_destroy(ctx);
    return good;
}

/* "0.26.conv2d" of "0.26.conv2d.fuse" */
static size_t module_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : strlen(name);
}

RLX_TEST(tvm_corpus, modules_of_three_releases_compile_and_agree)
{
    size_t length;
    char *all = read_file("tests/tvm/corpus.txt", &length), plain[160] = "";
    unsigned n = 0, left = 0, compiled = 0, compared = 0, differ = 0;
    rlx_value want = rlx_none();
    for (char *at = all; at && strncmp(at, "#### ", 5) == 0; n++) {
        char name[160];
        char *text = strchr(at, '\n') + 1, *end = strstr(text, "\n#### ");
        snprintf(name, sizeof name, "%.*s", (int)(text - at) - 6, at + 5);
        size_t size = end ? (size_t)(end + 1 - text) : strlen(text);
        bool first = strcmp(name + module_length(name), ".plain") == 0;
        bool of_plain =
            strncmp(name, plain, module_length(name)) == 0 && plain[module_length(name)] == '.';
        rlx_value got = rlx_none();
        if (!first && !rlx_test_takes(n, 3)) {
            left++;
            at = end ? end + 1 : NULL;
            continue;
        }
        bool runs = first || (of_plain && want.kind != RLX_KIND_NONE && keeps_values(name));
        compiled +=
            compile_text(t, name, text, size, n % OPTIMISED == 0 ? 2 : 0, runs ? &got : NULL);
        if (first) {
            rlx_value_release(want);
            want = got;
            snprintf(plain, sizeof plain, "%s", name);
        } else {
            if (got.kind != RLX_KIND_NONE) {
                compared++;
                bool equal = same(want, got);
                differ += !equal;
                cr_expect(equal, "%s gives other numbers than %s", name, plain);
            }
            rlx_value_release(got);
        }
        at = end ? end + 1 : NULL;
    }
    rlx_value_release(want);
    free(all);
    cr_expect(n > 300 && compiled + left == n, "%u of %u texts compile", compiled, n - left);
    cr_expect(compared > 40 && differ == 0, "%u of %u results differ", differ, compared);
}
