/* Edits executable images in tests: finds a section, changes words, recomputes checksums. */
#ifndef RLX_TEST_IMAGE_H
#define RLX_TEST_IMAGE_H

#include "../support/rlx_test.h"

#include "vm/exec.h"
#include "vm/file.h"

#include <string.h>

typedef struct image {
    uint8_t *data;
    size_t size;
} image;

static inline image image_of(rlx_test *t, const char *text)
{
    void *data;
    size_t size;
    RLX_OKAY(
        rlx_assemble(&t->allocator, RLX_STR("test"), rlx_str_from(text), &data, &size, &t->error));
    return (image){data, size};
}

static inline void image_free(rlx_test *t, image *m)
{
    rlx_free(&t->allocator, m->data, m->size, 64);
}

/* The table entry of section |kind|; NULL if the image has none. */
static inline uint8_t *image_entry(const image *m, uint32_t kind)
{
    uint32_t n = rlxv_load_u32(m->data + 24);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *e = m->data + RLXV_HEADER_BYTES + (size_t)i * RLXV_SECTION_BYTES;
        if (rlxv_load_u32(e) == kind)
            return e;
    }
    return NULL;
}

static inline uint8_t *image_section(const image *m, uint32_t kind)
{
    uint8_t *e = image_entry(m, kind);
    return e ? m->data + rlxv_load_u64(e + 8) : NULL;
}

static inline void image_store(uint8_t *p, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

/* Recomputes every checksum whose section lies inside the image. */
static inline void image_seal(image *m)
{
    uint32_t n = rlxv_load_u32(m->data + 24);
    size_t table = (size_t)n * RLXV_SECTION_BYTES;
    if (n > RLXV_MAX_SECTIONS || RLXV_HEADER_BYTES + table > m->size)
        return;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *e = m->data + RLXV_HEADER_BYTES + (size_t)i * RLXV_SECTION_BYTES;
        uint64_t offset = rlxv_load_u64(e + 8), size = rlxv_load_u64(e + 16);
        if (offset <= m->size && size <= m->size - offset)
            image_store(e + 24, rlxv_checksum(m->data + offset, (size_t)size), 8);
    }
    image_store(m->data + 32,
                rlxv_checksum(m->data, 32) ^ rlxv_checksum(m->data + RLXV_HEADER_BYTES, table), 8);
}

static inline rlx_status image_load(rlx_test *t, const image *m, rlx_executable **out)
{
    rlx_load_options options = {.allocator = &t->allocator};
    return rlx_executable_load_memory(m->data, m->size, &options, out, &t->error);
}

#endif
