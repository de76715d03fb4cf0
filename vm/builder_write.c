/* Turns the builder's contents into the bytes of a file.

   Sections are written in the order of their numbers, 64-byte aligned; those of several levels one
   level after the other. The ones that all levels share come first, but the data section last.
   Strings are numbered by first use in that order, so equal contents give equal bytes, independent
   of the order of the calls. */
#include "vm/builder.h"
#include "vm/need.h"

#include <rlx/checked.h>
#include <string.h>

enum {
    COMPRESSED_SHARE = 32, /* code and tables below this part of the constants stay as they are, */
    LEAST_COMPRESSED = 1024, /* as do sections below this size, in bytes */
};

typedef struct program { /* a file's only one, or that of a level */
    rlx_exec_builder *b;
    rlxv_buffer sections[RLXV_SECTION_END];
    uint32_t counts[RLXV_SECTION_END];
    bool compressed[RLXV_SECTION_END];
    uint32_t *file_string; /* builder's number -> file's number + 1 */
    uint32_t *order;       /* file's number -> builder's number */
    uint32_t n_strings;
} program;

typedef struct writer {
    rlx_exec_builder *b;
    program programs[RLX_MAX_LEVELS];
    uint32_t n_programs;
    program shared;  /* sections of no level: the needs of the levels, code for devices */
    rlxv_span *data; /* the data section: tensors and padding */
    uint32_t n_data;
    uint64_t data_size;
    size_t head_size; /* the file up to the data section */
    uint32_t n_sections;
    bool compressed; /* some section */
} writer;

static void put(program *w, uint32_t section, uint32_t v)
{
    rlxv_buffer_u32(&w->sections[section], v);
}

static void put_string(program *w, uint32_t section, uint32_t s)
{
    if (!w->file_string[s]) {
        w->order[w->n_strings++] = s;
        w->file_string[s] = w->n_strings;
    }
    put(w, section, w->file_string[s] - 1);
}

static void write_rows(program *w, uint32_t section, const rlxv_rows *r)
{
    w->counts[section] = r->count;
    for (uint32_t i = 0; i < r->n_words; i++)
        put(w, section, r->words[i]);
}

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
            if (c->kind != RLX_KIND_TENSOR)
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

static void write_constants(program *w)
{
    const uint32_t s = RLXV_SECTION_CONSTANTS;
    rlxv_buffer *out = &w->sections[s];
    w->counts[s] = w->b->n_constants;
    for (uint32_t i = 0; i < w->b->n_constants; i++) {
        const rlxv_build_constant *c = &w->b->constants[i];
        put(w, s, c->kind);
        if (c->kind == RLX_KIND_INT || c->kind == RLX_KIND_FLOAT) {
            rlxv_buffer_u64(out, c->bits);
        } else if (c->kind == RLX_KIND_BOOL || c->kind == RLX_KIND_DTYPE) {
            put(w, s, (uint32_t)c->bits);
        } else if (c->kind == RLX_KIND_STRING) {
            put_string(w, s, (uint32_t)c->bits);
        } else if (c->kind == RLX_KIND_TUPLE) {
            put(w, s, c->n);
            for (uint32_t k = 0; k < c->n; k++)
                put(w, s, c->items[k]);
        } else if (c->kind == RLX_KIND_SHAPE || c->kind == RLX_KIND_TENSOR) {
            if (c->kind == RLX_KIND_TENSOR)
                put(w, s, rlx_dtype_word(c->dtype));
            put(w, s, c->n);
            for (uint32_t k = 0; k < c->n; k++)
                rlxv_buffer_u64(out, (uint64_t)c->dims[k]);
            if (c->kind == RLX_KIND_TENSOR)
                rlxv_buffer_u64(out, c->bits);
        }
    }
}

static void write_kernels(program *w)
{
    const uint32_t s = RLXV_SECTION_KERNELS;
    w->counts[s] = w->b->n_kernels;
    for (uint32_t i = 0; i < w->b->n_kernels; i++) {
        const rlxv_build_kernel *k = &w->b->kernels[i];
        put_string(w, s, k->name);
        put_string(w, s, k->symbol);
        put(w, s, k->n_dims);
        put(w, s, k->n_params);
        for (uint32_t p = 0; p < k->n_params; p++) {
            put(w, s, k->params[p].type);
            put(w, s, k->params[p].is_output);
        }
    }
    w->counts[RLXV_SECTION_IMPORTS] = w->b->n_imports;
    for (uint32_t i = 0; i < w->b->n_imports; i++)
        put_string(w, RLXV_SECTION_IMPORTS, w->b->imports[i]);
}

