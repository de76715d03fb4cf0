/* See kernel_fixture.h. Scratch memory is one fixed arena, filled with garbage before each call to
 * expose kernels that read uninitialised scratch. */
#include "tests/compiler/kernel_fixture.h"
#include "tests/compiler/cpus.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compiler/ir/device.h"
#include "compiler/script/script.h"
#include "compiler/target/target.h"

enum { SCRATCH = 64 << 20 };

static void *scratch_alloc(rlx_kernel_context *ctx, int64_t bytes, int64_t align)
{
    kernel_fixture *f = ctx->host;
    size_t at = (f->scratch_used + (size_t)align - 1) & ~((size_t)align - 1);
    if (f->allocations_left == 0 || bytes < 0 || (size_t)bytes > SCRATCH - at)
        return NULL;
    if (f->allocations_left > 0)
        f->allocations_left--;
    f->scratch_used = at + (size_t)bytes;
    if (f->scratch_used > f->scratch_peak)
        f->scratch_peak = f->scratch_used;
    return f->scratch + at;
}

static void scratch_free(rlx_kernel_context *ctx, void *p)
{
    kernel_fixture *f = ctx->host;
    f->scratch_used = (size_t)((char *)p - f->scratch);
}

/* Runs two shares, one after the other. */
static int32_t parallel_for(rlx_kernel_context *ctx, rlx_parallel_body body, void *user, int64_t n,
                            int64_t grain)
{
    kernel_fixture *f = ctx->host;
    (void)grain;
    f->shares += 2;
    int32_t r = n / 2 > 0 ? body(user, 0, n / 2, ctx) : 0;
    return r || n <= 0 ? r : body(user, n / 2, n, ctx);
}

static int32_t call_packed(rlx_kernel_context *ctx, const char *name, const rlx_kernel_arg *args,
                           uint32_t n, rlx_kernel_arg *result)
{
    (void)args, (void)n, (void)result;
    return ctx->fail(ctx, name); /* no VM here */
}

static int32_t fail(rlx_kernel_context *ctx, const char *message)
{
    kernel_fixture *f = ctx->host;
    snprintf(f->failure, sizeof f->failure, "%s", message);
    return 1;
}

static bool report(kernel_fixture *f)
{
    if (rlxc_error_count(f->ctx) > 0)
        fprintf(stderr, "%s\n", rlxc_render_diagnostics(f->ctx));
    return false;
}

bool kernel_fixture_init(kernel_fixture *f, const rlx_allocator *allocator, int opt_level,
                         const char *cpu)
{
    *f = (kernel_fixture){.fd = -1, .allocations_left = -1};
    f->ctx = rlxc_context_create(allocator);
    f->options.opt_level = opt_level;
    f->scratch = aligned_alloc(64, SCRATCH);
    f->kernel_ctx = (rlx_kernel_context){
        RLX_KERNEL_ABI, 2, scratch_alloc, scratch_free, parallel_for, fail, f, call_packed};
    if (!f->ctx || !f->scratch)
        return false;
    f->module = rlxc_module_new(f->ctx);
    f->options.target = rlxc_target_new(f->ctx, NULL, cpu);
    return f->options.target || report(f);
}

bool kernel_fixture_parse(kernel_fixture *f, const rlx_allocator *allocator, int opt_level,
                          const char *cpu, const char *text)
{
    if (!kernel_fixture_init(f, allocator, opt_level, cpu))
        return false;
    f->module = rlxc_parse_module(f->ctx, "test.py", text, strlen(text));
    return f->module || report(f);
}

static const rlxc_stmt *serial_loop(void *user, const rlxc_stmt *s)
{
    if (s->kind != RLXC_STMT_FOR || s->loop.kind != RLXC_LOOP_BOUND)
        return NULL;
    rlxc_stmt *out = rlxc_copy(user, s, sizeof *out);
    out->loop.kind = RLXC_LOOP_SERIAL;
    out->loop.thread = NULL;
    return out;
}

static void move_here(kernel_fixture *f)
{
    const rlxc_stmt_rewriter rewriter = {.user = f->ctx, .stmt = serial_loop};
    for (uint32_t i = 0; i < f->module->globals.count; i++) {
        rlxc_prim_func *prim = f->module->globals.items[i]->prim;
        if (!prim || !rlxc_prim_is_device(prim))
            continue;
        prim->attrs = rlxc_attrs_without(f->ctx, prim->attrs, "target");
        prim->body = rlxc_stmt_rewrite(f->ctx, prim->body, &rewriter);
    }
}

bool kernel_fixture_build(kernel_fixture *f)
{
    rlxc_native native;
    const char *lacks = cpu_lacks(f->ctx, f->options.target);
    if (lacks) {
        fprintf(stderr, "the kernels are for %s, and this CPU lacks %s\n", f->options.target->cpu,
                lacks);
        return false;
    }
    if (f->options.opt_level > 0 && !rlxc_schedule_module(f->ctx, f->module, &f->options))
        return report(f);
    move_here(f);
    if (!rlxc_pass_lower_tir(f->ctx, f->module, &f->options) ||
        !rlxc_compile_native(f->ctx, f->module, &f->options, RLXC_NATIVE_SHARED, &native))
        return report(f);
    char path[64];
    f->fd = memfd_create("kernels", MFD_CLOEXEC);
    if (f->fd < 0 || write(f->fd, native.data, native.size) != (ssize_t)native.size)
        return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
    f->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!f->handle)
        fprintf(stderr, "%s\n", dlerror());
    return f->handle != NULL;
}

rlx_kernel_fn kernel_fixture_find(kernel_fixture *f, const char *name)
{
    rlxc_prim_func named = {.name = name};
    void *symbol = dlsym(f->handle, rlxc_kernel_symbol(f->ctx, &named));
    rlx_kernel_fn fn;
    memcpy(&fn, &symbol, sizeof fn);
    return fn;
}

int32_t kernel_fixture_call(kernel_fixture *f, const char *name, void *const *buffers,
                            const int64_t *dims)
{
    rlx_kernel_fn fn = kernel_fixture_find(f, name);
    f->failure[0] = '\0';
    memset(f->scratch, 0xa5, f->scratch_peak);
    f->scratch_used = 0;
    return fn ? fn(buffers, dims, &f->kernel_ctx) : -1;
}

void kernel_fixture_deinit(kernel_fixture *f)
{
    if (f->handle)
        dlclose(f->handle);
    if (f->fd >= 0)
        close(f->fd);
    free(f->scratch);
    if (f->ctx)
        rlxc_context_destroy(f->ctx);
}
