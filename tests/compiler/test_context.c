/* The compiler context: arena and reserve, interning, maps, text, diagnostics. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/attrs.h"
#include "compiler/ir/expr.h"
#include "compiler/ir/sym.h"
#include "tests/support/rlx_test.h"

/* An allocator that fails after |left| requests. */
typedef struct meter {
    uint32_t left;
    int64_t live;
} meter;

static void *meter_alloc(void *user, size_t size, size_t align)
{
    meter *m = user;
    if (m->left == 0)
        return NULL;
    m->left--;
    void *p = aligned_alloc(align, (size + align - 1) / align * align);
    m->live += p != NULL;
    return p;
}

static void meter_free(void *user, void *p, size_t size, size_t align)
{
    (void)size;
    (void)align;
    meter *m = user;
    m->live -= p != NULL;
    free(p);
}

RLX_TEST(context, interned_text_is_equal_by_pointer)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    const char *kept[2000];
    for (unsigned i = 0; i < 2000; i++)
        kept[i] = rlxc_internf(ctx, "name_%u", i);
    for (unsigned i = 0; i < 2000; i++) {
        char text[32];
        int n = snprintf(text, sizeof text, "name_%u?", i);
        cr_assert(rlxc_intern(ctx, text, (size_t)n - 1) == kept[i]);
    }
    cr_expect(rlxc_intern(ctx, "a\0b", 3) != rlxc_intern_cstr(ctx, "a"));
    cr_expect(rlxc_intern_cstr(ctx, "") == rlxc_intern(ctx, "x", 0));
    char *large = malloc(100001);
    memset(large, 'x', 100000);
    large[100000] = '\0';
    cr_expect(rlxc_internf(ctx, "%s", large) == rlxc_intern_cstr(ctx, large));
    free(large);
    rlxc_context_destroy(ctx);
}

RLX_TEST(context, memory_is_zeroed_aligned_and_disjoint)
{
    static const size_t sizes[] = {0, 1, 15, 16, 17, 1000, 70000, 1 << 20, RLXC_MAX_ALLOC};
    rlxc_context *ctx = rlxc_context_create(NULL);
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            unsigned char *p = rlxc_alloc(ctx, sizes[i]);
            cr_expect_eq((uintptr_t)p % 16, 0);
            for (size_t k = 0; k < sizes[i]; k++)
                if (p[k])
                    cr_assert_fail("byte %zu of %zu is not zero", k, sizes[i]);
            memset(p, 0xA5, sizes[i]);
        }
    cr_expect_null(rlxc_try_alloc(ctx, SIZE_MAX / 2, 4));
    cr_expect(rlxc_out_of_memory(ctx), "an impossible request fails the context");
    rlxc_context_destroy(ctx);
}

static void *allocate_marked(void *state, size_t size, size_t align)
{
    void *p = rlx_alloc(state, size, align);
    return p ? memset(p, 0x5A, size) : NULL;
}

static void free_marked(void *state, void *p, size_t size, size_t align)
{
    rlx_free(state, p, size, align);
}

RLX_TEST(context, unset_memory_is_not_written)
{
    static const size_t sizes[] = {100, 1 << 20};
    const rlx_allocator marked = {NULL, allocate_marked, free_marked};
    rlxc_context *ctx = rlxc_context_create(&marked);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const unsigned char *p = rlxc_try_alloc_unset(ctx, sizes[i], 1);
        const unsigned char *q = rlxc_try_alloc(ctx, sizes[i], 1);
        cr_assert(p && q);
        for (size_t k = 0; k < sizes[i]; k++)
            cr_assert(p[k] == 0x5A && q[k] == 0, "byte %zu of %zu", k, sizes[i]);
    }
    cr_expect_null(rlxc_try_alloc_unset(ctx, SIZE_MAX / 2, 4));
    cr_expect(rlxc_out_of_memory(ctx), "an impossible request fails the context");
    rlxc_context_destroy(ctx);
}

