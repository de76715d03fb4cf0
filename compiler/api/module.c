/* Modules of the library: reading, weights, text, checks. */
#include "compiler/api/handles.h"

#include "compiler/base/mapped.h"
#include "compiler/driver/files.h"
#include "compiler/driver/safetensors.h"
#include "compiler/script/script.h"

#include <stdlib.h>
#include <string.h>

#define INPUT_LIMIT ((size_t)4 << 30)
#define SCHEDULE_LIMIT ((size_t)64 << 20)

rlx_ir_module *rlxc_api_module(rlx_compiler *c, rlxc_module *ir, const char *path)
{
    rlx_ir_module *m = rlxc_alloc(c->ctx, sizeof *m);
    *m = (rlx_ir_module){.compiler = c, .ir = ir, .path = rlxc_intern_cstr(c->ctx, path)};
    return m;
}

rlx_compiler *rlx_ir_module_compiler(const rlx_ir_module *m)
{
    return m != NULL ? m->compiler : NULL;
}

/* --- reading --------------------------------------------------------------------------------- */

static rlx_status finish(const rlxc_api_call *call, rlxc_module *ir, const char *path,
                         const char *source, size_t length, rlx_ir_module **out, rlx_error *err)
{
    rlx_ir_module *m = rlxc_api_module(call->compiler, ir, path);
    m->source = source;
    m->length = length;
    RLX_TRY(rlxc_api_end(call, ir != NULL, RLX_E_INVALID_MODULE, err));
    *out = m;
    return RLX_OK;
}

rlx_status rlx_compiler_parse(rlx_compiler *c, const char *path, const char *text, size_t length,
                              rlx_ir_module **out, rlx_error *err)
{
    rlxc_api_call call;
    if (path == NULL || (text == NULL && length > 0) || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "path, text or out is NULL");
    RLX_TRY(rlxc_api_begin(c, &call, err));
    rlxc_doing(c->ctx, "reading", rlxc_intern_cstr(c->ctx, path));
    rlxc_module *ir = NULL;
    char *copy = length < SIZE_MAX ? rlxc_try_alloc(c->ctx, length + 1, 1) : NULL;
    if (copy != NULL) {
        if (length > 0)
            memcpy(copy, text, length);
        ir = rlxc_read_module(c->ctx, path, copy, length);
    }
    return finish(&call, ir, path, copy, length, out, err);
}

rlx_status rlx_compiler_import_onnx(rlx_compiler *c, const char *path, const void *bytes,
                                    size_t size, rlx_ir_module **out, rlx_error *err)
{
    rlxc_api_call call;
    if (path == NULL || (bytes == NULL && size > 0) || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "path, bytes or out is NULL");
    RLX_TRY(rlxc_api_begin(c, &call, err));
    const char *source = size > 0 ? bytes : "";
    rlxc_doing(c->ctx, "reading", rlxc_intern_cstr(c->ctx, path));
    return finish(&call, rlxc_read_onnx(c->ctx, path, source, size, c->lift_params), path, source,
                  size, out, err);
}

static bool has_suffix(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && strcmp(text + n - m, suffix) == 0;
}

/* The bytes of |path|, alive as long as the context: mapped where |map|. */
static bool read_bytes(rlxc_context *ctx, const char *path, bool map, const char **out, size_t *n)
{
    char *read = NULL;
    if (map)
        return rlxc_map_input(ctx, path, INPUT_LIMIT, out, n);
    if (!rlxc_read_file(ctx, path, INPUT_LIMIT, &read, n))
        return false;
    *out = read;
    if (rlxc_on_destroy(ctx, free, read))
        return true;
    free(read);
    return false;
}

rlx_status rlx_compiler_read(rlx_compiler *c, const char *path, rlx_ir_module **out, rlx_error *err)
{
    rlxc_api_call call;
    if (path == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "path or out is NULL");
    RLX_TRY(rlxc_api_begin(c, &call, err));
    const bool onnx = has_suffix(path, ".onnx"); /* mostly weights, which are used in place */
    const char *text = NULL;
    size_t length = 0;
    rlxc_doing(c->ctx, "reading", rlxc_intern_cstr(c->ctx, path));
    if (!read_bytes(c->ctx, path, onnx, &text, &length))
        return rlxc_api_end(&call, false, RLX_E_IO, err);
    rlxc_module *ir = onnx ? rlxc_read_onnx(c->ctx, path, text, length, c->lift_params)
                           : rlxc_read_module(c->ctx, path, text, length);
    return finish(&call, ir, path, text, length, out, err);
}

