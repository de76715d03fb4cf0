/* Names that users see: an ONNX model's inputs, outputs, dimensions and nodes keep the file's
 * names, and so do a Relax function's results. */
#include <stdlib.h>

#include "compiler/script/script.h"
#include "rlx/vm.h"
#include "tests/compiler/onnx_bytes.h"

/* A float tensor whose dimensions are named by the words of |dims|, separated by '|'. */
static void put_value(bytes *graph, unsigned field, const char *name, const char *dims)
{
    bytes shape = {.size = 0}, tensor = {.size = 0}, info = {.size = 0}, held = {.size = 0};
    for (const char *p = dims; *p; p += *p == '|') {
        bytes dim = {.size = 0};
        const size_t length = strcspn(p, "|");
        put(&dim, 2, p, length);
        put_message(&shape, 1, &dim);
        p += length;
    }
    put_int(&tensor, 1, 1);
    put_message(&tensor, 2, &shape);
    put_message(&held, 1, &tensor);
    put_text(&info, 1, name);
    put_message(&info, 2, &held);
    put_message(graph, field, &info);
}

static void put_output(bytes *graph, const char *name)
{
    bytes info = {.size = 0};
    put_text(&info, 1, name);
    put_message(graph, 12, &info);
}

/* A node with two inputs. */
static void put_binary(bytes *graph, const char *name, const char *op, const char *a, const char *b,
                       const char *out)
{
    bytes node = {.size = 0};
    put_text(&node, 1, a);
    put_text(&node, 1, b);
    put_text(&node, 2, out);
    put_text(&node, 3, name);
    put_text(&node, 4, op);
    put_message(graph, 1, &node);
}

static void end_model(const bytes *graph, bytes *model)
{
    bytes set = {.size = 0};
    model->size = 0;
    put_int(model, 1, 8);
    put_int(&set, 2, 18);
    put_message(model, 8, &set);
    put_message(model, 7, graph);
}

static rlx_executable *build(rlxc_context *ctx, rlxc_module *module, const char *what)
{
    rlxc_options options;
    rlx_exec_builder *b = NULL;
    rlx_executable *exe = NULL;
    rlx_error err = {0};
    const rlx_load_options trusted = {.trust_native = true};
    cr_assert_not_null(module, "%s: %s", what, rlxc_render_diagnostics(ctx));
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 1));
    cr_assert_eq(rlx_exec_builder_create(NULL, &b, &err), RLX_OK);
    cr_assert(rlxc_compile_module(ctx, module, &options, NULL, b), "%s: %s", what,
              rlxc_render_diagnostics(ctx));
    cr_assert_eq(rlx_exec_builder_load(b, &trusted, &exe, &err), RLX_OK, "%s", err.message);
    rlx_exec_builder_destroy(b);
    return exe;
}

static void expect_name(rlx_str got, const char *want, const char *what)
{
    cr_expect(rlx_str_eq(got, rlx_str_from(want)), "%s: '%.60s', not '%.*s'", what, want,
              got.len < 60 ? (int)got.len : 60, got.data);
}

typedef struct names {
    const char *inputs[3], *dims[3], *outputs[3];
} names;

static void expect_names(const rlx_executable *exe, const names *n, const char *what)
{
    const uint32_t f = rlx_executable_find_function(exe, RLX_STR("main"));
    cr_assert_neq(f, RLX_NONE);
    for (uint32_t i = 0; i < 3 && n->inputs[i]; i++)
        expect_name(rlx_function_param_name(exe, f, i), n->inputs[i], what);
    for (uint32_t i = 0; i < 3 && n->dims[i]; i++)
        expect_name(rlx_function_dim_name(exe, f, i), n->dims[i], what);
    uint32_t count = 0;
    for (; count < 3 && n->outputs[count]; count++)
        expect_name(rlx_function_result_name(exe, f, count), n->outputs[count], what);
    cr_expect_eq(rlx_function_result_count(exe, f), count, "%s", what);
    cr_expect_eq(rlx_function_result_name(exe, f, count).len, 0u);
    cr_expect_eq(rlx_function_dim_name(exe, f, 1000).len, 0u);
    cr_expect_eq(rlx_function_result_count(exe, 1000), 0u);
}

