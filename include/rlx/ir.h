/* The compiler's IR: looking through modules. Handles are borrowed from the compiler and live as
   long as it does (rlx/compiler.h, which also says what holds of threads). */
#ifndef RLX_IR_H
#define RLX_IR_H

#include <rlx/value.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rlx_compiler rlx_compiler;
typedef struct rlx_ir_module rlx_ir_module;

#ifdef __cplusplus
}
#endif

#endif
