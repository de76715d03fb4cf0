/* Checksums of files' bytes and hashes of names: XXH64. They guard against accidental damage, not
 * against attackers. */
#include "vm/file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t rlxv_checksum(const void *data, size_t size)
{
    return XXH64(data, size, 0);
}

uint64_t rlxv_checksum_spans(const rlxv_span *spans, size_t n)
{
    XXH64_state_t state;
    XXH64_reset(&state, 0);
    for (size_t i = 0; i < n; i++)
        XXH64_update(&state, spans[i].data, spans[i].size);
    return XXH64_digest(&state);
}

uint64_t rlxv_checksum_header(const uint8_t *header, size_t table)
{
    return rlxv_checksum(header, 32) ^ rlxv_checksum(header + RLXV_HEADER_BYTES, table);
}
