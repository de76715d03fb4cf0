/* Getters for types, symbolic integers and attributes. */
#include "compiler/api/handles.h"

#include "compiler/ir/op.h"
#include "compiler/ir/sym.h"
#include "compiler/script/script.h"

#include <string.h>

/* --- types ----------------------------------------------------------------------------------- */

rlx_ir_sinfo_kind rlx_ir_sinfo_get_kind(const rlx_ir_sinfo *s)
{
    if (s == NULL)
        return RLX_IR_SINFO_OBJECT;
    switch (of_sinfo(s)->kind) {
    case RLXC_SINFO_OBJECT:
        return RLX_IR_SINFO_OBJECT;
    case RLXC_SINFO_PRIM:
        return RLX_IR_SINFO_PRIM;
    case RLXC_SINFO_SHAPE:
        return RLX_IR_SINFO_SHAPE;
    case RLXC_SINFO_TENSOR:
        return RLX_IR_SINFO_TENSOR;
    case RLXC_SINFO_TUPLE:
        return RLX_IR_SINFO_TUPLE;
    case RLXC_SINFO_CALLABLE:
        return RLX_IR_SINFO_CALLABLE;
    }
    return RLX_IR_SINFO_OBJECT;
}

static bool is_kind(const rlx_ir_sinfo *s, rlxc_sinfo_kind kind)
{
    return s != NULL && of_sinfo(s)->kind == kind;
}

rlx_dtype rlx_ir_sinfo_dtype(const rlx_ir_sinfo *s)
{
    const bool has = is_kind(s, RLXC_SINFO_PRIM) || is_kind(s, RLXC_SINFO_TENSOR);
    return has && !rlxc_dtype_is_void(of_sinfo(s)->dtype) ? of_sinfo(s)->dtype
                                                          : (rlx_dtype){0, 0, 0};
}

int32_t rlx_ir_sinfo_rank(const rlx_ir_sinfo *s)
{
    return is_kind(s, RLXC_SINFO_SHAPE) || is_kind(s, RLXC_SINFO_TENSOR) ? of_sinfo(s)->ndim : -1;
}

const rlx_ir_expr *rlx_ir_sinfo_dim(const rlx_ir_sinfo *s, uint32_t i)
{
    if (is_kind(s, RLXC_SINFO_PRIM) && i == 0)
        return to_expr(of_sinfo(s)->value);
    const int32_t rank = rlx_ir_sinfo_rank(s);
    return rank > 0 && i < (uint32_t)rank && of_sinfo(s)->dims != NULL
               ? to_expr(of_sinfo(s)->dims[i])
               : NULL;
}

uint32_t rlx_ir_sinfo_field_count(const rlx_ir_sinfo *s)
{
    return is_kind(s, RLXC_SINFO_TUPLE) || is_kind(s, RLXC_SINFO_CALLABLE) ? of_sinfo(s)->n_fields
                                                                           : 0;
}

const rlx_ir_sinfo *rlx_ir_sinfo_field(const rlx_ir_sinfo *s, uint32_t i)
{
    return i < rlx_ir_sinfo_field_count(s) ? to_sinfo(of_sinfo(s)->fields[i]) : NULL;
}

const rlx_ir_sinfo *rlx_ir_sinfo_result(const rlx_ir_sinfo *s)
{
    return is_kind(s, RLXC_SINFO_CALLABLE) ? to_sinfo(of_sinfo(s)->ret) : NULL;
}

const char *rlx_ir_sinfo_text(rlx_compiler *c, const rlx_ir_sinfo *s)
{
    return c != NULL ? rlxc_sinfo_text(c->ctx, of_sinfo(s)) : "";
}

const char *rlx_ir_prim_text(rlx_ir_module *m, const rlx_ir_prim *f)
{
    const char *text =
        m != NULL && f != NULL ? rlxc_print_prim_func(m->compiler->ctx, of_prim(f)) : NULL;
    return text != NULL ? text : "";
}

