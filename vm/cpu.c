/* Feature detection; see rlx/cpu.h. On x86-64 the compiler's builtin reads CPUID and the operating
   system's support for the wide registers once, before main; elsewhere the kernel reports the
   features. */
#include "vm/need.h"

#include <rlx/cpu.h>

#include <string.h>
#if RLX_BARE
#include "vm/bare/bare.h"
#else
#include <stdlib.h>
#include <sys/auxv.h>
#endif

/* True if |list| ("a,b,c") contains |name|. */
static bool lists(const char *list, rlx_str name)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        if (rlx_str_eq((rlx_str){list, n}, name))
            return true;
        list += n + (list[n] == ',');
    }
    return false;
}

#if defined(__x86_64__)
#define X86(name, how) __builtin_cpu_supports(name) != 0
#define AARCH64(name, how) false
#define RISCV64(name, how) false
#elif defined(__aarch64__) && !RLX_BARE
#define X86(name, how) false
#define AARCH64(name, how) has_bit(how)
#define RISCV64(name, how) false
static bool has_bit(unsigned how)
{
    return getauxval(how < 64 ? AT_HWCAP : AT_HWCAP2) >> how % 64 & 1;
}
#elif defined(__riscv) && __riscv_xlen == 64 && !RLX_BARE
#define X86(name, how) false
#define AARCH64(name, how) false
#define RISCV64(name, how) has_bit_or_size(how)
static bool has_bit_or_size(unsigned how)
{
    const unsigned long bits = getauxval(AT_HWCAP);
    unsigned long bytes;
    if (how < 64)
        return bits >> how & 1;
    if (!(bits >> ('v' - 'a') & 1))
        return false;
    __asm__("csrr %0, 0xC22" : "=r"(bytes)); /* vlenb */
    return bytes * 8 >= how;
}
#else
#define X86(name, how) false
#define AARCH64(name, how) false
#define RISCV64(name, how) false
#endif

static bool machine_has(rlx_str feature)
{
#define RLX_CPU_FEATURE(arch, name, how)    \
    if (rlx_str_eq(feature, RLX_STR(name))) \
        return arch(name, how);
#include <rlx/cpu_features.def>
#undef RLX_CPU_FEATURE
    return false;
}

bool rlx_cpu_has(rlx_str feature)
{
    if (!RLXV_IS_STR(feature))
        return false;
#if RLX_BARE
    const char *list = rlxv_host.cpu_features;
#if defined(__x86_64__)
    __builtin_cpu_init(); /* nothing may have run before the host program */
#endif
    return list ? lists(list, feature) : machine_has(feature);
#else
    const char *limit = getenv("RLX_CPU_FEATURES");
    return machine_has(feature) && (!limit || lists(limit, feature));
#endif
}

bool rlx_cpu_feature_is_known(rlx_str feature)
{
    if (!RLXV_IS_STR(feature))
        return false;
#define RLX_CPU_FEATURE(arch, name, how)    \
    if (rlx_str_eq(feature, RLX_STR(name))) \
        return true;
#include <rlx/cpu_features.def>
#undef RLX_CPU_FEATURE
    return false;
}
