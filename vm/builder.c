/* The executable builder's tables: strings, expressions, types, constants, kernels, imports. Equal
 * rows are kept once, in the order of their first use. Ranges are checked here, so that mistakes
 * are reported by the call that makes them. */
#include "vm/builder.h"
#include "vm/need.h"

#include <rlx/checked.h>
#include <string.h>

static rlx_status no_memory(rlx_error *err)
{
    return rlx_fail(err, RLX_E_NOMEM, "out of memory while building an executable");
}

#define INVALID(...) rlx_fail(err, RLX_E_INVALID_ARG, __VA_ARGS__)
#define GROW(array, capacity, count) \
    rlxv_grow(&b->allocator, (void **)&(array), &(capacity), (count), sizeof *(array))

rlx_status rlx_exec_builder_create(const rlx_allocator *a, rlx_exec_builder **out, rlx_error *err)
{
    RLXV_NEED(err, out);
    rlx_exec_builder *b = rlx_alloc(a, sizeof *b, _Alignof(rlx_exec_builder));
    if (!b)
        return no_memory(err);
    memset(b, 0, sizeof *b);
    b->allocator = a ? *a : *rlx_default_allocator();
    rlxv_arena_init(&b->arena, a);
    b->current = RLX_NONE;
    *out = b;
    return RLX_OK;
}

#define FREE(array, capacity) rlx_free(&a, (array), (size_t)(capacity) * sizeof *(array), 16)

static void free_rows(const rlx_allocator *allocator, rlxv_rows *r)
{
    rlx_allocator a = *allocator;
    FREE(r->words, r->words_capacity);
    FREE(r->starts, r->starts_capacity);
    FREE(r->hash, r->hash_size);
}

void rlx_exec_builder_destroy(rlx_exec_builder *b)
{
    if (!b)
        return;
    rlx_allocator a = b->allocator;
    free_rows(&a, &b->exprs);
    free_rows(&a, &b->types);
    free_rows(&a, &b->scalars);
    FREE(b->expr_slots, b->expr_info_capacity[0]);
    FREE(b->expr_depth, b->expr_info_capacity[1]);
    FREE(b->expr_size, b->expr_info_capacity[2]);
    FREE(b->type_slots, b->type_info_capacity[0]);
    FREE(b->type_depth, b->type_info_capacity[1]);
    FREE(b->type_size, b->type_info_capacity[2]);
    FREE(b->scalar_constant, b->scalar_constant_capacity);
    FREE(b->strings, b->strings_capacity);
    FREE(b->string_hash, b->string_hash_size);
    for (uint32_t i = 0; i < b->n_functions; i++) {
        rlxv_build_function *f = &b->functions[i];
        FREE(f->code, f->code_capacity);
        FREE(f->slot_names, f->slot_names_capacity);
        FREE(f->result_names, f->result_names_capacity);
        FREE(f->debug, f->debug_capacity);
        FREE(f->buffers, f->buffers_capacity);
        FREE(f->tensors, f->tensors_capacity);
        FREE(f->region_devices, f->region_devices_capacity);
    }
    FREE(b->constants, b->constants_capacity);
    FREE(b->kernels, b->kernels_capacity);
    FREE(b->functions, b->functions_capacity);
    FREE(b->imports, b->imports_capacity);
    FREE(b->metadata, b->metadata_capacity);
    FREE(b->devices, b->devices_capacity);
    FREE(b->modules, b->modules_capacity);
    FREE(b->labels, b->labels_capacity);
    FREE(b->fixups, b->fixups_capacity);
    rlxv_arena_deinit(&b->arena);
    rlx_free(&a, b, sizeof *b, _Alignof(rlx_exec_builder));
}

/* Grows the hash table to at least twice |count|; |rehash| gives the home slot of each entry. */
static bool grow_hash(const rlx_allocator *allocator, uint32_t **hash, uint32_t *size,
                      uint32_t count)
{
    if (count < *size / 2)
        return true;
    rlx_allocator a = *allocator;
    uint32_t fresh = *size ? *size * 2 : 64;
    uint32_t *p = rlx_alloc(&a, (size_t)fresh * sizeof *p, 16);
    if (!p)
        return false;
    memset(p, 0, (size_t)fresh * sizeof *p);
    FREE(*hash, *size);
    *hash = p;
    *size = fresh;
    return true;
}

