/* Makes the batch dimension of models symbolic, and runs them with batches other than the stored
 * data's.
 *
 * If a model treats batch elements independently, any selection of input rows, in any order, gives
 * the same selection of output rows: so the stored data is a reference for every batch size. */
#include <onnx/onnx.pb-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/onnx/case.h"
#include "vm/cli/npy.h"

enum { MAX_ROWS = 64 };

/* Models with the stored batch size in a constant; other batches must be refused, not computed
 * wrongly. */
static const char *const fixed[] = {
    "test_PixelShuffle",             /* reshapes to constant dimensions */
    "test_PoissonNLLLLoss_no_reduce" /* has a constant with one row per batch element */
};

static bool is_initializer(const Onnx__GraphProto *g, const char *name)
{
    for (size_t i = 0; i < g->n_initializer; i++)
        if (g->initializer[i]->name && strcmp(g->initializer[i]->name, name) == 0)
            return true;
    return false;
}

unsigned char *batch_rewrite(const unsigned char *model, size_t length, size_t *out_length)
{
    static char batch[] = "batch";
    Onnx__ModelProto *m = onnx__model_proto__unpack(NULL, length, model);
    if (!m || !m->graph)
        return NULL;
    Onnx__GraphProto *g = m->graph;
    for (size_t i = 0; i < g->n_input; i++) {
        Onnx__TypeProto *t = g->input[i]->type;
        if (is_initializer(g, g->input[i]->name) || !t ||
            t->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE || !t->tensor_type->shape ||
            t->tensor_type->shape->n_dim == 0)
            continue;
        Onnx__TensorShapeProto__Dimension *d = t->tensor_type->shape->dim[0];
        d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
        d->dim_param = batch;
    }
    for (size_t i = 0; i < g->n_output; i++)
        if (g->output[i]->type && g->output[i]->type->tensor_type)
            g->output[i]->type->tensor_type->shape = NULL;
    g->n_value_info = 0;
    unsigned char *packed = malloc(onnx__model_proto__get_packed_size(m) + 1);
    if (packed)
        *out_length = onnx__model_proto__pack(m, packed);
    return packed; /* the message is not freed: it shares memory with the model read */
}

/* Replaces |*io| by |n| of its rows. */
static bool take(case_report *report, rlx_value *io, const uint32_t *rows, uint32_t n)
{
    rlx_error err = {0};
    rlx_tensor *from = io->as.tensor, *to;
    int64_t dims[16];
    if (io->kind != RLX_KIND_TENSOR || rlx_tensor_ndim(from) == 0 || rlx_tensor_dims(from)[0] == 0)
        return case_fail(report, "a value without a batch dimension");
    memcpy(dims, rlx_tensor_dims(from), rlx_tensor_ndim(from) * sizeof *dims);
    size_t row = rlx_tensor_nbytes(from) / (size_t)dims[0];
    uint32_t stored = (uint32_t)dims[0];
    dims[0] = n;
    if (rlx_tensor_create(NULL, rlx_tensor_dtype(from), rlx_tensor_ndim(from), dims, &to, &err) !=
        RLX_OK)
        return case_fail(report, "%s", err.message);
    unsigned char *at = rlx_tensor_mutable_data(to);
    for (uint32_t i = 0; i < n; i++)
        memcpy(at + i * row, (const unsigned char *)rlx_tensor_data(from) + rows[i] % stored * row,
               row);
    *io = rlx_of_tensor(to);
    return true;
}

static bool is_fixed(const char *name)
{
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(fixed[i], name) == 0)
            return true;
    return false;
}

bool batch_run(case_report *report, const char *name, rlx_vm *vm, const case_io *in,
               const case_io *want)
{
    if (!case_run(report, vm, in, want))
        return false;
    if (in->n == 0 || in->values[0].kind != RLX_KIND_TENSOR ||
        rlx_tensor_ndim(in->values[0].as.tensor) == 0)
        return case_fail(report, "an input without a batch dimension");
    uint32_t stored = (uint32_t)rlx_tensor_dims(in->values[0].as.tensor)[0];
    stored = stored > MAX_ROWS / 2 ? MAX_ROWS / 2 : stored;
    const uint32_t sizes[] = {1, 2, 3, 2 * stored};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        case_io given = *in, expected = *want;
        uint32_t rows[MAX_ROWS];
        for (uint32_t i = 0; i < sizes[k]; i++)
            rows[i] = (stored * 2 - 1 - i % stored) % stored; /* in reverse order, repeated */
        for (uint32_t i = 0; i < given.n; i++)
            if (!take(report, &given.values[i], rows, sizes[k]))
                return false;
        for (uint32_t i = 0; i < expected.n; i++)
            if (!take(report, &expected.values[i], rows, sizes[k]))
                return false;
        bool same = case_run(report, vm, &given, &expected);
        size_t end = strlen(report->reason);
        if (is_fixed(name) && sizes[k] != stored) {
            /* a batch of 1 may also broadcast against the constant, which gives wrong dimensions */
            if (same ||
                (strncmp(report->reason, "run: ", 5) != 0 && !strstr(report->reason, " is ")))
                return case_fail(report, "batch %u is not refused", sizes[k]);
            *report->reason = '\0';
        } else if (!same) {
            snprintf(report->reason + end, sizeof report->reason - end, " (batch %u)", sizes[k]);
            return false;
        }
    }
    return true;
}

/* A float32 tensor as float64. */
static rlx_tensor *widened(rlx_tensor *from)
{
    rlx_tensor *to;
    rlx_error err = {0};
    if (rlx_tensor_create(NULL, RLX_F64, rlx_tensor_ndim(from), rlx_tensor_dims(from), &to, &err) !=
        RLX_OK)
        return from;
    const float *x = rlx_tensor_data(from);
    double *y = rlx_tensor_mutable_data(to);
    for (int64_t i = 0; i < rlx_tensor_numel(from); i++)
        y[i] = (double)x[i];
    return to;
}

void batch_example(case_report *report, const char *name)
{
    static const struct {
        const char *model, *in, *out;
        bool wide; /* the model computes in float64, the file holds float32 */
    } rows[] = {
        {"digits", "test_images", "expected_probabilities", false},
        {"chargpt", "one_tokens", "one_logits", true},
        {"chargpt", "short_tokens", "short_logits", true},
        {"chargpt", "mid_tokens", "mid_logits", true},
        {"chargpt", "long_tokens", "long_logits", true},
    };
    char path[300];
    size_t length = 0;
    snprintf(path, sizeof path, "examples/%s/%s.onnx", name, name);
    unsigned char *bytes = case_file(path, &length);
    rlx_vm *vm = bytes ? case_compile(report, path, bytes, length, false, NULL)
                       : (case_fail(report, "%s cannot be read", path), NULL);
    report->passed = vm != NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && report->passed; i++) {
        case_io in = {.n = 1}, want = {.n = 1};
        rlx_tensor *x, *y;
        rlx_error err = {0};
        if (strcmp(rows[i].model, name) != 0)
            continue;
        snprintf(path, sizeof path, "examples/%s/%s.npy", name, rows[i].in);
        report->passed = npy_read(path, &x, &err) == RLX_OK;
        snprintf(path, sizeof path, "examples/%s/%s.npy", name, rows[i].out);
        report->passed = report->passed && npy_read(path, &y, &err) == RLX_OK;
        if (!report->passed) {
            case_fail(report, "%s", err.message);
            return;
        }
        in.values[0] = rlx_of_tensor(x);
        want.values[0] = rlx_of_tensor(rows[i].wide ? widened(y) : y);
        report->passed = batch_run(report, name, vm, &in, &want);
    }
}
