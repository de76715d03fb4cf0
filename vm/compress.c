/* Compressed sections: the only user of zstd.

   Code and tables of a small model can outweigh its constants; they compress to about a third, and
   are copied on loading anyway. A compressed section is one zstd frame that states its size. Files
   are hostile: that size is bounded by the section's, so that a few bytes cannot claim all memory,
   and the frame must give exactly as many bytes. */
#include "vm/builder.h"
#include "vm/load.h"

#include <rlx/checked.h>
#include <rlx/memory.h>
#if RLX_WITH_ZSTD
#include <zstd.h>

enum {
    SMALL = 15, /* level of zstd; higher ones save 1 % more in twice the time */
    FAST = 9,
    MOST_RATIO = 256, /* of the sizes before and after */
    LEAST_GAIN = 8,   /* saving less than an eighth of a section is not worth the time on loading */
};

static size_t compress(rlxv_buffer *out, const rlxv_buffer *section, int level)
{
    const size_t room = ZSTD_compressBound(section->size);
    uint8_t *to = ZSTD_isError(room) ? NULL : rlxv_buffer_extend(out, room);
    const size_t n = to ? ZSTD_compress(to, room, section->data, section->size, level) : 0;
    return ZSTD_isError(n) ? 0 : n;
}

rlx_status rlxv_compress(rlxv_buffer *section, rlx_compression how, bool *out_done, rlx_error *err)
{
    const size_t size = section->size;
    rlxv_buffer out;
    rlxv_buffer_init(&out, &section->allocator);
    const size_t n = out.size = compress(&out, section, how == RLX_COMPRESSION_FAST ? FAST : SMALL);
    *out_done = n > size / MOST_RATIO && n < size - size / LEAST_GAIN;
    if (*out_done) {
        const rlxv_buffer old = *section;
        *section = out;
        out = old;
    }
    rlxv_buffer_deinit(&out);
    if (n == 0)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while compressing an executable");
    return RLX_OK;
}

static rlx_status decompress(rlxv_loader *l, uint32_t kind)
{
    rlxv_section *s = &l->sections[kind];
    const unsigned long long size = ZSTD_getFrameContentSize(s->data, s->size);
    if (size >= ZSTD_CONTENTSIZE_ERROR || size / MOST_RATIO >= s->size)
        return rlx_fail(l->err, RLX_E_INVALID_MODULE, "section %u has no valid compressed size",
                        kind);
    if (size >= RLXV_BIG_BYTES)
        RLX_TRY(rlx_memory_check(size, "decompressing a section", l->err));
    uint8_t *to = rlxv_arena_alloc(&l->exe->arena, (size_t)size, 1);
    if (!to)
        return rlxv_load_nomem(l);
    const size_t n = ZSTD_decompress(to, (size_t)size, s->data, s->size);
    if (n != size)
        return rlx_fail(l->err, RLX_E_INVALID_MODULE, "section %u cannot be decompressed: %s", kind,
                        ZSTD_isError(n) ? ZSTD_getErrorName(n) : "it is too short");
    s->data = to;
    s->size = n;
    return RLX_OK;
}
#else
rlx_status rlxv_compress(rlxv_buffer *section, rlx_compression how, bool *out_done, rlx_error *err)
{
    (void)section;
    (void)how;
    (void)err;
    *out_done = false;
    return RLX_OK;
}

static rlx_status decompress(rlxv_loader *l, uint32_t kind)
{
    return rlx_fail(l->err, RLX_E_VERSION,
                    "section %u is compressed, and this library was built without zstd", kind);
}
#endif

rlx_status rlxv_decompress_sections(rlxv_loader *l)
{
    for (uint32_t kind = 0; kind < RLXV_SECTION_END; kind++)
        if (l->sections[kind].compressed)
            RLX_TRY(decompress(l, kind));
    return RLX_OK;
}
