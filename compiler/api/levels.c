/* One file for several CPU levels: the model is compiled for each, and the programs are joined by
 * the runtime's builder, which keeps equal constants once. */
#include "compiler/api/api.h"
#include "compiler/ir/device.h"
#include "compiler/target/target.h"
#include "rlx/builder.h"

#include <string.h>

typedef struct level {
    rlx_ir_module *module;
    const char *cpu;
    rlx_exec_builder *builder;
} level;

static size_t count_features(const level *l)
{
    size_t n = 0;
    for (const char *at = l->module->options.target->features; *at != '\0'; at++)
        n += *at == '+';
    return n;
}

/* True if |a| comes before |b| in a file; levels go from the lowest to the highest. */
static bool is_less(const level *a, const level *b)
{
    const uint32_t x = a->module->options.target->vector_bytes,
                   y = b->module->options.target->vector_bytes;
    return x != y ? x < y : count_features(a) < count_features(b);
}

static void sort(level *levels, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0 && is_less(&levels[k], &levels[k - 1]); k--) {
            const level before = levels[k - 1];
            levels[k - 1] = levels[k];
            levels[k] = before;
        }
}

/* A model's errors are the same at each level: drop those that the first level has reported. */
static rlx_status compile(level *levels, uint32_t n, const rlx_compile_options *options)
{
    rlx_status status = RLX_OK;
    for (uint32_t i = 0; status == RLX_OK && i < n; i++) {
        rlx_compile_options own;
        rlx_error err = {0};
        rlxc_context *ctx = levels[i].module->compiler->ctx;
        const rlxc_said said = rlxc_said_so_far(ctx);
        if (!rlxc_api_complete(options, &own, &err))
            return rlxc_api_fail(ctx, &err) ? RLX_OK : RLX_E_INVALID_ARG;
        own.cpu = levels[i].cpu;
        status = rlxc_api_build(levels[i].module, &own, &levels[i].builder);
        if (status == RLX_OK && i > 0 && !rlxc_failed(ctx))
            rlxc_take_back(ctx, said);
    }
    return status;
}

static rlx_status join(const level *levels, uint32_t n, rlx_exec_builder *all, rlx_error *err)
{
    for (uint32_t i = 0; i < n; i++)
        RLX_TRY(rlx_exec_builder_level(all, rlx_str_from(levels[i].module->options.target->cpu),
                                       levels[i].builder, err));
    return RLX_OK;
}

static rlx_status write(level *levels, uint32_t n, const char *path, rlx_error *err)
{
    rlx_compiler *c = levels[0].module->compiler;
    rlx_exec_builder *all = NULL;
    rlxc_doing(c->ctx, "writing", rlxc_intern_cstr(c->ctx, path));
    if (!rlxc_has_cpu_kernels(levels[0].module->ir)) /* so all levels are equal */
        return rlx_exec_builder_save(levels[0].builder, path, err);
    sort(levels, n);
    rlx_status status = rlx_exec_builder_create(c->allocator, &all, err);
    if (status == RLX_OK)
        status = join(levels, n, all, err);
    if (status == RLX_OK)
        status = rlx_exec_builder_save(all, path, err);
    rlx_exec_builder_destroy(all);
    return status;
}

static rlx_status check(rlx_ir_module *const *modules, const char *const *cpus, uint32_t n,
                        const char *path, rlx_error *err)
{
    if (modules == NULL || cpus == NULL || path == NULL || n == 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "modules, cpus or path is NULL, or n is 0");
    if (n > RLX_MAX_LEVELS)
        return rlx_fail(err, RLX_E_LIMIT, "%u CPU levels; a file holds at most %u", n,
                        RLX_MAX_LEVELS);
    for (uint32_t i = 0; i < n; i++) {
        if (modules[i] == NULL || cpus[i] == NULL)
            return rlx_fail(err, RLX_E_INVALID_ARG, "module or CPU %u is NULL", i);
        for (uint32_t k = 0; k < i; k++) {
            if (modules[k] == modules[i] || modules[k]->compiler != modules[i]->compiler)
                return rlx_fail(err, RLX_E_INVALID_ARG,
                                "each level needs its own module, all of one compiler");
            if (strcmp(cpus[k], cpus[i]) == 0)
                return rlx_fail(err, RLX_E_INVALID_ARG, "CPU %s is listed twice", cpus[i]);
        }
        if (modules[i]->lowered)
            return rlx_fail(err, RLX_E_INVALID_ARG, "module %u has already been lowered for a CPU",
                            i);
        RLX_TRY(rlx_ir_module_check_output(modules[i], path, err));
    }
    return RLX_OK;
}

rlx_status rlx_ir_modules_emit_levels(rlx_ir_module *const *modules, const char *const *cpus,
                                      uint32_t n, const rlx_compile_options *options,
                                      const char *path, rlx_error *err)
{
    level levels[RLX_MAX_LEVELS] = {{0}};
    rlxc_api_call call;
    rlx_error error = {0};
    RLX_TRY(check(modules, cpus, n, path, err));
    RLX_TRY(rlxc_api_lift(modules, n, options, path, err));
    for (uint32_t i = 0; i < n; i++)
        levels[i] = (level){modules[i], cpus[i], NULL};
    RLX_TRY(rlxc_api_begin_module(modules[0], &call, err));
    rlx_status status = compile(levels, n, options);
    if (status == RLX_OK && !rlxc_write_lifted(call.compiler->ctx, modules[0]->lifted_file))
        status = RLX_E_IO;
    if (status == RLX_OK) {
        status = write(levels, n, path, &error);
        if (status != RLX_OK)
            rlxc_api_refused(call.compiler->ctx, &error);
    }
    for (uint32_t i = 0; i < n; i++)
        rlx_exec_builder_destroy(levels[i].builder);
    return rlxc_api_end(&call, status == RLX_OK, status, err);
}
