/* Private to schedule_quant*.c. */
#ifndef RLXC_KERNELS_QUANTIZED_SCHEDULE_QUANT_H
#define RLXC_KERNELS_QUANTIZED_SCHEDULE_QUANT_H

#include "compiler/kernels/quantized/quant.h"
#include "compiler/kernels/sizes.h"
#include "compiler/target/target.h"

/* How the integers of a row are multiplied by the weights (gemv_int_activations.c). */
typedef enum rlxc_quant_form {
    RLXC_QUANT_BYTES,  /* limbs of bytes, by sums of 32 bits (dot_u8s8) */
    RLXC_QUANT_SHARED, /* the same, but two elements share three limbs */
    RLXC_QUANT_PAIRS,  /* limbs of 16 bits times weights of 8, by sums of 32 (dot_s16) */
    RLXC_QUANT_HALVES  /* limbs of bytes times weights of 4 bits, by sums of 16 (dot_u8s8_s16) */
} rlxc_quant_form;

typedef struct rlxc_quant_digits { /* the rounding of a row (int_activations.c) */
    rlxc_quant_form form;
    int64_t block, blocks; /* elements that share a scale of the weight; their number in a row */
    int64_t span;          /* blocks that share a scale of the row */
    int64_t bytes;         /* of a number */
    int64_t limbs, words;  /* of the row; words of 32 bits in each */
    int64_t accs;          /* sums of a block for a column, the first one counting most */
    bool whole_zero;       /* the zero is taken off in integers; it is |zero| */
    int64_t zero, zeroed;  /* that many of the last sums start with it */
    bool biased;           /* or none does, and it is added with the step, in floats */
} rlxc_quant_digits;

/* Elements of a row in a word of a limb. */
static inline int64_t rlxc_quant_in_word(const rlxc_quant_digits *d)
{
    return d->form == RLXC_QUANT_SHARED ? 8 : d->form == RLXC_QUANT_PAIRS ? 2 : 4;
}

typedef struct rlxc_quant_rows_of {
    rlxc_schedule *c;
    rlxc_context *ctx;
    const rlxc_stage *stage, *epilogue; /* epilogue may be NULL */
    rlxc_quant q;
    int64_t rows, columns, panels;  /* of the weight */
    uint32_t vl;                    /* lanes of a vector */
    bool serial;                    /* no threads */
    const rlxc_expr *row0, *n_rows; /* the rows being computed: all, or a chunk of them */
    const rlxc_expr *panel;         /* being computed */
    const rlxc_quant_sizes *z;      /* NULL: of a product in integers (int8_gemm.c) */
    /* one row in limbs */
    rlxc_quant_digits digits;
    rlxc_buffer *cells, *limbs; /* the same memory: numbers of 8 or 16 bits, and their words */
    rlxc_buffer *steps, *sums;  /* of spans: the value of 1; of blocks: sum of the numbers, or what
                                 * the zero adds */
} rlxc_quant_rows_of;

typedef struct rlxc_quant_results { /* of a tile */
    uint32_t mr, nv;
    const rlxc_buffer *acc;
    rlxc_buffer *memory; /* for loops of an epilogue over them; NULL: there is none */
    const rlxc_expr *i0, *first;
} rlxc_quant_results;

typedef rlxc_point rlxc_quant_point;

/* Initialises |t| for the stage, whose weights are |q|. */
rlxc_quant_rows_of rlxc_quant_begin(rlxc_schedule *c, const rlxc_stage *stage,
                                    const rlxc_stage *epilogue, const rlxc_quant *q, int64_t lanes,
                                    bool threads);
/* Checks that tiles of |vectors| of |lanes| divide the panel; false with a reason. */
bool rlxc_quant_fits(const rlxc_stages *s, const rlxc_quant *q, int64_t lanes, int64_t vectors);
/* True if there is enough work for threads. */
bool rlxc_quant_is_large(const rlxc_stage *stage);
rlxc_quant_point rlxc_quant_new_point(rlxc_quant_rows_of *t);
/* Column of the point in its tile. */
const rlxc_expr *rlxc_quant_column(rlxc_quant_rows_of *t, const rlxc_quant_point *at);
/* Loops over |mr| rows (0: no such loop) and |nv| vectors: unrolled, or |serial|. */
const rlxc_stmt *rlxc_quant_over(rlxc_quant_rows_of *t, uint32_t mr, uint32_t nv,
                                 const rlxc_quant_point *at, bool serial, const rlxc_stmt *body);
const rlxc_expr *rlxc_quant_add(rlxc_quant_rows_of *t, const rlxc_expr *a, const rlxc_expr *b);
const rlxc_expr *rlxc_quant_times(rlxc_quant_rows_of *t, const rlxc_expr *a, int64_t b);
/* An intrinsic of the type of |a|; |b| may be NULL. */
const rlxc_expr *rlxc_quant_call(rlxc_context *ctx, const char *name, const rlxc_expr *a,
                                 const rlxc_expr *b);
/* An element of the current panel. */
const rlxc_expr *rlxc_quant_at_panel(rlxc_quant_rows_of *t, const rlxc_buffer *buffer,
                                     const rlxc_expr *row, const rlxc_expr *column);
/* The left operand as float32. */
const rlxc_expr *rlxc_quant_x(rlxc_quant_rows_of *t, const rlxc_expr *i, const rlxc_expr *k);
/* Writes the results of a tile, or the epilogue of them, where the panel has such columns. */
const rlxc_stmt *rlxc_quant_finish(rlxc_quant_rows_of *t, const rlxc_quant_results *r);
rlxc_buffer *rlxc_quant_local(rlxc_quant_rows_of *t, const char *name, rlx_dtype dtype,
                              int64_t size);
/* The precision of a row, and the blocks that share a scale, for the target and the options; 0
 * bits: it stays in floats. */
void rlxc_int_activations_decide(const rlxc_stages *s, const rlxc_stage *stage, const rlxc_quant *q,
                                 rlxc_quant_sizes *out);
/* Checks that such sizes suit the weights; false with a reason. */
bool rlxc_int_activations_fit(const rlxc_stages *s, const rlxc_stage *stage, const rlxc_quant *q,
                              const rlxc_quant_sizes *z);
/* Appends what makes the row ready, where there is one row; gives whether rlxc_gemv_int_activations
 * can be used, or NULL where the target has no fast form or it is not wanted. */
const rlxc_expr *rlxc_int_activations_prepare(rlxc_quant_rows_of *t);
const rlxc_stmt *rlxc_gemv_int_activations(rlxc_quant_rows_of *t);
const rlxc_stmt *rlxc_quant_parallel(rlxc_quant_rows_of *t, const rlxc_expr *var,
                                     const rlxc_expr *extent, const rlxc_stmt *body);

#endif
