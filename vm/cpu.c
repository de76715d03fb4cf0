/* Feature detection; see rlx/cpu.h. The compiler's builtin reads CPUID and the operating system's
   support for the wide registers once, before main. */
#include "vm/need.h"

#include <rlx/cpu.h>

#include <stdlib.h>
#include <string.h>

/* Whether |list| ("a,b,c") has |name|. */
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

static bool machine_has(rlx_str feature)
{
#if defined(__x86_64__)
#define RLX_CPU_FEATURE(name)               \
    if (rlx_str_eq(feature, RLX_STR(name))) \
        return __builtin_cpu_supports(name) != 0;
#include <rlx/cpu_features.def>
#undef RLX_CPU_FEATURE
#endif
    (void)feature;
    return false;
}

bool rlx_cpu_has(rlx_str feature)
{
    if (!RLXV_IS_STR(feature))
        return false;
    const char *limit = getenv("RLX_CPU_FEATURES");
    return machine_has(feature) && (!limit || lists(limit, feature));
}

bool rlx_cpu_feature_is_known(rlx_str feature)
{
    if (!RLXV_IS_STR(feature))
        return false;
#define RLX_CPU_FEATURE(name)               \
    if (rlx_str_eq(feature, RLX_STR(name))) \
        return true;
#include <rlx/cpu_features.def>
#undef RLX_CPU_FEATURE
    return false;
}
