/* Bytecode emission: the operators that reach it, one handler each, in a table.
 *
 * Explicit memory, views, shapes and closures. Operators that legalization must have lowered have
 * no row; a call of one is reported with the operator's name. */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/codegen/emit.h"
#include "compiler/ir/device.h"
#include "compiler/ops/require.h"

enum { STORAGE_ALIGN = 64 };

static void fail(rlxc_bc_function *fn, const rlxc_binding *b, const char *what)
{
    if (!fn->m->failed)
        rlxc_error(fn->ctx, b->range, "R.%s: %s", b->op->name, what);
    fn->m->failed = true;
}

static bool is_none(rlxc_atom atom)
{
    return atom.kind == RLXC_ATOM_NONE || (atom.kind == RLXC_ATOM_TUPLE && atom.n == 0);
}

/* An instruction with |n_head| operands followed by a list of slots. */
static void emit_with_dims(rlxc_bc_function *fn, rlx_opcode op, const uint32_t *head,
                           uint32_t n_head, const uint32_t *dims, uint32_t n)
{
    uint32_t *operands = rlxc_alloc(fn->ctx, ((size_t)n_head + 1 + n) * sizeof *operands);
    memcpy(operands, head, n_head * sizeof *head);
    operands[n_head] = n;
    memcpy(operands + n_head + 1, dims, n * sizeof *dims);
    rlxc_bc_op(fn, op, operands, n_head + 1 + n);
}

/* d := tensor; |in_storage|: the storage's register and the offset's slot come first; without it
 * the tensor is on |device|. */
static void emit_tensor(rlxc_bc_function *fn, const rlxc_binding *b, const uint32_t *in_storage,
                        uint32_t device, rlxc_atom shape, rlxc_atom dtype)
{
    const rlx_opcode op = in_storage ? RLX_OP_ALLOC_TENSOR
                          : device   ? RLX_OP_NEW_TENSOR_ON
                                     : RLX_OP_NEW_TENSOR;
    const uint32_t *dims;
    uint32_t n_dims, n = 0, head[4];
    if (dtype.kind != RLXC_ATOM_DTYPE || !rlxc_bc_shape_slots(fn, shape, &dims, &n_dims)) {
        fail(fn, b, "the shape's rank and the data type must be known");
        return;
    }
    head[n++] = rlxc_bc_define(fn, b->var);
    if (in_storage) {
        head[n++] = in_storage[0];
        head[n++] = in_storage[1];
    }
    head[n++] = rlx_dtype_word(dtype.dtype);
    if (op == RLX_OP_NEW_TENSOR_ON)
        head[n++] = device;
    emit_with_dims(fn, op, head, n, dims, n_dims);
}

static void emit_new_tensor(rlxc_bc_function *fn, const rlxc_binding *b)
{
    const uint32_t device = b->n_args > 2 ? rlxc_bc_device_at(fn->m, b->args[2], b->range) : 0;
    emit_tensor(fn, b, NULL, device, b->args[0], b->args[1]);
}

/* The device that the type of |b|'s result states. */
static uint32_t device_of(rlxc_bc_function *fn, const rlxc_binding *b)
{
    return rlxc_bc_device(fn->m, rlxc_sinfo_device(fn->m->module, b->var->sinfo), b->range);
}

static void emit_alloc_tensor(rlxc_bc_function *fn, const rlxc_binding *b)
{
    if (rlxc_bc_is_in_plan(fn, b->args[0])) {
        if (!rlxc_bc_planned_tensor(fn, b))
            emit_tensor(fn, b, NULL, device_of(fn, b), b->args[2], b->args[3]);
        return;
    }
    uint32_t in[2] = {rlxc_bc_atom(fn, b->args[0]), rlxc_bc_atom_slot(fn, b->args[1])};
    emit_tensor(fn, b, in, 0, b->args[2], b->args[3]);
}

static void emit_alloc_storage(rlxc_bc_function *fn, const rlxc_binding *b)
{
    const uint32_t *dims;
    uint32_t n;
    if (rlxc_is_planned_storage(b)) {
        rlxc_bc_planned_storage(fn, b);
        return;
    }
    if (!rlxc_bc_shape_slots(fn, b->args[0], &dims, &n) || n != 1) {
        fail(fn, b, "the size must be a shape of one dimension, in bytes");
        return;
    }
    const uint32_t device = b->n_args > 1 ? rlxc_bc_device_at(fn->m, b->args[1], b->range) : 0;
    const uint32_t dst = rlxc_bc_define(fn, b->var);
    if (device)
        RLXC_BC_EMIT(fn, RLX_OP_ALLOC_STORAGE_ON, dst, dims[0], STORAGE_ALIGN, device);
    else
        RLXC_BC_EMIT(fn, RLX_OP_ALLOC_STORAGE, dst, dims[0], STORAGE_ALIGN);
}

