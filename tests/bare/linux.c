/* The first instruction of a program without a C library, and the calls of the kernel that
 * system.h needs. */
#include "tests/bare/system.h"

#include <stdint.h>

/* Numbers by architecture: openat, read, write, close, mprotect, exit_group. */
#if defined(__x86_64__)
enum { OPENAT = 257, READ = 0, WRITE = 1, CLOSE = 3, MPROTECT = 10, EXIT = 231 };
__asm__(".globl _start\n_start:\n xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call "
        "bare_start\n");

static long ask(long number, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
}
#else
enum { OPENAT = 56, READ = 63, WRITE = 64, CLOSE = 57, MPROTECT = 226, EXIT = 94 };
#if defined(__aarch64__)
__asm__(".globl _start\n_start:\n mov x29, #0\n mov x0, sp\n bl bare_start\n");
#define CALL(number, first, second, third, fourth)                                               \
    register long n __asm__("x8") = number, r0 __asm__("x0") = first, r1 __asm__("x1") = second, \
                    r2 __asm__("x2") = third, r3 __asm__("x3") = fourth
#define INSTRUCTION "svc 0"
#else
__asm__(".globl _start\n_start:\n.option push\n.option norelax\n la gp, __global_pointer$\n.option "
        "pop\n"
        " mv a0, sp\n call bare_start\n");
#define CALL(number, first, second, third, fourth)                                               \
    register long n __asm__("a7") = number, r0 __asm__("a0") = first, r1 __asm__("a1") = second, \
                    r2 __asm__("a2") = third, r3 __asm__("a3") = fourth
#define INSTRUCTION "ecall"
#endif

static long ask(long number, long a, long b, long c, long d)
{
    CALL(number, a, b, c, d);
    __asm__ volatile(INSTRUCTION : "+r"(r0) : "r"(n), "r"(r1), "r"(r2), "r"(r3) : "memory");
    return r0;
}
#endif

size_t bare_read(const char *path, void *to, size_t room)
{
    enum { HERE = -100, READ_ONLY = 0 };
    const long file = ask(OPENAT, HERE, (long)path, READ_ONLY, 0);
    size_t n = 0;
    long got = 1;
    if (file < 0)
        return 0;
    while (n < room && got > 0) {
        got = ask(READ, file, (long)to + (long)n, (long)(room - n), 0);
        n += got > 0 ? (size_t)got : 0;
    }
    ask(CLOSE, file, 0, 0, 0);
    return got == 0 ? n : 0;
}

void bare_write(const char *text, size_t n)
{
    (void)ask(WRITE, 1, (long)text, (long)n, 0);
}

bool bare_set_access(void *at, size_t bytes, unsigned access)
{
    /* ELF's bits are execute, write, read; mprotect's the other way round. */
    const long bits = (access & 1 ? 4 : 0) | (access & 2 ? 2 : 0) | (access & 4 ? 1 : 0);
    return ask(MPROTECT, (long)at, (long)bytes, bits, 0) == 0;
}

__attribute__((noreturn, used)) void bare_start(char **stack)
{
    const int argc = (int)(intptr_t)stack[0];
    const int status = bare_main(argc, stack + 1);
    for (;;)
        (void)ask(EXIT, status, 0, 0, 0);
}
