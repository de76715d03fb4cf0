/* TVM's traces as JSON -> lists of steps: `[[instructions], [decisions]]` as trace.as_json() gives
 * them, and the lines of a tuning database, `[workload, [trace, run_secs, target, args]]`, of which
 * the fastest of each workload counts.
 *
 * An instruction is [kind, inputs, attributes, outputs]; its row in steps.def says which parameters
 * these are. Index maps are graphs of nodes in a JSON text of their own, in the format before and
 * after TVM 0.20. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/schedule/step.h"

enum { MAX_INSTRUCTIONS = 10000 };

typedef struct trace {
    rlxc_context *ctx;
    rlxc_range range; /* of the line it stands on */
    rlxc_schedules *out;
    rlxc_schedule_steps *list;
    rlxc_map names; /* interned name -> its reference */
    uint32_t instruction;
    uint32_t depth;
} trace;

static bool fail(const trace *t, const char *what, const char *name)
{
    rlxc_error(t->ctx, t->range, "trace, instruction %u: %s%s%s%s", t->instruction, what,
               *name ? " '" : "", name, *name ? "'" : "");
    return false;
}

/* --- index maps ------------------------------------------------------------------------------- */

typedef struct graph {
    trace *t;
    const json_t *nodes;
    const rlxc_expr **done; /* of each node */
    bool *open;             /* being read: a node must not use itself */
} graph;

static const json_t *field(const json_t *node, const char *name)
{
    const json_t *data = json_object_get(node, "data");
    const json_t *old = json_object_get(node, "attrs");
    const json_t *value = json_object_get(data, name);
    return value ? value : json_object_get(old, name);
}

static bool number(const json_t *value, int64_t *out)
{
    char *end;
    if (json_is_integer(value)) {
        *out = json_integer_value(value);
        return true;
    }
    if (!json_is_string(value) || !*json_string_value(value))
        return false;
    *out = strtoll(json_string_value(value), &end, 10);
    return *end == '\0';
}

/* "IndexMap" of "tirx.IndexMap". */
static const char *type_of(const json_t *node)
{
    const json_t *type = json_object_get(node, "type");
    const char *name = json_string_value(type ? type : json_object_get(node, "type_key"));
    const char *dot = name ? strrchr(name, '.') : NULL;
    return dot ? dot + 1 : name ? name : "";
}

static bool node_at(const graph *g, const json_t *index, size_t *out)
{
    int64_t i;
    if (!number(index, &i) || i < 0 || (uint64_t)i >= json_array_size(g->nodes))
        return false;
    *out = (size_t)i;
    return true;
}

static const rlxc_expr *expr_at(graph *g, const json_t *index);

static const rlxc_expr *read_expr(graph *g, const json_t *node)
{
    static const struct {
        const char *name;
        rlxc_expr_kind kind;
    } kinds[] = {{"Add", RLXC_EXPR_ADD},
                 {"Sub", RLXC_EXPR_SUB},
                 {"Mul", RLXC_EXPR_MUL},
                 {"FloorDiv", RLXC_EXPR_FLOORDIV},
                 {"FloorMod", RLXC_EXPR_FLOORMOD},
                 {"Min", RLXC_EXPR_MIN},
                 {"Max", RLXC_EXPR_MAX}};
    const char *type = type_of(node);
    size_t name;
    int64_t value;
    if (strcmp(type, "IntImm") == 0) {
        const json_t *given = field(node, "value"); /* since TVM 0.27 the number of a node "int" */
        const json_t *of = node_at(g, given, &name) ? json_array_get(g->nodes, name) : NULL;
        given = of && strcmp(type_of(of), "int") == 0 ? json_object_get(of, "data") : given;
        return number(given, &value) ? rlxc_i64(g->t->ctx, value) : NULL;
    }
    if (strcmp(type, "Var") == 0) {
        const json_t *text = field(node, "name");
        if (!text)
            text = field(node, "name_hint");
        if (node_at(g, text, &name))
            text = json_object_get(json_array_get(g->nodes, name), "data");
        const char *hint = json_is_string(text) ? json_string_value(text) : "i";
        return rlxc_shape_var(g->t->ctx, rlxc_intern_cstr(g->t->ctx, hint));
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(type, kinds[i].name) != 0)
            continue;
        const rlxc_expr *a = expr_at(g, field(node, "a")),
                        *b = a ? expr_at(g, field(node, "b")) : a;
        return b ? rlxc_binary(g->t->ctx, kinds[i].kind, a, b) : NULL;
    }
    return NULL;
}

static const rlxc_expr *expr_at(graph *g, const json_t *index)
{
    size_t i;
    if (!node_at(g, index, &i) || g->open[i] || g->t->depth > RLXC_MAX_DEPTH)
        return NULL;
    if (g->done[i])
        return g->done[i];
    g->open[i] = true;
    g->t->depth++;
    g->done[i] = read_expr(g, json_array_get(g->nodes, i));
    g->t->depth--;
    g->open[i] = false;
    return g->done[i];
}

