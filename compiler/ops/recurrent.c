/* nn.recurrent: all steps of an RNN, a GRU or an LSTM in one kernel.
 *
 * The input's part of the gates and their biases are computed before, for all steps at once. The
 * kernel takes sequences in blocks of SEQUENCES, which are independent of each other. Each step
 * multiplies their states by the recurrent weights, then applies the cell. The product adds TERMS
 * terms to a gate each time that it loads and stores it, and uses each weight that it loads for
 * JOINED sequences. This suits weights that stay in a first- or second-level cache; the importer
 * leaves larger ones to products of their own, in a loop of calls.
 *
 * Attribute quantize rounds the state to 8 bits before each product. Its scale depends on all
 * sequences, so they are one block.
 *
 * Equations: ONNX's operators RNN, GRU, LSTM with their default activations, and
 * DynamicQuantizeLinear. */
#include <string.h>

#include "compiler/ops/require.h"
#include "compiler/ops/te.h"

enum { SEQUENCES = 4, JOINED = 2, TERMS = 4 };

/* Places of the arguments. */
enum { X, WEIGHT, HIDDEN, STATE, BIAS, LENGTHS, N_ARGUMENTS };

typedef struct cell_kind {
    const char *name;
    uint32_t gates;
    const char *activation; /* of an RNN */
    bool has_state;         /* LSTM: besides the hidden state */
    bool resets_after;      /* GRU: multiplies the product by the reset gate, not the state */
    bool resets_first;
} cell_kind;

static const cell_kind cells[] = {{.name = "rnn_tanh", .gates = 1, .activation = "tanh"},
                                  {.name = "rnn_relu", .gates = 1},
                                  {.name = "gru", .gates = 3, .resets_first = true},
                                  {.name = "gru_reset_after", .gates = 3, .resets_after = true},
                                  {.name = "lstm", .gates = 4, .has_state = true}};

/* The kind that attribute cell names; the row's schema admits no other names. */
static const cell_kind *cell_of(const rlxc_binding *call)
{
    const char *name = rlxc_attr_get_str(call, "cell", "");
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        if (strcmp(cells[i].name, name) == 0)
            return &cells[i];
    return &cells[0];
}

/* --- inference -------------------------------------------------------------------------------- */

/* Arguments have the ranks of the operator and, but for lengths, the element type of x. */
static bool check_arguments(const rlxc_call_view *v, rlx_dtype *out)
{
    static const int32_t ranks[N_ARGUMENTS] = {3, 2, 2, 2, 1, 1};
    for (uint32_t i = 0; i < v->n_inputs; i++) {
        if (!v->in[i])
            continue;
        if (v->in[i]->ndim != ranks[i] && v->in[i]->ndim != RLXC_UNKNOWN_NDIM) {
            rlxc_infer_fail(v, i, "expected %d dimensions, got %s", ranks[i],
                            rlxc_sinfo_text(v->ctx, v->in[i]));
            return false;
        }
        if (i != LENGTHS && !rlxc_common_dtype(v, X, i, out))
            return false;
    }
    if (v->in[LENGTHS] && !rlxc_dtype_is_void(v->in[LENGTHS]->dtype) &&
        !rlxc_dtype_is_int(v->in[LENGTHS]->dtype)) {
        rlxc_infer_fail(v, LENGTHS, "expected integers, got %s",
                        rlxc_sinfo_text(v->ctx, v->in[LENGTHS]));
        return false;
    }
    if (!rlxc_dtype_is_void(*out) && !rlxc_dtype_is_float(*out)) {
        rlxc_infer_fail(v, X, "expected floating-point elements, got %s",
                        rlxc_sinfo_text(v->ctx, v->in[X]));
        return false;
    }
    return true;
}

