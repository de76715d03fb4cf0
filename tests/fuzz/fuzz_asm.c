/* Fuzz target: any bytes as assembly text. If it assembles, it is loaded; if it loads, it is run,
 * disassembled and reassembled, and must give the same file. */
#include "run_any.h"

#include <rlx/asm.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    rlx_executable *exe;
    rlx_error err;
    void *data, *again;
    char *text;
    size_t data_size, again_size, len;
    if (rlx_assemble(NULL, RLX_STR("fuzz"), (rlx_str){(const char *)bytes, size}, &data, &data_size,
                     &err) != RLX_OK)
        return 0;
    if (rlx_executable_load_memory(data, data_size, NULL, &exe, &err) == RLX_OK) {
        fuzz_run_all(exe);
        if (rlx_disassemble(NULL, exe, 0, &text, &len, &err) != RLX_OK ||
            rlx_assemble(NULL, RLX_STR("fuzz"), (rlx_str){text, len}, &again, &again_size, &err) !=
                RLX_OK ||
            again_size != data_size || memcmp(again, data, data_size) != 0)
            abort(); /* the round trip is broken */
        rlx_free(NULL, again, again_size, 64);
        rlx_free(NULL, text, len + 1, 1);
        rlx_executable_release(exe);
    }
    rlx_free(NULL, data, data_size, 64);
    return 0;
}
