/* Executables from bytes in memory, their reference counts, and the checksum of their constants. */
#include "vm/exec.h"
#include "vm/file.h"
#include "vm/need.h"

#include <string.h>

rlx_status rlx_executable_load_memory(const void *bytes, size_t size,
                                      const rlx_load_options *options, rlx_executable **out,
                                      rlx_error *err)
{
    RLXV_NEED(err, bytes && out);
    const rlx_allocator *a = options ? options->allocator : NULL;
    size_t head_size;
    uint64_t data_offset, data_size;
    rlx_storage *data = NULL;
    RLX_TRY(rlxv_read_header(bytes, size, size, &head_size, &data_offset, &data_size, err));
    uint8_t *head = rlx_alloc(a, head_size, 64);
    if (!head)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while loading an executable");
    memcpy(head, bytes, head_size);
    if (data_size > 0) {
        rlx_status status = rlxv_storage_new(NULL, a, (size_t)data_size, 64, &data, err);
        if (status != RLX_OK) {
            rlx_free(a, head, head_size, 64);
            return status;
        }
        memcpy(data->data, (const uint8_t *)bytes + data_offset, (size_t)data_size);
        data->header.readonly = 1;
    }
    return rlxv_load(a, head, head_size, data, size, options, out, err);
}

rlx_executable *rlx_executable_retain(rlx_executable *exe)
{
    if (!exe)
        return NULL;
    atomic_fetch_add_explicit(&exe->refs, 1, memory_order_relaxed);
    return exe;
}

void rlx_executable_release(rlx_executable *exe)
{
    if (!exe || atomic_fetch_sub_explicit(&exe->refs, 1, memory_order_acq_rel) != 1)
        return;
    rlx_allocator a = exe->allocator;
    rlxv_native_unload(exe);
    for (uint32_t i = 0; i < exe->n_constants; i++)
        rlxv_release_value(exe->constants[i].value);
    if (exe->data)
        rlxv_release(&exe->data->header);
    if (exe->weights)
        rlxv_release(&exe->weights->header);
    rlxv_arena_deinit(&exe->arena);
    rlxv_lock_destroy(&exe->copies_lock);
    rlx_free(&a, exe->head, exe->head_size, 64);
    rlx_free(&a, exe, sizeof *exe, _Alignof(rlx_executable));
}

rlx_status rlx_executable_verify_constants(const rlx_executable *exe, rlx_error *err)
{
    RLXV_NEED(err, exe);
    if (exe->data_size &&
        rlxv_checksum(exe->data->data, (size_t)exe->data_size) != exe->data_checksum)
        return rlx_fail(err, RLX_E_INVALID_MODULE, "the constants are damaged: wrong checksum");
    return RLX_OK;
}

uint64_t rlx_executable_size(const rlx_executable *exe)
{
    if (!exe)
        return 0;
    return exe->total_size;
}
