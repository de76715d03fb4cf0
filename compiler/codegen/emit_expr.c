/* Bytecode emission: symbolic integers and types.
 *
 * A symbol has one slot for the whole function; an expression is evaluated once per straight-line
 * scope, at its first use, which dominates everything later in that scope. Truncating division,
 * logic and casts have no opcode of their own: they are spelled with floor division, products and
 * select. */
#include "compiler/codegen/emit.h"
#include "compiler/ir/names.h"

/* --- expressions ----------------------------------------------------------------------------- */

static uint32_t constant(rlxc_bc_module *m, int64_t value, rlxc_range range)
{
    uint32_t out = 0;
    rlx_error err = {0};
    if (!m->failed)
        rlxc_bc_ok(m, range, rlx_exec_builder_const_expr(m->builder, value, &out, &err), &err);
    return out;
}

static uint32_t node(rlxc_bc_module *m, rlx_expr_op op, uint32_t a, uint32_t b, uint32_t c,
                     rlxc_range range)
{
    uint32_t out = 0;
    rlx_error err = {0};
    if (!m->failed)
        rlxc_bc_ok(m, range, rlx_exec_builder_expr(m->builder, op, a, b, c, &out, &err), &err);
    return out;
}

/* a / b rounded to zero: one more than the floor if signs differ and the division is not exact.
 */
static uint32_t truncated(rlxc_bc_module *m, uint32_t a, uint32_t b, bool want_rest,
                          rlxc_range range)
{
    uint32_t zero = constant(m, 0, range), one = constant(m, 1, range);
    uint32_t q = node(m, RLX_EXPR_FLOORDIV, a, b, 0, range);
    uint32_t r = node(m, RLX_EXPR_FLOORMOD, a, b, 0, range);
    uint32_t inexact = node(m, RLX_EXPR_NE, r, zero, 0, range);
    uint32_t a_negative = node(m, RLX_EXPR_LT, a, zero, 0, range);
    uint32_t b_negative = node(m, RLX_EXPR_LT, b, zero, 0, range);
    uint32_t differ = node(m, RLX_EXPR_NE, a_negative, b_negative, 0, range);
    uint32_t correct = node(m, RLX_EXPR_MUL, inexact, differ, 0, range);
    if (want_rest) {
        uint32_t rest = node(m, RLX_EXPR_SUB, r, b, 0, range);
        return node(m, RLX_EXPR_SELECT, correct, rest, r, range);
    }
    uint32_t up = node(m, RLX_EXPR_ADD, q, one, 0, range);
    return node(m, RLX_EXPR_SELECT, correct, up, q, range);
}

static uint32_t compile(rlxc_bc_module *m, rlxc_bc_symbols *symbols, const rlxc_expr *e,
                        rlxc_range range);

static uint32_t compile_binary(rlxc_bc_module *m, rlxc_bc_symbols *symbols, const rlxc_expr *e,
                               rlxc_range range)
{
    uint32_t a = compile(m, symbols, e->bin.a, range), b = compile(m, symbols, e->bin.b, range);
    uint32_t zero;
    switch ((rlxc_expr_kind)e->kind) {
    case RLXC_EXPR_ADD:
        return node(m, RLX_EXPR_ADD, a, b, 0, range);
    case RLXC_EXPR_SUB:
        return node(m, RLX_EXPR_SUB, a, b, 0, range);
    case RLXC_EXPR_MUL:
        return node(m, RLX_EXPR_MUL, a, b, 0, range);
    case RLXC_EXPR_DIV:
        return truncated(m, a, b, false, range);
    case RLXC_EXPR_MOD:
        return truncated(m, a, b, true, range);
    case RLXC_EXPR_FLOORDIV:
        return node(m, RLX_EXPR_FLOORDIV, a, b, 0, range);
    case RLXC_EXPR_FLOORMOD:
        return node(m, RLX_EXPR_FLOORMOD, a, b, 0, range);
    case RLXC_EXPR_MIN:
        return node(m, RLX_EXPR_MIN, a, b, 0, range);
    case RLXC_EXPR_MAX:
        return node(m, RLX_EXPR_MAX, a, b, 0, range);
    case RLXC_EXPR_EQ:
        return node(m, RLX_EXPR_EQ, a, b, 0, range);
    case RLXC_EXPR_NE:
        return node(m, RLX_EXPR_NE, a, b, 0, range);
    case RLXC_EXPR_LT:
        return node(m, RLX_EXPR_LT, a, b, 0, range);
    case RLXC_EXPR_LE:
        return node(m, RLX_EXPR_LE, a, b, 0, range);
    case RLXC_EXPR_GT:
        return node(m, RLX_EXPR_LT, b, a, 0, range);
    case RLXC_EXPR_GE:
        return node(m, RLX_EXPR_LE, b, a, 0, range);
    case RLXC_EXPR_AND:
        zero = constant(m, 0, range);
        return node(m, RLX_EXPR_SELECT, a, node(m, RLX_EXPR_NE, b, zero, 0, range), zero, range);
    case RLXC_EXPR_OR:
        zero = constant(m, 0, range);
        return node(m, RLX_EXPR_SELECT, a, constant(m, 1, range),
                    node(m, RLX_EXPR_NE, b, zero, 0, range), range);
        RLXC_LEAF_EXPRS(RLXC_EXPR_CASE)
        RLXC_OTHER_EXPRS(RLXC_EXPR_CASE)
        break;
    }
    return a;
}

