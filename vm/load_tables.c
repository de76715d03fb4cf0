/* The first half of a file's tables: strings, expressions, types, constants. References are checked
 * here: only to earlier rows, never deeper or larger than the limits of exec.h. */
#include "vm/load.h"

#include <rlx/checked.h>
#include <string.h>

bool rlxv_is_utf8(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint32_t c = p[i], more = c < 0x80 ? 0 : c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
        if (c == 0 || (c >= 0x80 && c < 0xC2) || c > 0xF4 || more > n - i - 1)
            return false;
        uint32_t v = more == 0 ? c : c & (0x3Fu >> more);
        for (uint32_t k = 1; k <= more; k++) {
            if ((p[i + k] & 0xC0) != 0x80)
                return false;
            v = v << 6 | (p[i + k] & 0x3Fu);
        }
        if ((more == 2 && v < 0x800) || (more == 3 && (v < 0x10000 || v > 0x10FFFF)) ||
            (v >= 0xD800 && v <= 0xDFFF))
            return false;
        i += more + 1;
    }
    return true;
}

/* Strings: |count| end offsets, then the bytes. */
rlx_status rlxv_parse_strings(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_reader r;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_STRINGS, 1, "strings", &r, &exe->n_strings));
    exe->strings = rlxv_arena_alloc(&exe->arena, exe->n_strings, sizeof *exe->strings);
    if (!exe->strings)
        return rlxv_load_nomem(l);
    size_t at = 0, bytes = r.left - (size_t)exe->n_strings * 4;
    const uint8_t *base = exe->n_strings ? r.p + (size_t)exe->n_strings * 4 : r.p;
    for (uint32_t i = 0; i < exe->n_strings; i++) {
        size_t end = rlxv_read_word(&r);
        if (end < at || end > bytes)
            return rlxv_malformed(l, "string", i, "leaves its section");
        if (!rlxv_is_utf8(base + at, end - at))
            return rlxv_malformed(l, "string", i, "is not UTF-8");
        exe->strings[i] = (rlx_str){(const char *)base + at, end - at};
        at = end;
    }
    r.left -= at;
    return rlxv_close_section(l, &r, "strings");
}

/* Expressions: op, a, b, c; a constant has its low and high word in a and b. */
rlx_status rlxv_parse_exprs(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_reader r;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_EXPRS, 4, "expressions", &r, &exe->n_exprs));
    exe->exprs = rlxv_arena_alloc(&exe->arena, exe->n_exprs, sizeof *exe->exprs);
    if (!exe->exprs)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < exe->n_exprs; i++) {
        rlxv_expr *x = &exe->exprs[i];
        uint32_t op = rlxv_read_word(&r),
                 operand[3] = {rlxv_read_word(&r), rlxv_read_word(&r), rlxv_read_word(&r)}, n;
        if (op > RLX_EXPR_SELECT)
            return rlxv_malformed(l, "expression", i, "unknown operation");
        x->op = (rlx_expr_op)op;
        x->size = 1;
        n = op == RLX_EXPR_CONST || op == RLX_EXPR_SLOT ? 0 : op == RLX_EXPR_SELECT ? 3 : 2;
        if (op == RLX_EXPR_CONST) {
            x->value = (int64_t)(operand[0] | (uint64_t)operand[1] << 32);
        } else if (op == RLX_EXPR_SLOT) {
            if (operand[0] >= RLXV_MAX_SLOTS || operand[1])
                return rlxv_malformed(l, "expression", i, "bad slot");
            x->a = operand[0];
            x->slots = operand[0] + 1;
        }
        for (uint32_t k = 0; k < n; k++) {
            if (operand[k] >= i)
                return rlxv_malformed(l, "expression", i, "refers to a later expression");
            const rlxv_expr *y = &exe->exprs[operand[k]];
            x->depth = y->depth + 1 > x->depth ? y->depth + 1 : x->depth;
            x->size += y->size;
            x->slots = y->slots > x->slots ? y->slots : x->slots;
        }
        if (n > 0) {
            x->a = operand[0];
            x->b = operand[1];
            x->c = operand[2];
        }
        if (n != 3 && operand[2])
            return rlxv_malformed(l, "expression", i, "has an operand too many");
        if (x->depth > RLXV_MAX_EXPR_DEPTH || x->size > RLXV_MAX_EXPR_SIZE)
            return rlxv_malformed(l, "expression", i, "is too large");
    }
    return rlxv_close_section(l, &r, "expressions");
}

