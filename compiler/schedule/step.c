/* The rows of steps.def, the check of a step's arguments against its row, and the functions that
 * rules make lists with. */
#include "compiler/schedule/step.h"

#include <string.h>

static const rlxc_step_row rows[RLXC_STEP_COUNT] = {
#define RLXC_STEP(name, instruction, args, json, results, doc) \
    {#name, instruction, args, json, results, doc},
#include "compiler/schedule/steps.def"
#undef RLXC_STEP
};

/* Names in other versions of TVM. */
static const struct {
    const char *name, *of;
} aliases[] = {{"get_sblock", "get_block"}, {"GetSBlock", "GetBlock"}};

const rlxc_step_row *rlxc_step_row_of(rlxc_step_kind kind)
{
    return &rows[kind];
}

bool rlxc_find_step(const char *name, rlxc_step_kind *out)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(name, aliases[i].name) == 0)
            name = aliases[i].of;
    for (uint32_t i = 0; i < RLXC_STEP_COUNT; i++) {
        if (strcmp(name, rows[i].name) != 0 && strcmp(name, rows[i].instruction) != 0)
            continue;
        *out = (rlxc_step_kind)i;
        return true;
    }
    return false;
}

/* The text from |*at| to one of |ends|, which is skipped; interned. */
static const char *word(rlxc_context *ctx, const char **at, const char *ends)
{
    size_t n = strcspn(*at, ends);
    const char *out = rlxc_intern(ctx, *at, n);
    *at += n;
    return out;
}

uint32_t rlxc_step_params(rlxc_context *ctx, rlxc_step_kind kind, rlxc_step_param *out)
{
    uint32_t n = 0;
    for (const char *at = rows[kind].args; *at && n < RLXC_STEP_PARAMS; n++) {
        out[n] = (rlxc_step_param){.variadic = *at == '*'};
        at += out[n].variadic;
        out[n].name = word(ctx, &at, ":");
        at++;
        out[n].type = word(ctx, &at, "= ");
        if (*at == '=') {
            at++;
            out[n].fallback = word(ctx, &at, " ");
        }
        at += *at == ' ';
    }
    return n;
}

/* --- checking --------------------------------------------------------------------------------- */

bool rlxc_is_step_ref(const rlxc_attr *value)
{
    return value->kind == RLXC_ATTR_EXPR && value->expr->kind == RLXC_EXPR_VAR &&
           rlxc_dtype_is_handle(value->expr->dtype);
}

static bool is_number(const rlxc_attr *value)
{
    int64_t i;
    return rlxc_attr_as_int(value, &i) ||
           (value->kind == RLXC_ATTR_EXPR && rlxc_dtype_is_int(value->expr->dtype));
}

static bool all_are(const rlxc_attr *value, bool (*is)(const rlxc_attr *), bool or_none)
{
    for (uint32_t i = 0; value->kind == RLXC_ATTR_LIST && i < value->list.count; i++)
        if (!is(&value->list.items[i]) && !(or_none && value->list.items[i].kind == RLXC_ATTR_NONE))
            return false;
    return value->kind == RLXC_ATTR_LIST;
}

static bool is_buffer(const rlxc_attr *value)
{
    if (value->kind == RLXC_ATTR_LIST)
        return value->list.count == 2 && value->list.items[0].kind == RLXC_ATTR_STRING &&
               (strcmp(value->list.items[0].s, "read") == 0 ||
                strcmp(value->list.items[0].s, "write") == 0) &&
               value->list.items[1].kind == RLXC_ATTR_INT;
    return value->kind == RLXC_ATTR_INT || value->kind == RLXC_ATTR_STRING;
}

static bool is_bool(const rlxc_attr *value)
{
    int64_t i;
    return rlxc_attr_as_int(value, &i) && (i == 0 || i == 1);
}

static bool is_map(const rlxc_attr *value)
{
    return value->kind == RLXC_ATTR_EXPR && rlxc_is_index_map(value->expr);
}

typedef struct type_row {
    const char *name, *what;
    bool (*is)(const rlxc_attr *);
    bool list, or_none;
    rlxc_attr_kind kind; /* where |is| is NULL; NONE: any */
} type_row;

