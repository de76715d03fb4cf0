/* rlxc --lift-params: weights in a file of their own, replaced by others, and hostile ones. The
 * same weights in the executable are the reference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/cli/cli.h"
#include "rlx/cpu.h"
#include "rlx/vm.h"
#include "tests/compiler/bound.h"
#include "tests/compiler/files.h"
#include "tests/compiler/lift.h"

enum { N = 5 };

/* What passes do to weights: panels of odd widths in three types, a product with a transposed one,
 * integers of 8 bits with scales, channels moved last, folded expressions, a scalar, look-ups, two
 * functions that read one weight. Names that are no identifiers are spelled with underscores. */
static const char MODULE[] =
    "@I.ir_module\n"
    "class Module:\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((\"n\", 48), \"float32\"), image: R.Tensor((2, 8, 9, 9), "
    "\"float32\"),\n"
    "             i: R.Tensor((\"n\",), \"int64\"), w: R.Tensor((48, 37), \"float32\"),\n"
    "             t_weight: R.Tensor((21, 37), \"float32\"), half: R.Tensor((21, 11), "
    "\"float16\"),\n"
    "             q: R.Tensor((48, 32), \"int8\"), q_scale: R.Tensor((32,), \"float32\"),\n"
    "             k: R.Tensor((16, 8, 3, 3), \"float32\"), gain: R.Tensor((), \"float32\"),\n"
    "             table: R.Tensor((50, 6), \"float32\"), flags: R.Tensor((37,), \"bool\"),\n"
    "             norm: R.Tensor((16,), \"float32\")):\n"
    "        R.func_attr({\"num_input\": 3})\n"
    "        with R.dataflow():\n"
    "            a = R.where(flags, R.matmul(x, w), R.const(0, \"float32\"))\n"
    "            t = R.matmul(a, R.permute_dims(t_weight))\n"
    "            h = R.matmul(t, R.astype(half, \"float32\"))\n"
    "            d = R.multiply(R.astype(q, \"float32\"), q_scale)\n"
    "            p = R.matmul(x, d)\n"
    "            e = R.add(R.multiply(R.exp(R.negative(q_scale)), gain), R.const(1, \"float32\"))\n"
    "            s = R.multiply(p, e)\n"
    "            c = R.nn.conv2d(image, k, padding=1)\n"
    "            b = R.nn.batch_norm(c, norm, norm, norm, R.abs(norm), axis=1, training=False)\n"
    "            b0 = b[0]\n"
    "            r = R.take(table, i, axis=0)\n"
    "            out = (h, s, b0, r)\n"
    "            R.output(out)\n"
    "        return out\n"
    "    @R.function\n"
    "    def step(x: R.Tensor((1, 48), \"float32\"), w: R.Tensor((48, 37), \"float32\"),\n"
    "             t_weight: R.Tensor((21, 37), \"float32\")):\n"
    "        with R.dataflow():\n"
    "            y = R.matmul(R.matmul(x, w), R.permute_dims(t_weight))\n"
    "            R.output(y)\n"
    "        return y\n";

static const lift_weight weights[] = {
    {"w", "F32", "48,37", 4, 48 * 37}, {"t.weight", "F32", "21,37", 4, 21 * 37},
    {"half", "F16", "21,11", 2, 231},  {"q", "I8", "48,32", 1, 48 * 32},
    {"q.scale", "F32", "32", 4, 32},   {"k", "F32", "16,8,3,3", 4, 16 * 8 * 9},
    {"gain", "F32", "", 4, 1},         {"table", "F32", "50,6", 4, 300},
    {"flags", "BOOL", "37", 1, 37},    {"norm", "F32", "16", 4, 16},
};
enum { N_WEIGHTS = sizeof weights / sizeof *weights };

/* Writes the weights |seed|, the tensor |odd| as type |type| or of |shape| unless these are NULL.
 */
