/* The target table and its resolution. A row is an architecture level, or a CPU that has more: the
 * CPU name LLVM gets, the level, the features that code may use (cumulative), the widest vector and
 * what cores of that kind usually have as their second level of cache. "native" takes the host's
 * name from LLVM and its features from the runtime. To add a CPU level, add a row; to add an
 * architecture, also register LLVM's code generator for it. */
#include "compiler/target/target.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/Config/llvm-config.h>
#include <string.h>
#include <unistd.h>

#include "rlx/cpu.h"

enum { DEFAULT_L2 = 512 * 1024, MAX_L2 = 64 * 1024 * 1024 };

typedef struct target_row {
    const char *cpu, *level; /* level: of which all may be used, also what is not in features */
    const char *triple;
    uint32_t vector_bytes, l2_kib;
    const char *features; /* LLVM's spelling */
} target_row;

#define X86 "x86_64-pc-linux-gnu"
#define V2 "+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt"
#define V3 V2 ",+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe"
#define V4 V3 ",+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl"
#define HASWELL V3 ",+pclmul"
#define SKYLAKE HASWELL ",+aes"
#define ALDERLAKE SKYLAKE ",+gfni,+vpclmulqdq,+avxvnni"
#define SKYLAKE_512 V4 ",+pclmul,+aes"
#define CASCADELAKE SKYLAKE_512 ",+avx512vnni"
#define ICELAKE                                                                               \
    CASCADELAKE ",+avx512vbmi,+avx512vbmi2,+avx512bitalg,+avx512ifma,+avx512vpopcntdq,+gfni," \
                "+vpclmulqdq"
#define ZNVER4 ICELAKE ",+avx512bf16"
#define SAPPHIRERAPIDS ZNVER4 ",+avxvnni"

/* A CPU has the features that LLVM gives it, as far as rlx/cpu_features.def has them: a file
 * compiled for it states all of them. Its level is plain x86-64, which leaves the rest to the
 * features. */
static const target_row rows[] = {
    {"x86-64", "x86-64", X86, 16, 256, ""},
    {"x86-64-v2", "x86-64-v2", X86, 16, 256, V2},
    {"x86-64-v3", "x86-64-v3", X86, 32, 512, V3},
    {"x86-64-v4", "x86-64-v4", X86, 64, 1024, V4},
    {"haswell", "x86-64", X86, 32, 256, HASWELL},
    {"broadwell", "x86-64", X86, 32, 256, HASWELL},
    {"skylake", "x86-64", X86, 32, 256, SKYLAKE},
    {"alderlake", "x86-64", X86, 32, 1280, ALDERLAKE},
    {"raptorlake", "x86-64", X86, 32, 2048, ALDERLAKE},
    {"meteorlake", "x86-64", X86, 32, 2048, ALDERLAKE},
    {"arrowlake", "x86-64", X86, 32, 2048, ALDERLAKE},
    {"lunarlake", "x86-64", X86, 32, 2048, ALDERLAKE},
    {"sierraforest", "x86-64", X86, 32, 1024, ALDERLAKE},
    {"skylake-avx512", "x86-64", X86, 64, 1024, SKYLAKE_512},
    {"cascadelake", "x86-64", X86, 64, 1024, CASCADELAKE},
    {"cooperlake", "x86-64", X86, 64, 1024, CASCADELAKE ",+avx512bf16"},
    {"icelake-client", "x86-64", X86, 64, 512, ICELAKE},
    {"icelake-server", "x86-64", X86, 64, 1280, ICELAKE},
    {"rocketlake", "x86-64", X86, 64, 512, ICELAKE},
    {"tigerlake", "x86-64", X86, 64, 1280, ICELAKE},
    {"sapphirerapids", "x86-64", X86, 64, 2048, SAPPHIRERAPIDS},
    {"emeraldrapids", "x86-64", X86, 64, 2048, SAPPHIRERAPIDS},
    {"graniterapids", "x86-64", X86, 64, 2048, SAPPHIRERAPIDS},
    {"znver1", "x86-64", X86, 32, 512, SKYLAKE},
    {"znver2", "x86-64", X86, 32, 512, SKYLAKE},
    {"znver3", "x86-64", X86, 32, 512, SKYLAKE ",+vpclmulqdq"},
    {"znver4", "x86-64", X86, 64, 1024, ZNVER4},
    {"znver5", "x86-64", X86, 64, 1024, ZNVER4 ",+avxvnni"},
    {"generic-aarch64", "generic", "aarch64-unknown-linux-gnu", 16, 512, "+neon"},
};

/* Features that a compiled file may name: what the runtime can ask the CPU for. */
static const char *const known_features[] = {
#define RLX_CPU_FEATURE(name) name,
#include "rlx/cpu_features.def"
#undef RLX_CPU_FEATURE
};

/* Whether |list| ("+a,-b,+c") has +feature. */
static bool lists(const char *list, const char *feature)
{
    size_t n = strlen(feature);
    for (const char *at = list; at && *at;) {
        const char *end = strchr(at, ',');
        size_t length = end ? (size_t)(end - at) : strlen(at);
        if (length == n + 1 && at[0] == '+' && memcmp(at + 1, feature, n) == 0)
            return true;
        at = end ? end + 1 : NULL;
    }
    return false;
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
}

const char *rlxc_target_isa(const rlxc_options *options)
{
    bool arm = options->triple && strncmp(options->triple, "aarch64", 7) == 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (options->cpu && strcmp(options->cpu, rows[i].cpu) == 0)
            return rows[i].level;
    return arm ? "generic" : "x86-64";
}

