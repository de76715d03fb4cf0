/* Lists of steps as Python text, and back: parse(print(s)) gives equal lists.
 *
 * The text is what TVM prints a trace as. Statements are read by the parser of TVMScript; results
 * are ordinary names, defined from their step on. Only comments state the source of a list. */
#include <string.h>

#include "compiler/ir/names.h"
#include "compiler/schedule/step.h"
#include "compiler/script/parse.h"
#include "compiler/script/print.h"

/* --- printing --------------------------------------------------------------------------------- */

static void print_value(rlxc_printer *p, const rlxc_step_param *param, const rlxc_attr *value)
{
    if (strcmp(param->type, "buffer") == 0 && value->kind == RLXC_ATTR_LIST) {
        rlxc_text_puts(&p->out, "(");
        for (uint32_t i = 0; i < value->list.count; i++) {
            rlxc_text_puts(&p->out, i ? ", " : "");
            rlxc_print_attr(p, &value->list.items[i]);
        }
        rlxc_text_puts(&p->out, ")");
    } else if (value->kind == RLXC_ATTR_EXPR && rlxc_is_index_map(value->expr)) {
        rlxc_print_index_map(p, value->expr);
    } else {
        rlxc_print_attr(p, value);
    }
}

static void print_step(rlxc_printer *p, const rlxc_step *step)
{
    rlxc_step_param params[RLXC_STEP_PARAMS];
    uint32_t n = rlxc_step_params(p->ctx, step->kind, params);
    const char *separator = "";
    for (uint32_t i = 0; i < step->n_results; i++)
        rlxc_text_printf(&p->out, "%s%s", i ? ", " : "", step->results[i]->var.name);
    if (step->n_results == 1 && strchr(rlxc_step_row_of(step->kind)->results, '*'))
        rlxc_text_puts(&p->out, ",");
    rlxc_text_printf(&p->out, "%ssch.%s(", step->n_results ? " = " : "",
                     rlxc_step_row_of(step->kind)->name);
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_attr *value = rlxc_attrs_find(&step->args, params[i].name);
        if (!value)
            continue;
        if (!params[i].variadic) {
            rlxc_text_printf(&p->out, "%s%s=", separator, params[i].name);
            print_value(p, &params[i], value);
            separator = ", ";
            continue;
        }
        for (uint32_t k = 0; k < value->list.count; k++) {
            rlxc_text_puts(&p->out, separator);
            print_value(p, &params[i], &value->list.items[k]);
            separator = ", ";
        }
    }
    rlxc_text_puts(&p->out, ")");
}

static void start_printer(rlxc_printer *p, rlxc_context *ctx)
{
    rlxc_printer_init(p, ctx);
    p->hints_only = p->relax = true; /* integers without their types */
}

const char *rlxc_print_step(rlxc_context *ctx, const rlxc_step *step)
{
    rlxc_printer p;
    start_printer(&p, ctx);
    print_step(&p, step);
    return p.out.data ? p.out.data : "";
}

const char *rlxc_print_schedules(rlxc_context *ctx, const char *module,
                                 const rlxc_schedules *schedules)
{
    rlxc_printer p;
    start_printer(&p, ctx);
    for (uint32_t i = 0; i < schedules->items.count && !rlxc_out_of_memory(ctx); i++) {
        const rlxc_schedule_steps *s = schedules->items.items[i];
        rlxc_text_printf(&p.out, "%s# %s.%s", i ? "\n" : "", module, s->function);
        if (s->source.line)
            rlxc_text_printf(&p.out, "  %s:%u:%u", rlxc_file_base(ctx, s->source.file),
                             s->source.line, s->source.col);
        rlxc_text_puts(&p.out, "\n");
        for (uint32_t k = 0; k < s->items.count; k++) {
            print_step(&p, &s->items.items[k]);
            rlxc_text_puts(&p.out, "\n");
        }
    }
    return p.out.data ? p.out.data : "";
}

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct reading {
    rlxc_parser p;
    rlxc_schedules *out;
    rlxc_schedule_steps *list; /* the one that steps go to; NULL before the first get_block */
} reading;

static bool parse_argument(reading *r, rlxc_step *step, const char *name, const rlxc_py *e)
{
    rlxc_attr value;
    if (rlxc_attrs_find(&step->args, name)) {
        rlxc_error(r->p.ctx, e->range, "argument '%s' is given twice", name);
        return false;
    }
    if (!rlxc_parse_attr(&r->p, e, &value))
        return false;
    rlxc_step_arg(r->p.ctx, step, name, value);
    return true;
}

