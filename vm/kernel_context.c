/* Kernel contexts: one for each worker, with scratch memory. Scratch memory is a stack of chunks
 * per worker; the serial part of a kernel first uses its buffer in the memory plan, if it has one.
 * After a kernel returns one chunk remains, large enough for everything that it took, so the next
 * run allocates nothing; none remains if bytes are limited. */
#include "vm/vm_impl.h"

#include <rlx/checked.h>
#include <rlx/memory.h>
#include <string.h>

_Static_assert(offsetof(rlx_kernel_context, n_threads) == 4 &&
                   offsetof(rlx_kernel_context, scratch_alloc) == 8 &&
                   offsetof(rlx_kernel_context, scratch_free) == 16 &&
                   offsetof(rlx_kernel_context, parallel_for) == 24 &&
                   offsetof(rlx_kernel_context, fail) == 32 &&
                   offsetof(rlx_kernel_context, call_packed) == 48 &&
                   sizeof(rlx_kernel_arg) == 16 && sizeof(rlx_kernel_tensor) == 32,
               "compiled kernels address these members by offset");

#define CHUNK_HEADER ((size_t)64)
#define CHUNK_BYTES ((size_t)65536)

static rlxv_worker *worker_of(rlx_kernel_context *ctx)
{
    return ctx->host;
}

static void free_chunk(rlxv_worker *w, rlxv_scratch_chunk *c)
{
    atomic_fetch_sub_explicit(&w->vm->pool->scratch_bytes, c->size, memory_order_relaxed);
    rlx_free(&w->vm->allocator, c, c->size, 64);
}

static rlxv_scratch_chunk *new_chunk(rlxv_worker *w, size_t size)
{
    rlx_vm *vm = w->vm;
    rlxv_pool *pool = vm->pool;
    size_t before = atomic_fetch_add_explicit(&pool->scratch_bytes, size, memory_order_relaxed);
    uint64_t limit = vm->options.max_bytes;
    /* The pool does not change while kernels run, so any worker may read its figures. Unused memory
     * is released only if no share of a loop can run at the same time. */
    uint64_t used = rlxv_pool_used(pool) + before;
    rlxv_scratch_chunk *c = NULL;
    bool fits = limit == 0 || (used <= limit && size <= limit - used);
    if (limit && fits && !w->in_share && pool->cached_bytes > limit - used - size)
        rlxv_pool_trim(pool);
    if (limit == 0 && !pool->is_unlimited && size >= RLXV_GRANT)
        fits = rlx_memory_check(size, "scratch memory", NULL) == RLX_OK;
    if (fits)
        c = rlx_alloc(&vm->allocator, size, 64);
    if (!c) {
        w->refused = fits ? RLX_E_NOMEM : RLX_E_LIMIT;
        atomic_fetch_sub_explicit(&pool->scratch_bytes, size, memory_order_relaxed);
        return NULL;
    }
    *c = (rlxv_scratch_chunk){w->chunk, size, CHUNK_HEADER};
    return c;
}

static inline void note_use(rlxv_worker *w, const rlxv_scratch_chunk *c)
{
    if (c->used > w->recent)
        w->recent = c->used;
}

/* Bytes from |at| to the next multiple of |align|, a power of two. A division would cost more than
 * the rest of an allocation. */
static inline size_t gap(uintptr_t at, size_t align)
{
    return (size_t)-at & (align - 1);
}

static void *scratch_alloc(rlx_kernel_context *ctx, int64_t bytes, int64_t align)
{
    rlxv_worker *w = worker_of(ctx);
    size_t need, at;
    if (bytes < 0 || align <= 0 || align > (int64_t)RLXV_MAX_ALIGN || (align & (align - 1)) != 0)
        return NULL;
    size_t a = align < 64 ? 64 : (size_t)align, size = bytes ? (size_t)bytes : 1;
    rlxv_scratch_plan *plan = &w->plan;
    if (plan->bytes) {
        at = plan->used + gap((uintptr_t)plan->bytes + plan->used, a);
        if (at <= plan->size && size <= plan->size - at) {
            plan->used = at + size;
            return plan->bytes + at;
        }
    }
    rlxv_scratch_chunk *c = w->chunk;
    if (c) {
        /* Chunks are 64-byte aligned; a stricter alignment counts from the address. */
        at = c->used + gap((uintptr_t)c + c->used, a);
        if (at <= c->size && size <= c->size - at) {
            c->used = at + size;
            note_use(w, c);
            return (uint8_t *)c + at;
        }
    }
    if (!rlx_add_size(size, CHUNK_HEADER + a, &need) || need > PTRDIFF_MAX / 2)
        return NULL;
    c = new_chunk(w, need > CHUNK_BYTES ? need : CHUNK_BYTES);
    if (!c)
        return NULL;
    w->chunk = c;
    at = CHUNK_HEADER + gap((uintptr_t)c + CHUNK_HEADER, a);
    c->used = at + size;
    note_use(w, c);
    return (uint8_t *)c + at;
}

