/* Targets: the machine that kernels are compiled for, as one immutable object.
 *
 * A target is made once, from its text and the rows of targets.def, and holds what code generation
 * and scheduling may know about a machine: names for LLVM, features, and facts computed from them.
 * The user's options for a compilation are in compiler/base/options.h. Only the CPU "native"
 * depends on the machine that the compiler runs on. CPU features are spelled as LLVM spells them;
 * those a file needs are recorded in it and checked by the runtime before it loads the code. */
#ifndef RLXC_TARGET_TARGET_H
#define RLXC_TARGET_TARGET_H

#include "compiler/base/context.h"
#include "compiler/base/options.h"

typedef enum rlxc_arch {
#define RLXC_TARGET_ARCH(id, prefix, triple, folder, cpu, level) RLXC_ARCH_##id,
#include "compiler/target/targets.def"
    RLXC_ARCH_C,     /* any machine: the target is C */
    RLXC_ARCH_DEVICE /* none of these: the target is a device */
} rlxc_arch;

/* What a device's kernels may count on. */
typedef struct rlxc_device_limits {
    const char *arch;      /* "sm_80"; "" where the kind has none */
    uint32_t warp;         /* threads that run in step; 1: not known */
    uint32_t threads;      /* of a block, at most */
    uint32_t shared_bytes; /* of memory that the threads of a block share */
    uint32_t registers;    /* of 32 bits, of a block; 0: not known */
    bool float64, float16; /* types that the device computes with */
    uint32_t vector_bytes; /* of a device that is a CPU: the size of a vector register; else 0 */
} rlxc_device_limits;

typedef struct rlxc_target {
    const char *kind;     /* "llvm", "c", or a device's: "opencl", "cuda" */
    const char *triple;   /* "" if LLVM does not generate its code */
    const char *cpu;      /* what the code is tuned for */
    const char *level;    /* the LLVM CPU whose instructions may all be used, beside ... */
    const char *features; /* ... these: "+avx2,+fma" */
    rlxc_arch arch;
    /* facts */
    uint32_t vector_bytes;     /* size of a vector register: 16, 32 or 64; of C 4 */
    uint32_t vector_registers; /* number of vector registers: 8 (no vector unit), 16 or 32 */
    uint32_t sum_registers;    /* registers available to a tile of sums and its operands: 8, 12, 16
                                * or 32 */
    uint32_t cache_bytes[3];   /* L1 data and L2 of a core, never 0; L3 that cores share, 0 if
                                * unknown */
    uint32_t cores;            /* 0: not known */
    rlxc_device_limits device; /* all 0 for a CPU */
} rlxc_target;

/* The fields of a target's text, in TVM's terms; NULL or 0 where the text does not set them.
 */
typedef struct rlxc_target_spec {
    const char *kind, *mcpu, *mattr, *triple, *arch;
    const char *device; /* what a device is: "cpu" */
    uint32_t cores;
    uint32_t vector_bits;                            /* of a device's vector registers */
    uint32_t warp, threads, shared_bytes, registers; /* of a device */
} rlxc_target_spec;

/* Sets the field of |key| ("mcpu"); keys that rlx does not use ("keys") are ignored. The strings
 * are not copied. */
void rlxc_target_spec_set(rlxc_target_spec *spec, const char *key, const char *value);
/* Reads a target's text: "llvm -mcpu=x86-64-v3 -mattr=+avx512f,+avx512vl", {"kind": "llvm", "mcpu":
 * "znver4"} as JSON, "native", "cpu", or a triple. False with a diagnostic at |range|. */
bool rlxc_target_parse(rlxc_context *ctx, rlxc_range range, const char *text,
                       rlxc_target_spec *out);
/* The target of |spec|, in the context's memory. Without a CPU it is this machine's, or the
 * architecture's baseline if |spec| has a triple. Equal device targets have equal texts. NULL with
 * a diagnostic at |range|. */
const rlxc_target *rlxc_target_of_spec(rlxc_context *ctx, rlxc_range range,
                                       const rlxc_target_spec *spec);
/* The CPU target of a text (NULL: this machine's), with its CPU replaced by |cpu|, a name or
 * "native", unless that is NULL. NULL with a diagnostic. */
const rlxc_target *rlxc_target_new(rlxc_context *ctx, const char *text, const char *mcpu);
/* True if kernels for |t| run on a device, not on the CPU. */
bool rlxc_target_is_device(const rlxc_target *t);
/* True if targets.def has devices of this kind. */
bool rlxc_target_is_device_kind(const char *kind, size_t length);
/* C for any machine: kernels without vectors and without instructions that only some have. */
const rlxc_target *rlxc_target_c(void);
/* Plain x86-64. */
const rlxc_target *rlxc_target_plain(void);
/* The target as text in TVM's spelling: "llvm -mtriple=... -mcpu=... -mattr=...". For a named CPU,
 * reading it back gives an equal target. */
const char *rlxc_target_text(rlxc_context *ctx, const rlxc_target *t);

/* The features in |features| ("+avx2,+fma") that the runtime can detect, as "avx2,fma". */
const char *rlxc_target_required_features(rlxc_context *ctx, const char *features);
/* True if |triple| names the architecture of |t|. */
bool rlxc_target_same_arch(const rlxc_target *t, const char *triple);
/* Debian's name for the architecture's library folders: "aarch64-linux-gnu". */
const char *rlxc_target_folder(const rlxc_target *t);
/* The triple of the machine that the compiler runs on. */
const char *rlxc_target_host_triple(void);
/* Whether the compiler itself runs on this architecture. */
bool rlxc_target_is_host(const rlxc_target *t);
bool rlxc_target_has_feature(const rlxc_target *t, const char *feature);
/* Lanes of type |type| in a vector register; at least 1. */
uint32_t rlxc_target_lanes(const rlxc_target *t, rlx_dtype type);
/* How many products of types |a| and |b| one instruction adds to each sum of a full vector; 0 if
 * the target has no such instruction. */
uint32_t rlxc_target_dot_terms(const rlxc_target *t, rlx_dtype a, rlx_dtype b);
/* How the target's instructions sum products of integers. */
typedef enum rlxc_dots {
    RLXC_DOTS_NONE,
    RLXC_DOTS_PAIRS, /* dot_s16: two of 16 bits; twice as many as of float32 */
    RLXC_DOTS_BYTES  /* dot_u8s8: four of 8 bits */
} rlxc_dots;
rlxc_dots rlxc_target_dots(const rlxc_target *t);
/* True if the target has dot-product instructions for integers or bfloat16, so that
 * rlxc_quant_match_dots pays. */
bool rlxc_target_has_dots(const rlxc_target *t);
bool rlxc_target_has_bfloat16_dots(const rlxc_target *t);
/* How many bytes the target looks up at once in a table of 256, by byte shuffles; 0: it has no such
 * instruction. */
uint32_t rlxc_target_lookup_lanes(const rlxc_target *t);
/* How many elements of up to 32 bits the target takes at once from a small table, by permutations;
 * 0: it has no such instruction. */
uint32_t rlxc_target_palette_lanes(const rlxc_target *t);
/* The most entries of such a table. */
uint32_t rlxc_target_palette_entries(const rlxc_target *t);
/* True for elements of such tables: of 8, 16 or 32 bits. */
bool rlxc_is_palette_type(rlx_dtype t);
/* Registers LLVM's code generators for our targets. Cheap; may be called again. */
void rlxc_target_register(void);

#endif
