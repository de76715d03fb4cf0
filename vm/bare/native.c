/* The native section without a dynamic loader: the segments of the shared object are copied into
 * memory of the host program, its relocations applied, and the kernels found through its hash
 * table. The object is what rlxc's linker makes: 64-bit little-endian ELF with DT_GNU_HASH and
 * relocations with addends, without constructors or thread-local data. Every number in it is
 * checked, so that a damaged one is an error. */
#include "vm/bare/bare.h"
#include "vm/exec.h"
#include "vm/file.h"

#include <string.h>

/* --- ELF: offsets and numbers of the System V ABI ----------------------------------------------
 */

enum {
    EHDR_BYTES = 64,
    EHDR_TYPE = 16,
    EHDR_MACHINE = 18,
    EHDR_PHOFF = 32,
    EHDR_PHENTSIZE = 54,
    EHDR_PHNUM = 56,
    PHDR_BYTES = 56,
    PHDR_FLAGS = 4,
    PHDR_OFFSET = 8,
    PHDR_VADDR = 16,
    PHDR_FILESZ = 32,
    PHDR_MEMSZ = 40,
    PHDR_ALIGN = 48,
    DYN_BYTES = 16,
    SYM_BYTES = 24,
    SYM_INFO = 4,
    SYM_SHNDX = 6,
    SYM_VALUE = 8,
    RELA_BYTES = 24,
    ET_DYN = 3,
    PT_LOAD = 1,
    PT_DYNAMIC = 2,
    PT_TLS = 7,
    STB_WEAK = 2,
    MAX_ALIGN = 1 << 20,
};

/* What this machine's objects are. Types of relocations: symbol + addend (twice: tables of data and
 * of calls) and load address + addend; |absolute| is the first in 64 bits of data. */
static const struct machine {
    uint16_t number;
    uint32_t absolute, global, jump, relative;
} machine =
#if defined(__x86_64__)
    {62, 1, 6, 7, 8};
#elif defined(__aarch64__)
    {183, 257, 1025, 1026, 1027};
#else
    {243, 2, 2, 5, 3}; /* RISC-V */
#endif

/* Rows of the dynamic table that are read; those that need what is not done here are errors. */
typedef enum tag {
    TAG_HASH,
    TAG_STRINGS,
    TAG_STRINGS_BYTES,
    TAG_SYMBOLS,
    TAG_RELA,
    TAG_RELA_BYTES,
    TAG_CALLS,
    TAG_CALLS_BYTES,
    N_TAGS,
    TAG_REFUSED
} tag;
static const struct {
    uint64_t number;
    tag is;
} tags[] = {
    {0x6ffffef5, TAG_HASH},
    {5, TAG_STRINGS},
    {10, TAG_STRINGS_BYTES},
    {6, TAG_SYMBOLS},
    {7, TAG_RELA},
    {8, TAG_RELA_BYTES},
    {23, TAG_CALLS},
    {2, TAG_CALLS_BYTES},
    {12, TAG_REFUSED} /* init */,
    {13, TAG_REFUSED},
    {17, TAG_REFUSED} /* rel */,
    {25, TAG_REFUSED} /* init_array */,
    {26, TAG_REFUSED},
    {36, TAG_REFUSED} /* relr */,
};

/* --- the object --------------------------------------------------------------------------------
 */

typedef struct object {
    const uint8_t *elf;
    size_t size;
    const uint8_t *segments; /* the program headers, in |elf| */
    uint32_t n_segments;
    uint8_t *memory; /* address 0 of the object */
    size_t bytes;    /* of it */
    size_t align;    /* of it: the largest of the segments */
    uint64_t rows[N_TAGS];
    rlx_error *err;
} object;

static rlx_status malformed(const object *o, const char *why)
{
    return rlx_fail(o->err, RLX_E_INVALID_MODULE, "the kernels cannot be loaded: %s", why);
}

static bool is_within(uint64_t at, uint64_t bytes, uint64_t size)
{
    return at <= size && bytes <= size - at;
}

static const uint8_t *segment(const object *o, uint32_t i)
{
    return o->segments + (size_t)i * PHDR_BYTES;
}

