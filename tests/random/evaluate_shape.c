/* The operators of the reference evaluation that move elements. */
#include <math.h>
#include <string.h>

#include "tests/random/evaluate.h"

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
