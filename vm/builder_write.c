/* Turns the builder's contents into the bytes of a file.

   Sections are written in the order of their numbers, 64-byte aligned; those of several levels one
   level after the other. The ones that all levels share come first, but the data section last. */
#include "vm/builder_write.h"
#include "vm/need.h"

#include <rlx/checked.h>
#include <string.h>

enum {
    COMPRESSED_SHARE = 32, /* code and tables below this part of the constants stay as they are, */
    LEAST_COMPRESSED = 1024, /* as do sections below this size, in bytes */
};

typedef struct writer {
    rlx_exec_builder *b;
    rlxv_program programs[RLX_MAX_LEVELS];
    uint32_t n_programs;
    rlxv_program shared; /* sections of no level: the needs of the levels, code for devices */
    rlxv_span *data;     /* the data section: tensors and padding */
    uint32_t n_data;
    uint64_t data_size;
    size_t head_size; /* the file up to the data section */
    uint32_t n_sections;
    bool compressed; /* some section */
} writer;

/* A placed tensor, keyed by its bytes. */
typedef struct placed {
    const rlxv_build_constant *tensor;
    uint64_t hash;
} placed;

/* The entry of the tensor, or the free slot for it. */
static placed *find_placed(placed *table, size_t mask, const rlxv_build_constant *c, uint64_t hash)
{
    size_t at = (size_t)hash & mask;
    for (; table[at].tensor; at = (at + 1) & mask) {
        const rlxv_build_constant *o = table[at].tensor;
        if (table[at].hash == hash && o->nbytes == c->nbytes &&
            (o->data == c->data || memcmp(o->data, c->data, c->nbytes) == 0))
            break;
    }
    return &table[at];
}

/* Places a tensor at the end of the data section. */
static rlx_status place_tensor(writer *w, rlxv_build_constant *c, rlx_error *err)
{
    static const uint8_t nothing[64];
    const uint64_t start = (w->data_size + 63) & ~(uint64_t)63;
    if (c->nbytes > PTRDIFF_MAX / 2 - start)
        return rlx_fail(err, RLX_E_LIMIT, "the constants are too large");
    if (start > w->data_size)
        w->data[w->n_data++] = (rlxv_span){nothing, (size_t)(start - w->data_size)};
    w->data[w->n_data++] = (rlxv_span){c->data, c->nbytes};
    c->bits = start;
    w->data_size = start + c->nbytes;
    return RLX_OK;
}

/* Places all tensors; equal ones once, of one level or several. */
static rlx_status place_tensors(writer *w, rlx_error *err)
{
    size_t n = 0, size = 16;
    for (uint32_t p = 0; p < w->n_programs; p++)
        n += w->programs[p].b->n_constants;
    while (size < 2 * n)
        size *= 2;
    w->data = rlxv_arena_alloc(&w->b->arena, n * 2 + 1, sizeof *w->data);
    placed *table = rlxv_arena_alloc(&w->b->arena, size, sizeof *table);
    if (!w->data || !table)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while building an executable");
    for (uint32_t p = 0; p < w->n_programs; p++) {
        for (uint32_t i = 0; i < w->programs[p].b->n_constants; i++) {
            rlxv_build_constant *c = &w->programs[p].b->constants[i];
            if (c->kind != RLX_KIND_TENSOR || c->bits & RLXV_IN_WEIGHTS)
                continue;
            c->bits = 0;
            if (c->nbytes == 0)
                continue;
            const uint64_t hash = rlxv_checksum(c->data, c->nbytes);
            placed *at = find_placed(table, size - 1, c, hash);
            if (at->tensor) {
                c->bits = at->tensor->bits;
                continue;
            }
            RLX_TRY(place_tensor(w, c, err));
            *at = (placed){c, hash};
        }
    }
    return RLX_OK;
}

/* Writes the modules of all programs, equal ones of two programs once, and numbers them. */
static void write_modules(writer *w)
{
    for (uint32_t p = 0; p < w->n_programs; p++) {
        rlx_exec_builder *b = w->programs[p].b;
        for (uint32_t i = 0; i < b->n_modules; i++) {
            rlxv_build_module *m = &b->modules[i];
            m->number = RLX_NONE;
            for (uint32_t q = 0; q < p && m->number == RLX_NONE; q++)
                for (uint32_t k = 0; k < w->programs[q].b->n_modules; k++)
                    if (rlxv_same_module(m, &w->programs[q].b->modules[k]))
                        m->number = w->programs[q].b->modules[k].number;
            if (m->number != RLX_NONE)
                continue;
            m->number = w->shared.counts[RLXV_SECTION_MODULES];
            rlxv_put_module(&w->shared, m);
        }
    }
}