/* The header, and where the segments lie: in order, apart, aligned. */
static rlx_status read_segments(object *o)
{
    const uint8_t *h = o->elf;
    if (o->size < EHDR_BYTES || memcmp(h,
                                       "\x7f"
                                       "ELF\2\1\1",
                                       7) != 0)
        return malformed(o, "they are not a 64-bit ELF object");
    if (rlxv_load_u16(h + EHDR_TYPE) != ET_DYN || rlxv_load_u16(h + EHDR_MACHINE) != machine.number)
        return malformed(o, "they are not a shared object for this machine");
    o->n_segments = rlxv_load_u16(h + EHDR_PHNUM);
    const uint64_t at = rlxv_load_u64(h + EHDR_PHOFF);
    if (rlxv_load_u16(h + EHDR_PHENTSIZE) != PHDR_BYTES ||
        !is_within(at, (uint64_t)o->n_segments * PHDR_BYTES, o->size))
        return malformed(o, "their program headers are out of place");
    o->segments = h + at;
    o->align = 64;
    uint64_t end = 0;
    for (uint32_t i = 0; i < o->n_segments; i++) {
        const uint8_t *p = segment(o, i);
        if (rlxv_load_u32(p) == PT_TLS)
            return malformed(o, "they have thread-local data");
        if (rlxv_load_u32(p) != PT_LOAD)
            continue;
        const uint64_t first = rlxv_load_u64(p + PHDR_VADDR), bytes = rlxv_load_u64(p + PHDR_MEMSZ);
        const uint64_t stored = rlxv_load_u64(p + PHDR_FILESZ),
                       align = rlxv_load_u64(p + PHDR_ALIGN);
        if (!is_within(rlxv_load_u64(p + PHDR_OFFSET), stored, o->size) || stored > bytes ||
            align == 0 || align > MAX_ALIGN || (align & (align - 1)) != 0 ||
            !is_within(first, bytes, PTRDIFF_MAX / 2) || first / align * align < end)
            return malformed(o, "a segment is out of place");
        end = (first + bytes + align - 1) / align * align;
        o->align = align > o->align ? (size_t)align : o->align;
    }
    o->bytes = (size_t)end;
    return end > 0 ? RLX_OK : malformed(o, "they have no segments");
}

static void copy_segments(object *o)
{
    memset(o->memory, 0, o->bytes);
    for (uint32_t i = 0; i < o->n_segments; i++) {
        const uint8_t *p = segment(o, i);
        if (rlxv_load_u32(p) == PT_LOAD)
            memcpy(o->memory + rlxv_load_u64(p + PHDR_VADDR),
                   o->elf + rlxv_load_u64(p + PHDR_OFFSET), (size_t)rlxv_load_u64(p + PHDR_FILESZ));
    }
}

static rlx_status read_dynamic(object *o)
{
    uint64_t at = 0, bytes = 0;
    for (uint32_t i = 0; i < o->n_segments; i++)
        if (rlxv_load_u32(segment(o, i)) == PT_DYNAMIC) {
            at = rlxv_load_u64(segment(o, i) + PHDR_VADDR);
            bytes = rlxv_load_u64(segment(o, i) + PHDR_MEMSZ);
        }
    if (!is_within(at, bytes, o->bytes))
        return malformed(o, "the dynamic table is out of place");
    for (uint64_t d = 0; bytes - d >= DYN_BYTES; d += DYN_BYTES) {
        const uint64_t number = rlxv_load_u64(o->memory + at + d);
        if (number == 0)
            break;
        for (size_t t = 0; t < sizeof tags / sizeof *tags; t++) {
            if (tags[t].number != number)
                continue;
            if (tags[t].is == TAG_REFUSED)
                return malformed(o, "they need a dynamic loader");
            o->rows[tags[t].is] = rlxv_load_u64(o->memory + at + d + 8);
        }
    }
    if (!is_within(o->rows[TAG_STRINGS], o->rows[TAG_STRINGS_BYTES], o->bytes) ||
        o->rows[TAG_STRINGS_BYTES] == 0 ||
        o->memory[o->rows[TAG_STRINGS] + o->rows[TAG_STRINGS_BYTES] - 1] != 0)
        return malformed(o, "the table of strings is out of place");
    if (!is_within(o->rows[TAG_RELA], o->rows[TAG_RELA_BYTES], o->bytes) ||
        !is_within(o->rows[TAG_CALLS], o->rows[TAG_CALLS_BYTES], o->bytes))
        return malformed(o, "the relocations are out of place");
    return RLX_OK;
}

