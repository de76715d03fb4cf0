/* Pass extract_constants: constants inside PrimFuncs become constants of the module.
 *
 *   c = T.allocate_const([1.0, 2.0], "float32", [2])        in f(A, B)
 *   C = T.Buffer((2,), data=c)
 * becomes
 *   a parameter C of f(A, C, B), and   R.call_tir(cls.f, (x, R.const([1.0, 2.0])), ...)
 *
 * There they are treated like all other constants: equal ones are stored once, they are folded and
 * packed, lie on the device of their call and can be lifted. Calls by name alone, f(x, y), pass
 * them too. A function that is also a value, or that nothing here calls, keeps its constants as
 * data beside its code. */
#include "compiler/ir/rewrite.h"
#include "compiler/passes/add_inputs.h"
#include "compiler/passes/fuse.h"
#include "compiler/passes/passes.h"

typedef struct extracted {
    const rlxc_stmt *where;
    rlxc_buffer *buffer;    /* of the parameter */
    const rlxc_stmt *whole; /* the declaration that became the parameter, or NULL */
} extracted;

typedef struct function { /* a PrimFunc with constants */
    rlxc_atom *constants;
    uint32_t n, n_inputs; /* before the constants */
} function;

typedef struct search {
    rlxc_context *ctx;
    RLXC_VEC(extracted) found;
} search;

typedef struct extraction {
    rlxc_context *ctx;
    rlxc_map functions; /* interned name -> function */
} extraction;

static extracted *constant_of(search *s, const rlxc_expr *data)
{
    for (uint32_t i = 0; i < s->found.count; i++)
        if (s->found.items[i].where->allocate_const.var == data)
            return &s->found.items[i];
    return NULL;
}

/* Whether |b| is all of the constant at |s|, element by element. */
static bool is_whole(const rlxc_buffer *b, const rlxc_stmt *s)
{
    int64_t offset = 0, dim, have = 1, want = 1;
    if (b->strides || !rlxc_dtype_eq(b->dtype, s->allocate_const.dtype) ||
        (b->elem_offset && !(rlxc_is_int(b->elem_offset, &offset) && offset == 0)))
        return false;
    for (uint32_t i = 0; i < b->ndim; i++)
        if (!rlxc_is_int(b->shape[i], &dim) || dim < 0 || __builtin_mul_overflow(have, dim, &have))
            return false;
    for (uint32_t i = 0; i < s->allocate_const.n; i++)
        want *= s->allocate_const.extents[i];
    return have == want;
}

static bool find(void *user, const rlxc_stmt *s)
{
    search *in = user;
    if (s->kind == RLXC_STMT_ALLOCATE_CONST && s->allocate_const.n <= RLXC_MAX_NDIM)
        RLXC_PUSH(in->ctx, &in->found, (extracted){.where = s});
    extracted *e = s->kind == RLXC_STMT_DECL_BUFFER ? constant_of(in, s->decl->data) : NULL;
    if (e && !e->whole && is_whole(s->decl, e->where)) {
        e->whole = s;
        e->buffer = s->decl;
    }
    return true;
}

static const rlxc_stmt *take_out(void *user, const rlxc_stmt *s)
{
    const search *in = user;
    for (uint32_t i = 0; i < in->found.count; i++)
        if (s == in->found.items[i].where || s == in->found.items[i].whole)
            return rlxc_stmt_nothing(in->ctx);
    return s;
}

/* A buffer of the constant's own shape, for a function that declares it in parts only. */
static rlxc_buffer *buffer_of(rlxc_context *ctx, const rlxc_stmt *s)
{
    const rlxc_expr *shape[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < s->allocate_const.n; i++)
        shape[i] = rlxc_i64(ctx, s->allocate_const.extents[i]);
    rlxc_buffer *b = rlxc_buffer_new(ctx, s->allocate_const.var->var.name, s->allocate_const.dtype,
                                     shape, s->allocate_const.n);
    b->data = s->allocate_const.var;
    return b;
}

static rlxc_atom atom_of(rlxc_context *ctx, const extracted *e)
{
    int64_t shape[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < e->buffer->ndim; i++)
        rlxc_is_int(e->buffer->shape[i], &shape[i]);
    return rlxc_atom_constant(rlxc_constant_new(ctx, e->buffer->dtype, e->buffer->ndim, shape,
                                                e->where->allocate_const.data,
                                                e->where->allocate_const.nbytes));
}

static void extract(extraction *x, rlxc_prim_func *f, const char *name, uint32_t n_inputs)
{
    rlxc_context *ctx = x->ctx;
    search s = {.ctx = ctx};
    rlxc_stmt_visit(f->body, find, &s);
    if (s.found.count == 0)
        return;
    const rlxc_stmt_rewriter rewriter = {.user = &s, .stmt = take_out};
    function *made = rlxc_alloc(ctx, sizeof *made);
    rlxc_prim_param *params = rlxc_alloc(ctx, s.found.count * sizeof *params);
    *made = (function){rlxc_alloc(ctx, s.found.count * sizeof(rlxc_atom)), s.found.count, n_inputs};
    for (uint32_t i = 0; i < s.found.count; i++) {
        extracted *e = &s.found.items[i];
        if (!e->buffer)
            e->buffer = buffer_of(ctx, e->where);
        params[i] =
            (rlxc_prim_param){.var = rlxc_var(ctx, rlxc_internf(ctx, "%s_handle", e->buffer->name),
                                              rlxc_dtype_handle()),
                              .buffer = e->buffer};
        made->constants[i] = atom_of(ctx, e);
    }
    f->body = rlxc_stmt_rewrite(ctx, f->body, &rewriter);
    rlxc_add_params(ctx, f, n_inputs, params, s.found.count);
    rlxc_map_set(ctx, &x->functions, rlxc_key(name), made);
}

static rlxc_rewrite_action pass_constants(void *user, rlxc_builder *b, rlxc_binding *call,
                                          rlxc_atom *replacement)
{
    const extraction *x = user;
    (void)replacement;
    const bool plain = rlxc_plainly_called(b->module, call) != NULL;
    const char *name = plain                              ? call->callee.text
                       : rlxc_has_inputs(b->module, call) ? call->args[0].text
                                                          : NULL;
    const function *f = name ? rlxc_map_get(&x->functions, rlxc_key(name)) : NULL;
    if (f && plain)
        rlxc_add_arguments(b->ctx, call, f->n_inputs, f->constants, f->n);
    else if (f)
        rlxc_add_inputs(b->ctx, call, name, f->constants, f->n);
    return RLXC_REWRITE_KEEP;
}

bool rlxc_pass_extract_constants(rlxc_context *ctx, rlxc_module *module,
                                 const rlxc_options *options)
{
    (void)options;
    extraction x = {.ctx = ctx};
    rlxc_map callees = {0};
    rlxc_count_callees(ctx, module, &callees);
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_global *g = module->globals.items[i];
        const rlxc_callee *c =
            g->prim ? rlxc_extensible_everywhere(&callees, g->name, g->prim) : NULL;
        if (c)
            extract(&x, g->prim, g->name, c->n_inputs);
    }
    if (x.functions.count > 0 && !rlxc_failed(ctx)) {
        const rlxc_rewrite_pass pass = {.user = &x, .binding = pass_constants};
        rlxc_rewrite_module(ctx, module, &pass);
    }
    return !rlxc_failed(ctx);
}
