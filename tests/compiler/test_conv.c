/* Convolutions with constant weights against sums in double: channels last, minimal filtering,
 * scales folded into weights, epilogues; with odd channel counts and sizes around the tiles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/codegen/codegen.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/safetensors.h"
#include "compiler/ir/op.h"
#include "compiler/script/script.h"
#include "rlx/vm.h"
#include "tests/compiler/bound.h"
#include "tests/compiler/cpus.h"

typedef struct conv_case {
    int64_t in, out, height /* 0: one-dimensional */, width, size, stride, dilation, groups, before,
        after;
    bool residual; /* y = relu(conv + bias + x); else y = relu((conv + bias) * scale) */
    bool symbolic; /* height and width are symbolic too */
} conv_case;

/* How a module is compiled. */
typedef struct build {
    const char *cpu;
    int level;
    bool no_winograd;
    const char
        *dtype; /* of the convolution only, the same for all builds of a check; NULL: float32 */
} build;

typedef struct data { /* of one case */
    float *weight, *bias, *scale;
} data;

/* A number in [-1, 1). */
static float draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (float)(1 << 23) - 1.0F;
}

static float *draw_many(uint32_t *state, size_t n)
{
    float *out = malloc((n + 1) * sizeof *out);
    for (size_t i = 0; i < n; i++)
        out[i] = draw(state);
    return out;
}

/* The same; unless |dtype| is NULL, rounded to what floats of 16 bits can represent. */
static float *draw_elements(uint32_t *state, size_t n, const char *dtype)
{
    float *out = draw_many(state, n);
    for (size_t i = 0; dtype && i < n; i++)
        out[i] = (float)(int)(out[i] * 128) / 128;
    return out;
}

static int64_t positions(const conv_case *c, int64_t length)
{
    return (length + c->before + c->after - c->dilation * (c->size - 1) - 1) / c->stride + 1;
}

static bool is_flat(const conv_case *c)
{
    return c->height == 0;
}

static int64_t rows(const conv_case *c)
{
    return is_flat(c) ? 1 : positions(c, c->height);
}

static const char *flat_text_of(rlxc_context *ctx, const conv_case *c)
{
    const char *width = c->symbolic ? "\"w\"" : rlxc_internf(ctx, "%lld", (long long)c->width);
    return rlxc_internf(
        ctx,
        "@I.ir_module\nclass Module:\n    @R.function\n"
        "    def main(x: R.Tensor((\"n\", %lld, %s), \"float32\"),\n"
        "             weight: R.Tensor((%lld, %lld, %lld), \"float32\"),\n"
        "             bias: R.Tensor((1, %lld, 1), \"float32\"),\n"
        "             scale: R.Tensor((%lld, 1), \"float32\")):\n"
        "        with R.dataflow():\n"
        "            a = R.nn.conv1d(x, weight, strides=%lld, dilation=%lld, groups=%lld,\n"
        "                            padding=[%lld, %lld])\n"
        "            b = R.add(a, bias)\n"
        "            d = %s\n"
        "            y = R.nn.relu(d)\n"
        "            R.output(y)\n"
        "        return y\n",
        (long long)c->in, width, (long long)c->out, (long long)(c->in / c->groups),
        (long long)c->size, (long long)c->out, (long long)c->out, (long long)c->stride,
        (long long)c->dilation, (long long)c->groups, (long long)c->before, (long long)c->after,
        c->residual ? "R.add(b, x)" : "R.multiply(b, scale)");
}

static const char *text_of(rlxc_context *ctx, const conv_case *c, const char *dtype)
{
    if (is_flat(c))
        return flat_text_of(ctx, c);
    const char *height = c->symbolic ? "\"h\"" : rlxc_internf(ctx, "%lld", (long long)c->height);
    const char *width = c->symbolic ? "\"w\"" : rlxc_internf(ctx, "%lld", (long long)c->width);
    const char *last = c->residual ? "R.add(b, x)" : "R.multiply(b, scale)";
    const char *operands =
        dtype ? rlxc_internf(ctx, "R.astype(x, \"%s\"), R.astype(weight, \"%s\")", dtype, dtype)
              : "x, weight";
    return rlxc_internf(
        ctx,
        "@I.ir_module\nclass Module:\n    @R.function\n"
        "    def main(x: R.Tensor((\"n\", %lld, %s, %s), \"float32\"),\n"
        "             weight: R.Tensor((%lld, %lld, %lld, %lld), \"float32\"),\n"
        "             bias: R.Tensor((1, %lld, 1, 1), \"float32\"),\n"
        "             scale: R.Tensor((%lld, 1, 1), \"float32\")):\n"
        "        with R.dataflow():\n"
        "            a = R.nn.conv2d(%s, strides=%lld, dilation=%lld, groups=%lld,\n"
        "                            padding=[%lld, %lld, %lld, %lld])\n"
        "            b = R.add(%s, bias)\n"
        "            d = %s\n"
        "            y = R.nn.relu(d)\n"
        "            R.output(y)\n"
        "        return y\n",
        (long long)c->in, height, width, (long long)c->out, (long long)(c->in / c->groups),
        (long long)c->size, (long long)c->size, (long long)c->out, (long long)c->out, operands,
        (long long)c->stride, (long long)c->dilation, (long long)c->groups, (long long)c->before,
        (long long)c->before, (long long)c->after, (long long)c->after,
        dtype ? "R.astype(a, \"float32\")" : "a", last);
}

