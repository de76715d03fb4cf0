/* The compiler's hash: xxHash (https://xxhash.com), for tables, for telling functions and sources
 * apart. It proves nothing; equal hashes are compared. */
#ifndef RLXC_BASE_HASH_H
#define RLXC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { RLXC_HASH_START = 0 };

/* Of bytes, continued from |hash| (start with RLXC_HASH_START). */
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
/* The same in 64 bits. */
static inline uint64_t rlxc_hash64_bytes(uint64_t hash, const void *data, size_t size)
{
    return XXH64(data, size, hash);
}

#endif
