/* Boxes on images: rlx.nms, non-maximum suppression of each class; rlx.roi_align, pooling of
 * regions by bilinear samples; rlx.roi_pool, the largest elements of a region's parts. Scores and
 * coordinates are float32 (regions also float64); NaN is never chosen, and a region of NaN size
 * pools to 0. */
#include "builtins/builtins.h"
#include "builtins/sort_keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tensor argument of |ndim| dimensions and one of the two element types. */
static rlx_status float_tensor(const rlx_value *args, uint32_t i, uint32_t ndim, bool f64,
                               rlx_tensor **out, rlx_error *err)
{
    RLX_TRY(rlxb_tensor(args, i, out, err));
    if (rlx_tensor_ndim(*out) != ndim ||
        !rlx_dtype_eq(rlx_tensor_dtype(*out), f64 ? RLX_F64 : RLX_F32))
        return rlx_fail(err, RLX_E_INVALID_ARG, "argument %u must be a %s tensor of %u dimensions",
                        i, f64 ? "float64" : "float32", ndim);
    return RLX_OK;
}

/* A number, or a tensor of one float32 or integer. */
static rlx_status number(const rlx_value *args, uint32_t i, double *out, rlx_error *err)
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
    rlxb_float_keys(s->found, count, true, s->keys, 1);
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
    RLX_TRY(float_tensor(args, 0, 3, false, &boxes, err));
    RLX_TRY(float_tensor(args, 1, 3, false, &scores, err));
    RLX_TRY(number(args, 2, &limit, err));
    RLX_TRY(number(args, 3, &s->iou, err));
    RLX_TRY(number(args, 4, &s->score, err));
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

/* --- roi_align --- */

enum { MAX_SAMPLES = 4096 }; /* limit along a dimension, so that hostile files terminate */

typedef struct pooling {
    int64_t images, channels, height, width;
    int64_t bins[2], ratio; /* samples a bin, 0: as many as it has pixels */
    double scale;
    bool aligned, f64, last; /* channels last, in images and result */
    int64_t pixel_step, channel_step;
    int64_t max; /* maximum, 1: of the samples, 2: of the four weighted elements of each, as in ONNX
                  */
} pooling;

