/* Pooling of regions of images: rlx.roi_align by bilinear samples; rlx.roi_pool, the largest
 * elements of a region's parts. Images and regions are float32 or float64; a region of NaN size
 * pools to 0. */
#include "builtins/builtins.h"

#include <math.h>
#include <string.h>

/* --- roi_align --- */

enum { MAX_SAMPLES = 4096 }; /* limit along a dimension, so that hostile files terminate */

typedef struct pooling {
    const void *data;
    int64_t images, channels, height, width;
    int64_t bins[2], ratio; /* samples a bin, 0: as many as it has pixels */
    double scale;
    bool aligned, f64, last; /* channels last, in images and result */
    int64_t max; /* maximum, 1: of the samples, 2: of the four weighted elements of each, as in ONNX
                  */
} pooling;

static inline double element(bool f64, const void *data, int64_t i)
{
    return f64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static inline void set_element(bool f64, void *data, int64_t i, double value)
{
    if (f64)
        ((double *)data)[i] = value;
    else
        ((float *)data)[i] = (float)value;
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

static samples samples_of(double start, double size, int64_t ratio, int64_t n)
{
    samples s = {.start = start, .count = ratio > 0 ? (double)ratio : ceil(size)};
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

/* A row or column of the image and its weight in a bin. */
typedef struct tap {
    int64_t at;
    double weight;
    float narrow; /* the weight */
    int64_t from; /* its first element */
} tap;

/* What the bins of a region read along one dimension. Weights are separable: that of a pixel is the
 * product of those of its row and its column. For maxima the taps of a bin are pairs, one for each
 * sample; for means each row or column is there once, in ascending order. */
typedef struct axis {
    int64_t length, most; /* of the image; room for the taps of a bin */
    int64_t pitch;        /* elements from one row or column to the next */
    tap *taps;            /* of one bin of rows; of all bins of columns, |most| apart */
    int64_t *counts;
    int64_t first, span, total; /* of the taps of all bins: the first, how far they reach; number */
    double samples, begin, size; /* of a bin */
} axis;

/* Taps that a bin can have at most. */
static int64_t most_taps(const pooling *p, int64_t length)
{
    const int64_t most = 2 * (p->ratio > 0 ? p->ratio : 2 * length + 8);
    return p->max || most < length ? most : length;
}

/* Adds the |share| of |at|, which is not less than the taps before the last. */
static int64_t merge_tap(tap *taps, int64_t count, int64_t most, int64_t at, double share)
{
    int64_t place = count;
    while (place > 0 && taps[place - 1].at > at)
        place--;
    if (place > 0 && taps[place - 1].at == at)
        taps[place - 1].weight += share;
    else if (count < most)
        taps[count++] = (tap){.at = at, .weight = share};
    return count;
}

/* The taps of bin |bin| at |taps|; returns their number. */
static int64_t find_taps(const pooling *p, axis *a, int64_t bin, tap *taps)
{
    int64_t count = 0, at[2];
    double weight;
    const samples s = samples_of(a->begin + (double)bin * a->size, a->size, p->ratio, a->length);
    a->samples = s.count;
    for (int64_t k = s.first; k < s.last; k++) {
        const int64_t i = s.step < 0 ? s.first + s.last - 1 - k : k;
        if (!neighbours(s.start + ((double)i + 0.5) * s.step, a->length, at, &weight))
            continue;
        for (int side = 0; side < 2; side++) {
            const double share = side ? weight : 1 - weight;
            if (!p->max)
                count = merge_tap(taps, count, a->most, at[side], share);
            else if (count < a->most)
                taps[count++] = (tap){.at = at[side], .weight = share};
        }
    }
    for (int64_t k = 0; k < count; k++) {
        taps[k].narrow = (float)taps[k].weight;
        taps[k].from = taps[k].at * a->pitch;
    }
    return count;
}

/* The taps of all bins of columns. */
static void find_columns(const pooling *p, axis *a)
{
    int64_t end = 0;
    a->first = a->length;
    a->total = 0;
    for (int64_t bin = 0; bin < p->bins[1]; bin++) {
        const tap *taps = a->taps + bin * a->most;
        const int64_t count = find_taps(p, a, bin, a->taps + bin * a->most);
        a->counts[bin] = count;
        a->total += count;
        if (count > 0 && taps[0].at < a->first)
            a->first = taps[0].at;
        if (count > 0 && taps[count - 1].at >= end)
            end = taps[count - 1].at + 1;
    }
    a->span = end > a->first ? end - a->first : 0;
}

/* --- bins --- */

typedef float four __attribute__((vector_size(16)));

/* to[i] += weight * from[i] */
static void add_weighted(float *to, const float *from, float weight, int64_t n)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        four sum, value;
        memcpy(&sum, to + i, sizeof sum);
        memcpy(&value, from + i, sizeof value);
        sum += weight * value;
        memcpy(to + i, &sum, sizeof sum);
    }
    for (; i < n; i++)
        to[i] += weight * from[i];
}

/* |line|: the weighted sum of the rows of |plane| over all columns. */
static void sum_rows(const axis *rows, const axis *columns, const float *plane, float *line)
{
    const int64_t span = columns->span;
    int64_t x = 0;
    plane += columns->first;
    for (; x + 8 <= span; x += 8) {
        four sum[2] = {{0}, {0}};
        for (int64_t r = 0; r < rows->counts[0]; r++) {
            const float *row = plane + rows->taps[r].at * columns->length + x;
            const float weight = rows->taps[r].narrow;
            four low, high;
            memcpy(&low, row, sizeof low);
            memcpy(&high, row + 4, sizeof high);
            sum[0] += weight * low;
            sum[1] += weight * high;
        }
        memcpy(line + x, sum, sizeof sum);
    }
    for (int64_t k = x; k < span; k++)
        line[k] = 0;
    for (int64_t r = 0; r < rows->counts[0] && x < span; r++)
        add_weighted(line + x, plane + rows->taps[r].at * columns->length + x, rows->taps[r].narrow,
                     span - x);
}

/* A row of bins of a channel of float32, by way of |line|, a line of the image. */
static void means_by_lines(const pooling *p, const axis *rows, const axis *columns,
                           const float *plane, float share, float *line, float *out)
{
    sum_rows(rows, columns, plane, line);
    for (int64_t bin = 0; bin < p->bins[1]; bin++) {
        const tap *taps = columns->taps + bin * columns->most;
        float sum = 0;
        for (int64_t i = 0; i < columns->counts[bin]; i++)
            sum += taps[i].narrow * line[taps[i].at - columns->first];
        out[bin] = sum * share;
    }
}

/* mean_of_bin_float, most_of_bin_float and the same for double: the value of one bin of the channel
 * |plane|. Maxima ignore an element that is NaN; the sum of a sample's elements shows whether there
 * is one, so that others need no branches. */
#define BIN_FUNCTIONS(T, WEIGHT)                                                                  \
    static T mean_of_bin_##T(const T *plane, const axis *rows, const tap *columns, int64_t n)     \
    {                                                                                             \
        T sum = 0;                                                                                \
        for (int64_t r = 0; r < rows->counts[0]; r++) {                                           \
            const T *row = plane + rows->taps[r].from;                                            \
            T part = 0;                                                                           \
            for (int64_t i = 0; i < n; i++)                                                       \
                part += columns[i].WEIGHT * row[columns[i].from];                                 \
            sum += rows->taps[r].WEIGHT * part;                                                   \
        }                                                                                         \
        return sum;                                                                               \
    }                                                                                             \
    static T most_of_bin_##T(const T *plane, const axis *rows, const tap *columns, int64_t n,     \
                             bool elements)                                                       \
    {                                                                                             \
        T most = -(T)INFINITY;                                                                    \
        bool bad = false;                                                                         \
        for (int64_t r = 0; r < rows->counts[0]; r += 2) {                                        \
            const T *upper = plane + rows->taps[r].from, *lower = plane + rows->taps[r + 1].from; \
            const T above = rows->taps[r].WEIGHT, below = rows->taps[r + 1].WEIGHT;               \
            for (int64_t i = 0; i < n; i += 2) {                                                  \
                const T left = columns[i].WEIGHT, right = columns[i + 1].WEIGHT;                  \
                const int64_t x = columns[i].from, y = columns[i + 1].from;                       \
                const T a = above * left * upper[x], b = above * right * upper[y],                \
                        c = below * left * lower[x], d = below * right * lower[y];                \
                const T sum = a + b + c + d, first = a > b ? a : b, second = c > d ? c : d;       \
                T value = first > second ? first : second;                                        \
                if (!elements)                                                                    \
                    value = sum;                                                                  \
                if (sum != sum) {                                                                 \
                    if (elements)                                                                 \
                        value = (T)fmax(fmax((double)a, (double)b), fmax((double)c, (double)d));  \
                    bad |= value != value;                                                        \
                }                                                                                 \
                most = value > most ? value : most;                                               \
            }                                                                                     \
        }                                                                                         \
        return bad ? (T)NAN : most < 0 && isinf(most) ? 0 : most;                                 \
    }
