/* Launches -> one OpenCL program.
 *
 * A kernel's parameters are those of its launch: for a buffer its memory and the offset of its
 * first byte there, for a scalar its value. The program does not depend on the compiler's
 * options. */
#include "compiler/codegen/opencl.h"

#include <inttypes.h>
#include <string.h>

/* long, int, double or float: the scalar types of launches. */
static const char *scalar_type(rlx_dtype t)
{
    if (rlxc_dtype_is_float(t))
        return t.bits == 64 ? "double" : "float";
    return t.bits == 64 ? "long" : "int";
}

static void parameters(rlxc_cl *g, rlxc_text *head)
{
    const rlxc_launch *l = g->launch;
    for (uint32_t i = 0; i < l->n_args && !rlxc_failed(g->ctx); i++) {
        const rlxc_launch_arg *a = &l->args[i];
        const char *comma = i + 1 < l->n_args ? ",\n    " : "";
        if (a->is_checks) {
            g->checks = rlxc_cl_name(g, "checks");
            rlxc_text_printf(head, "__global uchar *%s_memory, const long %s_offset%s", g->checks,
                             g->checks, comma);
            rlxc_cl_line(g, "__global long *%s = (__global long *)(%s_memory + %s_offset);",
                         g->checks, g->checks, g->checks);
            continue;
        }
        if (!a->buffer) {
            const rlx_dtype t = a->scalar->dtype;
            const char *name = rlxc_cl_name(g, a->scalar->var.name), *type = scalar_type(t);
            rlxc_text_printf(head, "const %s %s%s", type, name, comma);
            if (strcmp(type, rlxc_cl_type(g, t)) != 0) {
                const char *own = rlxc_cl_name(g, a->scalar->var.name);
                rlxc_cl_line(g, "const %s %s = (%s)%s;", rlxc_cl_type(g, t), own,
                             rlxc_cl_type(g, t), name);
                name = own;
            }
            rlxc_cl_bind(g, a->scalar, name, false);
            continue;
        }
        const rlx_dtype t = a->buffer->dtype;
        const char *why = rlxc_cl_lacks_type(g->target, t), *type = rlxc_cl_memory_type(g, t);
        if (why)
            rlxc_error(g->ctx, g->f->range, "%s: parameter %s: %s", g->f->name, a->buffer->name,
                       why);
        const char *name = rlxc_cl_name(g, a->buffer->name),
                   *is_const = a->is_written ? "" : "const ";
        rlxc_text_printf(head, "%s__global uchar *%s_memory, const long %s_offset%s", is_const,
                         name, name, comma);
        rlxc_cl_line(g, "%s__global %s *%s = (%s__global %s *)(%s_memory + %s_offset);", is_const,
                     type, name, is_const, type, name, name);
        rlxc_cl_memory *m = rlxc_alloc(g->ctx, sizeof *m);
        *m = (rlxc_cl_memory){name, "__global", t, !a->is_written, false};
        rlxc_map_set(g->ctx, &g->memory, rlxc_key(a->buffer->data), m);
        for (uint32_t k = 0; k < g->f->n_params; k++)
            if (g->f->params[k].buffer == a->buffer && g->f->params[k].var)
                rlxc_map_set(g->ctx, &g->memory, rlxc_key(g->f->params[k].var), m);
    }
}

static void threads(rlxc_cl *g)
{
    const rlxc_launch *l = g->launch;
    for (int i = 0; i < RLXC_THREAD_AXES; i++) {
        if (!l->thread[i])
            continue;
        const char *name = rlxc_cl_name(g, l->thread[i]->var.name);
        const rlxc_expr *extent = i < 3 ? l->grid[i] : l->block[i - 3];
        const rlxc_bound all = rlxc_bound_of(g->ctx, extent, NULL);
        const int64_t most = all.max > 0 && all.max < INT32_MAX ? all.max - 1 : INT32_MAX - 1;
        rlxc_cl_line(g, "const int %s = (int)%s(%d);", name,
                     i < 3 ? "get_group_id" : "get_local_id", i % 3);
        rlxc_bounds_set(g->ctx, &g->bounds, l->thread[i], (rlxc_bound){0, most});
        rlxc_cl_bind(g, l->thread[i], name, true);
    }
}

