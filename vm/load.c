/* Decodes the sections of a file into the tables of an executable.

   Every count is checked against the bytes that remain before memory is taken for it; every index
   against the table it points into; strings must be UTF-8 without NUL. What concerns code alone is
   left to verify.c, which runs before the executable is handed out. Layout of the sections: see the
   parse_ functions, each of which states its rows in words of 32 bits, little-endian. */
#include "vm/exec.h"

#include <rlx/checked.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct section {
    const uint8_t *data;
    size_t size;
    uint32_t count;
    bool present;
} section;

typedef struct reader {
    const uint8_t *p;
    size_t left; /* bytes */
    bool bad;    /* ran past the end */
} reader;

typedef struct loader {
    rlx_executable *exe;
    rlx_error *err;
    section sections[RLXV_SECTION_END];
} loader;

uint64_t rlxv_checksum(const void *data, size_t size)
{
    return XXH64(data, size, 0);
}

static uint32_t word(reader *r)
{
    if (r->left < 4) {
        r->bad = true;
        return 0;
    }
    uint32_t v = rlxv_load_u32(r->p);
    r->p += 4;
    r->left -= 4;
    return v;
}

static uint64_t word64(reader *r)
{
    uint64_t low = word(r);
    return low | (uint64_t)word(r) << 32;
}

/* A count of rows of at least |words| words each; 0 and bad if so many cannot remain. */
static uint32_t count_of(reader *r, size_t words)
{
    uint32_t n = word(r);
    if (n > r->left / 4 / words) {
        r->bad = true;
        return 0;
    }
    return n;
}

static rlx_status malformed(loader *l, const char *what, uint32_t row, const char *why)
{
    return rlx_fail(l->err, RLX_E_INVALID_MODULE, "%s %u: %s", what, row, why);
}

static rlx_status out_of_memory(loader *l)
{
    return rlx_fail(l->err, RLX_E_NOMEM, "out of memory while loading an executable");
}

/* Opens a section whose rows have at least |words| words; *out_count is checked against its size.
 */
static rlx_status open_section(loader *l, uint32_t kind, size_t words, const char *name, reader *r,
                               uint32_t *out_count)
{
    const section *s = &l->sections[kind];
    *r = (reader){s->data, s->size, false};
    if (s->present && s->count > s->size / 4 / words)
        return rlx_fail(l->err, RLX_E_INVALID_MODULE, "the %s section is too small for %u rows",
                        name, s->count);
    *out_count = s->present ? s->count : 0;
    return RLX_OK;
}

static rlx_status close_section(loader *l, const reader *r, const char *name)
{
    if (r->bad)
        return rlx_fail(l->err, RLX_E_INVALID_MODULE, "the %s section ends early", name);
    if (r->left)
        return rlx_fail(l->err, RLX_E_INVALID_MODULE, "the %s section has %zu bytes too many", name,
                        r->left);
    return RLX_OK;
}

static bool valid_utf8(const uint8_t *p, size_t n)
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
static rlx_status parse_strings(loader *l)
{
    rlx_executable *exe = l->exe;
    reader r;
    RLX_TRY(open_section(l, RLXV_SECTION_STRINGS, 1, "strings", &r, &exe->n_strings));
    exe->strings = rlxv_arena_alloc(&exe->arena, exe->n_strings, sizeof *exe->strings);
    if (!exe->strings)
        return out_of_memory(l);
    size_t at = 0, bytes = r.left - (size_t)exe->n_strings * 4;
    const uint8_t *base = exe->n_strings ? r.p + (size_t)exe->n_strings * 4 : r.p;
    for (uint32_t i = 0; i < exe->n_strings; i++) {
        size_t end = word(&r);
        if (end < at || end > bytes)
            return malformed(l, "string", i, "leaves its section");
        if (!valid_utf8(base + at, end - at))
            return malformed(l, "string", i, "is not UTF-8");
        exe->strings[i] = (rlx_str){(const char *)base + at, end - at};
        at = end;
    }
    r.left -= at;
    return close_section(l, &r, "strings");
}

