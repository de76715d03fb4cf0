/* ONNX Runtime as a peer of pair.c. See ort.c. */
#ifndef BENCH_PEERS_ORT_H
#define BENCH_PEERS_ORT_H

#include "bench/peers/peer.h"

/* |handle|: of libonnxruntime.so of any version from 1.1 on, as dlopen gives it. The library is
 * kept until the process ends. */
void ort_open_library(peer_library *out, void *handle);

#endif
