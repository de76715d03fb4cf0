/* The disassembler: tables in order with their numbers, then functions; a loop over the letters of
   the opcode rows. The assembler turns its text back into the same bytes. */
#include "vm/disasm.h"
#include "vm/need.h"

#include <rlx/asm.h>
#include <string.h>

void rlxv_print_string(rlxv_buffer *b, rlx_str s)
{
    rlxv_buffer_printf(b, "\"");
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];
        if (c == '"' || c == '\\')
            rlxv_buffer_printf(b, "\\%c", c);
        else if (c == '\n')
            rlxv_buffer_printf(b, "\\n");
        else if (c < 0x20 || c == 0x7f)
            rlxv_buffer_printf(b, "\\x%02x", c);
        else
            rlxv_buffer_write(b, &c, 1);
    }
    rlxv_buffer_printf(b, "\"");
}

void rlxv_print_hex(rlxv_buffer *b, const uint8_t *p, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i += 32) {
        size_t count = n - i < 32 ? n - i : 32;
        rlxv_buffer_printf(b, n > 32 ? "\n    \"" : " \"");
        uint8_t *to = rlxv_buffer_extend(b, 2 * count);
        for (size_t k = 0; to && k < count; k++) {
            to[2 * k] = (uint8_t)digits[p[i + k] >> 4];
            to[2 * k + 1] = (uint8_t)digits[p[i + k] & 15];
        }
        rlxv_buffer_printf(b, "\"");
    }
}

/* One level deep: operands are indices. */
static void print_expr_row(rlxv_buffer *b, const rlxv_expr *x)
{
    const char *infix = rlxv_expr_infix(x->op);
    if (x->op == RLX_EXPR_CONST)
        rlxv_buffer_printf(b, "%lld", (long long)x->value);
    else if (x->op == RLX_EXPR_SLOT)
        rlxv_buffer_printf(b, "s%u", x->a);
    else if (x->op == RLX_EXPR_SELECT)
        rlxv_buffer_printf(b, "select(e%u, e%u, e%u)", x->a, x->b, x->c);
    else if (infix)
        rlxv_buffer_printf(b, "e%u %s e%u", x->a, infix, x->b);
    else
        rlxv_buffer_printf(b, "%s(e%u, e%u)", x->op == RLX_EXPR_MIN ? "min" : "max", x->a, x->b);
}

static void print_dim(rlxv_buffer *b, rlx_dim d)
{
    if (d.kind == RLX_DIM_ANY)
        rlxv_buffer_printf(b, "?");
    else
        rlxv_buffer_printf(b, d.kind == RLX_DIM_BIND ? "s%u!" : "e%u", d.index);
}

static void print_dims(rlxv_buffer *b, const rlxv_type *t)
{
    rlxv_buffer_printf(b, t->rank_known ? "[" : "[*");
    for (uint32_t i = 0; i < t->n_dims; i++) {
        rlxv_buffer_printf(b, i ? ", " : "");
        print_dim(b, t->raw_dims[i]);
    }
    rlxv_buffer_printf(b, "]");
}

static void print_type_row(rlxv_buffer *b, const rlxv_type *t)
{
    char name[24];
    switch (t->kind) {
    case RLX_TYPE_OBJECT:
        rlxv_buffer_printf(b, "object");
        return;
    case RLX_TYPE_CALLABLE:
        rlxv_buffer_printf(b, "callable");
        return;
    case RLX_TYPE_PRIM:
        rlxv_buffer_printf(b, "prim(%s%s", rlx_dtype_name(t->dtype, name), t->n_dims ? ", " : "");
        if (t->n_dims)
            print_dim(b, t->raw_dims[0]);
        rlxv_buffer_printf(b, ")");
        return;
    case RLX_TYPE_SHAPE:
        rlxv_buffer_printf(b, "shape");
        print_dims(b, t);
        return;
    case RLX_TYPE_TENSOR:
        rlxv_buffer_printf(b, "%s", t->dtype.bits ? rlx_dtype_name(t->dtype, name) : "tensor");
        print_dims(b, t);
        return;
    case RLX_TYPE_TUPLE:
        rlxv_buffer_printf(b, "tuple(");
        for (uint32_t i = 0; i < t->n_children; i++)
            rlxv_buffer_printf(b, "%st%u", i ? ", " : "", t->children[i]);
        rlxv_buffer_printf(b, ")");
        return;
    }
}

