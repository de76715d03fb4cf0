/* Checks the result of share_temporaries.c independently of its analysis.
 *
 * Both bodies are walked side by side. They may differ only in the memory that buffers name and in
 * allocations. The walk notes for each temporary of the body before which memory it has after, and
 * the first and last item, of the sequence that allocates it, that reads or writes it. Temporaries
 * that have one memory must be allocated by one sequence and used by different items of it, one
 * after the other; the memory must be allocated before, of a size that is known there, and as large
 * as each of them; and its address must not be taken. */
#include <string.h>

#include "compiler/lower/lower.h"

typedef struct member {         /* a temporary of the body before */
    const rlxc_stmt *allocate;  /* its own */
    const rlxc_stmt *sequence;  /* that allocates it */
    const rlxc_expr *memory;    /* that it has after; NULL: not used */
    uint32_t first, last;       /* items of the sequence that use it */
    bool has_address, is_again; /* its address is taken; several places allocate it */
} member;

typedef struct level { /* a sequence that the walk is in, of the body before */
    const rlxc_stmt *sequence;
    uint32_t item;
} level;

typedef struct verifier {
    rlxc_context *ctx;
    rlxc_range range;
    bool holds;
    RLXC_VEC(member) members;
    rlxc_map member_of; /* data -> number + 1 */
    rlxc_map allocated; /* memory -> its allocation after, in scope */
    rlxc_map places;    /* memory -> its allocation after, anywhere */
    rlxc_map bound;     /* variables that LETs before here bind */
    rlxc_map lets;      /* all that LETs bind */
    RLXC_VEC(level) levels;
    RLXC_VEC(const rlxc_expr *) nodes[2]; /* of the expressions being compared */
    uint32_t side;
} verifier;

static void fail(verifier *v, const char *what, const rlxc_expr *memory)
{
    if (v->holds)
        rlxc_error(v->ctx, v->range, "memory plan: temporary '%s' %s", memory->var.name, what);
    v->holds = false;
}

static void differ(verifier *v, const rlxc_stmt *s)
{
    if (v->holds)
        rlxc_error(v->ctx, s->range.line ? s->range : v->range,
                   "memory plan: sharing temporaries changed more than their memory");
    v->holds = false;
}

static member *find_member(const verifier *v, const rlxc_expr *data)
{
    const uintptr_t i = data ? (uintptr_t)rlxc_map_get(&v->member_of, rlxc_key(data)) : 0;
    return i ? &v->members.items[i - 1] : NULL;
}

/* --- buffers and expressions ------------------------------------------------------------------ */

/* The same but for the memory. */
static bool match_buffers(const rlxc_buffer *b, const rlxc_buffer *a)
{
    return b == a || (b->ndim == a->ndim && b->shape == a->shape && b->strides == a->strides &&
                      b->elem_offset == a->elem_offset && b->scope == a->scope &&
                      rlxc_dtype_eq(b->dtype, a->dtype));
}

static void name_memory(verifier *v, const rlxc_buffer *b, const rlxc_buffer *a)
{
    member *m = find_member(v, b->data);
    if (!m && b->data != a->data)
        fail(v, "has memory that was not allocated for it", a->data ? a->data : b->data);
    if (m && m->memory && m->memory != a->data)
        fail(v, "has memory in two places", b->data);
    if (m)
        m->memory = a->data;
}

static void use(verifier *v, const rlxc_buffer *b, const rlxc_buffer *a)
{
    member *m = find_member(v, b->data);
    uint32_t i = v->levels.count;
    name_memory(v, b, a);
    if (!m || !m->memory)
        return;
    while (i > 0 && v->levels.items[i - 1].sequence != m->sequence)
        i--;
    if (i == 0 || !rlxc_map_get(&v->allocated, rlxc_key(m->memory))) {
        fail(v, "is used where its memory is not allocated", b->data);
        return;
    }
    const uint32_t item = v->levels.items[i - 1].item;
    m->first = item < m->first ? item : m->first;
    m->last = item > m->last ? item : m->last;
}

static bool list_node(void *user, const rlxc_expr *e)
{
    verifier *v = user;
    RLXC_PUSH(v->ctx, &v->nodes[v->side], e);
    return true;
}

static void list_stmt(verifier *v, const rlxc_stmt *s, uint32_t side)
{
    v->side = side;
    v->nodes[side].count = 0;
    rlxc_stmt_nodes(v->ctx, s, list_node, v);
    if (s->kind == RLXC_STMT_ATTR && s->attr.node.kind == RLXC_ATTR_EXPR)
        rlxc_expr_visit(v->ctx, s->attr.node.expr, list_node, v);
}

static void take_address(verifier *v, const rlxc_expr *data)
{
    member *m = find_member(v, data);
    if (m)
        m->has_address = true;
}

