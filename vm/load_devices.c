/* Loads the device tables of a file: devices, launches of kernels, devices of memory plans, and the
 * code, a section that all programs of a file share. Everything that the VM reads by index is
 * checked here; grids, blocks and sizes are values and are checked at the launch. */
#include "vm/load.h"

#include <string.h>

bool rlxv_is_device_word(rlx_str word)
{
    if (word.len == 0 || word.len > RLXV_MAX_DEVICE_WORD)
        return false;
    for (size_t i = 0; i < word.len; i++) {
        const char c = word.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '.' || c == '-'))
            return false;
    }
    return true;
}

bool rlxv_is_host_row(const rlx_device_row *row)
{
    return row->id == 0 && rlx_str_eq(row->kind, RLX_STR("cpu")) &&
           rlx_str_eq(row->scope, RLX_STR("global"));
}

/* --- code ------------------------------------------------------------------------------------- */

/* |size| bytes, which the file pads with zeros to whole words. */
static rlx_status take_bytes(rlxv_loader *l, rlxv_reader *r, uint32_t row, uint64_t size,
                             const void **out)
{
    const uint64_t padding = (4 - size % 4) % 4;
    if (r->bad || size > r->left || padding > r->left - size)
        return rlxv_malformed(l, "module", row, "leaves its section");
    *out = r->p;
    for (uint64_t i = 0; i < padding; i++)
        if (r->p[size + i])
            return rlxv_malformed(l, "module", row, "padding is not zero");
    r->p += size + padding;
    r->left -= (size_t)(size + padding);
    return RLX_OK;
}

static rlx_status take_text(rlxv_loader *l, rlxv_reader *r, uint32_t row, uint32_t size,
                            rlx_str *out)
{
    const void *data = NULL;
    RLX_TRY(take_bytes(l, r, row, size, &data));
    if (size == 0 || !rlxv_is_utf8(data, size))
        return rlxv_malformed(l, "module", row, "has a name that is empty or not UTF-8");
    *out = (rlx_str){data, size};
    return RLX_OK;
}

/* Modules: length of the kind, number of images; the kind; of each image the length of its format
 * and its size (64 bits), then the bytes of both. Bytes are padded to whole words. */
rlx_status rlxv_parse_modules(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_reader r;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_MODULES, 2, "modules", &r, &exe->n_modules));
    exe->modules = rlxv_arena_alloc(&exe->arena, exe->n_modules, sizeof *exe->modules);
    if (!exe->modules)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < exe->n_modules; i++) {
        rlxv_device_module *m = &exe->modules[i];
        const uint32_t kind = rlxv_read_word(&r);
        m->n_images = rlxv_read_count(&r, 3);
        RLX_TRY(take_text(l, &r, i, kind, &m->kind));
        if (!rlxv_is_device_word(m->kind) || m->n_images == 0)
            return rlxv_malformed(l, "module", i, "is of no kind or without images");
        rlx_code_image *images = rlxv_arena_alloc(&exe->arena, m->n_images, sizeof *images);
        if (!images)
            return rlxv_load_nomem(l);
        m->images = images;
        for (uint32_t k = 0; k < m->n_images; k++) {
            const uint32_t format = rlxv_read_word(&r);
            const uint64_t size = rlxv_read_word64(&r);
            RLX_TRY(take_text(l, &r, i, format, &images[k].format));
            RLX_TRY(take_bytes(l, &r, i, size, &images[k].data));
            if (size == 0)
                return rlxv_malformed(l, "module", i, "has an image without bytes");
            images[k].size = (size_t)size;
        }
    }
    return rlxv_close_section(l, &r, "modules");
}

/* --- devices ---------------------------------------------------------------------------------- */