static void print_int_list(rlxv_buffer *b, const int64_t *v, uint32_t n)
{
    rlxv_buffer_printf(b, "[");
    for (uint32_t i = 0; i < n; i++)
        rlxv_buffer_printf(b, "%s%lld", i ? ", " : "", (long long)v[i]);
    rlxv_buffer_printf(b, "]");
}

static void print_constant(rlxv_buffer *b, const rlxv_constant *c, uint32_t flags)
{
    rlx_value v = c->value;
    char name[24];
    uint64_t bits;
    switch ((rlx_kind)v.kind) {
    case RLX_KIND_NONE:
        rlxv_buffer_printf(b, "none");
        return;
    case RLX_KIND_INT:
        rlxv_buffer_printf(b, "int %lld", (long long)v.as.i);
        return;
    case RLX_KIND_FLOAT:
        memcpy(&bits, &v.as.f, sizeof bits);
        rlxv_buffer_printf(b, "float bits 0x%llx", (unsigned long long)bits);
        return;
    case RLX_KIND_BOOL:
        rlxv_buffer_printf(b, v.as.i ? "true" : "false");
        return;
    case RLX_KIND_DTYPE:
        rlxv_buffer_printf(b, "dtype %s", rlx_dtype_name(v.as.dtype, name));
        return;
    case RLX_KIND_STRING:
        rlxv_print_string(b, rlx_string_get(v.as.string));
        return;
    case RLX_KIND_SHAPE:
        rlxv_buffer_printf(b, "shape ");
        print_int_list(b, v.as.shape->dims, v.as.shape->n);
        return;
    case RLX_KIND_TUPLE:
        rlxv_buffer_printf(b, "tuple(");
        for (uint32_t i = 0; i < c->n_items; i++)
            rlxv_buffer_printf(b, "%sc%u", i ? ", " : "", c->items[i]);
        rlxv_buffer_printf(b, ")");
        return;
    case RLX_KIND_TENSOR:
        rlxv_buffer_printf(b, "tensor %s ", rlx_dtype_name(v.as.tensor->dtype, name));
        print_int_list(b, v.as.tensor->dims, v.as.tensor->ndim);
        rlxv_buffer_printf(b, " hex");
        if (flags & RLX_DISASSEMBLE_NO_DATA)
            rlxv_buffer_printf(b, " # %zu bytes", v.as.tensor->nbytes);
        else
            rlxv_print_hex(b, v.as.tensor->data, v.as.tensor->nbytes);
        return;
    case RLX_KIND_CLOSURE:
    case RLX_KIND_STORAGE:
    case RLX_KIND_OBJECT:
        return; /* the loader makes none */
    }
}

static void print_tables(rlxv_buffer *b, const rlx_executable *exe, uint32_t flags)
{
    for (uint32_t i = 0; i < exe->n_metadata; i++) {
        rlxv_buffer_printf(b, ".meta ");
        rlxv_print_string(b, exe->metadata[2 * i]);
        rlxv_buffer_printf(b, " ");
        rlxv_print_string(b, exe->metadata[2 * i + 1]);
        rlxv_buffer_printf(b, "\n");
    }
    for (uint32_t i = 0; i < exe->n_exprs; i++) {
        rlxv_buffer_printf(b, ".expr e%u = ", i);
        print_expr_row(b, &exe->exprs[i]);
        rlxv_buffer_printf(b, "\n");
    }
    for (uint32_t i = 0; i < exe->n_types; i++) {
        rlxv_buffer_printf(b, ".type t%u = ", i);
        print_type_row(b, &exe->types[i]);
        rlxv_buffer_printf(b, "\n");
    }
    for (uint32_t i = 0; i < exe->n_constants; i++) {
        rlxv_buffer_printf(b, ".const c%u = ", i);
        print_constant(b, &exe->constants[i], flags);
        rlxv_buffer_printf(b, "\n");
    }
    for (uint32_t i = 0; i < exe->n_kernels; i++) {
        const rlxv_kernel *k = &exe->kernels[i];
        rlxv_buffer_printf(b, ".kernel k%u ", i);
        rlxv_print_string(b, k->name);
        rlxv_buffer_printf(b, " ");
        rlxv_print_string(b, k->symbol);
        rlxv_buffer_printf(b, " dims %u (", k->n_dims);
        for (uint32_t p = 0; p < k->n_params; p++)
            rlxv_buffer_printf(b, "%s%st%u", p ? ", " : "", k->params[p].is_output ? "out " : "",
                               k->params[p].type);
        rlxv_buffer_printf(b, ")\n");
    }
    rlxv_print_devices(b, exe, flags);
    for (uint32_t i = 0; i < exe->n_imports; i++) {
        rlxv_buffer_printf(b, ".import b%u ", i);
        rlxv_print_string(b, exe->imports[i]);
        rlxv_buffer_printf(b, "\n");
    }
    if (!exe->native.present)
        return;
    rlxv_buffer_printf(b, ".native ");
    rlxv_print_string(b, exe->native.triple);
    rlxv_buffer_printf(b, " [");
    for (uint32_t i = 0; i < exe->native.n_features; i++) {
        rlxv_buffer_printf(b, i ? ", " : "");
        rlxv_print_string(b, exe->native.features[i]);
    }
    rlxv_buffer_printf(b, "] %zu", exe->native.size);
    if (!(flags & RLX_DISASSEMBLE_NO_DATA))
        rlxv_print_hex(b, exe->native.elf, exe->native.size);
    rlxv_buffer_printf(b, "\n");
}