static void add_weight(rlxc_context *ctx, rlxc_weights *w, const char *name, uint32_t ndim,
                       const int64_t *shape, const float *values)
{
    rlxc_weight one = {.name = rlxc_intern_cstr(ctx, name),
                       .symbol = rlxc_intern_cstr(ctx, name),
                       .dtype = RLX_F32,
                       .ndim = ndim,
                       .shape = rlxc_copy(ctx, shape, ndim * sizeof *shape),
                       .data = values,
                       .nbytes = sizeof *values};
    for (uint32_t i = 0; i < ndim; i++)
        one.nbytes *= (size_t)shape[i];
    RLXC_PUSH(ctx, &w->tensors, one);
    rlxc_map_set(ctx, &w->by_symbol, rlxc_key(one.symbol), (void *)(uintptr_t)w->tensors.count);
}

/* What the schedule chose: minimal filtering by blocks of tiles, a padded copy of the input, the
 * weight in panels. */
typedef struct scheduled {
    rlxc_context *ctx;
    bool in_blocks, pads, panels;
} scheduled;

static bool look(void *user, const rlxc_pass *pass, const rlxc_module *module, double seconds)
{
    scheduled *s = user;
    (void)seconds;
    if (strcmp(pass->name, "schedule") == 0) {
        const char *text = rlxc_print_module(s->ctx, module);
        s->in_blocks = strstr(text, "patch") != NULL;
        s->pads = strstr(text, "pad_temp") != NULL;
        s->panels = strstr(text, "_panels") != NULL;
    }
    return true;
}

static bool wants_blocks(const conv_case *c, const build *how)
{
    const int64_t least = c->groups > 1 ? 8 : 16;
    return how->level >= 2 && !how->no_winograd && !is_flat(c) && c->size == 3 && c->stride == 1 &&
           c->dilation == 1 && c->in / c->groups >= least && c->out / c->groups >= least &&
           positions(c, c->height) > 8 && positions(c, c->width) > 8;
}

/* Depthwise convolutions of 8 or more channels and widely dilated ones clip their window to the
 * image instead. */
static bool wants_no_padding(const conv_case *c, const build *how)
{
    if (how->level >= 2 && c->dilation >= 2 * c->stride && c->in >= 16 && c->out >= 16 &&
        c->size > 1 && c->size <= 8 && c->groups == 1)
        return true;
    return how->level >= 2 && c->groups >= 8 && c->groups == c->in && c->out == c->in &&
           c->size > 1 && c->size <= 16 && (c->symbolic || positions(c, c->width) > 1);
}

static rlx_executable *compile(rlx_test *t, const conv_case *c, const data *d, const build *how)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_options options;
    rlxc_weights weights = {.path = "weights"};
    const int64_t filter[4] = {c->out, c->in / c->groups, c->size, c->size};
    const int64_t bias[4] = {1, c->out, 1, 1};
    const uint32_t rank = is_flat(c) ? 3 : 4;
    add_weight(ctx, &weights, "weight", rank, filter, d->weight);
    add_weight(ctx, &weights, "bias", rank, bias, d->bias);
    add_weight(ctx, &weights, "scale", rank - 1, bias + 1, d->scale);
    const char *text = text_of(ctx, c, how->dtype);
    scheduled seen = {.ctx = ctx};
    const rlxc_pass_hooks hooks = {&seen, look};
    rlxc_module *module = NULL;
    if (rlxc_options_init(ctx, &options, NULL, how->cpu, how->level))
        module = rlxc_read_module(ctx, "test.py", text, strlen(text));
    options.no_winograd = how->no_winograd;
    options.check = true;
    bool bound = module && rlxc_bind_weights(ctx, module, &weights);
    rlx_executable *exe = bound_load(t, ctx, bound ? module : NULL, &options, &hooks, text);
    cr_expect(!wants_blocks(c, how) || seen.in_blocks, "not scheduled in blocks:\n%s", text);
    cr_expect(how->level < 2 || c->groups > 1 || c->out < 4 || seen.panels, "no panels:\n%s", text);
    cr_expect(!wants_no_padding(c, how) || !seen.pads, "a padded copy is made:\n%s", text);
    rlxc_context_destroy(ctx);
    return exe;
}