/* Reads a string and gives a NUL-terminated copy of it. */
static rlx_status read_word(rlxv_loader *l, rlxv_reader *r, uint32_t row, rlx_str *out)
{
    rlx_str text;
    RLX_TRY(rlxv_read_string(l, r, &text));
    if (!rlxv_is_device_word(text))
        return rlxv_malformed(l, "device", row, "has a kind or scope that cannot be one");
    *out = rlxv_arena_str(&l->exe->arena, text);
    return out->data ? RLX_OK : rlxv_load_nomem(l);
}

static rlx_status read_device(rlxv_loader *l, rlxv_reader *r, uint32_t row)
{
    rlx_device_row *d = &l->exe->devices[row];
    RLX_TRY(read_word(l, r, row, &d->kind));
    d->id = rlxv_read_word(r);
    RLX_TRY(read_word(l, r, row, &d->scope));
    RLX_TRY(rlxv_read_string(l, r, &d->target));
    if (r->bad || d->id > INT32_MAX || rlxv_is_host_row(d))
        return rlxv_malformed(l, "device", row, "is the host or cannot exist");
    return RLX_OK;
}

/* --- launches --------------------------------------------------------------------------------- */

/* A kernel's row while it is read. */
typedef struct launch_reader {
    rlxv_loader *l;
    rlxv_reader *r;
    rlxv_kernel *kernel;
    uint32_t index;
    const char **names; /* NUL-terminated copies of the file's strings, made when needed */
} launch_reader;

static rlx_status bad_launch(const launch_reader *f, const char *why)
{
    return rlxv_malformed(f->l, "launches of kernel", f->index, why);
}

/* Expressions over the kernel's dims. */
static rlx_status read_exprs(const launch_reader *f, uint32_t *out, uint32_t n)
{
    const rlx_executable *exe = f->l->exe;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = rlxv_read_word(f->r);
        if (f->r->bad || out[i] >= exe->n_exprs || exe->exprs[out[i]].slots > f->kernel->n_dims)
            return bad_launch(f, "an expression does not exist or needs a dim the kernel lacks");
    }
    return RLX_OK;
}

/* Memory of checks: the value is the string with their lines. */
static rlx_status read_checks(const launch_reader *f, const rlx_launch_row_arg *arg,
                              rlxv_launch *out)
{
    if (arg->type != RLX_LAUNCH_BUFFER || arg->value >= f->l->exe->n_strings || out->checks.len)
        return bad_launch(f, "bad checks");
    out->checks = f->l->exe->strings[arg->value];
    out->first_check = f->kernel->n_checks;
    f->kernel->n_checks += rlxv_count_checks(out->checks);
    return f->kernel->n_checks <= RLX_MAX_CHECKS ? RLX_OK : bad_launch(f, "too many checks");
}

static rlx_status read_arg(const launch_reader *f, rlx_launch_row_arg *arg, rlxv_launch *out)
{
    arg->source = rlxv_read_word(f->r);
    arg->type = rlxv_read_word(f->r);
    if (arg->source == RLX_LAUNCH_EXPR && arg->type != RLX_LAUNCH_BUFFER &&
        arg->type <= RLX_LAUNCH_F64)
        return read_exprs(f, &arg->value, 1);
    arg->value = rlxv_read_word(f->r);
    if (arg->source == RLX_LAUNCH_CHECKS && !f->r->bad)
        return read_checks(f, arg, out);
    const bool fits = arg->source == RLX_LAUNCH_PARAM     ? arg->value < f->kernel->n_params
                      : arg->source == RLX_LAUNCH_SCRATCH ? arg->value < f->kernel->n_scratch
                                                          : false;
    return fits && arg->type == RLX_LAUNCH_BUFFER ? RLX_OK : bad_launch(f, "bad argument");
}

/* The name of a function as the APIs of drivers take it; each string of the file is copied once. */
static rlx_status read_name(const launch_reader *f, const char **out)
{
    rlx_executable *exe = f->l->exe;
    const uint32_t i = rlxv_read_word(f->r);
    if (f->r->bad || i >= exe->n_strings || exe->strings[i].len == 0)
        return bad_launch(f, "a function has no name");
    if (!f->names[i])
        f->names[i] = rlxv_arena_str(&exe->arena, exe->strings[i]).data;
    *out = f->names[i];
    return *out ? RLX_OK : rlxv_load_nomem(f->l);
}

