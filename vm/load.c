/* Decodes the sections of a file into the tables of an executable.

   Every count is checked against the bytes that remain before memory is taken for it; every index
   against the table it points into; strings must be UTF-8 without NUL. verify.c checks the code,
   before the executable is returned. For the layout of the sections see the parse_ functions, each
   of which states its rows in little-endian words of 32 bits. */
#include "vm/load.h"

#include <rlx/checked.h>
#include <string.h>

uint32_t rlxv_read_word(rlxv_reader *r)
{
    if (r->left < 4) {
        r->bad = true;
        return 0;
    }
    uint32_t v = rlxv_load_u32(r->p);
    r->p += 4;
    r->left -= 4;
    return v;
}

uint64_t rlxv_read_word64(rlxv_reader *r)
{
    uint64_t low = rlxv_read_word(r);
    return low | (uint64_t)rlxv_read_word(r) << 32;
}

uint32_t rlxv_read_count(rlxv_reader *r, size_t words)
{
    uint32_t n = rlxv_read_word(r);
    if (n > r->left / 4 / words) {
        r->bad = true;
        return 0;
    }
    return n;
}

rlx_status rlxv_malformed(rlxv_loader *l, const char *what, uint32_t row, const char *why)
{
    return rlx_fail(l->err, RLX_E_INVALID_MODULE, "%s %u: %s", what, row, why);
}

rlx_status rlxv_load_nomem(rlxv_loader *l)
{
    return rlx_fail(l->err, RLX_E_NOMEM, "out of memory while loading an executable");
}

/* Opens a section whose rows have at least |words| words; *out_count is checked against its size.
 */
rlx_status rlxv_open_section(rlxv_loader *l, uint32_t kind, size_t words, const char *name,
                             rlxv_reader *r, uint32_t *out_count)
{
    const rlxv_section *s = &l->sections[kind];
    *r = (rlxv_reader){s->data, s->size, false};
    if (s->present && s->count > s->size / 4 / words)
        return rlx_fail(l->err, RLX_E_INVALID_MODULE, "the %s section is too small for %u rows",
                        name, s->count);
    *out_count = s->present ? s->count : 0;
    return RLX_OK;
}

rlx_status rlxv_close_section(rlxv_loader *l, const rlxv_reader *r, const char *name)
{
    if (r->bad)
        return rlx_fail(l->err, RLX_E_INVALID_MODULE, "the %s section ends early", name);
    if (r->left)
        return rlx_fail(l->err, RLX_E_INVALID_MODULE, "the %s section has %zu bytes too many", name,
                        r->left);
    return RLX_OK;
}

rlx_status rlxv_read_string(rlxv_loader *l, rlxv_reader *r, rlx_str *out)
{
    uint32_t i = rlxv_read_word(r);
    if (r->bad || i >= l->exe->n_strings)
        return rlx_fail(l->err, RLX_E_INVALID_MODULE, "string %u does not exist", i);
    *out = l->exe->strings[i];
    return RLX_OK;
}