static uint32_t row_hash(const uint32_t *words, uint32_t n, uint32_t mask)
{
    return (uint32_t)rlxv_checksum(words, n * sizeof *words) & mask;
}

/* The index of the row, new or old. */
static rlx_status intern_row(rlx_exec_builder *b, rlxv_rows *r, const uint32_t *words, uint32_t n,
                             uint32_t *out, bool *out_new, rlx_error *err)
{
    uint32_t old_size = r->hash_size;
    if (!grow_hash(&b->allocator, &r->hash, &r->hash_size, r->count + 1))
        return no_memory(err);
    uint32_t mask = r->hash_size - 1, h;
    if (r->hash_size != old_size) {
        for (uint32_t i = 0; i < r->count; i++) {
            h = row_hash(r->words + r->starts[i], r->starts[i + 1] - r->starts[i], mask);
            while (r->hash[h])
                h = (h + 1) & mask;
            r->hash[h] = i + 1;
        }
    }
    for (h = row_hash(words, n, mask); r->hash[h]; h = (h + 1) & mask) {
        uint32_t i = r->hash[h] - 1;
        if (r->starts[i + 1] - r->starts[i] == n &&
            memcmp(r->words + r->starts[i], words, n * sizeof *words) == 0) {
            *out = i;
            *out_new = false;
            return RLX_OK;
        }
    }
    if (n > UINT32_MAX / 4 - r->n_words || !GROW(r->words, r->words_capacity, r->n_words + n) ||
        !GROW(r->starts, r->starts_capacity, r->count + 1))
        return no_memory(err);
    memcpy(r->words + r->n_words, words, n * sizeof *words);
    r->starts[r->count] = r->n_words;
    r->n_words += n;
    r->starts[r->count + 1] = r->n_words;
    r->hash[h] = r->count + 1;
    *out = r->count++;
    *out_new = true;
    return RLX_OK;
}

rlx_status rlxv_build_string(rlx_exec_builder *b, rlx_str text, uint32_t *out, rlx_error *err)
{
    uint32_t old_size = b->string_hash_size;
    if (text.len > UINT32_MAX / 4)
        return rlx_fail(err, RLX_E_LIMIT, "a string of %zu bytes", text.len);
    if (!grow_hash(&b->allocator, &b->string_hash, &b->string_hash_size, b->n_strings + 1))
        return no_memory(err);
    uint32_t mask = b->string_hash_size - 1, h;
    if (b->string_hash_size != old_size) {
        for (uint32_t i = 0; i < b->n_strings; i++) {
            h = (uint32_t)rlxv_checksum(b->strings[i].data, b->strings[i].len) & mask;
            while (b->string_hash[h])
                h = (h + 1) & mask;
            b->string_hash[h] = i + 1;
        }
    }
    for (h = (uint32_t)rlxv_checksum(text.data, text.len) & mask; b->string_hash[h];
         h = (h + 1) & mask) {
        if (rlx_str_eq(b->strings[b->string_hash[h] - 1], text)) {
            *out = b->string_hash[h] - 1;
            return RLX_OK;
        }
    }
    rlx_str copy = rlxv_arena_str(&b->arena, text);
    if (!copy.data || !GROW(b->strings, b->strings_capacity, b->n_strings))
        return no_memory(err);
    b->strings[b->n_strings] = copy;
    b->string_hash[h] = b->n_strings + 1;
    *out = b->n_strings++;
    return RLX_OK;
}

bool rlxv_build_constant_value(const rlx_exec_builder *b, uint32_t e, int64_t *out)
{
    const uint32_t *row = b->exprs.words + b->exprs.starts[e];
    *out = (int64_t)(row[1] | (uint64_t)row[2] << 32);
    return row[0] == RLX_EXPR_CONST;
}

/* --- expressions and types ------------------------------------------------------------------- */