static uint32_t refuse(rlxc_bc_module *m, const rlxc_expr *e, rlxc_range range)
{
    if (!m->failed) {
        if (e->kind == RLXC_EXPR_VAR)
            rlxc_error(m->ctx, range, "the symbol '%s' is not bound here", e->var.name);
        else
            rlxc_error(m->ctx, range, "'%s' cannot be computed as a dimension at run time",
                       e->kind == RLXC_EXPR_CALL ? e->call.name : "this expression");
    }
    m->failed = true;
    return 0;
}

/* The depth of |e| is limited where it was made (RLXC_MAX_EXPR_DEPTH). */
static uint32_t compile_node(rlxc_bc_module *m, rlxc_bc_symbols *symbols, const rlxc_expr *e,
                             rlxc_range range)
{
    uint32_t out = 0;
    rlx_error err = {0};
    if (rlxc_is_binary(e))
        return compile_binary(m, symbols, e, range);
    switch ((rlxc_expr_kind)e->kind) {
    case RLXC_EXPR_INT:
        return constant(m, e->i, range);
    case RLXC_EXPR_VAR: {
        uintptr_t slot = (uintptr_t)rlxc_map_get(&symbols->slots, rlxc_key(e));
        if (slot == 0)
            return refuse(m, e, range);
        if (!m->failed)
            rlxc_bc_ok(m, range,
                       rlx_exec_builder_slot_expr(m->builder, (uint32_t)slot - 1, &out, &err),
                       &err);
        return out;
    }
    case RLXC_EXPR_NOT:
        return node(m, RLX_EXPR_EQ, compile(m, symbols, e->bin.a, range), constant(m, 0, range), 0,
                    range);
    case RLXC_EXPR_CAST:
        if (rlxc_dtype_is_float(e->dtype) || rlxc_dtype_is_float(e->bin.a->dtype))
            return refuse(m, e, range);
        out = compile(m, symbols, e->bin.a, range);
        return rlxc_dtype_is_bool(e->dtype)
                   ? node(m, RLX_EXPR_NE, out, constant(m, 0, range), 0, range)
                   : out;
    case RLXC_EXPR_SELECT: {
        uint32_t cond = compile(m, symbols, e->select.cond, range);
        uint32_t yes = compile(m, symbols, e->select.yes, range);
        return node(m, RLX_EXPR_SELECT, cond, yes, compile(m, symbols, e->select.no, range), range);
    }
    case RLXC_EXPR_CALL:
        if (e->call.n == 3 && e->call.name == rlxc_intern_cstr(m->ctx, "if_then_else")) {
            uint32_t cond = compile(m, symbols, e->call.args[0], range);
            uint32_t yes = compile(m, symbols, e->call.args[1], range);
            uint32_t no = compile(m, symbols, e->call.args[2], range);
            return node(m, RLX_EXPR_SELECT, cond, yes, no, range);
        }
        return refuse(m, e, range);
        RLXC_BINARY_EXPRS(RLXC_EXPR_CASE)
    case RLXC_EXPR_FLOAT:
    case RLXC_EXPR_STRING:
    case RLXC_EXPR_LOAD:
    case RLXC_EXPR_LET:
    case RLXC_EXPR_RAMP:
    case RLXC_EXPR_BROADCAST:
        break;
    }
    return refuse(m, e, range);
}

