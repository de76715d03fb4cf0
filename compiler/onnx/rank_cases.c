/* Nodes whose result has one of two ranks, decided only at run time.
 *
 * The later nodes decide which one is possible. Both cases are tried on the nodes that follow, on a
 * few first, then on more: until one fails, or until all values still in use agree in both. A trial
 * skips nodes that need a result of another such node, so that trials do not nest. Only if both
 * cases fit are the nodes up to the meeting point imported in the branches of an If, which may
 * contain more such nodes: MAX_SPLITS and RLXC_OX_MAX_AGAIN bound the work. Combinations of choices
 * at several nodes deeper than MAX_SPLITS are not tried: they are refused. */
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/loop.h"
#include "compiler/onnx/object.h"

enum { MAX_SPLITS = 3, FIRST_TRIED = 4 };

/* --- what is used, and where for the last time --------------------------------------------------
 */

/* Uses by the nodes of |g| from |at| on; uses in bodies count for their node. */
static void note_uses(rlxc_ox *im, const Onnx__GraphProto *g, rlxc_map *uses, size_t at,
                      uint32_t depth)
{
    for (size_t i = 0; i < g->n_node && depth < RLXC_OX_MAX_DEPTH && !rlxc_out_of_memory(im->ctx);
         i++) {
        const Onnx__NodeProto *node = g->node[i];
        size_t use = depth == 0 ? i + 1 : at;
        for (size_t k = 0; k < node->n_input; k++)
            if (node->input[k])
                rlxc_map_set(im->ctx, uses, rlxc_key(rlxc_intern_cstr(im->ctx, node->input[k])),
                             (void *)(uintptr_t)use);
        for (size_t k = 0; k < node->n_attribute; k++)
            if (node->attribute[k]->g)
                note_uses(im, node->attribute[k]->g, uses, use, depth + 1);
    }
    for (size_t i = 0; i < g->n_output; i++)
        if (g->output[i]->name)
            rlxc_map_set(im->ctx, uses, rlxc_key(rlxc_intern_cstr(im->ctx, g->output[i]->name)),
                         (void *)(uintptr_t)(depth == 0 ? g->n_node + 1 : at));
}

/* By name: 1 + the index of the last node that uses it; for an output 1 + their number. */
static const rlxc_map *last_uses(rlxc_ox *im, const Onnx__GraphProto *g)
{
    rlxc_map *uses = rlxc_map_get(&im->last_uses, rlxc_key(g));
    if (!uses) {
        uses = rlxc_alloc(im->ctx, sizeof *uses);
        rlxc_map_set(im->ctx, &im->last_uses, rlxc_key(g), uses);
        note_uses(im, g, uses, 0, 0);
    }
    return uses;
}

static size_t last_use(const rlxc_map *uses, const char *key)
{
    return (size_t)(uintptr_t)rlxc_map_get(uses, rlxc_key(key));
}

/* --- trials -------------------------------------------------------------------------------------
 */

/* True if the nodes up to |end| can be imported in case |k|; |values| are their results. */
static bool fits(rlxc_ox *im, const rlxc_ox_cases *c, uint32_t k, size_t end, rlxc_map *values)
{
    const rlxc_ox_rest *rest = im->rest;
    rlxc_said said = rlxc_said_so_far(im->ctx);
    uint32_t n_failed = im->n_failed, n_imported = im->n_imported, errors = im->errors;
    uint32_t before = rlxc_error_count(im->ctx);
    rlxc_ox_branch b;
    rlxc_ox_begin_branch(im, &b);
    im->trying = true;
    c->take(im, c->user, k);
    if (im->failed)
        rlxc_ox_poison(im);
    if (rlxc_error_count(im->ctx) == before)
        rlxc_ox_import_nodes(im, rest->graph, rest->next, end);
    bool ok = rlxc_error_count(im->ctx) == before;
    im->trying = false;
    *values = b.scope.values;
    (void)rlxc_ox_end_branch(im, &b, NULL, 0);
    rlxc_take_back(im->ctx, said);
    im->n_failed = n_failed;
    im->n_imported = n_imported;
    im->errors = errors;
    im->failed = false;
    return ok;
}

