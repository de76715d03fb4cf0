/* Pass normalize_blocks on its goldens' sources: running it on its own output changes nothing, and
 * running out of memory at any allocation is an error. */
#include "tests/support/rlx_test.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/driver/compile.h"
#include "compiler/script/script.h"
#include "tests/compiler/files.h"

static const char *const sources[] = {"tests/passes/normalize_blocks.py#scheduled_elsewhere",
                                      "tests/explain.py#attention_spelled_otherwise",
                                      "tests/passes/normalize_blocks.py#kept_as_written"};
enum { N_SOURCES = sizeof sources / sizeof *sources };

RLX_TEST(normal, normal_form_is_unchanged)
{
    for (int i = 0; i < N_SOURCES; i++) {
        const char *why = "";
        char *text = file_read(sources[i], NULL);
        rlxc_context *ctx = rlxc_context_create(NULL);
        rlxc_options options;
        cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 2));
        rlxc_module *once = rlxc_parse_module(ctx, sources[i], text, strlen(text));
        cr_assert(once && rlxc_pass_infer(ctx, once, &options) &&
                      rlxc_pass_normalize_blocks(ctx, once, &options),
                  "%s", rlxc_render_diagnostics(ctx));
        const char *printed = rlxc_print_module(ctx, once);
        rlxc_module *twice = rlxc_parse_module(ctx, "printed.py", printed, strlen(printed));
        cr_assert(twice && rlxc_pass_infer(ctx, twice, &options) &&
                      rlxc_pass_normalize_blocks(ctx, twice, &options),
                  "%s", rlxc_render_diagnostics(ctx));
        cr_expect(rlxc_module_equal(ctx, once, twice, &why), "%s: %s\n%s", sources[i], why,
                  rlxc_print_module(ctx, twice));
        rlxc_context_destroy(ctx);
        free(text);
    }
}

/* False when out of memory, and the context then says so. */
static bool normalized(rlx_test *t, const char *text)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    if (!ctx)
        return false;
    rlxc_options options;
    rlxc_module *module = NULL;
    bool done = rlxc_options_init(ctx, &options, NULL, NULL, 2) &&
                (module = rlxc_parse_module(ctx, "m.py", text, strlen(text))) != NULL &&
                rlxc_pass_infer(ctx, module, &options) &&
                rlxc_pass_normalize_blocks(ctx, module, &options);
    cr_expect(done || rlxc_out_of_memory(ctx), "%s", rlxc_render_diagnostics(ctx));
    rlxc_context_destroy(ctx);
    return done;
}

RLX_TEST(normal, running_out_of_memory_is_an_error)
{
    for (int i = 0; i < N_SOURCES; i++) {
        char *text = file_read(sources[i], NULL);
        bool done = false;
        for (size_t n = 1; !done; n++) {
            cr_assert_lt(n, 2000, "it never succeeds");
            t->calls = 0;
            t->fail_at = n;
            done = normalized(t, text);
        }
        free(text);
    }
    t->fail_at = 0;
}
