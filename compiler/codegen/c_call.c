/* Calls of kernels in C, and what the symbols of their parameters are. */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/codegen/c_graph.h"
#include "compiler/ir/op.h"

/* What comes before the last of |args|, and each number of a shape in its place. */
static void with_numbers(rlxc_c_graph *w, const rlxc_atom *args, uint32_t n, rlxc_c_site *out)
{
    const rlxc_atom last = n ? args[n - 1] : (rlxc_atom){.kind = RLXC_ATOM_NONE};
    const uint32_t extra = last.kind == RLXC_ATOM_SHAPE ? last.n : 0;
    out->args = args;
    out->n = n;
    if (last.kind != RLXC_ATOM_SHAPE)
        return;
    rlxc_atom *all = rlxc_alloc(w->ctx, ((size_t)n + extra) * sizeof *all);
    for (uint32_t i = 0; i + 1 < n; i++)
        all[i] = args[i];
    for (uint32_t i = 0; i < extra; i++)
        all[n - 1 + i] = rlxc_atom_prim(last.dims[i]);
    out->args = all;
    out->n = n - 1 + extra;
}

rlxc_c_site rlxc_c_site_of(rlxc_c_graph *w, const rlxc_binding *b)
{
    rlxc_c_site site = {.args = b->args, .n = b->n_args};
    rlxc_atom callee = b->callee;
    if (b->form != RLXC_FORM_CALL)
        return site;
    if (rlxc_is_op(b, "vm.call_tir_dyn")) {
        callee = b->args[0];
        if (b->n_args == 2 && b->args[1].kind == RLXC_ATOM_TUPLE)
            with_numbers(w, b->args[1].items, b->args[1].n, &site);
        else
            with_numbers(w, b->args + 1, b->n_args - 1, &site);
    } else if (!b->op && callee.kind == RLXC_ATOM_EXTERN && b->n_args > 0 &&
               strcmp(callee.text, "vm.builtin.call_tir_dyn") == 0) {
        callee = b->args[0];
        with_numbers(w, b->args + 1, b->n_args - 1, &site);
    } else if (b->op) {
        return site;
    }
    const rlxc_global *g =
        callee.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(w->m->module, callee.text) : NULL;
    site.f = g ? g->prim : NULL;
    return site;
}

bool rlxc_c_find_dims(rlxc_c_graph *w, const rlxc_c_kernel *k, const rlxc_c_site *site,
                      rlxc_range range, const rlxc_expr **out)
{
    const rlxc_prim_func *f = k->f;
    for (uint32_t i = 0; i < k->n_dims; i++)
        out[i] = NULL;
    for (uint32_t i = 0; i < f->n_params && i < site->n; i++) {
        const rlxc_sinfo *s = rlxc_c_type_of(w, site->args[i]);
        const rlxc_buffer *buffer = f->params[i].buffer;
        for (uint32_t d = 0; buffer && s && s->kind == RLXC_SINFO_TENSOR && s->dims &&
                             s->ndim == (int32_t)buffer->ndim && d < buffer->ndim;
             d++)
            for (uint32_t n = 0; n < k->n_dims; n++) {
                int64_t factor = 0;
                const rlxc_expr *rest = NULL;
                if (out[n] ||
                    !rlxc_linear_in(w->ctx, rlxc_canonical(w->ctx, buffer->shape[d], NULL),
                                    k->dims[n], &factor, &rest) ||
                    factor <= 0 || !rlxc_is_const(rest, 0))
                    continue;
                out[n] = rlxc_canonical(
                    w->ctx,
                    rlxc_binary(w->ctx, RLXC_EXPR_FLOORDIV, s->dims[d], rlxc_i64(w->ctx, factor)),
                    NULL);
            }
        if (!buffer && site->args[i].kind == RLXC_ATOM_PRIM)
            for (uint32_t n = 0; n < k->n_dims; n++)
                out[n] = k->dims[n] == f->params[i].var ? site->args[i].prim : out[n];
    }
    for (uint32_t i = 0; i < k->n_dims; i++)
        if (!out[i]) {
            rlxc_c_refuse(w, range,
                          rlxc_internf(w->ctx, "the unknown size %s in a call of %s",
                                       k->dims[i]->var.name, f->name));
            return false;
        }
    return true;
}

void rlxc_c_call_kernel(rlxc_c_graph *w, const rlxc_binding *b, const rlxc_c_site *site)
{
    rlxc_context *ctx = w->ctx;
    const rlxc_c_kernel *k = rlxc_c_kernel_of(w->m, site->f);
    const rlxc_expr **dims = rlxc_alloc(ctx, ((size_t)k->n_dims + 1) * sizeof *dims);
    rlxc_text args = {.ctx = ctx};
    if (site->n != k->f->n_params) {
        rlxc_c_refuse(w, b->range, "a call with fewer arguments than parameters");
        return;
    }
    if (!rlxc_c_find_dims(w, k, site, b->range, dims))
        return;
    for (uint32_t i = 0; i < site->n; i++) {
        const rlxc_c_value v = rlxc_c_value_of(w, site->args[i], b->range);
        if (v.kind != (k->f->params[i].buffer ? RLXC_C_TENSOR : RLXC_C_NUMBER) ||
            (v.kind == RLXC_C_TENSOR && k->is_written[i] && v.is_const))
            rlxc_c_refuse(w, b->range, "an operand of the wrong kind");
        rlxc_text_printf(&args, "%s%s", i ? ", " : "", v.text ? v.text : "0");
    }
    for (uint32_t i = 0; i < k->n_dims; i++) {
        bool is_param = false;
        for (uint32_t p = 0; p < k->f->n_params; p++)
            is_param = is_param || (!k->f->params[p].buffer && k->f->params[p].var == k->dims[i]);
        if (!is_param)
            rlxc_text_printf(&args, "%s%s", args.length ? ", " : "", rlxc_cl_index(w->g, dims[i]));
    }
    const uintptr_t part = (uintptr_t)rlxc_map_get(&w->parts, rlxc_key(b));
    if (part)
        rlxc_c_begin_part(w, (uint32_t)part - 1);
    if (k->scratch)
        rlxc_text_printf(&args, "%s%s", args.length ? ", " : "",
                         part ? rlxc_c_part_text(w, (uint32_t)part - 1) : "0");
    const char *all = args.data ? args.data : "";
    if (k->can_fail) {
        rlxc_cl_line(w->g, "if ((status = %s(%s)) != 0)", k->name, all);
        rlxc_cl_line(w->g, "  return status;");
        w->fails = true;
    } else {
        rlxc_cl_line(w->g, "%s(%s);", k->name, all);
    }
}
