/* Detected boxes: rlx.valid_counts, those of a score above a threshold moved to the front;
 * rlx.box_nms, boxes by score without those that overlap a better one of their class.
 *
 * A box is a row of float32 or float64: four coordinates, a score, perhaps a class. Each step of
 * the arithmetic is rounded to the rows' type, so that comparisons with thresholds go as in that
 * type. NaN scores are never above anything. */
#include "builtins/builtins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rows of all images. */
typedef struct rows {
    int64_t images, n, width; /* width: elements of a row */
    bool f64;
    const void *data;
} rows;

static rlx_status read_rows(const rlx_value *args, rows *out, rlx_error *err)
{
    rlx_tensor *x;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    rlx_dtype t = rlx_tensor_dtype(x);
    out->f64 = rlx_dtype_eq(t, RLX_F64);
    if (rlx_tensor_ndim(x) != 3 || (!out->f64 && !rlx_dtype_eq(t, RLX_F32)))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "boxes must be a float32 or float64 tensor of 3 dimensions");
    const int64_t *dims = rlx_tensor_dims(x);
    *out = (rows){dims[0], dims[1], dims[2], out->f64, rlx_tensor_data(x)};
    return out->n <= INT32_MAX ? RLX_OK : rlx_fail(err, RLX_E_LIMIT, "too many boxes");
}

/* An argument that is a position in a row; |optional|: it may be negative. */
static rlx_status read_position(const rlx_value *args, uint32_t i, const rows *r, bool optional,
                                int64_t *out, rlx_error *err)
{
    RLX_TRY(rlxb_int(args, i, out, err));
    if (*out >= r->width || (*out < 0 && !optional))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "position %lld is outside the %lld elements of a box", (long long)*out,
                        (long long)r->width);
    return RLX_OK;
}

static rlx_status read_float(const rlx_value *args, uint32_t i, double *out, rlx_error *err)
{
    if (args[i].kind != RLX_KIND_FLOAT)
        return rlx_fail(err, RLX_E_INVALID_ARG, "argument %u must be a float", i);
    *out = args[i].as.f;
    return RLX_OK;
}

static double get(bool f64, const void *data, int64_t i)
{
    return f64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void put(bool f64, void *data, int64_t i, double value)
{
    if (f64)
        ((double *)data)[i] = value;
    else
        ((float *)data)[i] = (float)value;
}

/* Copies row |from| of |data| to row |to| of |out|; fills it with -1 if |data| is NULL. */
static void put_row(const rows *r, const void *data, int64_t from, void *out, int64_t to)
{
    const size_t size = (size_t)r->width * (r->f64 ? sizeof(double) : sizeof(float));
    if (data) {
        memmove((char *)out + size * (size_t)to, (const char *)data + size * (size_t)from, size);
        return;
    }
    for (int64_t k = 0; k < r->width; k++)
        put(r->f64, out, to * r->width + k, -1);
}

/* The three results as a tuple, which takes them; they are released in any case. */
static rlx_status give(rlx_call_context *cc, rlx_status status, rlx_tensor *const parts[3],
                       rlx_value *out, rlx_error *err)
{
    rlx_value items[3];
    rlx_tuple *tuple = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < 3; i++)
        if (parts[i])
            items[n++] = rlx_of_tensor(parts[i]);
    if (status == RLX_OK)
        status = rlx_call_make_tuple(cc, n, items, &tuple, err);
    for (uint32_t i = 0; i < n; i++)
        rlx_value_release(items[i]);
    if (status == RLX_OK)
        *out = rlx_of_tuple(tuple);
    return status;
}

/* --- valid_counts --- */

