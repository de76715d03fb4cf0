/* The counting allocator, and the kernels and packed functions that tests call by name: kernels
 * t_add(x, y, out), t_neg(x, out), t_fail, t_scratch; packed functions test.id, test.fail,
 * test.call, test.pair, test.sum (of a float32 vector, as an int), test.seven. */
#include "rlx_test.h"

#include "tests/support/limit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Bytes overwritten per block. The compiler's reserve has 16 MiB, mostly untouched; touching all
 * its pages would cost more time than many a test. */
enum { POISON = 1 << 20 };

static void *count_alloc(void *ctx, size_t size, size_t align)
{
    rlx_test *t = ctx;
    t->calls++;
    if (t->fail_at && (t->calls == t->fail_at || (t->fail_after && t->calls > t->fail_at)))
        return NULL;
    size_t rounded = (size + align - 1) / align * align;
    void *p = aligned_alloc(align, rounded);
    if (p) /* tests must not rely on zeroed memory */
        memset(p, 0xCD, rounded < POISON ? rounded : POISON);
    if (p && getpid() == t->process) {
        t->live_blocks++;
        t->live_bytes += size;
        if (t->live_bytes > t->most_bytes)
            t->most_bytes = t->live_bytes;
    }
    return p;
}

static void count_free(void *ctx, void *p, size_t size, size_t align)
{
    rlx_test *t = ctx;
    (void)align;
    memset(p, 0xDD, size < POISON ? size : POISON);
    if (getpid() == t->process) {
        t->live_blocks--;
        t->live_bytes -= size;
    }
    free(p);
}

/* A hanging test is killed and counted as a crash, by name. */
enum { TEST_SECONDS = 900 };

void rlx_test_run(void (*body)(rlx_test *t))
{
    rlx_test *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(t != MAP_FAILED);
    *t = (rlx_test){.allocator = {t, count_alloc, count_free}, .process = getpid()};
    signal(SIGALRM, SIG_DFL);
    alarm(TEST_SECONDS);
    body(t);
    alarm(0);
    rlx_registry_release(t->registry);
    cr_assert_eq(t->live_blocks, 0, "%zu blocks (%zu bytes) were leaked", t->live_blocks,
                 t->live_bytes);
    munmap(t, sizeof *t);
}

/* --- kernels: dims[0] elements ---------------------------------------------------------------- */

static int32_t add_share(void *user, int64_t begin, int64_t end, rlx_kernel_context *worker)
{
    void *const *buffers = user;
    const float *x = buffers[0], *y = buffers[1];
    float *out = buffers[2];
    (void)worker;
    for (int64_t i = begin; i < end; i++)
        out[i] = x[i] + y[i];
    return 0;
}

static int32_t t_add(void *const *buffers, const int64_t *dims, rlx_kernel_context *ctx)
{
    return ctx->parallel_for(ctx, add_share, (void *)(uintptr_t)buffers, dims[0], 4096);
}

static int32_t t_neg(void *const *buffers, const int64_t *dims, rlx_kernel_context *ctx)
{
    const float *x = buffers[0];
    float *out = buffers[1];
    (void)ctx;
    for (int64_t i = 0; i < dims[0]; i++)
        out[i] = -x[i];
    return 0;
}

static int32_t t_fail(void *const *buffers, const int64_t *dims, rlx_kernel_context *ctx)
{
    (void)buffers;
    return dims[0] == 3 ? 7 : ctx->fail(ctx, "as the test asked");
}

/* Reverses x through scratch memory, allocated in two blocks. */
static int32_t t_scratch(void *const *buffers, const int64_t *dims, rlx_kernel_context *ctx)
{
    const float *x = buffers[0];
    float *out = buffers[1];
    int64_t n = dims[0];
    char *small = ctx->scratch_alloc(ctx, 3, 1);
    float *copy = ctx->scratch_alloc(ctx, n * (int64_t)sizeof *copy, 128);
    if (!small || !copy || (uintptr_t)copy % 128)
        return ctx->fail(ctx, "no scratch memory");
    for (int64_t i = 0; i < n; i++)
        copy[i] = x[n - 1 - i];
    for (int64_t i = 0; i < n; i++)
        out[i] = copy[i];
    ctx->scratch_free(ctx, copy);
    return 0;
}

/* --- packed functions ------------------------------------------------------------------------ */

static rlx_status p_id(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                       rlx_error *err)
{
    (void)cc;
    (void)err;
    if (n)
        *out = rlx_value_retain(args[0]);
    return RLX_OK;
}

static rlx_status p_fail(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                         rlx_error *err)
{
    (void)cc;
    (void)args;
    (void)n;
    *out = rlx_int(1);
    return rlx_fail(err, RLX_E_KERNEL, "as the test asked");
}

/* Calls the closure args[0] with the remaining arguments. */
static rlx_status p_call(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                         rlx_error *err)
{
    if (n == 0 || args[0].kind != RLX_KIND_CLOSURE)
        return rlx_fail(err, RLX_E_INVALID_ARG, "test.call needs a closure");
    return rlx_call_closure(cc, args[0].as.closure, args + 1, n - 1, out, err);
}