static rlx_status read_launch(const launch_reader *f, rlxv_launch *out)
{
    RLX_TRY(read_name(f, &out->function));
    RLX_TRY(read_exprs(f, out->grid, 3));
    RLX_TRY(read_exprs(f, out->block, 3));
    RLX_TRY(read_exprs(f, &out->shared, 1));
    out->n_args = rlxv_read_count(f->r, 3);
    if (f->r->bad || out->n_args > RLX_MAX_LAUNCH_ARGS)
        return bad_launch(f, "too many arguments");
    rlx_launch_row_arg *args = rlxv_arena_alloc(&f->l->exe->arena, out->n_args, sizeof *args);
    if (!args)
        return rlxv_load_nomem(f->l);
    out->args = args;
    for (uint32_t i = 0; i < out->n_args; i++)
        RLX_TRY(read_arg(f, &args[i], out));
    return RLX_OK;
}

static rlx_status read_kernel(const launch_reader *f, uint32_t module)
{
    rlxv_kernel *k = f->kernel;
    k->n_scratch = rlxv_read_count(f->r, 1);
    if (f->r->bad || k->n_scratch > RLX_MAX_SCRATCH)
        return bad_launch(f, "too many scratch buffers");
    uint32_t *scratch = rlxv_arena_alloc(&f->l->exe->arena, k->n_scratch, sizeof *scratch);
    if (!scratch)
        return rlxv_load_nomem(f->l);
    RLX_TRY(read_exprs(f, scratch, k->n_scratch));
    k->n_launches = rlxv_read_count(f->r, 9);
    rlxv_launch *launches = rlxv_arena_alloc(&f->l->exe->arena, k->n_launches, sizeof *launches);
    if (!launches)
        return rlxv_load_nomem(f->l);
    for (uint32_t i = 0; i < k->n_launches; i++)
        RLX_TRY(read_launch(f, &launches[i]));
    k->scratch = scratch;
    k->launches = launches;
    k->module = module;
    return RLX_OK;
}

static rlx_status read_kernels(rlxv_loader *l, rlxv_reader *r, const char **names)
{
    rlx_executable *exe = l->exe;
    const uint32_t n = rlxv_read_count(r, 4);
    for (uint32_t i = 0, next = 0; i < n; i++) {
        const uint32_t kernel = rlxv_read_word(r), module = rlxv_read_word(r);
        if (r->bad || kernel < next || kernel >= exe->n_kernels || module >= exe->n_modules)
            return rlxv_malformed(l, "launches", i,
                                  "are of no kernel, out of order, or of no module");
        const launch_reader f = {l, r, &exe->kernels[kernel], kernel, names};
        RLX_TRY(read_kernel(&f, module));
        next = kernel + 1;
    }
    return RLX_OK;
}

static rlx_status read_regions(rlxv_loader *l, rlxv_reader *r)
{
    rlx_executable *exe = l->exe;
    const uint32_t n = rlxv_read_count(r, 3);
    for (uint32_t i = 0, last = 0, next = 0; i < n; i++) {
        const uint32_t f = rlxv_read_word(r), region = rlxv_read_word(r), d = rlxv_read_word(r);
        if (r->bad || f < last || f >= exe->n_functions || (f == last && region < next) ||
            region >= exe->functions[f].plan.n_regions || d == 0 || d >= exe->n_devices)
            return rlxv_malformed(l, "region of a device", i, "does not exist or is out of order");
        exe->functions[f].plan.regions[region].device = d;
        last = f;
        next = region + 1;
    }
    return RLX_OK;
}

/* Devices: kind, id, scope, target. Then a count and the kernels for devices, by number: kernel,
   module, number of scratch buffers, their sizes, number of launches; of each launch its function,
   grid, block, shared memory, number of arguments, and their source, type and value. Then a count
   and the regions on devices: function, region, device; in this order. */
