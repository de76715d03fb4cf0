/* The larger operators of the reference evaluation: products, windows, reductions, normalisations,
 * and those that move elements. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random/evaluate.h"

/* A sum of products and its error bound, for any order of summation. */
typedef struct accumulator {
    double sum, error, magnitude, granularity;
    int64_t n;
    bool exact, unknown;
} accumulator;

static accumulator accumulator_new(void)
{
    return (accumulator){.granularity = 1, .exact = true};
}

static void accumulate(accumulator *s, num a, num b)
{
    double product = a.v * b.v;
    s->n++;
    s->unknown = s->unknown || isinf(a.e) || isinf(b.e);
    s->sum += product;
    if (!isfinite(product)) {
        s->unknown = s->unknown || a.e > 0 || b.e > 0;
        s->exact = s->exact && a.e == 0 && b.e == 0;
        return;
    }
    s->error += fabs(a.v) * b.e + fabs(b.v) * a.e + a.e * b.e;
    s->magnitude += fabs(product);
    if (s->error > 0)
        s->exact = false;
    if (s->exact)
        s->granularity = fmin(s->granularity, num_granularity(product));
}

static num accumulated(elem t, const accumulator *s)
{
    if (s->unknown)
        return num_unknown();
    if (t >= I32)
        return num_exact(t, s->sum);
    if (!isfinite(s->sum))
        return (num){s->sum, s->exact ? 0 : INFINITY};
    if (s->exact && num_sums_exactly(t, s->magnitude, s->granularity))
        return num_exact(t, s->sum);
    return num_inexact(t, s->sum, s->error, (double)s->n + 1, s->magnitude);
}

static int64_t product(const int64_t *dims, unsigned n)
{
    int64_t p = 1;
    for (unsigned i = 0; i < n; i++)
        p *= dims[i];
    return p;
}

/* Batch of |t| that broadcasts to batch |i| of |out|. */
static int64_t batch_of(const tensor *out, unsigned out_batch, const tensor *t, unsigned t_batch,
                        int64_t i)
{
    int64_t at = 0, step = 1;
    for (unsigned d = 0; d < t_batch; d++) {
        int64_t extent = out->dims[out_batch - 1 - d], own = t->dims[t_batch - 1 - d];
        at += own == 1 ? 0 : i % extent * step;
        i /= extent;
        step *= own;
    }
    return at;
}

/* How much the product of a row and a column can change if the row is rounded to multiples of its
 * largest magnitude / 32767, as 16-bit integers with one scale. */
static double rounding_of_row(const num *row, const num *column, int64_t step, int64_t n)
{
    double most = 0, sum = 0;
    for (int64_t j = 0; j < n; j++) {
        most = fmax(most, fabs(row[j].v) + row[j].e);
        sum += fabs(column[j * step].v) + column[j * step].e;
    }
    return most / 32767 / 2 * sum;
}

void evaluate_matmul(const tensor *a, const tensor *b, bool rounds, tensor *out)
{
    unsigned a_batch = a->ndim > 2 ? a->ndim - 2 : 0, b_batch = b->ndim > 2 ? b->ndim - 2 : 0;
    unsigned batch = out->ndim - (a->ndim > 1) - (b->ndim > 1);
    int64_t k = a->dims[a->ndim - 1], rows = a->ndim > 1 ? a->dims[a->ndim - 2] : 1;
    int64_t columns = b->ndim > 1 ? b->dims[b->ndim - 1] : 1, batches = product(out->dims, batch);
    for (int64_t i = 0; i < batches; i++) {
        const num *x = a->at + batch_of(out, batch, a, a_batch, i) * rows * k;
        const num *y = b->at + batch_of(out, batch, b, b_batch, i) * k * columns;
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < columns; c++) {
                accumulator s = accumulator_new();
                for (int64_t j = 0; j < k; j++)
                    accumulate(&s, x[r * k + j], y[j * columns + c]);
                num *to = &out->at[(i * rows + r) * columns + c];
                *to = accumulated(out->elem, &s);
                if (rounds && out->n == columns)
                    to->e += rounding_of_row(x + r * k, y + c, columns, k);
            }
    }
}