static void emit_kill(rlxc_bc_function *fn, const rlxc_binding *b)
{
    if (b->args[0].kind != RLXC_ATOM_VAR) {
        fail(fn, b, "only variables can be killed");
        return;
    }
    if (rlxc_bc_is_in_plan(fn, b->args[0])) {
        rlxc_bc_kill_planned(fn, b->args[0].var);
        return;
    }
    if (fn->reg[b->args[0].var->id] == 0)
        rlxc_bc_atom(fn, b->args[0]); /* reports it */
    rlxc_bc_kill(fn, b->args[0].var);
}

static void emit_builtin(rlxc_bc_function *fn, const rlxc_binding *b, const char *name,
                         const rlxc_atom *args, uint32_t n)
{
    rlxc_bc_callable(fn, b->var, rlxc_atom_extern(fn->ctx, name), args, n);
}

static void emit_reshape(rlxc_bc_function *fn, const rlxc_binding *b)
{
    const rlxc_sinfo *out = b->var->sinfo;
    const uint32_t *dims;
    uint32_t n;
    rlxc_atom shape = b->args[1];
    if (out && out->kind == RLXC_SINFO_TENSOR && out->dims) /* -1 is resolved there */
        shape = rlxc_atom_shape(fn->ctx, out->dims, (uint32_t)out->ndim);
    uint32_t source = rlxc_bc_atom_as(fn, b->args[0], b->var->sinfo);
    if (!rlxc_bc_shape_slots(fn, shape, &dims, &n)) {
        emit_builtin(fn, b, "rlx.reshape", b->args, 2);
        return;
    }
    const uint32_t head[2] = {rlxc_bc_define(fn, b->var), source};
    emit_with_dims(fn, RLX_OP_VIEW, head, 2, dims, n);
}

/* x, or a part of it, in another shape is one instruction; another type needs a builtin. */
static void emit_view(rlxc_bc_function *fn, const rlxc_binding *b)
{
    const rlxc_sinfo *from = rlxc_atom_sinfo(fn->ctx, fn->m->module, b->args[0]);
    const bool keeps_type =
        b->n_args < 3 || is_none(b->args[2]) ||
        (b->args[2].kind == RLXC_ATOM_DTYPE && from && from->kind == RLXC_SINFO_TENSOR &&
         rlxc_dtype_eq(from->dtype, b->args[2].dtype));
    const bool whole = b->n_args < 4 || is_none(b->args[3]);
    const uint32_t *dims;
    uint32_t n;
    if (keeps_type && b->n_args > 1 && !is_none(b->args[1])) {
        if (whole) {
            emit_reshape(fn, b);
            return;
        }
        if (rlxc_bc_shape_slots(fn, b->args[1], &dims, &n)) {
            const uint32_t source = rlxc_bc_atom_as(fn, b->args[0], b->var->sinfo);
            const uint32_t offset = rlxc_bc_atom_slot(fn, b->args[3]);
            const uint32_t head[3] = {rlxc_bc_define(fn, b->var), source, offset};
            emit_with_dims(fn, RLX_OP_VIEW_AT, head, 3, dims, n);
            return;
        }
    }
    rlxc_atom args[4] = {b->args[0]};
    for (uint32_t i = 1; i < b->n_args && i < 4; i++)
        if (!is_none(b->args[i]))
            args[i] = b->args[i];
    emit_builtin(fn, b, "rlx.view", args, 4);
}

static void emit_same(rlxc_bc_function *fn, const rlxc_binding *b)
{
    uint32_t source = rlxc_bc_atom_as(fn, b->args[0], b->var->sinfo);
    RLXC_BC_EMIT(fn, RLX_OP_MOVE, rlxc_bc_define(fn, b->var), source);
}

static void emit_shape_of(rlxc_bc_function *fn, const rlxc_binding *b)
{
    uint32_t source = rlxc_bc_atom(fn, b->args[0]);
    RLXC_BC_EMIT(fn, RLX_OP_SHAPE_OF, rlxc_bc_define(fn, b->var), source);
}

static void emit_to_vdevice(rlxc_bc_function *fn, const rlxc_binding *b)
{
    const uint32_t device =
        rlxc_bc_device(fn->m, rlxc_attr_get_str(b, "dst_vdevice", NULL), b->range);
    const uint32_t source = rlxc_bc_atom_on(fn, b->args[0], device);
    RLXC_BC_EMIT(fn, RLX_OP_TO_VDEVICE, rlxc_bc_define(fn, b->var), source, device);
}

static void emit_null_value(rlxc_bc_function *fn, const rlxc_binding *b)
{
    emit_builtin(fn, b, "rlx.null_value", NULL, 0);
}

static void emit_shape_to_tensor(rlxc_bc_function *fn, const rlxc_binding *b)
{
    emit_builtin(fn, b, "rlx.shape_to_tensor", b->args, 1);
}

static void emit_tensor_to_shape(rlxc_bc_function *fn, const rlxc_binding *b)
{
    emit_builtin(fn, b, "rlx.tensor_to_shape", b->args, 1);
}

