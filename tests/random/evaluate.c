/* Evaluates a random program statement by statement, checking the dimensions that the generator
 * claims, so that its mistakes are not blamed on the compiler. */
#include "tests/random/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct cell {
    tensor t[MAX_FIELDS];
} cell;

typedef struct frame {
    evaluation *e;
    const function *f;
    cell *cells;
    int64_t atoms[MAX_ATOMS];
    bool bound[MAX_ATOMS];
} frame;

/* False if the work exceeds the limit. */
static bool add_work(evaluation *e, int64_t n)
{
    e->work += n;
    if (e->work > e->limit && !e->failed[0])
        snprintf(e->failed, sizeof e->failed, "too large");
    return e->work <= e->limit;
}

tensor tensor_new(evaluation *e, elem t, unsigned ndim, const int64_t *dims)
{
    tensor r = {.elem = t, .ndim = ndim, .n = 1};
    for (unsigned i = 0; i < ndim; i++) {
        r.dims[i] = dims[i];
        r.n *= dims[i];
    }
    if (r.n < 0 || !add_work(e, r.n))
        r.n = 0;
    r.at = calloc((size_t)r.n + 1, sizeof *r.at);
    return r;
}

static void fail(frame *fr, int id, const char *what)
{
    if (!fr->e->failed[0])
        snprintf(fr->e->failed, sizeof fr->e->failed, "%s, value %d: %s", fr->f->name, id, what);
}

/* Checks |t| against its claimed type; binds atoms that are a whole dimension. */
static void check_type(frame *fr, int id, const type *claimed, const tensor *t)
{
    if (claimed->ndim != t->ndim || claimed->elem != t->elem) {
        fail(fr, id, "another rank or type than claimed");
        return;
    }
    for (unsigned i = 0; i < t->ndim; i++) {
        const dim *d = &claimed->d[i];
        bool known = true;
        for (unsigned j = 0; j < d->n; j++)
            for (unsigned k = 0; k < MAX_FACTORS && d->t[j].atoms[k]; k++) {
                unsigned a = d->t[j].atoms[k] - 1u;
                if (!fr->bound[a] && d->n == 1 && d->t[0].c == 1 && !d->t[0].atoms[1]) {
                    fr->bound[a] = true;
                    fr->atoms[a] = t->dims[i];
                }
                known = known && fr->bound[a];
            }
        if (known && dim_evaluate(d, fr->atoms) != t->dims[i])
            fail(fr, id, "another extent than claimed");
    }
}

/* Evaluates the dimensions of a type or a printed shape; their atoms are bound. */
static void dims_of(frame *fr, const dim *d, unsigned n, int64_t *out)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = dim_evaluate(&d[i], fr->atoms);
}

/* --- operators ------------------------------------------------------------------------------- */

/* The element of |t| at position |at| of a result of |ndim| dimensions, broadcast. */
static num broadcast_get(const tensor *t, const int64_t *at, unsigned ndim)
{
    int64_t own[8];
    for (unsigned d = 0; d < t->ndim; d++)
        own[d] = t->dims[d] == 1 ? 0 : at[ndim - t->ndim + d];
    return t->at[ravel(t, own)];
}

static void broadcast_dims(const tensor *const *t, unsigned n, unsigned *ndim, int64_t *out)
{
    *ndim = 0;
    for (unsigned i = 0; i < n; i++)
        *ndim = t[i]->ndim > *ndim ? t[i]->ndim : *ndim;
    for (unsigned d = 0; d < *ndim; d++) {
        out[d] = 1;
        for (unsigned i = 0; i < n; i++)
            if (d + t[i]->ndim >= *ndim && t[i]->dims[d + t[i]->ndim - *ndim] != 1)
                out[d] = t[i]->dims[d + t[i]->ndim - *ndim];
    }
}