static const type_row types[] = {
    {"block", "a block", rlxc_is_step_ref, false, false, RLXC_ATTR_NONE},
    {"loop", "a loop", rlxc_is_step_ref, false, false, RLXC_ATTR_NONE},
    {"ref", "a block or a loop", rlxc_is_step_ref, false, false, RLXC_ATTR_NONE},
    {"blocks", "a list of blocks", rlxc_is_step_ref, true, false, RLXC_ATTR_NONE},
    {"int", "an integer", is_number, false, false, RLXC_ATTR_NONE},
    {"ints", "a list of integers", is_number, true, true, RLXC_ATTR_NONE},
    {"bool", "True or False", is_bool, false, false, RLXC_ATTR_NONE},
    {"map", "a lambda from indices to indices", is_map, false, false, RLXC_ATTR_NONE},
    {"buffer", "a number, (\"read\", 0), (\"write\", 0) or a name", is_buffer, false, false,
     RLXC_ATTR_NONE},
    {"str", "a string", NULL, false, false, RLXC_ATTR_STRING},
    {"list", "a list", NULL, false, false, RLXC_ATTR_LIST},
    {"dict", "a dictionary", NULL, false, false, RLXC_ATTR_DICT},
    {"any", "a value", NULL, false, false, RLXC_ATTR_NONE},
};

static bool check_value(rlxc_context *ctx, const rlxc_step *step, const rlxc_step_param *param,
                        const rlxc_attr *value)
{
    if (value->kind == RLXC_ATTR_NONE && param->fallback && strcmp(param->fallback, "None") == 0)
        return true;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const type_row *t = &types[i];
        if (strcmp(t->name, param->type) != 0)
            continue;
        bool list = t->list || param->variadic;
        bool ok = t->is && list ? all_are(value, t->is, t->or_none)
                  : t->is       ? t->is(value)
                                : t->kind == RLXC_ATTR_NONE || t->kind == value->kind;
        if (!ok)
            rlxc_error(ctx, step->range, "%s: %s must be %s%s", rows[step->kind].name, param->name,
                       t->what, param->variadic ? " each" : "");
        return ok;
    }
    return true;
}

bool rlxc_step_check(rlxc_context *ctx, const rlxc_step *step)
{
    const rlxc_step_row *row = &rows[step->kind];
    rlxc_step_param params[RLXC_STEP_PARAMS];
    uint32_t n = rlxc_step_params(ctx, step->kind, params), found = 0;
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_attr *value = rlxc_attrs_find(&step->args, params[i].name);
        found += value != NULL;
        if (!value && !params[i].fallback) {
            rlxc_error(ctx, step->range, "%s needs %s", row->name, params[i].name);
            return false;
        }
        if (value && !check_value(ctx, step, &params[i], value))
            return false;
    }
    if (found < step->args.count) {
        rlxc_error(ctx, step->range, "%s has an unknown argument", row->name);
        return false;
    }
    bool many = strchr(row->results, '*') != NULL;
    uint32_t wanted = row->results[0] != '\0';
    if (step->n_results && (!wanted || (!many && step->n_results != wanted))) {
        rlxc_error(ctx, step->range, "%s gives %s result%s, not %u", row->name,
                   wanted ? "one" : "no", wanted ? "" : "s", step->n_results);
        return false;
    }
    return true;
}

/* --- making lists ----------------------------------------------------------------------------- */

rlxc_schedule_steps *rlxc_steps_new(rlxc_context *ctx, const char *function, rlxc_range source)
{
    rlxc_schedule_steps *s = rlxc_alloc(ctx, sizeof *s);
    *s = (rlxc_schedule_steps){
        .ctx = ctx, .function = rlxc_intern_cstr(ctx, function), .source = source};
    return s;
}

rlxc_step_ref rlxc_step_result(rlxc_context *ctx, rlxc_step_kind kind, const char *name)
{
    rlx_dtype type = rows[kind].results[0] == 'v' ? RLX_I64 : rlxc_dtype_handle();
    return rlxc_var(ctx, name, type);
}

rlxc_step *rlxc_steps_add(rlxc_schedule_steps *s, rlxc_step_kind kind, rlxc_step_ref *out,
                          uint32_t n_results)
{
    rlxc_context *ctx = s->ctx;
    rlxc_step step = {.kind = kind, .n_results = n_results};
    rlxc_step_ref *results = rlxc_try_alloc(ctx, (size_t)n_results + 1, sizeof *results);
    for (uint32_t i = 0; i < n_results; i++) {
        out[i] = rlxc_step_result(ctx, kind,
                                  rlxc_internf(ctx, "%c%u", rows[kind].results[0], s->n_names++));
        if (results)
            results[i] = out[i];
    }
    step.results = results;
    step.n_results = results ? n_results : 0;
    RLXC_PUSH(ctx, &s->items, step);
    if (!rlxc_out_of_memory(ctx))
        return &s->items.items[s->items.count - 1];
    return rlxc_copy(ctx, &step, sizeof step);
}

void rlxc_step_arg(rlxc_context *ctx, rlxc_step *step, const char *name, rlxc_attr value)
{
    step->args = rlxc_attrs_with(ctx, step->args, rlxc_intern_cstr(ctx, name), value);
}

