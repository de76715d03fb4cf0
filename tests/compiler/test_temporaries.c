/* Temporaries of random PrimFuncs: their planned memory is compared with the most that is in use at
 * once, counted statement by statement, and the results with a reference. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compiler/driver/compile.h"
#include "compiler/lower/lower.h"
#include "compiler/script/script.h"
#include "tests/compiler/bound.h"
#include "tests/compiler/kernel_fixture.h"

enum { PROGRAMS = 12, MOST = 10, N = 1024 };

typedef struct temporary {
    int reads[2]; /* earlier temporaries; -1: the operand */
    int width;    /* elements for each of the operand */
} temporary;

typedef struct program { /* statement i computes temporary i; the last is the result */
    temporary of[MOST];
    int n;
} program;

static uint32_t next(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 16) % below;
}

static void make(program *p, uint32_t seed, bool equal)
{
    p->n = 3 + (int)next(&seed, MOST - 3);
    for (int i = 0; i < p->n; i++) {
        temporary *t = &p->of[i];
        t->width = equal || i == p->n - 1 ? 1 : 1 + (int)next(&seed, 3);
        t->reads[0] = i - 1;
        t->reads[1] = (int)next(&seed, (uint32_t)i + 1) - 1;
    }
}

static void read(rlxc_text *text, int from)
{
    if (from < 0)
        rlxc_text_puts(text, "A[n - 1 - i]");
    else
        rlxc_text_printf(text, "t%d[n - 1 - i]", from);
}

static void write_program(rlxc_text *text, const program *p, int number)
{
    rlxc_text_printf(text,
                     "    @T.prim_func(private=True)\n    def k%d(a: T.handle, b: T.handle):\n"
                     "        n = T.int64()\n        A = T.match_buffer(a, (n,), \"float32\")\n"
                     "        B = T.match_buffer(b, (n,), \"float32\")\n",
                     number);
    for (int i = 0; i < p->n - 1; i++)
        rlxc_text_printf(text, "        t%d = T.alloc_buffer((n * %d,), \"float32\")\n", i,
                         p->of[i].width);
    for (int i = 0; i < p->n; i++) {
        const temporary *t = &p->of[i];
        rlxc_text_printf(text, "        for i, j in T.grid(n, T.int64(%d)):\n", t->width);
        if (i == p->n - 1)
            rlxc_text_puts(text, "            B[i] = ");
        else
            rlxc_text_printf(text, "            t%d[j * n + i] = ", i);
        read(text, t->reads[0]);
        rlxc_text_puts(text, " + T.float32(0.5) * ");
        read(text, t->reads[1]);
        rlxc_text_printf(text, " + T.float32(%d)\n", i);
    }
    rlxc_text_printf(text,
                     "    @R.function\n    def f%d(x: R.Tensor((\"n\",), \"float32\")):\n"
                     "        n = T.int64()\n        return R.call_tir(Module.k%d, (x,), "
                     "out_sinfo=R.Tensor((n,), \"float32\"))\n",
                     number, number);
}

/* The most elements of temporaries in use at one statement, for each of the operand. */
static int most_in_use(const program *p)
{
    int most = 0;
    for (int at = 0; at < p->n; at++) {
        int live = 0;
        for (int i = 0; i < p->n - 1; i++) {
            bool later = i == at;
            for (int k = at; k < p->n; k++)
                later = later || p->of[k].reads[0] == i || p->of[k].reads[1] == i;
            live += i <= at && later ? p->of[i].width : 0;
        }
        most = live > most ? live : most;
    }
    return most;
}

static rlx_str as_str(const char *name)
{
    return (rlx_str){name, strlen(name)};
}

static void check_plan(rlx_test *t, const rlx_executable *exe, const program *p, int number)
{
    char name[16];
    uint32_t f = 0;
    rlx_function_info info = {0};
    rlx_plan_counts counts;
    rlx_plan_sums sums;
    snprintf(name, sizeof name, "f%d", number);
    while (rlx_executable_function(exe, f, &info) && !rlx_str_eq(info.name, as_str(name)))
        f++;
    cr_assert(info.n_slots < 64 && rlx_function_plan(exe, f, &counts));
    int64_t slots[64];
    for (uint32_t i = 0; i < info.n_slots; i++)
        slots[i] = N;
    const uint64_t least = (uint64_t)most_in_use(p) * N * sizeof(float);
    cr_assert_eq(counts.n_regions, 1);
    RLX_OKAY(rlx_plan_compute(exe, f, 0, slots, NULL, NULL, &sums, &t->error));
    bool equal = true;
    uint64_t all = 0;
    for (int i = 0; i < p->n - 1; i++) {
        equal = equal && p->of[i].width == 1;
        all += (uint64_t)p->of[i].width * N * sizeof(float);
    }
    cr_expect(sums.bound == sums.peak && sums.peak >= least && sums.peak <= all &&
                  (!equal || sums.peak == least),
              "f%d: %llu bytes are planned, %llu are in use at once", number,
              (unsigned long long)sums.peak, (unsigned long long)least);
}

