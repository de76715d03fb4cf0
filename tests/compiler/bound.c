/* See bound.h. */
#include "tests/compiler/bound.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/driver/safetensors.h"
#include "compiler/script/script.h"

unsigned char *bound_file(const char *header, const void *data, size_t bytes, size_t *out_size)
{
    const size_t length = strlen(header), padded = (length + 7) / 8 * 8;
    const uint64_t written = padded;
    unsigned char *file = malloc(8 + padded + bytes);
    memcpy(file, &written, 8);
    memset(file + 8, ' ', padded);
    memcpy(file + 8, header, length);
    memcpy(file + 8 + padded, data, bytes);
    *out_size = 8 + padded + bytes;
    return file;
}

static bool has_function(const rlxc_module *module, const char *beginning)
{
    for (uint32_t i = 0; i < module->globals.count; i++)
        if (strncmp(module->globals.items[i]->name, beginning, strlen(beginning)) == 0)
            return true;
    return false;
}

rlx_executable *bound_load(rlx_test *t, rlxc_context *ctx, rlxc_module *module,
                           const rlxc_options *options, const rlxc_pass_hooks *hooks,
                           const char *text)
{
    rlx_exec_builder *builder = NULL;
    rlx_executable *exe = NULL;
    rlx_load_options load = {.allocator = &t->allocator, .trust_native = true};
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &builder, &t->error));
    bool compiled = module && rlxc_compile_module(ctx, module, options, hooks, builder);
    cr_expect(compiled, "%s\n%s", rlxc_render_diagnostics(ctx), text);
    if (compiled)
        RLX_OKAY(rlx_exec_builder_load(builder, &load, &exe, &t->error));
    rlx_exec_builder_destroy(builder);
    return exe;
}

rlx_executable *bound_compile(rlx_test *t, const bound_program *p)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_options options;
    rlxc_weights weights = {0};
    bool fine = rlxc_options_init(ctx, &options, NULL, p->cpu, p->level ? p->level : 3);
    options.check = true;
    options.default_device = p->device;
    if (p->row_bits)
        options.row_bits = p->row_bits;
    if (p->rounded_rows)
        options.rounded_rows = p->rounded_rows;
    rlxc_module *module = fine ? rlxc_read_module(ctx, "test.py", p->text, strlen(p->text)) : NULL;
    if (p->weights)
        fine = module && rlxc_weights_parse(ctx, "weights", p->weights, p->size, &weights) &&
               rlxc_bind_weights(ctx, module, &weights);
    rlx_executable *exe = bound_load(t, ctx, fine ? module : NULL, &options, NULL, p->text);
    if (exe && p->expect && (!p->where || p->where(options.target)))
        cr_expect(has_function(module, p->expect), "no %s:\n%s", p->expect, p->text);
    if (exe && p->emits && (!p->where || p->where(options.target)))
        cr_expect(strstr(rlxc_print_module(ctx, module), p->emits), "no %s:\n%s", p->emits,
                  p->text);
    if (exe && p->lacks && (!p->where || p->where(options.target)))
        cr_expect(!strstr(rlxc_print_module(ctx, module), p->lacks), "%s:\n%s", p->lacks, p->text);
    rlxc_context_destroy(ctx);
    return exe;
}

void bound_fill(unsigned char *data, int64_t n, uint32_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        data[i] = seed >> 30 ? (unsigned char)(seed >> 20) : seed & 1 << 19 ? 128 : 127;
    }
}

int bound_number(const unsigned char *data, int64_t i, bool is_signed)
{
    return is_signed ? (int)(signed char)data[i] : (int)data[i];
}

void bound_threads(rlx_test *t, rlx_executable *exe,
                   void (*check)(rlx_test *t, rlx_vm *vm, const void *user), const void *user)
{
    for (uint32_t threads = 1; threads <= 2; threads++) {
        rlx_vm_options options = {
            .allocator = &t->allocator, .debug_poison = true, .threads = threads};
        rlx_vm *vm = NULL;
        RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
        check(t, vm, user);
        rlx_vm_destroy(vm);
    }
}
