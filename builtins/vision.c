/* Boxes on images: rlx.nms, non-maximum suppression of each class, and what goes with it. Scores
 * and coordinates are float32 (boxes also float64); NaN is never chosen. */
#include "builtins/builtins.h"
#include "builtins/sort_keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

rlx_status rlxb_float_tensor(const rlx_value *args, uint32_t i, uint32_t ndim, bool f64,
                             rlx_tensor **out, rlx_error *err)
{
    RLX_TRY(rlxb_tensor(args, i, out, err));
    if (rlx_tensor_ndim(*out) != ndim ||
        !rlx_dtype_eq(rlx_tensor_dtype(*out), f64 ? RLX_F64 : RLX_F32))
        return rlx_fail(err, RLX_E_INVALID_ARG, "argument %u must be a %s tensor of %u dimensions",
                        i, f64 ? "float64" : "float32", ndim);
    return RLX_OK;
}

rlx_status rlxb_number(const rlx_value *args, uint32_t i, double *out, rlx_error *err)
{
    if (args[i].kind == RLX_KIND_FLOAT) {
        *out = args[i].as.f;
        return RLX_OK;
    }
    if (args[i].kind == RLX_KIND_INT || args[i].kind == RLX_KIND_BOOL) {
        *out = (double)args[i].as.i;
        return RLX_OK;
    }
    rlx_tensor *t;
    RLX_TRY(rlxb_tensor(args, i, &t, err));
    rlx_dtype dtype = rlx_tensor_dtype(t);
    if (rlx_tensor_numel(t) == 1 && rlx_dtype_eq(dtype, RLX_F32)) {
        float f;
        memcpy(&f, rlx_tensor_data(t), sizeof f);
        *out = (double)f;
        return RLX_OK;
    }
    if (rlx_tensor_numel(t) != 1 || (dtype.code != RLX_INT && dtype.code != RLX_UINT))
        return rlx_fail(err, RLX_E_INVALID_ARG, "argument %u must be a single number", i);
    *out = (double)rlxb_read_int(dtype, rlx_tensor_data(t), 0);
    return RLX_OK;
}

/* --- non-maximum suppression --- */

typedef struct candidate {
    float score;
    int64_t class, box;
} candidate;

/* Higher scores first, equal ones by class and box. */
static int compare_candidates(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->score > y->score || x->score < y->score)
        return x->score > y->score ? -1 : 1;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    return x->box < y->box ? -1 : x->box > y->box;
}

typedef struct extent {
    double low[2], high[2], area; /* the area is NaN if a corner is */
} extent;

/* The box between two opposite corners. */
static extent extent_of(const float *corners)
{
    extent e;
    for (int d = 0; d < 2; d++) {
        double a = (double)corners[d], b = (double)corners[d + 2];
        e.low[d] = fmin(a, b);
        e.high[d] = fmax(a, b);
    }
    e.area = fabs((double)corners[2] - corners[0]) * fabs((double)corners[3] - corners[1]);
    return e;
}

/* Intersection over union. Most boxes are disjoint, which needs no arithmetic. */
static double overlap(const extent *a, const extent *b)
{
    double shared = 1;
    for (int d = 0; d < 2; d++) {
        double low = a->low[d] > b->low[d] ? a->low[d] : b->low[d];
        double high = a->high[d] < b->high[d] ? a->high[d] : b->high[d];
        if (!(high > low))
            return 0;
        shared *= high - low;
    }
    double all = a->area + b->area - shared;
    return all > 0 ? shared / all : 0;
}

typedef struct nms {
    const float *boxes, *scores;
    int64_t batches, classes, n, limit;
    double iou, score;
    candidate *chosen; /* boxes are gathered here */
    extent *kept;      /* scratch: the boxes chosen of a class, side by side */
    /* scratch: the scores above the least one, their boxes, and what orders them */
    float *found;
    int64_t *box;
    int32_t *keys;
    uint64_t *items;
} nms;

