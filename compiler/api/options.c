/* Options of one compilation, and the passes and targets that a library user has added. */
#include "compiler/api/api.h"

#include <sched.h>
#include <stddef.h>
#include <string.h>

#include "compiler/analysis/layout.h"

enum { MAX_JOBS = 256, MAX_NAME = 200 };

/* --- passes ---------------------------------------------------------------------------------- */

static bool builtin_pass(const char *name, const rlxc_pass **out)
{
    uint32_t n;
    const rlxc_pass *all = rlxc_passes(&n);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(all[i].name, name) == 0) {
            *out = &all[i];
            return true;
        }
    return false;
}

static const rlxc_extra_pass *added_pass(const rlx_compiler *c, const char *name)
{
    for (uint32_t i = 0; i < c->n_extra; i++)
        if (strcmp(c->extra[i].name, name) == 0)
            return &c->extra[i];
    return NULL;
}

uint32_t rlx_compiler_pass_count(const rlx_compiler *c)
{
    uint32_t n;
    rlxc_passes(&n);
    return n + (c != NULL ? c->n_extra : 0);
}

typedef struct listing { /* counts down to the pass that is asked for */
    const rlx_compiler *c;
    uint32_t left;
    rlx_pass_info *out;
} listing;

static bool list(listing *l, rlx_pass_info info)
{
    if (l->left-- > 0)
        return false;
    *l->out = info;
    return true;
}

/* The added passes on one side of |anchor|, in the runner's order. */
static bool list_beside(listing *l, const char *anchor, bool after)
{
    for (uint32_t i = 0; l->c != NULL && i < l->c->n_extra; i++) {
        const rlxc_extra_pass *e = &l->c->extra[i];
        if (e->after == after && strcmp(e->anchor, anchor) == 0 &&
            (list_beside(l, e->name, false) || list(l, (rlx_pass_info){e->name, e->doc, 0, true}) ||
             list_beside(l, e->name, true)))
            return true;
    }
    return false;
}

bool rlx_compiler_pass(const rlx_compiler *c, uint32_t i, rlx_pass_info *out)
{
    uint32_t n;
    const rlxc_pass *all = rlxc_passes(&n);
    listing l = {c, i, out};
    if (out == NULL)
        return false;
    for (uint32_t k = 0; k < n; k++)
        if (list_beside(&l, all[k].name, false) ||
            list(&l, (rlx_pass_info){all[k].name, all[k].doc, all[k].min_opt_level, false}) ||
            list_beside(&l, all[k].name, true))
            return true;
    return false;
}

bool rlxc_api_run_added(const rlxc_api_pass *pass, rlxc_context *ctx)
{
    rlx_error err = {0};
    return rlxc_api_ran(ctx, pass->run(pass->user, pass->compiler->running, &err), &err);
}

bool rlxc_api_ran(rlxc_context *ctx, rlx_status status, rlx_error *err)
{
    if (status == RLX_OK || rlxc_failed(ctx))
        return status == RLX_OK;
    if (err->message[0] == '\0')
        rlx_fail(err, status, "%s", rlx_status_name(status));
    return rlxc_api_fail(ctx, err);
}

/* rlxc_extra_pass.run. */
static bool run_added(void *user, rlxc_context *ctx, rlxc_module *module)
{
    (void)module;
    return rlxc_api_run_added(user, ctx);
}

