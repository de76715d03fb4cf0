/* A Relax function as a function of C99, after all passes.
 *
 * Its parameters are the tensors and numbers of the Relax function, then the symbols of their
 * shapes, then a pointer for each tensor of the result, then the arena if the caller gives it. A
 * tensor is a pointer. Planned memory is a part of the arena; a returned tensor is computed
 * directly in the caller's memory. */
#include <inttypes.h>

#include "compiler/analysis/alias.h"
#include "compiler/codegen/c_graph.h"

/* "int64_t n, int64_t m", and |last| if it is not NULL. */
static const char *symbol_list(rlxc_c_graph *w, bool typed, const char *last)
{
    rlxc_text text = {.ctx = w->ctx};
    for (uint32_t i = 0; i < w->symbols.vars.count; i++) {
        const rlxc_cl_var *var = rlxc_map_get(&w->g->vars, rlxc_key(w->symbols.vars.items[i]));
        rlxc_text_printf(&text, "%s%s%s", i ? ", " : "", typed ? "int64_t " : "",
                         var ? var->name : "0");
    }
    if (last)
        rlxc_text_printf(&text, "%s%s", text.length ? ", " : "", last);
    return text.data ? text.data : typed ? "void" : "";
}

rlxc_bound rlxc_c_range_of(rlxc_c_graph *w, const rlxc_expr *symbol)
{
    rlxc_bound b = rlxc_bound_of(w->ctx, symbol, &w->plan.bounds);
    if (rlxc_has_var(&w->extents, symbol) && b.min < 0)
        b.min = 0;
    return rlxc_has_var(&w->sizes, symbol) ? b : rlxc_bound_of(w->ctx, symbol, &w->plan.stated);
}

void rlxc_c_check_range(rlxc_c_graph *w, const char *name, rlxc_bound b, const char *failure)
{
    const bool low = b.min != INT64_MIN, high = b.max != INT64_MAX;
    if (!low && !high)
        return;
    rlxc_cl_line(w->g, "if (%s%s%s)", low ? rlxc_internf(w->ctx, "%s < %" PRId64, name, b.min) : "",
                 low && high ? " || " : "",
                 high ? rlxc_internf(w->ctx, "%s > %s", name, rlxc_c_int(w->g, RLX_I64, b.max))
                      : "");
    rlxc_cl_line(w->g, "  return %s;", failure);
}

/* Fails unless the symbols are in their bounds. */
static void check_symbols(rlxc_c_graph *w, const char *failure)
{
    for (uint32_t i = 0; i < w->symbols.vars.count; i++) {
        const rlxc_expr *var = w->symbols.vars.items[i];
        const rlxc_cl_var *name = rlxc_map_get(&w->g->vars, rlxc_key(var));
        if (name)
            rlxc_c_check_range(w, name->name, rlxc_c_range_of(w, var), failure);
    }
}

/* An end of a range as the header says it. */
static const char *end_text(rlxc_c_graph *w, int64_t value)
{
    return value == INT64_MIN   ? "INT64_MIN"
           : value == INT64_MAX ? "INT64_MAX"
                                : rlxc_internf(w->ctx, "%" PRId64, value);
}

static void plan_function(rlxc_c_graph *w)
{
    const rlxc_c_plan *p = &w->plan;
    rlxc_text *out = &w->m->graph_text;
    rlxc_text text = {.ctx = w->ctx};
    const uint32_t n = p->parts.count;
    static const char *const names[2] = {"first", "last"};
    rlxc_text_printf(out,
                     "\n/* Offsets of the parts of the arena; returns the bytes that they take, or "
                     "-1. */\nstatic int64_t %s_plan(%s)\n{\n",
                     w->name, symbol_list(w, true, "int64_t *at"));
    for (int k = 0; k < 2; k++) {
        rlxc_text_printf(out, "  static const int %s[%u] = {", names[k], n);
        for (uint32_t i = 0; i < n; i++) {
            const rlxc_c_part *part = &p->parts.items[i];
            const uint32_t step = k == 0 ? part->first : part->last;
            rlxc_text_printf(out, "%s%u",
                             i % 16 ? ", "
                             : i    ? ",\n    "
                                    : "",
                             step < w->step ? step : w->step);
        }
        rlxc_text_puts(out, "};\n");
    }
    w->g->out = &text;
    check_symbols(w, "-1");
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t mark = w->g->memo_log.count;
        const char *bytes =
            p->parts.items[i].is_late ? "0" : rlxc_c_size(w, p->parts.items[i].bytes, "-1");
        rlxc_cl_line(w->g, "at[%u] = %s;", i, rlxc_c_bare(w->g, bytes));
        rlxc_cl_memo_forget(w->g, mark);
    }
    if (text.length)
        rlxc_text_add(out, text.data, text.length);
    rlxc_text_printf(out, "  return rlx_lay_out(%u, first, last, at);\n}\n", n);
    rlxc_text_printf(
        out,
        "\nsize_t %s_arena_bytes(%s)\n{\n  int64_t at[%u];\n"
        "  const int64_t bytes = %s_plan(%s);\n"
        "  return bytes < 0 || (uint64_t)bytes > SIZE_MAX / 2 ? 0 : (size_t)bytes;\n}\n",
        w->name, symbol_list(w, true, NULL), 2 * n, w->name, symbol_list(w, false, "at"));
}

