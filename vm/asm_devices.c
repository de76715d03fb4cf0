/* The assembler's rows of devices: .device, .module and .launches. */
#include "vm/asm_text.h"

static rlx_status no_memory(rlxv_asm *a)
{
    return rlx_fail(a->err, RLX_E_NOMEM, "out of memory in the assembler");
}

/* "opencl" 0 "global" "target" */
rlx_status rlxv_asm_device(rlxv_asm *a, uint32_t *out)
{
    rlx_device_row row;
    RLX_TRY(rlxv_asm_string(a, &row.kind));
    RLX_TRY(rlxv_asm_u32(a, &row.id));
    RLX_TRY(rlxv_asm_string(a, &row.scope));
    RLX_TRY(rlxv_asm_string(a, &row.target));
    return rlxv_asm_built(a, rlx_exec_builder_device(a->builder, &row, out, a->err));
}

/* --- code ------------------------------------------------------------------------------------- */

/* text "line" "line" ... */
static rlx_status text_bytes(rlxv_asm *a, rlx_code_image *image)
{
    rlxv_buffer joined;
    rlx_status status = RLX_OK;
    rlxv_buffer_init(&joined, &a->arena.allocator);
    while (status == RLX_OK && a->token.kind == RLXV_TOKEN_STRING) {
        rlx_str line;
        status = rlxv_asm_string(a, &line);
        if (status == RLX_OK)
            rlxv_buffer_write(&joined, line.data, line.len);
    }
    if (status == RLX_OK) {
        const rlx_str whole = {joined.size ? (const char *)joined.data : "", joined.size};
        image->data = joined.failed ? NULL : rlxv_arena_str(&a->arena, whole).data;
        image->size = joined.size;
        status = image->data ? RLX_OK : no_memory(a);
    }
    rlxv_buffer_deinit(&joined);
    return status;
}

/* "format" text "line" ..., or "format" SIZE hex "bytes" ... */
static rlx_status image(rlxv_asm *a, rlx_code_image *out)
{
    uint32_t size;
    bool is_text;
    RLX_TRY(rlxv_asm_string(a, &out->format));
    RLX_TRY(rlxv_asm_accept(a, "text", &is_text));
    if (is_text)
        return text_bytes(a, out);
    RLX_TRY(rlxv_asm_u32(a, &size));
    RLX_TRY(rlxv_asm_expect(a, "hex"));
    if (size > a->text.len)
        return rlxv_asm_error(a, "the text is too short for the image");
    uint8_t *data = rlxv_arena_alloc(&a->arena, size, 1);
    if (!data)
        return no_memory(a);
    out->data = data;
    out->size = size;
    return rlxv_asm_hex(a, data, size);
}

/* "opencl" [IMAGE, ...] */
rlx_status rlxv_asm_module(rlxv_asm *a, uint32_t *out)
{
    rlx_str kind;
    rlx_code_image *images = NULL;
    uint32_t n = 0;
    const rlxv_token where = a->token;
    RLX_TRY(rlxv_asm_string(a, &kind));
    RLX_TRY(rlxv_asm_expect(a, "["));
    while (!rlxv_asm_is(a, "]")) {
        if (n)
            RLX_TRY(rlxv_asm_expect(a, ","));
        RLX_TRY(rlxv_asm_grow(a, (void **)&images, n, sizeof *images));
        RLX_TRY(image(a, &images[n]));
        n++;
    }
    if (n == 0)
        return rlxv_asm_error(a, "expected an image");
    RLX_TRY(rlxv_asm_next(a));
    rlx_status status = rlx_exec_builder_device_module(a->builder, kind, images, n, out, a->err);
    if (status != RLX_OK)
        a->token = where;
    return rlxv_asm_built(a, status);
}

/* --- launches --------------------------------------------------------------------------------- */

/* [e, e]; |*out| has |*out_n| of them. */
static rlx_status expr_list(rlxv_asm *a, uint32_t **out, uint32_t *out_n)
{
    uint32_t *list = NULL, n = 0;
    RLX_TRY(rlxv_asm_expect(a, "["));
    while (!rlxv_asm_is(a, "]")) {
        if (n)
            RLX_TRY(rlxv_asm_expect(a, ","));
        RLX_TRY(rlxv_asm_grow(a, (void **)&list, n, sizeof *list));
        RLX_TRY(rlxv_asm_expr(a, &list[n]));
        n++;
    }
    *out = list;
    *out_n = n;
    return rlxv_asm_next(a);
}

