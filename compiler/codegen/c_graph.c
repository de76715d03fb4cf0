/* A Relax function as a function of C99, after all passes.
 *
 * Its parameters are the tensors and numbers of the Relax function, then the symbols of their
 * shapes, then a pointer for each tensor of the result, then the arena if the caller gives it. A
 * tensor is a pointer. What the memory plan allocates is a part of the arena; a tensor that is
 * returned is computed where the caller wants it. */
#include <inttypes.h>
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/codegen/c.h"
#include "compiler/ir/op.h"
#include "compiler/ops/require.h"

typedef struct value value;
struct value {
    enum { NOTHING, TENSOR, TUPLE, NUMBER } kind;
    const char *text; /* a pointer to the first element; a number */
    const value *items;
    uint32_t n;
    bool is_const;
};

typedef struct graph {
    rlxc_c_module *m;
    rlxc_cl *g;
    rlxc_context *ctx;
    const rlxc_function *f;
    const char *name; /* in C */
    rlxc_var_list symbols;
    rlxc_map values;   /* variable -> value */
    rlxc_map storages; /* variable of a planned storage -> part + 1 */
    rlxc_map parts;    /* binding -> part + 1: of a tensor, or scratch memory of a call */
    rlxc_map direct;   /* variable of a tensor that is a result -> name of its parameter */
    rlxc_c_plan plan;
    uint32_t step;
    rlxc_text text;
    bool fails;
} graph;

static void refuse(graph *w, rlxc_range range, const char *what)
{
    if (!rlxc_failed(w->ctx))
        rlxc_error(w->ctx, range, "%s: C has no form of %s", w->f->name, what);
}

/* --- values ----------------------------------------------------------------------------------- */

static value *set(graph *w, const rlxc_rvar *var, value v)
{
    value *row = rlxc_copy(w->ctx, &v, sizeof v);
    rlxc_map_set(w->ctx, &w->values, rlxc_key(var), row);
    return row;
}

static value of_atom(graph *w, rlxc_atom atom, rlxc_range range)
{
    value v = {.kind = NOTHING};
    if (atom.kind == RLXC_ATOM_VAR) {
        const value *known = rlxc_map_get(&w->values, rlxc_key(atom.var));
        if (known)
            return *known;
        refuse(w, range, rlxc_internf(w->ctx, "the value of %s", atom.var->name));
    } else if (atom.kind == RLXC_ATOM_CONSTANT) {
        v = (value){.kind = TENSOR, .text = rlxc_c_constant(w->m, atom.constant), .is_const = true};
    } else if (atom.kind == RLXC_ATOM_PRIM) {
        v = (value){.kind = NUMBER, .text = rlxc_cl_expr(w->g, atom.prim)};
    } else if (atom.kind == RLXC_ATOM_TUPLE) {
        value *items = rlxc_alloc(w->ctx, ((size_t)atom.n + 1) * sizeof *items);
        for (uint32_t i = 0; i < atom.n; i++)
            items[i] = of_atom(w, atom.items[i], range);
        v = (value){.kind = TUPLE, .items = items, .n = atom.n};
    }
    return v;
}

static const char *tensor(graph *w, rlxc_atom atom, rlxc_range range)
{
    const value v = of_atom(w, atom, range);
    if (v.kind == TENSOR)
        return v.text;
    refuse(w, range, "an operand that is no tensor");
    return "0";
}

static const rlxc_sinfo *type_of(graph *w, rlxc_atom atom)
{
    return rlxc_atom_sinfo(w->ctx, w->m->module, atom);
}

/* A new pointer of the result's type. */
static void define(graph *w, const rlxc_binding *b, const char *at, bool is_const)
{
    const rlxc_sinfo *s = b->var->sinfo;
    const char *type = rlxc_cl_memory_type(w->g, s->dtype),
               *name = rlxc_cl_name(w->g, b->var->name);
    const char *c = is_const ? "const " : "";
    rlxc_cl_line(w->g, "%s%s *const %s = (%s%s *)%s%s;", c, type, name, c, type,
                 is_const ? "(const void *)" : "(void *)", at);
    set(w, b->var, (value){.kind = TENSOR, .text = name, .is_const = is_const});
}