static bool same_exprs(const rlxc_expr *const *a, const rlxc_expr *const *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* True if both are the same earlier value, or a constant. */
static bool same_value(const rlxc_ox_value *a, const rlxc_ox_value *b)
{
    if (a->kind != RLXC_OX_TENSOR || b->kind != RLXC_OX_TENSOR)
        return false;
    if (a->elems && b->elems && a->atom.kind == RLXC_ATOM_NONE && b->atom.kind == RLXC_ATOM_NONE)
        return rlxc_dtype_eq(a->dtype, b->dtype) && a->is_vector == b->is_vector &&
               a->n_elems == b->n_elems && same_exprs(a->elems, b->elems, a->n_elems);
    return (a->atom.kind == RLXC_ATOM_VAR && b->atom.kind == RLXC_ATOM_VAR &&
            a->atom.var == b->atom.var) ||
           (a->atom.kind == RLXC_ATOM_CONSTANT && b->atom.kind == RLXC_ATOM_CONSTANT &&
            a->atom.constant == b->atom.constant);
}

/* True if joining |a| and |b| loses nothing that later nodes may need: element type, rank, constant
 * dimensions, known elements. */
static bool alike(rlxc_ox *im, const rlxc_ox_value *a, const rlxc_ox_value *b)
{
    if (same_value(a, b))
        return true;
    if (!rlxc_ox_same_kind(a, b))
        return false;
    if (a->kind == RLXC_OX_SEQUENCE) { /* of as many items: rlxc_ox_same_kind */
        for (uint32_t i = 0; i < a->n_items; i++)
            if (!alike(im, a->items[i], b->items[i]))
                return false;
        return true;
    }
    if (a->kind != RLXC_OX_TENSOR || a->elems || b->elems || a->grid || b->grid ||
        a->atom.kind != RLXC_ATOM_VAR || b->atom.kind != RLXC_ATOM_VAR)
        return a->kind == RLXC_OX_ABSENT;
    const rlxc_sinfo *s = rlxc_ox_info(im, a->atom), *t = rlxc_ox_info(im, b->atom);
    if (!s || !t || s->ndim == RLXC_UNKNOWN_NDIM || s->ndim != t->ndim ||
        !rlxc_dtype_eq(s->dtype, t->dtype) || !s->dims || !t->dims)
        return false;
    for (int32_t i = 0; i < s->ndim; i++) {
        int64_t known;
        if (s->dims[i] != t->dims[i] &&
            (rlxc_is_int(s->dims[i], &known) || rlxc_is_int(t->dims[i], &known)))
            return false;
    }
    return true;
}

/* The first index from the current node to |end| after which all used values agree in both cases;
 * 0: none. */
static size_t meeting_point(rlxc_ox *im, const rlxc_map values[2], size_t end)
{
    const Onnx__GraphProto *g = im->rest->graph;
    const rlxc_map *uses = last_uses(im, g);
    size_t needed = 0; /* differing values are used up to here */
    for (size_t i = im->rest->next; i <= end; i++) {
        const Onnx__NodeProto *node = g->node[i - 1];
        for (size_t k = 0; k < node->n_output; k++) {
            const char *name = rlxc_intern_cstr(im->ctx, node->output[k] ? node->output[k] : "");
            const rlxc_ox_value *a = rlxc_map_get(&values[0], rlxc_key(name));
            const rlxc_ox_value *b = rlxc_map_get(&values[1], rlxc_key(name));
            size_t used = last_use(uses, name);
            if (used > needed && (a || b) && (!a || !b || !alike(im, a, b)))
                needed = used;
        }
        if (needed <= i)
            return i;
    }
    return 0;
}

/* --- both cases ---------------------------------------------------------------------------------
 */

/* Checks at run time that |cond|, a bool scalar, is |wanted|. */
static void demand(rlxc_ox *im, rlxc_atom cond, bool wanted)
{
    const rlxc_expr *one = rlxc_ox_i(im, 1), *value = rlxc_ox_i(im, wanted);
    rlxc_atom vector = rlxc_ox_reshape(im, rlxc_ox_cast(im, cond, RLX_I64), &one, 1);
    rlxc_ox_match(im, rlxc_ox_op1(im, "tensor_to_shape", vector),
                  rlxc_sinfo_shape(im->ctx, 1, &value));
}

/* The results up to |join| that are used later. */
typedef struct live {
    RLXC_VEC(const char *) names;
    rlxc_ox_value **values[2];
} live;

static void find_live(rlxc_ox *im, size_t join, live *out)
{
    const Onnx__GraphProto *g = im->rest->graph;
    const rlxc_map *uses = last_uses(im, g);
    rlxc_map seen = {0};
    for (size_t i = im->rest->next - 1; i < join; i++)
        for (size_t k = 0; k < g->node[i]->n_output; k++) {
            const char *text = g->node[i]->output[k];
            const char *name = rlxc_intern_cstr(im->ctx, text ? text : "");
            if (!*name || last_use(uses, name) <= join || rlxc_map_get(&seen, rlxc_key(name)))
                continue;
            rlxc_map_set(im->ctx, &seen, rlxc_key(name), out);
            RLXC_PUSH(im->ctx, &out->names, name);
        }
    for (uint32_t k = 0; k < 2; k++)
        out->values[k] = rlxc_alloc(im->ctx, (out->names.count + 1) * sizeof *out->values[k]);
}

/* Imports the current node in case |k| and the nodes up to |join| in a branch of their own; NULL if
 * they fail. */
static rlxc_body *nodes_in_branch(rlxc_ox *im, const rlxc_ox_cases *c, uint32_t k, size_t join,
                                  live *l)
{
    rlxc_ox_rest *rest = im->rest, whole = *rest;
    uint32_t before = im->n_failed, errors = im->errors;
    rlxc_ox_branch b;
    rlxc_ox_begin_branch(im, &b);
    rest->end = join;
    c->take(im, c->user, k); /* which may import some later nodes too */
    if (!im->failed)
        rlxc_ox_import_nodes(im, rest->graph, rest->next, join);
    im->errors = errors;
    im->failed = im->failed || im->n_failed > before;
    *rest = whole;
    for (uint32_t i = 0; i < l->names.count && !im->failed; i++) {
        rlxc_ox_value *v = rlxc_ox_lookup(im, l->names.items[i]);
        if (!v)
            rlxc_ox_fail(im, "no node produces '%.60s'", l->names.items[i]);
        else if (v->kind == RLXC_OX_FAILED)
            im->failed = true;
        l->values[k][i] = v;
    }
    rlxc_body *body = rlxc_ox_end_branch(im, &b, NULL, 0);
    return im->failed ? NULL : body;
}

void rlxc_ox_end_with(rlxc_ox *im, rlxc_body *body, rlxc_ox_value *const *v, uint32_t n)
{
    rlxc_ox_branch b;
    rlxc_atom *items = rlxc_alloc(im->ctx, (n + 1) * sizeof *items);
    rlxc_ox_begin_branch(im, &b);
    b.body = *body;
    im->frame->b.block = NULL;
    rlxc_ox_begin_block(im, true);
    for (uint32_t i = 0; i < n; i++)
        items[i] = rlxc_ox_result(im, v[i]);
    *body = *rlxc_ox_end_branch(im, &b, items, n);
}

/* An If with the branches |bodies|; defines its results, and values that are the same in both.
 */
static void join_branches(rlxc_ox *im, rlxc_atom cond, rlxc_body *const bodies[2], const live *l)
{
    rlxc_ox_value **own[3];
    const char **names = rlxc_alloc(im->ctx, (l->names.count + 1) * sizeof *names);
    uint32_t n = 0;
    for (uint32_t k = 0; k < 3; k++)
        own[k] = rlxc_alloc(im->ctx, (l->names.count + 1) * sizeof **own);
    for (uint32_t i = 0; i < l->names.count; i++) {
        if (same_value(l->values[0][i], l->values[1][i])) {
            rlxc_ox_define(im, l->names.items[i], l->values[0][i]);
            continue;
        }
        own[0][n] = l->values[0][i];
        own[1][n] = l->values[1][i];
        names[n++] = l->names.items[i];
    }
    if (n == 0)
        return;
    for (uint32_t k = 0; k < 2; k++)
        rlxc_ox_end_with(im, bodies[k], own[k], n);
    rlxc_ox_choose(im, cond, bodies, own[0], own[1], n, own[2]);
    for (uint32_t i = 0; i < n && !im->failed; i++)
        rlxc_ox_define(im, names[i], own[2][i]);
}

static void refuse(rlxc_ox *im, int most, const char *what)
{
    im->failed = false;
    rlxc_ox_fail(
        im, "the rank of '%.60s' is known only at run time, and several ranks fit; at most %d %s",
        im->node->n_output > 0 ? im->node->output[0] : "", most, what);
    im->refused = true;
}

static bool too_much(rlxc_ox *im, rlxc_said said)
{
    if (im->refused || im->n_again < RLXC_OX_MAX_AGAIN)
        return im->refused;
    rlxc_take_back(im->ctx, said);
    refuse(im, RLXC_OX_MAX_AGAIN, "nodes are imported for such ranks");
    return true;
}

void rlxc_ox_split(rlxc_ox *im, rlxc_atom cond, const rlxc_ox_cases *c)
{
    if (im->trying || im->refused || !rlxc_ox_good(im)) {
        im->failed = true;
        return;
    }
    rlxc_ox_rest *rest = im->rest;
    rlxc_said said = rlxc_said_so_far(im->ctx);
    size_t join = 0, room = rest->end - rest->next;
    bool fit[2] = {true, true};
    rlxc_map values[2];
    for (size_t n = FIRST_TRIED; join == 0 && fit[0] && fit[1]; n *= 2) {
        size_t end = rest->next + (n < room ? n : room);
        for (uint32_t k = 0; k < 2; k++)
            fit[k] = fits(im, c, k, end, &values[k]);
        if (too_much(im, said))
            return;
        if (fit[0] && fit[1])
            join = meeting_point(im, values, end);
        if (join == 0 && end == rest->end)
            join = end;
    }
    live l = {.names = {0}};
    rlxc_body *bodies[2] = {NULL, NULL};
    if (fit[0] && fit[1] && im->n_splits >= MAX_SPLITS) {
        refuse(im, MAX_SPLITS, "such results can be in use at once");
        return;
    }
    if (fit[0] && fit[1])
        find_live(im, join, &l);
    im->n_splits++;
    for (uint32_t k = 0; k < 2 && fit[0] && fit[1]; k++) {
        uint32_t failed = im->n_failed;
        bodies[k] = nodes_in_branch(im, c, k, join, &l);
        if (too_much(im, said))
            break;
        fit[k] = bodies[k] != NULL;
        if (!fit[k]) {
            rlxc_take_back(im->ctx, said);
            im->n_failed = failed;
            im->failed = false;
        }
    }
    im->n_splits--;
    if (im->refused) {
        im->failed = true;
        return;
    }
    if (!fit[0] || !fit[1]) {
        uint32_t k = fit[0] ? 0 : 1;
        demand(im, cond, k == 0);
        c->take(im, c->user, k);
        return;
    }
    rlxc_ox_poison(im); /* unused names stay unused */
    rest->next = join;
    join_branches(im, cond, bodies, &l);
}