static tensor elementwise(frame *fr, const value *v, const tensor *const *x)
{
    int64_t dims[8], at[8];
    unsigned ndim;
    broadcast_dims(x, v->n_args, &ndim, dims);
    tensor r = tensor_new(fr->e, v->types[0].elem, ndim, dims);
    for (int64_t i = 0; i < r.n; i++) {
        num a[3];
        unravel(&r, i, at);
        for (unsigned k = 0; k < v->n_args; k++)
            a[k] = broadcast_get(x[k], at, ndim);
        num *out = &r.at[i];
        if (v->op == OP_UNARY)
            *out = num_unary(r.elem, &unary_rows[v->sub], a[0]);
        else if (v->op == OP_BINARY)
            *out = num_binary(x[0]->elem, v->sub, a[0], a[1]);
        else if (v->op == OP_POWER)
            *out = num_power(r.elem, a[0], v->f);
        else if (v->op == OP_ASTYPE)
            *out = num_convert(x[0]->elem, r.elem, a[0]);
        else if (v->op == OP_WHERE)
            *out = isinf(a[0].e) ? num_unknown() : a[a[0].v != 0 ? 1 : 2];
        else if (v->op == OP_CLIP)
            *out = num_binary(r.elem, B_MAX,
                              num_binary(r.elem, B_MIN, a[0], (num){(double)v->ints[0], 0}),
                              (num){-(double)v->ints[0], 0});
        else
            *out = a[0]; /* broadcast_to: only the shape changes */
    }
    return r;
}

static tensor broadcast_to(frame *fr, const value *v, const tensor *x)
{
    int64_t dims[8], at[8];
    dims_of(fr, v->shape, v->n_shape, dims);
    tensor r = tensor_new(fr->e, x->elem, v->n_shape, dims);
    for (int64_t i = 0; i < r.n; i++) {
        unravel(&r, i, at);
        r.at[i] = broadcast_get(x, at, r.ndim);
    }
    return r;
}

static num arg_reduce(bool least, const num *const *at, int64_t n)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++)
        if (least ? at[i]->v < at[best]->v : at[i]->v > at[best]->v)
            best = i;
    for (int64_t i = 0; i < n; i++) {
        double gap = fabs(at[i]->v - at[best]->v), e = at[i]->e + at[best]->e;
        if (isnan(at[i]->v) || isinf(e) || (i != best && e > 0 && !(gap > e)))
            return num_unknown();
    }
    return n ? (num){(double)best, 0} : num_unknown();
}

static tensor reduce(frame *fr, const value *v, const tensor *x)
{
    bool gone[8] = {false};
    int64_t dims[8], at[8], over[8];
    unsigned n = 0, n_over = 0;
    for (unsigned i = 0; i < v->n_ints; i++)
        gone[v->ints[i] < 0 ? v->ints[i] + x->ndim : v->ints[i]] = true;
    if (v->n_ints == 0)
        memset(gone, 1, sizeof gone);
    int64_t count = 1;
    for (unsigned d = 0; d < x->ndim; d++) {
        if (!gone[d] || v->flag)
            dims[n++] = gone[d] ? 1 : x->dims[d];
        if (gone[d]) {
            over[n_over++] = x->dims[d];
            count *= x->dims[d];
        }
    }
    tensor r = tensor_new(fr->e, v->types[0].elem, n, dims);
    const num **list = malloc((size_t)(count + 1) * sizeof *list);
    for (int64_t i = 0; i < r.n && list; i++) {
        unravel(&r, i, at);
        for (int64_t j = 0; j < count; j++) {
            int64_t full[8], inner[8], rest = j;
            for (unsigned d = n_over; d-- > 0; rest /= over[d])
                inner[d] = rest % over[d];
            for (unsigned d = 0, a = 0, b = 0; d < x->ndim; d++) {
                full[d] = gone[d] ? inner[b++] : at[a];
                a += !gone[d] || v->flag;
            }
            list[j] = &x->at[ravel(x, full)];
        }
        r.at[i] = v->op == OP_REDUCE ? evaluate_reduce(r.elem, v->sub, list, count)
                                     : arg_reduce(v->sub, list, count);
    }
    free(list);
    return r;
}