void evaluate_conv2d(const value *v, const tensor *x, const tensor *w, tensor *out)
{
    int64_t stride = v->ints[0], pad = v->ints[1], dilation = v->ints[2], groups = v->ints[3];
    int64_t per_group = out->dims[1] / groups, in = w->dims[1], n = 0;
    for (int64_t b = 0; b < out->dims[0]; b++)
        for (int64_t f = 0; f < out->dims[1]; f++)
            for (int64_t oy = 0; oy < out->dims[2]; oy++)
                for (int64_t ox = 0; ox < out->dims[3]; ox++) {
                    accumulator s = accumulator_new();
                    for (int64_t c = 0; c < in; c++)
                        for (int64_t ky = 0; ky < w->dims[2]; ky++)
                            for (int64_t kx = 0; kx < w->dims[3]; kx++) {
                                int64_t y = oy * stride + ky * dilation - pad;
                                int64_t z = ox * stride + kx * dilation - pad;
                                int64_t channel = f / per_group * in + c;
                                num weight =
                                    w->at[((f * in + c) * w->dims[2] + ky) * w->dims[3] + kx];
                                if (y >= 0 && z >= 0 && y < x->dims[2] && z < x->dims[3])
                                    accumulate(&s,
                                               x->at[((b * x->dims[1] + channel) * x->dims[2] + y) *
                                                         x->dims[3] +
                                                     z],
                                               weight);
                                else /* 0 * infinity may or may not be computed */
                                    s.unknown = s.unknown || !isfinite(weight.v);
                            }
                    out->at[n++] = accumulated(out->elem, &s);
                }
}

void evaluate_pool(const value *v, const tensor *x, tensor *out)
{
    int64_t size = v->ints[0], stride = v->ints[1], pad = v->ints[2], n = 0;
    int64_t height = x->dims[2], width = x->dims[3];
    for (int64_t plane = 0; plane < out->dims[0] * out->dims[1]; plane++)
        for (int64_t oy = 0; oy < out->dims[2]; oy++)
            for (int64_t ox = 0; ox < out->dims[3]; ox++) {
                const num *at[16];
                int64_t count = 0;
                for (int64_t ky = 0; ky < size; ky++)
                    for (int64_t kx = 0; kx < size; kx++) {
                        int64_t y = oy * stride + ky - pad, z = ox * stride + kx - pad;
                        if (y >= 0 && z >= 0 && y < height && z < width)
                            at[count++] = &x->at[(plane * height + y) * width + z];
                    }
                num r = evaluate_reduce(out->elem, v->flag ? R_MAX : R_SUM, at, count);
                if (!v->flag) {
                    double d = (double)(v->sub ? size * size : count);
                    r = num_inexact(out->elem, r.v / d, r.e / d, isfinite(r.v) ? 2 : 0,
                                    fabs(r.v / d));
                }
                out->at[n++] = r;
            }
}

/* Mean and variance with error bounds. */
static void moments(elem t, const num *const *at, int64_t n, num *mean, num *variance)
{
    num sum = evaluate_reduce(t, R_SUM, at, n);
    double count = (double)n, error = 0, largest = 0;
    *mean = num_inexact(t, sum.v / count, sum.e / count, n && isfinite(sum.v) ? 2 : 0,
                        fabs(sum.v / count));
    *variance = num_unknown();
    if (n == 0) {
        *mean = *variance = (num){NAN, 0};
        return;
    }
    if (isinf(mean->e))
        return;
    accumulator s = accumulator_new();
    for (int64_t i = 0; i < n; i++) {
        num d = num_inexact(t, at[i]->v - mean->v, at[i]->e + mean->e, 1,
                            fabs(at[i]->v) + fabs(mean->v));
        accumulate(&s, d, d);
        error = fmax(error, d.e);
        largest = fmax(largest, fabs(d.v));
    }
    s.exact = s.exact && !isfinite(s.sum);
    num squares = accumulated(t, &s);
    *variance = num_inexact(t, squares.v / count, squares.e / count,
                            isfinite(squares.v) ? (double)n + 2 : 0, fabs(squares.v / count));
}

