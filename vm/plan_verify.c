/* Checks a file's memory plans against its code, for `rlx verify`. Shares nothing with the planner
 * except the order of the intervals' ends. Within a basic block it tracks which register holds a
 * tensor of which buffer, through moves and views, and requires each use to be inside the buffer's
 * interval; values from other blocks are not tracked. Two buffers of a region with overlapping
 * intervals and stated offsets must be disjoint. */
#include "vm/exec.h"
#include "vm/need.h"

#include <string.h>

typedef struct follower {
    const rlx_executable *exe;
    const rlxv_function *fn;
    uint32_t *holds;  /* per register: buffer + 1, 0: unknown */
    uint8_t *targets; /* per word: a jump goes there */
    rlx_error *err;
} follower;

static rlx_status misused(const follower *f, uint32_t pc, uint32_t buffer)
{
    const rlx_plan_buffer *b = &f->fn->plan.buffers[buffer];
    return rlx_fail(f->err, RLX_E_INVALID_MODULE,
                    "function %.*s, pc %u: buffer %u is used outside its interval, %u to %u",
                    (int)f->fn->name.len, f->fn->name.data, pc, buffer, b->first, b->last);
}

static bool is_in_use(const follower *f, uint32_t buffer, uint32_t pc)
{
    const rlx_plan_buffer *b = &f->fn->plan.buffers[buffer];
    return b->first <= pc && pc < b->last;
}

static rlx_status check_uses(const follower *f, uint32_t pc, const rlxv_instruction *in)
{
    for (uint32_t i = 0; i < in->n_operands; i++) {
        const rlxv_operand *o = &in->operands[i];
        uint32_t n = o->letter == 'R' ? o->n : o->letter == 'r' ? 1 : 0;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t buffer = f->holds[o->letter == 'R' ? o->items[k] : o->value];
            if (buffer && !is_in_use(f, buffer - 1, pc))
                return misused(f, pc, buffer - 1);
        }
        if (o->letter == 'u' && !is_in_use(f, o->value, pc))
            return misused(f, pc, o->value);
    }
    return RLX_OK;
}

static rlx_status step(follower *f, uint32_t pc, const rlxv_instruction *in)
{
    const rlxv_operand *o = in->operands;
    uint32_t held = 0;
    RLX_TRY(check_uses(f, pc, in));
    if (in->info->op == RLX_OP_PLAN_TENSOR)
        held = f->fn->plan.tensors[o[1].value].buffer + 1;
    else if (in->info->op == RLX_OP_MOVE || in->info->op == RLX_OP_VIEW ||
             in->info->op == RLX_OP_VIEW_AT)
        held = f->holds[o[1].value];
    if (held && !is_in_use(f, held - 1, pc))
        return misused(f, pc, held - 1);
    for (uint32_t i = 0; i < in->n_operands; i++)
        if (o[i].letter == 'd' || o[i].letter == 'k')
            f->holds[o[i].value] = o[i].letter == 'd' ? held : 0;
    return RLX_OK;
}

static rlx_status check_code(follower *f)
{
    const rlxv_function *fn = f->fn;
    rlxv_instruction in;
    bool fresh = true;
    for (uint32_t pc = 0; pc < fn->n_words; pc += in.n_words) {
        rlxv_decode(fn->code + pc, fn->n_words - pc, &in);
        for (uint32_t i = 0; i < in.n_operands; i++)
            if (in.operands[i].letter == 'j')
                f->targets[in.operands[i].value] = 1;
    }
    for (uint32_t pc = 0; pc < fn->n_words; pc += in.n_words) {
        rlxv_decode(fn->code + pc, fn->n_words - pc, &in);
        if (fresh || f->targets[pc])
            memset(f->holds, 0, fn->n_registers * sizeof *f->holds);
        RLX_TRY(step(f, pc, &in));
        fresh = in.info->flags & (RLX_OPF_TERM | RLX_OPF_JUMP);
    }
    return RLX_OK;
}

static uint64_t end_of(const follower *f, const rlx_plan_buffer *b)
{
    return b->offset + (uint64_t)f->exe->exprs[b->size].value; /* both bounded by the loader */
}

static rlx_status overlap(const follower *f, uint32_t a, uint32_t b)
{
    return rlx_fail(f->err, RLX_E_INVALID_MODULE,
                    "function %.*s: buffers %u and %u are in use at the same time and overlap",
                    (int)f->fn->name.len, f->fn->name.data, a, b);
}

/* By time; |active|: the buffers in use, by offset. As they are disjoint, a new one can only
 * overlap its neighbours. */
static rlx_status check_offsets(const follower *f, const rlxv_region *r, uint32_t *active)
{
    const rlx_plan_buffer *rows = f->fn->plan.buffers;
    uint32_t n = 0;
    for (uint32_t i = 0; r->is_stated && i < 2 * r->n_buffers; i++) {
        uint32_t index = r->buffers[r->events[i] / 2], low = 0, high = n;
        const rlx_plan_buffer *b = &rows[index];
        uint64_t end = end_of(f, b);
        if (b->first == b->last || end == b->offset)
            continue;
        while (low < high) {
            uint32_t mid = low + (high - low) / 2;
            if (rows[active[mid]].offset < b->offset)
                low = mid + 1;
            else
                high = mid;
        }
        if (!(r->events[i] & 1)) {
            memmove(active + low, active + low + 1, (--n - low) * sizeof *active);
            continue;
        }
        if (low > 0 && end_of(f, &rows[active[low - 1]]) > b->offset)
            return overlap(f, active[low - 1], index);
        if (low < n && rows[active[low]].offset < end)
            return overlap(f, index, active[low]);
        memmove(active + low + 1, active + low, (n++ - low) * sizeof *active);
        active[low] = index;
    }
    return RLX_OK;
}

rlx_status rlx_executable_verify_plans(const rlx_executable *exe, rlx_error *err)
{
    RLXV_NEED(err, exe);
    rlx_status status = RLX_OK;
    for (uint32_t i = 0; i < exe->n_functions && status == RLX_OK; i++) {
        follower f = {.exe = exe, .fn = &exe->functions[i], .err = err};
        if (f.fn->plan.n_regions == 0)
            continue;
        rlxv_arena arena;
        rlxv_arena_init(&arena, NULL);
        f.holds = rlxv_arena_alloc(&arena, f.fn->n_registers, sizeof *f.holds);
        f.targets = rlxv_arena_alloc(&arena, f.fn->n_words, 1);
        uint32_t *active = rlxv_arena_alloc(&arena, f.fn->plan.n_buffers, sizeof *active);
        if (f.holds && f.targets && active)
            status = check_code(&f);
        else
            status = rlx_fail(err, RLX_E_NOMEM, "out of memory while verifying");
        for (uint32_t z = 0; z < f.fn->plan.n_regions && status == RLX_OK; z++)
            status = check_offsets(&f, &f.fn->plan.regions[z], active);
        rlxv_arena_deinit(&arena);
    }
    return status;
}
