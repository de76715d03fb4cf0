/* Constants in a file of their own: finding their bytes while an executable is loaded.

   The section states the bytes of the weights, where they begin in the file that was made with the
   executable, and the checksum of all before them; offset and size of each weight; the size of a
   program, an executable, and its bytes. A file that begins like that file is mapped and used in
   place. From any other file, and from tensors of the host, the tensors with the names of its
   parameters are passed to the program's function "weights". Its result is a tuple of the weights
   in order. Code in the executable thus packs and folds weights that it was not compiled with. The
   call checks the types of the parameters; the sizes of the results are checked here. The verifier
   does not depend on the bytes. */
#include "vm/load.h"
#include "vm/safetensors.h"

#include <rlx/checked.h>
#include <rlx/memory.h>
#include <rlx/vm.h>
#include <string.h>

#if !RLX_BARE
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

typedef struct weights {
    rlxv_loader *l;
    uint64_t size, start, checksum;
    uint32_t n;
    rlxv_reader rows, program;
    const char *path;
    int fd;
    rlx_str header;    /* of the file */
    rlx_storage *data; /* its bytes behind the header */
} weights;

static rlx_status parse_section(weights *w)
{
    rlxv_loader *l = w->l;
    rlxv_reader r;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_WEIGHTS, 4, "weights", &r, &w->n));
    w->size = rlxv_read_word64(&r);
    w->start = rlxv_read_word64(&r);
    w->checksum = rlxv_read_word64(&r);
    w->rows = r;
    for (uint32_t i = 0; i < w->n; i++) {
        const uint64_t at = rlxv_read_word64(&r), size = rlxv_read_word64(&r);
        if (r.bad || at > w->size || size > w->size - at)
            return rlxv_malformed(l, "weight", i, "leaves the weights");
    }
    if (rlxv_read_word64(&r) != r.left || r.bad || w->size == 0 || w->size > PTRDIFF_MAX ||
        w->start % 64)
        return rlx_fail(l->err, RLX_E_INVALID_MODULE, "the weights section has a wrong size");
    w->program = r;
    return RLX_OK;
}

/* --- weights in another form ----------------------------------------------------------------- */

static rlx_status missing(const weights *w, rlx_str name, const char *why)
{
    return rlx_fail(w->l->err, RLX_E_NOT_FOUND, "%s: tensor '%.*s': %s", w->path, (int)name.len,
                    name.data, why);
}

#if RLX_BARE
static rlx_status from_file(const weights *w, rlx_str name, rlx_tensor **out)
{
    *out = NULL;
    return missing(w, name, "there is none");
}
#else
/* The tensor |name| of the file; copied if it is not aligned. */
static rlx_status from_file(const weights *w, rlx_str name, rlx_tensor **out)
{
    const rlx_allocator *a = &w->l->exe->allocator;
    rlx_error *err = w->l->err;
    rlxv_safetensor t;
    const uint64_t size = w->data ? w->data->size : 0;
    const char *why = rlxv_safetensors_find(w->header, size, name, &t);
    if (why)
        return missing(w, name, why);
    const uint8_t *bytes = w->data ? (const uint8_t *)w->data->data + t.begin : NULL;
    if (t.nbytes > 0 && (uintptr_t)bytes % rlx_dtype_size(t.dtype) == 0)
        return rlxv_tensor_in(NULL, a, w->data, (int64_t)t.begin, t.dtype, t.ndim, t.dims, out,
                              err);
    RLX_TRY(rlx_tensor_create(a, t.dtype, t.ndim, t.dims, out, err));
    if (t.nbytes > 0)
        memcpy(rlx_tensor_mutable_data(*out), bytes, (size_t)t.nbytes);
    return RLX_OK;
}
#endif

static rlx_status from_host(const weights *w, rlx_str name, rlx_tensor **out)
{
    const rlx_load_options *o = w->l->options;
    for (uint32_t i = 0; i < o->n_tensors; i++)
        if (rlx_str_eq(name, rlx_str_from(o->tensors[i].name))) {
            *out = rlx_value_retain(rlx_of_tensor(o->tensors[i].tensor)).as.tensor;
            return RLX_OK;
        }
    return missing(w, name, "there is none");
}

/* Copies the results to their places. */
static rlx_status keep(weights *w, rlx_value result)
{
    rlx_executable *exe = w->l->exe;
    rlx_error *err = w->l->err;
    rlxv_reader rows = w->rows;
    if (result.kind != RLX_KIND_TUPLE || rlx_tuple_count(result.as.tuple) != w->n)
        return rlx_fail(err, RLX_E_INVALID_MODULE, "the weights program returned other weights");
    RLX_TRY(rlx_memory_check(w->size, "the weights", err));
    RLX_TRY(rlxv_storage_new(NULL, &exe->allocator, (size_t)w->size, 64, &exe->weights, err));
    memset(exe->weights->data, 0, (size_t)w->size);
    for (uint32_t i = 0; i < w->n; i++) {
        const uint64_t at = rlxv_read_word64(&rows), size = rlxv_read_word64(&rows);
        const rlx_value v = rlx_tuple_get(result.as.tuple, i);
        const void *from = v.kind == RLX_KIND_TENSOR ? rlx_tensor_data(v.as.tensor) : NULL;
        if (!from || rlx_tensor_nbytes(v.as.tensor) != size)
            return rlxv_malformed(w->l, "weight", i, "the weights program returned another size");
        memcpy((uint8_t *)exe->weights->data + at, from, (size_t)size);
    }
    exe->weights->header.readonly = 1;
    return RLX_OK;
}

