/* Prints PrimFuncs: signature, declared symbols, match_buffers, body.
 *
 * Variables that no statement binds (shape symbols, unbound strides) are declared at the top of the
 * function, in order of first use. A parameter is a T.Buffer if constants alone describe it, else a
 * handle and a match_buffer. The root block is omitted if the reader adds it again, else it is
 * printed. */
#include <string.h>

#include "compiler/script/print.h"

/* --- variables to declare -------------------------------------------------------------------- */

typedef struct free_vars {
    rlxc_context *ctx;
    rlxc_map bound, seen;
    RLXC_VEC(const rlxc_expr *) used;
} free_vars;

static void bind(free_vars *fv, const rlxc_expr *var)
{
    if (var != NULL)
        rlxc_map_set(fv->ctx, &fv->bound, rlxc_key(var), fv);
}

static bool use_node(void *user, const rlxc_expr *e)
{
    free_vars *fv = user;
    if (e->kind == RLXC_EXPR_LET)
        bind(fv, e->let.var);
    if (e->kind != RLXC_EXPR_VAR || rlxc_map_get(&fv->seen, rlxc_key(e)) != NULL)
        return true;
    rlxc_map_set(fv->ctx, &fv->seen, rlxc_key(e), fv);
    RLXC_PUSH(fv->ctx, &fv->used, e);
    return true;
}

static void use(free_vars *fv, const rlxc_expr *e)
{
    if (e == NULL)
        return;
    if (e->kind == RLXC_EXPR_VAR)
        use_node(fv, e);
    else if (e->kind != RLXC_EXPR_INT && e->kind != RLXC_EXPR_FLOAT)
        rlxc_expr_visit(fv->ctx, e, use_node, fv);
}

static void use_all(free_vars *fv, const rlxc_expr *const *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        use(fv, items[i]);
}

static void use_attrs(free_vars *fv, const rlxc_attr *values, uint32_t n, int depth)
{
    for (uint32_t i = 0; i < n && depth < RLXC_MAX_DEPTH; i++) {
        if (values[i].kind == RLXC_ATTR_EXPR)
            use(fv, values[i].expr);
        else if (values[i].kind == RLXC_ATTR_LIST || values[i].kind == RLXC_ATTR_DICT)
            use_attrs(fv, values[i].list.items, values[i].list.count, depth + 1);
    }
}

static void use_buffer(free_vars *fv, const rlxc_buffer *b)
{
    use_all(fv, b->shape, b->ndim);
    if (b->strides != NULL)
        use_all(fv, b->strides, b->ndim);
    use(fv, b->elem_offset);
}

static void use_regions(free_vars *fv, const rlxc_region *regions, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        use_all(fv, regions[i].mins, regions[i].buffer->ndim);
        use_all(fv, regions[i].extents, regions[i].buffer->ndim);
    }
}

static void use_block(free_vars *fv, const rlxc_block *block)
{
    for (uint32_t i = 0; i < block->n_axes; i++) {
        bind(fv, block->axes[i].var);
        use(fv, block->axes[i].min);
        use(fv, block->axes[i].extent);
    }
    use_regions(fv, block->reads, block->n_reads);
    use_regions(fv, block->writes, block->n_writes);
    use_attrs(fv, block->annotations.values, block->annotations.count, 0);
    for (uint32_t i = 0; i < block->n_allocs; i++) {
        bind(fv, block->allocs[i]->data);
        use_buffer(fv, block->allocs[i]);
    }
    for (uint32_t i = 0; i < block->n_matches; i++) {
        bind(fv, block->matches[i].buffer->data);
        use_regions(fv, &block->matches[i].source, 1);
        use_buffer(fv, block->matches[i].buffer);
    }
}

