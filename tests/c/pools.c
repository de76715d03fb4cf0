/* digits in memory pools (pooled.c) computes what digits.c computes in its static array, for 1 to 8
 * images; a missing or unaligned pool is an error. Prints what is wrong; exits 1 then. */
#include <stdio.h>
#include <string.h>

#include "digits.h"
#include "pooled.h"

enum { MOST = 8, PIXELS = 64, CLASSES = 10 };

static union {
    double align[1];
    unsigned char bytes[pooled_main_sram_bytes];
} sram;
static union {
    double align[1];
    unsigned char bytes[pooled_main_dram_bytes];
} dram;

int main(void)
{
    static float images[MOST * PIXELS], want[MOST * CLASSES], got[MOST * CLASSES];
    int wrong = 0;
    for (int i = 0; i < MOST * PIXELS; i++)
        images[i] = (float)(i * 7919 % 17) / 16;
    for (int64_t n = 1; n <= MOST; n++) {
        memset(&sram, 0xff, sizeof sram);
        memset(&dram, 0xff, sizeof dram);
        if (digits_main(images, n, want) != pooled_main(images, n, got, &sram, &dram) ||
            memcmp(want, got, (size_t)n * CLASSES * sizeof *got) != 0)
            wrong += printf("FAIL %d images\n", (int)n);
    }
    if (pooled_main(images, 1, got, NULL, &dram) != POOLED_E_MEMORY ||
        pooled_main(images, 1, got, sram.bytes + 1, &dram) != POOLED_E_MEMORY)
        wrong += printf("FAIL memory that is not a pool\n");
    return wrong ? 1 : 0;
}