/* --- symbolic integers ----------------------------------------------------------------------- */

const char *rlx_ir_expr_text(rlx_compiler *c, const rlx_ir_expr *e)
{
    return c != NULL && e != NULL ? rlxc_print_dim(c->ctx, of_expr(e)) : "";
}

bool rlx_ir_expr_constant(const rlx_ir_expr *e, int64_t *out)
{
    if (e == NULL || out == NULL || of_expr(e)->kind != RLXC_EXPR_INT)
        return false;
    *out = of_expr(e)->i;
    return true;
}

/* The position of |name| in |names|; n: not there. */
static uint32_t position(const char *name, const char *const *names, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && (names[i] == NULL || strcmp(names[i], name) != 0))
        i++;
    return i;
}

rlx_status rlx_ir_expr_evaluate(rlx_compiler *c, const rlx_ir_expr *e, const char *const *names,
                                const int64_t *values, uint32_t n, int64_t *out, rlx_error *err)
{
    rlxc_api_call call;
    if (e == NULL || out == NULL || (n > 0 && (names == NULL || values == NULL)))
        return rlx_fail(err, RLX_E_INVALID_ARG, "e, out, names or values is NULL");
    RLX_TRY(rlxc_api_begin(c, &call, err));
    rlxc_var_list vars = {{NULL, 0, 0}};
    rlxc_collect_vars(c->ctx, of_expr(e), &vars);
    int64_t *given = rlxc_try_alloc(c->ctx, (size_t)vars.vars.count + 1, sizeof *given);
    RLX_TRY(rlxc_api_end(&call, true, RLX_E_INTERNAL, err));
    for (uint32_t i = 0; i < vars.vars.count; i++) {
        const char *name = vars.vars.items[i]->var.name;
        const uint32_t at = position(name, names, n);
        if (at == n)
            return rlx_fail(err, RLX_E_NOT_FOUND, "variable '%s' has no value", name);
        given[i] = values[at];
    }
    if (!rlxc_evaluate(c->ctx, of_expr(e), vars.vars.items, given, vars.vars.count, out))
        return rlx_fail(err, RLX_E_SHAPE, "%s has no value: overflow or division by zero",
                        rlx_ir_expr_text(c, e));
    return RLX_OK;
}

/* --- attributes ------------------------------------------------------------------------------ */

bool rlx_ir_attr_int(const rlx_ir_attr *a, int64_t *out)
{
    return a != NULL && out != NULL && rlxc_attr_as_int(of_attr(a), out);
}

bool rlx_ir_attr_float(const rlx_ir_attr *a, double *out)
{
    return a != NULL && out != NULL && rlxc_attr_as_number(of_attr(a), out);
}

const char *rlx_ir_attr_string(const rlx_ir_attr *a)
{
    return a != NULL && of_attr(a)->kind == RLXC_ATTR_STRING ? of_attr(a)->s : NULL;
}

uint32_t rlx_ir_attr_count(const rlx_ir_attr *a)
{
    return a != NULL && (of_attr(a)->kind == RLXC_ATTR_LIST || of_attr(a)->kind == RLXC_ATTR_DICT)
               ? of_attr(a)->list.count
               : 0;
}

const rlx_ir_attr *rlx_ir_attr_item(const rlx_ir_attr *a, uint32_t i, const char **out_key)
{
    if (i >= rlx_ir_attr_count(a))
        return NULL;
    if (out_key != NULL)
        *out_key = of_attr(a)->kind == RLXC_ATTR_DICT ? of_attr(a)->list.keys[i] : NULL;
    return to_attr(&of_attr(a)->list.items[i]);
}

const char *rlx_ir_attr_text(rlx_compiler *c, const rlx_ir_attr *a)
{
    return c != NULL && a != NULL ? rlxc_print_attr_text(c->ctx, of_attr(a)) : "";
}
