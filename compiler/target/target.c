/* Makes targets from the rows of targets.def, and answers questions about them.
 *
 * The facts of a target follow from its features and its CPU's row alone. For the CPU "native" the
 * name comes from LLVM, the features from the runtime (so that what is compiled here loads here),
 * caches and cores from the system. */
#include "compiler/target/target.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/Config/llvm-config.h>
#include <string.h>
#include <unistd.h>

#include "rlx/cpu.h"

enum { KIB = 1024, DEFAULT_L1 = 32 * KIB, DEFAULT_L2 = 512 * KIB, MAX_CACHE = 1 << 30 };

static const struct arch_row {
    const char *prefix, *triple, *folder, *cpu, *level;
} archs[] = {
#define RLXC_TARGET_ARCH(id, prefix, triple, folder, cpu, level) \
    {prefix, triple, folder, cpu, level},
#include "compiler/target/targets.def"
};
enum { N_ARCHS = sizeof archs / sizeof *archs };

static const struct vector_row {
    rlxc_arch arch;
    const char *features;
    uint32_t bytes, registers, sums;
} vectors[] = {
#define RLXC_TARGET_VECTORS(arch, features, bytes, registers, sums) \
    {RLXC_ARCH_##arch, features, bytes, registers, sums},
#include "compiler/target/targets.def"
};

static const struct dot_row {
    rlxc_arch arch;
    const char *feature;
    uint32_t bytes, terms;
    uint8_t a, b, bits;
} dots[] = {
#define RLXC_TARGET_DOT(arch, feature, bytes, terms, a, b, bits) \
    {RLXC_ARCH_##arch, feature, bytes, terms, a, b, bits},
#include "compiler/target/targets.def"
};

static const struct cpu_row {
    rlxc_arch arch;
    const char *name, *level, *features;
    uint32_t kib[3];
} cpus[] = {
#define RLXC_TARGET_CPU(arch, name, level, features, l1, l2, l3) \
    {RLXC_ARCH_##arch, name, level, features, {l1, l2, l3}},
#include "compiler/target/targets.def"
};
enum { N_CPUS = sizeof cpus / sizeof *cpus };

static const struct device_row {
    const char *kind, *triple;
    rlxc_device_limits limits;
} devices[] = {
#define RLXC_TARGET_DEVICE(kind, arch, triple, warp, threads, shared, registers, float64, float16) \
    {kind, triple, {arch, warp, threads, shared, registers, float64, float16, 0}},
#include "compiler/target/targets.def"
};
enum { N_DEVICES = sizeof devices / sizeof *devices };

/* Features that a compiled file may name: those that the runtime can detect. */
static const char *const known_features[] = {
#define RLX_CPU_FEATURE(arch, name, how) name,
#include "rlx/cpu_features.def"
#undef RLX_CPU_FEATURE
};
enum { N_FEATURES = sizeof known_features / sizeof *known_features };

static const rlxc_target plain = {.kind = "llvm",
                                  .triple = "x86_64-pc-linux-gnu",
                                  .cpu = "x86-64",
                                  .level = "x86-64",
                                  .features = "",
                                  .arch = RLXC_ARCH_X86,
                                  .vector_bytes = 16,
                                  .vector_registers = 16,
                                  .sum_registers = 12,
                                  .cache_bytes = {DEFAULT_L1, DEFAULT_L2}};

const rlxc_target *rlxc_target_plain(void)
{
    return &plain;
}

const rlxc_target *rlxc_target_c(void)
{
    static const rlxc_target c = {.kind = "c",
                                  .triple = "",
                                  .cpu = "",
                                  .level = "",
                                  .features = "",
                                  .arch = RLXC_ARCH_C,
                                  .vector_bytes = 16,
                                  .vector_registers = 8,
                                  .sum_registers = 8,
                                  .cache_bytes = {DEFAULT_L1, DEFAULT_L2}};
    return &c;
}

void rlxc_target_register(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVAsmPrinter();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
}

/* --- features --------------------------------------------------------------------------------- */

/* Whether |list| ("+a,-b,+c") ends up with the feature: its last mention counts. */
static bool lists(const char *list, const char *feature, size_t n)
{
    bool has = false;
    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, ",");
        if (length == n + 1 && memcmp(at + 1, feature, n) == 0)
            has = at[0] == '+';
        at += length + (at[length] == ',');
    }
    return has;
}

static bool lists_all(const char *list, const char *features)
{
    for (const char *at = features; *at;) {
        size_t length = strcspn(at, ",");
        if (!lists(list, at, length))
            return false;
        at += length + (at[length] == ',');
    }
    return true;
}

bool rlxc_target_has_feature(const rlxc_target *t, const char *feature)
{
    return lists(t->features, feature, strlen(feature));
}

const char *rlxc_target_required_features(rlxc_context *ctx, const char *features)
{
    rlxc_text text = {.ctx = ctx};
    for (size_t i = 0; i < N_FEATURES; i++)
        if (lists(features, known_features[i], strlen(known_features[i])))
            rlxc_text_printf(&text, "%s%s", text.length ? "," : "", known_features[i]);
    return rlxc_intern(ctx, text.data ? text.data : "", text.length);
}

/* --- construction -------------------------------------------------------------------------------
 */

static void set_vectors(rlxc_target *t)
{
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        if (vectors[i].arch != t->arch || !lists_all(t->features, vectors[i].features))
            continue;
        t->vector_bytes = vectors[i].bytes;
        t->vector_registers = vectors[i].registers;
        t->sum_registers = vectors[i].sums;
        return;
    }
}