static bool match_nodes(verifier *v, const rlxc_expr *b, const rlxc_expr *a)
{
    if (b->kind != a->kind || !rlxc_dtype_eq(b->dtype, a->dtype))
        return false;
    if (b->kind == RLXC_EXPR_VAR)
        take_address(v, b);
    if (b->kind == RLXC_EXPR_CALL && b->call.n > 0 && strcmp(b->call.name, "address_of") == 0 &&
        b->call.args[0]->kind == RLXC_EXPR_LOAD)
        take_address(v, b->call.args[0]->load.buffer->data);
    if (b->kind == RLXC_EXPR_LOAD) {
        use(v, b->load.buffer, a->load.buffer);
        return b->load.n == a->load.n && match_buffers(b->load.buffer, a->load.buffer);
    }
    if (b->kind == RLXC_EXPR_CALL)
        return b->call.n == a->call.n && strcmp(b->call.name, a->call.name) == 0;
    if (b->kind == RLXC_EXPR_RAMP || b->kind == RLXC_EXPR_BROADCAST)
        return b->ramp.lanes == a->ramp.lanes;
    const bool is_leaf = b->kind == RLXC_EXPR_VAR || b->kind == RLXC_EXPR_INT ||
                         b->kind == RLXC_EXPR_FLOAT || b->kind == RLXC_EXPR_STRING;
    return b == a || !is_leaf;
}

static void match_exprs(verifier *v, const rlxc_stmt *b, const rlxc_stmt *a)
{
    list_stmt(v, b, 0);
    list_stmt(v, a, 1);
    bool same = v->nodes[0].count == v->nodes[1].count;
    for (uint32_t i = 0; i < v->nodes[0].count && same; i++)
        same = match_nodes(v, v->nodes[0].items[i], v->nodes[1].items[i]);
    if (!same)
        differ(v, b);
}

/* --- statements ------------------------------------------------------------------------------- */

static void match(verifier *v, const rlxc_stmt *b, const rlxc_stmt *a);

typedef RLXC_VEC(const rlxc_stmt *) stmt_list;

/* Adds the statements that |s| runs one after the other, as sequences in sequences are one. */
static void list_items(verifier *v, const rlxc_stmt *s, stmt_list *out)
{
    if (s->kind != RLXC_STMT_SEQ) {
        if (!rlxc_stmt_is_nothing(s))
            RLXC_PUSH(v->ctx, out, s);
        return;
    }
    for (uint32_t i = 0; i < s->seq.n; i++)
        list_items(v, s->seq.items[i], out);
}

static void add_member(verifier *v, const rlxc_stmt *allocate, const rlxc_stmt *sequence)
{
    member *known = find_member(v, allocate->allocate.var);
    if (known) {
        known->is_again = true;
        return;
    }
    RLXC_PUSH(v->ctx, &v->members,
              (member){.allocate = allocate, .sequence = sequence, .first = UINT32_MAX});
    rlxc_map_set(v->ctx, &v->member_of, rlxc_key(allocate->allocate.var),
                 (void *)(uintptr_t)v->members.count);
}

static void add_place(verifier *v, const rlxc_stmt *allocate)
{
    for (uint32_t i = 0; i < allocate->allocate.n; i++) {
        rlxc_var_list vars = {0};
        rlxc_collect_vars(v->ctx, allocate->allocate.extents[i], &vars);
        for (uint32_t k = 0; k < vars.vars.count; k++)
            if (rlxc_map_get(&v->lets, rlxc_key(vars.vars.items[k])) &&
                !rlxc_map_get(&v->bound, rlxc_key(vars.vars.items[k])))
                fail(v, "has a size that is not known where it is allocated",
                     allocate->allocate.var);
    }
    rlxc_map_set(v->ctx, &v->allocated, rlxc_key(allocate->allocate.var),
                 (void *)(uintptr_t)allocate);
    rlxc_map_set(v->ctx, &v->places, rlxc_key(allocate->allocate.var), (void *)(uintptr_t)allocate);
}

static bool is_allocation_of(const rlxc_stmt *s, const rlxc_expr *memory)
{
    return s->kind == RLXC_STMT_ALLOCATE && s->allocate.var == memory;
}

static void match_items(verifier *v, const rlxc_stmt *b, const rlxc_stmt *a)
{
    stmt_list before = {0}, after = {0};
    uint32_t k = 0;
    list_items(v, b, &before);
    list_items(v, a, &after);
    RLXC_PUSH(v->ctx, &v->levels, (level){b, 0});
    if (rlxc_failed(v->ctx))
        return;
    for (uint32_t i = 0; i < before.count && v->holds && !rlxc_failed(v->ctx); i++) {
        const rlxc_stmt *s = before.items[i], *to = k < after.count ? after.items[k] : NULL;
        v->levels.items[v->levels.count - 1].item = i;
        if (s->kind == RLXC_STMT_ALLOCATE) {
            add_member(v, s, b);
            if (!to || !is_allocation_of(to, s->allocate.var))
                continue; /* it has the memory of another */
            add_place(v, to);
        } else if (to) {
            match(v, s, to);
        } else {
            differ(v, s);
        }
        k++;
    }
    if (v->holds && k != after.count)
        differ(v, b);
    for (uint32_t i = 0; i < after.count; i++)
        if (after.items[i]->kind == RLXC_STMT_ALLOCATE)
            rlxc_map_set(v->ctx, &v->allocated, rlxc_key(after.items[i]->allocate.var), NULL);
    v->levels.count--;
}

