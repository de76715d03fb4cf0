/* The bindings of a Relax function in C. */
#include <inttypes.h>
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/codegen/c_graph.h"
#include "compiler/ir/op.h"
#include "compiler/ops/require.h"

static void check(rlxc_c_graph *w, const rlxc_expr *holds)
{
    if (rlxc_is_const(holds, 1))
        return;
    rlxc_cl_line(w->g, "if (!%s)", rlxc_cl_expr(w->g, holds));
    rlxc_cl_line(w->g, "  return %s_E_SHAPE;", w->m->macro);
}

/* Fails where the tensor |b| at |offset| is not within its storage. */
static void check_fits(rlxc_c_graph *w, const rlxc_binding *b, const rlxc_c_part *part,
                       int64_t offset)
{
    rlxc_context *ctx = w->ctx;
    const rlxc_sinfo *s = b->var->sinfo;
    const rlxc_expr *end = rlxc_add(
        ctx, rlxc_extents_bytes(ctx, s->dtype, s->dims, (uint32_t)s->ndim), rlxc_i64(ctx, offset));
    end = rlxc_canonical(ctx, end, NULL);
    if (rlxc_prove_le(ctx, end, part->bytes, &w->plan.bounds))
        return;
    const char *takes = rlxc_c_body_size(w, end), *has = rlxc_c_body_size(w, part->bytes);
    rlxc_cl_line(w->g, "if (%s > %s)", rlxc_c_bare(w->g, takes), has);
    rlxc_cl_line(w->g, "  return %s_E_SHAPE;", w->m->macro);
}

/* Where the tensor |b| of a storage is; NULL after a diagnostic. */
static const char *place_in_storage(rlxc_c_graph *w, const rlxc_binding *b)
{
    const rlxc_sinfo *s = b->var->sinfo;
    const uintptr_t part = b->args[0].kind == RLXC_ATOM_VAR
                               ? (uintptr_t)rlxc_map_get(&w->storages, rlxc_key(b->args[0].var))
                               : 0;
    int64_t offset = 0;
    if (!part || !s || s->kind != RLXC_SINFO_TENSOR || !s->dims ||
        b->args[1].kind != RLXC_ATOM_PRIM || !rlxc_is_int(b->args[1].prim, &offset) || offset < 0) {
        rlxc_c_refuse(w, b->range, "memory that is not planned");
        return NULL;
    }
    const rlxc_c_part *p = &w->plan.parts.items[part - 1];
    const char *at = rlxc_c_part_text(w, (uint32_t)part - 1);
    if (p->is_own)
        check_fits(w, b, p, offset);
    return offset ? rlxc_internf(w->ctx, "(%s + %" PRId64 ")", at, offset) : at;
}

static void alloc_tensor(rlxc_c_graph *w, const rlxc_binding *b)
{
    const uintptr_t part = (uintptr_t)rlxc_map_get(&w->parts, rlxc_key(b));
    const char *direct = rlxc_map_get(&w->direct, rlxc_key(b->var)), *at;
    if (part && !direct)
        rlxc_c_begin_part(w, (uint32_t)part - 1);
    if (rlxc_c_is_in_storage(b)) {
        at = place_in_storage(w, b);
        if (at)
            rlxc_c_define(w, b, at, false);
    } else if (direct) {
        rlxc_c_set(w, b->var, (rlxc_c_value){.kind = RLXC_C_TENSOR, .text = direct});
    } else if (part) {
        rlxc_c_define(w, b, rlxc_c_part_text(w, (uint32_t)part - 1), false);
    } else {
        rlxc_c_refuse(w, b->range, "memory that is not planned");
    }
}

static bool is_given(const rlxc_atom *args, uint32_t n, uint32_t i)
{
    return i < n && args[i].kind != RLXC_ATOM_NONE &&
           !(args[i].kind == RLXC_ATOM_TUPLE && args[i].n == 0);
}