static uint32_t cache_size(int name, uint32_t otherwise)
{
    const long bytes = sysconf(name); /* 0 or less: unknown */
    return bytes > 0 && bytes <= MAX_CACHE ? (uint32_t)bytes : otherwise;
}

/* The machine that the compiler runs on. The CPU's name decides tuning only. */
static void set_native(rlxc_context *ctx, rlxc_target *t)
{
    rlxc_text text = {.ctx = ctx};
    char *name = LLVMGetHostCPUName(); /* a copy; nothing else is allocated */
    for (size_t i = 0; i < N_FEATURES; i++)
        if (rlx_cpu_has(rlx_str_from(known_features[i])))
            rlxc_text_printf(&text, "%s+%s", text.length ? "," : "", known_features[i]);
    t->cpu = rlxc_intern_cstr(ctx, name ? name : "");
    t->features = rlxc_intern(ctx, text.data ? text.data : "", text.length);
    t->level = archs[t->arch].level;
    LLVMDisposeMessage(name);
    if (!name)
        rlxc_set_out_of_memory(ctx);
    t->cache_bytes[0] = cache_size(_SC_LEVEL1_DCACHE_SIZE, DEFAULT_L1);
    t->cache_bytes[1] = cache_size(_SC_LEVEL2_CACHE_SIZE, DEFAULT_L2);
    t->cache_bytes[2] = cache_size(_SC_LEVEL3_CACHE_SIZE, 0);
    const long cores = sysconf(_SC_NPROCESSORS_CONF);
    t->cores = cores > 0 && cores <= INT32_MAX ? (uint32_t)cores : 0;
}

static bool arch_of(const char *triple, rlxc_arch *out)
{
    for (uint32_t i = 0; i < N_ARCHS; i++)
        if (strncmp(triple, archs[i].prefix, strlen(archs[i].prefix)) == 0) {
            *out = (rlxc_arch)i;
            return true;
        }
    return false;
}

bool rlxc_target_same_arch(const rlxc_target *t, const char *triple)
{
    rlxc_arch arch;
    return arch_of(triple, &arch) && arch == t->arch;
}

static const struct cpu_row *find_cpu(const char *name, const rlxc_arch *arch)
{
    for (size_t i = 0; i < N_CPUS; i++)
        if (strcmp(cpus[i].name, name) == 0 && (!arch || cpus[i].arch == *arch))
            return &cpus[i];
    return NULL;
}