static bool use_stmt(void *user, const rlxc_stmt *s)
{
    free_vars *fv = user;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        break;
    case RLXC_STMT_FOR:
        bind(fv, s->loop.var);
        use(fv, s->loop.min);
        use(fv, s->loop.extent);
        use_attrs(fv, s->loop.annotations.values, s->loop.annotations.count, 0);
        break;
    case RLXC_STMT_WHILE:
        use(fv, s->while_.cond);
        break;
    case RLXC_STMT_IF:
        use(fv, s->if_.cond);
        break;
    case RLXC_STMT_LET:
        bind(fv, s->let.var);
        use(fv, s->let.value);
        break;
    case RLXC_STMT_STORE:
        use_all(fv, s->store.indices, s->store.n);
        use(fv, s->store.value);
        break;
    case RLXC_STMT_EVALUATE:
        use(fv, s->evaluate);
        break;
    case RLXC_STMT_ASSERT:
        use(fv, s->assert_.cond);
        break;
    case RLXC_STMT_ALLOCATE:
        bind(fv, s->allocate.var);
        use_all(fv, s->allocate.extents, s->allocate.n);
        use(fv, s->allocate.cond);
        break;
    case RLXC_STMT_ALLOCATE_CONST:
        bind(fv, s->allocate_const.var);
        break;
    case RLXC_STMT_DECL_BUFFER:
        use_buffer(fv, s->decl);
        break;
    case RLXC_STMT_ATTR:
        use_attrs(fv, &s->attr.node, 1, 0);
        use(fv, s->attr.value);
        break;
    case RLXC_STMT_BLOCK:
        use_block(fv, s->block.block);
        use_all(fv, s->block.values, s->block.block->n_axes);
        use(fv, s->block.predicate);
        break;
    }
    return true;
}

static void find_free_vars(free_vars *fv, rlxc_context *ctx, const rlxc_prim_func *f)
{
    memset(fv, 0, sizeof *fv);
    fv->ctx = ctx;
    for (uint32_t i = 0; i < f->n_params; i++) {
        bind(fv, f->params[i].var);
        if (f->params[i].buffer != NULL) {
            bind(fv, f->params[i].buffer->data);
            use_buffer(fv, f->params[i].buffer);
        }
    }
    use_attrs(fv, f->attrs.values, f->attrs.count, 0);
    if (f->body != NULL)
        rlxc_stmt_visit(f->body, use_stmt, fv);
}

/* --- functions ------------------------------------------------------------------------------- */

/* True if it can be written T.Buffer((4, 8), "float32") in the signature. */
static bool is_inline_buffer(const free_vars *fv, const rlxc_prim_param *param)
{
    const rlxc_buffer *b = param->buffer;
    if (b == NULL || b->strides != NULL || b->elem_offset != NULL || b->align != 0 ||
        b->offset_factor != 0 || !rlxc_is_default_scope(b->scope) ||
        (param->var != NULL && rlxc_map_get(&fv->seen, rlxc_key(param->var)) != NULL))
        return false;
    for (uint32_t i = 0; i < b->ndim; i++)
        if (b->shape[i]->kind != RLXC_EXPR_INT)
            return false;
    return true;
}

static void print_param(rlxc_printer *p, const free_vars *fv, const rlxc_prim_param *param)
{
    const rlxc_buffer *b = param->buffer;
    if (is_inline_buffer(fv, param)) {
        rlxc_text_printf(&p->out, "%s: T.Buffer(", rlxc_print_define_buffer(p, b));
        rlxc_print_dims(p, b->shape, b->ndim);
        rlxc_text_printf(&p->out, ", \"%s\")", rlxc_dtype_name(p->ctx, b->dtype));
        return;
    }
    const char *hint = param->var->var.name;
    if (b != NULL && hint != NULL && b->name != NULL && strcmp(hint, b->name) == 0)
        hint = rlxc_internf(p->ctx, "var_%s", hint);
    rlxc_text_printf(&p->out, "%s: T.%s", rlxc_print_name(p, param->var, hint),
                     rlxc_dtype_name(p->ctx, param->var->dtype));
}