static rlx_status p_pair(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                         rlx_error *err)
{
    rlx_tuple *pair;
    RLX_TRY(rlx_call_make_tuple(cc, n, args, &pair, err));
    *out = rlx_of_tuple(pair);
    return RLX_OK;
}

static rlx_status p_sum(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                        rlx_error *err)
{
    (void)cc;
    if (n != 1 || args[0].kind != RLX_KIND_TENSOR)
        return rlx_fail(err, RLX_E_INVALID_ARG, "test.sum needs a tensor");
    const float *x = rlx_tensor_data(args[0].as.tensor);
    double sum = 0;
    for (int64_t i = 0; i < rlx_tensor_numel(args[0].as.tensor); i++)
        sum += (double)x[i];
    *out = rlx_int((int64_t)sum);
    return RLX_OK;
}

static rlx_status p_seven(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                          rlx_error *err)
{
    (void)cc;
    (void)args;
    (void)n;
    (void)err;
    *out = rlx_int(7);
    return RLX_OK;
}

rlx_registry *rlx_test_registry(rlx_test *t)
{
    static const struct {
        const char *name;
        rlx_kernel_fn fn;
    } kernels[] = {
        {"t_add", t_add}, {"t_neg", t_neg}, {"t_fail", t_fail}, {"t_scratch", t_scratch}};
    static const struct {
        const char *name;
        rlx_packed_fn fn;
    } packed[] = {{"test.id", p_id},     {"test.fail", p_fail}, {"test.call", p_call},
                  {"test.pair", p_pair}, {"test.sum", p_sum},   {"test.seven", p_seven}};
    if (t->registry)
        return t->registry;
    RLX_OKAY(rlx_registry_create(&t->allocator, &t->registry, &t->error));
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        RLX_OKAY(rlx_registry_add_kernel(t->registry, rlx_str_from(kernels[i].name), kernels[i].fn,
                                         &t->error));
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        RLX_OKAY(rlx_registry_add_packed(t->registry, rlx_str_from(packed[i].name), packed[i].fn,
                                         NULL, NULL, &t->error));
    return t->registry;
}

rlx_status rlx_test_try_load(rlx_test *t, const char *text, rlx_executable **out)
{
    void *data;
    size_t size;
    rlx_load_options options = {.allocator = &t->allocator,
                                .trust_native = strstr(text, ".module") != NULL};
    RLX_TRY(
        rlx_assemble(&t->allocator, RLX_STR("test"), rlx_str_from(text), &data, &size, &t->error));
    rlx_status status = rlx_executable_load_memory(data, size, &options, out, &t->error);
    rlx_free(&t->allocator, data, size, 64);
    return status;
}

rlx_executable *rlx_test_load(rlx_test *t, const char *text)
{
    rlx_executable *exe = NULL;
    RLX_OKAY(rlx_test_try_load(t, text, &exe));
    return exe;
}

rlx_vm *rlx_test_vm(rlx_test *t, rlx_executable *exe)
{
    rlx_vm *vm = NULL;
    rlx_vm_options options = {
        .allocator = &t->allocator, .registry = rlx_test_registry(t), .debug_poison = true};
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    return vm;
}

rlx_value rlx_test_iota(rlx_test *t, uint32_t ndim, const int64_t *dims)
{
    rlx_tensor *x;
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, ndim, dims, &x, &t->error));
    float *data = rlx_tensor_mutable_data(x);
    for (int64_t i = 0; i < rlx_tensor_numel(x); i++)
        data[i] = (float)i;
    return rlx_of_tensor(x);
}

rlx_value rlx_test_shape(rlx_test *t, uint32_t n, const int64_t *dims)
{
    rlx_shape *s;
    RLX_OKAY(rlx_shape_create(&t->allocator, n, dims, &s, &t->error));
    return rlx_of_shape(s);
}

/* --- limits ---------------------------------------------------------------------------------- */

bool rlx_test_built(const char *name, char *out, size_t size)
{
    const char *build = getenv("RLX_BUILD");
    const int n = snprintf(out, size, "%s/%s", build ? build : "build", name);
    return n > 0 && (size_t)n < size;
}

bool rlx_test_data(const char *name, char *out, size_t size)
{
    char in_data[200];
    const int n = snprintf(in_data, sizeof in_data, "data/%s", name);
    return n > 0 && (size_t)n < sizeof in_data && rlx_test_built(in_data, out, size);
}

bool rlx_test_takes(size_t i, size_t of)
{
    const char *thorough = getenv("RLX_THOROUGH");
    return i % of == 0 || (thorough && strcmp(thorough, "1") == 0);
}

bool rlx_test_limit_processes(uint32_t most)
{
    const uid_t nobody_else = 20000 + (uid_t)getpid() % 40000;
    const struct rlimit limit = {most, most};
    rlx_test_limit_time(60);
    if (geteuid() != 0 || setgid(nobody_else) != 0 || setuid(nobody_else) != 0)
        return false;
    return setrlimit(RLIMIT_NPROC, &limit) == 0;
}