/* The arguments' dimensions agree with those of x, (steps, sequences, gates * hidden). */
static bool check_sizes(const rlxc_call_view *v, uint32_t gates)
{
    static const struct {
        uint32_t argument, index, of, at;
    } agree[] = {{X, 2, WEIGHT, 1}, {HIDDEN, 0, X, 1},     {HIDDEN, 1, WEIGHT, 0},
                 {STATE, 0, X, 1},  {STATE, 1, WEIGHT, 0}, {BIAS, 0, WEIGHT, 0},
                 {LENGTHS, 0, X, 1}};
    rlxc_size all = rlxc_size_of(v, WEIGHT, 0);
    all.dim = rlxc_mul(v->ctx, all.dim, rlxc_i64(v->ctx, gates));
    if (rlxc_prove_ne(v->ctx, v->in[WEIGHT]->dims[1], all.dim, NULL)) {
        rlxc_infer_fail(v, WEIGHT, "expected %u columns for each row, got %s", gates,
                        rlxc_sinfo_text(v->ctx, v->in[WEIGHT]));
        return false;
    }
    if (!rlxc_require_equal(v, rlxc_size_of(v, WEIGHT, 1), all))
        return false;
    for (size_t i = 0; i < sizeof agree / sizeof agree[0]; i++)
        if (v->in[agree[i].argument] &&
            !rlxc_require_equal(v, rlxc_size_of(v, agree[i].argument, agree[i].index),
                                rlxc_size_of(v, agree[i].of, agree[i].at)))
            return false;
    return true;
}

const rlxc_sinfo *rlxc_infer_recurrent(rlxc_context *ctx, const rlxc_module *module,
                                       const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_common_dtype(&v, X, WEIGHT, &dtype) ||
        !check_arguments(&v, &dtype))
        return NULL;
    const cell_kind *cell = cell_of(call);
    const rlxc_sinfo *fields[3];
    bool known = true;
    for (uint32_t i = 0; i < v.n_inputs; i++)
        known &= !v.in[i] || rlxc_dims_known(v.in[i]);
    if (!cell->has_state && v.in[STATE])
        return rlxc_infer_fail(&v, STATE, "only an LSTM has one");
    if (cell->resets_first && rlxc_attr_get_bool(call, "quantize", false)) {
        rlxc_infer_error(&v, "quantize is not supported for cell gru");
        return NULL;
    }
    if (!cell->resets_after && !cell->resets_first && v.in[BIAS])
        return rlxc_infer_fail(&v, BIAS, "only a GRU has one apart from x");
    if (!known) {
        fields[0] = rlxc_tensor_ndim(&v, dtype, 3);
        fields[1] = fields[2] = rlxc_tensor_ndim(&v, dtype, 2);
    } else {
        if (!check_sizes(&v, cell->gates))
            return NULL;
        const rlxc_expr *hidden = v.in[WEIGHT]->dims[0], *const *x = v.in[X]->dims;
        rlxc_dims all = {.at = {x[0], x[1], hidden}, .n = 3}, last = {.at = {x[1], hidden}, .n = 2};
        fields[0] = rlxc_tensor_of(&v, dtype, &all);
        fields[1] = fields[2] = rlxc_tensor_of(&v, dtype, &last);
    }
    return rlxc_sinfo_tuple(ctx, fields, cell->has_state ? 3 : 2);
}

/* --- the kernel ------------------------------------------------------------------------------- */

typedef struct kernel {
    rlxc_te te;
    rlxc_context *ctx;
    const cell_kind *cell;
    rlxc_te_operand in[N_ARGUMENTS];
    bool has[N_ARGUMENTS];
    const rlxc_buffer *y, *h, *c; /* results; h and c hold the states between steps */
    const rlxc_buffer *gates;     /* (sequences, gates * hidden), before the activations */
    const rlxc_buffer *reset;     /* GRU that resets first: the state times the reset gate */
    const rlxc_buffer *rounded;   /* the state in 8 bits, or NULL */
    const rlxc_buffer *range;     /* (2, hidden): least and greatest state of each column */
    const rlxc_expr *hidden, *sequences, *first; /* |first|: of the block of sequences */
    const rlxc_expr *step;                       /* the place in x and y */
} kernel;

