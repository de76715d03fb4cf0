/* Matrix products at sizes around every block boundary against a reference in double: constant
 * weights (packed into panels) and parameters, plain and transposed, with and without an epilogue,
 * short or long, for one matrix of rows and for batches, with vectors of each width. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rlx/vm.h"
#include "tests/compiler/bound.h"
#include "tests/compiler/cpus.h"

enum { MAX_PRODUCTS = 16, TEXT = 16384 };

typedef enum form {
    PLAIN = 0,
    CONSTANT = 1,
    TRANSPOSED = 2,
    EPILOGUE = 4,
    BATCHES = 8,
    LONG = 16
} form;

typedef struct example {
    const char *cpu; /* NULL: this machine's */
    unsigned form;
    int64_t k;
    int64_t columns[MAX_PRODUCTS]; /* ends with -1 */
} example;

static const example examples[] = {
    {NULL, CONSTANT, 7, {0, 1, 3, 4, 5, 15, 16, 17, 33, 47, 48, 63, 64, 65, 129, -1}},
    {NULL, CONSTANT | EPILOGUE, 65, {10, 31, 32, 64, 100, -1}},
    {NULL, CONSTANT | TRANSPOSED, 16, {1, 15, 17, 64, 79, -1}},
    {NULL, CONSTANT | TRANSPOSED | EPILOGUE, 1, {12, 64, 81, -1}},
    {NULL, CONSTANT, 0, {5, 64, 70, -1}},
    {NULL, CONSTANT | EPILOGUE, 2500, {16, 65, 128, -1}}, /* the reduction is split into blocks */
    {NULL, CONSTANT, 4103, {17, -1}},
    {NULL, CONSTANT, 350, {832, 850, -1}},     /* rows of panels are prefetched */
    {NULL, CONSTANT, 20, {8200, -1}},          /* ... whole panels are prefetched */
    {NULL, CONSTANT, 37, {8, 16, 24, 40, -1}}, /* few accumulators: partial sums side by side */
    {NULL, CONSTANT | BATCHES, 37, {16, 70, 129, -1}}, /* the rows of all batches form one axis */
    {NULL, CONSTANT | BATCHES | EPILOGUE, 1, {5, 64, -1}},
    {NULL, CONSTANT | BATCHES | EPILOGUE, 2500, {65, -1}},
    {NULL, TRANSPOSED | BATCHES, 17, {19, 64, -1}},
    {NULL, BATCHES | EPILOGUE, 7, {1, 100, -1}},
    {NULL, CONSTANT | EPILOGUE | LONG, 19, {5, 16, 24, 37, -1}},
    {NULL, EPILOGUE | LONG | BATCHES, 66, {9, 48, -1}},
    {"x86-64-v3", CONSTANT | EPILOGUE | LONG, 2500, {17, -1}},
    {"x86-64-v3", CONSTANT | BATCHES | EPILOGUE, 9, {7, 33, -1}},
    {"x86-64", CONSTANT | BATCHES | EPILOGUE, 9, {7, 13, -1}},
    {NULL, PLAIN, 7, {0, 1, 4, 15, 16, 17, 33, 48, 64, 65, -1}},
    {NULL, EPILOGUE, 33, {10, 64, 100, -1}},
    {NULL, PLAIN, 130, {512, 531, -1}}, /* large: columns are packed when there are many rows */
    {"x86-64", EPILOGUE | BATCHES, 66, {999, -1}},
    {NULL, TRANSPOSED, 17, {1, 5, 16, 63, 64, 65, -1}},
    {"x86-64-v3", CONSTANT | EPILOGUE, 9, {4, 7, 8, 9, 15, 16, 17, 31, 33, -1}},
    {"x86-64-v3", CONSTANT | EPILOGUE, 4100, {8, 17, 144, -1}}, /* blocks are prefetched, too */
    {"x86-64-v3", CONSTANT | EPILOGUE, 350, {840, -1}},
    {"x86-64-v3", CONSTANT, 63, {4, 8, 16, 20, -1}},
    {"x86-64-v3", TRANSPOSED, 9, {7, 16, 19, -1}},
    {"x86-64-v3", PLAIN, 9, {7, 16, 19, -1}},
    {"x86-64", CONSTANT | EPILOGUE, 9, {3, 4, 5, 7, 8, 9, 13, -1}},
    {"x86-64", CONSTANT, 4100, {4, 9, -1}},
    {"x86-64", CONSTANT, 35, {4, 8, 12, -1}},
    {"x86-64", TRANSPOSED, 9, {7, 8, 11, -1}},
};