/* Kernels: name, symbol, n_dims, n_params, then type and flags of each. */
static rlx_status parse_kernels(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_reader r;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_KERNELS, 4, "kernels", &r, &exe->n_kernels));
    exe->kernels = rlxv_arena_alloc(&exe->arena, exe->n_kernels, sizeof *exe->kernels);
    if (!exe->kernels)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < exe->n_kernels && !r.bad; i++) {
        rlxv_kernel *k = &exe->kernels[i];
        RLX_TRY(rlxv_read_string(l, &r, &k->name));
        RLX_TRY(rlxv_read_string(l, &r, &k->symbol));
        k->n_dims = rlxv_read_word(&r);
        k->n_params = rlxv_read_count(&r, 2);
        k->module = RLX_NONE;
        if (k->n_dims > RLXV_MAX_SLOTS)
            return rlxv_malformed(l, "kernel", i, "has too many dims");
        rlxv_kernel_param *params = rlxv_arena_alloc(&exe->arena, k->n_params, sizeof *params);
        if (!params)
            return rlxv_load_nomem(l);
        for (uint32_t p = 0; p < k->n_params && !r.bad; p++) {
            uint32_t type = rlxv_read_word(&r), flags = rlxv_read_word(&r);
            if (type >= exe->n_types || flags > 1)
                return rlxv_malformed(l, "kernel", i, "bad parameter");
            const rlxv_type *t = &exe->types[type];
            if (t->kind != RLX_TYPE_TENSOR || !t->dtype.bits || !t->rank_known)
                return rlxv_malformed(l, "kernel", i, "a parameter lacks a dtype or a rank");
            for (uint32_t d = 0; d < t->n_dims; d++)
                if (t->raw_dims[d].kind != RLX_DIM_EXPR)
                    return rlxv_malformed(l, "kernel", i,
                                          "a parameter's dimension is not an expression");
            if (t->slots > k->n_dims)
                return rlxv_malformed(l, "kernel", i, "a parameter needs a dim the kernel lacks");
            params[p] = (rlxv_kernel_param){type, t->dtype, t->n_dims, flags == 1, t->dims};
        }
        k->params = params;
    }
    return rlxv_close_section(l, &r, "kernels");
}

/* Imports: a string each. */
static rlx_status parse_imports(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_reader r;
    uint32_t n_rows;
    const rlx_builtin *rows = rlx_builtin_table(&n_rows);
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_IMPORTS, 1, "imports", &r, &exe->n_imports));
    exe->imports = rlxv_arena_alloc(&exe->arena, exe->n_imports, sizeof *exe->imports);
    exe->builtins = rlxv_arena_alloc(&exe->arena, exe->n_imports, sizeof *exe->builtins);
    if (!exe->imports || !exe->builtins)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < exe->n_imports; i++) {
        RLX_TRY(rlxv_read_string(l, &r, &exe->imports[i]));
        for (uint32_t k = 0; k < n_rows && !exe->builtins[i]; k++)
            if (rlx_str_eq(rlx_str_from(rows[k].name), exe->imports[i]))
                exe->builtins[i] = &rows[k];
        if (!exe->builtins[i])
            return rlx_fail(l->err, RLX_E_NOT_FOUND, "this library has no builtin '%.*s'",
                            (int)exe->imports[i].len, exe->imports[i].data);
    }
    return rlxv_close_section(l, &r, "imports");
}

static rlx_status parse_function(rlxv_loader *l, rlxv_reader *r, uint32_t i)
{
    rlx_executable *exe = l->exe;
    rlxv_function *fn = &exe->functions[i];
    RLX_TRY(rlxv_read_string(l, r, &fn->name));
    uint32_t flags = rlxv_read_word(r);
    fn->exported = flags & 1;
    fn->n_registers = rlxv_read_word(r);
    fn->n_slots = rlxv_read_word(r);
    fn->n_symbols = rlxv_read_word(r);
    fn->result_type = rlxv_read_word(r);
    fn->code_offset = rlxv_read_word(r);
    fn->n_words = rlxv_read_word(r);
    fn->n_params = rlxv_read_count(r, 2);
    fn->n_slot_names = rlxv_read_count(r, 2);
    if (r->bad || flags > 1 || fn->result_type >= exe->n_types)
        return rlxv_malformed(l, "function", i, "bad row");
    if (fn->n_registers > RLXV_MAX_REGISTERS || fn->n_slots > RLXV_MAX_SLOTS)
        return rlxv_malformed(l, "function", i, "has too many registers or slots");
    if (fn->n_params > fn->n_registers || fn->n_symbols > fn->n_slots)
        return rlxv_malformed(l, "function", i,
                              "has more parameters than registers, or symbols than slots");
    if (fn->code_offset > exe->n_words || fn->n_words > exe->n_words - fn->code_offset)
        return rlxv_malformed(l, "function", i, "leaves the code section");
    fn->code = exe->code + fn->code_offset;
    fn->params = rlxv_arena_alloc(&exe->arena, fn->n_params, sizeof *fn->params);
    fn->slot_names = rlxv_arena_alloc(&exe->arena, fn->n_slot_names, sizeof *fn->slot_names);
    if (!fn->params || !fn->slot_names)
        return rlxv_load_nomem(l);
    for (uint32_t p = 0; p < fn->n_params; p++) {
        RLX_TRY(rlxv_read_string(l, r, &fn->params[p].name));
        fn->params[p].type = rlxv_read_word(r);
        if (fn->params[p].type >= exe->n_types)
            return rlxv_malformed(l, "function", i, "a parameter's type does not exist");
    }
    for (uint32_t s = 0; s < fn->n_slot_names; s++) {
        fn->slot_names[s].slot = rlxv_read_word(r);
        RLX_TRY(rlxv_read_string(l, r, &fn->slot_names[s].name));
        if (fn->slot_names[s].slot >= fn->n_slots ||
            (s > 0 && fn->slot_names[s].slot <= fn->slot_names[s - 1].slot))
            return rlxv_malformed(l, "function", i, "slot names are out of range or order");
    }
    return RLX_OK;
}

