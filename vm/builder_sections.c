/* Turns the tables and functions of one builder into sections. Strings are numbered by first use,
 * so that equal contents give equal bytes, independent of the order of the calls. */
#include "vm/builder_write.h"

void rlxv_put(rlxv_program *w, uint32_t section, uint32_t v)
{
    rlxv_buffer_u32(&w->sections[section], v);
}

void rlxv_put_string(rlxv_program *w, uint32_t section, uint32_t s)
{
    if (!w->file_string[s]) {
        w->order[w->n_strings++] = s;
        w->file_string[s] = w->n_strings;
    }
    rlxv_put(w, section, w->file_string[s] - 1);
}

static void write_rows(rlxv_program *w, uint32_t section, const rlxv_rows *r)
{
    w->counts[section] = r->count;
    for (uint32_t i = 0; i < r->n_words; i++)
        rlxv_put(w, section, r->words[i]);
}

static void write_constants(rlxv_program *w)
{
    const uint32_t s = RLXV_SECTION_CONSTANTS;
    rlxv_buffer *out = &w->sections[s];
    w->counts[s] = w->b->n_constants;
    for (uint32_t i = 0; i < w->b->n_constants; i++) {
        const rlxv_build_constant *c = &w->b->constants[i];
        rlxv_put(w, s, c->kind);
        if (c->kind == RLX_KIND_INT || c->kind == RLX_KIND_FLOAT) {
            rlxv_buffer_u64(out, c->bits);
        } else if (c->kind == RLX_KIND_BOOL || c->kind == RLX_KIND_DTYPE) {
            rlxv_put(w, s, (uint32_t)c->bits);
        } else if (c->kind == RLX_KIND_STRING) {
            rlxv_put_string(w, s, (uint32_t)c->bits);
        } else if (c->kind == RLX_KIND_TUPLE) {
            rlxv_put(w, s, c->n);
            for (uint32_t k = 0; k < c->n; k++)
                rlxv_put(w, s, c->items[k]);
        } else if (c->kind == RLX_KIND_SHAPE || c->kind == RLX_KIND_TENSOR) {
            if (c->kind == RLX_KIND_TENSOR)
                rlxv_put(w, s, rlx_dtype_word(c->dtype));
            rlxv_put(w, s, c->n);
            for (uint32_t k = 0; k < c->n; k++)
                rlxv_buffer_u64(out, (uint64_t)c->dims[k]);
            if (c->kind == RLX_KIND_TENSOR)
                rlxv_buffer_u64(out, c->bits);
        }
    }
}

static void write_kernels(rlxv_program *w)
{
    const uint32_t s = RLXV_SECTION_KERNELS;
    w->counts[s] = w->b->n_kernels;
    for (uint32_t i = 0; i < w->b->n_kernels; i++) {
        const rlxv_build_kernel *k = &w->b->kernels[i];
        rlxv_put_string(w, s, k->name);
        rlxv_put_string(w, s, k->symbol);
        rlxv_put(w, s, k->n_dims);
        rlxv_put(w, s, k->n_params);
        for (uint32_t p = 0; p < k->n_params; p++) {
            rlxv_put(w, s, k->params[p].type);
            rlxv_put(w, s, k->params[p].is_output);
        }
    }
    w->counts[RLXV_SECTION_IMPORTS] = w->b->n_imports;
    for (uint32_t i = 0; i < w->b->n_imports; i++)
        rlxv_put_string(w, RLXV_SECTION_IMPORTS, w->b->imports[i]);
}

static void write_functions(rlxv_program *w)
{
    const uint32_t s = RLXV_SECTION_FUNCTIONS;
    w->counts[s] = w->b->n_functions;
    for (uint32_t i = 0; i < w->b->n_functions; i++) {
        const rlxv_build_function *f = &w->b->functions[i];
        rlxv_put_string(w, s, f->name);
        rlxv_put(w, s, f->exported);
        rlxv_put(w, s, f->n_registers);
        rlxv_put(w, s, f->n_slots);
        rlxv_put(w, s, f->n_symbols);
        rlxv_put(w, s, f->result_type);
        rlxv_put(w, s, w->counts[RLXV_SECTION_CODE]);
        rlxv_put(w, s, f->n_words);
        rlxv_put(w, s, f->n_params);
        rlxv_put(w, s, f->n_slot_names);
        for (uint32_t p = 0; p < f->n_params; p++) {
            rlxv_put_string(w, s, f->param_names[p]);
            rlxv_put(w, s, f->param_types[p]);
        }
        for (uint32_t n = 0; n < f->n_slot_names; n++) {
            rlxv_put(w, s, f->slot_names[2 * n]);
            rlxv_put_string(w, s, f->slot_names[2 * n + 1]);
        }
        for (uint32_t k = 0; k < f->n_words; k++)
            rlxv_put(w, RLXV_SECTION_CODE, f->code[k]);
        w->counts[RLXV_SECTION_CODE] += f->n_words;
    }
}

