/* Runs the threads of a block in turns, each with a stack of its own, so that they can wait for
 * each other. Blocks run one after the other. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/fake/gpu/ptx.h"

enum { MAX_THREADS = 1024, STACK = 256 << 10, WARP = 32, WORDS = 16, COPIES = 512 };

typedef enum state { RUNS, AT_BARRIER, AT_EXCHANGE, ENDED } state;

typedef struct pending { /* a copy that has been asked for */
    uint64_t to, from;
    uint32_t bytes, present, group;
} pending;

typedef struct fiber {
    gpu_thread t; /* first: a thread is its fiber */
    pending copies[COPIES];
    uint32_t n_copies, group;
    ucontext_t context;
    state state;
    uint32_t mask; /* lanes that exchange with it */
    uint64_t value;
    uint32_t words[WORDS], seen[WARP * WORDS];
} fiber;

static fiber *fibers;
static char *stacks;
static uint32_t n_fibers, running;
static ucontext_t scheduler;
static const gpu_row *row;
static const unsigned char *param;
static bool trapped;

static void wait_as(fiber *f, state s)
{
    f->state = s;
    if (row->meets)
        swapcontext(&f->context, &scheduler);
}

static void barrier(gpu_thread *t)
{
    wait_as((fiber *)t, AT_BARRIER);
}

static uint32_t warp_of(const fiber *f)
{
    return (uint32_t)(f - fibers) / WARP * WARP;
}

static uint64_t exchange(gpu_thread *t, uint32_t mask, uint64_t value, uint32_t at)
{
    fiber *f = (fiber *)t;
    f->mask = mask;
    f->value = value;
    wait_as(f, AT_EXCHANGE);
    /* all have written; none goes on to write again before all have read */
    uint32_t from = warp_of(f) + (at & (WARP - 1));
    uint64_t got = from < n_fibers ? fibers[from].value : value;
    wait_as(f, AT_EXCHANGE);
    return got;
}

static const uint32_t *gather(gpu_thread *t, const uint32_t *words, uint32_t n)
{
    fiber *f = (fiber *)t;
    f->mask = UINT32_MAX;
    memcpy(f->words, words, n * sizeof *words);
    wait_as(f, AT_EXCHANGE);
    for (uint32_t i = 0; i < WARP && warp_of(f) + i < n_fibers; i++)
        memcpy(f->seen + i * n, fibers[warp_of(f) + i].words, n * sizeof *words);
    wait_as(f, AT_EXCHANGE);
    return f->seen;
}

static void copy(gpu_thread *t, uint64_t to, uint64_t from, uint32_t bytes, uint32_t present)
{
    fiber *f = (fiber *)t;
    trapped = trapped || f->n_copies == COPIES || to % bytes || (present && from % bytes);
    if (!trapped)
        f->copies[f->n_copies++] = (pending){to, from, bytes, present, f->group};
}

static void commit(gpu_thread *t)
{
    ((fiber *)t)->group++;
}

static void wait_for_copies(gpu_thread *t, uint32_t groups)
{
    fiber *f = (fiber *)t;
    uint32_t left = 0;
    for (uint32_t i = 0; i < f->n_copies; i++) {
        const pending *c = &f->copies[i];
        if (c->group + groups >= f->group) { /* of the last groups, or of none yet */
            f->copies[left++] = *c;
            continue;
        }
        memset((void *)(uintptr_t)c->to, 0, c->bytes);
        memcpy((void *)(uintptr_t)c->to, (const void *)(uintptr_t)c->from, c->present);
    }
    f->n_copies = left;
}

static void trap(gpu_thread *t)
{
    (void)t;
    trapped = true;
}

static void run_fiber(void)
{
    fiber *f = &fibers[running];
    row->kernel(param, &f->t);
    f->state = ENDED;
}

