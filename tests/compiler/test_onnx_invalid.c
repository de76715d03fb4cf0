/* Bytes that are not a valid ONNX model, whatever its nodes do: each is refused with the reason. */
#include "tests/compiler/onnx_bytes.h"

enum { FLOAT = 1, DOUBLE = 11, FLOAT_ATTRIBUTE = 1, STRING_ATTRIBUTE = 3 };

RLX_TEST(onnx, unknown_opsets)
{
    static const struct {
        int64_t version, ir;
        const char *expected; /* NULL: the model is accepted */
    } rows[] = {{99, 8, "the model has opset 99; 1 to"},
                {-5, 8, "the model has opset -5; 1 to"},
                {0, 8, "the model has opset 0"},
                {INT64_C(1) << 40, 8, "the model has opset 1099511627776"},
                {INT64_MIN, 8, "the model declares no opset"},
                {INT64_MIN, 2, NULL},
                {17, 8, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static bytes graph, model, set;
        static const char *const y[] = {"y"};
        graph.size = model.size = set.size = 0;
        put_input(&graph, FLOAT, 2);
        put_node(&graph, "Relu", "x", "y", NULL);
        put_int(&model, 1, (uint64_t)rows[i].ir);
        put_int(&set, 2, (uint64_t)rows[i].version);
        if (rows[i].version != INT64_MIN)
            put_message(&model, 8, &set);
        finish_model(&graph, y, 1, &model);
        if (rows[i].expected) {
            refused(&model, rows[i].expected);
            continue;
        }
        rlxc_context *ctx = rlxc_context_create(NULL);
        cr_expect(rlxc_read_onnx(ctx, "tests/onnx/model.onnx", model.data, model.size, false),
                  "row %zu: %s", i, rlxc_render_diagnostics(ctx));
        rlxc_context_destroy(ctx);
    }
}

RLX_TEST(onnx, names_and_attributes_that_a_model_cannot_have)
{
    static const struct {
        const char *first[3], *second[3]; /* operator, inputs, outputs; NULL: no node */
        const char *attribute;            /* of the second node */
        unsigned kind; /* of the attribute; 0: an integer attribute written twice */
        const char *expected;
    } rows[] = {
        {{"Relu", "x", "y"},
         {"Neg", "x", "y"},
         NULL,
         0,
         "Neg: 'y' is defined twice\n    at node 1 (Neg)"},
        {{NULL}, {"Relu", "x", "x"}, NULL, 0, "Relu: 'x' is defined twice"},
        {{"Relu", "x", "y"}, {"Relu", "x", "i"}, NULL, 0, "Relu: 'i' is defined twice"},
        {{NULL}, {"TopK", "x i", "y y"}, NULL, 0, "TopK: 'y' is defined twice"},
        {{NULL}, {"Softmax", "x", "y"}, "axis", 0, "attribute 'axis' is given twice"},
        {{NULL},
         {"Softmax", "x", "y"},
         "axis",
         STRING_ATTRIBUTE,
         "attribute 'axis' must be an integer"},
        {{NULL},
         {"ReduceMax", "x", "y"},
         "axes",
         FLOAT_ATTRIBUTE,
         "attribute 'axes' must be a list of integers, is a float"},
        {{NULL}, {"Elu", "x", "y"}, "alpha", 2, "attribute 'alpha' must be a float"},
        {{NULL}, {"Pad", "x i", "y"}, "mode", 2, "attribute 'mode' must be a string"},
        {{"Cast", "x", "d"}, {"Concat", "d x", "y"}, "to", DOUBLE, "element type"},
        {{"Cast", "x", "d"}, {"Gemm", "d x", "y"}, "to", DOUBLE, "element type"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static bytes graph, model, attribute;
        graph.size = attribute.size = 0;
        const char *name = rows[i].attribute;
        const bool is_cast = name && strcmp(name, "to") == 0;
        put_input(&graph, FLOAT, 2);
        put_ints(&graph, "i", 1, 1);
        if (is_cast)
            put_attribute_int(&attribute, name, rows[i].kind);
        if (rows[i].first[0])
            put_node(&graph, rows[i].first[0], rows[i].first[1], rows[i].first[2],
                     is_cast ? &attribute : NULL);
        attribute.size = 0;
        if (name && !is_cast) {
            put_text(&attribute, 1, name);
            put_int(&attribute, 20, rows[i].kind ? rows[i].kind : 2);
        }
        const bool joins = strcmp(rows[i].second[0], "Concat") == 0;
        if (joins)
            put_attribute_int(&attribute, "axis", 1);
        static bytes node;
        node.size = 0;
        const char *const *second = rows[i].second;
        if (name && !is_cast && rows[i].kind == 0) { /* the attribute twice */
            put_text(&node, 1, second[1]);
            put_text(&node, 2, second[2]);
            put_text(&node, 4, second[0]);
            put_message(&node, 5, &attribute);
            put_message(&node, 5, &attribute);
            put_message(&graph, 1, &node);
        } else {
            put_node(&graph, second[0], second[1], second[2],
                     (name && !is_cast) || joins ? &attribute : NULL);
        }
        finish_graph(&graph, 17, &model);
        refused(&model, rows[i].expected);
    }
}

/* Operands of two float types that the model declares are an error. If a node computes one of them,
 * as in PyTorch 1.13's masks, it is widened with a warning. */
RLX_TEST(onnx, operands_of_two_float_types)
{
    static const struct {
        const char *op, *inputs, *expected; /* d is declared, c is computed */
        bool is_refused;
    } rows[] = {
        {"MatMul", "x d", "MatMul: the operands must have one element type, got float32 and", true},
        {"Add", "d x", "Add: the operands must have one element type, got float64 and", true},
        {"Max", "d x", "Max: the operands must have one element type, got float64 and", true},
        {"MatMul", "x c", "operands of float32 and float64: ONNX requires one element type", false},
        {"Sub", "c d", NULL, false},
        {"Mul", "c x", "operands of float64 and float32", false},
        {"Where", "b x c", "operands of float32 and float64", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static bytes graph, model, attribute, d;
        graph.size = model.size = attribute.size = d.size = 0;
        put_input(&graph, FLOAT, 2);
        put_int(&d, 2, DOUBLE);
        put_text(&d, 8, "d");
        put_text(&d, 9, "\1\2\3\4\5\6\7\10");
        put_message(&graph, 5, &d);
        put_attribute_int(&attribute, "to", DOUBLE);
        put_node(&graph, "Cast", "x", "c", &attribute);
        attribute.size = 0;
        put_attribute_int(&attribute, "to", 9); /* bool */
        put_node(&graph, "Cast", "x", "b", &attribute);
        put_node(&graph, rows[i].op, rows[i].inputs, "y", NULL);
        finish_graph(&graph, 17, &model);
        if (rows[i].is_refused) {
            refused(&model, rows[i].expected);
            continue;
        }
        rlxc_context *ctx = rlxc_context_create(NULL);
        const rlxc_module *module =
            rlxc_read_onnx(ctx, "tests/onnx/model.onnx", model.data, model.size, false);
        const char *said = rlxc_render_diagnostics(ctx);
        cr_expect(module != NULL, "row %zu: %s", i, said);
        if (rows[i].expected == NULL)
            cr_expect_str_eq(said, "", "row %zu", i);
        else
            cr_expect(strstr(said, rows[i].expected), "row %zu: %s", i, said);
        rlxc_context_destroy(ctx);
    }
}

RLX_TEST(onnx, initializers_have_names_of_their_own)
{
    static bytes graph, model;
    put_input(&graph, FLOAT, 2);
    put_ints(&graph, "i", 1, 1);
    put_ints(&graph, "i", 1, 2);
    put_node(&graph, "Relu", "x", "y", NULL);
    finish_graph(&graph, 17, &model);
    refused(&model, "'i' is defined twice");
}
