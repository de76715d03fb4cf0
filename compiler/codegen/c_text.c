/* Spelling that is specific to C99: numbers, conversions, names; and the helper functions that C
 * programs include (c_helpers.def). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compiler/codegen/opencl.h"

enum { MOST_NAME = 48 };

/* --- numbers ---------------------------------------------------------------------------------- */

const char *rlxc_c_int(rlxc_cl *g, rlx_dtype t, int64_t value)
{
    if (t.code == RLX_UINT)
        return t.bits == 64 ? rlxc_internf(g->ctx, "UINT64_C(%" PRIu64 ")", (uint64_t)value)
                            : rlxc_internf(g->ctx, "%" PRIu64 "%s",
                                           (uint64_t)value & (UINT64_MAX >> (64 - t.bits)),
                                           t.bits == 32 ? "u" : "");
    if (value == INT64_MIN)
        return "INT64_MIN";
    if (value == INT32_MIN)
        return "INT32_MIN";
    const bool is_long = value > INT32_MAX || value < INT32_MIN;
    const char *text = rlxc_internf(g->ctx, is_long ? "INT64_C(%" PRId64 ")" : "%" PRId64, value);
    return value < 0 ? rlxc_internf(g->ctx, "(%s)", text) : text;
}

/* |text| may have another decimal point, by the host's locale. */
static bool reads_back(const char *text, bool wide, double value)
{
    double again = 0;
    float narrow = 0;
    return wide ? sscanf(text, "%lf", &again) == 1 && again == value
                : sscanf(text, "%f", &narrow) == 1 && narrow == (float)value;
}

const char *rlxc_c_float(rlxc_cl *g, bool wide, double value)
{
    char text[40];
    if (isnan(value))
        return wide ? "(double)NAN" : "NAN";
    if (isinf(value))
        return rlxc_internf(g->ctx, "%s%sINFINITY%s", value < 0 ? "(-" : "", wide ? "(double)" : "",
                            value < 0 ? ")" : "");
    const int most = wide ? 17 : 9;
    for (int digits = 1; digits <= most; digits++) {
        snprintf(text, sizeof text - 2, "%.*g", digits, value);
        if (reads_back(text, wide, value))
            break;
    }
    bool is_int = true;
    for (char *c = text; *c; c++) {
        if (strchr("+-0123456789e", *c) == NULL)
            *c = '.';
        is_int = is_int && *c != '.' && *c != 'e';
    }
    if (is_int)
        strcat(text, ".0");
    return rlxc_internf(g->ctx, signbit(value) ? "(%s%s)" : "%s%s", text, wide ? "" : "f");
}

/* --- conversions ------------------------------------------------------------------------------ */

const char *rlxc_c_saturate(rlxc_cl *g, rlx_dtype to, const char *value)
{
    return rlxc_internf(g->ctx, "rlx_to_%s%u(%s)", to.code == RLX_INT ? "int" : "uint",
                        (unsigned)to.bits, value);
}

const char *rlxc_c_reinterpret(rlxc_cl *g, const char *value, rlx_dtype from, rlx_dtype to)
{
    const bool from_float = rlxc_dtype_is_float(from) && from.bits >= 32;
    const bool to_float = rlxc_dtype_is_float(to) && to.bits >= 32;
    const char *wide = to.bits == 64 ? "double" : "float";
    if (from_float && to_float)
        return value;
    if (from_float)
        value = rlxc_internf(g->ctx, "rlx_bits_of_%s(%s)", wide, value);
    if (to_float)
        return rlxc_internf(g->ctx, "rlx_%s_of_bits((uint%u_t)%s)", wide, (unsigned)to.bits, value);
    return rlxc_internf(g->ctx, "(%s)%s", rlxc_cl_memory_type(g, to), value);
}

/* The end of what begins with a parenthesis at |text|; NULL: it has none. */
static const char *closing(const char *text)
{
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        if (depth == 0)
            return text;
    }
    return NULL;
}

