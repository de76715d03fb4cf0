/* Finds loops that can have a private copy of a temporary: those that write every element before
 * they read it. If all uses of a temporary are inside such loops, no value is carried between them,
 * and each may keep it in registers.
 *
 * The check interprets the statements as far as they touch the temporary: short loops iteration by
 * iteration, other loops for one iteration with an unknown loop variable. Anything not understood
 * counts as a read of everything. */
#include "compiler/codegen/share.h"

#include <string.h>

enum {
    MOST = 1024 /* elements */,
    SHORT = 16 /* iterations that are interpreted */,
    MOST_STEPS = 1 << 14
};

typedef struct check {
    rlxc_context *ctx;
    const rlxc_expr *var;
    uint32_t count, steps;
    rlxc_map turns; /* variable of an interpreted loop -> its value + 1 */
    uint8_t written[MOST];
    bool fails;
} check;

/* --- places ---------------------------------------------------------------------------------- */

static bool value_of(check *c, const rlxc_expr *e, int64_t *out)
{
    int64_t a, b;
    uintptr_t turn;
    switch (e->kind) {
    case RLXC_EXPR_INT:
        *out = e->i;
        return true;
    case RLXC_EXPR_VAR:
        turn = (uintptr_t)rlxc_map_get(&c->turns, rlxc_key(e));
        *out = (int64_t)turn - 1;
        return turn != 0;
    case RLXC_EXPR_ADD:
        return value_of(c, e->bin.a, &a) && value_of(c, e->bin.b, &b) &&
               !__builtin_add_overflow(a, b, out);
    case RLXC_EXPR_MUL:
        return value_of(c, e->bin.a, &a) && value_of(c, e->bin.b, &b) &&
               !__builtin_mul_overflow(a, b, out);
    default:
        return false;
    }
}

/* The elements [first, first + n) that an access names. */
static bool place_of(check *c, const rlxc_buffer *buffer, const rlxc_expr *const *indices,
                     uint32_t n, uint32_t *out_first, uint32_t *out_n)
{
    int64_t first, lanes = 1, step = 1;
    if (n != 1 || buffer->ndim != 1 || buffer->strides || buffer->elem_offset ||
        buffer->dtype.lanes != 1)
        return false;
    const rlxc_expr *at = indices[0];
    if (at->kind == RLXC_EXPR_RAMP) {
        lanes = at->ramp.lanes;
        if (!value_of(c, at->ramp.stride, &step))
            return false;
        at = at->ramp.base;
    }
    if (!value_of(c, at, &first) || step != 1 || first < 0 || first > MOST ||
        first + lanes > (int64_t)c->count)
        return false;
    *out_first = (uint32_t)first;
    *out_n = (uint32_t)lanes;
    return true;
}

static void read_place(check *c, const rlxc_expr *load)
{
    uint32_t first, n;
    if (!place_of(c, load->load.buffer, load->load.indices, load->load.n, &first, &n))
        c->fails = true;
    for (uint32_t i = 0; !c->fails && i < n; i++)
        c->fails = !c->written[first + i];
}

/* Reads in |e|; taking the temporary's address counts as any access. */
static void read_expr(check *c, const rlxc_expr *e)
{
    if (!e || c->fails)
        return;
    if (rlxc_is_binary(e)) {
        read_expr(c, e->bin.a);
        read_expr(c, e->bin.b);
        return;
    }
    switch (e->kind) {
    case RLXC_EXPR_VAR:
        c->fails = e == c->var;
        break;
    case RLXC_EXPR_NOT:
    case RLXC_EXPR_CAST:
        read_expr(c, e->bin.a);
        break;
    case RLXC_EXPR_SELECT:
        read_expr(c, e->select.cond);
        read_expr(c, e->select.yes);
        read_expr(c, e->select.no);
        break;
    case RLXC_EXPR_LOAD:
        for (uint32_t i = 0; i < e->load.n; i++)
            read_expr(c, e->load.indices[i]);
        if (e->load.buffer->data == c->var)
            read_place(c, e);
        break;
    case RLXC_EXPR_CALL:
        for (uint32_t i = 0; i < e->call.n; i++) {
            const rlxc_expr *arg = e->call.args[i];
            if (strcmp(e->call.name, "address_of") == 0 && arg->kind == RLXC_EXPR_LOAD &&
                arg->load.buffer->data == c->var)
                c->fails = true;
            read_expr(c, arg);
        }
        break;
    case RLXC_EXPR_RAMP:
    case RLXC_EXPR_BROADCAST:
        read_expr(c, e->ramp.base);
        break;
    case RLXC_EXPR_LET:
        c->fails = true;
        break;
    default:
        break;
    }
}

/* --- statements ------------------------------------------------------------------------------ */

static void run(check *c, const rlxc_stmt *s);

static void run_loop(check *c, const rlxc_stmt *s)
{
    int64_t min, extent;
    const bool known = rlxc_is_int(s->loop.min, &min) && rlxc_is_int(s->loop.extent, &extent);
    read_expr(c, s->loop.min);
    read_expr(c, s->loop.extent);
    if (known && min == 0 && extent >= 0 && extent <= SHORT) {
        for (int64_t i = 0; i < extent && !c->fails; i++) {
            rlxc_map_set(c->ctx, &c->turns, rlxc_key(s->loop.var), (void *)(uintptr_t)(i + 1));
            run(c, s->loop.body);
        }
        return;
    }
    uint8_t before[MOST];
    memcpy(before, c->written, c->count);
    run(c, s->loop.body);
    if (!known || extent < 1)
        memcpy(c->written, before, c->count);
}