num evaluate_reduce(elem t, unsigned sub, const num *const *at, int64_t n)
{
    const num one = {1, 0};
    if (sub == R_SUM) {
        accumulator s = accumulator_new();
        for (int64_t i = 0; i < n; i++)
            accumulate(&s, *at[i], one);
        return accumulated(t, &s);
    }
    if (sub == R_MAX || sub == R_MIN) {
        /* of nothing: infinite */
        num best = t == F32 ? (num){sub == R_MAX ? -(double)INFINITY : (double)INFINITY, 0}
                            : num_unknown();
        for (int64_t i = 0; i < n; i++)
            best = i ? num_binary(t, sub == R_MAX ? B_MAX : B_MIN, best, *at[i]) : *at[i];
        return best;
    }
    if (sub == R_PROD) {
        num p = num_exact(t, 1);
        double magnitude = 1;
        bool odd = false;
        for (int64_t i = 0; i < n; i++) {
            magnitude *= fmax(1, fabs(at[i]->v) + at[i]->e);
            odd = odd || !isfinite(at[i]->v) || isinf(at[i]->e);
            p = num_binary(t, B_MUL, p, *at[i]);
        }
        if (t >= I32)
            return p;
        if (magnitude > (t == F16 ? 6e4 : 1e37) || odd)
            return num_unknown();
        return p.e == 0 && n < 2 ? p : num_inexact(t, p.v, p.e, (double)n, fabs(p.v));
    }
    num mean, variance;
    moments(t, at, n, &mean, &variance);
    if (sub == R_MEAN)
        return mean;
    if (sub == R_VARIANCE || isinf(variance.e) || !isfinite(variance.v))
        return variance;
    double root = sqrt(variance.v), e = sqrt(variance.v + variance.e) - root;
    e = fmax(e, root - sqrt(fmax(0, variance.v - variance.e)));
    return num_inexact(t, root, e, 2, root);
}

/* So far below |best|, perhaps infinitely, that exp gives 0. */
static bool is_masked(num a, double best)
{
    return a.v + a.e < best - 200;
}

void evaluate_softmax(elem t, bool log_form, const num *from, num *to, int64_t n, int64_t step)
{
    double best = -INFINITY, sum = 0, error = 0, magnitude = 0;
    bool odd = false;
    for (int64_t i = 0; i < n; i++) {
        best = fmax(best, from[i * step].v);
        odd = odd || isnan(from[i * step].v) || isinf(from[i * step].e);
    }
    odd = odd || !isfinite(best);
    for (int64_t i = 0; i < n && !odd; i++) {
        sum += exp(from[i * step].v - best);
        if (!log_form && is_masked(from[i * step], best))
            continue;
        error = fmax(error, from[i * step].e);
        magnitude = fmax(magnitude, fabs(from[i * step].v));
        odd = !isfinite(magnitude);
    }
    double unit = num_unit(t);
    double relative = 2 * error + unit * (magnitude * 2 + (double)n + 8);
    for (int64_t i = 0; i < n; i++) {
        double v = exp(from[i * step].v - best) / sum;
        if (odd || relative > 1)
            to[i * step] = num_unknown();
        else if (!log_form && is_masked(from[i * step], best))
            to[i * step] = num_inexact(t, 0, 0, 1, 0);
        else if (log_form)
            to[i * step] = num_inexact(t, from[i * step].v - best - log(sum), relative * 1.2, 4,
                                       magnitude + best - from[i * step].v);
        else
            to[i * step] = num_inexact(t, v, v * expm1(relative), 4, v);
    }
}