static rlx_status add_expr(rlx_exec_builder *b, const uint32_t row[4], uint32_t n_operands,
                           uint32_t *out, rlx_error *err)
{
    uint32_t depth = 0, size = 1, slots = 0, i;
    bool fresh;
    for (uint32_t k = 0; k < n_operands; k++) {
        uint32_t e = row[1 + k];
        if (e >= b->exprs.count)
            return INVALID("expression %u does not exist", e);
        depth = b->expr_depth[e] + 1 > depth ? b->expr_depth[e] + 1 : depth;
        size += b->expr_size[e];
        slots = b->expr_slots[e] > slots ? b->expr_slots[e] : slots;
    }
    if (depth > RLXV_MAX_EXPR_DEPTH || size > RLXV_MAX_EXPR_SIZE)
        return rlx_fail(err, RLX_E_LIMIT, "an expression of depth %u and size %u is too large",
                        depth, size);
    if (row[0] == RLX_EXPR_SLOT)
        slots = row[1] + 1;
    RLX_TRY(intern_row(b, &b->exprs, row, 4, &i, &fresh, err));
    if (fresh) {
        if (!GROW(b->expr_slots, b->expr_info_capacity[0], i) ||
            !GROW(b->expr_depth, b->expr_info_capacity[1], i) ||
            !GROW(b->expr_size, b->expr_info_capacity[2], i))
            return no_memory(err);
        b->expr_slots[i] = slots;
        b->expr_depth[i] = depth;
        b->expr_size[i] = size;
    }
    *out = i;
    return RLX_OK;
}

rlx_status rlx_exec_builder_const_expr(rlx_exec_builder *b, int64_t value, uint32_t *out,
                                       rlx_error *err)
{
    RLXV_NEED(err, b && out);
    uint32_t row[4] = {RLX_EXPR_CONST, (uint32_t)(uint64_t)value, (uint32_t)((uint64_t)value >> 32),
                       0};
    return add_expr(b, row, 0, out, err);
}

rlx_status rlx_exec_builder_slot_expr(rlx_exec_builder *b, uint32_t slot, uint32_t *out,
                                      rlx_error *err)
{
    RLXV_NEED(err, b && out);
    uint32_t row[4] = {RLX_EXPR_SLOT, slot, 0, 0};
    if (slot >= RLXV_MAX_SLOTS)
        return rlx_fail(err, RLX_E_LIMIT, "slot %u", slot);
    return add_expr(b, row, 0, out, err);
}

rlx_status rlx_exec_builder_expr(rlx_exec_builder *b, rlx_expr_op op, uint32_t a, uint32_t b_,
                                 uint32_t c_, uint32_t *out, rlx_error *err)
{
    RLXV_NEED(err, b && out);
    if (op == RLX_EXPR_CONST || op == RLX_EXPR_SLOT || (uint32_t)op > RLX_EXPR_SELECT)
        return INVALID("expression operation %d has no operands", (int)op);
    uint32_t row[4] = {(uint32_t)op, a, b_, op == RLX_EXPR_SELECT ? c_ : 0};
    return add_expr(b, row, op == RLX_EXPR_SELECT ? 3 : 2, out, err);
}

uint32_t rlx_dtype_word(rlx_dtype t)
{
    return t.code | (uint32_t)t.bits << 8 | (uint32_t)t.lanes << 16;
}

static rlx_status check_dims(rlx_exec_builder *b, const rlx_type_info *t, uint32_t *slots,
                             rlx_error *err)
{
    for (uint32_t i = 0; i < t->n_dims; i++) {
        uint32_t kind = t->dims[i].kind, index = t->dims[i].index, used = 0;
        if (kind == RLX_DIM_BIND && index < RLXV_MAX_SLOTS)
            used = index + 1;
        else if (kind == RLX_DIM_EXPR && index < b->exprs.count)
            used = b->expr_slots[index];
        else if (kind != RLX_DIM_ANY)
            return INVALID("dimension %u of a type is bad", i);
        *slots = used > *slots ? used : *slots;
    }
    return RLX_OK;
}

