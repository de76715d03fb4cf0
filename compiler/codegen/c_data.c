/* Sizes in C: those that only data determines, and those that may overflow.
 *
 * A symbol that is not the caller's gets its value in the body: R.match_cast binds it, or it is a
 * dimension that R.tensor_to_shape or a branch of an If produces. If its upper bound is known,
 * parts of the arena are planned for that bound. Other parts lie after the planned ones, one after
 * the other, in the rest of the caller's arena.
 *
 * Symbols without upper bounds may be large, so a product of them may overflow. Before the program
 * computes such a size, it computes the product of the factors' magnitudes in double (rlxc_c_size):
 * unlike a 64-bit number, that cannot wrap. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/codegen/c_graph.h"
#include "compiler/ir/match_expr.h"
#include "compiler/ir/op.h"
#include "compiler/ops/require.h"

#define MOST 0x1p62 /* the magnitude of numbers from which sizes are computed */

static bool is_callers(rlxc_c_graph *w, const rlxc_expr *symbol)
{
    return !rlxc_has_var(&w->inner, symbol) && rlxc_map_get(&w->g->vars, rlxc_key(symbol)) != NULL;
}

bool rlxc_c_is_known(rlxc_c_graph *w, const rlxc_expr *e)
{
    rlxc_var_list used = {0};
    rlxc_collect_vars(w->ctx, e, &used);
    for (uint32_t i = 0; i < used.vars.count; i++)
        if (!rlxc_map_get(&w->g->vars, rlxc_key(used.vars.items[i])))
            return false;
    return true;
}

const rlxc_expr *rlxc_c_limit(rlxc_c_graph *w, const rlxc_expr *e)
{
    rlxc_var_list used = {0};
    rlxc_collect_vars(w->ctx, e, &used);
    for (uint32_t i = 0; i < used.vars.count; i++) {
        const rlxc_expr *var = used.vars.items[i], *limit;
        if (is_callers(w, var))
            continue;
        limit = rlxc_map_get(&w->limits, rlxc_key(var));
        if (!limit)
            return NULL;
        e = rlxc_substitute(w->ctx, e, &var, &limit, 1);
    }
    return rlxc_canonical(w->ctx, e, NULL);
}

/* --- before the text -------------------------------------------------------------------------- */

static void note_symbol(rlxc_c_graph *w, const rlxc_expr *symbol, const rlxc_expr *most)
{
    if (symbol->kind != RLXC_EXPR_VAR || rlxc_map_get(&w->g->vars, rlxc_key(symbol)))
        return;
    rlxc_collect_vars(w->ctx, symbol, &w->inner);
    const rlxc_expr *limit = most ? rlxc_c_limit(w, most) : NULL;
    if (limit && !rlxc_map_get(&w->limits, rlxc_key(symbol)))
        rlxc_map_set(w->ctx, &w->limits, rlxc_key(symbol), (void *)(uintptr_t)limit);
}

/* A type like |s|, with new symbols as dimensions. */
static const rlxc_sinfo *with_dims(rlxc_c_graph *w, const rlxc_sinfo *s, const char *name)
{
    const rlxc_expr **dims = rlxc_alloc(w->ctx, ((size_t)s->ndim + 1) * sizeof *dims);
    for (int32_t i = 0; i < s->ndim; i++) {
        dims[i] = rlxc_var(w->ctx, rlxc_internf(w->ctx, "%s_%d", name, i), RLX_I64);
        note_symbol(w, dims[i], NULL);
        rlxc_collect_vars(w->ctx, dims[i], &w->sizes);
    }
    return s->kind == RLXC_SINFO_SHAPE
               ? rlxc_sinfo_shape(w->ctx, s->ndim, dims)
               : rlxc_sinfo_tensor(w->ctx, s->dtype, s->ndim, dims, s->vdevice);
}

static void note_cast(rlxc_c_graph *w, const rlxc_binding *b)
{
    const rlxc_sinfo *from = rlxc_c_type_of(w, b->args[0]), *to = b->sinfo_args[0];
    if (to->kind == RLXC_SINFO_PRIM && to->value)
        note_symbol(w, to->value, NULL);
    for (int32_t i = 0; to->dims && i < to->ndim; i++)
        note_symbol(w, to->dims[i],
                    from && from->dims && from->ndim == to->ndim ? from->dims[i] : NULL);
}