BIN_FUNCTIONS(float, narrow)
BIN_FUNCTIONS(double, weight)

/* A row of bins of all channels of float32, which are last. */
static void means_of_channels(const pooling *p, const axis *rows, const axis *columns,
                              const float *image, double share, float *out)
{
    const int64_t n = p->channels;
    for (int64_t bin = 0; bin < p->bins[1]; bin++, out += n) {
        const tap *taps = columns->taps + bin * columns->most;
        memset(out, 0, (size_t)n * sizeof *out);
        for (int64_t r = 0; r < rows->counts[0]; r++)
            for (int64_t i = 0; i < columns->counts[bin]; i++)
                add_weighted(out, image + (rows->taps[r].at * p->width + taps[i].at) * n,
                             (float)(rows->taps[r].weight * taps[i].weight * share), n);
    }
}

/* --- regions --- */

/* Bin |bin| of the channel that begins at element |first|. */
static double value_of_bin(const pooling *p, const axis *rows, const axis *columns, int64_t bin,
                           int64_t first, double share)
{
    const tap *taps = columns->taps + bin * columns->most;
    const int64_t n = columns->counts[bin];
    const float *narrow = (const float *)p->data + first;
    const double *wide = (const double *)p->data + first;
    if (p->max) {
        const double most = p->f64 ? most_of_bin_double(wide, rows, taps, n, p->max == 2)
                                   : (double)most_of_bin_float(narrow, rows, taps, n, p->max == 2);
        /* samples outside of the image are 0 */
        const bool outside =
            (double)rows->counts[0] < 2 * rows->samples || (double)n < 2 * columns->samples;
        return outside && most < 0 ? 0 : most;
    }
    return share * (p->f64 ? mean_of_bin_double(wide, rows, taps, n)
                           : (double)mean_of_bin_float(narrow, rows, taps, n));
}

