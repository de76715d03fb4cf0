/* Schedules as text: a printed list parses back to itself; errors name the fault. */
#include "tests/support/rlx_test.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/schedule/step.h"

static const char *const texts[] = {
    "# main.NT_matmul\n"
    "b0 = sch.get_block(name=\"NT_matmul\", func_name=\"NT_matmul\")\n"
    "l1, l2, l3 = sch.get_loops(block=b0)\n"
    "l4, l5 = sch.split(loop=l2, factors=[None, 16], preserve_unit_iters=True)\n"
    "sch.reorder(l1, l4, l3, l5)\n"
    "sch.vectorize(loop=l5)\n"
    "l6 = sch.fuse(l1, l4, preserve_unit_iters=False)\n"
    "sch.annotate(block_or_loop=l6, ann_key=\"pragma\", ann_val={\"a\": [1, 2.5, \"x\"]})\n"
    "sch.tensorize(block_or_loop=b0, tensor_intrin=\"tile\", sizes={\"mr\": 6, \"nv\": 2})\n"
    "\n"
    "# main.softmax\n"
    "b0 = sch.get_block(name=\"T_softmax\", func_name=\"softmax\")\n"
    "l1, = sch.get_loops(block=b0)\n"
    "v2, v3 = sch.sample_perfect_tile(loop=l1, n=2, max_innermost_factor=16, decision=[8, 4])\n"
    "l4, l5 = sch.split(loop=l1, factors=[v2, v3])\n"
    "b6 = sch.cache_read(block=b0, read_buffer_index=0, storage_scope=\"local\", "
    "consumer_blocks=[b0])\n"
    "sch.transform_layout(block=b6, buffer=(\"write\", 0), index_map=lambda i, j: (j, i // 4), "
    "pad_value=None)\n"
    "sch.rewrite(block=b0, rewrite=\"online_softmax\", sizes={\"block\": 64})\n"
    "sch.enter_postproc()\n",
};

RLX_TEST(steps, text_reads_back_as_it_was_printed)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        rlxc_context *ctx = rlxc_context_create(NULL);
        rlxc_schedules s;
        cr_assert(rlxc_parse_schedules(ctx, "s.sch", texts[i], strlen(texts[i]), &s), "%s",
                  rlxc_render_diagnostics(ctx));
        cr_expect_str_eq(rlxc_print_schedules(ctx, "main", &s), texts[i]);
        rlxc_context_destroy(ctx);
    }
}

RLX_TEST(steps, text_printed_by_tvm_is_read)
{
    static const char text[] =
        "# from tvm import s_tir\n"
        "def apply_trace(sch: s_tir.Schedule) -> None:\n"
        "  b0 = sch.get_sblock(name=\"C\", func_name=\"main\")\n"
        "  l1, l2, l3 = sch.get_loops(block=b0)\n"
        "  sch.transform_layout(block=b0, buffer=(\"write\", 0), index_map=lambda i, j: (j, i,), "
        "pad_value=None, assume_injective_transform=False)\n";
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlxc_schedules s;
    cr_assert(rlxc_parse_schedules(ctx, "s.py", text, strlen(text), &s), "%s",
              rlxc_render_diagnostics(ctx));
    cr_assert_eq(s.items.count, 1);
    cr_expect_eq(s.items.items[0]->items.count, 3);
    cr_expect_eq(s.items.items[0]->items.items[0].kind, RLXC_STEP_get_block);
    rlxc_context_destroy(ctx);
}

