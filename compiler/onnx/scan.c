/* A walk over a protobuf message by its descriptor, before protobuf-c unpacks it.
 *
 * protobuf-c unpacks nested messages by recursion and without a limit, so that a few kilobytes
 * could overflow the stack, and merges a repeated singular message by copying both, so that many of
 * them take quadratic memory. This walk keeps its own stack and refuses messages that are nested
 * too deeply, repeated or malformed. */
#include "compiler/onnx/scan.h"

typedef struct level {
    const ProtobufCMessageDescriptor *type;
    size_t end;
    uint64_t seen; /* singular messages, by index in the descriptor */
} level;

/* True if the singular |field| of |top| occurred before. Fields beyond the first 64 of a message
 * count as one. */
static bool repeated(level *top, const ProtobufCFieldDescriptor *field)
{
    size_t place = (size_t)(field - top->type->fields);
    uint64_t bit = UINT64_C(1) << (place < 63 ? place : 63);
    bool was = top->seen & bit;
    if (field->label != PROTOBUF_C_LABEL_REPEATED)
        top->seen |= bit;
    return was;
}

static bool read_varint(const uint8_t *data, size_t end, size_t *io_at, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && *io_at < end; shift += 7) {
        uint8_t byte = data[(*io_at)++];
        *out |= (uint64_t)(byte & 127u) << shift;
        if (!(byte & 128u))
            return true;
    }
    return false;
}

const char *rlxc_scan_message(const ProtobufCMessageDescriptor *type, const uint8_t *data,
                              size_t size, const rlxc_scan_visitor *visitor)
{
    level stack[RLXC_SCAN_NESTING];
    unsigned depth = 0;
    size_t at = 0;
    stack[depth++] = (level){.type = type, .end = size};
    while (depth > 0) {
        level *top = &stack[depth - 1];
        if (at == top->end) {
            if (--depth > 0 && visitor)
                visitor->leave(visitor->user);
            continue;
        }
        uint64_t tag, length;
        size_t length_at;
        if (!read_varint(data, top->end, &at, &tag))
            return "it is truncated";
        switch (tag & 7u) {
        case 0:
            if (!read_varint(data, top->end, &at, &length))
                return "it is truncated";
            break;
        case 1:
        case 5:
            length = (tag & 7u) == 1 ? 8 : 4;
            if (top->end - at < length)
                return "it is truncated";
            at += (size_t)length;
            break;
        case 2: {
            length_at = at;
            if (!read_varint(data, top->end, &at, &length) || length > top->end - at)
                return "it is truncated";
            const ProtobufCFieldDescriptor *field =
                tag >> 3 <= UINT32_MAX
                    ? protobuf_c_message_descriptor_get_field(top->type, (unsigned)(tag >> 3))
                    : NULL;
            if (!field || field->type != PROTOBUF_C_TYPE_MESSAGE) {
                if (visitor)
                    visitor->bytes(visitor->user, top->type, tag >> 3, length_at, at,
                                   (size_t)length);
                at += (size_t)length;
                break;
            }
            if (depth == RLXC_SCAN_NESTING)
                return "it is nested too deeply";
            if (repeated(top, field))
                return "a field occurs twice";
            if (visitor)
                visitor->enter(visitor->user, length_at, at, (size_t)length);
            stack[depth++] = (level){.type = field->descriptor, .end = at + (size_t)length};
            break;
        }
        default:
            return "it is not a protobuf message";
        }
    }
    return NULL;
}