rlx_status rlxb_valid_counts(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                             rlx_value *out, rlx_error *err)
{
    (void)n;
    rows r;
    double threshold = 0;
    int64_t id, score;
    RLX_TRY(read_rows(args, &r, err));
    RLX_TRY(read_float(args, 1, &threshold, err));
    RLX_TRY(read_position(args, 2, &r, true, &id, err));
    RLX_TRY(read_position(args, 3, &r, false, &score, err));
    threshold = r.f64 ? threshold : (double)(float)threshold;
    const int64_t dims[3] = {r.images, r.n, r.width};
    rlx_tensor *parts[3] = {NULL, NULL, NULL};
    rlx_status status = rlx_call_alloc_tensor(cc, RLX_I32, 1, dims, &parts[0], err);
    if (status == RLX_OK)
        status = rlx_call_alloc_tensor(cc, r.f64 ? RLX_F64 : RLX_F32, 3, dims, &parts[1], err);
    if (status == RLX_OK)
        status = rlx_call_alloc_tensor(cc, RLX_I32, 2, dims, &parts[2], err);
    for (int64_t b = 0; b < r.images && status == RLX_OK; b++) {
        int32_t *indices = (int32_t *)rlx_tensor_mutable_data(parts[2]) + b * r.n;
        void *to = rlx_tensor_mutable_data(parts[1]);
        int64_t count = 0;
        for (int64_t i = b * r.n; i < (b + 1) * r.n; i++)
            if (get(r.f64, r.data, i * r.width + score) > threshold &&
                (id < 0 || get(r.f64, r.data, i * r.width + id) >= 0)) {
                put_row(&r, r.data, i, to, b * r.n + count);
                indices[count++] = (int32_t)(i - b * r.n);
            }
        ((int32_t *)rlx_tensor_mutable_data(parts[0]))[b] = (int32_t)count;
        for (; count < r.n; count++) {
            put_row(&r, NULL, 0, to, b * r.n + count);
            indices[count] = -1;
        }
    }
    return give(cc, status, parts, out, err);
}

/* --- box_nms --- */

typedef struct suppression {
    rows r;
    rlx_dtype count_type, index_type;
    const void *counts, *indices;
    int64_t limit, top, coordinate, score, id; /* limit, top, id: negative: none */
    double iou, sigma, threshold;              /* sigma 0: overlapping boxes are dropped at once */
    int64_t force, to_top;
    void *data; /* the results */
    int32_t *places, *kept;
} suppression;

static double rounded(const suppression *s, double value)
{
    return s->r.f64 ? value : (double)(float)value;
}

typedef struct entry {
    double score;
    int64_t at;
} entry;

/* Higher scores first, equal ones in their original order; NaN last. */
static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->score > y->score || x->score < y->score)
        return x->score > y->score ? -1 : 1;
    if (isnan(x->score) != isnan(y->score))
        return isnan(x->score) ? 1 : -1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static double field(const suppression *s, int64_t row, int64_t k)
{
    return get(s->r.f64, s->data, row * s->r.width + k);
}

static double overlap(const suppression *s, int64_t a, int64_t b)
{
    double sizes[2][2], shared[2];
    for (int64_t d = 0; d < 2; d++) {
        double low[2], high[2];
        const int64_t pair[2] = {a, b};
        for (int i = 0; i < 2; i++) {
            const double p = field(s, pair[i], s->coordinate + d),
                         q = field(s, pair[i], s->coordinate + d + 2);
            low[i] = fmin(p, q);
            high[i] = fmax(p, q);
            sizes[i][d] = rounded(s, high[i] - low[i]);
        }
        shared[d] = fmax(0, rounded(s, fmin(high[0], high[1]) - fmax(low[0], low[1])));
    }
    const double both = rounded(s, shared[0] * shared[1]);
    const double all = rounded(s, rounded(s, rounded(s, sizes[0][0] * sizes[0][1]) +
                                                 rounded(s, sizes[1][0] * sizes[1][1])) -
                                      both);
    return all <= 0 ? 0 : rounded(s, both / all);
}

/* True if the better box |a| may suppress |b|. */
static bool compete(const suppression *s, int64_t a, int64_t b)
{
    return s->force || s->id < 0 || field(s, a, s->id) == field(s, b, s->id);
}

static void drop(const suppression *s, int64_t row)
{
    put_row(&s->r, NULL, 0, s->data, row);
    s->places[row] = -1;
}

