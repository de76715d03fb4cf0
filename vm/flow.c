/* Dataflow half of the verifier: definite assignment, kill discipline, and kinds inside a block.

   A variable is a register or a slot. Most are defined and dead within one block and need no
   dataflow. For the others each block has three sets at its entry: may be unassigned, may be live,
   may be killed. They grow until nothing changes (a forward may-analysis over the control-flow
   graph); then one walk per block checks every use. Unreachable blocks are skipped. MAX_CELLS and
   MAX_WORK bound time and memory for any code: code that exceeds them is refused with RLX_E_LIMIT.
   Straight-line code takes linear time. */
#include "vm/exec.h"

#include <rlx/checked.h>
#include <string.h>

#define MAX_CELLS ((uint64_t)1 << 29) /* bits of one of the three sets over all blocks */
#define MAX_WORK ((uint64_t)1 << 29)  /* variables and words touched */

enum { UNASSIGNED = 1, LIVE = 2, KILLED = 4 };
#define KIND_UNKNOWN 0xffu
#define LOCAL_VARIABLE UINT32_MAX

typedef struct flow {
    const rlx_executable *exe;
    const rlxv_function *fn;
    const uint32_t *block_of;
    uint32_t n_vars, n_blocks, n_global, words; /* words: of one set of one block */
    uint32_t *start;                            /* pc of each block; start[n_blocks] is the end */
    uint32_t *home;   /* per variable: block of its first occurrence + 1 */
    uint32_t *global; /* per variable: dense number, or LOCAL_VARIABLE */
    uint64_t *sets;   /* per block: U, L, K */
    uint8_t *dirty, *reached;
    uint32_t *epoch; /* per variable: block + 1 in which state and kind are valid */
    uint8_t *state, *kind, *needs_sets;
    uint32_t bad_var, bad_state; /* the first bad access of the instruction; RLX_NONE: none */
    uint64_t work;
    rlxv_arena arena;
    rlx_error *err;
} flow;

typedef void (*visit)(flow *f, uint32_t block, uint32_t var, char access);

/* Slots of an expression; recursion bounded by RLXV_MAX_EXPR_DEPTH. */
static void visit_expr(flow *f, uint32_t block, uint32_t e, visit fn)
{
    const rlxv_expr *x = &f->exe->exprs[e];
    f->work++;
    if (x->op == RLX_EXPR_CONST)
        return;
    if (x->op == RLX_EXPR_SLOT) {
        fn(f, block, f->fn->n_registers + x->a, 'u');
        return;
    }
    visit_expr(f, block, x->a, fn);
    visit_expr(f, block, x->b, fn);
    if (x->op == RLX_EXPR_SELECT)
        visit_expr(f, block, x->c, fn);
}

/* The slots that a type binds, then (second pass) those that it checks; recursion bounded by
 * RLXV_MAX_TYPE_DEPTH. */
static void visit_type(flow *f, uint32_t block, uint32_t type, bool binds, visit fn)
{
    const rlxv_type *t = &f->exe->types[type];
    f->work += 1 + t->n_dims;
    for (uint32_t i = 0; i < t->n_dims; i++) {
        if (binds && t->dims[i].kind == RLXV_DIM_BIND)
            fn(f, block, f->fn->n_registers + t->dims[i].index, 'd');
        else if (!binds && t->raw_dims[i].kind == RLX_DIM_EXPR)
            visit_expr(f, block, t->raw_dims[i].index, fn);
    }
    for (uint32_t i = 0; i < t->n_children; i++)
        visit_type(f, block, t->children[i], binds, fn);
}

static void visit_region(flow *f, uint32_t block, const rlxv_region *r, visit fn)
{
    f->work += r->n_slots;
    for (uint32_t i = 0; i < r->n_slots; i++)
        fn(f, block, f->fn->n_registers + r->slots[i], 'u');
}

/* Calls |fn| for each variable in the order in which the instruction touches them: uses (unless
   |uses| is false), kills, then definitions. Access is 'u', 'k' or 'd'. */