rlx_status rlx_exec_builder_type(rlx_exec_builder *b, const rlx_type_info *t, uint32_t *out,
                                 rlx_error *err)
{
    RLXV_NEED(err, b && t && out);
    bool has_dims =
        t->kind == RLX_TYPE_TENSOR || t->kind == RLX_TYPE_SHAPE || t->kind == RLX_TYPE_PRIM;
    bool has_dtype = t->kind == RLX_TYPE_PRIM || (t->kind == RLX_TYPE_TENSOR && t->dtype.bits);
    bool rank_known = t->kind == RLX_TYPE_PRIM || (has_dims && t->rank_known);
    uint32_t n =
        has_dims ? (rank_known ? t->n_dims : 0) : (t->kind == RLX_TYPE_TUPLE ? t->n_children : 0);
    uint32_t slots = 0, depth = 0, i, local[64], *row = local;
    uint64_t size = 1 + (has_dims ? (uint64_t)n : 0);
    bool fresh;
    if (has_dtype && !rlx_dtype_valid(t->dtype))
        return INVALID("a type with a dtype that does not exist");
    if (t->kind == RLX_TYPE_TENSOR && n > RLX_MAX_NDIM)
        return rlx_fail(err, RLX_E_LIMIT, "a tensor type of rank %u", n);
    if (has_dims && n)
        RLX_TRY(check_dims(b, t, &slots, err));
    if (n > 30 && !(row = rlxv_arena_alloc(&b->arena, (size_t)n * 2 + 3, sizeof *row)))
        return no_memory(err);
    row[0] = (uint32_t)t->kind | (rank_known ? 0x100u : 0u);
    row[1] = has_dtype ? rlx_dtype_word(t->dtype) : 0;
    row[2] = n;
    for (i = 0; i < n; i++) {
        if (has_dims) {
            row[3 + 2 * i] = t->dims[i].kind;
            row[4 + 2 * i] = t->dims[i].kind == RLX_DIM_ANY ? 0 : t->dims[i].index;
            continue;
        }
        row[3 + i] = t->children[i];
        if (t->children[i] >= b->types.count)
            return INVALID("type %u does not exist", t->children[i]);
        uint32_t used = b->type_slots[t->children[i]];
        slots = used > slots ? used : slots;
        depth = b->type_depth[row[3 + i]] + 1 > depth ? b->type_depth[row[3 + i]] + 1 : depth;
        size += b->type_size[row[3 + i]];
    }
    if (depth >= RLXV_MAX_TYPE_DEPTH || size > RLXV_MAX_TYPE_SIZE)
        return rlx_fail(err, RLX_E_LIMIT,
                        "a type of %llu fields and dimensions, nested %u deep, is too large: at "
                        "most %u and %u",
                        (unsigned long long)size, depth, RLXV_MAX_TYPE_SIZE,
                        RLXV_MAX_TYPE_DEPTH - 1);
    RLX_TRY(intern_row(b, &b->types, row, 3 + (has_dims ? 2 * n : n), &i, &fresh, err));
    if (fresh) {
        if (!GROW(b->type_slots, b->type_info_capacity[0], i) ||
            !GROW(b->type_depth, b->type_info_capacity[1], i) ||
            !GROW(b->type_size, b->type_info_capacity[2], i))
            return no_memory(err);
        b->type_slots[i] = slots;
        b->type_depth[i] = depth;
        b->type_size[i] = (uint32_t)size;
    }
    *out = i;
    return RLX_OK;
}

/* --- constants ------------------------------------------------------------------------------- */

static rlx_status add_constant(rlx_exec_builder *b, const rlxv_build_constant *c, uint32_t *out,
                               rlx_error *err)
{
    if (!GROW(b->constants, b->constants_capacity, b->n_constants))
        return no_memory(err);
    b->constants[b->n_constants] = *c;
    *out = b->n_constants++;
    return RLX_OK;
}

static rlx_status add_scalar(rlx_exec_builder *b, rlx_kind kind, uint64_t bits, uint32_t *out,
                             rlx_error *err)
{
    uint32_t row[3] = {(uint32_t)kind, (uint32_t)bits, (uint32_t)(bits >> 32)}, i;
    bool fresh;
    RLX_TRY(intern_row(b, &b->scalars, row, 3, &i, &fresh, err));
    if (fresh) {
        rlxv_build_constant c = {.kind = (uint32_t)kind, .bits = bits};
        if (!GROW(b->scalar_constant, b->scalar_constant_capacity, i))
            return no_memory(err);
        RLX_TRY(add_constant(b, &c, &b->scalar_constant[i], err));
    }
    *out = b->scalar_constant[i];
    return RLX_OK;
}

rlx_status rlx_exec_builder_const_string(rlx_exec_builder *b, rlx_str text, uint32_t *out,
                                         rlx_error *err)
{
    RLXV_NEED(err, b && RLXV_IS_STR(text) && out);
    uint32_t i;
    RLX_TRY(rlxv_build_string(b, text, &i, err));
    return add_scalar(b, RLX_KIND_STRING, i, out, err);
}

