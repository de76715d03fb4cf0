/* Sizes that only data determines, in C.
 *
 * A symbol that is not the caller's gets its value in the body: R.match_cast binds it, or it is a
 * dimension that R.tensor_to_shape or a branch of an If produces. If its upper bound is known,
 * parts of the arena are planned for that bound. Other parts lie after the planned ones, one after
 * the other, in the rest of the caller's arena. */
#include <inttypes.h>
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/codegen/c_graph.h"
#include "compiler/ir/op.h"
#include "compiler/ops/require.h"

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

void rlxc_c_begin_part(rlxc_c_graph *w, uint32_t part)
{
    rlxc_c_part *p = &w->plan.parts.items[part];
    rlxc_cl *g = w->g;
    const rlxc_expr *bytes = rlxc_canonical(w->ctx, p->bytes, &w->plan.bounds);
    const rlxc_expr *actual = p->actual ? rlxc_canonical(w->ctx, p->actual, &w->plan.bounds) : NULL;
    if (p->is_late) {
        p->at = rlxc_cl_name(g, "part");
        rlxc_cl_line(g, "unsigned char *const %s = rlx_take(arena_start, arena_bytes, &used, %s);",
                     p->at, rlxc_c_bare(g, rlxc_cl_index(g, bytes)));
        rlxc_cl_line(g, "if (!%s)", p->at);
    } else if (actual && !rlxc_prove_le(w->ctx, actual, bytes, &w->plan.bounds)) {
        rlxc_cl_line(g, "if (%s > %s)", rlxc_c_bare(g, rlxc_cl_index(g, actual)),
                     rlxc_cl_index(g, bytes));
    } else {
        return;
    }
    rlxc_cl_line(g, "  return %s_E_MEMORY;", w->m->macro);
}
