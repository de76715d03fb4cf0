/* The VM's stack: frames lie in chunks that never move and are reused between calls.

   One frame holds its registers, its slots, the regions of its function's memory plan, and room to
   gather the longest argument list, so that the interpreter allocates nothing of its own per
   instruction. */
#include "vm/vm_impl.h"

#include <rlx/checked.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)65536)
#define CHUNK_HEADER ((sizeof(rlxv_stack_chunk) + 15) & ~(size_t)15)
#define FRAME_HEADER ((sizeof(rlxv_frame) + 15) & ~(size_t)15)
#define KEPT_BYTES ((size_t)4 << 20)
/* Even without a limit by the host, endless recursion must end before memory runs out. */
#define MAX_STACK_BYTES ((size_t)256 << 20)

static void free_chunk(rlx_vm *vm, rlxv_stack_chunk *c)
{
    vm->stack_bytes -= c->size;
    rlxv_pool_unreserve(vm->pool, c, c->size, 16);
}

static rlx_status next_chunk(rlx_vm *vm, size_t bytes, rlx_error *err)
{
    rlxv_stack_chunk *top = vm->stack, *fresh;
    while (top && top->next && top->next->size - CHUNK_HEADER < bytes) {
        rlxv_stack_chunk *small = top->next; /* too small for this frame, and empty */
        top->next = small->next;
        if (small->next)
            small->next->previous = top;
        free_chunk(vm, small);
    }
    if (top && top->next) {
        vm->stack = top->next;
        return RLX_OK;
    }
    size_t size = bytes + CHUNK_HEADER > CHUNK_BYTES ? bytes + CHUNK_HEADER : CHUNK_BYTES;
    void *memory;
    if (size > MAX_STACK_BYTES - vm->stack_bytes)
        return rlx_fail(err, RLX_E_LIMIT, "the frames of nested calls take more than %zu bytes",
                        MAX_STACK_BYTES);
    RLX_TRY(rlxv_pool_reserve(vm->pool, size, 16, &memory, err));
    vm->stack_bytes += size;
    fresh = memory;
    *fresh = (rlxv_stack_chunk){top, NULL, size, CHUNK_HEADER};
    if (top)
        top->next = fresh;
    vm->stack = fresh;
    return RLX_OK;
}

rlx_status rlxv_frame_push(rlx_vm *vm, const rlxv_function *fn, rlxv_frame **out, rlx_error *err)
{
    /* Bounded by the verifier's limits on registers, slots and list lengths: no overflow. */
    size_t values = (size_t)fn->n_registers + fn->max_values;
    size_t words = (size_t)fn->n_slots + fn->max_dims + fn->max_values;
    size_t regions = (size_t)fn->plan.n_regions * sizeof(rlxv_region_use);
    size_t bytes = FRAME_HEADER + values * sizeof(rlx_value) + (words * 8 + regions + 15) / 16 * 16;
    if (vm->n_frames >= vm->options.max_frames)
        return rlx_fail(err, RLX_E_LIMIT, "calls are nested deeper than %u frames",
                        vm->options.max_frames);
    if (!vm->stack || vm->stack->size - vm->stack->used < bytes)
        RLX_TRY(next_chunk(vm, bytes, err));
    rlxv_stack_chunk *c = vm->stack;
    rlxv_frame *f = (rlxv_frame *)((uint8_t *)c + c->used);
    f->chunk = c;
    f->chunk_used = c->used;
    c->used += bytes;
    f->caller = NULL;
    f->fn = fn;
    f->pc = fn->code;
    f->regs = (rlx_value *)((uint8_t *)f + FRAME_HEADER);
    f->values = f->regs + fn->n_registers;
    f->slots = (int64_t *)(f->values + fn->max_values);
    f->dims = f->slots + fn->n_slots;
    f->pointers = (void **)(f->dims + fn->max_dims);
    f->regions = (rlxv_region_use *)(f->pointers + fn->max_values);
    for (uint32_t z = 0; z < fn->plan.n_regions; z++)
        f->regions[z] = (rlxv_region_use){0};
    f->result = 0;
    f->kind = RLX_CALL_FUNCTION;
    f->profile_row = RLX_NONE;
    f->start_ns = 0;
    memset(f->regs, 0, fn->n_registers * sizeof *f->regs);
    vm->n_frames++;
    *out = f;
    return RLX_OK;
}

void rlxv_frame_pop(rlx_vm *vm, rlxv_frame *f)
{
    for (uint32_t i = 0; i < f->fn->n_registers; i++)
        rlxv_release_value(f->regs[i]);
    if (f->fn->plan.n_regions)
        rlxv_plan_leave(vm, f);
    rlxv_stack_chunk *c = f->chunk;
    c->used = f->chunk_used;
    vm->n_frames--;
    /* The chunk that holds the frame below becomes current again when this one is empty. */
    vm->stack = c->used == CHUNK_HEADER && c->previous ? c->previous : c;
}

static void free_after(rlx_vm *vm, rlxv_stack_chunk *c)
{
    rlxv_stack_chunk *next = c->next;
    c->next = NULL;
    while (next) {
        rlxv_stack_chunk *gone = next;
        next = gone->next;
        free_chunk(vm, gone);
    }
}

void rlxv_stack_trim(rlx_vm *vm)
{
    size_t kept = 0;
    for (rlxv_stack_chunk *c = vm->stack; c; c = c->next) {
        kept += c->size;
        if (kept >= KEPT_BYTES)
            free_after(vm, c);
    }
}

void rlxv_stack_free(rlx_vm *vm)
{
    if (!vm->stack)
        return;
    free_after(vm, vm->stack);
    free_chunk(vm, vm->stack);
    vm->stack = NULL;
}