RLX_TEST(context, small_requests_survive_the_loss_of_memory)
{
    for (uint32_t budget = 0; budget < 8; budget++) {
        meter m = {.left = budget};
        rlx_allocator allocator = {&m, meter_alloc, meter_free};
        rlxc_context *ctx = rlxc_context_create(&allocator);
        cr_expect_eq(ctx == NULL, budget < 2);
        if (ctx) {
            struct {
                RLXC_VEC(int) v;
            } vec = {0};
            rlxc_map map = {0};
            rlxc_text text = {.ctx = ctx};
            const rlxc_expr *e = rlxc_shape_var(ctx, "n");
            for (int i = 0; i < 100000; i++) {
                RLXC_PUSH(ctx, &vec.v, i);
                rlxc_map_set(ctx, &map, (uint64_t)i, ctx);
                rlxc_text_printf(&text, "%d,", i);
                (void)rlxc_internf(ctx, "%d", i);
                if (i % 64 == 0)
                    e = rlxc_canonical(ctx, rlxc_add(ctx, e, rlxc_shape_var(ctx, "m")), NULL);
                memset(rlxc_alloc(ctx, 64), 0xA5, 64);
            }
            cr_expect(budget > 6 || rlxc_out_of_memory(ctx), "budget %u", budget);
            cr_expect(!rlxc_failed(ctx) || rlxc_out_of_memory(ctx) || rlxc_error_count(ctx));
            cr_expect(strstr(rlxc_render_diagnostics(ctx), "out of memory") || budget > 6);
            rlxc_context_destroy(ctx);
        }
        cr_expect_eq(m.live, 0, "budget %u leaks", budget);
    }
}

static void note(void *user)
{
    ++*(int *)user;
}

RLX_TEST(context, finalizers_do_not_use_the_reserve)
{
    for (uint32_t budget = 2; budget < 5; budget++) {
        meter m = {.left = budget};
        rlx_allocator allocator = {&m, meter_alloc, meter_free};
        rlxc_context *ctx = rlxc_context_create(&allocator);
        int called = 0, expected = 0;
        for (int i = 0; i < 300000; i++) {
            expected += rlxc_on_destroy(ctx, note, &called);
            memset(rlxc_alloc(ctx, 64), 0xA5, 64); /* always from the reserve */
        }
        cr_expect(rlxc_out_of_memory(ctx) && expected < 300000);
        rlxc_context_destroy(ctx);
        cr_expect_eq(called, expected);
    }
}

RLX_TEST(context, maps_find_what_was_set_and_nothing_else)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    enum { KEYS = 3000 };
    static char cells[KEYS];
    bool present[KEYS] = {false};
    rlxc_map map = {0};
    uint32_t state = 7, count = 0;
    cr_expect_null(rlxc_map_get(&map, 0));
    for (int step = 0; step < 30000; step++) {
        state = state * 1664525u + 1013904223u;
        uint32_t k = (state >> 8) % KEYS;
        bool put = (state >> 28) < 9;
        rlxc_map_set(ctx, &map, (uint64_t)k << (k % 3 * 16), put ? &cells[k] : NULL);
        count += (uint32_t)put - (uint32_t)present[k];
        present[k] = put;
        cr_assert_eq(map.count, count);
        uint32_t other = (state >> 4) % KEYS;
        void *found = rlxc_map_get(&map, (uint64_t)other << (other % 3 * 16));
        cr_assert(found == (present[other] ? &cells[other] : NULL));
    }
    rlxc_context_destroy(ctx);
}