/* One element of the convolution in double; |*out_size| gets the sum of the terms' magnitudes. */
static double reference(const conv_case *c, const data *d, const float *x, int64_t n, int64_t f,
                        int64_t row, int64_t column, double *out_size)
{
    int64_t per_group = c->in / c->groups, group = f / (c->out / c->groups);
    double sum = 0;
    *out_size = 0;
    for (int64_t i = 0; i < per_group; i++)
        for (int64_t r = 0; r < (is_flat(c) ? 1 : c->size); r++)
            for (int64_t s = 0; s < c->size; s++) {
                int64_t y = is_flat(c) ? 0 : row * c->stride + r * c->dilation - c->before;
                int64_t z = column * c->stride + s * c->dilation - c->before;
                if (y < 0 || z < 0 || y >= (is_flat(c) ? 1 : c->height) || z >= c->width)
                    continue;
                int64_t channel = group * per_group + i;
                int64_t filter = (f * per_group + i) * (is_flat(c) ? 1 : c->size) + r;
                double p =
                    (double)
                        x[((n * c->in + channel) * (is_flat(c) ? 1 : c->height) + y) * c->width +
                          z] *
                    (double)d->weight[filter * c->size + s];
                sum += p;
                *out_size += fabs(p);
            }
    return sum;
}

/* The largest error, relative to the sum of the magnitudes of each element's terms. */
static double worst_error(const conv_case *c, const data *d, const float *x, const float *y,
                          int64_t n)
{
    int64_t height = rows(c), width = positions(c, c->width);
    double worst = 0;
    for (int64_t i = 0; i < n * c->out * height * width; i++) {
        int64_t column = i % width, row = i / width % height, f = i / width / height % c->out;
        int64_t image = i / width / height / c->out;
        double size, want = reference(c, d, x, image, f, row, column, &size);
        want += (double)d->bias[f];
        if (c->residual)
            want += (double)x[i];
        else
            want *= (double)d->scale[f];
        want = want > 0 ? want : 0;
        double error = fabs((double)y[i] - want) / (size + 1);
        if (!(error <= worst)) /* also true for NaN */
            worst = error;
    }
    return worst;
}

static double run(rlx_test *t, rlx_executable *exe, const conv_case *c, const data *d, int64_t n,
                  const char *dtype)
{
    rlx_vm_options options = {.allocator = &t->allocator, .debug_poison = true};
    rlx_vm *vm = NULL;
    rlx_tensor *x = NULL;
    uint32_t state = 7;
    const int64_t dims[4] = {n, c->in, is_flat(c) ? c->width : c->height, c->width};
    size_t count = (size_t)(n * c->in * (is_flat(c) ? 1 : c->height) * c->width);
    float *values = draw_elements(&state, count, dtype);
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, is_flat(c) ? 3 : 4, dims, &x, &t->error));
    if (count > 0)
        memcpy(rlx_tensor_mutable_data(x), values, count * sizeof *values);
    rlx_value arg = rlx_of_tensor(x), out = rlx_none();
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &out, &t->error));
    int64_t numel = n * c->out * rows(c) * positions(c, c->width);
    cr_assert(out.kind == RLX_KIND_TENSOR && rlx_tensor_numel(out.as.tensor) == numel);
    double worst = worst_error(c, d, values, rlx_tensor_data(out.as.tensor), n);
    rlx_value_release(out);
    rlx_value_release(arg);
    rlx_vm_destroy(vm);
    free(values);
    return worst;
}

static const int64_t batches[] = {0, 1, 3};

/* The largest error of the case, over all batches and builds. A quick run takes half of the builds
 * beside the first; which ones depends on the case. */
