/* Bytecode emission: devices. Their rows of the file, the code for them, the launches of their
 * kernels, and the move of arguments to the devices of a function's parameters. */
#include "compiler/codegen/emit.h"
#include "compiler/ir/device.h"

#include <string.h>

/* --- devices ---------------------------------------------------------------------------------- */

static const char *target_text(rlxc_bc_module *m, const rlxc_vdevice *device)
{
    rlxc_target_spec spec;
    if (device->target.kind == RLXC_ATTR_STRING)
        return device->target.s;
    const rlxc_target *t = rlxc_target_spec_of(m->ctx, device->range, &device->target, &spec)
                               ? rlxc_target_of_spec(m->ctx, device->range, &spec)
                               : NULL;
    return t ? rlxc_target_text(m->ctx, t) : "";
}

/* Records the meaning of row |row| of the file. */
static void note_row(rlxc_bc_module *m, uint32_t row, const rlxc_vdevice *device)
{
    while (m->rows.count <= row && !rlxc_out_of_memory(m->ctx))
        RLXC_PUSH(m->ctx, &m->rows, NULL);
    if (row > 0 && row < m->rows.count)
        m->rows.items[row] = device;
}

/* |pool|: of the CPU's memory, its name; else NULL. */
static uint32_t row_of(rlxc_bc_module *m, const rlxc_vdevice *device, const char *pool,
                       rlxc_range range)
{
    size_t length = 0;
    const char *kind = rlxc_target_kind(&device->target, &length);
    rlx_device_row row = {.kind = {kind, length}};
    const bool is_cpu = length == 0 || rlxc_is_cpu_kind(kind, length);
    if (is_cpu)
        row.kind = RLX_STR("cpu");
    if (device->index < 0 || device->index > INT32_MAX) {
        rlxc_error(m->ctx, range, "device %.*s has no number %lld", (int)length, kind,
                   (long long)device->index);
        m->failed = true;
    }
    const char *scope = device->scope ? device->scope : "global";
    if (!rlxc_is_device_word(scope, strlen(scope))) {
        rlxc_error(m->ctx, range,
                   "memory scope '%s' is not 1 to 63 letters, digits, '_', '.' and '-'", scope);
        m->failed = true;
    }
    uint32_t out = 0;
    rlx_error err = {0};
    if (m->failed)
        return 0;
    row.id = (uint32_t)device->index;
    row.scope = rlx_str_from(scope);
    row.target = rlx_str_from(pool && is_cpu ? rlxc_internf(m->ctx, "pool %s", pool)
                                             : target_text(m, device));
    if (rlxc_bc_ok(m, range, rlx_exec_builder_device(m->builder, &row, &out, &err), &err))
        note_row(m, out, device);
    return out;
}

uint32_t rlxc_bc_pool_row(rlxc_bc_module *m, const rlxc_pool *pool, const rlxc_vdevice *where)
{
    rlxc_vdevice *device = rlxc_alloc(m->ctx, sizeof *device);
    if (where)
        *device = *where;
    device->scope = pool->scope;
    return row_of(m, device, pool->name, device->range);
}

uint32_t rlxc_bc_device(rlxc_bc_module *m, const char *vdevice, rlxc_range range)
{
    if (rlxc_vdevice_is_host(m->module, vdevice))
        return 0;
    return row_of(m, rlxc_find_vdevice(m->module, vdevice), NULL, range);
}

uint32_t rlxc_bc_device_at(rlxc_bc_module *m, rlxc_atom index, rlxc_range range)
{
    int64_t i = -1;
    if (index.kind == RLXC_ATOM_PRIM)
        rlxc_is_int(index.prim, &i);
    const rlxc_vdevice *device = rlxc_vdevice_at(m->module, i);
    return device ? row_of(m, device, NULL, range) : 0;
}

/* --- code ------------------------------------------------------------------------------------- */