static void print_declarations(rlxc_printer *p, const free_vars *fv)
{
    for (uint32_t i = 0; i < fv->used.count; i++) {
        const rlxc_expr *var = fv->used.items[i];
        if (rlxc_map_get(&fv->bound, rlxc_key(var)) != NULL)
            continue;
        rlxc_print_line(p);
        rlxc_text_printf(&p->out, "%s = T.%s()\n", rlxc_print_name(p, var, var->var.name),
                         rlxc_dtype_name(p->ctx, var->dtype));
    }
}

static bool note_block(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found = *found || s->kind == RLXC_STMT_BLOCK;
    return !*found;
}

/* The reader itself wraps a body that has blocks or allocations into a root block, unless the body
 * is one block without axes. */
static bool root_is_implied(const rlxc_stmt *s)
{
    if (s->kind != RLXC_STMT_BLOCK || s->block.predicate != NULL)
        return false;
    const rlxc_block *b = s->block.block;
    if (b->name == NULL || strcmp(b->name, "root") != 0 || b->n_axes > 0 || b->has_reads ||
        b->has_writes || b->n_matches > 0 || b->annotations.count > 0 || b->init != NULL)
        return false;
    if (b->n_allocs > 0)
        return true;
    if (b->body->kind == RLXC_STMT_BLOCK && b->body->block.block->n_axes == 0)
        return false;
    bool found = false;
    rlxc_stmt_visit(b->body, note_block, &found);
    return found;
}

void rlxc_print_prim(rlxc_printer *p, const rlxc_prim_func *f)
{
    rlxc_text *out = &p->out;
    free_vars fv;
    find_free_vars(&fv, p->ctx, f);
    rlxc_print_reset_names(p);
    p->relax = false;
    p->quote_dims = false;

    rlxc_print_line(p);
    rlxc_text_puts(out, f->is_private ? "@T.prim_func(private=True)\n" : "@T.prim_func\n");
    rlxc_print_line(p);
    rlxc_text_printf(out, "def %s(", f->name != NULL ? f->name : "main");
    for (uint32_t i = 0; i < f->n_params; i++) {
        rlxc_text_puts(out, i > 0 ? ", " : "");
        print_param(p, &fv, &f->params[i]);
    }
    rlxc_text_puts(out, ")");
    if (!rlxc_dtype_is_void(f->ret_dtype))
        rlxc_text_printf(out, " -> T.%s", rlxc_dtype_name(p->ctx, f->ret_dtype));
    rlxc_text_puts(out, ":\n");

    p->indent++;
    size_t start = out->length;
    if (f->attrs.count > 0) {
        rlxc_print_line(p);
        rlxc_text_puts(out, "T.func_attr(");
        rlxc_print_attr_dict(p, &f->attrs);
        rlxc_text_puts(out, ")\n");
    }
    print_declarations(p, &fv);
    for (uint32_t i = 0; i < f->n_params; i++) {
        const rlxc_prim_param *param = &f->params[i];
        if (param->buffer == NULL || is_inline_buffer(&fv, param))
            continue;
        rlxc_print_line(p);
        rlxc_text_printf(out, "%s = T.match_buffer(%s, ",
                         rlxc_print_define_buffer(p, param->buffer),
                         rlxc_print_name(p, param->var, param->var->var.name));
        rlxc_print_buffer_args(p, param->buffer, NULL);
        rlxc_text_puts(out, "\n");
    }
    if (f->body != NULL && root_is_implied(f->body)) {
        rlxc_print_line(p);
        rlxc_text_puts(out, "# with T.block(\"root\"):\n");
        rlxc_print_block_body(p, f->body);
    } else if (f->body != NULL) {
        rlxc_print_statement(p, f->body);
    }
    if (out->length == start) {
        rlxc_print_line(p);
        rlxc_text_puts(out, "pass\n");
    }
    p->indent--;
}

const char *rlxc_print_prim_func(rlxc_context *ctx, const rlxc_prim_func *f)
{
    rlxc_printer p;
    rlxc_printer_init(&p, ctx);
    rlxc_print_prim(&p, f);
    return p.out.data != NULL ? p.out.data : "";
}