/* Chooses the boxes of a class in the order of their scores; returns their number. */
static int64_t choose(const nms *s, int64_t batch, int64_t class, candidate *chosen)
{
    const float *scores = s->scores + (batch * s->classes + class) * s->n;
    const float *boxes = s->boxes + batch * s->n * 4;
    int64_t count = 0, kept = 0;
    for (int64_t i = 0; i < s->n; i++)
        if ((double)scores[i] > s->score) {
            s->found[count] = scores[i];
            s->box[count++] = i;
        }
    rlxb_float_keys(s->found, count, true, s->keys);
    rlxb_first_keys(s->keys, count, count, s->items);
    for (int64_t i = 0; i < count && kept < s->limit; i++) {
        const int64_t at = rlxb_item_position(s->items[i]);
        const extent box = extent_of(boxes + s->box[at] * 4);
        bool hidden = false;
        for (int64_t k = 0; k < kept && !hidden; k++)
            hidden = overlap(&s->kept[k], &box) > s->iou;
        if (!hidden) {
            s->kept[kept] = box;
            chosen[kept++] = (candidate){s->found[at], class, s->box[at]};
        }
    }
    return kept;
}

static void fill(rlx_tensor *t, int64_t value)
{
    int64_t *data = rlx_tensor_mutable_data(t);
    for (int64_t i = 0; i < rlx_tensor_numel(t); i++)
        data[i] = value;
}

/* Rows (batch, class, box); the remaining rows are -1. */
static void run_onnx(const nms *s, rlx_tensor *rows, rlx_tensor *count)
{
    int64_t *to = rlx_tensor_mutable_data(rows), total = 0;
    fill(rows, -1);
    for (int64_t b = 0; b < s->batches; b++) {
        for (int64_t c = 0; c < s->classes; c++) {
            int64_t kept = choose(s, b, c, s->chosen);
            for (int64_t i = 0; i < kept; i++, total++) {
                to[3 * total] = b;
                to[3 * total + 1] = c;
                to[3 * total + 2] = s->chosen[i].box;
            }
        }
    }
    *(int64_t *)rlx_tensor_mutable_data(count) = total;
}

/* For each batch rows (class, box) of all classes by score; the rest is -1, scores 0. */
static void run_tensorflow(const nms *s, rlx_tensor *rows, rlx_tensor *scores, rlx_tensor *counts)
{
    int64_t *to = rlx_tensor_mutable_data(rows), *number_of = rlx_tensor_mutable_data(counts);
    float *score = rlx_tensor_mutable_data(scores);
    const int64_t width = s->classes * s->n;
    fill(rows, -1);
    memset(score, 0, (size_t)(s->batches * width) * sizeof *score);
    for (int64_t b = 0; b < s->batches; b++) {
        int64_t total = 0;
        for (int64_t c = 0; c < s->classes; c++)
            total += choose(s, b, c, s->chosen + total);
        qsort(s->chosen, (size_t)total, sizeof *s->chosen, compare_candidates);
        for (int64_t i = 0; i < total; i++) {
            to[2 * (b * width + i)] = s->chosen[i].class;
            to[2 * (b * width + i) + 1] = s->chosen[i].box;
            score[b * width + i] = s->chosen[i].score;
        }
        number_of[b] = total;
    }
}

