/* The parameters of a Relax function in C, and its results: pointers into which they are computed.
 */
#include <string.h>

#include "compiler/codegen/c_graph.h"

const char *rlxc_c_declare(rlxc_c_graph *w, rlxc_c_signature *s, const char *type, const char *hint,
                           const char *doc)
{
    const char *name = rlxc_cl_name(w->g, hint);
    rlxc_text_printf(&s->declared, "%s%s%s", s->n++ ? ", " : "", type, name);
    RLXC_PUSH(w->ctx, &s->names, name);
    if (doc)
        rlxc_text_printf(&s->doc, " *   %s: %s\n", name, doc);
    return name;
}

rlxc_c_value rlxc_c_parameter(rlxc_c_graph *w, rlxc_c_signature *s, const rlxc_sinfo *type,
                              const char *name, rlxc_range range)
{
    rlxc_cl *g = w->g;
    rlxc_c_value v = {.kind = RLXC_C_NOTHING};
    const char *why;
    if (type && type->kind == RLXC_SINFO_TUPLE) {
        rlxc_c_value *items = rlxc_alloc(w->ctx, ((size_t)type->n_fields + 1) * sizeof *items);
        for (uint32_t i = 0; i < type->n_fields; i++)
            items[i] = rlxc_c_parameter(w, s, type->fields[i],
                                        rlxc_internf(w->ctx, "%s_%u", name, i), range);
        return (rlxc_c_value){.kind = RLXC_C_TUPLE, .items = items, .n = type->n_fields};
    }
    if (type && type->kind == RLXC_SINFO_TENSOR && type->dims) {
        why = rlxc_cl_lacks_type(g->target, type->dtype);
        if (why)
            rlxc_error(w->ctx, range, "%s: parameter %s: %s", w->f->name, name, why);
        v.kind = RLXC_C_TENSOR;
        v.is_const = true;
        v.text = rlxc_c_declare(
            w, s, rlxc_internf(w->ctx, "const %s *", rlxc_cl_memory_type(g, type->dtype)), name,
            rlxc_sinfo_text(w->ctx, type));
        return v;
    }
    if (type && type->kind == RLXC_SINFO_PRIM) {
        v.kind = RLXC_C_NUMBER;
        v.text = rlxc_c_declare(w, s, rlxc_internf(w->ctx, "%s ", rlxc_cl_type(g, type->dtype)),
                                name, rlxc_sinfo_text(w->ctx, type));
        if (type->value && type->value->kind == RLXC_EXPR_VAR)
            rlxc_cl_bind(g, type->value, v.text, false);
        return v;
    }
    if (type && type->kind == RLXC_SINFO_SHAPE && type->dims)
        rlxc_text_printf(&s->doc, " *   %s: %s, which its symbols give\n", name,
                         rlxc_sinfo_text(w->ctx, type));
    else
        rlxc_c_refuse(w, range, rlxc_internf(w->ctx, "parameter %s", name));
    return v;
}

/* What the result of |type| points to: elements, the numbers of a shape, or a number. NULL after a
 * diagnostic. */
static const char *result_type(rlxc_c_graph *w, const rlxc_sinfo *type)
{
    const char *why = "the result is neither a number nor a tensor or shape of known rank";
    if (type && (type->kind == RLXC_SINFO_TENSOR || type->kind == RLXC_SINFO_SHAPE) &&
        type->ndim >= 0) {
        const rlx_dtype t = type->kind == RLXC_SINFO_TENSOR ? type->dtype : RLX_I64;
        why = rlxc_cl_lacks_type(w->g->target, t);
        if (!why)
            return rlxc_cl_memory_type(w->g, t);
    } else if (type && type->kind == RLXC_SINFO_PRIM) {
        return rlxc_cl_type(w->g, type->dtype);
    }
    if (!rlxc_failed(w->ctx))
        rlxc_error(w->ctx, w->f->range, "%s: C: %s", w->f->name, why);
    return NULL;
}

/* True if it is known what |dims| are. */
static bool are_known(rlxc_c_graph *w, const rlxc_expr *const *dims, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (!rlxc_c_is_known(w, dims[i]))
            return false;
    return true;
}

void rlxc_c_results(rlxc_c_graph *w, rlxc_c_signature *s, const rlxc_sinfo *type, const char *name)
{
    if (type && type->kind == RLXC_SINFO_TUPLE) {
        for (uint32_t i = 0; i < type->n_fields; i++)
            rlxc_c_results(w, s, type->fields[i], rlxc_internf(w->ctx, "%s_%u", name, i));
        return;
    }
    const char *to = result_type(w, type);
    if (!to)
        return;
    const char *declared =
        rlxc_c_declare(w, s, rlxc_internf(w->ctx, "%s *", to), name,
                       rlxc_internf(w->ctx, "result, %s", rlxc_sinfo_text(w->ctx, type)));
    rlxc_c_result result = {.name = declared, .type = type};
    if (type->kind == RLXC_SINFO_TENSOR &&
        !(type->dims && are_known(w, type->dims, type->ndim))) { /* by the caller */
        result.room =
            rlxc_c_declare(w, s, "int64_t ", rlxc_internf(w->ctx, "%s_room", name),
                           rlxc_internf(w->ctx, "the number of elements that fit in %s", declared));
        result.shape = rlxc_c_declare(
            w, s, "int64_t *", rlxc_internf(w->ctx, "%s_shape", name),
            rlxc_internf(w->ctx, "gets the shape of %s, of rank %d", declared, (int)type->ndim));
    }
    RLXC_PUSH(w->ctx, &s->results, result);
}