static void visit_instruction(flow *f, uint32_t block, const rlxv_instruction *in, bool uses,
                              visit fn)
{
    uint32_t slots = f->fn->n_registers;
    f->work += in->n_words;
    for (uint32_t i = 0; i < in->n_operands; i++) {
        const rlxv_operand *o = &in->operands[i];
        if (o->letter == 'k')
            fn(f, block, o->value, 'k');
        else if (o->letter == 't')
            visit_type(f, block, o->value, true, fn);
        if (!uses)
            continue;
        if (o->letter == 'r')
            fn(f, block, o->value, 'u');
        else if (o->letter == 's')
            fn(f, block, slots + o->value, 'u');
        else if (o->letter == 'e')
            visit_expr(f, block, o->value, fn);
        else if (o->letter == 'R' || o->letter == 'S')
            for (uint32_t k = 0; k < o->n; k++)
                fn(f, block, (o->letter == 'S' ? slots : 0) + o->items[k], 'u');
        else if (o->letter == 't')
            visit_type(f, block, o->value, false, fn);
        else if (o->letter == 'z')
            visit_region(f, block, &f->fn->plan.regions[o->value], fn);
    }
    for (uint32_t i = 0; i < in->n_operands; i++) {
        const rlxv_operand *o = &in->operands[i];
        if (o->letter == 'd' || o->letter == 'w')
            fn(f, block, (o->letter == 'w' ? slots : 0) + o->value, 'd');
    }
}

static rlx_status too_complex(flow *f)
{
    return rlx_fail(f->err, RLX_E_LIMIT, "function %.*s: control flow is too complex",
                    (int)f->fn->name.len, f->fn->name.data);
}

static rlx_status for_block(flow *f, uint32_t block, bool uses, visit fn)
{
    rlxv_instruction in;
    for (uint32_t pc = f->start[block]; pc < f->start[block + 1]; pc += in.n_words) {
        rlxv_decode(f->fn->code + pc, f->fn->n_words - pc, &in);
        visit_instruction(f, block, &in, uses, fn);
        if (f->work > MAX_WORK)
            return too_complex(f);
    }
    return RLX_OK;
}

/* --- which variables need sets ---------------------------------------------------------------- */

/* A variable is local if all its occurrences are in one block and the first defines it. */
static void note(flow *f, uint32_t block, uint32_t var, char access)
{
    if (f->home[var] == 0 && access == 'd')
        f->home[var] = block + 1;
    else if (f->home[var] != block + 1)
        f->needs_sets[var] = 1;
}

/* --- fixpoint -------------------------------------------------------------------------------- */

static void set_bits(uint64_t *sets, uint32_t words, uint32_t g, uint8_t state)
{
    uint64_t bit = (uint64_t)1 << (g % 64);
    for (uint32_t k = 0; k < 3; k++) {
        uint64_t *w = &sets[(size_t)k * words + g / 64];
        *w = state & (1u << k) ? *w | bit : *w & ~bit;
    }
}

static uint8_t get_bits(const uint64_t *sets, uint32_t words, uint32_t g)
{
    uint8_t state = 0;
    for (uint32_t k = 0; k < 3; k++)
        state |= (uint8_t)((sets[(size_t)k * words + g / 64] >> (g % 64) & 1) << k);
    return state;
}

/* Applies an access to the sets in |f->sets| beyond the last block: the scratch copy. */
static void transfer(flow *f, uint32_t block, uint32_t var, char access)
{
    (void)block;
    uint32_t g = f->global[var];
    if (g != LOCAL_VARIABLE && access != 'u')
        set_bits(f->sets + (size_t)f->n_blocks * 3 * f->words, f->words, g,
                 access == 'k' ? KILLED : LIVE);
}

static bool merge(flow *f, uint32_t target, const uint64_t *from)
{
    uint64_t *to = f->sets + (size_t)target * 3 * f->words, changed = 0;
    for (uint32_t i = 0; i < 3 * f->words; i++) {
        changed |= from[i] & ~to[i];
        to[i] |= from[i];
    }
    bool fresh = changed || !f->reached[target];
    f->reached[target] = 1;
    return fresh;
}

static rlx_status fixpoint(flow *f)
{
    bool again = true;
    uint64_t *out = f->sets + (size_t)f->n_blocks * 3 * f->words;
    f->reached[0] = f->dirty[0] = 1;
    while (again) {
        again = false;
        for (uint32_t b = 0; b < f->n_blocks; b++) {
            if (!f->dirty[b])
                continue;
            f->dirty[b] = 0;
            f->work += 9ull * f->words;
            if (f->words)
                memcpy(out, f->sets + (size_t)b * 3 * f->words, 24ull * f->words);
            RLX_TRY(for_block(f, b, false, transfer));
            rlxv_instruction in = {0};
            for (uint32_t pc = f->start[b]; pc < f->start[b + 1]; pc += in.n_words)
                rlxv_decode(f->fn->code + pc, f->fn->n_words - pc, &in);
            uint32_t next[2], n = 0;
            if (!(in.info->flags & RLX_OPF_TERM))
                next[n++] = b + 1;
            for (uint32_t i = 0; i < in.n_operands; i++)
                if (in.operands[i].letter == 'j')
                    next[n++] = f->block_of[in.operands[i].value];
            for (uint32_t i = 0; i < n; i++) {
                if (merge(f, next[i], out)) {
                    f->dirty[next[i]] = 1;
                    again |= next[i] <= b;
                }
            }
        }
    }
    return RLX_OK;
}