/* The needs of each level, as load_levels.c reads them. */
static void write_levels(writer *w)
{
    const rlx_exec_builder *b = w->b;
    rlxv_buffer *out = &w->shared.sections[RLXV_SECTION_LEVELS];
    w->shared.counts[RLXV_SECTION_LEVELS] = b->n_levels;
    for (uint32_t i = 0; i < b->n_levels; i++) {
        const rlx_exec_builder *p = b->levels[i].program;
        const rlx_str name = b->strings[b->levels[i].name], triple = p->strings[p->triple];
        size_t features = p->n_features ? p->n_features - 1 : 0; /* commas */
        for (uint32_t k = 0; k < p->n_features; k++)
            features += p->strings[p->features[k]].len;
        rlxv_buffer_u32(out, (uint32_t)name.len);
        rlxv_buffer_u32(out, (uint32_t)triple.len);
        rlxv_buffer_u32(out, (uint32_t)features);
        rlxv_buffer_write(out, name.data, name.len);
        rlxv_buffer_write(out, triple.data, triple.len);
        for (uint32_t k = 0; k < p->n_features; k++) {
            const rlx_str feature = p->strings[p->features[k]];
            rlxv_buffer_write(out, ",", k > 0);
            rlxv_buffer_write(out, feature.data, feature.len);
        }
    }
}

/* Writes the rows of the section table as it goes through the sections in their order. */
typedef struct layout {
    uint8_t *image, *entry;
    size_t at;
} layout;

static uint8_t *add_row(layout *l, uint32_t kind, uint32_t level, size_t size, uint32_t count)
{
    const bool optional =
        kind == RLXV_SECTION_DEBUG || kind == RLXV_SECTION_METADATA || kind == RLXV_SECTION_NAMES;
    uint8_t *entry = l->entry;
    l->at = (l->at + 63) & ~(size_t)63;
    rlxv_store(entry, kind, 4);
    rlxv_store(entry + 4, optional ? 0 : RLXV_SECTION_REQUIRED, 4);
    rlxv_store(entry + 8, l->at, 8);
    rlxv_store(entry + 16, size, 8);
    rlxv_store(entry + 32, count, 4);
    rlxv_store(entry + 36, level, 4);
    l->entry += RLXV_SECTION_BYTES;
    l->at += size;
    return entry;
}

static void add_section(layout *l, uint32_t kind, uint32_t level, const rlxv_buffer *section,
                        uint32_t count, bool compressed)
{
    if (section->size == 0)
        return;
    uint8_t *entry = add_row(l, kind, level, section->size, count);
    if (compressed)
        rlxv_store(entry + 4, rlxv_load_u32(entry + 4) | RLXV_SECTION_COMPRESSED, 4);
    memcpy(l->image + l->at - section->size, section->data, section->size);
    rlxv_store(entry + 24, rlxv_checksum(section->data, section->size), 8);
}

static void add_sections(layout *l, const rlxv_program *p, uint32_t level)
{
    for (uint32_t s = 1; s < RLXV_SECTION_END; s++)
        add_section(l, s, level, &p->sections[s], p->counts[s], p->compressed[s]);
}

/* The lowest format that reads the file. */
static uint32_t lowest_minor(const writer *w)
{
    for (uint32_t p = 0; p < w->n_programs; p++)
        if (w->programs[p].sections[RLXV_SECTION_WEIGHTS].size)
            return 6;
    for (uint32_t p = 0; p < w->n_programs; p++)
        if (w->programs[p].sections[RLXV_SECTION_DEVICES].size)
            return 5;
    return w->compressed ? 4 : w->b->n_levels ? 3 : 2;
}