static void print_operand(rlxv_buffer *b, const rlx_executable *exe, char letter, uint32_t v)
{
    char name[24];
    switch (letter) {
    case 'd':
    case 'r':
    case 'k':
    case 'R':
        rlxv_buffer_printf(b, "r%u", v);
        return;
    case 'w':
    case 's':
    case 'S':
        rlxv_buffer_printf(b, "s%u", v);
        return;
    case 'n':
        rlxv_buffer_printf(b, "c%u", v);
        return;
    case 'f':
        rlxv_buffer_printf(b, "k%u", v);
        return;
    case 'y':
        rlxv_buffer_printf(
            b, "%s",
            rlx_dtype_name((rlx_dtype){(uint8_t)v, (uint8_t)(v >> 8), (uint16_t)(v >> 16)}, name));
        return;
    case 'g':
        rlxv_buffer_printf(b, "@");
        rlxv_print_string(b, exe->functions[v].name);
        return;
    case 'j':
        rlxv_buffer_printf(b, "L%u", v);
        return;
    case 'i':
        rlxv_buffer_printf(b, "%u", v);
        return;
    default: /* e t c b z p u v: letter and number */
        rlxv_buffer_printf(b, "%c%u", letter, v);
        return;
    }
}

/* A comment ends with its line, so names in it must not contain line breaks. */
static void keep_line(rlxv_buffer *b, size_t from)
{
    for (size_t i = from; !b->failed && i < b->size; i++)
        if (b->data[i] < 0x20)
            b->data[i] = ' ';
}

/* A comment with the meaning of the indices. */
static void print_comment(rlxv_buffer *b, const rlx_executable *exe, const rlxv_function *fn,
                          const rlxv_operand *o)
{
    rlx_str text = {NULL, 0};
    if (o->letter == 'f')
        text = exe->kernels[o->value].name;
    else if (o->letter == 'b')
        text = exe->imports[o->value];
    else if (o->letter == 'n')
        text = rlx_string_get(exe->constants[o->value].value.as.string);
    if (text.data) {
        rlxv_buffer_printf(b, "  # ");
        rlxv_print_string(b, text);
    } else if (o->letter == 'v' && o->value > 0) {
        rlxv_buffer_printf(b, "  # %s:%u", exe->devices[o->value].kind.data,
                           exe->devices[o->value].id);
    } else if (o->letter == 'e' || o->letter == 't') {
        size_t from = b->size;
        rlxv_buffer_printf(b, "  # ");
        if (o->letter == 'e')
            rlxv_print_expr(b, exe, fn, o->value);
        else
            rlxv_print_type(b, exe, fn, o->value);
        keep_line(b, from);
    }
}

