/* Builtins that are a line of C, or none. Others become kernels (compiler/ops/device_forms.def). */
#include <string.h>

#include "compiler/codegen/c_graph.h"

static void fail_unless(rlxc_c_graph *w, const char *holds)
{
    rlxc_cl_line(w->g, "if (!(%s))", holds);
    rlxc_cl_line(w->g, "  return %s_E_VALUE;", w->m->macro);
}

static void assert_holds(rlxc_c_graph *w, const rlxc_binding *b)
{
    const rlxc_c_value v = rlxc_c_value_of(w, b->args[0], b->range);
    const rlxc_sinfo *type = rlxc_c_type_of(w, b->args[0]);
    const bool is_scalar = type && type->kind == RLXC_SINFO_TENSOR && type->ndim == 0;
    if (v.kind == RLXC_C_NUMBER || (v.kind == RLXC_C_TENSOR && is_scalar))
        fail_unless(w, rlxc_internf(w->ctx, "%s%s", is_scalar ? "*" : "", v.text));
    else
        rlxc_c_refuse(w, b->range, "a condition of several numbers");
    rlxc_c_set(w, b->var, (rlxc_c_value){.kind = RLXC_C_NOTHING});
}

static void same(rlxc_c_graph *w, const rlxc_binding *b)
{
    rlxc_c_set(w, b->var, rlxc_c_value_of(w, b->args[0], b->range));
}

static void check_number(rlxc_c_graph *w, const rlxc_binding *b)
{
    const rlxc_c_value x = rlxc_c_value_of(w, b->args[0], b->range),
                       low = rlxc_c_value_of(w, b->args[1], b->range),
                       high = rlxc_c_value_of(w, b->args[2], b->range);
    if (x.kind != RLXC_C_NUMBER || low.kind != RLXC_C_NUMBER || high.kind != RLXC_C_NUMBER)
        rlxc_c_refuse(w, b->range, "a check of a value that is not a number");
    else
        fail_unless(
            w, rlxc_internf(w->ctx, "%s >= %s && %s <= %s", x.text, low.text, x.text, high.text));
    rlxc_c_set(w, b->var, x);
}

static void check_nonzero(rlxc_c_graph *w, const rlxc_binding *b)
{
    const rlxc_c_value x = rlxc_c_value_of(w, b->args[0], b->range);
    if (x.kind != RLXC_C_NUMBER)
        rlxc_c_refuse(w, b->range, "a check of a value that is not a number");
    else
        fail_unless(w, rlxc_internf(w->ctx, "%s != 0", x.text));
    rlxc_c_set(w, b->var, x);
}

static void make_tuple(rlxc_c_graph *w, const rlxc_binding *b)
{
    const rlxc_atom tuple = rlxc_atom_tuple(w->ctx, b->args, b->n_args);
    rlxc_c_set(w, b->var, rlxc_c_value_of(w, tuple, b->range));
}

static void get_item(rlxc_c_graph *w, const rlxc_binding *b)
{
    const rlxc_c_value v = rlxc_c_value_of(w, b->args[0], b->range);
    int64_t at;
    if (v.kind == RLXC_C_TUPLE && b->args[1].kind == RLXC_ATOM_PRIM &&
        rlxc_is_int(b->args[1].prim, &at) && at >= 0 && at < v.n)
        rlxc_c_set(w, b->var, v.items[at]);
    else
        rlxc_c_refuse(w, b->range, "a tuple that is not known before");
}

/* The numbers are the dimensions that the shape has got as symbols. */
static void tensor_to_shape(rlxc_c_graph *w, const rlxc_binding *b)
{
    const rlxc_sinfo *s = rlxc_map_get(&w->types, rlxc_key(b->var));
    const char *from = rlxc_c_tensor(w, b->args[0], b->range);
    if (!s)
        rlxc_c_refuse(w, b->range, "a shape of unknown rank");
    for (int32_t i = 0; s && i < s->ndim; i++)
        rlxc_c_bind_inner(w, s->dims[i], NULL, rlxc_internf(w->ctx, "%s[%d]", from, i));
    rlxc_c_set(w, b->var, (rlxc_c_value){.kind = RLXC_C_NOTHING});
}

static void shape_to_tensor(rlxc_c_graph *w, const rlxc_binding *b)
{
    const rlxc_sinfo *s = rlxc_c_type_of(w, b->args[0]);
    const char *name = rlxc_cl_name(w->g, b->var->name);
    rlxc_text numbers = {.ctx = w->ctx};
    if (!s || !s->dims)
        rlxc_c_refuse(w, b->range, "a shape of unknown rank");
    for (int32_t i = 0; s && s->dims && i < s->ndim; i++)
        rlxc_text_printf(&numbers, "%s%s", i ? ", " : "",
                         rlxc_c_bare(w->g, rlxc_cl_index(w->g, s->dims[i])));
    rlxc_cl_line(w->g, "int64_t %s[] = {%s};", name, numbers.length ? numbers.data : "0");
    rlxc_c_local(w->g, name);
    rlxc_c_set(w, b->var, (rlxc_c_value){.kind = RLXC_C_TENSOR, .text = name});
}

bool rlxc_c_call_builtin(rlxc_c_graph *w, const rlxc_binding *b)
{
    static const struct {
        const char *name;
        uint32_t min_args;
        void (*emit)(rlxc_c_graph *w, const rlxc_binding *b);
    } rows[] = {
        {"rlx.assert", 1, assert_holds},
        {"relax.run.assert_op", 1, assert_holds},
        {"rlx.check_number", 3, check_number},
        {"rlx.check_nonzero", 1, check_nonzero},
        {"vm.builtin.copy", 1, same},
        {"vm.builtin.make_tuple", 0, make_tuple},
        {"vm.builtin.tuple_getitem", 2, get_item},
        {"rlx.tensor_to_shape", 1, tensor_to_shape},
        {"rlx.shape_to_tensor", 1, shape_to_tensor},
    };
    for (size_t i = 0; b->callee.kind == RLXC_ATOM_EXTERN && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, b->callee.text) == 0 && b->n_args >= rows[i].min_args) {
            rows[i].emit(w, b);
            return true;
        }
    return false;
}