static const char *part_text(graph *w, uint32_t part)
{
    return w->plan.is_static
               ? rlxc_internf(w->ctx, "(arena + %" PRId64 ")", w->plan.parts.items[part].offset)
               : rlxc_internf(w->ctx, "(arena + at[%u])", part);
}

/* --- the plan, before any text ---------------------------------------------------------------- */

static uint32_t add_part(graph *w, const rlxc_expr *bytes, uint32_t last)
{
    RLXC_PUSH(w->ctx, &w->plan.parts,
              (rlxc_c_part){.bytes = bytes, .first = w->step, .last = last});
    return w->plan.parts.count;
}

static const rlxc_prim_func *prim_of(const graph *w, const rlxc_binding *b)
{
    const rlxc_global *g = b->form == RLXC_FORM_CALL && !b->op && b->callee.kind == RLXC_ATOM_GLOBAL
                               ? rlxc_module_find(w->m->module, b->callee.text)
                               : NULL;
    return g ? g->prim : NULL;
}

/* What |k|'s dims are in the call; false with a diagnostic where one is not determined. */
static bool find_dims(graph *w, const rlxc_c_kernel *k, const rlxc_binding *b,
                      const rlxc_expr **out)
{
    const rlxc_prim_func *f = k->f;
    for (uint32_t i = 0; i < k->n_dims; i++)
        out[i] = NULL;
    for (uint32_t i = 0; i < f->n_params && i < b->n_args; i++) {
        const rlxc_sinfo *s = type_of(w, b->args[i]);
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
        if (!buffer && b->args[i].kind == RLXC_ATOM_PRIM)
            for (uint32_t n = 0; n < k->n_dims; n++)
                out[n] = k->dims[n] == f->params[i].var ? b->args[i].prim : out[n];
    }
    for (uint32_t i = 0; i < k->n_dims; i++)
        if (!out[i]) {
            refuse(w, b->range,
                   rlxc_internf(w->ctx, "the unknown size %s in a call of %s", k->dims[i]->var.name,
                                f->name));
            return false;
        }
    return true;
}

static bool is_alloc(const rlxc_binding *b)
{
    return rlxc_is_op(b, "builtin.alloc_tensor");
}

static void note_alloc(graph *w, const rlxc_binding *b)
{
    const rlxc_sinfo *s = b->var->sinfo;
    if (rlxc_map_get(&w->direct, rlxc_key(b->var)))
        return;
    if (!s || s->kind != RLXC_SINFO_TENSOR || !s->dims) {
        refuse(w, b->range, "memory whose size is not known before");
        return;
    }
    const rlxc_expr *bytes = rlxc_extents_bytes(w->ctx, s->dtype, s->dims, (uint32_t)s->ndim);
    rlxc_map_set(w->ctx, &w->parts, rlxc_key(b), (void *)(uintptr_t)add_part(w, bytes, UINT32_MAX));
}

static void note_kernel(graph *w, const rlxc_binding *b)
{
    const rlxc_c_kernel *k = rlxc_c_kernel_of(w->m, prim_of(w, b));
    const rlxc_expr **values = rlxc_alloc(w->ctx, ((size_t)k->n_dims + 1) * sizeof *values);
    if (rlxc_failed(w->ctx) || !k->scratch || !find_dims(w, k, b, values))
        return;
    const rlxc_expr *bytes = rlxc_canonical(
        w->ctx, rlxc_substitute(w->ctx, k->scratch, k->dims, values, k->n_dims), NULL);
    rlxc_map_set(w->ctx, &w->parts, rlxc_key(b), (void *)(uintptr_t)add_part(w, bytes, w->step));
}

