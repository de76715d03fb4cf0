/* Requirements on dimensions (require.h).
 *
 * A dimension that several operands of unrelated dimensions broadcast to is a chain of selects, `d1
 * if d1 != 1 else (d2 if d2 != 1 else d3)`, over the different dimensions in the order of their
 * ids: if all fit, every order gives the same value, so one order represents all. */
#include "compiler/ops/require.h"
#include "compiler/ir/names.h"

#include <string.h>

enum { MAX_MEMBERS = 16 };

static const char *const relation_names[] = {"equal", "broadcast", "fits", "multiple", "at_most"};

const char *rlxc_relation_name(rlxc_relation relation)
{
    return relation_names[relation];
}

bool rlxc_relation_named(const char *name, rlxc_relation *out)
{
    for (uint32_t i = 0; i < sizeof relation_names / sizeof *relation_names; i++)
        if (strcmp(name, relation_names[i]) == 0) {
            *out = (rlxc_relation)i;
            return true;
        }
    return false;
}

const rlxc_expr *rlxc_relation_holds(rlxc_context *ctx, rlxc_relation relation, const rlxc_expr *a,
                                     const rlxc_expr *b)
{
    const rlxc_expr *same = rlxc_binary(ctx, RLXC_EXPR_EQ, a, b), *one = rlxc_i64(ctx, 1);
    const rlxc_expr *repeats = rlxc_binary(ctx, RLXC_EXPR_EQ, a, one);
    switch (relation) {
    case RLXC_EQUAL:
        return same;
    case RLXC_BROADCAST:
        repeats = rlxc_binary(ctx, RLXC_EXPR_OR, repeats, rlxc_binary(ctx, RLXC_EXPR_EQ, b, one));
        return rlxc_binary(ctx, RLXC_EXPR_OR, same, repeats);
    case RLXC_FITS:
        return rlxc_binary(ctx, RLXC_EXPR_OR, same, repeats);
    case RLXC_MULTIPLE:
        return rlxc_binary(ctx, RLXC_EXPR_EQ, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, a, b),
                           rlxc_i64(ctx, 0));
    case RLXC_AT_MOST:
        return rlxc_binary(ctx, RLXC_EXPR_LE, a, b);
    }
    return same;
}

/* --- sizes ------------------------------------------------------------------------------------ */

rlxc_size rlxc_size_of(const rlxc_call_view *v, uint32_t argument, uint32_t index)
{
    return (rlxc_size){v->in[argument]->dims[index], argument, RLXC_NO_PLACE, index};
}

rlxc_size rlxc_size_of_field(const rlxc_call_view *v, uint32_t argument, uint32_t field,
                             uint32_t index)
{
    return (rlxc_size){v->in[argument]->fields[field]->dims[index], argument, field, index};
}

rlxc_size rlxc_size_in(const rlxc_call_view *v, const rlxc_sinfo *s, uint32_t index)
{
    for (uint32_t i = 0; i < v->call->n_args && i < RLXC_MAX_OP_INPUTS; i++) {
        if (v->in[i] == s)
            return rlxc_size_of(v, i, index);
        uint32_t n = v->in[i] && v->in[i]->kind == RLXC_SINFO_TUPLE ? v->in[i]->n_fields : 0;
        for (uint32_t k = 0; k < n; k++)
            if (v->in[i]->fields[k] == s)
                return rlxc_size_of_field(v, i, k, index);
    }
    return (rlxc_size){s->dims[index], RLXC_NO_PLACE, RLXC_NO_PLACE, index};
}

rlxc_size rlxc_size_given(const rlxc_call_view *v, int64_t value)
{
    return (rlxc_size){rlxc_i64(v->ctx, value), RLXC_NO_PLACE, RLXC_NO_PLACE, RLXC_NO_PLACE};
}

