/* One case of the backend tests, in a process of its own: reading, compiling, running, comparing.
 */
#ifndef RLX_TESTS_ONNX_CASE_H
#define RLX_TESTS_ONNX_CASE_H

#include <stddef.h>

#include "rlx/rlx.h"

enum { CASE_MAX_IO = 64, CASE_REASON = 400 };

typedef enum case_mode {
    CASE_PLAIN,   /* the model as it is */
    CASE_BATCH,   /* the batch dimension of its inputs made symbolic, run at several */
    CASE_RELAX,   /* printed as TVMScript, which is compiled */
    CASE_FREE,    /* no dimension of its inputs has a number or a name */
    CASE_UNRANKED /* not even their ranks are known */
} case_mode;

/* What the parent gets to know; written to the pipe as it is. */
typedef struct case_report {
    bool passed;
    char reason[CASE_REASON];
    double seconds;     /* of processor time that the compilation took */
    size_t peak, model; /* bytes: of the process after the compilation, of the model's files */
} case_report;

/* Values by position; the process keeps them until it ends. */
typedef struct case_io {
    rlx_value values[CASE_MAX_IO];
    uint32_t n;
} case_io;

/* Notes why the case failed (the first reason stays); false. */
bool case_fail(case_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* |bytes| of the model at |path| to a file, which is loaded into a fresh VM; NULL on failure. */
rlx_vm *case_compile(case_report *report, const char *path, const void *bytes, size_t length,
                     bool through_text);
/* input_0.pb, input_1.pb, ... of the folder |set|. */
bool case_read(case_report *report, const char *set, const char *stem, case_io *out);
/* Runs |in| and compares every result with |want|. */
bool case_run(case_report *report, rlx_vm *vm, const case_io *in, const case_io *want);
/* A file in memory; NULL when it cannot be read. */
unsigned char *case_file(const char *path, size_t *out_size);

/* The whole of a case in |folder|: its model on each of its data sets. */
void case_backend(case_report *report, const char *folder, case_mode mode);

/* --- batch.c */

/* The model with dimension 0 of each input that is no initializer named `batch`, and without the
 * dimensions it states for the other values; NULL when it cannot be read. */
unsigned char *batch_rewrite(const unsigned char *model, size_t length, size_t *out_length);
/* Runs rows of |in| in other numbers and orders than they are stored in; the rows of |want| are
 * expected, but of models that are known to work on the stored batch only: of the case |name|. */
bool batch_run(case_report *report, const char *name, rlx_vm *vm, const case_io *in,
               const case_io *want);
/* The examples' models, whose inputs and results are .npy files: |name| is digits or chargpt. */
void batch_example(case_report *report, const char *name);

/* --- unknown.c */

/* The model without numbers and names of its inputs' dimensions, and, where |ranks|, without their
 * ranks; NULL when it cannot be read. */
unsigned char *unknown_rewrite(const unsigned char *model, size_t length, bool ranks,
                               size_t *out_length);

#endif
