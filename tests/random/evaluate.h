/* Reference evaluation of random programs, in double with an error bound for each element; shares
 * no code with the compiler. */
#ifndef RANDOM_PROGRAM_EVALUATE_H
#define RANDOM_PROGRAM_EVALUATE_H

#include "tests/random/program.h"

/* A value and a bound on the error of a result in the element type: 0 if every correct order of
 * evaluation gives exactly |v|, infinity if nothing is known (an overflow, or a comparison of
 * values that rounding may swap). */
typedef struct num {
    double v, e;
} num;

typedef struct tensor {
    elem elem;
    unsigned ndim;
    int64_t dims[8], n;
    num *at;
} tensor;

typedef struct evaluation {
    const program *p;
    int64_t work, limit; /* elements computed, and their limit */
    char failed[200];    /* an error of the generator */
} evaluation;

/* Evaluates main for |params|; false on an error or too much work. Memory is never freed, because
 * each evaluation runs in a child of the tester. */
bool evaluate(evaluation *e, const tensor *params, const int64_t *symbols, unsigned n_symbols,
              tensor results[MAX_RESULTS]);

num num_exact(elem t, double v);
/* |v| after |roundings| roundings of numbers as large as |scale|. */
num num_inexact(elem t, double v, double e, double roundings, double scale);
num num_unknown(void);
num num_unary(elem t, const unary_row *row, num a);
num num_binary(elem t, unsigned sub, num a, num b);
num num_convert(elem from, elem to, num a);
num num_power(elem t, num a, double exponent);
/* Whether the exact sum of products fits the type's precision. */
bool num_sums_exactly(elem t, double sum_of_magnitudes, double granularity);
double num_granularity(double v);
/* Twice the unit roundoff, to cover a second rounding (through float32, say). */
double num_unit(elem t);

tensor tensor_new(evaluation *e, elem t, unsigned ndim, const int64_t *dims);
/* Computes a window operator into |out|, whose dimensions are set. */
void evaluate_conv2d(const value *v, const tensor *x, const tensor *w, tensor *out);
void evaluate_pool(const value *v, const tensor *x, tensor *out);
/* |rounds|: allows for one row that is rounded to 16 bits. */
void evaluate_matmul(const tensor *a, const tensor *b, bool rounds, tensor *out);
/* Reduces |n| numbers, |step| apart. */
num evaluate_reduce(elem t, unsigned sub, const num *const *at, int64_t n);
void evaluate_softmax(elem t, bool log, const num *from, num *to, int64_t n, int64_t step);
void evaluate_norm(elem t, bool layer, const num *from, num *to, int64_t n, const num *gamma,
                   const num *beta);
/* One element of quantize and dequantize. */
num evaluate_quantize(elem from, elem to, bool back, num x, num scale, num zero);
void evaluate_tir(const value *v, const tensor *const *x, tensor *out);
void nest_evaluate(evaluation *e, uint64_t seed, const tensor *const *args, tensor *out);
void evaluate_sort(const num *from, num *to, int64_t n, int64_t step, bool descending);

/* Position of element |i| in row-major order. */
void unravel(const tensor *t, int64_t i, int64_t *at);
int64_t ravel(const tensor *t, const int64_t *at);
void split_axis(const tensor *t, int64_t axis, int64_t *before, int64_t *extent, int64_t *after);
tensor evaluate_concat(evaluation *e, const value *v, const tensor *const *x);
tensor evaluate_stack(evaluation *e, const value *v, const tensor *const *x);
tensor evaluate_slice(evaluation *e, const value *v, const tensor *x);
void evaluate_split(evaluation *e, const value *v, const tensor *x, tensor *out);
tensor evaluate_take(evaluation *e, const value *v, const tensor *x, const tensor *indices);
tensor evaluate_rearrange(evaluation *e, const value *v, const tensor *x);

#endif
