/* Fuzz target: any bytes as TVMScript. A parsed module must be well formed or diagnosed, and must
 * print to text that parses to an equal module. Half of the mutations work on words and lines, to
 * get past the lexer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/script/script.h"
#include "fuzz_memory.h"
#include "mutate_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rlxc_context *ctx = rlxc_context_create(&fuzz_allocator);
    if (!ctx)
        return 0;
    char *text = malloc(size + 1); /* the parser keeps pointers into it */
    if (!text)
        abort();
    if (size > 0)
        memcpy(text, data, size);
    rlxc_module *module = rlxc_parse_module(ctx, "fuzz.py", text, size);
    rlxc_render_diagnostics(ctx);
    if (module && rlxc_well_formed(ctx, module, "parse", false)) {
        const char *printed = rlxc_print_module(ctx, module);
        rlxc_module *again =
            printed ? rlxc_parse_module(ctx, "printed.py", printed, strlen(printed)) : NULL;
        const char *why;
        if (printed && !rlxc_out_of_memory(ctx) &&
            (!again || !rlxc_module_equal(ctx, module, again, &why)))
            abort();
    }
    rlxc_context_destroy(ctx);
    free(text);
    return 0;
}