rlx_status rlx_exec_builder_const_value(rlx_exec_builder *b, rlx_value v, uint32_t *out,
                                        rlx_error *err)
{
    RLXV_NEED(err, b && rlxv_are_values(&v, 1) && out);
    uint64_t bits = 0;
    switch ((rlx_kind)v.kind) {
    case RLX_KIND_NONE:
        return add_scalar(b, RLX_KIND_NONE, 0, out, err);
    case RLX_KIND_INT:
        return add_scalar(b, RLX_KIND_INT, (uint64_t)v.as.i, out, err);
    case RLX_KIND_FLOAT:
        memcpy(&bits, &v.as.f, sizeof bits);
        return add_scalar(b, RLX_KIND_FLOAT, bits, out, err);
    case RLX_KIND_BOOL:
        return add_scalar(b, RLX_KIND_BOOL, v.as.i != 0, out, err);
    case RLX_KIND_DTYPE:
        if (!rlx_dtype_valid(v.as.dtype))
            return INVALID("a dtype constant that does not exist");
        return add_scalar(b, RLX_KIND_DTYPE, rlx_dtype_word(v.as.dtype), out, err);
    case RLX_KIND_STRING:
        return rlx_exec_builder_const_string(b, rlx_string_get(v.as.string), out, err);
    case RLX_KIND_SHAPE:
        return rlx_exec_builder_const_shape(b, v.as.shape->n, v.as.shape->dims, out, err);
    case RLX_KIND_TENSOR:
    case RLX_KIND_TUPLE:
    case RLX_KIND_CLOSURE:
    case RLX_KIND_STORAGE:
    case RLX_KIND_OBJECT:
        break;
    }
    return INVALID("a %s cannot be a constant here", rlx_kind_name((rlx_kind)v.kind));
}

static int64_t *copy_dims(rlx_exec_builder *b, uint32_t n, const int64_t *dims)
{
    int64_t *copy = rlxv_arena_alloc(&b->arena, n, sizeof *copy);
    if (copy && n)
        memcpy(copy, dims, n * sizeof *copy);
    return copy;
}

rlx_status rlx_exec_builder_const_shape(rlx_exec_builder *b, uint32_t n, const int64_t *dims,
                                        uint32_t *out, rlx_error *err)
{
    RLXV_NEED(err, b && (dims || n == 0) && out);
    rlxv_build_constant c = {.kind = RLX_KIND_SHAPE, .n = n, .dims = copy_dims(b, n, dims)};
    if (!c.dims)
        return no_memory(err);
    return add_constant(b, &c, out, err);
}

rlx_status rlx_exec_builder_const_tuple(rlx_exec_builder *b, uint32_t n, const uint32_t *items,
                                        uint32_t *out, rlx_error *err)
{
    RLXV_NEED(err, b && (items || n == 0) && out);
    rlxv_build_constant c = {.kind = RLX_KIND_TUPLE, .n = n};
    c.items = rlxv_arena_alloc(&b->arena, n, sizeof *items);
    if (!c.items)
        return no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        if (items[i] >= b->n_constants)
            return INVALID("constant %u does not exist", items[i]);
        c.items[i] = items[i];
    }
    return add_constant(b, &c, out, err);
}

rlx_status rlx_exec_builder_const_tensor(rlx_exec_builder *b, rlx_dtype dtype, uint32_t ndim,
                                         const int64_t *dims, const void *data, uint32_t *out,
                                         rlx_error *err)
{
    RLXV_NEED(err, b && (dims || ndim == 0) && out);
    rlxv_build_constant c = {.kind = RLX_KIND_TENSOR, .n = ndim, .dtype = dtype, .data = data};
    if (ndim > RLX_MAX_NDIM || !rlx_nbytes(dims, ndim, dtype, &c.nbytes))
        return INVALID("a tensor constant that cannot exist");
    RLXV_NEED(err, data || c.nbytes == 0);
    c.dims = copy_dims(b, ndim, dims);
    if (!c.dims)
        return no_memory(err);
    return add_constant(b, &c, out, err);
}

/* --- kernels, imports, native code, metadata -------------------------------------------------- */

