/* Pass read_stored: products and look-ups read their constants in the stored type.
 *
 *   f = astype(w, "float32")           becomes   y = matmul(x, w, out_dtype="float32")
 *   y = matmul(x, f)
 *
 * The kernel converts each element as it reads it, with the same result; otherwise a tensor four
 * times as large would be written and read. Operators between the conversion and the product that
 * only move elements (RLXC_OP_FOLLOWS) move those of float8, so that constants behind them fold.
 *
 *   t = dequantize(table, s, z)        becomes   r = take(table, indices)
 *   y = take(t, indices)                         y = dequantize(r, s, z)
 *
 * for a constant table of a narrower type and any steps element by element with scalars:
 * otherwise constant folding would store the wide table. */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/ir/device.h"
#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"
#include "compiler/passes/passes.h"

enum { MAX_MOVES = 8 }; /* limit of operators followed for one value, or one table */

typedef struct reader {
    rlxc_map makers; /* rlxc_rvar -> rlxc_binding */
} reader;

static bool holds_float8(const rlxc_builder *b, rlxc_atom atom)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, atom);
    return s && s->kind == RLXC_SINFO_TENSOR && rlxc_dtype_is_float8(s->dtype);
}

/* The float8 value that |atom| was converted from, moved in the same way; kind NONE if there is
 * none. */
static rlxc_atom stored(reader *r, rlxc_builder *b, rlxc_atom atom, int moves)
{
    const rlxc_binding *by =
        atom.kind == RLXC_ATOM_VAR ? rlxc_map_get(&r->makers, rlxc_key(atom.var)) : NULL;
    rlxc_atom none = {0};
    if (by && rlxc_is_op(by, "astype"))
        return holds_float8(b, by->args[0]) ? by->args[0] : none;
    if (!by || moves == 0 || !rlxc_has_op_flag(by, RLXC_OP_FOLLOWS))
        return none;
    rlxc_atom source = stored(r, b, by->args[0], moves - 1);
    if (source.kind == RLXC_ATOM_NONE)
        return none;
    rlxc_atom *args = rlxc_copy(b->ctx, by->args, by->n_args * sizeof *args);
    args[0] = source;
    return rlxc_emit_op(b, by->op->name, args, by->n_args, by->attrs, atom.var->name);
}

/* True if |by| maps its first operand element by element, with scalars as the others that are
 * visible where |of|, computed from it, is. */
static bool is_map(const rlxc_builder *b, const rlxc_binding *by, const rlxc_rvar *of)
{
    static const char *const names[] = {"astype",   "dequantize", "add",
                                        "subtract", "multiply",   "divide"};
    bool known = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        known = known || rlxc_is_op(by, names[i]);
    for (uint32_t i = 1; known && i < by->n_args; i++) {
        const rlxc_atom *arg = &by->args[i];
        const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, *arg);
        known = s && s->kind == RLXC_SINFO_TENSOR && s->ndim == 0 &&
                (arg->kind == RLXC_ATOM_CONSTANT || arg->kind == RLXC_ATOM_VAR) &&
                rlxc_may_stand_for(of, *arg);
    }
    return known;
}

/* The rows that |take| reads, mapped after they are taken; kind NONE if its table is not computed
 * from a constant of a narrower type. */
static rlxc_atom taken(reader *r, rlxc_builder *b, const rlxc_binding *take)
{
    const rlxc_binding *maps[MAX_MOVES], *by;
    const rlxc_sinfo *out = take->var->sinfo, *s;
    rlxc_atom from = take->args[0], none = {0};
    uint32_t n = 0;
    while (from.kind == RLXC_ATOM_VAR && n < MAX_MOVES &&
           (by = rlxc_map_get(&r->makers, rlxc_key(from.var))) != NULL &&
           is_map(b, by, take->args[0].var)) {
        maps[n++] = by;
        from = by->args[0];
    }
    if (n == 0 || from.kind != RLXC_ATOM_CONSTANT || !out || out->kind != RLXC_SINFO_TENSOR ||
        out->ndim < 1 || !(s = rlxc_atom_sinfo(b->ctx, b->module, from)) ||
        s->dtype.bits >= out->dtype.bits ||
        strcmp(rlxc_attr_get_str(take, "mode", "fast"), "nan") == 0)
        return none;
    rlxc_atom args[3] = {from, take->args[1]};
    args[0] = rlxc_emit_op(b, "take", args, 2, take->attrs, take->var->name);
    while (n-- > 0 && args[0].kind == RLXC_ATOM_VAR) {
        rlxc_attrs attrs = maps[n]->attrs;
        if (rlxc_attrs_find(&attrs, "axis")) /* of scalars: any */
            attrs =
                rlxc_attrs_with(b->ctx, attrs, rlxc_intern_cstr(b->ctx, "axis"), rlxc_attr_int(-1));
        for (uint32_t i = 1; i < maps[n]->n_args; i++)
            args[i] = maps[n]->args[i];
        args[0] = rlxc_emit_op(b, maps[n]->op->name, args, maps[n]->n_args, attrs, take->var->name);
    }
    return args[0];
}

static rlxc_rewrite_action read_call(void *user, rlxc_builder *b, rlxc_binding *call,
                                     rlxc_atom *replacement)
{
    reader *r = user;
    rlxc_map_set(b->ctx, &r->makers, rlxc_key(call->var), call);
    const rlxc_sinfo *out = call->var->sinfo;
    if (rlxc_sinfo_device(b->module, out)) /* the kernels that widen as they read are the CPU's */
        return RLXC_REWRITE_KEEP;
    if (rlxc_is_op(call, "take")) {
        b->range = call->range;
        *replacement = taken(r, b, call);
        return replacement->kind == RLXC_ATOM_VAR ? RLXC_REWRITE_REPLACE : RLXC_REWRITE_KEEP;
    }
    if (!rlxc_is_op(call, "matmul") || !out || out->kind != RLXC_SINFO_TENSOR ||
        !rlxc_dtype_eq(out->dtype, RLX_F32))
        return RLXC_REWRITE_KEEP;
    b->range = call->range;
    rlxc_atom weight = stored(r, b, call->args[1], MAX_MOVES);
    if (weight.kind == RLXC_ATOM_NONE)
        return RLXC_REWRITE_KEEP;
    rlxc_atom *args = rlxc_copy(b->ctx, call->args, call->n_args * sizeof *args);
    args[1] = weight;
    call->args = args;
    call->attrs = rlxc_attrs_with(b->ctx, call->attrs, rlxc_intern_cstr(b->ctx, "out_dtype"),
                                  rlxc_attr_dtype(RLX_F32));
    return RLXC_REWRITE_KEEP;
}

bool rlxc_pass_read_stored(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (!f || rlxc_has_kills(f))
            continue;
        reader r = {0};
        const rlxc_rewrite_pass pass = {.user = &r, .binding = read_call};
        rlxc_rewrite_function(ctx, module, f, &pass);
    }
    return !rlxc_failed(ctx);
}
