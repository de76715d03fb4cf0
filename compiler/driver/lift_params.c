/* Writes the weights file of an executable (lift_params.h). weights_program.h makes the program
 * that computes these weights from others; vm/load_weights.c loads both.
 *
 * The file has the weights as the executable reads them. Those that passes left as they were have
 * their names; one that was computed is NAME#I, and the file's metadata says by which operators.
 * The format has no padding; the order of the tensors gives each one the alignment of its elements,
 * and most of them 64 bytes. */
#include "compiler/driver/lift_params.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/weights_program.h"
#include "compiler/ir/lifted.h"
#include "compiler/ir/op.h"
#include "rlx/file.h"

enum { ALIGNMENT = 64, MOST_SHOWN = 8, BYTES_OF_LENGTH = 8 };

typedef struct lifter {
    rlxc_context *ctx;
    rlxc_constants read;      /* by the module */
    rlxc_constants distinct;  /* of those, in the order of the file */
    rlxc_constants needed;    /* and all that they are computed from, before what they make */
    rlxc_map seen;            /* of read and needed, in turn */
    rlx_weight_place *places; /* of |distinct| */
    rlxc_lifted_file *file;
} lifter;

/* --- which, and where ------------------------------------------------------------------------ */

static void note_read(void *user, rlxc_atom atom)
{
    lifter *l = user;
    if (atom.kind != RLXC_ATOM_CONSTANT || !atom.constant->lifted || atom.constant->nbytes == 0 ||
        rlxc_map_get(&l->seen, rlxc_key(atom.constant)))
        return;
    rlxc_map_set(l->ctx, &l->seen, rlxc_key(atom.constant), l);
    RLXC_PUSH(l->ctx, &l->read, atom.constant);
}

static void note_needed(void *user, rlxc_atom atom)
{
    lifter *l = user;
    if (atom.kind != RLXC_ATOM_CONSTANT || rlxc_map_get(&l->seen, rlxc_key(atom.constant)))
        return;
    rlxc_map_set(l->ctx, &l->seen, rlxc_key(atom.constant), l);
    RLXC_PUSH(l->ctx, &l->needed, atom.constant);
}

static size_t element_size(const rlxc_constant *c)
{
    return (c->dtype.bits + 7u) / 8u;
}