const char *rlxc_c_bare(rlxc_cl *g, const char *text)
{
    const size_t length = strlen(text);
    if (!g->is_c || text[0] != '(' || closing(text) != text + length - 1)
        return text;
    return rlxc_intern(g->ctx, text + 1, length - 2);
}

/* --- names ------------------------------------------------------------------------------------ */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Keywords of C and C++, and names of headers that the text uses itself. */
static bool is_reserved(const rlxc_cl *g, const char *name)
{
    static const char words[] =
        " and and_eq asm auto bitand bitor bool break case catch char class compl const const_cast "
        "continue default delete do double dynamic_cast else enum explicit export extern false "
        "float for friend goto if inline int long mutable namespace new not not_eq operator or "
        "or_eq private protected public register reinterpret_cast restrict return short signed "
        "sizeof static static_cast struct switch template this throw true try typedef typeid "
        "typename union unsigned using virtual void volatile wchar_t while xor xor_eq "
        "memcpy memset arena weights arena_start arena_bytes scratch status at need used offsets "
        "bytes "
        "main "
        "errno NAN INFINITY "
        "j0 j1 jn y0 y1 yn gamma signgam index time ";
    const size_t length = strlen(name), prefix = strlen(g->prefix);
    for (const char *at = words; (at = strstr(at, name)) != NULL; at++)
        if (at > words && at[-1] == ' ' && at[length] == ' ')
            return true;
    return strncmp(name, "rlx_", 4) == 0 || strncmp(name, "RLX_", 4) == 0 ||
           (strncmp(name, g->prefix, prefix) == 0 && name[prefix] == '_') ||
           rlxc_find_intrinsic(name, length) != NULL ||
           (length > 1 && name[length - 1] == 'f' && rlxc_find_intrinsic(name, length - 1)) ||
           (length > 2 && strcmp(name + length - 2, "_t") == 0);
}

static const char *unique(rlxc_cl *g, rlxc_map *taken, const char *base)
{
    const char *name = base;
    for (uint32_t i = 1; rlxc_map_get(taken, rlxc_key(name)) != NULL && !rlxc_failed(g->ctx); i++)
        name = rlxc_internf(g->ctx, "%s_%u", base, i);
    rlxc_map_set(g->ctx, taken, rlxc_key(name), g);
    return name;
}

const char *rlxc_c_name(rlxc_cl *g, const char *hint)
{
    const char *base = rlxc_internf(g->ctx, "%.*s", MOST_NAME, hint);
    if (is_reserved(g, base))
        base = rlxc_internf(g->ctx, "%s_", base);
    return unique(g, &g->names, base);
}

const char *rlxc_c_global_name(rlxc_cl *g, const char *hint)
{
    char name[MOST_NAME + 1];
    size_t n = 0;
    for (; hint[n] && n < MOST_NAME; n++)
        name[n] = (char)(is_word(hint[n]) ? hint[n] : '_');
    name[n] = '\0';
    return unique(g, &g->globals, rlxc_internf(g->ctx, "%s_%s", g->prefix, name));
}

void rlxc_c_forget_names(rlxc_cl *g)
{
    g->names = (rlxc_map){0};
    memset(&g->locals, 0, sizeof g->locals);
}

/* --- functions of the program ----------------------------------------------------------------- */