/* Writes everything before the data section to |image|, which has head_size zero bytes. */
static void lay_out(const writer *w, uint8_t *image)
{
    const size_t table = (size_t)w->n_sections * RLXV_SECTION_BYTES;
    layout l = {image, image + RLXV_HEADER_BYTES, RLXV_HEADER_BYTES + table};
    add_sections(&l, &w->shared, 0);
    for (uint32_t p = 0; p < w->n_programs; p++)
        add_sections(&l, &w->programs[p], w->b->n_levels ? p + 1 : 0);
    if (w->data_size)
        rlxv_store(add_row(&l, RLXV_SECTION_DATA, 0, (size_t)w->data_size, 0) + 24,
                   rlxv_checksum_spans(w->data, w->n_data), 8);
    memcpy(image, RLXV_MAGIC, 8);
    rlxv_store(image + 8, RLX_FORMAT_MAJOR, 2);
    rlxv_store(image + 10, lowest_minor(w), 2);
    rlxv_store(image + 16, w->head_size + w->data_size, 8);
    rlxv_store(image + 24, w->n_sections, 4);
    rlxv_store(image + 32, rlxv_checksum_header(image, table), 8);
}

/* Adds sections to the size of the head. */
static rlx_status measure_sections(writer *w, const rlxv_program *p, rlx_error *err)
{
    for (uint32_t s = 1; s < RLXV_SECTION_END; s++) {
        const rlxv_buffer *section = &p->sections[s];
        if (section->failed)
            return rlx_fail(err, RLX_E_NOMEM, "out of memory while building an executable");
        if (section->size && (!rlx_align_size(w->head_size, 64, &w->head_size) ||
                              !rlx_add_size(w->head_size, section->size, &w->head_size)))
            return rlx_fail(err, RLX_E_LIMIT, "the executable is too large");
    }
    return RLX_OK;
}

/* The sizes of the parts; the data section is the last one. */
static rlx_status measure(writer *w, rlx_error *err)
{
    size_t total;
    w->n_sections = w->data_size > 0;
    for (uint32_t s = 1; s < RLXV_SECTION_END; s++) {
        w->n_sections += w->shared.sections[s].size > 0;
        for (uint32_t p = 0; p < w->n_programs; p++)
            w->n_sections += w->programs[p].sections[s].size > 0;
    }
    w->head_size = RLXV_HEADER_BYTES + (size_t)w->n_sections * RLXV_SECTION_BYTES;
    RLX_TRY(measure_sections(w, &w->shared, err));
    for (uint32_t p = 0; p < w->n_programs; p++)
        RLX_TRY(measure_sections(w, &w->programs[p], err));
    if ((w->data_size && !rlx_align_size(w->head_size, 64, &w->head_size)) ||
        !rlx_add_size(w->head_size, (size_t)w->data_size, &total))
        return rlx_fail(err, RLX_E_LIMIT, "the executable is too large");
    return RLX_OK;
}

static rlx_status compress_sections(writer *w, rlxv_program *p, rlx_error *err)
{
    for (uint32_t s = 1; s < RLXV_SECTION_END; s++) {
        if (p->sections[s].size < LEAST_COMPRESSED || s == RLXV_SECTION_LEVELS)
            continue;
        RLX_TRY(rlxv_compress(&p->sections[s], p->b->compression, &p->compressed[s], err));
        w->compressed = w->compressed || p->compressed[s];
    }
    return RLX_OK;
}

/* Compresses sections unless a program's builder says no. Large constants decide alone what the
 * file's size is; then loading stays as fast as it can be. */
static rlx_status compress(writer *w, rlx_error *err)
{
    bool wanted = w->head_size >= w->data_size / COMPRESSED_SHARE;
    for (uint32_t p = 0; p < w->n_programs; p++)
        wanted = wanted && w->programs[p].b->compression != RLX_COMPRESSION_NONE;
    for (uint32_t p = 0; wanted && p < w->n_programs; p++)
        RLX_TRY(compress_sections(w, &w->programs[p], err));
    if (wanted)
        RLX_TRY(compress_sections(w, &w->shared, err));
    return w->compressed ? measure(w, err) : RLX_OK;
}

