/* The bytecode verifier: runs on every load. The interpreter relies on all of this list:

    1  every instruction decodes, starts where another ends, and the last one does not fall through
    2  jumps go to instruction starts of the same function
    3  registers, slots, expressions, types, constants, kernels, imports, functions exist; an
       expression or a type uses no slot that the function lacks
    4  arities: kernel dims and buffers, builtin and function arguments, bound closure arguments
    5  argument registers are never defined and never killed
    6  signature: each symbol is bound exactly once by the parameters, its expressions use symbols
       only, the result type binds nothing
    7  registers and slots are definitely assigned where used, also around loops (flow.c)
    8  a killed register was live, is dead afterwards, and where paths meet a register is not killed
       on one and live on another (flow.c)
    9  kinds, where one block shows them (flow.c); the interpreter checks the rest at run time
   10  immediates: alignments, dtypes, ranks, devices
   11  a memory plan's rows refer to what exists (load_plans.c); plan uses the slots of its region
   12  launches of a kernel refer to what exists, their expressions to its dims (load_devices.c)

   Sizes, offsets, kernel signatures and recursion depend on values and are checked when they run;
   so is the rule that a region is laid out before its tensors are made.
 */
#include "vm/exec.h"

#include <string.h>

/* Limit for registers and slots of all functions together: bounds the work that a small file can
 * cause. */
#define MAX_VARIABLES (1u << 26)

typedef struct checker {
    rlx_executable *exe;
    rlxv_function *fn;
    uint32_t *block; /* per word: RLX_NONE, or the block of the instruction that starts there */
    rlx_error *err;
} checker;

static rlx_status reject(checker *c, uint32_t pc, const char *name, const char *why)
{
    return rlx_fail(c->err, RLX_E_INVALID_MODULE, "function %.*s, pc %u (%s): %s",
                    (int)c->fn->name.len, c->fn->name.data, pc, name, why);
}

static const char *check_operand(const checker *c, const rlxv_operand *o, uint32_t v)
{
    const rlx_executable *exe = c->exe;
    const rlxv_function *fn = c->fn;
    switch (o->letter) {
    case 'd':
    case 'k':
        if (v < fn->n_params)
            return o->letter == 'd' ? "defines an argument register" : "kills an argument register";
        return v < fn->n_registers ? NULL : "register out of range";
    case 'r':
    case 'R':
        return v < fn->n_registers ? NULL : "register out of range";
    case 'w':
    case 's':
    case 'S':
        return v < fn->n_slots ? NULL : "slot out of range";
    case 'e':
        if (v >= exe->n_exprs)
            return "expression out of range";
        return exe->exprs[v].slots <= fn->n_slots ? NULL : "expression uses a slot out of range";
    case 't':
        if (v >= exe->n_types)
            return "type out of range";
        return exe->types[v].slots <= fn->n_slots ? NULL : "type uses a slot out of range";
    case 'y':
        return rlx_dtype_valid((rlx_dtype){(uint8_t)v, (uint8_t)(v >> 8), (uint16_t)(v >> 16)})
                   ? NULL
                   : "dtype does not exist";
    case 'c':
        return v < exe->n_constants ? NULL : "constant out of range";
    case 'n':
        return v < exe->n_constants && exe->constants[v].value.kind == RLX_KIND_STRING
                   ? NULL
                   : "name is not a string constant";
    case 'f':
        return v < exe->n_kernels ? NULL : "kernel out of range";
    case 'b':
        return v < exe->n_imports ? NULL : "import out of range";
    case 'g':
        return v < exe->n_functions ? NULL : "function out of range";
    case 'z':
        return v < fn->plan.n_regions ? NULL : "region out of range";
    case 'p':
        return v < fn->plan.n_tensors ? NULL : "planned tensor out of range";
    case 'u':
        return v < fn->plan.n_buffers ? NULL : "buffer out of range";
    case 'j':
        return v < fn->n_words ? NULL : "jump leaves the function";
    case 'v':
        return v == 0 || v < exe->n_devices ? NULL : "device does not exist";
    default:
        return NULL; /* i: see check_rules */
    }
}

static const char *check_kernel(const rlx_executable *exe, uint32_t kernel, uint32_t n_dims,
                                uint32_t n_buffers)
{
    if (n_dims != exe->kernels[kernel].n_dims)
        return "wrong number of dims for the kernel";
    return n_buffers == exe->kernels[kernel].n_params ? NULL
                                                      : "wrong number of buffers for the kernel";
}