static rlx_status string_at(loader *l, reader *r, rlx_str *out)
{
    uint32_t i = word(r);
    if (r->bad || i >= l->exe->n_strings)
        return rlx_fail(l->err, RLX_E_INVALID_MODULE, "string %u does not exist", i);
    *out = l->exe->strings[i];
    return RLX_OK;
}

/* Expressions: op, a, b, c; a constant has its low and high word in a and b. */
static rlx_status parse_exprs(loader *l)
{
    rlx_executable *exe = l->exe;
    reader r;
    RLX_TRY(open_section(l, RLXV_SECTION_EXPRS, 4, "expressions", &r, &exe->n_exprs));
    exe->exprs = rlxv_arena_alloc(&exe->arena, exe->n_exprs, sizeof *exe->exprs);
    if (!exe->exprs)
        return out_of_memory(l);
    for (uint32_t i = 0; i < exe->n_exprs; i++) {
        rlxv_expr *x = &exe->exprs[i];
        uint32_t op = word(&r), operand[3] = {word(&r), word(&r), word(&r)}, n;
        if (op > RLX_EXPR_SELECT)
            return malformed(l, "expression", i, "unknown operation");
        x->op = (rlx_expr_op)op;
        x->size = 1;
        n = op == RLX_EXPR_CONST || op == RLX_EXPR_SLOT ? 0 : op == RLX_EXPR_SELECT ? 3 : 2;
        if (op == RLX_EXPR_CONST) {
            x->value = (int64_t)(operand[0] | (uint64_t)operand[1] << 32);
        } else if (op == RLX_EXPR_SLOT) {
            if (operand[0] >= RLXV_MAX_SLOTS || operand[1])
                return malformed(l, "expression", i, "bad slot");
            x->a = operand[0];
            x->slots = operand[0] + 1;
        }
        for (uint32_t k = 0; k < n; k++) {
            if (operand[k] >= i)
                return malformed(l, "expression", i, "refers to a later expression");
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
            return malformed(l, "expression", i, "has an operand too many");
        if (x->depth > RLXV_MAX_EXPR_DEPTH || x->size > RLXV_MAX_EXPR_SIZE)
            return malformed(l, "expression", i, "is too large");
    }
    return close_section(l, &r, "expressions");
}

static rlx_status parse_dims(loader *l, reader *r, uint32_t row, rlxv_type *t)
{
    rlx_executable *exe = l->exe;
    rlx_dim *raw = rlxv_arena_alloc(&exe->arena, t->n_dims, sizeof *raw);
    rlxv_dim *dims = rlxv_arena_alloc(&exe->arena, t->n_dims, sizeof *dims);
    if (!raw || !dims)
        return out_of_memory(l);
    for (uint32_t i = 0; i < t->n_dims; i++) {
        raw[i] = (rlx_dim){word(r), word(r)};
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
            return malformed(l, "type", row, "bad dimension");
        }
    }
    t->raw_dims = raw;
    t->dims = dims;
    return RLX_OK;
}

