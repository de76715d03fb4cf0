/* Threads, and the parallel loops of kernels on them.

   A loop splits into at most one share a worker of its VM; share k uses worker k, whichever thread
   runs it, so no two threads use the same scratch arena. VMs that share threads take turns: if the
   threads are busy, a loop runs on its caller's thread alone rather than wait or add threads;
   parallel_backoff.c decides when a loop is better not split at all. */
#include "vm/need.h"
#include "vm/vm_impl.h"

#define MAX_THREADS 1024u

rlx_status rlx_threads_create(const rlx_allocator *a, uint32_t n, rlx_threads **out, rlx_error *err)
{
    RLXV_NEED(err, out);
    a = a ? a : rlx_default_allocator();
    if (n > MAX_THREADS)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%u threads: at most %u can be started", n,
                        MAX_THREADS);
    n = n == 0 ? 1 : n;
    rlx_threads *t = rlx_alloc(a, sizeof *t, _Alignof(rlx_threads));
    if (!t)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while starting threads");
    *t = (rlx_threads){.allocator = *a, .n = n, .pace = RLXV_PARALLEL_BACKOFF_NEW};
    const rlx_status status = n > 1 ? rlxv_start_pool(a, n, &t->pool, err) : RLX_OK;
    if (status != RLX_OK) {
        rlx_free(a, t, sizeof *t, _Alignof(rlx_threads));
        return status;
    }
    atomic_init(&t->refs, 1);
    atomic_init(&t->is_busy, false);
    *out = t;
    return RLX_OK;
}

rlx_threads *rlx_threads_retain(rlx_threads *t)
{
    if (!t)
        return NULL;
    atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
    return t;
}

void rlx_threads_release(rlx_threads *t)
{
    if (!t || atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
        return;
    rlx_allocator a = t->allocator;
    if (t->pool)
        rlxv_stop_pool(t->pool);
    rlx_free(&a, t, sizeof *t, _Alignof(rlx_threads));
}

/* --- loops ------------------------------------------------------------------------------------ */

/* The pool's own handshakes order the caller before the shares and the shares before the return,
 * but the library is built without ThreadSanitizer, so the order is annotated here. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define ORDER_BEFORE(p) __tsan_release(p)
#define ORDER_AFTER(p) __tsan_acquire(p)
#else
#define ORDER_BEFORE(p) ((void)(p))
#define ORDER_AFTER(p) ((void)(p))
#endif

/* True if a loop may use the threads now; false if there are none. */
static bool take_turn(rlx_threads *threads)
{
    return threads->pool &&
           !atomic_exchange_explicit(&threads->is_busy, true, memory_order_acquire);
}

static void end_turn(rlx_threads *threads)
{
    atomic_store_explicit(&threads->is_busy, false, memory_order_release);
}

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
    if (atomic_load_explicit(&s->result, memory_order_relaxed))
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
    shares *s = context;
    ORDER_AFTER(s);
    int64_t began = (int64_t)rlxv_now();
    run_one_share(s, i);
    s->vm->workers[i].share_ns = (int64_t)rlxv_now() - began;
    ORDER_BEFORE(s);
}

/* The time that the shares would have taken serially. Shares are alike; one that took far longer
 * than another was not running all that time, because its thread had lost its core. */
static int64_t time_alone(const rlx_vm *vm, int64_t n_shares)
{
    enum { UNLIKE = 4, A_SLICE_NS = 1000000 };
    int64_t least = vm->workers[0].share_ns, sum = 0;
    for (int64_t i = 1; i < n_shares; i++)
        if (vm->workers[i].share_ns < least)
            least = vm->workers[i].share_ns;
    const int64_t most = UNLIKE * least + A_SLICE_NS;
    for (int64_t i = 0; i < n_shares; i++)
        sum += vm->workers[i].share_ns < most ? vm->workers[i].share_ns : most;
    return sum;
}

int32_t rlxv_parallel_for(rlx_kernel_context *ctx, rlx_parallel_body body, void *user, int64_t n,
                          int64_t grain)
{
    rlxv_worker *w = ctx->host;
    rlx_vm *vm = w->vm;
    if (n <= 0)
        return 0;
    if (grain < 1)
        grain = 1;
    if (w->in_share || !take_turn(vm->threads))
        return body(user, 0, n, ctx);
    rlxv_parallel_backoff *pace = &vm->threads->pace;
    const int64_t began = (int64_t)rlxv_now();
    rlxv_parallel_backoff_now how = rlxv_parallel_backoff_begin(pace, began);
    if (how == RLXV_ALONE)
        grain = n;
    else if (how == RLXV_APART) /* the grain pays if workers are awake */
        grain = grain > n / 16 ? n : grain * 16;
    int64_t n_shares = (n - 1) / grain + 1;
    if (n_shares > vm->n_workers)
        n_shares = vm->n_workers;
    if (n_shares == 1) {
        end_turn(vm->threads);
        return body(user, 0, n, ctx);
    }
    shares s = {vm, body, user, n, (n - 1) / n_shares + 1, 0};
    n_shares = (n - 1) / s.per_share + 1;
    ORDER_BEFORE(&s);
    rlxv_run_in_pool(vm->threads->pool, run_share, &s, (size_t)n_shares, how != RLXV_CLOSE);
    ORDER_AFTER(&s);
    const int64_t now = (int64_t)rlxv_now();
    rlxv_parallel_backoff_end(pace, now, time_alone(vm, n_shares) - (now - began));
    end_turn(vm->threads);
    return atomic_load(&s.result);
}