static const int64_t batches[] = {1, 0, 3}; /* without BATCHES, only the first is used */

static const int64_t rows[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                               10, 11, 12, 13, 14, 47, 48, 49, 53, 97};

static uint32_t count_of(const example *e)
{
    uint32_t n = 0;
    while (e->columns[n] >= 0)
        n++;
    return n;
}

/* Values that differ by position and whose sums round very little. */
static float element(int64_t i, int64_t salt)
{
    return (float)((i * 37 + salt * 11) % 29 - 14) * 0.0625f;
}

static void fill(float *data, int64_t n, int64_t salt)
{
    for (int64_t i = 0; i < n; i++)
        data[i] = element(i, salt);
}

/* main(x, w0, w1, ...) returns the tuple of all products. */
static void write_text(const example *e, char *out)
{
    char *end = out + TEXT;
    long long k = (long long)e->k;
    uint32_t n = count_of(e);
    bool transposed = e->form & TRANSPOSED;
    out += snprintf(out, (size_t)(end - out),
                    "@I.ir_module\nclass Module:\n    @R.function\n"
                    "    def main(x: R.Tensor((%s\"m\", %lld), \"float32\")",
                    e->form & BATCHES ? "\"b\", " : "", k);
    for (uint32_t i = 0; i < n; i++) {
        long long c = (long long)e->columns[i];
        out += snprintf(out, (size_t)(end - out), ", w%u: R.Tensor((%lld, %lld), \"float32\")", i,
                        transposed ? c : k, transposed ? k : c);
    }
    out += snprintf(out, (size_t)(end - out), "):\n        with R.dataflow():\n");
    for (uint32_t i = 0; i < n; i++) {
        out += snprintf(out, (size_t)(end - out), "            y%u = R.matmul(x, %s%u%s)\n", i,
                        transposed ? "R.permute_dims(w" : "w", i, transposed ? ")" : "");
        if (e->form & EPILOGUE)
            out += snprintf(out, (size_t)(end - out),
                            "            b%u = R.add(y%u, R.const(0.25, \"float32\"))\n"
                            "            z%u = R.%s(b%u)\n",
                            i, i, i, e->form & LONG ? "tanh" : "nn.relu", i);
    }
    out += snprintf(out, (size_t)(end - out), "            r = (");
    for (uint32_t i = 0; i < n; i++)
        out += snprintf(out, (size_t)(end - out), "%c%u, ", e->form & EPILOGUE ? 'z' : 'y', i);
    snprintf(out, (size_t)(end - out), ")\n            R.output(r)\n        return r\n");
}

/* Writes the weights as a safetensors file in memory. */
static unsigned char *write_weights(const example *e, size_t *out_size)
{
    char header[4096] = "{";
    size_t used = 1, at = 0;
    uint32_t n = count_of(e);
    bool transposed = e->form & TRANSPOSED;
    for (uint32_t i = 0; i < n; i++) {
        long long k = (long long)e->k, c = (long long)e->columns[i];
        size_t bytes = (size_t)(k * c) * sizeof(float);
        used += (size_t)snprintf(
            header + used, sizeof header - used,
            "%s\"w%u\":{\"dtype\":\"F32\",\"shape\":[%lld,%lld],\"data_offsets\":[%zu,%zu]}",
            i ? "," : "", i, transposed ? c : k, transposed ? k : c, at, at + bytes);
        at += bytes;
    }
    snprintf(header + used, sizeof header - used, "}");
    float *data = malloc(at + 1), *next = data;
    for (uint32_t i = 0; i < n; i++) {
        fill(next, e->k * e->columns[i], i);
        next += e->k * e->columns[i];
    }
    unsigned char *file = bound_file(header, data, at, out_size);
    free(data);
    return file;
}

static rlx_executable *compile(rlx_test *t, const example *e)
{
    static char text[TEXT];
    size_t size;
    unsigned char *file = write_weights(e, &size);
    write_text(e, text);
    rlx_executable *exe = bound_compile(
        t, &(bound_program){text, e->form & CONSTANT ? file : NULL, size, .cpu = e->cpu});
    free(file);
    return exe;
}

