/* Python expressions -> trees: precedence climbing with a depth counter, so that no text makes the
 * recursion deep; the depth of trees is limited where they are made. Signs before numbers become
 * part of the literal; chained comparisons become `and` of pairs. */
#include "compiler/script/parse_py.h"

#include <string.h>

enum { MAX_KEYWORDS = 64 };

/* A growing list inside the pool. */
typedef struct list {
    const rlxc_py **items;
    uint32_t count, capacity;
} list;

static bool push(rlxc_py_parser *py, list *l, const rlxc_py *item)
{
    if (l->count == l->capacity) {
        uint32_t capacity = l->capacity ? l->capacity * 2 : 4;
        const rlxc_py **items = rlxc_py_alloc(py->ctx, py->pool, capacity * sizeof *items);
        if (!items)
            return false;
        if (l->count > 0)
            memcpy(items, l->items, l->count * sizeof *items);
        l->items = items;
        l->capacity = capacity;
    }
    l->items[l->count++] = item;
    return true;
}

static rlxc_py *node(rlxc_py_parser *py, rlxc_py_kind kind, rlxc_range range)
{
    rlxc_py *e = rlxc_py_alloc(py->ctx, py->pool, sizeof *e);
    if (e) {
        e->kind = kind;
        e->range = range;
        e->depth = 1;
    }
    return e;
}

/* Updates the depth of |e| for |child|; NULL once the tree is too deep. */
static rlxc_py *below(rlxc_py_parser *py, rlxc_py *e, const rlxc_py *child)
{
    if (!e || !child)
        return e;
    if (child->depth >= RLXC_MAX_EXPR_DEPTH) {
        rlxc_error(py->ctx, e->range, "expression is nested more than %d deep",
                   RLXC_MAX_EXPR_DEPTH);
        return NULL;
    }
    if (e->depth < child->depth + 1)
        e->depth = (uint16_t)(child->depth + 1);
    return e;
}

static rlxc_py *below_all(rlxc_py_parser *py, rlxc_py *e, const rlxc_py *const *items, uint32_t n)
{
    for (uint32_t i = 0; i < n && e; i++)
        e = below(py, e, items[i]);
    return e;
}

static rlxc_py *sequence(rlxc_py_parser *py, rlxc_py_kind kind, rlxc_range start, const list *items)
{
    rlxc_py *e = node(py, kind, rlxc_py_range_to_here(py, start));
    if (e) {
        e->items = items->items;
        e->n = items->count;
    }
    return below_all(py, e, items->items, items->count);
}

/* Enters a level of recursion; the caller leaves it unless this returns false. */
static bool deeper(rlxc_py_parser *py)
{
    if (py->depth >= RLXC_MAX_EXPR_DEPTH) {
        rlxc_error(py->ctx, py->token.range, "expression is nested more than %d deep",
                   RLXC_MAX_EXPR_DEPTH);
        return false;
    }
    py->depth++;
    return true;
}

static const rlxc_py *parse_ternary(rlxc_py_parser *py);

/* |op| of |a|, which begins at |start|; |a| NULL: after an error. */
static const rlxc_py *unary(rlxc_py_parser *py, uint32_t op, rlxc_range start, const rlxc_py *a)
{
    rlxc_py *e = a ? node(py, RLXC_PY_UNARY, rlxc_py_range_to_here(py, start)) : NULL;
    if (!e)
        return NULL;
    e->op = op;
    e->a = a;
    return below(py, e, a);
}

/* One item of a list, an argument: *items too. */
static const rlxc_py *parse_item(rlxc_py_parser *py)
{
    rlxc_range start = py->token.range;
    bool star = rlxc_py_accept(py, RLXC_OP1('*'));
    const rlxc_py *item = parse_ternary(py);
    return star ? unary(py, RLXC_OP1('*'), start, item) : item;
}

static const rlxc_py *parse_list(rlxc_py_parser *py, rlxc_py_kind kind, uint32_t close)
{
    rlxc_range start = py->token.range;
    list items = {0};
    bool comma = false;
    rlxc_py_next(py);
    while (!rlxc_py_is(py, close)) {
        const rlxc_py *item = parse_item(py);
        if (!item || !push(py, &items, item))
            return NULL;
        comma = rlxc_py_accept(py, RLXC_OP1(','));
        if (!comma)
            break;
    }
    if (!rlxc_py_expect(py, close, "after the list"))
        return NULL;
    if (kind == RLXC_PY_TUPLE && items.count == 1 && !comma)
        return items.items[0];
    return sequence(py, kind, start, &items);
}