static bool note_binding(void *user, rlxc_binding *b)
{
    graph *w = user;
    w->step++;
    if (rlxc_is_planned_storage(b) && b->args[0].kind == RLXC_ATOM_SHAPE && b->args[0].n == 1) {
        rlxc_map_set(w->ctx, &w->storages, rlxc_key(b->var),
                     (void *)(uintptr_t)add_part(w, b->args[0].dims[0], UINT32_MAX));
    } else if (rlxc_is_op(b, "memory.kill_storage") && b->args[0].kind == RLXC_ATOM_VAR) {
        const uintptr_t part = (uintptr_t)rlxc_map_get(&w->storages, rlxc_key(b->args[0].var));
        if (part)
            w->plan.parts.items[part - 1].last = w->step;
    } else if (is_alloc(b)) {
        note_alloc(w, b);
    } else if (prim_of(w, b)) {
        note_kernel(w, b);
    }
    return !rlxc_failed(w->ctx);
}

/* --- bindings --------------------------------------------------------------------------------- */

static void check(graph *w, const rlxc_expr *holds)
{
    if (rlxc_is_const(holds, 1))
        return;
    rlxc_cl_line(w->g, "if (!%s)", rlxc_cl_expr(w->g, holds));
    rlxc_cl_line(w->g, "  return %s_E_SHAPE;", w->m->macro);
}

