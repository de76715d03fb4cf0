/* What kernels get beside their buffers: scratch memory and parallel loops.

   Scratch memory is a stack of chunks per worker; the serial part of a kernel that has a buffer in
   the memory plan takes that first. After a kernel returns one chunk remains, large
   enough for all that it took, so the next run allocates nothing; none where bytes are limited.
   Parallel loops split into at most one share a worker; share k uses worker k, whichever thread
   runs it, so no two threads ever meet in one arena. */
#include "vm/vm_impl.h"

#include <pthreadpool.h>
#include <rlx/checked.h>
#include <string.h>
#include <time.h>

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
    /* The pool stands still while kernels run: its figures may be read from any worker. Unused
       memory is given up where no share of a loop can run beside. */
    uint64_t used = rlxv_pool_used(pool) + before;
    rlxv_scratch_chunk *c = NULL;
    bool fits = limit == 0 || (used <= limit && size <= limit - used);
    if (limit && fits && !w->in_share && pool->cached_bytes > limit - used - size)
        rlxv_pool_trim(pool);
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

static void *scratch_alloc(rlx_kernel_context *ctx, int64_t bytes, int64_t align)
{
    rlxv_worker *w = worker_of(ctx);
    size_t need, at;
    if (bytes < 0 || align <= 0 || align > (int64_t)RLXV_MAX_ALIGN || (align & (align - 1)) != 0)
        return NULL;
    size_t a = align < 64 ? 64 : (size_t)align, size = bytes ? (size_t)bytes : 1;
    rlxv_scratch_plan *plan = &w->plan;
    if (plan->bytes) {
        at = plan->used + (a - ((uintptr_t)plan->bytes + plan->used) % a) % a;
        if (at <= plan->size && size <= plan->size - at) {
            plan->used = at + size;
            return plan->bytes + at;
        }
    }
    rlxv_scratch_chunk *c = w->chunk;
    if (c) {
        /* Chunks are 64-byte aligned; a stricter alignment counts from the address. */
        at = c->used + (a - ((uintptr_t)c + c->used) % a) % a;
        if (at <= c->size && size <= c->size - at) {
            c->used = at + size;
            return (uint8_t *)c + at;
        }
    }
    if (!rlx_add_size(size, CHUNK_HEADER + a, &need) || need > PTRDIFF_MAX / 2)
        return NULL;
    c = new_chunk(w, need > CHUNK_BYTES ? need : CHUNK_BYTES);
    if (!c)
        return NULL;
    w->chunk = c;
    at = CHUNK_HEADER + (a - ((uintptr_t)c + CHUNK_HEADER) % a) % a;
    c->used = at + size;
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
            return; /* not ours */
        w->chunk = previous;
        free_chunk(w, c);
        c = previous;
    }
    if (c && at - (uintptr_t)c < c->used)
        c->used = at - (uintptr_t)c;
}

void rlxv_scratch_give_back(rlxv_worker *w, rlxv_scratch_mark mark)
{
    rlxv_scratch_chunk *c = w->chunk;
    size_t total = 0;
    bool empty = !mark.chunk || (!mark.chunk->previous && mark.used == CHUNK_HEADER);
    while (c && (empty || c != mark.chunk)) {
        rlxv_scratch_chunk *previous = c->previous;
        total += c->size;
        free_chunk(w, c);
        c = previous;
    }
    w->chunk = c;
    if (c)
        c->used = mark.used;
    else if (w->vm->options.max_bytes == 0)
        w->chunk = new_chunk(w, total); /* NULL is fine: taken when needed */
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

/* The pool's own handshakes order the caller before the shares and the shares before the return,
 * but ThreadSanitizer cannot see into the library, which is built without it; so they are told to
 * it. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define ORDER_BEFORE(p) __tsan_release(p)
#define ORDER_AFTER(p) __tsan_acquire(p)
#else
#define ORDER_BEFORE(p) ((void)(p))
#define ORDER_AFTER(p) ((void)(p))
#endif

typedef struct shares {
    rlx_vm *vm;
    rlx_parallel_body body;
    void *user;
    int64_t n, per_share;
    atomic_int result;
} shares;

static void run_one_share(shares *s, size_t i)
{
    rlxv_worker *w = &s->vm->workers[i];
    int64_t begin = (int64_t)i * s->per_share;
    int64_t end = s->n - begin < s->per_share ? s->n : begin + s->per_share;
    if (begin >= s->n || atomic_load_explicit(&s->result, memory_order_relaxed))
        return;
    bool nested = w->in_share;
    rlxv_scratch_mark mark = rlxv_scratch_now(w);
    w->in_share = true;
    if (i > 0)
        w->refused = RLX_OK;
    int rc = s->body(s->user, begin, end, &w->ctx), none = 0;
    w->in_share = nested;
    rlxv_scratch_reset(w, mark);
    if (rc)
        atomic_compare_exchange_strong(&s->result, &none, rc);
}

static void run_share(void *context, size_t i)
{
    ORDER_AFTER(context);
    run_one_share(context, i);
    ORDER_BEFORE(context);
}

/* Whether loops follow each other closely, and workers therefore spin between them (for the
   milliseconds after which the library lets them sleep). Waking a sleeping one takes some 40 us, as
   long as a small product takes; a spinning one takes a core that others could use. */
static bool follows_closely(rlx_vm *vm)
{
    enum { CLOSE_US = 500 };
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    int64_t now = (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000, last = vm->last_loop_us;
    vm->last_loop_us = now;
    return now - last < CLOSE_US;
}

static int32_t parallel_for(rlx_kernel_context *ctx, rlx_parallel_body body, void *user, int64_t n,
                            int64_t grain)
{
    rlxv_worker *w = worker_of(ctx);
    rlx_vm *vm = w->vm;
    if (n <= 0)
        return 0;
    if (grain < 1)
        grain = 1;
    if (w->in_share || !vm->threads)
        return body(user, 0, n, ctx);
    bool awake = follows_closely(vm);
    if (!awake) /* the grain is what pays where workers are awake */
        grain = grain > n / 16 ? n : grain * 16;
    int64_t n_shares = (n - 1) / grain + 1;
    if (n_shares > vm->n_workers)
        n_shares = vm->n_workers;
    if (n_shares == 1)
        return body(user, 0, n, ctx);
    shares s = {vm, body, user, n, (n - 1) / n_shares + 1, 0};
    ORDER_BEFORE(&s);
    pthreadpool_parallelize_1d(vm->threads, run_share, &s, (size_t)n_shares,
                               awake ? 0 : PTHREADPOOL_FLAG_YIELD_WORKERS);
    ORDER_AFTER(&s);
    return atomic_load(&s.result);
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
            RLX_KERNEL_ABI, n, scratch_alloc,          scratch_free, parallel_for,
            fail,           w, rlxv_kernel_call_packed};
    }
    if (n > 1) {
        vm->threads = pthreadpool_create(n);
        if (!vm->threads)
            return rlx_fail(err, RLX_E_NOMEM, "cannot start %u threads", n);
    }
    return RLX_OK;
}

void rlxv_workers_destroy(rlx_vm *vm)
{
    if (vm->threads)
        pthreadpool_destroy(vm->threads);
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