/* Operators along one axis that keep the shape. */
static tensor along_axis(frame *fr, const value *v, const tensor *x)
{
    tensor r = tensor_new(fr->e, x->elem, x->ndim, x->dims);
    int64_t before, extent, after, axis = v->ints[0] < 0 ? v->ints[0] + x->ndim : v->ints[0];
    split_axis(x, axis, &before, &extent, &after);
    /* a scan reduces each beginning of the axis anew */
    if (v->op == OP_SCAN && !add_work(fr->e, r.n * extent))
        return r;
    for (int64_t b = 0; b < before && r.n > 0; b++)
        for (int64_t a = 0; a < after; a++) {
            const num *from = x->at + b * extent * after + a;
            num *to = r.at + b * extent * after + a;
            if (v->op == OP_SOFTMAX) {
                evaluate_softmax(x->elem, v->flag, from, to, extent, after);
            } else if (v->op == OP_SORT) {
                evaluate_sort(from, to, extent, after, v->flag);
            } else if (v->op == OP_FLIP) {
                for (int64_t i = 0; i < extent; i++)
                    to[i * after] = from[(extent - 1 - i) * after];
            } else {
                const num **list = malloc((size_t)(extent + 1) * sizeof *list);
                for (int64_t i = 0; i < extent && list; i++) {
                    list[i] = &from[i * after];
                    to[i * after] = evaluate_reduce(x->elem, v->sub ? R_PROD : R_SUM, list,
                                                    v->flag ? i : i + 1);
                }
                free(list);
            }
        }
    return r;
}

static tensor reshaped(frame *fr, int id, const value *v, const tensor *x)
{
    tensor r = *x;
    int64_t n = 1;
    if (v->op == OP_RESHAPE) {
        r.ndim = v->n_shape;
        dims_of(fr, v->shape, v->n_shape, r.dims);
    } else if (v->op == OP_FLATTEN) {
        r.ndim = 1;
        r.dims[0] = x->n;
    } else if (v->op == OP_EXPAND) {
        memmove(&r.dims[v->ints[0] + 1], &r.dims[v->ints[0]],
                (x->ndim - (size_t)v->ints[0]) * sizeof *r.dims);
        r.dims[v->ints[0]] = 1;
        r.ndim++;
    } else {
        r.ndim--;
        memmove(&r.dims[v->ints[0]], &r.dims[v->ints[0] + 1],
                (r.ndim - (size_t)v->ints[0]) * sizeof *r.dims);
    }
    for (unsigned d = 0; d < r.ndim; d++)
        n *= r.dims[d];
    if (n != x->n)
        fail(fr, id, "a reshape of another size");
    return r;
}

static tensor normalised(frame *fr, const value *v, const tensor *const *x)
{
    tensor r = tensor_new(fr->e, x[0]->elem, x[0]->ndim, x[0]->dims);
    int64_t n = x[0]->dims[x[0]->ndim - 1];
    for (int64_t i = 0; n > 0 && i < r.n / n; i++)
        evaluate_norm(r.elem, v->op == OP_LAYER_NORM, &x[0]->at[i * n], &r.at[i * n], n, x[1]->at,
                      v->op == OP_LAYER_NORM ? x[2]->at : NULL);
    return r;
}

static tensor window(frame *fr, const value *v, const tensor *const *x)
{
    int64_t size = v->op == OP_POOL ? v->ints[0] : v->ints[2] * (x[1]->dims[2] - 1) + 1;
    int64_t stride = v->op == OP_POOL ? v->ints[1] : v->ints[0];
    int64_t pad = v->op == OP_POOL ? v->ints[2] : v->ints[1];
    int64_t dims[4] = {x[0]->dims[0], v->op == OP_POOL ? x[0]->dims[1] : x[1]->dims[0]};
    for (unsigned d = 2; d < 4; d++) {
        int64_t span = x[0]->dims[d] + 2 * pad - size;
        dims[d] = span < 0 ? 0 : span / stride + 1;
    }
    tensor r = tensor_new(fr->e, x[0]->elem, 4, dims);
    if (v->op == OP_POOL && r.n > 0)
        evaluate_pool(v, x[0], &r);
    if (v->op == OP_CONV2D && r.n > 0 && add_work(fr->e, r.n * x[1]->n / x[1]->dims[0]))
        evaluate_conv2d(v, x[0], x[1], &r);
    return r;
}

