/* Fuzz target: any bytes as a .npy file. */
#include "vm/cli/npy.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rlx_tensor *tensor;
    unsigned char *copy = malloc(size ? size : 1); /* an exact copy: ends where the input ends */
    if (!copy)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    if (npy_decode("fuzz.npy", copy, size, &tensor, NULL) == RLX_OK) {
        unsigned char sum = 0;
        const unsigned char *bytes = rlx_tensor_data(tensor);
        for (size_t i = 0; i < rlx_tensor_nbytes(tensor); i++)
            sum ^= bytes[i];
        if (rlx_tensor_nbytes(tensor) > size)
            abort(); /* more elements than the file holds */
        *(volatile unsigned char *)copy = sum;
        rlx_value_release(rlx_of_tensor(tensor));
    }
    free(copy);
    return 0;
}
