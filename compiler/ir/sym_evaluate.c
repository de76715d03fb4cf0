/* Evaluates integer expressions at given values of their variables, with the same checked
 * arithmetic as the VM. Loads and calls cannot be evaluated. */
#include "compiler/ir/sym_state.h"

typedef struct evaluation {
    rlxc_sym s; /* scratch memory; s.others maps expression -> int64_t */
    const rlxc_expr *const *vars;
    const int64_t *values;
    uint32_t n;
} evaluation;

static bool evaluate(evaluation *ev, const rlxc_expr *e, int64_t *out);

static bool evaluate_inner(evaluation *ev, const rlxc_expr *e, int64_t *out)
{
    int64_t a, b;
    if (rlxc_is_binary(e)) {
        if (!evaluate(ev, e->bin.a, &a))
            return false;
        if (e->kind == RLXC_EXPR_AND || e->kind == RLXC_EXPR_OR) {
            if ((a != 0) == (e->kind == RLXC_EXPR_OR)) {
                *out = a != 0;
                return true;
            }
        }
        rlx_dtype type = e->bin.a->dtype;
        return !rlxc_dtype_is_float(type) && evaluate(ev, e->bin.b, &b) &&
               rlxc_fold_int((rlxc_expr_kind)e->kind, type, a, b, out);
    }
    if (e->kind == RLXC_EXPR_NOT) {
        if (!evaluate(ev, e->bin.a, &a))
            return false;
        *out = !a;
        return true;
    }
    if (e->kind == RLXC_EXPR_CAST) {
        if (rlxc_dtype_is_float(e->dtype) || !evaluate(ev, e->bin.a, &a))
            return false;
        *out = rlxc_wrap_int(e->dtype, a);
        return true;
    }
    if (e->kind == RLXC_EXPR_SELECT)
        return evaluate(ev, e->select.cond, &a) &&
               evaluate(ev, a ? e->select.yes : e->select.no, out);
    return false;
}

static bool evaluate(evaluation *ev, const rlxc_expr *e, int64_t *out)
{
    if (e->kind == RLXC_EXPR_INT) {
        *out = e->i;
        return true;
    }
    if (e->kind == RLXC_EXPR_VAR) {
        for (uint32_t i = 0; i < ev->n; i++)
            if (ev->vars[i] == e) {
                *out = ev->values[i];
                return true;
            }
        return false;
    }
    if (rlxc_out_of_memory(ev->s.ctx))
        return false;
    const int64_t *known = rlxc_map_get(&ev->s.others, rlxc_key(e));
    if (known) {
        *out = *known;
        return true;
    }
    int64_t value;
    if (e->dtype.lanes != 1 || !evaluate_inner(ev, e, &value))
        return false;
    if (e->depth > 3) {
        int64_t *kept = rlxc_sym_alloc(&ev->s, sizeof *kept);
        *kept = value;
        rlxc_map_set(ev->s.ctx, &ev->s.others, rlxc_key(e), kept);
    }
    *out = value;
    return true;
}

bool rlxc_evaluate(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *const *vars,
                   const int64_t *values, uint32_t n, int64_t *out)
{
    evaluation ev = {.s = rlxc_sym_begin(ctx, NULL), .vars = vars, .values = values, .n = n};
    bool ok = evaluate(&ev, e, out);
    rlxc_sym_end(&ev.s);
    return ok;
}