static const rlxc_expr *variable(kernel *k, const char *name)
{
    return rlxc_var(k->ctx, rlxc_intern_cstr(k->ctx, name), RLX_I64);
}

static const rlxc_stmt *loop(kernel *k, const rlxc_expr *var, const rlxc_expr *extent,
                             const rlxc_stmt *body)
{
    return rlxc_stmt_for(k->ctx, var, rlxc_i64(k->ctx, 0), extent, RLXC_LOOP_SERIAL, body);
}

static const rlxc_expr *times(kernel *k, int64_t n, const rlxc_expr *e)
{
    return rlxc_mul(k->ctx, e, rlxc_i64(k->ctx, n));
}

/* Column |j| of gate |gate|. */
static const rlxc_expr *column(kernel *k, uint32_t gate, const rlxc_expr *j)
{
    return rlxc_add(k->ctx, times(k, gate, k->hidden), j);
}

static const rlxc_expr *load(kernel *k, const rlxc_buffer *from, const rlxc_expr *i,
                             const rlxc_expr *j)
{
    const rlxc_expr *at[2] = {i, j};
    return rlxc_te_widen(&k->te, rlxc_te_load(&k->te, from, at));
}

/* An element of an argument of one, two or three dimensions; 0 if it is absent. */
static const rlxc_expr *input(kernel *k, uint32_t argument, const rlxc_expr *const *at)
{
    return k->has[argument] ? rlxc_te_widen(&k->te, rlxc_te_get(&k->te, &k->in[argument], at))
                            : rlxc_te_number(k->ctx, k->gates->dtype, 0);
}

static const rlxc_stmt *store(kernel *k, const rlxc_buffer *to, const rlxc_expr *i,
                              const rlxc_expr *j, const rlxc_expr *value)
{
    const rlxc_expr *at[3] = {k->step, i, j};
    return rlxc_stmt_store(k->ctx, to, to == k->y ? at : at + 1, to->ndim,
                           rlxc_cast(k->ctx, to->dtype, value));
}

/* The number of sequences in the block. */
static const rlxc_expr *in_block(kernel *k)
{
    if (k->rounded)
        return k->sequences;
    const rlxc_expr *left = rlxc_sub(k->ctx, k->sequences, times(k, SEQUENCES, k->first));
    return rlxc_binary(k->ctx, RLXC_EXPR_MIN, left, rlxc_i64(k->ctx, SEQUENCES));
}

/* |body| for each sequence |r| of the block, number |i| of all. */
static const rlxc_stmt *each_sequence(kernel *k, const rlxc_expr *r, const rlxc_stmt *body)
{
    return loop(k, r, in_block(k), body);
}

static const rlxc_expr *sequence(kernel *k, const rlxc_expr *r)
{
    return rlxc_add(k->ctx, times(k, SEQUENCES, k->first), r);
}

/* The rows of the weight that one pass over the gates multiplies, and the gates. */
typedef struct terms {
    const rlxc_buffer *state;
    const rlxc_expr *begin;
    uint32_t n, gate, n_gates;
} terms;

/* Adds |t| to the gates of |n| sequences from |i| on. */
static const rlxc_stmt *add_to(kernel *k, const terms *t, const rlxc_expr *i, uint32_t n)
{
    const rlxc_stmt *stores[JOINED];
    const rlxc_expr *j = variable(k, "j"), *to = column(k, t->gate, j);
    for (uint32_t s = 0; s < n; s++) {
        const rlxc_expr *own = rlxc_add(k->ctx, i, rlxc_i64(k->ctx, s)),
                        *sum = load(k, k->gates, own, to);
        for (uint32_t q = 0; q < t->n; q++) {
            const rlxc_expr *weight[2] = {rlxc_add(k->ctx, t->begin, rlxc_i64(k->ctx, q)), to};
            sum = rlxc_add(
                k->ctx, sum,
                rlxc_mul(k->ctx, load(k, t->state, own, weight[0]), input(k, WEIGHT, weight)));
        }
        stores[s] = store(k, k->gates, own, to, sum);
    }
    return loop(k, j, times(k, t->n_gates, k->hidden), rlxc_stmt_seq(k->ctx, stores, n));
}

