/* Prints TIR statements, blocks and buffers.
 *
 * Consecutive plain loops become one T.grid and runs of axes that equal their loops one
 * T.axis.remap, as TVM prints them. Names bound by loops, blocks and sequences are released where
 * their scope ends. Recursion follows the nesting of statements, which construction limits. */
#include <string.h>

#include "compiler/script/print.h"

enum { MAX_GRID = 16, MAX_PRINT_DEPTH = 512 };

/* --- buffers --------------------------------------------------------------------------------- */

bool rlxc_is_default_scope(const char *scope)
{
    return scope == NULL || scope[0] == '\0' || strcmp(scope, "global") == 0;
}

/* Prints the shape, then non-default fields. Pointer |data| comes before the other keywords. */
void rlxc_print_buffer_args(rlxc_printer *p, const rlxc_buffer *b, const char *data)
{
    rlxc_text *out = &p->out;
    rlxc_print_dims(p, b->shape, b->ndim);
    if (!rlxc_dtype_eq(b->dtype, RLX_F32))
        rlxc_text_printf(out, ", \"%s\"", rlxc_dtype_name(p->ctx, b->dtype));
    if (data != NULL)
        rlxc_text_printf(out, ", data=%s", data);
    if (b->strides != NULL) {
        rlxc_text_puts(out, ", strides=");
        rlxc_print_dims(p, b->strides, b->ndim);
    }
    if (b->elem_offset != NULL) {
        rlxc_text_puts(out, ", elem_offset=");
        rlxc_print_expression(p, b->elem_offset);
    }
    if (!rlxc_is_default_scope(b->scope)) {
        rlxc_text_puts(out, ", scope=");
        rlxc_print_quoted(p, b->scope);
    }
    if (b->align != 0)
        rlxc_text_printf(out, ", align=%u", b->align);
    if (b->offset_factor != 0)
        rlxc_text_printf(out, ", offset_factor=%u", b->offset_factor);
    rlxc_text_puts(out, ")");
}

/* The pointer of a buffer that owns it is called "x.data". */
const char *rlxc_print_define_buffer(rlxc_printer *p, const rlxc_buffer *b)
{
    const char *name = rlxc_print_buffer_name(p, b);
    if (b->data != NULL && rlxc_map_get(&p->names, rlxc_key(b->data)) == NULL) {
        const char *data = rlxc_internf(p->ctx, "%s.data", name);
        rlxc_map_set(p->ctx, &p->names, rlxc_key(b->data), (void *)(uintptr_t)data);
    }
    return name;
}

static void print_region(rlxc_printer *p, const rlxc_region *r)
{
    rlxc_text_printf(&p->out, "%s[", rlxc_print_buffer_name(p, r->buffer));
    for (uint32_t i = 0; i < r->buffer->ndim; i++) {
        if (i > 0)
            rlxc_text_puts(&p->out, ", ");
        rlxc_print_expression(p, r->mins[i]);
        if (rlxc_is_const(r->extents[i], 1))
            continue;
        rlxc_text_puts(&p->out, ":");
        rlxc_print_expression(p, rlxc_add(p->ctx, r->mins[i], r->extents[i]));
    }
    rlxc_text_puts(&p->out, r->buffer->ndim == 0 ? "()]" : "]");
}

/* --- statements ------------------------------------------------------------------------------ */

static void print_stmt(rlxc_printer *p, const rlxc_stmt *s, int depth);

static void print_body(rlxc_printer *p, const rlxc_stmt *s, int depth)
{
    p->indent++;
    print_stmt(p, s, depth + 1);
    p->indent--;
}

static void print_axes_remap(rlxc_printer *p, const rlxc_stmt *s, uint32_t first, uint32_t end)
{
    const rlxc_block *block = s->block.block;
    rlxc_print_line(p);
    for (uint32_t i = first; i < end; i++)
        rlxc_text_printf(&p->out, "%s%s", i > first ? ", " : "",
                         rlxc_print_name(p, block->axes[i].var, block->axes[i].var->var.name));
    rlxc_text_puts(&p->out, " = T.axis.remap(\"");
    for (uint32_t i = first; i < end; i++)
        rlxc_text_puts(&p->out, block->axes[i].kind == RLXC_AXIS_REDUCE ? "R" : "S");
    rlxc_text_puts(&p->out, "\", [");
    for (uint32_t i = first; i < end; i++) {
        rlxc_text_puts(&p->out, i > first ? ", " : "");
        rlxc_print_expression(p, s->block.values[i]);
    }
    rlxc_text_puts(&p->out, "])\n");
}