/* --- checks ---------------------------------------------------------------------------------- */

static rlx_status reject(flow *f, uint32_t pc, const char *op, uint32_t var, const char *why)
{
    bool slot = var >= f->fn->n_registers;
    return rlx_fail(f->err, RLX_E_INVALID_MODULE, "function %.*s, pc %u (%s): %s %u %s",
                    (int)f->fn->name.len, f->fn->name.data, pc, op, slot ? "slot" : "register",
                    slot ? var - f->fn->n_registers : var, why);
}

static uint8_t kind_of_type(rlx_type_kind kind)
{
    switch (kind) {
    case RLX_TYPE_TENSOR:
        return RLX_KIND_TENSOR;
    case RLX_TYPE_SHAPE:
        return RLX_KIND_SHAPE;
    case RLX_TYPE_TUPLE:
        return RLX_KIND_TUPLE;
    case RLX_TYPE_CALLABLE:
        return RLX_KIND_CLOSURE;
    case RLX_TYPE_OBJECT:
    case RLX_TYPE_PRIM:
        break;
    }
    return KIND_UNKNOWN;
}

/* Makes state and kind of |var| valid for |block|. */
static void refresh(flow *f, uint32_t block, uint32_t var)
{
    if (f->epoch[var] == block + 1)
        return;
    f->epoch[var] = block + 1;
    f->kind[var] = var < f->fn->n_params ? kind_of_type(f->exe->types[f->fn->params[var].type].kind)
                                         : (uint8_t)KIND_UNKNOWN;
    f->state[var] =
        f->global[var] == LOCAL_VARIABLE
            ? UNASSIGNED
            : get_bits(f->sets + (size_t)block * 3 * f->words, f->words, f->global[var]);
}

static void check_access(flow *f, uint32_t block, uint32_t var, char access)
{
    refresh(f, block, var);
    if (access != 'd' && f->state[var] != LIVE && f->bad_var == RLX_NONE) {
        f->bad_var = var;
        f->bad_state = f->state[var];
    }
    if (access != 'u')
        f->state[var] = access == 'k' ? KILLED : LIVE;
    if (access == 'd')
        f->kind[var] = KIND_UNKNOWN;
}

#define BIT(kind) (1u << (kind))
#define NUMBERS (BIT(RLX_KIND_INT) | BIT(RLX_KIND_BOOL) | BIT(RLX_KIND_TENSOR))

/* The kinds that an operand may have; 0: any. */
static uint32_t kinds_wanted(rlx_opcode op, char letter)
{
    switch (op) {
    case RLX_OP_CALL_KERNEL:
    case RLX_OP_CALL_KERNEL_IN:
    case RLX_OP_VIEW:
    case RLX_OP_VIEW_AT:
    case RLX_OP_SHAPE_OF:
    case RLX_OP_TO_VDEVICE:
        return BIT(RLX_KIND_TENSOR);
    case RLX_OP_ALLOC_TENSOR:
        return BIT(RLX_KIND_STORAGE);
    case RLX_OP_TUPLE_ITEM:
        return BIT(RLX_KIND_TUPLE);
    case RLX_OP_CALL_CLOSURE:
        return letter == 'r' ? BIT(RLX_KIND_CLOSURE) : 0;
    case RLX_OP_IF:
    case RLX_OP_SLOT_OF_VALUE:
        return NUMBERS;
    case RLX_OP_BITS_OF_VALUE:
        return BIT(RLX_KIND_FLOAT) | BIT(RLX_KIND_INT) | BIT(RLX_KIND_BOOL);
    case RLX_OP_MATCH_SHAPE:
    case RLX_OP_DIM_OF:
        return BIT(RLX_KIND_TENSOR) | BIT(RLX_KIND_SHAPE);
    case RLX_OP_RET:
    case RLX_OP_GOTO:
    case RLX_OP_AGAIN:
    case RLX_OP_CALL_BUILTIN:
    case RLX_OP_CALL_PACKED:
    case RLX_OP_CALL_FUNC:
    case RLX_OP_MAKE_CLOSURE:
    case RLX_OP_ALLOC_STORAGE:
    case RLX_OP_ALLOC_STORAGE_ON:
    case RLX_OP_NEW_TENSOR:
    case RLX_OP_NEW_TENSOR_ON:
    case RLX_OP_LOAD_CONST_ON:
    case RLX_OP_PLAN:
    case RLX_OP_PLAN_TENSOR:
    case RLX_OP_KILL:
    case RLX_OP_LOAD_CONST:
    case RLX_OP_MOVE:
    case RLX_OP_MAKE_TUPLE:
    case RLX_OP_MATCH_TYPE:
    case RLX_OP_MAKE_SHAPE:
    case RLX_OP_EVAL_SLOT:
    case RLX_OP_VALUE_OF_SLOT:
    case RLX_OP_CHECK:
        return 0;
    }
    return 0;
}

