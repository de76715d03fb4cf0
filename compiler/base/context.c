/* Memory of a compilation: the arena with its reserve, interned text, growable arrays, maps, text.
 *
 * The arena takes growing chunks from the host's allocator and hands out zeroed pieces of them.
 * When the allocator refuses, small requests are served from a reserve that was taken at creation
 * (untouched pages cost nothing), and the context is failed: the loops that poll rlxc_failed() end
 * long before the reserve does. A loop that uses up the reserve without polling has a bug; the
 * allocator is then asked again, and the reserve is reused only if it still refuses. */
#include "compiler/base/context_state.h"
#include "compiler/base/hash.h"

#include "rlx/checked.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    ARENA_ALIGN = 16,
    FIRST_CHUNK = 64 << 10,
    MAX_CHUNK = 4 << 20,
    RESERVE_SIZE = 16 << 20,
    SMALL_GROWTH = 64 << 10 /* growth up to here never fails */
};

_Static_assert((int)RESERVE_SIZE >= (int)RLXC_MAX_ALLOC, "the reserve must serve any one request");

static size_t chunk_header(void)
{
    return (sizeof(rlxc_chunk) + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
}

rlxc_context *rlxc_context_create(const rlx_allocator *allocator)
{
    if (!allocator)
        allocator = rlx_default_allocator();
    rlxc_context *ctx = rlx_alloc(allocator, sizeof *ctx, ARENA_ALIGN);
    if (!ctx)
        return NULL;
    memset(ctx, 0, sizeof *ctx);
    ctx->allocator = allocator;
    ctx->max_errors = RLXC_MAX_ERRORS;
    ctx->reserve = rlx_alloc(allocator, RESERVE_SIZE, ARENA_ALIGN);
    if (!ctx->reserve) {
        rlx_free(allocator, ctx, sizeof *ctx, ARENA_ALIGN);
        return NULL;
    }
    return ctx;
}

void rlxc_context_destroy(rlxc_context *ctx)
{
    if (!ctx)
        return;
    const rlx_allocator *allocator = ctx->allocator;
    for (const rlxc_cleanup *c = ctx->cleanups; c; c = c->next)
        c->fn(c->user);
    for (rlxc_chunk *chunk = ctx->chunks; chunk;) {
        rlxc_chunk *next = chunk->next;
        rlx_free(allocator, chunk, chunk->size, ARENA_ALIGN);
        chunk = next;
    }
    rlx_free(allocator, ctx->reserve, RESERVE_SIZE, ARENA_ALIGN);
    rlx_free(allocator, ctx, sizeof *ctx, ARENA_ALIGN);
}

bool rlxc_on_destroy(rlxc_context *ctx, void (*fn)(void *user), void *user)
{
    rlxc_cleanup *c = rlxc_try_alloc(ctx, 1, sizeof *c); /* the reserve may be handed out a second
                                                          * time */
    if (!c)
        return false;
    *c = (rlxc_cleanup){ctx->cleanups, fn, user};
    ctx->cleanups = c;
    return true;
}

void rlxc_set_out_of_memory(rlxc_context *ctx)
{
    ctx->out_of_memory = true;
}

void rlxc_doing(rlxc_context *ctx, const char *what, const char *name)
{
    if (ctx->out_of_memory)
        return;
    ctx->doing = what;
    ctx->doing_name = name;
}

bool rlxc_out_of_memory(const rlxc_context *ctx)
{
    return ctx->out_of_memory;
}

bool rlxc_failed(const rlxc_context *ctx)
{
    return ctx->out_of_memory || ctx->n_errors > 0;
}

/* A chunk with |size| usable bytes, linked into the context; NULL when the allocator refuses. */
static char *new_chunk(rlxc_context *ctx, size_t size)
{
    size_t total;
    if (!rlx_add_size(size, chunk_header(), &total) || total > PTRDIFF_MAX)
        return NULL;
    rlxc_chunk *chunk = rlx_alloc(ctx->allocator, total, ARENA_ALIGN);
    if (!chunk)
        return NULL;
    chunk->size = total;
    chunk->next = ctx->chunks;
    ctx->chunks = chunk;
    return (char *)chunk + chunk_header();
}

/* |size| is a multiple of ARENA_ALIGN. NULL when the allocator refuses. The bytes are not set. */
static void *take(rlxc_context *ctx, size_t size)
{
    if (size > (size_t)(ctx->end - ctx->cursor)) {
        size_t current = ctx->chunks ? ctx->chunks->size : 0;
        size_t wanted = current * 2 < FIRST_CHUNK ? FIRST_CHUNK : current * 2;
        if (wanted > MAX_CHUNK)
            wanted = MAX_CHUNK;
        if (size > wanted / 4) /* large pieces leave the current chunk in use */
            return new_chunk(ctx, size);
        char *start = new_chunk(ctx, wanted);
        if (!start)
            return NULL;
        ctx->cursor = start;
        ctx->end = start + wanted;
    }
    void *piece = ctx->cursor;
    ctx->cursor += size;
    return piece;
}

void *rlxc_alloc(rlxc_context *ctx, size_t size)
{
    assert(size <= RLXC_MAX_ALLOC);
    size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (size == 0)
        size = ARENA_ALIGN;
    void *piece = ctx->out_of_memory ? NULL : take(ctx, size);
    if (piece)
        return memset(piece, 0, size);
    ctx->out_of_memory = true;
    if (size > RESERVE_SIZE - ctx->reserve_used) {
        piece = take(ctx, size);
        if (piece)
            return memset(piece, 0, size);
        ctx->reserve_used = 0;
    }
    piece = ctx->reserve + ctx->reserve_used;
    ctx->reserve_used += size;
    return memset(piece, 0, size);
}

void *rlxc_try_alloc_unset(rlxc_context *ctx, size_t count, size_t size)
{
    size_t bytes;
    if (ctx->out_of_memory || !rlx_mul_size(count, size, &bytes) ||
        !rlx_align_size(bytes ? bytes : 1, ARENA_ALIGN, &bytes)) {
        ctx->out_of_memory = true;
        return NULL;
    }
    void *piece = take(ctx, bytes);
    if (!piece)
        ctx->out_of_memory = true;
    return piece;
}

void *rlxc_try_alloc(rlxc_context *ctx, size_t count, size_t size)
{
    void *piece = rlxc_try_alloc_unset(ctx, count, size);
    return piece ? memset(piece, 0, count * size) : NULL;
}

void *rlxc_copy(rlxc_context *ctx, const void *data, size_t size)
{
    void *copy = rlxc_alloc(ctx, size);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

/* Small pieces never fail, large ones may: see SMALL_GROWTH. */
static void *grow_alloc(rlxc_context *ctx, size_t count, size_t size)
{
    size_t bytes;
    if (rlx_mul_size(count, size, &bytes) && bytes <= SMALL_GROWTH)
        return rlxc_alloc(ctx, bytes);
    return rlxc_try_alloc(ctx, count, size);
}

bool rlxc_vec_grow(rlxc_context *ctx, void **items, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    if (count > UINT32_MAX / 2) {
        ctx->out_of_memory = true;
        return false;
    }
    uint32_t wanted = count < 4 ? 8 : count * 2;
    void *bigger = grow_alloc(ctx, wanted, size);
    if (!bigger)
        return false;
    if (count)
        memcpy(bigger, *items, count * size);
    *items = bigger;
    *capacity = wanted;
    return true;
}

/* --- interned text --------------------------------------------------------------------------- */

static void intern_grow(rlxc_context *ctx)
{
    uint32_t capacity = ctx->intern_capacity ? ctx->intern_capacity * 2 : 256;
    rlxc_intern_slot *slots = grow_alloc(ctx, capacity, sizeof *slots);
    if (!slots)
        return;
    for (uint32_t i = 0; i < ctx->intern_capacity; i++) {
        const rlxc_intern_slot *old = &ctx->interned[i];
        if (!old->text)
            continue;
        uint32_t at = old->hash & (capacity - 1);
        while (slots[at].text)
            at = (at + 1) & (capacity - 1);
        slots[at] = *old;
    }
    ctx->interned = slots;
    ctx->intern_capacity = capacity;
}

const char *rlxc_intern(rlxc_context *ctx, const char *text, size_t length)
{
    if (ctx->n_interned >= ctx->intern_capacity / 4 * 3)
        intern_grow(ctx);
    uint32_t mask = ctx->intern_capacity - 1;
    uint32_t hash = rlxc_hash_bytes(RLXC_HASH_START, text, length);
    uint32_t at = hash & mask;
    for (; ctx->interned[at].text; at = (at + 1) & mask) {
        const rlxc_intern_slot *slot = &ctx->interned[at];
        if (slot->hash == hash && slot->length == length && memcmp(slot->text, text, length) == 0)
            return slot->text;
    }
    char *copy =
        length < SMALL_GROWTH ? rlxc_alloc(ctx, length + 1) : rlxc_try_alloc(ctx, length + 1, 1);
    if (!copy)
        return "";
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    /* A table that could not grow keeps one free slot, so that probing ends. */
    if (ctx->n_interned + 1 < ctx->intern_capacity) {
        ctx->interned[at] = (rlxc_intern_slot){copy, length, hash};
        ctx->n_interned++;
    }
    return copy;
}

const char *rlxc_intern_cstr(rlxc_context *ctx, const char *text)
{
    return rlxc_intern(ctx, text, strlen(text));
}

const char *rlxc_internf(rlxc_context *ctx, const char *format, ...)
{
    char small[256];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (length < 0)
        return rlxc_intern(ctx, "", 0);
    if ((size_t)length < sizeof small)
        return rlxc_intern(ctx, small, (size_t)length);
    char *large = rlxc_try_alloc(ctx, (size_t)length + 1, 1);
    if (!large)
        return rlxc_intern(ctx, small, sizeof small - 1);
    va_start(args, format);
    vsnprintf(large, (size_t)length + 1, format, args);
    va_end(args);
    return rlxc_intern(ctx, large, (size_t)length);
}

/* --- map ------------------------------------------------------------------------------------- */

static uint32_t map_home(uint64_t key, uint32_t capacity)
{
    key ^= key >> 32; /* pointers differ in their middle bits: mix before masking */
    key *= 0x9E3779B97F4A7C15u;
    return (uint32_t)(key >> 32) & (capacity - 1);
}

/* The slot of |key|, or the free slot where it belongs. */
static uint32_t map_find(const rlxc_map *map, uint64_t key)
{
    uint32_t at = map_home(key, map->capacity);
    while (map->values[at] && map->keys[at] != key)
        at = (at + 1) & (map->capacity - 1);
    return at;
}

void *rlxc_map_get(const rlxc_map *map, uint64_t key)
{
    return map->count ? map->values[map_find(map, key)] : NULL;
}

static bool map_grow(rlxc_context *ctx, rlxc_map *map)
{
    if (map->capacity > UINT32_MAX / 2)
        return false;
    rlxc_map bigger = {.capacity = map->capacity ? map->capacity * 2 : 16};
    bigger.keys = grow_alloc(ctx, bigger.capacity, sizeof *bigger.keys);
    bigger.values = grow_alloc(ctx, bigger.capacity, sizeof *bigger.values);
    if (!bigger.keys || !bigger.values)
        return false;
    for (uint32_t i = 0; i < map->capacity; i++)
        if (map->values[i]) {
            uint32_t at = map_find(&bigger, map->keys[i]);
            bigger.keys[at] = map->keys[i];
            bigger.values[at] = map->values[i];
        }
    bigger.count = map->count;
    *map = bigger;
    return true;
}

/* Removes the entry at |hole| and moves later entries of its run back, so that probing needs no
 * tombstones. */
static void map_remove_at(rlxc_map *map, uint32_t hole)
{
    uint32_t mask = map->capacity - 1;
    map->values[hole] = NULL;
    map->count--;
    for (uint32_t at = (hole + 1) & mask; map->values[at]; at = (at + 1) & mask) {
        uint32_t home = map_home(map->keys[at], map->capacity);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue; /* its home lies after the hole */
        map->keys[hole] = map->keys[at];
        map->values[hole] = map->values[at];
        map->values[at] = NULL;
        hole = at;
    }
}

void rlxc_map_set(rlxc_context *ctx, rlxc_map *map, uint64_t key, void *value)
{
    if (!value) {
        if (map->count) {
            uint32_t at = map_find(map, key);
            if (map->values[at])
                map_remove_at(map, at);
        }
        return;
    }
    if (map->count >= map->capacity / 4 * 3 && !map_grow(ctx, map) &&
        map->count + 1 >= map->capacity)
        return; /* failed context: the entry is lost, the map stays sound */
    uint32_t at = map_find(map, key);
    if (!map->values[at])
        map->count++;
    map->keys[at] = key;
    map->values[at] = value;
}

/* --- text ------------------------------------------------------------------------------------ */

/* Room for |more| bytes and a NUL; false when memory is out. */
static bool text_reserve(rlxc_text *text, size_t more)
{
    size_t needed;
    if (!rlx_add_size(text->length, more, &needed) || !rlx_add_size(needed, 1, &needed)) {
        rlxc_set_out_of_memory(text->ctx);
        return false;
    }
    if (needed <= text->capacity)
        return true;
    size_t wanted = text->capacity < 64 ? 128 : text->capacity;
    while (wanted < needed && wanted <= SIZE_MAX / 2)
        wanted *= 2;
    if (wanted < needed)
        wanted = needed;
    char *data = grow_alloc(text->ctx, wanted, 1);
    if (!data)
        return false;
    if (text->length)
        memcpy(data, text->data, text->length);
    text->data = data;
    text->capacity = wanted;
    return true;
}

void rlxc_text_add(rlxc_text *text, const char *data, size_t length)
{
    if (!text_reserve(text, length))
        return;
    if (length)
        memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void rlxc_text_puts(rlxc_text *text, const char *cstr)
{
    rlxc_text_add(text, cstr, strlen(cstr));
}

void rlxc_text_printf(rlxc_text *text, const char *format, ...)
{
    if (!text_reserve(text, 64))
        return;
    size_t room = text->capacity - text->length;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text->data + text->length, room, format, args);
    va_end(args);
    if (length < 0 || (size_t)length < room) {
        text->length += length < 0 ? 0 : (size_t)length;
        text->data[text->length] = '\0';
        return;
    }
    text->data[text->length] = '\0';
    if (!text_reserve(text, (size_t)length))
        return;
    va_start(args, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
}
