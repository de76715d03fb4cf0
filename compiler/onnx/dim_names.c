/* Names of dimensions that are arithmetic expressions, as exporters and tools for shapes write
 * them: "past + 1", "2*n", "s0//2", "floor(n/2)", "Max(1, n)".
 *
 * They stay names: a model runs at any sizes that its operators permit, whatever its names claim.
 * But names of equal value are one name, independent of operand order and spaces. A name that does
 * not parse is an ordinary name. */
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

/* num / den: quotients are exact until floor or ceiling rounds them, as in "floor(n/2 - 1/2) + 1".
 */
typedef struct ratio {
    const rlxc_expr *num, *den;
} ratio;

static ratio read_sum(reader *r);

static const rlxc_expr *number(reader *r, int64_t value)
{
    return rlxc_ox_i(r->im, value);
}

static ratio whole(reader *r, const rlxc_expr *value)
{
    return (ratio){value, number(r, 1)};
}

static ratio refuse(reader *r)
{
    r->failed = true;
    return whole(r, number(r, 1));
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

static ratio of_both(reader *r, rlxc_expr_kind kind, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_is_const(b, 0) ? refuse(r) : whole(r, rlxc_ox_bin(r->im, kind, a, b));
}

/* Min, Max and remainders are of whole numbers. */
static ratio of_whole(reader *r, rlxc_expr_kind kind, ratio a, ratio b)
{
    return rlxc_is_const(a.den, 1) && rlxc_is_const(b.den, 1) ? of_both(r, kind, a.num, b.num)
                                                              : refuse(r);
}

static ratio times(reader *r, ratio a, ratio b)
{
    rlxc_context *ctx = r->im->ctx;
    return (ratio){rlxc_mul(ctx, a.num, b.num), rlxc_mul(ctx, a.den, b.den)};
}

static ratio over(reader *r, ratio a, ratio b)
{
    return rlxc_is_const(b.num, 0) ? refuse(r) : times(r, a, (ratio){b.den, b.num});
}

static ratio plus(reader *r, ratio a, ratio b, int sign)
{
    rlxc_context *ctx = r->im->ctx;
    const rlxc_expr *left = rlxc_mul(ctx, a.num, b.den), *right = rlxc_mul(ctx, b.num, a.den);
    return (ratio){sign > 0 ? rlxc_add(ctx, left, right) : rlxc_sub(ctx, left, right),
                   rlxc_mul(ctx, a.den, b.den)};
}

static ratio rounded_down(reader *r, ratio a)
{
    return rlxc_is_const(a.den, 1) ? a : of_both(r, RLXC_EXPR_FLOORDIV, a.num, a.den);
}

static ratio rounded_up(reader *r, ratio a)
{
    rlxc_context *ctx = r->im->ctx;
    a.num = rlxc_add(ctx, a.num, rlxc_sub(ctx, a.den, number(r, 1)));
    return rounded_down(r, a);
}

/* The key of the name for comparisons only: other keys of dim_params have no spaces. */
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

/* The rest of a call after its parenthesis. */
static ratio read_call(reader *r, const char *name, size_t length)
{
    static const struct {
        const char *name;
        rlxc_expr_kind kind;
    } of_several[] = {{"Min", RLXC_EXPR_MIN},
                      {"Max", RLXC_EXPR_MAX},
                      {"min", RLXC_EXPR_MIN},
                      {"max", RLXC_EXPR_MAX},
                      {"Mod", RLXC_EXPR_FLOORMOD}};
    ratio value = read_sum(r);
    if (length == 5 && strncmp(name, "floor", 5) == 0)
        return take(r, ")") ? rounded_down(r, value) : refuse(r);
    if (length == 7 && strncmp(name, "ceiling", 7) == 0)
        return take(r, ")") ? rounded_up(r, value) : refuse(r);
    for (size_t i = 0; i < sizeof of_several / sizeof *of_several; i++) {
        if (strlen(of_several[i].name) != length || strncmp(of_several[i].name, name, length) != 0)
            continue;
        while (!r->failed && take(r, ","))
            value = of_whole(r, of_several[i].kind, value, read_sum(r));
        return take(r, ")") ? value : refuse(r);
    }
    return refuse(r);
}

static ratio read_operand(reader *r)
{
    if (take(r, "-"))
        return plus(r, whole(r, number(r, 0)), read_operand(r), -1);
    if (take(r, "(")) {
        ratio value = read_sum(r);
        return take(r, ")") ? value : refuse(r);
    }
    const char *from = r->at;
    if (isdigit((unsigned char)*from)) {
        while (isdigit((unsigned char)*r->at))
            r->at++;
        if (r->at - from > MOST_DIGITS)
            return refuse(r);
        return whole(r, number(r, strtoll(from, NULL, 10)));
    }
    while (isalnum((unsigned char)*r->at) || *r->at == '_' || (*r->at == '.' && r->at > from))
        r->at++;
    const size_t length = (size_t)(r->at - from);
    if (length == 0)
        return refuse(r);
    return take(r, "(") ? read_call(r, from, length) : whole(r, variable(r, from, length));
}

static ratio read_product(reader *r)
{
    ratio value = read_operand(r);
    while (!r->failed) {
        if (take(r, "**"))
            return refuse(r);
        if (take(r, "*"))
            value = times(r, value, read_operand(r));
        else if (take(r, "//"))
            value = rounded_down(r, over(r, value, read_operand(r)));
        else if (take(r, "/"))
            value = over(r, value, read_operand(r));
        else if (take(r, "%"))
            value = of_whole(r, RLXC_EXPR_FLOORMOD, value, read_operand(r));
        else
            break;
    }
    return value;
}

static ratio read_sum(reader *r)
{
    if (++r->depth > MOST_NESTED)
        return refuse(r);
    ratio value = read_product(r);
    while (!r->failed) {
        if (take(r, "+"))
            value = plus(r, value, read_product(r), 1);
        else if (take(r, "-"))
            value = plus(r, value, read_product(r), -1);
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
    const ratio value =
        rounded_down(&r, read_sum(&r)); /* a size is a whole number: "n/2" is exact */
    (void)take(&r, "");
    return r.failed || *r.at ? NULL : rlxc_canonical(im->ctx, value.num, NULL);
}