/* Fails unless all of |b|'s result is in the memory of the operand, from |offset| on. */
static void check_view(rlxc_c_graph *w, const rlxc_binding *b, const rlxc_expr *offset)
{
    rlxc_context *ctx = w->ctx;
    const rlxc_sinfo *from = rlxc_c_type_of(w, b->args[0]), *to = b->var->sinfo;
    const bool reshapes = rlxc_is_op(b, "reshape");
    if (!from || !from->dims || !to->dims) {
        rlxc_c_refuse(w, b->range, "a view of unknown sizes");
        return;
    }
    const rlxc_expr *has =
        rlxc_canonical(ctx, rlxc_extents_bytes(ctx, from->dtype, from->dims, (uint32_t)from->ndim),
                       &w->plan.bounds);
    const rlxc_expr *takes = rlxc_canonical(
        ctx,
        rlxc_add(ctx, rlxc_extents_bytes(ctx, to->dtype, to->dims, (uint32_t)to->ndim), offset),
        &w->plan.bounds);
    if (rlxc_prove_eq(ctx, takes, has, NULL) ||
        (!reshapes && rlxc_prove_le(ctx, takes, has, &w->plan.bounds)))
        return;
    const char *left = rlxc_c_body_size(w, takes), *right = rlxc_c_body_size(w, has);
    rlxc_cl_line(w->g, "if (%s %s %s)", left, reshapes ? "!=" : ">", right);
    rlxc_cl_line(w->g, "  return %s_E_SHAPE;", w->m->macro);
}

/* The operand's memory under another type. */
static void view(rlxc_c_graph *w, const rlxc_binding *b)
{
    const rlxc_c_value from = rlxc_c_value_of(w, b->args[0], b->range);
    const char *at = rlxc_c_tensor(w, b->args[0], b->range);
    const rlxc_expr *offset = rlxc_i64(w->ctx, 0);
    if (rlxc_is_op(b, "memory.view") && is_given(b->args, b->n_args, 3)) {
        if (b->args[3].kind != RLXC_ATOM_PRIM) {
            rlxc_c_refuse(w, b->range, "a view whose offset is not known");
            return;
        }
        offset = b->args[3].prim;
        at = rlxc_internf(w->ctx, "((%sunsigned char *)%s + %s)", from.is_const ? "const " : "", at,
                          rlxc_cl_index(w->g, offset));
    }
    check_view(w, b, offset);
    const rlxc_sinfo *type = rlxc_c_type_of(w, b->args[0]);
    if (at == from.text && type &&
        strcmp(rlxc_cl_memory_type(w->g, type->dtype),
               rlxc_cl_memory_type(w->g, b->var->sinfo->dtype)) == 0)
        rlxc_c_set(w, b->var, from);
    else
        rlxc_c_define(w, b, at, from.is_const);
}

static void check_sizes(rlxc_c_graph *w, const rlxc_binding *b)
{
    rlxc_relation relation = RLXC_EQUAL;
    rlxc_relation_named(rlxc_attr_get_str(b, "relation", "equal"), &relation);
    check(w, rlxc_relation_holds(w->ctx, relation, rlxc_prim_arg(w->ctx, w->m->module, b, 0),
                                 rlxc_prim_arg(w->ctx, w->m->module, b, 1)));
}

static void nothing(rlxc_c_graph *w, const rlxc_binding *b)
{
    rlxc_c_set(w, b->var, (rlxc_c_value){.kind = RLXC_C_NOTHING});
}

static void storage(rlxc_c_graph *w, const rlxc_binding *b)
{
    const uintptr_t part = (uintptr_t)rlxc_map_get(&w->storages, rlxc_key(b->var));
    if (part)
        rlxc_c_begin_part(w, (uint32_t)part - 1);
    nothing(w, b);
}

static void same(rlxc_c_graph *w, const rlxc_binding *b)
{
    rlxc_c_set(w, b->var, rlxc_c_value_of(w, b->args[0], b->range));
}

