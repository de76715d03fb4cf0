/* The sections of one program in a file (private): builder_sections.c and builder_device_sections.c
 * fill them from a builder, builder_write.c puts them into a file. */
#ifndef RLXV_BUILDER_WRITE_H
#define RLXV_BUILDER_WRITE_H

#include "vm/builder.h"

typedef struct rlxv_program { /* a file's only one, or that of a level */
    rlx_exec_builder *b;
    rlxv_buffer sections[RLXV_SECTION_END];
    uint32_t counts[RLXV_SECTION_END];
    bool compressed[RLXV_SECTION_END];
    uint32_t *file_string; /* builder's number -> file's number + 1 */
    uint32_t *order;       /* file's number -> builder's number */
    uint32_t n_strings;
} rlxv_program;

void rlxv_program_init(rlxv_program *p, rlx_exec_builder *b, const rlx_allocator *a);
void rlxv_program_deinit(rlxv_program *p);
/* Fills the sections; the builder's tensors are placed and its modules numbered. */
rlx_status rlxv_program_fill(rlxv_program *w, rlx_error *err);

/* Appends a word, or the number of a string, to a section. */
void rlxv_put(rlxv_program *w, uint32_t section, uint32_t v);
void rlxv_put_string(rlxv_program *w, uint32_t section, uint32_t s);

/* builder_weights.c */
void rlxv_put_weights(rlxv_program *p);
/* builder_device_sections.c */
void rlxv_put_devices(rlxv_program *w);
void rlxv_put_module(rlxv_program *w, const rlxv_build_module *m);
/* True if kind and images are equal. */
bool rlxv_same_module(const rlxv_build_module *a, const rlxv_build_module *b);

#endif