/* Functions: name, flags, registers, slots, symbols, result type, code offset, words, number of
   parameters and of slot names; then name and type of each parameter, slot and name of each slot.
   Functions share no code words, and together cover all of them. */
static rlx_status parse_functions(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_reader r;
    uint32_t at = 0;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_FUNCTIONS, 10, "functions", &r, &exe->n_functions));
    exe->function_hash_size = 16;
    while (exe->function_hash_size < exe->n_functions * 2)
        exe->function_hash_size *= 2;
    uint32_t mask = exe->function_hash_size - 1;
    exe->functions = rlxv_arena_alloc(&exe->arena, exe->n_functions, sizeof *exe->functions);
    exe->function_hash = rlxv_arena_alloc(&exe->arena, mask + 1, sizeof *exe->function_hash);
    if (!exe->functions || !exe->function_hash)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < exe->n_functions; i++) {
        RLX_TRY(parse_function(l, &r, i));
        rlx_str name = exe->functions[i].name;
        if (exe->functions[i].code_offset != at)
            return rlxv_malformed(l, "function", i, "its code is not where the last one's ends");
        at += exe->functions[i].n_words;
        uint32_t h = (uint32_t)rlxv_checksum(name.data, name.len) & mask;
        for (; exe->function_hash[h]; h = (h + 1) & mask)
            if (rlx_str_eq(exe->functions[exe->function_hash[h] - 1].name, name))
                return rlxv_malformed(l, "function", i, "has the name of an earlier one");
        exe->function_hash[h] = i + 1;
    }
    if (at != exe->n_words)
        return rlx_fail(l->err, RLX_E_INVALID_MODULE,
                        "the code section has words that belong to no function");
    return rlxv_close_section(l, &r, "functions");
}

/* Code: words. */
static rlx_status parse_code(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_reader r;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_CODE, 1, "code", &r, &exe->n_words));
    exe->code = rlxv_arena_alloc(&exe->arena, exe->n_words, sizeof *exe->code);
    if (!exe->code)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < exe->n_words; i++)
        exe->code[i] = rlxv_read_word(&r);
    return rlxv_close_section(l, &r, "code");
}

/* Debug map: function, pc, file, line, column, name; by function and pc. The parameters' places
   follow those of the code: parameter p has the number of the code's words + p. */
