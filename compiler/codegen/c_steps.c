/* Finds the parts of a Relax function's arena, and the steps in which each is in use, before any
 * text is written. */
#include "compiler/analysis/alias.h"
#include "compiler/codegen/c_graph.h"
#include "compiler/ir/device.h"
#include "compiler/ir/op.h"

void rlxc_c_note_sizes(rlxc_c_graph *w, const rlxc_sinfo *type)
{
    if (type && type->kind == RLXC_SINFO_TENSOR && type->dims) {
        const rlxc_expr *bytes =
            rlxc_extents_bytes(w->ctx, type->dtype, type->dims, (uint32_t)type->ndim);
        rlxc_collect_vars(w->ctx, bytes, &w->sizes);
        for (int32_t i = 0; i < type->ndim; i++)
            if (type->dims[i]->kind == RLXC_EXPR_VAR)
                rlxc_collect_vars(w->ctx, type->dims[i], &w->extents);
        w->plan.has_inner = w->plan.has_inner || !rlxc_c_is_known(w, bytes);
    }
    for (uint32_t i = 0; type && type->kind == RLXC_SINFO_TUPLE && i < type->n_fields; i++)
        rlxc_c_note_sizes(w, type->fields[i]);
}

static bool is_storage(const rlxc_binding *b)
{
    return rlxc_is_op(b, "memory.alloc_storage") || rlxc_is_op(b, "vm.alloc_storage");
}

bool rlxc_c_is_alloc(const rlxc_binding *b)
{
    return rlxc_is_op(b, "builtin.alloc_tensor");
}

bool rlxc_c_is_in_storage(const rlxc_binding *b)
{
    return rlxc_is_op(b, "memory.alloc_tensor") || rlxc_is_op(b, "vm.alloc_tensor");
}

static uint32_t add_part(rlxc_c_graph *w, const rlxc_binding *b, const rlxc_expr *bytes,
                         uint32_t last)
{
    rlxc_collect_vars(w->ctx, bytes, &w->sizes);
    const bool is_planned = rlxc_c_is_known(w, bytes);
    const rlxc_expr *limit = is_planned ? NULL : rlxc_c_limit(w, bytes);
    RLXC_PUSH(w->ctx, &w->plan.parts,
              ((rlxc_c_part){.bytes = limit ? limit : bytes,
                             .actual = limit ? bytes : NULL,
                             .is_late = !is_planned && !limit,
                             .first = w->step,
                             .last = last,
                             .range = b->range}));
    return w->plan.parts.count;
}

/* The first tensor in a part is what messages call it. */
static void name_part(rlxc_c_graph *w, uintptr_t part, const rlxc_binding *b)
{
    if (!part || w->plan.parts.items[part - 1].what)
        return;
    w->plan.parts.items[part - 1].what =
        rlxc_internf(w->ctx, "'%s', %s", b->var->name, rlxc_sinfo_text(w->ctx, b->var->sinfo));
    w->plan.parts.items[part - 1].range = b->range;
}

static void note_alloc(rlxc_c_graph *w, const rlxc_binding *b)
{
    const rlxc_sinfo *s = b->var->sinfo;
    if (rlxc_map_get(&w->direct, rlxc_key(b->var)))
        return;
    if (!s || s->kind != RLXC_SINFO_TENSOR || !s->dims) {
        rlxc_c_refuse(w, b->range, "memory whose size is not known before");
        return;
    }
    const rlxc_expr *bytes = rlxc_extents_bytes(w->ctx, s->dtype, s->dims, (uint32_t)s->ndim);
    const uintptr_t part = add_part(w, b, bytes, UINT32_MAX);
    rlxc_map_set(w->ctx, &w->parts, rlxc_key(b), (void *)part);
    name_part(w, part, b);
}

/* A storage that the program's text allocates is in use until the end: its tensors keep it. */
static void note_storage(rlxc_c_graph *w, const rlxc_binding *b)
{
    const bool is_own = !rlxc_is_planned_storage(b);
    const rlxc_expr *bytes = b->args[0].dims[0];
    if (is_own && !(b->n_args > 1 && b->args[1].kind == RLXC_ATOM_PRIM &&
                    rlxc_is_const(b->args[1].prim, 0))) {
        rlxc_c_refuse(w, b->range, "memory of another device");
        return;
    }
    if (is_own)
        bytes = rlxc_canonical(
            w->ctx, rlxc_binary(w->ctx, RLXC_EXPR_MAX, bytes, rlxc_i64(w->ctx, 0)), NULL);
    const uintptr_t part = add_part(w, b, bytes, UINT32_MAX);
    w->plan.parts.items[part - 1].is_own = is_own;
    rlxc_map_set(w->ctx, &w->storages, rlxc_key(b->var), (void *)part);
}

static void note_kernel(rlxc_c_graph *w, const rlxc_binding *b, const rlxc_c_site *site)
{
    if (rlxc_prim_is_device(site->f)) {
        rlxc_c_refuse(w, b->range, "a kernel of a device");
        return;
    }
    const rlxc_c_kernel *k = rlxc_c_kernel_of(w->m, site->f);
    const rlxc_expr **values = rlxc_alloc(w->ctx, ((size_t)k->n_dims + 1) * sizeof *values);
    if (rlxc_failed(w->ctx) || !k->scratch || !rlxc_c_find_dims(w, k, site, b->range, values))
        return;
    const rlxc_expr *bytes = rlxc_canonical(
        w->ctx, rlxc_substitute(w->ctx, k->scratch, k->dims, values, k->n_dims), NULL);
    rlxc_map_set(w->ctx, &w->parts, rlxc_key(b), (void *)(uintptr_t)add_part(w, b, bytes, w->step));
}

bool rlxc_c_note_binding(void *user, rlxc_binding *b)
{
    rlxc_c_graph *w = user;
    const rlxc_c_site site = rlxc_c_site_of(w, b);
    w->step++;
    rlxc_c_note_data(w, b);
    rlxc_c_note_sizes(w, rlxc_c_type_of(w, rlxc_atom_var(b->var)));
    if (is_storage(b) && b->args[0].kind == RLXC_ATOM_SHAPE && b->args[0].n == 1) {
        note_storage(w, b);
    } else if (rlxc_is_op(b, "memory.kill_storage") && b->args[0].kind == RLXC_ATOM_VAR) {
        const uintptr_t part = (uintptr_t)rlxc_map_get(&w->storages, rlxc_key(b->args[0].var));
        if (part && !w->plan.parts.items[part - 1].is_own)
            w->plan.parts.items[part - 1].last = w->step;
    } else if (rlxc_c_is_in_storage(b) && b->args[0].kind == RLXC_ATOM_VAR) {
        name_part(w, (uintptr_t)rlxc_map_get(&w->storages, rlxc_key(b->args[0].var)), b);
    } else if (rlxc_c_is_alloc(b)) {
        note_alloc(w, b);
    } else if (site.f) {
        note_kernel(w, b, &site);
    }
    return !rlxc_failed(w->ctx);
}