static void print_axis(rlxc_printer *p, const rlxc_axis *axis, const rlxc_expr *value)
{
    const char *kind = "spatial";
    switch (axis->kind) {
    case RLXC_AXIS_SPATIAL:
        break;
    case RLXC_AXIS_REDUCE:
        kind = "reduce";
        break;
    case RLXC_AXIS_OPAQUE:
        kind = "opaque";
        break;
    case RLXC_AXIS_SCAN:
        kind = "scan";
        break;
    }
    rlxc_print_line(p);
    rlxc_text_printf(&p->out, "%s = T.axis.%s(", rlxc_print_name(p, axis->var, axis->var->var.name),
                     kind);
    if (rlxc_is_const(axis->min, 0)) {
        rlxc_print_expression(p, axis->extent);
    } else {
        rlxc_text_puts(&p->out, "(");
        rlxc_print_expression(p, axis->min);
        rlxc_text_puts(&p->out, ", ");
        rlxc_print_expression(p, rlxc_add(p->ctx, axis->min, axis->extent));
        rlxc_text_puts(&p->out, ")");
    }
    rlxc_text_puts(&p->out, ", ");
    rlxc_print_expression(p, value);
    rlxc_text_puts(&p->out, ")\n");
}

/* The axis runs exactly as the loop whose variable is its value. */
static bool equals_its_loop(const rlxc_printer *p, const rlxc_axis *axis, const rlxc_expr *value)
{
    if (axis->kind != RLXC_AXIS_SPATIAL && axis->kind != RLXC_AXIS_REDUCE)
        return false;
    const rlxc_stmt *loop = rlxc_map_get(&p->loops, rlxc_key(value));
    return loop != NULL && loop->loop.min == axis->min && loop->loop.extent == axis->extent &&
           rlxc_dtype_eq(axis->var->dtype, value->dtype);
}

static void print_axes(rlxc_printer *p, const rlxc_stmt *s)
{
    const rlxc_block *block = s->block.block;
    for (uint32_t i = 0; i < block->n_axes;) {
        uint32_t end = i;
        while (end < block->n_axes && equals_its_loop(p, &block->axes[end], s->block.values[end]))
            end++;
        if (end > i + 1) {
            print_axes_remap(p, s, i, end);
            i = end;
        } else {
            print_axis(p, &block->axes[i], s->block.values[i]);
            i++;
        }
    }
}

static void print_regions(rlxc_printer *p, const char *what, const rlxc_region *regions, uint32_t n)
{
    rlxc_print_line(p);
    rlxc_text_printf(&p->out, "T.%s(", what);
    for (uint32_t i = 0; i < n; i++) {
        rlxc_text_puts(&p->out, i > 0 ? ", " : "");
        print_region(p, &regions[i]);
    }
    rlxc_text_puts(&p->out, ")\n");
}

/* Prints the body of a block below its `with` line. */
static void print_block_body(rlxc_printer *p, const rlxc_stmt *s, int depth)
{
    const rlxc_block *block = s->block.block;
    print_axes(p, s);
    if (s->block.predicate != NULL) {
        rlxc_print_line(p);
        rlxc_text_puts(&p->out, "T.where(");
        rlxc_print_expression(p, s->block.predicate);
        rlxc_text_puts(&p->out, ")\n");
    }
    if (block->has_reads)
        print_regions(p, "reads", block->reads, block->n_reads);
    if (block->has_writes)
        print_regions(p, "writes", block->writes, block->n_writes);
    if (block->annotations.count > 0) {
        rlxc_print_line(p);
        rlxc_text_puts(&p->out, "T.block_attr(");
        rlxc_print_attr_dict(p, &block->annotations);
        rlxc_text_puts(&p->out, ")\n");
    }
    for (uint32_t i = 0; i < block->n_allocs; i++) {
        rlxc_print_line(p);
        rlxc_text_printf(&p->out, "%s = T.alloc_buffer(",
                         rlxc_print_define_buffer(p, block->allocs[i]));
        rlxc_print_buffer_args(p, block->allocs[i], NULL);
        rlxc_text_puts(&p->out, "\n");
    }
    for (uint32_t i = 0; i < block->n_matches; i++) {
        rlxc_print_line(p);
        rlxc_text_printf(&p->out, "%s = T.match_buffer(",
                         rlxc_print_define_buffer(p, block->matches[i].buffer));
        print_region(p, &block->matches[i].source);
        rlxc_text_puts(&p->out, ", ");
        rlxc_print_buffer_args(p, block->matches[i].buffer, NULL);
        rlxc_text_puts(&p->out, "\n");
    }
    if (block->init != NULL) {
        rlxc_print_line(p);
        rlxc_text_puts(&p->out, "with T.init():\n");
        print_body(p, block->init, depth);
    }
    print_stmt(p, block->body, depth + 1);
}

