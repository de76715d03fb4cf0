#include "test_device.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- state -------------------------------------------------------------------------------------
 */

enum { MAX_ARGS = 16 };

typedef struct block {
    struct block *next;
    size_t bytes;
    bool is_released; /* freed when the queue has got there */
    _Alignas(max_align_t) unsigned char data[];
} block;

typedef void (*kernel)(const rlx_launch *l);

typedef struct work {
    struct work *next;
    kernel run; /* NULL: a copy, or a release */
    rlx_launch launch;
    rlx_launch_value args[MAX_ARGS];
    rlx_device_at to, from;
    size_t bytes;
    block *gone;
    void *staged;
    struct event *event;
} work;

typedef struct event {
    uint64_t begin, end;
} event;

typedef struct device {
    test_device_control *control;
    pthread_mutex_t lock;
    uint64_t used, clock;
    block *blocks;
    work *first, **last;
    bool is_faulty;
} device;

typedef struct module {
    char names[256];
} module;

static bool fails(test_device_control *c, const char *name, rlx_status *status, rlx_error *err)
{
    c->calls++;
    if (!c->fail_at || (c->calls != c->fail_at && !(c->fail_after && c->calls > c->fail_at)))
        return false;
    c->failed = name;
    *status = rlx_fail(err, c->code, "asked to fail in %s", name);
    return true;
}
#define MAY_FAIL(c)                              \
    do {                                         \
        rlx_status refused;                      \
        if (fails((c), __func__, &refused, err)) \
            return refused;                      \
    } while (0)

static void unlock(device **d)
{
    pthread_mutex_unlock(&(*d)->lock);
}
/* Functions that wait are called beside others. */
#define HOLD(d)                                                  \
    __attribute__((cleanup(unlock), unused)) device *held = (d); \
    pthread_mutex_lock(&(d)->lock)

static void misuse(device *d, const char *what)
{
    d->control->misuses++;
    d->control->misuse = what;
}

/* Memory of the device is no address: what stands for it has its lowest bit set. */
static void *name_of(const device *d, block *b)
{
    return d->control->is_host_memory ? (void *)b->data : (void *)((uintptr_t)b | 1);
}

static block *block_at(device *d, const void *memory)
{
    for (block *b = d->blocks; b; b = b->next)
        if (name_of(d, b) == memory)
            return b;
    misuse(d, "an unknown block");
    return NULL;
}

/* The bytes of a place, if the device has |n| of them there. */
static unsigned char *bytes_at(device *d, rlx_device_at at, size_t n)
{
    block *b = block_at(d, at.memory);
    if (!b)
        return NULL;
    if (at.offset <= b->bytes && n <= b->bytes - at.offset)
        return b->data + at.offset;
    misuse(d, "a place outside of its block");
    return NULL;
}

/* The same when it is asked for: what was released before must not be used. */
static void check_place(device *d, rlx_device_at at, size_t n)
{
    const block *b = bytes_at(d, at, n) ? block_at(d, at.memory) : NULL;
    if (b && b->is_released)
        misuse(d, "released memory");
}

/* --- kernels -----------------------------------------------------------------------------------
 */

/* Buffers in arguments point to bytes when a kernel runs. */
static float *buffer(const rlx_launch *l, uint32_t i)
{
    return l->args[i].as.at.memory;
}

static void run_add(const rlx_launch *l)
{
    for (int64_t i = 0; i < l->args[3].as.i; i++)
        buffer(l, 2)[i] = buffer(l, 0)[i] + buffer(l, 1)[i];
}

static void run_neg(const rlx_launch *l)
{
    for (int64_t i = 0; i < l->args[2].as.i; i++)
        buffer(l, 1)[i] = -buffer(l, 0)[i];
}

static void run_scale(const rlx_launch *l)
{
    for (int64_t i = 0; i < l->args[2].as.i; i++)
        buffer(l, 1)[i] = buffer(l, 0)[i] * (float)l->args[3].as.f;
}

static void run_twice(const rlx_launch *l)
{
    for (int64_t i = 0; i < l->args[3].as.i; i++)
        buffer(l, 1)[i] = buffer(l, 0)[i];
    for (int64_t i = 0; i < l->args[3].as.i; i++)
        buffer(l, 2)[i] = 2 * buffer(l, 1)[i];
}

static void run_count(const rlx_launch *l)
{
    float n = 1;
    for (int i = 0; i < 3; i++)
        n *= (float)l->grid[i] * (float)l->block[i];
    buffer(l, 0)[l->args[1].as.i] = n;
}