/* Positional arguments take the row's order; a variadic one takes all of them. */
static bool parse_positional(reading *r, rlxc_step *step, const rlxc_py *call,
                             const rlxc_step_param *params, uint32_t n)
{
    rlxc_context *ctx = r->p.ctx;
    if (n > 0 && params[0].variadic) {
        rlxc_attr *items = rlxc_try_alloc(ctx, (size_t)call->n + 1, sizeof *items);
        for (uint32_t i = 0; i < call->n && items; i++)
            if (!rlxc_parse_attr(&r->p, call->items[i], &items[i]))
                return false;
        rlxc_step_arg(ctx, step, params[0].name,
                      (rlxc_attr){.kind = RLXC_ATTR_LIST,
                                  .list = {.items = items, .count = items ? call->n : 0}});
        return items != NULL;
    }
    if (call->n > n) {
        rlxc_error(ctx, call->range, "%s takes %u argument%s, not %u",
                   rlxc_step_row_of(step->kind)->name, n, n == 1 ? "" : "s", call->n);
        return false;
    }
    for (uint32_t i = 0; i < call->n; i++)
        if (!parse_argument(r, step, params[i].name, call->items[i]))
            return false;
    return true;
}

static bool parse_arguments(reading *r, rlxc_step *step, const rlxc_py *call)
{
    rlxc_step_param params[RLXC_STEP_PARAMS];
    uint32_t n = rlxc_step_params(r->p.ctx, step->kind, params);
    if (!parse_positional(r, step, call, params, n))
        return false;
    for (uint32_t i = 0; i < call->n_keywords; i++) {
        const char *name = call->keyword_names[i];
        uint32_t k = 0;
        while (k < n && (params[k].variadic || strcmp(params[k].name, name) != 0))
            k++;
        if (k == n) {
            rlxc_error(r->p.ctx, call->keywords[i]->range, "%s has no argument '%s'",
                       rlxc_step_row_of(step->kind)->name, name);
            return false;
        }
        if (!parse_argument(r, step, params[k].name, call->keywords[i]))
            return false;
    }
    return rlxc_step_check(r->p.ctx, step);
}

static bool define_results(reading *r, rlxc_step *step, const rlxc_py *target)
{
    rlxc_context *ctx = r->p.ctx;
    bool many = target->kind == RLXC_PY_TUPLE || target->kind == RLXC_PY_LIST;
    uint32_t n = many ? target->n : 1;
    rlxc_step_ref *results = rlxc_try_alloc(ctx, (size_t)n + 1, sizeof *results);
    if (!results)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_py *name = many ? target->items[i] : target;
        if (name->kind != RLXC_PY_NAME || strcmp(name->text, "sch") == 0) {
            rlxc_error(ctx, name->range, "expected a name for a result of %s, got %s",
                       rlxc_step_row_of(step->kind)->name, rlxc_py_describe(ctx, name));
            return false;
        }
        results[i] = rlxc_step_result(ctx, step->kind, name->text);
    }
    step->results = results;
    step->n_results = n;
    return true;
}

static bool to_list(reading *r, const rlxc_step *step)
{
    rlxc_context *ctx = r->p.ctx;
    const rlxc_attr *function =
        step->kind == RLXC_STEP_get_block ? rlxc_attrs_find(&step->args, "func_name") : NULL;
    if (function && function->kind == RLXC_ATTR_STRING &&
        (!r->list || strcmp(r->list->function, function->s) != 0)) {
        r->list = rlxc_steps_new(ctx, function->s, (rlxc_range){0});
        RLXC_PUSH(ctx, &r->out->items, r->list);
    }
    if (!r->list) {
        rlxc_error(ctx, step->range, "the first step must be get_block with a func_name");
        return false;
    }
    RLXC_PUSH(ctx, &r->list->items, *step);
    r->list->n_names += step->n_results;
    return true;
}