/* Results that a value of |type| gives. */
static uint32_t count_results(const rlxc_sinfo *type)
{
    uint32_t n = 0;
    if (!type || type->kind != RLXC_SINFO_TUPLE)
        return 1;
    for (uint32_t i = 0; i < type->n_fields; i++)
        n += count_results(type->fields[i]);
    return n;
}

static void find_direct(rlxc_c_graph *w, const rlxc_c_signature *s, rlxc_atom atom,
                        uint32_t *io_next)
{
    if (atom.kind == RLXC_ATOM_TUPLE) {
        for (uint32_t i = 0; i < atom.n; i++)
            find_direct(w, s, atom.items[i], io_next);
        return;
    }
    const rlxc_sinfo *type = rlxc_c_type_of(w, atom);
    const uint32_t i = *io_next;
    *io_next += count_results(type);
    if (atom.kind == RLXC_ATOM_VAR && type && type->kind == RLXC_SINFO_TENSOR &&
        i < s->results.count && !s->results.items[i].room &&
        !rlxc_map_get(&w->direct, rlxc_key(atom.var)))
        rlxc_map_set(w->ctx, &w->direct, rlxc_key(atom.var),
                     (void *)(uintptr_t)s->results.items[i].name);
}

void rlxc_c_find_direct(rlxc_c_graph *w, const rlxc_c_signature *s)
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

/* The dimensions of a result whose type does not say them, and whether there is room for it. */
static void write_shape(rlxc_c_graph *w, const rlxc_c_result *r, const rlxc_sinfo *type)
{
    const rlxc_expr *count =
        rlxc_canonical(w->ctx, rlxc_product(w->ctx, type->dims, (uint32_t)type->ndim), NULL);
    const char *text = rlxc_c_body_size(w, count);
    for (int32_t i = 0; i < type->ndim; i++)
        rlxc_cl_line(w->g, "%s[%d] = %s;", r->shape, i,
                     rlxc_c_bare(w->g, rlxc_cl_index(w->g, type->dims[i])));
    rlxc_cl_line(w->g, "if (%s > %s)", rlxc_c_bare(w->g, text), r->room);
    rlxc_cl_line(w->g, "  return %s_E_MEMORY;", w->m->macro);
}

static void write_result(rlxc_c_graph *w, const rlxc_c_result *r, const rlxc_c_value *v)
{
    const rlxc_sinfo *t = r->type->kind == RLXC_SINFO_PRIM || r->type->dims ? r->type : v->type;
    const bool has_dims =
        t && t->kind == r->type->kind && t->dims && are_known(w, t->dims, t->ndim);
    if (r->type->kind == RLXC_SINFO_SHAPE && has_dims) {
        for (int32_t i = 0; i < t->ndim; i++)
            rlxc_cl_line(w->g, "%s[%d] = %s;", r->name, i, rlxc_cl_index(w->g, t->dims[i]));
    } else if (r->type->kind == RLXC_SINFO_PRIM && v->kind == RLXC_C_NUMBER) {
        rlxc_cl_line(w->g, "*%s = (%s)%s;", r->name, rlxc_cl_type(w->g, t->dtype), v->text);
    } else if (r->type->kind == RLXC_SINFO_TENSOR && v->kind == RLXC_C_TENSOR && has_dims) {
        const rlxc_expr *bytes = rlxc_extents_bytes(w->ctx, t->dtype, t->dims, (uint32_t)t->ndim);
        if (r->room)
            write_shape(w, r, t);
        if (strcmp(v->text, r->name) != 0)
            rlxc_cl_line(w->g, "memcpy(%s, %s, (size_t)%s);", r->name, v->text,
                         rlxc_cl_index(w->g, rlxc_canonical(w->ctx, bytes, &w->plan.bounds)));
    } else {
        rlxc_c_refuse(w, w->f->body.result_range, "a result that is not known before");
    }
}

void rlxc_c_copy_results(rlxc_c_graph *w, const rlxc_c_signature *s, const rlxc_c_value *v,
                         uint32_t *io_next)
{
    if (v->kind == RLXC_C_TUPLE) {
        for (uint32_t i = 0; i < v->n; i++)
            rlxc_c_copy_results(w, s, &v->items[i], io_next);
        return;
    }
    const uint32_t i = (*io_next)++;
    if (i < s->results.count)
        write_result(w, &s->results.items[i], v);
    else
        rlxc_c_refuse(w, w->f->body.result_range, "more results than the function states");
}
