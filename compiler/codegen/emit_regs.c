/* Bytecode emission: registers, atoms, straight-line scopes.
 *
 * Registers 0..n_params-1 are the parameters and never change. A variable keeps one register from
 * its definition to its kill; then the number is free again, so a long chain needs few. Constants
 * are loaded once per scope and stay (up to MAX_LOADED of them); shapes, tuples and other temporary
 * operands of an instruction are killed right after it. The branches of an IF start from the same
 * state: values that one of them loads or evaluates are unknown to the other and to the code after,
 * and nothing that a branch made is alive at its end, as the VM's verifier demands. */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/codegen/emit.h"
#include "compiler/ir/device.h"

enum { MAX_LOADED = 4096 };

uint32_t rlxc_bc_new_reg(rlxc_bc_function *fn)
{
    return fn->free_regs.count ? fn->free_regs.items[--fn->free_regs.count] : fn->n_regs++;
}

uint32_t rlxc_bc_temp_reg(rlxc_bc_function *fn)
{
    uint32_t reg = rlxc_bc_new_reg(fn);
    RLXC_PUSH(fn->ctx, &fn->temps, reg);
    return reg;
}

void rlxc_bc_release_temps(rlxc_bc_function *fn)
{
    for (uint32_t i = 0; i < fn->temps.count; i++) {
        RLXC_BC_EMIT(fn, RLX_OP_KILL, fn->temps.items[i]);
        RLXC_PUSH(fn->ctx, &fn->free_regs, fn->temps.items[i]);
    }
    for (uint32_t i = 0; i < fn->temp_slots.count; i++)
        RLXC_PUSH(fn->ctx, &fn->free_slots, fn->temp_slots.items[i]);
    fn->temps.count = 0;
    fn->temp_slots.count = 0;
}

uint32_t rlxc_bc_define(rlxc_bc_function *fn, const rlxc_rvar *var)
{
    if (fn->uses[var->id] == 0 && rlxc_is_void(var->sinfo)) {
        if (fn->nothing == 0)
            fn->nothing = ++fn->n_regs;
        return fn->nothing - 1;
    }
    uint32_t reg = rlxc_bc_new_reg(fn);
    fn->reg[var->id] = reg + 1;
    fn->depth[var->id] = (uint8_t)fn->level;
    RLXC_PUSH(fn->ctx, &fn->defined, var);
    return reg;
}

void rlxc_bc_kill(rlxc_bc_function *fn, rlxc_rvar *var)
{
    uint32_t reg = fn->reg[var->id];
    if (reg == 0)
        return;
    RLXC_BC_EMIT(fn, RLX_OP_KILL, reg - 1);
    if (fn->planned_of[var->id])
        fn->planned_of[var->id]->is_held = false;
    if (reg <= fn->f->n_params)
        return; /* the verifier reports that a parameter cannot be killed */
    RLXC_PUSH(fn->ctx, &fn->free_regs, reg - 1);
    RLXC_PUSH(fn->ctx, &fn->killed, var);
    RLXC_PUSH(fn->ctx, &fn->killed_regs, reg);
    fn->reg[var->id] = 0;
}

/* --- constants ------------------------------------------------------------------------------- */

uint32_t rlxc_bc_tensor_constant(rlxc_bc_module *m, const rlxc_constant *c, rlxc_range range)
{
    uintptr_t known = (uintptr_t)rlxc_map_get(&m->constants, rlxc_key(c));
    if (known)
        return (uint32_t)known - 1;
    uint32_t index = 0;
    rlx_error err = {0};
    const uintptr_t place = m->weights ? (uintptr_t)rlxc_map_get(m->weights, rlxc_key(c)) : 0;
    if (m->failed)
        return 0;
    const rlx_status status = place
                                  ? rlx_exec_builder_const_weight(m->builder, c->dtype, c->ndim,
                                                                  c->shape, place - 1, &index, &err)
                                  : rlx_exec_builder_const_tensor(m->builder, c->dtype, c->ndim,
                                                                  c->shape, c->data, &index, &err);
    if (rlxc_bc_ok(m, range, status, &err))
        rlxc_map_set(m->ctx, &m->constants, rlxc_key(c), (void *)((uintptr_t)index + 1));
    return index;
}

static bool constant_dims(rlxc_bc_function *fn, rlxc_atom atom, int64_t **out)
{
    int64_t *dims = rlxc_alloc(fn->ctx, ((size_t)atom.n + 1) * sizeof *dims);
    for (uint32_t i = 0; i < atom.n; i++)
        if (!rlxc_is_int(atom.dims[i], &dims[i]))
            return false;
    *out = dims;
    return true;
}