static rlx_status parse_children(loader *l, reader *r, uint32_t row, rlxv_type *t)
{
    uint32_t *children = rlxv_arena_alloc(&l->exe->arena, t->n_children, sizeof *children);
    if (!children)
        return out_of_memory(l);
    for (uint32_t i = 0; i < t->n_children; i++) {
        children[i] = word(r);
        if (children[i] >= row)
            return malformed(l, "type", row, "refers to a later type");
        const rlxv_type *c = &l->exe->types[children[i]];
        t->depth = c->depth + 1 > t->depth ? c->depth + 1 : t->depth;
        t->size += c->size;
        t->slots = c->slots > t->slots ? c->slots : t->slots;
        t->has_checks |= c->has_checks;
        if (t->size > RLXV_MAX_TYPE_SIZE || t->depth >= RLXV_MAX_TYPE_DEPTH)
            return malformed(l, "type", row, "is too large");
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
static rlx_status parse_types(loader *l)
{
    rlx_executable *exe = l->exe;
    reader r;
    RLX_TRY(open_section(l, RLXV_SECTION_TYPES, 3, "types", &r, &exe->n_types));
    exe->types = rlxv_arena_alloc(&exe->arena, exe->n_types, sizeof *exe->types);
    if (!exe->types)
        return out_of_memory(l);
    for (uint32_t i = 0; i < exe->n_types && !r.bad; i++) {
        rlxv_type *t = &exe->types[i];
        uint32_t kind = word(&r), dtype = word(&r), n = count_of(&r, 1);
        if ((kind & ~0x100u) > RLX_TYPE_CALLABLE)
            return malformed(l, "type", i, "unknown kind");
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
            bool integral = t->dtype.code != RLX_FLOAT && t->dtype.code != RLX_BFLOAT;
            dims = rlx_dtype_valid(t->dtype) && t->rank_known && n <= (integral ? 1u : 0u);
        } else if (has_dtype || t->rank_known || (n && t->kind != RLX_TYPE_TUPLE)) {
            return malformed(l, "type", i, "has what its kind cannot have");
        } else {
            t->n_children = n;
            RLX_TRY(parse_children(l, &r, i, t));
            continue;
        }
        if (!dims || (n && !t->rank_known))
            return malformed(l, "type", i, "has what its kind cannot have");
        t->n_dims = n;
        t->size += n;
        if (t->size > RLXV_MAX_TYPE_SIZE)
            return malformed(l, "type", i, "is too large");
        RLX_TRY(parse_dims(l, &r, i, t));
    }
    return close_section(l, &r, "types");
}

static rlx_status parse_tensor(loader *l, reader *r, uint32_t row, rlx_value *out)
{
    rlx_executable *exe = l->exe;
    rlx_dtype dtype = dtype_of_word(word(r));
    uint32_t ndim = count_of(r, 2);
    int64_t dims[RLX_MAX_NDIM];
    size_t nbytes;
    rlx_tensor *t;
    if (ndim > RLX_MAX_NDIM)
        return malformed(l, "constant", row, "has too many dimensions");
    for (uint32_t i = 0; i < ndim; i++)
        dims[i] = (int64_t)word64(r);
    uint64_t offset = word64(r);
    if (r->bad || !rlx_nbytes(dims, ndim, dtype, &nbytes))
        return malformed(l, "constant", row, "is not a tensor that can exist");
    if (offset % 64 || offset > exe->data_size || nbytes > exe->data_size - offset)
        return malformed(l, "constant", row, "leaves the data section");
    if (!exe->data) {
        RLX_TRY(rlxv_storage_new(NULL, &exe->allocator, 0, 64, &exe->data, l->err));
        exe->data->header.readonly = 1;
    }
    RLX_TRY(rlxv_tensor_in(NULL, &exe->allocator, exe->data, (int64_t)offset, dtype, ndim, dims, &t,
                           l->err));
    *out = rlx_of_tensor(t);
    return RLX_OK;
}

static rlx_status parse_shape(loader *l, reader *r, rlx_value *out)
{
    uint32_t n = count_of(r, 2);
    rlx_shape *s;
    int64_t *dims = rlxv_arena_alloc(&l->exe->arena, n, sizeof *dims);
    if (!dims)
        return out_of_memory(l);
    for (uint32_t i = 0; i < n; i++)
        dims[i] = (int64_t)word64(r);
    RLX_TRY(rlxv_shape_new(NULL, &l->exe->allocator, n, dims, &s, l->err));
    *out = rlx_of_shape(s);
    return RLX_OK;
}

static rlx_status parse_tuple(loader *l, reader *r, uint32_t row, rlxv_constant *c)
{
    rlx_executable *exe = l->exe;
    c->n_items = count_of(r, 1);
    uint32_t *items = rlxv_arena_alloc(&exe->arena, c->n_items, sizeof *items);
    rlx_value *values = rlxv_arena_alloc(&exe->arena, c->n_items, sizeof *values);
    rlx_tuple *t;
    if (!items || !values)
        return out_of_memory(l);
    c->items = items;
    for (uint32_t i = 0; i < c->n_items; i++) {
        items[i] = word(r);
        if (items[i] >= row)
            return malformed(l, "constant", row, "refers to a later constant");
        values[i] = exe->constants[items[i]].value;
    }
    RLX_TRY(rlxv_tuple_new(NULL, &exe->allocator, c->n_items, values, &t, l->err));
    c->value = rlx_of_tuple(t);
    return RLX_OK;
}

/* Constants: kind, then what the kind needs. */
static rlx_status parse_constants(loader *l)
{
    rlx_executable *exe = l->exe;
    reader r;
    uint32_t n;
    RLX_TRY(open_section(l, RLXV_SECTION_CONSTANTS, 1, "constants", &r, &n));
    exe->constants = rlxv_arena_alloc(&exe->arena, n, sizeof *exe->constants);
    if (!exe->constants)
        return out_of_memory(l);
    for (uint32_t i = 0; i < n && !r.bad; i++) {
        rlxv_constant *c = &exe->constants[i];
        uint32_t kind = word(&r), w;
        uint64_t bits;
        rlx_str text;
        exe->n_constants = i + 1; /* what is released if a later row fails */
        if (kind == RLX_KIND_NONE) {
            c->value = rlx_none();
        } else if (kind == RLX_KIND_INT) {
            c->value = rlx_int((int64_t)word64(&r));
        } else if (kind == RLX_KIND_FLOAT) {
            bits = word64(&r);
            c->value = rlx_float(0);
            memcpy(&c->value.as.f, &bits, sizeof bits);
        } else if (kind == RLX_KIND_BOOL) {
            if ((w = word(&r)) > 1)
                return malformed(l, "constant", i, "is a bool that is neither 0 nor 1");
            c->value = rlx_bool(w);
        } else if (kind == RLX_KIND_DTYPE) {
            c->value = rlx_of_dtype(dtype_of_word(word(&r)));
            if (!rlx_dtype_valid(c->value.as.dtype))
                return malformed(l, "constant", i, "is a dtype that does not exist");
        } else if (kind == RLX_KIND_STRING) {
            rlx_string *s;
            RLX_TRY(string_at(l, &r, &text));
            RLX_TRY(rlxv_string_new(NULL, &exe->allocator, text, &s, l->err));
            c->value = rlx_of_string(s);
        } else if (kind == RLX_KIND_SHAPE) {
            RLX_TRY(parse_shape(l, &r, &c->value));
        } else if (kind == RLX_KIND_TUPLE) {
            RLX_TRY(parse_tuple(l, &r, i, c));
        } else if (kind == RLX_KIND_TENSOR) {
            RLX_TRY(parse_tensor(l, &r, i, &c->value));
        } else {
            return malformed(l, "constant", i, "unknown kind");
        }
    }
    return close_section(l, &r, "constants");
}

/* Kernels: name, symbol, n_dims, n_params, then type and flags of each. */
static rlx_status parse_kernels(loader *l)
{
    rlx_executable *exe = l->exe;
    reader r;
    RLX_TRY(open_section(l, RLXV_SECTION_KERNELS, 4, "kernels", &r, &exe->n_kernels));
    exe->kernels = rlxv_arena_alloc(&exe->arena, exe->n_kernels, sizeof *exe->kernels);
    if (!exe->kernels)
        return out_of_memory(l);
    for (uint32_t i = 0; i < exe->n_kernels && !r.bad; i++) {
        rlxv_kernel *k = &exe->kernels[i];
        RLX_TRY(string_at(l, &r, &k->name));
        RLX_TRY(string_at(l, &r, &k->symbol));
        k->n_dims = word(&r);
        k->n_params = count_of(&r, 2);
        if (k->n_dims > RLXV_MAX_SLOTS)
            return malformed(l, "kernel", i, "has too many dims");
        rlxv_kernel_param *params = rlxv_arena_alloc(&exe->arena, k->n_params, sizeof *params);
        if (!params)
            return out_of_memory(l);
        for (uint32_t p = 0; p < k->n_params && !r.bad; p++) {
            uint32_t type = word(&r), flags = word(&r);
            if (type >= exe->n_types || flags > 1)
                return malformed(l, "kernel", i, "bad parameter");
            const rlxv_type *t = &exe->types[type];
            if (t->kind != RLX_TYPE_TENSOR || !t->dtype.bits || !t->rank_known)
                return malformed(l, "kernel", i, "a parameter lacks a dtype or a rank");
            for (uint32_t d = 0; d < t->n_dims; d++)
                if (t->raw_dims[d].kind != RLX_DIM_EXPR)
                    return malformed(l, "kernel", i,
                                     "a parameter's dimension is not an expression");
            if (t->slots > k->n_dims)
                return malformed(l, "kernel", i, "a parameter needs a dim the kernel lacks");
            params[p] = (rlxv_kernel_param){type, flags == 1, t->dtype, t->n_dims, t->dims};
        }
        k->params = params;
    }
    return close_section(l, &r, "kernels");
}

/* Imports: a string each. */
static rlx_status parse_imports(loader *l)
{
    rlx_executable *exe = l->exe;
    reader r;
    uint32_t n_rows;
    const rlx_builtin *rows = rlx_builtin_table(&n_rows);
    RLX_TRY(open_section(l, RLXV_SECTION_IMPORTS, 1, "imports", &r, &exe->n_imports));
    exe->imports = rlxv_arena_alloc(&exe->arena, exe->n_imports, sizeof *exe->imports);
    exe->builtins = rlxv_arena_alloc(&exe->arena, exe->n_imports, sizeof *exe->builtins);
    if (!exe->imports || !exe->builtins)
        return out_of_memory(l);
    for (uint32_t i = 0; i < exe->n_imports; i++) {
        RLX_TRY(string_at(l, &r, &exe->imports[i]));
        for (uint32_t k = 0; k < n_rows && !exe->builtins[i]; k++)
            if (rlx_str_eq(rlx_str_from(rows[k].name), exe->imports[i]))
                exe->builtins[i] = &rows[k];
        if (!exe->builtins[i])
            return rlx_fail(l->err, RLX_E_NOT_FOUND, "this library has no builtin '%.*s'",
                            (int)exe->imports[i].len, exe->imports[i].data);
    }
    return close_section(l, &r, "imports");
}

static rlx_status parse_function(loader *l, reader *r, uint32_t i)
{
    rlx_executable *exe = l->exe;
    rlxv_function *fn = &exe->functions[i];
    RLX_TRY(string_at(l, r, &fn->name));
    uint32_t flags = word(r);
    fn->exported = flags & 1;
    fn->n_registers = word(r);
    fn->n_slots = word(r);
    fn->n_symbols = word(r);
    fn->result_type = word(r);
    fn->code_offset = word(r);
    fn->n_words = word(r);
    fn->n_params = count_of(r, 2);
    fn->n_slot_names = count_of(r, 2);
    if (r->bad || flags > 1 || fn->result_type >= exe->n_types)
        return malformed(l, "function", i, "bad row");
    if (fn->n_registers > RLXV_MAX_REGISTERS || fn->n_slots > RLXV_MAX_SLOTS)
        return malformed(l, "function", i, "has too many registers or slots");
    if (fn->n_params > fn->n_registers || fn->n_symbols > fn->n_slots)
        return malformed(l, "function", i,
                         "has more parameters than registers, or symbols than slots");
    if (fn->code_offset > exe->n_words || fn->n_words > exe->n_words - fn->code_offset)
        return malformed(l, "function", i, "leaves the code section");
    fn->code = exe->code + fn->code_offset;
    fn->params = rlxv_arena_alloc(&exe->arena, fn->n_params, sizeof *fn->params);
    fn->slot_names = rlxv_arena_alloc(&exe->arena, fn->n_slot_names, sizeof *fn->slot_names);
    if (!fn->params || !fn->slot_names)
        return out_of_memory(l);
    for (uint32_t p = 0; p < fn->n_params; p++) {
        RLX_TRY(string_at(l, r, &fn->params[p].name));
        fn->params[p].type = word(r);
        if (fn->params[p].type >= exe->n_types)
            return malformed(l, "function", i, "a parameter's type does not exist");
    }
    for (uint32_t s = 0; s < fn->n_slot_names; s++) {
        fn->slot_names[s].slot = word(r);
        RLX_TRY(string_at(l, r, &fn->slot_names[s].name));
        if (fn->slot_names[s].slot >= fn->n_slots ||
            (s > 0 && fn->slot_names[s].slot <= fn->slot_names[s - 1].slot))
            return malformed(l, "function", i, "slot names are out of range or order");
    }
    return RLX_OK;
}

/* Functions: name, flags, registers, slots, symbols, result type, code offset, words, number of
   parameters and of slot names; then name and type of each parameter, slot and name of each slot.
   Functions share no code and leave none over. */
static rlx_status parse_functions(loader *l)
{
    rlx_executable *exe = l->exe;
    reader r;
    uint32_t at = 0;
    RLX_TRY(open_section(l, RLXV_SECTION_FUNCTIONS, 10, "functions", &r, &exe->n_functions));
    exe->function_hash_size = 16;
    while (exe->function_hash_size < exe->n_functions * 2)
        exe->function_hash_size *= 2;
    uint32_t mask = exe->function_hash_size - 1;
    exe->functions = rlxv_arena_alloc(&exe->arena, exe->n_functions, sizeof *exe->functions);
    exe->function_hash = rlxv_arena_alloc(&exe->arena, mask + 1, sizeof *exe->function_hash);
    if (!exe->functions || !exe->function_hash)
        return out_of_memory(l);
    for (uint32_t i = 0; i < exe->n_functions; i++) {
        RLX_TRY(parse_function(l, &r, i));
        rlx_str name = exe->functions[i].name;
        if (exe->functions[i].code_offset != at)
            return malformed(l, "function", i, "its code is not where the last one's ends");
        at += exe->functions[i].n_words;
        uint32_t h = (uint32_t)rlxv_checksum(name.data, name.len) & mask;
        for (; exe->function_hash[h]; h = (h + 1) & mask)
            if (rlx_str_eq(exe->functions[exe->function_hash[h] - 1].name, name))
                return malformed(l, "function", i, "has the name of an earlier one");
        exe->function_hash[h] = i + 1;
    }
    if (at != exe->n_words)
        return rlx_fail(l->err, RLX_E_INVALID_MODULE, "the code section has words of no function");
    return close_section(l, &r, "functions");
}

/* Code: words. */
static rlx_status parse_code(loader *l)
{
    rlx_executable *exe = l->exe;
    reader r;
    RLX_TRY(open_section(l, RLXV_SECTION_CODE, 1, "code", &r, &exe->n_words));
    exe->code = rlxv_arena_alloc(&exe->arena, exe->n_words, sizeof *exe->code);
    if (!exe->code)
        return out_of_memory(l);
    for (uint32_t i = 0; i < exe->n_words; i++)
        exe->code[i] = word(&r);
    return close_section(l, &r, "code");
}

/* Debug map: function, pc, file, line, column, name; by function and pc. */
static rlx_status parse_debug(loader *l)
{
    rlx_executable *exe = l->exe;
    reader r;
    uint32_t n, last = 0;
    RLX_TRY(open_section(l, RLXV_SECTION_DEBUG, 6, "debug", &r, &n));
    rlxv_debug_row *rows = rlxv_arena_alloc(&exe->arena, n, sizeof *rows);
    if (!rows)
        return out_of_memory(l);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = word(&r);
        rows[i].pc = word(&r);
        RLX_TRY(string_at(l, &r, &rows[i].file));
        rows[i].line = word(&r);
        rows[i].column = word(&r);
        RLX_TRY(string_at(l, &r, &rows[i].name));
        if (f >= exe->n_functions || f < last ||
            (i > 0 && f == last && exe->functions[f].n_debug && rows[i].pc <= rows[i - 1].pc) ||
            rows[i].pc >= exe->functions[f].n_words)
            return malformed(l, "debug row", i, "is out of range or order");
        if (exe->functions[f].n_debug++ == 0)
            exe->functions[f].debug = &rows[i];
        last = f;
    }
    return close_section(l, &r, "debug");
}