static void call_kernel(graph *w, const rlxc_binding *b)
{
    rlxc_context *ctx = w->ctx;
    const rlxc_c_kernel *k = rlxc_c_kernel_of(w->m, prim_of(w, b));
    const rlxc_expr **dims = rlxc_alloc(ctx, ((size_t)k->n_dims + 1) * sizeof *dims);
    rlxc_text args = {.ctx = ctx};
    if (b->n_args != k->f->n_params) {
        refuse(w, b->range, "a call with fewer arguments than parameters");
        return;
    }
    if (!find_dims(w, k, b, dims))
        return;
    for (uint32_t i = 0; i < b->n_args; i++) {
        const value v = of_atom(w, b->args[i], b->range);
        if (v.kind != (k->f->params[i].buffer ? TENSOR : NUMBER) ||
            (v.kind == TENSOR && k->is_written[i] && v.is_const))
            refuse(w, b->range, "an operand of another kind");
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
    if (k->scratch)
        rlxc_text_printf(&args, "%s%s", args.length ? ", " : "",
                         part ? part_text(w, (uint32_t)part - 1) : "0");
    const char *all = args.data ? args.data : "";
    if (k->can_fail) {
        rlxc_cl_line(w->g, "if ((status = %s(%s)) != 0)", k->name, all);
        rlxc_cl_line(w->g, "  return status;");
        w->fails = true;
    } else {
        rlxc_cl_line(w->g, "%s(%s);", k->name, all);
    }
}

static void alloc_tensor(graph *w, const rlxc_binding *b)
{
    uintptr_t part = 0;
    const char *direct = rlxc_map_get(&w->direct, rlxc_key(b->var));
    if (is_alloc(b) && direct) {
        set(w, b->var, (value){.kind = TENSOR, .text = direct});
        return;
    }
    if (is_alloc(b))
        part = (uintptr_t)rlxc_map_get(&w->parts, rlxc_key(b));
    else if (b->args[0].kind == RLXC_ATOM_VAR && rlxc_is_const(b->args[1].prim, 0))
        part = (uintptr_t)rlxc_map_get(&w->storages, rlxc_key(b->args[0].var));
    if (part)
        define(w, b, part_text(w, (uint32_t)part - 1), false);
    else
        refuse(w, b->range, "memory that is not planned");
}

static bool is_given(const rlxc_atom *args, uint32_t n, uint32_t i)
{
    return i < n && args[i].kind != RLXC_ATOM_NONE &&
           !(args[i].kind == RLXC_ATOM_TUPLE && args[i].n == 0);
}

/* The operand's memory under another type. */
static void view(graph *w, const rlxc_binding *b)
{
    const value from = of_atom(w, b->args[0], b->range);
    const char *at = tensor(w, b->args[0], b->range);
    if (rlxc_is_op(b, "memory.view") && is_given(b->args, b->n_args, 3)) {
        if (b->args[3].kind != RLXC_ATOM_PRIM) {
            refuse(w, b->range, "a view whose offset is not known");
            return;
        }
        at = rlxc_internf(w->ctx, "((%sunsigned char *)%s + %s)", from.is_const ? "const " : "", at,
                          rlxc_cl_index(w->g, b->args[3].prim));
    }
    const rlxc_sinfo *type = type_of(w, b->args[0]);
    if (at == from.text && type &&
        strcmp(rlxc_cl_memory_type(w->g, type->dtype),
               rlxc_cl_memory_type(w->g, b->var->sinfo->dtype)) == 0)
        set(w, b->var, from);
    else
        define(w, b, at, from.is_const);
}

static void check_sizes(graph *w, const rlxc_binding *b)
{
    rlxc_relation relation = RLXC_EQUAL;
    rlxc_relation_named(rlxc_attr_get_str(b, "relation", "equal"), &relation);
    check(w, rlxc_relation_holds(w->ctx, relation, rlxc_prim_arg(w->ctx, w->m->module, b, 0),
                                 rlxc_prim_arg(w->ctx, w->m->module, b, 1)));
}

static void nothing(graph *w, const rlxc_binding *b)
{
    set(w, b->var, (value){.kind = NOTHING});
}

static void same(graph *w, const rlxc_binding *b)
{
    set(w, b->var, of_atom(w, b->args[0], b->range));
}

static void operator(graph *w, const rlxc_binding *b)
{
    static const struct {
        const char *name;
        uint32_t min_args;
        void (*emit)(graph *w, const rlxc_binding *b);
    } rows[] = {
        {"builtin.alloc_tensor", 2, alloc_tensor},
        {"memory.alloc_storage", 1, nothing},
        {"memory.alloc_tensor", 4, alloc_tensor},
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
    refuse(w, b->range, rlxc_internf(w->ctx, "R.%s", b->op->name));
}

/* Sizes that a cast names must be the operand's; it may name none that was not known. */
static void match_cast(graph *w, const rlxc_binding *b)
{
    const rlxc_sinfo *from = type_of(w, b->args[0]), *to = b->sinfo_args[0];
    same(w, b);
    if (from == to)
        return;
    if (!from || from->kind != to->kind || from->kind != RLXC_SINFO_TENSOR ||
        !rlxc_dtype_eq(from->dtype, to->dtype) || from->ndim != to->ndim || !from->dims ||
        !to->dims) {
        refuse(w, b->range, "a match_cast to a type that is not known before");
        return;
    }
    for (int32_t i = 0; i < to->ndim; i++) {
        const rlxc_expr *dim = to->dims[i];
        if (dim->kind == RLXC_EXPR_VAR && !rlxc_map_get(&w->g->vars, rlxc_key(dim))) {
            const char *name = rlxc_cl_name(w->g, dim->var.name);
            rlxc_cl_line(w->g, "const int64_t %s = %s;", name, rlxc_cl_index(w->g, from->dims[i]));
            rlxc_cl_bind(w->g, dim, name, false);
        } else if (!rlxc_prove_eq(w->ctx, dim, from->dims[i], NULL)) {
            check(w, rlxc_binary(w->ctx, RLXC_EXPR_EQ, dim, from->dims[i]));
        }
    }
}

static void body(graph *w, const rlxc_body *b);

/* The tensor that is chosen is a pointer, assigned in the branches. */
static void conditional(graph *w, const rlxc_binding *b)
{
    rlxc_cl *g = w->g;
    const rlxc_sinfo *s = b->var->sinfo, *type = type_of(w, b->args[0]);
    value cond = of_atom(w, b->args[0], b->range), branch;
    const bool is_void = rlxc_is_void(s);
    if ((s->kind != RLXC_SINFO_TENSOR && !is_void) ||
        (cond.kind != NUMBER && !(type && type->kind == RLXC_SINFO_TENSOR && type->ndim == 0))) {
        refuse(w, b->range, "an If whose value is no tensor");
        return;
    }
    const char *name = is_void ? NULL : rlxc_cl_name(g, b->var->name);
    if (!is_void)
        rlxc_cl_line(g, "const %s *%s;", rlxc_cl_memory_type(g, s->dtype), name);
    rlxc_cl_line(g, "if (%s%s) {", cond.kind == TENSOR ? "*" : "", cond.text);
    for (int i = 0; i < 2; i++) {
        const rlxc_body *side = i == 0 ? b->then : b->otherwise;
        if (i == 1)
            rlxc_cl_line(g, "} else {");
        g->depth++;
        body(w, side);
        if (!is_void) {
            branch = of_atom(w, side->result, b->range);
            if (branch.kind != TENSOR)
                refuse(w, b->range, "an If whose value is no tensor");
            else
                rlxc_cl_line(g, "%s = %s;", name, branch.text);
        }
        g->depth--;
    }
    rlxc_cl_line(g, "}");
    set(w, b->var,
        is_void ? (value){.kind = NOTHING}
                : (value){.kind = TENSOR, .text = name, .is_const = true});
}

static void binding(graph *w, const rlxc_binding *b)
{
    const uint32_t mark = w->g->memo_log.count;
    value v;
    w->g->range = b->range;
    switch (b->form) {
    case RLXC_FORM_COPY:
        same(w, b);
        break;
    case RLXC_FORM_CALL:
        if (b->op)
            operator(w, b);
        else if (prim_of(w, b))
            call_kernel(w, b);
        else
            refuse(w, b->range,
                   rlxc_internf(w->ctx, "a call of %s",
                                b->callee.kind == RLXC_ATOM_VAR ? b->callee.var->name
                                                                : b->callee.text));
        break;
    case RLXC_FORM_TUPLE:
        v = of_atom(w, rlxc_atom_tuple(w->ctx, b->args, b->n_args), b->range);
        set(w, b->var, v);
        break;
    case RLXC_FORM_TUPLE_GET:
        v = of_atom(w, b->args[0], b->range);
        if (v.kind == TUPLE && b->index < v.n)
            set(w, b->var, v.items[b->index]);
        else
            refuse(w, b->range, "a tuple that is not known before");
        break;
    case RLXC_FORM_MATCH_CAST:
        match_cast(w, b);
        break;
    case RLXC_FORM_IF:
        conditional(w, b);
        break;
    case RLXC_FORM_FUNCTION:
        refuse(w, b->range, "a local function");
        break;
    }
    rlxc_cl_memo_forget(w->g, mark);
}

static void body(graph *w, const rlxc_body *b)
{
    for (uint32_t i = 0; i < b->n_blocks; i++)
        for (uint32_t k = 0; k < b->blocks[i]->n && !rlxc_failed(w->ctx); k++)
            binding(w, b->blocks[i]->bindings[k]);
}

/* --- signature -------------------------------------------------------------------------------- */

typedef struct signature {
    rlxc_text declared, doc; /* "const float *x, int64_t n"; what they are */
    uint32_t n;
    RLXC_VEC(const char *) names;
    const char **results; /* names of the pointers */
    const rlxc_sinfo **types;
    uint32_t n_results;
} signature;

static const char *declare(graph *w, signature *s, const char *type, const char *hint,
                           const char *doc)
{
    const char *name = rlxc_cl_name(w->g, hint);
    rlxc_text_printf(&s->declared, "%s%s%s", s->n++ ? ", " : "", type, name);
    RLXC_PUSH(w->ctx, &s->names, name);
    if (doc)
        rlxc_text_printf(&s->doc, " *   %s: %s\n", name, doc);
    return name;
}

static value parameter(graph *w, signature *s, const rlxc_sinfo *type, const char *name,
                       rlxc_range range)
{
    rlxc_cl *g = w->g;
    value v = {.kind = NOTHING};
    const char *why;
    if (type && type->kind == RLXC_SINFO_TUPLE) {
        value *items = rlxc_alloc(w->ctx, ((size_t)type->n_fields + 1) * sizeof *items);
        for (uint32_t i = 0; i < type->n_fields; i++)
            items[i] =
                parameter(w, s, type->fields[i], rlxc_internf(w->ctx, "%s_%u", name, i), range);
        return (value){.kind = TUPLE, .items = items, .n = type->n_fields};
    }
    if (type && type->kind == RLXC_SINFO_TENSOR && type->dims) {
        why = rlxc_cl_lacks_type(g->target, type->dtype);
        if (why)
            rlxc_error(w->ctx, range, "%s: parameter %s: %s", w->f->name, name, why);
        v.kind = TENSOR;
        v.is_const = true;
        v.text =
            declare(w, s, rlxc_internf(w->ctx, "const %s *", rlxc_cl_memory_type(g, type->dtype)),
                    name, rlxc_sinfo_text(w->ctx, type));
        return v;
    }
    if (type && type->kind == RLXC_SINFO_PRIM) {
        v.kind = NUMBER;
        v.text = declare(w, s, rlxc_internf(w->ctx, "%s ", rlxc_cl_type(g, type->dtype)), name,
                         rlxc_sinfo_text(w->ctx, type));
        if (type->value && type->value->kind == RLXC_EXPR_VAR)
            rlxc_cl_bind(g, type->value, v.text, false);
        return v;
    }
    if (!type || type->kind != RLXC_SINFO_SHAPE || !type->dims)
        refuse(w, range, rlxc_internf(w->ctx, "parameter %s", name));
    return v;
}

static void results(graph *w, signature *s, const rlxc_sinfo *type, const char *name)
{
    if (type && type->kind == RLXC_SINFO_TUPLE) {
        for (uint32_t i = 0; i < type->n_fields; i++)
            results(w, s, type->fields[i], rlxc_internf(w->ctx, "%s_%u", name, i));
        return;
    }
    const char *why = type && type->kind == RLXC_SINFO_TENSOR && type->dims
                          ? rlxc_cl_lacks_type(w->g->target, type->dtype)
                          : "the result is no tensor of a known rank";
    if (why) {
        if (!rlxc_failed(w->ctx))
            rlxc_error(w->ctx, w->f->range, "%s: C: %s", w->f->name, why);
        return;
    }
    const char **names = rlxc_alloc(w->ctx, ((size_t)s->n_results + 1) * sizeof *names);
    const rlxc_sinfo **types = rlxc_alloc(w->ctx, ((size_t)s->n_results + 1) * sizeof *types);
    if (s->n_results) {
        memcpy(names, s->results, s->n_results * sizeof *names);
        memcpy(types, s->types, s->n_results * sizeof *types);
    }
    names[s->n_results] =
        declare(w, s, rlxc_internf(w->ctx, "%s *", rlxc_cl_memory_type(w->g, type->dtype)), name,
                rlxc_internf(w->ctx, "result, %s", rlxc_sinfo_text(w->ctx, type)));
    types[s->n_results++] = type;
    s->results = names;
    s->types = types;
}

/* The variables that are the results themselves: they may be computed in place. */
static void find_direct(graph *w, const signature *s, rlxc_atom atom, uint32_t *io_next)
{
    if (atom.kind == RLXC_ATOM_TUPLE) {
        for (uint32_t i = 0; i < atom.n; i++)
            find_direct(w, s, atom.items[i], io_next);
        return;
    }
    const uint32_t i = (*io_next)++;
    if (atom.kind == RLXC_ATOM_VAR && i < s->n_results &&
        !rlxc_map_get(&w->direct, rlxc_key(atom.var)))
        rlxc_map_set(w->ctx, &w->direct, rlxc_key(atom.var), (void *)(uintptr_t)s->results[i]);
}

static void find_tuples(graph *w, const signature *s)
{
    uint32_t next = 0;
    rlxc_atom result = w->f->body.result;
    for (uint32_t i = 0; i < w->f->body.n_blocks && result.kind == RLXC_ATOM_VAR; i++)
        for (uint32_t k = 0; k < w->f->body.blocks[i]->n; k++) {
            const rlxc_binding *b = w->f->body.blocks[i]->bindings[k];
            if (result.kind == RLXC_ATOM_VAR && b->var == result.var && b->form == RLXC_FORM_TUPLE)
                result = rlxc_atom_tuple(w->ctx, b->args, b->n_args);
        }
    find_direct(w, s, result, &next);
}

/* Copies the results that were computed elsewhere. */
static void copy_results(graph *w, const signature *s, const value *v, uint32_t *io_next)
{
    if (v->kind == TUPLE) {
        for (uint32_t i = 0; i < v->n; i++)
            copy_results(w, s, &v->items[i], io_next);
        return;
    }
    const uint32_t i = (*io_next)++;
    if (i >= s->n_results || v->kind != TENSOR) {
        refuse(w, w->f->body.result_range, "a result that is no tensor");
        return;
    }
    if (strcmp(v->text, s->results[i]) == 0)
        return;
    const rlxc_sinfo *t = s->types[i];
    rlxc_cl_line(w->g, "memcpy(%s, %s, (size_t)%s);", s->results[i], v->text,
                 rlxc_cl_index(w->g, rlxc_canonical(w->ctx,
                                                    rlxc_extents_bytes(w->ctx, t->dtype, t->dims,
                                                                       (uint32_t)t->ndim),
                                                    NULL)));
}

/* --- text ------------------------------------------------------------------------------------- */

/* "int64_t n, int64_t m": the symbols alone. */
static const char *symbol_list(graph *w, bool typed)
{
    rlxc_text text = {.ctx = w->ctx};
    for (uint32_t i = 0; i < w->symbols.vars.count; i++) {
        const rlxc_cl_var *var = rlxc_map_get(&w->g->vars, rlxc_key(w->symbols.vars.items[i]));
        rlxc_text_printf(&text, "%s%s%s", i ? ", " : "", typed ? "int64_t " : "",
                         var ? var->name : "0");
    }
    return text.data ? text.data : typed ? "void" : "";
}

/* Fails unless the symbols are in their bounds. */
static void check_symbols(graph *w, const char *failure)
{
    for (uint32_t i = 0; i < w->symbols.vars.count; i++) {
        const rlxc_expr *var = w->symbols.vars.items[i];
        const rlxc_cl_var *name = rlxc_map_get(&w->g->vars, rlxc_key(var));
        const rlxc_bound b = rlxc_bound_of(w->ctx, var, &w->plan.bounds);
        if (!name)
            continue;
        rlxc_cl_line(w->g, "if (%s < %" PRId64 " || %s > %s)", name->name, b.min > 0 ? b.min : 0,
                     name->name, rlxc_c_int(w->g, RLX_I64, b.max));
        rlxc_cl_line(w->g, "  return %s;", failure);
    }
}

static void plan_function(graph *w)
{
    const rlxc_c_plan *p = &w->plan;
    rlxc_text *out = &w->m->graph_text;
    rlxc_text text = {.ctx = w->ctx};
    const uint32_t n = p->parts.count;
    static const char *const names[2] = {"first", "last"};
    rlxc_text_printf(out,
                     "\n/* Offsets of the parts of the arena; returns the bytes that they take, or "
                     "-1. */\nstatic int64_t %s_plan(%s, int64_t *at)\n{\n",
                     w->name, symbol_list(w, true));
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
        rlxc_cl_line(w->g, "at[%u] = %s;", i,
                     rlxc_c_bare(w->g, rlxc_cl_index(w->g, p->parts.items[i].bytes)));
        rlxc_cl_memo_forget(w->g, mark);
    }
    if (text.length)
        rlxc_text_add(out, text.data, text.length);
    rlxc_text_printf(out, "  return rlx_lay_out(%u, first, last, at);\n}\n", n);
    rlxc_text_printf(
        out,
        "\nsize_t %s_arena_bytes(%s)\n{\n  int64_t at[%u];\n"
        "  const int64_t bytes = %s_plan(%s, at);\n"
        "  return bytes < 0 || (uint64_t)bytes > SIZE_MAX / 2 ? 0 : (size_t)bytes;\n}\n",
        w->name, symbol_list(w, true), 2 * n, w->name, symbol_list(w, false));
}

static void declaration(graph *w, const signature *s)
{
    rlxc_text *h = &w->m->header_text;
    rlxc_text_printf(h, "\n/* %s\n%s", w->f->name, s->doc.data ? s->doc.data : "");
    for (uint32_t i = 0; i < w->symbols.vars.count; i++) {
        const rlxc_bound b = rlxc_bound_of(w->ctx, w->symbols.vars.items[i], &w->plan.bounds);
        const rlxc_cl_var *var = rlxc_map_get(&w->g->vars, rlxc_key(w->symbols.vars.items[i]));
        if (var)
            rlxc_text_printf(h, " *   %s: %" PRId64 " to %" PRId64 "\n", var->name,
                             b.min > 0 ? b.min : 0, b.max);
    }
    if (!w->plan.is_static)
        rlxc_text_printf(h,
                         " * |arena|: %s_arena_bytes bytes, aligned to 8, which the call uses; the "
                         "function gives 0 for\n * sizes beyond their bounds. */\n"
                         "size_t %s_arena_bytes(%s);\n",
                         w->name, w->name, symbol_list(w, true));
    else if (w->plan.bytes)
        rlxc_text_printf(h,
                         " * It uses %" PRId64 " bytes of static memory: one call at a time. */\n",
                         w->plan.bytes);
    else
        rlxc_text_puts(h, " */\n");
    rlxc_text_printf(h, "int %s(%s);\n", w->name, s->n ? s->declared.data : "void");
}

static void arena(graph *w)
{
    const rlxc_c_plan *p = &w->plan;
    if (p->is_static) {
        check_symbols(w, rlxc_internf(w->ctx, "%s_E_SHAPE", w->m->macro));
        if (p->bytes)
            rlxc_cl_line(w->g, "unsigned char *const arena = %s_arena.bytes;", w->name);
        return;
    }
    rlxc_cl_line(w->g, "unsigned char *const arena = arena_start;");
    rlxc_cl_line(w->g, "int64_t at[%u];", 2 * p->parts.count);
    rlxc_cl_line(w->g, "const int64_t need = %s_plan(%s, at);", w->name, symbol_list(w, false));
    rlxc_cl_line(w->g, "if (need < 0)");
    rlxc_cl_line(w->g, "  return %s_E_SHAPE;", w->m->macro);
    rlxc_cl_line(w->g, "if ((uint64_t)need > arena_bytes || (uintptr_t)arena_start %% 8 != 0)");
    rlxc_cl_line(w->g, "  return %s_E_MEMORY;", w->m->macro);
}

void rlxc_c_function(rlxc_c_module *m, const rlxc_function *f)
{
    rlxc_context *ctx = m->ctx;
    rlxc_cl *g = &m->cl;
    graph w = {.m = m, .g = g, .ctx = ctx, .f = f, .text = {.ctx = ctx}};
    signature s = {.declared = {.ctx = ctx}, .doc = {.ctx = ctx}};
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
        set(&w, f->params[i],
            parameter(&w, &s, f->params[i]->sinfo, f->params[i]->name, f->params[i]->range));
        if (f->params[i]->sinfo)
            rlxc_sinfo_collect_vars(ctx, f->params[i]->sinfo, &w.symbols);
    }
    for (uint32_t i = 0; i < w.symbols.vars.count; i++) {
        const rlxc_expr *var = w.symbols.vars.items[i];
        if (!rlxc_map_get(&g->vars, rlxc_key(var)))
            rlxc_cl_bind(g, var, declare(&w, &s, "int64_t ", var->var.name, NULL), false);
    }
    results(&w, &s, f->ret, "out");
    if (m->apart)
        rlxc_text_printf(&s.declared, "%sconst void *weights", s.n++ ? ", " : "");
    const uint32_t weight_uses = m->weight_uses;
    find_tuples(&w, &s);
    rlxc_each_binding(&f->body, note_binding, &w);
    if (rlxc_failed(ctx))
        return;
    rlxc_c_lay_out(ctx, &w.plan, f, &w.symbols);
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
    body(&w, &f->body);
    const value result = of_atom(&w, f->body.result, f->body.result_range);
    if (!rlxc_failed(ctx))
        copy_results(&w, &s, &result, &next);
    rlxc_text_printf(&m->graph_text, "\nint %s(%s)\n{\n", w.name, s.n ? s.declared.data : "void");
    if (start.length)
        rlxc_text_add(&m->graph_text, start.data, start.length);
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
