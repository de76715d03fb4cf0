/* Finds attention in the stages of a PrimFunc: normal form reads it (schedule/normal_attention.h);
 * here are the keys that a query sees, and the operands that the kernel turns or widens. */
#include <math.h>
#include <string.h>

#include "compiler/kernels/attention/attention.h"

enum { N_STAGES = 7 };
#define MOST_SCALE 0x1p20

/* --- the mask --------------------------------------------------------------------------------- */

/* True if |bound| is the query's number plus a term independent of query and key. */
static bool moves_with_query(rlxc_context *ctx, const rlxc_attention_form *f,
                             const rlxc_expr *bound)
{
    const rlxc_expr *query = f->axes[RLXC_ROLE_QUERY];
    const rlxc_expr *rest = rlxc_canonical(ctx, rlxc_sub(ctx, bound, query), NULL);
    return !rlxc_expr_uses_var(ctx, rest, query) &&
           !rlxc_expr_uses_var(ctx, rest, f->axes[RLXC_ROLE_KEY]);
}

static void read_condition(rlxc_context *ctx, const rlxc_expr *cond, rlxc_attention *a)
{
    const rlxc_expr *key = a->form.axes[RLXC_ROLE_KEY];
    if (cond->kind == RLXC_EXPR_AND) {
        read_condition(ctx, cond->bin.a, a);
        read_condition(ctx, cond->bin.b, a);
        return;
    }
    if (cond->kind != RLXC_EXPR_LE && cond->kind != RLXC_EXPR_GE)
        return;
    bool key_first = cond->bin.a == key;
    const rlxc_expr *bound = key_first ? cond->bin.b : cond->bin.a;
    if ((!key_first && cond->bin.b != key) || !moves_with_query(ctx, &a->form, bound))
        return;
    if ((cond->kind == RLXC_EXPR_LE) == key_first)
        a->last_seen = bound;
    else
        a->first_seen = bound;
}

/* If the map is "condition ? score : a number below all scores", the range of visible keys. Both
 * ends are used only if they do not cross. */
static void read_mask(rlxc_context *ctx, rlxc_attention *a)
{
    const rlxc_expr *v = a->form.map;
    int64_t width;
    if (v->kind != RLXC_EXPR_SELECT || v->select.no->kind != RLXC_EXPR_FLOAT ||
        v->select.no->f > -1e38)
        return;
    read_condition(ctx, v->select.cond, a);
    if (a->first_seen && a->last_seen &&
        (!rlxc_is_int(rlxc_canonical(ctx, rlxc_sub(ctx, a->last_seen, a->first_seen), NULL),
                      &width) ||
         width < 0))
        a->first_seen = a->last_seen = NULL;
    const bool masked = rlxc_expr_loads(ctx, v->select.yes);
    a->hidden = masked && isfinite(v->select.no->f) ? v->select.no : NULL;
}

/* --- operands --------------------------------------------------------------------------------- */

typedef struct search {
    rlxc_context *ctx;
    rlxc_attention *a;
} search;

static bool is_other(void *user, const rlxc_expr *e)
{
    return e != user;
}

/* True if conditional reads in |e| stay conditional. */
static void drop_inside(rlxc_context *ctx, const rlxc_expr *e, rlxc_attention *a)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->n_crossed; i++)
        if (rlxc_expr_visit(ctx, e, is_other, (void *)(uintptr_t)a->crossed[i]))
            a->crossed[kept++] = a->crossed[i];
    a->n_crossed = kept;
}

static bool note_crossed(void *user, const rlxc_expr *e)
{
    const search *q = user;
    rlxc_attention *a = q->a;
    const rlxc_expr *const *axes = a->form.axes;
    int64_t by_query, by_key;
    if (e->kind == RLXC_EXPR_AND || e->kind == RLXC_EXPR_OR || rlxc_is_choice(e))
        drop_inside(q->ctx, e, a);
    if (e->kind != RLXC_EXPR_LOAD || !rlxc_dtype_is_float(e->dtype) || e->dtype.lanes != 1 ||
        !rlxc_access_stride(q->ctx, e->load.buffer, e->load.indices, axes[RLXC_ROLE_QUERY],
                            &by_query) ||
        !rlxc_access_stride(q->ctx, e->load.buffer, e->load.indices, axes[RLXC_ROLE_KEY],
                            &by_key) ||
        by_key != 1 || by_query == 0 || by_query == 1)
        return true;
    for (uint32_t i = 0; i < a->n_crossed; i++)
        if (a->crossed[i] == e)
            return true;
    if (a->n_crossed < RLXC_ATTENTION_CROSSED)
        a->crossed[a->n_crossed++] = e;
    return true;
}

