/* The text form of executables (docs/assembly.md describes it). rlx_assemble(rlx_disassemble(x))
   gives the same bytes as x, for every unsigned x of one level that the builder wrote with
   compression. Threads: safe; there is no shared state. */
#ifndef RLX_ASM_H
#define RLX_ASM_H

#include <rlx/executable.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Turns text into a file image, aligned to 64 bytes; free it with rlx_free(a, data, size, 64). The
   image is not verified: loading does that. |name| is the file name in messages ("name:line:column:
   ..."). Errors: INVALID_MODULE, LIMIT, NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_assemble(const rlx_allocator *a, rlx_str name, rlx_str text,
                                              void **out_data, size_t *out_size, rlx_error *err);

typedef enum rlx_disassemble_flags {
    RLX_DISASSEMBLE_ALL = 0,
    RLX_DISASSEMBLE_NO_DATA = 1, /* omit the bytes of tensors and of the native section */
} rlx_disassemble_flags;

/* *out_text is NUL-terminated; free with rlx_free(a, text, len + 1, 1). Errors: NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_disassemble(const rlx_allocator *a, const rlx_executable *exe,
                                                 uint32_t flags, char **out_text, size_t *out_len,
                                                 rlx_error *err);
/* Only one function, without the tables. Errors: NOT_FOUND, NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_disassemble_function(const rlx_allocator *a,
                                                          const rlx_executable *exe,
                                                          uint32_t function, char **out_text,
                                                          size_t *out_len, rlx_error *err);

#ifdef __cplusplus
}
#endif

#endif
