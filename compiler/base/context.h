/* One compilation: memory, interned text, source files, diagnostics.
 *
 * Everything the compiler makes (IR, types, expressions, messages) lives in the context's arena and
 * dies with it; no IR object is ever freed by itself. Small allocations never fail at the call:
 * when the host's allocator is exhausted they come from a reserve made at creation and the context
 * becomes *failed* (RLX_E_NOMEM). So node constructors need no error paths; every loop over
 * input-sized data polls rlxc_failed() and stops. */
#ifndef RLXC_BASE_CONTEXT_H
#define RLXC_BASE_CONTEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rlx/base.h"
#include "rlx/value.h"

typedef struct rlxc_context rlxc_context;

/* A range in a source file. |file| indexes the context's file table; lines and columns start at 1;
 * end_* is exclusive. All zero: unknown. */
typedef struct rlxc_range {
    uint32_t file, line, col, end_line, end_col;
} rlxc_range;

typedef enum rlxc_severity { RLXC_ERROR, RLXC_WARNING, RLXC_NOTE } rlxc_severity;

typedef struct rlxc_diagnostic {
    rlxc_severity severity;
    rlxc_range range;
    const char *message; /* NUL-terminated, arena */
} rlxc_diagnostic;

enum {
    RLXC_MAX_ERRORS = 20, /* after this many errors the stage stops */
    RLXC_MAX_DEPTH =
        64, /* nesting limit: If, tuples, types; expressions have RLXC_MAX_EXPR_DEPTH */
    RLXC_MAX_EXPR_DEPTH = 200, /* depth of an interned expression, checked at construction */
    RLXC_MAX_ALLOC = 8 << 20   /* largest request rlxc_alloc accepts */
};

/* Creates a context; |allocator| NULL means the default one. NULL when memory is out. */
rlxc_context *rlxc_context_create(const rlx_allocator *allocator);
void rlxc_context_destroy(rlxc_context *ctx);

/* Calls |fn| when the context is destroyed, in reverse order of registration; |user| may point into
 * arena memory. False when memory is out; |fn| is then never called. */
bool rlxc_on_destroy(rlxc_context *ctx, void (*fn)(void *user), void *user);

/* Zeroed arena memory, 16-byte aligned, never NULL for size <= RLXC_MAX_ALLOC (asserted). */
void *rlxc_alloc(rlxc_context *ctx, size_t size);
/* As rlxc_alloc for any size; NULL when memory is out (the context is then failed) or count * size
 * overflows. */
void *rlxc_try_alloc(rlxc_context *ctx, size_t count, size_t size);
/* As rlxc_try_alloc, but the bytes are uninitialized: for data that is completely written, such as
   weights. */
void *rlxc_try_alloc_unset(rlxc_context *ctx, size_t count, size_t size);
/* Copies |size| bytes into the arena. */
void *rlxc_copy(rlxc_context *ctx, const void *data, size_t size);

