/* The ONNX importer: shapes that stay symbolic, bodies, diagnostics by node, hostile bytes. Numbers
 * are compared by `make onnx-backend`. Models are those of the fuzz corpus, or written by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/driver/compile.h"
#include "compiler/driver/driver.h"
#include "compiler/script/script.h"
#include "tests/support/rlx_test.h"

#define CORPUS "tests/fuzz/corpus/onnx/"

typedef struct bytes {
    unsigned char data[1 << 16];
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

/* A graph whose outputs are its initializers |names|. */
static void finish_model(bytes *graph, const char *const *names, size_t n, bytes *model)
{
    for (size_t i = 0; i < n; i++) {
        bytes info = {.size = 0};
        put_text(&info, 1, names[i]);
        put_message(graph, 12, &info);
    }
    put_message(model, 7, graph);
}

RLX_TEST(onnx, weights_stay_in_the_bytes_of_the_model)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    static const size_t sizes[] = {4000, 16, 1024, 1023};
    /* what the importer marks cut weights with: the look-alike is data like any other */
    static const unsigned char mark[16] = {0xf4, 0x01, 0x9d, 'r',  'l', 'x', 'c', 0x00,
                                           0xc3, 0x7e, 'r',  0xff, 0,   0,   0,   0};
    static unsigned char data[4][4000];
    bytes graph = {.size = 0}, model = {.size = 0};
    for (size_t i = 0; i < 4; i++) {
        bytes tensor = {.size = 0};
        for (size_t k = 0; k < sizes[i]; k++)
            data[i][k] = (unsigned char)(k * 7 + i);
        if (i == 1)
            memcpy(data[i], mark, sizeof mark);
        put_int(&tensor, 1, sizes[i]);
        put_int(&tensor, 2, 2); /* uint8 */
        put_text(&tensor, 8, names[i]);
        put(&tensor, 9, data[i], sizes[i]);
        put_message(&graph, 5, &tensor);
    }
    finish_model(&graph, names, 4, &model);
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_module *m = rlxc_read_onnx(ctx, "weights.onnx", model.data, model.size);
    cr_assert_not_null(m, "%s", rlxc_render_diagnostics(ctx));
    const rlxc_atom result = rlxc_module_find(m, rlxc_intern_cstr(ctx, "main"))->relax->body.result;
    cr_assert_eq(result.n, 4);
    for (size_t i = 0; i < 4; i++) {
        const rlxc_constant *c = result.items[i].constant;
        const unsigned char *p = c->data;
        cr_expect_eq(c->nbytes, sizes[i]);
        cr_expect(memcmp(p, data[i], sizes[i]) == 0, "%s", names[i]);
        if (i != 3) /* shorter ones may be copied */
            cr_expect(p >= model.data && p < model.data + model.size, "%s is a copy", names[i]);
    }
    rlxc_context_destroy(ctx);

    /* Cut off anywhere it is refused, or it is another model that reads well. */
    for (size_t size = 0; size < model.size; size += 37) {
        ctx = rlxc_context_create(&t->allocator);
        cr_expect_null(rlxc_read_onnx(ctx, "weights.onnx", model.data, size));
        rlxc_context_destroy(ctx);
    }
}

/* Of the child that compiles; bytes. */
static size_t peak_of_compiling(const char *model, const char *out)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        unsetenv("RLX_CHECK"); /* which prints the weights after every pass */
        char *argv[] = {(char[]){"rlxc"}, (char *)(uintptr_t)model, (char[]){"-o"},
                        (char *)(uintptr_t)out};
        _exit(rlxc_main(4, argv, stdout, stderr));
    }
    int status = 0;
    struct rusage used;
    cr_assert(wait4(child, &status, 0, &used) == child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return (size_t)used.ru_maxrss * 1024;
}