static rlx_status three_exprs(rlxv_asm *a, uint32_t out[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        RLX_TRY(rlxv_asm_expect(a, i ? "," : "["));
        RLX_TRY(rlxv_asm_expr(a, &out[i]));
    }
    return rlxv_asm_expect(a, "]");
}

/* p0: a parameter; u0: a scratch buffer; checks "text": memory for failed checks; "int64 e": a
 * number. */
static rlx_status argument(rlxv_asm *a, rlx_launch_row_arg *out, rlx_str *checks)
{
    static const struct {
        const char *name;
        rlx_launch_arg_kind kind;
    } types[] = {{"int32", RLX_LAUNCH_I32},
                 {"int64", RLX_LAUNCH_I64},
                 {"float32", RLX_LAUNCH_F32},
                 {"float64", RLX_LAUNCH_F64}};
    *out = (rlx_launch_row_arg){RLX_LAUNCH_PARAM, RLX_LAUNCH_BUFFER, 0};
    if (rlxv_asm_index(a, 'p', &out->value))
        return rlxv_asm_next(a);
    out->source = RLX_LAUNCH_SCRATCH;
    if (rlxv_asm_index(a, 'u', &out->value))
        return rlxv_asm_next(a);
    out->source = RLX_LAUNCH_CHECKS;
    out->value = 0;
    if (rlxv_asm_is(a, "checks")) {
        RLX_TRY(rlxv_asm_next(a));
        return rlxv_asm_string(a, checks);
    }
    out->source = RLX_LAUNCH_EXPR;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!rlxv_asm_is(a, types[i].name))
            continue;
        out->type = types[i].kind;
        RLX_TRY(rlxv_asm_next(a));
        return rlxv_asm_expr(a, &out->value);
    }
    return rlxv_asm_error(a, "expected an argument, such as p0, u0 or int64 1");
}

/* "function" [grid] [block] shared (argument, ...) */
static rlx_status launch(rlxv_asm *a, rlx_launch_row *out)
{
    rlx_launch_row_arg *args = NULL;
    RLX_TRY(rlxv_asm_string(a, &out->function));
    RLX_TRY(three_exprs(a, out->grid));
    RLX_TRY(three_exprs(a, out->block));
    RLX_TRY(rlxv_asm_expr(a, &out->shared));
    RLX_TRY(rlxv_asm_expect(a, "("));
    out->n_args = 0;
    out->checks = RLX_STR("");
    while (!rlxv_asm_is(a, ")")) {
        if (out->n_args)
            RLX_TRY(rlxv_asm_expect(a, ","));
        RLX_TRY(rlxv_asm_grow(a, (void **)&args, out->n_args, sizeof *args));
        RLX_TRY(argument(a, &args[out->n_args], &out->checks));
        out->n_args++;
    }
    out->args = args;
    return rlxv_asm_next(a);
}

/* k0 m0 [scratch, ...] { LAUNCH ... } */
rlx_status rlxv_asm_launches(rlxv_asm *a, uint32_t *out)
{
    uint32_t kernel, module, *scratch, n_scratch, n = 0;
    rlx_launch_row *launches = NULL;
    rlxv_token where = a->token;
    (void)out;
    RLX_TRY(rlxv_asm_expect_index(a, 'k', "a kernel", &kernel));
    RLX_TRY(rlxv_asm_expect_index(a, 'm', "a module", &module));
    RLX_TRY(expr_list(a, &scratch, &n_scratch));
    RLX_TRY(rlxv_asm_expect(a, "{"));
    while (!rlxv_asm_is(a, "}")) {
        RLX_TRY(rlxv_asm_grow(a, (void **)&launches, n, sizeof *launches));
        RLX_TRY(launch(a, &launches[n]));
        n++;
    }
    RLX_TRY(rlxv_asm_next(a));
    rlx_status status = rlx_exec_builder_launches(a->builder, kernel, module, scratch, n_scratch,
                                                  launches, n, a->err);
    if (status != RLX_OK)
        a->token = where;
    return rlxv_asm_built(a, status);
}
