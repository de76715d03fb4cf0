/* Steps cache_read and cache_write: replace a buffer by a copy; and their helpers for other steps:
 * new temporaries, and blocks redirected to them. */
#include <string.h>

#include "compiler/schedule/stages.h"
#include "compiler/schedule/tree.h"

rlxc_buffer *rlxc_new_temp(rlxc_engine *e, const rlxc_buffer *like, const char *name,
                           const char *scope, const rlxc_expr *const *shape)
{
    rlxc_buffer *temp = rlxc_buffer_new(e->ctx, rlxc_intern_cstr(e->ctx, name), like->dtype,
                                        shape ? shape : like->shape, like->ndim);
    temp->scope = rlxc_intern_cstr(e->ctx, scope);
    rlxc_add_temp(e, temp);
    return temp;
}

void rlxc_redirect(rlxc_engine *e, rlxc_node *node, const rlxc_buffer *from, rlxc_buffer *to)
{
    if (node->kind == RLXC_NODE_LEAF) {
        node->stmt = rlxc_exchange_buffer(e->ctx, node->stmt, from, to);
        return;
    }
    if (node->kind == RLXC_NODE_BLOCK) {
        rlxc_block *b = node->block;
        rlxc_forget_regions(b);
        if (b->init)
            b->init = rlxc_exchange_buffer(e->ctx, b->init, from, to);
        rlxc_match_region *matches =
            rlxc_try_alloc(e->ctx, (size_t)b->n_matches + 1, sizeof *matches);
        for (uint32_t i = 0; i < b->n_matches && matches; i++) {
            matches[i] = b->matches[i];
            if (matches[i].source.buffer == from)
                matches[i].source.buffer = to;
        }
        b->matches = matches;
    }
    for (uint32_t i = 0; i < node->kids.items.count; i++)
        rlxc_redirect(e, node->kids.items.items[i], from, to);
}

void rlxc_redirect_block(rlxc_engine *e, rlxc_node *node, const rlxc_redirection *r)
{
    const rlxc_stmt *body = rlxc_leaf_body(node), *init = node->block->init;
    const rlxc_stmt *after = body ? rlxc_redirect_stmt(r, body) : NULL;
    if (init)
        node->block->init = rlxc_redirect_stmt(r, init);
    if (after != body || node->block->init != init)
        rlxc_set_body(e, node, after);
}

/* Loops around a block of this name that copy the region |spans| of |from| to |to|. */
static rlxc_node *copy_nest(rlxc_engine *e, const rlxc_buffer *from, const rlxc_buffer *to,
                            const rlxc_span *spans, const char *name, const rlxc_node *at,
                            rlxc_node **out_block)
{
    rlxc_context *ctx = e->ctx;
    uint32_t n = from->ndim;
    rlxc_axis *axes = rlxc_try_alloc(ctx, (size_t)n + 1, sizeof *axes);
    const rlxc_expr **vars = rlxc_try_alloc(ctx, (size_t)n + 1, sizeof *vars);
    rlxc_domain d = {0};
    if (!axes || !vars)
        return NULL;
    for (uint32_t k = 0; k < n; k++) {
        vars[k] = rlxc_var(ctx, rlxc_internf(ctx, "v%u", k), RLX_I64);
        axes[k] = (rlxc_axis){RLXC_AXIS_SPATIAL, vars[k], rlxc_i64(ctx, 0),
                              rlxc_cast(ctx, RLX_I64, from->shape[k])};
        d.of[k] = spans[k];
    }
    const rlxc_block block = {.name = rlxc_block_name(e, name), .axes = axes, .n_axes = n};
    const rlxc_stmt *body = rlxc_stmt_store(ctx, to, vars, n, rlxc_load(ctx, from, vars, n));
    *out_block = rlxc_new_block(e, &block, vars, NULL, body);
    return rlxc_nest_over(e, *out_block, &d, true, at);
}

static bool check_scope(rlxc_engine *e, const char *scope)
{
    const bool shared = strcmp(scope, "shared") == 0;
    if (strcmp(scope, "global") == 0 || strncmp(scope, "global.", 7) == 0 ||
        strcmp(scope, "local") == 0 || (shared && e->options->device))
        return true;
    return rlxc_refuse(e, "target %s has no memory '%s'; it has global%s local", e->options->target,
                       scope, e->options->device ? ", shared and" : " and");
}