/* Whole lines first, then the largest elements. */
static int by_alignment(const void *x, const void *y)
{
    const rlxc_constant *a = *(const rlxc_constant *const *)x;
    const rlxc_constant *b = *(const rlxc_constant *const *)y;
    const bool whole_a = a->nbytes % ALIGNMENT == 0, whole_b = b->nbytes % ALIGNMENT == 0;
    const size_t size_a = element_size(a), size_b = element_size(b);
    if (whole_a != whole_b)
        return whole_a ? -1 : 1;
    if (!whole_a && size_a != size_b)
        return size_a > size_b ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static int by_id(const void *x, const void *y)
{
    const rlxc_constant *a = *(const rlxc_constant *const *)x;
    const rlxc_constant *b = *(const rlxc_constant *const *)y;
    return a->id < b->id ? -1 : a->id > b->id;
}

static const rlxc_constant *first_of(const lifter *l, const rlxc_constant *c)
{
    return rlxc_first_derived(l->ctx, &l->file->derivations, c);
}

static rlx_weight_place *place_of(const lifter *l, const rlxc_constant *c)
{
    const uintptr_t at = (uintptr_t)rlxc_map_get(&l->file->by_constant, rlxc_key(first_of(l, c)));
    return at > 0 ? &l->file->places.items[at - 1] : NULL;
}

static bool add(lifter *l, const rlxc_constant *c)
{
    rlxc_lifted_file *f = l->file;
    const rlx_weight_place at = {f->size, c->nbytes};
    if (__builtin_add_overflow(f->size, c->nbytes, &f->size) || f->size > PTRDIFF_MAX) {
        rlxc_error(l->ctx, (rlxc_range){0}, "the weights are too large for a file");
        return false;
    }
    RLXC_PUSH(l->ctx, &f->tensors, c);
    RLXC_PUSH(l->ctx, &f->places, at);
    rlxc_map_set(l->ctx, &f->by_constant, rlxc_key(first_of(l, c)),
                 (void *)(uintptr_t)f->places.count);
    return !rlxc_failed(l->ctx);
}

/* Fills the line behind the weights of another level with a tensor of bytes. */
static bool align(lifter *l)
{
    static const unsigned char zeros[ALIGNMENT];
    const int64_t n = (int64_t)((ALIGNMENT - l->file->size % ALIGNMENT) % ALIGNMENT);
    return n == 0 || add(l, rlxc_constant_new(l->ctx, RLX_U8, 1, &n, zeros, (size_t)n));
}

/* Finds a place for each weight. One that another level reads in the same form serves both. */
static bool place(lifter *l, rlxc_map *out_places)
{
    rlxc_map seen = {0};
    for (uint32_t i = 0; i < l->read.count; i++) {
        const rlxc_constant *first = first_of(l, l->read.items[i]);
        if (rlxc_map_get(&seen, rlxc_key(first)))
            continue;
        rlxc_map_set(l->ctx, &seen, rlxc_key(first), l);
        RLXC_PUSH(l->ctx, &l->distinct, l->read.items[i]);
    }
    if (l->distinct.count > 1)
        qsort(l->distinct.items, l->distinct.count, sizeof *l->distinct.items, by_alignment);
    l->places = rlxc_try_alloc(l->ctx, (size_t)l->distinct.count + 1, sizeof *l->places);
    if (!l->places || rlxc_failed(l->ctx) || !align(l))
        return false;
    for (uint32_t i = 0; i < l->distinct.count; i++) {
        const rlxc_constant *c = l->distinct.items[i];
        if (!place_of(l, c) && !add(l, c))
            return false;
        l->places[i] = *place_of(l, c);
    }
    for (uint32_t i = 0; i < l->read.count; i++)
        rlxc_map_set(l->ctx, out_places, rlxc_key(l->read.items[i]),
                     (void *)((uintptr_t)place_of(l, l->read.items[i])->offset + 1));
    return true;
}

/* --- the file -------------------------------------------------------------------------------- */

static const char *type_name(rlx_dtype t)
{
#define RLX_SAFETENSOR(name, code_, bits_)      \
    if (t.code == (code_) && t.bits == (bits_)) \
        return name;
#include "rlx/safetensors.def"
#undef RLX_SAFETENSOR
    return NULL;
}

/* "permute_dims(reshape(w))"; the first operand of each. */
static const char *origin_of(rlxc_context *ctx, const rlxc_constant *c)
{
    rlxc_text text = {.ctx = ctx};
    uint32_t depth = 0;
    while (c->made && depth < MOST_SHOWN) {
        const rlxc_constant *next = rlxc_first_lifted(c->made);
        if (!next)
            break;
        if (c->made->op) {
            rlxc_text_printf(&text, "%s(", c->made->op->name);
            depth++;
        }
        c = next;
    }
    rlxc_text_printf(&text, "%s", c->made ? "..." : c->name);
    while (depth-- > 0)
        rlxc_text_printf(&text, ")");
    return text.data ? text.data : "";
}

/* A type that the format does not have is as many bytes. */
static json_t *entry_of(const rlxc_constant *c, const rlx_weight_place *at)
{
    const char *type = type_name(c->dtype);
    const int64_t bytes = (int64_t)c->nbytes;
    const int64_t *dims = type ? c->shape : &bytes;
    json_t *shape = json_array();
    for (uint32_t i = 0; shape && i < (type ? c->ndim : 1); i++)
        if (json_array_append_new(shape, json_integer(dims[i])) != 0) {
            json_decref(shape);
            shape = NULL;
        }
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", type ? type : "U8", "shape", shape,
                     "data_offsets", (json_int_t)at->offset, (json_int_t)(at->offset + at->nbytes));
}