/* The constant's index, or false where the atom is not a constant. Tuples nest at most
 * RLXC_MAX_DEPTH deep. */
static bool constant_of(rlxc_bc_function *fn, rlxc_atom atom, uint32_t *out)
{
    rlx_exec_builder *b = fn->m->builder;
    rlx_error err = {0};
    rlx_status status = RLX_OK;
    int64_t value, *dims;
    if (fn->m->failed)
        return false;
    switch (atom.kind) {
    case RLXC_ATOM_CONSTANT:
        *out = rlxc_bc_tensor_constant(fn->m, atom.constant, fn->range);
        return true;
    case RLXC_ATOM_SHAPE:
        if (!constant_dims(fn, atom, &dims))
            return false;
        status = rlx_exec_builder_const_shape(b, atom.n, dims, out, &err);
        break;
    case RLXC_ATOM_PRIM:
        if (rlxc_is_int(atom.prim, &value))
            status = rlx_exec_builder_const_value(
                b, rlxc_dtype_is_bool(atom.prim->dtype) ? rlx_bool(value != 0) : rlx_int(value),
                out, &err);
        else if (atom.prim->kind == RLXC_EXPR_FLOAT)
            status = rlx_exec_builder_const_value(b, rlx_float(atom.prim->f), out, &err);
        else
            return false;
        break;
    case RLXC_ATOM_STRING:
    case RLXC_ATOM_EXTERN:
        status = rlx_exec_builder_const_string(b, rlx_str_from(atom.text), out, &err);
        break;
    case RLXC_ATOM_DTYPE: /* void stands for any type and is not a value of the VM */
        status = rlx_exec_builder_const_value(
            b, rlxc_dtype_is_void(atom.dtype) ? rlx_none() : rlx_of_dtype(atom.dtype), out, &err);
        break;
    case RLXC_ATOM_NONE:
        status = rlx_exec_builder_const_value(b, rlx_none(), out, &err);
        break;
    case RLXC_ATOM_TUPLE: {
        uint32_t *items = rlxc_alloc(fn->ctx, ((size_t)atom.n + 1) * sizeof *items);
        for (uint32_t i = 0; i < atom.n; i++)
            if (!constant_of(fn, atom.items[i], &items[i]))
                return false;
        status = rlx_exec_builder_const_tuple(b, atom.n, items, out, &err);
        break;
    }
    case RLXC_ATOM_VAR:
    case RLXC_ATOM_GLOBAL:
        return false;
    }
    return rlxc_bc_ok(fn->m, fn->range, status, &err);
}

static uint32_t load_constant(rlxc_bc_function *fn, uint32_t index, uint32_t device)
{
    const uint64_t key = ((uint64_t)device << 33) + index + 1;
    uintptr_t known = (uintptr_t)rlxc_map_get(&fn->loaded, key);
    if (known)
        return (uint32_t)known - 1;
    bool keep = fn->loaded_log.count < MAX_LOADED;
    uint32_t reg = keep ? rlxc_bc_new_reg(fn) : rlxc_bc_temp_reg(fn);
    if (device == 0)
        RLXC_BC_EMIT(fn, RLX_OP_LOAD_CONST, reg, index);
    else
        RLXC_BC_EMIT(fn, RLX_OP_LOAD_CONST_ON, reg, index, device);
    if (keep) {
        rlxc_map_set(fn->ctx, &fn->loaded, key, (void *)((uintptr_t)reg + 1));
        RLXC_PUSH(fn->ctx, &fn->loaded_log, key);
    }
    return reg;
}

/* --- atoms ----------------------------------------------------------------------------------- */

static void check_length(void *user, rlxc_atom atom)
{
    rlxc_bc_function *fn = user;
    if (atom.kind == RLXC_ATOM_TUPLE || atom.kind == RLXC_ATOM_SHAPE)
        rlxc_bc_fits(fn->m, atom.n, "items in a row", fn->range);
}

bool rlxc_bc_check_atom(rlxc_bc_function *fn, rlxc_atom atom)
{
    rlxc_atom_visit(atom, check_length, fn);
    return !fn->m->failed;
}

