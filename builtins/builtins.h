/* Shared by the builtins: argument checks and small helpers. Builtins are ordinary clients of the
 * public interface (rlx/builtin.h); one file a family, one row of table.def a function. */
#ifndef RLXB_BUILTINS_H
#define RLXB_BUILTINS_H

#include <rlx/builtin.h>
#include <rlx/checked.h>
#include <rlx/floats.h>
#include <rlx/packed.h>

#define RLXB_BUILTIN(name, function, flags, min_args, max_args, doc)                             \
    rlx_status function(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out, \
                        rlx_error *err);
#include "builtins/table.def"
#undef RLXB_BUILTIN

/* Each checks the kind of argument |i| and returns its value, or RLX_E_INVALID_ARG, naming the
 * argument. Ints and bools may come as int or bool values, or as 0-dim integer tensors. */
RLX_NODISCARD rlx_status rlxb_tensor(const rlx_value *args, uint32_t i, rlx_tensor **out,
                                     rlx_error *err);
/* A tensor whose elements may also be less than a byte. */
RLX_NODISCARD rlx_status rlxb_any_tensor(const rlx_value *args, uint32_t i, rlx_tensor **out,
                                         rlx_error *err);
RLX_NODISCARD rlx_status rlxb_int(const rlx_value *args, uint32_t i, int64_t *out, rlx_error *err);
RLX_NODISCARD rlx_status rlxb_shape(const rlx_value *args, uint32_t i, rlx_shape **out,
                                    rlx_error *err);
RLX_NODISCARD rlx_status rlxb_dtype(const rlx_value *args, uint32_t i, rlx_dtype *out,
                                    rlx_error *err);
/* A tensor of |ndim| dimensions, of float64 or float32 as |f64| says. */
RLX_NODISCARD rlx_status rlxb_float_tensor(const rlx_value *args, uint32_t i, uint32_t ndim,
                                           bool f64, rlx_tensor **out, rlx_error *err);
/* A number, or a tensor of one float32 or integer. */
RLX_NODISCARD rlx_status rlxb_number(const rlx_value *args, uint32_t i, double *out,
                                     rlx_error *err);
/* The text of a string argument; empty if argument |i| of |n| is absent or not a string. */
rlx_str rlxb_text(const rlx_value *args, uint32_t n, uint32_t i);
/* |axis| made non-negative; RLX_E_INVALID_ARG when out of range for |ndim|. */
RLX_NODISCARD rlx_status rlxb_axis(int64_t axis, uint32_t ndim, uint32_t *out, rlx_error *err);
/* An element of an integer or bool tensor. */
int64_t rlxb_read_int(rlx_dtype dtype, const void *data, int64_t index);
void rlxb_write_int(rlx_dtype dtype, void *data, int64_t index, int64_t value);
/* A tensor of rank 0 with an integer or bool. */
RLX_NODISCARD rlx_status rlxb_scalar_of(rlx_call_context *cc, rlx_dtype dtype, int64_t value,
                                        rlx_value *out, rlx_error *err);
/* count * size bytes (checked) of scratch memory for the duration of the call. */
RLX_NODISCARD rlx_status rlxb_scratch(rlx_call_context *cc, int64_t count, int64_t size, void **out,
                                      rlx_error *err);

/* How to read elements of one type, computed once for all of them. The dtype is not packed. */
typedef struct rlxb_elements {
    size_t size;        /* bytes */
    uint64_t sign;      /* the highest bit */
    uint64_t magnitude; /* the bits that are 0 in every zero */
    uint64_t most;      /* magnitudes above it are NaN; the highest one if the type has no NaN */
    bool is_float, is_signed, no_minus_zero; /* true if the code of -0 is NaN */
} rlxb_elements;

rlxb_elements rlxb_elements_of(rlx_dtype dtype);
/* The bits of element |index|. */
uint64_t rlxb_element_bits(const rlxb_elements *e, const void *data, int64_t index);
bool rlxb_bits_are_nan(const rlxb_elements *e, uint64_t bits);

/* An element's place in NumPy's sorting order as an unsigned number: smaller key, earlier; NaN
 * last, -0 equal to +0. |descending| reverses it. */
uint64_t rlxb_order_key(const rlxb_elements *e, const void *data, int64_t index, bool descending);

#endif
