/* Transpositions, alone and fused with computations, against an element-by-element move: all widths
 * that go through registers, sizes around a block, channels moved across an image. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rlx/vm.h"
#include "tests/compiler/bound.h"
#include "tests/compiler/cpus.h"

typedef enum step { MOVE, WIDEN, QUANTIZE, ADD } step;

typedef struct example {
    const char *cpu; /* NULL: this machine's */
    step step;
    const char *from, *to; /* element types */
} example;

static const example examples[] = {
    {NULL, MOVE, "uint8", "uint8"},          {NULL, MOVE, "int16", "int16"},
    {NULL, MOVE, "float32", "float32"},      {NULL, MOVE, "int64", "int64"},
    {NULL, WIDEN, "uint8", "int32"},         {NULL, QUANTIZE, "float32", "uint8"},
    {NULL, ADD, "float32", "float32"},       {"x86-64-v3", MOVE, "int8", "int8"},
    {"x86-64-v3", MOVE, "uint16", "uint16"}, {"x86-64-v3", QUANTIZE, "float32", "uint8"},
    {"x86-64-v3", WIDEN, "int8", "int16"},   {"x86-64", MOVE, "uint8", "uint8"},
    {"x86-64", QUANTIZE, "float32", "uint8"}};

static const int64_t sizes[][3] = {{0, 16, 16}, {1, 16, 16}, {2, 15, 17}, {1, 33, 50},
                                   {3, 48, 16}, {1, 1, 64},  {1, 70, 31}, {2, 17, 128}};

static void write_text(const example *e, char *out, size_t size)
{
    char body[512];
    switch (e->step) {
    case MOVE:
        snprintf(body, sizeof body, "            v = x\n");
        break;
    case WIDEN:
        snprintf(body, sizeof body, "            v = R.astype(x, dtype=\"%s\")\n", e->to);
        break;
    case QUANTIZE:
        snprintf(body, sizeof body,
                 "            v = R.quantize(x, R.const(0.25, \"float32\"), R.const(3, \"%s\"), "
                 "out_dtype=\"%s\", axis=-1)\n",
                 e->to, e->to);
        break;
    case ADD: /* adds x, and c by channel */
        snprintf(body, sizeof body, "            u = R.add(x, c)\n            v = R.add(u, x)\n");
        break;
    }
    snprintf(out, size,
             "@I.ir_module\nclass Module:\n    @R.function\n"
             "    def main(x: R.Tensor((\"b\", \"c\", \"n\"), \"%s\"), "
             "c: R.Tensor((\"c\", 1), \"float32\")):\n"
             "        with R.dataflow():\n%s"
             "            y = R.permute_dims(v, axes=[0, 2, 1])\n"
             "            R.output(y)\n"
             "        return y\n",
             e->from, body);
}

static rlx_dtype type_of(const char *name)
{
    const char *digits = name + strcspn(name, "0123456789");
    rlx_dtype t = {RLX_FLOAT, 8, 1};
    if (name[0] != 'f')
        t.code = name[0] == 'u' ? RLX_UINT : RLX_INT;
    if (strcmp(digits, "8") != 0)
        t.bits = strcmp(digits, "16") == 0 ? 16 : strcmp(digits, "32") == 0 ? 32 : 64;
    return t;
}

/* Element |i| as a double. */
static double number(const void *data, rlx_dtype t, int64_t i)
{
    if (t.code == RLX_FLOAT)
        return (double)((const float *)data)[i];
    switch (t.bits) {
    case 8:
        return t.code == RLX_UINT ? (double)((const uint8_t *)data)[i]
                                  : (double)((const int8_t *)data)[i];
    case 16:
        return t.code == RLX_UINT ? (double)((const uint16_t *)data)[i]
                                  : (double)((const int16_t *)data)[i];
    case 32:
        return (double)((const int32_t *)data)[i];
    default:
        return (double)((const int64_t *)data)[i];
    }
}

static double expected(const example *e, double x, double c)
{
    if (e->step == ADD)
        return (double)((float)((float)x + (float)c) + (float)x);
    if (e->step != QUANTIZE)
        return x;
    const double q = nearbyint(x / 0.25) + 3;
    return q < 0 ? 0 : q > 255 ? 255 : q;
}

static void check(rlx_test *t, rlx_vm *vm, const example *e, const int64_t size[3])
{
    const rlx_dtype from = type_of(e->from), to = type_of(e->to);
    const int64_t dims[3] = {size[0], size[1], size[2]}, rows[2] = {size[1], 1};
    const int64_t n = dims[0] * dims[1] * dims[2];
    rlx_tensor *x = NULL, *c = NULL;
    RLX_OKAY(rlx_tensor_create(&t->allocator, from, 3, dims, &x, &t->error));
    RLX_OKAY(
        rlx_tensor_create(&t->allocator, (rlx_dtype){RLX_FLOAT, 32, 1}, 2, rows, &c, &t->error));
    unsigned char *data = rlx_tensor_mutable_data(x);
    for (int64_t i = 0; i < n; i++)
        if (from.code == RLX_FLOAT)
            ((float *)(void *)data)[i] = (float)((i * 37 + 11) % 700) * 0.125f - 8;
    for (int64_t i = 0; from.code != RLX_FLOAT && i < n * from.bits / 8; i++)
        data[i] = (unsigned char)(i * 37 + i / 251);
    for (int64_t i = 0; i < rows[0]; i++)
        ((float *)rlx_tensor_mutable_data(c))[i] = (float)(i % 13);
    rlx_value args[2] = {rlx_of_tensor(x), rlx_of_tensor(c)}, out = rlx_none();
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, 2, &out, &t->error));
    const void *y = rlx_tensor_data(out.as.tensor);
    int64_t wrong = rlx_tensor_numel(out.as.tensor) != n;
    for (int64_t i = 0; i < n && !wrong; i++) {
        const int64_t k = i % dims[1], j = i / dims[1] % dims[2], b = i / dims[1] / dims[2];
        const double value = number(data, from, (b * dims[1] + k) * dims[2] + j);
        wrong += expected(e, value, (double)(k % 13)) != number(y, to, i);
    }
    cr_expect(wrong == 0, "example %d: %lld, %lld, %lld", (int)(e - examples), (long long)dims[0],
              (long long)dims[1], (long long)dims[2]);
    rlx_value_release(out);
    rlx_value_release(args[0]);
    rlx_value_release(args[1]);
}

RLX_TEST(transpositions, elements_are_where_they_belong)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const example *e = &examples[i];
        char text[2048];
        if (!cpu_runs(e->cpu))
            continue;
        write_text(e, text, sizeof text);
        const bound_program p = {.text = text, .cpu = e->cpu};
        rlx_executable *exe = bound_compile(t, &p);
        cr_assert(exe);
        for (uint32_t threads = 1; threads <= 2; threads++) {
            rlx_vm_options options = {
                .allocator = &t->allocator, .debug_poison = true, .threads = threads};
            rlx_vm *vm = NULL;
            RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                check(t, vm, e, sizes[s]);
            rlx_vm_destroy(vm);
        }
        rlx_executable_release(exe);
    }
}