static rlx_status make_results(rlx_call_context *cc, const nms *s, bool onnx, rlx_tensor **parts,
                               rlx_error *err)
{
    int64_t width, rows;
    if (!rlx_mul_i64(s->classes, s->n, &width) || !rlx_mul_i64(width, s->batches, &rows))
        return rlx_fail(err, RLX_E_LIMIT, "nms: too many boxes");
    const int64_t all[2] = {rows, 3}, one = 1, by_batch[3] = {s->batches, width, 2};
    if (onnx) {
        RLX_TRY(rlx_call_alloc_tensor(cc, RLX_I64, 2, all, &parts[0], err));
        return rlx_call_alloc_tensor(cc, RLX_I64, 1, &one, &parts[1], err);
    }
    RLX_TRY(rlx_call_alloc_tensor(cc, RLX_I64, 3, by_batch, &parts[0], err));
    RLX_TRY(rlx_call_alloc_tensor(cc, RLX_F32, 2, by_batch, &parts[1], err));
    return rlx_call_alloc_tensor(cc, RLX_I64, 1, by_batch, &parts[2], err);
}

static rlx_status read_nms(const rlx_value *args, nms *s, rlx_error *err)
{
    rlx_tensor *boxes, *scores;
    double limit;
    RLX_TRY(rlxb_float_tensor(args, 0, 3, false, &boxes, err));
    RLX_TRY(rlxb_float_tensor(args, 1, 3, false, &scores, err));
    RLX_TRY(rlxb_number(args, 2, &limit, err));
    RLX_TRY(rlxb_number(args, 3, &s->iou, err));
    RLX_TRY(rlxb_number(args, 4, &s->score, err));
    const int64_t *b = rlx_tensor_dims(boxes), *d = rlx_tensor_dims(scores);
    if (b[0] != d[0] || b[1] != d[2] || b[2] != 4)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "nms: boxes (batch, n, 4) and scores (batch, classes, n) do not agree");
    s->boxes = rlx_tensor_data(boxes);
    s->scores = rlx_tensor_data(scores);
    s->batches = d[0];
    s->classes = d[1];
    s->n = d[2];
    s->limit = limit >= (double)s->n ? s->n : limit > 0 ? (int64_t)limit : 0;
    return RLX_OK;
}

rlx_status rlxb_nms(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                    rlx_error *err)
{
    (void)n;
    nms s = {0};
    int64_t onnx, width;
    void *chosen, *kept, *found, *box, *keys, *sorted;
    RLX_TRY(rlxb_int(args, 5, &onnx, err));
    RLX_TRY(read_nms(args, &s, err));
    if (!rlx_mul_i64(s.classes, s.n, &width) || s.n >= UINT32_MAX)
        return rlx_fail(err, RLX_E_LIMIT, "nms: too many boxes");
    RLX_TRY(rlxb_scratch(cc, onnx ? s.n : width, sizeof(candidate), &chosen, err));
    RLX_TRY(rlxb_scratch(cc, s.n, sizeof(extent), &kept, err));
    RLX_TRY(rlxb_scratch(cc, s.n, sizeof *s.found, &found, err));
    RLX_TRY(rlxb_scratch(cc, s.n, sizeof *s.box, &box, err));
    RLX_TRY(rlxb_scratch(cc, s.n, sizeof *s.keys, &keys, err));
    RLX_TRY(rlxb_scratch(cc, s.n, 2 * sizeof *s.items, &sorted, err));
    s.chosen = chosen;
    s.kept = kept;
    s.found = found;
    s.box = box;
    s.keys = keys;
    s.items = sorted;
    rlx_tensor *parts[3] = {NULL, NULL, NULL};
    rlx_tuple *tuple = NULL;
    rlx_status status = make_results(cc, &s, onnx != 0, parts, err);
    if (status == RLX_OK && onnx)
        run_onnx(&s, parts[0], parts[1]);
    else if (status == RLX_OK)
        run_tensorflow(&s, parts[0], parts[1], parts[2]);
    rlx_value items[3];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; i++)
        if (parts[i])
            items[count++] = rlx_of_tensor(parts[i]);
    if (status == RLX_OK)
        status = rlx_call_make_tuple(cc, count, items, &tuple, err);
    for (uint32_t i = 0; i < count; i++)
        rlx_value_release(items[i]);
    if (status == RLX_OK)
        *out = rlx_of_tuple(tuple);
    return status;
}