RLX_TEST(context, diagnostics_show_the_line_and_a_caret)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    const char *source = "first\n\tx = R.add(y)\r\n# \xc3\xa9\xc3\xa9 z\nlast";
    uint32_t file = rlxc_add_file(ctx, "model.py", source, strlen(source));
    cr_expect_str_eq(rlxc_file_path(ctx, file), "model.py");
    cr_expect_eq(rlxc_file_line(ctx, file, 4).len, 4);
    cr_expect_eq(rlxc_file_line(ctx, file, 5).len, 0);
    cr_expect_eq(rlxc_file_line(ctx, 9, 1).len, 0);

    rlxc_error(ctx, (rlxc_range){file, 2, 6, 2, 11}, "no %s", "add");
    rlxc_note(ctx, (rlxc_range){file, 3, 8, 3, 9}, "z");
    rlxc_warning(ctx, (rlxc_range){file, 4, 5, 4, 5}, "end");
    rlxc_error(ctx, (rlxc_range){0}, "nowhere");
    rlxc_internal(ctx, (rlxc_range){0}, "plan", "x");
    cr_expect_str_eq(rlxc_render_diagnostics(ctx),
                     "model.py:2:6: error: no add\n"
                     "     x = R.add(y)\n"
                     "         ^~~~~\n"
                     "model.py:3:8: note: z\n"
                     "    # \xc3\xa9\xc3\xa9 z\n"
                     "         ^\n"
                     "model.py:4:5: warning: end\n"
                     "    last\n"
                     "        ^\n"
                     "error: nowhere\n"
                     "error: internal error in plan: x (this is a bug of the compiler: please "
                     "report it)\n");
    cr_expect_eq(rlxc_error_count(ctx), 3);
    rlxc_context_destroy(ctx);
}

RLX_TEST(context, errors_beyond_the_limit_are_counted_only)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    for (int i = 0; i < RLXC_MAX_ERRORS + 5; i++) {
        rlxc_error(ctx, (rlxc_range){0}, "e%d", i);
        rlxc_note(ctx, (rlxc_range){0}, "n%d", i);
    }
    size_t count;
    rlxc_diagnostics(ctx, &count);
    cr_expect_eq(count, 2 * RLXC_MAX_ERRORS);
    cr_expect_eq(rlxc_error_count(ctx), RLXC_MAX_ERRORS + 5);
    cr_expect(strstr(rlxc_render_diagnostics(ctx), "and 5 more errors"));
    rlxc_context_destroy(ctx);
}

RLX_TEST(context, hostile_places_and_lines_render)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    char source[5000];
    for (size_t i = 0; i < sizeof source; i++)
        source[i] = (char)(i * 37 + 128);
    uint32_t file = rlxc_add_file(ctx, "x", source, sizeof source);
    for (uint32_t i = 0; i < RLXC_MAX_ERRORS; i++)
        rlxc_error(ctx,
                   (rlxc_range){file + i % 2, i, i * i * 7, i % 5 ? i : UINT32_MAX, UINT32_MAX - i},
                   "%u", i);
    cr_expect_not_null(rlxc_render_diagnostics(ctx));
    rlxc_context_destroy(ctx);
}

RLX_TEST(context, attributes_are_copied_on_write)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    int64_t ints[2] = {2, -1}, value;
    rlxc_attrs a = {NULL, NULL, 0};
    a = rlxc_attrs_with(ctx, a, "axis", rlxc_attr_int(1));
    rlxc_attrs b = rlxc_attrs_with(ctx, a, "strides", rlxc_attr_ints(ctx, ints, 2));
    rlxc_attrs c = rlxc_attrs_with(ctx, b, "axis", rlxc_attr_bool(true));
    cr_expect_eq(a.count, 1);
    cr_expect_eq(c.count, 2);
    cr_expect_str_eq(c.keys[0], "axis");
    cr_expect_eq(rlxc_attrs_find(&b, "axis")->kind, RLXC_ATTR_INT);
    cr_expect_eq(rlxc_attrs_find(&c, "axis")->kind, RLXC_ATTR_BOOL);
    cr_expect_null(rlxc_attrs_find(&a, "strides"));
    cr_expect_not(rlxc_attrs_equal(&b, &c));
    rlxc_attrs d = rlxc_attrs_without(ctx, c, "axis"), e = rlxc_attrs_without(ctx, b, "axis");
    cr_expect(rlxc_attrs_equal(&d, &e));
    cr_expect_eq(rlxc_attrs_without(ctx, d, "strides").count, 0);
    cr_expect_eq(rlxc_attrs_without(ctx, d, "none").count, 1);
    rlxc_attr constant = rlxc_attr_expr(rlxc_i64(ctx, 7));
    cr_expect(rlxc_attr_as_int(&constant, &value) && value == 7);
    rlxc_attr text = rlxc_attr_string(ctx, "x");
    cr_expect_not(rlxc_attr_as_int(&text, &value));
    rlxc_context_destroy(ctx);
}