static bool note_widened(void *user, const rlxc_expr *e)
{
    const search *q = user;
    q->a->widens = q->a->widens || (e->kind == RLXC_EXPR_LOAD && e->dtype.bits == 16);
    return true;
}

/* --- the scale -------------------------------------------------------------------------------- */

typedef struct scaling {
    const rlxc_expr *score, *product; /* of |score| and a constant */
    const rlxc_expr *instead;
} scaling;

static bool note_product(void *user, const rlxc_expr *e)
{
    scaling *q = user;
    if (e->kind == RLXC_EXPR_MUL && ((e->bin.a == q->score && e->bin.b->kind == RLXC_EXPR_FLOAT) ||
                                     (e->bin.b == q->score && e->bin.a->kind == RLXC_EXPR_FLOAT)))
        q->product = e;
    return true;
}

static const rlxc_expr *drop_product(void *user, const rlxc_expr *e)
{
    const scaling *q = user;
    return e == q->product ? q->instead : NULL;
}

/* Takes the factor out of the map if the map uses the score for that product alone, and queries
 * times the factor are far from the limits of their type. */
static void take_scale(rlxc_context *ctx, rlxc_attention *a)
{
    const rlxc_expr *score = a->form.score;
    scaling q = {score, NULL, rlxc_var_like(ctx, score)};
    rlxc_expr_visit(ctx, a->form.map, note_product, &q);
    if (!q.product || !rlxc_dtype_eq(q.product->dtype, a->form.query->dtype))
        return;
    const rlxc_expr *scale = q.product->bin.a == score ? q.product->bin.b : q.product->bin.a;
    const rlxc_expr *map = rlxc_expr_rewrite_all(ctx, a->form.map, drop_product, &q);
    if (rlxc_expr_uses_var(ctx, map, score) || !(fabs(scale->f) >= 1 / MOST_SCALE) ||
        fabs(scale->f) > MOST_SCALE)
        return;
    a->scale = scale;
    a->form.map = rlxc_substitute(ctx, map, &q.instead, &score, 1);
}

/* --- all stages ------------------------------------------------------------------------------- */

/* Reads the stages as they are written; out->why says what they lack. */
static bool read_stages(const rlxc_stages *s, rlxc_attention_form *out)
{
    rlxc_nests nests = {0};
    uint32_t *writers = rlxc_try_alloc(s->ctx, (size_t)s->temps.count + 1, sizeof *writers);
    const rlxc_temps temps = {s->temps.items, writers, s->temps.count};
    *out = (rlxc_attention_form){.why = "not every block is a loop nest of its own"};
    for (uint32_t t = 0; t < temps.n && writers; t++) {
        writers[t] = 0;
        for (uint32_t i = 0; i < s->n; i++)
            writers[t] += s->items[i].out == temps.items[t];
    }
    for (uint32_t i = 0; i < s->n && writers; i++)
        if (!rlxc_distribute(s->ctx, s->items[i].stmt, &temps, &nests) || nests.count != i + 1)
            return false;
    return writers && rlxc_read_attention(s->ctx, nests.items, nests.count, &temps, out);
}

bool rlxc_attention_find(const rlxc_stages *s, rlxc_attention *a)
{
    rlxc_context *ctx = s->ctx;
    search q = {ctx, a};
    *a = (rlxc_attention){.inverse = NULL};
    if (s->n != N_STAGES || !s->root)
        return rlxc_decline(s,
                            "the function has %u blocks, attention is %d: scores, mask, maximum, "
                            "exp, sum, weighted values, quotient",
                            s->n, N_STAGES);
    if (!read_stages(s, &a->form))
        return rlxc_decline(s, "%s", a->form.why);
    a->inverse = rlxc_var_like(ctx, a->form.sum);
    if (a->form.factor != 1)
        return rlxc_decline(s, "looks like attention, but the scores are not those of exp");
    a->queries = a->form.extents[RLXC_ROLE_QUERY];
    a->keys = a->form.extents[RLXC_ROLE_KEY];
    rlxc_expr_visit(ctx, a->form.key, note_widened, &q);
    rlxc_expr_visit(ctx, a->form.value, note_widened, &q);
    take_scale(ctx, a);
    read_mask(ctx, a);
    rlxc_expr_visit(ctx, a->form.map, note_crossed, &q);
    return true;
}