static void operator(rlxc_c_graph *w, const rlxc_binding *b)
{
    static const struct {
        const char *name;
        uint32_t min_args;
        void (*emit)(rlxc_c_graph *w, const rlxc_binding *b);
    } rows[] = {
        {"builtin.alloc_tensor", 2, alloc_tensor},
        {"memory.alloc_storage", 1, storage},
        {"memory.alloc_tensor", 4, alloc_tensor},
        {"vm.alloc_storage", 1, storage},
        {"vm.alloc_tensor", 3, alloc_tensor},
        {"memory.kill_storage", 1, nothing},
        {"memory.kill_tensor", 1, nothing},
        {"vm.kill_object", 1, nothing},
        {"memory.view", 1, view},
        {"reshape", 2, view},
        {"memory.ensure_zero_offset", 1, same},
        {"hint_on_device", 1, same},
        {"wrap_param", 1, same},
        {"builtin.stop_lift_params", 1, same},
        {"check_sizes", 2, check_sizes},
        {"shape_of", 1, nothing},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, b->op->name) == 0 && b->n_args >= rows[i].min_args) {
            rows[i].emit(w, b);
            return;
        }
    rlxc_c_refuse(w, b->range, rlxc_internf(w->ctx, "R.%s", b->op->name));
}

/* |value| must be |e|, or is what |e| names. */
static void match(rlxc_c_graph *w, const rlxc_expr *e, const rlxc_expr *is, const char *value)
{
    if (e->kind == RLXC_EXPR_VAR && !rlxc_map_get(&w->g->vars, rlxc_key(e))) {
        rlxc_c_bind_inner(w, e, is, value);
    } else if (!is || !rlxc_prove_eq(w->ctx, e, is, NULL)) {
        rlxc_cl_line(w->g, "if (%s != %s)", rlxc_cl_index(w->g, e), value);
        rlxc_cl_line(w->g, "  return %s_E_SHAPE;", w->m->macro);
    }
}

/* Sizes that a cast names must be the operand's; it may name some that were not known. */
static void match_cast(rlxc_c_graph *w, const rlxc_binding *b)
{
    const rlxc_c_value v = rlxc_c_value_of(w, b->args[0], b->range);
    const rlxc_sinfo *from = rlxc_c_type_of(w, b->args[0]), *to = b->sinfo_args[0];
    const bool has_dims = to->kind == RLXC_SINFO_TENSOR || to->kind == RLXC_SINFO_SHAPE;
    same(w, b);
    if (from == to)
        return;
    if (!from || from->kind != to->kind ||
        (has_dims && (from->ndim != to->ndim || !from->dims || !to->dims)) ||
        (!has_dims && to->kind != RLXC_SINFO_PRIM) ||
        (to->kind != RLXC_SINFO_SHAPE && !rlxc_dtype_eq(from->dtype, to->dtype))) {
        rlxc_c_refuse(w, b->range, "a match_cast to a type that is not known before");
        return;
    }
    if (!has_dims && to->value && v.kind == RLXC_C_NUMBER)
        match(w, to->value, from->value, v.text);
    for (int32_t i = 0; has_dims && i < to->ndim; i++)
        match(w, to->dims[i], from->dims[i], rlxc_cl_index(w->g, from->dims[i]));
}

/* Declares the variables that a branch of an If assigns: pointers to tensors, and numbers. */
static rlxc_c_value declare_choice(rlxc_c_graph *w, const rlxc_binding *b, const rlxc_sinfo *s)
{
    rlxc_cl *g = w->g;
    rlxc_c_value v = {.kind = RLXC_C_NOTHING};
    if (s->kind == RLXC_SINFO_TENSOR) {
        v = (rlxc_c_value){
            .kind = RLXC_C_TENSOR, .text = rlxc_cl_name(g, b->var->name), .is_const = true};
        rlxc_cl_line(g, "const %s *%s;", rlxc_cl_memory_type(g, s->dtype), v.text);
        rlxc_c_local(g, v.text);
        v.type = s;
    } else if (s->kind == RLXC_SINFO_PRIM) {
        v = (rlxc_c_value){.kind = RLXC_C_NUMBER, .text = rlxc_cl_name(g, b->var->name)};
        rlxc_cl_line(g, "%s %s;", rlxc_cl_type(g, s->dtype), v.text);
        rlxc_c_local(g, v.text);
    } else if (s->kind == RLXC_SINFO_TUPLE) {
        rlxc_c_value *items = rlxc_alloc(w->ctx, ((size_t)s->n_fields + 1) * sizeof *items);
        for (uint32_t i = 0; i < s->n_fields; i++)
            items[i] = declare_choice(w, b, s->fields[i]);
        v = (rlxc_c_value){.kind = RLXC_C_TUPLE, .items = items, .n = s->n_fields};
    } else {
        rlxc_c_refuse(w, b->range, "an If whose value is neither tensors nor numbers");
    }
    return v;
}

