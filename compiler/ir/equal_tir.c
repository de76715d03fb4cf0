/* The encoder of equal_encoder.h, and equality and hashing of PrimFuncs on top of it.
 *
 * Expressions are DAGs: a node met again is a reference to its number, so encoding is linear, and
 * equal functions share in the same places because expressions are hash-consed. No token depends
 * on an address or on creation order, so the hash of a function is the same in every run. */
#include "compiler/base/hash.h"
#include "compiler/ir/equal_encoder.h"

#include <string.h>

/* Greater than every encoded enum value, so that a reference cannot be mistaken for a node. */
enum { TOKEN_NULL = 1000, TOKEN_REF, TOKEN_NODE, TOKEN_BUFFER };

void rlxc_encode_text(rlxc_encoder *e, const char *text)
{
    if (!text) {
        rlxc_encode(e, TOKEN_NULL);
        return;
    }
    size_t length = strlen(text);
    rlxc_encode(e, length);
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text + i, length - i < 8 ? length - i : 8);
        rlxc_encode(e, word);
    }
}

void rlxc_encode_dtype(rlxc_encoder *e, rlx_dtype t)
{
    rlxc_encode(e, (uint64_t)t.code << 32 | (uint64_t)t.bits << 16 | t.lanes);
}

void rlxc_encode_blob(rlxc_encoder *e, const void *data, size_t size)
{
    rlxc_encode(e, size);
    RLXC_PUSH(e->ctx, &e->blobs, (rlxc_blob){data, size});
}

uint32_t rlxc_encoder_number(rlxc_encoder *e, const void *object, bool *out_new)
{
    uintptr_t known = (uintptr_t)rlxc_map_get(&e->numbers, rlxc_key(object));
    *out_new = known == 0;
    if (known)
        return (uint32_t)(known - 1);
    uint32_t number = e->n_numbers++;
    rlxc_map_set(e->ctx, &e->numbers, rlxc_key(object), (void *)((uintptr_t)number + 1));
    return number;
}

void rlxc_encoder_reset(rlxc_encoder *e)
{
    e->tokens.count = e->blobs.count = e->markers.count = e->symbols.count = 0;
    e->n_numbers = 0;
    e->numbers = e->symbol_numbers = (rlxc_map){0};
}

bool rlxc_encoders_equal(const rlxc_encoder *a, const rlxc_encoder *b, uint32_t *out_at)
{
    uint32_t n = a->tokens.count < b->tokens.count ? a->tokens.count : b->tokens.count;
    uint32_t at = 0;
    while (at < n && a->tokens.items[at] == b->tokens.items[at])
        at++;
    *out_at = at;
    if (at < n || a->tokens.count != b->tokens.count || a->blobs.count != b->blobs.count)
        return false;
    for (uint32_t i = 0; i < a->blobs.count; i++) {
        rlxc_blob x = a->blobs.items[i], y = b->blobs.items[i];
        *out_at = 0;
        if (x.size != y.size ||
            (x.data != y.data && x.size > 0 && memcmp(x.data, y.data, x.size) != 0))
            return false;
    }
    return true;
}

/* --- attributes and expressions --------------------------------------------------------------- */

static void encode_double(rlxc_encoder *e, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    rlxc_encode(e, bits);
}

void rlxc_encode_constant(rlxc_encoder *e, const rlxc_constant *c)
{
    rlxc_encode_dtype(e, c->dtype);
    rlxc_encode(e, c->ndim);
    for (uint32_t i = 0; i < c->ndim; i++)
        rlxc_encode(e, (uint64_t)c->shape[i]);
    rlxc_encode_blob(e, c->data, c->nbytes);
}

