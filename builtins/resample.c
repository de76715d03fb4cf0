/* Resizing of one axis by weights that are data: rlx.resample.
 *
 * Element o of the result is the sum of weights[o, t] * x[first[o] + t]; positions outside of the
 * axis are those of the border, and an empty axis gives zeros. Weights of 0 at the ends are left
 * out, and those of the border are added up, before any element is read. An axis that stays as it
 * is costs nothing: x itself is the result. */
#include "builtins/builtins.h"

#include <string.h>

typedef float four __attribute__((vector_size(16)));

typedef struct resample {
    int64_t before, length, after; /* dimensions of x in front of the axis, its, and behind it */
    int64_t out, taps;
    /* of each element of the result: where it begins to read, how many elements, and their weights,
     * |taps| apart */
    int64_t *first, *count;
    float *weights;
} resample;

static int64_t clamped(double at, int64_t length)
{
    return at > 0 ? at < (double)length ? (int64_t)at : length - 1 : 0; /* NaN: 0 */
}

/* Element |o| reads |r->count[o]| elements, at most |r->taps|: positions that are clamped are
 * next to each other, in order. */
static void find_taps(const resample *r, int64_t o, double first, const float *from)
{
    int64_t low = 0, high = r->length > 0 ? r->taps : 0;
    float *to = r->weights + o * r->taps;
    while (low < high && from[low] == 0)
        low++;
    while (low < high && from[high - 1] == 0)
        high--;
    r->first[o] = clamped(first + (double)low, r->length);
    r->count[o] = 0;
    for (int64_t t = low; t < high; t++) {
        const int64_t at = clamped(first + (double)t, r->length) - r->first[o];
        if (at < r->count[o])
            to[at] += from[t];
        else
            to[r->count[o]++] = from[t];
    }
}

static bool is_identity(const resample *r)
{
    bool same = r->out == r->length;
    for (int64_t o = 0; o < r->out && same; o++)
        same = r->count[o] == 1 && r->first[o] == o && r->weights[o * r->taps] == 1;
    return same;
}

/* Rows of |r->after| elements. */
static void sum_rows(const resample *r, const float *x, int64_t o, float *to)
{
    const float *weights = r->weights + o * r->taps;
    const int64_t n = r->after, count = r->count[o];
    int64_t k = 0;
    x += r->first[o] * n;
    for (; k + 8 <= n; k += 8) {
        four sum[2] = {{0}, {0}}, low, high;
        for (int64_t t = 0; t < count; t++) {
            memcpy(&low, x + t * n + k, sizeof low);
            memcpy(&high, x + t * n + k + 4, sizeof high);
            sum[0] += weights[t] * low;
            sum[1] += weights[t] * high;
        }
        memcpy(to + k, sum, sizeof sum);
    }
    for (; k < n; k++) {
        float sum = 0;
        for (int64_t t = 0; t < count; t++)
            sum += weights[t] * x[t * n + k];
        to[k] = sum;
    }
}

/* One line along the last axis. */
static void sum_line(const resample *r, const float *x, float *to)
{
    for (int64_t o = 0; o < r->out; o++) {
        const float *weights = r->weights + o * r->taps, *from = x + r->first[o];
        const int64_t count = r->count[o];
        float rest = 0;
        int64_t t = 0;
        if (count >= 8) {
            four sum = {0}, a, w;
            for (; t + 4 <= count; t += 4) {
                memcpy(&a, from + t, sizeof a);
                memcpy(&w, weights + t, sizeof w);
                sum += a * w;
            }
            rest = sum[0] + sum[1] + (sum[2] + sum[3]);
        }
        for (; t < count; t++)
            rest += weights[t] * from[t];
        to[o] = rest;
    }
}

/* Checks the arguments and finds the taps. */
static rlx_status prepare(rlx_call_context *cc, const rlx_value *args, resample *r,
                          uint32_t *out_axis, rlx_error *err)
{
    rlx_tensor *x, *first, *weights;
    int64_t axis, room;
    void *memory;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    RLX_TRY(rlxb_float_tensor(args, 1, 1, false, &first, err));
    RLX_TRY(rlxb_float_tensor(args, 2, 2, false, &weights, err));
    RLX_TRY(rlxb_int(args, 3, &axis, err));
    const uint32_t ndim = rlx_tensor_ndim(x);
    const int64_t *dims = rlx_tensor_dims(x);
    RLX_TRY(rlxb_axis(axis, ndim, out_axis, err));
    r->out = rlx_tensor_dims(weights)[0];
    r->taps = rlx_tensor_dims(weights)[1];
    r->length = dims[*out_axis];
    r->before = r->after = 1;
    for (uint32_t i = 0; i < ndim && rlx_tensor_numel(x) > 0; i++)
        *(i < *out_axis ? &r->before : &r->after) *= i == *out_axis ? 1 : dims[i];
    if (!rlx_dtype_eq(rlx_tensor_dtype(x), RLX_F32) || rlx_tensor_dims(first)[0] != r->out)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "resample: expected float32 elements and a first position for each result");
    if (!rlx_mul_i64(r->out, r->taps, &room))
        return rlx_fail(err, RLX_E_LIMIT, "resample: there are too many weights");
    RLX_TRY(rlxb_scratch(cc, room, sizeof(float), &memory, err));
    r->weights = memory;
    RLX_TRY(rlxb_scratch(cc, r->out, sizeof(int64_t), &memory, err));
    r->first = memory;
    RLX_TRY(rlxb_scratch(cc, r->out, sizeof(int64_t), &memory, err));
    r->count = memory;
    const float *positions = rlx_tensor_data(first), *values = rlx_tensor_data(weights);
    for (int64_t o = 0; o < r->out; o++)
        find_taps(r, o, (double)positions[o], values + o * r->taps);
    return RLX_OK;
}

rlx_status rlxb_resample(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                         rlx_error *err)
{
    (void)n;
    resample r = {0};
    uint32_t axis;
    int64_t dims[RLX_MAX_NDIM];
    rlx_tensor *x, *result = NULL;
    RLX_TRY(prepare(cc, args, &r, &axis, err));
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    if (is_identity(&r)) {
        *out = rlx_value_retain(args[0]);
        return RLX_OK;
    }
    memcpy(dims, rlx_tensor_dims(x), rlx_tensor_ndim(x) * sizeof dims[0]);
    dims[axis] = r.out;
    RLX_TRY(rlx_call_alloc_tensor(cc, RLX_F32, rlx_tensor_ndim(x), dims, &result, err));
    const float *from = rlx_tensor_data(x);
    float *to = rlx_tensor_mutable_data(result);
    if (rlx_tensor_numel(x) == 0)
        memset(to, 0, (size_t)rlx_tensor_numel(result) * sizeof *to);
    for (int64_t i = 0; i < r.before && rlx_tensor_numel(x) > 0; i++, from += r.length * r.after) {
        if (r.after == 1)
            sum_line(&r, from, to + i * r.out);
        for (int64_t o = 0; o < r.out && r.after > 1; o++)
            sum_rows(&r, from, o, to + (i * r.out + o) * r.after);
    }
    *out = rlx_of_tensor(result);
    return RLX_OK;
}
