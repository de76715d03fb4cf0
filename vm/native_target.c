/* Whether this machine can run the kernels of a file: their triple and the CPU features they need.
 */
#include "vm/exec.h"

#include <rlx/cpu.h>

#if defined(__x86_64__)
#define HOST_ARCH "x86_64"
#elif defined(__aarch64__)
#define HOST_ARCH "aarch64"
#elif defined(__riscv) && __riscv_xlen == 64
#define HOST_ARCH "riscv64"
#else
#define HOST_ARCH "unknown"
#endif

rlx_status rlxv_native_check_triple(rlx_str triple, rlx_error *err)
{
    size_t arch = 0;
    while (arch < triple.len && triple.data[arch] != '-')
        arch++;
    if (rlx_str_eq((rlx_str){triple.data, arch}, RLX_STR(HOST_ARCH)))
        return RLX_OK;
    return rlx_fail(err, RLX_E_VERSION, "the kernels are for %.*s, this machine is %s",
                    (int)triple.len, triple.data, HOST_ARCH);
}

rlx_status rlxv_native_check_feature(rlx_str feature, rlx_error *err)
{
    if (rlx_cpu_has(feature))
        return RLX_OK;
    return rlx_fail(err, RLX_E_VERSION, "the kernels need the CPU feature %.*s, %s",
                    (int)feature.len, feature.data,
                    rlx_cpu_feature_is_known(feature) ? "which this CPU lacks"
                                                      : "which this library does not know");
}

rlx_status rlxv_native_check(const rlxv_native *n, rlx_error *err)
{
    RLX_TRY(rlxv_native_check_triple(n->triple, err));
    for (uint32_t i = 0; i < n->n_features; i++)
        RLX_TRY(rlxv_native_check_feature(n->features[i], err));
    return RLX_OK;
}