static void write_plans(rlxv_program *w)
{
    const uint32_t s = RLXV_SECTION_PLANS;
    for (uint32_t i = 0; i < w->b->n_functions; i++) {
        const rlxv_build_function *f = &w->b->functions[i];
        if (f->n_regions == 0)
            continue;
        w->counts[s]++;
        rlxv_put(w, s, i);
        rlxv_put(w, s, f->n_regions);
        rlxv_put(w, s, f->n_buffers);
        rlxv_put(w, s, f->n_tensors);
        for (uint32_t k = 0; k < f->n_buffers; k++) {
            rlxv_put(w, s, f->buffers[k].region);
            rlxv_put(w, s, f->buffers[k].size);
            rlxv_put(w, s, f->buffers[k].first);
            rlxv_put(w, s, f->buffers[k].last);
            rlxv_buffer_u64(&w->sections[s], f->buffers[k].offset);
        }
        for (uint32_t k = 0; k < 2 * f->n_tensors; k++)
            rlxv_put(w, s, f->tensors[k]);
    }
}

static void write_place(rlxv_program *w, uint32_t function, uint32_t pc, const rlxv_build_debug *d)
{
    const uint32_t s = RLXV_SECTION_DEBUG;
    w->counts[s]++;
    rlxv_put(w, s, function);
    rlxv_put(w, s, pc);
    rlxv_put_string(w, s, d->file);
    rlxv_put(w, s, d->line);
    rlxv_put(w, s, d->column);
    rlxv_put_string(w, s, d->name);
}

static void write_debug(rlxv_program *w)
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
        rlxv_put_string(w, m, w->b->metadata[i]);
}

static void write_names(rlxv_program *w)
{
    const uint32_t s = RLXV_SECTION_NAMES;
    for (uint32_t i = 0; i < w->b->n_functions; i++) {
        const rlxv_build_function *f = &w->b->functions[i];
        if (f->n_result_names == 0)
            continue;
        w->counts[s]++;
        rlxv_put(w, s, i);
        rlxv_put(w, s, f->n_result_names);
        for (uint32_t k = 0; k < f->n_result_names; k++)
            rlxv_put_string(w, s, f->result_names[k]);
    }
}

static void write_native(rlxv_program *w)
{
    const uint32_t s = RLXV_SECTION_NATIVE;
    const rlx_exec_builder *b = w->b;
    if (!b->has_native)
        return;
    w->counts[s] = 1;
    rlxv_put_string(w, s, b->triple);
    rlxv_put(w, s, b->n_features);
    for (uint32_t i = 0; i < b->n_features; i++)
        rlxv_put_string(w, s, b->features[i]);
    rlxv_buffer_u64(&w->sections[s], b->elf_size);
    rlxv_buffer_write(&w->sections[s], b->elf, b->elf_size);
}

static void write_strings(rlxv_program *w)
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

void rlxv_program_init(rlxv_program *p, rlx_exec_builder *b, const rlx_allocator *a)
{
    p->b = b;
    for (uint32_t s = 0; s < RLXV_SECTION_END; s++)
        rlxv_buffer_init(&p->sections[s], a);
}

void rlxv_program_deinit(rlxv_program *p)
{
    for (uint32_t s = 0; s < RLXV_SECTION_END; s++)
        rlxv_buffer_deinit(&p->sections[s]);
}

rlx_status rlxv_program_fill(rlxv_program *w, rlx_error *err)
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
    rlxv_put_devices(w);
    rlxv_put_weights(w);
    write_strings(w);
    return RLX_OK;
}