static void encode_attr(rlxc_encoder *e, const rlxc_attr *a)
{
    rlxc_encode(e, (uint64_t)a->kind);
    switch (a->kind) {
    case RLXC_ATTR_NONE:
        break;
    case RLXC_ATTR_BOOL:
    case RLXC_ATTR_INT:
        rlxc_encode(e, (uint64_t)a->i);
        break;
    case RLXC_ATTR_FLOAT:
        encode_double(e, a->f);
        break;
    case RLXC_ATTR_STRING:
        rlxc_encode_text(e, a->s);
        break;
    case RLXC_ATTR_DTYPE:
        rlxc_encode_dtype(e, a->dtype);
        break;
    case RLXC_ATTR_LIST:
    case RLXC_ATTR_DICT:
        rlxc_encode(e, a->list.count);
        for (uint32_t i = 0; i < a->list.count; i++) {
            if (a->list.keys)
                rlxc_encode_text(e, a->list.keys[i]);
            encode_attr(e, &a->list.items[i]);
        }
        break;
    case RLXC_ATTR_EXPR:
        rlxc_encode_expr(e, a->expr);
        break;
    case RLXC_ATTR_TENSOR:
        rlxc_encode_constant(e, a->tensor);
        break;
    }
}

void rlxc_encode_attrs(rlxc_encoder *e, const rlxc_attrs *attrs)
{
    /* The function's symbol repeats its name, which is compared separately. */
    for (uint32_t i = 0; i < attrs->count; i++) {
        if (strcmp(attrs->keys[i], "global_symbol") == 0)
            continue;
        rlxc_encode_text(e, attrs->keys[i]);
        encode_attr(e, &attrs->values[i]);
    }
    rlxc_encode(e, TOKEN_NULL);
}

static void encode_exprs(rlxc_encoder *e, const rlxc_expr *const *items, uint32_t n)
{
    rlxc_encode(e, n);
    for (uint32_t i = 0; i < n; i++)
        rlxc_encode_expr(e, items[i]);
}

static void encode_buffer(rlxc_encoder *e, const rlxc_buffer *b)
{
    bool is_new;
    rlxc_encode(e, TOKEN_BUFFER);
    rlxc_encode(e, rlxc_encoder_number(e, b, &is_new));
    if (!is_new)
        return;
    rlxc_encode_dtype(e, b->dtype);
    encode_exprs(e, b->shape, b->ndim);
    rlxc_encode(e, b->strides != NULL);
    if (b->strides)
        encode_exprs(e, b->strides, b->ndim);
    rlxc_encode_expr(e, b->elem_offset);
    rlxc_encode_expr(e, b->data);
    rlxc_encode_text(e, b->scope);
    rlxc_encode(e, b->align);
    rlxc_encode(e, b->offset_factor);
}

static void encode_node(rlxc_encoder *e, const rlxc_expr *x)
{
    switch ((rlxc_expr_kind)x->kind) {
    case RLXC_EXPR_VAR:
    case RLXC_EXPR_INT:
    case RLXC_EXPR_FLOAT:
        break;
    case RLXC_EXPR_STRING:
        rlxc_encode_text(e, x->s);
        break;
        RLXC_BINARY_EXPRS(RLXC_EXPR_CASE)
        rlxc_encode_expr(e, x->bin.a);
        rlxc_encode_expr(e, x->bin.b);
        break;
    case RLXC_EXPR_NOT:
    case RLXC_EXPR_CAST:
        rlxc_encode_expr(e, x->bin.a);
        break;
    case RLXC_EXPR_SELECT:
        rlxc_encode_expr(e, x->select.cond);
        rlxc_encode_expr(e, x->select.yes);
        rlxc_encode_expr(e, x->select.no);
        break;
    case RLXC_EXPR_LOAD:
        encode_buffer(e, x->load.buffer);
        encode_exprs(e, x->load.indices, x->load.n);
        break;
    case RLXC_EXPR_CALL:
        rlxc_encode_text(e, x->call.name);
        encode_exprs(e, x->call.args, x->call.n);
        break;
    case RLXC_EXPR_LET:
        rlxc_encode_expr(e, x->let.var);
        rlxc_encode_expr(e, x->let.value);
        rlxc_encode_expr(e, x->let.body);
        break;
    case RLXC_EXPR_RAMP:
    case RLXC_EXPR_BROADCAST:
        rlxc_encode_expr(e, x->ramp.base);
        rlxc_encode_expr(e, x->ramp.stride);
        rlxc_encode(e, x->ramp.lanes);
        break;
    }
}