static rlx_status parse_dims(rlxv_loader *l, rlxv_reader *r, uint32_t row, rlxv_type *t)
{
    rlx_executable *exe = l->exe;
    rlx_dim *raw = rlxv_arena_alloc(&exe->arena, t->n_dims, sizeof *raw);
    rlxv_dim *dims = rlxv_arena_alloc(&exe->arena, t->n_dims, sizeof *dims);
    if (!raw || !dims)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < t->n_dims; i++) {
        raw[i] = (rlx_dim){rlxv_read_word(r), rlxv_read_word(r)};
        uint32_t index = raw[i].index;
        dims[i].index = index;
        if (raw[i].kind == RLX_DIM_ANY && index == 0) {
            dims[i].kind = RLXV_DIM_ANY;
        } else if (raw[i].kind == RLX_DIM_BIND && index < RLXV_MAX_SLOTS) {
            dims[i].kind = RLXV_DIM_BIND;
            t->slots = index + 1 > t->slots ? index + 1 : t->slots;
        } else if (raw[i].kind == RLX_DIM_EXPR && index < exe->n_exprs) {
            const rlxv_expr *x = &exe->exprs[index];
            dims[i].kind = x->op == RLX_EXPR_CONST  ? RLXV_DIM_CONST
                           : x->op == RLX_EXPR_SLOT ? RLXV_DIM_SLOT
                                                    : RLXV_DIM_EXPR;
            dims[i].value = x->value;
            if (x->op == RLX_EXPR_SLOT)
                dims[i].index = x->a;
            t->slots = x->slots > t->slots ? x->slots : t->slots;
            t->has_checks = true;
        } else {
            return rlxv_malformed(l, "type", row, "bad dimension");
        }
    }
    t->raw_dims = raw;
    t->dims = dims;
    return RLX_OK;
}

static rlx_status parse_children(rlxv_loader *l, rlxv_reader *r, uint32_t row, rlxv_type *t)
{
    uint32_t *children = rlxv_arena_alloc(&l->exe->arena, t->n_children, sizeof *children);
    if (!children)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < t->n_children; i++) {
        children[i] = rlxv_read_word(r);
        if (children[i] >= row)
            return rlxv_malformed(l, "type", row, "refers to a later type");
        const rlxv_type *c = &l->exe->types[children[i]];
        t->depth = c->depth + 1 > t->depth ? c->depth + 1 : t->depth;
        t->size += c->size;
        t->slots = c->slots > t->slots ? c->slots : t->slots;
        t->has_checks |= c->has_checks;
        if (t->size > RLXV_MAX_TYPE_SIZE || t->depth >= RLXV_MAX_TYPE_DEPTH)
            return rlxv_malformed(l, "type", row, "is too large");
    }
    t->children = children;
    return RLX_OK;
}

static rlx_dtype dtype_of_word(uint32_t w)
{
    return (rlx_dtype){(uint8_t)w, (uint8_t)(w >> 8), (uint16_t)(w >> 16)};
}

/* Types: kind + 256 if the rank is known, dtype (0: any), n, then n dims (kind, index) or n
   children. */
