/* The CPU features of this machine, for native code.

   The environment variable RLX_CPU_FEATURES limits them: if it is set, a feature counts as present
   only if the CPU has it and the comma-separated list names it. An empty list leaves plain x86-64.
   The variable can only remove features. rlxc's `native` target and the loader's check both use it,
   so tests can run as on an older CPU. */
#ifndef RLX_CPU_H
#define RLX_CPU_H

#include <rlx/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* True if this CPU and its operating system can run code that needs |feature|, a name of
 * cpu_features.def. False for other names and for features of other architectures. Threads: safe
 * while no thread changes the environment. */
RLX_API bool rlx_cpu_has(rlx_str feature);
/* True if cpu_features.def has |feature|. */
RLX_API bool rlx_cpu_feature_is_known(rlx_str feature);

#ifdef __cplusplus
}
#endif

#endif