/* Metadata: key and value. */
static rlx_status parse_metadata(loader *l)
{
    rlx_executable *exe = l->exe;
    reader r;
    RLX_TRY(open_section(l, RLXV_SECTION_METADATA, 2, "metadata", &r, &exe->n_metadata));
    exe->metadata = rlxv_arena_alloc(&exe->arena, exe->n_metadata, 2 * sizeof *exe->metadata);
    if (!exe->metadata)
        return out_of_memory(l);
    for (uint32_t i = 0; i < 2 * exe->n_metadata; i++)
        RLX_TRY(string_at(l, &r, &exe->metadata[i]));
    return close_section(l, &r, "metadata");
}

/* Native code: triple, features, size of the shared object (64 bits), its bytes. */
static rlx_status parse_native(loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_native *nat = &exe->native;
    reader r;
    uint32_t n;
    RLX_TRY(open_section(l, RLXV_SECTION_NATIVE, 4, "native", &r, &n));
    if (!l->sections[RLXV_SECTION_NATIVE].present)
        return RLX_OK;
    RLX_TRY(string_at(l, &r, &nat->triple));
    nat->n_features = count_of(&r, 1);
    nat->features = rlxv_arena_alloc(&exe->arena, nat->n_features, sizeof *nat->features);
    if (!nat->features)
        return out_of_memory(l);
    for (uint32_t i = 0; i < nat->n_features; i++)
        RLX_TRY(string_at(l, &r, &nat->features[i]));
    uint64_t size = word64(&r);
    if (n != 1 || r.bad || size != r.left)
        return rlx_fail(l->err, RLX_E_INVALID_MODULE, "the native section has a wrong size");
    nat->present = true;
    nat->elf = r.p;
    nat->size = r.left;
    return RLX_OK;
}