/* --- symbols -----------------------------------------------------------------------------------
 */

/* Symbol |i| in memory; NULL if there is none. */
static const uint8_t *symbol_at(const object *o, uint64_t i)
{
    const uint64_t table = o->rows[TAG_SYMBOLS];
    return table > 0 && table <= o->bytes && i < (o->bytes - table) / SYM_BYTES
               ? o->memory + table + i * SYM_BYTES
               : NULL;
}

static const char *symbol_name(const object *o, const uint8_t *symbol)
{
    const uint32_t name = rlxv_load_u32(symbol);
    return name < o->rows[TAG_STRINGS_BYTES] ? (const char *)o->memory + o->rows[TAG_STRINGS] + name
                                             : "";
}

/* The kernel |name|; NULL if the object does not define it. */
static void *find_kernel(const object *o, rlx_str name)
{
    enum { HEADER = 16, BLOOM = 8 };
    const uint64_t table = o->rows[TAG_HASH];
    uint32_t hash = 5381;
    if (table == 0 || !is_within(table, HEADER, o->bytes))
        return NULL;
    for (size_t i = 0; i < name.len; i++)
        hash = hash * 33 + (uint8_t)name.data[i];
    const uint8_t *h = o->memory + table;
    const uint32_t n = rlxv_load_u32(h), first = rlxv_load_u32(h + 4);
    const uint64_t buckets = table + HEADER + (uint64_t)rlxv_load_u32(h + 8) * BLOOM;
    const uint64_t chains = buckets + (uint64_t)n * 4;
    if (n == 0 || chains > o->bytes)
        return NULL;
    uint64_t i = rlxv_load_u32(o->memory + buckets + hash % n * 4);
    for (uint32_t last = 0; i >= first && !(last & 1); i++) {
        const uint8_t *symbol = symbol_at(o, i);
        if (!symbol || !is_within(chains + (i - first) * 4, 4, o->bytes))
            return NULL;
        last = rlxv_load_u32(o->memory + chains + (i - first) * 4);
        const uint64_t value = rlxv_load_u64(symbol + SYM_VALUE);
        if ((last | 1) == (hash | 1) && rlxv_load_u16(symbol + SYM_SHNDX) != 0 &&
            value < o->bytes && rlx_str_eq(rlx_str_from(symbol_name(o, symbol)), name))
            return o->memory + value;
    }
    return NULL;
}

/* A function that the object calls and does not define. */
static void *find_outside(const char *name)
{
    static const struct {
        const char *name;
        void *(*copy)(void *, const void *, size_t);
        void *(*set)(void *, int, size_t);
        int (*compare)(const void *, const void *, size_t);
    } own[] = {{"memcpy", memcpy, NULL, NULL},
               {"memmove", memmove, NULL, NULL},
               {"memset", NULL, memset, NULL},
               {"memcmp", NULL, NULL, memcmp}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i].name, name) == 0)
            return own[i].copy  ? (void *)(uintptr_t)own[i].copy
                   : own[i].set ? (void *)(uintptr_t)own[i].set
                                : (void *)(uintptr_t)own[i].compare;
    return rlxv_host.find_symbol ? rlxv_host.find_symbol(rlxv_host.user, name) : NULL;
}

static rlx_status symbol_value(const object *o, uint32_t i, uint64_t *out)
{
    const uint8_t *symbol = symbol_at(o, i);
    if (!symbol)
        return malformed(o, "a relocation names no symbol");
    if (rlxv_load_u16(symbol + SYM_SHNDX) != 0) {
        *out = (uint64_t)(uintptr_t)o->memory + rlxv_load_u64(symbol + SYM_VALUE);
        return RLX_OK;
    }
    const char *name = symbol_name(o, symbol);
    *out = (uint64_t)(uintptr_t)find_outside(name);
    if (*out == 0 && symbol[SYM_INFO] >> 4 != STB_WEAK)
        return rlx_fail(o->err, RLX_E_NOT_FOUND,
                        "the kernels cannot be loaded: the host has no function '%s'", name);
    return RLX_OK;
}

/* Names end in the table of strings, which nothing may change. */
static bool touches_strings(const object *o, uint64_t at, uint64_t bytes)
{
    const uint64_t first = o->rows[TAG_STRINGS];
    return at + bytes > first && at < first + o->rows[TAG_STRINGS_BYTES];
}