RLX_TEST(steps, lists_made_by_rules_print_as_text)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlxc_schedule_steps *s = rlxc_steps_new(ctx, "f", (rlxc_range){0});
    rlxc_step_ref block = rlxc_step_get_block(s, "C"), loops[2], halves[2];
    rlxc_step_get_loops(s, block, loops, 2);
    rlxc_step_split(s, loops[1], (const int64_t[]){0, 8}, 2, halves);
    rlxc_step_mark(s, RLXC_STEP_vectorize, halves[1]);
    rlxc_step_decompose(s, block, halves[0]);
    rlxc_attrs sizes = rlxc_attrs_with(ctx, (rlxc_attrs){0}, "mr", rlxc_attr_int(6));
    rlxc_step_tensorize(s, block, "tile", sizes);
    rlxc_schedules all = {0};
    RLXC_PUSH(ctx, &all.items, s);
    cr_expect_str_eq(
        rlxc_print_schedules(ctx, "m", &all),
        "# m.f\n"
        "b0 = sch.get_block(name=\"C\", func_name=\"f\")\n"
        "l1, l2 = sch.get_loops(block=b0)\n"
        "l3, l4 = sch.split(loop=l2, factors=[None, 8])\n"
        "sch.vectorize(loop=l4)\n"
        "b5 = sch.decompose_reduction(block=b0, loop=l3)\n"
        "sch.tensorize(block_or_loop=b0, tensor_intrin=\"tile\", sizes={\"mr\": 6})\n");
    for (uint32_t i = 0; i < s->items.count; i++)
        cr_expect(rlxc_step_check(ctx, &s->items.items[i]));
    rlxc_context_destroy(ctx);
}

static const struct {
    const char *text, *message;
} wrong[] = {
    {"sch.vectorize(loop=l1)", "l1"},
    {"b0 = sch.get_block(name=\"C\")", "the first step must be get_block with a func_name"},
    {"b0 = sch.get_block(name=3, func_name=\"f\")", "get_block: name must be a string"},
    {"b0, b1 = sch.get_block(name=\"C\", func_name=\"f\")", "get_block gives one result, not 2"},
    {"b0 = sch.get_block(func_name=\"f\")", "get_block needs name"},
    {"b0 = sch.get_block(name=\"C\", func_name=\"f\", x=1)", "get_block has no argument 'x'"},
    {"b0 = sch.get_block(\"C\", name=\"C\", func_name=\"f\")", "argument 'name' is given twice"},
    {"b0 = sch.get_block(\"C\", \"f\", 3)", "get_block takes 2 arguments, not 3"},
    {"sch.tile(loop=3)", "there is no step 'tile'"},
    {"sch.Split(loop=3)", "there is no step 'Split'"},
    {"x = 3", "expected a step: sch.name(arguments)"},
    {"x[0] = sch.get_block(name=\"C\", func_name=\"f\")", "expected a name for a result of"},
    {"    b0 = 1", "a line without indentation"},
    {"sch.reorder(1, 2)", "reorder: loops must be a loop each"},
    {"sch.enter_postproc(", "expected"},
    {"def apply(sch)\n", "expected"},
};

RLX_TEST(steps, errors_name_the_step_and_the_argument)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rlxc_context *ctx = rlxc_context_create(NULL);
        rlxc_schedules s;
        cr_expect(!rlxc_parse_schedules(ctx, "s.sch", wrong[i].text, strlen(wrong[i].text), &s));
        cr_expect(strstr(rlxc_render_diagnostics(ctx), wrong[i].message), "%s:\n%s", wrong[i].text,
                  rlxc_render_diagnostics(ctx));
        rlxc_context_destroy(ctx);
    }
}

static const struct {
    const char *text, *message;
} wrong_json[] = {
    {"[", "trace:"},
    {"[1, 2]", "expected [[instructions], [decisions]]"},
    {"[[[\"ReIndex\", [], [], []]], []]", "instruction 0: there is no instruction 'ReIndex'"},
    {"[[[\"GetLoops\", [\"b0\"], [], []]], []]", "no earlier instruction defines 'b0'"},
    {"[[[\"GetSBlock\", [], [\"C\", \"f\", 1, 2], [\"b0\"]]], []]", "too many values"},
    {"[[[\"GetSBlock\", [], [\"C\"], [\"b0\"]]], []]", "must be GetSBlock with a function's name"},
    {"[[[\"GetSBlock\", [], [\"C\", \"f\"], [3]]], []]", "a result has no name"},
    {"[[[\"GetSBlock\"]], []]", "expected [kind, inputs, attributes, outputs]"},
    {"[[[\"GetSBlock\", [], [\"C\", \"f\"], [\"b0\"]], [\"TransformLayout\", [\"b0\", "
     "\"{\\\"nodes\\\":[]}\"], [0, 1, null], []]], []]",
     "unsupported index map"},
    {"[[[\"GetSBlock\", [], [\"C\", \"f\"], [\"b0\"]], [\"TransformLayout\", [\"b0\", "
     "\"{\\\"root_index\\\":0,\\\"nodes\\\":[{\\\"type\\\":\\\"IndexMap\\\",\\\"data\\\":{"
     "\\\"initial_indices\\\":1,\\\"final_indices\\\":1}},{\\\"type\\\":\\\"Array\\\",\\\"data\\\":"
     "[2]},{\\\"type\\\":\\\"Add\\\",\\\"data\\\":{\\\"a\\\":2,\\\"b\\\":2}}]}\"], [0, 1, null], "
     "[]]], []]",
     "unsupported index map"},
    {"[[[\"GetSBlock\", [], [\"C\", \"f\"], [\"b0\"]], [\"SetScope\", [\"b0\"], [0], []]], []]",
     "set_scope needs storage_scope"},
    {"  ", "the schedule has no step"},
};

