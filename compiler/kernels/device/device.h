/* Private to compiler/kernels: what rules for devices share. */
#ifndef RLXC_KERNELS_DEVICE_DEVICE_H
#define RLXC_KERNELS_DEVICE_DEVICE_H

enum { RLXC_BLOCK_THREADS = 256 /* threads of a block where nothing asks for another number */ };

#endif