/* Interned NUL-terminated text: equal text, equal pointer. */
const char *rlxc_intern(rlxc_context *ctx, const char *text, size_t length);
const char *rlxc_intern_cstr(rlxc_context *ctx, const char *text);
/* printf into an interned string. */
const char *rlxc_internf(rlxc_context *ctx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Registers a source text (not copied; it must outlive the context); gives its file index (from 1).
 */
uint32_t rlxc_add_file(rlxc_context *ctx, const char *path, const char *text, size_t length);
const char *rlxc_file_path(const rlxc_context *ctx, uint32_t file);
/* The last component of the file's path. Executables hold only this, so that they do not depend on
 * the location of the source. */
const char *rlxc_file_base(const rlxc_context *ctx, uint32_t file);
/* Replaces the text of a file and gives its lines labels that users recognize, such as "node 'a'
 * (Add)" of an ONNX model. Neither is copied. */
void rlxc_set_listing(rlxc_context *ctx, uint32_t file, rlx_str text, const char *const *labels,
                      uint32_t n_labels);
/* The label of a line, or NULL. */
const char *rlxc_line_label(const rlxc_context *ctx, uint32_t file, uint32_t line);
/* The text of 1-based |line| without its end; length 0 when unknown. */
rlx_str rlxc_file_line(const rlxc_context *ctx, uint32_t file, uint32_t line);

/* Appends a diagnostic. Errors beyond RLXC_MAX_ERRORS are counted, not kept. */
void rlxc_error(rlxc_context *ctx, rlxc_range range, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rlxc_warning(rlxc_context *ctx, rlxc_range range, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rlxc_note(rlxc_context *ctx, rlxc_range range, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports a bug of the compiler that some input reached: the message names |stage| and asks for a
 * bug report. */
void rlxc_internal(rlxc_context *ctx, rlxc_range range, const char *stage, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Keeps up to |count| errors instead of RLXC_MAX_ERRORS, for stages whose errors are all
 * independent. */
void rlxc_keep_errors(rlxc_context *ctx, uint32_t count);

uint32_t rlxc_error_count(const rlxc_context *ctx);
/* A position in the list of diagnostics. Going back to it drops the diagnostics that a failed
 * attempt has added since; an out-of-memory state stays. */
typedef struct rlxc_said {
    size_t count;
    uint32_t errors, warnings;
} rlxc_said;
rlxc_said rlxc_said_so_far(const rlxc_context *ctx);
void rlxc_take_back(rlxc_context *ctx, rlxc_said said);
const rlxc_diagnostic *rlxc_diagnostics(const rlxc_context *ctx, size_t *out_count);
/* True once memory ran out or an error was reported: the stage should stop soon. Parsers that
 * recover poll rlxc_out_of_memory and the error limit instead. */
bool rlxc_failed(const rlxc_context *ctx);
bool rlxc_out_of_memory(const rlxc_context *ctx);
/* Marks the context as out of memory, for allocations that did not go through it. */
void rlxc_set_out_of_memory(rlxc_context *ctx);
/* Names the current stage and what it works on: "reading", "m.py" (may be NULL). Used in the
 * message "out of memory while reading 'm.py'". The texts must outlive the context. */
void rlxc_doing(rlxc_context *ctx, const char *what, const char *name);
/* "path:line:col: error: message", source line and caret, for all diagnostics; arena text. */
const char *rlxc_render_diagnostics(rlxc_context *ctx);

/* A growable arena array: RLXC_VEC(type) fields; push with RLXC_PUSH. Old storage stays in the
 * arena (doubling). */
#define RLXC_VEC(T)               \
    struct {                      \
        T *items;                 \
        uint32_t count, capacity; \
    }
#define RLXC_PUSH(ctx, vec, ...)                                                  \
    (rlxc_vec_grow((ctx), (void **)&(vec)->items, (vec)->count, &(vec)->capacity, \
                   sizeof *(vec)->items)                                          \
         ? (void)((vec)->items[(vec)->count++] = (__VA_ARGS__))                   \
         : (void)0)
/* Makes room for one more item; false (context failed) when it cannot. */
bool rlxc_vec_grow(rlxc_context *ctx, void **items, uint32_t count, uint32_t *capacity,
                   size_t size);

/* Open-addressing map from 64-bit keys (pointers cast through uintptr_t, or ids) to pointers; arena
 * storage. Iteration order is never exposed, so nothing that reaches a file can depend on
 * addresses. */
typedef struct rlxc_map {
    uint64_t *keys;
    void **values;
    uint32_t count, capacity;
} rlxc_map;
void *rlxc_map_get(const rlxc_map *map, uint64_t key); /* NULL when absent */
void rlxc_map_set(rlxc_context *ctx, rlxc_map *map, uint64_t key,
                  void *value); /* value NULL removes */
static inline uint64_t rlxc_key(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

/* Growable text in the arena. */
typedef struct rlxc_text {
    rlxc_context *ctx;
    char *data; /* NUL-terminated once anything was added */
    size_t length, capacity;
} rlxc_text;
void rlxc_text_add(rlxc_text *text, const char *data, size_t length);
void rlxc_text_puts(rlxc_text *text, const char *cstr);
void rlxc_text_printf(rlxc_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
