/* Emits the checks of checks.def (checks.h). */
#include "compiler/ops/checks.h"

#include <string.h>

#include "compiler/ir/constant.h"
#include "compiler/ops/builtin_call.h"
#include "compiler/ops/value_range.h"

typedef struct checker {
    rlxc_value_checks *checks;
    rlxc_builder *b;
    rlxc_context *ctx;
    rlxc_call_view view;
    rlxc_binding *call;
    uint32_t data; /* the argument that is indexed: gradient operators have it after the gradient */
} checker;

typedef struct limits { /* low <= element < high; one pair, or one per index of the last dimension
                         */
    const rlxc_expr *low[RLXC_MAX_NDIM], *high[RLXC_MAX_NDIM];
    uint32_t n;
    const int64_t *except; /* this number is allowed too; or NULL */
} limits;

/* The latest check of a tensor, for further uses in the block. */
typedef struct emitted {
    const rlxc_binding_block *block;
    limits limits;
    rlxc_atom result;
} emitted;

static void add_limits(checker *c, limits *l, const rlxc_expr *low, const rlxc_expr *high)
{
    l->low[l->n] = rlxc_canonical(c->ctx, low, NULL);
    l->high[l->n++] = rlxc_canonical(c->ctx, high, NULL);
}

/* [-n, n): indices that may count from the end. */
static void add_axis(checker *c, limits *l, const rlxc_expr *n)
{
    add_limits(c, l, rlxc_sub(c->ctx, rlxc_i64(c->ctx, 0), n), n);
}

static bool same_limits(const limits *a, const limits *b)
{
    return a->n == b->n && !a->except && !b->except &&
           memcmp(a->low, b->low, a->n * sizeof a->low[0]) == 0 &&
           memcmp(a->high, b->high, a->n * sizeof a->high[0]) == 0;
}

static bool provable(checker *c, rlxc_atom x, const limits *l)
{
    rlxc_value_range range;
    if (!rlxc_find_value_range(c->ctx, &c->checks->ranges, x, &range))
        return false;
    for (uint32_t i = 0; i < l->n; i++)
        if (!rlxc_prove_le(c->ctx, l->low[i], range.low, NULL) ||
            !rlxc_prove_lt(c->ctx, range.high, l->high[i], NULL))
            return false;
    return true;
}

/* A label names the user's operator that this one was made from. */
static rlxc_atom name_atom(checker *c, const char *what)
{
    if (rlxc_line_label(c->ctx, c->call->range.file, c->call->range.line))
        return rlxc_atom_string(c->ctx, what);
    return rlxc_atom_string(c->ctx, rlxc_internf(c->ctx, "%s: %s", c->call->op->name, what));
}

/* The tensor |x|, checked: every element of it lies within |l|. */
static rlxc_atom check_tensor(checker *c, rlxc_atom x, const limits *l, const char *what)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(c->ctx, c->b->module, x);
    uint64_t key = x.kind == RLXC_ATOM_VAR        ? rlxc_key(x.var)
                   : x.kind == RLXC_ATOM_CONSTANT ? rlxc_key(x.constant)
                                                  : 0;
    if (!s || s->kind != RLXC_SINFO_TENSOR || l->n == 0 || provable(c, x, l))
        return x;
    emitted *before = key ? rlxc_map_get(&c->checks->seen, key) : NULL;
    if (before && before->block == c->b->block && same_limits(&before->limits, l))
        return before->result;
    rlxc_atom args[5] = {x, rlxc_atom_shape(c->ctx, l->low, l->n),
                         rlxc_atom_shape(c->ctx, l->high, l->n), name_atom(c, what)};
    if (l->except)
        args[4] = rlxc_prim_i64(c->ctx, *l->except);
    emitted *now = rlxc_alloc(c->ctx, sizeof *now);
    *now = (emitted){
        c->b->block, *l,
        rlxc_emit_builtin(c->b, c->call, "rlx.check_index", args, l->except ? 5 : 4, s, true)};
    if (key)
        rlxc_map_set(c->ctx, &c->checks->seen, key, now);
    return now->result;
}