void rlxc_c_note_data(rlxc_c_graph *w, const rlxc_binding *b)
{
    const rlxc_sinfo *s = b->var->sinfo;
    const bool has_rank = s && (s->kind == RLXC_SINFO_TENSOR || s->kind == RLXC_SINFO_SHAPE) &&
                          !s->dims && s->ndim >= 0;
    rlxc_relation relation = RLXC_EQUAL;
    const void *type;
    if (b->form == RLXC_FORM_MATCH_CAST)
        note_cast(w, b);
    if (b->form == RLXC_FORM_COPY && b->args[0].kind == RLXC_ATOM_VAR &&
        (type = rlxc_map_get(&w->types, rlxc_key(b->args[0].var))) != NULL)
        rlxc_map_set(w->ctx, &w->types, rlxc_key(b->var), (void *)(uintptr_t)type);
    if (has_rank && (b->form == RLXC_FORM_IF ||
                     (b->form == RLXC_FORM_CALL && b->callee.kind == RLXC_ATOM_EXTERN &&
                      strcmp(b->callee.text, "rlx.tensor_to_shape") == 0)))
        rlxc_map_set(w->ctx, &w->types, rlxc_key(b->var),
                     (void *)(uintptr_t)with_dims(w, s, b->var->name));
    if (rlxc_is_op(b, "check_sizes") &&
        rlxc_relation_named(rlxc_attr_get_str(b, "relation", "equal"), &relation) &&
        relation == RLXC_AT_MOST)
        note_symbol(w, rlxc_prim_arg(w->ctx, w->m->module, b, 0),
                    rlxc_prim_arg(w->ctx, w->m->module, b, 1));
}

/* --- text ------------------------------------------------------------------------------------- */

void rlxc_c_bind_inner(rlxc_c_graph *w, const rlxc_expr *symbol, const rlxc_expr *is,
                       const char *value)
{
    rlxc_cl *g = w->g;
    const char *name = rlxc_cl_name(g, symbol->var.name);
    const rlxc_bound b = rlxc_c_range_of(w, symbol);
    const bool is_symbol = is && is->kind == RLXC_EXPR_VAR;
    const rlxc_bound known = is_symbol ? rlxc_c_range_of(w, is) : (rlxc_bound){0};
    rlxc_cl_line(g, "const int64_t %s = %s;", name, rlxc_c_bare(g, value));
    rlxc_c_local(g, name);
    rlxc_cl_bind(g, symbol, name, false);
    if (is_symbol && known.min >= b.min && known.max <= b.max)
        return;
    rlxc_c_check_range(w, name, b, rlxc_internf(w->ctx, "%s_E_SHAPE", w->m->macro));
}

static bool is_sum_or_product(const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_ADD || e->kind == RLXC_EXPR_SUB || e->kind == RLXC_EXPR_MUL;
}

/* A number that no intermediate result of |e| exceeds in magnitude, and the double expression that
 * gives it at run time. What is neither a sum nor a product is a value. */
static double magnitude(rlxc_c_graph *w, const rlxc_expr *e, const char **text)
{
    if (e->kind == RLXC_EXPR_INT) {
        const double value = fmax(fabs((double)e->i), 1);
        *text = rlxc_internf(w->ctx, "%.1f", value);
        return value;
    }
    if (is_sum_or_product(e)) {
        const bool is_product = e->kind == RLXC_EXPR_MUL;
        const char *x, *y;
        const double a = magnitude(w, e->bin.a, &x), b = magnitude(w, e->bin.b, &y);
        *text = rlxc_internf(w->ctx, is_product ? "%s * %s" : "(%s + %s)", x, y);
        return is_product ? a * b : a + b;
    }
    const rlxc_bound b = rlxc_bound_of(w->ctx, e, &w->plan.bounds);
    *text = rlxc_internf(w->ctx, "rlx_magnitude(%s)", rlxc_c_bare(w->g, rlxc_cl_index(w->g, e)));
    return fmax(fmax(-(double)b.min, (double)b.max), 1);
}