/* A row of bins of all channels of the image that begins at element |image|; |to| is the row's
 * place in |out|. */
static void pool_row(const pooling *p, const axis *rows, const axis *columns, int64_t image,
                     float *line, void *out, int64_t to)
{
    enum { SHORT = 8, SPARSE = 4 };
    const double share = 1 / fmax(rows->samples * columns->samples, 1);
    const int64_t step = p->last ? p->channels : 1, to_step = step,
                  next = p->last ? 1 : p->height * p->width,
                  to_next = p->last ? 1 : p->bins[0] * p->bins[1];
    if (!p->max && !p->f64 && p->last) {
        means_of_channels(p, rows, columns, (const float *)p->data + image, share,
                          (float *)out + to);
        return;
    }
    const bool by_lines = !p->max && !p->f64 && columns->span >= SHORT &&
                          columns->span <= SPARSE * columns->total; /* few are not needed */
    for (int64_t c = 0; c < p->channels; c++, image += next, to += to_next) {
        if (by_lines)
            means_by_lines(p, rows, columns, (const float *)p->data + image, (float)share, line,
                           (float *)out + to);
        for (int64_t bin = 0; bin < p->bins[1] && !by_lines; bin++)
            set_element(p->f64, out, to + bin * to_step,
                        value_of_bin(p, rows, columns, bin, image, share));
    }
}

/* |x| in the type of the regions: the size of a bin, rounded up, is the number of its samples. */
static double rounded(const pooling *p, double x)
{
    return p->f64 ? x : (double)(float)x;
}

/* All bins of region |r|; axes[0] are rows. */
static void pool_region(const pooling *p, const void *regions, int64_t r, axis axes[2], float *line,
                        void *out)
{
    const double batch = element(p->f64, regions, r * 5), shift = p->aligned ? 0.5 : 0;
    const int64_t bins = p->bins[0] * p->bins[1], size = p->channels * bins;
    if (!(batch >= 0 && batch < (double)p->images)) {
        for (int64_t i = 0; i < size; i++)
            set_element(p->f64, out, r * size + i, 0);
        return;
    }
    for (int d = 0; d < 2; d++) {
        axis *a = &axes[d];
        const double begin = element(p->f64, regions, r * 5 + 2 - d),
                     end = element(p->f64, regions, r * 5 + 4 - d);
        a->begin = rounded(p, rounded(p, begin * p->scale) - shift);
        a->size = rounded(p, rounded(p, rounded(p, end * p->scale) - shift) - a->begin);
        if (!p->aligned)
            a->size = fmax(a->size, 1);
        a->size = rounded(p, a->size / (double)p->bins[d]);
    }
    find_columns(p, &axes[1]);
    for (int64_t row = 0; row < p->bins[0]; row++) {
        axes[0].counts[0] = find_taps(p, &axes[0], row, axes[0].taps);
        pool_row(p, &axes[0], &axes[1], (int64_t)batch * p->channels * p->height * p->width, line,
                 out, r * size + row * p->bins[1] * (p->last ? p->channels : 1));
    }
}

