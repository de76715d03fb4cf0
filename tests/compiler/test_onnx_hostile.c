/* The ONNX importer on hostile models: malformed bytes, and small models that ask for much time or
 * memory. Models are written by hand. */
#include <stdint.h>

#include "compiler/cli/cli.h"
#include "compiler/script/script.h"
#include "tests/compiler/onnx_bytes.h"

RLX_TEST(onnx, hostile_bytes)
{
    bytes model = {.size = 0};
    refused(&model, "it has no graph");
    put_int(&model, 1, 8);
    refused(&model, "it has no graph");
    model.data[model.size++] = 7 << 3 | 2;
    refused(&model, "it is truncated");
    model.data[model.size++] = 100;
    refused(&model, "it is truncated");
    model.data[model.size - 2] = 7 << 3 | 3;
    refused(&model, "it is not a protobuf message");

    bytes inner = {.size = 0}; /* graphs nested in nodes' attributes */
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

    inner.size = model.size = 0; /* protobuf-c would merge repeated fields, copying each time */
    put_message(&model, 7, &inner);
    put_message(&model, 7, &inner);
    refused(&model, "a field occurs twice");
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
        {"Tile", "x minus", NULL, 0,
         "a repeat is -1, expected at least 0"}, /* the remaining axes are not reported */
        {"DepthToSpace", "x", "blocksize", INT64_C(1) << 32, "a positive blocksize"},
        {"SpaceToDepth", "x", "blocksize", 3037000500, "a positive blocksize"},
        {"QuantizeLinear", "x scale one", NULL, 0,
         "input 1 ('scale') is of int64; the operator takes float32"},
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

RLX_TEST(onnx, counts_of_n_grams_that_skip_backwards)
{
    static const char *const lists[] = {"ngram_counts", "ngram_indexes"};
    static const char *const numbers[] = {"min_gram_length", "max_gram_length", "max_skip_count"};
    bytes graph = {.size = 0}, model, node = {.size = 0}, attribute = {.size = 0};
    put_text(&node, 1, "x");
    put_text(&node, 2, "y");
    put_text(&node, 4, "TfIdfVectorizer");
    put_attribute_text(&attribute, "mode", "TF");
    put_message(&node, 5, &attribute);
    for (int i = 0; i < 3; i++) {
        attribute.size = 0;
        put_attribute_int(&attribute, numbers[i], i == 2 ? -1 : 1);
        put_message(&node, 5, &attribute);
    }
    for (int i = 0; i < 2; i++) {
        attribute.size = 0;
        put_attribute_ints(&attribute, lists[i], 0);
        put_message(&node, 5, &attribute);
    }
    put_message(&graph, 1, &node);
    put_ints(&graph, "x", 2, 1);
    finish_graph(&graph, 17, &model);
    refused(&model, "integer n-grams");
}

/* Imports the model in |ctx| and returns its text. */
static const char *text_of(rlxc_context *ctx, const bytes *model)
{
    rlxc_module *m = rlxc_read_onnx(ctx, "m.onnx", model->data, model->size, false);
    cr_assert_not_null(m, "%s", rlxc_render_diagnostics(ctx));
    return rlxc_print_module(ctx, m);
}

RLX_TEST(onnx, arithmetic_near_the_limits)
{
    bytes graph = {.size = 0}, model;
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    put_input(&graph, 1, 0); /* split size INT64_MAX: a single part */
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

    graph.size = 0; /* bfloat16 must be padded with its lowest value, not int8's */
    ctx = rlxc_context_create(&t->allocator);
    bytes same = {.size = 0};
    put_input(&graph, 16, 3);
    put_attribute_text(&same, "auto_pad", "SAME_UPPER");
    bytes node = {.size = 0}, kernel = {.size = 0}, strides = {.size = 0};
    put_attribute_ints(&kernel, "kernel_shape", 3);
    put_attribute_ints(&strides, "strides", 2);
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
    char from[32], to[32];
    put_input(&graph, 1, 0); /* would double 40 times if sequences could hold sequences */
    put_node(&graph, "SequenceConstruct", "x x", "s", NULL);
    put_node(&graph, "SequenceConstruct", "s s", "y", NULL);
    finish_graph(&graph, 17, &model);
    refused(&model, "sequences of anything but tensors");

    graph.size = 0; /* a long sequence is a run-time value: the list is not copied for each item */
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
    bytes graph = {.size = 0}, model, axis = {.size = 0};
    static bytes node;
    put_input(&graph, 1, 0);
    for (int i = 0; i < 17000; i++)
        put(&node, 1, "", 0);
    put_text(&node, 2, "y");
    put_text(&node, 4, "Concat");
    put_attribute_int(&axis, "axis", 0);
    put_message(&node, 5, &axis);
    put_message(&graph, 1, &node);
    finish_graph(&graph, 17, &model);
    refused(&model, "17000 inputs and 1 outputs; at most");
}

/* Nested loops, unrolled: each copy of the innermost body counts towards the limit. */
RLX_TEST(onnx, bodies_are_imported_a_limited_number_of_times)
{
    static bytes inner, graph, attribute;
    bytes model;
    static const struct {
        int initializers, outputs;
    } rows[] = {{1000, 0}, {0, 1000}, {0, 0}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        static const char *const made[] = {"o", "o1", "o2", "y"}, *const loops[] = {"r", "r1",
                                                                                    "r2"};
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
            put_text(&info, 1, made[depth]);
            put_message(&inner, 12, &info);
            put_message(&inner, 12, &info);
            for (int i = 0; depth == 0 && i < rows[r].outputs; i++)
                put_message(&inner, 12, &info);
            attribute.size = graph.size = 0;
            put_text(&attribute, 1, "body");
            put_message(&attribute, 6, &inner);
            put_int(&attribute, 20, 5);
            put_node(&graph, "Identity", depth < 2 ? "c" : "x", made[depth + 1], NULL);
            put_node(&graph, "Loop", "m", loops[depth], &attribute);
            inner = graph;
        }
        put_input(&inner, 1, 0);
        put_ints(&inner, "m", -1, 64);
        finish_graph(&inner, 17, &model);
        refused(&model, "the bodies of nested loops and functions have too many nodes");
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

/* n^(2^40) by squaring: a small graph, but a huge tree. */
RLX_TEST(onnx, sizes_that_are_too_large_to_compute)
{
    bytes graph = {.size = 0}, model;
    char from[32], to[16];
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
    rlxc_module *m = rlxc_read_onnx(ctx, "m.onnx", model.data, model.size, false);
    cr_assert_not_null(m, "%s", rlxc_render_diagnostics(ctx));
    cr_assert(rlx_exec_builder_create(&t->allocator, &builder, &err) == RLX_OK);
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 1));
    cr_expect(!rlxc_compile_module(ctx, m, &options, NULL, builder));
    const char *said = rlxc_render_diagnostics(ctx);
    cr_expect(strstr(said, "is too large") != NULL && !strstr(said, "internal"), "%s", said);
    rlx_exec_builder_destroy(builder);
    rlxc_context_destroy(ctx);
}