/* Fills the sections; the writer needs deinit also after an error. */
static rlx_status prepare(writer *w, rlx_exec_builder *b, bool compressed, rlx_error *err)
{
    *w = (writer){.b = b, .n_programs = b->n_levels ? b->n_levels : 1};
    for (uint32_t p = 0; p < w->n_programs; p++)
        rlxv_program_init(&w->programs[p], b->n_levels ? b->levels[p].program : b, &b->allocator);
    rlxv_program_init(&w->shared, w->programs[0].b, &b->allocator);
    RLX_TRY(place_tensors(w, err));
    write_modules(w);
    for (uint32_t p = 0; p < w->n_programs; p++)
        RLX_TRY(rlxv_program_fill(&w->programs[p], err));
    write_levels(w);
    RLX_TRY(measure(w, err));
    return compressed ? compress(w, err) : RLX_OK;
}

static void deinit(writer *w)
{
    rlxv_program_deinit(&w->shared);
    for (uint32_t p = 0; p < w->n_programs; p++)
        rlxv_program_deinit(&w->programs[p]);
}

/* |size| zero bytes, the first of which are the head. */
static rlx_status make_head(const writer *w, size_t size, uint8_t **out, rlx_error *err)
{
    *out = rlx_alloc(&w->b->allocator, size, 64);
    if (!*out)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while building an executable");
    memset(*out, 0, w->head_size);
    lay_out(w, *out);
    return RLX_OK;
}

static rlx_status finish(rlx_exec_builder *b, bool compressed, void **out_data, size_t *out_size,
                         rlx_error *err)
{
    writer w;
    uint8_t *image = NULL;
    rlx_status status = prepare(&w, b, compressed, err);
    size_t total = w.head_size + (size_t)w.data_size, at = w.head_size;
    if (status == RLX_OK)
        status = make_head(&w, total, &image, err);
    for (uint32_t i = 0; status == RLX_OK && i < w.n_data; at += w.data[i++].size)
        memcpy(image + at, w.data[i].data, w.data[i].size);
    if (status == RLX_OK) {
        *out_data = image;
        *out_size = total;
    }
    deinit(&w);
    return status;
}

rlx_status rlx_exec_builder_finish(rlx_exec_builder *b, void **out_data, size_t *out_size,
                                   rlx_error *err)
{
    RLXV_NEED(err, b && out_data && out_size);
    return finish(b, true, out_data, out_size, err);
}

rlx_status rlx_exec_builder_save(rlx_exec_builder *b, const char *path, rlx_error *err)
{
    RLXV_NEED(err, b && path);
    writer w;
    uint8_t *head = NULL;
    rlx_new_file *f = NULL;
    const char *temporary;
    size_t beside_size;
    char *beside = rlxv_weights_path(&b->allocator, path, &beside_size);
    rlx_status status = prepare(&w, b, true, err);
    if (status == RLX_OK && !beside)
        status = rlx_fail(err, RLX_E_NOMEM, "out of memory while building an executable");
    if (status == RLX_OK)
        status = make_head(&w, w.head_size, &head, err);
    if (status == RLX_OK)
        status = rlx_new_file_begin(path, &f, err);
    if (status == RLX_OK) {
        status = rlx_new_file_write(f, head, w.head_size, err);
        for (uint32_t i = 0; status == RLX_OK && i < w.n_data; i++)
            status = rlx_new_file_write(f, w.data[i].data, w.data[i].size, err);
        /* The file is loaded and verified before it is renamed; bytes written to a device or pipe
         * cannot be checked. */
        for (uint32_t level = b->n_levels > 0; status == RLX_OK && level <= b->n_levels; level++) {
            const rlx_exec_builder *program = level > 0 ? b->levels[level - 1].program : b;
            const rlx_load_options load = {.level = level,
                                           .weights = program->weights.program ? beside : NULL};
            rlx_executable *exe = NULL;
            if ((temporary = rlxv_new_file_name(f)))
                status = rlx_executable_load_file(temporary, &load, &exe, err);
            rlx_executable_release(exe);
        }
        status = rlx_new_file_end(f, status, err);
    }
    rlx_free(&b->allocator, head, w.head_size, 64);
    rlx_free(&b->allocator, beside, beside_size, 1);
    deinit(&w);
    return status;
}

rlx_status rlx_exec_builder_load(rlx_exec_builder *b, const rlx_load_options *options,
                                 rlx_executable **out, rlx_error *err)
{
    RLXV_NEED(err, b && out);
    void *data;
    size_t size;
    RLX_TRY(finish(b, false, &data, &size, err));
    rlx_status status = rlx_executable_load_memory(data, size, options, out, err);
    rlx_free(&b->allocator, data, size, 64);
    return status;
}