static double check(rlx_test *t, const conv_case *c, const build *builds, size_t n_builds,
                    double limit)
{
    uint32_t state = (uint32_t)(c->in * 31 + c->out * 7 + c->height);
    const size_t weights = (size_t)(c->out * c->in / c->groups * c->size * c->size);
    data d = {draw_elements(&state, weights, builds->dtype), draw_many(&state, (size_t)c->out),
              draw_many(&state, (size_t)c->out)};
    double all = 0;
    for (size_t i = 0; i < n_builds; i++) {
        if (!cpu_runs(builds[i].cpu) ||
            (i > 0 && !rlx_test_takes((size_t)(c->in + c->out + c->width) + i, 2)))
            continue;
        rlx_executable *exe = compile(t, c, &d, &builds[i]);
        for (size_t k = 0; exe && k < sizeof batches / sizeof *batches; k++) {
            double worst = run(t, exe, c, &d, batches[k], builds->dtype);
            cr_expect(worst <= limit,
                      "%lld -> %lld channels, %lld x %lld, size %lld, n %lld, %s -O%d: %g",
                      (long long)c->in, (long long)c->out, (long long)c->height,
                      (long long)c->width, (long long)c->size, (long long)batches[k],
                      builds[i].cpu ? builds[i].cpu : "native", builds[i].level, worst);
            all = worst > all ? worst : all;
        }
        rlx_executable_release(exe);
    }
    free(d.weight);
    free(d.bias);
    free(d.scale);
    return all;
}

static const build native[] = {{NULL, 3, false, NULL}};
static const build targets[] = {{NULL, 3, false, NULL},
                                {"x86-64-v3", 3, false, NULL},
                                {"x86-64-v2", 3, false, NULL},
                                {NULL, 0, false, NULL}};
static const build plain[] = {{NULL, 3, true, NULL}};

/* Sequential float32 sums: the error grows with the number of terms, here at most 600. */
static const double direct_limit = 4e-6;
/* Minimal filtering's error bound, stated in docs/convolution.md. */
static const double filtered_limit = 6e-6;

RLX_TEST(conv, odd_channels_and_sizes)
{
    static const int64_t channels[] = {1, 3, 5, 15, 16, 17};
    static const int64_t sizes[] = {1, 6, 13};
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < 6; k++) {
            if (!rlx_test_takes(i + k, 2))
                continue;
            int64_t height = sizes[(i + k) % 3], width = sizes[(i + 2 * k + 1) % 3];
            conv_case c = {channels[i], channels[k], height, width, 3,      1,
                           1,           1,           1,      1,     i == k, (i + k) % 4 == 0};
            check(t, &c, native, 1, direct_limit);
        }
}