static const json_t *list_at(const graph *g, const json_t *index)
{
    size_t i;
    return node_at(g, index, &i) ? json_object_get(json_array_get(g->nodes, i), "data") : NULL;
}

static const rlxc_expr *read_map(graph *g, const json_t *root)
{
    rlxc_context *ctx = g->t->ctx;
    const json_t *from = list_at(g, field(root, "initial_indices"));
    const json_t *to = list_at(g, field(root, "final_indices"));
    size_t n = json_array_size(from), n_out = json_array_size(to);
    if (strcmp(type_of(root), "IndexMap") != 0 || n == 0 || n_out == 0 || n + n_out > 64)
        return NULL;
    const rlxc_expr *args[66];
    uint32_t at = 0;
    args[at++] = rlxc_i64(ctx, (int64_t)n);
    for (size_t i = 0; i < n + n_out; i++) {
        const rlxc_expr *x =
            expr_at(g, i < n ? json_array_get(from, i) : json_array_get(to, i - n));
        if (!x || (i < n && x->kind != RLXC_EXPR_VAR))
            return NULL;
        args[at++] = x;
    }
    return rlxc_call(ctx, rlxc_dtype_void(), rlxc_intern_cstr(ctx, "index_map"), args, at);
}

static bool parse_map(trace *t, const char *text, rlxc_attr *out)
{
    json_error_t error;
    json_t *graph_text = json_loads(text, 0, &error);
    const json_t *nodes = json_object_get(graph_text, "nodes");
    const json_t *root = json_object_get(graph_text, "root_index");
    size_t n = json_array_size(nodes), at;
    graph g = {.t = t,
               .nodes = nodes,
               .done = rlxc_try_alloc(t->ctx, n + 1, sizeof *g.done),
               .open = rlxc_try_alloc(t->ctx, n + 1, sizeof *g.open)};
    const rlxc_expr *map = NULL;
    if (g.done && g.open && node_at(&g, root ? root : json_object_get(graph_text, "root"), &at))
        map = read_map(&g, json_array_get(nodes, at));
    json_decref(graph_text);
    if (!map)
        return fail(t, "unsupported index map", "");
    *out = rlxc_attr_expr(map);
    return true;
}

/* --- values ----------------------------------------------------------------------------------- */

static bool parse_value(trace *t, const json_t *value, bool input, rlxc_attr *out);

static bool parse_list(trace *t, const json_t *value, size_t from, bool input, rlxc_attr *out)
{
    size_t n = json_array_size(value);
    n = n > from ? n - from : 0;
    rlxc_attr *items = rlxc_try_alloc(t->ctx, n + 1, sizeof *items);
    for (size_t i = 0; i < n && items; i++)
        if (!parse_value(t, json_array_get(value, from + i), input, &items[i]))
            return false;
    *out = (rlxc_attr){.kind = RLXC_ATTR_LIST,
                       .list = {.items = items, .count = items ? (uint32_t)n : 0}};
    return items != NULL;
}

static bool parse_dict(trace *t, const json_t *value, bool input, rlxc_attr *out)
{
    rlxc_attrs all = {0};
    const char *key;
    json_t *item;
    json_object_foreach((json_t *)(uintptr_t)value, key, item)
    {
        rlxc_attr one;
        if (!parse_value(t, item, input, &one))
            return false;
        all = rlxc_attrs_with(t->ctx, all, rlxc_intern_cstr(t->ctx, key), one);
    }
    *out = (rlxc_attr){.kind = RLXC_ATTR_DICT,
                       .list = {.items = all.values, .keys = all.keys, .count = all.count}};
    return true;
}

/* Inputs name results, quote strings and may hold index maps; attributes are as they are. */
static bool parse_text(trace *t, const char *text, bool input, rlxc_attr *out)
{
    size_t n = strlen(text);
    if (text[0] == '{' && strstr(text, "\"nodes\""))
        return parse_map(t, text, out);
    if (!input) {
        *out = rlxc_attr_string(t->ctx, text);
        return true;
    }
    if (strcmp(text, "None") == 0) {
        *out = (rlxc_attr){.kind = RLXC_ATTR_NONE};
        return true;
    }
    if (n >= 2 && text[0] == '"' && text[n - 1] == '"') {
        *out = rlxc_attr_string(t->ctx, rlxc_intern(t->ctx, text + 1, n - 2));
        return true;
    }
    const rlxc_expr *ref = rlxc_map_get(&t->names, rlxc_key(rlxc_intern_cstr(t->ctx, text)));
    if (!ref)
        return fail(t, "no earlier instruction defines", text);
    *out = rlxc_attr_expr(ref);
    return true;
}