bool rlxc_bc_device_code(rlxc_bc_module *m)
{
    m->code_modules = rlxc_try_alloc(m->ctx, (size_t)m->n_codes + 1, sizeof *m->code_modules);
    for (uint32_t i = 0; i < m->n_codes && m->code_modules; i++) {
        const rlxc_device_code *code = &m->codes[i];
        rlx_code_image *images = rlxc_alloc(m->ctx, ((size_t)code->n_images + 1) * sizeof *images);
        for (uint32_t k = 0; k < code->n_images; k++)
            images[k] = (rlx_code_image){rlx_str_from(code->images[k].format), code->images[k].data,
                                         code->images[k].size};
        rlx_error err = {0};
        if (!rlxc_bc_ok(m, (rlxc_range){0},
                        rlx_exec_builder_device_module(m->builder, rlx_str_from(code->target->kind),
                                                       images, code->n_images, &m->code_modules[i],
                                                       &err),
                        &err))
            return false;
    }
    return m->code_modules != NULL;
}

bool rlxc_bc_sections(rlxc_bc_module *m)
{
    for (uint32_t i = 0; i < m->module->sections.count; i++) {
        const rlxc_section *s = &m->module->sections.items[i];
        const rlx_code_image image = {rlx_str_from(s->format), s->data, s->size};
        uint32_t index = 0;
        rlx_error err = {0};
        if (!rlxc_bc_ok(m, (rlxc_range){0},
                        rlx_exec_builder_device_module(m->builder, rlx_str_from(s->kind), &image, 1,
                                                       &index, &err),
                        &err))
            return false;
    }
    return true;
}

const rlxc_device_kernel *rlxc_bc_device_kernel(const rlxc_bc_module *m, const rlxc_prim_func *f,
                                                uint32_t *out_code)
{
    for (uint32_t i = 0; i < m->n_codes; i++)
        for (uint32_t k = 0; k < m->codes[i].n_kernels; k++)
            if (m->codes[i].kernels[k].f == f) {
                *out_code = i;
                return &m->codes[i].kernels[k];
            }
    return NULL;
}

static bool any_constant(const rlxc_atom *args, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (args[i].kind == RLXC_ATOM_CONSTANT)
            return true;
    return false;
}

/* The first device of the module of the kind that |f| is made for: a check of a constant, which
 * writes nothing, has no tensor that says more. */
static const char *first_of_kind(const rlxc_bc_module *m, const rlxc_prim_func *f)
{
    size_t length, own_length;
    const char *kind = rlxc_target_kind(rlxc_attrs_find(&f->attrs, "target"), &length);
    for (uint32_t i = 0; i < m->module->vdevices.count; i++) {
        const rlxc_vdevice *d = &m->module->vdevices.items[i];
        const char *own = rlxc_target_kind(&d->target, &own_length);
        if (own_length == length && memcmp(own, kind, length) == 0)
            return rlxc_vdevice_name(m->ctx, m->module, d);
    }
    return NULL;
}

uint32_t rlxc_bc_kernel_device(rlxc_bc_module *m, const rlxc_prim_func *f, const rlxc_atom *args,
                               uint32_t n, rlxc_range range, const char **out_where)
{
    uint32_t device = 0;
    *out_where = NULL;
    for (uint32_t i = 0; i < n && rlxc_prim_is_device(f) && device == 0; i++)
        if (args[i].kind == RLXC_ATOM_VAR) {
            *out_where = rlxc_sinfo_device(m->module, args[i].var->sinfo);
            device = rlxc_bc_device(m, *out_where, range);
        }
    if (device > 0 || !rlxc_prim_is_device(f) || !any_constant(args, n))
        return device;
    *out_where = first_of_kind(m, f);
    return *out_where ? rlxc_bc_device(m, *out_where, range) : 0;
}

/* --- launches --------------------------------------------------------------------------------- */

typedef struct launching {
    rlxc_bc_module *m;
    rlxc_bc_symbols *symbols; /* the kernel's dims */
    const rlxc_device_kernel *kernel;
    rlxc_range range;
} launching;

static uint32_t size_expr(const launching *l, const rlxc_expr *e)
{
    return rlxc_bc_expr(l->m, l->symbols, e ? e : rlxc_i64(l->m->ctx, 1), l->range);
}

static uint32_t scratch_bytes(const launching *l, const rlxc_buffer *buffer)
{
    rlxc_context *ctx = l->m->ctx;
    const rlxc_expr *bytes = rlxc_i64(ctx, (int64_t)rlx_dtype_size(buffer->dtype));
    for (uint32_t i = 0; i < buffer->ndim; i++)
        bytes = rlxc_mul(ctx, bytes, rlxc_cast(ctx, RLX_I64, buffer->shape[i]));
    return size_expr(l, bytes);
}