static rlx_status parse_debug(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_reader r;
    uint32_t n, last = 0;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_DEBUG, 6, "debug", &r, &n));
    rlxv_debug_row *rows = rlxv_arena_alloc(&exe->arena, n, sizeof *rows);
    if (!rows)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = rlxv_read_word(&r);
        rows[i].pc = rlxv_read_word(&r);
        RLX_TRY(rlxv_read_string(l, &r, &rows[i].file));
        rows[i].line = rlxv_read_word(&r);
        rows[i].column = rlxv_read_word(&r);
        RLX_TRY(rlxv_read_string(l, &r, &rows[i].name));
        if (f >= exe->n_functions || f < last ||
            (i > 0 && f == last && exe->functions[f].n_debug && rows[i].pc <= rows[i - 1].pc) ||
            rows[i].pc >= (uint64_t)exe->functions[f].n_words + exe->functions[f].n_params)
            return rlxv_malformed(l, "debug row", i, "is out of range or order");
        if (exe->functions[f].n_debug++ == 0)
            exe->functions[f].debug = &rows[i];
        last = f;
    }
    return rlxv_close_section(l, &r, "debug");
}

/* Names of results: function, number of results, their names; by function. */
static rlx_status parse_names(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_reader r;
    uint32_t n, last = 0;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_NAMES, 2, "names", &r, &n));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = rlxv_read_word(&r), count = rlxv_read_count(&r, 1);
        if (r.bad || f >= exe->n_functions || (i > 0 && f <= last) || count == 0 ||
            count != rlxv_n_results(exe, &exe->functions[f]))
            return rlxv_malformed(l, "names row", i, "is out of range or order");
        rlx_str *names = rlxv_arena_alloc(&exe->arena, count, sizeof *names);
        if (!names)
            return rlxv_load_nomem(l);
        for (uint32_t k = 0; k < count; k++)
            RLX_TRY(rlxv_read_string(l, &r, &names[k]));
        exe->functions[f].result_names = names;
        last = f;
    }
    return rlxv_close_section(l, &r, "names");
}

/* Metadata: key and value. */
static rlx_status parse_metadata(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_reader r;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_METADATA, 2, "metadata", &r, &exe->n_metadata));
    exe->metadata = rlxv_arena_alloc(&exe->arena, exe->n_metadata, 2 * sizeof *exe->metadata);
    if (!exe->metadata)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < 2 * exe->n_metadata; i++)
        RLX_TRY(rlxv_read_string(l, &r, &exe->metadata[i]));
    return rlxv_close_section(l, &r, "metadata");
}

/* Native code: triple, features, size of the shared object (64 bits), its bytes. */
static rlx_status parse_native(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_native *nat = &exe->native;
    rlxv_reader r;
    uint32_t n;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_NATIVE, 4, "native", &r, &n));
    if (!l->sections[RLXV_SECTION_NATIVE].present)
        return RLX_OK;
    RLX_TRY(rlxv_read_string(l, &r, &nat->triple));
    nat->n_features = rlxv_read_count(&r, 1);
    nat->features = rlxv_arena_alloc(&exe->arena, nat->n_features, sizeof *nat->features);
    if (!nat->features)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < nat->n_features; i++)
        RLX_TRY(rlxv_read_string(l, &r, &nat->features[i]));
    uint64_t size = rlxv_read_word64(&r);
    if (n != 1 || r.bad || size != r.left)
        return rlx_fail(l->err, RLX_E_INVALID_MODULE, "the native section has a wrong size");
    nat->present = true;
    nat->elf = r.p;
    nat->size = r.left;
    return RLX_OK;
}

/* --- header ---------------------------------------------------------------------------------- */

static rlx_status bad_header(rlx_error *err, const char *why)
{
    return rlx_fail(err, RLX_E_INVALID_MODULE, "invalid executable: %s", why);
}

