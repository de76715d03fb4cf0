/* One case of the backend tests, in its own process: reading, compiling, running, comparing. */
#ifndef RLX_TESTS_ONNX_CASE_H
#define RLX_TESTS_ONNX_CASE_H

#include <stddef.h>

#include "rlx/rlx.h"

enum { CASE_MAX_IO = 64, CASE_REASON = 400, CASE_FALLEN = 400 };

typedef enum case_mode {
    CASE_PLAIN,   /* the model unchanged */
    CASE_BATCH,   /* with a symbolic batch dimension, run at several sizes */
    CASE_RELAX,   /* printed as TVMScript, which is then compiled */
    CASE_FREE,    /* no input dimension has a number or a name */
    CASE_UNRANKED /* even the inputs' ranks are unknown */
} case_mode;

/* The child's report to the parent, written to the pipe as bytes. */
typedef struct case_report {
    bool passed;
    char reason[CASE_REASON];
    char fallen[CASE_FALLEN]; /* why the CPU did something for the device; "": it did nothing */
    double seconds;           /* processor time of the compilation */
    size_t peak, model; /* in bytes: the process's peak after compilation, the model's files */
} case_report;

/* Values by position; kept until the process ends. */
typedef struct case_io {
    rlx_value values[CASE_MAX_IO];
    uint32_t n;
} case_io;

/* Records the reason for the failure (only the first is kept); returns false. */
bool case_fail(case_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Compiles |bytes|, the model at |path|, to a file and loads it into a fresh VM; NULL on failure.
 * |device|: of all its tensors, as --default-device; or NULL. */
rlx_vm *case_compile(case_report *report, const char *path, const void *bytes, size_t length,
                     bool through_text, const char *device);
/* Reads input_0.pb, input_1.pb, ... (for stem "input") from the folder |set|. */
bool case_read(case_report *report, const char *set, const char *stem, case_io *out);
/* Runs |in| and compares every result with |want|. */
bool case_run(case_report *report, rlx_vm *vm, const case_io *in, const case_io *want);
/* Reads a whole file; NULL on failure. */
unsigned char *case_file(const char *path, size_t *out_size);

/* Runs the case in |folder|: its model on each of its data sets. */
void case_backend(case_report *report, const char *folder, case_mode mode, const char *device);

/* --- batch.c */

/* Gives dimension 0 of each input that is not an initializer the name `batch`, and drops the stated
 * dimensions of all other values; NULL when the model cannot be read. */
unsigned char *batch_rewrite(const unsigned char *model, size_t length, size_t *out_length);
/* Runs rows of |in| in several numbers and orders and expects the same rows of |want|. A model
 * |name| known to work only with the stored batch must refuse other sizes. */
bool batch_run(case_report *report, const char *name, rlx_vm *vm, const case_io *in,
               const case_io *want);
/* The trained example models, whose inputs and results are .npy files: |name| is digits or chargpt.
 */
void batch_example(case_report *report, const char *name);

/* --- unknown.c */

/* Removes numbers and names from the inputs' dimensions and, with |ranks|, their ranks too; NULL
 * when the model cannot be read. */
unsigned char *unknown_rewrite(const unsigned char *model, size_t length, bool ranks,
                               size_t *out_length);

#endif
