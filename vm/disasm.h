/* Shared by the files of the disassembler (private). */
#ifndef RLXV_DISASM_H
#define RLXV_DISASM_H

#include "vm/exec.h"

/* A quoted string as the assembler reads it. */
void rlxv_print_string(rlxv_buffer *b, rlx_str s);
/* Quoted hexadecimal bytes, in lines if they are many. */
void rlxv_print_hex(rlxv_buffer *b, const uint8_t *p, size_t n);
/* disasm_devices.c: devices, code for them, launches. */
void rlxv_print_devices(rlxv_buffer *b, const rlx_executable *exe, uint32_t flags);

#endif