void rlxc_encode_expr(rlxc_encoder *e, const rlxc_expr *x)
{
    if (!x) {
        rlxc_encode(e, TOKEN_NULL);
        return;
    }
    if (x->kind == RLXC_EXPR_INT || x->kind == RLXC_EXPR_FLOAT) {
        rlxc_encode(e, x->kind);
        rlxc_encode_dtype(e, x->dtype);
        if (x->kind == RLXC_EXPR_INT)
            rlxc_encode(e, (uint64_t)x->i);
        else
            encode_double(e, x->f);
        return;
    }
    bool is_new;
    uint32_t number = rlxc_encoder_number(e, x, &is_new);
    rlxc_encode(e, is_new ? TOKEN_NODE : TOKEN_REF);
    if (!is_new) {
        rlxc_encode(e, number);
        return;
    }
    rlxc_encode(e, x->kind);
    rlxc_encode_dtype(e, x->dtype);
    encode_node(e, x);
}

/* --- statements ------------------------------------------------------------------------------- */

static void encode_region(rlxc_encoder *e, const rlxc_region *r)
{
    encode_buffer(e, r->buffer);
    encode_exprs(e, r->mins, r->buffer->ndim);
    encode_exprs(e, r->extents, r->buffer->ndim);
}

static void encode_stmt(rlxc_encoder *e, const rlxc_stmt *s);

static void encode_block(rlxc_encoder *e, const rlxc_block *b)
{
    rlxc_encode(e, b->n_axes);
    for (uint32_t i = 0; i < b->n_axes; i++) {
        rlxc_encode(e, (uint64_t)b->axes[i].kind);
        rlxc_encode_expr(e, b->axes[i].var);
        rlxc_encode_expr(e, b->axes[i].min);
        rlxc_encode_expr(e, b->axes[i].extent);
    }
    rlxc_encode(e, (uint64_t)b->has_reads << 1 | (uint64_t)b->has_writes);
    rlxc_encode(e, b->n_reads);
    for (uint32_t i = 0; i < b->n_reads; i++)
        encode_region(e, &b->reads[i]);
    rlxc_encode(e, b->n_writes);
    for (uint32_t i = 0; i < b->n_writes; i++)
        encode_region(e, &b->writes[i]);
    rlxc_encode(e, b->n_allocs);
    for (uint32_t i = 0; i < b->n_allocs; i++)
        encode_buffer(e, b->allocs[i]);
    rlxc_encode(e, b->n_matches);
    for (uint32_t i = 0; i < b->n_matches; i++) {
        encode_buffer(e, b->matches[i].buffer);
        encode_region(e, &b->matches[i].source);
    }
    rlxc_encode_attrs(e, &b->annotations);
    encode_stmt(e, b->init);
    encode_stmt(e, b->body);
}