/* The header with its length, padded with spaces; |*out_size| bytes of the arena, or NULL. */
static char *header_of(rlxc_context *ctx, const rlxc_lifted_file *f, size_t *out_size)
{
    json_t *root = json_object(), *notes = json_object();
    bool ok = root && notes && json_object_set(root, "__metadata__", notes) == 0;
    for (uint32_t i = 0; ok && i < f->tensors.count; i++) {
        const rlxc_constant *c = f->tensors.items[i];
        const bool is_own = !c->made && c->name && !json_object_get(root, c->name);
        const char *name = is_own ? c->name : rlxc_internf(ctx, "%s#%u", c->name ? c->name : "", i);
        ok = json_object_set_new(root, name, entry_of(c, &f->places.items[i])) == 0 &&
             (!c->made || json_object_set_new(notes, name, json_string(origin_of(ctx, c))) == 0);
    }
    char *text = ok ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(notes);
    json_decref(root);
    const size_t length = text ? strlen(text) : 0;
    const size_t size = (BYTES_OF_LENGTH + length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char *out = text ? rlxc_try_alloc(ctx, size, 1) : NULL;
    if (out) {
        memset(out, ' ', size);
        for (uint32_t i = 0; i < BYTES_OF_LENGTH; i++)
            out[i] = (char)(unsigned char)((uint64_t)(size - BYTES_OF_LENGTH) >> 8 * i);
        memcpy(out + BYTES_OF_LENGTH, text, length);
    } else {
        rlxc_set_out_of_memory(ctx);
    }
    free(text);
    *out_size = size;
    return out;
}

static bool write_file(rlxc_context *ctx, const rlxc_lifted_file *file, const char *header,
                       size_t size)
{
    rlx_error err = {0};
    rlx_new_file *f = NULL;
    rlx_status status = rlx_new_file_begin(file->path, &f, &err);
    if (status == RLX_OK) {
        status = rlx_new_file_write(f, header, size, &err);
        for (uint32_t i = 0; status == RLX_OK && i < file->tensors.count; i++) {
            const rlxc_constant *c = file->tensors.items[i];
            if (c->nbytes > 0)
                status = rlx_new_file_write(f, c->data, c->nbytes, &err);
        }
        status = rlx_new_file_end(f, status, &err);
    }
    if (status != RLX_OK)
        rlxc_error(ctx, (rlxc_range){0}, "%s", err.message);
    return status == RLX_OK;
}

bool rlxc_lift_params(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                      rlx_exec_builder *builder, rlxc_map *out_places)
{
    lifter l = {.ctx = ctx, .file = options->lifted_file};
    for (uint32_t i = 0; i < module->globals.count; i++)
        if (module->globals.items[i]->relax)
            rlxc_body_visit(&module->globals.items[i]->relax->body, note_read, &l);
    if (l.read.count == 0)
        return !rlxc_failed(ctx);
    l.seen = (rlxc_map){0};
    for (uint32_t i = 0; i < l.read.count; i++)
        note_needed(&l, rlxc_atom_constant(l.read.items[i]));
    for (uint32_t i = 0; i < l.needed.count; i++) {
        const rlxc_binding *made = l.needed.items[i]->made;
        for (uint32_t k = 0; made && k < made->n_args; k++)
            rlxc_atom_visit(made->args[k], note_needed, &l);
    }
    qsort(l.needed.items, l.needed.count, sizeof *l.needed.items, by_id);
    for (uint32_t i = 0; i < l.needed.count && !rlxc_failed(ctx); i++)
        first_of(&l, l.needed.items[i]);
    if (rlxc_failed(ctx) || !place(&l, out_places))
        return false;
    void *code = NULL;
    size_t size = 0;
    if (!rlxc_weights_program(ctx, options, &l.file->derivations, &l.needed, &l.distinct, &code,
                              &size))
        return false;
    rlxc_lifted_level level = {
        .builder = builder, .places = l.places, .n = l.distinct.count, .size = size};
    if ((level.code = rlxc_try_alloc(ctx, size, 1)))
        memcpy(level.code, code, size);
    rlx_free(NULL, code, size, 64);
    RLXC_PUSH(ctx, &l.file->levels, level);
    return !rlxc_failed(ctx);
}

bool rlxc_write_lifted(rlxc_context *ctx, const rlxc_lifted_file *file)
{
    size_t header_size = 0;
    if (!file || file->levels.count == 0)
        return true;
    const char *header = header_of(ctx, file, &header_size);
    if (!header)
        return false;
    for (uint32_t i = 0; i < file->levels.count; i++) {
        const rlxc_lifted_level *level = &file->levels.items[i];
        rlx_error err = {0};
        const rlx_weights weights = {.size = file->size,
                                     .header = header,
                                     .header_size = header_size,
                                     .program = level->code,
                                     .program_size = level->size,
                                     .places = level->places,
                                     .n = level->n};
        if (rlx_exec_builder_weights(level->builder, &weights, &err) != RLX_OK) {
            rlxc_error(ctx, (rlxc_range){0}, "%s", err.message);
            return false;
        }
    }
    return write_file(ctx, file, header, header_size);
}