static uint8_t kind_made(const flow *f, const rlxv_instruction *in, uint8_t moved)
{
    switch (in->info->op) {
    case RLX_OP_ALLOC_STORAGE:
    case RLX_OP_ALLOC_STORAGE_ON:
        return RLX_KIND_STORAGE;
    case RLX_OP_ALLOC_TENSOR:
    case RLX_OP_NEW_TENSOR:
    case RLX_OP_PLAN_TENSOR:
    case RLX_OP_VIEW:
    case RLX_OP_VIEW_AT:
    case RLX_OP_TO_VDEVICE:
    case RLX_OP_NEW_TENSOR_ON:
    case RLX_OP_LOAD_CONST_ON:
        return RLX_KIND_TENSOR;
    case RLX_OP_LOAD_CONST:
        return (uint8_t)f->exe->constants[in->operands[1].value].value.kind;
    case RLX_OP_MOVE:
        return moved;
    case RLX_OP_MAKE_TUPLE:
        return RLX_KIND_TUPLE;
    case RLX_OP_MAKE_SHAPE:
    case RLX_OP_SHAPE_OF:
        return RLX_KIND_SHAPE;
    case RLX_OP_MAKE_CLOSURE:
        return RLX_KIND_CLOSURE;
    case RLX_OP_RET:
    case RLX_OP_GOTO:
    case RLX_OP_AGAIN:
    case RLX_OP_IF:
    case RLX_OP_CALL_KERNEL:
    case RLX_OP_CALL_KERNEL_IN:
    case RLX_OP_CALL_BUILTIN:
    case RLX_OP_CALL_PACKED:
    case RLX_OP_CALL_FUNC:
    case RLX_OP_CALL_CLOSURE:
    case RLX_OP_PLAN:
    case RLX_OP_KILL:
    case RLX_OP_TUPLE_ITEM:
    case RLX_OP_MATCH_TYPE:
    case RLX_OP_MATCH_SHAPE:
    case RLX_OP_EVAL_SLOT:
    case RLX_OP_SLOT_OF_VALUE:
    case RLX_OP_BITS_OF_VALUE:
    case RLX_OP_VALUE_OF_SLOT:
    case RLX_OP_DIM_OF:
    case RLX_OP_CHECK:
        break;
    }
    return KIND_UNKNOWN;
}

static rlx_status check_kinds(flow *f, uint32_t block, uint32_t pc, const rlxv_instruction *in)
{
    for (uint32_t i = 0; i < in->n_operands; i++) {
        const rlxv_operand *o = &in->operands[i];
        uint32_t wanted = kinds_wanted(in->info->op, o->letter);
        if (!wanted || (o->letter != 'r' && o->letter != 'R'))
            continue;
        for (uint32_t k = 0; k < (o->letter == 'R' ? o->n : 1); k++) {
            uint32_t r = o->letter == 'R' ? o->items[k] : o->value;
            refresh(f, block, r);
            if (f->kind[r] != KIND_UNKNOWN && !(wanted & BIT(f->kind[r])))
                return reject(f, pc, in->info->name, r, "has the wrong kind");
        }
    }
    return RLX_OK;
}

