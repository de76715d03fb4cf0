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

/* Results are the last parameters; 0 if the function has another form. */
static uint32_t count_results(const rlxc_prim_func *f)
{
    stores w = {.f = f};
    uint32_t n = 0;
    if (f->n_params > 64)
        return 0;
    rlxc_stmt_visit(f->body, note_store, &w);
    while (n < f->n_params && w.written >> (f->n_params - 1 - n) & 1)
        n++;
    const uint64_t first = (UINT64_C(1) << (f->n_params - n)) - 1;
    return w.written & first ? 0 : n;
}

static int64_t value_of(const rlxc_options *options, const char *name)
{
    for (uint32_t i = 0; i < options->n_bounds; i++)
        if (strcmp(options->bounds[i].name, name) == 0)
            return options->bounds[i].max;
    return SYMBOL;
}

static bool tensor_of(rlxc_context *ctx, const rlxc_buffer *b, const rlxc_expr *const *vars,
                      const rlxc_expr *const *values, uint32_t n, rlxc_tuned_tensor *out)
{
    int64_t bytes = b->dtype.bits / 8 + 1;
    out->dtype = b->dtype;
    out->ndim = b->ndim;
    for (uint32_t i = 0; i < b->ndim && b->ndim <= RLXC_TUNE_DIMS; i++) {
        const rlxc_expr *dim = rlxc_substitute(ctx, b->shape[i], vars, values, n);
        if (!rlxc_is_int(rlxc_simplify(ctx, dim, NULL), &out->dims[i]) || out->dims[i] < 0 ||
            __builtin_mul_overflow(bytes, out->dims[i], &bytes) || bytes > MOST_BYTES)
            return false;
    }
    return b->ndim <= RLXC_TUNE_DIMS && !b->strides;
}

static void put_type(rlxc_context *ctx, rlxc_text *text, const rlxc_tuned_tensor *t)
{
    rlxc_text_puts(text, "R.Tensor((");
    for (uint32_t i = 0; i < t->ndim; i++)
        rlxc_text_printf(text, "%" PRId64 ",%s", t->dims[i], i + 1 < t->ndim ? " " : "");
    rlxc_text_printf(text, "), \"%s\")", rlxc_dtype_name(ctx, t->dtype));
}

/* The function, indented, in a module with a main that calls it. */
static const char *module_of(rlxc_context *ctx, const rlxc_prim_func *f,
                             const rlxc_tuned_tensor *all, uint32_t n_inputs, uint32_t n)
{
    rlxc_text text = {.ctx = ctx};
    rlxc_text_puts(&text, "@I.ir_module\nclass Module:\n");
    for (const char *line = rlxc_print_prim_func(ctx, f); *line;) {
        const size_t length = strcspn(line, "\n");
        rlxc_text_puts(&text, "    ");
        rlxc_text_add(&text, line, length);
        rlxc_text_puts(&text, "\n");
        line += length + (line[length] == '\n');
    }
    rlxc_text_puts(&text, "\n    @R.function\n    def main(");
    for (uint32_t i = 0; i < n_inputs; i++) {
        rlxc_text_printf(&text, "%sp%u: ", i ? ", " : "", i);
        put_type(ctx, &text, &all[i]);
    }
    rlxc_text_printf(&text, "):\n        cls = Module\n        z = R.call_tir(cls.%s, (", f->name);
    for (uint32_t i = 0; i < n_inputs; i++)
        rlxc_text_printf(&text, "p%u,%s", i, i + 1 < n_inputs ? " " : "");
    rlxc_text_puts(&text, n - n_inputs > 1 ? "), out_sinfo=[" : "), out_sinfo=");
    for (uint32_t i = n_inputs; i < n; i++) {
        rlxc_text_puts(&text, i > n_inputs ? ", " : "");
        put_type(ctx, &text, &all[i]);
    }
    rlxc_text_puts(&text, n - n_inputs > 1 ? "])\n        return z\n" : ")\n        return z\n");
    return text.data ? text.data : "";
}

bool rlxc_tuned_describe(rlxc_context *ctx, const rlxc_options *options, const rlxc_prim_func *f,
                         rlxc_tuned *out)
{
    const rlxc_expr **vars, **values;
    uint32_t n;
    const uint32_t results = count_results(f);
    rlxc_text dims = {.ctx = ctx};
    if (results == 0)
        return false;
    rlxc_prim_func_dims(ctx, f, &vars, &n);
    values = rlxc_try_alloc(ctx, (size_t)n + 1, sizeof *values);
    rlxc_tuned_tensor *all = rlxc_try_alloc(ctx, f->n_params, sizeof *all);
    for (uint32_t i = 0; i < n && values; i++) {
        const int64_t value = value_of(options, vars[i]->var.name);
        values[i] = rlxc_int(ctx, vars[i]->dtype, value);
        rlxc_text_printf(&dims, "%s%s=%" PRId64, i ? " " : "", vars[i]->var.name, value);
    }
    for (uint32_t i = 0; i < f->n_params && values && all; i++)
        if (!f->params[i].buffer || !tensor_of(ctx, f->params[i].buffer, vars, values, n, &all[i]))
            return false;
    if (rlxc_failed(ctx))
        return false;
    *out = (rlxc_tuned){.name = f->name,
                        .text = module_of(ctx, f, all, f->n_params - results, f->n_params),
                        .dims = dims.data ? dims.data : "",
                        .hash = rlxc_prim_func_hash(ctx, f),
                        .inputs = all,
                        .n_inputs = f->n_params - results};
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

static bool load(const rlxc_tuned *t, rlxc_tuned_program *p)
{
    rlx_error err = {0};
    const rlx_load_options trusted = {.trust_native = true}; /* it was made here */
    if (rlx_exec_builder_load(p->builder, &trusted, &p->exe, &err) != RLX_OK ||
        rlx_vm_create(p->exe, NULL, &p->vm, &err) != RLX_OK)
        return false;
    p->args = calloc((size_t)t->n_inputs + 1, sizeof *p->args);
    for (uint32_t i = 0; p->args && i < t->n_inputs; i++, p->n_args++)
        if (fill(&t->inputs[i], &p->args[i], &err) != RLX_OK)
            return false;
    return p->args != NULL;
}

bool rlxc_tuned_compile(const rlxc_tuned *t, const rlxc_options *options, const char *steps,
                        rlxc_tuned_program *out)
{
    rlx_error err = {0};
    rlxc_schedules lists = {0};
    rlxc_rule_steps own = {0};
    rlxc_options alone = *options;
    *out = (rlxc_tuned_program){.ctx = rlxc_context_create(NULL)};
    if (!out->ctx)
        return false;
    alone.explain = NULL;
    alone.schedules = NULL;
    alone.steps = &own;
    alone.n_bounds = 0;
    if (steps) {
        if (!rlxc_parse_schedules(out->ctx, "<steps>", steps, strlen(steps), &lists))
            return false;
        own.given = &lists;
    }
    return rlx_exec_builder_create(NULL, &out->builder, &err) == RLX_OK &&
           rlxc_compile_text(out->ctx, "<function>", t->text, strlen(t->text), &alone,
                             out->builder) &&
           load(t, out);
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