RLX_TEST(onnx, memory_of_compiling_is_the_model_once)
{
    (void)t;
    enum { ELEMENTS = 32 << 20 };
    const size_t size = (size_t)ELEMENTS * 4;
    char folder[] = "/tmp/rlx-onnx-XXXXXX", path[64], weights[64], out[64];
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/m.onnx", folder);
    snprintf(weights, sizeof weights, "%s/weights", folder);
    snprintf(out, sizeof out, "%s/m.rlx", folder);
    for (int external = 0; external < 2; external++) {
        static const char *const names[] = {"w"};
        bytes entry = {.size = 0}, tensor = {.size = 0}, graph = {.size = 0}, model = {.size = 0},
              head = {.size = 0};
        put_int(&tensor, 1, ELEMENTS);
        put_int(&tensor, 2, 1);
        put_text(&tensor, 8, names[0]);
        FILE *file = fopen(path, "wb");
        cr_assert_not_null(file);
        if (external) {
            put_text(&entry, 1, "location");
            put_text(&entry, 2, "weights");
            put_message(&tensor, 13, &entry);
            put_int(&tensor, 14, 1);
            put_message(&graph, 5, &tensor);
            finish_model(&graph, names, 1, &model);
            cr_assert_eq(fwrite(model.data, 1, model.size, file), model.size);
            FILE *data = fopen(weights, "wb");
            cr_assert(data && ftruncate(fileno(data), (off_t)size) == 0 && fclose(data) == 0);
        } else { /* the weights are a hole at the end of the file */
            bytes info = {.size = 0};
            put_text(&info, 1, names[0]);
            put_message(&graph, 12, &info);
            varint(&tensor, 9 << 3 | 2);
            varint(&tensor, size);
            varint(&graph, 5 << 3 | 2);
            varint(&graph, tensor.size + size);
            varint(&head, 7 << 3 | 2);
            varint(&head, graph.size + tensor.size + size);
            cr_assert_eq(fwrite(head.data, 1, head.size, file), head.size);
            cr_assert_eq(fwrite(graph.data, 1, graph.size, file), graph.size);
            cr_assert_eq(fwrite(tensor.data, 1, tensor.size, file), tensor.size);
            fflush(file);
            cr_assert(ftruncate(fileno(file), ftell(file) + (off_t)size) == 0);
        }
        fclose(file);
        size_t peak = peak_of_compiling(path, out);
#ifndef __SANITIZE_ADDRESS__
        cr_expect(peak < size + size / 3 + ((size_t)80 << 20), "%zu MB for a model of %zu MB%s",
                  peak >> 20, size >> 20, external ? " of external data" : "");
#else
        (void)peak;
#endif
    }
    unlink(path);
    unlink(weights);
    unlink(out);
    rmdir(folder);
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

    inner.size = model.size = 0; /* protobuf-c would merge them, copying each time */
    put_message(&model, 7, &inner);
    put_message(&model, 7, &inner);
    refused(&model, "it has a part twice");
}