/* The dimensions of what is chosen, which are variables, are those of |from|. */
static void assign_dims(rlxc_c_graph *w, const rlxc_binding *b, const rlxc_sinfo *to,
                        const rlxc_sinfo *from)
{
    if (!from || !from->dims || from->ndim != to->ndim) {
        rlxc_c_refuse(w, b->range, "an If with tensors of unknown sizes");
        return;
    }
    for (int32_t i = 0; i < to->ndim; i++) {
        const rlxc_cl_var *var = rlxc_map_get(&w->g->vars, rlxc_key(to->dims[i]));
        rlxc_cl_line(w->g, "%s = %s;", var->name,
                     rlxc_c_bare(w->g, rlxc_cl_index(w->g, from->dims[i])));
    }
}

static void assign_choice(rlxc_c_graph *w, const rlxc_binding *b, const rlxc_c_value *to,
                          const rlxc_c_value *from)
{
    if (to->kind != from->kind || (to->kind == RLXC_C_TUPLE && to->n != from->n)) {
        rlxc_c_refuse(w, b->range, "an If with values of two kinds");
    } else if (to->kind == RLXC_C_TUPLE) {
        for (uint32_t i = 0; i < to->n; i++)
            assign_choice(w, b, &to->items[i], &from->items[i]);
    } else if (to->kind != RLXC_C_NOTHING) {
        rlxc_cl_line(w->g, "%s = %s;", to->text, from->text);
    }
}

/* What is chosen is assigned in the branches. */
static void conditional(rlxc_c_graph *w, const rlxc_binding *b)
{
    rlxc_cl *g = w->g;
    const rlxc_sinfo *type = rlxc_c_type_of(w, b->args[0]);
    const rlxc_c_value cond = rlxc_c_value_of(w, b->args[0], b->range);
    if (cond.kind != RLXC_C_NUMBER &&
        !(type && type->kind == RLXC_SINFO_TENSOR && type->ndim == 0)) {
        rlxc_c_refuse(w, b->range, "a condition of several numbers");
        return;
    }
    const rlxc_sinfo *own = rlxc_map_get(&w->types, rlxc_key(b->var));
    const rlxc_c_value v = declare_choice(w, b, own ? own : b->var->sinfo);
    for (int32_t i = 0; own && i < own->ndim; i++) {
        const char *name = rlxc_cl_name(g, own->dims[i]->var.name);
        rlxc_cl_line(g, "int64_t %s;", name);
        rlxc_cl_bind(g, own->dims[i], name, false);
    }
    rlxc_cl_line(g, "if (%s%s) {", cond.kind == RLXC_C_TENSOR ? "*" : "", cond.text);
    for (int i = 0; i < 2; i++) {
        const rlxc_body *side = i == 0 ? b->then : b->otherwise;
        if (i == 1)
            rlxc_cl_line(g, "} else {");
        g->depth++;
        const uint32_t checked = w->checked.count, mark = g->memo_log.count;
        rlxc_c_body(w, side);
        if (!rlxc_is_void(b->var->sinfo)) {
            const rlxc_c_value from = rlxc_c_value_of(w, side->result, b->range);
            assign_choice(w, b, &v, &from);
            if (own)
                assign_dims(w, b, own, from.type);
        }
        w->checked.count = checked;
        rlxc_cl_memo_forget(g, mark);
        g->depth--;
    }
    rlxc_cl_line(g, "}");
    rlxc_c_set(w, b->var, v);
    for (int32_t i = 0; own && i < own->ndim && !rlxc_failed(w->ctx); i++) {
        const rlxc_cl_var *var = rlxc_map_get(&g->vars, rlxc_key(own->dims[i]));
        rlxc_c_check_range(w, var->name, rlxc_c_range_of(w, own->dims[i]),
                           rlxc_internf(w->ctx, "%s_E_SHAPE", w->m->macro));
    }
}

