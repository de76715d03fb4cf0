/* Matrix products beside the libraries that people call by hand.
 *
 *     peers_gemm weights K N FILE.safetensors     seeded weights "w" of shape (K, N)
 *     peers_gemm measure FOLDER THREADS           FOLDER/K_N.rlx: main(x: (m, K)) -> x @ w
 *
 * A row is "M N K threads rlx_us peer peer_us ratio best": medians of bursts of calls, rlx and all
 * peers taking turns in this process, the peer the fastest of those found; best is the ratio of the
 * shortest bursts. Peers are opened at run
 * time: OpenBLAS, BLIS (sgemm, weights as they are), oneDNN (sgemm; inner product with weights
 * packed beforehand). The results are compared before anything is timed. Nobody's thread may still
 * spin when another's turn begins: with two threads a turn waits until all others sleep. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rlx/rlx.h>

#include "bench/bench.h"

#if __has_include(<oneapi/dnnl/dnnl.h>)
#include <oneapi/dnnl/dnnl.h>
#define HAVE_DNNL (DNNL_VERSION_MAJOR == 2)
#else
#define HAVE_DNNL 0
#endif

enum { BURSTS = 15, MAX_PEERS = 5 };

/* One thread is measured by its own CPU time, which other programs on the machine do not lengthen;
 * several by the clock. */
static double now_us(int threads)
{
    struct timespec t;
    clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + (double)t.tv_nsec / 1e3;
}

static void die(const char *message)
{
    fprintf(stderr, "peers_gemm: %s\n", message);
    exit(1);
}

static float *floats(size_t n)
{
    float *p = aligned_alloc(64, (n * sizeof *p + 63) / 64 * 64);
    if (!p)
        die("no memory");
    return p;
}

/* Values in [-1/2, 1/2) of a linear congruential generator (Knuth's MMIX constants). */
static void fill(float *p, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        p[i] = (float)(seed >> 40) / 16777216.0f - 0.5f;
    }
}

static int write_weights(size_t k, size_t n, const char *path)
{
    FILE *f = fopen(path, "wb");
    float *w = floats(k * n);
    char header[256];
    fill(w, k * n, k * 31 + n);
    int length =
        snprintf(header, sizeof header,
                 "{\"w\":{\"dtype\":\"F32\",\"shape\":[%zu,%zu],\"data_offsets\":[0,%zu]}}", k, n,
                 k * n * sizeof *w);
    uint64_t size = (uint64_t)length;
    bool fine = f && fwrite(&size, 8, 1, f) == 1 && fwrite(header, (size_t)size, 1, f) == 1 &&
                fwrite(w, sizeof *w, k * n, f) == k * n;
    fine = f && fclose(f) == 0 && fine;
    free(w);
    return fine ? 0 : 1;
}

/* --- one product, and those who compute it --------------------------------------------------- */

typedef struct product {
    int64_t m, n, k;
    const float *x, *w;
    float *y;
    rlx_vm *vm;
    rlx_value input;
} product;

typedef struct peer {
    const char *name;
    void (*run)(struct peer *self, const product *p);
    void *function, *state;
    float *result; /* where the last run left it; NULL: in product.y */
    double us[BURSTS];
} peer;

static void run_rlx(peer *self, const product *p)
{
    rlx_error err = {0};
    rlx_value out = rlx_none();
    if (rlx_vm_invoke(p->vm, RLX_STR("main"), &p->input, 1, &out, &err) != RLX_OK)
        die(err.message);
    if (self->state) { /* the comparison wants to see it */
        memcpy(p->y, rlx_tensor_data(out.as.tensor), (size_t)(p->m * p->n) * sizeof(float));
        self->state = NULL;
    }
    rlx_value_release(out);
}

typedef void (*cblas_fn)(int order, int ta, int tb, int m, int n, int k, float alpha,
                         const float *a, int lda, const float *b, int ldb, float beta, float *c,
                         int ldc);