static void refuse_cpu(rlxc_context *ctx, rlxc_range range, const rlxc_target_spec *spec,
                       const rlxc_arch *arch)
{
    rlxc_text names = {.ctx = ctx};
    if (arch && find_cpu(spec->mcpu, NULL)) {
        rlxc_error(ctx, range, "CPU %s does not belong to target %s", spec->mcpu, spec->triple);
        return;
    }
    for (size_t i = 0; i < N_CPUS; i++)
        if (!arch || cpus[i].arch == *arch)
            rlxc_text_printf(&names, ", %s", cpus[i].name);
    rlxc_error(ctx, range, "unknown CPU \"%s\": native%s", spec->mcpu,
               names.data ? names.data : "");
}

/* Name, level, features and caches of the CPU that |spec| names, or of the architecture's baseline.
 */
static bool set_cpu(rlxc_context *ctx, rlxc_range range, const rlxc_target_spec *spec,
                    rlxc_target *t)
{
    const char *name = spec->mcpu ? spec->mcpu : archs[t->arch].cpu;
    const struct cpu_row *row = find_cpu(name, spec->triple ? &t->arch : NULL);
    if (!row) {
        refuse_cpu(ctx, range, spec, spec->triple ? &t->arch : NULL);
        return false;
    }
    t->arch = row->arch;
    t->cpu = row->name;
    t->level = row->level;
    t->features = row->features;
    for (int i = 0; i < 3; i++)
        t->cache_bytes[i] = row->kib[i] * KIB;
    return true;
}

static bool is_cpu_kind(const char *kind)
{
    return !kind || strcmp(kind, "llvm") == 0 || strcmp(kind, "cpu") == 0 ||
           strcmp(kind, "c") == 0 || strcmp(kind, "native") == 0;
}

bool rlxc_target_is_device(const rlxc_target *t)
{
    return t->arch == RLXC_ARCH_DEVICE;
}

bool rlxc_target_is_device_kind(const char *kind, size_t length)
{
    for (size_t i = 0; i < N_DEVICES; i++)
        if (strlen(devices[i].kind) == length && memcmp(devices[i].kind, kind, length) == 0)
            return true;
    return false;
}

/* A power of two from 128 to 512 bits; a width that says something else, or nothing, is 256. */
static uint32_t vector_bytes_of(uint32_t bits)
{
    return bits == 128 || bits == 512 ? bits / 8 : 32;
}

/* What a block of any device of the kind has. */
static uint32_t least_shared_bytes(const char *kind)
{
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < N_DEVICES; i++)
        if (strcmp(devices[i].kind, kind) == 0 && devices[i].limits.shared_bytes < least)
            least = devices[i].limits.shared_bytes;
    return least;
}

/* The facts of the CPU's vector units and caches, which no device has, are those of plain scalar
 * code, so that none is 0. */
static const rlxc_target *device_target(rlxc_context *ctx, rlxc_range range,
                                        const rlxc_target_spec *spec)
{
    rlxc_text known = {.ctx = ctx};
    for (size_t i = 0; i < N_DEVICES; i++) {
        const rlxc_device_limits *limits = &devices[i].limits;
        if (strcmp(devices[i].kind, spec->kind) != 0)
            continue;
        rlxc_text_printf(&known, "%s%s", known.length ? ", " : "", limits->arch);
        if (spec->arch && strcmp(spec->arch, limits->arch) != 0)
            continue;
        rlxc_target t = {.kind = devices[i].kind,
                         .triple = devices[i].triple,
                         .cpu = limits->arch,
                         .level = limits->arch,
                         .features = "",
                         .arch = RLXC_ARCH_DEVICE,
                         .vector_bytes = 16,
                         .vector_registers = 16,
                         .sum_registers = 12,
                         .cache_bytes = {DEFAULT_L1, DEFAULT_L2},
                         .device = *limits};
        t.device.warp = spec->warp ? spec->warp : limits->warp;
        t.device.threads = spec->threads ? spec->threads : limits->threads;
        t.device.shared_bytes = spec->shared_bytes ? spec->shared_bytes
                                : spec->arch       ? limits->shared_bytes
                                                   : least_shared_bytes(spec->kind);
        t.device.registers = spec->registers ? spec->registers : limits->registers;
        if (spec->device && strcmp(spec->device, "cpu") == 0)
            t.device.vector_bytes = vector_bytes_of(spec->vector_bits);
        return rlxc_copy(ctx, &t, sizeof t);
    }
    rlxc_error(ctx, range, "target %s has no architecture \"%s\": %s", spec->kind, spec->arch,
               known.length ? known.data : "it has none");
    return NULL;
}

