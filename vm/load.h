/* Shared by the two halves of the loader (private): sections, and bounds-checked readers.
 */
#ifndef RLXV_LOAD_H
#define RLXV_LOAD_H

#include "vm/exec.h"
#include "vm/file.h"

typedef struct rlxv_section {
    const uint8_t *data;
    size_t size;
    uint32_t count;
    bool present, compressed;
} rlxv_section;

typedef struct rlxv_reader {
    const uint8_t *p;
    size_t left; /* bytes */
    bool bad;    /* ran past the end */
} rlxv_reader;

typedef struct rlxv_loader {
    rlx_executable *exe;
    const rlx_load_options *options; /* NULL: none */
    rlx_error *err;
    rlxv_section sections[RLXV_SECTION_END];
} rlxv_loader;

/* Little-endian words; 0 and bad past the end. */
uint32_t rlxv_read_word(rlxv_reader *r);
uint64_t rlxv_read_word64(rlxv_reader *r);
/* A count of rows of at least |words| words each; 0 and bad if so many cannot remain. */
uint32_t rlxv_read_count(rlxv_reader *r, size_t words);
rlx_status rlxv_read_string(rlxv_loader *l, rlxv_reader *r, rlx_str *out);
/* Opens a section whose rows have at least |words| words; *out_count is checked against its size.
 */
rlx_status rlxv_open_section(rlxv_loader *l, uint32_t kind, size_t words, const char *name,
                             rlxv_reader *r, uint32_t *out_count);
/* Checks that the section was read to its end. */
rlx_status rlxv_close_section(rlxv_loader *l, const rlxv_reader *r, const char *name);
rlx_status rlxv_malformed(rlxv_loader *l, const char *what, uint32_t row, const char *why);
rlx_status rlxv_load_nomem(rlxv_loader *l);

/* signature.c, before all others. */
rlx_status rlxv_parse_signature(rlxv_loader *l);
/* The section of a row of the table, which is checked. */
rlxv_section rlxv_section_at(const uint8_t *head, const uint8_t *row);
/* True if a section of this kind belongs to the file and not to one of its levels. */
bool rlxv_is_common_section(uint32_t kind);
/* load_levels.c, before the tables: selects the level whose sections are read. */
rlx_status rlxv_choose_level(rlxv_loader *l);
/* Iterates over "a,b": advances |at| past the returned name; false at the end. */
bool rlxv_next_feature(rlx_str list, size_t *at, rlx_str *out);
/* True if the bytes are UTF-8 without NUL. */
bool rlxv_is_utf8(const uint8_t *p, size_t n);
/* compress.c, before the tables: replaces the bytes of each compressed section. */
rlx_status rlxv_decompress_sections(rlxv_loader *l);
/* load_weights.c, before the constants. */
rlx_status rlxv_load_weights(rlxv_loader *l);
/* load_tables.c, in the order in which they must run. */
rlx_status rlxv_parse_strings(rlxv_loader *l);
rlx_status rlxv_parse_exprs(rlxv_loader *l);
rlx_status rlxv_parse_types(rlxv_loader *l);
rlx_status rlxv_parse_constants(rlxv_loader *l);
/* load_plans.c, after the functions. */
rlx_status rlxv_parse_plans(rlxv_loader *l);
/* load_devices.c, after the plans. */
rlx_status rlxv_parse_modules(rlxv_loader *l);
rlx_status rlxv_parse_devices(rlxv_loader *l);

#endif