/* By the definition, with each temporary apart. */
static void compute(const program *p, int64_t n, float out[][8])
{
    for (int i = 0; i < p->n; i++)
        for (int64_t k = 0; k < n; k++) {
            const temporary *t = &p->of[i];
            float from[2];
            for (int r = 0; r < 2; r++)
                from[r] = t->reads[r] < 0 ? (float)(n - 1 - k) : out[t->reads[r]][n - 1 - k];
            out[i][k] = from[0] + 0.5f * from[1] + (float)i;
        }
}

static void check_results(rlx_test *t, rlx_vm *vm, const program *p, int number)
{
    char name[16];
    snprintf(name, sizeof name, "f%d", number);
    for (int64_t n = 0; n <= 8; n += n < 2 ? 1 : 3) {
        float want[MOST][8];
        rlx_value x = rlx_test_iota(t, 1, &n), out = rlx_none();
        compute(p, n, want);
        RLX_OKAY(rlx_vm_invoke(vm, as_str(name), &x, 1, &out, &t->error));
        cr_assert(out.kind == RLX_KIND_TENSOR && rlx_tensor_numel(out.as.tensor) == n);
        const float *data = rlx_tensor_data(out.as.tensor);
        for (int64_t i = 0; i < n; i++)
            cr_expect(fabsf(data[i] - want[p->n - 1][i]) <= 1e-5f * fabsf(want[p->n - 1][i]),
                      "%s, n = %d: [%d] is %g, not %g", name, (int)n, (int)i, (double)data[i],
                      (double)want[p->n - 1][i]);
        rlx_value_release(out);
        rlx_value_release(x);
    }
}

RLX_TEST(temporaries, as_many_places_as_are_in_use_at_once)
{
    program programs[PROGRAMS];
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_text text = {.ctx = ctx};
    rlxc_text_puts(&text, "from tvm.script import ir as I, relax as R, tir as T\n"
                          "@I.ir_module\nclass Module:\n");
    for (int i = 0; i < PROGRAMS; i++) {
        make(&programs[i], (uint32_t)i * 77 + 1, i % 2 == 0);
        write_program(&text, &programs[i], i);
    }
    rlxc_options options;
    rlxc_module *module = NULL;
    if (rlxc_options_init(ctx, &options, NULL, NULL, 2))
        module = rlxc_read_module(ctx, "test.py", text.data, strlen(text.data));
    rlx_executable *exe = bound_load(t, ctx, module, &options, NULL, text.data);
    rlx_vm_options vm_options = {.allocator = &t->allocator, .debug_poison = true};
    rlx_vm *vm = NULL;
    cr_assert(exe);
    RLX_OKAY(rlx_vm_create(exe, &vm_options, &vm, &t->error));
    for (int i = 0; i < PROGRAMS; i++) {
        check_plan(t, exe, &programs[i], i);
        check_results(t, vm, &programs[i], i);
    }
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    rlxc_context_destroy(ctx);
}

/* --- the verifier ----------------------------------------------------------------------------- */

/* The program as a lowered function: a loop for each statement, in a loop where |in_loop|. */
static void write_lowered(rlxc_text *text, const program *p, bool in_loop)
{
    const int indent = in_loop ? 12 : 8;
    rlxc_text_puts(text, "from tvm.script import ir as I, tir as T\n@I.ir_module\nclass Module:\n"
                         "    @T.prim_func\n    def k(a: T.handle, b: T.handle):\n"
                         "        n = T.int64()\n        A = T.match_buffer(a, (n,), \"float32\")\n"
                         "        B = T.match_buffer(b, (n,), \"float32\")\n");
    if (in_loop)
        rlxc_text_puts(text, "        for turn in range(3):\n");
    for (int i = 0; i < p->n - 1; i++)
        rlxc_text_printf(text,
                         "%*sp%d = T.allocate([n * %d], \"float32\", \"global\")\n"
                         "%*st%d = T.decl_buffer((n * %d,), data=p%d)\n",
                         indent, "", i, p->of[i].width, indent, "", i, p->of[i].width, i);
    for (int i = 0; i < p->n; i++) {
        rlxc_text_printf(text, "%*sfor i, j in T.grid(n, T.int64(%d)):\n%*s", indent, "",
                         p->of[i].width, indent + 4, "");
        if (i == p->n - 1)
            rlxc_text_puts(text, "B[i] = ");
        else
            rlxc_text_printf(text, "t%d[j * n + i] = ", i);
        read(text, p->of[i].reads[0]);
        rlxc_text_puts(text, " + ");
        read(text, p->of[i].reads[1]);
        rlxc_text_puts(text, "\n");
    }
}

typedef struct merging { /* buffers over |from| get |to| */
    rlxc_context *ctx;
    const rlxc_buffer *from, *to, *made;
} merging;

static const rlxc_stmt *drop(void *user, const rlxc_stmt *s)
{
    merging *m = user;
    return s->kind == RLXC_STMT_ALLOCATE && s->allocate.var == m->from->data
               ? rlxc_stmt_nothing(m->ctx)
               : NULL;
}