static uint32_t compile(rlxc_bc_module *m, rlxc_bc_symbols *symbols, const rlxc_expr *e,
                        rlxc_range range)
{
    uintptr_t known = (uintptr_t)rlxc_map_get(&symbols->compiled, rlxc_key(e));
    if (known || m->failed) /* nothing would be memoised: shared parts would be walked again and
                             * again */
        return known ? (uint32_t)known - 1 : 0;
    uint32_t out = compile_node(m, symbols, e, range);
    if (!m->failed)
        rlxc_map_set(m->ctx, &symbols->compiled, rlxc_key(e), (void *)((uintptr_t)out + 1));
    return out;
}

uint32_t rlxc_bc_expr(rlxc_bc_module *m, rlxc_bc_symbols *symbols, const rlxc_expr *e,
                      rlxc_range range)
{
    return compile(m, symbols, e, range);
}

/* --- slots ----------------------------------------------------------------------------------- */

uint32_t rlxc_bc_new_slot(rlxc_bc_function *fn)
{
    return fn->n_slots++;
}

uint32_t rlxc_bc_temp_slot(rlxc_bc_function *fn)
{
    uint32_t slot =
        fn->free_slots.count ? fn->free_slots.items[--fn->free_slots.count] : fn->n_slots++;
    RLXC_PUSH(fn->ctx, &fn->temp_slots, slot);
    return slot;
}

uint32_t rlxc_bc_slot(rlxc_bc_function *fn, const rlxc_expr *e)
{
    uintptr_t slot = (uintptr_t)rlxc_map_get(&fn->symbols.slots, rlxc_key(e));
    if (!slot)
        slot = (uintptr_t)rlxc_map_get(&fn->evaluated, rlxc_key(e));
    if (slot)
        return (uint32_t)slot - 1;
    uint32_t compiled = rlxc_bc_expr(fn->m, &fn->symbols, e, fn->range);
    uint32_t out = rlxc_bc_new_slot(fn);
    RLXC_BC_EMIT(fn, RLX_OP_EVAL_SLOT, out, compiled);
    rlxc_map_set(fn->ctx, &fn->evaluated, rlxc_key(e), (void *)((uintptr_t)out + 1));
    RLXC_PUSH(fn->ctx, &fn->evaluated_log, e);
    return out;
}

/* --- types ----------------------------------------------------------------------------------- */

static void bind_symbol(rlxc_bc_function *fn, const rlxc_expr *e, rlxc_var_list *io_bound)
{
    if (!e || e->kind != RLXC_EXPR_VAR || rlxc_map_get(&fn->symbols.slots, rlxc_key(e)))
        return;
    uint32_t slot = rlxc_bc_new_slot(fn);
    rlxc_map_set(fn->ctx, &fn->symbols.slots, rlxc_key(e), (void *)((uintptr_t)slot + 1));
    RLXC_PUSH(fn->ctx, &io_bound->vars, e);
}

void rlxc_bc_bind_symbols(rlxc_bc_function *fn, const rlxc_sinfo *s, rlxc_var_list *io_bound)
{
    switch (s->kind) {
    case RLXC_SINFO_PRIM:
        if (rlxc_dtype_is_int(s->dtype))
            bind_symbol(fn, s->value, io_bound);
        break;
    case RLXC_SINFO_SHAPE:
    case RLXC_SINFO_TENSOR:
        for (int32_t i = 0; s->dims && i < s->ndim; i++)
            bind_symbol(fn, s->dims[i], io_bound);
        break;
    case RLXC_SINFO_TUPLE:
        for (uint32_t i = 0; i < s->n_fields; i++)
            rlxc_bc_bind_symbols(fn, s->fields[i], io_bound);
        break;
    case RLXC_SINFO_OBJECT:
    case RLXC_SINFO_CALLABLE:
        break;
    }
}

static bool has_unknown_symbol(rlxc_bc_module *m, const rlxc_bc_symbols *symbols,
                               const rlxc_expr *e)
{
    rlxc_var_list vars = {0};
    rlxc_collect_vars(m->ctx, e, &vars);
    for (uint32_t i = 0; i < vars.vars.count; i++)
        if (!rlxc_map_get(&symbols->slots, rlxc_key(vars.vars.items[i])))
            return true;
    return false;
}

static rlx_dim dim_of(rlxc_bc_module *m, rlxc_bc_symbols *symbols, const rlxc_expr *e,
                      rlxc_map *binds, bool lenient, rlxc_range range)
{
    if (lenient && has_unknown_symbol(m, symbols, e))
        return (rlx_dim){RLX_DIM_ANY, 0};
    if (binds && rlxc_map_get(binds, rlxc_key(e))) {
        rlxc_map_set(m->ctx, binds, rlxc_key(e), NULL);
        uintptr_t slot = (uintptr_t)rlxc_map_get(&symbols->slots, rlxc_key(e));
        return (rlx_dim){RLX_DIM_BIND, (uint32_t)slot - 1};
    }
    return (rlx_dim){RLX_DIM_EXPR, rlxc_bc_expr(m, symbols, e, range)};
}

