/* Turns a builder's rows for devices into sections. load_devices.c states the layout. */
#include "vm/builder_write.h"

#include <string.h>

/* Bytes and zeros up to a whole word. */
static void put_bytes(rlxv_program *w, uint32_t section, const void *data, size_t size)
{
    rlxv_buffer_write(&w->sections[section], data, size);
    rlxv_buffer_align(&w->sections[section], 4);
}

void rlxv_put_module(rlxv_program *w, const rlxv_build_module *m)
{
    const uint32_t s = RLXV_SECTION_MODULES;
    w->counts[s]++;
    rlxv_put(w, s, (uint32_t)m->kind.len);
    rlxv_put(w, s, m->n_images);
    put_bytes(w, s, m->kind.data, m->kind.len);
    for (uint32_t i = 0; i < m->n_images; i++) {
        const rlx_code_image *image = &m->images[i];
        rlxv_put(w, s, (uint32_t)image->format.len);
        rlxv_buffer_u64(&w->sections[s], image->size);
        put_bytes(w, s, image->format.data, image->format.len);
        put_bytes(w, s, image->data, image->size);
    }
}

bool rlxv_same_module(const rlxv_build_module *a, const rlxv_build_module *b)
{
    bool same = rlx_str_eq(a->kind, b->kind) && a->n_images == b->n_images;
    for (uint32_t i = 0; same && i < a->n_images; i++)
        same = rlx_str_eq(a->images[i].format, b->images[i].format) &&
               a->images[i].size == b->images[i].size &&
               memcmp(a->images[i].data, b->images[i].data, a->images[i].size) == 0;
    return same;
}

static void write_launch(rlxv_program *w, const rlxv_build_launch *l)
{
    const uint32_t s = RLXV_SECTION_DEVICES;
    rlxv_put_string(w, s, l->function);
    for (uint32_t i = 0; i < 3; i++)
        rlxv_put(w, s, l->grid[i]);
    for (uint32_t i = 0; i < 3; i++)
        rlxv_put(w, s, l->block[i]);
    rlxv_put(w, s, l->shared);
    rlxv_put(w, s, l->n_args);
    for (uint32_t i = 0; i < l->n_args; i++) {
        rlxv_put(w, s, l->args[i].source);
        rlxv_put(w, s, l->args[i].type);
        if (l->args[i].source == RLX_LAUNCH_CHECKS)
            rlxv_put_string(w, s, l->args[i].value);
        else
            rlxv_put(w, s, l->args[i].value);
    }
}

/* The kernels for devices. */
static void write_launches(rlxv_program *w)
{
    const uint32_t s = RLXV_SECTION_DEVICES;
    const rlx_exec_builder *b = w->b;
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n_kernels; i++)
        n += b->kernels[i].module != RLX_NONE;
    rlxv_put(w, s, n);
    for (uint32_t i = 0; i < b->n_kernels; i++) {
        const rlxv_build_kernel *k = &b->kernels[i];
        if (k->module == RLX_NONE)
            continue;
        rlxv_put(w, s, i);
        rlxv_put(w, s, b->modules[k->module].number);
        rlxv_put(w, s, k->n_scratch);
        for (uint32_t e = 0; e < k->n_scratch; e++)
            rlxv_put(w, s, k->scratch[e]);
        rlxv_put(w, s, k->n_launches);
        for (uint32_t e = 0; e < k->n_launches; e++)
            write_launch(w, &k->launches[e]);
    }
}

void rlxv_put_devices(rlxv_program *w)
{
    const uint32_t s = RLXV_SECTION_DEVICES;
    const rlx_exec_builder *b = w->b;
    uint32_t n = 0;
    if (b->n_devices == 0 && b->n_modules == 0)
        return;
    w->counts[s] = b->n_devices;
    for (uint32_t i = 0; i < b->n_devices; i++) {
        rlxv_put_string(w, s, b->devices[i].kind);
        rlxv_put(w, s, b->devices[i].id);
        rlxv_put_string(w, s, b->devices[i].scope);
        rlxv_put_string(w, s, b->devices[i].target);
    }
    write_launches(w);
    for (uint32_t i = 0; i < b->n_functions; i++)
        for (uint32_t z = 0; z < b->functions[i].n_region_devices; z++)
            n += b->functions[i].region_devices[z] > 0;
    rlxv_put(w, s, n);
    for (uint32_t i = 0; i < b->n_functions; i++) {
        for (uint32_t z = 0; z < b->functions[i].n_region_devices; z++) {
            if (b->functions[i].region_devices[z] == 0)
                continue;
            rlxv_put(w, s, i);
            rlxv_put(w, s, z);
            rlxv_put(w, s, b->functions[i].region_devices[z]);
        }
    }
}