/* Room for the taps of both axes, and for |line|. */
static rlx_status make_axes(rlx_call_context *cc, const pooling *p, axis axes[2], float **line,
                            rlx_error *err)
{
    void *room;
    for (int d = 0; d < 2; d++) {
        axis *a = &axes[d];
        const int64_t bins = d ? p->bins[1] : 1;
        int64_t taps;
        a->length = d ? p->width : p->height;
        a->most = most_taps(p, a->length);
        a->pitch = (d ? 1 : p->width) * (p->last ? p->channels : 1);
        if (!rlx_mul_i64(bins, a->most, &taps))
            return rlx_fail(err, RLX_E_LIMIT, "roi_align: too many bins");
        RLX_TRY(rlxb_scratch(cc, taps, sizeof(tap), &room, err));
        a->taps = room;
        RLX_TRY(rlxb_scratch(cc, bins, sizeof(int64_t), &room, err));
        a->counts = room;
    }
    RLX_TRY(rlxb_scratch(cc, p->width, sizeof(float), &room, err));
    *line = room;
    return RLX_OK;
}

rlx_status rlxb_roi_align(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                          rlx_error *err)
{
    rlx_tensor *x, *rois, *result = NULL;
    pooling p = {0};
    axis axes[2] = {{0}, {0}};
    float *line = NULL;
    int64_t aligned, last = 0;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    p.f64 = rlx_dtype_eq(rlx_tensor_dtype(x), RLX_F64);
    RLX_TRY(rlxb_float_tensor(args, 0, 4, p.f64, &x, err));
    RLX_TRY(rlxb_float_tensor(args, 1, 2, p.f64, &rois, err));
    RLX_TRY(rlxb_int(args, 2, &p.bins[0], err));
    RLX_TRY(rlxb_int(args, 3, &p.bins[1], err));
    RLX_TRY(rlxb_number(args, 4, &p.scale, err));
    RLX_TRY(rlxb_int(args, 5, &p.ratio, err));
    RLX_TRY(rlxb_int(args, 6, &aligned, err));
    RLX_TRY(rlxb_int(args, 7, &p.max, err));
    if (n > 8)
        RLX_TRY(rlxb_int(args, 8, &last, err));
    p.last = last != 0;
    p.aligned = aligned != 0;
    const int64_t *dims = rlx_tensor_dims(x), *space = dims + (p.last ? 1 : 2);
    p.data = rlx_tensor_data(x);
    p.images = dims[0];
    p.channels = dims[p.last ? 3 : 1];
    p.height = space[0];
    p.width = space[1];
    const int64_t regions = rlx_tensor_dims(rois)[0];
    const int64_t shape[4] = {regions, p.last ? p.bins[0] : p.channels, p.bins[p.last ? 1 : 0],
                              p.last ? p.channels : p.bins[1]};
    if (rlx_tensor_dims(rois)[1] != 5 || p.bins[0] < 1 || p.bins[1] < 1)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "roi_align: expected regions (n, 5) and a positive size");
    if (p.ratio > MAX_SAMPLES)
        return rlx_fail(err, RLX_E_LIMIT, "roi_align: more than %d samples per bin", MAX_SAMPLES);
    const bool empty = regions == 0 || p.channels == 0; /* of any size */
    if (!empty)
        RLX_TRY(make_axes(cc, &p, axes, &line, err));
    RLX_TRY(rlx_call_alloc_tensor(cc, rlx_tensor_dtype(x), 4, shape, &result, err));
    for (int64_t r = 0; r < regions && !empty; r++)
        pool_region(&p, rlx_tensor_data(rois), r, axes, line, rlx_tensor_mutable_data(result));
    *out = rlx_of_tensor(result);
    return RLX_OK;
}

/* --- roi_pool --- */

/* Indices from |begin| to before |end|. */
typedef struct range {
    int64_t begin, end;
} range;

/* The largest element of part |bin| of |bins| of the rounded range from |low| to |high| of a
 * dimension of |n|: its begin and end. Parts share an element if the range does not divide
 * (Girshick, "Fast R-CNN", 2015). |up|: halves are rounded up, not away from 0. */