/* Adds |t| |extent| times, each time t->n rows of the weight further on. */
static const rlxc_stmt *add_terms(kernel *k, terms t, const rlxc_expr *extent)
{
    const rlxc_expr *step = variable(k, "k"), *r = variable(k, "r"), *odd = variable(k, "r"),
                    *joined = rlxc_i64(k->ctx, JOINED), *rows = in_block(k);
    const rlxc_expr *whole = rlxc_binary(k->ctx, RLXC_EXPR_FLOORDIV, rows, joined),
                    *rest = rlxc_binary(k->ctx, RLXC_EXPR_FLOORMOD, rows, joined),
                    *last = rlxc_add(k->ctx, times(k, JOINED, whole), odd);
    t.begin = rlxc_add(k->ctx, t.begin, times(k, t.n, step));
    const rlxc_stmt *parts[2] = {
        loop(k, r, whole, add_to(k, &t, sequence(k, times(k, JOINED, r)), JOINED)),
        loop(k, odd, rest, add_to(k, &t, sequence(k, last), 1))};
    return loop(k, step, extent, rlxc_stmt_seq(k->ctx, parts, 2));
}

/* |state| times the weights of |n| gates from |gate| on. */
static const rlxc_stmt *product(kernel *k, const rlxc_buffer *state, uint32_t gate, uint32_t n)
{
    const rlxc_expr *at_once = rlxc_i64(k->ctx, TERMS),
                    *whole = rlxc_binary(k->ctx, RLXC_EXPR_FLOORDIV, k->hidden, at_once),
                    *rest = rlxc_binary(k->ctx, RLXC_EXPR_FLOORMOD, k->hidden, at_once);
    const terms most = {state, rlxc_i64(k->ctx, 0), TERMS, gate, n},
                last = {state, times(k, TERMS, whole), 1, gate, n};
    const rlxc_stmt *parts[2] = {add_terms(k, most, whole), add_terms(k, last, rest)};
    int64_t left;
    return rlxc_stmt_seq(k->ctx, parts, rlxc_is_int(rest, &left) && left == 0 ? 1 : 2);
}

/* range[row, j] = the least (row 0) or greatest (row 1) of itself and |value| */
static const rlxc_stmt *widen_range(kernel *k, int64_t row, const rlxc_expr *j,
                                    const rlxc_expr *value)
{
    const rlxc_expr *at = rlxc_i64(k->ctx, row);
    const rlxc_expr_kind kind = row ? RLXC_EXPR_MAX : RLXC_EXPR_MIN;
    return store(k, k->range, at, j, rlxc_binary(k->ctx, kind, load(k, k->range, at, j), value));
}

/* The least and the greatest state, with 0 between them, into column 0 of the range. */
static const rlxc_stmt *find_range(kernel *k)
{
    rlxc_context *ctx = k->ctx;
    const rlxc_expr *r = variable(k, "r"), *j = variable(k, "j"), *to = variable(k, "j"),
                    *from = variable(k, "j"), *zero = rlxc_i64(ctx, 0),
                    *none = rlxc_te_number(ctx, k->gates->dtype, 0);
    const rlxc_stmt *clear[2], *widen[2], *join[2];
    for (int64_t row = 0; row < 2; row++) {
        clear[row] = store(k, k->range, rlxc_i64(ctx, row), j, none);
        widen[row] = widen_range(k, row, to, load(k, k->h, r, to));
        join[row] = widen_range(k, row, zero, load(k, k->range, rlxc_i64(ctx, row), from));
    }
    const rlxc_stmt *stmts[3] = {
        loop(k, j, k->hidden, rlxc_stmt_seq(ctx, clear, 2)),
        loop(k, r, k->sequences, loop(k, to, k->hidden, rlxc_stmt_seq(ctx, widen, 2))),
        loop(k, from, k->hidden, rlxc_stmt_seq(ctx, join, 2))};
    return rlxc_stmt_seq(ctx, stmts, 3);
}

