/* For tests of --lift-params: a folder with a module, weights files and what rlxc makes of them. */
#ifndef RLX_TESTS_LIFT_H
#define RLX_TESTS_LIFT_H

#include "tests/support/rlx_test.h"

enum { LIFT_SAID = 4096 };

typedef struct lift_weight {
    const char *name, *type, *shape; /* type I4, U4, I2, U2: in bytes of the type I8 or U8 */
    int bytes;                       /* of an element */
    int count;
} lift_weight;

typedef struct lift_place {
    char folder[32], model[64];
} lift_place;

void lift_begin(lift_place *p, const char *module);
/* Removes the folder. */
void lift_end(const lift_place *p);
void lift_write(const char *path, const void *data, size_t size);
/* Numbers in [-1, 1), as in no other |seed|; those of integers are four times the numerators, or
 * their lowest bits. */
void lift_fill(const lift_weight *w, int seed, unsigned char *to);
/* Writes weights |seed| to a file of the folder, whose path it gives. */
const char *lift_weights(const lift_place *p, char path[64], int seed, const lift_weight *weights,
                         int n);
/* rlxc MODULE --params |params| -o |output| |options|, with spaces between or NULL; its status. */
int lift_rlxc(const lift_place *p, const char *params, const char *options, const char *output,
              char said[LIFT_SAID]);
/* The same to a file of the folder, which must work; its path, by the first option. */
const char *lift_compiled(const lift_place *p, const char *params, const char *options,
                          char path[64]);
/* Float32 tensors are equal to |tolerance|; 0: every bit. */
void lift_same(rlx_value a, rlx_value b, float tolerance, const char *what);

#endif