static void write_functions(program *w)
{
    const uint32_t s = RLXV_SECTION_FUNCTIONS;
    w->counts[s] = w->b->n_functions;
    for (uint32_t i = 0; i < w->b->n_functions; i++) {
        const rlxv_build_function *f = &w->b->functions[i];
        put_string(w, s, f->name);
        put(w, s, f->exported);
        put(w, s, f->n_registers);
        put(w, s, f->n_slots);
        put(w, s, f->n_symbols);
        put(w, s, f->result_type);
        put(w, s, w->counts[RLXV_SECTION_CODE]);
        put(w, s, f->n_words);
        put(w, s, f->n_params);
        put(w, s, f->n_slot_names);
        for (uint32_t p = 0; p < f->n_params; p++) {
            put_string(w, s, f->param_names[p]);
            put(w, s, f->param_types[p]);
        }
        for (uint32_t n = 0; n < f->n_slot_names; n++) {
            put(w, s, f->slot_names[2 * n]);
            put_string(w, s, f->slot_names[2 * n + 1]);
        }
        for (uint32_t k = 0; k < f->n_words; k++)
            put(w, RLXV_SECTION_CODE, f->code[k]);
        w->counts[RLXV_SECTION_CODE] += f->n_words;
    }
}

static void write_plans(program *w)
{
    const uint32_t s = RLXV_SECTION_PLANS;
    for (uint32_t i = 0; i < w->b->n_functions; i++) {
        const rlxv_build_function *f = &w->b->functions[i];
        if (f->n_regions == 0)
            continue;
        w->counts[s]++;
        put(w, s, i);
        put(w, s, f->n_regions);
        put(w, s, f->n_buffers);
        put(w, s, f->n_tensors);
        for (uint32_t k = 0; k < f->n_buffers; k++) {
            put(w, s, f->buffers[k].region);
            put(w, s, f->buffers[k].size);
            put(w, s, f->buffers[k].first);
            put(w, s, f->buffers[k].last);
            rlxv_buffer_u64(&w->sections[s], f->buffers[k].offset);
        }
        for (uint32_t k = 0; k < 2 * f->n_tensors; k++)
            put(w, s, f->tensors[k]);
    }
}

static void write_place(program *w, uint32_t function, uint32_t pc, const rlxv_build_debug *d)
{
    const uint32_t s = RLXV_SECTION_DEBUG;
    w->counts[s]++;
    put(w, s, function);
    put(w, s, pc);
    put_string(w, s, d->file);
    put(w, s, d->line);
    put(w, s, d->column);
    put_string(w, s, d->name);
}

static void write_debug(program *w)
{
    const uint32_t m = RLXV_SECTION_METADATA;
    for (uint32_t i = 0; i < w->b->n_functions; i++) {
        const rlxv_build_function *f = &w->b->functions[i];
        for (uint32_t k = 0; k < f->n_debug; k++)
            write_place(w, i, f->debug[k].pc, &f->debug[k]);
        for (uint32_t p = 0; p < f->n_params; p++) {
            rlxv_build_debug d = f->param_places[p];
            d.name = f->param_names[p];
            if (d.line)
                write_place(w, i, f->n_words + p, &d);
        }
    }
    w->counts[m] = w->b->n_metadata / 2;
    for (uint32_t i = 0; i < w->b->n_metadata; i++)
        put_string(w, m, w->b->metadata[i]);
}

static void write_names(program *w)
{
    const uint32_t s = RLXV_SECTION_NAMES;
    for (uint32_t i = 0; i < w->b->n_functions; i++) {
        const rlxv_build_function *f = &w->b->functions[i];
        if (f->n_result_names == 0)
            continue;
        w->counts[s]++;
        put(w, s, i);
        put(w, s, f->n_result_names);
        for (uint32_t k = 0; k < f->n_result_names; k++)
            put_string(w, s, f->result_names[k]);
    }
}

static void write_native(program *w)
{
    const uint32_t s = RLXV_SECTION_NATIVE;
    const rlx_exec_builder *b = w->b;
    if (!b->has_native)
        return;
    w->counts[s] = 1;
    put_string(w, s, b->triple);
    put(w, s, b->n_features);
    for (uint32_t i = 0; i < b->n_features; i++)
        put_string(w, s, b->features[i]);
    rlxv_buffer_u64(&w->sections[s], b->elf_size);
    rlxv_buffer_write(&w->sections[s], b->elf, b->elf_size);
}