static void part_of(double low, double high, bool up, int64_t bin, int64_t bins, int64_t n,
                    range *out)
{
    double begin = up ? floor(low + 0.5) : round(low), end = up ? floor(high + 0.5) : round(high);
    double size = fmax(end - begin + 1, 1) / (double)bins;
    double ends[2] = {begin + floor((double)bin * size), begin + ceil(((double)bin + 1) * size)};
    for (int i = 0; i < 2; i++) /* NaN counts as the border */
        *(i ? &out->end : &out->begin) =
            ends[i] > 0 ? (ends[i] < (double)n ? (int64_t)ends[i] : n) : 0;
}

/* largest_float, largest_double: the largest of some rows and columns; NaN if one is, 0 if there
 * are none. */
#define LARGEST(T)                                                                               \
    static T largest_##T(const T *plane, int64_t width, const range *rows, const range *columns) \
    {                                                                                            \
        T most = -(T)INFINITY;                                                                   \
        bool bad = false;                                                                        \
        for (int64_t i = rows->begin; i < rows->end; i++)                                        \
            for (int64_t j = columns->begin; j < columns->end; j++) {                            \
                const T v = plane[i * width + j];                                                \
                most = v > most ? v : most;                                                      \
                bad |= v != v;                                                                   \
            }                                                                                    \
        if (rows->begin >= rows->end || columns->begin >= columns->end)                          \
            return 0;                                                                            \
        return bad ? (T)NAN : most;                                                              \
    }
LARGEST(float)
LARGEST(double)

rlx_status rlxb_roi_pool(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                         rlx_error *err)
{
    rlx_tensor *x, *rois, *result = NULL;
    int64_t bins[2], up = 0;
    double scale;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    const bool f64 = rlx_dtype_eq(rlx_tensor_dtype(x), RLX_F64);
    RLX_TRY(rlxb_float_tensor(args, 0, 4, f64, &x, err));
    RLX_TRY(rlxb_float_tensor(args, 1, 2, f64, &rois, err));
    RLX_TRY(rlxb_int(args, 2, &bins[0], err));
    RLX_TRY(rlxb_int(args, 3, &bins[1], err));
    RLX_TRY(rlxb_number(args, 4, &scale, err));
    if (n > 5)
        RLX_TRY(rlxb_int(args, 5, &up, err));
    const int64_t *dims = rlx_tensor_dims(x);
    const int64_t shape[4] = {rlx_tensor_dims(rois)[0], dims[1], bins[0], bins[1]};
    if (rlx_tensor_dims(rois)[1] != 5 || bins[0] < 1 || bins[1] < 1)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "roi_pool: expected regions (n, 5) and a positive size");
    void *room = NULL;
    const bool empty = shape[0] == 0 || shape[1] == 0; /* of any size */
    if (!empty) {
        int64_t parts;
        if (!rlx_add_i64(bins[0], bins[1], &parts))
            return rlx_fail(err, RLX_E_LIMIT, "roi_pool: too many bins");
        RLX_TRY(rlxb_scratch(cc, parts, sizeof(range), &room, err));
    }
    RLX_TRY(rlx_call_alloc_tensor(cc, rlx_tensor_dtype(x), 4, shape, &result, err));
    const void *data = rlx_tensor_data(x), *regions = rlx_tensor_data(rois);
    range *rows = room, *columns = rows + (empty ? 0 : bins[0]);
    for (int64_t r = 0; r < shape[0] && !empty; r++) {
        const double batch = element(f64, regions, r * 5);
        const bool inside = batch >= 0 && batch < (double)dims[0];
        for (int d = 0; d < 2; d++)
            for (int64_t bin = 0; bin < bins[d]; bin++)
                part_of(element(f64, regions, r * 5 + 2 - d) * scale,
                        element(f64, regions, r * 5 + 4 - d) * scale, up != 0, bin, bins[d],
                        inside ? dims[2 + d] : 0, &(d ? columns : rows)[bin]);
        const int64_t plane = dims[2] * dims[3], image = inside ? (int64_t)batch * dims[1] : 0;
        for (int64_t c = 0; c < shape[1]; c++)
            for (int64_t i = 0; i < bins[0]; i++)
                for (int64_t j = 0; j < bins[1]; j++) {
                    const int64_t from = (image + c) * plane,
                                  at = ((r * shape[1] + c) * bins[0] + i) * bins[1] + j;
                    set_element(f64, rlx_tensor_mutable_data(result), at,
                                f64 ? largest_double((const double *)data + from, dims[3], &rows[i],
                                                     &columns[j])
                                    : (double)largest_float((const float *)data + from, dims[3],
                                                            &rows[i], &columns[j]));
                }
    }
    *out = rlx_of_tensor(result);
    return RLX_OK;
}