static void declaration(rlxc_c_graph *w, const rlxc_c_signature *s)
{
    rlxc_text *h = &w->m->header_text;
    rlxc_text_printf(h, "\n/* %s\n%s", w->f->name, s->doc.data ? s->doc.data : "");
    for (uint32_t i = 0; i < w->symbols.vars.count; i++) {
        const rlxc_bound b = rlxc_c_range_of(w, w->symbols.vars.items[i]);
        const rlxc_cl_var *var = rlxc_map_get(&w->g->vars, rlxc_key(w->symbols.vars.items[i]));
        if (var)
            rlxc_text_printf(h, " *   %s: %s to %s\n", var->name, end_text(w, b.min),
                             end_text(w, b.max));
    }
    if (!w->plan.is_static)
        rlxc_text_printf(
            h,
            " * |arena|: %s_arena_bytes bytes, aligned to 8, which the call uses; the "
            "function gives 0 for\n * sizes beyond their bounds, or that no memory has.%s */\n"
            "size_t %s_arena_bytes(%s);\n",
            w->name,
            w->plan.has_late ? " Tensors whose size only data determines lie behind "
                               "these bytes:\n * the arena needs room for them."
                             : "",
            w->name, symbol_list(w, true, NULL));
    else if (w->plan.bytes)
        rlxc_text_printf(h,
                         " * It uses %" PRId64 " bytes of static memory: one call at a time. */\n",
                         w->plan.bytes);
    else
        rlxc_text_puts(h, " */\n");
    rlxc_text_printf(h, "int %s(%s);\n", w->name, s->n ? s->declared.data : "void");
}

static void arena(rlxc_c_graph *w)
{
    const rlxc_c_plan *p = &w->plan;
    if (p->is_static) {
        rlxc_c_check_pools(w);
        check_symbols(w, rlxc_internf(w->ctx, "%s_E_SHAPE", w->m->macro));
        return;
    }
    rlxc_cl_line(w->g, "int64_t at[%u];", 2 * p->parts.count);
    rlxc_cl_line(w->g, "const int64_t need = %s_plan(%s);", w->name, symbol_list(w, false, "at"));
    rlxc_cl_line(w->g, "if (need < 0)");
    rlxc_cl_line(w->g, "  return %s_E_SHAPE;", w->m->macro);
    rlxc_cl_line(w->g, "if ((uint64_t)need > arena_bytes || (uintptr_t)arena_start %% 8 != 0)");
    rlxc_cl_line(w->g, "  return %s_E_MEMORY;", w->m->macro);
    if (p->has_late)
        rlxc_cl_line(w->g, "size_t used = (size_t)need;");
}

