/* Operator tags of blocks (compiler/ir/operation.h): every spelling of a computation gets its tag,
 * whatever another tool did to its loops; a damaged tag or body is refused. */
#include "tests/support/rlx_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compiler/driver/compile.h"
#include "compiler/ir/operation.h"
#include "compiler/schedule/engine.h"
#include "compiler/script/script.h"
#include "tests/compiler/kernel_fixture.h"

enum { MOST_TEXT = 4096 };

typedef struct row {
    const char *tag, *params, *axes, *kinds, *extents, *init, *update;
} row;

#define MATMUL                                                             \
    "x: T.Buffer((7, 9), \"float32\"), y: T.Buffer((9, 5), \"float32\"), " \
    "z: T.Buffer((7, 5), \"float32\")"
#define CONV                                                                   \
    "x: T.Buffer((12, 3), \"float32\"), y: T.Buffer((3, 3, 5), \"float32\"), " \
    "z: T.Buffer((10, 5), \"float32\")"
#define DEPTHWISE                                                                                \
    "x: T.Buffer((12, 5), \"float32\"), y: T.Buffer((3, 5), \"float32\"), z: T.Buffer((10, 5), " \
    "\"float32\")"
#define POOL "x: T.Buffer((12, 5), \"float32\"), z: T.Buffer((10, 5), \"float32\")"
#define MAP                                                              \
    "x: T.Buffer((7, 5), \"float32\"), y: T.Buffer((5,), \"float32\"), " \
    "z: T.Buffer((7, 5), \"float32\")"
#define MOVE                                                           \
    "x: T.Buffer((5, 7), \"float32\"), t: T.Buffer((7,), \"int32\"), " \
    "z: T.Buffer((7, 5), \"float32\")"
#define ZERO "z[vi, vj] = T.float32(0)"

