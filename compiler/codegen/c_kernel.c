/* A PrimFunc as a function of C99.
 *
 * Its parameters are those of the PrimFunc, pointers to compact elements for buffers, then the
 * symbols of their shapes, then scratch memory if it needs any. Small temporaries are arrays of the
 * function. Loops of all kinds run serially. */
#include "compiler/codegen/c.h"
#include "compiler/codegen/param_checks.h"
#include "compiler/codegen/scratch.h"

/* --- temporaries ------------------------------------------------------------------------------ */

static void place(void *user, const rlxc_stmt *s, const rlxc_expr *offset, const rlxc_expr *bytes)
{
    rlxc_cl *g = user;
    if (!bytes)
        rlxc_error(g->ctx, g->range, "%s: the size of temporary %s depends on more than its call",
                   g->f->name, s->allocate.var->var.name);
    else
        rlxc_map_set(g->ctx, &g->places, rlxc_key(s->allocate.var), (void *)(uintptr_t)offset);
}

bool rlxc_c_place(rlxc_cl *g, const rlxc_expr *var, rlx_dtype t)
{
    const rlxc_expr *offset = rlxc_map_get(&g->places, rlxc_key(var));
    if (!offset)
        return false;
    const char *type = rlxc_cl_memory_type(g, t), *name = rlxc_cl_name(g, var->var.name);
    rlxc_cl_line(g, "%s *%s = (%s *)(void *)(%s + %s);", type, name, type, g->scratch,
                 rlxc_c_bare(g, rlxc_cl_index(g, offset)));
    rlxc_c_local(g, name);
    rlxc_cl_set_memory(g, var, name, "", t, false);
    return true;
}

/* --- what the body does ----------------------------------------------------------------------- */

typedef struct effects {
    rlxc_context *ctx;
    rlxc_map written; /* data of buffers that are stored to */
    bool can_fail;
} effects;

static bool note(void *user, const rlxc_stmt *s)
{
    effects *e = user;
    e->can_fail = e->can_fail || rlxc_stmt_is_check(s);
    if (s->kind == RLXC_STMT_STORE)
        rlxc_map_set(e->ctx, &e->written, rlxc_key(s->store.buffer->data), e);
    return true;
}

/* --- text ------------------------------------------------------------------------------------- */

static void check_params(rlxc_cl *g, const rlxc_param_check *checks, uint32_t n)
{
    rlxc_context *ctx = g->ctx;
    for (uint32_t i = 0; i < n && !rlxc_failed(ctx); i++) {
        const rlxc_param_check *c = &checks[i];
        const rlxc_cl_memory *m = rlxc_map_get(&g->memory, rlxc_key(c->buffer->data));
        const rlxc_expr *count =
            rlxc_canonical(ctx, rlxc_product(ctx, c->buffer->shape, c->buffer->ndim), NULL);
        const char *at = rlxc_cl_name(g, "i"), *i64 = rlxc_cl_type(g, RLX_I64);
        const char *high = c->size ? rlxc_cl_index(g, c->size) : rlxc_cl_int(g, RLX_I64, c->high);
        const char *low =
            c->size ? rlxc_internf(ctx, "-%s", high) : rlxc_cl_int(g, RLX_I64, c->low);
        const bool is_signed = c->buffer->dtype.code == RLX_INT;
        const char *x = rlxc_internf(ctx, "%s[%s]", m->name, at);
        rlxc_cl_line(g, "for (%s %s = 0; %s < %s; ++%s)", i64, at, at, rlxc_cl_index(g, count), at);
        if (is_signed)
            rlxc_cl_line(g, "  if (%s < %s || %s >= %s)", x, rlxc_c_bare(g, low), x, high);
        else
            rlxc_cl_line(g, "  if (%s >= (uint64_t)%s)", x, high);
        rlxc_cl_line(g, "    return %s;", g->refuse);
    }
}