/* "dimension 1 of x2 'w'" */
static const char *size_text(const rlxc_call_view *v, rlxc_size size)
{
    int64_t value;
    if (size.index == RLXC_NO_PLACE)
        return rlxc_is_int(size.dim, &value) ? rlxc_internf(v->ctx, "%lld", (long long)value) : "?";
    if (size.argument == RLXC_NO_PLACE)
        return rlxc_internf(v->ctx, "dimension %u of the other operands", size.index);
    const rlxc_op_input *input =
        &v->inputs[size.argument < v->n_inputs ? size.argument : v->n_inputs - 1];
    rlxc_atom atom = v->call->args[size.argument];
    const char *of = "";
    if (size.field != RLXC_NO_PLACE) {
        of = rlxc_internf(v->ctx, "tensor %u of ", size.field);
        atom = atom.kind == RLXC_ATOM_TUPLE ? atom.items[size.field] : atom;
    }
    /* Inside a model's node, values without a name of the model come from the importer. */
    const rlxc_range at = v->call->range;
    const char *name = "";
    if (atom.kind == RLXC_ATOM_VAR &&
        (atom.var->given || !rlxc_line_label(v->ctx, at.file, at.line)))
        name = rlxc_internf(v->ctx, " '%s'", rlxc_shown_name(v->ctx, atom.var));
    return rlxc_internf(v->ctx, "dimension %u of %s%.*s%s", size.index, of, (int)input->name_length,
                        input->name, name);
}

/* --- equal dimensions --- */

/* True if |clamped| is max(e, 0) and |size| is e. */
static bool is_clamped(rlxc_context *ctx, const rlxc_expr *clamped, const rlxc_expr *size)
{
    if (clamped->kind != RLXC_EXPR_MAX)
        return false;
    const rlxc_expr *a = clamped->bin.a, *b = clamped->bin.b;
    return rlxc_prove_eq(ctx,
                         rlxc_is_const(b, 0)   ? a
                         : rlxc_is_const(a, 0) ? b
                                               : clamped,
                         size, NULL);
}

/* The one of two provably equal dimensions that says more; else NULL. Dimensions are not negative:
 * `n - 1`, of a convolution, and `max(n - 1, 0)`, of a slice, are both `n - 1`. */
static const rlxc_expr *same_size(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_prove_eq(ctx, a, b, NULL) || is_clamped(ctx, a, b) ? b
           : is_clamped(ctx, b, a)                                 ? a
                                                                   : NULL;
}

/* --- the broadcast dimension ------------------------------------------------------------------ */

typedef struct members {
    const rlxc_expr *at[MAX_MEMBERS];
    uint32_t n;
    bool full;
} members;

/* True if |e| is `rest if first == 1 else first`. */
static bool is_link(const rlxc_expr *e)
{
    if (e->kind != RLXC_EXPR_SELECT || e->select.cond->kind != RLXC_EXPR_EQ)
        return false;
    const rlxc_expr *a = e->select.cond->bin.a, *b = e->select.cond->bin.b;
    return (a == e->select.no && rlxc_is_const(b, 1)) || (b == e->select.no && rlxc_is_const(a, 1));
}

static void add_members(members *m, const rlxc_expr *e)
{
    for (;;) {
        const rlxc_expr *first = is_link(e) ? e->select.no : e;
        uint32_t i = 0;
        while (i < m->n && m->at[i]->id < first->id)
            i++;
        if (i == m->n || m->at[i] != first) {
            if (m->n == MAX_MEMBERS) {
                m->full = true;
                return;
            }
            memmove(m->at + i + 1, m->at + i, (m->n - i) * sizeof m->at[0]);
            m->at[i] = first;
            m->n++;
        }
        if (first == e)
            return;
        e = e->select.yes;
    }
}

static bool never_one(rlxc_context *ctx, const rlxc_expr *e)
{
    return rlxc_prove_ne(ctx, e, rlxc_i64(ctx, 1), NULL);
}

typedef struct given {
    const rlxc_expr *v, *one;
} given;

static const rlxc_expr *one_for(void *user, const rlxc_expr *e)
{
    const given *g = user;
    return e == g->v ? g->one : NULL;
}

