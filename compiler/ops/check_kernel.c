/* Checks of indices on devices: a kernel that copies them and fails at one out of range.
 *
 * The builtin works on the host's memory, to which the indices would have to come first. The kernel
 * is one for each place in the text, which its message names, and is fused with nothing: a check
 * stays a check. The call reports it when it ends; what reads the copies meanwhile stays within its
 * operands, as with --lenient. */
#include <string.h>

#include "compiler/ir/intrinsics.h"
#include "compiler/ops/checks.h"
#include "compiler/ops/te.h"

static const rlxc_expr *as_i64(rlxc_te *te, const rlxc_expr *e)
{
    return rlxc_cast(te->ctx, RLX_I64, rlxc_te_expr(te, e));
}

/* "model.py:7:9: take: index", which the number follows. */
static const char *message(const rlxc_builder *b, const rlxc_binding *call, const char *what)
{
    const rlxc_range at = call->range;
    const char *label = rlxc_line_label(b->ctx, at.file, at.line),
               *file = rlxc_file_base(b->ctx, at.file);
    return label ? rlxc_internf(b->ctx, "%s: %s ", label, what)
                 : rlxc_internf(b->ctx, "%s:%u:%u: %s ", file, at.line, at.col, what);
}

/* Fails unless low <= x < high: then x is no valid index of what has |high| - 1 elements. */
static const rlxc_stmt *check(rlxc_te *te, const rlxc_expr *x, const rlxc_expr *low,
                              const rlxc_expr *high, const char *text)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *last = rlxc_sub(ctx, high, rlxc_i64(ctx, 1));
    int64_t first;
    const char *expected =
        rlxc_is_int(low, &first)
            ? rlxc_internf(ctx, " is out of range: expected %lld to ", (long long)first)
            : " is out of range: expected at most ";
    const rlxc_expr *args[4] = {rlxc_string(ctx, text), x, rlxc_string(ctx, expected), last};
    const rlxc_expr *outside =
        rlxc_binary(ctx, RLXC_EXPR_OR, rlxc_binary(ctx, RLXC_EXPR_LT, x, low),
                    rlxc_binary(ctx, RLXC_EXPR_GE, x, high));
    return rlxc_stmt_if(ctx, outside,
                        rlxc_stmt_evaluate(ctx, rlxc_intrinsic_call(ctx, "check_index", args, 4)),
                        NULL);
}

rlxc_atom rlxc_emit_check_kernel(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x,
                                 const rlxc_expr *low, const rlxc_expr *high, const char *what)
{
    rlxc_binding copy = {.form = RLXC_FORM_CALL,
                         .var = call->var,
                         .op = rlxc_find_operator("wrap_param", strlen("wrap_param")),
                         .args = &x,
                         .n_args = 1,
                         .range = call->range}; /* its result is of the operand's type */
    rlxc_te te;
    if (!rlxc_te_begin(&te, b, &copy, "check_index", RLXC_PATTERN_OPAQUE))
        return (rlxc_atom){0};
    const rlxc_te_operand in = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "checked");
    rlxc_te_spatial(&te, "checked", out);
    const rlxc_expr *value = rlxc_te_get(&te, &in, te.axes);
    const rlxc_stmt *body[2] = {check(&te, rlxc_cast(b->ctx, RLX_I64, value), as_i64(&te, low),
                                      as_i64(&te, high), message(b, call, what)),
                                rlxc_stmt_store(b->ctx, out, te.axes, te.n_axes, value)};
    rlxc_te_body(&te, NULL, rlxc_stmt_seq(b->ctx, body, 2));
    return rlxc_te_finish(&te);
}
