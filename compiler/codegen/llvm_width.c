/* The vector width of loops over float16. LLVM overestimates the cost of conversions between
 * float16 and float32 on machines with an instruction for them (F16C), and vectorizes such loops
 * with half of the lanes. An innermost loop that only stores contiguous elements computed from
 * contiguous elements gets an explicit width ("llvm.loop.vectorize.width"). */
#include "compiler/codegen/llvm.h"
#include "compiler/target/target.h"

typedef struct accesses {
    rlxc_llvm *g;
    const rlxc_expr *var;
    bool halves, other; /* some are float16; some are not next to each other, or no elements */
} accesses;

/* |e| is var, or var plus what does not depend on it. */
static bool steps_by_one(const accesses *a, const rlxc_expr *e)
{
    if (e == a->var)
        return true;
    if (e->kind != RLXC_EXPR_ADD)
        return false;
    rlxc_context *ctx = a->g->ctx;
    return (steps_by_one(a, e->bin.a) && !rlxc_expr_uses_var(ctx, e->bin.b, a->var)) ||
           (steps_by_one(a, e->bin.b) && !rlxc_expr_uses_var(ctx, e->bin.a, a->var));
}

static void add_access(accesses *a, const rlxc_buffer *buffer, const rlxc_expr *const *indices,
                       uint32_t n, bool is_store)
{
    bool moves = false;
    for (uint32_t i = 0; i < n; i++)
        if (rlxc_expr_uses_var(a->g->ctx, indices[i], a->var)) {
            moves = true;
            a->other = a->other || i + 1 < n || !steps_by_one(a, indices[i]);
        }
    a->other = a->other || (is_store && !moves);
    a->halves = a->halves || (buffer->dtype.code == RLX_FLOAT && buffer->dtype.bits == 16);
}

static bool add_load(void *user, const rlxc_expr *e)
{
    accesses *a = user;
    if (e->kind == RLXC_EXPR_LOAD)
        add_access(a, e->load.buffer, e->load.indices, e->load.n, false);
    return !a->other;
}

uint32_t rlxc_llvm_width(rlxc_llvm *g, const rlxc_stmt *loop)
{
    accesses a = {.g = g, .var = loop->loop.var};
    const rlxc_stmt *one = loop->loop.body, *const *items = &one;
    uint32_t n = 1;
    if (!rlxc_target_has_feature(g->target, "f16c") || g->target->vector_bytes < 32)
        return 0;
    if (one->kind == RLXC_STMT_SEQ) {
        items = one->seq.items;
        n = one->seq.n;
    }
    for (uint32_t i = 0; i < n && !a.other; i++) {
        if (items[i]->kind != RLXC_STMT_STORE)
            return 0;
        add_access(&a, items[i]->store.buffer, items[i]->store.indices, items[i]->store.n, true);
        rlxc_expr_visit(g->ctx, items[i]->store.value, add_load, &a);
    }
    return a.halves && !a.other ? g->target->vector_bytes / 4u : 0;
}
