#include "tests/compiler/nvptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/ir/sym.h"
#include "tests/fake/fake.h"
#include "vm/devices/driver.h"

void nvptx_drop(nvptx_code *b)
{
    if (b->ctx)
        rlxc_context_destroy(b->ctx);
}

bool nvptx_build(rlx_test *t, const char *text, const char *target, rlxc_native_form form,
                 nvptx_code *out)
{
    *out = (nvptx_code){.ctx = rlxc_context_create(&t->allocator)};
    rlxc_context *ctx = out->ctx;
    cr_assert_not_null(ctx);
    out->options.opt_level = 2;
    out->options.target = rlxc_target_new(ctx, NULL, NULL);
    rlxc_target_spec spec = {0};
    const rlxc_range nowhere = {0};
    if (!rlxc_target_parse(ctx, nowhere, target, &spec) ||
        !(out->code.target = rlxc_target_of_spec(ctx, nowhere, &spec)))
        return false;
    out->module = rlxc_parse_module(ctx, "test.py", text, strlen(text));
    if (!out->module || !rlxc_pass_lower_tir(ctx, out->module, &out->options))
        return false;
    const uint32_t n = out->module->globals.count;
    rlxc_device_kernel *kernels = rlxc_try_alloc(ctx, n, sizeof *kernels);
    for (uint32_t i = 0; kernels && i < n; i++) {
        const rlxc_prim_func *f = out->module->globals.items[i]->prim;
        if (f && !rlxc_device_split(ctx, f, out->code.target, &kernels[out->code.n_kernels++]))
            return false;
    }
    out->code.kernels = kernels;
    return kernels && rlxc_nvptx_compile(ctx, &out->options, form, &out->code);
}

/* --- ptxas -------------------------------------------------------------------------------------
 */

static bool has_ptxas(void)
{
    return system("ptxas --version >/dev/null 2>&1") == 0;
}

/* Assembles an image for the architecture of its format. */
static bool assembles(const rlxc_device_image *image, const char *name)
{
    const char *arch = strchr(image->format, '-');
    char path[] = "/tmp/rlx-ptx-XXXXXX", command[200];
    int fd = mkstemp(path);
    bool fine = fd >= 0 && write(fd, image->data, image->size) == (ssize_t)image->size;
    snprintf(command, sizeof command, "ptxas -arch=%s -o /dev/null %s 2>&1",
             arch ? arch + 1 : "sm_80", path);
    fine = fine && system(command) == 0;
    close(fd);
    if (fine)
        unlink(path);
    else
        fprintf(stderr, "%s: %s is kept\n", name, path);
    return fine;
}

void nvptx_check(rlx_test *t, const char *text, const char *name)
{
    nvptx_code b;
    const bool fine = nvptx_build(t, text, "cuda", RLXC_NATIVE_ASM, &b);
    cr_expect(fine, "%s: %s", name, rlxc_render_diagnostics(b.ctx));
    if (fine) {
        cr_expect_eq(b.code.n_images, 2);
        cr_expect_str_eq(b.code.images[0].format, "ptx-sm_90");
        cr_expect_str_eq(b.code.images[1].format, "ptx");
        for (uint32_t i = 0; i < b.code.n_images && has_ptxas(); i++)
            cr_expect(assembles(&b.code.images[i], name), "%s\n%s", name, text);
    }
    nvptx_drop(&b);
}

/* --- runs on the fake driver -------------------------------------------------------------------
 */

enum { MAX_BUFFERS = 8 };

int64_t nvptx_failed[3 * NVPTX_CHECKS];

static int64_t value_of(const nvptx_code *b, const rlxc_expr *e, const int64_t *dims)
{
    const rlxc_expr **vars = NULL, *values[8];
    uint32_t n = 0;
    int64_t value = -1;
    rlxc_prim_func_dims(b->ctx, b->code.kernels[0].f, &vars, &n);
    for (uint32_t i = 0; i < n; i++)
        values[i] = rlxc_int(b->ctx, vars[i]->dtype, dims[i]);
    e = rlxc_canonical(b->ctx, rlxc_substitute(b->ctx, e, vars, values, n), NULL);
    cr_assert(rlxc_is_int(e, &value), "an expression is not known");
    return value;
}