static void emit_list(rlxc_bc_function *fn, rlx_opcode op, uint32_t dst, const uint32_t *items,
                      uint32_t n)
{
    uint32_t *operands = rlxc_alloc(fn->ctx, ((size_t)n + 2) * sizeof *operands);
    operands[0] = dst;
    operands[1] = n;
    for (uint32_t i = 0; i < n; i++)
        operands[i + 2] = items[i];
    rlxc_bc_op(fn, op, operands, n + 2);
}

/* |type| of the tuple or the function that takes |items|; NULL: unknown. */
static uint32_t *item_regs(rlxc_bc_function *fn, const rlxc_atom *items, uint32_t n,
                           const rlxc_sinfo *type)
{
    uint32_t *regs = rlxc_alloc(fn->ctx, ((size_t)n + 1) * sizeof *regs);
    for (uint32_t i = 0; i < n; i++)
        regs[i] =
            rlxc_bc_atom_as(fn, items[i], type && i < type->n_fields ? type->fields[i] : NULL);
    return regs;
}

uint32_t *rlxc_bc_args(rlxc_bc_function *fn, const rlxc_atom *args, uint32_t n,
                       const rlxc_sinfo *callable)
{
    const bool known = callable && callable->kind == RLXC_SINFO_CALLABLE && !callable->opaque;
    return item_regs(fn, args, n, known ? callable : NULL);
}

void rlxc_bc_make_tuple(rlxc_bc_function *fn, const rlxc_rvar *var, const rlxc_atom *items,
                        uint32_t n)
{
    const rlxc_sinfo *type = var->sinfo;
    const uint32_t *regs =
        item_regs(fn, items, n, type && type->kind == RLXC_SINFO_TUPLE ? type : NULL);
    emit_list(fn, RLX_OP_MAKE_TUPLE, rlxc_bc_define(fn, var), regs, n);
}

static uint32_t function_value(rlxc_bc_function *fn, const char *name)
{
    const rlxc_global *g = rlxc_module_find(fn->m->module, name);
    uintptr_t index =
        g && g->relax ? (uintptr_t)rlxc_map_get(&fn->m->functions, rlxc_key(g->relax)) : 0;
    if (index == 0) {
        rlxc_error(fn->ctx, fn->range, "'%s' is not a Relax function and cannot be used as a value",
                   name);
        fn->m->failed = true;
        return 0;
    }
    uint32_t reg = rlxc_bc_temp_reg(fn);
    RLXC_BC_EMIT(fn, RLX_OP_MAKE_CLOSURE, reg, (uint32_t)index - 1, 0);
    return reg;
}

uint32_t rlxc_bc_atom_on(rlxc_bc_function *fn, rlxc_atom atom, uint32_t device)
{
    if (atom.kind != RLXC_ATOM_CONSTANT)
        return rlxc_bc_atom(fn, atom);
    const uint32_t index = rlxc_bc_tensor_constant(fn->m, atom.constant, fn->range);
    return load_constant(fn, index, rlxc_bc_constant_row(fn->m, index, device));
}

uint32_t rlxc_bc_atom_as(rlxc_bc_function *fn, rlxc_atom atom, const rlxc_sinfo *type)
{
    const char *device = atom.kind == RLXC_ATOM_CONSTANT || atom.kind == RLXC_ATOM_TUPLE
                             ? rlxc_sinfo_device(fn->m->module, type)
                             : NULL;
    const uint32_t row = device ? rlxc_bc_device(fn->m, device, fn->range) : 0;
    if (atom.kind == RLXC_ATOM_CONSTANT && row)
        return rlxc_bc_atom_on(fn, atom, row);
    if (!device || type->kind != RLXC_SINFO_TUPLE)
        return rlxc_bc_atom(fn, atom);
    const uint32_t *regs = item_regs(fn, atom.items, atom.n, type);
    const uint32_t reg = rlxc_bc_temp_reg(fn);
    emit_list(fn, RLX_OP_MAKE_TUPLE, reg, regs, atom.n);
    return reg;
}

/* A constant, or a tuple that holds some, of which one may lie in a memory pool. */
static bool may_lie_in_pools(rlxc_bc_function *fn, rlxc_atom atom)
{
    bool any = atom.kind == RLXC_ATOM_CONSTANT;
    if (!rlxc_bc_pools_for(fn->m, 0, RLXC_POOL_CONSTANTS))
        return false;
    for (uint32_t i = 0; atom.kind == RLXC_ATOM_TUPLE && i < atom.n && !any; i++)
        any = may_lie_in_pools(fn, atom.items[i]);
    return any;
}