bool rlxc_c_uses(const rlxc_text *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text->data; at && (at = strstr(at, name)) != NULL; at += length)
        if ((at == text->data || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    return false;
}

void rlxc_c_local(rlxc_cl *g, const char *name)
{
    if (g->is_c)
        RLXC_PUSH(g->ctx, &g->locals, name);
}

/* A variable of a function: the offset of the line that declares it. */
typedef struct local {
    const char *name;
    size_t declared;
    bool is_found, is_read;
} local;

/* The length of the word at |at|; 0 if none begins there. */
static size_t word_length(const char *text, size_t at, size_t end)
{
    size_t length = 0;
    while (at + length < end && is_word(text[at + length]))
        length++;
    return length;
}

void rlxc_c_note_words(const rlxc_text *text, rlxc_map *words)
{
    for (size_t at = 0, length; at < text->length; at += length ? length : 1) {
        length = word_length(text->data, at, text->length);
        const char *word = length ? rlxc_intern(text->ctx, text->data + at, length) : NULL;
        if (word)
            rlxc_map_set(text->ctx, words, rlxc_key(word), (void *)(uintptr_t)word);
    }
}

/* Finds the variables in the line [start, end): the first use of a name declares it; those behind
 * the line's first word, which may be what it assigns, are read. */
static void find_locals(rlxc_context *ctx, const char *text, size_t start, size_t end,
                        rlxc_map *locals)
{
    bool is_first = true;
    for (size_t at = start, length; at < end; at += length ? length : 1) {
        length = word_length(text, at, end);
        if (length == 0)
            continue;
        local *l = rlxc_map_get(locals, rlxc_key(rlxc_intern(ctx, text + at, length)));
        if (l && !l->is_found)
            l->declared = start;
        else if (l && !is_first)
            l->is_read = true;
        if (l)
            l->is_found = true;
        is_first = false;
    }
}

static size_t line_end(const rlxc_text *text, size_t at)
{
    const char *end = memchr(text->data + at, '\n', text->length - at);
    return end ? (size_t)(end - text->data) + 1 : text->length;
}

void rlxc_c_mark_unread(rlxc_cl *g, rlxc_text *io_text)
{
    rlxc_context *ctx = g->ctx;
    rlxc_map locals = {0}, unread = {0}; /* name -> local; offset of its line + 1 -> local */
    RLXC_VEC(local *) all = {0};
    for (uint32_t i = 0; i < g->locals.count; i++) {
        local *l = rlxc_alloc(ctx, sizeof *l);
        l->name = g->locals.items[i];
        rlxc_map_set(ctx, &locals, rlxc_key(l->name), l);
        RLXC_PUSH(ctx, &all, l);
    }
    for (size_t at = 0, end; at < io_text->length; at = end)
        find_locals(ctx, io_text->data, at, end = line_end(io_text, at), &locals);
    for (uint32_t i = 0; i < all.count; i++)
        if (all.items[i]->is_found && !all.items[i]->is_read)
            rlxc_map_set(ctx, &unread, all.items[i]->declared + 1, all.items[i]);
    rlxc_text marked = {.ctx = ctx};
    for (size_t at = 0, end; at < io_text->length; at = end) {
        const local *l = rlxc_map_get(&unread, at + 1);
        end = line_end(io_text, at);
        rlxc_text_add(&marked, io_text->data + at, end - at);
        if (l)
            rlxc_text_printf(&marked, "%*s(void)%s;\n", (int)strspn(io_text->data + at, " "), "",
                             l->name);
    }
    if (io_text->length)
        *io_text = marked;
}

void rlxc_c_helpers(rlxc_text *out, const rlxc_text *const *texts, uint32_t n)
{
    static const struct {
        const char *name, *text;
    } rows[] = {
#define RLXC_C_HELPER(name, text) {name, text},
#include "compiler/codegen/c_helpers.def"
#undef RLXC_C_HELPER
    };
    enum { N_ROWS = sizeof rows / sizeof *rows };
    bool used[N_ROWS] = {false};
    for (uint32_t i = N_ROWS; i-- > 0;) { /* a row needs rows above it only */
        for (uint32_t k = 0; k < n && !used[i]; k++)
            used[i] = rlxc_c_uses(texts[k], rows[i].name);
        for (uint32_t k = i + 1; k < N_ROWS && !used[i]; k++) {
            const rlxc_text row = {.data = (char *)(uintptr_t)rows[k].text};
            used[i] = used[k] && rlxc_c_uses(&row, rows[i].name);
        }
    }
    for (uint32_t i = 0; i < N_ROWS; i++)
        if (used[i])
            rlxc_text_printf(out, "\n%s", rows[i].text);
}