/* Says how many threads a block has, where it is known: compilers then make better code. */
static void block_size(const rlxc_launch *l, rlxc_text *out)
{
    int64_t n[3];
    for (int i = 0; i < 3; i++)
        if (!rlxc_is_int(l->block[i], &n[i]) || n[i] < 1)
            return;
    rlxc_text_printf(
        out, "__attribute__((reqd_work_group_size(%" PRId64 ", %" PRId64 ", %" PRId64 ")))\n", n[0],
        n[1], n[2]);
}

static void kernel(rlxc_cl *g, rlxc_text *all, const rlxc_prim_func *f, const rlxc_launch *l)
{
    rlxc_context *ctx = g->ctx;
    rlxc_text head = {.ctx = ctx}, shared = {.ctx = ctx}, start = {.ctx = ctx}, text = {.ctx = ctx};
    g->f = f;
    g->launch = l;
    g->range = f->range;
    g->out = &start;
    g->shared = &shared;
    g->depth = 1;
    g->local_bytes = g->shared_bytes = 0;
    g->vars = g->memory = g->memo = (rlxc_map){0};
    g->memo_log.count = 0;
    g->bounds = (rlxc_bounds){0};
    const rlxc_stmt *body = rlxc_cl_without_vectors(ctx, f, l->body, true);
    rlxc_cl_find_registers(g, body);
    rlxc_text_puts(&head, "__kernel ");
    block_size(l, &head);
    rlxc_text_printf(&head, "void %s(", l->name);
    parameters(g, &head);
    rlxc_text_puts(&head, ")\n{\n");
    threads(g);
    g->out = &text;
    rlxc_cl_stmt(g, body);
    if (rlxc_failed(ctx))
        return;
    const rlxc_text *parts[4] = {&head, &shared, &start, &text};
    rlxc_text_puts(all, "\n");
    for (int i = 0; i < 4; i++)
        if (parts[i]->length)
            rlxc_text_add(all, parts[i]->data, parts[i]->length);
    rlxc_text_puts(all, "}\n");
}

static void add_helpers(rlxc_cl *g, rlxc_text *out)
{
    static const struct {
        rlxc_cl_helper id, needs;
        const char *text;
    } rows[] = {
#define RLXC_CL_HELPER(id, needs, text) {RLXC_CL_##id, RLXC_CL_##needs, text},
#include "compiler/codegen/opencl_helpers.def"
#undef RLXC_CL_HELPER
    };
    for (uint32_t i = RLXC_CL_N_HELPERS; i-- > 0;)
        if (g->used[i])
            g->used[rows[i].needs] = true;
    for (uint32_t i = 0; i < RLXC_CL_N_HELPERS; i++)
        if (g->used[i])
            rlxc_text_puts(out, rows[i].text);
}

bool rlxc_emit_opencl(rlxc_context *ctx, const rlxc_options *options, rlxc_device_code *out)
{
    (void)options;
    rlxc_cl g = {.ctx = ctx, .target = out->target, .constants = {.ctx = ctx}};
    rlxc_text kernels = {.ctx = ctx}, all = {.ctx = ctx};
    for (uint32_t i = 0; i < out->n_kernels; i++)
        for (uint32_t k = 0; k < out->kernels[i].n_launches && !rlxc_failed(ctx); k++)
            kernel(&g, &kernels, out->kernels[i].f, &out->kernels[i].launches[k]);
    if (rlxc_failed(ctx))
        return false;
    rlxc_text_puts(&all, "#ifdef cl_khr_fp64\n"
                         "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                         "#endif\n");
    add_helpers(&g, &all);
    if (g.constants.length)
        rlxc_text_add(&all, g.constants.data, g.constants.length);
    if (kernels.length)
        rlxc_text_add(&all, kernels.data, kernels.length);
    rlxc_device_image *image = rlxc_alloc(ctx, sizeof *image);
    *image = (rlxc_device_image){"opencl-c", all.data, all.length};
    out->images = image;
    out->n_images = 1;
    return !rlxc_failed(ctx);
}
