/* All of the runtime's public interface. */
#ifndef RLX_RLX_H
#define RLX_RLX_H

#include <rlx/asm.h>
#include <rlx/base.h>
#include <rlx/builder.h>
#include <rlx/builtin.h>
#include <rlx/cpu.h>
#include <rlx/device.h>
#include <rlx/executable.h>
#include <rlx/file.h>
#include <rlx/floats.h>
#include <rlx/kernel.h>
#include <rlx/memory.h>
#include <rlx/packed.h>
#include <rlx/plan.h>
#include <rlx/profile.h>
#include <rlx/sign.h>
#include <rlx/time.h>
#include <rlx/value.h>
#include <rlx/vm.h>

#endif