/* True if value |i| is computed from 8-bit integers within |steps| operators: as a product's weight
 * it may stay in 8 bits, and a single row that it multiplies may be rounded to 16 bits
 * (--row-bits).
 */
static bool is_from_bytes(const function *f, int i, int steps)
{
    const value *v = &f->values[i];
    bool found = v->n_types == 1 && (v->types[0].elem == I8 || v->types[0].elem == U8);
    for (unsigned k = 0; k < v->n_args && steps > 0 && !found; k++)
        found = is_from_bytes(f, v->args[k], steps - 1);
    return found;
}

static tensor matmul(frame *fr, const value *v, const tensor *a, const tensor *b)
{
    enum { STEPS = 6 };
    tensor x = *a, y = *b;
    const tensor *both[2] = {&x, &y};
    int64_t dims[8];
    unsigned ndim;
    x.ndim -= x.ndim > 1 ? 2 : 1;
    y.ndim -= y.ndim > 1 ? 2 : 1;
    broadcast_dims(both, 2, &ndim, dims);
    if (a->ndim > 1)
        dims[ndim++] = a->dims[a->ndim - 2];
    if (b->ndim > 1)
        dims[ndim++] = b->dims[b->ndim - 1];
    tensor r = tensor_new(fr->e, a->elem, ndim, dims);
    if (add_work(fr->e, r.n * a->dims[a->ndim - 1]) && r.n > 0)
        evaluate_matmul(a, b, is_from_bytes(fr->f, v->args[1], STEPS), &r);
    return r;
}

static tensor created(frame *fr, const value *v)
{
    int64_t dims[8];
    dims_of(fr, v->shape, v->n_shape, dims);
    tensor r = tensor_new(fr->e, v->types[0].elem, v->n_shape, dims);
    for (int64_t i = 0; i < r.n; i++)
        r.at[i] = num_exact(r.elem, v->op == OP_FULL ? v->f : (double)i);
    return r;
}

static tensor quantized(frame *fr, const value *v, const tensor *const *x)
{
    tensor r = tensor_new(fr->e, v->types[0].elem, x[0]->ndim, x[0]->dims);
    for (int64_t i = 0; i < r.n; i++) {
        int64_t at[8];
        unravel(&r, i, at);
        num scale = x[1]->at[x[1]->ndim ? at[v->ints[0]] : 0];
        num zero = x[2]->at[x[2]->ndim ? at[v->ints[0]] : 0];
        r.at[i] =
            evaluate_quantize(x[0]->elem, r.elem, v->op == OP_DEQUANTIZE, x[0]->at[i], scale, zero);
    }
    return r;
}

/* Operators whose result size depends on the data, which are known integers. */
static tensor dependent(frame *fr, const value *v, const tensor *x)
{
    int64_t n = 0, dims[2] = {x->ndim, 0};
    num *sorted = malloc((size_t)(x->n + 1) * sizeof *sorted);
    evaluate_sort(x->at, sorted, x->n, 1, false);
    if (v->op == OP_UNIQUE) {
        for (int64_t i = 0; i < x->n; i++)
            if (i == 0 || sorted[i].v != sorted[i - 1].v)
                sorted[n++] = sorted[i];
        tensor r = tensor_new(fr->e, x->elem, 1, &n);
        memcpy(r.at, sorted, (size_t)(r.n < n ? r.n : n) * sizeof *sorted);
        free(sorted);
        return r;
    }
    free(sorted);
    for (int64_t i = 0; i < x->n; i++)
        dims[1] += x->at[i].v != 0;
    tensor r = tensor_new(fr->e, I64, 2, dims);
    for (int64_t i = 0; r.n > 0 && i < x->n; i++) {
        int64_t at[8];
        unravel(x, i, at);
        for (unsigned d = 0; d < x->ndim && x->at[i].v != 0; d++)
            r.at[d * dims[1] + n] = (num){(double)at[d], 0};
        n += x->at[i].v != 0;
    }
    return r;
}