/* |e|, rounded, from 0 to 255 */
static const rlxc_expr *saturated(kernel *k, const rlxc_expr *e)
{
    e = rlxc_binary(k->ctx, RLXC_EXPR_MAX, e, rlxc_te_number(k->ctx, e->dtype, 0));
    return rlxc_binary(k->ctx, RLXC_EXPR_MIN, e, rlxc_te_number(k->ctx, e->dtype, UINT8_MAX));
}

/* The state in 8 bits: 0 if all of it is. */
static const rlxc_stmt *round_state(kernel *k)
{
    rlxc_context *ctx = k->ctx;
    const rlxc_expr *r = variable(k, "r"), *j = variable(k, "j"), *zero = rlxc_i64(ctx, 0);
    const rlxc_expr *low = load(k, k->range, zero, zero),
                    *high = load(k, k->range, rlxc_i64(ctx, 1), zero),
                    *none = rlxc_te_number(ctx, low->dtype, 0);
    const rlxc_expr *scale =
        rlxc_te_div(ctx, rlxc_sub(ctx, high, low), rlxc_te_number(ctx, low->dtype, UINT8_MAX));
    const rlxc_expr *middle = rlxc_te_div(ctx, rlxc_sub(ctx, none, low), scale);
    middle = saturated(k, rlxc_te_call1(ctx, "nearbyint", middle));
    const rlxc_expr *q = rlxc_te_div(ctx, load(k, k->h, r, j), scale);
    q = saturated(k, rlxc_add(ctx, rlxc_te_call1(ctx, "nearbyint", q), middle));
    q = rlxc_mul(ctx, rlxc_sub(ctx, q, middle), scale);
    q = rlxc_te_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, none, scale), q, none);
    return loop(k, r, k->sequences, loop(k, j, k->hidden, store(k, k->rounded, r, j, q)));
}

static const rlxc_expr *sigmoid(kernel *k, uint32_t gate, const rlxc_expr *i, const rlxc_expr *j)
{
    return rlxc_te_call1(k->ctx, "sigmoid", load(k, k->gates, i, column(k, gate, j)));
}

static const rlxc_expr *tanh_of(kernel *k, const rlxc_expr *e)
{
    return rlxc_te_call1(k->ctx, "tanh", e);
}

/* The states before the first step. */
static const rlxc_stmt *begin(kernel *k)
{
    const rlxc_expr *r = variable(k, "r"), *j = variable(k, "j"), *i = sequence(k, r);
    const rlxc_expr *at[2] = {i, j};
    const rlxc_stmt *stmts[2] = {store(k, k->h, i, j, input(k, HIDDEN, at))};
    if (k->c)
        stmts[1] = store(k, k->c, i, j, input(k, STATE, at));
    return each_sequence(k, r, loop(k, j, k->hidden, rlxc_stmt_seq(k->ctx, stmts, k->c ? 2 : 1)));
}

/* The gates before the product: the input's part. The last gate of a GRU has a bias of its own. A
 * GRU that resets the product adds the input's part to it later (cell). */