/* --- header ---------------------------------------------------------------------------------- */

static rlx_status bad_header(rlx_error *err, const char *why)
{
    return rlx_fail(err, RLX_E_INVALID_MODULE, "not a sound executable: %s", why);
}

rlx_status rlxv_read_header(const uint8_t *h, size_t available, uint64_t total_size,
                            size_t *out_head_size, uint64_t *out_data_offset,
                            uint64_t *out_data_size, rlx_error *err)
{
    if (available < RLXV_HEADER_BYTES || memcmp(h, RLXV_MAGIC, 8) != 0)
        return bad_header(err, "it does not begin like one");
    uint32_t major = rlxv_load_u16(h + 8), minor = rlxv_load_u16(h + 10);
    if (major != RLX_FORMAT_MAJOR || minor > RLX_FORMAT_MINOR)
        return rlx_fail(err, RLX_E_VERSION,
                        "the file has format %u.%u, this library reads %d.0 to %d.%d", major, minor,
                        RLX_FORMAT_MAJOR, RLX_FORMAT_MAJOR, RLX_FORMAT_MINOR);
    uint32_t n = rlxv_load_u32(h + 24);
    if (rlxv_load_u32(h + 12) || rlxv_load_u32(h + 28))
        return bad_header(err, "unknown flags");
    for (size_t i = 40; i < RLXV_HEADER_BYTES; i++)
        if (h[i])
            return bad_header(err, "unknown flags");
    if (rlxv_load_u64(h + 16) != total_size)
        return bad_header(err, "its size is not what the header says");
    if (n > RLXV_MAX_SECTIONS)
        return bad_header(err, "too many sections");
    size_t table_end = RLXV_HEADER_BYTES + (size_t)n * RLXV_SECTION_BYTES;
    if (table_end > available)
        return bad_header(err, "the section table ends early");
    uint64_t sum = rlxv_checksum(h, 32) ^ rlxv_checksum(h + 64, table_end - 64);
    if (sum != rlxv_load_u64(h + 32))
        return bad_header(err, "the header's checksum is wrong");

    uint64_t at = table_end, data_offset = total_size, data_size = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *e = h + RLXV_HEADER_BYTES + (size_t)i * RLXV_SECTION_BYTES;
        uint64_t offset = rlxv_load_u64(e + 8), size = rlxv_load_u64(e + 16);
        if (offset % 64 || offset < at || offset - at >= 64 || offset > total_size ||
            size > total_size - offset)
            return bad_header(err, "a section is out of place");
        if (rlxv_load_u32(e) == RLXV_SECTION_DATA) {
            if (i != n - 1)
                return bad_header(err, "the data section is not the last");
            data_offset = offset;
            data_size = size;
        }
        at = offset + size;
    }
    if (at != total_size)
        return bad_header(err, "there are bytes after the last section");
    if (data_offset > SIZE_MAX / 2)
        return bad_header(err, "it is too large");
    *out_head_size = (size_t)data_offset;
    *out_data_offset = data_offset;
    *out_data_size = data_size;
    return RLX_OK;
}

