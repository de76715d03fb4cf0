/* Tensor IR: statement constructors, the generic visitor, a PrimFunc's symbolic dimensions.
 *
 * Constructors copy the arrays they are given. Statement nesting is bounded where statements are
 * made from input (the parser's depth limit), so the walks here and in tir_rewrite.c recurse over
 * nesting; sequences are loops. */
#include "compiler/ir/tir.h"

#include <string.h>

#include "compiler/ir/sinfo.h"
#include "compiler/ir/sym.h"

static rlxc_stmt *new_stmt(rlxc_context *ctx, rlxc_stmt_kind kind)
{
    rlxc_stmt *s = rlxc_alloc(ctx, sizeof *s);
    s->kind = kind;
    return s;
}

static const rlxc_expr *const *copy_exprs(rlxc_context *ctx, const rlxc_expr *const *items,
                                          uint32_t n)
{
    return n == 0 ? NULL : rlxc_copy(ctx, (const void *)items, n * sizeof(const rlxc_expr *));
}

const rlxc_stmt *rlxc_stmt_nothing(rlxc_context *ctx)
{
    return rlxc_stmt_evaluate(ctx, rlxc_int(ctx, RLX_I32, 0));
}

bool rlxc_stmt_is_nothing(const rlxc_stmt *s)
{
    return s->kind == RLXC_STMT_EVALUATE && s->evaluate->kind == RLXC_EXPR_INT;
}

const rlxc_stmt *rlxc_stmt_seq(rlxc_context *ctx, const rlxc_stmt *const *items, uint32_t n)
{
    if (n == 1)
        return items[0];
    size_t total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += items[i]->kind == RLXC_STMT_SEQ ? items[i]->seq.n : 1;
    rlxc_stmt *s = new_stmt(ctx, RLXC_STMT_SEQ);
    const rlxc_stmt **flat = rlxc_try_alloc(ctx, total + 1, sizeof(const rlxc_stmt *));
    if (!flat)
        return s;
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        const bool is_seq = items[i]->kind == RLXC_STMT_SEQ;
        for (uint32_t k = 0; k < (is_seq ? items[i]->seq.n : 1); k++) {
            const rlxc_stmt *item = is_seq ? items[i]->seq.items[k] : items[i];
            if (!rlxc_stmt_is_nothing(item))
                flat[at++] = item;
        }
    }
    if (at == 0)
        return rlxc_stmt_nothing(ctx);
    if (at == 1)
        return flat[0];
    s->seq.items = flat;
    s->seq.n = at;
    return s;
}

static const char *const thread_axes[] = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z",
                                          "threadIdx.x", "threadIdx.y", "threadIdx.z"};

bool rlxc_stmt_is_check(const rlxc_stmt *s)
{
    return s->kind == RLXC_STMT_ASSERT ||
           (s->kind == RLXC_STMT_EVALUATE && s->evaluate->kind == RLXC_EXPR_CALL &&
            strcmp(s->evaluate->call.name, "check_index") == 0);
}

int rlxc_thread_axis(const char *name)
{
    for (int i = 0; i < RLXC_THREAD_AXES; i++)
        if (strcmp(thread_axes[i], name) == 0)
            return i;
    return -1;
}

const char *rlxc_thread_name(rlxc_context *ctx, int i)
{
    return rlxc_intern_cstr(ctx, thread_axes[i]);
}

static bool find_threads(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found = *found || (s->kind == RLXC_STMT_FOR && s->loop.kind == RLXC_LOOP_BOUND);
    return !*found;
}

bool rlxc_has_threads(const rlxc_stmt *s)
{
    bool found = false;
    rlxc_stmt_visit(s, find_threads, &found);
    return found;
}

const rlxc_stmt *rlxc_stmt_for(rlxc_context *ctx, const rlxc_expr *var, const rlxc_expr *min,
                               const rlxc_expr *extent, rlxc_loop_kind kind, const rlxc_stmt *body)
{
    rlxc_stmt *s = new_stmt(ctx, RLXC_STMT_FOR);
    s->loop.var = var;
    s->loop.min = min;
    s->loop.extent = extent;
    s->loop.kind = kind;
    s->loop.body = body;
    return s;
}

