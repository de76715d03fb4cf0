/* Decides which loops LLVM must not unroll.
 *
 * LLVM fully unrolls a short loop around other loops, whatever runs inside: the 3 x 3 taps of a
 * convolution give nine copies of its loop over channels, in each of its tiles. That saves a few
 * instructions per run of the inner loop, and takes several times as long to compile. So a loop is
 * not unrolled if a loop inside it is long, or if the kernel asks for that ("rlx.rolled"). A short
 * inner loop is unrolled itself; then its outer loop is worth unrolling too.
 *
 * LLVM also makes up to eight copies of the body of a long loop. Loops over scalars are faster by
 * that. A tile of vectors, which the kernel has unrolled, is not. */
#include "compiler/codegen/codegen.h"
#include "compiler/codegen/llvm.h"

enum {
    LONG_LOOP = 48, /* statements in all turns */
    TILE = 4        /* statements of a turn */
};

int64_t rlxc_count_statements(const rlxc_stmt *s, int64_t most)
{
    int64_t n = 0, turns;
    if (s->kind == RLXC_STMT_SEQ) {
        for (uint32_t i = 0; i < s->seq.n && n < most; i++)
            n += rlxc_count_statements(s->seq.items[i], most);
        return n;
    }
    if (s->kind == RLXC_STMT_IF) {
        n = rlxc_count_statements(s->if_.then, most);
        return s->if_.otherwise ? n + rlxc_count_statements(s->if_.otherwise, most) : n;
    }
    if (s->kind != RLXC_STMT_FOR)
        return 1;
    n = rlxc_count_statements(s->loop.body, most);
    const bool is_known = rlxc_is_int(s->loop.extent, &turns);
    return !is_known || n > most || turns > most ? most : n * turns;
}

static bool contains_long_loop(const rlxc_stmt *s)
{
    bool found = false;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; i < s->seq.n && !found; i++)
            found = contains_long_loop(s->seq.items[i]);
        return found;
    case RLXC_STMT_IF:
        return contains_long_loop(s->if_.then) ||
               (s->if_.otherwise && contains_long_loop(s->if_.otherwise));
    case RLXC_STMT_FOR:
        if (s->loop.kind == RLXC_LOOP_SERIAL && rlxc_count_statements(s, LONG_LOOP) >= LONG_LOOP)
            return true;
        return contains_long_loop(s->loop.body);
    case RLXC_STMT_WHILE:
    case RLXC_STMT_BLOCK:
    case RLXC_STMT_LET:
    case RLXC_STMT_STORE:
    case RLXC_STMT_EVALUATE:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ALLOCATE:
    case RLXC_STMT_DECL_BUFFER:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_ATTR:
        break;
    }
    return false;
}

static bool stores_vectors(const rlxc_stmt *s)
{
    bool found = false;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; i < s->seq.n && !found; i++)
            found = stores_vectors(s->seq.items[i]);
        return found;
    case RLXC_STMT_IF:
        return stores_vectors(s->if_.then) ||
               (s->if_.otherwise && stores_vectors(s->if_.otherwise));
    case RLXC_STMT_FOR:
        return stores_vectors(s->loop.body);
    case RLXC_STMT_STORE:
        return s->store.value->dtype.lanes > 1;
    case RLXC_STMT_WHILE:
    case RLXC_STMT_BLOCK:
    case RLXC_STMT_LET:
    case RLXC_STMT_EVALUATE:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ALLOCATE:
    case RLXC_STMT_DECL_BUFFER:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_ATTR:
        break;
    }
    return false;
}

static bool is_long_loop_of_tiles(const rlxc_stmt *loop)
{
    return rlxc_count_statements(loop, LONG_LOOP) >= LONG_LOOP &&
           rlxc_count_statements(loop->loop.body, TILE) >= TILE && stores_vectors(loop->loop.body);
}

bool rlxc_llvm_stays_rolled(const rlxc_stmt *loop)
{
    return rlxc_attrs_find(&loop->loop.annotations, "rlx.rolled") ||
           contains_long_loop(loop->loop.body) || is_long_loop_of_tiles(loop);
}