/* Whether |other|, an expression of |v|, is 1 where |v| is. Of two dimensions that are equal or one
 * of them 1, |v| is then the larger: `n` and `min(n, 512)` broadcast to `n`. */
static bool one_where(rlxc_context *ctx, const rlxc_expr *v, const rlxc_expr *other)
{
    given g = {v, rlxc_i64(ctx, 1)};
    const rlxc_expr *there = other == v ? other : rlxc_expr_rewrite_all(ctx, other, one_for, &g);
    return there != other && rlxc_is_const(rlxc_canonical(ctx, there, NULL), 1);
}

/* Drops the members that another one decides. */
static void drop_decided(rlxc_context *ctx, members *m)
{
    for (uint32_t i = 0; i < m->n; i++) {
        const rlxc_expr *v = m->at[i];
        uint32_t kept = 0;
        for (uint32_t j = 0; j < m->n; j++) {
            i = j == i ? kept : i;
            if (!one_where(ctx, v, m->at[j]))
                m->at[kept++] = m->at[j];
        }
        m->n = kept;
    }
}

static const rlxc_expr *link(rlxc_context *ctx, const rlxc_expr *first, const rlxc_expr *rest)
{
    const rlxc_expr *is_one = rlxc_binary(ctx, RLXC_EXPR_EQ, first, rlxc_i64(ctx, 1));
    return rlxc_canonical(ctx, rlxc_select(ctx, is_one, rest, first), NULL);
}

const rlxc_expr *rlxc_broadcast_size(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    const rlxc_expr *same = same_size(ctx, a, b);
    if (same)
        return same;
    if (rlxc_is_const(a, 1))
        return b;
    if (rlxc_is_const(b, 1) || never_one(ctx, a))
        return a;
    if (never_one(ctx, b))
        return b;
    members m = {0};
    add_members(&m, a);
    add_members(&m, b);
    if (m.full)
        return link(ctx, a, b);
    drop_decided(ctx, &m);
    const rlxc_expr *out = m.at[m.n - 1];
    for (uint32_t i = m.n - 1; i-- > 0;)
        out = link(ctx, m.at[i], out);
    return out;
}

const rlxc_expr *rlxc_broadcast_index(rlxc_context *ctx, const rlxc_expr *own,
                                      const rlxc_expr *whole, const rlxc_expr *index)
{
    const rlxc_expr *zero = rlxc_i64(ctx, 0);
    if (same_size(ctx, own, whole) || never_one(ctx, own))
        return index;
    if (rlxc_is_const(own, 1))
        return zero;
    return rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_EQ, own, rlxc_i64(ctx, 1)), zero, index);
}

/* --- requirements ----------------------------------------------------------------------------- */

static bool is_within(const members *a, const members *b)
{
    for (uint32_t i = 0, k = 0; i < a->n; i++) {
        while (k < b->n && b->at[k] != a->at[i])
            k++;
        if (k == b->n)
            return false;
    }
    return !a->full && !b->full;
}

static bool proved(rlxc_context *ctx, rlxc_relation relation, const rlxc_expr *a,
                   const rlxc_expr *b)
{
    if (same_size(ctx, a, b))
        return true;
    members ma = {0}, mb = {0};
    switch (relation) {
    case RLXC_EQUAL:
        return false;
    case RLXC_BROADCAST:
        add_members(&ma, a);
        add_members(&mb, b);
        return rlxc_is_const(a, 1) || rlxc_is_const(b, 1) || is_within(&ma, &mb) ||
               is_within(&mb, &ma);
    case RLXC_FITS:
        add_members(&ma, a);
        add_members(&mb, b);
        return rlxc_is_const(a, 1) || is_within(&ma, &mb);
    case RLXC_MULTIPLE:
        return rlxc_is_const(rlxc_canonical(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, a, b), NULL),
                             0);
    case RLXC_AT_MOST:
        return rlxc_prove_le(ctx, a, b, NULL);
    }
    return false;
}