static tensor prim_func(frame *fr, const value *v, const tensor *const *x)
{
    int64_t dims[MAX_DIMS];
    dims_of(fr, v->types[0].d, v->types[0].ndim, dims);
    tensor r = tensor_new(fr->e, F32, v->types[0].ndim, dims);
    if (r.n > 0 && v->sub == TIR_NEST)
        nest_evaluate(fr->e, (uint64_t)v->ints[0], x, &r);
    else if (r.n > 0)
        evaluate_tir(v, x, &r);
    return r;
}

/* --- statements ------------------------------------------------------------------------------ */

static bool run(evaluation *e, const function *f, const tensor *params, const int64_t *symbols,
                unsigned n_symbols, tensor *results);

static void compute(frame *fr, int id, const value *v, cell *out)
{
    const tensor *x[MAX_PARAMS] = {NULL};
    for (unsigned i = 0; i < v->n_args; i++)
        x[i] = &fr->cells[v->args[i]].t[0];
    switch (v->op) {
    case OP_PARAM:
    case OP_CONST:
        return;
    case OP_ALIAS:
    case OP_PHI:
        *out = fr->cells[v->args[0]];
        return;
    case OP_MATCH_CAST:
        out->t[0] = *x[0];
        return;
    case OP_TUPLE:
        for (unsigned i = 0; i < v->n_args; i++)
            out->t[i] = *x[i];
        return;
    case OP_GET:
        out->t[0] = fr->cells[v->args[0]].t[v->ints[0]];
        return;
    case OP_CALL: {
        tensor args[MAX_PARAMS];
        for (unsigned i = 0; i < v->n_args; i++)
            args[i] = *x[i];
        run(fr->e, &fr->e->p->functions[v->sub], args, NULL, 0, out->t);
        return;
    }
    case OP_UNARY:
    case OP_BINARY:
    case OP_POWER:
    case OP_CLIP:
    case OP_WHERE:
    case OP_ASTYPE:
        out->t[0] = elementwise(fr, v, x);
        return;
    case OP_REDUCE:
    case OP_ARG_REDUCE:
        out->t[0] = reduce(fr, v, x[0]);
        return;
    case OP_SCAN:
    case OP_FLIP:
    case OP_SOFTMAX:
    case OP_SORT:
        out->t[0] = along_axis(fr, v, x[0]);
        return;
    case OP_MATMUL:
        out->t[0] = matmul(fr, v, x[0], x[1]);
        return;
    case OP_RESHAPE:
    case OP_FLATTEN:
    case OP_EXPAND:
    case OP_SQUEEZE:
        out->t[0] = reshaped(fr, id, v, x[0]);
        return;
    case OP_PERMUTE:
    case OP_TILE:
    case OP_REPEAT:
    case OP_PAD:
    case OP_TRI:
        out->t[0] = evaluate_rearrange(fr->e, v, x[0]);
        return;
    case OP_CONCAT:
        out->t[0] = evaluate_concat(fr->e, v, x);
        return;
    case OP_STACK:
        out->t[0] = evaluate_stack(fr->e, v, x);
        return;
    case OP_SPLIT:
        evaluate_split(fr->e, v, x[0], out->t);
        return;
    case OP_SLICE:
        out->t[0] = evaluate_slice(fr->e, v, x[0]);
        return;
    case OP_TAKE:
        out->t[0] = evaluate_take(fr->e, v, x[0], x[1]);
        return;
    case OP_BROADCAST:
        out->t[0] = broadcast_to(fr, v, x[0]);
        return;
    case OP_FULL:
    case OP_ARANGE:
        out->t[0] = created(fr, v);
        return;
    case OP_LAYER_NORM:
    case OP_RMS_NORM:
        out->t[0] = normalised(fr, v, x);
        return;
    case OP_CONV2D:
    case OP_POOL:
        out->t[0] = window(fr, v, x);
        return;
    case OP_QUANTIZE:
    case OP_DEQUANTIZE:
        out->t[0] = quantized(fr, v, x);
        return;
    case OP_UNIQUE:
    case OP_NONZERO:
        out->t[0] = dependent(fr, v, x[0]);
        return;
    case OP_TIR:
        out->t[0] = prim_func(fr, v, x);
        return;
    }
}