static void run_if(check *c, const rlxc_stmt *s)
{
    uint8_t before[MOST], then[MOST];
    read_expr(c, s->if_.cond);
    memcpy(before, c->written, c->count);
    run(c, s->if_.then);
    memcpy(then, c->written, c->count);
    memcpy(c->written, before, c->count);
    if (s->if_.otherwise)
        run(c, s->if_.otherwise);
    for (uint32_t i = 0; i < c->count; i++)
        c->written[i] = c->written[i] && then[i];
}

static void run_store(check *c, const rlxc_stmt *s)
{
    uint32_t first, n;
    for (uint32_t i = 0; i < s->store.n; i++)
        read_expr(c, s->store.indices[i]);
    read_expr(c, s->store.value);
    if (s->store.buffer->data != c->var)
        return;
    if (place_of(c, s->store.buffer, s->store.indices, s->store.n, &first, &n))
        memset(c->written + first, 1, n);
}

static void run(check *c, const rlxc_stmt *s)
{
    c->fails = c->fails || ++c->steps > MOST_STEPS;
    if (c->fails)
        return;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; i < s->seq.n; i++)
            run(c, s->seq.items[i]);
        break;
    case RLXC_STMT_FOR:
        run_loop(c, s);
        break;
    case RLXC_STMT_IF:
        run_if(c, s);
        break;
    case RLXC_STMT_LET:
        read_expr(c, s->let.value);
        break;
    case RLXC_STMT_STORE:
        run_store(c, s);
        break;
    case RLXC_STMT_EVALUATE:
        read_expr(c, s->evaluate);
        break;
    case RLXC_STMT_WHILE:
    case RLXC_STMT_BLOCK:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ALLOCATE:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_DECL_BUFFER:
    case RLXC_STMT_ATTR:
        c->fails = true;
    }
}

static bool is_closed(rlxc_context *ctx, const rlxc_stmt *loop, const rlxc_expr *var,
                      uint32_t count)
{
    check c = {.ctx = ctx, .var = var, .count = count};
    run(&c, loop);
    return !c.fails;
}

/* --- the innermost such loops ----------------------------------------------------------------- */

typedef struct search {
    rlxc_context *ctx;
    rlxc_share_scope *scope;
    const rlxc_expr *var;
    uint32_t count;
} search;

typedef enum finding { UNUSED, CLOSED, OPEN } finding;

static bool names_var(void *user, const rlxc_expr *e)
{
    const rlxc_expr *var = *(const rlxc_expr *const *)user;
    return e != var && !(e->kind == RLXC_EXPR_LOAD && e->load.buffer->data == var);
}

static bool uses(search *f, const rlxc_expr *e)
{
    return e && !rlxc_expr_visit(f->ctx, e, names_var, &f->var);
}

static finding close_loops(search *f, const rlxc_stmt *s);

static finding close_items(search *f, const rlxc_stmt *const *items, uint32_t n)
{
    finding all = UNUSED;
    for (uint32_t i = 0; i < n && all != OPEN; i++) {
        const finding one = close_loops(f, items[i]);
        all = one > all ? one : all;
    }
    return all;
}

static finding close_for(search *f, const rlxc_stmt *s)
{
    const uint32_t before = f->scope->closed.count;
    if (uses(f, s->loop.min) || uses(f, s->loop.extent))
        return OPEN;
    const finding inside = close_loops(f, s->loop.body);
    if (inside != OPEN)
        return inside;
    f->scope->closed.count = before;
    const bool is_plain = s->loop.kind == RLXC_LOOP_SERIAL;
    if (is_plain && !is_closed(f->ctx, s, f->var, f->count))
        return OPEN;
    if (!is_plain) /* no calls inside unrolled or vectorized loops */
        return OPEN;
    RLXC_PUSH(f->ctx, &f->scope->closed, (rlxc_closed_local){s, f->var});
    return CLOSED;
}

static finding close_loops(search *f, const rlxc_stmt *s)
{
    bool used = false;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        return close_items(f, s->seq.items, s->seq.n);
    case RLXC_STMT_FOR:
        return close_for(f, s);
    case RLXC_STMT_IF: {
        const rlxc_stmt *const parts[2] = {s->if_.then, s->if_.otherwise};
        return uses(f, s->if_.cond) ? OPEN : close_items(f, parts, s->if_.otherwise ? 2 : 1);
    }
    case RLXC_STMT_LET:
        used = uses(f, s->let.value);
        break;
    case RLXC_STMT_STORE:
        used = s->store.buffer->data == f->var || uses(f, s->store.value);
        for (uint32_t i = 0; i < s->store.n; i++)
            used = used || uses(f, s->store.indices[i]);
        break;
    case RLXC_STMT_EVALUATE:
        used = uses(f, s->evaluate);
        break;
    case RLXC_STMT_ALLOCATE:
        for (uint32_t i = 0; i < s->allocate.n; i++)
            used = used || uses(f, s->allocate.extents[i]);
        break;
    case RLXC_STMT_DECL_BUFFER: /* declaring a view is not a use */
    case RLXC_STMT_ALLOCATE_CONST:
        break;
    case RLXC_STMT_WHILE:
    case RLXC_STMT_BLOCK:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ATTR:
        return OPEN;
    }
    return used ? OPEN : UNUSED;
}

void rlxc_share_close(rlxc_context *ctx, rlxc_share_scope *scope, const rlxc_stmt *const *items,
                      uint32_t n, const rlxc_expr *var, uint32_t count)
{
    search f = {ctx, scope, var, count};
    const uint32_t before = scope->closed.count;
    if (count > MOST || close_items(&f, items, n) != CLOSED)
        scope->closed.count = before;
}
