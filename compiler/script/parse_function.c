/* Relax functions: the types of their signature, and adding the finished function to the module, or
 * as a binding to the enclosing function. */
#include "compiler/script/parse.h"

static bool parse_signature(rlxc_parser *p, rlxc_function *f, const rlxc_parameters *params,
                            const rlxc_py *ret)
{
    bool ok = true, declare = p->declare;
    p->declare = true;
    for (uint32_t i = 0; i < params->symbols.count; i++)
        rlxc_parse_declare_symbol(p, params->symbols.items[i], RLX_I64);
    f->params = rlxc_try_alloc(p->ctx, (size_t)params->list.count + 1, sizeof *f->params);
    for (uint32_t i = 0; f->params && i < params->list.count; i++) {
        const rlxc_parameter *param = &params->list.items[i];
        const rlxc_sinfo *s =
            param->annotation ? rlxc_parse_sinfo(p, param->annotation) : rlxc_sinfo_object(p->ctx);
        ok &= s != NULL;
        rlx_dtype scalar;
        if (s && param->annotation && rlxc_parse_scalar_type(p, param->annotation, &scalar) &&
            rlxc_dtype_eq(scalar, RLX_I64)) { /* n: T.int64 is a symbol as well */
            rlxc_parse_declare_symbol(p, param->name, RLX_I64);
            const rlxc_name *symbol = rlxc_names_find(&p->symbols, param->name);
            s = rlxc_sinfo_prim(p->ctx, RLX_I64, symbol ? symbol->expr : NULL);
        }
        rlxc_rvar *v = rlxc_rvar_new(p->ctx, f, param->name, s);
        v->annotation = s;
        v->range = param->range;
        f->params[f->n_params++] = v;
    }
    if (ret && !(f->ret = rlxc_parse_sinfo(p, ret)))
        ok = false;
    p->declare = declare;
    return ok && f->params;
}

bool rlxc_parse_function(rlxc_parser *p, rlxc_range start, bool is_private, bool is_pure)
{
    rlxc_parameters params = {0};
    const rlxc_py *ret;
    uint32_t errors = rlxc_error_count(p->ctx);
    rlxc_function *f = rlxc_alloc(p->ctx, sizeof *f);
    rlxc_binding *binding = NULL;
    rlxc_py_next(&p->py);
    rlxc_py_reset(&p->py);
    p->py.depth = 0;
    if (!p->function)
        rlxc_parse_find_signs(p);
    rlxc_range name_range = p->py.token.range;
    if (!(f->name = rlxc_py_expect_name(&p->py, "the function's name")) ||
        !rlxc_parse_enter(p, name_range)) {
        rlxc_py_skip(&p->py);
        return false;
    }
    f->parent = p->function;
    f->is_private = is_private;
    f->is_pure = is_pure;
    rlxc_parse_find_declared(p);
    if (!rlxc_parse_header(p, &params, &ret)) {
        rlxc_py_skip(&p->py);
        rlxc_parse_leave(p);
        return false;
    }
    f->range = rlxc_py_range_to_here(&p->py, start);
    if (f->parent) { /* known inside its own body: recursion */
        binding = rlxc_binding_new(p->ctx, RLXC_FORM_FUNCTION, NULL);
        binding->var = rlxc_rvar_new(p->ctx, p->function, f->name, NULL);
        binding->var->range = name_range;
        binding->function = f;
        binding->range = f->range;
        rlxc_names_define(p->ctx, &p->names, f->name, RLXC_NAME_RVAR)->rvar = binding->var;
    }
    uint32_t names = rlxc_names_mark(&p->names), symbols = rlxc_names_mark(&p->symbols);
    parse_signature(p, f, &params, ret);
    if (binding)
        binding->var->sinfo = rlxc_function_sinfo(p->ctx, f);
    rlxc_parse_body(p, f);
    rlxc_names_restore(p->ctx, &p->names, names);
    rlxc_names_restore(p->ctx, &p->symbols, symbols);
    rlxc_parse_leave(p);
    if (!f->parent)
        p->dtypes.count = 0;
    if (rlxc_error_count(p->ctx) > errors)
        return false;
    if (binding) {
        rlxc_parse_emit(p, binding, f->name);
        return true;
    }
    if (rlxc_module_add_relax(p->ctx, p->module, f, false))
        return true;
    rlxc_error(p->ctx, name_range, "function '%s' is defined twice", f->name);
    return false;
}