const rlxc_target *rlxc_target_of_spec(rlxc_context *ctx, rlxc_range range,
                                       const rlxc_target_spec *spec)
{
    rlxc_target t = {.kind = "llvm"};
    rlxc_target_spec own = *spec;
    if (own.kind && rlxc_target_is_device_kind(own.kind, strlen(own.kind)))
        return device_target(ctx, range, &own);
    if (own.kind && !own.triple && arch_of(own.kind, &t.arch)) /* "aarch64" */
        own.triple = own.kind, own.kind = NULL;
    spec = &own;
    if (!is_cpu_kind(spec->kind) || (spec->triple && !arch_of(spec->triple, &t.arch))) {
        rlxc_text known = {.ctx = ctx};
        for (uint32_t i = 0; i < N_ARCHS; i++)
            rlxc_text_printf(&known, ", %s-...", archs[i].prefix);
        for (uint32_t i = 0; i < N_DEVICES; i++)
            if (i == 0 || strcmp(devices[i].kind, devices[i - 1].kind) != 0)
                rlxc_text_printf(&known, ", %s", devices[i].kind);
        rlxc_error(ctx, range, "unknown target \"%s\": llvm, native%s",
                   spec->triple ? spec->triple : spec->kind, known.data ? known.data : "");
        return NULL;
    }
    const bool native = spec->mcpu ? strcmp(spec->mcpu, "native") == 0 : !spec->triple;
    if (native) {
        const char *triple = rlxc_intern_cstr(ctx, LLVM_DEFAULT_TARGET_TRIPLE);
        rlxc_arch here = RLXC_ARCH_X86;
        if (!arch_of(triple, &here) || (spec->triple && here != t.arch)) {
            rlxc_error(ctx, range, "CPU native does not belong to target %s",
                       spec->triple ? spec->triple : triple);
            return NULL;
        }
        t.arch = here;
        t.triple = triple;
        set_native(ctx, &t);
    } else if (!set_cpu(ctx, range, spec, &t)) {
        return NULL;
    }
    if (spec->triple || !t.triple)
        t.triple = spec->triple ? spec->triple : archs[t.arch].triple;
    if (spec->cores)
        t.cores = spec->cores;
    if (spec->mattr && spec->mattr[0])
        t.features = rlxc_internf(ctx, "%s%s%s", t.features, t.features[0] ? "," : "", spec->mattr);
    set_vectors(&t);
    return rlxc_copy(ctx, &t, sizeof t);
}

const rlxc_target *rlxc_target_new(rlxc_context *ctx, const char *text, const char *mcpu)
{
    const rlxc_range nowhere = {0};
    rlxc_target_spec spec = {0};
    if (text && !rlxc_target_parse(ctx, nowhere, text, &spec))
        return NULL;
    if (mcpu)
        spec.mcpu = mcpu;
    const rlxc_target *t = rlxc_target_of_spec(ctx, nowhere, &spec);
    if (!t || !rlxc_target_is_device(t))
        return t;
    rlxc_error(ctx, nowhere,
               "target %s is a device's: a module is compiled for a CPU, and --default-device %s:0 "
               "moves its tensors there",
               t->kind, t->kind);
    return NULL;
}