/* Adds a node; names are separated by spaces. |attributes| may be NULL. */
static void put_node(bytes *graph, const char *op, const char *inputs, const char *outputs,
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

static void put_attribute_int(bytes *out, const char *name, int64_t value)
{
    put_text(out, 1, name);
    put_int(out, 3, (uint64_t)value);
    put_int(out, 20, 2);
}

/* An int64 initializer of |count| elements, a scalar where that is -1. */
static void put_ints(bytes *graph, const char *name, int count, int64_t value)
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

/* Input x of element type |type|, with a dimension n and 3, or with |ndim| symbols. */
static void put_input(bytes *graph, int type, int ndim)
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

/* The model of |graph| in the operator set |opset| with output y. */
static void finish_graph(bytes *graph, unsigned opset, bytes *model)
{
    static const char *const y[] = {"y"};
    bytes set = {.size = 0};
    model->size = 0;
    put_int(&set, 2, opset);
    put_message(model, 8, &set);
    finish_model(graph, y, 1, model);
}

RLX_TEST(onnx, small_hostile_nodes)
{
    static const struct {
        const char *op, *inputs, *attribute;
        int64_t value;
        const char *expected;
    } rows[] = {
        {"Range", "none one one", NULL, 0, "input 0 has 0 elements, expected one"},
        {"Range", "one none one", NULL, 0, "input 1 has 0 elements, expected one"},
        {"Range", "one one none", NULL, 0, "input 2 has 0 elements, expected one"},
        {"CumSum", "x two", NULL, 0, "input 1 has 2 elements, expected one"},
        {"Tile", "x minus", NULL, 0, "one may be -1"}, /* the axes after it are passed over */
        {"DepthToSpace", "x", "blocksize", INT64_C(1) << 32, "a positive blocksize"},
        {"SpaceToDepth", "x", "blocksize", 3037000500, "a positive blocksize"},
        {"QuantizeLinear", "x scale one", NULL, 0, "integers of at most 16 bits"},
        {"TfIdfVectorizer", "x", "max_skip_count", -1, "integer n-grams"},
        {"ConcatFromSequence", "none", NULL, 0, "ConcatFromSequence: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bytes graph = {.size = 0}, model, attribute = {.size = 0};
        put_input(&graph, 1, 0);
        put_ints(&graph, "none", 0, 0);
        put_ints(&graph, "one", -1, 1);
        put_ints(&graph, "two", 2, 1);
        put_ints(&graph, "minus", 2, -1);
        put_ints(&graph, "scale", -1, 1);
        if (rows[i].attribute)
            put_attribute_int(&attribute, rows[i].attribute, rows[i].value);
        put_node(&graph, rows[i].op, rows[i].inputs, "y", rows[i].attribute ? &attribute : NULL);
        finish_graph(&graph, 17, &model);
        refused(&model, rows[i].expected);
    }
}

/* The text of what is imported, in |ctx|. */
static const char *text_of(rlxc_context *ctx, const bytes *model)
{
    rlxc_module *m = rlxc_read_onnx(ctx, "m.onnx", model->data, model->size);
    cr_assert_not_null(m, "%s", rlxc_render_diagnostics(ctx));
    return rlxc_print_module(ctx, m);
}

RLX_TEST(onnx, arithmetic_near_the_limits)
{
    bytes graph = {.size = 0}, model;
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    put_input(&graph, 1, 0); /* parts as long as an int64 can say: one of them */
    put_ints(&graph, "size", -1, INT64_MAX);
    put_ints(&graph, "rows", -1, 1);
    put_node(&graph, "Transpose", "x", "t", NULL);
    put_node(&graph, "SplitToSequence", "t size", "s", NULL);
    put_node(&graph, "SequenceLength", "s", "y", NULL);
    finish_graph(&graph, 17, &model);
    cr_expect(strstr(text_of(ctx, &model), "R.const(1, \"int64\")") != NULL);
    rlxc_context_destroy(ctx);

    graph.size = 0; /* -2^63, -2^62, 0, 2^62 */
    ctx = rlxc_context_create(&t->allocator);
    put_input(&graph, 1, 0);
    put_ints(&graph, "begin", -1, INT64_MIN);
    put_ints(&graph, "end", -1, INT64_MAX);
    put_ints(&graph, "step", -1, INT64_C(1) << 62);
    put_node(&graph, "Range", "begin end step", "y", NULL);
    finish_graph(&graph, 17, &model);
    text_of(ctx, &model);
    rlxc_context_destroy(ctx);

    graph.size = 0; /* what pads a bfloat16 is below all of them */
    ctx = rlxc_context_create(&t->allocator);
    bytes same = {.size = 0};
    put_input(&graph, 16, 3);
    put_text(&same, 1, "auto_pad");
    put_text(&same, 4, "SAME_UPPER");
    put_int(&same, 20, 3);
    bytes node = {.size = 0}, kernel = {.size = 0}, strides = {.size = 0};
    put_text(&kernel, 1, "kernel_shape");
    put_int(&kernel, 8, 3);
    put_int(&kernel, 20, 7);
    put_text(&strides, 1, "strides");
    put_int(&strides, 8, 2);
    put_int(&strides, 20, 7);
    put_text(&node, 1, "x");
    put_text(&node, 2, "y");
    put_text(&node, 4, "MaxPool");
    put_message(&node, 5, &same);
    put_message(&node, 5, &kernel);
    put_message(&node, 5, &strides);
    put_message(&graph, 1, &node);
    finish_graph(&graph, 22, &model);
    const char *text = text_of(ctx, &model);
    cr_expect(strstr(text, "R.full(") != NULL && strstr(text, "-128") == NULL, "%s", text);
    rlxc_context_destroy(ctx);
}

RLX_TEST(onnx, sequences_that_grow)
{
    enum { ITEMS = 1100 };
    bytes graph = {.size = 0}, model;
    char from[16], to[16];
    put_input(&graph, 1, 0); /* doubled 40 times where a sequence may hold sequences */
    put_node(&graph, "SequenceConstruct", "x x", "s", NULL);
    put_node(&graph, "SequenceConstruct", "s s", "y", NULL);
    finish_graph(&graph, 17, &model);
    refused(&model, "sequences of anything but tensors");

    graph.size = 0; /* a long one is a value of the runtime: no copy of the list for each item */
    put_input(&graph, 1, 0);
    put_node(&graph, "SequenceEmpty", "", "s0", NULL);
    for (int i = 0; i < ITEMS; i++) {
        snprintf(from, sizeof from, "s%d x", i);
        snprintf(to, sizeof to, "s%d", i + 1);
        put_node(&graph, "SequenceInsert", from, to, NULL);
    }
    snprintf(from, sizeof from, "s%d", ITEMS);
    put_node(&graph, "SequenceLength", from, "y", NULL);
    finish_graph(&graph, 17, &model);
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    cr_expect(strstr(text_of(ctx, &model), "rlx.list_insert") != NULL);
    rlxc_context_destroy(ctx);
}

RLX_TEST(onnx, a_node_has_a_limited_number_of_names)
{
    bytes graph = {.size = 0}, model;
    static bytes node;
    put_input(&graph, 1, 0);
    for (int i = 0; i < 17000; i++)
        put(&node, 1, "", 0);
    put_text(&node, 2, "y");
    put_text(&node, 4, "Concat");
    put_message(&graph, 1, &node);
    finish_graph(&graph, 17, &model);
    refused(&model, "17000 inputs and 1 outputs; at most");
}

/* Loops in loops, unrolled: what the innermost body has counts each time. */
RLX_TEST(onnx, bodies_are_imported_a_limited_number_of_times)
{
    static bytes inner, graph, attribute;
    bytes model;
    static const struct {
        int initializers, outputs;
    } rows[] = {{1000, 0}, {0, 1000}, {0, 0}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char name[16];
        inner.size = 0;
        put_node(&inner, "Identity", "c", "o", NULL);
        for (int i = 0; i < rows[r].initializers; i++) {
            snprintf(name, sizeof name, "w%d", i);
            put_ints(&inner, name, -1, i);
        }
        for (int depth = 0; depth < 3; depth++) {
            bytes info = {.size = 0};
            put_text(&info, 1, "i");
            put_message(&inner, 11, &info);
            info.size = 0;
            put_text(&info, 1, "c");
            put_message(&inner, 11, &info);
            info.size = 0;
            put_text(&info, 1, "o");
            put_message(&inner, 12, &info);
            for (int i = 0; depth == 0 && i < rows[r].outputs; i++)
                put_message(&inner, 12, &info);
            attribute.size = graph.size = 0;
            put_text(&attribute, 1, "body");
            put_message(&attribute, 6, &inner);
            put_int(&attribute, 20, 5);
            put_node(&graph, "Identity", depth < 2 ? "c" : "x", depth < 2 ? "o" : "y", NULL);
            put_node(&graph, "Loop", "m", "", &attribute);
            inner = graph;
        }
        put_input(&inner, 1, 0);
        put_ints(&inner, "m", -1, 64);
        finish_graph(&inner, 17, &model);
        refused(&model, "the bodies of nested loops have too many nodes");
    }
}

RLX_TEST(onnx, sparse_tensors_are_written_out_up_to_a_limit)
{
    bytes graph = {.size = 0}, model;
    put_input(&graph, 1, 0);
    for (int i = 0; i < 2; i++) {
        bytes one = {.size = 0}, at = {.size = 0}, sparse = {.size = 0};
        put_int(&one, 1, 1);
        put_int(&one, 2, 3); /* int8 */
        put_int(&one, 5, 1);
        put_text(&one, 8, i ? "b" : "a");
        put_int(&at, 1, 1);
        put_int(&at, 2, 7);
        put_int(&at, 7, 5);
        put_message(&sparse, 1, &one);
        put_message(&sparse, 2, &at);
        put_int(&sparse, 3, i ? 1 << 26 : 10);
        put_message(&graph, 15, &sparse);
    }
    put_node(&graph, "Identity", "a", "y", NULL);
    finish_graph(&graph, 17, &model);
    refused(&model, "sparse initializer 'b': the model's sparse tensors have more than");
}

/* n^(2^40) by squares: small as a graph, and no number of nodes as a tree. */
RLX_TEST(onnx, sizes_that_are_too_large_to_compute)
{
    bytes graph = {.size = 0}, model;
    char from[24], to[16];
    rlx_error err = {0};
    rlxc_options options;
    rlx_exec_builder *builder = NULL;
    put_input(&graph, 1, 0);
    put_ints(&graph, "one", 2, 1);
    put_node(&graph, "Shape", "x", "s", NULL);
    put_node(&graph, "Add", "s one", "t0", NULL);
    for (int i = 0; i < 40; i++) {
        snprintf(from, sizeof from, "t%d t%d", i, i);
        snprintf(to, sizeof to, "t%d", i + 1);
        put_node(&graph, "Mul", from, to, NULL);
    }
    put_node(&graph, "ConstantOfShape", "t40", "y", NULL);
    finish_graph(&graph, 17, &model);
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_module *m = rlxc_read_onnx(ctx, "m.onnx", model.data, model.size);
    cr_assert_not_null(m, "%s", rlxc_render_diagnostics(ctx));
    cr_assert(rlx_exec_builder_create(&t->allocator, &builder, &err) == RLX_OK);
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 1));
    cr_expect(!rlxc_compile_module(ctx, m, &options, NULL, builder));
    const char *said = rlxc_render_diagnostics(ctx);
    cr_expect(strstr(said, "is too large") != NULL && !strstr(said, "internal"), "%s", said);
    rlx_exec_builder_destroy(builder);
    rlxc_context_destroy(ctx);
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
