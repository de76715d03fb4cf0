/* The head of a function: parameters, result, and the symbols that its types may use.
 *
 * A symbol is declared in one of five ways: quoted in a type, `n = T.int64()` among the first
 * statements of the body, `n = TypeVar("n")` outside the function, `def f[n](...)`, or as a scalar
 * parameter. Types in the signature use symbols that the body declares later, so its first
 * statements are read ahead. */
#include <string.h>

#include "compiler/script/parse.h"

/* [n, m: int], after the function's name. */
static bool parse_type_params(rlxc_parser *p, rlxc_parameters *out)
{
    while (!rlxc_py_is(&p->py, RLXC_OP1(']'))) {
        const char *name = rlxc_py_expect_name(&p->py, "the name of a symbol");
        if (!name)
            return false;
        RLXC_PUSH(p->ctx, &out->symbols, name);
        if (rlxc_py_accept(&p->py, RLXC_OP1(':')) && !rlxc_py_accept_word(&p->py, "int")) {
            rlxc_py_unexpected(&p->py, "int, the type of every symbol");
            return false;
        }
        if (!rlxc_py_accept(&p->py, RLXC_OP1(',')))
            break;
    }
    return rlxc_py_expect(&p->py, RLXC_OP1(']'), "after the symbols");
}

bool rlxc_parse_header(rlxc_parser *p, rlxc_parameters *out, const rlxc_py **out_ret)
{
    *out_ret = NULL;
    if (rlxc_py_accept(&p->py, RLXC_OP1('[')) && !parse_type_params(p, out))
        return false;
    if (!rlxc_py_expect(&p->py, RLXC_OP1('('), "after the function's name"))
        return false;
    while (!rlxc_py_is(&p->py, RLXC_OP1(')'))) {
        rlxc_parameter param = {.range = p->py.token.range};
        if (!(param.name = rlxc_py_expect_name(&p->py, "a parameter name")))
            return false;
        if (rlxc_py_accept(&p->py, RLXC_OP1(':')) && !(param.annotation = rlxc_py_expr(&p->py)))
            return false;
        if (rlxc_py_is(&p->py, RLXC_OP1('='))) {
            rlxc_error(p->ctx, p->py.token.range, "parameters have no default values");
            return false;
        }
        for (uint32_t i = 0; i < out->list.count && i < 1024; i++)
            if (out->list.items[i].name == param.name) {
                rlxc_error(p->ctx, param.range, "parameter '%s' is declared twice", param.name);
                return false;
            }
        RLXC_PUSH(p->ctx, &out->list, param);
        if (!rlxc_py_accept(&p->py, RLXC_OP1(',')))
            break;
    }
    if (!rlxc_py_expect(&p->py, RLXC_OP1(')'), "after the parameters"))
        return false;
    return !rlxc_py_accept(&p->py, RLXC_OP2('-', '>')) || (*out_ret = rlxc_py_expr(&p->py));
}

static void note_declared(rlxc_parser *p, const rlxc_py *target, const rlxc_py *value)
{
    rlx_dtype t;
    if (target->kind == RLXC_PY_TUPLE && value->kind == RLXC_PY_TUPLE && target->n == value->n) {
        for (uint32_t i = 0; i < target->n; i++)
            if (target->items[i]->kind == RLXC_PY_NAME)
                note_declared(p, target->items[i], value->items[i]);
        return;
    }
    if (target->kind != RLXC_PY_NAME || !rlxc_parse_is_declaration(p, value, &t) ||
        !rlxc_dtype_is_int(t))
        return;
    uintptr_t packed = (uintptr_t)t.code << 24 | (uintptr_t)t.bits << 16 | t.lanes;
    rlxc_map_set(p->ctx, &p->declared, rlxc_key(target->text), (void *)(packed + 1));
}

void rlxc_parse_find_declared(rlxc_parser *p)
{
    static const char *const compound[] = {"for", "while", "if", "with", "def", "class"};
    rlxc_py_parser here = p->py;
    rlxc_said said = rlxc_said_so_far(p->ctx);
    rlxc_parameters params = {0};
    const rlxc_py *ret;
    rlxc_py_block block;
    p->declared = (rlxc_map){0};
    bool plain = rlxc_parse_header(p, &params, &ret) && rlxc_py_block_begin(&p->py, &block);
    while (plain && rlxc_py_block_more(&p->py, &block)) {
        rlxc_py_stmt stmt;
        for (size_t i = 0; i < sizeof compound / sizeof *compound; i++)
            plain = plain && !rlxc_py_is_word(&p->py, compound[i]);
        plain = plain && !rlxc_py_is(&p->py, RLXC_OP1('@')) && rlxc_py_simple(&p->py, &stmt);
        if (plain && stmt.kind == RLXC_PY_STMT_ASSIGN && stmt.value)
            note_declared(p, stmt.target, stmt.value);
    }
    rlxc_take_back(p->ctx, said);
    p->py = here;
    rlxc_py_reset(&p->py);
}

rlx_dtype rlxc_parse_declared_dtype(const rlxc_parser *p, const char *symbol)
{
    const rlxc_name *outside = rlxc_names_find(&p->names, symbol);
    uintptr_t packed = (uintptr_t)rlxc_map_get(&p->declared, rlxc_key(symbol));
    if (packed == 0)
        return outside && outside->kind == RLXC_NAME_TOP ? outside->dtype
               : p->tir                                  ? RLX_I32
                                                         : RLX_I64;
    packed--;
    return (rlx_dtype){(uint8_t)(packed >> 24), (uint8_t)(packed >> 16), (uint16_t)packed};
}