uint32_t rlxc_bc_atom(rlxc_bc_function *fn, rlxc_atom atom)
{
    uint32_t index, reg;
    const uint32_t *slots;
    uint32_t n;
    switch (atom.kind) {
    case RLXC_ATOM_VAR:
        if (atom.var->id < fn->n_vars && fn->reg[atom.var->id])
            return fn->reg[atom.var->id] - 1;
        if (!fn->m->failed)
            rlxc_error(fn->ctx, fn->range, "'%s' has no value here: it was killed or never defined",
                       atom.var->name);
        fn->m->failed = true;
        return 0;
    case RLXC_ATOM_GLOBAL:
        return function_value(fn, atom.text);
    case RLXC_ATOM_CONSTANT:
    case RLXC_ATOM_STRING:
    case RLXC_ATOM_DTYPE:
    case RLXC_ATOM_EXTERN:
    case RLXC_ATOM_NONE:
    case RLXC_ATOM_SHAPE:
    case RLXC_ATOM_PRIM:
    case RLXC_ATOM_TUPLE:
        break;
    }
    const bool in_pools = may_lie_in_pools(fn, atom);
    if (in_pools && atom.kind == RLXC_ATOM_CONSTANT)
        return rlxc_bc_atom_on(fn, atom, 0);
    if (!in_pools && constant_of(fn, atom, &index))
        return load_constant(fn, index, 0);
    if (fn->m->failed)
        return 0;
    if (atom.kind == RLXC_ATOM_PRIM) {
        uint32_t slot = rlxc_bc_slot(fn, atom.prim);
        reg = rlxc_bc_temp_reg(fn);
        RLXC_BC_EMIT(fn, RLX_OP_VALUE_OF_SLOT, reg, slot, rlx_dtype_word(atom.prim->dtype));
        return reg;
    }
    if (atom.kind == RLXC_ATOM_SHAPE) {
        rlxc_bc_shape_slots(fn, atom, &slots, &n);
        reg = rlxc_bc_temp_reg(fn);
        emit_list(fn, RLX_OP_MAKE_SHAPE, reg, slots, n);
        return reg;
    }
    const uint32_t *regs = item_regs(fn, atom.items, atom.n, NULL);
    reg = rlxc_bc_temp_reg(fn);
    emit_list(fn, RLX_OP_MAKE_TUPLE, reg, regs, atom.n);
    return reg;
}

uint32_t rlxc_bc_atom_slot(rlxc_bc_function *fn, rlxc_atom atom)
{
    if (atom.kind == RLXC_ATOM_PRIM)
        return rlxc_bc_slot(fn, atom.prim);
    if (atom.kind == RLXC_ATOM_VAR && atom.var->sinfo && atom.var->sinfo->kind == RLXC_SINFO_PRIM &&
        atom.var->sinfo->value && !rlxc_dtype_is_float(atom.var->sinfo->dtype))
        return rlxc_bc_slot(fn, atom.var->sinfo->value);
    uint32_t reg = rlxc_bc_atom(fn, atom), slot = rlxc_bc_temp_slot(fn);
    RLXC_BC_EMIT(fn, RLX_OP_SLOT_OF_VALUE, slot, reg);
    return slot;
}

uint32_t rlxc_bc_scalar_slot(rlxc_bc_function *fn, rlxc_atom atom, bool is_float)
{
    if (!is_float)
        return rlxc_bc_atom_slot(fn, atom);
    if (atom.kind == RLXC_ATOM_PRIM &&
        (atom.prim->kind == RLXC_EXPR_FLOAT || atom.prim->kind == RLXC_EXPR_INT)) {
        double value = atom.prim->kind == RLXC_EXPR_FLOAT ? atom.prim->f : (double)atom.prim->i;
        int64_t bits;
        memcpy(&bits, &value, sizeof bits);
        return rlxc_bc_slot(fn, rlxc_i64(fn->ctx, bits));
    }
    uint32_t reg = rlxc_bc_atom(fn, atom), slot = rlxc_bc_temp_slot(fn);
    RLXC_BC_EMIT(fn, RLX_OP_BITS_OF_VALUE, slot, reg);
    return slot;
}

