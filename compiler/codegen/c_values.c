/* The values of a Relax function in C: the expression for each variable, and the location of its
   memory. */
#include <inttypes.h>
#include <string.h>

#include "compiler/codegen/c_graph.h"

void rlxc_c_refuse(rlxc_c_graph *w, rlxc_range range, const char *what)
{
    if (!rlxc_failed(w->ctx))
        rlxc_error(w->ctx, range, "%s: C has no form of %s", w->f->name, what);
}

rlxc_c_value *rlxc_c_set(rlxc_c_graph *w, const rlxc_rvar *var, rlxc_c_value v)
{
    const rlxc_sinfo *type = rlxc_c_type_of(w, rlxc_atom_var((rlxc_rvar *)(uintptr_t)var));
    rlxc_c_value *row = rlxc_copy(w->ctx, &v, sizeof v);
    if (!row->type || (type && type->dims))
        row->type = type;
    rlxc_map_set(w->ctx, &w->values, rlxc_key(var), row);
    return row;
}

rlxc_c_value rlxc_c_value_of(rlxc_c_graph *w, rlxc_atom atom, rlxc_range range)
{
    rlxc_c_value v = {.kind = RLXC_C_NOTHING};
    if (atom.kind == RLXC_ATOM_VAR) {
        const rlxc_c_value *known = rlxc_map_get(&w->values, rlxc_key(atom.var));
        if (known)
            return *known;
        rlxc_c_refuse(w, range, rlxc_internf(w->ctx, "the value of %s", atom.var->name));
    } else if (atom.kind == RLXC_ATOM_CONSTANT) {
        v = (rlxc_c_value){
            .kind = RLXC_C_TENSOR, .text = rlxc_c_constant(w->m, atom.constant), .is_const = true};
    } else if (atom.kind == RLXC_ATOM_PRIM) {
        v = (rlxc_c_value){.kind = RLXC_C_NUMBER, .text = rlxc_cl_expr(w->g, atom.prim)};
    } else if (atom.kind == RLXC_ATOM_TUPLE) {
        rlxc_c_value *items = rlxc_alloc(w->ctx, ((size_t)atom.n + 1) * sizeof *items);
        for (uint32_t i = 0; i < atom.n; i++)
            items[i] = rlxc_c_value_of(w, atom.items[i], range);
        v = (rlxc_c_value){.kind = RLXC_C_TUPLE, .items = items, .n = atom.n};
    }
    v.type = v.kind == RLXC_C_TUPLE ? NULL : rlxc_c_type_of(w, atom);
    return v;
}

const char *rlxc_c_tensor(rlxc_c_graph *w, rlxc_atom atom, rlxc_range range)
{
    const rlxc_c_value v = rlxc_c_value_of(w, atom, range);
    if (v.kind == RLXC_C_TENSOR)
        return v.text;
    rlxc_c_refuse(w, range, "an operand that is not a tensor");
    return "0";
}

const rlxc_sinfo *rlxc_c_type_of(rlxc_c_graph *w, rlxc_atom atom)
{
    const rlxc_sinfo *type =
        atom.kind == RLXC_ATOM_VAR ? rlxc_map_get(&w->types, rlxc_key(atom.var)) : NULL;
    return type ? type : rlxc_atom_sinfo(w->ctx, w->m->module, atom);
}

void rlxc_c_define(rlxc_c_graph *w, const rlxc_binding *b, const char *at, bool is_const)
{
    const rlxc_sinfo *s = b->var->sinfo;
    const char *type = rlxc_cl_memory_type(w->g, s->dtype),
               *name = rlxc_cl_name(w->g, b->var->name);
    const char *c = is_const ? "const " : "";
    rlxc_cl_line(w->g, "%s%s *const %s = (%s%s *)%s%s;", c, type, name, c, type,
                 is_const ? "(const void *)" : "(void *)", at);
    rlxc_c_set(w, b->var,
               (rlxc_c_value){.kind = RLXC_C_TENSOR, .text = name, .is_const = is_const});
}

const char *rlxc_c_part_text(rlxc_c_graph *w, uint32_t part)
{
    const rlxc_c_part *p = &w->plan.parts.items[part];
    if (p->is_late)
        return p->at;
    if (w->m->pools.n > 0)
        return rlxc_internf(w->ctx, "((unsigned char *)%s + %" PRId64 ")", w->pools[p->pool],
                            p->offset);
    return w->plan.is_static ? rlxc_internf(w->ctx, "(arena + %" PRId64 ")", p->offset)
                             : rlxc_internf(w->ctx, "(arena + at[%u])", part);
}