static void match(verifier *v, const rlxc_stmt *b, const rlxc_stmt *a)
{
    if (b->kind != a->kind) {
        differ(v, b);
        return;
    }
    match_exprs(v, b, a);
    switch (b->kind) {
    case RLXC_STMT_FOR:
        if (b->loop.var != a->loop.var || b->loop.kind != a->loop.kind)
            differ(v, b);
        match_items(v, b->loop.body, a->loop.body);
        break;
    case RLXC_STMT_WHILE:
        match_items(v, b->while_.body, a->while_.body);
        break;
    case RLXC_STMT_IF:
        match_items(v, b->if_.then, a->if_.then);
        if (!b->if_.otherwise != !a->if_.otherwise)
            differ(v, b);
        else if (b->if_.otherwise)
            match_items(v, b->if_.otherwise, a->if_.otherwise);
        break;
    case RLXC_STMT_BLOCK:
        if (b->block.block->init && a->block.block->init)
            match_items(v, b->block.block->init, a->block.block->init);
        match_items(v, b->block.block->body, a->block.block->body);
        break;
    case RLXC_STMT_LET:
        if (b->let.var != a->let.var)
            differ(v, b);
        rlxc_map_set(v->ctx, &v->bound, rlxc_key(b->let.var), v);
        break;
    case RLXC_STMT_STORE:
        use(v, b->store.buffer, a->store.buffer);
        if (!match_buffers(b->store.buffer, a->store.buffer))
            differ(v, b);
        break;
    case RLXC_STMT_DECL_BUFFER:
        name_memory(v, b->decl, a->decl);
        if (!match_buffers(b->decl, a->decl))
            differ(v, b);
        break;
    case RLXC_STMT_ALLOCATE_CONST:
        if (b->allocate_const.var != a->allocate_const.var)
            differ(v, b);
        break;
    case RLXC_STMT_ATTR:
        if (strcmp(b->attr.key, a->attr.key) != 0)
            differ(v, b);
        break;
    case RLXC_STMT_SEQ:
    case RLXC_STMT_EVALUATE:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ALLOCATE:
        break;
    }
}

/* --- places ----------------------------------------------------------------------------------- */

static const rlxc_expr *bytes_of(verifier *v, const rlxc_stmt *allocate)
{
    return rlxc_extents_bytes(v->ctx, allocate->allocate.dtype, allocate->allocate.extents,
                              allocate->allocate.n);
}

/* Checks that |m| may lie in the memory of |place|, which was allocated for another temporary. */
static void check_member(verifier *v, const member *m, const rlxc_stmt *place)
{
    const rlxc_expr *data = m->allocate->allocate.var;
    const rlxc_expr *bytes = bytes_of(v, m->allocate), *room = bytes_of(v, place);
    if (m->has_address)
        fail(v, "shares memory, but its address is taken", data);
    if (m->is_again)
        fail(v, "shares memory, but is allocated in several places", data);
    if (m->allocate->allocate.cond || place->allocate.cond ||
        strcmp(m->allocate->allocate.scope, place->allocate.scope) != 0)
        fail(v, "shares memory of another kind", data);
    if (bytes != room && !rlxc_prove_le(v->ctx, bytes, room, NULL))
        fail(v, "does not fit in the memory that it shares", data);
}

static void check_places(verifier *v)
{
    for (uint32_t i = 0; i < v->members.count && v->holds; i++) {
        const member *m = &v->members.items[i];
        const rlxc_stmt *place = m->memory ? rlxc_map_get(&v->places, rlxc_key(m->memory)) : NULL;
        if (!place)
            continue;
        if (place != m->allocate)
            check_member(v, m, place);
        for (uint32_t k = 0; k < i && v->holds; k++) {
            const member *other = &v->members.items[k];
            if (other->memory != m->memory)
                continue;
            if (other->sequence != m->sequence)
                fail(v, "shares memory with one of another sequence", m->allocate->allocate.var);
            if (other->has_address)
                fail(v, "shares memory whose address is taken", m->allocate->allocate.var);
            if (other->first <= m->last && m->first <= other->last)
                fail(v, "is in use together with another in the same memory",
                     m->allocate->allocate.var);
        }
    }
}

static bool note_let(void *user, const rlxc_stmt *s)
{
    verifier *v = user;
    if (s->kind == RLXC_STMT_LET)
        rlxc_map_set(v->ctx, &v->lets, rlxc_key(s->let.var), v);
    return true;
}

bool rlxc_verify_temporaries(rlxc_context *ctx, const rlxc_stmt *before, const rlxc_stmt *after,
                             rlxc_range range)
{
    verifier v = {.ctx = ctx, .range = range, .holds = true};
    if (before == after)
        return true;
    rlxc_stmt_visit(before, note_let, &v);
    match_items(&v, before, after);
    check_places(&v);
    return v.holds && !rlxc_failed(ctx);
}
