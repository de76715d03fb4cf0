/* The CPUs whose kernels this machine can run. A test that compiles for a named CPU checks first:
 *     if (!cpu_runs(name)) continue;
 *
 * Skipped CPUs are always reported: cpu_runs prints a line "skipped: NAME", and .ci/run-tests
 * prints how often each name was skipped. */
#ifndef RLX_TESTS_CPUS_H
#define RLX_TESTS_CPUS_H

#include "compiler/target/target.h"

/* Whether this machine can run code for |cpu|; NULL: this machine's own CPU. */
bool cpu_runs(const char *cpu);
/* The first feature of |target| that this machine lacks; NULL: it has them all. */
const char *cpu_lacks(rlxc_context *ctx, const rlxc_target *target);
/* Whether products for |target| read weights through a palette in registers; elsewhere they are
 * decoded when compiling. */
bool target_permutes_palettes(const rlxc_target *target);
/* The same of this machine's CPU. */
bool cpu_permutes_palettes(void);

#endif