const rlxc_stmt *rlxc_stmt_store(rlxc_context *ctx, const rlxc_buffer *buffer,
                                 const rlxc_expr *const *indices, uint32_t n,
                                 const rlxc_expr *value)
{
    rlxc_stmt *s = new_stmt(ctx, RLXC_STMT_STORE);
    s->store.buffer = buffer;
    s->store.indices = copy_exprs(ctx, indices, n);
    s->store.n = n;
    s->store.value = value;
    return s;
}

const rlxc_stmt *rlxc_stmt_if(rlxc_context *ctx, const rlxc_expr *cond, const rlxc_stmt *then,
                              const rlxc_stmt *otherwise)
{
    rlxc_stmt *s = new_stmt(ctx, RLXC_STMT_IF);
    s->if_.cond = cond;
    s->if_.then = then;
    s->if_.otherwise = otherwise;
    return s;
}

const rlxc_stmt *rlxc_stmt_let(rlxc_context *ctx, const rlxc_expr *var, const rlxc_expr *value)
{
    rlxc_stmt *s = new_stmt(ctx, RLXC_STMT_LET);
    s->let.var = var;
    s->let.value = value;
    return s;
}

const rlxc_stmt *rlxc_stmt_allocate(rlxc_context *ctx, rlxc_buffer *buffer)
{
    rlxc_stmt *allocate = rlxc_alloc(ctx, sizeof *allocate);
    rlxc_stmt *decl = rlxc_alloc(ctx, sizeof *decl);
    *allocate = (rlxc_stmt){.kind = RLXC_STMT_ALLOCATE};
    allocate->allocate.var = buffer->data;
    allocate->allocate.dtype = buffer->dtype;
    allocate->allocate.extents = buffer->shape;
    allocate->allocate.n = buffer->ndim;
    allocate->allocate.scope = buffer->scope;
    *decl = (rlxc_stmt){.kind = RLXC_STMT_DECL_BUFFER};
    decl->decl = buffer;
    const rlxc_stmt *both[2] = {allocate, decl};
    return rlxc_stmt_seq(ctx, both, 2);
}

const rlxc_stmt *rlxc_stmt_evaluate(rlxc_context *ctx, const rlxc_expr *value)
{
    rlxc_stmt *s = new_stmt(ctx, RLXC_STMT_EVALUATE);
    s->evaluate = value;
    return s;
}

const rlxc_stmt *rlxc_stmt_block(rlxc_context *ctx, const rlxc_block *block,
                                 const rlxc_expr *const *values, const rlxc_expr *predicate)
{
    rlxc_stmt *s = new_stmt(ctx, RLXC_STMT_BLOCK);
    s->block.block = block;
    s->block.values = copy_exprs(ctx, values, block->n_axes);
    s->block.predicate = predicate;
    return s;
}

const rlxc_stmt *rlxc_stmt_copy(rlxc_context *ctx, const rlxc_stmt *stmt)
{
    return rlxc_copy(ctx, stmt, sizeof *stmt);
}

void rlxc_stmt_visit(const rlxc_stmt *stmt, bool (*visit)(void *user, const rlxc_stmt *s),
                     void *user)
{
    if (!stmt || !visit(user, stmt))
        return;
    switch (stmt->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; i < stmt->seq.n; i++)
            rlxc_stmt_visit(stmt->seq.items[i], visit, user);
        break;
    case RLXC_STMT_FOR:
        rlxc_stmt_visit(stmt->loop.body, visit, user);
        break;
    case RLXC_STMT_WHILE:
        rlxc_stmt_visit(stmt->while_.body, visit, user);
        break;
    case RLXC_STMT_IF:
        rlxc_stmt_visit(stmt->if_.then, visit, user);
        rlxc_stmt_visit(stmt->if_.otherwise, visit, user);
        break;
    case RLXC_STMT_BLOCK:
        rlxc_stmt_visit(stmt->block.block->init, visit, user);
        rlxc_stmt_visit(stmt->block.block->body, visit, user);
        break;
        RLXC_LEAF_STMTS(RLXC_STMT_CASE)
        break;
    }
}

