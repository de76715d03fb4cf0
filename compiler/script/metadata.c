/* The metadata block of a script: constants too large for the text, as TVM saves them.
 *
 * Two JSON forms are read: the node table with type_key / attrs / b64ndarrays, and the newer one
 * with root_index and nodes of type / data. Only tensor constants matter; other entries of the
 * table are skipped, and accessing one is an error. Arrays are base64 of the NDArray format: magic,
 * reserved, device, ndim, dtype, shape, byte count, data; little-endian. */
#include <jansson.h>
#include <string.h>

#include "compiler/script/parse.h"
#include "rlx/checked.h"

#define NDARRAY_MAGIC 0xDD5E40F096B4A13Full

typedef struct reader {
    rlxc_parser *p;
    rlxc_range range;
    json_t *root, *nodes;
    bool table; /* the older form */
} reader;

static bool fail(reader *r, const char *what)
{
    rlxc_error(r->p->ctx, r->range, "metadata: %s", what);
    return false;
}

/* --- base64 and NDArray ---------------------------------------------------------------------- */

static int digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decoded bytes in the arena; NULL when the text is malformed. */
static uint8_t *decode(reader *r, const char *text, size_t length, size_t *out_size)
{
    uint8_t *data = rlxc_try_alloc(r->p->ctx, length / 4 * 3 + 4, 1);
    uint32_t bits = 0;
    unsigned have = 0;
    size_t n = 0;
    for (size_t i = 0; data && i < length; i++) {
        char c = text[i];
        if (c == '\n' || c == '\r' || c == ' ')
            continue;
        if (c == '=')
            break;
        int value = digit(c);
        if (value < 0)
            return NULL;
        bits = bits << 6 | (uint32_t)value;
        have += 6;
        if (have >= 8) {
            have -= 8;
            data[n++] = (uint8_t)(bits >> have);
        }
    }
    *out_size = n;
    return data;
}

static uint64_t little(const uint8_t *p, unsigned n)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < n; i++)
        value |= (uint64_t)p[i] << (8 * i);
    return value;
}

static const rlxc_constant *read_array(reader *r, const char *text, size_t length)
{
    enum { HEADER = 28, TYPE = 24 };
    size_t size = 0, count = 1, nbytes;
    const uint8_t *data = decode(r, text, length, &size);
    if (!data || size < HEADER || little(data, 8) != NDARRAY_MAGIC) {
        fail(r, "an array is not base64 of the NDArray format");
        return NULL;
    }
    uint64_t ndim = little(data + 24, 4);
    if (ndim > RLXC_MAX_NDIM || size < TYPE + 4 + 4 + ndim * 8 + 8) {
        fail(r, "an array is truncated");
        return NULL;
    }
    const uint8_t *at = data + 28;
    rlx_dtype dtype = {at[0], at[1], (uint16_t)little(at + 2, 2)};
    if (dtype.code == RLX_UINT && dtype.bits == 1) /* how older versions wrote bool */
        dtype = RLX_B8;
    if (dtype.code == RLX_BOOL)
        dtype.bits = 8;
    int64_t shape[RLXC_MAX_NDIM];
    at += 4;
    for (uint64_t i = 0; i < ndim; i++, at += 8) {
        shape[i] = (int64_t)little(at, 8);
        if (shape[i] < 0 || !rlx_mul_size(count, (size_t)shape[i], &count)) {
            fail(r, "an array has an invalid shape");
            return NULL;
        }
    }
    uint64_t given = little(at, 8);
    at += 8;
    if (!rlx_dtype_valid(dtype) || !rlx_nbytes(shape, (uint32_t)ndim, dtype, &nbytes)) {
        fail(r, "an array has an unknown element type or is too large");
        return NULL;
    }
    if (given != nbytes || (size_t)(data + size - at) < nbytes) {
        fail(r, "an array's size does not match its shape");
        return NULL;
    }
    for (size_t i = 0; dtype.code == RLX_BOOL && i < nbytes; i++)
        if (at[i] > 1) {
            fail(r, "an array of bool holds a byte that is neither 0 nor 1");
            return NULL;
        }
    void *copy = rlxc_try_alloc(r->p->ctx, nbytes + 1, 1); /* aligned for its type */
    if (!copy)
        return NULL;
    memcpy(copy, at, nbytes);
    return rlxc_constant_new(r->p->ctx, dtype, (uint32_t)ndim, shape, copy, nbytes);
}