/* A copy being made: of what |readers| read, or of what |block| writes. */
typedef struct caching {
    rlxc_node *block;
    const char *scope; /* of the copy */
    const rlxc_buffer *buffer;
    rlxc_node *at;                  /* the loop or block that is to hold the copying nest */
    rlxc_node_list blocks, readers; /* of the scope */
} caching;

/* The blocks of |consumer_blocks|; those of the scope that read the buffer where |all| and none are
 * named. */
static bool find_readers(rlxc_engine *e, caching *c, bool all)
{
    const rlxc_attr *named = rlxc_arg(e, "consumer_blocks");
    if (named && named->kind == RLXC_ATTR_LIST && named->list.count > 0) {
        for (uint32_t i = 0; i < named->list.count; i++) {
            rlxc_node *node = rlxc_map_get(&e->refs, rlxc_key(named->list.items[i].expr));
            if (!node || node->gone || node->kind != RLXC_NODE_BLOCK)
                return rlxc_refuse(e, "consumer_blocks: no earlier step defines block '%s'",
                                   named->list.items[i].expr->var.name);
            if (!rlxc_block_touches(e, node, c->buffer, false))
                return rlxc_refuse(e, "block '%s' does not read '%s'", rlxc_block_of(node),
                                   c->buffer->name);
            RLXC_PUSH(e->ctx, &c->readers.items, node);
        }
        return true;
    }
    for (uint32_t i = 0; i < c->blocks.items.count && all; i++)
        if (rlxc_block_touches(e, c->blocks.items.items[i], c->buffer, false) &&
            !rlxc_block_touches(e, c->blocks.items.items[i], c->buffer, true))
            RLXC_PUSH(e->ctx, &c->readers.items, c->blocks.items.items[i]);
    return true;
}

static bool begin_caching(rlxc_engine *e, bool writes, caching *c)
{
    *c = (caching){.block = rlxc_arg_block(e, "block"),
                   .scope = rlxc_arg_string(e, "storage_scope")};
    const char *index = writes ? "write_buffer_index" : "read_buffer_index";
    if (!c->block || !check_scope(e, c->scope) ||
        !rlxc_arg_buffer(e, index, c->block, writes, &c->buffer))
        return false;
    c->at = rlxc_scope_of(c->block);
    if (!c->at || c->buffer->ndim > RLXC_DOMAIN_AXES)
        return rlxc_refuse(e, "block '%s' %s '%s' as a whole", rlxc_block_of(c->block),
                           writes ? "writes" : "reads", c->buffer->name);
    rlxc_blocks_in(e, c->at->kids.items.items[0], false, &c->blocks);
    return find_readers(e, c, !writes);
}

/* Inserts the nest that copies |spans| as child |place|, and redirects the readers to the copy;
 * |writes|: the block writes there, and the nest copies back. */
static bool finish_caching(rlxc_engine *e, const caching *c, bool writes, const rlxc_span *spans,
                           uint32_t place)
{
    const char *name = rlxc_internf(e->ctx, "%s_%s", c->buffer->name, c->scope);
    rlxc_buffer *temp = rlxc_new_temp(e, c->buffer, name, c->scope, NULL);
    rlxc_node *copy;
    if (writes)
        rlxc_redirect(e, c->block, c->buffer, temp);
    for (uint32_t i = 0; i < c->readers.items.count; i++)
        rlxc_redirect(e, c->readers.items.items[i], c->buffer, temp);
    rlxc_node *nest = copy_nest(e, writes ? temp : c->buffer, writes ? c->buffer : temp, spans,
                                name, c->at, &copy);
    if (!nest)
        return false;
    rlxc_insert(e, c->at, place, nest);
    rlxc_give(e, 0, copy);
    return true;
}