static bool is_plain_loop(const rlxc_stmt *s)
{
    return s->kind == RLXC_STMT_FOR && s->loop.kind == RLXC_LOOP_SERIAL &&
           s->loop.annotations.count == 0 && rlxc_is_const(s->loop.min, 0);
}

static bool uses_any(rlxc_context *ctx, const rlxc_expr *e, const rlxc_stmt *const *loops,
                     uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (rlxc_expr_uses_var(ctx, e, loops[i]->loop.var))
            return true;
    return false;
}

static void print_for(rlxc_printer *p, const rlxc_stmt *s, int depth)
{
    const rlxc_stmt *loops[MAX_GRID];
    uint32_t n = 0;
    loops[n++] = s;
    while (n < MAX_GRID && is_plain_loop(loops[n - 1]) && is_plain_loop(loops[n - 1]->loop.body) &&
           !uses_any(p->ctx, loops[n - 1]->loop.body->loop.extent, loops, n)) {
        loops[n] = loops[n - 1]->loop.body;
        n++;
    }

    uint32_t mark = rlxc_print_scope_begin(p);
    rlxc_print_line(p);
    rlxc_text_puts(&p->out, "for ");
    for (uint32_t i = 0; i < n; i++) {
        rlxc_map_set(p->ctx, &p->loops, rlxc_key(loops[i]->loop.var), (void *)(uintptr_t)loops[i]);
        rlxc_text_printf(&p->out, "%s%s", i > 0 ? ", " : "",
                         rlxc_print_name(p, loops[i]->loop.var, loops[i]->loop.var->var.name));
    }
    const char *kind = "T.grid";
    if (n == 1)
        switch (s->loop.kind) {
        case RLXC_LOOP_SERIAL:
            kind = s->loop.annotations.count == 0 ? "range" : "T.serial";
            break;
        case RLXC_LOOP_PARALLEL:
            kind = "T.parallel";
            break;
        case RLXC_LOOP_VECTORIZED:
            kind = "T.vectorized";
            break;
        case RLXC_LOOP_UNROLLED:
            kind = "T.unroll";
            break;
        case RLXC_LOOP_BOUND:
            kind = "T.thread_binding";
            break;
        }
    rlxc_text_printf(&p->out, " in %s(", kind);
    if (!rlxc_is_const(s->loop.min, 0)) {
        rlxc_print_expression(p, s->loop.min);
        rlxc_text_puts(&p->out, ", ");
        rlxc_print_expression(p, rlxc_add(p->ctx, s->loop.min, s->loop.extent));
    } else {
        for (uint32_t i = 0; i < n; i++) {
            rlxc_text_puts(&p->out, i > 0 ? ", " : "");
            rlxc_print_expression(p, loops[i]->loop.extent);
        }
    }
    if (s->loop.kind == RLXC_LOOP_BOUND)
        rlxc_text_printf(&p->out, ", thread=\"%s\"", s->loop.thread);
    if (s->loop.annotations.count > 0) {
        rlxc_text_puts(&p->out, ", annotations=");
        rlxc_print_attr_dict(p, &s->loop.annotations);
    }
    rlxc_text_puts(&p->out, "):\n");
    print_body(p, loops[n - 1]->loop.body, depth);
    rlxc_print_scope_end(p, mark);
}