static void scratch_free(rlx_kernel_context *ctx, void *p)
{
    rlxv_worker *w = worker_of(ctx);
    rlxv_scratch_chunk *c = w->chunk;
    uintptr_t at = (uintptr_t)p;
    uintptr_t in_plan = at - (uintptr_t)w->plan.bytes;
    if (w->plan.bytes && in_plan < w->plan.size) {
        if (in_plan < w->plan.used)
            w->plan.used = in_plan;
        return;
    }
    while (c && (at < (uintptr_t)c || at >= (uintptr_t)c + c->size)) {
        rlxv_scratch_chunk *previous = c->previous;
        if (!previous)
            return; /* not from this context */
        w->chunk = previous;
        free_chunk(w, c);
        c = previous;
    }
    if (c && at - (uintptr_t)c < c->used)
        c->used = at - (uintptr_t)c;
}

void rlxv_scratch_give_back(rlxv_worker *w, const rlxv_scratch_chunk *chunk, size_t used)
{
    rlxv_scratch_chunk *c = w->chunk;
    size_t total = 0;
    bool empty = !chunk || (!chunk->previous && used == CHUNK_HEADER);
    while (c && (empty || c != chunk)) {
        rlxv_scratch_chunk *previous = c->previous;
        total += c->size;
        free_chunk(w, c);
        c = previous;
    }
    w->chunk = c;
    if (c)
        c->used = used;
    else if (w->vm->options.max_bytes == 0)
        w->chunk = new_chunk(w, total); /* NULL is fine: allocated when needed */
}

bool rlxv_scratch_age(rlxv_worker *w)
{
    rlxv_scratch_chunk *c = w->chunk;
    const bool is_large =
        c && !c->previous && c->used == CHUNK_HEADER && rlxv_is_far_more(c->size, w->recent);
    if (is_large) {
        w->chunk = NULL;
        free_chunk(w, c);
    }
    w->recent = 0;
    return is_large;
}

static int32_t fail(rlx_kernel_context *ctx, const char *message)
{
    rlxv_worker *w = worker_of(ctx);
    if (!w->message[0] && message) {
        size_t n = strnlen(message, sizeof w->message - 1);
        memcpy(w->message, message, n);
        w->message[n] = 0;
    }
    return 1;
}

rlx_status rlxv_workers_create(rlx_vm *vm, uint32_t n, rlx_error *err)
{
    vm->workers = rlx_alloc(&vm->allocator, n * sizeof *vm->workers, 16);
    if (!vm->workers)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while creating a VM");
    memset(vm->workers, 0, n * sizeof *vm->workers);
    vm->n_workers = n;
    for (uint32_t i = 0; i < n; i++) {
        rlxv_worker *w = &vm->workers[i];
        w->vm = vm;
        w->ctx = (rlx_kernel_context){
            RLX_KERNEL_ABI, n, scratch_alloc,          scratch_free, rlxv_parallel_for,
            fail,           w, rlxv_kernel_call_packed};
    }
    return RLX_OK;
}

void rlxv_workers_destroy(rlx_vm *vm)
{
    for (uint32_t i = 0; i < vm->n_workers; i++) {
        rlxv_worker *w = &vm->workers[i];
        while (w->chunk) {
            rlxv_scratch_chunk *c = w->chunk;
            w->chunk = c->previous;
            free_chunk(w, c);
        }
    }
    rlx_free(&vm->allocator, vm->workers, vm->n_workers * sizeof *vm->workers, 16);
    vm->workers = NULL;
    vm->n_workers = 0;
}
