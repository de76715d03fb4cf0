/* The model without its large weights (raw.h).
 *
 * Cutting bytes out of a nested message changes the length of every message around them. Lengths
 * are written in as many bytes as before (a varint may be longer than necessary), so only the cut
 * bytes disappear. A short field that looks like a mark is cut too, so that every mark in the
 * result is genuine.
 *
 * The model's bytes may be a mapped file that somebody writes to. The skeleton is a private copy
 * and is checked after it is made; only elements are read from the bytes themselves later. */
#include "compiler/onnx/raw.h"

#include <string.h>

#include "compiler/base/utf8.h"
#include "compiler/onnx/scan.h"
#include "onnx/onnx.pb-c.h"

enum { MARK = 16, RAW_DATA = 9, LARGE = 1024, NAME_SHOWN = 64 };

static const uint8_t mark_start[MARK - 4] = {0xf4, 0x01, 0x9d, 'r',  'l', 'x',
                                             'c',  0x00, 0xc3, 0x7e, 'r', 0xff};

typedef struct open_message {
    size_t length_at, at, length, removed;
    size_t to; /* offset of the length in the skeleton */
} open_message;

typedef struct patch {
    size_t to;
    unsigned width;
    size_t length;
} patch;

typedef struct cutter {
    rlxc_context *ctx;
    rlxc_ox_raw *raw;
    open_message open[RLXC_SCAN_NESTING];
    unsigned depth;
    size_t removed;
    RLXC_VEC(patch) patches;
} cutter;

static void enter(void *user, size_t length_at, size_t at, size_t length)
{
    cutter *c = user;
    c->open[c->depth++] = (open_message){length_at, at, length, 0, length_at - c->removed};
}

static void leave(void *user)
{
    cutter *c = user;
    const open_message *m = &c->open[--c->depth];
    if (m->removed == 0)
        return;
    if (c->depth > 0)
        c->open[c->depth - 1].removed += m->removed;
    RLXC_PUSH(c->ctx, &c->patches,
              ((patch){m->to, (unsigned)(m->at - m->length_at), m->length - m->removed}));
}

static void bytes_field(void *user, const ProtobufCMessageDescriptor *type, uint64_t field,
                        size_t length_at, size_t at, size_t length)
{
    cutter *c = user;
    bool mark = length == MARK && memcmp(c->raw->bytes + at, mark_start, sizeof mark_start) == 0;
    if (type != &onnx__tensor_proto__descriptor || field != RAW_DATA || (length < LARGE && !mark))
        return;
    RLXC_PUSH(c->ctx, &c->raw->cuts, ((rlxc_ox_cut){at, length}));
    RLXC_PUSH(c->ctx, &c->patches,
              ((patch){length_at - c->removed, (unsigned)(at - length_at), MARK}));
    c->removed += length - MARK;
    if (c->depth > 0)
        c->open[c->depth - 1].removed += length - MARK;
}

/* --- names ------------------------------------------------------------------------------------ */

typedef struct name_check {
    rlxc_context *ctx;
    const uint8_t *bytes;
    const char *wrong;
} name_check;

static void enter_any(void *user, size_t length_at, size_t at, size_t length)
{
    (void)user, (void)length_at, (void)at, (void)length;
}

static void leave_any(void *user)
{
    (void)user;
}

/* Names are C strings after unpacking: they must be UTF-8 without NUL. Documentation strings may
 * contain anything. */
static void check_name(void *user, const ProtobufCMessageDescriptor *type, uint64_t number,
                       size_t length_at, size_t at, size_t length)
{
    name_check *c = user;
    (void)length_at;
    if (c->wrong || number > UINT32_MAX || type == &onnx__model_proto__descriptor ||
        type == &onnx__string_string_entry_proto__descriptor)
        return;
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(type, (unsigned)number);
    if (!field || field->type != PROTOBUF_C_TYPE_STRING || strcmp(field->name, "doc_string") == 0)
        return;
    const unsigned char *p = c->bytes + at;
    size_t n = 1;
    for (size_t i = 0; i < length && n > 0; i += n)
        n = p[i] ? rlxc_utf8_length(p + i, length - i) : 0;
    if (n > 0)
        return;
    char shown[NAME_SHOWN];
    c->wrong =
        rlxc_internf(c->ctx, "%s '%s' of a %s %s", field->name,
                     rlx_name_text((rlx_str){(const char *)p, length}, shown, sizeof shown),
                     type->short_name, memchr(p, 0, length) ? "holds a NUL byte" : "is not UTF-8");
}

/* --- the skeleton ----------------------------------------------------------------------------- */

static void copy(uint8_t **to, const uint8_t *from, size_t n)
{
    memcpy(*to, from, n);
    *to += n;
}

const char *rlxc_ox_cut_raw(rlxc_context *ctx, const ProtobufCMessageDescriptor *type,
                            const uint8_t *bytes, size_t length, rlxc_ox_raw *out)
{
    cutter c = {.ctx = ctx, .raw = out};
    const rlxc_scan_visitor visitor = {&c, enter, leave, bytes_field};
    *out = (rlxc_ox_raw){.bytes = bytes};
    const char *wrong = rlxc_scan_message(type, bytes, length, &visitor);
    if (wrong || rlxc_out_of_memory(ctx))
        return wrong;
    out->skeleton_size = length - c.removed;
    out->skeleton = rlx_alloc(NULL, out->skeleton_size + 1, 1);
    if (!out->skeleton)
        return NULL;
    size_t from = 0;
    uint8_t *to = out->skeleton;
    for (uint32_t i = 0; i < out->cuts.count; i++) {
        const rlxc_ox_cut *cut = &out->cuts.items[i];
        const uint8_t number[4] = {(uint8_t)i, (uint8_t)(i >> 8), (uint8_t)(i >> 16),
                                   (uint8_t)(i >> 24)};
        copy(&to, bytes + from, cut->at - from);
        copy(&to, mark_start, sizeof mark_start);
        copy(&to, number, sizeof number);
        from = cut->at + cut->length;
    }
    if (length > from)
        copy(&to, bytes + from, length - from);
    for (uint32_t i = 0; i < c.patches.count; i++) {
        const patch *p = &c.patches.items[i];
        for (unsigned k = 0; k < p->width; k++)
            out->skeleton[p->to + k] =
                (uint8_t)((p->length >> (7 * k) & 127u) | (k + 1 < p->width ? 128u : 0u));
    }
    name_check names = {.ctx = ctx, .bytes = out->skeleton};
    const rlxc_scan_visitor checker = {&names, enter_any, leave_any, check_name};
    wrong = rlxc_scan_message(type, out->skeleton, out->skeleton_size, &checker);
    return wrong ? wrong : names.wrong;
}

const void *rlxc_ox_raw_data(const rlxc_ox_raw *raw, const uint8_t *data, size_t length,
                             size_t wanted)
{
    if (length == MARK && memcmp(data, mark_start, sizeof mark_start) == 0) {
        const uint8_t *n = data + sizeof mark_start;
        uint32_t i =
            (uint32_t)n[0] | (uint32_t)n[1] << 8 | (uint32_t)n[2] << 16 | (uint32_t)n[3] << 24;
        if (i >= raw->cuts.count)
            return NULL;
        data = raw->bytes + raw->cuts.items[i].at;
        length = raw->cuts.items[i].length;
    }
    return length != wanted ? NULL : wanted ? (const void *)data : "";
}