static const char *write_weights(const lift_place *p, char path[64], int seed, int odd,
                                 const char *type, const char *shape)
{
    lift_weight all[N_WEIGHTS];
    memcpy(all, weights, sizeof all);
    if (odd >= 0 && type)
        all[odd].type = type;
    if (odd >= 0 && shape)
        all[odd].shape = shape;
    return lift_weights(p, path, seed, all, N_WEIGHTS);
}

static rlx_tensor *input(rlx_test *t, rlx_dtype type, uint32_t n, const int64_t *dims)
{
    rlx_tensor *x;
    RLX_OKAY(rlx_tensor_create(&t->allocator, type, n, dims, &x, &t->error));
    const int64_t count = rlx_tensor_numel(x);
    for (int64_t i = 0; i < count; i++)
        if (rlx_dtype_eq(type, RLX_I64))
            ((int64_t *)rlx_tensor_mutable_data(x))[i] = i * 11 % 50;
        else
            ((float *)rlx_tensor_mutable_data(x))[i] = (float)(i % 13 - 6) / 4;
    return x;
}

typedef struct results {
    rlx_value main, step;
} results;

/* Calls both functions of the file with the weights that |options| name. */
static results run(rlx_test *t, const char *path, const rlx_load_options *given)
{
    rlx_load_options options = *given;
    rlx_executable *exe;
    results r;
    options.allocator = &t->allocator;
    options.trust_native = true;
    RLX_OKAY(rlx_executable_load_file(path, &options, &exe, &t->error));
    rlx_vm *vm = rlx_test_vm(t, exe);
    const rlx_value args[3] = {rlx_of_tensor(input(t, RLX_F32, 2, (int64_t[]){N, 48})),
                               rlx_of_tensor(input(t, RLX_F32, 4, (int64_t[]){2, 8, 9, 9})),
                               rlx_of_tensor(input(t, RLX_I64, 1, (int64_t[]){N}))};
    const rlx_value one = rlx_of_tensor(input(t, RLX_F32, 2, (int64_t[]){1, 48}));
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, 3, &r.main, &t->error));
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("step"), &one, 1, &r.step, &t->error));
    for (int i = 0; i < 3; i++)
        rlx_value_release(args[i]);
    rlx_value_release(one);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    return r;
}

static void release(results r)
{
    rlx_value_release(r.main);
    rlx_value_release(r.step);
}

/* Equal to |tolerance|; 0: every bit. */
static void same(results a, results b, float tolerance, const char *what)
{
    for (uint32_t i = 0; i < 4; i++)
        lift_same(rlx_tuple_get(a.main.as.tuple, i), rlx_tuple_get(b.main.as.tuple, i), tolerance,
                  what);
    lift_same(a.step, b.step, tolerance, what);
}

RLX_TEST(lift_params, other_weights_give_what_compiling_them_gives)
{
    lift_place p;
    char first[64], second[64], linked[64], lifted[64];
    lift_begin(&p, MODULE);
    write_weights(&p, first, 1, -1, NULL, NULL);
    write_weights(&p, second, 2, -1, NULL, NULL);
    lift_compiled(&p, first, "--lift-params", lifted);
    const results made = run(t, lifted, &(rlx_load_options){0});
    const results again = run(t, lifted, &(rlx_load_options){.weights = first});
    const results other = run(t, lifted, &(rlx_load_options){.weights = second});
    same(made, again, 0, "the same weights");
    const results reference =
        run(t, lift_compiled(&p, first, NULL, linked), &(rlx_load_options){0});
    same(reference, made, 1e-4f, "lifted");
    const results expected =
        run(t, lift_compiled(&p, second, NULL, linked), &(rlx_load_options){0});
    same(expected, other, 1e-4f, "others");
    release(made);
    release(again);
    release(other);
    release(reference);
    release(expected);
    lift_end(&p);
}

