/* One function alone (tune_function.h): as text with a main around it, compiled, and timed. */
#include "compiler/driver/tune_function.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/compile.h"
#include "compiler/ir/sym.h"
#include "compiler/script/script.h"
#include "rlx/time.h"

enum { SYMBOL = 128, MIN_SAMPLE_MS = 4, MOST_BYTES = 1 << 30 };

/* --- arguments ------------------------------------------------------------------- */

typedef struct stores {
    const rlxc_prim_func *f;
    uint64_t written; /* parameters, a bit each */
} stores;

static bool note_store(void *user, const rlxc_stmt *s)
{
    stores *w = user;
    for (uint32_t i = 0; s->kind == RLXC_STMT_STORE && i < w->f->n_params; i++)
        if (w->f->params[i].buffer && w->f->params[i].buffer->data == s->store.buffer->data)
            w->written |= UINT64_C(1) << i;
    return true;
}

/* The parameters: inputs, results, then integers that are no dimension. */
typedef struct params {
    uint32_t n_inputs, n_results, n;
} params;

/* False with |out_why| where they are others. */
static bool find_params(const rlxc_prim_func *f, params *out, const char **out_why)
{
    stores w = {.f = f};
    uint32_t end = f->n_params, begin;
    *out_why = "more than 64 parameters";
    if (f->n_params > 64)
        return false;
    *out_why = "a parameter is neither a buffer nor an int64";
    for (uint32_t i = 0; i < f->n_params; i++)
        if (!f->params[i].buffer && !rlxc_dtype_eq(f->params[i].var->dtype, RLX_I64))
            return false;
    rlxc_stmt_visit(f->body, note_store, &w);
    while (end > 0 && !f->params[end - 1].buffer)
        end--;
    for (begin = end; begin > 0 && w.written >> (begin - 1) & 1;)
        begin--;
    *out = (params){begin, end - begin, f->n_params};
    *out_why = "its outputs are not its last buffers";
    return begin < end && (w.written & ((UINT64_C(1) << begin) - 1)) == 0;
}

static int64_t value_of(const rlxc_options *options, const char *name, uint32_t point)
{
    static const int64_t values[RLXC_TUNE_POINTS] = {SYMBOL, 1, 17};
    for (uint32_t i = 0; i < options->n_bounds; i++) {
        const int64_t min = options->bounds[i].min, max = options->bounds[i].max;
        if (strcmp(options->bounds[i].name, name) != 0)
            continue;
        return point == 0 || values[point] > max ? max : values[point] < min ? min : values[point];
    }
    return values[point];
}

typedef struct values { /* of symbols */
    const rlxc_expr **vars, **exprs;
    int64_t *numbers;
    uint32_t n;
} values;

static bool tensor_of(rlxc_context *ctx, const rlxc_buffer *b, const values *v,
                      rlxc_tuned_tensor *out)
{
    int64_t bytes = b->dtype.bits / 8 + 1;
    out->dtype = b->dtype;
    out->ndim = b->ndim;
    for (uint32_t i = 0; i < b->ndim && b->ndim <= RLXC_TUNE_DIMS; i++) {
        const rlxc_expr *dim = rlxc_substitute(ctx, b->shape[i], v->vars, v->exprs, v->n);
        if (!rlxc_is_int(rlxc_simplify(ctx, dim, NULL), &out->dims[i]) || out->dims[i] < 0 ||
            __builtin_mul_overflow(bytes, out->dims[i], &bytes) || bytes > MOST_BYTES)
            return false;
    }
    return b->ndim <= RLXC_TUNE_DIMS && !b->strides;
}

static int64_t scalar_of(const rlxc_expr *var, const values *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (v->vars[i] == var)
            return v->numbers[i];
    return SYMBOL;
}

static void put_type(rlxc_context *ctx, rlxc_text *text, const rlxc_tuned_tensor *t)
{
    rlxc_text_puts(text, "R.Tensor((");
    for (uint32_t i = 0; i < t->ndim; i++)
        rlxc_text_printf(text, "%" PRId64 ",%s", t->dims[i], i + 1 < t->ndim ? " " : "");
    rlxc_text_printf(text, "), \"%s\")", rlxc_dtype_name(ctx, t->dtype));
}