static rlxc_buffer *over_other(void *user, const rlxc_buffer *b)
{
    merging *m = user;
    if (b != m->from)
        return NULL;
    if (!m->made) {
        rlxc_buffer *made = rlxc_copy(m->ctx, b, sizeof *made);
        made->data = m->to->data;
        m->made = made;
    }
    return (rlxc_buffer *)(uintptr_t)m->made;
}

typedef struct finding {
    const char *name;
    const rlxc_buffer *found;
} finding;

static bool find_buffer(void *user, const rlxc_stmt *s)
{
    finding *f = user;
    if (s->kind == RLXC_STMT_DECL_BUFFER && strcmp(s->decl->name, f->name) == 0)
        f->found = s->decl;
    return true;
}

static const rlxc_buffer *buffer_of(const rlxc_stmt *body, int i)
{
    char name[16];
    finding f = {name, NULL};
    snprintf(name, sizeof name, "t%d", i);
    rlxc_stmt_visit(body, find_buffer, &f);
    return f.found;
}

/* Temporary |late| may have the memory of |early|, which is made and read before. */
static bool may_share(const program *p, int early, int late)
{
    for (int i = late; i < p->n; i++)
        if (p->of[i].reads[0] == early || p->of[i].reads[1] == early)
            return false;
    return p->of[late].width <= p->of[early].width;
}

/* What the verifier says of the program with temporary |late| in the memory of |early|. */
static bool is_accepted(rlx_test *t, const program *p, bool in_loop, int early, int late)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_text text = {.ctx = ctx};
    write_lowered(&text, p, in_loop);
    rlxc_module *m = rlxc_parse_module(ctx, "test.py", text.data, strlen(text.data));
    cr_assert(m, "%s%s", rlxc_render_diagnostics(ctx), text.data);
    const rlxc_prim_func *f = rlxc_module_find(m, rlxc_intern_cstr(ctx, "k"))->prim;
    merging merge = {ctx, buffer_of(f->body, late), buffer_of(f->body, early), NULL};
    cr_assert(merge.from && merge.to);
    const rlxc_stmt *after =
        rlxc_stmt_rewrite(ctx, f->body, &(rlxc_stmt_rewriter){&merge, NULL, drop, over_other});
    const bool holds = rlxc_verify_temporaries(ctx, f->body, after, f->range);
    cr_expect_eq(holds, may_share(p, early, late), "t%d in t%d: %s\n%s", late, early,
                 rlxc_render_diagnostics(ctx), text.data);
    rlxc_context_destroy(ctx);
    return holds;
}

RLX_TEST(temporaries, the_verifier_accepts_what_is_never_in_use_at_once)
{
    int accepted = 0, refused = 0;
    for (int seed = 0; seed < PROGRAMS; seed++) {
        program p;
        make(&p, (uint32_t)seed * 77 + 1, seed % 3 == 0);
        for (int late = 1; late < p.n - 1; late++)
            for (int early = 0; early < late; early++) {
                const bool holds = is_accepted(t, &p, seed % 2 == 1, early, late);
                accepted += holds;
                refused += !holds;
            }
    }
    cr_expect(accepted > 20 && refused > 20, "%d accepted, %d refused", accepted, refused);
}

/* Joined to one expression, a chain of this length would exceed the depth of expressions. */
RLX_TEST(temporaries, long_chain)
{
    enum { LINKS = 250 };
    kernel_fixture f;
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlxc_text text = {.ctx = ctx};
    rlxc_text_puts(&text, "@T.prim_func\ndef f(t0: T.Buffer((4,), \"float32\"), "
                          "B: T.Buffer((4,), \"float32\")):\n");
    for (int i = 1; i < LINKS; i++)
        rlxc_text_printf(&text, "    t%d = T.alloc_buffer((4,))\n", i);
    for (int i = 1; i < LINKS; i++)
        rlxc_text_printf(&text, "    for i in range(4):\n        t%d[i] = t%d[i] + T.float32(1)\n",
                         i, i - 1);
    rlxc_text_printf(&text, "    for i in range(4):\n        B[i] = t%d[i] + T.float32(1)\n",
                     LINKS - 1);
    for (int level = 0; level <= 3; level++) {
        float x[4] = {0, 1, -2, 3}, y[4] = {0};
        void *buffers[2] = {x, y};
        cr_assert(kernel_fixture_parse(&f, NULL, level, NULL, text.data) &&
                      kernel_fixture_build(&f),
                  "-O%d: %s", level, rlxc_render_diagnostics(f.ctx));
        cr_expect(kernel_fixture_call(&f, "f", buffers, NULL) == 0);
        for (int i = 0; i < 4; i++)
            cr_expect(y[i] == x[i] + LINKS, "-O%d: %g", level, (double)y[i]);
        kernel_fixture_deinit(&f);
    }
    rlxc_context_destroy(ctx);
}