bool rlxc_relation_disproved(rlxc_context *ctx, rlxc_relation relation, const rlxc_expr *a,
                             const rlxc_expr *b)
{
    int64_t x, y;
    switch (relation) {
    case RLXC_EQUAL:
        return rlxc_prove_ne(ctx, a, b, NULL);
    case RLXC_BROADCAST:
        return rlxc_prove_ne(ctx, a, b, NULL) && never_one(ctx, a) && never_one(ctx, b);
    case RLXC_FITS:
        return rlxc_prove_ne(ctx, a, b, NULL) && never_one(ctx, a);
    case RLXC_MULTIPLE:
        return rlxc_is_int(a, &x) && rlxc_is_int(b, &y) && y > 0 && x % y != 0;
    case RLXC_AT_MOST:
        return rlxc_prove_lt(ctx, b, a, NULL);
    }
    return false;
}

static const char *phrase(const rlxc_call_view *v, rlxc_relation relation, rlxc_size a, rlxc_size b)
{
    const char *first = size_text(v, a), *second = size_text(v, b);
    switch (relation) {
    case RLXC_EQUAL:
        return rlxc_internf(v->ctx, "%s and %s must be equal", first, second);
    case RLXC_BROADCAST:
        return rlxc_internf(v->ctx, "%s and %s must be equal, or one of them 1", first, second);
    case RLXC_FITS:
        return rlxc_internf(v->ctx, "%s must be 1, or equal to %s", first, second);
    case RLXC_MULTIPLE:
        return rlxc_internf(v->ctx, "%s must be a multiple of %s", first, second);
    case RLXC_AT_MOST:
        return rlxc_internf(v->ctx, "%s must be at most %s", first, second);
    }
    return "";
}

bool rlxc_require(const rlxc_call_view *v, rlxc_relation relation, rlxc_size a, rlxc_size b)
{
    rlxc_context *ctx = v->ctx;
    if (proved(ctx, relation, a.dim, b.dim))
        return true;
    if (rlxc_relation_disproved(ctx, relation, a.dim, b.dim)) {
        const rlxc_expr *dims[2] = {a.dim, b.dim};
        rlxc_infer_error(v, "%s, got %s", phrase(v, relation, a, b),
                         rlxc_sinfo_text(ctx, rlxc_sinfo_shape(ctx, 2, dims)));
        return false;
    }
    if (v->call->unproved) {
        rlxc_requirement r = {relation, a.dim, b.dim,
                              rlxc_internf(ctx, "%s: %s", v->op, phrase(v, relation, a, b))};
        RLXC_PUSH(ctx, &v->call->unproved->items, r);
    }
    return true;
}

bool rlxc_require_equal(const rlxc_call_view *v, rlxc_size a, rlxc_size b)
{
    return rlxc_require(v, RLXC_EQUAL, a, b);
}

const rlxc_expr *rlxc_require_broadcast(const rlxc_call_view *v, rlxc_size a, rlxc_size b)
{
    return rlxc_require(v, RLXC_BROADCAST, a, b) ? rlxc_broadcast_size(v->ctx, a.dim, b.dim) : NULL;
}

const rlxc_sinfo *rlxc_infer_requirements(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call, rlxc_requirements *out)
{
    rlxc_binding asked = *call;
    asked.unproved = out;
    return call->op->infer(ctx, module, &asked);
}

const rlxc_sinfo *rlxc_infer_check_sizes(rlxc_context *ctx, const rlxc_module *module,
                                         const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_relation relation;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const char *name = rlxc_attr_get_str(call, "relation", "equal");
    if (!rlxc_relation_named(name, &relation))
        return rlxc_infer_error(&v, "there is no relation \"%s\"", name);
    for (uint32_t i = 0; i < 2; i++)
        if (!rlxc_prim_arg(ctx, module, call, i))
            return rlxc_infer_fail(&v, i, "expected an integer expression");
    return rlxc_sinfo_tuple(ctx, NULL, 0);
}