static const row rows[] = {
    {"matmul mnk", MATMUL, "ijk", "SSR", "7, 5, 9", ZERO,
     "z[vi, vj] = z[vi, vj] + x[vi, vk] * y[vk, vj]"},
    {"matmul mnk", MATMUL, "ijk", "SSR", "7, 5, 9", ZERO,
     "z[vi, vj] = z[vi, vj] + y[vk, vj] * x[vi, vk]"},
    {"matmul mnk", MATMUL, "ijk", "SSR", "7, 5, 9", ZERO,
     "z[vi, vj] = y[vk, vj] * x[vi, vk] + z[vi, vj]"},
    {"matmul knm", MATMUL, "kji", "RSS", "9, 5, 7", ZERO,
     "z[vi, vj] = z[vi, vj] + x[vi, vk] * y[vk, vj]"},
    {"matmul mnk", MATMUL, "ijk", "SSR", "7, 5, 9", ZERO,
     "z[vi, vj] = z[vi, vj] + T.if_then_else(vk < 8, T.exp(x[vi, vk]) * (y[vk, vj] + 1.0), "
     "T.float32(0))"},
    {"conv pnrk", CONV, "pjrk", "SSRR", "10, 5, 3, 3", "z[vp, vj] = T.float32(0)",
     "z[vp, vj] = z[vp, vj] + y[vr, vk, vj] * x[vp + vr, vk]"},
    {"conv nprk", CONV, "jprk", "SSRR", "5, 10, 3, 3", "z[vp, vj] = T.float32(0)",
     "z[vp, vj] = x[vr + vp, vk] * y[vr, vk, vj] + z[vp, vj]"},
    {"conv pgr", DEPTHWISE, "pjr", "SSR", "10, 5, 3", "z[vp, vj] = T.float32(0)",
     "z[vp, vj] = z[vp, vj] + x[vp + vr, vj] * y[vr, vj]"},
    {"pool psr", POOL, "pjr", "SSR", "10, 5, 3", "z[vp, vj] = T.float32(-1)",
     "z[vp, vj] = T.max(x[vp + vr, vj], z[vp, vj])"},
    {"pool psr", POOL, "pjr", "SSR", "5, 5, 2", "z[vp, vj] = T.float32(0)",
     "z[vp, vj] = z[vp, vj] + x[vp * 2 + vr, vj]"},
    {"reduction ssk", MATMUL, "ijk", "SSR", "7, 5, 9", ZERO,
     "z[vi, vj] = z[vi, vj] + x[vi, vk] * x[vi, vk]"},
    {"reduction ssk", MATMUL, "ijk", "SSR", "7, 5, 9", ZERO,
     "z[vi, vj] = T.min(x[vi, vk], z[vi, vj])"},
    {"elementwise ss", MAP, "ij", "SS", "7, 5", NULL, "z[vi, vj] = T.exp(x[vi, vj]) * y[vj]"},
    {"transpose ss", MOVE, "ij", "SS", "7, 5", NULL, "z[vi, vj] = x[vj, vi] * T.float32(2)"},
    {"gather ss", MOVE, "ij", "SS", "7, 5", NULL, "z[vi, vj] = x[vj, t[vi]]"},
    {"rearrange ss", MOVE, "ij", "SS", "7, 5", NULL, "z[vi, vj] = x[(vj + 1) % 5, vi]"},
    {"fold ssk", MATMUL, "ijk", "SSR", "7, 5, 9", ZERO,
     "z[vi, vj] = z[vi, vj] - x[vi, vk] * y[vk, vj]"},
    {"fold ssk", MATMUL, "ijk", "SSR", "7, 5, 9", ZERO,
     "z[vi, vj] = z[vi, vj] * T.float32(0.5) + x[vi, vk]"},
    {"fold ssk", MATMUL, "ijk", "SSR", "7, 5, 9", ZERO,
     "z[vi, vj] = z[vi, vj] + x[vi, vk] * z[vi, vj]"},
    /* without a tag */
    {NULL, MATMUL, "ijk", "SSR", "7, 5, 9", ZERO, "z[vi, vj] = z[vi, 0] + x[vi, vk] * y[vk, vj]"},
    {NULL, MATMUL, "ijk", "SSR", "7, 5, 9", ZERO,
     "z[vi, vj] = z[vi, vj] + x[vi, vk] * z[vi, 4 - vj]"},
    {NULL, MATMUL, "ijk", "SSR", "7, 5, 9", NULL, "z[vi, vj] = z[vi, vj] + x[vi, vk] * y[vk, vj]"},
    {NULL, MATMUL, "ijk", "SSS", "7, 5, 9", NULL, "z[vi, vj] = x[vi, vk] * y[vk, vj]"},
    {NULL, MAP, "ij", "SS", "7, 5", NULL, "z[6 - vi, vj] = x[vi, vj]"},
    {NULL, MAP, "ij", "SS", "7, 4", NULL, "z[vi, vj] = x[vi, vj] + z[vi, vj + 1]"},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* Writes the row as a module; |annotation|, unless NULL, becomes its T.block_attr. */
static void write_row(const row *r, const char *annotation, char text[MOST_TEXT])
{
    char loops[64] = "", vars[64] = "";
    for (const char *a = r->axes; *a; a++) {
        const size_t n = strlen(loops), m = strlen(vars);
        snprintf(loops + n, sizeof loops - n, "%s%c", n ? ", " : "", *a);
        snprintf(vars + m, sizeof vars - m, "%sv%c", m ? ", " : "", *a);
    }
    snprintf(text, MOST_TEXT,
             "@T.prim_func\ndef f(%s):\n    for %s in T.grid(%s):\n        with T.block(\"b\"):\n"
             "            %s = T.axis.remap(\"%s\", [%s])\n            %s%s%s\n"
             "            %s%s\n            %s\n",
             r->params, loops, r->extents, vars, r->kinds, loops,
             annotation ? "T.block_attr({\"rlx.operator\": " : "T.block_attr({",
             annotation ? annotation : "", "})", r->init ? "with T.init():\n                " : "",
             r->init ? r->init : "", r->update);
}

static rlxc_module *parse(rlxc_context *ctx, const char *text)
{
    rlxc_module *m = rlxc_parse_module(ctx, "m.py", text, strlen(text));
    cr_assert(m, "%s\n%s", rlxc_render_diagnostics(ctx), text);
    return m;
}

typedef struct found { /* the first block with axes whose result is |out|, or the first with any */
    const rlxc_block *block;
    const char *out;
} found;

static bool find_block(void *user, const rlxc_stmt *s)
{
    found *f = user;
    if (!f->block && s->kind == RLXC_STMT_BLOCK && s->block.block->n_axes > 0 &&
        s->block.block->body->kind == RLXC_STMT_STORE &&
        (!f->out || strcmp(s->block.block->body->store.buffer->name, f->out) == 0))
        f->block = s->block.block;
    return !f->block;
}

static const rlxc_block *block_of(const rlxc_module *m, const char *out)
{
    found f = {.out = out};
    rlxc_stmt_visit(m->globals.items[0]->prim->body, find_block, &f);
    cr_assert(f.block);
    return f.block;
}

static void expect_tag(rlxc_context *ctx, const rlxc_module *m, const char *out, const char *tag,
                       const char *about)
{
    const char *got = rlxc_tag_text(&block_of(m, out)->annotations);
    cr_expect(tag ? got && strcmp(got, tag) == 0 : !got, "%s: \"%s\" instead of \"%s\"\n%s", about,
              got ? got : "none", tag ? tag : "none", rlxc_print_module(ctx, m));
}

static bool normalized(rlxc_context *ctx, rlxc_module *m)
{
    rlxc_options options;
    return rlxc_options_init(ctx, &options, NULL, NULL, 2) && rlxc_pass_infer(ctx, m, &options) &&
           rlxc_pass_normalize_blocks(ctx, m, &options);
}

RLX_TEST(operation, blocks_get_the_tag_of_their_computation)
{
    char text[MOST_TEXT];
    for (int i = 0; i < N_ROWS; i++) {
        rlxc_context *ctx = rlxc_context_create(NULL);
        write_row(&rows[i], NULL, text);
        rlxc_module *m = parse(ctx, text);
        cr_assert(normalized(ctx, m), "%s", rlxc_render_diagnostics(ctx));
        expect_tag(ctx, m, "z", rows[i].tag, rows[i].update);
        /* the tag survives printing, and the module parses as well formed */
        const char *printed = rlxc_print_module(ctx, m);
        rlxc_module *again = parse(ctx, printed);
        cr_expect(rlxc_well_formed(ctx, again, "parse", false), "%s", rlxc_render_diagnostics(ctx));
        expect_tag(ctx, again, "z", rows[i].tag, "printed");
        rlxc_context_destroy(ctx);
    }
}

/* Loops transformed by another tool: after normalization the tag is that of the plain loops. */
RLX_TEST(operation, scheduled_blocks_get_the_same_tag)
{
#define GET \
    "b0 = sch.get_block(name=\"b\", func_name=\"f\")\nl1, l2, l3 = sch.get_loops(block=b0)\n"
    static const char *const lists[] = {
        "",
        "l4, l5 = sch.split(loop=l2, factors=[None, 5])\n",
        "l4, l5 = sch.split(loop=l3, factors=[3, 3])\nsch.reorder(l4, l2, l1, l5)\n",
        "l4, l5 = sch.split(loop=l2, factors=[None, 2])\nl6, l7 = sch.split(loop=l1, factors=[2, "
        "None])\n"
        "sch.reorder(l4, l6, l3, l5, l7)\n",
        "l4 = sch.fuse(l1, l2)\n",
        "l4 = sch.fuse(l1, l2)\nl5, l6 = sch.split(loop=l4, factors=[None, "
        "7])\nsch.vectorize(loop=l6)\n",
        "sch.reorder(l3, l2, l1)\n",
        "b4 = sch.decompose_reduction(block=b0, loop=l3)\n",
        "sch.reorder(l2, l3, l1)\nb4 = sch.decompose_reduction(block=b0, loop=l3)\n",
        "b4 = sch.cache_read(block=b0, read_buffer_index=0, storage_scope=\"local\")\n",
        "b4 = sch.cache_read(block=b0, read_buffer_index=0, storage_scope=\"global\")\n"
        "b5 = sch.cache_write(block=b0, write_buffer_index=0, storage_scope=\"local\")\n",
        "b5 = sch.cache_write(block=b0, write_buffer_index=0, storage_scope=\"local\")\n"
        "b4 = sch.decompose_reduction(block=b0, loop=l3)\n",
        "sch.parallel(loop=l1)\nsch.vectorize(loop=l2)\n",
    };
    static const int which[] = {0, 1, 2, 7, 8, 11};
    char text[MOST_TEXT], steps[MOST_TEXT];
    for (size_t w = 0; w < sizeof which / sizeof *which; w++)
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
            rlxc_context *ctx = rlxc_context_create(NULL);
            const rlxc_engine_options engine = {0};
            rlxc_schedules all = {0};
            write_row(&rows[which[w]], NULL, text);
            snprintf(steps, sizeof steps, GET "%s", lists[i]);
            rlxc_module *m = parse(ctx, text);
            cr_assert(
                rlxc_parse_schedules(ctx, "s.sch", steps, strlen(steps), &all) &&
                    rlxc_apply_steps(ctx, m->globals.items[0]->prim, all.items.items[0], &engine),
                "%s\n%s", lists[i], rlxc_render_diagnostics(ctx));
            cr_assert(rlxc_well_formed(ctx, m, "steps", true) && normalized(ctx, m), "%s",
                      rlxc_render_diagnostics(ctx));
            expect_tag(ctx, m, "z", rows[which[w]].tag, lists[i]);
            rlxc_context_destroy(ctx);
        }
}