/* Fills l->sections and compares checksums; the header is known to be sound. */
static rlx_status split_sections(loader *l)
{
    rlx_executable *exe = l->exe;
    const uint8_t *h = exe->head;
    uint32_t n = rlxv_load_u32(h + 24), seen = 0;
    size_t at = RLXV_HEADER_BYTES + (size_t)n * RLXV_SECTION_BYTES;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *e = h + RLXV_HEADER_BYTES + (size_t)i * RLXV_SECTION_BYTES;
        uint32_t kind = rlxv_load_u32(e), flags = rlxv_load_u32(e + 4);
        uint64_t offset = rlxv_load_u64(e + 8), size = rlxv_load_u64(e + 16);
        uint64_t sum = rlxv_load_u64(e + 24);
        if (flags & ~RLXV_SECTION_REQUIRED || rlxv_load_u32(e + 36))
            return bad_header(l->err, "unknown section flags");
        for (; at < offset; at++)
            if (h[at])
                return bad_header(l->err, "padding is not zero");
        at = (size_t)offset;
        if (kind == RLXV_SECTION_DATA) {
            exe->data_checksum = sum;
            break;
        }
        at += (size_t)size;
        if (rlxv_checksum(h + offset, (size_t)size) != sum)
            return rlx_fail(l->err, RLX_E_INVALID_MODULE, "section %u is damaged: wrong checksum",
                            kind);
        if (kind == 0 || kind >= RLXV_SECTION_END) {
            if (flags & RLXV_SECTION_REQUIRED)
                return rlx_fail(l->err, RLX_E_VERSION,
                                "section %u is required and unknown to this library", kind);
            continue;
        }
        if (seen & 1u << kind)
            return rlx_fail(l->err, RLX_E_INVALID_MODULE, "section %u appears twice", kind);
        seen |= 1u << kind;
        l->sections[kind] = (section){h + offset, (size_t)size, rlxv_load_u32(e + 32), true};
    }
    return RLX_OK;
}

