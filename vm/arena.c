/* Bump arena, growing buffer and growing array: the only containers of the runtime. */
#include "vm/arena.h"

#include <rlx/checked.h>
#include <stdio.h>
#include <string.h>

struct rlxv_arena_chunk {
    rlxv_arena_chunk *next;
    size_t size, used; /* bytes of the whole chunk, this header included */
};

#define CHUNK_BYTES ((size_t)16384)
#define CHUNK_HEADER ((sizeof(rlxv_arena_chunk) + 15) & ~(size_t)15)

void rlxv_arena_init(rlxv_arena *a, const rlx_allocator *allocator)
{
    *a = (rlxv_arena){allocator ? *allocator : *rlx_default_allocator(), NULL};
}

void rlxv_arena_deinit(rlxv_arena *a)
{
    while (a->chunks) {
        rlxv_arena_chunk *next = a->chunks->next;
        rlx_free(&a->allocator, a->chunks, a->chunks->size, 16);
        a->chunks = next;
    }
}

void *rlxv_arena_alloc(rlxv_arena *a, size_t count, size_t size)
{
    size_t bytes;
    if (!rlx_mul_size(count, size, &bytes) || bytes > PTRDIFF_MAX / 2)
        return NULL;
    bytes = (bytes + 15) & ~(size_t)15;
    rlxv_arena_chunk *c = a->chunks;
    if (!c || c->size - c->used < bytes) {
        size_t total = bytes + CHUNK_HEADER > CHUNK_BYTES ? bytes + CHUNK_HEADER : CHUNK_BYTES;
        rlxv_arena_chunk *fresh = rlx_alloc(&a->allocator, total, 16);
        if (!fresh)
            return NULL;
        *fresh = (rlxv_arena_chunk){c, total, CHUNK_HEADER};
        /* A big block is linked behind the current chunk, whose remaining space stays in use. */
        if (c && total > CHUNK_BYTES) {
            fresh->next = c->next;
            c->next = fresh;
        } else {
            a->chunks = fresh;
        }
        c = fresh;
    }
    void *p = (uint8_t *)c + c->used;
    c->used += bytes;
    memset(p, 0, bytes);
    return p;
}

rlx_str rlxv_arena_str(rlxv_arena *a, rlx_str text)
{
    char *p = rlxv_arena_alloc(a, text.len + 1, 1);
    if (!p)
        return (rlx_str){NULL, 0};
    if (text.len)
        memcpy(p, text.data, text.len);
    return (rlx_str){p, text.len};
}

void rlxv_buffer_init(rlxv_buffer *b, const rlx_allocator *allocator)
{
    *b = (rlxv_buffer){.allocator = allocator ? *allocator : *rlx_default_allocator()};
}

void rlxv_buffer_deinit(rlxv_buffer *b)
{
    rlx_free(&b->allocator, b->data, b->capacity, 64);
    b->data = NULL;
    b->size = b->capacity = 0;
}

uint8_t *rlxv_buffer_extend(rlxv_buffer *b, size_t n)
{
    size_t need;
    if (b->failed || !rlx_add_size(b->size, n, &need) || need > PTRDIFF_MAX / 2) {
        b->failed = true;
        return NULL;
    }
    if (need > b->capacity) {
        size_t capacity = b->capacity ? b->capacity * 2 : 256;
        if (capacity < need)
            capacity = need;
        uint8_t *data = rlx_alloc(&b->allocator, capacity, 64);
        if (!data) {
            b->failed = true;
            return NULL;
        }
        if (b->size)
            memcpy(data, b->data, b->size);
        rlx_free(&b->allocator, b->data, b->capacity, 64);
        b->data = data;
        b->capacity = capacity;
    }
    uint8_t *p = b->data + b->size;
    b->size = need;
    return p;
}

void rlxv_buffer_write(rlxv_buffer *b, const void *data, size_t n)
{
    uint8_t *p = n ? rlxv_buffer_extend(b, n) : NULL;
    if (p)
        memcpy(p, data, n);
}

void rlxv_buffer_u32(rlxv_buffer *b, uint32_t v)
{
    uint8_t *p = rlxv_buffer_extend(b, 4);
    for (int i = 0; p && i < 4; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

void rlxv_buffer_u64(rlxv_buffer *b, uint64_t v)
{
    rlxv_buffer_u32(b, (uint32_t)v);
    rlxv_buffer_u32(b, (uint32_t)(v >> 32));
}

void rlxv_buffer_align(rlxv_buffer *b, size_t align)
{
    size_t pad = (align - b->size % align) % align;
    uint8_t *p = pad ? rlxv_buffer_extend(b, pad) : NULL;
    if (p)
        memset(p, 0, pad);
}

void rlxv_buffer_printf(rlxv_buffer *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    uint8_t *p = n >= 0 ? rlxv_buffer_extend(b, (size_t)n + 1) : NULL;
    if (p) {
        vsnprintf((char *)p, (size_t)n + 1, format, again);
        b->size--; /* the NUL is not part of the text */
    }
    va_end(again);
    va_end(args);
}

bool rlxv_grow(const rlx_allocator *a, void **array, uint32_t *capacity, uint32_t count,
               size_t item)
{
    if (count < *capacity)
        return true;
    uint32_t fresh = *capacity ? *capacity : 8;
    while (fresh <= count) {
        if (fresh > UINT32_MAX / 2)
            return false;
        fresh *= 2;
    }
    size_t bytes;
    void *p = rlx_mul_size(fresh, item, &bytes) ? rlx_alloc(a, bytes, 16) : NULL;
    if (!p)
        return false;
    if (*capacity) {
        memcpy(p, *array, *capacity * item);
        rlx_free(a, *array, *capacity * item, 16);
    }
    memset((uint8_t *)p + *capacity * item, 0, (fresh - *capacity) * item);
    *array = p;
    *capacity = fresh;
    return true;
}