rlx_status rlxv_parse_types(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_reader r;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_TYPES, 3, "types", &r, &exe->n_types));
    exe->types = rlxv_arena_alloc(&exe->arena, exe->n_types, sizeof *exe->types);
    if (!exe->types)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < exe->n_types && !r.bad; i++) {
        rlxv_type *t = &exe->types[i];
        uint32_t kind = rlxv_read_word(&r), dtype = rlxv_read_word(&r), n = rlxv_read_count(&r, 1);
        if ((kind & ~0x100u) > RLX_TYPE_CALLABLE)
            return rlxv_malformed(l, "type", i, "unknown kind");
        t->kind = (rlx_type_kind)(kind & 0xff);
        t->rank_known = kind & 0x100;
        t->dtype = dtype_of_word(dtype);
        t->size = 1;
        bool has_dtype = dtype != 0, dims = false;
        if (t->kind == RLX_TYPE_TENSOR) {
            dims = n <= RLX_MAX_NDIM && (!has_dtype || rlx_dtype_valid(t->dtype));
        } else if (t->kind == RLX_TYPE_SHAPE) {
            dims = !has_dtype;
        } else if (t->kind == RLX_TYPE_PRIM) {
            bool integral = !rlx_dtype_is_float(t->dtype);
            dims = rlx_dtype_valid(t->dtype) && t->rank_known && n <= (integral ? 1u : 0u);
        } else if (has_dtype || t->rank_known || (n && t->kind != RLX_TYPE_TUPLE)) {
            return rlxv_malformed(l, "type", i, "has what its kind cannot have");
        } else {
            t->n_children = n;
            RLX_TRY(parse_children(l, &r, i, t));
            continue;
        }
        if (!dims || (n && !t->rank_known))
            return rlxv_malformed(l, "type", i, "has what its kind cannot have");
        t->n_dims = n;
        t->size += n;
        if (t->size > RLXV_MAX_TYPE_SIZE)
            return rlxv_malformed(l, "type", i, "is too large");
        RLX_TRY(parse_dims(l, &r, i, t));
    }
    return rlxv_close_section(l, &r, "types");
}

static rlx_status parse_tensor(rlxv_loader *l, rlxv_reader *r, uint32_t row, rlx_value *out)
{
    rlx_executable *exe = l->exe;
    rlx_dtype dtype = dtype_of_word(rlxv_read_word(r));
    uint32_t ndim = rlxv_read_count(r, 2);
    int64_t dims[RLX_MAX_NDIM];
    size_t nbytes;
    rlx_tensor *t;
    if (ndim > RLX_MAX_NDIM)
        return rlxv_malformed(l, "constant", row, "has too many dimensions");
    for (uint32_t i = 0; i < ndim; i++)
        dims[i] = (int64_t)rlxv_read_word64(r);
    uint64_t offset = rlxv_read_word64(r);
    const bool in_weights = offset & RLXV_IN_WEIGHTS;
    if (r->bad || !rlx_nbytes(dims, ndim, dtype, &nbytes))
        return rlxv_malformed(l, "constant", row, "is not a tensor that can exist");
    offset &= ~RLXV_IN_WEIGHTS;
    const size_t align = in_weights ? (dtype.bits + 7u) / 8u * dtype.lanes : 64;
    const uint64_t size = !in_weights ? exe->data_size : exe->weights ? exe->weights->size : 0;
    if (offset % align || offset > size || nbytes > size - offset)
        return rlxv_malformed(l, "constant", row,
                              in_weights ? "leaves the weights" : "leaves the data section");
    if (in_weights && exe->weights) {
        RLX_TRY(rlxv_tensor_in(NULL, &exe->allocator, exe->weights, (int64_t)offset, dtype, ndim,
                               dims, &t, l->err));
        *out = rlx_of_tensor(t);
        return RLX_OK;
    }
    if (!exe->data) {
        RLX_TRY(rlxv_storage_new(NULL, &exe->allocator, 0, 64, &exe->data, l->err));
        exe->data->header.readonly = 1;
    }
    RLX_TRY(rlxv_tensor_in(NULL, &exe->allocator, exe->data, (int64_t)offset, dtype, ndim, dims, &t,
                           l->err));
    *out = rlx_of_tensor(t);
    return RLX_OK;
}