bool rlxc_bc_shape_slots(rlxc_bc_function *fn, rlxc_atom shape, const uint32_t **out,
                         uint32_t *out_n)
{
    const rlxc_sinfo *s = NULL;
    const rlxc_expr *const *dims = NULL;
    if (shape.kind == RLXC_ATOM_SHAPE) {
        dims = shape.dims;
        *out_n = shape.n;
    } else {
        s = rlxc_atom_sinfo(fn->ctx, fn->m->module, shape);
        if (!s || s->kind != RLXC_SINFO_SHAPE || s->ndim < 0)
            return false;
        dims = s->dims;
        *out_n = (uint32_t)s->ndim;
    }
    uint32_t *slots = rlxc_alloc(fn->ctx, ((size_t)*out_n + 1) * sizeof *slots);
    uint32_t reg = dims ? 0 : rlxc_bc_atom(fn, shape);
    for (uint32_t i = 0; i < *out_n; i++) {
        if (dims) {
            slots[i] = rlxc_bc_slot(fn, dims[i]);
        } else {
            slots[i] = rlxc_bc_temp_slot(fn);
            RLXC_BC_EMIT(fn, RLX_OP_DIM_OF, slots[i], reg, i);
        }
    }
    *out = slots;
    return true;
}

/* --- scopes ---------------------------------------------------------------------------------- */

rlxc_bc_scope rlxc_bc_scope_open(rlxc_bc_function *fn)
{
    rlxc_bc_scope s = {.evaluated = fn->evaluated_log.count,
                       .loaded = fn->loaded_log.count,
                       .defined = fn->defined.count,
                       .killed = fn->killed.count,
                       .regions = fn->regions.count,
                       .n_regs = fn->n_regs,
                       .n_free = fn->free_regs.count};
    s.free_regs = rlxc_try_alloc(fn->ctx, (size_t)s.n_free + 1, sizeof(uint32_t));
    if (!s.free_regs) {
        fn->m->failed = true;
        s.n_free = 0;
    } else {
        for (uint32_t i = 0; i < s.n_free; i++)
            s.free_regs[i] = fn->free_regs.items[i];
    }
    fn->level++;
    return s;
}

void rlxc_bc_scope_end_branch(rlxc_bc_function *fn, const rlxc_bc_scope *scope)
{
    for (uint32_t i = scope->defined; i < fn->defined.count; i++) {
        uint32_t reg = fn->reg[fn->defined.items[i]->id];
        if (reg)
            RLXC_BC_EMIT(fn, RLX_OP_KILL, reg - 1);
        fn->reg[fn->defined.items[i]->id] = 0;
    }
    fn->defined.count = scope->defined;
    for (uint32_t i = scope->loaded; i < fn->loaded_log.count; i++) {
        uintptr_t reg = (uintptr_t)rlxc_map_get(&fn->loaded, fn->loaded_log.items[i]);
        if (reg)
            RLXC_BC_EMIT(fn, RLX_OP_KILL, (uint32_t)reg - 1);
    }
}

static void forget(rlxc_bc_function *fn, const rlxc_bc_scope *scope)
{
    fn->regions.count = scope->regions;
    while (fn->evaluated_log.count > scope->evaluated)
        rlxc_map_set(fn->ctx, &fn->evaluated,
                     rlxc_key(fn->evaluated_log.items[--fn->evaluated_log.count]), NULL);
    while (fn->loaded_log.count > scope->loaded)
        rlxc_map_set(fn->ctx, &fn->loaded, fn->loaded_log.items[--fn->loaded_log.count], NULL);
    fn->free_regs.count = 0;
    for (uint32_t i = 0; i < scope->n_free; i++)
        RLXC_PUSH(fn->ctx, &fn->free_regs, scope->free_regs[i]);
    for (uint32_t r = scope->n_regs; r < fn->n_regs; r++)
        if (r + 1 != fn->nothing)
            RLXC_PUSH(fn->ctx, &fn->free_regs, r);
}

void rlxc_bc_scope_rewind(rlxc_bc_function *fn, const rlxc_bc_scope *scope)
{
    forget(fn, scope);
    while (fn->killed.count > scope->killed) {
        rlxc_rvar *var = fn->killed.items[--fn->killed.count];
        if (fn->depth[var->id] < fn->level)
            fn->reg[var->id] = fn->killed_regs.items[fn->killed.count];
        fn->killed_regs.count = fn->killed.count;
    }
}

void rlxc_bc_scope_close(rlxc_bc_function *fn, const rlxc_bc_scope *scope)
{
    forget(fn, scope);
    for (uint32_t i = scope->killed; i < fn->killed.count; i++) {
        rlxc_rvar *var = fn->killed.items[i];
        if (fn->depth[var->id] < fn->level)
            RLXC_PUSH(fn->ctx, &fn->free_regs, fn->killed_regs.items[i] - 1);
    }
    fn->level--;
}