/* Whether the row's block may have the tag |annotation|. A block that is refused for any other
 * reason is a test failure. */
static bool accepted(const row *r, const char *annotation)
{
    char text[MOST_TEXT];
    const char *why = NULL;
    rlxc_context *ctx = rlxc_context_create(NULL);
    write_row(r, annotation, text);
    rlxc_module *m = parse(ctx, text);
    const bool fits = rlxc_check_tag(ctx, block_of(m, "z"), &why);
    cr_expect(fits || (why && why[0]), "no reason\n%s", text);
    cr_expect_eq(rlxc_well_formed(ctx, m, "parse", false), fits, "%s", text);
    cr_expect(fits || strstr(rlxc_render_diagnostics(ctx), "block 'b' is tagged"), "%s",
              rlxc_render_diagnostics(ctx));
    rlxc_context_destroy(ctx);
    return fits;
}

RLX_TEST(operation, damaged_tags_are_refused)
{
    static const char letters[] = "sbmnkprgx";
    static const char *const odd[] = {"7",
                                      "None",
                                      "\"\"",
                                      "\" \"",
                                      "\"matmul\"",
                                      "\"conv \"",
                                      "\"matmulmnk\"",
                                      "\"product mnk\"",
                                      "\"MATMUL mnk\"",
                                      "[\"matmul\"]"};
    char tag[64];
    for (int i = 0; i < N_ROWS; i++) {
        const char *own = rows[i].tag ? rows[i].tag : "reduction ssk";
        const size_t n = strlen(own), start = strcspn(own, " ") + 1;
        snprintf(tag, sizeof tag, "\"%s\"", own);
        cr_expect_eq(accepted(&rows[i], tag), rows[i].tag != NULL, "%s", own);
        for (size_t k = 0; k < sizeof odd / sizeof *odd; k++)
            cr_expect(!accepted(&rows[i], odd[k]), "%s of %s", odd[k], own);
        for (uint32_t k = 0; k < RLXC_OPERATIONS; k++) {
            const char *name = rlxc_operation_name((rlxc_operation_kind)k);
            snprintf(tag, sizeof tag, "\"%s %s\"", name, own + start);
            if (strncmp(own, name, strlen(name)) != 0)
                cr_expect(!accepted(&rows[i], tag), "%s of %s", tag, own);
        }
        for (size_t at = start; at < n; at++)
            for (const char *l = letters; *l; l++) {
                snprintf(tag, sizeof tag, "\"%s\"", own);
                tag[1 + at] = *l;
                if (*l != own[at])
                    cr_expect(!accepted(&rows[i], tag), "%s of %s", tag, own);
            }
        snprintf(tag, sizeof tag, "\"%.*s\"", (int)n - 1, own);
        cr_expect(!accepted(&rows[i], tag), "%s of %s", tag, own);
        snprintf(tag, sizeof tag, "\"%sk\"", own);
        cr_expect(!accepted(&rows[i], tag), "%s of %s", tag, own);
    }
}