static bool parse_value(trace *t, const json_t *value, bool input, rlxc_attr *out)
{
    bool ok = true;
    if (t->depth > RLXC_MAX_DEPTH)
        return fail(t, "values nest too deep", "");
    t->depth++;
    if (json_is_array(value))
        ok = parse_list(t, value, 0, input, out);
    else if (json_is_object(value))
        ok = parse_dict(t, value, input, out);
    else if (json_is_string(value))
        ok = parse_text(t, json_string_value(value), input, out);
    else if (json_is_integer(value))
        *out = rlxc_attr_int(json_integer_value(value));
    else if (json_is_real(value))
        *out = rlxc_attr_float(json_real_value(value));
    else if (json_is_boolean(value))
        *out = rlxc_attr_bool(json_is_true(value));
    else
        *out = (rlxc_attr){.kind = RLXC_ATTR_NONE};
    t->depth--;
    return ok;
}

/* --- instructions ----------------------------------------------------------------------------- */

/* A buffer: its number, and 0 (read) or 1 (written). */
static bool parse_buffer(trace *t, const json_t *list, size_t at, rlxc_attr *out)
{
    const json_t *kind = json_array_get(list, at + 1);
    int64_t index;
    rlxc_attr *items = rlxc_alloc(t->ctx, 2 * sizeof *items);
    if (!number(json_array_get(list, at), &index) || !json_is_integer(kind))
        return fail(t, "a buffer is a number and 0 or 1", "");
    items[0] = rlxc_attr_string(t->ctx, json_integer_value(kind) ? "write" : "read");
    items[1] = rlxc_attr_int(index);
    *out = (rlxc_attr){.kind = RLXC_ATTR_LIST, .list = {.items = items, .count = 2}};
    return true;
}

/* The parameters of |words| (up to its end or `|`) from |list|. */
static bool parse_params(trace *t, rlxc_step *step, const char *words, const json_t *list,
                         bool input)
{
    size_t at = 0, n = json_array_size(list);
    while (*words && *words != '|') {
        bool rest = *words == '*';
        words += rest;
        size_t length = strcspn(words, " |");
        const char *name = rlxc_intern(t->ctx, words, length);
        words += length + (words[length] == ' ');
        if (at >= n && !rest)
            continue; /* an older version has fewer */
        rlxc_attr value;
        bool buffer = strcmp(name, "buffer") == 0;
        if (!(rest     ? parse_list(t, list, at, input, &value)
              : buffer ? parse_buffer(t, list, at, &value)
                       : parse_value(t, json_array_get(list, at), input, &value)))
            return false;
        at = rest ? n : at + 1 + buffer;
        bool empty = value.kind == RLXC_ATTR_LIST && value.list.count == 0 &&
                     strcmp(name, "consumer_blocks") == 0;
        if (!empty)
            rlxc_step_arg(t->ctx, step, name, value);
    }
    return at >= n || fail(t, "too many values:", rlxc_step_row_of(step->kind)->name);
}

static bool define_results(trace *t, rlxc_step *step, const json_t *outputs)
{
    size_t n = json_array_size(outputs);
    rlxc_step_ref *results = rlxc_try_alloc(t->ctx, n + 1, sizeof *results);
    for (size_t i = 0; i < n && results; i++) {
        const char *name = json_string_value(json_array_get(outputs, i));
        if (!name)
            return fail(t, "a result has no name", "");
        results[i] = rlxc_step_result(t->ctx, step->kind, rlxc_intern_cstr(t->ctx, name));
        rlxc_map_set(t->ctx, &t->names, rlxc_key(results[i]->var.name),
                     (void *)(uintptr_t)results[i]);
    }
    step->results = results;
    step->n_results = results ? (uint32_t)n : 0;
    return results != NULL;
}

static bool parse_instruction(trace *t, const json_t *inst, const json_t *decision)
{
    const char *kind = json_string_value(json_array_get(inst, 0));
    const json_t *inputs = json_array_get(inst, 1), *attrs = json_array_get(inst, 2);
    rlxc_step step = {.range = t->range};
    rlxc_attr value;
    if (!kind || !json_is_array(inputs) || !json_is_array(attrs))
        return fail(t, "expected [kind, inputs, attributes, outputs]", "");
    if (!rlxc_find_step(kind, &step.kind))
        return fail(t, "there is no instruction", kind);
    const char *words = rlxc_step_row_of(step.kind)->json, *bar = strchr(words, '|');
    if (!parse_params(t, &step, words, inputs, true) ||
        !parse_params(t, &step, bar ? bar + 1 : "", attrs, false))
        return false;
    if (decision) {
        if (!parse_value(t, decision, false, &value))
            return false;
        rlxc_step_arg(t->ctx, &step, "decision", value);
    }
    if (!define_results(t, &step, json_array_get(inst, 3)) || !rlxc_step_check(t->ctx, &step))
        return false;
    const rlxc_attr *function =
        step.kind == RLXC_STEP_get_block ? rlxc_attrs_find(&step.args, "func_name") : NULL;
    if (function && function->kind == RLXC_ATTR_STRING &&
        (!t->list || strcmp(t->list->function, function->s) != 0)) {
        t->list = rlxc_steps_new(t->ctx, function->s, (rlxc_range){0});
        RLXC_PUSH(t->ctx, &t->out->items, t->list);
    }
    if (!t->list)
        return fail(t, "the first must be GetSBlock with a function's name", "");
    RLXC_PUSH(t->ctx, &t->list->items, step);
    return true;
}