/* The tensors of the weights |seed| in memory. */
static void tensors_of(rlx_test *t, int seed, rlx_named_tensor out[N_WEIGHTS])
{
    const rlx_dtype types[] = {RLX_F32, RLX_F32, RLX_F16, RLX_I8, RLX_F32,
                               RLX_F32, RLX_F32, RLX_F32, RLX_B8, RLX_F32};
    for (int i = 0; i < N_WEIGHTS; i++) {
        int64_t dims[4];
        uint32_t n = 0;
        for (const char *at = weights[i].shape; *at; at += strspn(at, ",")) {
            char *rest;
            dims[n++] = strtol(at, &rest, 10);
            at = rest;
        }
        out[i].name = weights[i].name;
        RLX_OKAY(rlx_tensor_create(&t->allocator, types[i], n, dims, &out[i].tensor, &t->error));
        lift_fill(&weights[i], seed, rlx_tensor_mutable_data(out[i].tensor));
    }
}

RLX_TEST(lift_params, weights_of_the_host)
{
    lift_place p;
    char first[64], second[64], lifted[64];
    rlx_named_tensor tensors[N_WEIGHTS];
    lift_begin(&p, MODULE);
    lift_compiled(&p, write_weights(&p, first, 1, -1, NULL, NULL), "--lift-params", lifted);
    write_weights(&p, second, 2, -1, NULL, NULL);
    tensors_of(t, 2, tensors);
    const rlx_load_options given = {.tensors = tensors, .n_tensors = N_WEIGHTS};
    const results a = run(t, lifted, &given);
    const results b = run(t, lifted, &(rlx_load_options){.weights = second});
    same(a, b, 0, "of the host and of a file");
    rlx_executable *exe;
    const rlx_load_options few = {.trust_native = true, .tensors = tensors, .n_tensors = 3};
    RLX_FAILS(rlx_executable_load_file(lifted, &few, &exe, &t->error), RLX_E_NOT_FOUND,
              "there is none");
    for (int i = 0; i < N_WEIGHTS; i++)
        rlx_value_release(rlx_of_tensor(tensors[i].tensor));
    release(a);
    release(b);
    lift_end(&p);
}

static int64_t size_beside(const char *path)
{
    char beside[96];
    struct stat st;
    snprintf(beside, sizeof beside, "%s.safetensors", path);
    cr_assert_eq(stat(beside, &st), 0);
    return st.st_size;
}

/* Each level has its own panels and its own program, and weights that no pass changed are in the
 * file once. */
RLX_TEST(lift_params, levels_share_a_file)
{
    static const char both[] = "--mcpu=x86-64,x86-64-v3";
    lift_place p;
    char first[64], second[64], lifted[64], linked[64], options[64];
    lift_begin(&p, MODULE);
    write_weights(&p, first, 1, -1, NULL, NULL);
    write_weights(&p, second, 2, -1, NULL, NULL);
    lift_compiled(&p, first, "--lift-params --mcpu=x86-64", lifted);
    const int64_t one = size_beside(lifted);
    snprintf(options, sizeof options, "--lift-params %s", both);
    lift_compiled(&p, first, options, lifted);
    const int64_t two = size_beside(lifted);
    cr_expect(one < two && two < 2 * one, "%d and %d bytes", (int)one, (int)two);
    lift_compiled(&p, second, both, linked);
    const uint32_t n = rlx_cpu_has(RLX_STR("avx2")) && rlx_cpu_has(RLX_STR("fma")) ? 2 : 1;
    for (uint32_t level = 1; level <= n; level++) {
        const results own = run(t, lifted, &(rlx_load_options){.level = level});
        const results again = run(t, lifted, &(rlx_load_options){.level = level, .weights = first});
        const results other =
            run(t, lifted, &(rlx_load_options){.level = level, .weights = second});
        const results expected = run(t, linked, &(rlx_load_options){.level = level});
        same(own, again, 0, "the same weights");
        same(expected, other, 1e-4f, "others");
        release(own);
        release(again);
        release(other);
        release(expected);
    }
    lift_end(&p);
}