static const rlxc_py *parse_dict(rlxc_py_parser *py)
{
    rlxc_range start = py->token.range;
    list keys = {0}, values = {0};
    rlxc_py_next(py);
    while (!rlxc_py_is(py, RLXC_OP1('}'))) {
        const rlxc_py *key = parse_ternary(py);
        if (!key || !rlxc_py_expect(py, RLXC_OP1(':'), "after a dictionary key"))
            return NULL;
        const rlxc_py *value = parse_ternary(py);
        if (!value || !push(py, &keys, key) || !push(py, &values, value))
            return NULL;
        if (!rlxc_py_accept(py, RLXC_OP1(',')))
            break;
    }
    if (!rlxc_py_expect(py, RLXC_OP1('}'), "after the dictionary"))
        return NULL;
    rlxc_py *e = node(py, RLXC_PY_DICT, rlxc_py_range_to_here(py, start));
    if (e) {
        e->keys = keys.items;
        e->items = values.items;
        e->n = keys.count;
    }
    e = below_all(py, e, keys.items, keys.count);
    return below_all(py, e, values.items, values.count);
}

static const rlxc_py *parse_string(rlxc_py_parser *py)
{
    rlxc_py *e = node(py, RLXC_PY_STRING, py->token.range);
    if (!e)
        return NULL;
    e->text = py->token.text;
    e->length = py->token.length;
    rlxc_py_next(py);
    size_t capacity = 0;
    char *text = NULL;
    while (py->token.kind == RLXC_TOKEN_STRING) { /* "a" "b" is one string */
        size_t length = e->length + py->token.length;
        if (!text || length > capacity) { /* doubled: many short strings stay linear */
            capacity = 2 * length;
            text = rlxc_try_alloc(py->ctx, capacity + 1, 1);
            if (!text)
                return NULL;
            memcpy(text, e->text, e->length);
        }
        memcpy(text + e->length, py->token.text, py->token.length);
        text[length] = '\0';
        e->text = text;
        e->length = length;
        rlxc_py_next(py);
        e->range = rlxc_py_range_to_here(py, e->range);
    }
    return e;
}

static const char **keep_names(rlxc_py_parser *py, const char *const *names, uint32_t n)
{
    const char **kept = rlxc_py_alloc(py->ctx, py->pool, ((size_t)n + 1) * sizeof *kept);
    if (kept && n > 0)
        memcpy(kept, names, n * sizeof *kept);
    return kept;
}

static const rlxc_py *parse_lambda(rlxc_py_parser *py)
{
    rlxc_range start = py->token.range;
    const char *names[32];
    uint32_t n = 0;
    rlxc_py_next(py);
    while (!rlxc_py_is(py, RLXC_OP1(':'))) {
        if (rlxc_py_is(py, RLXC_OP1('*')) || n == sizeof names / sizeof *names) {
            rlxc_py_unexpected(py, "at most 32 plain parameter names of a lambda");
            return NULL;
        }
        if (!(names[n] = rlxc_py_expect_name(py, "a parameter name")))
            return NULL;
        n++;
        if (!rlxc_py_accept(py, RLXC_OP1(',')))
            break;
    }
    if (!rlxc_py_expect(py, RLXC_OP1(':'), "after the parameters of a lambda"))
        return NULL;
    const rlxc_py *body = parse_ternary(py);
    rlxc_py *e = body ? node(py, RLXC_PY_LAMBDA, rlxc_py_range_to_here(py, start)) : NULL;
    if (!e)
        return NULL;
    e->a = body;
    e->n_keywords = n;
    e->keyword_names = keep_names(py, names, n);
    return e->keyword_names ? below(py, e, body) : NULL;
}

