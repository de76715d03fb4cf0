/* The runtime without an operating system: librlx-bare.a, which `make runtime BARE=1` builds. It
   has the interface of rlx.h without files, text assembly, signing and the time evaluator. It has
   no threads: make all calls from one thread. All its memory comes from the block that the host
   program passes to rlx_bare_start, which must be the first call. docs/bare.md says what it
   needs. */
#ifndef RLX_BARE_H
#define RLX_BARE_H

#include <rlx/executable.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Access rights to a range of memory; combine them with |. */
#define RLX_BARE_EXECUTE 1u
#define RLX_BARE_WRITE 2u
#define RLX_BARE_READ 4u

/* What the host program provides. Any function may be NULL: whatever needs it then fails with an
 * error, and without |now| the clock stands still. |user| is passed to all of them. */
typedef struct rlx_bare_host {
    size_t size; /* sizeof(rlx_bare_host) */
    void *memory;
    size_t bytes;
    void *user;
    /* Nanoseconds of a monotonic clock: for profiles. */
    uint64_t (*now)(void *user);
    /* Fills |out| with random bytes: for random numbers without a seed. */
    bool (*entropy)(void *user, void *out, size_t bytes);
    /* The CPU's features beyond its base architecture, as LLVM spells them: "avx2,fma". NULL: on
     * x86-64 the features that the CPU reports, elsewhere none. */
    const char *cpu_features;
    /* Allocates writable memory for the machine code of a file, aligned to |align| bytes; NULL if
     * there is none. set_access gives a range of it its final |access| (RLX_BARE_*) once it is
     * written, by changing page permissions or clearing the instruction cache. The range's bounds
     * are multiples of the alignment that the code asks for (4096 on x86-64). */
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
        peak;       /* of the host's memory; |used| and |peak| include padding for alignment */
    size_t largest; /* the largest free block */
} rlx_bare_memory;
RLX_API rlx_bare_memory rlx_bare_memory_now(void);

/* As rlx_executable_load_memory, but uses the constants in place, so |data| may lie in read-only
   memory. It must be aligned to 64 bytes and stay unchanged until the executable and all values
   that came from it are released. */
RLX_NODISCARD RLX_API rlx_status rlx_bare_load(const void *data, size_t size,
                                               const rlx_load_options *options,
                                               rlx_executable **out, rlx_error *err);

/* The host's random bytes; false if it has none. */
RLX_API bool rlx_bare_entropy(void *out, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