static rlx_status check_pass(const rlx_compiler *c, const rlx_pass_desc *p, rlx_error *err)
{
    const rlxc_pass *row;
    if (p->name == NULL || p->name[0] == '\0' || strlen(p->name) > MAX_NAME || p->run == NULL ||
        (p->before == NULL) == (p->after == NULL))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "a pass needs a name, a run function, and one of before and after");
    if (builtin_pass(p->name, &row) || added_pass(c, p->name) != NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a pass '%s' already exists", p->name);
    const char *anchor = p->before != NULL ? p->before : p->after;
    if (!builtin_pass(anchor, &row) && added_pass(c, anchor) == NULL)
        return rlx_fail(err, RLX_E_NOT_FOUND, "there is no pass '%s'", anchor);
    if (c->n_extra == RLXC_API_MAX_PASSES)
        return rlx_fail(err, RLX_E_LIMIT, "more than %d passes added", RLXC_API_MAX_PASSES);
    if (c->running != NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a pass cannot add passes");
    return RLX_OK;
}

rlx_status rlx_compiler_add_pass(rlx_compiler *c, const rlx_pass_desc *pass, rlx_error *err)
{
    rlx_pass_desc p = {.size = sizeof p};
    rlxc_api_call call;
    if (c == NULL || pass == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the compiler or the pass is NULL");
    RLX_TRY(
        rlxc_api_take(pass, "rlx_pass_desc", RLXC_API_END(rlx_pass_desc, user), &p, sizeof p, err));
    RLX_TRY(check_pass(c, &p, err));
    RLX_TRY(rlxc_api_begin(c, &call, err));
    rlxc_api_pass *own = &c->passes[c->n_extra];
    *own = (rlxc_api_pass){c, p.run, p.user};
    c->extra[c->n_extra] =
        (rlxc_extra_pass){.name = rlxc_intern_cstr(c->ctx, p.name),
                          .doc = rlxc_intern_cstr(c->ctx, p.doc != NULL ? p.doc : ""),
                          .anchor = rlxc_intern_cstr(c->ctx, p.before != NULL ? p.before : p.after),
                          .after = p.after != NULL,
                          .run = run_added,
                          .user = own};
    RLX_TRY(rlxc_api_end(&call, true, RLX_E_INTERNAL, err));
    c->n_extra++;
    return RLX_OK;
}

/* --- targets --------------------------------------------------------------------------------- */

static const char *target_text(const rlx_compiler *c, const char *name)
{
    for (uint32_t i = 0; name != NULL && i < c->n_targets; i++)
        if (strcmp(c->targets[i].name, name) == 0)
            return c->targets[i].text;
    return name;
}

rlx_status rlx_compiler_add_target(rlx_compiler *c, const char *name, const char *text,
                                   rlx_error *err)
{
    rlxc_api_call call;
    rlxc_options unused;
    if (c == NULL || name == NULL || name[0] == '\0' || text == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a target needs a compiler, a name and a text");
    if (target_text(c, name) != name)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a target '%s' already exists", name);
    if (c->n_targets == RLXC_API_MAX_TARGETS)
        return rlx_fail(err, RLX_E_LIMIT, "more than %d targets added", RLXC_API_MAX_TARGETS);
    RLX_TRY(rlxc_api_begin(c, &call, err));
    const char *interned = rlxc_intern_cstr(c->ctx, text);
    bool ok = rlxc_options_init(c->ctx, &unused, interned, NULL, 2);
    c->targets[c->n_targets].name = rlxc_intern_cstr(c->ctx, name);
    c->targets[c->n_targets].text = interned;
    RLX_TRY(rlxc_api_end(&call, ok, RLX_E_INVALID_ARG, err));
    c->n_targets++;
    return RLX_OK;
}

/* --- options --------------------------------------------------------------------------------- */

static bool wrong(rlx_compiler *c, const char *message)
{
    rlxc_error(c->ctx, (rlxc_range){0}, "rlx_compile_options: %s", message);
    return false;
}

/* CPUs that this process may run on. */
static uint32_t cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) /* more CPUs than the set holds */
        return MAX_JOBS;
    int n = CPU_COUNT(&set);
    return n > MAX_JOBS ? MAX_JOBS : (uint32_t)n;
}

static const char *kept(rlx_compiler *c, const char *text)
{
    return text != NULL ? rlxc_intern_cstr(c->ctx, text) : NULL;
}

static bool take_bounds(rlx_compiler *c, const rlx_compile_options *o, rlxc_options *out)
{
    if (o->n_bounds > sizeof out->bounds / sizeof *out->bounds)
        return wrong(c, "too many bounds");
    if (o->n_bounds > 0 && o->bounds == NULL)
        return wrong(c, "bounds is NULL");
    for (uint32_t i = 0; i < o->n_bounds; i++) {
        const rlx_dim_bound *b = &o->bounds[i];
        if (b->name == NULL || b->min < 0 || b->max < b->min)
            return wrong(c, "a bound needs a name and 0 <= min <= max");
        out->bounds[i].name = kept(c, b->name);
        out->bounds[i].min = b->min;
        out->bounds[i].max = b->max;
    }
    out->n_bounds = o->n_bounds;
    return true;
}

static bool take_requests(rlx_compiler *c, const rlx_compile_options *o, rlxc_options *out)
{
    if (o->n_passes > RLXC_MAX_REQUESTS)
        return wrong(c, "too many passes");
    if (o->n_passes > 0 && o->passes == NULL)
        return wrong(c, "passes is NULL");
    for (uint32_t i = 0; i < o->n_passes; i++) {
        const rlxc_pass *row;
        if (o->passes[i] == NULL || !builtin_pass(o->passes[i], &row) ||
            row->min_opt_level != RLXC_ON_REQUEST || strcmp(row->name, "to_mixed_precision") == 0)
            return wrong(c, "passes may name only passes that run on request");
        out->requests[out->n_requests++] = row->name;
    }
    return true;
}

static bool take_links(rlx_compiler *c, const rlx_compile_options *o, rlxc_options *out)
{
    if (o->n_links > sizeof out->links / sizeof *out->links)
        return wrong(c, "too many files to link");
    if (o->n_links > 0 && o->links == NULL)
        return wrong(c, "links is NULL");
    for (uint32_t i = 0; i < o->n_links; i++) {
        if (o->links[i] == NULL)
            return wrong(c, "a file to link is NULL");
        out->links[out->n_links++] = kept(c, o->links[i]);
    }
    return true;
}

static bool take_pools(rlx_compiler *c, const rlx_compile_options *o, rlxc_options *out)
{
    if (o->n_pools > sizeof out->pools / sizeof *out->pools)
        return wrong(c, "too many memory pools");
    if (o->n_pools > 0 && o->pools == NULL)
        return wrong(c, "pools is NULL");
    for (uint32_t i = 0; i < o->n_pools; i++) {
        if (o->pools[i] == NULL)
            return wrong(c, "a memory pool is NULL");
        out->pools[out->n_pools++] = kept(c, o->pools[i]);
    }
    return true;
}

/* The rounding of rows: as the options say, else as the module does. */
static bool take_rounding(rlx_ir_module *m, const rlx_compile_options *o, rlxc_options *out)
{
    rlx_compiler *c = m->compiler;
    const char *key = rlxc_intern_cstr(c->ctx, RLXC_MODULE_ROW_BITS);
    const rlxc_attr *stated = rlxc_attrs_find(&m->ir->attrs, key);
    int64_t bits = o->row_bits, rows = o->rounded_rows;
    if (stated && bits == 0) {
        bits = stated->kind == RLXC_ATTR_INT ? stated->i : -1;
        rows = rows == 0 ? RLXC_ALL_ROWS : rows;
    }
    bits = bits == 0 ? RLXC_ROW_BITS : bits;
    if (bits != 8 && bits != 12 && bits != 16 && bits != 24 && bits != 32)
        return wrong(c, o->row_bits == 0 ? "module attribute " RLXC_MODULE_ROW_BITS
                                           " must be 8, 12, 16, 24 or 32"
                                         : "row_bits must be 8, 12, 16, 24 or 32");
    if (rows > RLXC_MOST_ROUNDED_ROWS && rows != RLXC_ALL_ROWS)
        return wrong(c, "rounded_rows must be at most 32, or RLX_ALL_ROWS");
    out->row_bits = (uint8_t)bits;
    out->rounded_rows = rows == 0 ? 1 : (uint8_t)rows;
    return true;
}

static bool take_numbers(rlx_compiler *c, const rlx_compile_options *o, rlxc_options *out)
{
    if (o->jobs > MAX_JOBS)
        return wrong(c, "jobs must be at most 256");
    if (o->mixed.bits != 0 && !rlx_dtype_eq(o->mixed, RLX_F16) && !rlx_dtype_eq(o->mixed, RLX_BF16))
        return wrong(c, "mixed must be float16 or bfloat16");
    out->jobs = o->jobs > 0 ? o->jobs : cpus();
    if (o->mixed.bits != 0)
        out->mixed = o->mixed;
    return true;
}

bool rlxc_api_complete(const rlx_compile_options *given, rlx_compile_options *out, rlx_error *err)
{
    rlx_compile_options_init(out);
    return rlxc_api_take(given, "rlx_compile_options", RLXC_API_END(rlx_compile_options, user), out,
                         sizeof *out, err) == RLX_OK;
}

bool rlxc_api_options(rlx_ir_module *m, const rlx_compile_options *given,
                      rlx_compile_options *out_given, rlxc_options *out)
{
    rlx_compiler *c = m->compiler;
    rlx_compile_options *o = out_given;
    rlx_error err = {0};
    rlxc_layout_options layout;
    if (!rlxc_api_complete(given, o, &err))
        return rlxc_api_fail(c->ctx, &err);
    if (o->opt_level < 0 || o->opt_level > 3)
        return wrong(c, "opt_level must be 0 to 3");
    if (!rlxc_options_init(c->ctx, out, kept(c, target_text(c, o->target)), kept(c, o->cpu),
                           o->opt_level))
        return false;
    out->check = o->check;
    out->lenient = o->lenient;
    out->allow_tf32 = o->allow_tf32;
    out->weights_apart = o->weights_apart;
    out->no_winograd = o->no_winograd;
    out->no_compression = o->no_compression;
    out->default_device = kept(c, o->default_device);
    out->device_binaries = o->device_binaries;
    out->device_target = kept(c, o->device_target);
    out->memory_layout = kept(c, o->memory_layout);
    out->extra = c->extra;
    out->n_extra = c->n_extra;
    return rlxc_api_codegens(c, o, out) && rlxc_layout_parse(c->ctx, out->memory_layout, &layout) &&
           take_rounding(m, o, out) && take_numbers(c, o, out) && take_bounds(c, o, out) &&
           take_requests(c, o, out) && take_links(c, o, out) && take_pools(c, o, out);
}