static rlx_status check_block(flow *f, uint32_t block)
{
    const uint64_t *sets = f->sets + (size_t)block * 3 * f->words;
    for (uint32_t w = 0; w < f->words; w++) {
        uint64_t mixed = sets[f->words + w] & sets[2 * (size_t)f->words + w];
        for (uint32_t v = 0; mixed && v < f->n_vars; v++)
            if (f->global[v] / 64 == w && f->global[v] != LOCAL_VARIABLE &&
                mixed >> (f->global[v] % 64) & 1)
                return reject(f, f->start[block], "join", v,
                              "is killed on one path and live on another");
    }
    rlxv_instruction in;
    for (uint32_t pc = f->start[block]; pc < f->start[block + 1]; pc += in.n_words) {
        rlxv_decode(f->fn->code + pc, f->fn->n_words - pc, &in);
        RLX_TRY(check_kinds(f, block, pc, &in));
        uint8_t moved = KIND_UNKNOWN;
        if (in.info->op == RLX_OP_MOVE) {
            refresh(f, block, in.operands[1].value);
            moved = f->kind[in.operands[1].value];
        }
        f->bad_var = RLX_NONE;
        visit_instruction(f, block, &in, true, check_access);
        if (f->work > MAX_WORK)
            return too_complex(f);
        if (f->bad_var != RLX_NONE)
            return reject(f, pc, in.info->name, f->bad_var,
                          f->bad_state == KILLED       ? "is used after it was killed"
                          : f->bad_state == UNASSIGNED ? "is used before it is assigned"
                                                       : "is not assigned on every path");
        if (in.n_operands && in.operands[0].letter == 'd')
            f->kind[in.operands[0].value] = kind_made(f, &in, moved);
    }
    return RLX_OK;
}

static rlx_status no_memory(flow *f)
{
    return rlx_fail(f->err, RLX_E_NOMEM, "out of memory while verifying");
}

static rlx_status prepare(flow *f)
{
    const rlxv_function *fn = f->fn;
    f->n_vars = fn->n_registers + fn->n_slots;
    f->start = rlxv_arena_alloc(&f->arena, (size_t)f->n_blocks + 1, sizeof *f->start);
    f->home = rlxv_arena_alloc(&f->arena, f->n_vars, sizeof *f->home);
    f->global = rlxv_arena_alloc(&f->arena, f->n_vars, sizeof *f->global);
    f->epoch = rlxv_arena_alloc(&f->arena, f->n_vars, sizeof *f->epoch);
    f->state = rlxv_arena_alloc(&f->arena, f->n_vars, 1);
    f->kind = rlxv_arena_alloc(&f->arena, f->n_vars, 1);
    f->needs_sets = rlxv_arena_alloc(&f->arena, f->n_vars, 1);
    f->dirty = rlxv_arena_alloc(&f->arena, f->n_blocks, 1);
    f->reached = rlxv_arena_alloc(&f->arena, f->n_blocks, 1);
    if (!f->start || !f->home || !f->global || !f->epoch || !f->state || !f->kind || !f->dirty ||
        !f->reached || !f->needs_sets)
        return no_memory(f);
    for (uint32_t pc = fn->n_words; pc-- > 0;)
        if (f->block_of[pc] != RLX_NONE)
            f->start[f->block_of[pc]] = pc;
    f->start[f->n_blocks] = fn->n_words;

    for (uint32_t b = 0; b < f->n_blocks; b++)
        RLX_TRY(for_block(f, b, true, note));
    for (uint32_t v = 0; v < f->n_vars; v++) {
        bool given =
            v < fn->n_params || (v >= fn->n_registers && v - fn->n_registers < fn->n_symbols);
        f->global[v] = f->needs_sets[v] || given ? f->n_global++ : LOCAL_VARIABLE;
    }
    f->words = (f->n_global + 63) / 64;
    if ((uint64_t)f->words * 64 * (f->n_blocks + 1) > MAX_CELLS)
        return too_complex(f);
    f->sets = rlxv_arena_alloc(&f->arena, ((size_t)f->n_blocks + 1) * 3 * f->words, 8);
    if (!f->sets)
        return no_memory(f);
    for (uint32_t v = 0; v < f->n_vars; v++) {
        bool given =
            v < fn->n_params || (v >= fn->n_registers && v - fn->n_registers < fn->n_symbols);
        if (f->global[v] != LOCAL_VARIABLE)
            set_bits(f->sets, f->words, f->global[v], given ? LIVE : UNASSIGNED);
    }
    return RLX_OK;
}

rlx_status rlxv_verify_flow(const rlx_executable *exe, const rlxv_function *fn,
                            const uint32_t *block_of, uint32_t n_blocks, rlx_error *err)
{
    flow f = {.exe = exe, .fn = fn, .block_of = block_of, .n_blocks = n_blocks, .err = err};
    rlxv_arena_init(&f.arena, &exe->allocator);
    rlx_status status = prepare(&f);
    if (status == RLX_OK)
        status = fixpoint(&f);
    for (uint32_t b = 0; b < n_blocks && status == RLX_OK; b++)
        if (f.reached[b])
            status = check_block(&f, b);
    rlxv_arena_deinit(&f.arena);
    return status;
}