static rlx_status run_program(weights *w, rlx_executable *program)
{
    const rlx_load_options *o = w->l->options;
    rlx_error *err = w->l->err;
    const rlx_vm_options options = {.allocator = &w->l->exe->allocator};
    const uint32_t at = rlx_executable_find_function(program, RLX_STR("weights"));
    if (at == RLX_NONE)
        return rlx_fail(err, RLX_E_INVALID_MODULE, "the weights have no program");
    const rlxv_function *fn = &program->functions[at];
    rlx_value *args = rlxv_arena_alloc(&w->l->exe->arena, fn->n_params, sizeof *args);
    if (!args)
        return rlxv_load_nomem(w->l);
    rlx_value result = rlx_none();
    rlx_vm *vm = NULL;
    rlx_status status = RLX_OK;
    uint32_t n = 0;
    for (; status == RLX_OK && n < fn->n_params; n++) {
        rlx_tensor *t = NULL;
        status = o->n_tensors > 0 ? from_host(w, fn->params[n].name, &t)
                                  : from_file(w, fn->params[n].name, &t);
        args[n] = rlx_of_tensor(t);
    }
    if (status == RLX_OK)
        status = rlx_vm_create(program, &options, &vm, err);
    if (status == RLX_OK)
        status = rlx_vm_invoke_index(vm, at, args, n, &result, err);
    if (status == RLX_OK)
        status = keep(w, result);
    rlx_value_release(result);
    rlx_vm_destroy(vm);
    while (n > 0)
        rlx_value_release(args[--n]);
    return status;
}

static rlx_status transform(weights *w)
{
    const rlx_executable *exe = w->l->exe;
    const rlx_load_options options = {.allocator = &exe->allocator,
                                      .trust_native = exe->trusts_code};
    rlx_executable *program = NULL;
    rlx_status status =
        rlx_executable_load_memory(w->program.p, w->program.left, &options, &program, w->l->err);
    if (status == RLX_OK)
        status = run_program(w, program);
    rlx_executable_release(program);
    if (status != RLX_OK)
        rlx_error_prefix(w->l->err, "weights: ");
    return status;
}

/* --- the file -------------------------------------------------------------------------------- */

#if RLX_BARE
static rlx_status open_file(weights *w)
{
    return rlx_fail(w->l->err, RLX_E_NOT_FOUND, "%s: there are no files here", w->path);
}
#else
static rlx_status not_safetensors(const weights *w)
{
    return rlx_fail(w->l->err, RLX_E_INVALID_ARG, "%s: not a safetensors file", w->path);
}

/* |start| bytes of the file come before its tensors, |size| are in it. */
static rlx_status use_file(weights *w, uint8_t *head, uint64_t start, uint64_t size)
{
    rlx_executable *exe = w->l->exe;
    rlx_error *err = w->l->err;
    const bool read = rlxv_reads_data(w->l->options);
    RLX_TRY(rlxv_read_at(w->fd, w->path, 0, head, (size_t)start, err));
    if (start == w->start && size - start == w->size &&
        rlxv_checksum(head, (size_t)start) == w->checksum)
        return rlxv_load_data(w->fd, w->path, &exe->allocator, read, start, w->size, &exe->weights,
                              err);
    if (size > start)
        RLX_TRY(rlxv_load_data(w->fd, w->path, &exe->allocator, read, start, size - start, &w->data,
                               err));
    w->header = (rlx_str){(const char *)head + 8, (size_t)start - 8};
    return transform(w);
}

static rlx_status read_file(weights *w)
{
    const rlx_allocator *a = &w->l->exe->allocator;
    rlx_error *err = w->l->err;
    uint8_t length[8];
    struct stat st;
    if (fstat(w->fd, &st) != 0)
        return rlxv_io_error(err, w->path, "read");
    const uint64_t size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    if (size < sizeof length)
        return not_safetensors(w);
    RLX_TRY(rlxv_read_at(w->fd, w->path, 0, length, sizeof length, err));
    const uint64_t header = rlxv_load_u64(length);
    if (header > size - sizeof length || header > RLXV_SAFETENSORS_MAX_HEADER)
        return not_safetensors(w);
    const size_t start = sizeof length + (size_t)header;
    uint8_t *head = rlx_alloc(a, start, 1);
    if (!head)
        return rlxv_load_nomem(w->l);
    const rlx_status status = use_file(w, head, start, size);
    rlx_free(a, head, start, 1);
    if (w->data)
        rlxv_release(&w->data->header);
    return status;
}

static rlx_status open_file(weights *w)
{
    w->fd = open(w->path, O_RDONLY | O_CLOEXEC);
    if (w->fd < 0)
        return rlxv_io_error(w->l->err, w->path, "open the weights");
    const rlx_status status = read_file(w);
    close(w->fd);
    return status;
}
#endif

rlx_status rlxv_load_weights(rlxv_loader *l)
{
    const rlx_load_options *o = l->options;
    weights w = {.l = l, .path = "the tensors given"};
    if (!l->sections[RLXV_SECTION_WEIGHTS].present)
        return RLX_OK;
    RLX_TRY(parse_section(&w));
    if (o && o->n_tensors > 0)
        return transform(&w);
    if (!o || !o->weights)
        return rlx_fail(l->err, RLX_E_NOT_FOUND,
                        "the weights are in a file of their own, and none is given");
    w.path = o->weights;
    return open_file(&w);
}