static const rlxc_py *parse_primary(rlxc_py_parser *py)
{
    rlxc_py *e = NULL;
    const rlxc_token *t = &py->token;
    switch (t->kind) {
    case RLXC_TOKEN_INT:
        if ((e = node(py, RLXC_PY_INT, t->range))) {
            e->i = (int64_t)t->magnitude;
            e->huge = t->magnitude > INT64_MAX;
        }
        rlxc_py_next(py);
        return e;
    case RLXC_TOKEN_FLOAT:
        if ((e = node(py, RLXC_PY_FLOAT, t->range)))
            e->f = t->number;
        rlxc_py_next(py);
        return e;
    case RLXC_TOKEN_STRING:
        return parse_string(py);
    case RLXC_TOKEN_NAME:
        if (strcmp(t->text, "lambda") == 0)
            return parse_lambda(py);
        if (strcmp(t->text, "None") == 0) {
            e = node(py, RLXC_PY_NONE, t->range);
        } else if (strcmp(t->text, "True") == 0 || strcmp(t->text, "False") == 0) {
            if ((e = node(py, RLXC_PY_BOOL, t->range)))
                e->i = t->text[0] == 'T';
        } else if (rlxc_py_is_keyword(t->text)) {
            rlxc_py_unexpected(py, "an expression");
            return NULL;
        } else if ((e = node(py, RLXC_PY_NAME, t->range))) {
            e->text = e->dotted = t->text;
        }
        rlxc_py_next(py);
        return e;
    case RLXC_TOKEN_OP:
        if (t->op == RLXC_OP1('('))
            return parse_list(py, RLXC_PY_TUPLE, RLXC_OP1(')'));
        if (t->op == RLXC_OP1('['))
            return parse_list(py, RLXC_PY_LIST, RLXC_OP1(']'));
        if (t->op == RLXC_OP1('{'))
            return parse_dict(py);
        break;
    case RLXC_TOKEN_END:
    case RLXC_TOKEN_NEWLINE:
    case RLXC_TOKEN_INDENT:
    case RLXC_TOKEN_DEDENT:
    case RLXC_TOKEN_BAD:
        break;
    }
    rlxc_py_unexpected(py, "an expression");
    return NULL;
}

static const rlxc_py *parse_slice(rlxc_py_parser *py)
{
    rlxc_range start = py->token.range;
    const rlxc_py *part[3] = {NULL, NULL, NULL};
    uint32_t i = 0;
    bool colon = false;
    for (;;) {
        if (!rlxc_py_is(py, RLXC_OP1(':')) && !rlxc_py_is(py, RLXC_OP1(',')) &&
            !rlxc_py_is(py, RLXC_OP1(']')) && !(part[i] = parse_ternary(py)))
            return NULL;
        if (i == 2 || !rlxc_py_accept(py, RLXC_OP1(':')))
            break;
        colon = true;
        i++;
    }
    if (!colon) {
        if (!part[0])
            rlxc_py_unexpected(py, "an index");
        return part[0];
    }
    rlxc_py *e = node(py, RLXC_PY_SLICE, rlxc_py_range_to_here(py, start));
    if (!e)
        return NULL;
    e->a = part[0];
    e->b = part[1];
    e->c = part[2];
    return below_all(py, e, part, 3);
}

static const rlxc_py *parse_index(rlxc_py_parser *py, const rlxc_py *base)
{
    rlxc_range start = py->token.range;
    list items = {0};
    bool comma = false;
    rlxc_py_next(py);
    while (!rlxc_py_is(py, RLXC_OP1(']')) || items.count == 0) {
        const rlxc_py *item = parse_slice(py);
        if (!item || !push(py, &items, item))
            return NULL;
        comma = rlxc_py_accept(py, RLXC_OP1(','));
        if (!comma)
            break;
    }
    if (!rlxc_py_expect(py, RLXC_OP1(']'), "after the index"))
        return NULL;
    const rlxc_py *index = items.items[0];
    if (items.count > 1 || comma)
        index = sequence(py, RLXC_PY_TUPLE, start, &items);
    rlxc_py *e = node(py, RLXC_PY_INDEX, rlxc_py_range_to_here(py, base->range));
    if (!e || !index)
        return NULL;
    e->base = base;
    e->a = index;
    return below(py, below(py, e, base), index);
}

static const rlxc_py *parse_call(rlxc_py_parser *py, const rlxc_py *base)
{
    list items = {0}, values = {0};
    const char *names[MAX_KEYWORDS];
    rlxc_py_next(py);
    while (!rlxc_py_is(py, RLXC_OP1(')'))) {
        const rlxc_py *item = parse_item(py);
        if (!item)
            return NULL;
        if (item->kind == RLXC_PY_NAME && rlxc_py_accept(py, RLXC_OP1('='))) {
            const rlxc_py *value = parse_ternary(py);
            if (!value || !push(py, &values, value))
                return NULL;
            for (uint32_t i = 0; i + 1 < values.count; i++)
                if (names[i] == item->text) {
                    rlxc_error(py->ctx, item->range, "argument '%s' is given twice", item->text);
                    return NULL;
                }
            if (values.count > MAX_KEYWORDS) {
                rlxc_error(py->ctx, item->range, "more than %d keyword arguments", MAX_KEYWORDS);
                return NULL;
            }
            names[values.count - 1] = item->text;
        } else {
            if (values.count > 0) {
                rlxc_error(py->ctx, item->range, "positional argument after a keyword argument");
                return NULL;
            }
            if (!push(py, &items, item))
                return NULL;
        }
        if (!rlxc_py_accept(py, RLXC_OP1(',')))
            break;
    }
    if (!rlxc_py_expect(py, RLXC_OP1(')'), "after the arguments"))
        return NULL;
    rlxc_py *e = node(py, RLXC_PY_CALL, rlxc_py_range_to_here(py, base->range));
    const char **kept = values.count > 0 ? keep_names(py, names, values.count) : NULL;
    if (!e || (values.count > 0 && !kept))
        return NULL;
    e->base = base;
    e->items = items.items;
    e->n = items.count;
    e->keyword_names = kept;
    e->keywords = values.items;
    e->n_keywords = values.count;
    e = below_all(py, below(py, e, base), items.items, items.count);
    return below_all(py, e, values.items, values.count);
}

