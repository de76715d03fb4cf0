/* Finds the symbols of a Relax function that may be negative, by a scan of its text before it is
 * parsed, since a symbol is made at its first occurrence.
 *
 * A tensor's size is never negative. A symbol that a shape value or a prim value binds is a plain
 * integer. The binding sites are the parameters, where a tensor's size wins wherever it occurs, and
 * each match_cast in the order of the text. Sites that are not found (names hidden in comments,
 * unusual layouts) only cost precision of simplification: every tensor's sizes are checked at run
 * time. */
#include <string.h>

#include "compiler/script/parse.h"

typedef struct span {
    const char *begin, *end;
} span;

typedef enum sign { SIGN_SIZE = 1, SIGN_ANY = 2 } sign;

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The text between the bracket at |open| and its closing bracket. */
static span inside(const char *open, const char *end)
{
    uint32_t depth = 0;
    const char *at = open;
    for (; at < end; at++) {
        if (*at == '(' || *at == '[')
            depth++;
        else if ((*at == ')' || *at == ']') && --depth == 0)
            break;
    }
    return (span){open < end ? open + 1 : end, at};
}

/* The end of the function whose `def` is in the line at |text|: the next line that is not indented
 * deeper and begins another definition. */
static const char *function_end(const char *text, const char *end)
{
    size_t indent = 0;
    while (text + indent < end && text[indent] == ' ')
        indent++;
    for (const char *line = text; (line = memchr(line, '\n', (size_t)(end - line)));) {
        const char *first = ++line;
        while (first < end && *first == ' ')
            first++;
        if ((size_t)(first - line) > indent || first == end)
            continue;
        if (*first == '@' || (end - first > 4 && memcmp(first, "def ", 4) == 0))
            return line;
    }
    return end;
}

/* Records |word| and its kind unless an earlier site did. */
static void note(rlxc_parser *p, const char *word, size_t length, sign what)
{
    uint64_t key = rlxc_key(rlxc_intern(p->ctx, word, length));
    if (!rlxc_map_get(&p->signs, key))
        rlxc_map_set(p->ctx, &p->signs, key, (void *)(uintptr_t)what);
}

/* Records the items of |list| that are lone names, quoted or not. */
static void note_items(rlxc_parser *p, span list, sign what)
{
    uint32_t depth = 0;
    const char *item = list.begin;
    for (const char *at = list.begin; at <= list.end; at++) {
        if (at < list.end && (*at == '(' || *at == '['))
            depth++;
        else if (at < list.end && (*at == ')' || *at == ']'))
            depth--;
        if (depth > 0 || (at < list.end && *at != ','))
            continue;
        while (item < at && (*item == ' ' || *item == '"' || *item == '\''))
            item++;
        const char *stop = item;
        while (stop < at && is_word(*stop))
            stop++;
        size_t length = (size_t)(stop - item);
        while (stop < at && (*stop == ' ' || *stop == '"' || *stop == '\''))
            stop++;
        if (stop == at && length > 0)
            note(p, item, length, what);
        item = at + 1;
    }
}

/* Records the lists that follow |head|, whose last character opens the list. */
static void note_lists(rlxc_parser *p, span site, const char *head, sign what)
{
    size_t n = strlen(head);
    for (const char *at = site.begin;
         (at = memmem(at, (size_t)(site.end - at), head, n)) != NULL;) {
        span list = inside(at + n - 1, site.end);
        note_items(p, list, what);
        at = list.end;
    }
}

/* n: T.int64 */
static void note_scalars(rlxc_parser *p, span site)
{
    static const char type[] = ": T.int64";
    for (const char *at = site.begin;
         (at = memmem(at, (size_t)(site.end - at), type, sizeof type - 1)) != NULL;
         at += sizeof type - 1) {
        const char *word = at;
        while (word > site.begin && is_word(word[-1]))
            word--;
        if (word < at)
            note(p, word, (size_t)(at - word), SIGN_ANY);
    }
}

static void note_site(rlxc_parser *p, span site)
{
    note_lists(p, site, "Tensor((", SIGN_SIZE);
    note_lists(p, site, "Shape([", SIGN_ANY);
    note_scalars(p, site);
    for (const char *at = site.begin;
         (at = memmem(at, (size_t)(site.end - at), "value=", 6)) != NULL;) {
        at += 6;
        const char *stop = at;
        while (stop < site.end && *stop != ',' && *stop != ')')
            stop++;
        note_items(p, (span){at, stop}, SIGN_ANY);
    }
}

void rlxc_parse_find_signs(rlxc_parser *p)
{
    const char *text = p->py.lexer.line_start;
    const char *end = function_end(text, p->py.lexer.end);
    const char *def = memmem(text, (size_t)(end - text), "def ", 4);
    const char *open = def ? memchr(def, '(', (size_t)(end - def)) : NULL;
    p->signs = (rlxc_map){0};
    if (!open)
        return;
    span params = inside(open, end);
    note_site(p, params);
    for (const char *at = params.end; (at = memmem(at, (size_t)(end - at), "match_", 6)) != NULL;) {
        at += 6;
        bool cast = end - at > 5 && memcmp(at, "cast(", 5) == 0;
        if (!cast && !(end - at > 6 && memcmp(at, "shape(", 6) == 0))
            continue;
        span site = inside(at + (cast ? 4 : 5), end);
        if (cast)
            note_site(p, site);
        else
            note_lists(p, site, "(", SIGN_SIZE);
        at = site.end;
    }
}

bool rlxc_parse_may_be_negative(const rlxc_parser *p, const char *symbol)
{
    return (uintptr_t)rlxc_map_get(&p->signs, rlxc_key(symbol)) == SIGN_ANY;
}