/* --- the table ------------------------------------------------------------------------------- */

/* An index that is a number or, in the older form, digits in a string. */
static json_t *item_at(json_t *array, json_t *index)
{
    json_int_t i = -1;
    const char *text = json_string_value(index);
    if (json_is_integer(index))
        i = json_integer_value(index);
    for (size_t k = 0; text && k < 9 && text[k] >= '0' && text[k] <= '9'; k++)
        i = (k == 0 ? 0 : i * 10) + (text[k] - '0');
    return i < 0 ? NULL : json_array_get(array, (size_t)i);
}

static const char *type_of(const reader *r, json_t *node)
{
    const char *type = json_string_value(json_object_get(node, r->table ? "type_key" : "type"));
    return type ? type : "";
}

/* The text of the array that |node| holds, itself or as its value; NULL if it is not a tensor. */
static json_t *array_text(reader *r, json_t *node)
{
    static const struct {
        const char *type, *field; /* of its data: the node, or text, of the array */
    } kinds[] = {{"relax.expr.Constant", "data"}, {"ir.GenericConst", "value"}};
    const char *type = type_of(r, node);
    if (strcmp(type, "ffi.Tensor") == 0 || strcmp(type, "runtime.NDArray") == 0)
        return json_object_get(node, r->table ? "repr_str" : "data");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(type, kinds[i].type) != 0)
            continue;
        json_t *fields = json_object_get(node, r->table ? "attrs" : "data");
        json_t *index = json_object_get(fields, kinds[i].field);
        return r->table ? item_at(json_object_get(r->root, "b64ndarrays"), index)
                        : json_object_get(item_at(r->nodes, index), "data");
    }
    return NULL;
}

/* The literal in a node of a string type; NULL if it has another type. */
static const rlxc_py *plain_text(reader *r, const char *kind, json_t *node)
{
    if (strcmp(kind, "ffi.String") != 0 && strcmp(kind, "runtime.String") != 0)
        return NULL;
    json_t *text = json_object_get(node, r->table ? "repr_str" : "data");
    if (!json_is_string(text))
        return NULL;
    rlxc_py *e = rlxc_alloc(r->p->ctx, sizeof *e);
    e->kind = RLXC_PY_STRING;
    e->range = r->range;
    e->length = json_string_length(text);
    e->text = rlxc_intern(r->p->ctx, json_string_value(text), e->length);
    return e;
}

/* The values of |kind|, whose nodes |list| counts. */
static bool read_kind(reader *r, const char *kind, json_t *list)
{
    rlxc_metadata *out = NULL;
    RLXC_PUSH(r->p->ctx, &r->p->metadata, (rlxc_metadata){.kind = kind});
    if (rlxc_out_of_memory(r->p->ctx))
        return false;
    out = &r->p->metadata.items[r->p->metadata.count - 1];
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *node = item_at(r->nodes, json_array_get(list, i)), *text = array_text(r, node);
        const rlxc_constant *c = NULL;
        if (strcmp(kind, "relax.expr.Constant") == 0 && !json_is_string(text))
            return fail(r, "a constant without data");
        if (json_is_string(text) &&
            !(c = read_array(r, json_string_value(text), json_string_length(text))))
            return false;
        RLXC_PUSH(r->p->ctx, &out->items, c);
        RLXC_PUSH(r->p->ctx, &out->texts, plain_text(r, kind, node));
    }
    return true;
}

