/* The CPU's features: those that the C compiler's own library finds, no more and no fewer. */
#include <rlx/cpu.h>

#include <stdlib.h>

#include "tests/support/rlx_test.h"

#if defined(__x86_64__) && !defined(__clang__)
#define X86(name) (__builtin_cpu_supports(name) != 0)
#elif defined(__x86_64__) /* Clang knows fewer names */
#define X86(name) rlx_cpu_has(RLX_STR(name))
#else
#define X86(name) false
#endif
/* Of other architectures the kernel is asked by the same bits; other features are never here. */
#if defined(__aarch64__)
#define AARCH64(name) rlx_cpu_has(RLX_STR(name))
#else
#define AARCH64(name) false
#endif
#if defined(__riscv)
#define RISCV64(name) rlx_cpu_has(RLX_STR(name))
#else
#define RISCV64(name) false
#endif

RLX_TEST(cpu, features_are_those_of_the_machine)
{
    (void)t;
    unsetenv("RLX_CPU_FEATURES");
#define RLX_CPU_FEATURE(arch, name, how)                           \
    cr_expect_eq(rlx_cpu_has(RLX_STR(name)), arch(name), "" name); \
    cr_expect(rlx_cpu_feature_is_known(RLX_STR(name)), "" name);
#include <rlx/cpu_features.def>
#undef RLX_CPU_FEATURE
    cr_expect_not(rlx_cpu_has(RLX_STR("")) || rlx_cpu_has(RLX_STR("avx,avx2")));
    cr_expect_not(rlx_cpu_feature_is_known(RLX_STR("avx51")));
}

RLX_TEST(cpu, a_list_takes_features_away)
{
    (void)t;
    unsetenv("RLX_CPU_FEATURES");
    const bool here = rlx_cpu_has(RLX_STR("sse3"));
    setenv("RLX_CPU_FEATURES", "avx2,sse3", 1);
    cr_expect_eq(rlx_cpu_has(RLX_STR("sse3")), here);
    cr_expect_not(rlx_cpu_has(RLX_STR("ssse3")));
    setenv("RLX_CPU_FEATURES", "", 1);
    cr_expect_not(rlx_cpu_has(RLX_STR("sse3")));
}
