/* Pass sink_repeats: functions are computed before their operand's elements are repeated.
 *
 *   angles = concat((x, x))            c = cos(x)
 *   y = cos(angles)          becomes   y = concat((c, c))
 *
 * as in rotary embeddings, whose angles exporters repeat for both halves of a head. Views and
 * transpositions may stand between the repetition and the function. Only functions that cost much
 * more than the copy move: others are computed by whatever reads them. dce drops the first
 * repetition if nothing else reads it. */
#include "compiler/analysis/alias.h"
#include "compiler/ir/op.h"
#include "compiler/ir/sym.h"
#include "compiler/passes/makers.h"
#include "compiler/passes/passes.h"

enum { MOST_MOVES = 4 /* operators from the repetition to the function */ };

typedef struct repetition {
    const rlxc_binding *moves[MOST_MOVES]; /* the last one first; the last entry repeats */
    uint32_t n;
} repetition;

static bool is_any(const rlxc_binding *call, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (rlxc_is_op(call, names[i]))
            return true;
    return false;
}

static bool is_costly(const rlxc_binding *call)
{
    static const char *const names[] = {"cos", "erf",  "exp", "log",  "sigmoid",
                                        "sin", "sinh", "tan", "cosh", "tanh"};
    return is_any(call, names, sizeof names / sizeof *names);
}

static bool is_move(const rlxc_binding *call)
{
    static const char *const names[] = {"expand_dims", "permute_dims", "reshape", "squeeze"};
    return is_any(call, names, sizeof names / sizeof *names);
}

/* True if |call| concatenates a variable with itself. */
static bool is_concat_of_one(const rlxc_binding *call)
{
    if (!rlxc_is_op(call, "concat") || call->args[0].kind != RLXC_ATOM_TUPLE || call->args[0].n < 2)
        return false;
    const rlxc_atom *items = call->args[0].items;
    bool same = items[0].kind == RLXC_ATOM_VAR;
    for (uint32_t i = 1; same && i < call->args[0].n; i++)
        same = rlxc_atom_equal(items[i], items[0]);
    return same;
}

/* True if |call| broadcasts a variable along a dimension of constant size above 1. */
static bool is_broadcast(const rlxc_builder *b, const rlxc_binding *call)
{
    if (!rlxc_is_op(call, "broadcast_to") || call->args[0].kind != RLXC_ATOM_VAR)
        return false;
    const rlxc_sinfo *from = rlxc_atom_sinfo(b->ctx, b->module, call->args[0]);
    const rlxc_sinfo *to = call->var->sinfo;
    if (!from || from->kind != RLXC_SINFO_TENSOR || !from->dims || !to ||
        to->kind != RLXC_SINFO_TENSOR || !to->dims || to->ndim < from->ndim)
        return false;
    bool repeats = false;
    for (int32_t i = 0; i < to->ndim; i++) {
        const int32_t at = i - (to->ndim - from->ndim);
        int64_t size;
        repeats = repeats || ((at < 0 || rlxc_is_const(from->dims[at], 1)) &&
                              rlxc_is_int(to->dims[i], &size) && size > 1);
    }
    return repeats;
}

/* Finds the repetition whose result, moved at most, is |value|. */
static bool find_repetition(const rlxc_makers *m, const rlxc_builder *b, rlxc_atom value,
                            repetition *out)
{
    for (out->n = 0; out->n < MOST_MOVES;) {
        const rlxc_binding *by = rlxc_maker_of(m, b, value);
        if (!by)
            return false;
        out->moves[out->n++] = by;
        if (is_concat_of_one(by) || is_broadcast(b, by))
            return true;
        if (!is_move(by))
            return false;
        value = by->args[0];
    }
    return false;
}

/* The arguments of |move| with |value| for what it moves. */
static const rlxc_atom *moved(rlxc_context *ctx, const rlxc_binding *move, rlxc_atom value)
{
    rlxc_atom *args = rlxc_alloc(ctx, (move->n_args + 1) * sizeof *args);
    for (uint32_t i = 0; i < move->n_args; i++)
        args[i] = move->args[i];
    args[0] = value;
    if (move->args[0].kind == RLXC_ATOM_TUPLE) {
        rlxc_atom *items = rlxc_alloc(ctx, (move->args[0].n + 1) * sizeof *items);
        for (uint32_t i = 0; i < move->args[0].n; i++)
            items[i] = value;
        args[0] = rlxc_atom_tuple(ctx, items, move->args[0].n);
    }
    return args;
}

/* |call| computes a function of what |r| gives: emits the function of what is repeated and all
 * moves but the last, which |call| becomes. */
static void sink(rlxc_makers *m, rlxc_builder *b, rlxc_binding *call, const repetition *r)
{
    const rlxc_binding *first = r->moves[r->n - 1];
    rlxc_atom value =
        first->args[0].kind == RLXC_ATOM_TUPLE ? first->args[0].items[0] : first->args[0];
    value = rlxc_emit_op(b, call->op->name, &value, 1, call->attrs, call->var->name);
    for (uint32_t i = r->n; value.kind == RLXC_ATOM_VAR;) {
        rlxc_makers_note(m, b, b->block->bindings[b->block->n - 1]);
        const rlxc_binding *move = r->moves[--i];
        const rlxc_atom *args = moved(b->ctx, move, value);
        if (i == 0) {
            call->op = move->op;
            call->args = args;
            call->n_args = move->n_args;
            call->attrs = move->attrs;
            return;
        }
        value = rlxc_emit_op(b, move->op->name, args, move->n_args, move->attrs, move->var->name);
    }
}

static rlxc_rewrite_action look(void *user, rlxc_builder *b, rlxc_binding *call,
                                rlxc_atom *replacement)
{
    rlxc_makers *m = user;
    repetition r;
    (void)replacement;
    b->range = call->range;
    if (is_costly(call) && find_repetition(m, b, call->args[0], &r))
        sink(m, b, call, &r);
    rlxc_makers_note(m, b, call);
    return RLXC_REWRITE_KEEP;
}

bool rlxc_pass_sink_repeats(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    return rlxc_rewrite_with_makers(ctx, module, look);
}