void evaluate_norm(elem t, bool layer, const num *from, num *to, int64_t n, const num *gamma,
                   const num *beta)
{
    const num **at = malloc((size_t)(n + 1) * sizeof *at);
    num mean = {0, 0}, variance;
    accumulator s = accumulator_new();
    for (int64_t i = 0; at && i < n; i++) {
        at[i] = &from[i];
        accumulate(&s, from[i], from[i]);
    }
    if (layer && at)
        moments(t, at, n, &mean, &variance);
    else {
        num squares = accumulated(t, &s);
        double count = (double)n;
        variance = num_inexact(t, squares.v / count, squares.e / count, isfinite(squares.v) ? 2 : 0,
                               fabs(squares.v / count));
    }
    free(at);
    double base = variance.v + 1e-5, factor = 1 / sqrt(base);
    bool known = isfinite(variance.v) && isfinite(mean.v) && !isinf(variance.e) && !isinf(mean.e) &&
                 variance.e < 0.25 * base;
    num scale =
        known ? num_inexact(t, factor, factor * variance.e / base, 6, factor) : num_unknown();
    for (int64_t i = 0; i < n; i++) {
        num d = from[i];
        if (layer)
            d = num_inexact(t, d.v - mean.v, d.e + mean.e, 1, fabs(d.v) + fabs(mean.v));
        num r = num_binary(t, B_MUL, num_binary(t, B_MUL, d, scale), gamma[i]);
        to[i] = layer ? num_binary(t, B_ADD, r, beta[i]) : r;
        if (!isinf(to[i].e))
            to[i] = num_inexact(t, to[i].v, to[i].e, 2, fabs(r.v) + fabs(to[i].v));
    }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void evaluate_sort(const num *from, num *to, int64_t n, int64_t step, bool descending)
{
    double error = 0, *values = malloc((size_t)(n + 1) * sizeof *values);
    bool odd = false;
    for (int64_t i = 0; i < n; i++) {
        values[i] = from[i * step].v;
        error = fmax(error, from[i * step].e);
        odd = odd || isnan(values[i]);
    }
    if (!odd)
        qsort(values, (size_t)n, sizeof *values, by_value);
    for (int64_t i = 0; i < n; i++)
        to[i * step] = (num){values[descending ? n - 1 - i : i], odd ? INFINITY : error};
    free(values);
}

num evaluate_quantize(elem from, elem to, bool back, num x, num scale, num zero)
{
    if (isinf(x.e) || isinf(scale.e) || isinf(zero.e) || isnan(x.v) || scale.v == 0)
        return num_unknown();
    if (back)
        return num_binary(to, B_MUL, (num){x.v - zero.v, 0}, scale);
    double low = to == I8 ? -128 : 0, high = to == I8 ? 127 : 255, at[3];
    num q = num_binary(from, B_DIV, x, scale);
    if (isinf(q.e) || !isfinite(q.v))
        return num_unknown();
    /* a quotient of powers of two is exact */
    double error = x.e == 0 && num_granularity(x.v / scale.v) > 0 ? 0 : q.e;
    for (int k = 0; k < 3; k++)
        at[k] = fmin(fmax(nearbyint(q.v + (k - 1) * error) + zero.v, low), high);
    return at[0] == at[1] && at[1] == at[2] ? num_exact(to, at[1]) : num_unknown();
}

void evaluate_tir(const value *v, const tensor *const *x, tensor *out)
{
    int64_t rows = x[0]->dims[0], columns = x[0]->dims[1];
    const num two = {2, 0}, one = {1, 0};
    const num **list = malloc((size_t)(columns + 1) * sizeof *list);
    for (int64_t i = 0; list && i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            const num *a = &x[0]->at[i * columns + j];
            list[j] = a;
            if (v->sub == TIR_SCALE)
                out->at[i * columns + j] =
                    num_binary(F32, B_ADD, num_binary(F32, B_MUL, *a, two), one);
            else if (v->sub == TIR_TRANSPOSE)
                out->at[j * rows + i] = *a;
            else if (v->sub == TIR_MIRROR)
                out->at[i * columns + columns - 1 - j] = num_binary(F32, B_MUL, *a, *a);
            else if (v->sub == TIR_MAXIMUM)
                out->at[i * columns + j] = num_binary(F32, B_MAX, *a, x[1]->at[j]);
        }
        if (v->sub == TIR_ROW_SUM)
            out->at[i] = evaluate_reduce(F32, R_SUM, list, columns);
    }
    free(list);
}

