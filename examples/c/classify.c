/* Classifies a few images of digits with the model as C: no librlx, no files, no malloc.
 *
 *   rlxc examples/digits/digits.py --params examples/digits/digits.safetensors --bound n=1:8 \
 *        --emit=c -o digits.c
 *   cc -I. examples/c/classify.c digits.c -lm -o classify
 *
 * With all sizes bounded the model's memory is static; the same program runs without an operating
 * system (vectors.c, cortex_m3.ld). */
#include <stdio.h>

#include "digits.h"
#include "images.h"

enum { CLASSES = 10 };

int main(void)
{
    static float probability[IMAGES * CLASSES];
    const int status = digits_main(images[0], IMAGES, probability);
    if (status != 0) {
        printf("digits_main returned %d\n", status);
        return 1;
    }
    for (int i = 0; i < IMAGES; i++) {
        int best = 0;
        for (int k = 1; k < CLASSES; k++)
            if (probability[i * CLASSES + k] > probability[i * CLASSES + best])
                best = k;
        printf("image %d: digit %d, %.4f\n", i, best, (double)probability[i * CLASSES + best]);
    }
    /* More images than the bound allows are refused, nothing is written. */
    printf("9 images: %s\n",
           digits_main(images[0], IMAGES + 1, probability) == DIGITS_E_SHAPE ? "refused" : "taken");
    return 0;
}