/* Arities and immediates. */
static const char *check_rules(const checker *c, const rlxv_instruction *in)
{
    const rlx_executable *exe = c->exe;
    const rlxv_operand *o = in->operands;
    switch (in->info->op) {
    case RLX_OP_CALL_KERNEL:
        return check_kernel(exe, o[0].value, o[1].n, o[2].n);
    case RLX_OP_CALL_KERNEL_IN:
        return check_kernel(exe, o[0].value, o[2].n, o[3].n);
    case RLX_OP_CALL_BUILTIN: {
        const rlx_builtin *b = exe->builtins[o[1].value];
        bool fits =
            o[2].n >= (uint32_t)b->min_args && (b->max_args < 0 || o[2].n <= (uint32_t)b->max_args);
        return fits ? NULL : "wrong number of arguments for the builtin";
    }
    case RLX_OP_CALL_FUNC:
        return o[2].n == exe->functions[o[1].value].n_params
                   ? NULL
                   : "wrong number of arguments for the function";
    case RLX_OP_AGAIN:
        return o[0].n == c->fn->n_params ? NULL : "wrong number of arguments for the function";
    case RLX_OP_MAKE_CLOSURE:
        return o[2].n <= exe->functions[o[1].value].n_params
                   ? NULL
                   : "binds more arguments than the function has";
    case RLX_OP_ALLOC_STORAGE:
    case RLX_OP_ALLOC_STORAGE_ON:
        return o[2].value > 0 && o[2].value <= RLXV_MAX_ALIGN &&
                       (o[2].value & (o[2].value - 1)) == 0
                   ? NULL
                   : "alignment is not a power of two up to 4096";
    case RLX_OP_ALLOC_TENSOR:
        return o[4].n <= RLX_MAX_NDIM ? NULL : "rank is too high";
    case RLX_OP_VIEW_AT:
    case RLX_OP_NEW_TENSOR_ON:
        return o[3].n <= RLX_MAX_NDIM ? NULL : "rank is too high";
    case RLX_OP_NEW_TENSOR:
    case RLX_OP_VIEW:
        return o[2].n <= RLX_MAX_NDIM ? NULL : "rank is too high";
    case RLX_OP_MATCH_SHAPE:
        return exe->types[o[1].value].kind == RLX_TYPE_SHAPE ? NULL : "type is not a shape type";
    case RLX_OP_LOAD_CONST_ON:
        return exe->constants[o[1].value].value.kind == RLX_KIND_TENSOR
                   ? NULL
                   : "constant is not a tensor";
    case RLX_OP_TO_VDEVICE:
    case RLX_OP_RET:
    case RLX_OP_GOTO:
    case RLX_OP_IF:
    case RLX_OP_CALL_PACKED:
    case RLX_OP_CALL_CLOSURE:
    case RLX_OP_KILL:
    case RLX_OP_PLAN:
    case RLX_OP_PLAN_TENSOR:
    case RLX_OP_LOAD_CONST:
    case RLX_OP_MOVE:
    case RLX_OP_MAKE_TUPLE:
    case RLX_OP_TUPLE_ITEM:
    case RLX_OP_MATCH_TYPE:
    case RLX_OP_MAKE_SHAPE:
    case RLX_OP_SHAPE_OF:
    case RLX_OP_EVAL_SLOT:
    case RLX_OP_SLOT_OF_VALUE:
    case RLX_OP_BITS_OF_VALUE:
    case RLX_OP_VALUE_OF_SLOT:
    case RLX_OP_DIM_OF:
    case RLX_OP_CHECK:
        return NULL;
    }
    return "unknown opcode";
}

/* Marks instruction starts with 0 and block starts with 1. */
static rlx_status check_instructions(checker *c)
{
    rlxv_function *fn = c->fn;
    rlxv_instruction in;
    bool leader = true, terminated = false;
    for (uint32_t pc = 0; pc < fn->n_words; pc += in.n_words) {
        const char *why = rlxv_decode(fn->code + pc, fn->n_words - pc, &in);
        if (why)
            return reject(c, pc, "instruction", why);
        c->block[pc] = leader;
        for (uint32_t i = 0; i < in.n_operands; i++) {
            const rlxv_operand *o = &in.operands[i];
            bool list = o->letter == 'R' || o->letter == 'S';
            for (uint32_t k = 0; k < (list ? o->n : 1) && !why; k++)
                why = check_operand(c, o, list ? o->items[k] : o->value);
            if (why)
                return reject(c, pc, in.info->name, why);
            if (o->letter == 'R' && o->n > fn->max_values)
                fn->max_values = o->n;
            if (o->letter == 'S' && o->n > fn->max_dims)
                fn->max_dims = o->n;
        }
        why = check_rules(c, &in);
        if (why)
            return reject(c, pc, in.info->name, why);
        leader = in.info->flags & (RLX_OPF_TERM | RLX_OPF_JUMP);
        terminated = in.info->flags & RLX_OPF_TERM;
    }
    if (!terminated)
        return reject(c, fn->n_words, "end",
                      "the function does not end with ret or goto (or again)");
    return RLX_OK;
}