/* --- positions ------------------------------------------------------------------------------- */

void unravel(const tensor *t, int64_t i, int64_t *at)
{
    for (unsigned d = t->ndim; d-- > 0;) {
        at[d] = i % t->dims[d];
        i /= t->dims[d];
    }
}

int64_t ravel(const tensor *t, const int64_t *at)
{
    int64_t i = 0;
    for (unsigned d = 0; d < t->ndim; d++)
        i = i * t->dims[d] + at[d];
    return i;
}

void split_axis(const tensor *t, int64_t axis, int64_t *before, int64_t *extent, int64_t *after)
{
    *before = *after = 1;
    *extent = t->dims[axis];
    for (unsigned d = 0; d < t->ndim; d++)
        *(d < axis ? before : after) *= d == axis ? 1 : t->dims[d];
}

/* --- operators ------------------------------------------------------------------------------- */

tensor evaluate_concat(evaluation *e, const value *v, const tensor *const *x)
{
    int64_t dims[8], before, extent, after, offset = 0;
    unsigned axis = (unsigned)v->ints[0];
    memcpy(dims, x[0]->dims, sizeof dims);
    for (unsigned k = 1; k < v->n_args; k++)
        dims[axis] += x[k]->dims[axis];
    tensor r = tensor_new(e, x[0]->elem, x[0]->ndim, dims);
    for (unsigned k = 0; k < v->n_args && r.n > 0; k++) {
        split_axis(x[k], axis, &before, &extent, &after);
        for (int64_t b = 0; b < before; b++)
            memcpy(&r.at[(b * dims[axis] + offset) * after], &x[k]->at[b * extent * after],
                   (size_t)(extent * after) * sizeof(num));
        offset += extent;
    }
    return r;
}

tensor evaluate_stack(evaluation *e, const value *v, const tensor *const *x)
{
    int64_t dims[8], at[8], own[8];
    unsigned axis = (unsigned)v->ints[0];
    for (unsigned d = 0; d <= x[0]->ndim; d++)
        dims[d] = d == axis ? v->n_args : x[0]->dims[d - (d > axis)];
    tensor r = tensor_new(e, x[0]->elem, x[0]->ndim + 1, dims);
    for (int64_t i = 0; i < r.n; i++) {
        unravel(&r, i, at);
        for (unsigned d = 0; d < x[0]->ndim; d++)
            own[d] = at[d + (d >= axis)];
        r.at[i] = x[at[axis]]->at[ravel(x[0], own)];
    }
    return r;
}

/* |count| elements along the axis, starting at |begin|, |stride| apart. */
static tensor slice(evaluation *e, const tensor *x, unsigned axis, int64_t begin, int64_t count,
                    int64_t stride)
{
    int64_t dims[8], at[8];
    memcpy(dims, x->dims, sizeof dims);
    dims[axis] = count;
    tensor r = tensor_new(e, x->elem, x->ndim, dims);
    for (int64_t i = 0; i < r.n; i++) {
        unravel(&r, i, at);
        at[axis] = begin + at[axis] * stride;
        r.at[i] = x->at[ravel(x, at)];
    }
    return r;
}

