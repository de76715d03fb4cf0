/* Relax functions -> bytecode: the module level (emit.h lists the other files).
 *
 * Functions are declared first, in module order, so that calls may go forward; kernels, imports and
 * constants get their rows when first used. Slots 0.. of a function are the symbols of its
 * signature, bound by the parameters' types; a lone symbol's first occurrence binds it, every other
 * dimension is an expression to check. PrimFuncs that nothing calls get no row. */
#include "compiler/codegen/emit.h"
#include "compiler/analysis/layout.h"
#include "compiler/ir/device.h"
#include "compiler/ir/names.h"

#include <string.h>

bool rlxc_bc_ok(rlxc_bc_module *m, rlxc_range range, rlx_status status, const rlx_error *err)
{
    if (status == RLX_OK)
        return true;
    if (status == RLX_E_NOMEM)
        rlxc_set_out_of_memory(m->ctx);
    else if (!m->failed && status == RLX_E_LIMIT)
        rlxc_error(m->ctx, range, "%s", err->message);
    else if (!m->failed)
        rlxc_internal(m->ctx, range, "emit_bytecode", "%s: %s", rlx_status_name(status),
                      err->message);
    m->failed = true;
    return false;
}

bool rlxc_bc_fits(rlxc_bc_module *m, size_t n, const char *what, rlxc_range range)
{
    if (n <= RLXC_BC_MAX_ITEMS)
        return true;
    if (!m->failed)
        rlxc_error(m->ctx, range, "%zu %s; the limit is %d", n, what, RLXC_BC_MAX_ITEMS);
    m->failed = true;
    return false;
}

void rlxc_bc_op(rlxc_bc_function *fn, rlx_opcode op, const uint32_t *operands, uint32_t n)
{
    rlx_error err = {0};
    if (!fn->m->failed && !fn->ended)
        rlxc_bc_ok(fn->m, fn->range, rlx_exec_builder_emit(fn->m->builder, op, operands, n, &err),
                   &err);
}

uint32_t rlxc_bc_import(rlxc_bc_module *m, const char *builtin, rlxc_range range)
{
    uint32_t index = 0;
    rlx_error err = {0};
    if (!m->failed)
        rlxc_bc_ok(m, range,
                   rlx_exec_builder_import(m->builder, rlx_str_from(builtin), &index, &err), &err);
    return index;
}

/* --- kernels --------------------------------------------------------------------------------- */

typedef struct store_search {
    const rlxc_prim_func *f;
    bool *written; /* by parameter */
} store_search;

static bool find_stores(void *user, const rlxc_stmt *s)
{
    store_search *search = user;
    if (s->kind != RLXC_STMT_STORE)
        return true;
    for (uint32_t i = 0; i < search->f->n_params; i++) {
        const rlxc_buffer *buffer = search->f->params[i].buffer;
        if (buffer && (buffer == s->store.buffer || buffer->data == s->store.buffer->data))
            search->written[i] = true;
    }
    return true;
}

static void add_kernel(rlxc_bc_module *m, rlxc_bc_kernel *k, rlxc_range range)
{
    const rlxc_prim_func *f = k->f;
    rlxc_bc_symbols symbols = {0};
    for (uint32_t i = 0; i < k->n_dims; i++)
        rlxc_map_set(m->ctx, &symbols.slots, rlxc_key(k->dims[i]), (void *)(uintptr_t)(i + 1));
    size_t capacity = (size_t)f->n_params + 1;
    rlx_kernel_param *params = rlxc_alloc(m->ctx, capacity * sizeof *params);
    store_search stores = {f, rlxc_alloc(m->ctx, capacity * sizeof(bool))};
    if (f->body)
        rlxc_stmt_visit(f->body, find_stores, &stores);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        const rlxc_buffer *buffer = f->params[i].buffer;
        if (!buffer) {
            if (rlxc_dtype_is_handle(f->params[i].var->dtype)) {
                rlxc_error(m->ctx, f->range.line ? f->range : range,
                           "PrimFunc '%s': handle '%s' is never matched to a buffer", f->name,
                           f->params[i].var->var.name);
                m->failed = true;
            }
            continue;
        }
        const rlxc_sinfo *t =
            rlxc_sinfo_tensor(m->ctx, buffer->dtype, (int32_t)buffer->ndim, buffer->shape, NULL);
        params[n].type = rlxc_bc_type(m, &symbols, t, NULL, false, f->range);
        params[n++].is_output = stores.written[i];
    }
    rlx_error err = {0};
    if (!m->failed)
        rlxc_bc_ok(m, range,
                   rlx_exec_builder_kernel(m->builder, rlx_str_from(f->name),
                                           rlx_str_from(rlxc_kernel_symbol(m->ctx, f)), k->n_dims,
                                           params, n, &k->index, &err),
                   &err);
    if (rlxc_prim_is_device(f))
        rlxc_bc_launches(m, k, &symbols, range);
}