/* What is above 100, and then negative, is not copied: checks 0 and 2. */
static void run_limit(const rlx_launch *l)
{
    int64_t *checks = l->args[3].as.at.memory;
    for (int64_t i = 0; i < l->args[2].as.i; i++) {
        const float x = buffer(l, 0)[i];
        const int failed = x > 100 ? 0 : x < 0 ? 2 : -1;
        if (failed < 0) {
            buffer(l, 1)[i] = x;
            continue;
        }
        checks[failed * 3] = 1;
        checks[failed * 3 + 1] = i;
        checks[failed * 3 + 2] = (int64_t)x;
    }
}

static void run_fault(const rlx_launch *l)
{
    (void)l;
}

/* A kernel that nobody wrote: touch does its work. */
static void run_any(const rlx_launch *l)
{
    (void)l;
}

static const struct {
    const char *name;
    kernel run;
    const char *args; /* b: buffer, i: int32, l: int64, f: float32, d: float64 */
} kernels[] = {{"add", run_add, "bbbl"},     {"neg", run_neg, "bbl"},
               {"scale", run_scale, "bblf"}, {"twice", run_twice, "bbbl"},
               {"count", run_count, "bi"},   {"fault", run_fault, ""},
               {"limit", run_limit, "bblb"}};
enum { KERNELS = sizeof kernels / sizeof *kernels, ANY_KERNEL = KERNELS };

/* --- the queue ---------------------------------------------------------------------------------
 */

static void free_block(device *d, block *gone)
{
    block **at = &d->blocks;
    while (*at != gone)
        at = &(*at)->next;
    *at = gone->next;
    d->used -= gone->bytes;
    memset(gone->data, 0xDD, gone->bytes);
    free(gone);
    d->control->live--;
}

static void run_kernel(device *d, work *w)
{
    for (uint32_t i = 0; i < w->launch.n_args; i++)
        if (w->args[i].kind == RLX_LAUNCH_BUFFER) {
            w->args[i].as.at.memory = bytes_at(d, w->args[i].as.at, 0);
            if (!w->args[i].as.at.memory)
                return;
        }
    w->launch.args = w->args;
    d->is_faulty |= w->run == run_fault;
    w->run(&w->launch);
}

/* What run_any stands for, on all bytes that the kernel's buffers could have. */
static void touch(device *d, const work *w)
{
    unsigned char sum = 1, *bytes = NULL;
    size_t n = 0;
    for (uint32_t i = 0; i < w->launch.n_args; i++) {
        if (w->args[i].kind != RLX_LAUNCH_BUFFER)
            continue;
        bytes = bytes_at(d, w->args[i].as.at, 0);
        n = bytes ? block_at(d, w->args[i].as.at.memory)->bytes - w->args[i].as.at.offset : 0;
        for (size_t k = 0; k < n; k++)
            sum = (unsigned char)(sum + bytes[k]);
    }
    if (n > 0)
        memset(bytes, sum & 1, n);
}

static void perform(device *d, work *w)
{
    const uint64_t begin = d->clock;
    d->clock += 10 + w->bytes;
    if (w->run == run_any) {
        touch(d, w);
    } else if (w->run) {
        run_kernel(d, w);
    } else if (w->gone) {
        free_block(d, w->gone);
    } else {
        unsigned char *to = bytes_at(d, w->to, w->bytes);
        const unsigned char *from = w->staged ? w->staged : bytes_at(d, w->from, w->bytes);
        if (to && from)
            memmove(to, from, w->bytes);
    }
    if (w->event)
        *w->event = (event){begin, d->clock};
    free(w->staged);
    free(w);
}

static void perform_all(device *d)
{
    while (d->first) {
        work *w = d->first;
        d->first = w->next;
        perform(d, w);
    }
    d->last = &d->first;
}

static work *ask(device *d, void **out_event)
{
    work *w = calloc(1, sizeof *w);
    if (out_event) {
        *out_event = w->event = calloc(1, sizeof *w->event);
        d->control->live++;
    }
    *d->last = w;
    d->last = &w->next;
    return w;
}

static void asked(device *d)
{
    if (d->control->is_host_memory)
        perform_all(d);
}

/* --- functions of the kind ---------------------------------------------------------------------
 */

static uint32_t count(void *user, rlx_error *err)
{
    test_device_control *c = user;
    rlx_status status;
    return fails(c, __func__, &status, err) ? 0 : c->devices;
}