/* z = R.call_tir(cls.f, (p0, R.prim_value(3),), out_sinfo=..., tir_vars=R.shape([4])) */
static void put_call(rlxc_context *ctx, rlxc_text *text, const rlxc_prim_func *f, const params *p,
                     const rlxc_tuned_tensor *all, const values *v)
{
    const uint32_t results = p->n_inputs + p->n_results;
    rlxc_text_printf(text, "        z = R.call_tir(cls.%s, (", f->name);
    for (uint32_t i = 0; i < p->n_inputs; i++)
        if (f->params[i].buffer)
            rlxc_text_printf(text, "p%u, ", i);
        else
            rlxc_text_printf(text, "R.prim_value(%" PRId64 "), ", scalar_of(f->params[i].var, v));
    rlxc_text_puts(text, p->n_results > 1 ? "), out_sinfo=[" : "), out_sinfo=");
    for (uint32_t i = p->n_inputs; i < results; i++) {
        rlxc_text_puts(text, i > p->n_inputs ? ", " : "");
        put_type(ctx, text, &all[i]);
    }
    rlxc_text_puts(text, p->n_results > 1 ? "]" : "");
    for (uint32_t i = results; i < p->n; i++)
        rlxc_text_printf(text, "%s%" PRId64, i > results ? ", " : ", tir_vars=R.shape([",
                         scalar_of(f->params[i].var, v));
    rlxc_text_puts(text, results < p->n ? "]))\n        return z\n" : ")\n        return z\n");
}

/* The function, indented, in a module with a main that calls it. */
static const char *module_of(rlxc_context *ctx, const rlxc_prim_func *f, const params *p,
                             const rlxc_tuned_tensor *all, const values *v)
{
    rlxc_text text = {.ctx = ctx};
    const char *comma = "";
    rlxc_text_puts(&text, "@I.ir_module\nclass Module:\n");
    for (const char *line = rlxc_print_prim_func(ctx, f); *line;) {
        const size_t length = strcspn(line, "\n");
        rlxc_text_puts(&text, "    ");
        rlxc_text_add(&text, line, length);
        rlxc_text_puts(&text, "\n");
        line += length + (line[length] == '\n');
    }
    rlxc_text_puts(&text, "\n    @R.function\n    def main(");
    for (uint32_t i = 0; i < p->n_inputs; i++) {
        if (!f->params[i].buffer)
            continue;
        rlxc_text_printf(&text, "%sp%u: ", comma, i);
        put_type(ctx, &text, &all[i]);
        comma = ", ";
    }
    rlxc_text_puts(&text, "):\n        cls = Module\n");
    put_call(ctx, &text, f, p, all, v);
    return text.data ? text.data : "";
}

/* The function at one point; false if its sizes are unknown or too large there. */
static bool describe_point(rlxc_context *ctx, const rlxc_options *options, const rlxc_prim_func *f,
                           const params *p, values *v, uint32_t point, rlxc_tuned_point *out)
{
    rlxc_text dims = {.ctx = ctx};
    uint32_t n = 0;
    rlxc_tuned_tensor *all = rlxc_try_alloc(ctx, f->n_params, sizeof *all);
    for (uint32_t i = 0; i < v->n; i++) {
        v->numbers[i] = value_of(options, v->vars[i]->var.name, point);
        v->exprs[i] = rlxc_int(ctx, v->vars[i]->dtype, v->numbers[i]);
        rlxc_text_printf(&dims, "%s%s=%" PRId64, i ? " " : "", v->vars[i]->var.name, v->numbers[i]);
    }
    for (uint32_t i = 0; i < f->n_params && all; i++)
        if (f->params[i].buffer && !tensor_of(ctx, f->params[i].buffer, v, &all[i]))
            return false;
    if (rlxc_failed(ctx))
        return false;
    *out = (rlxc_tuned_point){module_of(ctx, f, p, all, v), dims.data ? dims.data : "", all};
    for (uint32_t i = 0; i < p->n_inputs; i++)
        if (f->params[i].buffer)
            all[n++] = all[i];
    return true;
}

bool rlxc_tuned_describe(rlxc_context *ctx, const rlxc_options *options, const rlxc_prim_func *f,
                         rlxc_tuned *out)
{
    params p;
    values v = {0};
    *out = (rlxc_tuned){.name = f->name};
    if (!find_params(f, &p, &out->why_not))
        return false;
    rlxc_prim_func_dims(ctx, f, &v.vars, &v.n);
    v.exprs = rlxc_try_alloc(ctx, (size_t)v.n + 1, sizeof *v.exprs);
    v.numbers = rlxc_try_alloc(ctx, (size_t)v.n + 1, sizeof *v.numbers);
    out->why_not = "its sizes are unknown, or a tensor exceeds 1 GiB";
    for (uint32_t i = 0; i < RLXC_TUNE_POINTS && v.exprs && v.numbers && (i == 0 || v.n > 0); i++)
        if (describe_point(ctx, options, f, &p, &v, i, &out->points[out->n_points]))
            out->n_points++;
        else if (i == 0)
            return false;
    if (rlxc_failed(ctx))
        return false;
    for (uint32_t i = 0; i < f->n_params; i++) {
        out->has_scalars |= !f->params[i].buffer;
        out->n_inputs += i < p.n_inputs && f->params[i].buffer;
    }
    out->why_not = NULL;
    out->hash = rlxc_prim_func_hash(ctx, f);
    return true;
}

