/* break and continue in TIR loops; the IR does not have them.
 *
 *   for i in range(n):        jump[0] = 0
 *     if c: break             for i in range(n):
 *     S                         if jump[0] < 2:
 *                                 jump[0] = 0
 *                                 if c: jump[0] = 2
 *                                 if jump[0] == 0: S
 *
 * continue stores 1. The statements after one that may jump run only if it did not. */
#include "compiler/script/parse_tir.h"

enum { NO_JUMP, CONTINUE, BREAK };

static const rlxc_expr *state(rlxc_tir_parser *t, const rlxc_buffer *flag)
{
    const rlxc_expr *zero = rlxc_int(t->p->ctx, RLX_I32, 0);
    return rlxc_load(t->p->ctx, flag, &zero, 1);
}

static const rlxc_stmt *set_state(rlxc_tir_parser *t, const rlxc_buffer *flag, int value)
{
    const rlxc_expr *zero = rlxc_int(t->p->ctx, RLX_I32, 0);
    return rlxc_stmt_store(t->p->ctx, flag, &zero, 1, rlxc_int(t->p->ctx, RLX_I32, value));
}

void rlxc_tir_jump(rlxc_tir_parser *t, rlxc_stmts *out, bool ends, rlxc_range range)
{
    rlxc_context *ctx = t->p->ctx;
    const char *word = ends ? "break" : "continue";
    if (!t->loop || t->loop->kind == RLXC_LOOP_PARALLEL || t->loop->kind == RLXC_LOOP_VECTORIZED) {
        rlxc_error(ctx, range,
                   t->loop ? "'%s' in a parallel or vectorized loop" : "'%s' outside of a loop",
                   word);
        return;
    }
    if (!t->loop->flag) {
        const rlxc_expr *one = rlxc_int(ctx, RLX_I32, 1);
        t->loop->flag = rlxc_buffer_new(ctx, "jump", RLX_I32, &one, 1);
        t->loop->flag->scope = rlxc_intern_cstr(ctx, "local");
    }
    rlxc_tir_push(t, out, set_state(t, t->loop->flag, ends ? BREAK : CONTINUE), range);
}

typedef struct jump_search {
    const rlxc_buffer *flag;
    bool found;
} jump_search;

static bool find_jump(void *user, const rlxc_stmt *s)
{
    jump_search *search = user;
    search->found |= s->kind == RLXC_STMT_STORE && s->store.buffer == search->flag;
    return !search->found;
}

static bool may_jump(const rlxc_stmt *s, const rlxc_buffer *flag)
{
    jump_search search = {.flag = flag};
    rlxc_stmt_visit(s, find_jump, &search);
    return search.found;
}

static rlxc_stmt *editable(rlxc_tir_parser *t, const rlxc_stmt *s)
{
    return (rlxc_stmt *)(uintptr_t)rlxc_stmt_copy(t->p->ctx, s);
}

/* |s| with the statements after its jumps under a condition; nests as deep as the text. */
static const rlxc_stmt *guarded(rlxc_tir_parser *t, const rlxc_stmt *s, const rlxc_buffer *flag)
{
    rlxc_context *ctx = t->p->ctx;
    if (!may_jump(s, flag))
        return s;
    if (s->kind == RLXC_STMT_IF) {
        rlxc_stmt *copy = editable(t, s);
        copy->if_.then = guarded(t, s->if_.then, flag);
        if (s->if_.otherwise)
            copy->if_.otherwise = guarded(t, s->if_.otherwise, flag);
        return copy;
    }
    if (s->kind == RLXC_STMT_BLOCK) {
        rlxc_stmt *copy = editable(t, s);
        rlxc_block *block = rlxc_copy(ctx, s->block.block, sizeof *block);
        block->body = guarded(t, block->body, flag);
        copy->block.block = block;
        return copy;
    }
    if (s->kind != RLXC_STMT_SEQ)
        return s;
    /* From the last statement that may jump to the first, puts the rest under a condition. */
    const rlxc_expr *stays =
        rlxc_binary(ctx, RLXC_EXPR_EQ, state(t, flag), rlxc_int(ctx, RLX_I32, NO_JUMP));
    const rlxc_stmt *rest = NULL;
    const rlxc_stmt **items = rlxc_alloc(ctx, ((size_t)s->seq.n + 1) * sizeof *items);
    uint32_t end = s->seq.n;
    for (uint32_t i = s->seq.n; i-- > 0;) {
        if (i > 0 && !may_jump(s->seq.items[i - 1], flag))
            continue;
        uint32_t n = 0;
        for (uint32_t k = i; k < end; k++)
            items[n++] = guarded(t, s->seq.items[k], flag);
        if (rest)
            items[n++] = rlxc_stmt_if(ctx, stays, rest, NULL);
        rest = rlxc_stmt_seq(ctx, items, n);
        end = i;
    }
    return rest;
}

static const rlxc_expr *goes_on(rlxc_tir_parser *t, const rlxc_tir_loop *loop)
{
    return rlxc_binary(t->p->ctx, RLXC_EXPR_LT, state(t, loop->flag),
                       rlxc_int(t->p->ctx, RLX_I32, BREAK));
}

const rlxc_expr *rlxc_tir_goes_on(rlxc_tir_parser *t, const rlxc_tir_loop *loop,
                                  const rlxc_expr *cond)
{
    return loop->flag ? rlxc_binary(t->p->ctx, RLXC_EXPR_AND, goes_on(t, loop), cond) : cond;
}

const rlxc_stmt *rlxc_tir_end_jumps(rlxc_tir_parser *t, const rlxc_tir_loop *loop,
                                    const rlxc_stmt *body)
{
    rlxc_context *ctx = t->p->ctx;
    if (!loop->flag)
        return body;
    const rlxc_stmt *both[2] = {set_state(t, loop->flag, NO_JUMP), guarded(t, body, loop->flag)};
    return rlxc_stmt_if(ctx, goes_on(t, loop), rlxc_stmt_seq(ctx, both, 2), NULL);
}

void rlxc_tir_begin_jumps(rlxc_tir_parser *t, const rlxc_tir_loop *loop, rlxc_stmts *out,
                          rlxc_range range)
{
    if (!loop->flag)
        return;
    rlxc_tir_declare(t, out, loop->flag, true, range);
    rlxc_tir_push(t, out, set_state(t, loop->flag, NO_JUMP), range);
}
