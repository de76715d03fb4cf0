/* Fuzz target: any bytes as a .safetensors file. All bytes of every tensor must lie inside the
 * file. */
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/safetensors.h"
#include "fuzz_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rlxc_weights weights = {0};
    rlxc_context *ctx = rlxc_context_create(&fuzz_allocator);
    unsigned char *copy = malloc(size ? size : 1); /* an exact copy: ends where the input ends */
    if (!ctx || !copy)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    if (rlxc_weights_parse(ctx, "fuzz.safetensors", copy, size, &weights)) {
        volatile unsigned char sum = 0;
        for (uint32_t i = 0; i < weights.tensors.count; i++)
            for (size_t b = 0; b < weights.tensors.items[i].nbytes; b++)
                sum ^= ((const unsigned char *)weights.tensors.items[i].data)[b];
    }
    rlxc_weights_close(&weights);
    rlxc_render_diagnostics(ctx);
    rlxc_context_destroy(ctx);
    free(copy);
    return 0;
}