/* Puts each row's tag on the body of every other row with the same buffers, axes and axis kinds. */
RLX_TEST(operation, tags_of_other_bodies_are_refused)
{
    char tag[64];
    int tried = 0;
    for (int i = 0; i < N_ROWS; i++)
        for (int k = 0; k < N_ROWS; k++) {
            const row *body = &rows[i], *other = &rows[k];
            if (!other->tag || (body->tag && strcmp(body->tag, other->tag) == 0))
                continue;
            snprintf(tag, sizeof tag, "\"%s\"", other->tag);
            cr_expect(!accepted(body, tag), "%s of %s", tag, body->update);
            tried++;
        }
    cr_expect_gt(tried, 200);
}

/* Register tiles sum parts of a long reduction side by side only if terms are added; a fold keeps
 * the order of its steps. */
RLX_TEST(operation, folds_keep_their_order)
{
    static const char text[] =
        "@T.prim_func\ndef f(x: T.Buffer((512, 64), \"float32\"), z: T.Buffer((64,), "
        "\"float32\")):\n"
        "    for j, i in T.grid(64, 512):\n        with T.block(\"z\"):\n"
        "            vj, vi = T.axis.remap(\"SR\", [j, i])\n            with T.init():\n"
        "                z[vj] = T.float32(0)\n"
        "            z[vj] = z[vj] + (x[vi, vj] - z[vj] * T.float32(0.5))\n";
    static float x[512][64], z[64];
    void *const buffers[2] = {x, z};
    kernel_fixture f;
    bool ready = kernel_fixture_parse(&f, &t->allocator, 3, NULL, text) && kernel_fixture_build(&f);
    cr_assert(ready, "%s", rlxc_render_diagnostics(f.ctx));
    for (int i = 0; i < 512; i++)
        for (int j = 0; j < 64; j++)
            x[i][j] = (float)((i * 31 + j * 17) % 23);
    cr_assert_eq(kernel_fixture_call(&f, "f", buffers, NULL), 0);
    for (int j = 0; j < 64; j++) {
        double want = 0;
        for (int i = 0; i < 512; i++)
            want += (double)x[i][j] - want * 0.5;
        cr_expect(fabs(want - (double)z[j]) < 1e-4 * (1 + fabs(want)), "[%d]: %g, not %g", j,
                  (double)z[j], want);
    }
    kernel_fixture_deinit(&f);
}