/* Begin, end and stride follow Python's slice rules. */
tensor evaluate_slice(evaluation *e, const value *v, const tensor *x)
{
    int64_t extent = x->dims[v->ints[0]], begin = v->ints[1], end = v->ints[2], stride = v->ints[3];
    int64_t low = stride < 0 ? -1 : 0, high = stride < 0 ? extent - 1 : extent;
    begin += begin < 0 ? extent : 0;
    end += end < 0 ? extent : 0;
    begin = begin < low ? low : begin > high ? high : begin;
    end = end < low ? low : end > high ? high : end;
    int64_t span = stride < 0 ? begin - end : end - begin, step = stride < 0 ? -stride : stride;
    return slice(e, x, (unsigned)v->ints[0], begin, span > 0 ? (span + step - 1) / step : 0,
                 stride);
}

void evaluate_split(evaluation *e, const value *v, const tensor *x, tensor *out)
{
    int64_t extent = x->dims[v->ints[0]], from = 0;
    for (unsigned k = 0; k < v->n_types; k++) {
        int64_t to = v->flag               ? extent / v->n_types * (k + 1)
                     : k + 1 == v->n_types ? extent
                                           : v->ints[1 + k];
        out[k] = slice(e, x, (unsigned)v->ints[0], from, to - from, 1);
        from = to;
    }
}

tensor evaluate_take(evaluation *e, const value *v, const tensor *x, const tensor *indices)
{
    int64_t dims[8] = {0}, before, extent, after, axis = v->ints[0];
    unsigned n = 0;
    split_axis(x, axis, &before, &extent, &after);
    for (unsigned d = 0; d < x->ndim; d++)
        if (d != axis)
            dims[n++] = x->dims[d];
        else
            for (unsigned k = 0; k < indices->ndim; k++)
                dims[n++] = indices->dims[k];
    tensor r = tensor_new(e, x->elem, n, dims);
    for (int64_t b = 0; b < before && r.n > 0; b++)
        for (int64_t i = 0; i < indices->n; i++)
            for (int64_t a = 0; a < after; a++) {
                num at = indices->at[i];
                r.at[(b * indices->n + i) * after + a] =
                    isinf(at.e) ? num_unknown() : x->at[(b * extent + (int64_t)at.v) * after + a];
            }
    return r;
}

tensor evaluate_rearrange(evaluation *e, const value *v, const tensor *x)
{
    int64_t dims[8], at[8], from[8];
    unsigned axis = (unsigned)v->ints[0];
    for (unsigned d = 0; d < x->ndim; d++)
        dims[d] = v->op == OP_PERMUTE  ? x->dims[v->ints[d]]
                  : v->op == OP_TILE   ? x->dims[d] * v->ints[d]
                  : v->op == OP_PAD    ? x->dims[d] + v->ints[2 * d] + v->ints[2 * d + 1]
                  : v->op == OP_REPEAT ? x->dims[d] * (d == axis ? v->ints[1] : 1)
                                       : x->dims[d];
    tensor r = tensor_new(e, x->elem, x->ndim, dims);
    for (int64_t i = 0; i < r.n; i++) {
        bool inside = true;
        unravel(&r, i, at);
        for (unsigned d = 0; d < x->ndim; d++) {
            if (v->op == OP_PERMUTE)
                from[v->ints[d]] = at[d];
            else
                from[d] = v->op == OP_TILE                  ? at[d] % x->dims[d]
                          : v->op == OP_PAD                 ? at[d] - v->ints[2 * d]
                          : v->op == OP_REPEAT && d == axis ? at[d] / v->ints[1]
                                                            : at[d];
            if (v->op == OP_PAD)
                inside = inside && from[d] >= 0 && from[d] < x->dims[d];
        }
        if (v->op == OP_TRI) {
            int64_t diagonal = at[x->ndim - 1] - at[x->ndim - 2];
            inside = v->flag ? diagonal >= v->ints[0] : diagonal <= v->ints[0];
        }
        r.at[i] = inside ? x->at[ravel(x, from)] : num_exact(x->elem, v->op == OP_PAD ? v->f : 0);
    }
    return r;
}
