/* The runtime without an operating system: librlx-bare.a, which `make runtime BARE=1` builds. It
   has the interface of rlx.h except for files, text assembly, signing and the time evaluator, and
   it has no threads: all calls come from one. It takes memory only from the block that its host
   program gives to rlx_bare_start, which is the first call. docs/bare.md says what it needs. */
#ifndef RLX_BARE_H
#define RLX_BARE_H

#include <rlx/executable.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What code may do with memory; together as bits. */
#define RLX_BARE_EXECUTE 1u
#define RLX_BARE_WRITE 2u
#define RLX_BARE_READ 4u

/* What the host program gives. Any function may be NULL: what needs it fails with an error, and
 * the clock stands still. |user| is passed to all of them. */
typedef struct rlx_bare_host {
    size_t size; /* sizeof(rlx_bare_host) */
    void *memory;
    size_t bytes;
    void *user;
    /* Nanoseconds of a clock that only goes forward: for profiles. */
    uint64_t (*now)(void *user);
    /* Fills |out| with random bytes: for random numbers without a seed. */
    bool (*entropy)(void *user, void *out, size_t bytes);
    /* What the CPU can do beyond its architecture: "avx2,fma", as LLVM spells it. NULL: on x86-64
     * what the CPU itself says, elsewhere nothing. */
    const char *cpu_features;
    /* Memory for the machine code of a file, aligned to |align| bytes and writable; NULL if there
     * is none. A range of it, whose bounds are multiples of what the code asks for (4096 on
     * x86-64), gets its final |access| (RLX_BARE_*) once it is written: the place to change pages,
     * or to clear the instruction cache. */
    void *(*take_code)(void *user, size_t bytes, size_t align);
    bool (*set_access)(void *user, void *at, size_t bytes, unsigned access);
    void (*give_back_code)(void *user, void *at, size_t bytes);
    /* The address of a function that machine code calls, such as "powf"; NULL if there is none.
     * Not asked for memcpy, memmove, memset and memcmp. */
    void *(*find_symbol)(void *user, const char *name);
} rlx_bare_host;

/* Copies |host|; the memory, |user| and the strings stay the host's and must live on. May be called
 * again when none of the memory is in use. Errors: INVALID_ARG. */
RLX_NODISCARD RLX_API rlx_status rlx_bare_start(const rlx_bare_host *host, rlx_error *err);

typedef struct rlx_bare_memory {
    size_t bytes, used,
        peak;       /* of the host's memory; |used| and |peak| with what alignment costs */
    size_t largest; /* free bytes in one piece */
} rlx_bare_memory;
RLX_API rlx_bare_memory rlx_bare_memory_now(void);

/* As rlx_executable_load_memory, but the constants are used where they are: |data|, which must be
   aligned to 64 bytes, stays unchanged until the executable and all values that came from it are
   released. So they may lie in read-only memory. */
RLX_NODISCARD RLX_API rlx_status rlx_bare_load(const void *data, size_t size,
                                               const rlx_load_options *options,
                                               rlx_executable **out, rlx_error *err);

/* The host's random bytes; false if it has none. */
RLX_API bool rlx_bare_entropy(void *out, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