static rlx_status parse_shape(rlxv_loader *l, rlxv_reader *r, rlx_value *out)
{
    uint32_t n = rlxv_read_count(r, 2);
    rlx_shape *s;
    int64_t *dims = rlxv_arena_alloc(&l->exe->arena, n, sizeof *dims);
    if (!dims)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < n; i++)
        dims[i] = (int64_t)rlxv_read_word64(r);
    RLX_TRY(rlxv_shape_new(NULL, &l->exe->allocator, n, dims, &s, l->err));
    *out = rlx_of_shape(s);
    return RLX_OK;
}

static rlx_status parse_tuple(rlxv_loader *l, rlxv_reader *r, uint32_t row, rlxv_constant *c)
{
    rlx_executable *exe = l->exe;
    c->n_items = rlxv_read_count(r, 1);
    uint32_t *items = rlxv_arena_alloc(&exe->arena, c->n_items, sizeof *items);
    rlx_value *values = rlxv_arena_alloc(&exe->arena, c->n_items, sizeof *values);
    rlx_tuple *t;
    if (!items || !values)
        return rlxv_load_nomem(l);
    c->items = items;
    for (uint32_t i = 0; i < c->n_items; i++) {
        items[i] = rlxv_read_word(r);
        if (items[i] >= row)
            return rlxv_malformed(l, "constant", row, "refers to a later constant");
        values[i] = exe->constants[items[i]].value;
    }
    RLX_TRY(rlxv_tuple_new(NULL, &exe->allocator, c->n_items, values, &t, l->err));
    c->value = rlx_of_tuple(t);
    return RLX_OK;
}

/* Constants: kind, then the fields of the kind. */
rlx_status rlxv_parse_constants(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_reader r;
    uint32_t n;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_CONSTANTS, 1, "constants", &r, &n));
    exe->constants = rlxv_arena_alloc(&exe->arena, n, sizeof *exe->constants);
    if (!exe->constants)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < n && !r.bad; i++) {
        rlxv_constant *c = &exe->constants[i];
        uint32_t kind = rlxv_read_word(&r), w;
        uint64_t bits;
        rlx_str text;
        exe->n_constants = i + 1; /* released if a later row fails */
        if (kind == RLX_KIND_NONE) {
            c->value = rlx_none();
        } else if (kind == RLX_KIND_INT) {
            c->value = rlx_int((int64_t)rlxv_read_word64(&r));
        } else if (kind == RLX_KIND_FLOAT) {
            bits = rlxv_read_word64(&r);
            c->value = rlx_float(0);
            memcpy(&c->value.as.f, &bits, sizeof bits);
        } else if (kind == RLX_KIND_BOOL) {
            if ((w = rlxv_read_word(&r)) > 1)
                return rlxv_malformed(l, "constant", i, "is a bool that is neither 0 nor 1");
            c->value = rlx_bool(w);
        } else if (kind == RLX_KIND_DTYPE) {
            c->value = rlx_of_dtype(dtype_of_word(rlxv_read_word(&r)));
            if (!rlx_dtype_valid(c->value.as.dtype))
                return rlxv_malformed(l, "constant", i, "is a dtype that does not exist");
        } else if (kind == RLX_KIND_STRING) {
            rlx_string *s;
            RLX_TRY(rlxv_read_string(l, &r, &text));
            RLX_TRY(rlxv_string_new(NULL, &exe->allocator, text, &s, l->err));
            c->value = rlx_of_string(s);
        } else if (kind == RLX_KIND_SHAPE) {
            RLX_TRY(parse_shape(l, &r, &c->value));
        } else if (kind == RLX_KIND_TUPLE) {
            RLX_TRY(parse_tuple(l, &r, i, c));
        } else if (kind == RLX_KIND_TENSOR) {
            RLX_TRY(parse_tensor(l, &r, i, &c->value));
        } else {
            return rlxv_malformed(l, "constant", i, "unknown kind");
        }
    }
    return rlxv_close_section(l, &r, "constants");
}
