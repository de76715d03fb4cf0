/* Building blocks of the rules' loops (loops.h). */
#include "compiler/schedule/loops.h"

#include "compiler/ir/intrinsics.h"
#include "compiler/schedule/stages.h"

/* --- loops ------------------------------------------------------------------------------------ */

const rlxc_expr *rlxc_loop_var(rlxc_context *ctx, const char *name)
{
    return rlxc_var(ctx, rlxc_intern_cstr(ctx, name), RLX_I64);
}

const rlxc_stmt *rlxc_loop_of(rlxc_context *ctx, const rlxc_expr *var, const rlxc_expr *extent,
                              rlxc_loop_kind kind, const rlxc_stmt *body)
{
    return rlxc_stmt_for(ctx, var, rlxc_i64(ctx, 0), extent, kind, body);
}

const rlxc_stmt *rlxc_annotated(rlxc_context *ctx, const rlxc_stmt *loop, const char *name)
{
    rlxc_stmt *copy = rlxc_copy(ctx, loop, sizeof *copy);
    copy->loop.annotations =
        rlxc_attrs_with(ctx, copy->loop.annotations, rlxc_intern_cstr(ctx, name), rlxc_attr_int(1));
    return copy;
}

const rlxc_stmt *rlxc_reassociable(rlxc_context *ctx, const rlxc_stmt *loop)
{
    return rlxc_annotated(ctx, loop, "rlx.reassoc");
}

const rlxc_stmt *rlxc_rolled(rlxc_context *ctx, const rlxc_stmt *loop)
{
    return rlxc_annotated(ctx, loop, "rlx.rolled");
}

const rlxc_stmt *rlxc_parallel_loop(rlxc_context *ctx, const rlxc_expr *var,
                                    const rlxc_expr *extent, bool threads, const rlxc_stmt *body)
{
    if (!threads)
        return rlxc_loop_of(ctx, var, extent, RLXC_LOOP_SERIAL, body);
    /* the last blocks are smaller: no reason to judge the work by them */
    return rlxc_annotated(ctx, rlxc_loop_of(ctx, var, extent, RLXC_LOOP_PARALLEL, body),
                          "rlx.alike");
}

const rlxc_expr *rlxc_split_count(rlxc_context *ctx, const rlxc_expr *extent, int64_t size)
{
    const rlxc_expr *rounded = rlxc_add(ctx, extent, rlxc_i64(ctx, size - 1));
    return rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, rounded, rlxc_i64(ctx, size));
}

const rlxc_expr *rlxc_split_size(rlxc_context *ctx, const rlxc_expr *extent, const rlxc_expr *first,
                                 int64_t size)
{
    return rlxc_binary(ctx, RLXC_EXPR_MIN, rlxc_sub(ctx, extent, first), rlxc_i64(ctx, size));
}

const rlxc_expr *rlxc_named(rlxc_schedule *to, const char *name, const rlxc_expr *value)
{
    rlxc_context *ctx = to->s->ctx;
    value = rlxc_simplify(ctx, value, NULL);
    if (value->kind == RLXC_EXPR_INT || value->kind == RLXC_EXPR_VAR)
        return value;
    const rlxc_expr *var = rlxc_var_for(ctx, name, value);
    RLXC_PUSH(ctx, &to->out, rlxc_stmt_let(ctx, var, value));
    return var;
}

rlxc_tiles rlxc_take_tiles(rlxc_schedule *to, const rlxc_rest *rest, int64_t size,
                           const rlxc_expr *count)
{
    rlxc_context *ctx = to->s->ctx;
    const rlxc_expr *each = rlxc_i64(ctx, size);
    rlxc_tiles t = {.size = size, .index = rlxc_i64(ctx, 0), .first = rest->first};
    count = count ? count : rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, rest->left, each);
    t.count = rlxc_named(to, "tiles", count);
    if (rlxc_is_const(t.count, 1))
        return t;
    t.index = rlxc_loop_var(ctx, "i");
    t.first = rlxc_add(ctx, rest->first, rlxc_mul(ctx, t.index, each));
    return t;
}

void rlxc_close_tiles(rlxc_schedule *to, rlxc_rest *rest, const rlxc_tiles *tiles,
                      const rlxc_stmt *body)
{
    rlxc_context *ctx = to->s->ctx;
    if (!rlxc_is_const(tiles->count, 1))
        body = rlxc_loop_of(ctx, tiles->index, tiles->count, RLXC_LOOP_SERIAL, body);
    RLXC_PUSH(ctx, &to->out, body);
    if (tiles->size == 1)
        return; /* nothing is left */
    const rlxc_expr *taken = rlxc_mul(ctx, tiles->count, rlxc_i64(ctx, tiles->size));
    rest->left = rlxc_named(to, "left", rlxc_sub(ctx, rest->left, taken));
    rest->first = rlxc_named(to, "row", rlxc_add(ctx, rest->first, taken));
}