/* The parameter list; |out_names| gets the name of each. */
static void parameters(rlxc_cl *g, const rlxc_c_kernel *k, rlxc_text *head, const char **out_names)
{
    const rlxc_prim_func *f = k->f;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        const rlxc_prim_param *p = &f->params[i];
        const rlx_dtype t = p->buffer ? p->buffer->dtype : p->var->dtype;
        const char *name = rlxc_cl_name(g, p->buffer ? p->buffer->name : p->var->var.name);
        const char *why = rlxc_cl_lacks_type(g->target, t);
        if (why)
            rlxc_error(g->ctx, f->range, "%s: parameter %s: %s", f->name, name, why);
        out_names[n++] = name;
        if (p->buffer) {
            rlxc_text_printf(head, "%s%s%s *%s", i ? ", " : "", k->is_written[i] ? "" : "const ",
                             rlxc_cl_memory_type(g, t), name);
            rlxc_cl_set_memory(g, p->buffer->data, name, "", t, !k->is_written[i]);
            if (p->var)
                rlxc_cl_set_memory(g, p->var, name, "", t, !k->is_written[i]);
        } else {
            rlxc_text_printf(head, "%s%s %s", i ? ", " : "", rlxc_cl_type(g, t), name);
            rlxc_cl_bind(g, p->var, name, false);
        }
    }
    for (uint32_t i = 0; i < k->n_dims; i++) {
        if (rlxc_map_get(&g->vars, rlxc_key(k->dims[i])))
            continue;
        const char *name = rlxc_cl_name(g, k->dims[i]->var.name);
        rlxc_text_printf(head, "%s%s %s", n ? ", " : "", rlxc_cl_type(g, k->dims[i]->dtype), name);
        rlxc_cl_bind(g, k->dims[i], name, false);
        out_names[n++] = name;
    }
    if (k->scratch)
        rlxc_text_printf(head, "%sunsigned char *%s", n ? ", " : "",
                         out_names[n] = g->scratch = "scratch"),
            n++;
    rlxc_text_puts(head, n ? ")\n{\n" : "void)\n{\n");
    out_names[n] = NULL;
}

static void write(rlxc_c_module *m, rlxc_c_kernel *k, const rlxc_stmt *body,
                  const rlxc_param_check *checks, uint32_t n_checks)
{
    rlxc_cl *g = &m->cl;
    rlxc_context *ctx = m->ctx;
    rlxc_text head = {.ctx = ctx}, text = {.ctx = ctx};
    const char **names = rlxc_alloc(ctx, ((size_t)k->f->n_params + k->n_dims + 2) * sizeof *names);
    rlxc_text_printf(&head, "\nstatic %s %s(", k->can_fail ? "int" : "void", k->name);
    g->out = &text;
    g->depth = 1;
    parameters(g, k, &head, names);
    check_params(g, checks, n_checks);
    rlxc_cl_stmt(g, body);
    if (k->can_fail)
        rlxc_cl_line(g, "return 0;");
    rlxc_c_mark_unread(g, &text);
    for (uint32_t i = 0; names[i] && !rlxc_failed(ctx); i++)
        if (!rlxc_c_uses(&text, names[i]))
            rlxc_text_printf(&head, "  (void)%s;\n", names[i]);
    rlxc_text_add(&m->kernel_text, head.data, head.length);
    if (text.length)
        rlxc_text_add(&m->kernel_text, text.data, text.length);
    rlxc_text_puts(&m->kernel_text, "}\n");
}

const rlxc_c_kernel *rlxc_c_kernel_of(rlxc_c_module *m, const rlxc_prim_func *f)
{
    rlxc_context *ctx = m->ctx;
    rlxc_c_kernel *k = rlxc_map_get(&m->kernels, rlxc_key(f));
    if (k)
        return k;
    rlxc_cl *g = &m->cl, outer = m->cl;
    k = rlxc_alloc(ctx, sizeof *k);
    *k = (rlxc_c_kernel){.f = f, .name = rlxc_c_global_name(g, f->name)};
    outer.globals = g->globals;
    rlxc_map_set(ctx, &m->kernels, rlxc_key(f), k);
    rlxc_prim_func_dims(ctx, f, &k->dims, &k->n_dims);
    k->is_written = rlxc_alloc(ctx, f->n_params + 1);
    if (!f->body || rlxc_failed(ctx))
        return k;
    rlxc_param_check *checks;
    effects e = {.ctx = ctx};
    const uint32_t n_checks = rlxc_param_checks(ctx, f, &checks);
    const rlxc_stmt *body = rlxc_cl_without_vectors(ctx, f, f->body, false);
    rlxc_stmt_visit(body, note, &e);
    for (uint32_t i = 0; i < f->n_params; i++)
        k->is_written[i] =
            f->params[i].buffer &&
            (rlxc_map_get(&e.written, rlxc_key(f->params[i].buffer->data)) ||
             (f->params[i].var && rlxc_map_get(&e.written, rlxc_key(f->params[i].var))));
    k->can_fail = e.can_fail || n_checks > 0;
    g->f = f;
    g->range = f->range;
    g->vars = g->memory = g->memo = g->registers = g->places = (rlxc_map){0};
    g->memo_log.count = 0;
    g->bounds = (rlxc_bounds){0};
    g->local_bytes = g->shared_bytes = 0;
    rlxc_c_forget_names(g);
    rlxc_scratch scratch = {.ctx = ctx,
                            .dims = k->dims,
                            .values = (const rlxc_expr *const *)k->dims,
                            .n_dims = k->n_dims,
                            .in_parallel = true,
                            .place = place,
                            .user = g};
    k->scratch = rlxc_scratch_need(&scratch, body);
    if (!rlxc_failed(ctx))
        write(m, k, body, checks, n_checks);
    outer.globals = g->globals;
    outer.constants = g->constants;
    m->cl = outer; /* the caller's function continues */
    return k;
}