/* How many tensors of a file are made of |weight|. */
static int count_made(const char *data, size_t size, const char *weight)
{
    char start[32];
    const int length = snprintf(start, sizeof start, "\"%s#", weight);
    int found = 0;
    for (size_t i = 8; i + (size_t)length + 8 < size && data[i] != '\0'; i++) {
        const char *colon =
            memcmp(data + i, start, (size_t)length) == 0 ? memchr(data + i + length, ':', 8) : NULL;
        found += colon && colon[1] == '{';
    }
    return found;
}

/* Functions share a weight in the file, and what is made of it, each by itself. */
RLX_TEST(lift_params, the_file_has_each_weight_once)
{
    static const char *const shared[] = {"w", "t.weight"};
    lift_place p;
    char first[64], lifted[64], path[96], *data;
    size_t size;
    lift_begin(&p, MODULE);
    lift_compiled(&p, write_weights(&p, first, 1, -1, NULL, NULL), "--lift-params", lifted);
    snprintf(path, sizeof path, "%s.safetensors", lifted);
    data = file_read(path, &size);
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        const int found = count_made(data, size, shared[i]);
        cr_expect_eq(found, 1, "%d tensors made of %s", found, shared[i]);
    }
    free(data);
    lift_end(&p);
}

RLX_TEST(lift_params, weights_that_do_not_fit_are_refused)
{
    static const struct {
        int odd;
        const char *type, *shape;
        rlx_status status;
        const char *said;
    } rows[] = {
        {0, NULL, "37,48", RLX_E_SHAPE, "'w'"},
        {0, "I32", NULL, RLX_E_SHAPE, "'w'"},
        {3, "U8", NULL, RLX_E_SHAPE, "'q'"},
        {1, NULL, "21,36", RLX_E_NOT_FOUND, "'t.weight': its type, shape and size do not fit"},
        {0, "F4", NULL, RLX_E_NOT_FOUND, "'w': its type, shape and size do not fit"},
        {0, NULL, "48,-37", RLX_E_NOT_FOUND, "'w': its entry is malformed"},
        {0, NULL, "99999999999999999999", RLX_E_NOT_FOUND, "'w': its entry is malformed"},
        {0, NULL, "9223372036854775807,37", RLX_E_NOT_FOUND, "'w': its type, shape and size"},
        {0, NULL, "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,48,37", RLX_E_NOT_FOUND, "malformed"},
    };
    lift_place p;
    char first[64], odd[64], lifted[64];
    lift_begin(&p, MODULE);
    lift_compiled(&p, write_weights(&p, first, 1, -1, NULL, NULL), "--lift-params", lifted);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_executable *exe = NULL;
        write_weights(&p, odd, 3, rows[i].odd, rows[i].type, rows[i].shape);
        const rlx_load_options options = {
            .allocator = &t->allocator, .trust_native = true, .weights = odd};
        const rlx_status status = rlx_executable_load_file(lifted, &options, &exe, &t->error);
        cr_expect_eq(status, rows[i].status, "row %zu: %d: %s", i, (int)status, t->error.message);
        cr_expect(strstr(t->error.message, rows[i].said), "row %zu: %s", i, t->error.message);
    }
    write_weights(&p, first, 1, -1, NULL, NULL);
    lift_compiled(&p, first, NULL, lifted);
    rlx_executable *whole = NULL;
    const rlx_load_options given = {
        .allocator = &t->allocator, .trust_native = true, .weights = first};
    RLX_FAILS(rlx_executable_load_file(lifted, &given, &whole, &t->error), RLX_E_INVALID_ARG,
              "no weights file belongs to it");
    lift_compiled(&p, first, "--lift-params", lifted);
    const rlx_load_options untrusted = {.allocator = &t->allocator, .weights = odd};
    rlx_executable *exe = NULL;
    cr_expect_neq(rlx_executable_load_file(lifted, &untrusted, &exe, &t->error), RLX_OK);
    lift_end(&p);
}