void rlxc_c_function(rlxc_c_module *m, const rlxc_function *f)
{
    rlxc_context *ctx = m->ctx;
    rlxc_cl *g = &m->cl;
    rlxc_c_graph w = {.m = m, .g = g, .ctx = ctx, .f = f, .text = {.ctx = ctx}};
    rlxc_c_signature s = {.declared = {.ctx = ctx}, .doc = {.ctx = ctx}};
    static const rlxc_prim_func none = {.name = ""};
    rlxc_prim_func named = none;
    named.name = f->name;
    w.name = rlxc_c_global_name(g, f->name);
    g->f = &named;
    g->range = f->range;
    g->vars = g->memory = g->memo = (rlxc_map){0};
    g->bounds = (rlxc_bounds){0};
    g->depth = 1;
    rlxc_c_forget_names(g);
    for (uint32_t i = 0; i < f->n_params; i++) {
        rlxc_c_set(
            &w, f->params[i],
            rlxc_c_parameter(&w, &s, f->params[i]->sinfo, f->params[i]->name, f->params[i]->range));
        if (f->params[i]->sinfo)
            rlxc_sinfo_collect_vars(ctx, f->params[i]->sinfo, &w.symbols);
    }
    for (uint32_t i = 0; i < w.symbols.vars.count; i++) {
        const rlxc_expr *var = w.symbols.vars.items[i];
        if (!rlxc_map_get(&g->vars, rlxc_key(var)))
            rlxc_cl_bind(g, var, rlxc_c_declare(&w, &s, "int64_t ", var->var.name, NULL), false);
    }
    rlxc_c_results(&w, &s, f->ret, "out");
    if (m->apart)
        rlxc_text_printf(&s.declared, "%sconst void *weights", s.n++ ? ", " : "");
    const uint32_t weight_uses = m->weight_uses;
    for (uint32_t i = 0; i < f->n_params; i++)
        rlxc_c_note_sizes(&w, f->params[i]->sinfo);
    rlxc_c_note_sizes(&w, f->ret);
    rlxc_c_find_direct(&w, &s);
    rlxc_each_binding(&f->body, rlxc_c_note_binding, &w);
    if (rlxc_failed(ctx))
        return;
    rlxc_var_list dims = {0}, numbers = {0};
    for (uint32_t i = 0; i < w.symbols.vars.count; i++)
        rlxc_collect_vars(ctx, w.symbols.vars.items[i], &dims);
    for (uint32_t i = 0; i < w.inner.vars.count; i++)
        rlxc_collect_vars(ctx, w.inner.vars.items[i],
                          rlxc_has_var(&w.extents, w.inner.vars.items[i]) ? &dims : &numbers);
    rlxc_c_lay_out(ctx, &w.plan, f, &dims, &numbers, m->pools.n > 0);
    rlxc_c_place_in_pools(&w, &s);
    if (rlxc_failed(ctx))
        return;
    if (!w.plan.is_static) {
        rlxc_text_printf(&s.declared, "%svoid *arena_start, size_t arena_bytes", s.n++ ? ", " : "");
        plan_function(&w);
    } else if (w.plan.bytes) {
        rlxc_text_printf(&m->graph_text,
                         "\nstatic union {\n  int64_t align;\n  double align_double;\n"
                         "  unsigned char bytes[%" PRId64 "];\n} %s_arena;\n",
                         w.plan.bytes, w.name);
    }
    declaration(&w, &s);
    g->out = &w.text;
    arena(&w);
    rlxc_text start = w.text;
    w.text = (rlxc_text){.ctx = ctx};
    uint32_t next = 0;
    rlxc_c_body(&w, &f->body);
    const rlxc_c_value result = rlxc_c_value_of(&w, f->body.result, f->body.result_range);
    if (!rlxc_failed(ctx))
        rlxc_c_copy_results(&w, &s, &result, &next);
    rlxc_c_mark_unread(g, &w.text);
    rlxc_text_printf(&m->graph_text, "\nint %s(%s)\n{\n", w.name, s.n ? s.declared.data : "void");
    if (start.length)
        rlxc_text_add(&m->graph_text, start.data, start.length);
    if (rlxc_c_uses(&w.text, "arena") && w.plan.is_static && !w.plan.bytes)
        rlxc_text_puts(&m->graph_text,
                       "  static unsigned char arena[8]; /* no part has a byte */\n");
    else if (rlxc_c_uses(&w.text, "arena") && w.plan.is_static)
        rlxc_text_printf(&m->graph_text, "  unsigned char *const arena = %s_arena.bytes;\n",
                         w.name);
    else if (rlxc_c_uses(&w.text, "arena"))
        rlxc_text_puts(&m->graph_text, "  unsigned char *const arena = arena_start;\n");
    for (uint32_t i = 0; i < s.names.count; i++)
        if (!rlxc_c_uses(&start, s.names.items[i]) && !rlxc_c_uses(&w.text, s.names.items[i]))
            rlxc_text_printf(&m->graph_text, "  (void)%s;\n", s.names.items[i]);
    if (m->apart && m->weight_uses == weight_uses)
        rlxc_text_puts(&m->graph_text, "  (void)weights;\n");
    if (w.fails)
        rlxc_text_puts(&m->graph_text, "  int status;\n");
    if (w.text.length)
        rlxc_text_add(&m->graph_text, w.text.data, w.text.length);
    rlxc_text_puts(&m->graph_text, "  return 0;\n}\n");
}