const char *rlxc_target_folder(const rlxc_target *t)
{
    return archs[t->arch].folder;
}

const char *rlxc_target_host_triple(void)
{
    return LLVM_DEFAULT_TARGET_TRIPLE;
}

bool rlxc_target_is_host(const rlxc_target *t)
{
    rlxc_arch here;
    return arch_of(LLVM_DEFAULT_TARGET_TRIPLE, &here) && here == t->arch;
}

/* --- facts ------------------------------------------------------------------------------------ */

uint32_t rlxc_target_lanes(const rlxc_target *t, rlx_dtype type)
{
    const uint32_t bits = type.bits ? type.bits : 8u, lanes = t->vector_bytes * 8 / bits;
    return lanes ? lanes : 1;
}

uint32_t rlxc_target_dot_terms(const rlxc_target *t, rlx_dtype a, rlx_dtype b)
{
    for (size_t i = 0; i < sizeof dots / sizeof *dots; i++)
        if (dots[i].arch == t->arch && dots[i].bits == a.bits && dots[i].bits == b.bits &&
            dots[i].a == a.code && dots[i].b == b.code &&
            (dots[i].bytes == 0 || dots[i].bytes == t->vector_bytes) &&
            lists_all(t->features, dots[i].feature))
            return dots[i].terms;
    return 0;
}

rlxc_dots rlxc_target_dots(const rlxc_target *t)
{
    return rlxc_target_dot_terms(t, RLX_U8, RLX_I8)     ? RLXC_DOTS_BYTES
           : rlxc_target_dot_terms(t, RLX_I16, RLX_I16) ? RLXC_DOTS_PAIRS
                                                        : RLXC_DOTS_NONE;
}

bool rlxc_target_has_dots(const rlxc_target *t)
{
    return rlxc_target_dots(t) != RLXC_DOTS_NONE;
}

bool rlxc_target_has_bfloat16_dots(const rlxc_target *t)
{
    return rlxc_target_dot_terms(t, RLX_BF16, RLX_BF16) != 0;
}

uint32_t rlxc_target_lookup_lanes(const rlxc_target *t)
{
    static const struct {
        uint32_t lanes;
        const char *feature;
    } shuffles[] = {{64, "avx512bw"}, {32, "avx2"}, {16, "ssse3"}};
    if (t->arch == RLXC_ARCH_AARCH64)
        return 16;
    for (size_t i = 0; i < sizeof shuffles / sizeof *shuffles; i++)
        if (shuffles[i].lanes <= t->vector_bytes && rlxc_target_has_feature(t, shuffles[i].feature))
            return shuffles[i].lanes;
    return 0;
}

uint32_t rlxc_target_palette_lanes(const rlxc_target *t)
{
    if (t->vector_bytes >= 64 && rlxc_target_has_feature(t, "avx512f"))
        return 16;
    if (t->arch == RLXC_ARCH_AARCH64)
        return 4;
    if (t->vector_bytes >= 32 && rlxc_target_has_feature(t, "avx2"))
        return 8;
    return rlxc_target_has_feature(t, "ssse3") ? 16 : 0;
}

uint32_t rlxc_target_palette_entries(const rlxc_target *t)
{
    const uint32_t lanes = rlxc_target_palette_lanes(t);
    /* SSSE3 has one register of bytes; with more than four of AVX2 or twice 64 bytes of NEON other
     * values leave the registers. */
    return 4 * lanes == t->vector_bytes ? 32 : lanes;
}

bool rlxc_is_palette_type(rlx_dtype t)
{
    return t.lanes == 1 &&
           (t.code == RLX_INT || t.code == RLX_UINT || t.code == RLX_FLOAT ||
            t.code == RLX_BFLOAT) &&
           (t.bits == 8 || t.bits == 16 || t.bits == 32);
}
