/* Feature detection; see rlx/cpu.h. On x86-64 CPUID is read once, with what the operating system
   saves of the wide registers; elsewhere the kernel reports the features. */
#include "vm/need.h"

#include <rlx/cpu.h>

#include <stdatomic.h>
#include <string.h>
#if RLX_BARE
#include "vm/bare/bare.h"
#else
#include <stdlib.h>
#include <sys/auxv.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* The bits of |how| of a row of X86: a register of CPUID, 32 bits each, and a state. */
enum {
    ECX_1 = 0,
    EBX_7 = 32,
    ECX_7 = 64,
    EAX_7_1 = 96,
    ECX_MORE = 128, /* of leaf 0x80000001 */
    REGISTERS = 5,
    YMM = 256,
    ZMM = 512
};

typedef enum arch { X86, AARCH64, RISCV64 } arch;

/* The rows of cpu_features.def: their names, each with a comma behind it, and the rest. */
static const char names[] =
#define RLX_CPU_FEATURE(arch, name, how) name ","
#include <rlx/cpu_features.def>
#undef RLX_CPU_FEATURE
    ;
static const struct row {
    uint16_t arch, how;
} rows[] = {
#define RLX_CPU_FEATURE(arch, name, how) {arch, how},
#include <rlx/cpu_features.def>
#undef RLX_CPU_FEATURE
};

/* The place of |name| in |list| ("a,b,c"), or -1. */
static int place_in(const char *list, rlx_str name)
{
    for (int place = 0; *list; place++) {
        size_t n = strcspn(list, ",");
        if (rlx_str_eq((rlx_str){list, n}, name))
            return place;
        list += n + (list[n] == ',');
    }
    return -1;
}

#if defined(__x86_64__)
/* What CPUID says, and the states that the operating system saves; 0 until it has been read. All
 * threads read the same, so that it does not matter which one does. */
static _Atomic uint32_t registers[REGISTERS], states;

static uint32_t read_states(void)
{
    enum { READ = 1, SSE_AVX = 0x6, AVX512 = 0xe6 };
    uint32_t a, b, c, d, low = 0, high;
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        registers[ECX_1 / 32] = c;
        if (c & bit_OSXSAVE)
            __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        registers[EBX_7 / 32] = b;
        registers[ECX_7 / 32] = c;
        if (a > 0) {
            __cpuid_count(7, 1, a, b, c, d);
            registers[EAX_7_1 / 32] = a;
        }
    }
    if (__get_cpuid(0x80000001, &a, &b, &c, &d))
        registers[ECX_MORE / 32] = c;
    return READ | ((low & SSE_AVX) == SSE_AVX ? YMM : 0) | ((low & AVX512) == AVX512 ? ZMM : 0);
}

static const arch here = X86;
static bool has(unsigned how)
{
    const unsigned state = how & (YMM | ZMM), bit = how % YMM;
    if (!states)
        states = read_states();
    return (states & state) == state && registers[bit / 32] >> bit % 32 & 1;
}
#elif defined(__aarch64__) && !RLX_BARE
static const arch here = AARCH64;
static bool has(unsigned how)
{
    return getauxval(how < 64 ? AT_HWCAP : AT_HWCAP2) >> how % 64 & 1;
}
#elif defined(__riscv) && __riscv_xlen == 64 && !RLX_BARE
static const arch here = RISCV64;
static bool has(unsigned how)
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
static const arch here = X86;
static bool has(unsigned how)
{
    (void)how;
    return false;
}
#endif

static bool machine_has(rlx_str feature)
{
    const int place = place_in(names, feature);
    return place >= 0 && rows[place].arch == here && has(rows[place].how);
}

bool rlx_cpu_has(rlx_str feature)
{
    if (!RLXV_IS_STR(feature))
        return false;
#if RLX_BARE
    const char *list = rlxv_host.cpu_features;
    return list ? place_in(list, feature) >= 0 : machine_has(feature);
#else
    const char *limit = getenv("RLX_CPU_FEATURES");
    return machine_has(feature) && (!limit || place_in(limit, feature) >= 0);
#endif
}

bool rlx_cpu_feature_is_known(rlx_str feature)
{
    return RLXV_IS_STR(feature) && place_in(names, feature) >= 0;
}