static rlx_status info(void *user, uint32_t id, rlx_device_info *out, rlx_error *err)
{
    test_device_control *c = user;
    MAY_FAIL(c);
    if (id >= c->devices)
        return rlx_fail(err, RLX_E_NOT_FOUND, "there are %u devices", c->devices);
    snprintf(out->name, sizeof out->name, "test device %u", id);
    snprintf(out->driver, sizeof out->driver, "test 1.0");
    out->memory_bytes = c->memory_bytes;
    out->max_threads = 256;
    out->shared_bytes = 1024;
    out->units = 4;
    out->is_host_memory = c->is_host_memory;
    return RLX_OK;
}

static rlx_status open_device(void *user, uint32_t id, void **out, rlx_error *err)
{
    test_device_control *c = user;
    (void)id;
    MAY_FAIL(c);
    device *d = calloc(1, sizeof *d);
    d->control = c;
    d->last = &d->first;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&d->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    c->live++;
    c->opened++;
    *out = d;
    return RLX_OK;
}

static void close_device(void *handle)
{
    device *d = handle;
    perform_all(d);
    if (d->blocks)
        misuse(d, "memory is left");
    pthread_mutex_destroy(&d->lock);
    d->control->live--;
    free(d);
}

static rlx_status alloc_memory(void *handle, size_t bytes, const char *scope, void **out,
                               rlx_error *err)
{
    device *d = handle;
    HOLD(d);
    MAY_FAIL(d->control);
    if (bytes == 0)
        misuse(d, "a block of 0 bytes");
    if (strcmp(scope, "global") != 0 && strcmp(scope, "global.fast") != 0)
        return rlx_fail(err, RLX_E_NOT_FOUND, "there is no memory '%s'", scope);
    if (bytes > d->control->memory_bytes - d->used)
        return rlx_fail(err, RLX_E_LIMIT, "%zu bytes, %llu are free", bytes,
                        (unsigned long long)(d->control->memory_bytes - d->used));
    block *b = calloc(1, sizeof *b + bytes);
    memset(b->data, 0xCD, bytes);
    b->bytes = bytes;
    b->next = d->blocks;
    d->blocks = b;
    d->used += bytes;
    d->control->live++;
    d->control->allocs++;
    *out = name_of(d, b);
    return RLX_OK;
}

static void release_memory(void *handle, void *memory)
{
    device *d = handle;
    HOLD(d);
    block *b = block_at(d, memory);
    if (!b)
        return;
    if (b->is_released)
        misuse(d, "a second release");
    b->is_released = true;
    ask(d, NULL)->gone = b;
    asked(d);
}

static rlx_status copy_in(void *handle, rlx_device_at to, const void *from, size_t bytes,
                          void **out_event, rlx_error *err)
{
    device *d = handle;
    HOLD(d);
    MAY_FAIL(d->control);
    check_place(d, to, bytes);
    work *w = ask(d, out_event);
    w->to = to;
    w->bytes = bytes;
    w->staged = malloc(bytes);
    memcpy(w->staged, from, bytes);
    asked(d);
    return RLX_OK;
}

static rlx_status sync_device(void *handle, rlx_error *err)
{
    device *d = handle;
    HOLD(d);
    MAY_FAIL(d->control);
    perform_all(d);
    if (!d->is_faulty)
        return RLX_OK;
    d->is_faulty = false;
    return rlx_fail(err, RLX_E_DEVICE, "a kernel faulted");
}

static rlx_status gather(void *handle, bool on, rlx_error *err)
{
    device *d = handle;
    HOLD(d);
    if (!on && d->control->gatherers == 0)
        misuse(d, "the end of a call that did not begin");
    d->control->gatherers += on ? 1 : -1u;
    MAY_FAIL(d->control);
    return RLX_OK;
}

static rlx_status copy_out(void *handle, void *to, rlx_device_at from, size_t bytes,
                           void **out_event, rlx_error *err)
{
    device *d = handle;
    HOLD(d);
    RLX_TRY(sync_device(handle, err));
    check_place(d, from, bytes);
    const unsigned char *source = bytes_at(d, from, bytes);
    if (source)
        memcpy(to, source, bytes);
    if (out_event) {
        event *e = calloc(1, sizeof *e);
        *e = (event){d->clock, d->clock + bytes};
        d->control->live++;
        *out_event = e;
    }
    d->clock += bytes;
    return RLX_OK;
}

static rlx_status copy_within(void *handle, rlx_device_at to, rlx_device_at from, size_t bytes,
                              void **out_event, rlx_error *err)
{
    device *d = handle;
    HOLD(d);
    MAY_FAIL(d->control);
    check_place(d, to, bytes);
    check_place(d, from, bytes);
    work *w = ask(d, out_event);
    w->to = to;
    w->from = from;
    w->bytes = bytes;
    asked(d);
    return RLX_OK;
}

