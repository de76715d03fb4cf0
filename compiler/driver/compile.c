/* The pipeline: text -> module -> passes -> native code and bytecode in an executable builder.
 *
 * What is written depends on the source, its name and the options only: no time and no address
 * reaches the executable. */
#include "compiler/driver/compile.h"

#include <inttypes.h>
#include <string.h>

#include "compiler/base/hash.h"
#include "compiler/codegen/codegen.h"
#include "compiler/codegen/device.h"
#include "compiler/driver/lift_params.h"
#include "compiler/ir/device.h"
#include "compiler/ir/names.h"
#include "compiler/onnx/import.h"
#include "compiler/script/script.h"
#include "compiler/target/target.h"

enum { MAX_FEATURES = 128 };

/* rlxc_options.compile_here: for the baseline CPU of this architecture, so that a file does not
 * depend on the machine that made it. */
static bool compile_here(rlxc_context *ctx, rlxc_module *module, bool lenient,
                         rlx_exec_builder *builder)
{
    rlxc_options options;
    if (!rlxc_options_init(ctx, &options, rlxc_target_host_triple(), NULL, 0))
        return false;
    options.lenient = lenient;
    return rlxc_compile_module(ctx, module, &options, NULL, builder);
}

rlxc_options rlxc_options_for(const rlxc_target *target, int opt_level)
{
    return (rlxc_options){.opt_level = opt_level,
                          .target = target,
                          .row_bits = RLXC_ROW_BITS,
                          .rounded_rows = 1,
                          .mixed = rlxc_dtype_void(),
                          .compile_here = compile_here,
                          .device_refuses = rlxc_try_device};
}

bool rlxc_options_init(rlxc_context *ctx, rlxc_options *out, const char *triple, const char *cpu,
                       int opt_level)
{
    *out = rlxc_options_for(rlxc_target_new(ctx, triple, cpu), opt_level);
    return out->target != NULL;
}

rlxc_module *rlxc_read_module(rlxc_context *ctx, const char *path, const char *text, size_t length)
{
    rlxc_module *module = rlxc_parse_module(ctx, path, text, length);
    if (module == NULL || !rlxc_well_formed(ctx, module, "parse", false))
        return NULL;
    return module;
}

rlxc_module *rlxc_read_onnx(rlxc_context *ctx, const char *path, const void *bytes, size_t length,
                            bool lift)
{
    rlxc_module *module = rlxc_import_onnx(ctx, path, bytes, length, lift);
    if (module == NULL || !rlxc_well_formed(ctx, module, "ONNX import", true))
        return NULL;
    return module;
}

bool rlxc_check_round_trip(rlxc_context *ctx, const rlxc_module *module, const char *stage,
                           rlxc_round_trip *last)
{
    rlxc_round_trip none = {0};
    last = last != NULL ? last : &none;
    const char *text = rlxc_print_module_keeping(ctx, module, &last->kept);
    const char *why = NULL;
    if (rlxc_failed(ctx))
        return false;
    if (last->read != NULL && strcmp(last->text, text) == 0 &&
        rlxc_module_equal(ctx, module, last->read, &why))
        return true;
    const char *path = rlxc_internf(ctx, "<printed after %s>", stage);
    rlxc_module *again = rlxc_parse_module_keeping(ctx, path, text, strlen(text), &last->kept);
    last->text = text;
    last->read = again;
    why = "it does not parse";
    if (again != NULL && rlxc_module_equal(ctx, module, again, &why))
        return true;
    rlxc_internal(ctx, (rlxc_range){0}, stage, "the printed module differs from the module: %s",
                  why != NULL ? why : "no reason given");
    return false;
}

/* --- passes ---------------------------------------------------------------------------------- */

typedef struct lowering {
    rlxc_context *ctx;
    const rlxc_options *options;
    const rlxc_pass_hooks *user;
    rlxc_round_trip *last;
} lowering;

static bool after_pass(void *user, const rlxc_pass *pass, const rlxc_module *module, double seconds)
{
    const lowering *l = user;
    if (l->options->check && !rlxc_check_round_trip(l->ctx, module, pass->name, l->last))
        return false;
    return l->user == NULL || l->user->after == NULL ||
           l->user->after(l->user->user, pass, module, seconds);
}

bool rlxc_lower_module(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options,
                       const rlxc_pass_hooks *hooks)
{
    rlxc_round_trip last = {0};
    lowering l = {ctx, options, hooks, &last};
    rlxc_note_names(ctx, module);
    rlxc_pass_hooks own = {.user = &l, .after = after_pass};
    if (options->check && !rlxc_check_round_trip(ctx, module, "input", &last))
        return false;
    return rlxc_run_passes(ctx, module, options, &own);
}

/* --- executable ------------------------------------------------------------------------------ */

static bool report(rlxc_context *ctx, rlx_status status, const rlx_error *err)
{
    if (status == RLX_E_NOMEM)
        rlxc_set_out_of_memory(ctx);
    else if (status != RLX_OK)
        rlxc_error(ctx, (rlxc_range){0}, "cannot write the executable: %s", err->message);
    return status == RLX_OK;
}

