/* The ONNX importer: shapes that stay symbolic, bodies, diagnostics by node, hostile bytes. Numbers
 * are compared by `make onnx-backend`. Models are those of the fuzz corpus, or written by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/compile.h"
#include "compiler/script/script.h"
#include "tests/support/rlx_test.h"

#define CORPUS "tests/fuzz/corpus/onnx/"

typedef struct bytes {
    unsigned char data[1 << 14];
    size_t size;
} bytes;

static void varint(bytes *b, uint64_t value)
{
    for (; value > 127; value >>= 7)
        b->data[b->size++] = (unsigned char)(value & 127u) | 128u;
    b->data[b->size++] = (unsigned char)value;
}

static void put_int(bytes *b, unsigned field, uint64_t value)
{
    varint(b, field << 3);
    varint(b, value);
}

static void put(bytes *b, unsigned field, const void *data, size_t size)
{
    varint(b, field << 3 | 2);
    varint(b, size);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_text(bytes *b, unsigned field, const char *text)
{
    put(b, field, text, strlen(text));
}

static void put_message(bytes *b, unsigned field, const bytes *m)
{
    put(b, field, m->data, m->size);
}

static rlxc_module *read_corpus(rlxc_context *ctx, const char *name)
{
    char path[200];
    static unsigned char data[1 << 16];
    snprintf(path, sizeof path, CORPUS "%s", name);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    return rlxc_read_onnx(ctx, path, data, size);
}

RLX_TEST(onnx, corpus)
{
    static const struct {
        const char *name, *expected; /* in the module's text, or in the diagnostics */
    } rows[] = {
        {"shapes.onnx", "R.reshape(x, R.shape([b, n * 3]))"},
        {"conv.onnx", "R.nn.conv2d"},
        {"loop.onnx", "def loop("},
        {"if.onnx", "if k:"},
        {"lstm.onnx", "def loop("},
        {"slice.onnx", "R.argsort"},
        {"seq.onnx", "R.concat"},
        {"map.onnx", "R.multiply"},
        {"quant.onnx", "R.einsum"},
        {"nodes.onnx", "nodes.onnx:5:1: error: node without name, Unknown: operators of domain "
                       "'other' are not supported"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_context *ctx = rlxc_context_create(NULL);
        rlxc_module *module = read_corpus(ctx, rows[i].name);
        const char *text = module ? rlxc_print_module(ctx, module) : rlxc_render_diagnostics(ctx);
        cr_expect(strstr(text, rows[i].expected) != NULL, "%s: %s", rows[i].name, text);
        if (module)
            cr_expect(rlxc_check_round_trip(ctx, module, "import"), "%s: %s", rows[i].name,
                      rlxc_render_diagnostics(ctx));
        rlxc_context_destroy(ctx);
    }
}

/* |model| is refused with a message that has |expected|. */
static void refused(const bytes *model, const char *expected)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    cr_expect_null(rlxc_read_onnx(ctx, "tests/onnx/model.onnx", model->data, model->size));
    const char *text = rlxc_render_diagnostics(ctx);
    cr_expect(strstr(text, expected) != NULL, "expected '%s' in: %s", expected, text);
    rlxc_context_destroy(ctx);
}

RLX_TEST(onnx, external_data_stays_in_the_folder)
{
    static const struct {
        const char *location, *expected;
    } rows[] = {
        {"../driver.c", "it is not in the model's folder"},
        {"/etc/passwd", "it is not in the model's folder"},
        {"a/../../x", "cannot be opened"},
        {"missing", "cannot be opened"},
        {"run_backend.c", "does not have the 1073741824 bytes"},
        {"", "cannot be opened"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bytes entry = {.size = 0}, tensor = {.size = 0}, graph = {.size = 0}, model = {.size = 0};
        put_text(&entry, 1, "location");
        put_text(&entry, 2, rows[i].location);
        put_int(&tensor, 1, 1 << 28); /* dims */
        put_int(&tensor, 2, 1);       /* float */
        put_text(&tensor, 8, "w");
        put_message(&tensor, 13, &entry);
        put_int(&tensor, 14, 1);
        put_message(&graph, 5, &tensor);
        put_message(&model, 7, &graph);
        refused(&model, rows[i].expected);
    }
}

RLX_TEST(onnx, hostile_bytes)
{
    bytes model = {.size = 0};
    refused(&model, "it has no graph");
    put_int(&model, 1, 8);
    refused(&model, "it has no graph");
    model.data[model.size++] = 7 << 3 | 2;
    refused(&model, "it is cut off");
    model.data[model.size++] = 100;
    refused(&model, "it is cut off");
    model.data[model.size - 2] = 7 << 3 | 3;
    refused(&model, "it is no protobuf message");

    bytes inner = {.size = 0}; /* graphs inside nodes' attributes */
    for (int i = 0; i < 60; i++) {
        bytes attribute = {.size = 0}, node = {.size = 0}, graph = {.size = 0};
        put_message(&attribute, 6, &inner);
        put_message(&node, 5, &attribute);
        put_message(&graph, 1, &node);
        inner = graph;
    }
    model.size = 0;
    put_message(&model, 7, &inner);
    refused(&model, "nested too deeply");
}

RLX_TEST(onnx, every_bad_node_is_listed)
{
    bytes graph = {.size = 0}, model = {.size = 0};
    for (int i = 0; i < 50; i++) {
        char name[16];
        bytes node = {.size = 0};
        snprintf(name, sizeof name, "bad%d", i);
        put_text(&node, 3, name);
        put_text(&node, 4, "NoSuchOperator");
        put_message(&graph, 1, &node);
    }
    put_message(&model, 7, &graph);
    refused(&model, "node 'bad0', NoSuchOperator: the operator is not supported");
    refused(&model, "node 'bad49', NoSuchOperator: the operator is not supported");
}