/* Lets those go on who have waited for all that they wait for; false if nobody can. */
static bool release(void)
{
    bool any = false, all = true;
    for (uint32_t i = 0; i < n_fibers; i++)
        all = all && (fibers[i].state == AT_BARRIER || fibers[i].state == ENDED);
    for (uint32_t i = 0; i < n_fibers && all; i++)
        if (fibers[i].state == AT_BARRIER) {
            fibers[i].state = RUNS;
            any = true;
        }
    if (any)
        return true;
    for (uint32_t w = 0; w < n_fibers; w += WARP) {
        bool here = true;
        uint32_t mask = 0;
        for (uint32_t i = w; i < w + WARP && i < n_fibers; i++)
            mask |= fibers[i].state == AT_EXCHANGE ? fibers[i].mask : 0;
        for (uint32_t i = w; i < w + WARP && i < n_fibers; i++)
            here = here && (!(mask >> (i - w) & 1) || fibers[i].state == AT_EXCHANGE);
        for (uint32_t i = w; i < w + WARP && i < n_fibers && here; i++)
            if (fibers[i].state == AT_EXCHANGE) {
                fibers[i].state = RUNS;
                any = true;
            }
    }
    return any;
}

/* A function of its own: getcontext may return twice, which no variable of a loop survives. */
static void prepare(fiber *f, char *stack)
{
    f->state = RUNS;
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = stack;
    f->context.uc_stack.ss_size = STACK;
    f->context.uc_link = &scheduler;
    makecontext(&f->context, run_fiber, 0);
}

/* 1: some threads wait for others that have ended. */
static int run_meeting_block(void)
{
    for (uint32_t i = 0; i < n_fibers; i++)
        prepare(&fibers[i], stacks + (size_t)i * STACK);
    for (uint32_t left = n_fibers; left > 0 && !trapped;) {
        left = 0;
        for (uint32_t i = 0; i < n_fibers; i++) {
            running = i;
            if (fibers[i].state == RUNS)
                swapcontext(&scheduler, &fibers[i].context);
            left += fibers[i].state != ENDED;
        }
        if (left > 0 && !release())
            return 1;
    }
    return 0;
}

static int run_block(void)
{
    if (row->meets)
        return run_meeting_block();
    for (running = 0; running < n_fibers && !trapped; running++)
        run_fiber();
    return 0;
}

static bool start(uint32_t n)
{
    if (!fibers) {
        size_t bytes = (size_t)MAX_THREADS * STACK;
        fibers = calloc(MAX_THREADS, sizeof *fibers);
        stacks = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    n_fibers = n;
    return fibers && stacks != MAP_FAILED && n <= MAX_THREADS;
}

int gpu_run(const gpu_row *r, const unsigned char *params, const uint32_t *grid,
            const uint32_t *block, uint32_t shared_bytes)
{
    static _Alignas(128) char shared[256 << 10];
    uint32_t at[3];
    int result = 0;
    row = r;
    param = params;
    trapped = false;
    if (!start(block[0] * block[1] * block[2]) || shared_bytes > sizeof shared)
        return 1;
    for (at[2] = 0; at[2] < grid[2] && !result; at[2]++)
        for (at[1] = 0; at[1] < grid[1] && !result; at[1]++)
            for (at[0] = 0; at[0] < grid[0] && !result; at[0]++) {
                for (uint32_t i = 0; i < n_fibers; i++) {
                    gpu_thread *t = &fibers[i].t;
                    *t = (gpu_thread){
                        .tid = {i % block[0], i / block[0] % block[1], i / block[0] / block[1]},
                        .laneid = i % WARP,
                        .shared = shared,
                        .barrier = barrier,
                        .exchange = exchange,
                        .gather = gather,
                        .copy = copy,
                        .commit = commit,
                        .wait = wait_for_copies,
                        .trap = trap};
                    fibers[i].n_copies = fibers[i].group = 0;
                    memcpy(t->ntid, block, sizeof t->ntid);
                    memcpy(t->nctaid, grid, sizeof t->nctaid);
                    memcpy(t->ctaid, at, sizeof t->ctaid);
                }
                memset(shared, 0xa5, shared_bytes);
                result = run_block() ? 2 : trapped ? 1 : 0;
            }
    return result;
}