rlx_status rlx_compiler_new_module(rlx_compiler *c, rlx_ir_module **out, rlx_error *err)
{
    rlxc_api_call call;
    if (out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "out is NULL");
    RLX_TRY(rlxc_api_begin(c, &call, err));
    return finish(&call, rlxc_module_new(c->ctx), "<module>", NULL, 0, out, err);
}

/* --- weights --------------------------------------------------------------------------------- */

static void close_weights(void *user)
{
    rlxc_weights_close(user);
}

static void release_tensor(void *user)
{
    rlx_value_release(rlx_of_tensor(user));
}

bool rlxc_api_keep_tensor(rlxc_context *ctx, rlx_tensor *tensor)
{
    rlx_value_retain(rlx_of_tensor(tensor));
    if (rlxc_on_destroy(ctx, release_tensor, tensor))
        return true;
    release_tensor(tensor);
    return false;
}

static rlx_status bound(const rlxc_api_call *call, rlx_ir_module *m, bool ok, rlx_error *err)
{
    rlx_status status = rlxc_api_end(call, ok, RLX_E_INVALID_MODULE, err);
    m->broken = status != RLX_OK;
    return status;
}

rlx_status rlx_ir_module_bind_file(rlx_ir_module *m, const char *path, rlx_error *err)
{
    rlxc_api_call call;
    if (path == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "path is NULL");
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    rlxc_weights *weights = rlxc_alloc(ctx, sizeof *weights);
    const char *name = rlxc_intern_cstr(ctx, path);
    rlxc_doing(ctx, "reading", name);
    bool ok = rlxc_weights_open(ctx, name, weights);
    weights->strict = call.compiler->strict_weights;
    weights->lift = call.compiler->lift_params;
    if (!rlxc_on_destroy(ctx, close_weights, weights)) {
        rlxc_weights_close(weights);
        ok = false;
    }
    RLXC_PUSH(ctx, &m->read_weights, name);
    return bound(&call, m, ok && rlxc_bind_weights(ctx, m->ir, weights), err);
}

static bool take_tensor(rlxc_context *ctx, rlxc_weights *weights, const rlx_named_tensor *t)
{
    if (t->name == NULL || t->tensor == NULL) {
        rlxc_error(ctx, (rlxc_range){0}, "a tensor or its name is NULL");
        return false;
    }
    if (!rlxc_api_keep_tensor(ctx, t->tensor))
        return false;
    const rlxc_weight w = {.name = rlxc_intern_cstr(ctx, t->name),
                           .dtype = rlx_tensor_dtype(t->tensor),
                           .ndim = rlx_tensor_ndim(t->tensor),
                           .shape = rlx_tensor_dims(t->tensor),
                           .data = rlx_tensor_data(t->tensor),
                           .nbytes = rlx_tensor_nbytes(t->tensor)};
    return rlxc_weights_add(ctx, weights, w);
}

rlx_status rlx_ir_module_bind_tensors(rlx_ir_module *m, const rlx_named_tensor *tensors, uint32_t n,
                                      rlx_error *err)
{
    rlxc_api_call call;
    if (tensors == NULL && n > 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "tensors is NULL");
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    rlxc_weights weights = {.path = "the tensors given",
                            .strict = call.compiler->strict_weights,
                            .lift = call.compiler->lift_params};
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++)
        ok = take_tensor(ctx, &weights, &tensors[i]);
    return bound(&call, m, ok && rlxc_bind_weights(ctx, m->ir, &weights), err);
}

/* --- schedules ------------------------------------------------------------------------------- */

/* "tiled.sch xxh64:0123456789abcdef: f, g" */
static const char *describe_schedule(rlxc_context *ctx, const char *path, const char *text,
                                     size_t length, const rlxc_schedules *all)
{
    rlxc_text out = {.ctx = ctx};
    rlxc_text_printf(&out, "%s %s", rlxc_base_name(path), rlxc_text_hash(ctx, text, length));
    for (uint32_t i = 0; i < all->items.count; i++)
        rlxc_text_printf(&out, "%s%s", i > 0 ? ", " : ": ", all->items.items[i]->function);
    return out.data;
}