rlxc_step_ref rlxc_step_get_block(rlxc_schedule_steps *s, const char *name)
{
    rlxc_step_ref block;
    rlxc_step *step = rlxc_steps_add(s, RLXC_STEP_get_block, &block, 1);
    rlxc_step_arg(s->ctx, step, "name", rlxc_attr_string(s->ctx, name));
    rlxc_step_arg(s->ctx, step, "func_name", rlxc_attr_string(s->ctx, s->function));
    return block;
}

/* A step whose first argument is one reference. */
static rlxc_step *on(rlxc_schedule_steps *s, rlxc_step_kind kind, const char *param,
                     rlxc_step_ref ref, rlxc_step_ref *out, uint32_t n)
{
    rlxc_step *step = rlxc_steps_add(s, kind, out, n);
    rlxc_step_arg(s->ctx, step, param, rlxc_attr_expr(ref));
    return step;
}

void rlxc_step_get_loops(rlxc_schedule_steps *s, rlxc_step_ref block, rlxc_step_ref *out,
                         uint32_t n)
{
    on(s, RLXC_STEP_get_loops, "block", block, out, n);
}

void rlxc_step_split(rlxc_schedule_steps *s, rlxc_step_ref loop, const int64_t *factors, uint32_t n,
                     rlxc_step_ref *out)
{
    rlxc_step *step = on(s, RLXC_STEP_split, "loop", loop, out, n);
    rlxc_attr *items = rlxc_try_alloc(s->ctx, (size_t)n + 1, sizeof *items);
    for (uint32_t i = 0; i < n && items; i++)
        items[i] = factors[i] ? rlxc_attr_int(factors[i]) : (rlxc_attr){.kind = RLXC_ATTR_NONE};
    rlxc_attr list = {.kind = RLXC_ATTR_LIST, .list = {.items = items, .count = items ? n : 0}};
    rlxc_step_arg(s->ctx, step, "factors", list);
}

void rlxc_step_mark(rlxc_schedule_steps *s, rlxc_step_kind kind, rlxc_step_ref loop)
{
    on(s, kind, "loop", loop, NULL, 0);
}

void rlxc_step_bind(rlxc_schedule_steps *s, rlxc_step_ref loop, const char *thread)
{
    rlxc_step *step = on(s, RLXC_STEP_bind, "loop", loop, NULL, 0);
    rlxc_step_arg(s->ctx, step, "thread_axis", rlxc_attr_string(s->ctx, thread));
}

rlxc_step_ref rlxc_step_unit_loop(rlxc_schedule_steps *s, rlxc_step_ref block_or_loop)
{
    rlxc_step_ref loop;
    on(s, RLXC_STEP_add_unit_loop, "block_or_loop", block_or_loop, &loop, 1);
    return loop;
}

void rlxc_step_inline(rlxc_schedule_steps *s, rlxc_step_kind kind, rlxc_step_ref block)
{
    on(s, kind, "block", block, NULL, 0);
}

rlxc_step_ref rlxc_step_decompose(rlxc_schedule_steps *s, rlxc_step_ref block, rlxc_step_ref loop)
{
    rlxc_step_ref init;
    rlxc_step *step = on(s, RLXC_STEP_decompose_reduction, "block", block, &init, 1);
    rlxc_step_arg(s->ctx, step, "loop", rlxc_attr_expr(loop));
    return init;
}

rlxc_step_ref rlxc_step_rfactor(rlxc_schedule_steps *s, rlxc_step_ref loop, int64_t axis)
{
    rlxc_step_ref parts;
    rlxc_step *step = on(s, RLXC_STEP_rfactor, "loop", loop, &parts, 1);
    rlxc_step_arg(s->ctx, step, "factor_axis", rlxc_attr_int(axis));
    return parts;
}

rlxc_step_ref rlxc_step_loops(rlxc_schedule_steps *s, rlxc_step_kind kind,
                              const rlxc_step_ref *loops, uint32_t n)
{
    rlxc_step_ref out = NULL;
    rlxc_step *step = rlxc_steps_add(s, kind, &out, rows[kind].results[0] != '\0');
    rlxc_attr *items = rlxc_try_alloc(s->ctx, (size_t)n + 1, sizeof *items);
    for (uint32_t i = 0; i < n && items; i++)
        items[i] = rlxc_attr_expr(loops[i]);
    rlxc_attr list = {.kind = RLXC_ATTR_LIST, .list = {.items = items, .count = items ? n : 0}};
    rlxc_step_arg(s->ctx, step, "loops", list);
    return out;
}