static void print_instruction(rlxv_buffer *b, const rlx_executable *exe, const rlxv_function *fn,
                              const rlxv_instruction *in)
{
    rlxv_buffer_printf(b, "    %s", in->info->name);
    for (uint32_t i = 0; i < in->n_operands; i++) {
        const rlxv_operand *o = &in->operands[i];
        bool list = o->letter == 'R' || o->letter == 'S';
        rlxv_buffer_printf(b, i ? ", " : " ");
        if (list)
            rlxv_buffer_printf(b, "[");
        for (uint32_t k = 0; k < (list ? o->n : 1); k++) {
            if (k > 0)
                rlxv_buffer_printf(b, ", ");
            print_operand(b, exe, o->letter, list ? o->items[k] : o->value);
        }
        if (list)
            rlxv_buffer_printf(b, "]");
    }
    for (uint32_t i = 0; i < in->n_operands; i++)
        print_comment(b, exe, fn, &in->operands[i]);
    rlxv_buffer_printf(b, "\n");
}

/* ".region z1 v2", of |all| regions or of those on devices. */
static void print_regions(rlxv_buffer *b, const rlxv_function *fn, bool all)
{
    for (uint32_t i = 0; i < fn->plan.n_regions; i++)
        if (all || fn->plan.regions[i].device)
            rlxv_buffer_printf(b, "    .region z%u v%u\n", i, fn->plan.regions[i].device);
}

/* Regions that buffers do not name in order come first. ".buffer u0 z0 e5 12 96 @1024" and ".tensor
 * p0 u0 t3". */
static void print_plan(rlxv_buffer *b, const rlx_executable *exe, const rlxv_function *fn)
{
    bool unordered = false;
    for (uint32_t i = 0, n = 0; i < fn->plan.n_buffers; i++) {
        unordered |= fn->plan.buffers[i].region > n;
        n += fn->plan.buffers[i].region == n;
    }
    if (unordered)
        print_regions(b, fn, true);
    for (uint32_t i = 0; i < fn->plan.n_buffers; i++) {
        const rlx_plan_buffer *row = &fn->plan.buffers[i];
        rlxv_buffer_printf(b, "    .buffer u%u z%u e%u %u %u", i, row->region, row->size,
                           row->first, row->last);
        if (row->offset != RLX_PLAN_AT_RUN_TIME)
            rlxv_buffer_printf(b, " @ %llu", (unsigned long long)row->offset);
        size_t from = b->size;
        rlxv_buffer_printf(b, "  # ");
        rlxv_print_expr(b, exe, fn, row->size);
        keep_line(b, from);
        rlxv_buffer_printf(b, " bytes\n");
    }
    if (!unordered)
        print_regions(b, fn, false);
    for (uint32_t i = 0; i < fn->plan.n_tensors; i++) {
        const rlxv_plan_tensor *row = &fn->plan.tensors[i];
        rlxv_buffer_printf(b, "    .tensor p%u u%u t%u", i, row->buffer, row->type);
        size_t from = b->size;
        rlxv_buffer_printf(b, "  # ");
        rlxv_print_type(b, exe, fn, row->type);
        keep_line(b, from);
        rlxv_buffer_printf(b, "\n");
    }
}

/* A byte per code word: 1 for jump targets. NULL if memory is out. */
static uint8_t *find_targets(const rlx_allocator *a, const rlxv_function *fn)
{
    uint8_t *target = rlx_alloc(a, fn->n_words, 1);
    rlxv_instruction in;
    if (!target)
        return NULL;
    memset(target, 0, fn->n_words);
    for (uint32_t pc = 0; pc < fn->n_words; pc += in.n_words) {
        rlxv_decode(fn->code + pc, fn->n_words - pc, &in);
        for (uint32_t i = 0; i < in.n_operands; i++)
            if (in.operands[i].letter == 'j')
                target[in.operands[i].value] = 1;
    }
    return target;
}

