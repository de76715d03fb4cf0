/* Reads the text of patterns (pattern.h). The recursion is as deep as a pattern nests. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/passes/pattern_nodes.h"

enum { MAX_LIST = 16, MAX_CONDITIONS = 12 };

typedef struct reader {
    rlxc_context *ctx;
    const char *at;
    rlxc_pattern_text *out;
    const char *wrong; /* the first error, */
    const char *where; /* and its place; wrong NULL: none */
    locale_t locale;   /* "C": decimal points do not depend on the host */
} reader;

static void fail(reader *r, const char *wrong)
{
    if (r->wrong)
        return;
    r->wrong = wrong;
    r->where = r->at;
}

static void skip_space(reader *r)
{
    while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t')
        r->at++;
}

/* Skips |c|, if it comes next. */
static bool take(reader *r, char c)
{
    skip_space(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool starts_number(const char *s)
{
    s += *s == '-';
    s += *s == '.';
    return is_digit(*s);
}

static size_t word_length(const char *s)
{
    return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
}

static double read_number(reader *r)
{
    char *end = NULL;
    double value = strtod_l(r->at, &end, r->locale);
    r->at = end;
    return value;
}

/* The number of a tuple's item. */
static int64_t read_index(reader *r)
{
    int64_t value = 0;
    for (; is_digit(*r->at) && value <= UINT32_MAX; r->at++)
        value = value * 10 + (*r->at - '0');
    if (value > UINT32_MAX || *r->at == '.')
        fail(r, "the number of an item is an integer below 2^32");
    return value;
}

/* A name of letters, digits, '_' and '.'; NULL after an error. */
static const char *read_word(reader *r, const char *wrong)
{
    size_t n = word_length(r->at);
    if (n == 0) {
        fail(r, wrong);
        return NULL;
    }
    const char *word = rlxc_intern(r->ctx, r->at, n);
    r->at += n;
    return word;
}

static uint32_t name_index(void *user, const char *name)
{
    reader *r = user;
    for (uint32_t i = 0; i < r->out->n_names; i++)
        if (strcmp(r->out->names[i], name) == 0)
            return i;
    if (r->out->n_names == RLXC_PATTERN_NAMES) {
        fail(r, "too many names");
        return 0;
    }
    r->out->names[r->out->n_names] = rlxc_intern_cstr(r->ctx, name);
    return r->out->n_names++;
}

/* --- conditions ------------------------------------------------------------------------------- */

static rlxc_attr read_scalar(reader *r)
{
    skip_space(r);
    if (starts_number(r->at)) {
        const char *begin = r->at;
        double value = read_number(r);
        bool is_float = memchr(begin, '.', (size_t)(r->at - begin)) ||
                        memchr(begin, 'e', (size_t)(r->at - begin)) || !(value > -9e15) ||
                        !(value < 9e15);
        return is_float ? rlxc_attr_float(value) : rlxc_attr_int((int64_t)value);
    }
    if (*r->at == '"') {
        const char *begin = ++r->at, *end = strchr(begin, '"');
        if (!end) {
            fail(r, "the text has no closing quote");
            return rlxc_attr_int(0);
        }
        r->at = end + 1;
        return rlxc_attr_string(r->ctx, rlxc_intern(r->ctx, begin, (size_t)(end - begin)));
    }
    const char *word = read_word(r, "expected a value");
    if (!word)
        return rlxc_attr_int(0);
    if (strcmp(word, "True") == 0 || strcmp(word, "False") == 0)
        return rlxc_attr_bool(word[0] == 'T');
    if (strcmp(word, "None") == 0)
        return (rlxc_attr){.kind = RLXC_ATTR_NONE};
    return rlxc_attr_string(r->ctx, word);
}

/* A number, a word, a text, or a list of these. */
static rlxc_attr read_value(reader *r)
{
    skip_space(r);
    if (*r->at != '[' && *r->at != '(')
        return read_scalar(r);
    char close = *r->at++ == '[' ? ']' : ')';
    rlxc_attr *items = rlxc_alloc(r->ctx, MAX_LIST * sizeof *items);
    uint32_t n = 0;
    while (!take(r, close) && !r->wrong) {
        if (n == MAX_LIST)
            fail(r, "too many items");
        else
            items[n++] = read_scalar(r);
        skip_space(r);
        if (*r->at != close && !take(r, ','))
            fail(r, "expected ',' in a list");
    }
    return (rlxc_attr){.kind = RLXC_ATTR_LIST, .list = {.items = items, .count = n}};
}

/* {dtype=float32, .axis=-1} */
static void read_conditions(reader *r, rlxc_pattern_node *node)
{
    rlxc_condition *all = rlxc_alloc(r->ctx, MAX_CONDITIONS * sizeof *all);
    node->conditions = all;
    while (!take(r, '}') && !r->wrong) {
        if (node->n_conditions == MAX_CONDITIONS) {
            fail(r, "too many conditions");
            return;
        }
        rlxc_condition *c = &all[node->n_conditions++];
        skip_space(r);
        const char *key = read_word(r, "expected a condition"), *begin = r->at;
        c->value = take(r, '=') ? read_value(r) : (rlxc_attr){.kind = RLXC_ATTR_NONE};
        const char *wrong = r->wrong ? NULL : rlxc_condition_resolve(r->ctx, key, c, name_index, r);
        if (wrong) {
            r->at = begin;
            fail(r, wrong);
        }
        skip_space(r);
        if (*r->at != '}' && !take(r, ','))
            fail(r, "expected ',' or '}' after a condition");
    }
}

/* --- nodes ------------------------------------------------------------------------------------ */

static const rlxc_pattern_node *read_node(reader *r, uint32_t depth);

/* Operands, or alternatives with |separator| between them. */
static void read_children(reader *r, rlxc_pattern_node *node, char end, char separator,
                          uint32_t depth)
{
    while (!r->wrong && !take(r, end)) {
        if (!*r->at)
            fail(r, end == ')' ? "expected ')'" : "expected ']'");
        else if (node->n == RLXC_PATTERN_CHILDREN)
            fail(r, "too many operands");
        else if (separator && node->n > 0 && !take(r, separator))
            fail(r, "alternatives are separated by '|', and all of several by '&'");
        else
            node->children[node->n++] = read_node(r, depth + 1);
    }
}

static void read_alternatives(reader *r, rlxc_pattern_node *node, uint32_t depth)
{
    node->children[node->n++] = read_node(r, depth + 1);
    skip_space(r);
    node->kind = *r->at == '&' ? RLXC_NODE_BOTH : RLXC_NODE_EITHER;
    read_children(r, node, ']', *r->at == '&' ? '&' : '|', depth);
}

static void read_call(reader *r, rlxc_pattern_node *node, uint32_t depth)
{
    static const struct {
        const char *name;
        rlxc_node_kind kind;
        uint32_t most; /* operands */
    } forms[] = {
        {"call", RLXC_NODE_CALLEE, RLXC_PATTERN_CHILDREN},
        {"tuple", RLXC_NODE_TUPLE, RLXC_PATTERN_CHILDREN},
        {"item", RLXC_NODE_ITEM, 1},
        {"square", RLXC_NODE_CALL, 1},
        {"sqrt", RLXC_NODE_CALL, 1},
        {"rsqrt", RLXC_NODE_CALL, 1},
        {"cast", RLXC_NODE_CALL, 1},
        {"over", RLXC_NODE_CALL, 2},
        {"rooted", RLXC_NODE_CALL, 2},
        {"times", RLXC_NODE_CALL, 2},
    };
    uint32_t most = RLXC_PATTERN_CHILDREN;
    const char *name = read_word(r, "expected an operator");
    node->kind = RLXC_NODE_CALL;
    node->index = -1;
    for (size_t i = 0; name && i < sizeof forms / sizeof *forms; i++)
        if (strcmp(name, forms[i].name) == 0) {
            node->kind = forms[i].kind;
            most = forms[i].most;
        }
    skip_space(r);
    if (node->kind == RLXC_NODE_CALLEE)
        name = read_word(r, "expected a function's name, or _");
    if (node->kind == RLXC_NODE_ITEM && is_digit(*r->at))
        node->index = read_index(r);
    node->op = name && strcmp(name, "_") == 0 ? NULL : name;
    read_children(r, node, ')', '\0', depth);
    if (node->kind == RLXC_NODE_ITEM && node->n != 1)
        fail(r, "item has one tuple");
    if (node->n > most)
        fail(r, "too many operands");
}

/* A capture and its '='; true if the node is complete with it. */
static bool read_capture(reader *r, rlxc_pattern_node *node)
{
    bool again = *r->at == '=';
    r->at += again;
    if (word_length(r->at) == 0) {
        if (again)
            fail(r, "expected a name after '='");
        return again;
    }
    const char *name = read_word(r, "expected a name");
    if (strcmp(name, "_") != 0)
        node->name = name_index(r, name);
    if (*r->at == '#') {
        r->at++;
        node->kind = RLXC_NODE_NUMBER;
    }
    if (again || *r->at != '=')
        return true;
    r->at++;
    return false;
}

static void read_body(reader *r, rlxc_pattern_node *node, uint32_t depth)
{
    if (starts_number(r->at)) {
        node->kind = RLXC_NODE_NUMBER;
        node->value = read_number(r);
        return;
    }
    if (read_capture(r, node))
        return;
    if (take(r, '('))
        read_call(r, node, depth);
    else if (take(r, '['))
        read_alternatives(r, node, depth);
    else if (*r->at == '!') {
        r->at++;
        node->kind = RLXC_NODE_NOT;
        node->children[node->n++] = read_node(r, depth + 1);
    } else {
        fail(r, "expected a pattern");
    }
}

static const rlxc_pattern_node *read_node(reader *r, uint32_t depth)
{
    rlxc_pattern_node *node = rlxc_alloc(r->ctx, sizeof *node);
    node->name = RLXC_PATTERN_NO_NAME;
    if (depth > RLXC_PATTERN_NODES)
        fail(r, "too deep");
    skip_space(r);
    if (!r->wrong)
        read_body(r, node, depth);
    if (!r->wrong && *r->at == '{') {
        r->at++;
        read_conditions(r, node);
    }
    return node;
}

/* The first pattern at the root, each further one somewhere. */
static const rlxc_pattern_node *read_all(reader *r)
{
    const rlxc_pattern_node *first = read_node(r, 0);
    rlxc_pattern_node *all = rlxc_alloc(r->ctx, sizeof *all);
    *all = (rlxc_pattern_node){
        .kind = RLXC_NODE_BOTH, .name = RLXC_PATTERN_NO_NAME, .children = {first}, .n = 1};
    while (!r->wrong && take(r, ';')) {
        rlxc_pattern_node *other = rlxc_alloc(r->ctx, sizeof *other);
        *other = (rlxc_pattern_node){.kind = RLXC_NODE_SOMEWHERE, .name = RLXC_PATTERN_NO_NAME};
        other->children[other->n++] = read_node(r, 1);
        if (all->n == RLXC_PATTERN_CHILDREN)
            fail(r, "too many patterns");
        else
            all->children[all->n++] = other;
    }
    r->out->n_roots = all->n;
    return all->n == 1 ? first : all;
}

rlxc_pattern_text rlxc_pattern_parse(rlxc_context *ctx, const char *text)
{
    rlxc_pattern_text out = {0};
    reader r = {.ctx = ctx, .at = text, .out = &out};
    r.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!r.locale) {
        rlxc_set_out_of_memory(ctx);
        return out;
    }
    out.root = read_all(&r);
    skip_space(&r);
    if (*r.at && strncmp(r.at, "->", 2) != 0)
        fail(&r, "expected the end of the pattern");
    out.end = r.at;
    freelocale(r.locale);
    if (r.wrong) {
        rlxc_error(ctx, (rlxc_range){0}, "pattern, at '%.20s': %s; the pattern is '%.200s'",
                   r.where, r.wrong, text);
        out.root = NULL;
    }
    return out;
}
