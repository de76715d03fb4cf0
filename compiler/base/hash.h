/* The compiler's hash: xxHash (https://xxhash.com), for hash tables and fingerprints of functions
 * and sources. Equal hashes prove nothing: callers compare the data. */
#ifndef RLXC_BASE_HASH_H
#define RLXC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { RLXC_HASH_START = 0 };

/* Hash of |size| bytes, continued from |hash| (start with RLXC_HASH_START). */
static inline uint32_t rlxc_hash_bytes(uint32_t hash, const void *data, size_t size)
{
    return XXH32(data, size, hash);
}
static inline uint32_t rlxc_hash_u32(uint32_t hash, uint32_t value)
{
    return XXH32(&value, sizeof value, hash);
}
static inline uint32_t rlxc_hash_u64(uint32_t hash, uint64_t value)
{
    return XXH32(&value, sizeof value, hash);
}
/* As above, with a 64-bit result. */
static inline uint64_t rlxc_hash64_bytes(uint64_t hash, const void *data, size_t size)
{
    return XXH64(data, size, hash);
}

#endif