/* Checks targets and numbers the blocks. */
static rlx_status number_blocks(checker *c, uint32_t *out_count)
{
    rlxv_function *fn = c->fn;
    rlxv_instruction in;
    uint32_t n = 0;
    for (uint32_t pc = 0; pc < fn->n_words; pc += in.n_words) {
        rlxv_decode(fn->code + pc, fn->n_words - pc, &in);
        for (uint32_t i = 0; i < in.n_operands; i++) {
            if (in.operands[i].letter != 'j')
                continue;
            if (c->block[in.operands[i].value] == RLX_NONE)
                return reject(c, pc, in.info->name, "jump goes into an instruction");
            c->block[in.operands[i].value] = 1;
        }
    }
    for (uint32_t pc = 0; pc < fn->n_words; pc++) {
        if (c->block[pc] == RLX_NONE)
            continue;
        n += c->block[pc];
        c->block[pc] = n - 1;
    }
    *out_count = n;
    return RLX_OK;
}

/* --- signatures ------------------------------------------------------------------------------ */

static rlx_status bad_signature(const checker *c, const char *why)
{
    return rlx_fail(c->err, RLX_E_INVALID_MODULE, "function %.*s, signature: %s",
                    (int)c->fn->name.len, c->fn->name.data, why);
}

/* Counts the binds of each symbol; recursion is bounded by the depth of types. */
static rlx_status count_binds(checker *c, uint32_t type, uint8_t *bound)
{
    const rlxv_type *t = &c->exe->types[type];
    if (t->slots > c->fn->n_symbols)
        return bad_signature(c, "a type uses a slot that is not a symbol");
    for (uint32_t i = 0; i < t->n_dims; i++) {
        if (t->dims[i].kind != RLXV_DIM_BIND)
            continue;
        if (bound[t->dims[i].index])
            return bad_signature(c, "a symbol is bound twice");
        bound[t->dims[i].index] = 1;
    }
    for (uint32_t i = 0; i < t->n_children; i++)
        RLX_TRY(count_binds(c, t->children[i], bound));
    return RLX_OK;
}

static bool binds_nothing(const rlx_executable *exe, uint32_t type)
{
    const rlxv_type *t = &exe->types[type];
    for (uint32_t i = 0; i < t->n_dims; i++)
        if (t->dims[i].kind == RLXV_DIM_BIND)
            return false;
    for (uint32_t i = 0; i < t->n_children; i++)
        if (!binds_nothing(exe, t->children[i]))
            return false;
    return true;
}

static rlx_status check_signature(checker *c, uint8_t *bound)
{
    const rlxv_function *fn = c->fn;
    memset(bound, 0, fn->n_symbols);
    for (uint32_t i = 0; i < fn->n_params; i++)
        RLX_TRY(count_binds(c, fn->params[i].type, bound));
    for (uint32_t i = 0; i < fn->n_symbols; i++)
        if (!bound[i])
            return bad_signature(c, "a symbol is bound by no parameter");
    if (c->exe->types[fn->result_type].slots > fn->n_symbols ||
        !binds_nothing(c->exe, fn->result_type))
        return bad_signature(c, "the result type uses more than the parameters' symbols");
    return RLX_OK;
}

rlx_status rlxv_verify(rlx_executable *exe, rlx_error *err)
{
    checker c = {.exe = exe, .err = err};
    uint32_t longest = 1, most_symbols = 1;
    uint64_t n_vars = 0;
    for (uint32_t i = 0; i < exe->n_functions; i++) {
        const rlxv_function *fn = &exe->functions[i];
        longest = fn->n_words > longest ? fn->n_words : longest;
        most_symbols = fn->n_symbols > most_symbols ? fn->n_symbols : most_symbols;
        n_vars += (uint64_t)fn->n_registers + fn->n_slots;
    }
    if (n_vars > MAX_VARIABLES)
        return rlx_fail(err, RLX_E_LIMIT, "the functions have more than %u registers and slots",
                        MAX_VARIABLES);
    size_t bytes = (size_t)longest * sizeof *c.block;
    c.block = rlx_alloc(&exe->allocator, bytes, 16);
    uint8_t *bound = rlx_alloc(&exe->allocator, most_symbols, 1);
    rlx_status status = RLX_OK;
    if (!c.block || !bound)
        status = rlx_fail(err, RLX_E_NOMEM, "out of memory while verifying");
    for (uint32_t i = 0; i < exe->n_functions && status == RLX_OK; i++) {
        uint32_t n_blocks = 0;
        c.fn = &exe->functions[i];
        memset(c.block, 0xff, (size_t)c.fn->n_words * sizeof *c.block);
        status = check_signature(&c, bound);
        if (status == RLX_OK)
            status = check_instructions(&c);
        if (status == RLX_OK)
            status = number_blocks(&c, &n_blocks);
        if (status == RLX_OK)
            status = rlxv_verify_flow(exe, c.fn, c.block, n_blocks, err);
    }
    rlx_free(&exe->allocator, c.block, bytes, 16);
    rlx_free(&exe->allocator, bound, most_symbols, 1);
    return status;
}