const rlxc_bc_kernel *rlxc_bc_kernel_of(rlxc_bc_module *m, const rlxc_prim_func *f,
                                        rlxc_range range)
{
    rlxc_bc_kernel *k = rlxc_map_get(&m->kernels, rlxc_key(f));
    if (k)
        return k;
    k = rlxc_alloc(m->ctx, sizeof *k);
    k->f = f;
    rlxc_prim_func_dims(m->ctx, f, &k->dims, &k->n_dims);
    rlxc_map_set(m->ctx, &m->kernels, rlxc_key(f), k);
    if (rlxc_bc_fits(m, f->n_params, "parameters of a PrimFunc", f->range) &&
        rlxc_bc_fits(m, k->n_dims, "symbols of a PrimFunc", f->range))
        add_kernel(m, k, range);
    return k;
}

/* --- functions ------------------------------------------------------------------------------- */

void rlxc_bc_check(rlxc_bc_function *fn, const rlxc_expr *holds, const char *message)
{
    rlxc_bc_module *m = fn->m;
    uint32_t text = 0;
    rlx_error err = {0};
    if (!m->failed)
        rlxc_bc_ok(m, fn->range,
                   rlx_exec_builder_const_string(m->builder, rlx_str_from(message), &text, &err),
                   &err);
    RLXC_BC_EMIT(fn, RLX_OP_CHECK, rlxc_bc_expr(m, &fn->symbols, holds, fn->range), text);
}

/* Fails the call unless |symbol| is at least (or at most) |value|. */
static void check_bound(rlxc_bc_function *fn, const rlxc_expr *symbol, bool upper, int64_t value)
{
    const rlxc_expr *limit = rlxc_int(fn->ctx, symbol->dtype, value);
    const rlxc_expr *holds =
        rlxc_binary(fn->ctx, upper ? RLXC_EXPR_LE : RLXC_EXPR_GE, symbol, limit);
    rlxc_bc_check(fn, holds,
                  rlxc_internf(fn->ctx, "%s bound of symbol %s", upper ? "upper" : "lower",
                               rlxc_given_name(fn->ctx, fn->f, RLXC_DIM_NAMES, symbol->var.name)));
}

/* Checks the bounds that the function's attributes state for the symbols of its signature: the
 * memory plan relies on them. */
static void check_bounds(rlxc_bc_function *fn, const rlxc_var_list *bound)
{
    static const char *const keys[2] = {"tir_var_lower_bound", "tir_var_upper_bound"};
    for (int k = 0; k < 2; k++) {
        const rlxc_attr *dict = rlxc_attrs_find(&fn->f->attrs, keys[k]);
        for (uint32_t i = 0; dict && dict->kind == RLXC_ATTR_DICT && i < dict->list.count; i++) {
            int64_t value;
            for (uint32_t v = 0; v < bound->vars.count; v++)
                if (strcmp(bound->vars.items[v]->var.name, dict->list.keys[i]) == 0 &&
                    rlxc_attr_as_int(&dict->list.items[i], &value) && (k == 1 || value > 0))
                    check_bound(fn, bound->vars.items[v], k == 1, value);
        }
    }
}

/* Names of all results, or none. */
static bool name_results(rlxc_bc_module *m, const rlxc_function *f)
{
    const rlxc_attr *names = rlxc_attrs_find(&f->attrs, RLXC_RESULT_NAMES);
    const bool is_tuple = f->ret && f->ret->kind == RLXC_SINFO_TUPLE;
    const uint32_t n = is_tuple ? f->ret->n_fields : 1;
    const bool stated = names && names->kind == RLXC_ATTR_LIST;
    if (stated && names->list.count != n) {
        rlxc_error(m->ctx, f->range, "attribute '%s' has %u names, the function has %u results",
                   RLXC_RESULT_NAMES, names->list.count, n);
        return false;
    }
    const bool fields = !stated && f->n_result_names == 1 && f->one_result && is_tuple;
    if (!stated && f->n_result_names != n && !fields)
        return true;
    for (uint32_t i = 0; i < n; i++) {
        const char *name = "";
        if (fields)
            name = rlxc_internf(m->ctx, "%s.%u", f->result_names[0], i);
        else if (!stated)
            name = f->result_names[i];
        else if (names->list.items[i].kind == RLXC_ATTR_STRING)
            name = names->list.items[i].s;
        rlx_error err = {0};
        if (!rlxc_bc_ok(m, f->range,
                        rlx_exec_builder_result_name(m->builder, rlx_str_from(name), &err), &err))
            return false;
    }
    return true;
}