static uint32_t value_type(rlx_dtype t)
{
    if (rlxc_dtype_is_float(t))
        return t.bits == 64 ? RLX_LAUNCH_F64 : RLX_LAUNCH_F32;
    return t.bits == 64 ? RLX_LAUNCH_I64 : RLX_LAUNCH_I32;
}

static rlx_launch_row_arg buffer_arg(const launching *l, const rlxc_buffer *buffer)
{
    const rlxc_prim_func *f = l->kernel->f;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        const rlxc_buffer *param = f->params[i].buffer;
        if (param && (param == buffer || param->data == buffer->data))
            return (rlx_launch_row_arg){RLX_LAUNCH_PARAM, RLX_LAUNCH_BUFFER, n};
        n += param != NULL;
    }
    for (uint32_t i = 0; i < l->kernel->n_scratch; i++)
        if (l->kernel->scratch[i] == buffer || l->kernel->scratch[i]->data == buffer->data)
            return (rlx_launch_row_arg){RLX_LAUNCH_SCRATCH, RLX_LAUNCH_BUFFER, i};
    rlxc_internal(l->m->ctx, l->range, "emit_bytecode",
                  "a launch of '%s' reads buffer '%s', which it does not have", f->name,
                  buffer->name);
    l->m->failed = true;
    return (rlx_launch_row_arg){RLX_LAUNCH_PARAM, RLX_LAUNCH_BUFFER, 0};
}

static rlx_launch_row launch_row(const launching *l, const rlxc_launch *launch)
{
    rlx_launch_row row = {.function = rlx_str_from(launch->name), .n_args = launch->n_args};
    for (uint32_t i = 0; i < 3; i++) {
        row.grid[i] = size_expr(l, launch->grid[i]);
        row.block[i] = size_expr(l, launch->block[i]);
    }
    row.shared = size_expr(l, rlxc_i64(l->m->ctx, launch->shared_bytes));
    rlx_launch_row_arg *args = rlxc_alloc(l->m->ctx, ((size_t)launch->n_args + 1) * sizeof *args);
    for (uint32_t i = 0; i < launch->n_args; i++) {
        const rlxc_launch_arg *a = &launch->args[i];
        args[i] = a->is_checks ? (rlx_launch_row_arg){RLX_LAUNCH_CHECKS, RLX_LAUNCH_BUFFER, 0}
                  : a->buffer  ? buffer_arg(l, a->buffer)
                               : (rlx_launch_row_arg){RLX_LAUNCH_EXPR, value_type(a->scalar->dtype),
                                                      size_expr(l, a->value)};
    }
    row.args = args;
    row.checks = rlx_str_from(launch->checks_text ? launch->checks_text : "");
    return row;
}

void rlxc_bc_launches(rlxc_bc_module *m, const rlxc_bc_kernel *k, rlxc_bc_symbols *symbols,
                      rlxc_range range)
{
    uint32_t code;
    launching l = {m, symbols, rlxc_bc_device_kernel(m, k->f, &code), range};
    if (!l.kernel) {
        if (!m->failed)
            rlxc_internal(m->ctx, range, "emit_bytecode", "there is no code for '%s'", k->f->name);
        m->failed = true;
        return;
    }
    uint32_t *scratch = rlxc_alloc(m->ctx, ((size_t)l.kernel->n_scratch + 1) * sizeof *scratch);
    for (uint32_t i = 0; i < l.kernel->n_scratch; i++)
        scratch[i] = scratch_bytes(&l, l.kernel->scratch[i]);
    rlx_launch_row *rows = rlxc_alloc(m->ctx, ((size_t)l.kernel->n_launches + 1) * sizeof *rows);
    for (uint32_t i = 0; i < l.kernel->n_launches; i++)
        rows[i] = launch_row(&l, &l.kernel->launches[i]);
    rlx_error err = {0};
    if (!m->failed)
        rlxc_bc_ok(m, range,
                   rlx_exec_builder_launches(m->builder, k->index, m->code_modules[code], scratch,
                                             l.kernel->n_scratch, rows, l.kernel->n_launches, &err),
                   &err);
}