/* One element of allocate_const's data as a plain Python number. */
static void print_element(rlxc_printer *p, rlx_dtype dtype, const void *data, size_t index)
{
    rlxc_constant element = {.dtype = dtype};
    size_t size = rlx_dtype_size(dtype);
    element.data = (const char *)data + index * size;
    element.nbytes = size;
    char text[RLXC_SCALAR_TEXT];
    rlxc_text_puts(&p->out, rlxc_scalar_text(&element, text));
}

static void print_allocate_const(rlxc_printer *p, const rlxc_stmt *s)
{
    size_t size = rlx_dtype_size(s->allocate_const.dtype);
    size_t n = size > 0 ? s->allocate_const.nbytes / size : 0;
    rlxc_text_printf(&p->out, "%s = T.allocate_const([",
                     rlxc_print_name(p, s->allocate_const.var, s->allocate_const.var->var.name));
    for (size_t i = 0; i < n && !rlxc_out_of_memory(p->ctx); i++) {
        rlxc_text_puts(&p->out, i > 0 ? ", " : "");
        print_element(p, s->allocate_const.dtype, s->allocate_const.data, i);
    }
    rlxc_text_printf(&p->out, "], \"%s\", [", rlxc_dtype_name(p->ctx, s->allocate_const.dtype));
    for (uint32_t i = 0; i < s->allocate_const.n; i++)
        rlxc_text_printf(&p->out, "%s%lld", i > 0 ? ", " : "",
                         (long long)s->allocate_const.extents[i]);
    rlxc_text_puts(&p->out, "])\n");
}

static void print_allocate(rlxc_printer *p, const rlxc_stmt *s)
{
    rlxc_text_printf(&p->out, "%s = T.allocate([",
                     rlxc_print_name(p, s->allocate.var, s->allocate.var->var.name));
    for (uint32_t i = 0; i < s->allocate.n; i++) {
        rlxc_text_puts(&p->out, i > 0 ? ", " : "");
        rlxc_print_expression(p, s->allocate.extents[i]);
    }
    rlxc_text_printf(&p->out, "], \"%s\", ", rlxc_dtype_name(p->ctx, s->allocate.dtype));
    rlxc_print_quoted(p, s->allocate.scope != NULL ? s->allocate.scope : "global");
    if (s->allocate.cond != NULL) {
        rlxc_text_puts(&p->out, ", condition=");
        rlxc_print_expression(p, s->allocate.cond);
    }
    rlxc_text_puts(&p->out, ")\n");
}

static void print_decl_buffer(rlxc_printer *p, const rlxc_buffer *b)
{
    const char *data = b->data != NULL ? rlxc_map_get(&p->names, rlxc_key(b->data)) : NULL;
    rlxc_text_printf(&p->out, "%s = T.decl_buffer(", rlxc_print_define_buffer(p, b));
    rlxc_print_buffer_args(p, b, data);
    rlxc_text_puts(&p->out, "\n");
}

static void print_store(rlxc_printer *p, const rlxc_stmt *s)
{
    rlxc_text_printf(&p->out, "%s[", rlxc_print_buffer_name(p, s->store.buffer));
    for (uint32_t i = 0; i < s->store.n; i++) {
        rlxc_text_puts(&p->out, i > 0 ? ", " : "");
        rlxc_print_expression(p, s->store.indices[i]);
    }
    rlxc_text_puts(&p->out, s->store.n == 0 ? "()] = " : "] = ");
    rlxc_print_expression(p, s->store.value);
    rlxc_text_puts(&p->out, "\n");
}

static void print_attr_stmt(rlxc_printer *p, const rlxc_stmt *s)
{
    rlxc_text_puts(&p->out, "T.attr(");
    rlxc_print_attr(p, &s->attr.node);
    rlxc_text_puts(&p->out, ", ");
    rlxc_print_quoted(p, s->attr.key);
    rlxc_text_puts(&p->out, ", ");
    rlxc_print_expression(p, s->attr.value);
    rlxc_text_puts(&p->out, ")\n");
}

static void print_evaluate(rlxc_printer *p, const rlxc_expr *e)
{
    bool call = e->kind == RLXC_EXPR_CALL;
    rlxc_text_puts(&p->out, call ? "" : "T.evaluate(");
    rlxc_print_expression(p, e);
    rlxc_text_puts(&p->out, call ? "\n" : ")\n");
}

static void print_header(rlxc_printer *p, const char *keyword, const rlxc_expr *cond)
{
    rlxc_text_puts(&p->out, keyword);
    rlxc_print_expression(p, cond);
    rlxc_text_puts(&p->out, ":\n");
}