bool rlxc_apply_cache_read(rlxc_engine *e)
{
    caching c;
    if (!begin_caching(e, false, &c))
        return false;
    if (c.readers.items.count == 0)
        return rlxc_refuse(e, "block '%s' writes '%s' as well", rlxc_block_of(c.block),
                           c.buffer->name);
    uint32_t place, written;
    for (;;) { /* down to the level where the writers precede the readers */
        place = UINT32_MAX, written = 0;
        for (uint32_t i = 0; i < c.readers.items.count; i++) {
            uint32_t p = rlxc_position_in(c.at, c.readers.items.items[i]);
            if (p == UINT32_MAX)
                return rlxc_refuse(e,
                                   "block '%s' reads '%s' outside of loop %s: name the "
                                   "consumer_blocks",
                                   rlxc_block_of(c.readers.items.items[i]), c.buffer->name,
                                   c.at->kind == RLXC_NODE_LOOP ? rlxc_loop_name(e, c.at) : "");
            place = p < place ? p : place;
        }
        for (uint32_t i = 0; i < c.blocks.items.count; i++) {
            uint32_t p = rlxc_position_in(c.at, c.blocks.items.items[i]);
            if (p != UINT32_MAX && rlxc_block_touches(e, c.blocks.items.items[i], c.buffer, true) &&
                p + 1 > written)
                written = p + 1;
        }
        if (written <= place)
            break;
        if (written != place + 1)
            return rlxc_refuse(e, "'%s' is written again after its first reader", c.buffer->name);
        c.at = rlxc_child(c.at, place);
        if (c.at->kind != RLXC_NODE_LOOP)
            return rlxc_refuse(e, "block '%s' reads '%s' where it is written",
                               rlxc_block_of(c.block), c.buffer->name);
    }
    rlxc_span spans[RLXC_DOMAIN_AXES];
    if (!rlxc_region_below(e, c.at, c.buffer, false, spans))
        return rlxc_refuse(e, "nothing reads '%s'", c.buffer->name);
    return finish_caching(e, &c, false, spans, place);
}

/* Checks that |block| writes a box of |buffer|: each index is an axis + a constant, or a constant.
 */
static bool writes_a_box(rlxc_engine *e, const rlxc_node *block, const rlxc_buffer *buffer)
{
    rlxc_accesses_in all = {0};
    rlxc_block_accesses(e, block, &all);
    for (uint32_t i = 0; i < all.items.count; i++) {
        const rlxc_access *a = &all.items.items[i];
        bool used[RLXC_DOMAIN_AXES] = {false};
        if (!a->writes || a->buffer != buffer)
            continue;
        for (uint32_t k = 0; buffer->ndim > 0 && (k < a->n || !a->indices); k++) {
            rlxc_span span = {NULL, NULL};
            uint32_t axis = 0;
            if (a->indices && rlxc_is_int(a->indices[k], &(int64_t){0}))
                continue;
            if (!a->indices || !rlxc_axis_at(e, block, a->indices[k], span, &axis, &span) ||
                axis >= RLXC_DOMAIN_AXES || used[axis])
                return rlxc_refuse(e,
                                   "block '%s' writes '%s' at %s, which selects unknown elements",
                                   rlxc_block_of(block), buffer->name,
                                   a->indices ? rlxc_expr_text(e, a->indices[k]) : "any place");
            used[axis] = true;
        }
    }
    return true;
}

bool rlxc_apply_cache_write(rlxc_engine *e)
{
    caching c;
    if (!begin_caching(e, true, &c) || !writes_a_box(e, c.block, c.buffer))
        return false;
    const rlxc_stmt *init = c.block->block->init;
    if (init && init->kind == RLXC_STMT_STORE && rlxc_mentions(e->ctx, init->store.value, c.buffer))
        return rlxc_refuse(e, "the init of block '%s' reads '%s'", rlxc_block_of(c.block),
                           c.buffer->name);
    for (uint32_t i = 0; i < c.blocks.items.count; i++)
        if (c.blocks.items.items[i] != c.block && rlxc_block_touches(e, c.block, c.buffer, false) &&
            rlxc_block_touches(e, c.blocks.items.items[i], c.buffer, true))
            return rlxc_refuse(e, "block '%s' updates elements that block '%s' wrote to '%s'",
                               rlxc_block_of(c.block), rlxc_block_of(c.blocks.items.items[i]),
                               c.buffer->name);
    uint32_t place;
    for (;;) { /* down to the level where readers follow the block */
        place = rlxc_position_in(c.at, c.block);
        bool inside = false;
        for (uint32_t i = 0; i < c.blocks.items.count; i++)
            inside = inside || (c.blocks.items.items[i] != c.block &&
                                rlxc_position_in(c.at, c.blocks.items.items[i]) == place &&
                                rlxc_block_touches(e, c.blocks.items.items[i], c.buffer, false));
        if (!inside)
            break;
        c.at = rlxc_child(c.at, place);
        if (c.at->kind != RLXC_NODE_LOOP || !rlxc_check_finished(e, c.block, c.at))
            return false;
    }
    rlxc_span spans[RLXC_DOMAIN_AXES];
    (void)rlxc_block_region(e, c.block, c.at, c.buffer, true, spans);
    return finish_caching(e, &c, true, spans, place + 1);
}

