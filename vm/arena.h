/* A bump allocator for tables that are built once and freed together, and a growing byte buffer. */
#ifndef RLXV_ARENA_H
#define RLXV_ARENA_H

#include <rlx/base.h>

typedef struct rlxv_arena_chunk rlxv_arena_chunk;

typedef struct rlxv_arena {
    rlx_allocator allocator;
    rlxv_arena_chunk *chunks;
} rlxv_arena;

void rlxv_arena_init(rlxv_arena *a, const rlx_allocator *allocator);
void rlxv_arena_deinit(rlxv_arena *a);
/* |count| items of |size| bytes, zeroed, 16-byte aligned; NULL if memory is out or the product
 * overflows. Count 0 gives a valid pointer. */
void *rlxv_arena_alloc(rlxv_arena *a, size_t count, size_t size);
/* A NUL-terminated copy with the same length; data NULL if memory is out. */
rlx_str rlxv_arena_str(rlxv_arena *a, rlx_str text);

/* A growing byte buffer; |failed| stays set after the first failure, so that writers check only
 * once. */
typedef struct rlxv_buffer {
    rlx_allocator allocator;
    uint8_t *data;
    size_t size, capacity;
    bool failed;
} rlxv_buffer;

void rlxv_buffer_init(rlxv_buffer *b, const rlx_allocator *allocator);
void rlxv_buffer_deinit(rlxv_buffer *b);
/* Appends |n| uninitialised bytes and returns them; NULL (and failed) if memory is out. */
uint8_t *rlxv_buffer_extend(rlxv_buffer *b, size_t n);
void rlxv_buffer_write(rlxv_buffer *b, const void *data, size_t n);
void rlxv_buffer_u32(rlxv_buffer *b, uint32_t v); /* little-endian, like the next */
void rlxv_buffer_u64(rlxv_buffer *b, uint64_t v);
void rlxv_buffer_align(rlxv_buffer *b, size_t align); /* pads with zeros */
void rlxv_buffer_printf(rlxv_buffer *b, const char *format, ...) RLX_PRINTF(2, 3);

/* Grows an array of |item| bytes each so that it holds |count| + 1; false if memory is out. */
bool rlxv_grow(const rlx_allocator *a, void **array, uint32_t *capacity, uint32_t count,
               size_t item);

/* Little-endian loads from any address. */
static inline uint16_t rlxv_load_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}
static inline uint32_t rlxv_load_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t rlxv_load_u64(const uint8_t *p)
{
    return rlxv_load_u32(p) | (uint64_t)rlxv_load_u32(p + 4) << 32;
}

/* The low |bytes| bytes of |v|, little-endian. */
static inline void rlxv_store(uint8_t *p, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

#endif