static bool begin_function(rlxc_bc_function *fn, uint32_t index)
{
    const rlxc_function *f = fn->f;
    rlxc_bc_module *m = fn->m;
    rlx_param *params = rlxc_try_alloc(m->ctx, (size_t)f->n_params + 1, sizeof *params);
    if (!params || !rlxc_bc_fits(m, f->n_params, "parameters", f->range))
        return false;
    rlxc_var_list bound = {0};
    for (uint32_t i = 0; i < f->n_params; i++)
        rlxc_bc_bind_symbols(fn, f->params[i]->sinfo, &bound);
    rlxc_map binds = {0};
    for (uint32_t i = 0; i < bound.vars.count; i++)
        rlxc_map_set(m->ctx, &binds, rlxc_key(bound.vars.items[i]), fn);
    for (uint32_t i = 0; i < f->n_params; i++) {
        params[i].name =
            rlx_str_from(rlxc_given_name(m->ctx, f, RLXC_PARAM_NAMES, f->params[i]->name));
        params[i].type = rlxc_bc_type(m, &fn->symbols, f->params[i]->sinfo, &binds, false,
                                      f->params[i]->range.line ? f->params[i]->range : f->range);
        fn->reg[f->params[i]->id] = i + 1;
    }
    uint32_t result = rlxc_bc_type(m, &fn->symbols, f->ret ? f->ret : rlxc_sinfo_object(m->ctx),
                                   NULL, true, f->range);
    fn->n_regs = f->n_params;
    rlx_error err = {0};
    if (m->failed || !rlxc_bc_ok(m, f->range,
                                 rlx_exec_builder_begin(m->builder, index, params, f->n_params,
                                                        result, fn->n_slots, &err),
                                 &err))
        return false;
    if (!f->is_private && !name_results(m, f))
        return false;
    for (uint32_t i = 0; i < bound.vars.count; i++) {
        const char *name = bound.vars.items[i]->var.name;
        const rlx_str given = rlx_str_from(rlxc_given_name(m->ctx, f, RLXC_DIM_NAMES, name));
        if (!rlxc_bc_ok(m, f->range, rlx_exec_builder_slot_name(m->builder, i, given, &err), &err))
            return false;
    }
    for (uint32_t i = 0; i < f->n_params; i++) {
        const rlxc_range range = f->params[i]->range;
        const char *base = rlxc_file_base(m->ctx, range.file);
        if (range.line != 0 &&
            !rlxc_bc_ok(m, range,
                        rlx_exec_builder_param_location(m->builder, i, rlx_str_from(base),
                                                        range.line, range.col, &err),
                        &err))
            return false;
    }
    rlxc_bc_locate(fn, f->range, f->name);
    check_bounds(fn, &bound);
    return true;
}

static bool emit_function(rlxc_bc_module *m, const rlxc_function *f, uint32_t index)
{
    rlxc_bc_function fn = {.m = m, .ctx = m->ctx, .f = f, .n_vars = f->n_vars, .range = f->range};
    fn.reg = rlxc_try_alloc(m->ctx, (size_t)f->n_vars + 1, sizeof *fn.reg);
    fn.depth = rlxc_try_alloc(m->ctx, (size_t)f->n_vars + 1, sizeof *fn.depth);
    fn.places = rlxc_try_alloc(m->ctx, (size_t)f->n_vars + 1, sizeof *fn.places);
    fn.uses = rlxc_count_uses(m->ctx, f);
    fn.planned_of = rlxc_try_alloc(m->ctx, (size_t)f->n_vars + 1, sizeof(rlxc_bc_planned *));
    if (!fn.places || !fn.planned_of || !fn.reg || !fn.depth || !fn.uses ||
        !begin_function(&fn, index))
        return false;
    rlxc_bc_enter_devices(&fn);
    rlxc_bc_plan_entry(&fn);
    rlxc_bc_body(&fn, &f->body, true);
    fn.range = f->body.result_range.line ? f->body.result_range : f->range;
    if (!fn.ended && rlxc_bc_check_atom(&fn, f->body.result)) {
        uint32_t result = rlxc_bc_atom_as(&fn, f->body.result, f->ret);
        RLXC_BC_EMIT(&fn, RLX_OP_RET, result);
    }
    rlxc_bc_place_pools(&fn);
    rlx_error err = {0};
    return !m->failed && rlxc_bc_ok(m, f->range, rlx_exec_builder_end(m->builder, &err), &err) &&
           !rlxc_failed(m->ctx);
}