static void refuse_call(rlxc_c_graph *w, const rlxc_binding *b)
{
    const bool is_global = b->callee.kind == RLXC_ATOM_GLOBAL;
    rlxc_c_refuse(
        w, b->range,
        rlxc_internf(w->ctx, "a call of %s%s",
                     b->callee.kind == RLXC_ATOM_VAR ? b->callee.var->name : b->callee.text,
                     is_global ? ", which may call itself or is too large for its caller" : ""));
}

static bool uses_number(rlxc_c_graph *w, const rlxc_expr *e)
{
    rlxc_var_list used = {0};
    rlxc_collect_vars(w->ctx, e, &used);
    for (uint32_t i = 0; i < used.vars.count; i++)
        if (rlxc_has_var(&w->inner, used.vars.items[i]) &&
            !rlxc_has_var(&w->extents, used.vars.items[i]))
            return true;
    return false;
}

/* Fails if a dimension of |b|'s result that is computed from numbers of the data is negative. */
static void check_dims(rlxc_c_graph *w, const rlxc_binding *b)
{
    const rlxc_sinfo *s = b->var->sinfo;
    const bool has_dims = s && s->kind == RLXC_SINFO_TENSOR && s->dims;
    for (int32_t i = 0; has_dims && i < s->ndim; i++) {
        const rlxc_expr *dim = rlxc_canonical(w->ctx, s->dims[i], &w->plan.bounds);
        if (!uses_number(w, dim) || !rlxc_c_is_known(w, dim) ||
            rlxc_prove_le(w->ctx, rlxc_i64(w->ctx, 0), dim, &w->plan.bounds))
            continue;
        rlxc_cl_line(w->g, "if (%s < 0)", rlxc_c_body_size(w, dim));
        rlxc_cl_line(w->g, "  return %s_E_SHAPE;", w->m->macro);
    }
}

static void binding(rlxc_c_graph *w, const rlxc_binding *b)
{
    const uint32_t mark = w->g->memo_log.count;
    const rlxc_c_site site = rlxc_c_site_of(w, b);
    rlxc_c_value v;
    w->g->range = b->range;
    switch (b->form) {
    case RLXC_FORM_COPY:
        same(w, b);
        break;
    case RLXC_FORM_CALL:
        if (site.f)
            rlxc_c_call_kernel(w, b, &site);
        else if (b->op) {
            check_dims(w, b);
            operator(w, b);
        } else if (!rlxc_c_call_builtin(w, b))
            refuse_call(w, b);
        break;
    case RLXC_FORM_TUPLE:
        v = rlxc_c_value_of(w, rlxc_atom_tuple(w->ctx, b->args, b->n_args), b->range);
        rlxc_c_set(w, b->var, v);
        break;
    case RLXC_FORM_TUPLE_GET:
        v = rlxc_c_value_of(w, b->args[0], b->range);
        if (v.kind == RLXC_C_TUPLE && b->index < v.n)
            rlxc_c_set(w, b->var, v.items[b->index]);
        else
            rlxc_c_refuse(w, b->range, "a tuple that is not known before");
        break;
    case RLXC_FORM_MATCH_CAST:
        match_cast(w, b);
        break;
    case RLXC_FORM_IF:
        conditional(w, b);
        break;
    case RLXC_FORM_FUNCTION:
        rlxc_c_refuse(w, b->range, "a local function");
        break;
    }
    rlxc_cl_memo_forget(w->g, mark);
}

void rlxc_c_body(rlxc_c_graph *w, const rlxc_body *b)
{
    for (uint32_t i = 0; i < b->n_blocks; i++)
        for (uint32_t k = 0; k < b->blocks[i]->n && !rlxc_failed(w->ctx); k++)
            binding(w, b->blocks[i]->bindings[k]);
}