static const rlxc_stmt *begin_step(kernel *k)
{
    const rlxc_expr *r = variable(k, "r"), *j = variable(k, "j"), *i = sequence(k, r);
    const bool own = k->cell->resets_after || k->cell->resets_first;
    const uint32_t from_x = k->cell->gates - own;
    const rlxc_expr *at[3] = {k->step, i, j};
    const rlxc_stmt *stmts[2] = {
        loop(k, j, times(k, from_x, k->hidden), store(k, k->gates, i, j, input(k, X, at)))};
    if (own) {
        const rlxc_expr *last = variable(k, "j"), *value = input(k, BIAS, &last);
        at[2] = column(k, from_x, last);
        if (k->cell->resets_first)
            value = rlxc_add(k->ctx, value, input(k, X, at));
        stmts[1] = loop(k, last, k->hidden, store(k, k->gates, i, at[2], value));
    }
    return each_sequence(k, r, rlxc_stmt_seq(k->ctx, stmts, own ? 2 : 1));
}

/* The new states of sequence |i| in column |j|. */
static const rlxc_stmt *cell(kernel *k, const rlxc_expr *i, const rlxc_expr *j)
{
    rlxc_context *ctx = k->ctx;
    const rlxc_stmt *stmts[3];
    uint32_t n = 0;
    const rlxc_expr *h;
    if (k->cell->has_state) { /* gates i, o, f, c */
        const rlxc_expr *kept = rlxc_mul(ctx, sigmoid(k, 2, i, j), load(k, k->c, i, j));
        const rlxc_expr *added = tanh_of(k, load(k, k->gates, i, column(k, 3, j)));
        added = rlxc_mul(ctx, sigmoid(k, 0, i, j), added);
        stmts[n++] = store(k, k->c, i, j, rlxc_add(ctx, kept, added));
        h = rlxc_mul(ctx, sigmoid(k, 1, i, j), tanh_of(k, load(k, k->c, i, j)));
    } else if (k->cell->gates == 3) { /* z, r, h */
        const rlxc_expr *z = sigmoid(k, 0, i, j), *sum = load(k, k->gates, i, column(k, 2, j));
        const rlxc_expr *at[3] = {k->step, i, column(k, 2, j)};
        if (k->cell->resets_after)
            sum = rlxc_add(ctx, input(k, X, at), rlxc_mul(ctx, sigmoid(k, 1, i, j), sum));
        const rlxc_expr *rest = rlxc_sub(ctx, rlxc_te_number(ctx, z->dtype, 1), z);
        h = rlxc_add(ctx, rlxc_mul(ctx, rest, tanh_of(k, sum)),
                     rlxc_mul(ctx, z, load(k, k->h, i, j)));
    } else {
        h = load(k, k->gates, i, j);
        h = k->cell->activation
                ? rlxc_te_call1(ctx, k->cell->activation, h)
                : rlxc_binary(ctx, RLXC_EXPR_MAX, h, rlxc_te_number(ctx, h->dtype, 0));
    }
    stmts[n++] = store(k, k->h, i, j, h);
    stmts[n++] = store(k, k->y, i, j, load(k, k->h, i, j));
    return rlxc_stmt_seq(ctx, stmts, n);
}

/* Beyond its end a sequence keeps its states and its outputs are 0. */
static const rlxc_stmt *end_step(kernel *k)
{
    const rlxc_expr *r = variable(k, "r"), *j = variable(k, "j"), *i = sequence(k, r);
    const rlxc_stmt *body = loop(k, j, k->hidden, cell(k, i, j));
    if (k->has[LENGTHS]) {
        const rlxc_expr *length = rlxc_cast(k->ctx, RLX_I64, input(k, LENGTHS, &i));
        const rlxc_expr *none = rlxc_te_number(k->ctx, k->gates->dtype, 0), *to = variable(k, "j");
        body = rlxc_stmt_if(k->ctx, rlxc_binary(k->ctx, RLXC_EXPR_LT, k->step, length), body,
                            loop(k, to, k->hidden, store(k, k->y, i, to, none)));
    }
    return each_sequence(k, r, body);
}