void rlxc_prim_func_dims(rlxc_context *ctx, const rlxc_prim_func *f, const rlxc_expr ***out_vars,
                         uint32_t *out_n)
{
    rlxc_var_list list = {0};
    for (uint32_t i = 0; i < f->n_params; i++) {
        const rlxc_prim_param *p = &f->params[i];
        if (p->buffer)
            for (uint32_t k = 0; k < p->buffer->ndim; k++)
                rlxc_collect_vars(ctx, p->buffer->shape[k], &list);
        else if (!rlxc_dtype_is_handle(p->var->dtype))
            rlxc_collect_vars(ctx, p->var, &list);
    }
    *out_vars = list.vars.items;
    *out_n = list.vars.count;
}

/* The elements of a row of the first dimension of |b|, which has strides that are numbers, up to
 * the next row and the last element that its own reaches; false: they are no numbers, or too large.
 */
static bool row_elements(const rlxc_buffer *b, int64_t *out)
{
    int64_t row = 1, size, stride;
    for (uint32_t i = b->ndim; i-- > 1;)
        if (!rlxc_is_int(b->shape[i], &size) || !rlxc_is_int(b->strides[i], &stride) || size < 0 ||
            stride < 0 || __builtin_mul_overflow(size > 0 ? size - 1 : 0, stride, &stride) ||
            __builtin_add_overflow(row, stride, &row))
            return false;
    if (!rlxc_is_int(b->strides[0], &stride) || stride < 0)
        return false;
    *out = stride > row ? stride : row;
    return true;
}

/* True if each row of |b| has room for those inside of it, the innermost without gaps. */
static bool nests_rows(rlxc_context *ctx, const rlxc_buffer *b)
{
    for (uint32_t i = b->ndim; i-- > 1;)
        if (!rlxc_prove_le(ctx,
                           rlxc_mul(ctx, rlxc_cast(ctx, RLX_I64, b->shape[i]),
                                    rlxc_cast(ctx, RLX_I64, b->strides[i])),
                           rlxc_cast(ctx, RLX_I64, b->strides[i - 1]), NULL))
            return false;
    return rlxc_is_const(b->strides[b->ndim - 1], 1);
}

const rlxc_expr *const *rlxc_memory_extents(rlxc_context *ctx, const rlxc_buffer *b,
                                            uint32_t *out_n)
{
    const bool strided = b->strides && b->ndim > 0;
    int64_t offset = 0, row = 0;
    *out_n = b->ndim;
    if (b->elem_offset && (!rlxc_is_int(b->elem_offset, &offset) || offset < 0))
        return NULL;
    if (!strided && offset == 0)
        return b->shape;
    const rlxc_expr **extents = rlxc_alloc(ctx, ((size_t)b->ndim + 1) * sizeof *extents);
    if (!strided) { /* a further row of |offset| elements at least */
        for (uint32_t i = 0; i < b->ndim; i++)
            extents[i] = rlxc_cast(ctx, RLX_I64, b->shape[i]);
        extents[b->ndim] = rlxc_i64(ctx, offset < INT64_MAX ? offset + 1 : offset);
        *out_n = b->ndim + 1;
        return extents;
    }
    extents[0] = rlxc_cast(ctx, RLX_I64, b->shape[0]);
    if (row_elements(b, &row) && !__builtin_add_overflow(row, offset, &row))
        extents[1] = rlxc_i64(ctx, row);
    else if (offset == 0 && nests_rows(ctx, b))
        extents[1] = rlxc_cast(ctx, RLX_I64, b->strides[0]);
    else
        return NULL;
    *out_n = 2;
    return extents;
}

const rlxc_expr *rlxc_extents_bytes(rlxc_context *ctx, rlx_dtype dtype,
                                    const rlxc_expr *const *extents, uint32_t n)
{
    const rlxc_expr *bytes = rlxc_i64(ctx, dtype.lanes * (dtype.bits <= 8 ? 1 : dtype.bits / 8)),
                    *zero = rlxc_i64(ctx, 0);
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_expr *extent = rlxc_cast(ctx, RLX_I64, extents[i]);
        bytes = rlxc_mul(ctx, bytes, rlxc_binary(ctx, RLXC_EXPR_MAX, extent, zero));
    }
    return rlxc_canonical(ctx, bytes, NULL);
}
