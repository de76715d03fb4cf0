/* The ONNX importer: symbolic shapes, subgraphs, diagnostics by node, weights. `make onnx-backend`
 * compares numbers. The models come from the fuzz corpus or are written by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/cli/cli.h"
#include "compiler/driver/compile.h"
#include "compiler/script/script.h"
#include "tests/compiler/onnx_bytes.h"

static rlxc_module *read_corpus(rlxc_context *ctx, const char *name)
{
    char corpus[64], path[256];
    static unsigned char data[1 << 16];
    snprintf(corpus, sizeof corpus, "corpus/onnx/%s", name);
    cr_assert(rlx_test_data(corpus, path, sizeof path));
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    return rlxc_read_onnx(ctx, path, data, size, false);
}

RLX_TEST(onnx, corpus)
{
    static const struct {
        const char *name, *expected; /* part of the module's text, or of the diagnostics */
    } rows[] = {
        {"shapes.onnx", "R.reshape(x, R.shape([b, n * 3]))"},
        {"conv.onnx", "R.nn.conv2d"},
        {"loop.onnx", "def loop("},
        {"if.onnx", "if k:"},
        {"lstm.onnx", "R.nn.recurrent"},
        {"slice.onnx", "R.topk"},
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
            cr_expect(rlxc_check_round_trip(ctx, module, "import", NULL), "%s: %s", rows[i].name,
                      rlxc_render_diagnostics(ctx));
        rlxc_context_destroy(ctx);
    }
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
        put_versions(&model, 17);
        put_message(&model, 7, &graph);
        refused(&model, rows[i].expected);
    }
}

RLX_TEST(onnx, external_data_is_not_written_over)
{
    static const float values[4] = {1, 2, 3, 4};
    static const char *const name = "w";
    char folder[] = "/tmp/rlx-onnx-XXXXXX", paths[3][64], text[1024] = "";
    bytes entry = {.size = 0}, tensor = {.size = 0}, graph = {.size = 0}, model = {.size = 0};
    cr_assert(mkdtemp(folder));
    put_text(&entry, 1, "location");
    put_text(&entry, 2, "w.bin");
    put_int(&tensor, 1, 4); /* dims */
    put_int(&tensor, 2, 1); /* float */
    put_text(&tensor, 8, name);
    put_message(&tensor, 13, &entry);
    put_int(&tensor, 14, 1);
    put_message(&graph, 5, &tensor);
    put_versions(&model, 17);
    finish_model(&graph, &name, 1, &model);
    snprintf(paths[0], sizeof paths[0], "%s/m.onnx", folder);
    snprintf(paths[1], sizeof paths[1], "%s/w.bin", folder);
    snprintf(paths[2], sizeof paths[2], "%s/soft", folder);
    RLX_OKAY(rlx_write_file(paths[0], model.data, model.size, &t->error));
    RLX_OKAY(rlx_write_file(paths[1], values, sizeof values, &t->error));
    cr_assert_eq(symlink("w.bin", paths[2]), 0);
    for (int i = 1; i < 3; i++) {
        char *argv[] = {(char[]){"rlxc"}, paths[0], (char[]){"-o"}, paths[i], NULL};
        FILE *err = fmemopen(text, sizeof text, "w");
        cr_expect_eq(rlxc_main(4, argv, err, err), 1);
        fclose(err);
        cr_expect(strstr(text, "would overwrite") != NULL, "%s", text);
    }
    float back[4];
    FILE *file = fopen(paths[1], "rb");
    cr_assert(file && fread(back, sizeof back, 1, file) == 1);
    cr_expect(memcmp(back, values, sizeof back) == 0, "the weights are lost");
    fclose(file);
    for (int i = 0; i < 3; i++)
        unlink(paths[i]);
    cr_expect_eq(rmdir(folder), 0, "something was left in %s", folder);
}

RLX_TEST(onnx, weights_stay_in_the_bytes_of_the_model)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    static const size_t sizes[] = {4000, 16, 1024, 1023};
    /* the importer's marker for weights cut out of the model; data that looks like it must stay
     * data */
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
    put_versions(&model, 17);
    finish_model(&graph, names, 4, &model);
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_module *m = rlxc_read_onnx(ctx, "weights.onnx", model.data, model.size, false);
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

    /* A model truncated anywhere is refused. */
    for (size_t size = 0; size < model.size; size += 37) {
        ctx = rlxc_context_create(&t->allocator);
        cr_expect_null(rlxc_read_onnx(ctx, "weights.onnx", model.data, size, false));
        rlxc_context_destroy(ctx);
    }
}

/* Peak memory of the child that compiles, in bytes. */
static size_t peak_of_compiling(const char *model, const char *out)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        unsetenv("RLX_CHECK"); /* it would print the weights after every pass */
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
            put_versions(&model, 17);
            finish_model(&graph, names, 1, &model);
            cr_assert_eq(fwrite(model.data, 1, model.size, file), model.size);
            FILE *data = fopen(weights, "wb");
            cr_assert(data && ftruncate(fileno(data), (off_t)size) == 0 && fclose(data) == 0);
        } else { /* the weights are a sparse hole at the end of the file */
            bytes info = {.size = 0};
            put_text(&info, 1, names[0]);
            put_message(&graph, 12, &info);
            varint(&tensor, 9 << 3 | 2);
            varint(&tensor, size);
            varint(&graph, 5 << 3 | 2);
            varint(&graph, tensor.size + size);
            put_versions(&head, 17);
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
    put_versions(&model, 17);
    put_message(&model, 7, &graph);
    refused(&model, "node 'bad0', NoSuchOperator: the operator is not supported");
    refused(&model, "node 'bad49', NoSuchOperator: the operator is not supported");
}

/* INT32_MAX and INT32_MIN mean the ends of a dimension, so its length is unchanged. */
RLX_TEST(onnx, slices_to_the_ends)
{
    static const int64_t rows[][3] = {
        {0, INT32_MAX, 1}, {INT32_MIN, INT64_MAX, 1}, {INT32_MAX, INT32_MIN, -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bytes graph = {.size = 0}, model = {.size = 0};
        put_node(&graph, "Slice", "x starts ends axes steps", "y", NULL);
        put_ints(&graph, "starts", 1, rows[i][0]);
        put_ints(&graph, "ends", 1, rows[i][1]);
        put_ints(&graph, "axes", 1, 0);
        put_ints(&graph, "steps", 1, rows[i][2]);
        put_input(&graph, 1, 0);
        finish_graph(&graph, 13, &model);
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        rlxc_module *m = rlxc_read_onnx(ctx, "slice.onnx", model.data, model.size, false);
        cr_assert_not_null(m, "%s", rlxc_render_diagnostics(ctx));
        const char *text = rlxc_print_module(ctx, m);
        cr_expect(strstr(text, "lv: R.Tensor((n, 3), dtype=\"float32\") = R.strided_slice") != NULL,
                  "%s", text);
        rlxc_context_destroy(ctx);
    }
}