static bool parse_trace(trace *t, const json_t *value)
{
    const json_t *insts = json_array_get(value, 0), *decisions = json_array_get(value, 1);
    if (!json_is_array(insts))
        return fail(t, "expected [[instructions], [decisions]]", "");
    if (json_array_size(insts) > MAX_INSTRUCTIONS || json_array_size(decisions) > MAX_INSTRUCTIONS)
        return fail(t, "too many instructions", "");
    t->names = (rlxc_map){0};
    t->list = NULL;
    for (size_t i = 0; i < json_array_size(insts) && !rlxc_failed(t->ctx); i++) {
        const json_t *decision = NULL;
        int64_t of;
        t->instruction = (uint32_t)i;
        for (size_t k = 0; k < json_array_size(decisions); k++)
            if (number(json_array_get(json_array_get(decisions, k), 0), &of) && of == (int64_t)i)
                decision = json_array_get(json_array_get(decisions, k), 1);
        if (!parse_instruction(t, json_array_get(insts, i), decision))
            return false;
    }
    return !rlxc_failed(t->ctx);
}

/* --- files ------------------------------------------------------------------------------------ */

typedef struct record {
    int64_t workload;
    double seconds;
    const json_t *trace;
    uint32_t line;
} record;

typedef struct records {
    RLXC_VEC(record) items;
} records;

static double mean(const json_t *list)
{
    double sum = 0;
    size_t n = json_array_size(list);
    for (size_t i = 0; i < n; i++)
        sum += json_number_value(json_array_get(list, i));
    return n ? sum / (double)n : 1e30;
}

/* A trace, or a line of a database. */
static void take_record(trace *t, records *all, const json_t *value, uint32_t line)
{
    const json_t *first = json_array_get(value, 0), *second = json_array_get(value, 1);
    record r = {-1 - (int64_t)line, 0, value, line};
    if (json_is_integer(first)) {
        r.workload = json_integer_value(first);
        r.trace = json_array_get(second, 0);
        r.seconds = mean(json_array_get(second, 1));
    }
    for (uint32_t i = 0; i < all->items.count; i++)
        if (all->items.items[i].workload == r.workload) {
            if (r.seconds < all->items.items[i].seconds)
                all->items.items[i] = r;
            return;
        }
    RLXC_PUSH(t->ctx, &all->items, r);
}

bool rlxc_parse_trace_json(rlxc_context *ctx, uint32_t file, const char *text, size_t length,
                           rlxc_schedules *out)
{
    trace t = {.ctx = ctx, .out = out};
    records all = {0};
    RLXC_VEC(json_t *) values = {0};
    bool ok = true;
    uint32_t line = 1;
    for (size_t at = 0; at < length && ok;) {
        json_error_t error;
        for (; at < length && strchr(" \t\r\n", text[at]) && text[at]; at++)
            line += text[at] == '\n';
        if (at == length)
            break;
        t.range =
            (rlxc_range){.file = file, .line = line, .col = 1, .end_line = line, .end_col = 2};
        json_t *value = json_loadb(text + at, length - at, JSON_DISABLE_EOF_CHECK, &error);
        if (!json_is_array(value)) {
            rlxc_error(ctx, t.range, "trace: %s", value ? "expected an array" : error.text);
            json_decref(value);
            ok = false;
            break;
        }
        uint32_t before = values.count;
        RLXC_PUSH(ctx, &values, value);
        if (values.count == before) {
            json_decref(value);
            ok = false;
            break;
        }
        take_record(&t, &all, value, line);
        for (size_t end = at + (size_t)error.position; at < end; at++)
            line += text[at] == '\n';
    }
    for (uint32_t i = 0; i < all.items.count && ok; i++) {
        line = all.items.items[i].line;
        t.range =
            (rlxc_range){.file = file, .line = line, .col = 1, .end_line = line, .end_col = 2};
        ok = parse_trace(&t, all.items.items[i].trace);
    }
    for (uint32_t i = 0; i < values.count; i++)
        json_decref(values.items[i]);
    return ok && !rlxc_out_of_memory(ctx);
}