RLX_TEST(steps, errors_in_traces_name_the_instruction)
{
    for (size_t i = 0; i < sizeof wrong_json / sizeof *wrong_json; i++) {
        rlxc_context *ctx = rlxc_context_create(NULL);
        rlxc_schedules s;
        const char *text = wrong_json[i].text;
        cr_expect(!rlxc_parse_schedules(ctx, "t.json", text, strlen(text), &s));
        cr_expect(strstr(rlxc_render_diagnostics(ctx), wrong_json[i].message), "%s:\n%s", text,
                  rlxc_render_diagnostics(ctx));
        rlxc_context_destroy(ctx);
    }
}

RLX_TEST(steps, the_fastest_record_of_each_workload_counts)
{
    static const char text[] =
        "[0, [[[[\"GetSBlock\", [], [\"A\", \"main\"], [\"b0\"]]], []], [2.0, 4.0], {}, []]]\n"
        "[0, [[[[\"GetSBlock\", [], [\"B\", \"main\"], [\"b0\"]]], []], [1.0, 1.5], {}, []]]\n"
        "[1, [[[[\"GetSBlock\", [], [\"C\", \"main\"], [\"b0\"]]], []], [9.0], {}, []]]\n";
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlxc_schedules s;
    cr_assert(rlxc_parse_schedules(ctx, "t.json", text, strlen(text), &s), "%s",
              rlxc_render_diagnostics(ctx));
    cr_expect_str_eq(rlxc_print_schedules(ctx, "m", &s),
                     "# m.main\nb0 = sch.get_block(name=\"B\", func_name=\"main\")\n\n"
                     "# m.main\nb0 = sch.get_block(name=\"C\", func_name=\"main\")\n");
    rlxc_context_destroy(ctx);
}

/* Damaged text parses or is refused; if it parses, its print parses back too. */
static void check_damaged(const char *text, size_t length)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlxc_schedules s, again;
    if (rlxc_parse_schedules(ctx, "s.sch", text, length, &s)) {
        const char *printed = rlxc_print_schedules(ctx, "main", &s);
        cr_assert(rlxc_parse_schedules(ctx, "p.sch", printed, strlen(printed), &again), "%s\n%s",
                  printed, rlxc_render_diagnostics(ctx));
        cr_expect_str_eq(rlxc_print_schedules(ctx, "main", &again), printed);
    } else {
        cr_expect(rlxc_error_count(ctx) > 0, "%.*s", (int)length, text);
    }
    rlxc_context_destroy(ctx);
}

RLX_TEST(steps, damaged_text_is_read_or_refused)
{
    static const char json[] =
        "[[[\"GetSBlock\", [], [\"C\", \"f\"], [\"b0\"]], [\"GetLoops\", [\"b0\"], [], [\"l1\"]], "
        "[\"Split\", [\"l1\", \"None\", 4], [1], [\"l2\", \"l3\"]], [\"Annotate\", [\"l2\", 3], "
        "[\"k\"], []]], [[2, [1, 2]]]]";
    static const char bytes[] = "()[]{}\"',.=:0a \n#\x80";
    static const char *const all[] = {texts[0], json};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t n = strlen(all[i]);
        char *copy = malloc(n + 1);
        for (size_t k = 0; k < n; k++) {
            memcpy(copy, all[i], n + 1);
            check_damaged(copy, k);
            copy[k] = bytes[k * 7 % (sizeof bytes - 1)];
            check_damaged(copy, n);
        }
        free(copy);
    }
}