typedef struct size_check {
    const char *failure; /* what the emitted code returns */
    const char *when;    /* the condition under which the size is computed; NULL: always */
} size_check;

static void check_size(rlxc_c_graph *w, const rlxc_expr *e, bool is_inside, size_check c);

/* Only the value that |cond| selects is computed. */
static void check_selected(rlxc_c_graph *w, const rlxc_expr *cond, const rlxc_expr *yes,
                           const rlxc_expr *no, size_check c)
{
    check_size(w, cond, false, c);
    for (int i = 0; i < 2; i++) {
        const char *text = rlxc_internf(w->ctx, "%s%s", i ? "!" : "", rlxc_cl_expr(w->g, cond));
        const size_check side = {c.failure,
                                 c.when ? rlxc_internf(w->ctx, "%s && %s", c.when, text) : text};
        check_size(w, i ? no : yes, false, side);
    }
}

/* Emits code that fails where a sum or product in |e| might overflow, operands before what uses
 * them. |is_inside|: |e| is a term or factor. */
static void check_size(rlxc_c_graph *w, const rlxc_expr *e, bool is_inside, size_check c)
{
    const char *text;
    for (uint32_t i = 0; i < w->checked.count && !is_inside; i++)
        if (rlxc_same(w->checked.items[i], e))
            return;
    const bool is_inner = is_sum_or_product(e);
    if (rlxc_is_binary(e)) {
        check_size(w, e->bin.a, is_inner, c);
        check_size(w, e->bin.b, is_inner, c);
    } else if (e->kind == RLXC_EXPR_SELECT) {
        check_selected(w, e->select.cond, e->select.yes, e->select.no, c);
    } else if (rlxc_is_choice(e)) {
        check_selected(w, e->call.args[0], e->call.args[1], e->call.args[2], c);
    }
    if (!is_inner || is_inside)
        return;
    if (magnitude(w, e, &text) > MOST) {
        rlxc_cl_line(w->g, "if (%s%s%s > 0x1p62)", c.when ? c.when : "", c.when ? " && " : "",
                     text);
        rlxc_cl_line(w->g, "  return %s;", c.failure);
    }
    if (!c.when)
        RLXC_PUSH(w->ctx, &w->checked, e);
}

const char *rlxc_c_size(rlxc_c_graph *w, const rlxc_expr *e, const char *failure)
{
    check_size(w, e, false, (size_check){failure, NULL});
    return rlxc_cl_index(w->g, e);
}

const char *rlxc_c_body_size(rlxc_c_graph *w, const rlxc_expr *e)
{
    return rlxc_c_size(w, e, rlxc_internf(w->ctx, "%s_E_SHAPE", w->m->macro));
}

void rlxc_c_begin_part(rlxc_c_graph *w, uint32_t part)
{
    rlxc_c_part *p = &w->plan.parts.items[part];
    rlxc_cl *g = w->g;
    const rlxc_expr *bytes = rlxc_canonical(w->ctx, p->bytes, &w->plan.bounds);
    const rlxc_expr *actual = p->actual ? rlxc_canonical(w->ctx, p->actual, &w->plan.bounds) : NULL;
    if (p->is_late) {
        const char *text = rlxc_c_body_size(w, bytes);
        p->at = rlxc_cl_name(g, "part");
        rlxc_cl_line(g, "unsigned char *const %s = rlx_take(arena_start, arena_bytes, &used, %s);",
                     p->at, rlxc_c_bare(g, text));
        rlxc_cl_line(g, "if (!%s)", p->at);
    } else if (actual && !rlxc_prove_le(w->ctx, actual, bytes, &w->plan.bounds)) {
        const char *uses = rlxc_c_body_size(w, actual), *has = rlxc_c_body_size(w, bytes);
        rlxc_cl_line(g, "if (%s > %s)", rlxc_c_bare(g, uses), has);
    } else {
        return;
    }
    rlxc_cl_line(g, "  return %s_E_MEMORY;", w->m->macro);
}