bool rlxc_apply_set_scope(rlxc_engine *e)
{
    rlxc_node *block = rlxc_arg_block(e, "block");
    const char *scope = rlxc_arg_string(e, "storage_scope");
    const rlxc_buffer *buffer;
    if (!block || !check_scope(e, scope) ||
        !rlxc_arg_buffer(e, "buffer_index", block, true, &buffer))
        return false;
    if (!rlxc_is_temp(e, buffer))
        return rlxc_refuse(e, "'%s' is a parameter: its memory is the caller's", buffer->name);
    rlxc_buffer *temp = rlxc_new_temp(e, buffer, buffer->name, scope, NULL);
    rlxc_redirect(e, e->root, buffer, temp);
    rlxc_drop_temp(e, buffer);
    return true;
}

bool rlxc_apply_storage_align(rlxc_engine *e)
{
    enum { MOST = 1 << 16 };
    rlxc_node *block = rlxc_arg_block(e, "block");
    const rlxc_buffer *buffer;
    int64_t axis, factor, offset, inner = 1, size;
    if (!block || !rlxc_arg_buffer(e, "buffer_index", block, true, &buffer) ||
        !rlxc_arg_int(e, "axis", 0, &axis) || !rlxc_arg_int(e, "factor", 1, &factor) ||
        !rlxc_arg_int(e, "offset", 0, &offset))
        return false;
    axis = axis < 0 ? axis + buffer->ndim : axis;
    if (!rlxc_is_temp(e, buffer))
        return rlxc_refuse(e, "'%s' is a parameter: its strides are the caller's", buffer->name);
    if (axis < 0 || axis >= buffer->ndim)
        return rlxc_refuse(e, "axis %lld of '%s', which has %u dimensions", (long long)axis,
                           buffer->name, buffer->ndim);
    if (factor < 1 || factor > MOST || offset < 0 || offset >= factor)
        return rlxc_refuse(e, "factor %lld must be in 1 to %d, offset %lld in 0 to factor - 1",
                           (long long)factor, MOST, (long long)offset);
    if (axis + 1 == buffer->ndim)
        return factor == 1 || rlxc_refuse(e, "the stride of the last dimension is 1");
    if (buffer->ndim > RLXC_DOMAIN_AXES)
        return rlxc_refuse(e, "more than %d dimensions", RLXC_DOMAIN_AXES);
    const rlxc_expr *shape[RLXC_DOMAIN_AXES];
    for (uint32_t k = 0; k < buffer->ndim && k < RLXC_DOMAIN_AXES; k++) {
        shape[k] = buffer->shape[k];
        if (k <= axis)
            continue;
        if (!rlxc_is_int(shape[k], &size))
            return rlxc_refuse(e,
                               "dimension %u of '%s' is %s: only strides that are constants are "
                               "aligned",
                               k, buffer->name, rlxc_expr_text(e, shape[k]));
        if (k > axis + 1 && __builtin_mul_overflow(inner, size, &inner))
            return rlxc_refuse(e, "the strides of '%s' overflow", buffer->name);
    }
    (void)rlxc_is_int(shape[axis + 1], &size);
    for (int64_t more = 0; more < factor; more++) { /* the dimension inside grows */
        int64_t stride;
        if (__builtin_mul_overflow(size + more, inner, &stride) || stride % factor != offset)
            continue;
        shape[axis + 1] = rlxc_int(e->ctx, shape[axis + 1]->dtype, size + more);
        rlxc_buffer *temp =
            rlxc_new_temp(e, buffer, buffer->name, buffer->scope ? buffer->scope : "global", shape);
        rlxc_redirect(e, e->root, buffer, temp);
        rlxc_drop_temp(e, buffer);
        return true;
    }
    return rlxc_refuse(e, "no size of dimension %lld of '%s' makes the stride %lld * k + %lld",
                       (long long)axis + 1, buffer->name, (long long)factor, (long long)offset);
}
