/* Executables whose constants are used where the host program has them. */
#include "vm/bare/bare.h"
#include "vm/exec.h"
#include "vm/file.h"
#include "vm/need.h"

#include <string.h>

enum { DATA_ALIGN = 64 };

rlx_status rlx_bare_load(const void *data, size_t size, const rlx_load_options *options,
                         rlx_executable **out, rlx_error *err)
{
    RLXV_NEED(err, data && out);
    const rlx_allocator *a = options ? options->allocator : NULL;
    size_t head_size;
    uint64_t offset, bytes;
    rlx_storage *constants = NULL;
    if ((uintptr_t)data % DATA_ALIGN != 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the file must be aligned to %d bytes", DATA_ALIGN);
    RLX_TRY(rlxv_read_header(data, size, size, &head_size, &offset, &bytes, err));
    uint8_t *head = rlx_alloc(a, head_size, 64);
    if (!head)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while loading an executable");
    memcpy(head, data, head_size);
    if (bytes > 0) {
        uint8_t *first = (uint8_t *)(uintptr_t)data + offset;
        rlx_status status =
            rlxv_storage_wrap(NULL, a, first, (size_t)bytes, true, NULL, NULL, &constants, err);
        if (status != RLX_OK) {
            rlx_free(a, head, head_size, 64);
            return status;
        }
    }
    return rlxv_load(a, head, head_size, constants, size, options, out, err);
}