/* The product of a GRU that resets first is two: its last gate needs the reset state. */
static const rlxc_stmt *products(kernel *k)
{
    if (k->rounded) {
        const rlxc_stmt *stmts[3] = {find_range(k), round_state(k),
                                     product(k, k->rounded, 0, k->cell->gates)};
        return rlxc_stmt_seq(k->ctx, stmts, 3);
    }
    if (!k->cell->resets_first)
        return product(k, k->h, 0, k->cell->gates);
    const rlxc_expr *r = variable(k, "r"), *j = variable(k, "j"), *i = sequence(k, r);
    const rlxc_expr *state = rlxc_mul(k->ctx, sigmoid(k, 1, i, j), load(k, k->h, i, j));
    const rlxc_stmt *stmts[3] = {
        product(k, k->h, 0, 2),
        each_sequence(k, r, loop(k, j, k->hidden, store(k, k->reset, i, j, state))),
        product(k, k->reset, 2, 1)};
    return rlxc_stmt_seq(k->ctx, stmts, 3);
}

rlxc_atom rlxc_legalize_recurrent(rlxc_builder *b, const rlxc_binding *call)
{
    static const char *const names[N_ARGUMENTS] = {"x",     "weight", "hidden",
                                                   "state", "bias",   "lengths"};
    kernel k = {.ctx = b->ctx, .cell = cell_of(call)};
    rlxc_te *te = &k.te;
    if (!rlxc_te_begin(te, b, call, k.cell->name, RLXC_PATTERN_OPAQUE))
        return (rlxc_atom){0};
    for (uint32_t i = 0; i < te->view.n_inputs; i++) {
        k.has[i] = te->view.in[i] != NULL;
        if (k.has[i])
            k.in[i] = rlxc_te_operand_of(te, i, names[i]);
    }
    const rlxc_expr *steps = k.in[X].dims[0], *t = variable(&k, "t");
    k.sequences = k.in[X].dims[1];
    k.hidden = k.in[WEIGHT].dims[0];
    k.y = rlxc_te_output(te, "y");
    k.h = rlxc_te_output(te, "h");
    k.c = k.cell->has_state ? rlxc_te_output(te, "c") : NULL;
    const rlxc_expr *dims[2] = {k.sequences, times(&k, k.cell->gates, k.hidden)};
    const rlx_dtype dtype = rlxc_te_compute_dtype(k.y->dtype);
    k.gates = rlxc_te_temp(te, "gates", dtype, dims, 2);
    dims[1] = k.hidden;
    k.reset = k.cell->resets_first ? rlxc_te_temp(te, "reset", dtype, dims, 2) : NULL;
    if (rlxc_attr_get_bool(call, "quantize", false)) {
        k.rounded = rlxc_te_temp(te, "rounded", dtype, dims, 2);
        dims[0] = rlxc_i64(k.ctx, 2);
        k.range = rlxc_te_temp(te, "range", dtype, dims, 2);
    }
    k.step = t;
    if (rlxc_attr_get_bool(call, "reverse", false))
        k.step = rlxc_sub(k.ctx, rlxc_sub(k.ctx, steps, rlxc_i64(k.ctx, 1)), t);
    rlxc_te_block(te, k.cell->name);
    k.first = variable(&k, "block");
    const rlxc_stmt *step[3] = {begin_step(&k), products(&k), end_step(&k)};
    const rlxc_stmt *stmts[2] = {begin(&k), loop(&k, t, steps, rlxc_stmt_seq(k.ctx, step, 3))};
    const rlxc_expr *blocks = rlxc_binary(
        k.ctx, RLXC_EXPR_FLOORDIV, rlxc_add(k.ctx, k.sequences, rlxc_i64(k.ctx, SEQUENCES - 1)),
        rlxc_i64(k.ctx, SEQUENCES));
    if (k.rounded)
        blocks = rlxc_i64(k.ctx, 1);
    rlxc_te_body(te, NULL,
                 rlxc_stmt_for(k.ctx, k.first, rlxc_i64(k.ctx, 0), blocks, RLXC_LOOP_PARALLEL,
                               rlxc_stmt_seq(k.ctx, stmts, 2)));
    return rlxc_te_finish(te);
}