static double element(bool f64, const void *data, int64_t i)
{
    return f64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* The two pixels around |at| in a dimension of |n|, and the weight of the second; false where |at|
 * is more than a pixel outside. */
static bool neighbours(double at, int64_t n, int64_t out[2], double *weight)
{
    if (!(at >= -1.0 && at <= (double)n) || n == 0)
        return false;
    at = fmax(at, 0);
    int64_t low = (int64_t)at;
    out[0] = low < n - 1 ? low : n - 1;
    out[1] = low < n - 1 ? low + 1 : n - 1;
    *weight = low < n - 1 ? at - (double)low : 0;
    return true;
}

/* Samples of a bin along one dimension: |count| of them, |step| apart; those from |first| to before
 * |last| are near enough to the image of |n| to count. */
typedef struct samples {
    double start, step, count;
    int64_t first, last;
} samples;

static samples samples_of(double start, double size, int64_t ratio, double grid, int64_t n)
{
    samples s = {.start = start, .count = ratio > 0 ? (double)ratio : ceil(grid)};
    s.step = s.count > 0 ? size / s.count : 0;
    double low = 0, high = s.count;
    if (s.step > 0) { /* one more on each side than rounding can need */
        low = fmax(low, floor((-1.0 - start) / s.step) - 2);
        high = fmin(high, ceil(((double)n - start) / s.step) + 2);
    }
    bool usable = isfinite(start) && isfinite(s.step) && low < high && high < 9e15;
    s.first = usable ? (int64_t)low : 0;
    s.last = usable ? (int64_t)high : 0;
    return s;
}

/* The running state of a bin of neighbouring channels, which share samples and weights. */
enum { CHANNELS = 64 };

typedef struct pooled {
    const void *data;
    int64_t first, channels; /* the first element of the first channel; their number */
    double sum[CHANNELS], best[CHANNELS];
} pooled;

static inline void add_sample(const pooling *p, bool f64, const int64_t at[4],
                              const double weight[4], pooled *to)
{
    for (int64_t c = 0; c < to->channels; c++) {
        double value = 0, most = NAN;
        for (int k = 0; k < 4; k++) {
            const int64_t i = to->first + at[k] * p->pixel_step + c * p->channel_step;
            const double part = weight[k] * element(f64, to->data, i);
            value += part;
            most = most > part || isnan(part) ? most : part;
        }
        to->sum[c] += value;
        if (p->max == 2)
            value = most;
        to->best[c] = value > to->best[c] || isnan(value) ? value : to->best[c];
    }
}

/* The mean for float32, in vectors of CHANNELS: samples in float32, their sum in double. */
static void add_to_mean(const pooling *p, const int64_t at[4], const double weight[4], pooled *to)
{
    float copies[4][CHANNELS];
    const float *pixels[4];
    for (int k = 0; k < 4; k++) {
        pixels[k] = (const float *)to->data + to->first + at[k] * p->pixel_step;
        if (p->channel_step == 1 && to->channels == CHANNELS)
            continue;
        for (int64_t c = 0; c < CHANNELS; c++)
            copies[k][c] = c < to->channels ? pixels[k][c * p->channel_step] : 0;
        pixels[k] = copies[k];
    }
    const float *a = pixels[0], *b = pixels[1], *d = pixels[2], *e = pixels[3];
    const float of_a = (float)weight[0], of_b = (float)weight[1], of_d = (float)weight[2],
                of_e = (float)weight[3];
    for (int c = 0; c < CHANNELS; c++)
        to->sum[c] += (double)(of_a * a[c] + of_b * b[c] + of_d * d[c] + of_e * e[c]);
}

/* |to->sum| becomes the bin's values. */
static void pool_bin(const pooling *p, const samples *rows, const samples *columns, pooled *to)
{
    const double count = fmax(rows->count * columns->count, 1);
    for (int c = 0; c < CHANNELS; c++) {
        to->sum[c] = 0;
        to->best[c] = -INFINITY;
    }
    for (int64_t i = rows->first; i < rows->last; i++) {
        int64_t y[2], x[2];
        double wy, wx;
        if (!neighbours(rows->start + ((double)i + 0.5) * rows->step, p->height, y, &wy))
            continue;
        for (int64_t j = columns->first; j < columns->last; j++) {
            if (!neighbours(columns->start + ((double)j + 0.5) * columns->step, p->width, x, &wx))
                continue;
            int64_t at[4];
            double weight[4];
            for (int k = 0; k < 4; k++) {
                at[k] = y[k / 2] * p->width + x[k % 2];
                weight[k] = (k / 2 ? wy : 1 - wy) * (k % 2 ? wx : 1 - wx);
            }
            if (p->f64)
                add_sample(p, true, at, weight, to);
            else if (p->max)
                add_sample(p, false, at, weight, to);
            else
                add_to_mean(p, at, weight, to);
        }
    }
    for (int64_t c = 0; c < to->channels; c++) {
        const double best = to->best[c];
        to->sum[c] = !p->max ? to->sum[c] / count : isinf(best) && best < 0 ? 0 : best;
    }
}

static void store_bin(const pooling *p, const pooled *from, int64_t first, int64_t step, void *to)
{
    for (int64_t c = 0; c < from->channels; c++)
        if (p->f64)
            ((double *)to)[first + c * step] = from->sum[c];
        else
            ((float *)to)[first + c * step] = (float)from->sum[c];
}

/* All bins of the region, from channel |first| on, |to->channels| of them. */
static void pool_region(const pooling *p, const void *regions, int64_t r, int64_t first, pooled *to,
                        void *out)
{
    const double batch = element(p->f64, regions, r * 5), shift = p->aligned ? 0.5 : 0;
    const bool known = batch >= 0 && batch < (double)p->images;
    const int64_t bins = p->bins[0] * p->bins[1];
    double begin[2], size[2]; /* of a bin */
    if (known)
        to->first = (int64_t)batch * p->channels * p->height * p->width + first * p->channel_step;
    for (int d = 0; d < 2; d++) {
        begin[d] = element(p->f64, regions, r * 5 + 2 - d) * p->scale - shift;
        size[d] = element(p->f64, regions, r * 5 + 4 - d) * p->scale - shift - begin[d];
        if (!p->aligned)
            size[d] = fmax(size[d], 1);
        size[d] /= (double)p->bins[d];
    }
    for (int64_t bin = 0; bin < bins; bin++) {
        const int64_t place[2] = {bin / p->bins[1], bin % p->bins[1]};
        samples s[2] = {0}; /* rows, columns */
        for (int d = 0; d < 2 && known; d++)
            s[d] = samples_of(begin[d] + (double)place[d] * size[d], size[d], p->ratio, size[d],
                              d ? p->width : p->height);
        pool_bin(p, &s[0], &s[1], to);
        if (p->last)
            store_bin(p, to, (r * bins + bin) * p->channels + first, 1, out);
        else
            store_bin(p, to, (r * p->channels + first) * bins + bin, bins, out);
    }
}

rlx_status rlxb_roi_align(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                          rlx_error *err)
{
    rlx_tensor *x, *rois, *result = NULL;
    pooling p = {0};
    int64_t aligned, last = 0;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    p.f64 = rlx_dtype_eq(rlx_tensor_dtype(x), RLX_F64);
    RLX_TRY(float_tensor(args, 0, 4, p.f64, &x, err));
    RLX_TRY(float_tensor(args, 1, 2, p.f64, &rois, err));
    RLX_TRY(rlxb_int(args, 2, &p.bins[0], err));
    RLX_TRY(rlxb_int(args, 3, &p.bins[1], err));
    RLX_TRY(number(args, 4, &p.scale, err));
    RLX_TRY(rlxb_int(args, 5, &p.ratio, err));
    RLX_TRY(rlxb_int(args, 6, &aligned, err));
    RLX_TRY(rlxb_int(args, 7, &p.max, err));
    if (n > 8)
        RLX_TRY(rlxb_int(args, 8, &last, err));
    p.last = last != 0;
    p.aligned = aligned != 0;
    const int64_t *dims = rlx_tensor_dims(x), *space = dims + (p.last ? 1 : 2);
    p.images = dims[0];
    p.channels = dims[p.last ? 3 : 1];
    p.height = space[0];
    p.width = space[1];
    p.pixel_step = p.last ? p.channels : 1;
    p.channel_step = p.last ? 1 : p.height * p.width;
    const int64_t regions = rlx_tensor_dims(rois)[0];
    const int64_t shape[4] = {regions, p.last ? p.bins[0] : p.channels, p.bins[p.last ? 1 : 0],
                              p.last ? p.channels : p.bins[1]};
    if (rlx_tensor_dims(rois)[1] != 5 || p.bins[0] < 1 || p.bins[1] < 1)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "roi_align: expected regions (n, 5) and a positive size");
    if (p.ratio > MAX_SAMPLES)
        return rlx_fail(err, RLX_E_LIMIT, "roi_align: more than %d samples per bin", MAX_SAMPLES);
    RLX_TRY(rlx_call_alloc_tensor(cc, rlx_tensor_dtype(x), 4, shape, &result, err));
    pooled bin = {.data = rlx_tensor_data(x)};
    for (int64_t r = 0; r < regions; r++)
        for (int64_t c = 0; c < p.channels; c += CHANNELS) {
            bin.channels = p.channels - c < CHANNELS ? p.channels - c : CHANNELS;
            pool_region(&p, rlx_tensor_data(rois), r, c, &bin, rlx_tensor_mutable_data(result));
        }
    *out = rlx_of_tensor(result);
    return RLX_OK;
}