static void write_strings(program *w)
{
    rlxv_buffer *out = &w->sections[RLXV_SECTION_STRINGS];
    uint32_t end = 0;
    w->counts[RLXV_SECTION_STRINGS] = w->n_strings;
    for (uint32_t i = 0; i < w->n_strings; i++) {
        end += (uint32_t)w->b->strings[w->order[i]].len;
        rlxv_buffer_u32(out, end);
    }
    for (uint32_t i = 0; i < w->n_strings; i++) {
        rlx_str text = w->b->strings[w->order[i]];
        rlxv_buffer_write(out, text.data, text.len);
    }
}

static bool same_module(const rlxv_build_module *a, const rlxv_build_module *b)
{
    bool same = rlx_str_eq(a->kind, b->kind) && a->n_images == b->n_images;
    for (uint32_t i = 0; same && i < a->n_images; i++)
        same = rlx_str_eq(a->images[i].format, b->images[i].format) &&
               a->images[i].size == b->images[i].size &&
               memcmp(a->images[i].data, b->images[i].data, a->images[i].size) == 0;
    return same;
}

/* Bytes and zeros up to a whole word. */
static void put_bytes(program *w, uint32_t section, const void *data, size_t size)
{
    rlxv_buffer_write(&w->sections[section], data, size);
    rlxv_buffer_align(&w->sections[section], 4);
}

static void write_module(program *w, const rlxv_build_module *m)
{
    const uint32_t s = RLXV_SECTION_MODULES;
    w->counts[s]++;
    put(w, s, (uint32_t)m->kind.len);
    put(w, s, m->n_images);
    put_bytes(w, s, m->kind.data, m->kind.len);
    for (uint32_t i = 0; i < m->n_images; i++) {
        const rlx_code_image *image = &m->images[i];
        put(w, s, (uint32_t)image->format.len);
        rlxv_buffer_u64(&w->sections[s], image->size);
        put_bytes(w, s, image->format.data, image->format.len);
        put_bytes(w, s, image->data, image->size);
    }
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
                    if (same_module(m, &w->programs[q].b->modules[k]))
                        m->number = w->programs[q].b->modules[k].number;
            if (m->number != RLX_NONE)
                continue;
            m->number = w->shared.counts[RLXV_SECTION_MODULES];
            write_module(&w->shared, m);
        }
    }
}

static void write_launch(program *w, const rlxv_build_launch *l)
{
    const uint32_t s = RLXV_SECTION_DEVICES;
    put_string(w, s, l->function);
    for (uint32_t i = 0; i < 3; i++)
        put(w, s, l->grid[i]);
    for (uint32_t i = 0; i < 3; i++)
        put(w, s, l->block[i]);
    put(w, s, l->shared);
    put(w, s, l->n_args);
    for (uint32_t i = 0; i < l->n_args; i++) {
        put(w, s, l->args[i].source);
        put(w, s, l->args[i].type);
        put(w, s, l->args[i].value);
    }
}

/* The kernels for devices. */
static void write_launches(program *w)
{
    const uint32_t s = RLXV_SECTION_DEVICES;
    const rlx_exec_builder *b = w->b;
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n_kernels; i++)
        n += b->kernels[i].module != RLX_NONE;
    put(w, s, n);
    for (uint32_t i = 0; i < b->n_kernels; i++) {
        const rlxv_build_kernel *k = &b->kernels[i];
        if (k->module == RLX_NONE)
            continue;
        put(w, s, i);
        put(w, s, b->modules[k->module].number);
        put(w, s, k->n_scratch);
        for (uint32_t e = 0; e < k->n_scratch; e++)
            put(w, s, k->scratch[e]);
        put(w, s, k->n_launches);
        for (uint32_t e = 0; e < k->n_launches; e++)
            write_launch(w, &k->launches[e]);
    }
}