static rlx_status relocate(object *o, tag table, tag bytes)
{
    for (uint64_t r = 0; o->rows[bytes] - r >= RELA_BYTES; r += RELA_BYTES) {
        const uint8_t *row = o->memory + o->rows[table] + r;
        const uint64_t at = rlxv_load_u64(row), info = rlxv_load_u64(row + 8);
        const uint32_t type = (uint32_t)info;
        uint64_t value = (uint64_t)(uintptr_t)o->memory;
        if (type == 0)
            continue;
        if (!is_within(at, 8, o->bytes) || touches_strings(o, at, 8))
            return malformed(o, "a relocation is out of place");
        if (type == machine.absolute || type == machine.global || type == machine.jump)
            RLX_TRY(symbol_value(o, (uint32_t)(info >> 32), &value));
        else if (type != machine.relative)
            return rlx_fail(o->err, RLX_E_INVALID_MODULE,
                            "the kernels cannot be loaded: relocation of type %u", type);
        value += rlxv_load_u64(row + 16);
        memcpy(o->memory + at, &value, sizeof value);
    }
    return RLX_OK;
}

/* --- loading -----------------------------------------------------------------------------------
 */

static rlx_status give_access(const object *o)
{
    for (uint32_t i = 0; i < o->n_segments; i++) {
        const uint8_t *p = segment(o, i);
        if (rlxv_load_u32(p) != PT_LOAD)
            continue;
        const uint64_t align = rlxv_load_u64(p + PHDR_ALIGN), at = rlxv_load_u64(p + PHDR_VADDR);
        const uint64_t first = at / align * align;
        const uint64_t end = (at + rlxv_load_u64(p + PHDR_MEMSZ) + align - 1) / align * align;
        if (!rlxv_host.set_access(rlxv_host.user, o->memory + first, (size_t)(end - first),
                                  rlxv_load_u32(p + PHDR_FLAGS) & 7u))
            return rlx_fail(o->err, RLX_E_IO, "the host cannot make the kernels executable");
    }
    return RLX_OK;
}

static rlx_status find_kernels(const object *o, rlx_executable *exe)
{
    for (uint32_t i = 0; i < exe->n_kernels; i++) {
        rlxv_kernel *k = &exe->kernels[i];
        if (k->module != RLX_NONE)
            continue;
        void *address = find_kernel(o, k->symbol);
        if (!address)
            return rlx_fail(o->err, RLX_E_INVALID_MODULE,
                            "the native section lacks the symbol '%.*s'", (int)k->symbol.len,
                            k->symbol.data);
        memcpy(&k->fn, &address, sizeof address); /* ISO C has no cast between the two */
    }
    return RLX_OK;
}

rlx_status rlxv_native_load(rlx_executable *exe, const char *file, rlx_error *err)
{
    rlxv_native *n = &exe->native;
    object o = {.elf = n->elf, .size = n->size, .err = err};
    RLX_TRY(rlxv_native_check(n, err));
    if (file)
        return rlx_fail(err, RLX_E_INVALID_ARG, "this runtime has no files for the kernels");
    if (!rlxv_host.take_code || !rlxv_host.set_access || !rlxv_host.give_back_code)
        return rlx_fail(err, RLX_E_LIMIT, "the host gives no memory for machine code");
    RLX_TRY(read_segments(&o));
    o.memory = rlxv_host.take_code(rlxv_host.user, o.bytes, o.align);
    if (!o.memory)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory (%zu bytes for machine code)", o.bytes);
    n->handle = o.memory; /* from here on freed with the executable, also after an error */
    n->bytes = o.bytes;
    copy_segments(&o);
    RLX_TRY(read_dynamic(&o));
    RLX_TRY(relocate(&o, TAG_RELA, TAG_RELA_BYTES));
    RLX_TRY(relocate(&o, TAG_CALLS, TAG_CALLS_BYTES));
    RLX_TRY(find_kernels(&o, exe));
    return give_access(&o);
}

void rlxv_native_unload(rlx_executable *exe)
{
    if (exe->native.handle)
        rlxv_host.give_back_code(rlxv_host.user, exe->native.handle, exe->native.bytes);
    exe->native.handle = NULL;
}