/* The |n| rows from |first|, sorted: each remaining one suppresses those after it. */
static int64_t suppress(const suppression *s, int64_t first, int64_t n)
{
    int64_t kept = 0;
    for (int64_t j = first; j < first + n; j++) {
        if (!(field(s, j, s->score) > 0) || (s->limit > 0 && kept >= s->limit)) {
            drop(s, j);
            continue;
        }
        kept++;
        for (int64_t k = j + 1; k < first + n; k++)
            if (field(s, k, s->score) > 0 && compete(s, j, k) && overlap(s, j, k) >= s->iou) {
                put(s->r.f64, s->data, k * s->r.width + s->score, -1);
                s->places[k] = -1;
            }
    }
    return kept;
}

static void swap_rows(const suppression *s, int64_t a, int64_t b)
{
    for (int64_t k = 0; k < s->r.width; k++) {
        const double x = field(s, a, k);
        put(s->r.f64, s->data, a * s->r.width + k, field(s, b, k));
        put(s->r.f64, s->data, b * s->r.width + k, x);
    }
    const int32_t place = s->places[a];
    s->places[a] = s->places[b];
    s->places[b] = place;
}

/* As above, but boxes that overlap less than |iou| lose score by a Gaussian of the overlap, and the
 * best of the remaining ones is next. */
static int64_t suppress_softly(const suppression *s, int64_t first, int64_t n)
{
    const double scale = rounded(s, -0.5 / s->sigma);
    int64_t kept = 0;
    while (kept < n && (s->limit <= 0 || kept < s->limit)) {
        const int64_t here = first + kept;
        int64_t best = -1;
        double most = s->threshold;
        for (int64_t j = here; j < first + n; j++)
            if (s->places[j] >= 0 && field(s, j, s->score) > most) {
                best = j;
                most = field(s, j, s->score);
            }
        if (best < 0)
            break;
        if (best != here)
            swap_rows(s, here, best);
        for (int64_t j = here + 1; j < first + n; j++) {
            const double score = field(s, j, s->score);
            if (s->places[j] < 0 || !(score > s->threshold) || !compete(s, here, j))
                continue;
            const double iou = overlap(s, here, j);
            double left =
                iou >= s->iou
                    ? score
                    : rounded(s,
                              score * rounded(s, exp(rounded(s, rounded(s, scale * iou) * iou))));
            put(s->r.f64, s->data, j * s->r.width + s->score, left);
            if (iou >= s->iou || left <= s->threshold)
                s->places[j] = -1;
        }
        kept++;
    }
    for (int64_t j = first + kept; j < first + s->r.n; j++)
        drop(s, j);
    return kept;
}

/* Rows with a score move to the front, the others are -1. */
static void move_to_top(const suppression *s, int64_t first)
{
    int64_t to = first;
    for (int64_t j = first; j < first + s->r.n; j++)
        if (field(s, j, s->score) >= 0)
            put_row(&s->r, s->data, j, s->data, to++);
    for (; to < first + s->r.n; to++)
        put_row(&s->r, NULL, 0, s->data, to);
}

/* Image |b|; |order| is scratch for its rows. */
static void suppress_image(const suppression *s, int64_t b, entry *order)
{
    const int64_t n = s->r.n, first = b * n;
    int64_t valid = rlxb_read_int(s->count_type, s->counts, b);
    valid = valid < 0 ? 0 : valid < n ? valid : n;
    for (int64_t i = 0; i < valid; i++)
        order[i] = (entry){get(s->r.f64, s->r.data, (first + i) * s->r.width + s->score), i};
    qsort(order, (size_t)valid, sizeof *order, compare_entries);
    if (s->top > 0 && s->top < valid)
        valid = s->top;
    for (int64_t j = 0; j < n; j++) {
        if (j >= valid) {
            drop(s, first + j);
            continue;
        }
        put_row(&s->r, s->r.data, first + order[j].at, s->data, first + j);
        s->places[first + j] = (int32_t)order[j].at;
    }
    int64_t kept = s->sigma > 0 ? suppress_softly(s, first, valid) : suppress(s, first, valid),
            found = 0;
    for (int64_t j = 0; j < n; j++) { /* indices of the kept boxes, compacted */
        const int32_t place = s->places[first + j];
        if (place >= 0 && found < kept)
            s->places[first + found++] =
                (int32_t)rlxb_read_int(s->index_type, s->indices, first + place);
    }
    for (int64_t j = found; j < n; j++)
        s->places[first + j] = -1;
    s->kept[b] = (int32_t)found;
    if (s->to_top)
        move_to_top(s, first);
}