/* The map at the root, from the name of a type to the list of its values. */
static bool read_table(reader *r)
{
    r->table = json_object_get(r->root, "root_index") == NULL;
    r->nodes = json_object_get(r->root, "nodes");
    if (!json_is_array(r->nodes))
        return fail(r, "there is no list of nodes");
    json_t *root = item_at(r->nodes, json_object_get(r->root, r->table ? "root" : "root_index"));
    json_t *data = json_object_get(root, "data"), *keys = json_object_get(root, "keys");
    size_t step = r->table ? 1 : 2, n = r->table ? json_array_size(keys) : json_array_size(data);
    for (size_t i = 0; i + step <= n; i += step) { /* newer: key, value, key, value, ... */
        json_t *key = r->table
                          ? json_array_get(keys, i)
                          : json_object_get(item_at(r->nodes, json_array_get(data, i)), "data");
        json_t *list = item_at(r->nodes, json_array_get(data, r->table ? i : i + 1));
        const char *kind = json_string_value(key);
        if (kind && !read_kind(r, rlxc_intern_cstr(r->p->ctx, kind), json_object_get(list, "data")))
            return false;
    }
    return true;
}

bool rlxc_parse_metadata(rlxc_parser *p, const rlxc_py *text)
{
    reader r = {.p = p, .range = text->range};
    json_error_t error;
    if (text->kind != RLXC_PY_STRING)
        return fail(&r, "load_json takes a string");
    r.root = json_loadb(text->text, text->length, 0, &error);
    if (!r.root) {
        if (error.text[0] == '\0') /* nothing is wrong with the text */
            rlxc_set_out_of_memory(p->ctx);
        else
            rlxc_error(p->ctx, text->range, "metadata is not JSON: %s at line %d", error.text,
                       error.line);
        return false;
    }
    bool ok = read_table(&r);
    json_decref(r.root);
    return ok;
}

void rlxc_parse_kept(rlxc_parser *p, const rlxc_kept *kept)
{
    rlxc_metadata of_kept = {.kind = RLXC_KEPT};
    for (uint32_t i = 0; i < kept->constants.count; i++)
        RLXC_PUSH(p->ctx, &of_kept.items, kept->constants.items[i]);
    RLXC_PUSH(p->ctx, &p->metadata, of_kept);
    rlxc_names_define(p->ctx, &p->names, rlxc_intern_cstr(p->ctx, "metadata"), RLXC_NAME_METADATA);
}

bool rlxc_parse_is_metadata(rlxc_parser *p, const rlxc_py *e)
{
    if (e->kind != RLXC_PY_INDEX || e->base->kind != RLXC_PY_INDEX ||
        e->base->base->kind != RLXC_PY_NAME)
        return false;
    const rlxc_name *name = rlxc_names_find(&p->names, e->base->base->text);
    return name && name->kind == RLXC_NAME_METADATA;
}

static const rlxc_metadata *of_kind(const rlxc_parser *p, const rlxc_py *kind)
{
    const rlxc_metadata *found = NULL;
    for (uint32_t i = 0; i < p->metadata.count && kind->kind == RLXC_PY_STRING; i++)
        if (strcmp(p->metadata.items[i].kind, kind->text) == 0)
            found = &p->metadata.items[i];
    return found;
}

const rlxc_py *rlxc_parse_literal(rlxc_parser *p, const rlxc_py *e)
{
    if (!rlxc_parse_is_metadata(p, e) || e->a->kind != RLXC_PY_INT)
        return e;
    const rlxc_metadata *found = of_kind(p, e->base->a);
    bool known = found && e->a->i >= 0 && e->a->i < found->texts.count;
    return known && found->texts.items[e->a->i] ? found->texts.items[e->a->i] : e;
}

const rlxc_constant *rlxc_parse_metadata_item(rlxc_parser *p, const rlxc_py *e)
{
    const rlxc_py *kind = e->base->a;
    const rlxc_metadata *found = of_kind(p, kind);
    if (!found) {
        rlxc_error(p->ctx, kind->range, "the metadata holds nothing of the kind %s",
                   rlxc_py_describe(p->ctx, kind));
        return NULL;
    }
    if (e->a->kind != RLXC_PY_INT || e->a->i < 0 || e->a->i >= found->items.count) {
        rlxc_error(p->ctx, e->a->range, "the metadata holds %u of the kind %s, got index %s",
                   found->items.count, rlxc_py_describe(p->ctx, kind),
                   rlxc_py_describe(p->ctx, e->a));
        return NULL;
    }
    if (!found->items.items[e->a->i])
        rlxc_error(p->ctx, kind->range, "metadata of %s is not supported: it is not a tensor",
                   rlxc_py_describe(p->ctx, kind));
    return found->items.items[e->a->i];
}
