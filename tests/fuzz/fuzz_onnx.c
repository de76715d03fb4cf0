/* Fuzz target: any bytes as an ONNX model for the importer, and as a value in its test data. An
 * imported model must be well formed. */
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/compile.h"
#include "fuzz_memory.h"
#include "vm/cli/tensorproto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rlxc_context *ctx = rlxc_context_create(&fuzz_allocator);
    unsigned char *copy = malloc(size ? size : 1); /* an exact copy: ends where the input ends */
    rlx_value value = rlx_none();
    if (!ctx || !copy)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    rlxc_read_onnx(ctx, "/nonexistent/fuzz.onnx", copy, size, false);
    rlxc_render_diagnostics(ctx);
    size_t count;
    const rlxc_diagnostic *said = rlxc_diagnostics(ctx, &count);
    for (size_t i = 0; i < count; i++)
        if (strncmp(said[i].message, "internal error in ", 18) == 0)
            abort();
    rlxc_context_destroy(ctx);
    if (onnxproto_decode("fuzz.pb", copy, size, &value, NULL) == RLX_OK)
        rlx_value_release(value);
    free(copy);
    return 0;
}