static void set_argument(checker *c, uint32_t i, rlxc_atom value)
{
    rlxc_atom *args = rlxc_copy(c->ctx, c->call->args, c->call->n_args * sizeof *args);
    args[i] = value;
    c->call->args = args;
}

static void check_argument(checker *c, uint32_t i, const limits *l, const char *what)
{
    set_argument(c, i, check_tensor(c, c->call->args[i], l, what));
}

static const rlxc_expr *const *dims_of(const checker *c, uint32_t i, uint32_t *out_n)
{
    const rlxc_sinfo *s = c->view.in[i];
    *out_n = s && rlxc_dims_known(s) ? (uint32_t)s->ndim : 0;
    return *out_n ? s->dims : NULL;
}

/* The size of the dimension of argument 0 that attribute |name| names; NULL: none. */
static const rlxc_expr *axis_size(checker *c, const char *name, int64_t otherwise)
{
    uint32_t n, axis;
    const rlxc_expr *const *dims = dims_of(c, c->data, &n);
    int64_t at = rlxc_attr_get_int(c->call, name, otherwise);
    if (!dims || !rlxc_axis_in(&c->view, at, (int32_t)n, &axis))
        return NULL;
    return dims[axis];
}

static void check_take(checker *c)
{
    const char *mode = rlxc_attr_get_str(c->call, "mode", "fast");
    if (mode[0] != '\0' && strcmp(mode, "fast") != 0)
        return;
    const rlxc_attr *axis = rlxc_attrs_find(&c->call->attrs, "axis");
    uint32_t n;
    const rlxc_expr *const *dims = dims_of(c, c->data, &n), *size = NULL;
    if (!axis || axis->kind == RLXC_ATTR_NONE)
        size = dims ? rlxc_product(c->ctx, dims, n) : NULL;
    else
        size = axis_size(c, "axis", 0);
    limits l = {0};
    if (!size)
        return;
    add_axis(c, &l, size);
    check_argument(c, c->data + 1, &l, "index");
}

static void check_along_axis(checker *c)
{
    const rlxc_expr *size = axis_size(c, "axis", 0);
    limits l = {0};
    if (!size)
        return;
    add_axis(c, &l, size);
    check_argument(c, 1, &l, "index");
}

/* Index vectors into the dimensions of argument 0 from |first| on. */
static void check_vectors(checker *c, uint32_t first)
{
    uint32_t n, rank;
    int64_t depth;
    const rlxc_expr *const *dims = dims_of(c, 0, &n), *const *index = dims_of(c, 1, &rank);
    limits l = {0};
    if (!dims || !index || !rlxc_is_int(index[rank - 1], &depth))
        return;
    for (uint32_t i = 0; i < depth && first + i < n; i++)
        add_axis(c, &l, dims[first + i]);
    check_argument(c, 1, &l, "index");
}

static void check_gather_nd(checker *c)
{
    int64_t batch = rlxc_attr_get_int(c->call, "batch_dims", 0);
    check_vectors(c, batch > 0 ? (uint32_t)batch : 0);
}

static void check_scatter_nd(checker *c)
{
    check_vectors(c, 0);
}

/* A tuple of index tensors, one for each leading dimension. */
static void check_each_dimension(checker *c)
{
    uint32_t n;
    const rlxc_expr *const *dims = dims_of(c, 0, &n);
    rlxc_atom all = c->call->args[1];
    if (!dims || all.kind != RLXC_ATOM_TUPLE)
        return;
    rlxc_atom *items = rlxc_copy(c->ctx, all.items, (all.n ? all.n : 1) * sizeof *items);
    for (uint32_t i = 0; i < all.n && i < n; i++) {
        limits l = {0};
        add_axis(c, &l, dims[i]);
        items[i] = check_tensor(c, items[i], &l, "index");
    }
    set_argument(c, 1, rlxc_atom_tuple(c->ctx, items, all.n));
}

static void check_lengths(checker *c)
{
    const rlxc_expr *size = axis_size(c, "seq_axis", 1);
    limits l = {0};
    if (!size)
        return;
    add_limits(c, &l, rlxc_i64(c->ctx, 0), rlxc_add(c->ctx, size, rlxc_i64(c->ctx, 1)));
    check_argument(c, 1, &l, "length");
}