/* Steps of rules go to the rules, loop steps to the engine. */
static bool take_schedule(rlx_ir_module *m, const char *path, const char *text, size_t length)
{
    rlxc_context *ctx = m->compiler->ctx;
    rlxc_schedules all = {0}, others = {0};
    if (m->lowered) {
        rlxc_error(ctx, (rlxc_range){0}, "%s: the module has already been lowered", path);
        return false;
    }
    if (!rlxc_parse_schedules(ctx, path, text, length, &all))
        return false;
    rlxc_schedules *of_rules = rlxc_alloc(ctx, sizeof *of_rules);
    for (uint32_t i = 0; i < all.items.count; i++) {
        rlxc_schedule_steps *list = all.items.items[i];
        if (rlxc_rules_take(list))
            RLXC_PUSH(ctx, &of_rules->items, list);
        else
            RLXC_PUSH(ctx, &others.items, list);
    }
    m->scheduled = describe_schedule(ctx, path, text, length, &all);
    m->schedules = others;
    m->steps.given = of_rules->items.count > 0 ? of_rules : NULL;
    return true;
}

rlx_status rlx_ir_module_set_schedule(rlx_ir_module *m, const char *path, const char *text,
                                      size_t length, rlx_error *err)
{
    rlxc_api_call call;
    if (path == NULL || (text == NULL && length > 0))
        return rlx_fail(err, RLX_E_INVALID_ARG, "path or text is NULL");
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    char *copy = length < SIZE_MAX ? rlxc_try_alloc(call.compiler->ctx, length + 1, 1) : NULL;
    if (copy != NULL && length > 0)
        memcpy(copy, text, length);
    bool ok = copy != NULL && take_schedule(m, path, copy, length);
    return rlxc_api_end(&call, ok, RLX_E_INVALID_MODULE, err);
}

rlx_status rlx_ir_module_read_schedule(rlx_ir_module *m, const char *path, rlx_error *err)
{
    rlxc_api_call call;
    if (path == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "path is NULL");
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    const char *text = NULL;
    size_t length = 0;
    rlxc_doing(call.compiler->ctx, "reading", rlxc_intern_cstr(call.compiler->ctx, path));
    if (!rlxc_map_input(call.compiler->ctx, path, SCHEDULE_LIMIT, &text, &length))
        return rlxc_api_end(&call, false, RLX_E_IO, err);
    return rlxc_api_end(&call, take_schedule(m, path, text, length), RLX_E_INVALID_MODULE, err);
}

/* --- text and checks ------------------------------------------------------------------------- */

const char *rlx_ir_module_print(rlx_ir_module *m)
{
    if (m == NULL || rlxc_out_of_memory(m->compiler->ctx))
        return NULL;
    const char *text = rlxc_print_module(m->compiler->ctx, m->ir);
    return rlxc_out_of_memory(m->compiler->ctx) ? NULL : text;
}

const char *rlx_ir_module_print_prims(rlx_ir_module *m)
{
    if (m == NULL || rlxc_out_of_memory(m->compiler->ctx))
        return NULL;
    rlxc_text text = {.ctx = m->compiler->ctx};
    rlxc_text_puts(&text, "");
    for (uint32_t i = 0; i < m->ir->globals.count; i++) {
        const rlxc_prim_func *f = m->ir->globals.items[i]->prim;
        if (f == NULL)
            continue;
        rlxc_text_puts(&text, text.length > 0 ? "\n" : "");
        rlxc_text_puts(&text, rlxc_print_prim_func(text.ctx, f));
    }
    return rlxc_out_of_memory(text.ctx) ? NULL : text.data;
}

rlx_status rlx_ir_module_check(rlx_ir_module *m, rlx_error *err)
{
    rlxc_api_call call;
    RLX_TRY(rlxc_api_begin(m != NULL ? m->compiler : NULL, &call, err));
    bool ok = rlxc_well_formed(call.compiler->ctx, m->ir, "check", false);
    return rlxc_api_end(&call, ok, RLX_E_INVALID_MODULE, err);
}

rlx_status rlx_ir_module_check_output(const rlx_ir_module *m, const char *path, rlx_error *err)
{
    rlxc_api_call call;
    if (m == NULL || path == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the module or path is NULL");
    RLX_TRY(rlxc_api_begin(m->compiler, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    rlx_error refused;
    if (rlxc_is_mapped(ctx, path) ||
        rlx_check_output(path, m->read_weights.items, m->read_weights.count, &refused) != RLX_OK)
        rlxc_error(ctx, (rlxc_range){0}, "the output %s would overwrite a file that %s reads", path,
                   m->path);
    return rlxc_api_end(&call, true, RLX_E_INVALID_ARG, err);
}