RLX_TEST(conv, strides_dilations_groups)
{
    static const conv_case cases[] = {
        {3, 16, 11, 12, 7, 2, 1, 1, 3, 3, false, false},  /* the first layer of many networks */
        {16, 33, 9, 7, 1, 1, 1, 1, 0, 0, false, false},   /* a matrix product */
        {16, 8, 9, 7, 1, 2, 1, 1, 0, 0, false, false},    /* a matrix product with a stride */
        {17, 17, 12, 13, 3, 1, 1, 17, 1, 1, true, false}, /* depthwise */
        {32, 64, 10, 9, 3, 2, 1, 32, 1, 1, false, false}, /* depthwise, two outputs per channel */
        {20, 30, 8, 8, 3, 1, 1, 5, 1, 1, false, true},    /* grouped */
        {16, 16, 12, 12, 3, 1, 2, 1, 2, 2, true, false},  /* dilated */
        {16, 20, 9, 9, 3, 2, 1, 1, 1, 0, false, false},   /* uneven padding */
        {16, 16, 9, 9, 5, 1, 1, 1, 2, 2, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(t, &cases[i], targets, 2, direct_limit);
}

RLX_TEST(conv, pixels_are_rows_of_one_product)
{
    static const conv_case cases[] = {
        {64, 64, 7, 7, 1, 1, 1, 1, 0, 0, true, false},
        {33, 33, 9, 7, 1, 1, 1, 1, 0, 0, true, true},
        {20, 130, 5, 10, 1, 1, 1, 1, 0, 0, false, true},
        {1, 17, 7, 7, 1, 1, 1, 1, 0, 0, false, false},
        {16, 16, 6, 6, 1, 1, 1, 1, 1, 1, false, false},
        {32, 64, 7, 9, 1, 1, 1, 4, 0, 0, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(t, &cases[i], targets, 4, direct_limit);
}

RLX_TEST(conv, channel_by_channel)
{
    static const conv_case cases[] = {
        {64, 64, 14, 13, 3, 1, 1, 64, 1, 1, true, false},
        {40, 40, 9, 9, 5, 1, 1, 40, 2, 2, false, true},
        {48, 48, 11, 12, 3, 2, 1, 48, 1, 1, false, false},
        {33, 33, 26, 25, 3, 1, 1, 33, 1, 1, true, true},
        {16, 16, 13, 30, 7, 1, 1, 16, 3, 3, false, false},
        {24, 24, 3, 2, 3, 1, 2, 24, 2, 2, true, false},
        {4, 4, 1, 1, 3, 1, 1, 4, 1, 1, true, false},
        {5, 5, 1, 29, 3, 1, 1, 5, 1, 1, true, false},
        {20, 20, 15, 28, 3, 1, 1, 20, 1, 1, true, false},
        {12, 12, 5, 43, 3, 2, 1, 12, 0, 2, false, false},
        {24, 24, 9, 31, 3, 2, 1, 24, 0, 0, false, true},
        {8, 8, 6, 5, 5, 1, 1, 8, 4, 4, false, true}, /* more result rows than input rows */
        {16, 16, 20, 33, 3, 1, 4, 16, 4, 4, true, false},
        {24, 24, 9, 40, 7, 3, 2, 24, 6, 5, false, true},
        {7, 7, 17, 3, 2, 1, 1, 7, 1, 0, true, false},
        {16, 16, 5, 70, 3, 1, 17, 16, 17, 17, true, false}, /* padding wider than a tile */
        {75, 75, 3, 14, 5, 1, 1, 75, 2, 2, true, true},     /* one vector left over */
        {96, 96, 6, 5, 7, 2, 1, 96, 3, 2, false, true},
        {4, 4, 20, 20, 17, 1, 1, 4, 8, 8, true, false}, /* a window too wide to slide */
        {3, 3, 12, 21, 11, 1, 1, 3, 5, 5, true, false}, /* channels stay in place */
        {2, 4, 9, 40, 3, 2, 1, 2, 1, 1, false, true},
        {7, 7, 6, 19, 3, 1, 2, 7, 2, 2, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (rlx_test_takes(i, 2))
            check(t, &cases[i], targets, 4, direct_limit);
}

RLX_TEST(conv, dilated)
{
    static const conv_case cases[] = {
        {16, 64, 33, 33, 3, 1, 12, 1, 12, 12, false, false},
        {24, 70, 8, 8, 3, 1, 36, 1, 36, 36, false, true}, /* only the centre overlaps */
        {32, 32, 8, 8, 3, 1, 8, 1, 8, 8, true, false},
        {16, 130, 9, 9, 3, 1, 8, 1, 8, 8, false, false},
        {16, 16, 7, 7, 3, 1, 6, 1, 6, 6, true, true},
        {16, 20, 13, 49, 3, 1, 5, 1, 5, 5, false, true},
        {16, 48, 5, 97, 3, 1, 6, 1, 6, 6, false, false}, /* several blocks of columns */
        {16, 17, 6, 1, 3, 1, 2, 1, 2, 2, false, true},
        {16, 16, 1, 7, 3, 1, 3, 1, 3, 3, true, false},
        {16, 32, 2, 0, 3, 1, 6, 1, 9, 7, false, true}, /* an empty image */
        {16, 32, 11, 12, 3, 1, 4, 1, 11, 0, false, false},
        {16, 33, 11, 12, 3, 1, 4, 1, 0, 11, false, true},
        {16, 16, 3, 2, 3, 1, 4, 1, 17, 9, false, false}, /* rows entirely in padding */
        {16, 24, 21, 20, 3, 2, 4, 1, 4, 4, false, true},
        {16, 24, 23, 22, 3, 3, 7, 1, 5, 9, false, false},
        {16, 16, 19, 20, 2, 1, 7, 1, 3, 4, true, true},
        {16, 16, 20, 18, 5, 1, 3, 1, 6, 6, true, false},
        {16, 16, 17, 9, 8, 1, 2, 1, 7, 7, true, true},
        {16, 16, 17, 20, 9, 1, 2, 1, 8, 8, false, true},  /* too large a window */
        {32, 48, 14, 13, 3, 1, 4, 4, 4, 4, false, true},  /* grouped */
        {20, 40, 0, 50, 3, 1, 16, 1, 32, 0, false, true}, /* causal, one-dimensional */
        {16, 16, 0, 5, 4, 1, 8, 1, 12, 12, true, false},
        {16, 16, 0, 120, 8, 1, 4, 1, 14, 14, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (i < 3 || rlx_test_takes(i / 3, 2))
            check(t, &cases[i], i < 3 ? targets : &targets[i % 3], i < 3 ? 4 : 1, direct_limit);
}

RLX_TEST(conv, over_one_dimension)
{
    static const conv_case cases[] = {
        {129, 64, 0, 4, 3, 2, 1, 1, 1, 1, false, false},
        {32, 32, 0, 37, 3, 1, 2, 1, 2, 2, true, true},
        {1, 20, 0, 64, 16, 8, 1, 1, 0, 0, false, false},
        {3, 7, 0, 19, 5, 1, 1, 1, 0, 3, false, true},
        {24, 24, 0, 29, 7, 1, 1, 24, 3, 3, true, true}, /* depthwise */
        {16, 16, 0, 1, 3, 1, 1, 1, 1, 1, true, false},
        {20, 30, 0, 11, 1, 1, 1, 5, 0, 0, false, true}, /* grouped */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(t, &cases[i], targets, 4, direct_limit);
}

/* More than half of the second-level cache of these targets: summed in blocks of channels, for one
 * element of the window at a time, over the rows of several lines. */
RLX_TEST(conv, weights_larger_than_the_cache)
{
    static const build levels[] = {
        {"x86-64-v3", 3, true, NULL}, {"x86-64-v4", 3, true, NULL}, {"x86-64-v2", 2, true, NULL}};
    static const conv_case cases[] = {
        {131, 70, 13, 20, 3, 1, 1, 1, 1, 1, false, true},
        {128, 128, 6, 9, 3, 1, 1, 1, 1, 1, true, false},
        {300, 130, 5, 7, 3, 2, 1, 1, 1, 0, false, true},
        {40, 40, 3, 210, 7, 1, 1, 1, 3, 3, false, true}, /* several blocks of columns */
        {131, 70, 1, 1, 3, 1, 1, 1, 1, 1, false, true},
        {512, 70, 0, 9, 3, 1, 1, 1, 1, 1, false, true},
        {512, 70, 0, 200, 3, 1, 1, 1, 2, 0, false, false},
        {64, 130, 9, 0, 3, 1, 1, 1, 1, 1, false, true},    /* an empty image with padding */
        {200, 70, 8, 9, 3, 1, 12, 1, 12, 12, false, true}, /* dilated: without a padded copy */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(t, &cases[i], levels, 3, direct_limit);
}

typedef struct counted { /* number of calls of |name| in main after |pass| */
    const char *pass, *name;
    uint32_t n;
} counted;

static bool count_calls(void *user, const rlxc_pass *pass, const rlxc_module *module,
                        double seconds)
{
    counted *c = user;
    const rlxc_body *body = &module->globals.items[0]->relax->body;
    (void)seconds;
    if (strcmp(pass->name, c->pass) != 0)
        return true;
    for (uint32_t i = 0; i < body->n_blocks; i++)
        for (uint32_t k = 0; k < body->blocks[i]->n; k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            c->n += b->op && strcmp(b->op->name, c->name) == 0;
        }
    return false;
}

/* Compiles |text| with an all-zero weight w and counts the calls. */
static uint32_t calls_after(rlx_test *t, const char *text, const int64_t *dims, counted c)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_options options;
    rlxc_weights weights = {.path = "weights"};
    float *weight = calloc((size_t)(dims[0] * dims[1] * dims[2] * dims[3]), sizeof *weight);
    cr_assert(weight);
    add_weight(ctx, &weights, "w", 4, dims, weight);
    const rlxc_pass_hooks hooks = {&c, count_calls};
    rlxc_module *module = rlxc_parse_module(ctx, "test.py", text, strlen(text));
    cr_assert(module && rlxc_options_init(ctx, &options, NULL, "x86-64-v3", 2));
    cr_assert(rlxc_bind_weights(ctx, module, &weights));
    rlxc_run_passes(ctx, module, &options, &hooks);
    rlxc_context_destroy(ctx);
    free(weight);
    return c.n;
}

/* A transformed weight is stored once, however many convolutions read it. */
RLX_TEST(conv, a_weight_is_transformed_once)
{
    static const char text[] = "@R.function\ndef main(x: R.Tensor((1, 64, 40, 40), \"float32\"), "
                               "w: R.Tensor((64, 64, 3, 3), \"float32\")):\n"
                               "    with R.dataflow():\n"
                               "        y = R.nn.conv2d(R.nn.conv2d(R.nn.conv2d(x, w), w), w)\n"
                               "        z = R.nn.conv2d(R.nn.conv2d(R.nn.conv2d(y, w), w), w)\n"
                               "        R.output(z)\n    return z\n";
    const counted filtered = {"conv_layout", "nn.conv2d_winograd", 0};
    cr_expect_eq(calls_after(t, text, (int64_t[]){64, 64, 3, 3}, filtered), 6u);
}

/* Weights that a model computes in several steps are folded, whatever their total size. */
RLX_TEST(conv, computed_weights_are_folded)
{
    static const char text[] = "@R.function\ndef main(x: R.Tensor((1, 1024, 4, 4), \"float32\"), "
                               "w: R.Tensor((4096, 1024, 1, 1), \"float32\")):\n"
                               "    with R.dataflow():\n"
                               "        a = R.abs(R.negative(R.abs(R.negative(R.abs(w)))))\n"
                               "        b = R.abs(R.negative(R.abs(R.negative(R.abs(a)))))\n"
                               "        y = R.nn.conv2d(x, b)\n"
                               "        R.output(y)\n    return y\n";
    const counted steps = {"fold_constant", "abs", 0};
    cr_expect_eq(calls_after(t, text, (int64_t[]){4096, 1024, 1, 1}, steps), 0u);
}

/* ... and whatever their own size, if the result is no larger than what it comes from. */
RLX_TEST(conv, large_weights_are_folded)
{
    static const char text[] = "@R.function\ndef main(x: R.Tensor((1, 4096), \"float32\"), "
                               "w: R.Tensor((4100, 4096, 1, 1), \"float32\")):\n"
                               "    with R.dataflow():\n"
                               "        a = R.permute_dims(R.reshape(w, (4100, 4096)))\n"
                               "        y = R.matmul(x, a)\n"
                               "        R.output(y)\n    return y\n";
    const counted steps = {"fold_constant", "permute_dims", 0};
    cr_expect_eq(calls_after(t, text, (int64_t[]){4100, 4096, 1, 1}, steps), 0u);
}

RLX_TEST(conv, minimal_filtering_around_tiles)
{
    static const int64_t sizes[] = {5, 8, 9, 15, 16, 26};
    for (size_t i = 0; i < 6; i++) {
        int64_t height = sizes[i], width = sizes[(i * 5 + 2) % 6];
        conv_case c = {
            16 + (int64_t)i % 3 * 9, 16 + (int64_t)i % 4 * 11, height, width,     3, 1, 1, 1,
            (int64_t)i % 3,          (int64_t)(i + 1) % 3,     false,  i % 2 == 1};
        check(t, &c, targets, i == 0 ? 4 : 3, filtered_limit);
    }
}

/* Groups of a vector and of less, of whole panels and of parts of one. */
RLX_TEST(conv, minimal_filtering_in_groups)
{
    static const int64_t groups[][3] = {/* groups, channels and outputs of each */
                                        {2, 16, 16}, {3, 8, 24}, {5, 24, 24},
                                        {2, 19, 37}, {4, 48, 8}, {2, 32, 128}};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const int64_t *g = groups[i];
        conv_case c = {g[0] * g[1], g[0] * g[2], 9 + (int64_t)i, 26,        3, 1, 1, g[0],
                       1,           1,           false,          i % 2 == 1};
        if (rlx_test_takes(i, 3))
            check(t, &c, targets, i == 1 ? 4 : 3, filtered_limit);
    }
}

/* The transforms and sums are of float32; only the results are rounded, by at most half a unit in
 * the last place of the terms' magnitudes. */
RLX_TEST(conv, minimal_filtering_of_16_bits)
{
    static const conv_case cases[] = {{16, 16, 12, 20, 3, 1, 1, 1, 1, 1, true, false},
                                      {37, 21, 13, 9, 3, 1, 1, 1, 1, 1, false, true},
                                      {24, 48, 11, 30, 3, 1, 1, 3, 1, 1, false, false}};
    static const struct {
        const char *name;
        double limit;
    } dtypes[] = {{"float16", 1.0 / (1 << 11)}, {"bfloat16", 1.0 / (1 << 8)}};
    for (size_t i = 0; i < 6; i++) {
        build builds[4];
        for (size_t k = 0; k < 4; k++) {
            builds[k] = targets[k];
            builds[k].dtype = dtypes[i % 2].name;
        }
        check(t, &cases[i / 2], builds, 4, dtypes[i % 2].limit);
    }
}

RLX_TEST(conv, minimal_filtering_with_residual)
{
    static const conv_case cases[] = {{16, 16, 12, 20, 3, 1, 1, 1, 1, 1, true, false},
                                      {37, 37, 13, 9, 3, 1, 1, 1, 1, 1, true, true},
                                      {64, 64, 28, 28, 3, 1, 1, 1, 1, 1, true, false}};
    for (size_t i = 0; i < 3; i++)
        check(t, &cases[i], targets, i == 2 ? 1 : 3, filtered_limit);
}

RLX_TEST(conv, minimal_filtering_can_be_switched_off)
{
    conv_case c = {64, 64, 16, 16, 3, 1, 1, 1, 1, 1, false, false};
    double filtered = check(t, &c, native, 1, filtered_limit);
    double direct = check(t, &c, plain, 1, direct_limit);
    cr_expect(filtered > direct, "the switch makes no difference: %g and %g", filtered, direct);
}

/* The pass's internal operator, called directly by a module: no channels, or too many for a block.
 */
RLX_TEST(conv, minimal_filtering_of_any_number_of_channels)
{
    static const char *const channels[][2] = {
        {"0", "0"}, {"0", "16"}, {"16", "0"}, {"1", "3"}, {"2147483647", "5"}};
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlx_exec_builder *builder = NULL;
        rlxc_options options;
        const char *text =
            rlxc_internf(ctx,
                         "@I.ir_module\nclass Module:\n    @R.function\n"
                         "    def main(x: R.Tensor((\"n\", 8, 8, %s), \"float32\"),\n"
                         "             u: R.Tensor((6, 6, %s, %s), \"float32\")):\n"
                         "        return R.nn.conv2d_winograd(x, u, padding=[1, 1, 1, 1])\n",
                         channels[i][0], channels[i][0], channels[i][1]);
        RLX_OKAY(rlx_exec_builder_create(&t->allocator, &builder, &t->error));
        cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 2));
        cr_expect(rlxc_compile_text(ctx, "test.py", text, strlen(text), &options, builder), "%s",
                  rlxc_render_diagnostics(ctx));
        rlx_exec_builder_destroy(builder);
        rlxc_context_destroy(ctx);
    }
}

/* Transformed weights may grow the constants of a small module to 1.25 MiB if they are most of
 * them, and those of others by 42 %, minus 64 KiB for the code: of two convolutions with 80
 * channels one fits, with 128 none. At -O3 all fit. */
RLX_TEST(conv, minimal_filtering_leaves_files_small)
{
    enum { BYTES = 128 * 128 * 9 * 4 }; /* the most */
    static const char text[] =
        "@I.ir_module\nclass Module:\n    @R.function\n"
        "    def main(x: R.Tensor((1, %d, 16, 16), \"float32\"), v: R.Tensor((%d, %d, 3, 3), "
        "\"float32\"), w: R.Tensor((%d, %d, 3, 3), \"float32\")):\n"
        "        with R.dataflow():\n"
        "            y = R.nn.conv2d(x, v, padding=[1, 1, 1, 1])\n"
        "            z = R.nn.conv2d(y, w, padding=[1, 1, 1, 1])\n"
        "            R.output(z)\n        return z\n";
    static const struct {
        int channels, level;
        const char *name, *other;
    } kernels[] = {{80, 2, "conv2d_winograd_packed", "conv2d_winograd1"},
                   {80, 2, "conv2d_packed", "conv2d1"},
                   {128, 2, "conv2d_packed", "conv2d_winograd_packed"},
                   {128, 3, "conv2d_winograd", "conv2d_packed"}};
    char header[256], filled[sizeof text + 16];
    float *numbers = malloc(2 * BYTES);
    for (int i = 0; i < 2 * BYTES / 4; i++)
        numbers[i] = (float)(i % 11 - 5) / 64;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (!rlx_test_takes(i, 4))
            continue;
        const int c = kernels[i].channels, bytes = c * c * 9 * 4;
        snprintf(filled, sizeof filled, text, c, c, c, c, c);
        snprintf(header, sizeof header,
                 "{\"v\":{\"dtype\":\"F32\",\"shape\":[%d,%d,3,3],\"data_offsets\":[0,%d]},"
                 "\"w\":{\"dtype\":\"F32\",\"shape\":[%d,%d,3,3],\"data_offsets\":[%d,%d]}}",
                 c, c, bytes, c, c, bytes, 2 * bytes);
        bound_program p = {.text = filled,
                           .expect = kernels[i].name,
                           .lacks = kernels[i].other,
                           .level = kernels[i].level};
        unsigned char *file = bound_file(header, numbers, 2 * (size_t)bytes, &p.size);
        p.weights = file;
        rlx_executable *exe = bound_compile(t, &p);
        cr_assert(exe);
        rlx_executable_release(exe);
        free(file);
    }
    free(numbers);
}