static void *place_of(const nvptx_code *b, const rlxc_buffer *buffer, void *const *memory)
{
    const rlxc_prim_func *f = b->code.kernels[0].f;
    for (uint32_t i = 0, k = 0; i < f->n_params; i++)
        if (f->params[i].buffer && f->params[i].buffer->data == buffer->data)
            return memory[k];
        else
            k += f->params[i].buffer != NULL;
    return NULL;
}

static void launch(rlx_test *t, const nvptx_code *b, void *device, void *module,
                   const rlxc_launch *l, void *const *memory, const int64_t *dims)
{
    rlx_launch_value args[32];
    rlx_launch out = {.name = l->name, .args = args, .n_args = l->n_args};
    for (int i = 0; i < 3; i++) {
        out.grid[i] = (uint32_t)value_of(b, l->grid[i], dims);
        out.block[i] = (uint32_t)value_of(b, l->block[i], dims);
    }
    for (uint32_t i = 0; i < l->n_args; i++)
        if (l->args[i].is_checks) {
            args[i].kind = RLX_LAUNCH_BUFFER;
            args[i].as.at = (rlx_device_at){memory[MAX_BUFFERS], 0};
        } else if (l->args[i].buffer) {
            args[i].kind = RLX_LAUNCH_BUFFER;
            args[i].as.at = (rlx_device_at){place_of(b, l->args[i].buffer, memory), 0};
        } else {
            args[i].kind = l->args[i].scalar->dtype.bits == 64 ? RLX_LAUNCH_I64 : RLX_LAUNCH_I32;
            args[i].as.i = value_of(b, l->args[i].value, dims);
        }
    RLX_OKAY(rlxv_cuda_api.find(device, module, l->name, &out.function, &t->error));
    RLX_OKAY(rlxv_cuda_api.launch(device, &out, NULL, &t->error));
}

void nvptx_run(rlx_test *t, const nvptx_code *b, const nvptx_buffer *buffers, uint32_t n,
               const int64_t *dims)
{
    const rlx_device_api *api = &rlxv_cuda_api;
    const rlxc_device_image *image = &b->code.images[b->code.n_images - 1];
    void *device, *module, *memory[MAX_BUFFERS + 1];
    cr_assert_not_null(fake_open("cuda", "RLX_CUDA_LIBRARY"));
    RLX_OKAY(api->open(NULL, 0, &device, &t->error));
    RLX_OKAY(api->load(device, rlx_str_from(image->format), image->data, image->size, &module,
                       &t->error));
    for (uint32_t i = 0; i < n; i++) {
        RLX_OKAY(api->alloc(device, buffers[i].bytes, NULL, &memory[i], &t->error));
        RLX_OKAY(api->copy_in(device, (rlx_device_at){memory[i], 0}, buffers[i].data,
                              buffers[i].bytes, NULL, &t->error));
    }
    memset(nvptx_failed, 0, sizeof nvptx_failed);
    rlx_device_at checks = {NULL, 0};
    RLX_OKAY(api->alloc(device, sizeof nvptx_failed, NULL, &memory[MAX_BUFFERS], &t->error));
    checks.memory = memory[MAX_BUFFERS];
    RLX_OKAY(api->copy_in(device, checks, nvptx_failed, sizeof nvptx_failed, NULL, &t->error));
    const rlxc_device_kernel *k = &b->code.kernels[0];
    cr_assert_eq(k->n_scratch, 0);
    for (uint32_t i = 0; i < k->n_launches; i++)
        launch(t, b, device, module, &k->launches[i], memory, dims);
    for (uint32_t i = 0; i < n; i++) {
        RLX_OKAY(api->copy_out(device, buffers[i].data, (rlx_device_at){memory[i], 0},
                               buffers[i].bytes, NULL, &t->error));
        api->release(device, memory[i]);
    }
    RLX_OKAY(api->copy_out(device, nvptx_failed, checks, sizeof nvptx_failed, NULL, &t->error));
    api->release(device, checks.memory);
    api->unload(device, module);
    api->close(device);
}

void nvptx_check_run(rlx_test *t, const char *text, const char *name, const nvptx_buffer *buffers,
                     uint32_t n, const int64_t *dims)
{
    nvptx_code code;
    nvptx_check(t, text, name);
    cr_assert(nvptx_build(t, text, "cuda", RLXC_NATIVE_ASM, &code), "%s", name);
    nvptx_run(t, &code, buffers, n, dims);
    nvptx_drop(&code);
}