rlx_status rlx_exec_builder_kernel(rlx_exec_builder *b, rlx_str name, rlx_str symbol,
                                   uint32_t n_dims, const rlx_kernel_param *params,
                                   uint32_t n_params, uint32_t *out, rlx_error *err)
{
    RLXV_NEED(err,
              b && RLXV_IS_STR(name) && RLXV_IS_STR(symbol) && (params || n_params == 0) && out);
    rlxv_build_kernel k = {.n_dims = n_dims, .n_params = n_params, .module = RLX_NONE};
    for (uint32_t i = 0; i < n_params; i++)
        if (params[i].type >= b->types.count || b->type_slots[params[i].type] > n_dims)
            return INVALID("parameter %u of kernel %.*s has a bad type", i, (int)name.len,
                           name.data);
    RLX_TRY(rlxv_build_string(b, name, &k.name, err));
    RLX_TRY(rlxv_build_string(b, symbol, &k.symbol, err));
    k.params = rlxv_arena_alloc(&b->arena, n_params, sizeof *params);
    if (!k.params || !GROW(b->kernels, b->kernels_capacity, b->n_kernels))
        return no_memory(err);
    if (n_params)
        memcpy(k.params, params, n_params * sizeof *params);
    b->kernels[b->n_kernels] = k;
    *out = b->n_kernels++;
    return RLX_OK;
}

rlx_status rlx_exec_builder_import(rlx_exec_builder *b, rlx_str builtin, uint32_t *out,
                                   rlx_error *err)
{
    RLXV_NEED(err, b && RLXV_IS_STR(builtin) && out);
    uint32_t name;
    RLX_TRY(rlxv_build_string(b, builtin, &name, err));
    for (uint32_t i = 0; i < b->n_imports; i++) {
        if (b->imports[i] == name) {
            *out = i;
            return RLX_OK;
        }
    }
    if (!GROW(b->imports, b->imports_capacity, b->n_imports))
        return no_memory(err);
    b->imports[b->n_imports] = name;
    *out = b->n_imports++;
    return RLX_OK;
}

rlx_status rlx_exec_builder_native(rlx_exec_builder *b, rlx_str triple, const rlx_str *features,
                                   uint32_t n_features, const void *elf, size_t size,
                                   rlx_error *err)
{
    RLXV_NEED(err, b && RLXV_IS_STR(triple) && (features || n_features == 0) && (elf || size == 0));
    if (b->has_native)
        return INVALID("the native section is set twice");
    RLX_TRY(rlxv_build_string(b, triple, &b->triple, err));
    b->features = rlxv_arena_alloc(&b->arena, n_features, sizeof *b->features);
    b->elf = rlxv_arena_alloc(&b->arena, size, 1);
    if (!b->features || !b->elf)
        return no_memory(err);
    for (uint32_t i = 0; i < n_features; i++)
        RLX_TRY(rlxv_build_string(b, features[i], &b->features[i], err));
    if (size)
        memcpy(b->elf, elf, size);
    b->elf_size = size;
    b->n_features = n_features;
    b->has_native = true;
    return RLX_OK;
}

void rlx_exec_builder_set_compression(rlx_exec_builder *b, rlx_compression compression)
{
    if (b)
        b->compression = compression;
}

rlx_status rlx_exec_builder_level(rlx_exec_builder *b, rlx_str name, rlx_exec_builder *program,
                                  rlx_error *err)
{
    RLXV_NEED(err, b && program && RLXV_IS_STR(name));
    if (b == program || b->n_functions || b->n_constants || b->n_kernels || b->has_native ||
        b->n_devices || b->n_modules)
        return INVALID("a builder for CPU levels must be otherwise empty");
    if (program->n_levels || !program->has_native)
        return INVALID("a level is one program with a native section");
    if (b->n_levels == RLX_MAX_LEVELS)
        return INVALID("more than %u levels", RLX_MAX_LEVELS);
    RLX_TRY(rlxv_build_string(b, name, &b->levels[b->n_levels].name, err));
    b->levels[b->n_levels++].program = program;
    return RLX_OK;
}

rlx_status rlx_exec_builder_metadata(rlx_exec_builder *b, rlx_str key, rlx_str value,
                                     rlx_error *err)
{
    RLXV_NEED(err, b && RLXV_IS_STR(key) && RLXV_IS_STR(value));
    uint32_t k, v;
    RLX_TRY(rlxv_build_string(b, key, &k, err));
    RLX_TRY(rlxv_build_string(b, value, &v, err));
    if (!GROW(b->metadata, b->metadata_capacity, b->n_metadata + 1))
        return no_memory(err);
    b->metadata[b->n_metadata++] = k;
    b->metadata[b->n_metadata++] = v;
    return RLX_OK;
}