static void parse_step(reading *r, const rlxc_py_stmt *stmt)
{
    rlxc_context *ctx = r->p.ctx;
    const rlxc_py *call = stmt->value, *base = call ? call->base : NULL;
    bool assigns = stmt->kind == RLXC_PY_STMT_ASSIGN;
    if (stmt->kind == RLXC_PY_STMT_IMPORT || stmt->kind == RLXC_PY_STMT_PASS)
        return;
    if ((!assigns && stmt->kind != RLXC_PY_STMT_EXPR) || !call || call->kind != RLXC_PY_CALL ||
        base->kind != RLXC_PY_ATTR || base->base->kind != RLXC_PY_NAME ||
        strcmp(base->base->text, "sch") != 0) {
        rlxc_error(ctx, stmt->range, "expected a step: sch.name(arguments)");
        return;
    }
    rlxc_step step = {.range = stmt->range};
    if (!rlxc_find_step(base->text, &step.kind) ||
        strcmp(base->text, rlxc_step_row_of(step.kind)->instruction) == 0) {
        rlxc_error(ctx, base->range, "there is no step '%s'", base->text);
        return;
    }
    uint32_t errors = rlxc_error_count(ctx);
    if ((assigns && !define_results(r, &step, stmt->target)) || !parse_arguments(r, &step, call) ||
        rlxc_error_count(ctx) > errors || !to_list(r, &step))
        return;
    for (uint32_t i = 0; i < step.n_results; i++)
        rlxc_names_define(ctx, &r->p.names, step.results[i]->var.name, RLXC_NAME_EXPR)->expr =
            step.results[i];
}

/* def apply_trace(sch: ...) -> None: */
static void parse_header(reading *r)
{
    rlxc_py_parser *py = &r->p.py;
    while (!rlxc_py_is(py, RLXC_OP1(':')) || py->lexer.brackets > 0) {
        if (py->token.kind == RLXC_TOKEN_NEWLINE || py->token.kind == RLXC_TOKEN_END ||
            py->token.kind == RLXC_TOKEN_BAD)
            break;
        rlxc_py_next(py);
    }
    rlxc_py_block block;
    if (!rlxc_py_block_begin(py, &block))
        return;
    while (rlxc_py_block_more(py, &block)) {
        rlxc_py_stmt stmt;
        rlxc_py_reset(py);
        if (rlxc_py_simple(py, &stmt))
            parse_step(r, &stmt);
    }
}

static void parse_file(reading *r)
{
    rlxc_py_parser *py = &r->p.py;
    while (py->token.kind != RLXC_TOKEN_END && !rlxc_py_stopped(py)) {
        rlxc_py_stmt stmt;
        rlxc_py_reset(py);
        if (py->token.kind == RLXC_TOKEN_NEWLINE || py->token.kind == RLXC_TOKEN_DEDENT) {
            rlxc_py_next(py);
        } else if (rlxc_py_is_word(py, "def")) {
            parse_header(r);
        } else if (py->token.kind == RLXC_TOKEN_INDENT) {
            rlxc_py_unexpected(py, "a line without indentation");
            rlxc_py_skip(py);
        } else if (rlxc_py_simple(py, &stmt)) {
            parse_step(r, &stmt);
        }
    }
}

static bool parse_any(rlxc_context *ctx, uint32_t file, const char *text, size_t length,
                      rlxc_schedules *out)
{
    uint32_t errors = rlxc_error_count(ctx);
    if (!rlxc_lexer_check_text(ctx, file, text, length))
        return false;
    size_t at = 0;
    while (at < length && (text[at] == ' ' || text[at] == '\n'))
        at++;
    if (at < length && text[at] == '[')
        return rlxc_parse_trace_json(ctx, file, text, length, out);
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!locale) {
        rlxc_error(ctx, (rlxc_range){0}, "the C locale is not available");
        return false;
    }
    reading r = {.p = {.ctx = ctx, .module = rlxc_module_new(ctx)}, .out = out};
    rlxc_lexer_init(&r.p.py.lexer, ctx, file, text, length, locale);
    rlxc_py_start(&r.p.py, ctx, &r.p.pool);
    parse_file(&r);
    freelocale(locale);
    return !rlxc_out_of_memory(ctx) && rlxc_error_count(ctx) == errors;
}

bool rlxc_parse_schedules(rlxc_context *ctx, const char *path, const char *text, size_t length,
                          rlxc_schedules *out)
{
    *out = (rlxc_schedules){0};
    uint32_t file = rlxc_add_file(ctx, path, text, length);
    if (!parse_any(ctx, file, text, length, out))
        return false;
    if (out->items.count == 0)
        rlxc_error(ctx,
                   (rlxc_range){.file = file, .line = 1, .col = 1, .end_line = 1, .end_col = 2},
                   "the schedule has no step");
    return out->items.count > 0;
}