static void print_function(rlxv_buffer *b, const rlx_executable *exe, const rlxv_function *fn)
{
    uint32_t debug = 0;
    rlxv_instruction in;
    uint8_t *target = find_targets(&b->allocator, fn);
    if (!target) {
        b->failed = true;
        return;
    }
    rlxv_buffer_printf(b, ".func %s", fn->exported ? "" : "private ");
    rlxv_print_string(b, fn->name);
    rlxv_buffer_printf(b, " (");
    for (uint32_t i = 0; i < fn->n_params; i++) {
        rlxv_buffer_printf(b, i ? ", " : "");
        rlxv_print_string(b, fn->params[i].name);
        rlxv_buffer_printf(b, ": t%u", fn->params[i].type);
    }
    rlxv_buffer_printf(b, ") -> t%u symbols %u {  # (", fn->result_type, fn->n_symbols);
    size_t from = b->size;
    for (uint32_t i = 0; i < fn->n_params; i++) {
        rlxv_buffer_printf(b, i ? ", " : "");
        rlxv_print_type(b, exe, fn, fn->params[i].type);
    }
    rlxv_buffer_printf(b, ") -> ");
    rlxv_print_type(b, exe, fn, fn->result_type);
    keep_line(b, from);
    rlxv_buffer_printf(b, "\n");
    for (uint32_t i = 0; i < fn->n_slot_names; i++) {
        rlxv_buffer_printf(b, "    .slot s%u ", fn->slot_names[i].slot);
        rlxv_print_string(b, fn->slot_names[i].name);
        rlxv_buffer_printf(b, "\n");
    }
    for (uint32_t i = 0; fn->result_names && i < rlxv_n_results(exe, fn); i++) {
        rlxv_buffer_printf(b, i ? ", " : "    .results ");
        rlxv_print_string(b, fn->result_names[i]);
    }
    if (fn->result_names)
        rlxv_buffer_printf(b, "\n");
    for (uint32_t i = 0; i < fn->n_debug; i++) {
        const rlxv_debug_row *d = &fn->debug[i];
        if (d->pc < fn->n_words)
            continue;
        rlxv_buffer_printf(b, "    .param %u ", d->pc - fn->n_words);
        rlxv_print_string(b, d->file);
        rlxv_buffer_printf(b, " %u %u\n", d->line, d->column);
    }
    print_plan(b, exe, fn);
    for (uint32_t pc = 0; pc < fn->n_words; pc += in.n_words) {
        if (target[pc])
            rlxv_buffer_printf(b, "L%u:\n", pc);
        for (; debug < fn->n_debug && fn->debug[debug].pc == pc; debug++) {
            const rlxv_debug_row *d = &fn->debug[debug];
            rlxv_buffer_printf(b, d->line ? "    .at " : "    .at none\n");
            if (!d->line)
                continue;
            rlxv_print_string(b, d->file);
            rlxv_buffer_printf(b, " %u %u ", d->line, d->column);
            rlxv_print_string(b, d->name);
            rlxv_buffer_printf(b, "\n");
        }
        rlxv_decode(fn->code + pc, fn->n_words - pc, &in);
        print_instruction(b, exe, fn, &in);
    }
    rlxv_buffer_printf(b, "}\n");
    rlx_free(&b->allocator, target, fn->n_words, 1);
}

/* Shrinks the text to the exact size that its owner will free. */
static rlx_status finish(rlxv_buffer *b, char **out_text, size_t *out_len, rlx_error *err)
{
    char *text = b->failed ? NULL : rlx_alloc(&b->allocator, b->size + 1, 1);
    if (text) {
        if (b->size)
            memcpy(text, b->data, b->size);
        text[b->size] = 0;
        *out_text = text;
        *out_len = b->size;
    }
    rlxv_buffer_deinit(b);
    return text ? RLX_OK : rlx_fail(err, RLX_E_NOMEM, "out of memory in the disassembler");
}

rlx_status rlx_disassemble(const rlx_allocator *a, const rlx_executable *exe, uint32_t flags,
                           char **out_text, size_t *out_len, rlx_error *err)
{
    RLXV_NEED(err, exe && out_text && out_len);
    rlxv_buffer b;
    rlxv_buffer_init(&b, a);
    print_tables(&b, exe, flags);
    for (uint32_t i = 0; i < exe->n_functions; i++) {
        rlxv_buffer_printf(&b, "\n");
        print_function(&b, exe, &exe->functions[i]);
    }
    return finish(&b, out_text, out_len, err);
}

rlx_status rlx_disassemble_function(const rlx_allocator *a, const rlx_executable *exe,
                                    uint32_t function, char **out_text, size_t *out_len,
                                    rlx_error *err)
{
    RLXV_NEED(err, exe && out_text && out_len);
    rlxv_buffer b;
    if (function >= exe->n_functions)
        return rlx_fail(err, RLX_E_NOT_FOUND, "there is no function %u", function);
    rlxv_buffer_init(&b, a);
    print_function(&b, exe, &exe->functions[function]);
    return finish(&b, out_text, out_len, err);
}