static rlx_status read_integers(const rlx_value *args, uint32_t i, uint32_t ndim, const rows *r,
                                rlx_dtype *out_type, const void **out, rlx_error *err)
{
    rlx_tensor *t;
    RLX_TRY(rlxb_tensor(args, i, &t, err));
    const int64_t *dims = rlx_tensor_dims(t);
    *out_type = rlx_tensor_dtype(t);
    if (rlx_tensor_ndim(t) != ndim || (out_type->code != RLX_INT && out_type->code != RLX_UINT) ||
        dims[0] != r->images || (ndim == 2 && dims[1] != r->n))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "argument %u must be a tensor of integers, one for each %s", i,
                        ndim == 1 ? "image" : "box");
    *out = rlx_tensor_data(t);
    return RLX_OK;
}

static rlx_status read_suppression(const rlx_value *args, suppression *s, rlx_error *err)
{
    RLX_TRY(read_rows(args, &s->r, err));
    RLX_TRY(read_integers(args, 1, 1, &s->r, &s->count_type, &s->counts, err));
    RLX_TRY(read_integers(args, 2, 2, &s->r, &s->index_type, &s->indices, err));
    RLX_TRY(rlxb_int(args, 3, &s->limit, err));
    RLX_TRY(read_float(args, 4, &s->iou, err));
    RLX_TRY(rlxb_int(args, 5, &s->force, err));
    RLX_TRY(rlxb_int(args, 6, &s->top, err));
    RLX_TRY(read_position(args, 7, &s->r, false, &s->coordinate, err));
    RLX_TRY(read_position(args, 8, &s->r, false, &s->score, err));
    RLX_TRY(read_position(args, 9, &s->r, true, &s->id, err));
    RLX_TRY(read_float(args, 10, &s->sigma, err));
    RLX_TRY(read_float(args, 11, &s->threshold, err));
    RLX_TRY(rlxb_int(args, 12, &s->to_top, err));
    if (s->r.width - s->coordinate < 4)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "boxes have %lld elements; coordinates cannot start at %lld",
                        (long long)s->r.width, (long long)s->coordinate);
    s->iou = rounded(s, s->iou);
    s->threshold = s->sigma > 0 ? rounded(s, s->threshold) : 0;
    return RLX_OK;
}

rlx_status rlxb_box_nms(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                        rlx_error *err)
{
    (void)n;
    suppression s = {0};
    void *order;
    RLX_TRY(read_suppression(args, &s, err));
    RLX_TRY(rlxb_scratch(cc, s.r.n, sizeof(entry), &order, err));
    const int64_t dims[3] = {s.r.images, s.r.n, s.r.width}, counts[2] = {s.r.images, 1};
    rlx_tensor *parts[3] = {NULL, NULL, NULL};
    rlx_status status =
        rlx_call_alloc_tensor(cc, s.r.f64 ? RLX_F64 : RLX_F32, 3, dims, &parts[0], err);
    if (status == RLX_OK)
        status = rlx_call_alloc_tensor(cc, RLX_I32, 2, dims, &parts[1], err);
    if (status == RLX_OK)
        status = rlx_call_alloc_tensor(cc, RLX_I32, 2, counts, &parts[2], err);
    if (status == RLX_OK) {
        s.data = rlx_tensor_mutable_data(parts[0]);
        s.places = rlx_tensor_mutable_data(parts[1]);
        s.kept = rlx_tensor_mutable_data(parts[2]);
        for (int64_t b = 0; b < s.r.images; b++)
            suppress_image(&s, b, order);
    }
    return give(cc, status, parts, out, err);
}
