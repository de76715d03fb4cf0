/* The start of a Cortex-M without an operating system: the first words of its memory are the stack
 * pointer and the address to run, here that of newlib's start code. */
extern void _start(void);
extern unsigned char stack_top[];

__attribute__((section(".vectors"), used)) static const struct {
    unsigned char *stack;
    void (*start)(void);
} vectors = {stack_top, _start};