static void print_leaf(rlxc_printer *p, const rlxc_stmt *s);

static void print_block(rlxc_printer *p, const rlxc_stmt *s, int depth)
{
    uint32_t mark = rlxc_print_scope_begin(p);
    rlxc_print_line(p);
    rlxc_text_puts(&p->out, "with T.block(");
    rlxc_print_quoted(p, s->block.block->name != NULL ? s->block.block->name : "");
    rlxc_text_puts(&p->out, "):\n");
    p->indent++;
    print_block_body(p, s, depth);
    p->indent--;
    rlxc_print_scope_end(p, mark);
}

static void print_stmt(rlxc_printer *p, const rlxc_stmt *s, int depth)
{
    if (depth > MAX_PRINT_DEPTH || p->overflow) {
        if (!p->overflow)
            rlxc_internal(p->ctx, s->range, "print", "statements nest deeper than %d",
                          MAX_PRINT_DEPTH);
        p->overflow = true;
        return;
    }
    switch (s->kind) {
    case RLXC_STMT_SEQ: {
        uint32_t mark = rlxc_print_scope_begin(p);
        for (uint32_t i = 0; i < s->seq.n && !rlxc_out_of_memory(p->ctx); i++)
            print_stmt(p, s->seq.items[i], depth + 1);
        rlxc_print_scope_end(p, mark);
        if (s->seq.n == 0) {
            rlxc_print_line(p);
            rlxc_text_puts(&p->out, "pass\n");
        }
        return;
    }
    case RLXC_STMT_FOR:
        print_for(p, s, depth);
        return;
    case RLXC_STMT_WHILE:
        rlxc_print_line(p);
        print_header(p, "while ", s->while_.cond);
        print_body(p, s->while_.body, depth);
        return;
    case RLXC_STMT_IF:
        rlxc_print_line(p);
        print_header(p, "if ", s->if_.cond);
        print_body(p, s->if_.then, depth);
        if (s->if_.otherwise != NULL) {
            rlxc_print_line(p);
            rlxc_text_puts(&p->out, "else:\n");
            print_body(p, s->if_.otherwise, depth);
        }
        return;
    case RLXC_STMT_BLOCK:
        print_block(p, s, depth);
        return;
        RLXC_LEAF_STMTS(RLXC_STMT_CASE)
        rlxc_print_line(p);
        print_leaf(p, s);
        return;
    }
}

static void print_leaf(rlxc_printer *p, const rlxc_stmt *s)
{
    switch (s->kind) {
    case RLXC_STMT_LET:
        rlxc_text_printf(&p->out,
                         "%s: T.%s = ", rlxc_print_name(p, s->let.var, s->let.var->var.name),
                         rlxc_dtype_name(p->ctx, s->let.var->dtype));
        rlxc_print_expression(p, s->let.value);
        rlxc_text_puts(&p->out, "\n");
        return;
    case RLXC_STMT_STORE:
        print_store(p, s);
        return;
    case RLXC_STMT_EVALUATE:
        print_evaluate(p, s->evaluate);
        return;
    case RLXC_STMT_ASSERT:
        rlxc_text_puts(&p->out, "assert ");
        rlxc_print_expression(p, s->assert_.cond);
        rlxc_text_puts(&p->out, ", ");
        rlxc_print_quoted(p, s->assert_.message != NULL ? s->assert_.message : "");
        rlxc_text_puts(&p->out, "\n");
        return;
    case RLXC_STMT_ALLOCATE:
        print_allocate(p, s);
        return;
    case RLXC_STMT_ALLOCATE_CONST:
        print_allocate_const(p, s);
        return;
    case RLXC_STMT_DECL_BUFFER:
        print_decl_buffer(p, s->decl);
        return;
    case RLXC_STMT_ATTR:
        print_attr_stmt(p, s);
        return;
        RLXC_NESTING_STMTS(RLXC_STMT_CASE)
        return;
    }
}

void rlxc_print_statement(rlxc_printer *p, const rlxc_stmt *s)
{
    print_stmt(p, s, 0);
}

void rlxc_print_block_body(rlxc_printer *p, const rlxc_stmt *s)
{
    print_block_body(p, s, 0);
}
