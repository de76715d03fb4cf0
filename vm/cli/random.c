/* Random arguments from a signature: the same seed gives the same values on every machine.
 *
 * Floats lie in [-1, 1) (16-bit ones in [0.5, 1) with either sign), integers in [0, 16) so that
 * indices mostly stay in range. Anything that only the user can supply (a symbol without --dim, an
 * open dimension, an object) is a usage error. */
#include "vm/cli/cli.h"

#include <rlx/checked.h>
#include <rlx/floats.h>
#include <string.h>

static uint64_t next_random(uint64_t *state)
{
    /* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014 */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static rlx_status needs_dim(const cli_symbols *symbols, const char *name, uint32_t symbol,
                            rlx_error *err)
{
    char buffer[CLI_NAME_SHOWN];
    const char *text = cli_symbol_name(symbols, symbol, buffer, sizeof buffer);
    return rlx_fail(err, RLX_E_INVALID_ARG, "%s: symbol %s has no value; add --dim %s=...", name,
                    text, text);
}

static rlx_status random_dims(const cli_symbols *symbols, const char *name,
                              const rlx_type_info *type, int64_t *dims, bool *out_usage,
                              rlx_error *err)
{
    for (uint32_t i = 0; i < type->n_dims; i++) {
        rlx_dim dim = type->dims[i];
        *out_usage = true;
        if (dim.kind == RLX_DIM_ANY)
            return rlx_fail(err, RLX_E_INVALID_ARG, "%s: dimension %u is unknown; give an --input",
                            name, i);
        if (dim.kind == RLX_DIM_BIND) {
            if (dim.index >= symbols->n || !symbols->bound[dim.index])
                return needs_dim(symbols, name, dim.index, err);
            dims[i] = symbols->values[dim.index];
        } else {
            uint32_t missing = cli_symbols_missing(symbols, dim.index);
            if (missing != RLX_NONE)
                return needs_dim(symbols, name, missing, err);
            *out_usage = false;
            RLX_TRY(rlx_executable_eval(symbols->exe, dim.index, symbols->values, symbols->n,
                                        &dims[i], err));
        }
        *out_usage = false;
    }
    return RLX_OK;
}

static void fill(uint64_t *state, rlx_tensor *t)
{
    const rlx_dtype dtype = rlx_tensor_dtype(t);
    const size_t size = rlx_dtype_size(dtype);
    unsigned char *to = rlx_tensor_mutable_data(t);
    for (size_t i = 0; size == 0 && i < rlx_tensor_nbytes(t); i++)
        to[i] = (unsigned char)next_random(state); /* packed: all bits mean something */
    if (size == 0)
        return;
    for (int64_t i = 0; i < rlx_tensor_numel(t); i++, to += size) {
        uint64_t bits = next_random(state);
        double unit = (double)(bits >> 11) * 0x1p-52 - 1.0;
        float single = (float)unit;
        uint64_t element = dtype.code == RLX_BOOL ? bits & 1 : bits & 15;
        if (dtype.code == RLX_FLOAT && dtype.bits == 64)
            memcpy(&element, &unit, 8);
        else if (dtype.code == RLX_FLOAT && dtype.bits == 32)
            memcpy(&element, &single, 4);
        else if (dtype.code == RLX_FLOAT) /* float16: a mantissa and the exponent of [0.5, 1) */
            element = (bits & 0x83ff) | 14u << 10;
        else if (dtype.code == RLX_BFLOAT)
            element = (bits & 0x807f) | 126u << 7;
        else if (rlx_dtype_is_float(dtype))
            element = rlx_float_encode(dtype, unit);
        memcpy(to, &element, size);
    }
}

static rlx_status random_tensor(cli_budget *budget, uint64_t *state, const char *name,
                                const rlx_type_info *type, const int64_t *dims, rlx_value *out,
                                rlx_error *err)
{
    rlx_tensor *t = NULL;
    rlx_dtype dtype = type->dtype.bits ? type->dtype : RLX_F32;
    size_t bytes;
    if (rlx_nbytes(dims, type->n_dims, dtype, &bytes))
        RLX_TRY(cli_take_bytes(budget, bytes, name, err));
    RLX_TRY(rlx_tensor_create(NULL, dtype, type->n_dims, dims, &t, err));
    fill(state, t);
    *out = rlx_of_tensor(t);
    return RLX_OK;
}

/* The value that the type requires, else a small one. */
static rlx_value random_prim(uint64_t *state, const rlx_type_info *type, const int64_t *dims)
{
    const bool fixed = type->n_dims == 1;
    const uint64_t bits = next_random(state);
    if (rlx_dtype_is_float(type->dtype))
        return rlx_float(fixed ? (double)dims[0] : (double)(bits >> 11) * 0x1p-53);
    if (type->dtype.code == RLX_BOOL)
        return rlx_bool(fixed ? dims[0] != 0 : bits & 1);
    return rlx_int(fixed ? dims[0] : (int64_t)(bits & 15));
}

rlx_status cli_random_value(const cli_symbols *symbols, cli_budget *budget, uint64_t *state,
                            const char *name, const rlx_type_info *type, rlx_value *out,
                            bool *out_usage, rlx_error *err)
{
    int64_t dims[RLX_MAX_NDIM] = {0};
    if (type->kind == RLX_TYPE_PRIM && type->n_dims <= 1) {
        RLX_TRY(random_dims(symbols, name, type, dims, out_usage, err));
        *out = random_prim(state, type, dims);
        return RLX_OK;
    }
    if ((type->kind != RLX_TYPE_TENSOR && type->kind != RLX_TYPE_SHAPE) || !type->rank_known ||
        type->n_dims > RLX_MAX_NDIM) {
        *out_usage = true;
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "%s: cannot be generated at random; give an --input", name);
    }
    RLX_TRY(random_dims(symbols, name, type, dims, out_usage, err));
    if (type->kind == RLX_TYPE_TENSOR)
        return random_tensor(budget, state, name, type, dims, out, err);
    rlx_shape *shape = NULL;
    RLX_TRY(rlx_shape_create(NULL, type->n_dims, dims, &shape, err));
    *out = rlx_of_shape(shape);
    return RLX_OK;
}
