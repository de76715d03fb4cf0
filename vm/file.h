/* The executable as a file (private to vm/): its sections, reading, and writing.
 */
#ifndef RLXV_FILE_H
#define RLXV_FILE_H

#include <rlx/executable.h>
#include <rlx/file.h>

/* The offset of a tensor constant refers to the weights, not to the data section. */
#define RLXV_IN_WEIGHTS ((uint64_t)1 << 63)

enum {
    RLXV_SECTION_STRINGS = 1,
    RLXV_SECTION_EXPRS = 2,
    RLXV_SECTION_TYPES = 3,
    RLXV_SECTION_CONSTANTS = 4,
    RLXV_SECTION_KERNELS = 5,
    RLXV_SECTION_IMPORTS = 6,
    RLXV_SECTION_FUNCTIONS = 7,
    RLXV_SECTION_CODE = 8,
    RLXV_SECTION_DEBUG = 9,
    RLXV_SECTION_METADATA = 10,
    RLXV_SECTION_NATIVE = 11,
    RLXV_SECTION_DATA = 12, /* the bytes of tensor constants: always last in the file */
    RLXV_SECTION_PLANS = 13,
    RLXV_SECTION_NAMES = 14,     /* of results */
    RLXV_SECTION_SIGNATURE = 15, /* signature.h */
    RLXV_SECTION_LEVELS = 16,    /* load_levels.c */
    RLXV_SECTION_DEVICES = 17,   /* devices, launches, devices of regions: load_devices.c */
    RLXV_SECTION_MODULES = 18,   /* code for devices: load_devices.c */
    RLXV_SECTION_WEIGHTS = 19,   /* constants in a file of their own: load_weights.c */
    RLXV_SECTION_END = 20,
};
/* A file may hold a program for each of several CPU levels, all of which share the data section and
   the code for devices. The row of a section then states its level, from 1; 0: it belongs to the
   file, as the levels, the signature, the modules and the data do. In a file without levels it is 0
   everywhere. */
#define RLXV_MAGIC "\x93RLX\r\n\x1a\n"
#define RLXV_HEADER_BYTES 64u
#define RLXV_SECTION_BYTES 40u
#define RLXV_SECTION_REQUIRED 1u
#define RLXV_SECTION_COMPRESSED 2u /* compress.c */
#define RLXV_MAX_SECTIONS 128u

/* Allocations of at least this size are checked against the available memory first. */
#define RLXV_BIG_BYTES ((size_t)64 << 20)

/* image.c: reports "PATH: cannot WHAT: why" from errno; returns NOT_FOUND, NOMEM or IO. */
rlx_status rlxv_io_error(rlx_error *err, const char *path, const char *what);

/* new_file.c: the temporary name of the file; NULL for a device or pipe. */
const char *rlxv_new_file_name(const rlx_new_file *file);

/* Reads the header and the section table; returns the extent of the data section (size 0: none). */
rlx_status rlxv_read_header(const uint8_t *bytes, size_t available, uint64_t total_size,
                            size_t *out_head_size, uint64_t *out_data_offset,
                            uint64_t *out_data_size, rlx_error *err);
/* image.c: bytes of a file as a storage: mapped, or (|read|) in memory. */
rlx_status rlxv_load_data(int fd, const char *path, const rlx_allocator *a, bool read,
                          uint64_t offset, uint64_t size, rlx_storage **out, rlx_error *err);
/* Reads exactly |n| bytes. */
rlx_status rlxv_read_at(int fd, const char *path, uint64_t offset, uint8_t *to, size_t n,
                        rlx_error *err);
/* True if |options| do not let the constants be mapped. */
bool rlxv_reads_data(const rlx_load_options *options);
/* "PATH.safetensors", |*out_size| bytes of |a|; NULL: out of memory. */
char *rlxv_weights_path(const rlx_allocator *a, const char *path, size_t *out_size);

uint64_t rlxv_checksum(const void *data, size_t size);
/* Bytes that are contiguous in the file but may lie anywhere in memory. */
typedef struct rlxv_span {
    const void *data;
    size_t size;
} rlxv_span;
uint64_t rlxv_checksum_spans(const rlxv_span *spans, size_t n);
/* The checksum of a header and the section table after it, |table| bytes. */
uint64_t rlxv_checksum_header(const uint8_t *header, size_t table);

#endif