rlx_status rlxv_read_header(const uint8_t *h, size_t available, uint64_t total_size,
                            size_t *out_head_size, uint64_t *out_data_offset,
                            uint64_t *out_data_size, rlx_error *err)
{
    if (available < RLXV_HEADER_BYTES || memcmp(h, RLXV_MAGIC, 8) != 0)
        return bad_header(err, "it does not begin like one");
    uint32_t major = rlxv_load_u16(h + 8), minor = rlxv_load_u16(h + 10);
    if (major != RLX_FORMAT_MAJOR || minor > RLX_FORMAT_MINOR)
        return rlx_fail(err, RLX_E_VERSION,
                        "the file has format %u.%u, this library reads %d.0 to %d.%d", major, minor,
                        RLX_FORMAT_MAJOR, RLX_FORMAT_MAJOR, RLX_FORMAT_MINOR);
    uint32_t n = rlxv_load_u32(h + 24);
    if (rlxv_load_u32(h + 12) || rlxv_load_u32(h + 28))
        return bad_header(err, "unknown flags");
    for (size_t i = 40; i < RLXV_HEADER_BYTES; i++)
        if (h[i])
            return bad_header(err, "unknown flags");
    if (rlxv_load_u64(h + 16) != total_size)
        return bad_header(err, "its size is not what the header says");
    if (n > RLXV_MAX_SECTIONS)
        return bad_header(err, "too many sections");
    size_t table_end = RLXV_HEADER_BYTES + (size_t)n * RLXV_SECTION_BYTES;
    if (table_end > available)
        return bad_header(err, "the section table ends early");
    if (rlxv_checksum_header(h, table_end - RLXV_HEADER_BYTES) != rlxv_load_u64(h + 32))
        return bad_header(err, "the header's checksum is wrong");

    uint64_t at = table_end, data_offset = total_size, data_size = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *e = h + RLXV_HEADER_BYTES + (size_t)i * RLXV_SECTION_BYTES;
        uint64_t offset = rlxv_load_u64(e + 8), size = rlxv_load_u64(e + 16);
        if (offset % 64 || offset < at || offset - at >= 64 || offset > total_size ||
            size > total_size - offset)
            return bad_header(err, "a section is out of place");
        if (rlxv_load_u32(e) == RLXV_SECTION_DATA) {
            if (i != n - 1)
                return bad_header(err, "the data section is not the last");
            data_offset = offset;
            data_size = size;
        }
        at = offset + size;
    }
    if (at != total_size)
        return bad_header(err, "there are bytes after the last section");
    if (data_offset > SIZE_MAX / 2)
        return bad_header(err, "it is too large");
    *out_head_size = (size_t)data_offset;
    *out_data_offset = data_offset;
    *out_data_size = data_size;
    return RLX_OK;
}

bool rlxv_is_common_section(uint32_t kind)
{
    return kind == RLXV_SECTION_DATA || kind == RLXV_SECTION_SIGNATURE ||
           kind == RLXV_SECTION_LEVELS || kind == RLXV_SECTION_MODULES;
}

rlxv_section rlxv_section_at(const uint8_t *head, const uint8_t *row)
{
    return (rlxv_section){.data = head + rlxv_load_u64(row + 8),
                          .size = (size_t)rlxv_load_u64(row + 16),
                          .count = rlxv_load_u32(row + 32),
                          .present = true,
                          .compressed = rlxv_load_u32(row + 4) & RLXV_SECTION_COMPRESSED};
}

/* Fills l->sections with the sections that belong to no level and compares all checksums; the
 * header is already checked. */
