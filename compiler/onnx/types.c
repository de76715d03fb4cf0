/* Element types of a node's inputs against those that its operator takes (types_*.def), at the
 * operator set that the model, or the current function, imports, or at a later one: PyTorch writes
 * bfloat16 convolutions into set 20, for example, which the standard has from set 22 on.
 *
 * An operator that accepts every type of its operator set only moves elements: it accepts later
 * types too. */
#include <string.h>

#include "compiler/onnx/schema.h"

typedef struct row {
    const char *name;
    int64_t since;
    const char *types;
} row;

#define RLXC_OX_TYPES(name, since, types) {#name, since, types},
static const row standard[] = {
#include "compiler/onnx/types_standard.def"
};
static const row microsoft[] = {
#include "compiler/onnx/types_microsoft.def"
};
#undef RLXC_OX_TYPES

static const struct {
    char letter;
    rlx_dtype dtype;
} letters[] = {{'?', {RLX_BOOL, 8, 1}},
               {'t', {RLX_INT, 2, 1}},
               {'T', {RLX_UINT, 2, 1}},
               {'n', {RLX_INT, 4, 1}},
               {'N', {RLX_UINT, 4, 1}},
               {'b', {RLX_INT, 8, 1}},
               {'B', {RLX_UINT, 8, 1}},
               {'h', {RLX_INT, 16, 1}},
               {'H', {RLX_UINT, 16, 1}},
               {'i', {RLX_INT, 32, 1}},
               {'I', {RLX_UINT, 32, 1}},
               {'q', {RLX_INT, 64, 1}},
               {'Q', {RLX_UINT, 64, 1}},
               {'8', {RLX_FLOAT8_E4M3FN, 8, 1}},
               {'8', {RLX_FLOAT8_E4M3FNUZ, 8, 1}},
               {'8', {RLX_FLOAT8_E5M2, 8, 1}},
               {'8', {RLX_FLOAT8_E5M2FNUZ, 8, 1}},
               {'e', {RLX_FLOAT, 16, 1}},
               {'E', {RLX_BFLOAT, 16, 1}},
               {'f', {RLX_FLOAT, 32, 1}},
               {'d', {RLX_FLOAT, 64, 1}}};

enum { N_LETTERS = sizeof letters / sizeof *letters };

/* The newest row of the operator that |version| knows, or |n|. The rows of an operator are next to
 * each other, the oldest first. */
static size_t find(const row *rows, size_t n, const char *name, int64_t version)
{
    size_t found = n;
    for (size_t i = 0; i < n; i++)
        if (rows[i].since <= version && strcmp(rows[i].name, name) == 0)
            found = i;
    return found;
}

/* The letters of input |input|, and their number; NULL: any type. The last input's are those of all
 * after it. */
static const char *letters_of(const row *r, size_t input, size_t *out_n)
{
    const char *types = r->types;
    for (const char *space; input > 0 && (space = strchr(types, ' ')); input--)
        types = space + 1;
    *out_n = strcspn(types, " ");
    return *types != '-' ? types : NULL;
}

/* Void if unknown, or if |v| is not a tensor. */
static rlx_dtype type_of(rlxc_ox *im, const rlxc_ox_value *v)
{
    if (v && v->kind == RLXC_OX_TENSOR)
        return v->atom.kind == RLXC_ATOM_NONE ? v->dtype : rlxc_ox_type(im, v->atom);
    return (rlx_dtype){RLX_HANDLE, 0, 0};
}

static bool takes(const char *types, size_t n, rlx_dtype t)
{
    static const char all[] = "?bBhHiIqQefd";
    size_t missing = 0;
    for (size_t i = 0; all[i]; i++)
        missing += !memchr(types, all[i], n);
    if (missing == 0)
        return true;
    for (size_t i = 0; i < N_LETTERS; i++)
        if (rlx_dtype_eq(letters[i].dtype, t))
            return memchr(types, letters[i].letter, n) != NULL;
    return true;
}

static const char *listed(rlxc_ox *im, const char *types, size_t n)
{
    rlxc_text text = {.ctx = im->ctx};
    for (size_t i = 0; i < N_LETTERS; i++)
        if (memchr(types, letters[i].letter, n)) {
            rlxc_text_puts(&text, text.length ? ", " : "");
            rlxc_text_puts(&text, rlxc_dtype_name(im->ctx, letters[i].dtype));
        }
    return rlxc_intern(im->ctx, text.data, text.length);
}

/* Whether row |at|, or one after it of the same operator, takes |t| as input |input|. */
static bool any_takes(const row *rows, size_t n, size_t at, size_t input, rlx_dtype t)
{
    for (size_t i = at; i < n && strcmp(rows[i].name, rows[at].name) == 0; i++) {
        size_t n_letters;
        const char *types = letters_of(&rows[i], input, &n_letters);
        if (!types || takes(types, n_letters, t))
            return true;
    }
    return false;
}

bool rlxc_ox_check_types(rlxc_ox *im)
{
    const Onnx__NodeProto *node = im->node;
    const char *domain = node->domain ? node->domain : "";
    const bool is_standard = rlxc_ox_is_standard(domain);
    const row *rows = is_standard ? standard : microsoft;
    const size_t n =
        is_standard ? sizeof standard / sizeof *standard : sizeof microsoft / sizeof *microsoft;
    if (!is_standard && strcmp(domain, "com.microsoft") != 0)
        return rlxc_ox_good(im);
    const size_t at = find(rows, n, node->op_type, is_standard ? im->opset : 1);
    for (size_t i = 0; at < n && i < node->n_input; i++) {
        size_t n_letters;
        const char *types = letters_of(&rows[at], i, &n_letters);
        if (!types || !node->input[i] || !*node->input[i])
            continue;
        const rlx_dtype t = type_of(im, rlxc_ox_lookup(im, node->input[i]));
        if (!any_takes(rows, n, at, i, t))
            rlxc_ox_fail(im, "input %zu ('%.100s') is of %s; the operator takes %s", i,
                         node->input[i], rlxc_dtype_name(im->ctx, t), listed(im, types, n_letters));
    }
    return rlxc_ox_good(im);
}