/* Struct info nests at most RLXC_MAX_DEPTH deep. */
uint32_t rlxc_bc_type(rlxc_bc_module *m, rlxc_bc_symbols *symbols, const rlxc_sinfo *s,
                      rlxc_map *binds, bool lenient, rlxc_range range)
{
    rlx_type_info info = {.kind = RLX_TYPE_OBJECT};
    rlx_dim dims[RLXC_MAX_NDIM];
    uint32_t *children;
    switch (s->kind) {
    case RLXC_SINFO_PRIM:
        if (rlxc_dtype_is_void(s->dtype))
            break;
        info.kind = RLX_TYPE_PRIM;
        info.dtype = s->dtype;
        if (s->value && !rlxc_dtype_is_float(s->dtype)) {
            dims[0] = dim_of(m, symbols, s->value, binds, lenient, range);
            info.n_dims = dims[0].kind != RLX_DIM_ANY;
            info.dims = dims;
        }
        break;
    case RLXC_SINFO_SHAPE:
    case RLXC_SINFO_TENSOR:
        info.kind = s->kind == RLXC_SINFO_SHAPE ? RLX_TYPE_SHAPE : RLX_TYPE_TENSOR;
        if (s->kind == RLXC_SINFO_TENSOR && !rlxc_dtype_is_void(s->dtype))
            info.dtype = s->dtype;
        info.rank_known = s->ndim >= 0;
        info.n_dims = s->ndim >= 0 ? (uint32_t)s->ndim : 0;
        if (info.n_dims > RLXC_MAX_NDIM) {
            rlxc_error(m->ctx, range, "a shape of %u dimensions; the limit is %d", info.n_dims,
                       RLXC_MAX_NDIM);
            m->failed = true;
            return 0;
        }
        for (uint32_t i = 0; i < info.n_dims; i++)
            dims[i] = s->dims ? dim_of(m, symbols, s->dims[i], binds, lenient, range)
                              : (rlx_dim){RLX_DIM_ANY, 0};
        info.dims = dims;
        break;
    case RLXC_SINFO_TUPLE:
        if (!rlxc_bc_fits(m, s->n_fields, "fields of a tuple", range))
            return 0;
        info.kind = RLX_TYPE_TUPLE;
        info.n_children = s->n_fields;
        children = rlxc_alloc(m->ctx, ((size_t)s->n_fields + 1) * sizeof *children);
        for (uint32_t i = 0; i < s->n_fields; i++)
            children[i] = rlxc_bc_type(m, symbols, s->fields[i], binds, lenient, range);
        info.children = children;
        break;
    case RLXC_SINFO_CALLABLE:
        info.kind = RLX_TYPE_CALLABLE;
        break;
    case RLXC_SINFO_OBJECT:
        break;
    }
    uint32_t out = 0;
    rlx_error err = {0};
    if (!m->failed)
        rlxc_bc_ok(m, range, rlx_exec_builder_type(m->builder, &info, &out, &err), &err);
    return out;
}

void rlxc_bc_match(rlxc_bc_function *fn, uint32_t reg, const rlxc_sinfo *s)
{
    rlxc_var_list bound = {0};
    rlxc_map binds = {0};
    rlx_error err = {0};
    rlxc_bc_bind_symbols(fn, s, &bound);
    for (uint32_t i = 0; i < bound.vars.count; i++) {
        const rlxc_expr *var = bound.vars.items[i];
        rlxc_map_set(fn->ctx, &binds, rlxc_key(var), fn);
        uintptr_t slot = (uintptr_t)rlxc_map_get(&fn->symbols.slots, rlxc_key(var));
        if (!fn->m->failed)
            rlxc_bc_ok(
                fn->m, fn->range,
                rlx_exec_builder_slot_name(
                    fn->m->builder, (uint32_t)slot - 1,
                    rlx_str_from(rlxc_given_name(fn->ctx, fn->f, RLXC_DIM_NAMES, var->var.name)),
                    &err),
                &err);
    }
    uint32_t type = rlxc_bc_type(fn->m, &fn->symbols, s, &binds, false, fn->range);
    RLXC_BC_EMIT(fn, RLX_OP_MATCH_TYPE, reg, type);
}