/* "function.main.num_input" -> "1": plain attributes of functions that the host can call. */
static bool emit_attrs(rlxc_bc_module *m, const rlxc_function *f)
{
    for (uint32_t i = 0; i < f->attrs.count && !f->is_private; i++) {
        const rlxc_attr *a = &f->attrs.values[i];
        const char *text;
        if (strcmp(f->attrs.keys[i], "relax.force_pure") == 0)
            continue; /* belongs to the text of lowered functions, not to the function */
        int64_t value;
        if (rlxc_attr_as_int(a, &value))
            text = rlxc_internf(m->ctx, "%lld", (long long)value);
        else if (a->kind == RLXC_ATTR_STRING)
            text = a->s;
        else
            continue;
        const char *key = rlxc_internf(m->ctx, "function.%s.%s", f->name, f->attrs.keys[i]);
        rlx_error err = {0};
        if (!rlxc_bc_ok(
                m, f->range,
                rlx_exec_builder_metadata(m->builder, rlx_str_from(key), rlx_str_from(text), &err),
                &err))
            return false;
    }
    return true;
}

static bool emit_module(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                        const rlxc_layout_options *layout, rlx_exec_builder *builder)
{
    rlxc_bc_module m = {.ctx = ctx,
                        .module = module,
                        .builder = builder,
                        .weights = options->weight_places,
                        .layout = layout};
    rlx_error err = {0};
    if (!rlxc_compile_devices(ctx, module, options, &m.codes, &m.n_codes) ||
        !rlxc_bc_device_code(&m) || !rlxc_bc_sections(&m))
        return false;
    rlxc_bc_find_values(&m);
    if (!rlxc_bc_find_pools(&m))
        return false;
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_function *f = module->globals.items[i]->relax;
        if (!f)
            continue;
        uint32_t index;
        if (!rlxc_bc_ok(&m, f->range,
                        rlx_exec_builder_declare(builder,
                                                 rlx_str_from(module->globals.items[i]->name),
                                                 !f->is_private, &index, &err),
                        &err))
            return false;
        rlxc_map_set(ctx, &m.functions, rlxc_key(f), (void *)(uintptr_t)(index + 1));
    }
    if (!rlxc_bc_place_constants(&m))
        return false;
    const uint32_t *order = rlxc_bc_order(&m);
    for (uint32_t i = 0; order && i < module->globals.count; i++) {
        const rlxc_function *f = module->globals.items[order[i]]->relax;
        if (!f)
            continue;
        uint32_t index = (uint32_t)(uintptr_t)rlxc_map_get(&m.functions, rlxc_key(f)) - 1;
        rlxc_doing(ctx, "emitting bytecode of", f->name);
        if (!emit_function(&m, f, index) || !emit_attrs(&m, f))
            return false;
    }
    rlxc_bc_pool_metadata(&m);
    return !rlxc_failed(ctx);
}

typedef struct placing {
    rlxc_context *ctx;
    rlxc_layout_options options;
} placing;

static void lay_out(void *user, const rlx_plan_interval *rows, uint32_t n, uint64_t *offsets)
{
    const placing *p = user;
    rlxc_layout(p->ctx, &p->options, rows, n, offsets);
}

bool rlxc_emit_bytecode(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                        rlx_exec_builder *builder)
{
    placing place = {.ctx = ctx};
    if (!rlxc_layout_parse(ctx, options->memory_layout, &place.options))
        return false;
    rlx_exec_builder_set_layout(builder, lay_out, &place);
    const bool ok = emit_module(ctx, module, options, &place.options, builder);
    rlx_exec_builder_set_layout(builder, NULL, NULL);
    return ok;
}