static rlx_status load_module(void *handle, rlx_str format, const void *code, size_t size,
                              void **out, rlx_error *err)
{
    device *d = handle;
    HOLD(d);
    MAY_FAIL(d->control);
    if (!d->control->any_code && !rlx_str_eq(format, RLX_STR("test")))
        return rlx_fail(err, RLX_E_VERSION, "code of the format %.*s", (int)format.len,
                        format.data);
    module *m = calloc(1, sizeof *m);
    if (size >= sizeof m->names && !d->control->any_code) {
        free(m);
        return rlx_fail(err, RLX_E_INVALID_MODULE, "%zu bytes of code", size);
    }
    memcpy(m->names, code, size < sizeof m->names ? size : sizeof m->names - 1);
    d->control->live++;
    d->control->loaded++;
    *out = m;
    return RLX_OK;
}

static void unload_module(void *handle, void *code)
{
    device *d = handle;
    HOLD(d);
    perform_all(d);
    free(code);
    d->control->live--;
}

static rlx_status find_kernel(void *handle, void *code, const char *name, void **out,
                              rlx_error *err)
{
    device *d = handle;
    const module *m = code;
    HOLD(d);
    MAY_FAIL(d->control);
    if (d->control->any_code) {
        *out = (void *)(uintptr_t)(ANY_KERNEL + 1);
        return RLX_OK;
    }
    for (int i = 0; i < KERNELS; i++) {
        const char *at = strstr(m->names, kernels[i].name);
        if (strcmp(kernels[i].name, name) == 0 && at && at[strlen(name)] == '\n') {
            *out = (void *)(uintptr_t)(i + 1);
            return RLX_OK;
        }
    }
    return rlx_fail(err, RLX_E_NOT_FOUND, "there is no kernel '%s'", name);
}

static rlx_status launch(void *handle, const rlx_launch *l, void **out_event, rlx_error *err)
{
    static const char letters[] = "bilfd";
    device *d = handle;
    const uintptr_t index = (uintptr_t)l->function - 1;
    HOLD(d);
    MAY_FAIL(d->control);
    const bool is_any = index == ANY_KERNEL;
    if (is_any && l->n_args > MAX_ARGS)
        return rlx_fail(err, RLX_E_LIMIT, "%u arguments", l->n_args);
    if (!is_any && (index >= KERNELS || strlen(kernels[index].args) != l->n_args)) {
        misuse(d, "an unknown function, or a wrong number of arguments");
        return rlx_fail(err, RLX_E_DEVICE, "bad launch");
    }
    for (int i = 0; i < 3; i++)
        if (l->grid[i] == 0 || l->block[i] == 0)
            misuse(d, "a launch without threads");
    for (uint32_t i = 0; i < l->n_args; i++) {
        if (l->args[i].kind > RLX_LAUNCH_F64 ||
            (!is_any && kernels[index].args[i] != letters[l->args[i].kind]))
            misuse(d, "an argument of a wrong kind");
        else if (l->args[i].kind == RLX_LAUNCH_BUFFER)
            check_place(d, l->args[i].as.at, 0);
    }
    work *w = ask(d, out_event);
    w->run = is_any ? run_any : kernels[index].run;
    w->launch = *l;
    memcpy(w->args, l->args, l->n_args * sizeof *l->args);
    d->control->launched++;
    asked(d);
    return RLX_OK;
}

static rlx_status event_time(void *handle, void *done, uint64_t *out_begin, uint64_t *out_end,
                             rlx_error *err)
{
    device *d = handle;
    event *e = done;
    HOLD(d);
    perform_all(d);
    d->control->live--;
    const event copy = *e;
    free(e);
    MAY_FAIL(d->control);
    if (out_begin) {
        *out_begin = copy.begin;
        *out_end = copy.end;
    }
    return RLX_OK;
}

const rlx_device_api *test_device_api(test_device_control *control)
{
    static const rlx_device_api api = {.size = sizeof api,
                                       .kind = "test",
                                       .type = 12,
                                       .count = count,
                                       .info = info,
                                       .open = open_device,
                                       .close = close_device,
                                       .alloc = alloc_memory,
                                       .release = release_memory,
                                       .copy_in = copy_in,
                                       .copy_out = copy_out,
                                       .copy = copy_within,
                                       .load = load_module,
                                       .unload = unload_module,
                                       .find = find_kernel,
                                       .launch = launch,
                                       .sync = sync_device,
                                       .event_time = event_time,
                                       .gather = gather};
    *control = (test_device_control){.devices = 2, .memory_bytes = 1 << 20, .code = RLX_E_DEVICE};
    return &api;
}
