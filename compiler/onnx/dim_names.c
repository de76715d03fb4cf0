/* Names of dimensions that are arithmetic expressions, as exporters and tools for shapes write
 * them: "past + 1", "2*n", "s0//2", "floor(n/2)", "Max(1, n)".
 *
 * They stay names: a model is run at any sizes that its operators permit, whatever its names claim.
 * But names of one value are one name, in whichever order and with whichever spaces it is written.
 * What cannot be read so is a name like any other. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/onnx/graph.h"

enum { MOST_NESTED = 16, MOST_TEXT = 200, MOST_DIGITS = 9 };

typedef struct reader {
    rlxc_ox *im;
    const char *at;
    uint32_t depth;
    bool failed;
} reader;

static const rlxc_expr *read_sum(reader *r);

static const rlxc_expr *refuse(reader *r)
{
    r->failed = true;
    return rlxc_ox_i(r->im, 1);
}

static bool take(reader *r, const char *text)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
    const size_t n = strlen(text);
    if (strncmp(r->at, text, n) != 0)
        return false;
    r->at += n;
    return true;
}

static const rlxc_expr *divided(reader *r, rlxc_expr_kind kind, const rlxc_expr *a,
                                const rlxc_expr *b)
{
    return rlxc_is_const(b, 0) ? refuse(r) : rlxc_ox_bin(r->im, kind, a, b);
}

/* What stands for the name in comparisons alone: keys of dim_params have no spaces else. */
static const rlxc_expr *variable(reader *r, const char *name, size_t length)
{
    rlxc_ox *im = r->im;
    const char *key = rlxc_internf(im->ctx, " %.*s", (int)length, name);
    const rlxc_expr *var = rlxc_map_get(&im->dim_params, rlxc_key(key));
    if (!var) {
        var = rlxc_fresh_shape_var(im->ctx, "dim");
        rlxc_map_set(im->ctx, &im->dim_params, rlxc_key(key), (void *)(uintptr_t)var);
    }
    return var;
}

/* The rest of a call, behind its parenthesis. */
static const rlxc_expr *read_call(reader *r, const char *name, size_t length)
{
    static const struct {
        const char *name;
        rlxc_expr_kind kind;
    } of_several[] = {{"Min", RLXC_EXPR_MIN},
                      {"Max", RLXC_EXPR_MAX},
                      {"min", RLXC_EXPR_MIN},
                      {"max", RLXC_EXPR_MAX},
                      {"Mod", RLXC_EXPR_FLOORMOD}};
    const rlxc_expr *value = read_sum(r);
    if (length == 5 && strncmp(name, "floor", 5) == 0)
        return take(r, ")") ? value : refuse(r);
    if (length == 7 && strncmp(name, "ceiling", 7) == 0) {
        if (value->kind != RLXC_EXPR_FLOORDIV || !take(r, ")"))
            return refuse(r);
        const rlxc_expr *less = rlxc_sub(r->im->ctx, value->bin.b, rlxc_ox_i(r->im, 1));
        return divided(r, RLXC_EXPR_FLOORDIV, rlxc_add(r->im->ctx, value->bin.a, less),
                       value->bin.b);
    }
    for (size_t i = 0; i < sizeof of_several / sizeof *of_several; i++) {
        if (strlen(of_several[i].name) != length || strncmp(of_several[i].name, name, length) != 0)
            continue;
        while (!r->failed && take(r, ","))
            value = divided(r, of_several[i].kind, value, read_sum(r));
        return take(r, ")") ? value : refuse(r);
    }
    return refuse(r);
}

static const rlxc_expr *read_operand(reader *r)
{
    if (take(r, "-"))
        return rlxc_sub(r->im->ctx, rlxc_ox_i(r->im, 0), read_operand(r));
    if (take(r, "(")) {
        const rlxc_expr *value = read_sum(r);
        return take(r, ")") ? value : refuse(r);
    }
    const char *from = r->at;
    if (isdigit((unsigned char)*from)) {
        while (isdigit((unsigned char)*r->at))
            r->at++;
        if (r->at - from > MOST_DIGITS)
            return refuse(r);
        return rlxc_ox_i(r->im, strtoll(from, NULL, 10));
    }
    while (isalnum((unsigned char)*r->at) || *r->at == '_' || (*r->at == '.' && r->at > from))
        r->at++;
    const size_t length = (size_t)(r->at - from);
    if (length == 0)
        return refuse(r);
    return take(r, "(") ? read_call(r, from, length) : variable(r, from, length);
}

static const rlxc_expr *read_product(reader *r)
{
    const rlxc_expr *value = read_operand(r);
    while (!r->failed) {
        if (take(r, "**"))
            return refuse(r);
        if (take(r, "*"))
            value = rlxc_mul(r->im->ctx, value, read_operand(r));
        else if (take(r, "//") || take(r, "/"))
            value = divided(r, RLXC_EXPR_FLOORDIV, value, read_operand(r));
        else if (take(r, "%"))
            value = divided(r, RLXC_EXPR_FLOORMOD, value, read_operand(r));
        else
            break;
    }
    return value;
}

static const rlxc_expr *read_sum(reader *r)
{
    if (++r->depth > MOST_NESTED)
        return refuse(r);
    const rlxc_expr *value = read_product(r);
    while (!r->failed) {
        if (take(r, "+"))
            value = rlxc_add(r->im->ctx, value, read_product(r));
        else if (take(r, "-"))
            value = rlxc_sub(r->im->ctx, value, read_product(r));
        else
            break;
    }
    r->depth--;
    return value;
}

const rlxc_expr *rlxc_ox_dim_form(rlxc_ox *im, const char *name)
{
    reader r = {.im = im, .at = name};
    if (strlen(name) > MOST_TEXT)
        return NULL;
    const rlxc_expr *value = read_sum(&r);
    (void)take(&r, "");
    return r.failed || *r.at ? NULL : rlxc_canonical(im->ctx, value, NULL);
}