/* out0 = Add(in0, in1); further outputs name existing values. Each model is compiled directly, and
 * again from its printed text. */
RLX_TEST(names, of_onnx_models_reach_the_file)
{
    static char huge[10241];
    memset(huge, 'h', sizeof huge - 1);
    static const names rows[] = {
        {{"in.put:0", "w/x"}, {"batch size", "k"}, {"probs:0"}},
        {{"a.b", "a_b"}, {"n", "n.1"}, {"a-b"}},    /* collide when mangled */
        {{"class", "Module"}, {"def", "R"}, {"T"}}, /* keywords and TVMScript's names */
        {{"x_0", "x"}, {"x_1", "x_0"}, {"main"}},   /* names that the importer generates */
        {{"n", "m"}, {"n", "m"}, {"n2"}},           /* inputs and dimensions with the same names */
        {{"1", "2"}, {"3x", "_"}, {"4"}},           /* numbers */
        {{"\n\t\x1b[0m", "\"'\\"}, {" a", "b\x7f"}, {"{}%s%n"}}, /* escapes */
        {{"\xc3\xa9", "\xe6\x97\xa5"}, {"\xf0\x9f\x98\x80", "a=\n"}, {"\xcf\x80:=."}},
        {{huge, "h"}, {huge, "hh"}, {huge}},
        {{"x", "y"}, {"d", "e"}, {"z", "x", "z"}}, /* one output twice, and an input as an output */
        {{"x", "y"}, {"d", "d"}, {"x"}},           /* only an input as the output */
    };
    static bytes graph, model;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const names *n = &rows[i];
        char dims[2 * sizeof huge];
        names want = *n;
        const bool only_input = strcmp(n->outputs[0], n->inputs[0]) == 0;
        graph.size = 0;
        put_binary(&graph, "node", "Add", n->inputs[0], n->inputs[1],
                   only_input ? "unused" : n->outputs[0]);
        snprintf(dims, sizeof dims, "%s|%s", n->dims[0], n->dims[1]);
        put_value(&graph, 11, n->inputs[0], dims);
        put_value(&graph, 11, n->inputs[1], dims);
        for (size_t k = 0; k < 3 && n->outputs[k]; k++)
            put_output(&graph, n->outputs[k]);
        end_model(&graph, &model);
        if (strcmp(n->dims[0], n->dims[1]) == 0)
            want.dims[1] = NULL;
        char what[32];
        snprintf(what, sizeof what, "row %zu", i);
        rlxc_context *ctx = rlxc_context_create(NULL);
        rlxc_module *module = rlxc_read_onnx(ctx, "m.onnx", model.data, model.size, false);
        cr_assert_not_null(module, "%s: %s", what, rlxc_render_diagnostics(ctx));
        cr_expect(rlxc_check_round_trip(ctx, module, "import", NULL), "%s: %s", what,
                  rlxc_render_diagnostics(ctx));
        char *text = strdup(rlxc_print_module(ctx, module));
        rlx_executable *exe = build(ctx, module, what);
        expect_names(exe, &want, what);
        rlx_executable_release(exe);
        rlxc_context_destroy(ctx);

        ctx = rlxc_context_create(NULL);
        exe = build(ctx, rlxc_read_module(ctx, "m.py", text, strlen(text)), text);
        expect_names(exe, &want, text);
        rlx_executable_release(exe);
        rlxc_context_destroy(ctx);
        free(text);
    }
}