static void run_cblas(peer *self, const product *p)
{
    enum { ROW_MAJOR = 101, NO_TRANS = 111 };
    cblas_fn f;
    memcpy(&f, &self->function, sizeof f);
    int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    f(ROW_MAJOR, NO_TRANS, NO_TRANS, m, n, k, 1.0f, p->x, k, p->w, n, 0.0f, p->y, n);
}

#if HAVE_DNNL
typedef __typeof__(&dnnl_sgemm) sgemm_fn;

static void run_dnnl_sgemm(peer *self, const product *p)
{
    sgemm_fn f;
    memcpy(&f, &self->function, sizeof f);
    if (f('N', 'N', p->m, p->n, p->k, 1.0f, p->x, p->k, p->w, p->n, 0.0f, p->y, p->n) !=
        dnnl_success)
        die("dnnl_sgemm failed");
}

typedef struct inner_product {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[3];
    __typeof__(&dnnl_primitive_execute) execute;
    __typeof__(&dnnl_stream_wait) wait;
} inner_product;

static void run_inner_product(peer *self, const product *p)
{
    inner_product *ip = self->state;
    (void)p;
    if (ip->execute(ip->primitive, ip->stream, 3, ip->args) != dnnl_success ||
        ip->wait(ip->stream) != dnnl_success)
        die("oneDNN's inner product failed");
}

static void ok(dnnl_status_t status)
{
    if (status != dnnl_success)
        die("oneDNN refuses");
}