/* --- arguments -------------------------------------------------------------------------------- */

/* The register of the value of type |s| in |reg| with all tensors where |s| says. */
static uint32_t moved(rlxc_bc_function *fn, const rlxc_sinfo *s, uint32_t reg)
{
    uint32_t out;
    if (s && s->kind == RLXC_SINFO_TENSOR) {
        out = rlxc_bc_new_reg(fn);
        RLXC_BC_EMIT(fn, RLX_OP_TO_VDEVICE, out, reg, rlxc_bc_device(fn->m, s->vdevice, fn->range));
        return out;
    }
    if (!rlxc_sinfo_device(fn->m->module, s))
        return reg;
    uint32_t *operands = rlxc_alloc(fn->ctx, ((size_t)s->n_fields + 2) * sizeof *operands);
    for (uint32_t i = 0; i < s->n_fields; i++) {
        const uint32_t item = rlxc_bc_new_reg(fn);
        RLXC_BC_EMIT(fn, RLX_OP_TUPLE_ITEM, item, reg, i);
        operands[i + 2] = moved(fn, s->fields[i], item);
    }
    out = rlxc_bc_new_reg(fn);
    operands[0] = out;
    operands[1] = s->n_fields;
    rlxc_bc_op(fn, RLX_OP_MAKE_TUPLE, operands, s->n_fields + 2);
    return out;
}

static bool has_devices(const rlxc_bc_module *m)
{
    bool any = false;
    for (uint32_t i = 0; i < m->module->vdevices.count; i++)
        any |= rlxc_vdevice_at(m->module, i) != NULL;
    return any;
}

/* A function as an operand or a result, not as a callee. */
static void find_value(void *user, rlxc_atom atom)
{
    rlxc_bc_module *m = user;
    const rlxc_global *g =
        atom.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(m->module, atom.text) : NULL;
    if (g && g->relax)
        rlxc_map_set(m->ctx, &m->values, rlxc_key(g->relax), m);
}

static void find_values(rlxc_bc_module *m, const rlxc_body *body)
{
    rlxc_atom_visit(body->result, find_value, m);
    for (uint32_t i = 0; i < body->n_blocks; i++)
        for (uint32_t k = 0; k < body->blocks[i]->n; k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            for (uint32_t j = 0; j < b->n_args; j++)
                rlxc_atom_visit(b->args[j], find_value, m);
            if (b->form == RLXC_FORM_IF) {
                find_values(m, b->then);
                find_values(m, b->otherwise);
            }
        }
}

void rlxc_bc_find_values(rlxc_bc_module *m)
{
    const uint32_t n = has_devices(m) ? m->module->globals.count : 0;
    for (uint32_t i = 0; i < n; i++)
        if (m->module->globals.items[i]->relax)
            find_values(m, &m->module->globals.items[i]->relax->body);
}

uint32_t rlxc_bc_moved(rlxc_bc_function *fn, const rlxc_sinfo *to, uint32_t reg)
{
    return to && (to->kind == RLXC_SINFO_TENSOR || to->kind == RLXC_SINFO_TUPLE) &&
                   has_devices(fn->m)
               ? moved(fn, to, reg)
               : reg;
}

uint32_t rlxc_bc_unboxed(rlxc_bc_function *fn, rlxc_atom from, const rlxc_sinfo *to, uint32_t reg)
{
    const rlxc_sinfo *box = from.kind == RLXC_ATOM_VAR ? from.var->sinfo : NULL;
    return box && box->kind == RLXC_SINFO_OBJECT ? rlxc_bc_moved(fn, to, reg) : reg;
}

void rlxc_bc_enter_devices(rlxc_bc_function *fn)
{
    const bool moves =
        has_devices(fn->m) && (!fn->f->is_private || rlxc_map_get(&fn->m->values, rlxc_key(fn->f)));
    for (uint32_t i = 0; i < fn->f->n_params && moves; i++) {
        const rlxc_rvar *param = fn->f->params[i];
        const uint32_t reg = moved(fn, param->sinfo, i);
        fn->reg[param->id] = reg + 1;
    }
}