static const rlxc_py *parse_postfix(rlxc_py_parser *py)
{
    const rlxc_py *e = parse_primary(py);
    while (e) {
        if (rlxc_py_is(py, RLXC_OP1('('))) {
            e = parse_call(py, e);
        } else if (rlxc_py_is(py, RLXC_OP1('['))) {
            e = parse_index(py, e);
        } else if (rlxc_py_accept(py, RLXC_OP1('.'))) {
            const char *name = rlxc_py_expect_name(py, "a name after '.'");
            rlxc_py *attr =
                name ? node(py, RLXC_PY_ATTR, rlxc_py_range_to_here(py, e->range)) : NULL;
            if (!attr)
                return NULL;
            attr->base = e;
            attr->text = name;
            if (e->dotted)
                attr->dotted = rlxc_internf(py->ctx, "%s.%s", e->dotted, name);
            e = below(py, attr, e);
        } else {
            break;
        }
    }
    return e;
}

static const rlxc_py *binary(rlxc_py_parser *py, uint32_t op, const rlxc_py *a, const rlxc_py *b)
{
    rlxc_range range = a->range;
    range.end_line = b->range.end_line;
    range.end_col = b->range.end_col;
    rlxc_py *e = node(py, RLXC_PY_BINARY, range);
    if (!e)
        return NULL;
    e->op = op;
    e->a = a;
    e->b = b;
    return below(py, below(py, e, a), b);
}

static const rlxc_py *parse_unary(rlxc_py_parser *py);

static const rlxc_py *parse_power(rlxc_py_parser *py)
{
    const rlxc_py *e = parse_postfix(py);
    if (!e || !rlxc_py_accept(py, RLXC_OP2('*', '*')))
        return e;
    if (!deeper(py))
        return NULL;
    const rlxc_py *exponent = parse_unary(py);
    py->depth--;
    return exponent ? binary(py, RLXC_OP2('*', '*'), e, exponent) : NULL;
}

/* A sign before a literal makes a negative literal. */
static bool negate(rlxc_py_parser *py, rlxc_py *e)
{
    if (e->kind == RLXC_PY_FLOAT) {
        e->f = -e->f;
    } else if (e->huge && e->i != INT64_MIN) {
        rlxc_error(py->ctx, e->range, "integer literal is below the smallest 64-bit integer");
        return false;
    } else {
        e->i = (int64_t)(0 - (uint64_t)e->i);
        e->huge = false;
    }
    return true;
}

static const rlxc_py *parse_unary(rlxc_py_parser *py)
{
    if (!rlxc_py_is(py, RLXC_OP1('-')) && !rlxc_py_is(py, RLXC_OP1('+')) &&
        !rlxc_py_is(py, RLXC_OP1('~')))
        return parse_power(py);
    rlxc_range start = py->token.range;
    uint32_t op = py->token.op;
    rlxc_py_next(py);
    bool literal = py->token.kind == RLXC_TOKEN_INT || py->token.kind == RLXC_TOKEN_FLOAT;
    if (!deeper(py))
        return NULL;
    const rlxc_py *a = parse_unary(py);
    py->depth--;
    if (!a || op == RLXC_OP1('+'))
        return a;
    if (!literal || op != RLXC_OP1('-') || (a->kind != RLXC_PY_INT && a->kind != RLXC_PY_FLOAT))
        return unary(py, op, start, a);
    rlxc_py *e = node(py, a->kind, start);
    if (!e)
        return NULL;
    *e = *a;
    e->range = rlxc_py_range_to_here(py, start);
    return negate(py, e) ? e : NULL;
}