/* y[m][n] = x[m][k] w[n][k]: the weights are reordered from (k, n) to what the library wants. */
static void open_inner_product(void *lib, peer *out, const product *p)
{
    inner_product *ip = calloc(1, sizeof *ip);
    if (!ip)
        die("no memory");
#define GET(name)                                     \
    __typeof__(&dnnl_##name) name;                    \
    void *name##_address = dlsym(lib, "dnnl_" #name); \
    memcpy(&name, &name##_address, sizeof name)
    GET(engine_create);
    GET(stream_create);
    GET(memory_desc_init_by_tag);
    GET(memory_desc_init_by_strides);
    GET(inner_product_forward_desc_init);
    GET(primitive_desc_create);
    GET(primitive_desc_query_md);
    GET(primitive_create);
    GET(memory_create);
    GET(reorder_primitive_desc_create);
    GET(primitive_execute);
    GET(stream_wait);
#undef GET
    ip->execute = primitive_execute;
    ip->wait = stream_wait;
    ok(engine_create(&ip->engine, dnnl_cpu, 0));
    ok(stream_create(&ip->stream, ip->engine, dnnl_stream_default_flags));
    dnnl_dims_t xd = {p->m, p->k}, wd = {p->n, p->k}, yd = {p->m, p->n}, ws = {1, p->n};
    dnnl_memory_desc_t x, w, y, plain;
    ok(memory_desc_init_by_tag(&x, 2, xd, dnnl_f32, dnnl_ab));
    ok(memory_desc_init_by_tag(&y, 2, yd, dnnl_f32, dnnl_ab));
    ok(memory_desc_init_by_tag(&w, 2, wd, dnnl_f32, dnnl_format_tag_any));
    ok(memory_desc_init_by_strides(&plain, 2, wd, dnnl_f32, ws));
    dnnl_inner_product_desc_t d;
    dnnl_primitive_desc_t pd, rpd;
    ok(inner_product_forward_desc_init(&d, dnnl_forward_inference, &x, &w, NULL, &y));
    ok(primitive_desc_create(&pd, &d, NULL, ip->engine, NULL));
    ok(primitive_create(&ip->primitive, pd));
    dnnl_memory_t mx, mw, mp, my;
    out->result = floats((size_t)(p->m * p->n));
    ok(memory_create(&mx, &x, ip->engine, (void *)(uintptr_t)p->x));
    ok(memory_create(&mp, &plain, ip->engine, (void *)(uintptr_t)p->w));
    ok(memory_create(&mw, primitive_desc_query_md(pd, dnnl_query_weights_md, 0), ip->engine,
                     DNNL_MEMORY_ALLOCATE));
    ok(memory_create(&my, &y, ip->engine, out->result));
    dnnl_primitive_t reorder;
    ok(reorder_primitive_desc_create(&rpd, &plain, ip->engine,
                                     primitive_desc_query_md(pd, dnnl_query_weights_md, 0),
                                     ip->engine, NULL));
    ok(primitive_create(&reorder, rpd));
    dnnl_exec_arg_t move[2] = {{DNNL_ARG_SRC, mp}, {DNNL_ARG_DST, mw}};
    ok(primitive_execute(reorder, ip->stream, 2, move));
    ok(stream_wait(ip->stream));
    ip->args[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, mx};
    ip->args[1] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, mw};
    ip->args[2] = (dnnl_exec_arg_t){DNNL_ARG_DST, my};
    out->state = ip;
}
#endif

/* A library of the list and how it is told the number of threads. */
static void *open_library(const char *path, const char *setter, int threads)
{
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *address = lib && setter ? dlsym(lib, setter) : NULL;
    if (address) {
        void (*set)(long);
        memcpy(&set, &address, sizeof set);
        set(threads);
    }
    return lib;
}

static uint32_t open_peers(peer *out, const product *p, int threads)
{
    uint32_t n = 0;
    void *lib = open_library("libopenblas.so.0", "openblas_set_num_threads", threads);
    if (lib)
        out[n++] = (peer){"OpenBLAS", run_cblas, dlsym(lib, "cblas_sgemm"), NULL, NULL, {0}};
    lib = open_library("libblis.so.4", "bli_thread_set_num_threads", threads);
    if (lib)
        out[n++] = (peer){"BLIS", run_cblas, dlsym(lib, "cblas_sgemm"), NULL, NULL, {0}};
#if HAVE_DNNL
    lib = open_library("libdnnl.so.2", NULL, threads);
    open_library("libgomp.so.1", "omp_set_num_threads", threads);
    if (lib) {
        out[n++] =
            (peer){"oneDNN sgemm", run_dnnl_sgemm, dlsym(lib, "dnnl_sgemm"), NULL, NULL, {0}};
        out[n] = (peer){"oneDNN inner product", run_inner_product, NULL, NULL, NULL, {0}};
        open_inner_product(lib, &out[n++], p);
    }
#else
    (void)p;
#endif
    return n;
}

/* --- measuring ------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void check(peer *peers, uint32_t n, product *p)
{
    size_t count = (size_t)(p->m * p->n);
    float *first = floats(count);
    peers[0].state = p; /* any: keep the result once */
    for (uint32_t i = 0; i < n; i++) {
        memset(p->y, 0, count * sizeof *p->y);
        peers[i].run(&peers[i], p);
        const float *y = peers[i].result ? peers[i].result : p->y;
        if (i == 0)
            memcpy(first, y, count * sizeof *y);
        for (size_t e = 0; e < count; e++)
            if (!(fabsf(first[e] - y[e]) <= 1e-3f))
                die("a peer computes something else");
    }
    free(first);
}

/* A call, or more of short ones: workers are awake afterwards and caches warm, from which the other
 * sides' weights have driven this side's: the first calls read them from memory. */
static void warm_up(peer *self, const product *p, int threads)
{
    double start = now_us(threads);
    for (int k = 0; k < 20 && (k == 0 || now_us(threads) - start < 3000); k++)
        self->run(self, p);
}