static rlx_status split_sections(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    const uint8_t *h = exe->head;
    uint32_t n = rlxv_load_u32(h + 24), seen[RLX_MAX_LEVELS + 1] = {0};
    size_t at = RLXV_HEADER_BYTES + (size_t)n * RLXV_SECTION_BYTES;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *e = h + RLXV_HEADER_BYTES + (size_t)i * RLXV_SECTION_BYTES;
        uint32_t kind = rlxv_load_u32(e), flags = rlxv_load_u32(e + 4);
        uint64_t offset = rlxv_load_u64(e + 8), size = rlxv_load_u64(e + 16);
        uint64_t sum = rlxv_load_u64(e + 24);
        uint32_t level = rlxv_load_u32(e + 36);
        const bool compressed = flags & RLXV_SECTION_COMPRESSED;
        if (flags & ~(RLXV_SECTION_REQUIRED | RLXV_SECTION_COMPRESSED) || level > RLX_MAX_LEVELS ||
            (rlxv_is_common_section(kind) &&
             (level > 0 || (compressed && kind != RLXV_SECTION_MODULES))))
            return bad_header(l->err, "unknown section flags");
        for (; at < offset; at++)
            if (h[at])
                return bad_header(l->err, "padding is not zero");
        at = (size_t)offset;
        if (kind == RLXV_SECTION_DATA) {
            exe->data_checksum = sum;
            break;
        }
        at += (size_t)size;
        if (rlxv_checksum(h + offset, (size_t)size) != sum)
            return rlx_fail(l->err, RLX_E_INVALID_MODULE, "section %u is damaged: wrong checksum",
                            kind);
        if (kind == 0 || kind >= RLXV_SECTION_END) {
            if (flags & RLXV_SECTION_REQUIRED)
                return rlx_fail(l->err, RLX_E_VERSION,
                                "section %u is required and unknown to this library", kind);
            continue;
        }
        if (seen[level] & 1u << kind)
            return rlx_fail(l->err, RLX_E_INVALID_MODULE, "section %u appears twice", kind);
        seen[level] |= 1u << kind;
        if (level == 0)
            l->sections[kind] = rlxv_section_at(h, e);
    }
    return RLX_OK;
}

rlx_status rlxv_load(const rlx_allocator *a, uint8_t *head, size_t head_size, rlx_storage *data,
                     uint64_t total_size, const rlx_load_options *options, rlx_executable **out,
                     rlx_error *err)
{
    rlx_executable *exe = rlx_alloc(a, sizeof *exe, _Alignof(rlx_executable));
    if (!exe) {
        rlx_free(a, head, head_size, 64);
        if (data)
            rlxv_release(&data->header);
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while loading an executable");
    }
    memset(exe, 0, sizeof *exe);
    atomic_init(&exe->refs, 1);
    rlxv_lock_init(&exe->copies_lock);
    exe->allocator = a ? *a : *rlx_default_allocator();
    rlxv_arena_init(&exe->arena, a);
    exe->head = head;
    exe->head_size = head_size;
    exe->data = data;
    exe->total_size = total_size;
    exe->trusts_code = options && options->trust_native;

    rlxv_loader l = {.exe = exe, .options = options, .err = err};
    static rlx_status (*const steps[])(rlxv_loader *) = {
        split_sections,       rlxv_parse_signature, rlxv_choose_level,  rlxv_decompress_sections,
        rlxv_load_weights,    rlxv_parse_strings,   rlxv_parse_exprs,   rlxv_parse_types,
        rlxv_parse_constants, parse_kernels,        parse_imports,      parse_code,
        parse_functions,      rlxv_parse_plans,     rlxv_parse_modules, rlxv_parse_devices,
        parse_debug,          parse_names,          parse_metadata,     parse_native,
    };
    rlx_status status = rlxv_read_header(head, head_size, total_size, &exe->head_size,
                                         &exe->data_offset, &exe->data_size, err);
    if (status == RLX_OK &&
        (exe->head_size != head_size || exe->data_size != (data ? data->size : 0)))
        status = bad_header(err, "it changed while it was read");
    for (size_t i = 0; status == RLX_OK && i < sizeof steps / sizeof *steps; i++)
        status = steps[i](&l);
    if (status == RLX_OK)
        status = rlxv_verify(exe, err);
    if (status == RLX_OK && options && options->trust_native && exe->native.present)
        status = rlxv_native_load(exe, options->native_file, err);
    exe->head_size = head_size;
    if (status != RLX_OK) {
        rlx_executable_release(exe);
        return status;
    }
    *out = exe;
    return RLX_OK;
}
