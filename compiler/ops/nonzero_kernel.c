/* rlx.nonzero as kernels, for programs in C: one counts, another writes the indices. Between them
 * the count becomes a symbol, the result's last dimension, of which the number of elements is a
 * limit. */
#include "compiler/ops/builtin_call.h"
#include "compiler/ops/device_forms.h"
#include "compiler/ops/state.h"

/* |call| with a result of |type|. */
static rlxc_binding *call_of(rlxc_builder *b, const rlxc_binding *call, const char *name,
                             const rlxc_sinfo *type)
{
    rlxc_binding *own = rlxc_copy(b->ctx, call, sizeof *call);
    own->var = rlxc_rvar_new(b->ctx, rlxc_outermost(b->function), name, type);
    own->sinfo_args = rlxc_copy(b->ctx, &type, sizeof(const rlxc_sinfo *));
    own->n_sinfo_args = 1;
    return own;
}

static const rlxc_expr *is_nonzero(rlxc_te *te, const rlxc_te_operand *x,
                                   const rlxc_expr *const *at)
{
    const rlxc_expr *value = rlxc_te_widen(te, rlxc_te_get(te, x, at));
    return rlxc_dtype_is_bool(value->dtype) ? value
                                            : rlxc_binary(te->ctx, RLXC_EXPR_NE, value,
                                                          rlxc_te_number(te->ctx, value->dtype, 0));
}

/* Begins the kernel of |call|; false where it takes no such operand. */
static bool begin(rlxc_te *te, rlxc_builder *b, const rlxc_binding *call, const char *name,
                  rlxc_te_operand *x)
{
    if (!rlxc_te_begin_builtin(te, b, call, name, RLXC_PATTERN_OPAQUE))
        return false;
    *x = rlxc_te_operand_of(te, 0, "x");
    return x->buffer != NULL;
}

/* |body| for each element of |x|; |loops| are the variables. */
static const rlxc_stmt *for_each(rlxc_te *te, const rlxc_te_operand *x,
                                 const rlxc_expr *const *loops, const rlxc_stmt *body)
{
    for (uint32_t i = x->ndim; i-- > 0;)
        body = rlxc_stmt_for(te->ctx, loops[i], rlxc_i64(te->ctx, 0), x->dims[i], RLXC_LOOP_SERIAL,
                             body);
    return body;
}

/* count[0] = the number of elements that are not zero. */
static rlxc_atom count_them(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_expr *one = rlxc_i64(ctx, 1), *zero = rlxc_i64(ctx, 0), *loops[RLXC_MAX_NDIM];
    rlxc_te te;
    rlxc_te_operand x;
    if (!begin(&te, b, call_of(b, call, "count", rlxc_sinfo_tensor(ctx, RLX_I64, 1, &one, NULL)),
               "count_nonzero", &x))
        return (rlxc_atom){0};
    const rlxc_buffer *out = rlxc_te_output(&te, "count");
    for (uint32_t i = 0; i < x.ndim; i++)
        loops[i] = rlxc_var(ctx, rlxc_internf(ctx, "i%u", i), RLX_I64);
    rlxc_te_block(&te, "count");
    const rlxc_stmt *more =
        rlxc_stmt_store(ctx, out, &zero, 1, rlxc_add(ctx, rlxc_te_load(&te, out, &zero), one));
    const rlxc_stmt *stmts[2] = {
        rlxc_stmt_store(ctx, out, &zero, 1, zero),
        for_each(&te, &x, loops, rlxc_stmt_if(ctx, is_nonzero(&te, &x, loops), more, NULL))};
    rlxc_te_body(&te, NULL, rlxc_stmt_seq(ctx, stmts, 2));
    return rlxc_te_finish(&te);
}

/* indices[d, k] = dimension d of the k-th element that is not zero. */
static rlxc_atom list_them(rlxc_builder *b, const rlxc_binding *call, const rlxc_expr *count)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *s = rlxc_atom_sinfo(ctx, b->module, call->args[0]);
    const rlxc_expr *dims[2] = {rlxc_i64(ctx, s->ndim), count}, *zero = rlxc_i64(ctx, 0),
                    *one = rlxc_i64(ctx, 1), *loops[RLXC_MAX_NDIM];
    const rlxc_stmt *found[RLXC_MAX_NDIM + 1];
    rlxc_te te;
    rlxc_te_operand x;
    if (!begin(&te, b,
               call_of(b, call, call->var->name, rlxc_sinfo_tensor(ctx, RLX_I64, 2, dims, NULL)),
               "nonzero", &x))
        return (rlxc_atom){0};
    const rlxc_buffer *out = rlxc_te_output(&te, "indices"),
                      *next = rlxc_te_temp(&te, "next", RLX_I64, &one, 1);
    const rlxc_expr *at = rlxc_te_load(&te, next, &zero);
    for (uint32_t i = 0; i < x.ndim; i++) {
        const rlxc_expr *place[2] = {rlxc_i64(ctx, i), at};
        loops[i] = rlxc_var(ctx, rlxc_internf(ctx, "i%u", i), RLX_I64);
        found[i] = rlxc_stmt_store(ctx, out, place, 2, loops[i]);
    }
    found[x.ndim] = rlxc_stmt_store(ctx, next, &zero, 1, rlxc_add(ctx, at, one));
    rlxc_te_block(&te, "indices");
    const rlxc_stmt *stmts[2] = {
        rlxc_stmt_store(ctx, next, &zero, 1, zero),
        for_each(&te, &x, loops,
                 rlxc_stmt_if(ctx, is_nonzero(&te, &x, loops),
                              rlxc_stmt_seq(ctx, found, x.ndim + 1), NULL))};
    rlxc_te_body(&te, NULL, rlxc_stmt_seq(ctx, stmts, 2));
    return rlxc_te_finish(&te);
}

bool rlxc_emit_nonzero(rlxc_builder *b, const rlxc_binding *call, rlxc_atom *out)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *s = call->n_args == 1 ? rlxc_atom_sinfo(ctx, b->module, call->args[0]) : NULL;
    if (!s || s->kind != RLXC_SINFO_TENSOR || !s->dims || s->ndim < 1)
        return false;
    const rlxc_atom counted = count_them(b, call);
    if (counted.kind == RLXC_ATOM_NONE)
        return false;
    const rlxc_binding *shape_of = call_of(b, call, "sizes", rlxc_sinfo_shape(ctx, 1, NULL));
    const rlxc_atom shape = rlxc_emit_builtin(b, shape_of, "rlx.tensor_to_shape", &counted, 1,
                                              shape_of->var->sinfo, true);
    const rlxc_expr *count = rlxc_var(ctx, "found", RLX_I64);
    rlxc_rvar *matched = rlxc_rvar_new(ctx, rlxc_outermost(b->function), "matched",
                                       rlxc_sinfo_shape(ctx, 1, &count));
    rlxc_emit_match_cast(b, matched, shape, call->range);
    const rlxc_requirement at_most = {
        .relation = RLXC_AT_MOST,
        .a = count,
        .b = rlxc_canonical(ctx, rlxc_product(ctx, s->dims, (uint32_t)s->ndim), NULL),
        .message = "nonzero: more than there are"};
    rlxc_emit_check(b, &at_most);
    *out = list_them(b, call, count);
    return out->kind != RLXC_ATOM_NONE;
}