/* --- roi_pool --- */

/* The largest element of part |bin| of |bins| of the rounded range from |low| to |high| of a
 * dimension of |n|: its begin and end. Parts share an element if the range does not divide
 * (Girshick, "Fast R-CNN", 2015). |up|: halves are rounded up, not away from 0. */
static void part_of(double low, double high, bool up, int64_t bin, int64_t bins, int64_t n,
                    int64_t out[2])
{
    double begin = up ? floor(low + 0.5) : round(low), end = up ? floor(high + 0.5) : round(high);
    double size = fmax(end - begin + 1, 1) / (double)bins;
    double ends[2] = {begin + floor((double)bin * size), begin + ceil(((double)bin + 1) * size)};
    for (int i = 0; i < 2; i++) /* NaN counts as the border */
        out[i] = ends[i] > 0 ? (ends[i] < (double)n ? (int64_t)ends[i] : n) : 0;
}

rlx_status rlxb_roi_pool(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                         rlx_error *err)
{
    rlx_tensor *x, *rois, *result = NULL;
    int64_t bins[2], up = 0;
    double scale;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    const bool f64 = rlx_dtype_eq(rlx_tensor_dtype(x), RLX_F64);
    RLX_TRY(float_tensor(args, 0, 4, f64, &x, err));
    RLX_TRY(float_tensor(args, 1, 2, f64, &rois, err));
    RLX_TRY(rlxb_int(args, 2, &bins[0], err));
    RLX_TRY(rlxb_int(args, 3, &bins[1], err));
    RLX_TRY(number(args, 4, &scale, err));
    if (n > 5)
        RLX_TRY(rlxb_int(args, 5, &up, err));
    const int64_t *dims = rlx_tensor_dims(x);
    const int64_t shape[4] = {rlx_tensor_dims(rois)[0], dims[1], bins[0], bins[1]};
    if (rlx_tensor_dims(rois)[1] != 5 || bins[0] < 1 || bins[1] < 1)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "roi_pool: expected regions (n, 5) and a positive size");
    RLX_TRY(rlx_call_alloc_tensor(cc, rlx_tensor_dtype(x), 4, shape, &result, err));
    const void *data = rlx_tensor_data(x), *regions = rlx_tensor_data(rois);
    void *to = rlx_tensor_mutable_data(result);
    for (int64_t at = 0; at < rlx_tensor_numel(result); at++) {
        int64_t r = at / (shape[1] * shape[2] * shape[3]),
                c = at / (shape[2] * shape[3]) % shape[1];
        const int64_t place[2] = {at / shape[3] % shape[2], at % shape[3]};
        int64_t range[2][2];
        double batch = element(f64, regions, r * 5), best = 0;
        bool found = false;
        for (int d = 0; d < 2; d++)
            part_of(element(f64, regions, r * 5 + 2 - d) * scale,
                    element(f64, regions, r * 5 + 4 - d) * scale, up != 0, place[d], bins[d],
                    dims[2 + d], range[d]);
        bool inside = batch >= 0 && batch < (double)dims[0];
        int64_t image = inside ? ((int64_t)batch * dims[1] + c) * dims[2] : 0;
        for (int64_t i = range[0][0]; i < range[0][1] && inside; i++) {
            for (int64_t j = range[1][0]; j < range[1][1]; j++) {
                double v = element(f64, data, (image + i) * dims[3] + j);
                best = !found || v > best || isnan(v) ? v : best;
                found = true;
            }
        }
        if (f64)
            ((double *)to)[at] = best;
        else
            ((float *)to)[at] = (float)best;
    }
    *out = rlx_of_tensor(result);
    return RLX_OK;
}
