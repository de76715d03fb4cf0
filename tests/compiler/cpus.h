/* The CPUs whose kernels this machine can run. A test that compiles for a named CPU asks first:
 *
 *     if (!cpu_runs(name))
 *         continue;
 *
 * A CPU that is left out is never left out in silence: cpu_runs prints a line "skipped: NAME", and
 * .ci/run-tests prints how often each name was skipped. */
#ifndef RLX_TESTS_CPUS_H
#define RLX_TESTS_CPUS_H

#include "compiler/target/target.h"

/* Whether this machine has what code for |cpu| needs; NULL is the machine's own. */
bool cpu_runs(const char *cpu);
/* The first feature that code for |target| needs and this machine lacks; NULL: none. */
const char *cpu_lacks(rlxc_context *ctx, const rlxc_target *target);

#endif