rlx_status rlxv_load(const rlx_allocator *a, uint8_t *head, size_t head_size, rlx_storage *data,
                     uint64_t total_size, bool trust_native, rlx_executable **out, rlx_error *err)
{
    rlx_executable *exe = rlx_alloc(a, sizeof *exe, _Alignof(rlx_executable));
    if (!exe) {
        rlx_free(a, head, head_size, 64);
        if (data)
            rlxv_release(&data->header);
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while loading an executable");
    }
    memset(exe, 0, sizeof *exe);
    atomic_init(&exe->refs, 1);
    exe->allocator = a ? *a : *rlx_default_allocator();
    rlxv_arena_init(&exe->arena, a);
    exe->head = head;
    exe->head_size = head_size;
    exe->data = data;
    exe->total_size = total_size;

    loader l = {.exe = exe, .err = err};
    static rlx_status (*const steps[])(loader *) = {
        split_sections, parse_strings, parse_exprs,     parse_types, parse_constants, parse_kernels,
        parse_imports,  parse_code,    parse_functions, parse_debug, parse_metadata,  parse_native,
    };
    rlx_status status = rlxv_read_header(head, head_size, total_size, &exe->head_size,
                                         &exe->data_offset, &exe->data_size, err);
    if (status == RLX_OK &&
        (exe->head_size != head_size || exe->data_size != (data ? data->size : 0)))
        status = bad_header(err, "it changed while it was read");
    for (size_t i = 0; status == RLX_OK && i < sizeof steps / sizeof *steps; i++)
        status = steps[i](&l);
    if (status == RLX_OK)
        status = rlxv_verify(exe, err);
    if (status == RLX_OK && trust_native && exe->native.present)
        status = rlxv_native_load(exe, err);
    exe->head_size = head_size;
    if (status != RLX_OK) {
        rlx_executable_release(exe);
        return status;
    }
    *out = exe;
    return RLX_OK;
}