static void step(frame *fr, int id)
{
    const value *v = &fr->f->values[id];
    cell *out = &fr->cells[id];
    for (unsigned i = 0; i < v->n_args; i++)
        if (!fr->cells[v->args[i]].t[0].at) {
            fail(fr, id, "an argument without a value");
            return;
        }
    if (v->op == OP_CONST) {
        out->t[0] = tensor_new(fr->e, v->types[0].elem, 0, NULL);
        out->t[0].at[0] = num_exact(v->types[0].elem, v->f);
    }
    compute(fr, id, v, out);
    for (unsigned i = 0; !fr->e->failed[0] && i < v->n_types; i++)
        check_type(fr, id, &v->types[i], &out->t[i]);
}

static void run_statements(frame *fr)
{
    const function *f = fr->f;
    bool skip = false, taken[16] = {false}, outer[16] = {false};
    unsigned depth = 0;
    for (unsigned i = 0; i < f->n_stmts && !fr->e->failed[0]; i++) {
        const stmt *s = &f->stmts[i];
        if (s->kind == ST_IF) {
            outer[++depth] = skip;
            num c = skip ? (num){0, 0} : fr->cells[s->value].t[0].at[0];
            taken[depth] = c.v != 0;
            if (isinf(c.e))
                fail(fr, s->value, "an unknown condition");
            skip = skip || !taken[depth];
        } else if (s->kind == ST_ELSE) {
            skip = outer[depth] || taken[depth];
        } else if (s->kind == ST_END_IF) {
            skip = outer[depth];
            if (!skip)
                fr->cells[s->value] = fr->cells[f->values[s->value].args[taken[depth] ? 0 : 1]];
            depth--;
        } else if (s->kind == ST_BIND && !skip) {
            step(fr, s->value);
        }
    }
}

static bool run(evaluation *e, const function *f, const tensor *params, const int64_t *symbols,
                unsigned n_symbols, tensor *results)
{
    frame fr = {.e = e, .f = f, .cells = calloc(MAX_VALUES, sizeof(cell))};
    for (unsigned i = 0; i < n_symbols; i++) {
        fr.atoms[i] = symbols[i];
        fr.bound[i] = true;
    }
    for (unsigned i = 0; i < f->n_params; i++) {
        fr.cells[f->params[i]].t[0] = params[i];
        check_type(&fr, f->params[i], &f->values[f->params[i]].types[0], &params[i]);
    }
    for (unsigned i = 0; i < f->n_values && !e->failed[0]; i++)
        if (f->values[i].op == OP_CONST)
            step(&fr, (int)i);
    run_statements(&fr);
    for (unsigned i = 0; i < f->n_results && !e->failed[0]; i++)
        results[i] = fr.cells[f->results[i]].t[0];
    free(fr.cells);
    return !e->failed[0];
}

bool evaluate(evaluation *e, const tensor *params, const int64_t *symbols, unsigned n_symbols,
              tensor results[MAX_RESULTS])
{
    return run(e, &e->p->functions[0], params, symbols, n_symbols, results);
}