static bool is_product(const example *e, uint32_t which, int64_t m, const float *x, const float *w,
                       const rlx_tensor *out)
{
    int64_t n = e->columns[which];
    bool transposed = e->form & TRANSPOSED;
    const float *y = rlx_tensor_data(out);
    if (rlx_tensor_numel(out) != m * n)
        return false;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) {
            double sum = 0, scale = 1;
            for (int64_t k = 0; k < e->k; k++) {
                double p =
                    (double)x[i * e->k + k] * (double)w[transposed ? j * e->k + k : k * n + j];
                sum += p;
                scale += fabs(p);
            }
            if (e->form & LONG)
                sum = tanh(sum + 0.25);
            else if (e->form & EPILOGUE)
                sum = sum + 0.25 > 0 ? sum + 0.25 : 0;
            if (!(fabs(sum - (double)y[i * n + j]) <= 1e-6 * scale))
                return false;
        }
    }
    return true;
}

/* A tensor of the last |ndim| of three dimensions. */
static rlx_value matrices(rlx_test *t, uint32_t ndim, const int64_t dims[3], int64_t salt)
{
    rlx_tensor *x = NULL;
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, ndim, dims + 3 - ndim, &x, &t->error));
    fill(rlx_tensor_mutable_data(x), rlx_tensor_numel(x), salt);
    return rlx_of_tensor(x);
}

static void run(rlx_test *t, rlx_executable *exe, const example *e, uint32_t threads)
{
    rlx_vm_options options = {.allocator = &t->allocator, .debug_poison = true, .threads = threads};
    rlx_vm *vm = NULL;
    uint32_t n = count_of(e);
    rlx_value args[1 + MAX_PRODUCTS];
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    bool transposed = e->form & TRANSPOSED;
    for (uint32_t i = 0; i < n; i++)
        args[1 + i] = matrices(t, 2,
                               transposed ? (const int64_t[]){0, e->columns[i], e->k}
                                          : (const int64_t[]){0, e->k, e->columns[i]},
                               i);
    const size_t n_batches = e->form & BATCHES ? sizeof batches / sizeof *batches : 1;
    for (size_t r = 0; r < sizeof rows / sizeof *rows * n_batches; r++) {
        rlx_value out = rlx_none();
        const int64_t dims[3] = {batches[r % n_batches], rows[r / n_batches], e->k};
        args[0] = matrices(t, e->form & BATCHES ? 3 : 2, dims, 3);
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, e->form & CONSTANT ? 1 : 1 + n, &out,
                               &t->error));
        for (uint32_t i = 0; i < n; i++) {
            const rlx_tensor *y = rlx_tuple_get(out.as.tuple, i).as.tensor;
            cr_expect(is_product(e, i, dims[0] * dims[1], rlx_tensor_data(args[0].as.tensor),
                                 rlx_tensor_data(args[1 + i].as.tensor), y),
                      "cpu %s form %u: %lld x (%lld, %lld, %lld) by %u threads",
                      e->cpu ? e->cpu : "native", e->form, (long long)dims[0], (long long)dims[1],
                      (long long)e->columns[i], (long long)e->k, threads);
        }
        rlx_value_release(out);
        rlx_value_release(args[0]);
    }
    for (uint32_t i = 0; i < n; i++)
        rlx_value_release(args[1 + i]);
    rlx_vm_destroy(vm);
}

/* Example |i|; a quick run takes a third of its columns. */
static example taken(size_t i)
{
    example e = examples[i];
    uint32_t n = 0;
    for (uint32_t k = 0; examples[i].columns[k] >= 0; k++)
        if (rlx_test_takes(i + k, 3) || examples[i].columns[1] < 0)
            e.columns[n++] = examples[i].columns[k];
    e.columns[n] = -1;
    return e;
}

RLX_TEST(products, every_size_gives_the_sums)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        if (!cpu_runs(examples[i].cpu) || (examples[i].cpu && !rlx_test_takes(i / 2, 4)))
            continue;
        const example e = taken(i);
        rlx_executable *exe = compile(t, &e);
        cr_assert(exe);
        run(t, exe, &e, 1);
        run(t, exe, &e, 2);
        rlx_executable_release(exe);
    }
}