static void measure(product *p, int threads)
{
    peer peers[MAX_PEERS + 1] = {{"rlx", run_rlx, NULL, NULL, NULL, {0}}};
    uint32_t n = 1 + open_peers(peers + 1, p, threads);
    int number[MAX_PEERS + 1];
    check(peers, n, p);
    for (uint32_t i = 0; i < n; i++) {
        warm_up(&peers[i], p, threads);
        double start = now_us(threads);
        peers[i].run(&peers[i], p);
        double us = now_us(threads) - start;
        number[i] = us >= 2000 ? 1 : (int)(2000 / us) + 1;
    }
    for (int b = 0; b < BURSTS; b++) {
        for (uint32_t i = 0; i < n; i++) {
            if (threads > 1)
                bench_wait_for_sleep(5);
            warm_up(&peers[i], p, threads);
            double start = now_us(threads);
            for (int k = 0; k < number[i]; k++)
                peers[i].run(&peers[i], p);
            peers[i].us[b] = (now_us(threads) - start) / number[i];
        }
    }
    uint32_t best = 0;
    for (uint32_t i = 0; i < n; i++)
        qsort(peers[i].us, BURSTS, sizeof(double), by_value);
    for (uint32_t i = 1; i < n; i++)
        if (best == 0 || peers[i].us[BURSTS / 2] < peers[best].us[BURSTS / 2])
            best = i;
    double own = peers[0].us[BURSTS / 2], other = peers[best].us[BURSTS / 2];
    double gflop = 2e-3 * (double)(p->m * p->n * p->k);
    double shortest = peers[1].us[0];
    for (uint32_t i = 2; i < n; i++)
        shortest = peers[i].us[0] < shortest ? peers[i].us[0] : shortest;
    printf("%4lld %4lld %4lld %d %9.1f %-20s %9.1f %5.3f %5.3f   %6.1f GFLOP/s\n", (long long)p->m,
           (long long)p->n, (long long)p->k, threads, own, best ? peers[best].name : "none", other,
           own / other, peers[0].us[0] / shortest, gflop / own);
    fflush(stdout);
}

static void measure_row(const char *folder, int64_t m, int64_t n, int64_t k, int threads)
{
    rlx_error err = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/%lld_%lld.rlx", folder, (long long)k, (long long)n);
    rlx_executable *exe;
    const rlx_load_options load = {.trust_native = true};
    const rlx_vm_options options = {.threads = (uint32_t)threads};
    product p = {.m = m, .n = n, .k = k};
    rlx_tensor *x = NULL;
    const int64_t dims[2] = {m, k};
    if (rlx_executable_load_file(path, &load, &exe, &err) != RLX_OK ||
        rlx_vm_create(exe, &options, &p.vm, &err) != RLX_OK ||
        rlx_tensor_create(NULL, RLX_F32, 2, dims, &x, &err) != RLX_OK)
        die(err.message);
    fill(rlx_tensor_mutable_data(x), (size_t)(m * k), 7);
    p.input = rlx_of_tensor(x);
    p.x = rlx_tensor_data(x);
    float *w = floats((size_t)(k * n));
    fill(w, (size_t)(k * n), (uint64_t)(k * 31 + n));
    p.w = w;
    p.y = floats((size_t)(m * n));
    measure(&p, threads);
    rlx_vm_destroy(p.vm);
    rlx_executable_release(exe);
    rlx_value_release(p.input);
    free(w);
    free(p.y);
}

int main(int argc, char **argv)
{
    static const int64_t rows[][3] = {{1, 768, 768},    {1, 3072, 768},    {7, 768, 768},
                                      {16, 768, 768},   {32, 256, 784},    {128, 768, 768},
                                      {128, 3072, 768}, {128, 768, 3072},  {384, 768, 768},
                                      {512, 512, 512},  {1024, 1024, 1024}};
    if (argc == 5 && strcmp(argv[1], "weights") == 0)
        return write_weights(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), argv[4]);
    if (argc < 4 || strcmp(argv[1], "measure") != 0)
        return 2;
    int threads = atoi(argv[3]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (argc == 4 || atoi(argv[4]) == (int)i)
            measure_row(argv[2], rows[i][0], rows[i][1], rows[i][2], threads);
    return 0;
}