/* The arguments of a call that carries them as one tuple. */
static uint32_t packed_args(rlxc_bc_function *fn, const rlxc_binding *b, const rlxc_atom **out)
{
    *out = b->args + 1;
    if (b->n_args != 2 || b->args[1].kind != RLXC_ATOM_TUPLE)
        return b->n_args > 0 ? b->n_args - 1 : 0;
    (void)fn;
    *out = b->args[1].items;
    return b->args[1].n;
}

static void emit_packed_call(rlxc_bc_function *fn, const rlxc_binding *b)
{
    const rlxc_atom *args;
    uint32_t n = packed_args(fn, b, &args);
    rlxc_bc_callable(fn, b->var, b->args[0], args, n);
}

static void emit_make_closure(rlxc_bc_function *fn, const rlxc_binding *b)
{
    const rlxc_atom *args;
    uint32_t n = packed_args(fn, b, &args);
    const rlxc_global *g = b->args[0].kind == RLXC_ATOM_GLOBAL
                               ? rlxc_module_find(fn->m->module, b->args[0].text)
                               : NULL;
    if (!g || !g->relax) {
        fail(fn, b, "the first argument must be a Relax function of the module");
        return;
    }
    uintptr_t index = (uintptr_t)rlxc_map_get(&fn->m->functions, rlxc_key(g->relax));
    const uint32_t n_params = g->relax->n_params, first = n_params > n ? n_params - n : 0;
    uint32_t *operands = rlxc_alloc(fn->ctx, ((size_t)n + 3) * sizeof *operands);
    operands[1] = (uint32_t)index - 1;
    operands[2] = n;
    for (uint32_t i = 0; i < n; i++)
        operands[i + 3] = rlxc_bc_atom_as(
            fn, args[i], first + i < n_params ? g->relax->params[first + i]->sinfo : NULL);
    operands[0] = rlxc_bc_define(fn, b->var);
    rlxc_bc_op(fn, RLX_OP_MAKE_CLOSURE, operands, n + 3);
}

static void emit_call_tir_dyn(rlxc_bc_function *fn, const rlxc_binding *b)
{
    const rlxc_atom *args;
    uint32_t n = packed_args(fn, b, &args);
    rlxc_bc_call_tir_dyn(fn, b->args[0], args, n);
}

static void emit_check_sizes(rlxc_bc_function *fn, const rlxc_binding *b)
{
    rlxc_relation relation = RLXC_EQUAL;
    rlxc_relation_named(rlxc_attr_get_str(b, "relation", "equal"), &relation);
    const rlxc_expr *sizes[2];
    for (uint32_t i = 0; i < 2; i++)
        sizes[i] = rlxc_prim_arg(fn->ctx, fn->m->module, b, i);
    rlxc_bc_check(fn, rlxc_relation_holds(fn->ctx, relation, sizes[0], sizes[1]),
                  rlxc_attr_get_str(b, "message", ""));
}

typedef struct op_row {
    const char *name;
    uint32_t min_args;
    void (*emit)(rlxc_bc_function *fn, const rlxc_binding *b);
} op_row;

static const op_row op_rows[] = {
    {"builtin.alloc_tensor", 2, emit_new_tensor},
    {"memory.alloc_storage", 1, emit_alloc_storage},
    {"memory.alloc_tensor", 4, emit_alloc_tensor},
    {"memory.kill_storage", 1, emit_kill},
    {"memory.kill_tensor", 1, emit_kill},
    {"memory.view", 1, emit_view},
    {"memory.ensure_zero_offset", 1, emit_same},
    {"vm.alloc_storage", 1, emit_alloc_storage},
    {"vm.alloc_tensor", 4, emit_alloc_tensor},
    {"vm.kill_object", 1, emit_kill},
    {"vm.call_tir_dyn", 2, emit_call_tir_dyn},
    {"check_sizes", 2, emit_check_sizes},
    {"reshape", 2, emit_reshape},
    {"shape_of", 1, emit_shape_of},
    {"shape_to_tensor", 1, emit_shape_to_tensor},
    {"tensor_to_shape", 1, emit_tensor_to_shape},
    {"to_vdevice", 1, emit_to_vdevice},
    {"hint_on_device", 1, emit_same},
    {"wrap_param", 1, emit_same},
    {"builtin.stop_lift_params", 1, emit_same},
    {"null_value", 0, emit_null_value},
    {"make_closure", 1, emit_make_closure},
    {"invoke_closure", 1, emit_packed_call},
    {"invoke_pure_closure", 1, emit_packed_call},
    {"call_builtin_with_ctx", 1, emit_packed_call},
};

void rlxc_bc_operator(rlxc_bc_function *fn, const rlxc_binding *b)
{
    for (size_t i = 0; i < sizeof op_rows / sizeof *op_rows; i++) {
        if (strcmp(op_rows[i].name, b->op->name) != 0)
            continue;
        if (b->n_args < op_rows[i].min_args)
            fail(fn, b, "too few arguments");
        else
            op_rows[i].emit(fn, b);
        return;
    }
    fail(fn, b, "the operator was not lowered and has no bytecode");
}