rlx_status rlxv_parse_devices(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_reader r;
    uint32_t n;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_DEVICES, 4, "devices", &r, &n));
    if (n >= RLXV_MAX_DEVICES)
        return rlx_fail(l->err, RLX_E_LIMIT, "the file has more than %u devices",
                        RLXV_MAX_DEVICES - 1);
    exe->n_devices = n + 1;
    exe->devices = rlxv_arena_alloc(&exe->arena, exe->n_devices, sizeof *exe->devices);
    if (!exe->devices)
        return rlxv_load_nomem(l);
    exe->devices[0].kind = exe->devices[0].scope = exe->devices[0].target = RLX_STR("");
    if (!l->sections[RLXV_SECTION_DEVICES].present)
        return RLX_OK;
    for (uint32_t i = 1; i < exe->n_devices; i++)
        RLX_TRY(read_device(l, &r, i));
    rlxv_arena scratch;
    rlxv_arena_init(&scratch, &exe->allocator);
    const char **names = rlxv_arena_alloc(&scratch, exe->n_strings, sizeof *names);
    rlx_status status = names ? read_kernels(l, &r, names) : rlxv_load_nomem(l);
    rlxv_arena_deinit(&scratch);
    RLX_TRY(status);
    if (!r.bad)
        RLX_TRY(read_regions(l, &r));
    return rlxv_close_section(l, &r, "devices");
}

/* --- getters ---------------------------------------------------------------------------------- */

uint32_t rlx_executable_device_count(const rlx_executable *exe)
{
    return exe ? exe->n_devices : 0;
}

bool rlx_executable_device(const rlx_executable *exe, uint32_t device, rlx_device_row *out)
{
    if (!exe || !out || device >= exe->n_devices)
        return false;
    *out = exe->devices[device];
    return true;
}

uint32_t rlx_executable_device_module_count(const rlx_executable *exe)
{
    return exe ? exe->n_modules : 0;
}

bool rlx_executable_device_module(const rlx_executable *exe, uint32_t module,
                                  rlx_device_module_info *out)
{
    if (!exe || !out || module >= exe->n_modules)
        return false;
    *out = (rlx_device_module_info){exe->modules[module].kind, exe->modules[module].n_images};
    return true;
}

bool rlx_executable_code_image(const rlx_executable *exe, uint32_t module, uint32_t image,
                               rlx_code_image *out)
{
    if (!exe || !out || module >= exe->n_modules || image >= exe->modules[module].n_images)
        return false;
    *out = exe->modules[module].images[image];
    return true;
}

bool rlx_executable_kernel_launch(const rlx_executable *exe, uint32_t k, uint32_t i,
                                  rlx_launch_row *out)
{
    if (!exe || !out || k >= exe->n_kernels || i >= exe->kernels[k].n_launches)
        return false;
    const rlxv_launch *x = &exe->kernels[k].launches[i];
    *out = (rlx_launch_row){.function = rlx_str_from(x->function),
                            .shared = x->shared,
                            .args = x->args,
                            .n_args = x->n_args,
                            .checks = x->checks};
    memcpy(out->grid, x->grid, sizeof out->grid);
    memcpy(out->block, x->block, sizeof out->block);
    return true;
}

uint32_t rlx_executable_kernel_scratch(const rlx_executable *exe, uint32_t k, uint32_t i)
{
    if (!exe || k >= exe->n_kernels || i >= exe->kernels[k].n_scratch)
        return RLX_NONE;
    return exe->kernels[k].scratch[i];
}

uint32_t rlx_function_plan_device(const rlx_executable *exe, uint32_t f, uint32_t region)
{
    if (!exe || f >= exe->n_functions || region >= exe->functions[f].plan.n_regions)
        return 0;
    return exe->functions[f].plan.regions[region].device;
}
