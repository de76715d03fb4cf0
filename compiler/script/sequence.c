/* Python sequences in places where TIR takes several values: the shape of a buffer, the variables
 * of a grid held by one name, and *unpacked arguments. Each becomes a tuple of plain expressions,
 * so that readers of arguments need to know only this form. The trees outlive the statement. */
#include <string.h>

#include "compiler/script/parse.h"

typedef RLXC_VEC(const rlxc_py *) item_list;

static rlxc_py *new_node(rlxc_parser *p, rlxc_py_kind kind, const rlxc_py *at)
{
    rlxc_py *e = rlxc_alloc(p->ctx, sizeof *e);
    *e = (rlxc_py){.kind = kind, .range = at->range, .depth = at->depth};
    return e;
}

static const rlxc_py *new_tuple(rlxc_parser *p, const rlxc_py *at, const item_list *items)
{
    rlxc_py *tuple = new_node(p, RLXC_PY_TUPLE, at);
    tuple->items = items->items;
    tuple->n = items->count;
    return tuple;
}

/* (A.shape[0], A.shape[1], ...) of A.shape; NULL for anything else. */
static const rlxc_py *fields_of_buffer(rlxc_parser *p, const rlxc_py *e)
{
    const rlxc_buffer *buffer = e->kind == RLXC_PY_ATTR ? rlxc_parse_buffer_name(p, e->base) : NULL;
    item_list items = {0};
    if (!buffer ||
        (strcmp(e->text, "shape") != 0 && (strcmp(e->text, "strides") != 0 || !buffer->strides)))
        return NULL;
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        rlxc_py *index = new_node(p, RLXC_PY_INT, e), *item = new_node(p, RLXC_PY_INDEX, e);
        index->i = i;
        item->base = e;
        item->a = index;
        RLXC_PUSH(p->ctx, &items, item);
    }
    return new_tuple(p, e, &items);
}

static const rlxc_py *known_sequence(rlxc_parser *p, const rlxc_py *e)
{
    const rlxc_name *name = e->kind == RLXC_PY_NAME ? rlxc_names_find(&p->names, e->text) : NULL;
    return name && name->kind == RLXC_NAME_SEQUENCE ? name->sequence : fields_of_buffer(p, e);
}

static bool is_starred(const rlxc_py *e)
{
    return e->kind == RLXC_PY_UNARY && e->op == RLXC_OP1('*');
}

bool rlxc_parse_flat(rlxc_parser *p, const rlxc_py *at, const rlxc_py *const *items, uint32_t n,
                     const rlxc_py **out)
{
    item_list flat = {0};
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_py *inner = items[i];
        if (!is_starred(inner)) {
            RLXC_PUSH(p->ctx, &flat, inner);
            continue;
        }
        inner = rlxc_py_is_list(inner->a) ? inner->a : known_sequence(p, inner->a);
        if (!inner) {
            rlxc_error(p->ctx, items[i]->range, "%s cannot be unpacked",
                       rlxc_py_describe(p->ctx, items[i]->a));
            return false;
        }
        for (uint32_t k = 0; k < inner->n; k++)
            RLXC_PUSH(p->ctx, &flat, inner->items[k]);
    }
    *out = new_tuple(p, at, &flat);
    return true;
}

bool rlxc_parse_sequence(rlxc_parser *p, const rlxc_py *e, const rlxc_py **out)
{
    const rlxc_py *known = known_sequence(p, e);
    bool starred = false;
    *out = known ? known : e;
    for (uint32_t i = 0; rlxc_py_is_list(e) && i < e->n; i++)
        starred |= is_starred(e->items[i]);
    return !starred || rlxc_parse_flat(p, e, e->items, e->n, out);
}

void rlxc_parse_name_sequence(rlxc_parser *p, const rlxc_py *target, const char *const *names,
                              uint32_t n)
{
    item_list items = {0};
    for (uint32_t i = 0; i < n; i++) {
        rlxc_py *item = new_node(p, RLXC_PY_NAME, target);
        item->text = item->dotted = names[i];
        RLXC_PUSH(p->ctx, &items, item);
    }
    rlxc_names_define(p->ctx, &p->names, target->text, RLXC_NAME_SEQUENCE)->sequence =
        new_tuple(p, target, &items);
}