rlxc_step_ref rlxc_step_cache_write(rlxc_schedule_steps *s, rlxc_step_ref block)
{
    rlxc_step_ref copy;
    rlxc_step *step = on(s, RLXC_STEP_cache_write, "block", block, &copy, 1);
    rlxc_step_arg(s->ctx, step, "write_buffer_index", rlxc_attr_int(0));
    rlxc_step_arg(s->ctx, step, "storage_scope", rlxc_attr_string(s->ctx, "global"));
    return copy;
}

void rlxc_step_compute_at(rlxc_schedule_steps *s, rlxc_step_ref block, rlxc_step_ref loop)
{
    rlxc_step *step = on(s, RLXC_STEP_compute_at, "block", block, NULL, 0);
    rlxc_step_arg(s->ctx, step, "loop", rlxc_attr_expr(loop));
}

void rlxc_step_reverse_compute_at(rlxc_schedule_steps *s, rlxc_step_ref block, rlxc_step_ref loop)
{
    rlxc_step *step = on(s, RLXC_STEP_reverse_compute_at, "block", block, NULL, 0);
    rlxc_step_arg(s->ctx, step, "loop", rlxc_attr_expr(loop));
}

void rlxc_step_annotate(rlxc_schedule_steps *s, rlxc_step_ref block_or_loop, const char *key,
                        rlxc_attr value)
{
    rlxc_step *step = on(s, RLXC_STEP_annotate, "block_or_loop", block_or_loop, NULL, 0);
    rlxc_step_arg(s->ctx, step, "ann_key", rlxc_attr_string(s->ctx, key));
    rlxc_step_arg(s->ctx, step, "ann_val", value);
}

static void named(rlxc_schedule_steps *s, rlxc_step *step, const char *param, const char *name,
                  rlxc_attrs sizes)
{
    rlxc_attr dict = {.kind = RLXC_ATTR_DICT,
                      .list = {.items = sizes.values, .keys = sizes.keys, .count = sizes.count}};
    rlxc_step_arg(s->ctx, step, param, rlxc_attr_string(s->ctx, name));
    if (sizes.count)
        rlxc_step_arg(s->ctx, step, "sizes", dict);
}

void rlxc_step_tensorize(rlxc_schedule_steps *s, rlxc_step_ref block_or_loop, const char *intrin,
                         rlxc_attrs sizes)
{
    rlxc_step *step = on(s, RLXC_STEP_tensorize, "block_or_loop", block_or_loop, NULL, 0);
    named(s, step, "tensor_intrin", intrin, sizes);
}

void rlxc_step_rewrite(rlxc_schedule_steps *s, rlxc_step_ref block, const char *rewrite,
                       rlxc_attrs sizes)
{
    named(s, on(s, RLXC_STEP_rewrite, "block", block, NULL, 0), "rewrite", rewrite, sizes);
}

/* --- parts of lists --------------------------------------------------------------------------- */

typedef struct renaming {
    rlxc_context *ctx;
    rlxc_map refs; /* result -> its new variable */
} renaming;

static const rlxc_expr *renamed_ref(void *user, const rlxc_expr *e)
{
    renaming *r = user;
    return rlxc_map_get(&r->refs, rlxc_key(e));
}

static rlxc_attr renamed(renaming *r, rlxc_attr value)
{
    if (value.kind == RLXC_ATTR_EXPR && !rlxc_is_index_map(value.expr))
        return rlxc_attr_expr(rlxc_expr_rewrite(r->ctx, value.expr, renamed_ref, r));
    if (value.kind != RLXC_ATTR_LIST)
        return value;
    rlxc_attr *items = rlxc_try_alloc(r->ctx, (size_t)value.list.count + 1, sizeof *items);
    for (uint32_t i = 0; i < value.list.count && items; i++)
        items[i] = renamed(r, value.list.items[i]);
    return (rlxc_attr){.kind = RLXC_ATTR_LIST,
                       .list = {.items = items, .count = items ? value.list.count : 0}};
}

void rlxc_steps_append(rlxc_schedule_steps *s, const rlxc_schedule_steps *from, uint32_t first,
                       uint32_t end)
{
    renaming r = {.ctx = s->ctx};
    for (uint32_t i = first; i < end; i++) {
        const rlxc_step *old = &from->items.items[i];
        rlxc_step_ref *results =
            rlxc_try_alloc(s->ctx, (size_t)old->n_results + 1, sizeof *results);
        if (!results)
            return;
        rlxc_step *step = rlxc_steps_add(s, old->kind, results, old->n_results);
        step->range = old->range;
        for (uint32_t k = 0; k < old->n_results; k++)
            rlxc_map_set(s->ctx, &r.refs, rlxc_key(old->results[k]), (void *)(uintptr_t)results[k]);
        for (uint32_t k = 0; k < old->args.count; k++)
            rlxc_step_arg(s->ctx, step, old->args.keys[k], renamed(&r, old->args.values[k]));
    }
}