/* The modules of all programs are numbered. */
static void write_devices(program *w)
{
    const uint32_t s = RLXV_SECTION_DEVICES;
    const rlx_exec_builder *b = w->b;
    uint32_t n = 0;
    if (b->n_devices == 0 && b->n_modules == 0)
        return;
    w->counts[s] = b->n_devices;
    for (uint32_t i = 0; i < b->n_devices; i++) {
        put_string(w, s, b->devices[i].kind);
        put(w, s, b->devices[i].id);
        put_string(w, s, b->devices[i].scope);
        put_string(w, s, b->devices[i].target);
    }
    write_launches(w);
    for (uint32_t i = 0; i < b->n_functions; i++)
        for (uint32_t z = 0; z < b->functions[i].n_region_devices; z++)
            n += b->functions[i].region_devices[z] > 0;
    put(w, s, n);
    for (uint32_t i = 0; i < b->n_functions; i++) {
        for (uint32_t z = 0; z < b->functions[i].n_region_devices; z++) {
            if (b->functions[i].region_devices[z] == 0)
                continue;
            put(w, s, i);
            put(w, s, z);
            put(w, s, b->functions[i].region_devices[z]);
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

static void add_sections(layout *l, const program *p, uint32_t level)
{
    for (uint32_t s = 1; s < RLXV_SECTION_END; s++)
        add_section(l, s, level, &p->sections[s], p->counts[s], p->compressed[s]);
}

/* The lowest format that reads the file. */
static uint32_t lowest_minor(const writer *w)
{
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
static rlx_status measure_sections(writer *w, const program *p, rlx_error *err)
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

/* Fills the sections of one program, whose tensors are placed. */
static rlx_status fill(program *w, rlx_error *err)
{
    rlx_exec_builder *b = w->b;
    if (b->current != RLX_NONE)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a function is still open");
    for (uint32_t i = 0; i < b->n_functions; i++)
        if (!b->functions[i].ended)
            return rlx_fail(err, RLX_E_INVALID_ARG, "function %s is declared but has no code",
                            b->strings[b->functions[i].name].data);
    w->file_string = rlxv_arena_alloc(&b->arena, b->n_strings, sizeof *w->file_string);
    w->order = rlxv_arena_alloc(&b->arena, b->n_strings, sizeof *w->order);
    if (!w->file_string || !w->order)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while building an executable");
    write_rows(w, RLXV_SECTION_EXPRS, &b->exprs);
    write_rows(w, RLXV_SECTION_TYPES, &b->types);
    write_constants(w);
    write_kernels(w);
    write_functions(w);
    write_plans(w);
    write_debug(w);
    write_names(w);
    write_native(w);
    write_devices(w);
    write_strings(w);
    return RLX_OK;
}

static rlx_status compress_sections(writer *w, program *p, rlx_error *err)
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

static void begin_program(program *p, rlx_exec_builder *b, const rlx_allocator *a)
{
    p->b = b;
    for (uint32_t s = 0; s < RLXV_SECTION_END; s++)
        rlxv_buffer_init(&p->sections[s], a);
}

static void end_program(program *p)
{
    for (uint32_t s = 0; s < RLXV_SECTION_END; s++)
        rlxv_buffer_deinit(&p->sections[s]);
}

/* Fills the sections; the writer needs deinit also after an error. */
static rlx_status prepare(writer *w, rlx_exec_builder *b, bool compressed, rlx_error *err)
{
    *w = (writer){.b = b, .n_programs = b->n_levels ? b->n_levels : 1};
    for (uint32_t p = 0; p < w->n_programs; p++)
        begin_program(&w->programs[p], b->n_levels ? b->levels[p].program : b, &b->allocator);
    begin_program(&w->shared, w->programs[0].b, &b->allocator);
    RLX_TRY(place_tensors(w, err));
    write_modules(w);
    for (uint32_t p = 0; p < w->n_programs; p++)
        RLX_TRY(fill(&w->programs[p], err));
    write_levels(w);
    RLX_TRY(measure(w, err));
    return compressed ? compress(w, err) : RLX_OK;
}

static void deinit(writer *w)
{
    end_program(&w->shared);
    for (uint32_t p = 0; p < w->n_programs; p++)
        end_program(&w->programs[p]);
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
    rlx_status status = prepare(&w, b, true, err);
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
            rlx_executable *exe = NULL;
            if ((temporary = rlxv_new_file_name(f)))
                status = rlx_executable_load_file(temporary, &(rlx_load_options){.level = level},
                                                  &exe, err);
            rlx_executable_release(exe);
        }
        status = rlx_new_file_end(f, status, err);
    }
    rlx_free(&b->allocator, head, w.head_size, 64);
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