static bool add_native(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                       rlx_exec_builder *builder)
{
    if (!rlxc_has_cpu_kernels(module))
        return true;
    rlxc_native native = {0};
    if (!rlxc_compile_native(ctx, module, options, RLXC_NATIVE_SHARED, &native))
        return false;

    rlx_str features[MAX_FEATURES];
    uint32_t n = 0;
    for (const char *at = native.features; at != NULL && *at != '\0' && n < MAX_FEATURES;) {
        size_t length = strcspn(at, ",");
        if (length > 0)
            features[n++] = (rlx_str){at, length};
        at += length + (at[length] == ',');
    }
    rlx_error err = {0};
    rlx_status status = rlx_exec_builder_native(builder, rlx_str_from(native.triple), features, n,
                                                native.data, native.size, &err);
    return report(ctx, status, &err);
}

const char *rlxc_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool rlxc_add_metadata(rlxc_context *ctx, const char *key, const char *value,
                       rlx_exec_builder *builder)
{
    rlx_error err = {0};
    const rlx_status status =
        rlx_exec_builder_metadata(builder, rlx_str_from(key), rlx_str_from(value), &err);
    return report(ctx, status, &err);
}

static bool add_metadata(rlxc_context *ctx, const rlxc_options *options, rlx_exec_builder *builder)
{
    rlxc_text text = {.ctx = ctx};
    rlxc_text_printf(&text, "-O%d --target=%s --mcpu=%s", options->opt_level,
                     options->target->triple, options->target->cpu);
    if (options->lenient)
        rlxc_text_printf(&text, " --lenient");
    if (options->allow_tf32)
        rlxc_text_printf(&text, " --allow-tf32");
    if (options->no_compression)
        rlxc_text_printf(&text, " --no-compression");
    if (options->lifted_file)
        rlxc_text_printf(&text, " --lift-params");
    if (options->no_winograd)
        rlxc_text_printf(&text, " --no-winograd");
    if (options->memory_layout)
        rlxc_text_printf(&text, " --memory-layout=%s", options->memory_layout);
    for (uint32_t i = 0; i < options->n_requests; i++)
        rlxc_text_printf(&text, " --pass=%s", options->requests[i]);
    if (rlxc_is_requested(options, "to_mixed_precision"))
        rlxc_text_printf(&text, " --mixed-precision=%s", rlxc_dtype_name(ctx, options->mixed));
    if (options->row_bits != RLXC_ROW_BITS)
        rlxc_text_printf(&text, " --row-bits=%d", (int)options->row_bits);
    if (options->rounded_rows == RLXC_ALL_ROWS)
        rlxc_text_printf(&text, " --rounded-rows=all");
    else if (options->rounded_rows != 1)
        rlxc_text_printf(&text, " --rounded-rows=%d", (int)options->rounded_rows);
    for (uint32_t i = 0; i < options->n_links; i++)
        rlxc_text_printf(&text, " --link %s", rlxc_base_name(options->links[i]));
    for (uint32_t i = 0; i < options->n_bounds; i++)
        rlxc_text_printf(&text, " --bound %s=%" PRId64 ":%" PRId64, options->bounds[i].name,
                         options->bounds[i].min, options->bounds[i].max);
    return rlxc_add_metadata(ctx, "compiler", "rlxc " RLX_VERSION, builder) &&
           rlxc_add_metadata(ctx, "options", text.data ? text.data : "", builder);
}

bool rlxc_generate(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                   rlx_exec_builder *builder)
{
    rlxc_map places = {0};
    rlxc_options own = *options;
    if (options->lifted_file && !rlxc_lift_params(ctx, module, options, builder, &places))
        return false;
    own.weight_places = &places;
    return rlxc_emit_bytecode(ctx, module, &own, builder) &&
           add_native(ctx, module, options, builder) && add_metadata(ctx, options, builder);
}

bool rlxc_compile_module(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options,
                         const rlxc_pass_hooks *hooks, rlx_exec_builder *builder)
{
    return rlxc_lower_module(ctx, module, options, hooks) &&
           rlxc_generate(ctx, module, options, builder);
}

bool rlxc_add_source_hash(rlxc_context *ctx, const char *text, size_t length,
                          rlx_exec_builder *builder)
{
    return rlxc_add_metadata(ctx, "source", rlxc_text_hash(ctx, text, length), builder);
}

const char *rlxc_text_hash(rlxc_context *ctx, const char *text, size_t length)
{
    return rlxc_internf(ctx, "xxh64:%016" PRIx64, rlxc_hash64_bytes(RLXC_HASH_START, text, length));
}

bool rlxc_compile_text(rlxc_context *ctx, const char *path, const char *text, size_t length,
                       const rlxc_options *options, rlx_exec_builder *builder)
{
    rlxc_module *module = rlxc_read_module(ctx, path, text, length);
    return module != NULL && rlxc_compile_module(ctx, module, options, NULL, builder) &&
           rlxc_add_source_hash(ctx, text, length, builder);
}
