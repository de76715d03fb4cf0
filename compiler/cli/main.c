/* The program rlxc; see cli.c.
 *
 * Before main() the dynamic linker runs the constructors of LLVM's library, and after it the
 * destructors. Without memory the constructors would abort; a function that runs before all
 * constructors (DT_PREINIT_ARRAY, which only programs have) turns that into a normal exit with an
 * error. The destructors only free memory that ends with the process, and take longer than a child
 * process; they are skipped. */
#include "compiler/cli/cli.h"
#include "rlx/compiler.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { STACK = 1 << 20 }; /* more than the compiler uses at its limits of depth */

/* No function of stdio: its constructors, too, are yet to run. */
_Noreturn static void no_memory_to_start(void)
{
    static const char text[] = "rlxc: out of memory while starting\n";
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    _exit(EXIT_FAILURE);
}

/* With a limit on the address space the stack may fail to grow, too, which raises SIGSEGV. So it
 * grows here, where the limit can be checked first. */
static void grow_stack(void)
{
    struct rlimit limit;
    volatile char room[STACK];
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    void *probe = mmap(NULL, 2 * STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED)
        no_memory_to_start();
    munmap(probe, 2 * STACK);
    for (size_t i = STACK; i > 0; i -= 4096)
        room[i - 1] = 0;
    (void)room[0];
}

static void before_constructors(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    (void)environment;
    rlx_compiler_on_no_memory(no_memory_to_start);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const preinit)(int, char **, char **) = before_constructors;

int main(int argc, char **argv)
{
    rlx_compiler_on_no_memory(NULL);
    grow_stack();
    int status = rlxc_main(argc, argv, stdout, stderr);
    if (fflush(stdout) != 0 && status == EXIT_SUCCESS)
        status = EXIT_FAILURE;
    _exit(status);
}
