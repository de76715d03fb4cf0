/* Mutates TVMScript and schedules by words and lines, so that half of the inputs get past the
 * lexer. Shared by the fuzz targets for text: a file that includes this gets the mutator. */
#ifndef RLX_FUZZ_MUTATE_TEXT_H
#define RLX_FUZZ_MUTATE_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* clang-format off */
static const char *const mutate_words[] = {
    "R.add", "R.call_tir", "R.match_cast", "R.Tensor", "R.Shape", "R.Tuple", "R.Prim", "R.Object",
    "R.const", "R.shape", "n", "x", "cls", "0", "-1", "2", "1.5", "True", "None", "\"n\"",
    "\"float32\"", "\"int64\"", "[", "]", "(", ")", "()", "[]", ",", ":", "=", "if c:", "else:",
    "return x", "T.int64()", "T.int64", "T.float32(1)", "T.Buffer", "T.handle", "T.grid",
    "T.block", "T.init()", "T.Ramp", "T.Select", "T.Cast", "T.exp", "9223372036854775807", "with",
    "for", "while", "in", "not", "and", "//", "%", "**", "<<", "lambda a:", "@R.function",
    "sinfo_args=", "out_sinfo=", "dtype=", "ndim=", "axis=", "metadata", "R.matmul", "R.reshape",
    "R.concat", "R.split", "R.take", "R.sum", "R.strided_slice", "R.nn.conv2d", "R.unique",
    "R.call_packed", "R.dataflow()", "R.output(x)", "R.make_closure", "R.invoke_closure",
    "R.const(1.0, \"float32\")", "R.const([[1,2],[3,4]], \"int64\")", "keepdims=True", "axis=-1",
    "T.reduce", "T.where", "T.match_buffer", "T.alloc_buffer", "T.vectorized", "T.parallel",
    "T.bool", "T.float16", "T.int8", "T.floormod", "T.max", "T.if_then_else", "dtype=\"int64\"",
    "0x7fffffff", "1e308", "n * 2", "n // 0",
    "sch.split", "sch.fuse", "sch.reorder", "sch.tensorize", "sch.rewrite", "sch.get_block",
    "sch.get_loops", "sch.compute_at", "sch.cache_read", "sch.decompose_reduction", "b0", "l1",
    "I.vdevice", "R.to_vdevice", "R.hint_on_device", "\"opencl:0\"", "\"llvm:0\"", "\"opencl\"",
    "\"cuda\"", "T.thread_binding", "\"blockIdx.x\"", "\"threadIdx.x\"", "\"shared\"",
    "\"tile\"", "\"rows\"", "factors=", "sizes=", "\"lanes\": 8", "[None, 4]", "\"#1\"",
};
/* clang-format on */

static uint32_t mutate_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static bool mutate_is_word(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

/* Picks the word, line or single byte at a random place. */
static void mutate_pick(const uint8_t *data, size_t size, bool line, uint32_t *state,
                        size_t *out_begin, size_t *out_end)
{
    size_t begin = mutate_next(state) % size, end = begin;
    while (begin > 0 && (line ? data[begin - 1] != '\n' : mutate_is_word(data[begin - 1])))
        begin--;
    while (end < size && (line ? data[end] != '\n' : mutate_is_word(data[end])))
        end++;
    *out_begin = begin;
    *out_end = end < size && (line || end == begin) ? end + 1 : end;
}

/* Replaces data[begin, end) by |text|; deletes it if the result would be too long. */
static size_t mutate_splice(uint8_t *data, size_t size, size_t max_size, size_t begin, size_t end,
                            const void *text, size_t length)
{
    if (size - (end - begin) + length > max_size)
        length = 0;
    memmove(data + begin + length, data + end, size - end);
    if (length > 0)
        memcpy(data + begin, text, length);
    return size - (end - begin) + length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint32_t state = seed;
    if (size == 0 || mutate_next(&state) % 2 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    size_t begin, end, from, to;
    bool line = mutate_next(&state) % 3 == 0;
    mutate_pick(data, size, line, &state, &begin, &end);
    if (mutate_next(&state) % 3 == 0) {
        const char *word =
            mutate_words[mutate_next(&state) % (sizeof mutate_words / sizeof *mutate_words)];
        return mutate_splice(data, size, max_size, begin, end, word, strlen(word));
    }
    mutate_pick(data, size, line, &state, &from, &to);
    uint8_t copy[512];
    size_t length = to - from < sizeof copy ? to - from : sizeof copy;
    memcpy(copy, data + from, length);
    if (mutate_next(&state) % 2 == 0)
        end = begin; /* insert */
    return mutate_splice(data, size, max_size, begin, end, copy, length);
}

#endif