/* Precedence of the binary operator at the current token; 0: none. */
static int strength(const rlxc_py_parser *py, uint32_t *out_op)
{
    const rlxc_token *t = &py->token;
    if (t->kind == RLXC_TOKEN_NAME) {
        *out_op = strcmp(t->text, "or") == 0    ? RLXC_PY_OR
                  : strcmp(t->text, "and") == 0 ? RLXC_PY_AND
                                                : 0;
        return *out_op == RLXC_PY_OR ? 1 : *out_op == RLXC_PY_AND ? 2 : 0;
    }
    if (t->kind != RLXC_TOKEN_OP)
        return 0;
    *out_op = t->op;
    switch (t->op) {
    case RLXC_OP2('=', '='):
    case RLXC_OP2('!', '='):
    case RLXC_OP1('<'):
    case RLXC_OP1('>'):
    case RLXC_OP2('<', '='):
    case RLXC_OP2('>', '='):
        return 4;
    case RLXC_OP1('|'):
        return 5;
    case RLXC_OP1('^'):
        return 6;
    case RLXC_OP1('&'):
        return 7;
    case RLXC_OP2('<', '<'):
    case RLXC_OP2('>', '>'):
        return 8;
    case RLXC_OP1('+'):
    case RLXC_OP1('-'):
        return 9;
    case RLXC_OP1('*'):
    case RLXC_OP1('/'):
    case RLXC_OP2('/', '/'):
    case RLXC_OP1('%'):
    case RLXC_OP1('@'):
        return 10;
    default:
        return 0;
    }
}

static const rlxc_py *parse_binary(rlxc_py_parser *py, int least)
{
    const rlxc_py *e;
    if (least <= 3 && rlxc_py_is_word(py, "not")) {
        rlxc_range start = py->token.range;
        rlxc_py_next(py);
        if (!deeper(py))
            return NULL;
        const rlxc_py *a = parse_binary(py, 3);
        py->depth--;
        e = unary(py, RLXC_PY_NOT, start, a);
    } else {
        e = parse_unary(py);
    }
    const rlxc_py *chain = NULL; /* right operand of the last comparison: a < b < c */
    uint32_t op = 0;
    int level;
    while (e && (level = strength(py, &op)) >= least && level > 0) {
        rlxc_py_next(py);
        const rlxc_py *right = parse_binary(py, level + 1);
        if (!right)
            return NULL;
        if (level == 4 && chain) {
            const rlxc_py *next = binary(py, op, chain, right);
            e = next ? binary(py, RLXC_PY_AND, e, next) : NULL;
        } else {
            e = binary(py, op, e, right);
        }
        chain = level == 4 ? right : NULL;
    }
    return e;
}

static const rlxc_py *parse_ternary(rlxc_py_parser *py)
{
    if (!deeper(py))
        return NULL;
    const rlxc_py *e = parse_binary(py, 1);
    if (e && rlxc_py_accept_word(py, "if")) {
        const rlxc_py *cond = parse_binary(py, 1), *otherwise = NULL;
        if (cond && !rlxc_py_accept_word(py, "else"))
            rlxc_py_unexpected(py, "'else'");
        else if (cond)
            otherwise = parse_ternary(py);
        rlxc_py *n = otherwise ? node(py, RLXC_PY_IF, rlxc_py_range_to_here(py, e->range)) : NULL;
        if (n) {
            n->a = cond;
            n->b = e;
            n->c = otherwise;
            n = below(py, below(py, below(py, n, cond), e), otherwise);
        }
        e = n;
    }
    py->depth--;
    return e;
}

const rlxc_py *rlxc_py_expr(rlxc_py_parser *py)
{
    return parse_ternary(py);
}

const rlxc_py *rlxc_py_expr_tuple(rlxc_py_parser *py)
{
    const rlxc_py *first = parse_ternary(py);
    if (!first || !rlxc_py_is(py, RLXC_OP1(',')))
        return first;
    list items = {0};
    if (!push(py, &items, first))
        return NULL;
    while (rlxc_py_accept(py, RLXC_OP1(','))) {
        if (rlxc_py_is(py, RLXC_OP1('=')) || rlxc_py_is(py, RLXC_OP1(';')) ||
            py->token.kind == RLXC_TOKEN_NEWLINE || py->token.kind == RLXC_TOKEN_END)
            break;
        const rlxc_py *item = parse_ternary(py);
        if (!item || !push(py, &items, item))
            return NULL;
    }
    return sequence(py, RLXC_PY_TUPLE, first->range, &items);
}