static void check_classes(checker *c)
{
    uint32_t n;
    const rlxc_expr *const *dims = dims_of(c, c->data, &n);
    const int64_t ignored = rlxc_attr_get_int(c->call, "ignore_index", -100);
    limits l = {.except = &ignored};
    if (!dims)
        return;
    add_limits(c, &l, rlxc_i64(c->ctx, 0), dims[n > 1 ? 1 : 0]);
    check_argument(c, c->data + 1, &l, "class");
}

static void check_rows(checker *c)
{
    uint32_t n;
    const rlxc_expr *const *dims = dims_of(c, 0, &n);
    limits l = {0};
    if (!dims)
        return;
    add_axis(c, &l, dims[0]);
    check_argument(c, 2, &l, "row");
}

/* Regions (image, x1, y1, x2, y2) of argument 0. */
static void check_images(checker *c)
{
    uint32_t n;
    const rlxc_expr *const *dims = dims_of(c, 0, &n);
    if (!dims || !c->view.in[1] || !rlxc_dims_known(c->view.in[1]))
        return;
    const rlxc_atom args[3] = {c->call->args[1],
                               rlxc_atom_prim(rlxc_canonical(c->ctx, dims[0], NULL)),
                               name_atom(c, "batch index")};
    set_argument(c, 1,
                 rlxc_emit_builtin(c->b, c->call, "rlx.check_first", args, 3, c->view.in[1], true));
}

/* False when |x| has an element that is 0, or may have one. */
static bool never_zero(checker *c, rlxc_atom x)
{
    rlxc_value_range range;
    const rlxc_expr *zero = rlxc_i64(c->ctx, 0);
    if (x.kind == RLXC_ATOM_CONSTANT && x.constant->nbytes > 0 && !x.constant->lifted) {
        const rlxc_constant *k = x.constant;
        const size_t n = k->nbytes / (k->dtype.bits / 8u);
        size_t i = 0;
        while (i < n && rlxc_constant_int(k, i) != 0)
            i++;
        return i == n;
    }
    return rlxc_find_value_range(c->ctx, &c->checks->ranges, x, &range) &&
           (rlxc_prove_lt(c->ctx, zero, range.low, NULL) ||
            rlxc_prove_lt(c->ctx, range.high, zero, NULL));
}

static void check_divisor(checker *c)
{
    const rlxc_sinfo *s = c->view.in[1];
    rlxc_atom x = c->call->args[1];
    if (!s || rlxc_dtype_is_float(s->dtype) || rlxc_dtype_is_bool(s->dtype) ||
        rlxc_dtype_is_void(s->dtype) || never_zero(c, x))
        return;
    const rlxc_atom args[2] = {x, name_atom(c, "the divisor")};
    set_argument(c, 1, rlxc_emit_builtin(c->b, c->call, "rlx.check_nonzero", args, 2, s, true));
}

/* --- the table --- */

#define RLXC_CHECK(op, check, what, lenient) {op, what, lenient},
static const rlxc_check_row rows[] = {
#include "compiler/ops/checks.def"
};
#undef RLXC_CHECK

enum { N_ROWS = sizeof rows / sizeof *rows };

const rlxc_check_row *rlxc_check_rows(uint32_t *out_count)
{
    *out_count = N_ROWS;
    return rows;
}

#define RLXC_CHECK(op, check, what, lenient) check_##check,
static void (*const functions[N_ROWS])(checker *c) = {
#include "compiler/ops/checks.def"
};
#undef RLXC_CHECK

void rlxc_emit_value_checks(rlxc_value_checks *checks, rlxc_builder *b, rlxc_binding *call)
{
    checker c = {checks, b, b->ctx, .call = call};
    c.data = strncmp(call->op->name, "grad.", 5) == 0 ? 1 : 0;
    for (uint32_t i = 0; i < N_ROWS; i++) {
        if (strcmp(rows[i].op, call->op->name) != 0)
            continue;
        if (rlxc_infer_begin(&c.view, b->ctx, b->module, call) && !rlxc_failed(b->ctx))
            functions[i](&c);
        return;
    }
}