static void encode_stmt(rlxc_encoder *e, const rlxc_stmt *s)
{
    if (!s) {
        rlxc_encode(e, TOKEN_NULL);
        return;
    }
    rlxc_encode(e, (uint64_t)s->kind);
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        rlxc_encode(e, s->seq.n);
        for (uint32_t i = 0; i < s->seq.n; i++)
            encode_stmt(e, s->seq.items[i]);
        break;
    case RLXC_STMT_FOR:
        rlxc_encode(e, (uint64_t)s->loop.kind);
        if (s->loop.kind == RLXC_LOOP_BOUND)
            rlxc_encode(e, (uint64_t)rlxc_thread_axis(s->loop.thread));
        rlxc_encode_expr(e, s->loop.var);
        rlxc_encode_expr(e, s->loop.min);
        rlxc_encode_expr(e, s->loop.extent);
        rlxc_encode_attrs(e, &s->loop.annotations);
        encode_stmt(e, s->loop.body);
        break;
    case RLXC_STMT_WHILE:
        rlxc_encode_expr(e, s->while_.cond);
        encode_stmt(e, s->while_.body);
        break;
    case RLXC_STMT_IF:
        rlxc_encode_expr(e, s->if_.cond);
        encode_stmt(e, s->if_.then);
        encode_stmt(e, s->if_.otherwise);
        break;
    case RLXC_STMT_LET:
        rlxc_encode_expr(e, s->let.var);
        rlxc_encode_expr(e, s->let.value);
        break;
    case RLXC_STMT_STORE:
        encode_buffer(e, s->store.buffer);
        encode_exprs(e, s->store.indices, s->store.n);
        rlxc_encode_expr(e, s->store.value);
        break;
    case RLXC_STMT_EVALUATE:
        rlxc_encode_expr(e, s->evaluate);
        break;
    case RLXC_STMT_ASSERT:
        rlxc_encode_expr(e, s->assert_.cond);
        rlxc_encode_text(e, s->assert_.message);
        break;
    case RLXC_STMT_ALLOCATE:
        rlxc_encode_expr(e, s->allocate.var);
        rlxc_encode_dtype(e, s->allocate.dtype);
        encode_exprs(e, s->allocate.extents, s->allocate.n);
        rlxc_encode_text(e, s->allocate.scope);
        rlxc_encode_expr(e, s->allocate.cond);
        break;
    case RLXC_STMT_ALLOCATE_CONST:
        rlxc_encode_expr(e, s->allocate_const.var);
        rlxc_encode_dtype(e, s->allocate_const.dtype);
        rlxc_encode(e, s->allocate_const.n);
        for (uint32_t i = 0; i < s->allocate_const.n; i++)
            rlxc_encode(e, (uint64_t)s->allocate_const.extents[i]);
        rlxc_encode_blob(e, s->allocate_const.data, s->allocate_const.nbytes);
        break;
    case RLXC_STMT_DECL_BUFFER:
        encode_buffer(e, s->decl);
        break;
    case RLXC_STMT_ATTR:
        encode_attr(e, &s->attr.node);
        rlxc_encode_text(e, s->attr.key);
        rlxc_encode_expr(e, s->attr.value);
        break;
    case RLXC_STMT_BLOCK:
        encode_block(e, s->block.block);
        encode_exprs(e, s->block.values, s->block.block->n_axes);
        rlxc_encode_expr(e, s->block.predicate);
        break;
    }
}

void rlxc_encode_prim_func(rlxc_encoder *e, const rlxc_prim_func *f)
{
    rlxc_encode(e, f->n_params);
    for (uint32_t i = 0; i < f->n_params; i++) {
        rlxc_encode_expr(e, f->params[i].var);
        if (f->params[i].buffer)
            encode_buffer(e, f->params[i].buffer);
        else
            rlxc_encode(e, TOKEN_NULL);
    }
    rlxc_encode_dtype(e, f->ret_dtype);
    rlxc_encode_attrs(e, &f->attrs);
    encode_stmt(e, f->body);
}

bool rlxc_prim_func_equal(rlxc_context *ctx, const rlxc_prim_func *a, const rlxc_prim_func *b)
{
    rlxc_encoder x = {.ctx = ctx}, y = {.ctx = ctx};
    uint32_t at;
    rlxc_encode_prim_func(&x, a);
    rlxc_encode_prim_func(&y, b);
    return !rlxc_out_of_memory(ctx) && rlxc_encoders_equal(&x, &y, &at);
}

uint64_t rlxc_prim_func_hash(rlxc_context *ctx, const rlxc_prim_func *a)
{
    rlxc_encoder e = {.ctx = ctx};
    rlxc_encode_prim_func(&e, a);
    uint64_t h =
        rlxc_hash64_bytes(RLXC_HASH_START, e.tokens.items, e.tokens.count * sizeof *e.tokens.items);
    for (uint32_t i = 0; i < e.blobs.count; i++)
        h = rlxc_hash64_bytes(h, e.blobs.items[i].data, e.blobs.items[i].size);
    return h;
}
