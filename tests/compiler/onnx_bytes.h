/* Writes ONNX models by hand, as protobuf bytes. */
#ifndef RLX_TESTS_ONNX_BYTES_H
#define RLX_TESTS_ONNX_BYTES_H

#include <stdio.h>
#include <string.h>

#include "compiler/driver/compile.h"
#include "tests/support/rlx_test.h"

typedef struct bytes {
    unsigned char data[1 << 16];
    size_t size;
} bytes;

static inline void varint(bytes *b, uint64_t value)
{
    for (; value > 127; value >>= 7)
        b->data[b->size++] = (unsigned char)(value & 127u) | 128u;
    b->data[b->size++] = (unsigned char)value;
}

static inline void put_int(bytes *b, unsigned field, uint64_t value)
{
    varint(b, field << 3);
    varint(b, value);
}

static inline void put(bytes *b, unsigned field, const void *data, size_t size)
{
    varint(b, field << 3 | 2);
    varint(b, size);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static inline void put_text(bytes *b, unsigned field, const char *text)
{
    put(b, field, text, strlen(text));
}

static inline void put_message(bytes *b, unsigned field, const bytes *m)
{
    put(b, field, m->data, m->size);
}

/* Ends the model; the initializers |names| are the graph's outputs. */
static inline void finish_model(bytes *graph, const char *const *names, size_t n, bytes *model)
{
    for (size_t i = 0; i < n; i++) {
        bytes info = {.size = 0};
        put_text(&info, 1, names[i]);
        put_message(graph, 12, &info);
    }
    put_message(model, 7, graph);
}

/* Writes IR version 8 and operator set |opset|. */
static inline void put_versions(bytes *model, unsigned opset)
{
    bytes set = {.size = 0};
    put_int(&set, 2, opset);
    put_int(model, 1, 8);
    put_message(model, 8, &set);
}

/* Adds a node. Names are separated by spaces; |attributes| may be NULL. */
static inline void put_node(bytes *graph, const char *op, const char *inputs, const char *outputs,
                            const bytes *attributes)
{
    static bytes node;
    const char *const names[2] = {inputs, outputs};
    node.size = 0;
    for (unsigned k = 0; k < 2; k++)
        for (const char *p = names[k]; *p; p += strspn(p, " ")) {
            size_t length = strcspn(p, " ");
            put(&node, k + 1, p, length);
            p += length;
        }
    put_text(&node, 4, op);
    if (attributes)
        put_message(&node, 5, attributes);
    put_message(graph, 1, &node);
}

static inline void put_attribute_text(bytes *out, const char *name, const char *value)
{
    put_text(out, 1, name);
    put_text(out, 4, value);
    put_int(out, 20, 3);
}

/* Writes an attribute that is a list of one integer. */
static inline void put_attribute_ints(bytes *out, const char *name, int64_t value)
{
    put_text(out, 1, name);
    put_int(out, 8, (uint64_t)value);
    put_int(out, 20, 7);
}

static inline void put_attribute_int(bytes *out, const char *name, int64_t value)
{
    put_text(out, 1, name);
    put_int(out, 3, (uint64_t)value);
    put_int(out, 20, 2);
}

/* Adds an int64 initializer of |count| elements; -1 makes a scalar. */
static inline void put_ints(bytes *graph, const char *name, int count, int64_t value)
{
    bytes tensor = {.size = 0};
    if (count >= 0)
        put_int(&tensor, 1, (uint64_t)count);
    put_int(&tensor, 2, 7);
    for (int i = 0; i < (count < 0 ? 1 : count); i++)
        put_int(&tensor, 7, (uint64_t)value);
    put_text(&tensor, 8, name);
    put_message(graph, 5, &tensor);
}

/* Adds an input x of element type |type| and shape (n, 3), or with |ndim| symbolic dimensions. */
static inline void put_input(bytes *graph, int type, int ndim)
{
    bytes shape = {.size = 0}, tensor = {.size = 0}, info = {.size = 0}, held = {.size = 0};
    for (int i = 0; i < (ndim ? ndim : 2); i++) {
        bytes dim = {.size = 0};
        char name[] = {(char)('n' + i), '\0'};
        if (i == 1 && !ndim)
            put_int(&dim, 1, 3);
        else
            put_text(&dim, 2, name);
        put_message(&shape, 1, &dim);
    }
    put_int(&tensor, 1, (uint64_t)type);
    put_message(&tensor, 2, &shape);
    put_message(&held, 1, &tensor);
    put_text(&info, 1, "x");
    put_message(&info, 2, &held);
    put_message(graph, 11, &info);
}

/* Ends the model of |graph| with operator set |opset| and output y. */
static inline void finish_graph(bytes *graph, unsigned opset, bytes *model)
{
    static const char *const y[] = {"y"};
    model->size = 0;
    put_versions(model, opset);
    finish_model(graph, y, 1, model);
}

/* Expects |model| to be refused with a message that contains |expected|. */
static inline void refused(const bytes *model, const char *expected)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    cr_expect_null(rlxc_read_onnx(ctx, "tests/onnx/model.onnx", model->data, model->size, false));
    const char *text = rlxc_render_diagnostics(ctx);
    cr_expect(strstr(text, expected) != NULL, "expected '%s' in: %s", expected, text);
    rlxc_context_destroy(ctx);
}

#endif
