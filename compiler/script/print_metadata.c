/* Prints tensor constants: scalars in place, everything else through the metadata block.
 *
 * The block is TVM's JSON node table, reduced to what a constant needs: a map from the type name to
 * an array of constants, each the index of a base64 text of the NDArray format (magic, device,
 * ndim, dtype, shape, byte count, data; little-endian). Non-finite scalars go there too, so that
 * every bit of a NaN survives. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compiler/ir/constant.h"
#include "compiler/script/print.h"

#define NDARRAY_MAGIC 0xDD5E40F096B4A13Full

const char *rlxc_scalar_text(const rlxc_constant *constant, char buffer[RLXC_SCALAR_TEXT])
{
    if (rlxc_dtype_is_float(constant->dtype)) {
        double value = rlxc_constant_double(constant, 0);
        char text[RLXC_FLOAT_TEXT];
        snprintf(buffer, RLXC_SCALAR_TEXT, isfinite(value) ? "%s" : "float(\"%s\")",
                 rlxc_float_text(value, text));
        return buffer;
    }
    int64_t bits = rlxc_constant_int(constant, 0);
    if (rlxc_dtype_is_bool(constant->dtype))
        return strcpy(buffer, bits != 0 ? "True" : "False");
    if (constant->dtype.code == RLX_UINT)
        snprintf(buffer, RLXC_SCALAR_TEXT, "%llu", (unsigned long long)bits);
    else
        snprintf(buffer, RLXC_SCALAR_TEXT, "%lld", (long long)bits);
    return buffer;
}

void rlxc_print_constant(rlxc_printer *p, const rlxc_constant *constant)
{
    if (constant->ndim == 0 && constant->name == NULL &&
        (!rlxc_dtype_is_float(constant->dtype) || isfinite(rlxc_constant_double(constant, 0)))) {
        char text[RLXC_SCALAR_TEXT];
        rlxc_text_printf(&p->out, "R.const(%s, \"%s\")", rlxc_scalar_text(constant, text),
                         rlxc_dtype_name(p->ctx, constant->dtype));
        return;
    }
    uintptr_t index = p->kept ? (uintptr_t)rlxc_map_get(&p->kept->numbers, rlxc_key(constant)) : 0;
    if (index != 0) {
        rlxc_text_printf(&p->out, "metadata[\"" RLXC_KEPT "\"][%llu]",
                         (unsigned long long)(index - 1));
        return;
    }
    index = (uintptr_t)rlxc_map_get(&p->constant_index, rlxc_key(constant));
    if (index == 0) {
        RLXC_PUSH(p->ctx, &p->constants, constant);
        index = p->constants.count;
        rlxc_map_set(p->ctx, &p->constant_index, rlxc_key(constant), (void *)index);
    }
    rlxc_text_printf(&p->out, "metadata[\"relax.expr.Constant\"][%llu]",
                     (unsigned long long)(index - 1));
}

void rlxc_keep_constants(const rlxc_printer *p, rlxc_kept *kept)
{
    for (uint32_t i = 0; i < p->constants.count; i++) {
        RLXC_PUSH(p->ctx, &kept->constants, p->constants.items[i]);
        rlxc_map_set(p->ctx, &kept->numbers, rlxc_key(p->constants.items[i]),
                     (void *)(uintptr_t)kept->constants.count);
    }
}

/* --- base64 of the NDArray format ------------------------------------------------------------ */

typedef struct encoder {
    rlxc_text *out;
    uint32_t pending, n_pending; /* bytes not yet written, fewer than 3 */
    char buffer[1024];
    size_t used;
} encoder;

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void flush(encoder *e)
{
    rlxc_text_add(e->out, e->buffer, e->used);
    e->used = 0;
}

static void put(encoder *e, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        e->pending = e->pending << 8 | bytes[i];
        if (++e->n_pending < 3)
            continue;
        if (e->used + 4 > sizeof e->buffer)
            flush(e);
        for (int shift = 18; shift >= 0; shift -= 6)
            e->buffer[e->used++] = DIGITS[e->pending >> shift & 63];
        e->pending = 0;
        e->n_pending = 0;
    }
}

static void put_end(encoder *e)
{
    flush(e);
    if (e->n_pending == 0)
        return;
    uint32_t bits = e->pending << (e->n_pending == 1 ? 16 : 8);
    char tail[4] = {DIGITS[bits >> 18 & 63], DIGITS[bits >> 12 & 63],
                    e->n_pending == 2 ? DIGITS[bits >> 6 & 63] : '=', '='};
    rlxc_text_add(e->out, tail, sizeof tail);
}

static void put_u64(encoder *e, uint64_t value, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++) {
        unsigned char byte = (unsigned char)(value >> (8 * i));
        put(e, &byte, 1);
    }
}

static void print_ndarray(rlxc_text *out, const rlxc_constant *c)
{
    encoder e = {.out = out};
    put_u64(&e, NDARRAY_MAGIC, 8);
    put_u64(&e, 0, 8); /* reserved */
    put_u64(&e, 1, 4); /* device: CPU */
    put_u64(&e, 0, 4);
    put_u64(&e, c->ndim, 4);
    bool boolean =
        rlxc_dtype_is_bool(c->dtype); /* the format says uint of one bit, one byte each */
    put_u64(&e, boolean ? RLX_UINT : c->dtype.code, 1);
    put_u64(&e, boolean ? 1 : c->dtype.bits, 1);
    put_u64(&e, c->dtype.lanes, 2);
    for (uint32_t i = 0; i < c->ndim; i++)
        put_u64(&e, (uint64_t)c->shape[i], 8);
    put_u64(&e, c->nbytes, 8);
    put(&e, c->data, c->nbytes);
    put_end(&e);
}

void rlxc_print_metadata(rlxc_printer *p, rlxc_text *out)
{
    uint32_t n = p->constants.count;
    if (n == 0)
        return;
    rlxc_text_puts(out, "metadata = tvm.ir.load_json(\"\"\"{\n"
                        "  \\\"root\\\": 1, \n"
                        "  \\\"nodes\\\": [\n"
                        "    {\\\"type_key\\\": \\\"\\\"}, \n"
                        "    {\\\"type_key\\\": \\\"Map\\\", "
                        "\\\"keys\\\": [\\\"relax.expr.Constant\\\"], \\\"data\\\": [2]}, \n"
                        "    {\\\"type_key\\\": \\\"Array\\\", \\\"data\\\": [");
    for (uint32_t i = 0; i < n; i++)
        rlxc_text_printf(out, "%s%u", i > 0 ? ", " : "", i + 3);
    rlxc_text_puts(out, "]}");
    for (uint32_t i = 0; i < n; i++)
        rlxc_text_printf(out,
                         ", \n    {\\\"type_key\\\": \\\"relax.expr.Constant\\\", \\\"attrs\\\": "
                         "{\\\"data\\\": \\\"%u\\\", \\\"span\\\": \\\"0\\\", "
                         "\\\"struct_info_\\\": \\\"0\\\"}}",
                         i);
    rlxc_text_puts(out, "\n  ], \n  \\\"b64ndarrays\\\": [");
    for (uint32_t i = 0; i < n && !rlxc_out_of_memory(p->ctx); i++) {
        rlxc_text_puts(out, i > 0 ? ", \n    \\\"" : "\n    \\\"");
        print_ndarray(out, p->constants.items[i]);
        rlxc_text_puts(out, "\\\"");
    }
    rlxc_text_puts(out,
                   "\n  ], \n  \\\"attrs\\\": {\\\"tvm_version\\\": \\\"0.20.0\\\"}\n}\"\"\")\n");
}