const rlxc_stmt *rlxc_fetch(rlxc_context *ctx, const rlxc_expr *load)
{
    const rlxc_expr *args[5] = {
        rlxc_string(ctx, "llvm.prefetch"), rlxc_intrinsic_call(ctx, "address_of", &load, 1),
        rlxc_int(ctx, RLX_I32, 0), rlxc_int(ctx, RLX_I32, 2), rlxc_int(ctx, RLX_I32, 1)};
    return rlxc_stmt_evaluate(
        ctx, rlxc_call(ctx, RLX_I32, rlxc_intern_cstr(ctx, "call_llvm_intrin"), args, 5));
}

/* --- tiles of vectors ------------------------------------------------------------------------- */

rlxc_point rlxc_new_point(rlxc_context *ctx)
{
    return (rlxc_point){rlxc_loop_var(ctx, "m"), rlxc_loop_var(ctx, "v"), rlxc_loop_var(ctx, "l")};
}

const rlxc_expr *rlxc_point_column(rlxc_context *ctx, const rlxc_point *at, uint32_t vl)
{
    return rlxc_add(ctx, rlxc_mul(ctx, at->v, rlxc_i64(ctx, vl)), at->l);
}

const rlxc_stmt *rlxc_over_tile(rlxc_context *ctx, const rlxc_point *at, uint32_t mr, int64_t nv,
                                uint32_t vl, bool serial, const rlxc_stmt *body)
{
    const rlxc_loop_kind kind = serial ? RLXC_LOOP_SERIAL : RLXC_LOOP_UNROLLED;
    body = rlxc_loop_of(ctx, at->l, rlxc_i64(ctx, vl), RLXC_LOOP_VECTORIZED, body);
    body = rlxc_loop_of(ctx, at->v, rlxc_i64(ctx, nv), kind, body);
    return mr ? rlxc_loop_of(ctx, at->m, rlxc_i64(ctx, mr), kind, body) : body;
}

/* --- buffers and statements ------------------------------------------------------------------- */

void rlxc_declare(rlxc_schedule *c, rlxc_buffer *view)
{
    rlxc_stmt *declare = rlxc_alloc(c->s->ctx, sizeof *declare);
    *declare = (rlxc_stmt){.kind = RLXC_STMT_DECL_BUFFER, .decl = view};
    RLXC_PUSH(c->s->ctx, &c->out, declare);
}

rlxc_buffer *rlxc_local_buffer(rlxc_schedule *c, const char *name, rlx_dtype dtype,
                               const rlxc_expr *const *shape, uint32_t n)
{
    rlxc_context *ctx = c->s->ctx;
    rlxc_buffer *buffer = rlxc_buffer_new(ctx, rlxc_intern_cstr(ctx, name), dtype, shape, n);
    rlxc_stmt *allocate = rlxc_alloc(ctx, sizeof *allocate);
    *allocate = (rlxc_stmt){.kind = RLXC_STMT_ALLOCATE,
                            .allocate = {.var = buffer->data,
                                         .dtype = dtype,
                                         .extents = buffer->shape,
                                         .n = n,
                                         .scope = rlxc_intern_cstr(ctx, "global")}};
    RLXC_PUSH(ctx, &c->out, allocate);
    rlxc_declare(c, buffer);
    return buffer;
}

rlxc_buffer *rlxc_view(rlxc_schedule *c, const char *name, const rlxc_buffer *of, rlx_dtype dtype,
                       const rlxc_expr *size)
{
    rlxc_context *ctx = c->s->ctx;
    rlxc_buffer *view = rlxc_buffer_new(ctx, rlxc_intern_cstr(ctx, name), dtype, &size, 1);
    view->data = of->data;
    view->scope = of->scope;
    rlxc_declare(c, view);
    return view;
}

const rlxc_stmt *rlxc_body_of(const rlxc_schedule *c)
{
    return rlxc_stmt_seq(c->s->ctx, c->out.items, c->out.count);
}

const rlxc_stmt *rlxc_part(rlxc_context *ctx, const char *name, const rlxc_stmt *body)
{
    rlxc_block *block = rlxc_alloc(ctx, sizeof *block);
    block->name = rlxc_intern_cstr(ctx, name);
    block->body = body;
    return rlxc_stmt_block(ctx, block, NULL, NULL);
}