/* --- compiled --------------------------------------------------------------------------------- */

/* Values that are safe and typical for every kernel: floats near 1, small bytes, and zeros, which
 * are valid indices. */
static rlx_status fill(const rlxc_tuned_tensor *t, rlx_value *out, rlx_error *err)
{
    rlx_tensor *tensor = NULL;
    const rlx_status status = rlx_tensor_create(NULL, t->dtype, t->ndim, t->dims, &tensor, err);
    if (status != RLX_OK)
        return status;
    const size_t n = (size_t)rlx_tensor_numel(tensor);
    unsigned char *data = rlx_tensor_mutable_data(tensor);
    uint32_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        const float x = (float)(state >> 8) / 8388608.0f - 1.0f;
        if (rlxc_dtype_eq(t->dtype, RLX_F32))
            memcpy(data + 4 * i, &x, sizeof x);
        else if (t->dtype.bits == 8 && !rlxc_dtype_is_bool(t->dtype))
            data[i] = (unsigned char)(state >> 26);
        else if (t->dtype.bits >= 8)
            memset(data + i * (t->dtype.bits / 8), 0, t->dtype.bits / 8);
    }
    *out = rlx_of_tensor(tensor);
    return RLX_OK;
}

static bool load(const rlxc_tuned *t, uint32_t point, rlxc_tuned_program *p)
{
    rlx_error err = {0};
    const rlx_load_options trusted = {.trust_native = true}; /* it was made here */
    if (rlx_exec_builder_load(p->builder, &trusted, &p->exe, &err) != RLX_OK ||
        rlx_vm_create(p->exe, NULL, &p->vm, &err) != RLX_OK)
        return false;
    p->args = calloc((size_t)t->n_inputs + 1, sizeof *p->args);
    for (uint32_t i = 0; p->args && i < t->n_inputs; i++, p->n_args++)
        if (fill(&t->points[point].inputs[i], &p->args[i], &err) != RLX_OK)
            return false;
    return p->args != NULL;
}

bool rlxc_tuned_compile(const rlxc_tuned *t, uint32_t point, const rlxc_options *options,
                        const rlxc_tuned_how *how, rlxc_tuned_program *out)
{
    rlx_error err = {0};
    rlxc_schedules lists = {0};
    rlxc_options alone = *options;
    const char *text = t->points[point].text;
    *out = (rlxc_tuned_program){.ctx = rlxc_context_create(NULL), .steps = {.off = how->off}};
    if (!out->ctx)
        return false;
    alone.explain = NULL;
    alone.schedules = NULL;
    alone.steps = &out->steps;
    alone.n_bounds = 0;
    if (how->checked && alone.n_requests < RLXC_MAX_REQUESTS)
        alone.requests[alone.n_requests++] = "check_bounds";
    if (how->steps) {
        if (!rlxc_parse_schedules(out->ctx, "<steps>", how->steps, strlen(how->steps), &lists))
            return false;
        out->steps.given = &lists;
    }
    const bool ok =
        rlx_exec_builder_create(NULL, &out->builder, &err) == RLX_OK &&
        rlxc_compile_text(out->ctx, "<function>", text, strlen(text), &alone, out->builder) &&
        load(t, point, out);
    out->steps.given = NULL;
    return ok;
}

double rlxc_tuned_time(const rlxc_tuned_program *p, uint32_t samples)
{
    const rlx_time_options how = {.repeat = samples, .min_repeat_ms = MIN_SAMPLE_MS, .warmup = 1};
    rlx_time_result time;
    rlx_error err = {0};
    if (rlx_time_evaluator(p->vm, RLX_STR("main"), p->args, p->n_args, &how, &time, &err) != RLX_OK)
        return -1;
    return time.median_ns;
}

void rlxc_tuned_release(rlxc_tuned_program *p)
{
    for (uint32_t i = 0; i < p->n_args; i++)
        rlx_value_release(p->args[i]);
    free(p->args);
    rlx_vm_destroy(p->vm);
    if (p->exe)
        rlx_executable_release(p->exe);
    rlx_exec_builder_destroy(p->builder);
    if (p->ctx)
        rlxc_context_destroy(p->ctx);
    *p = (rlxc_tuned_program){0};
}