RLX_TEST(names, of_onnx_models_that_are_refused)
{
    static const struct {
        const char *inputs[2], *output;
        size_t length; /* of the first input */
        const char *expected;
    } rows[] = {
        {{"a\0b", "y"}, "z", 3, "name 'a\\x00b' of a ValueInfoProto holds a NUL byte"},
        {{"a\xff", "y"}, "z", 2, "name 'a\\xff' of a ValueInfoProto is not UTF-8"},
        {{"\xed\xa0\x80", "y"}, "z", 3, "is not UTF-8"}, /* half a surrogate pair */
        {{"", "y"}, "z", 0, "input 0 of the graph has no name"},
        {{"y", "y"}, "z", 1, "the graph has two inputs named 'y'"},
        {{"\n\x1b", "\n\x1b"}, "z", 2, "the graph has two inputs named '\\n\\x1b'"},
        {{"x", "y"}, "", 1, "no node produces graph output ''"},
        {{"x", "y"}, "q\x07", 1, "no node produces graph output 'q\\x07'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bytes graph = {.size = 0}, model = {.size = 0}, info = {.size = 0};
        put(&info, 1, rows[i].inputs[0], rows[i].length);
        put_value(&graph, 11, rows[i].inputs[1], "n");
        put_binary(&graph, "", "Add", rows[i].inputs[1], rows[i].inputs[1], "z");
        bytes type = {.size = 0}, tensor = {.size = 0};
        put_int(&tensor, 1, 1);
        put_message(&type, 1, &tensor);
        put_message(&info, 2, &type);
        bytes whole = {.size = 0};
        put_message(&whole, 11, &info); /* the first input */
        memcpy(whole.data + whole.size, graph.data, graph.size);
        whole.size += graph.size;
        put_output(&whole, rows[i].output);
        end_model(&whole, &model);
        refused(&model, rows[i].expected);
    }
    /* Names of dimensions and nodes are checked as well. */
    bytes graph = {.size = 0}, model = {.size = 0};
    put_value(&graph, 11, "x", "\xff");
    put_output(&graph, "x");
    end_model(&graph, &model);
    refused(&model, "dim_param '\\xff' of a Dimension is not UTF-8");
    graph.size = 0;
    put_value(&graph, 11, "x", "n");
    put_binary(&graph, "\xc3(", "Add", "x", "x", "y");
    put_output(&graph, "y");
    end_model(&graph, &model);
    refused(&model, "name '\\xc3(' of a NodeProto is not UTF-8");
}

RLX_TEST(names, of_relax_results_are_those_of_variables)
{
    static const struct {
        const char *result, *names[3];
    } rows[] = {
        {"return a", {"a"}},
        {"return x", {"x"}},
        {"return (a, x)", {"a", "x"}},
        {"return (a, (b, a))", {"a", ""}},
        {"t = (a, b)\n    return t", {"a", "b"}},
        {"t = R.split(a, 3)\n    return t", {"t.0", "t.1", "t.2"}},
        {"return (R.add(a, b), b)", {"", "b"}},
        {"R.func_attr({\"rlx.result_names\": [\"p:0\"]})\nreturn a", {"p:0"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        const names want = {.outputs = {rows[i].names[0], rows[i].names[1], rows[i].names[2]}};
        const bool attrs = strncmp(rows[i].result, "R.func_attr", 11) == 0;
        const char *rest = attrs ? strchr(rows[i].result, '\n') + 1 : rows[i].result;
        snprintf(text, sizeof text,
                 "@R.function\ndef main(x: R.Tensor((\"n\", 6), \"float32\")):\n    %.*s\n"
                 "    a = R.add(x, x)\n    b = R.multiply(x, a)\n    %s\n",
                 attrs ? (int)(rest - rows[i].result) : 0, rows[i].result, rest);
        rlxc_context *ctx = rlxc_context_create(NULL);
        rlx_executable *exe = build(ctx, rlxc_read_module(ctx, "m.py", text, strlen(text)), text);
        expect_names(exe, &want, text);
        rlx_executable_release(exe);
        rlxc_context_destroy(ctx);
    }
    /* The attribute must name every result. */
    static const char wrong[] = "@R.function\ndef main(x: R.Tensor((\"n\",), \"float32\")):\n"
                                "    R.func_attr({\"rlx.result_names\": [\"p\", \"q\"]})\n"
                                "    return x\n";
    rlxc_options options;
    rlx_exec_builder *b = NULL;
    rlxc_context *ctx = rlxc_context_create(NULL);
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 1));
    cr_assert_eq(rlx_exec_builder_create(NULL, &b, NULL), RLX_OK);
    cr_expect_not(rlxc_compile_text(ctx, "m.py", wrong, strlen(wrong), &options, b));
    cr_expect(strstr(rlxc_render_diagnostics(ctx),
                     "'rlx.result_names' has 2 names, the function has 1 results"),
              "%s", rlxc_render_diagnostics(ctx));
    rlx_exec_builder_destroy(b);
    rlxc_context_destroy(ctx);
}

/* --- errors at run time ----------------------------------------------------------------------- */

static void put_if(bytes *graph, const char *name, const bytes *then, const bytes *otherwise)
{
    static bytes node, attribute;
    node.size = 0;
    put_text(&node, 1, "c");
    put_text(&node, 2, "z");
    put_text(&node, 3, name);
    put_text(&node, 4, "If");
    for (int k = 0; k < 2; k++) {
        attribute.size = 0;
        put_text(&attribute, 1, k ? "else_branch" : "then_branch");
        put_message(&attribute, 6, k ? otherwise : then);
        put_int(&attribute, 20, 5);
        put_message(&node, 5, &attribute);
    }
    put_message(graph, 1, &node);
}

/* A graph that applies one node to x and y, with output |out|. */
static void put_branch(bytes *graph, const char *node, const char *out)
{
    graph->size = 0;
    put_binary(graph, node, "Add", "x.1", "y\n", out);
    put_output(graph, out);
}

static void put_flag(bytes *graph, const char *name)
{
    bytes tensor = {.size = 0}, info = {.size = 0}, held = {.size = 0}, shape = {.size = 0};
    put_int(&tensor, 1, 9);
    put_message(&tensor, 2, &shape);
    put_message(&held, 1, &tensor);
    put_text(&info, 1, name);
    put_message(&info, 2, &held);
    put_message(graph, 11, &info);
}

/* Calls main with (c), x of n elements and y of m; |err| gets the error. */
static void call(rlx_executable *exe, int flag, int64_t n, int64_t m, rlx_error *err)
{
    rlx_vm *vm = NULL;
    rlx_tensor *x = NULL, *y = NULL, *c = NULL;
    rlx_value result = rlx_none();
    cr_assert_eq(rlx_vm_create(exe, NULL, &vm, err), RLX_OK);
    cr_assert_eq(rlx_tensor_create(NULL, RLX_F32, 1, &n, &x, err), RLX_OK);
    cr_assert_eq(rlx_tensor_create(NULL, RLX_F32, 1, &m, &y, err), RLX_OK);
    cr_assert_eq(rlx_tensor_create(NULL, RLX_DTYPE(RLX_BOOL, 8), 0, NULL, &c, err), RLX_OK);
    *(unsigned char *)rlx_tensor_mutable_data(c) = flag > 0;
    const rlx_value args[] = {rlx_of_tensor(c), rlx_of_tensor(x), rlx_of_tensor(y)};
    const uint32_t skip = flag < 0;
    cr_expect_neq(rlx_vm_invoke(vm, RLX_STR("main"), args + skip, 3 - skip, &result, err), RLX_OK);
    rlx_value_release(result);
    for (int i = 0; i < 3; i++)
        rlx_value_release(args[i]);
    rlx_vm_destroy(vm);
}

RLX_TEST(names, of_nodes_are_in_run_time_errors)
{
    enum { PLAIN, UNNAMED, LONG, BRANCHES, FUNCTION };
    static const struct {
        int form, flag;
        const char *place;
    } rows[] = {
        {PLAIN, -1, "m.onnx: node 'a node\\n' (Add): "},
        {UNNAMED, -1, "m.onnx: node 1 (Add): "},
        {LONG, -1, "hhh...' (Add): "},
        {BRANCHES, 1, "m.onnx: node 'if' (If), then_branch: node 'inner' (Add): "},
        {BRANCHES, 0, "m.onnx: node 'if' (If), else_branch: node 0 (Add): "},
        {FUNCTION, -1, "m.onnx: node 'call' (F): node 'inside' (Add): "},
    };
    static bytes graph, model, then, otherwise;
    static char huge[5001];
    memset(huge, 'h', sizeof huge - 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *sum[] = {"a node\n", "", huge, "", "call"};
        graph.size = 0;
        if (rows[i].form == UNNAMED)
            put_node(&graph, "Neg", "x.1", "unused", NULL);
        if (rows[i].form == BRANCHES) {
            put_flag(&graph, "c");
            put_branch(&then, "inner", "t");
            put_branch(&otherwise, "", "e");
            put_if(&graph, "if", &then, &otherwise);
        } else {
            put_binary(&graph, sum[rows[i].form], rows[i].form == FUNCTION ? "F" : "Add", "x.1",
                       "y\n", "z");
        }
        put_value(&graph, 11, "x.1", "n");
        put_value(&graph, 11, "y\n", "m");
        put_output(&graph, "z");
        end_model(&graph, &model);
        if (rows[i].form == FUNCTION) {
            bytes f = {.size = 0}, set = {.size = 0};
            put_text(&f, 1, "F");
            put_text(&f, 4, "p");
            put_text(&f, 4, "q");
            put_text(&f, 5, "r");
            bytes inside = {.size = 0};
            put_binary(&inside, "inside", "Add", "p", "q", "r");
            memcpy(f.data + f.size, "\x3a", 1); /* field 7: the node, as written by put_binary */
            memcpy(f.data + f.size + 1, inside.data + 1, inside.size - 1);
            f.size += inside.size;
            put_int(&set, 2, 18);
            put_message(&f, 9, &set);
            put_message(&model, 25, &f);
        }
        rlxc_context *ctx = rlxc_context_create(NULL);
        rlx_executable *exe =
            build(ctx, rlxc_read_onnx(ctx, "some/where/m.onnx", model.data, model.size, false),
                  rows[i].place);
        rlx_error err = {0};
        call(exe, rows[i].flag, 3, 4, &err);
        cr_expect(strstr(err.message, rows[i].place), "'%s' lacks '%s'", err.message,
                  rows[i].place);
        cr_expect(rows[i].form == FUNCTION || strstr(err.message, "'x.1'"), "%s", err.message);
        cr_expect(rows[i].form == FUNCTION || strstr(err.message, "'y\\n'"), "%s", err.message);
        cr_expect(strstr(err.message, "3 and 4"), "%s", err.message);
        cr_expect_str_eq(err.where.file, "m.onnx");
        cr_expect_eq(err.where.column, 0u);
        rlx_executable_release(exe);
        rlxc_context_destroy(ctx);
    }
}

/* --- the source's path ------------------------------------------------------------------------ */

RLX_TEST(names, the_bytes_do_not_depend_on_how_the_path_is_spelled)
{
    static const char *const paths[] = {"m.py", "./m.py", "/a/b/m.py", "x/../m.py", "//m.py"};
    static const char text[] = "@R.function\ndef main(x: R.Tensor((\"n\", 4), \"float32\")):\n"
                               "    y = R.nn.relu(R.add(x, x))\n    return y\n";
    void *first = NULL;
    size_t first_size = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        rlxc_context *ctx = rlxc_context_create(NULL);
        rlxc_options options;
        rlx_exec_builder *b = NULL;
        void *data;
        size_t size;
        cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 2));
        cr_assert_eq(rlx_exec_builder_create(NULL, &b, NULL), RLX_OK);
        cr_assert(rlxc_compile_text(ctx, paths[i], text, strlen(text), &options, b));
        cr_assert_eq(rlx_exec_builder_finish(b, &data, &size, NULL), RLX_OK);
        if (i == 0) {
            first = data;
            first_size = size;
            const char *place = "m.py";
            cr_expect_not_null(memmem(data, size, place, strlen(place)));
        } else {
            cr_expect(size == first_size && memcmp(data, first, size) == 0, "%s", paths[i]);
            rlx_free(NULL, data, size, 64);
        }
        rlx_exec_builder_destroy(b);
        rlxc_context_destroy(ctx);
    }
    rlx_free(NULL, first, first_size, 64);
}