/* Any bytes in the place of the weights: an error, or weights. */
static void try_file(rlx_test *t, const char *lifted, const char *path, const void *data,
                     size_t size)
{
    rlx_executable *exe = NULL;
    const rlx_load_options options = {
        .allocator = &t->allocator, .trust_native = true, .weights = path};
    lift_write(path, data, size);
    if (rlx_executable_load_file(lifted, &options, &exe, &t->error) != RLX_OK)
        cr_expect_neq(t->error.message[0], '\0');
    rlx_executable_release(exe);
}

RLX_TEST(lift_params, damaged_files_are_errors)
{
    static const char *const headers[] = {
        "",
        "{",
        "{}",
        "[]",
        "null",
        "{\"w\"",
        "{\"w\":",
        "{\"w\":{",
        "{\"w\":}",
        "{\"w\":{}}",
        "{\"w\":[[[[",
        "{\"w\":]",
        "{\"a\":\"",
        "{\"a\":\"\\",
        "{\"a\":1,",
        "{\"a\":{]}",
        "{\"w\":{\"shape\":[48,37],\"dtype\":\"F32\",\"data_offsets\":[9,3]}}",
        "{\"w\":{\"shape\":[48,37],\"dtype\":\"F32\",\"data_offsets\":[0,18446744073709551615]}}",
        ("{\"w\":{\"shape\":[48,37],\"dtype\":\"F32\",\"data_offsets\":[18446744073709544512,"
         "18446744073709551616]}}"),
        "{\"w\":{\"shape\":[0],\"dtype\":\"F32\",\"data_offsets\":[99,99]}}",
        "{\"w\":{\"shape\":[[48]],\"dtype\":\"F32\",\"data_offsets\":[0,0]}}",
        "{\"w\":{\"shape\":[48 37],\"dtype\":\"F32\",\"data_offsets\":[0,0]}}",
    };
    lift_place p;
    char first[64], lifted[64], path[96], *file;
    size_t size;
    lift_begin(&p, MODULE);
    lift_compiled(&p, write_weights(&p, first, 1, -1, NULL, NULL), "--lift-params", lifted);
    snprintf(path, sizeof path, "%s/damaged.safetensors", p.folder);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        unsigned char *made = bound_file(headers[i], "12345678", 8, &size);
        try_file(t, lifted, path, made, size);
        for (size_t cut = 0; cut < size; cut += 5)
            try_file(t, lifted, path, made, cut);
        free(made);
    }
    file = file_read(first, &size);
    for (size_t i = 0; i < 900; i += 7) {
        const char was = file[i];
        file[i] = (char)(was ^ (1 << i % 8));
        try_file(t, lifted, path, file, size);
        file[i] = was;
    }
    free(file);
    lift_end(&p);
}

RLX_TEST(lift_params, commands_that_make_no_sense_are_refused)
{
    lift_place p;
    char first[64], output[64], said[LIFT_SAID], beside[96];
    lift_begin(&p, MODULE);
    write_weights(&p, first, 1, -1, NULL, NULL);
    snprintf(output, sizeof output, "%s/a.rlx", p.folder);
    snprintf(beside, sizeof beside, "%s.safetensors", output);
    cr_assert_eq(rename(first, beside), 0);
    cr_expect_neq(lift_rlxc(&p, beside, "--lift-params", output, said), 0);
    cr_expect(strstr(said, "would overwrite"), "%s", said);
    const char *argv[] = {"rlxc", p.model, "--lift-params", "--emit=llvm"};
    FILE *err = fmemopen(said, LIFT_SAID, "w");
    cr_expect_neq(rlxc_main(4, (char **)(uintptr_t)argv, stdout, err), 0);
    fclose(err);
    cr_expect(strstr(said, "--lift-params needs"), "%s", said);
    lift_end(&p);
}