const char *rlxc_target_triple(const rlxc_options *options)
{
    return options->triple ? options->triple : X86;
}

bool rlxc_target_has_feature(const rlxc_options *options, const char *feature)
{
    return lists(options->features, feature);
}

bool rlxc_target_is_x86(const rlxc_options *options)
{
    return strncmp(rlxc_target_triple(options), "x86_64", 6) == 0;
}

const char *rlxc_target_required_features(rlxc_context *ctx, const rlxc_options *options)
{
    rlxc_text text = {.ctx = ctx};
    rlxc_text_puts(&text, "");
    for (size_t i = 0; i < sizeof known_features / sizeof *known_features; i++)
        if (lists(options->features, known_features[i]))
            rlxc_text_printf(&text, "%s%s", text.length ? "," : "", known_features[i]);
    return rlxc_intern(ctx, text.data ? text.data : "", text.length);
}

static uint32_t vector_bytes(const char *features)
{
    return lists(features, "avx512f") && lists(features, "avx512vl") ? 64
           : lists(features, "avx2") && lists(features, "fma")       ? 32
                                                                     : 16;
}

/* The host's CPU, with the features that the runtime finds in it, so that what is compiled here
 * loads here; the CPU's name decides tuning only (rlxc_target_isa). */
static void resolve_native(rlxc_context *ctx, rlxc_options *options)
{
    rlxc_text text = {.ctx = ctx};
    char *name = LLVMGetHostCPUName(); /* a copy; nothing else is allocated */
    for (size_t i = 0; i < sizeof known_features / sizeof *known_features; i++)
        if (rlx_cpu_has(rlx_str_from(known_features[i])))
            rlxc_text_printf(&text, "%s+%s", text.length ? "," : "", known_features[i]);
    options->cpu = rlxc_intern_cstr(ctx, name ? name : "");
    options->features = rlxc_intern(ctx, text.data ? text.data : "", text.length);
    options->triple = rlxc_intern_cstr(ctx, LLVM_DEFAULT_TARGET_TRIPLE);
    LLVMDisposeMessage(name);
    if (!name)
        rlxc_set_out_of_memory(ctx);
    options->vector_bytes = vector_bytes(options->features);
    const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE); /* 0 or less: the system does not say */
    options->l2_bytes = l2 > 0 && l2 <= MAX_L2 ? (uint32_t)l2 : DEFAULT_L2;
}

/* The value of -mcpu= in a TVM target text; NULL when it has none. */
static const char *mcpu_of(rlxc_context *ctx, const char *target)
{
    const char *at = target ? strstr(target, "-mcpu=") : NULL;
    if (!at)
        return NULL;
    at += 6;
    return rlxc_intern(ctx, at, strcspn(at, " \t"));
}

bool rlxc_target_resolve(rlxc_context *ctx, const char *target, const char *mcpu,
                         rlxc_options *options)
{
    const rlxc_range nowhere = {0};
    if (!mcpu)
        mcpu = mcpu_of(ctx, target);
    bool plain = !target || strncmp(target, "llvm", 4) == 0 || strcmp(target, "cpu") == 0 ||
                 strcmp(target, "native") == 0;
    bool arm = !plain && strncmp(target, "aarch64", 7) == 0;
    if (!plain && !arm && strncmp(target, "x86_64", 6) != 0) {
        rlxc_error(ctx, nowhere, "unknown target \"%s\": llvm, native, x86_64-... or aarch64-...",
                   target);
        return false;
    }
    if (!mcpu && plain)
        mcpu = "native";
    if (!mcpu)
        mcpu = arm ? "generic-aarch64" : "x86-64";
    if (strcmp(mcpu, "native") == 0) {
        resolve_native(ctx, options);
        return true;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(mcpu, rows[i].cpu) != 0)
            continue;
        if (!plain && arm != (strncmp(rows[i].triple, "aarch64", 7) == 0)) {
            rlxc_error(ctx, nowhere, "the CPU %s is none of the target %s", mcpu, target);
            return false;
        }
        options->cpu = strcmp(mcpu, "generic-aarch64") == 0 ? "generic" : rows[i].cpu;
        options->features = rows[i].features;
        options->triple = plain ? rows[i].triple : rlxc_intern_cstr(ctx, target);
        options->vector_bytes = rows[i].vector_bytes;
        options->l2_bytes = rows[i].l2_kib * 1024;
        return true;
    }
    rlxc_text names = {.ctx = ctx};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        rlxc_text_printf(&names, ", %s", rows[i].cpu);
    rlxc_error(ctx, nowhere, "unknown CPU \"%s\": native%s", mcpu, names.data);
    return false;
}

rlxc_dots rlxc_target_dots(const rlxc_options *options)
{
    const char *feature = options->vector_bytes == 64 ? "avx512vnni" : "avxvnni";
    if (options->vector_bytes >= 32 && rlxc_target_has_feature(options, feature))
        return RLXC_DOTS_BYTES;
    return rlxc_target_is_x86(options) ? RLXC_DOTS_PAIRS : RLXC_DOTS_NONE;
}

bool rlxc_target_has_dots(const rlxc_options *options)
{
    return rlxc_target_dots(options) != RLXC_DOTS_NONE;
}

bool rlxc_target_has_bfloat16_dots(const rlxc_options *options)
{
    return options->vector_bytes == 64 && rlxc_target_has_feature(options, "avx512bf16");
}
