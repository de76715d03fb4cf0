/* Runs code generation in a child process, so that a crash of LLVM does not end the host.
 *
 * When LLVM gets no memory it ends the process: it is built without exceptions, its containers
 * cannot report a failure, and neither a jump nor an exception can leave it, because its locks stay
 * held and its tables half written. The same holds for its fatal errors and its crashes. Only a
 * process boundary contains all of these, including the kernel's kill at the limit of a control
 * group, and it discards everything that was half done. So this process never calls LLVM.
 *
 * The child is a fork, not another program: it inherits the module, which a program would have to
 * read again, and costs under a millisecond. The child of a process with several threads has only
 * the calling one. That is enough: glibc makes its allocator usable in the child, mimalloc takes no
 * locks, and the locks of LLVM are free unless the host itself runs LLVM in another thread at this
 * moment. An allocator that holds its locks across fork, such as AddressSanitizer's in GCC 12, can
 * block the child forever if another thread allocates at this moment. The child calls no handler
 * and no atexit function of the host, and does not outlive the calling thread. The system is asked
 * to kill the child before the host when memory is short.
 *
 * Results come back through a file in memory, all else through a page that both processes share. A
 * child that ends early leaves its last thread's stage and LLVM's last message there. */
#include "compiler/codegen/child.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <llvm-c/ErrorHandling.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#if RLX_WITH_MIMALLOC
#include <mimalloc.h>
#endif

static const rlxc_range nowhere;

/* llvm::install_bad_alloc_error_handler(fatal_error_handler_t, void *), which LLVM's C interface
 * lacks. Without it LLVM would print a line of its own and abort. */
extern void install_bad_alloc_handler(void (*fn)(void *, const char *, bool), void *user) __asm__(
    "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");

enum { NAME_ROOM = 800, MESSAGE_ROOM = 800 };

typedef enum child_end { RUNNING, FINISHED, NO_MEMORY, FATAL } child_end;

typedef struct shared { /* shared by both processes */
    atomic_int end;     /* written last */
    atomic_flag taken;  /* by the first thread that ends the child */
    bool fine, out_of_memory;
    uint32_t n_diagnostics, n_items;
    char doing[NAME_ROOM];
    char message[MESSAGE_ROOM];
} shared;

/* In the child only: handlers take no user argument. */
static shared *report;
static _Thread_local struct {
    const char *what, *first, *last;
} now;

void rlxc_child_does(const char *what, const char *first, const char *last)
{
    now.what = what;
    now.first = first;
    now.last = last;
}

/* --- how the child ends ------------------------------------------------------------------------
 */

/* Only the first thread that reports something writes. */
static bool note_end(const char *message)
{
    if (atomic_flag_test_and_set(&report->taken))
        return false;
    snprintf(report->message, sizeof report->message, "%s", message);
    if (!now.first)
        snprintf(report->doing, sizeof report->doing, "%s", now.what);
    else if (now.first == now.last)
        snprintf(report->doing, sizeof report->doing, "%s kernel '%.380s'", now.what, now.first);
    else
        snprintf(report->doing, sizeof report->doing, "%s kernels '%.380s' to '%.380s'", now.what,
                 now.first, now.last);
    return true;
}

_Noreturn static void end_child(child_end end, const char *message)
{
    if (note_end(message))
        atomic_store(&report->end, end);
    else /* another thread is writing: it ends the process */
        for (;;)
            pause();
    _exit(0);
}

static void on_no_memory(void)
{
    end_child(NO_MEMORY, "");
}

static void on_bad_alloc(void *user, const char *reason, bool diagnostics)
{
    (void)user;
    (void)reason;
    (void)diagnostics;
    end_child(NO_MEMORY, "");
}

static void on_fatal_error(const char *reason)
{
    end_child(FATAL, reason);
}

/* The signal is raised again when this returns, and ends the process. */
static void on_crash(int signal)
{
    note_end("");
    raise(signal);
}

#if RLX_WITH_MIMALLOC
static void on_mimalloc_error(int code, void *user)
{
    void (*fn)(void);
    memcpy(&fn, &user, sizeof fn);
    if (code == ENOMEM)
        fn();
}
#endif

void rlxc_on_no_memory(void (*fn)(void))
{
    /* std::set_new_handler, where the process has a C++ library at all */
    void (*(*set)(void (*)(void)))(void);
    *(void **)&set = dlsym(RTLD_DEFAULT, "_ZSt15set_new_handlerPFvvE");
    if (set)
        set(fn);
#if RLX_WITH_MIMALLOC /* its operator new calls no handler */
    void *user;
    memcpy(&user, &fn, sizeof user);
    mi_register_error(fn ? on_mimalloc_error : NULL, user);
#endif
}

/* --- the child ------------------------------------------------------------------------------- */

/* Asks the system to kill this process before its host when memory is short; the system may refuse.
 * The number adds that many thousandths of all memory to the process's own use. A larger one would
 * make this process the victim of any other process that uses up the memory. */
static void offer_to_be_killed(void)
{
    enum { SHARE = 100, MOST = 1000 };
    char text[16] = "";
    int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t n = read(fd, text, sizeof text - 1);
    const long host = n > 0 ? strtol(text, NULL, 10) : 0, own = (host > 0 ? host : 0) + SHARE;
    n = pwrite(fd, text, (size_t)snprintf(text, sizeof text, "%ld", own < MOST ? own : MOST), 0);
    (void)n;
    close(fd);
}

/* The host's handlers are not for this process. */
static void reset_signals(const sigset_t *mask)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    struct sigaction action = {.sa_handler = SIG_DFL}, old;
    for (int i = 1; i < NSIG; i++)
        if (sigaction(i, NULL, &old) == 0 && old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN)
            sigaction(i, &action, NULL);
    action = (struct sigaction){.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigaction(crashes[i], &action, NULL);
    sigprocmask(SIG_SETMASK, mask, NULL);
}

static bool put(int file, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(file, (const char *)data + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

bool rlxc_child_put(rlxc_child *child, const void *data, size_t size)
{
    child->n_items++;
    return put(child->file, &size, sizeof size) && put(child->file, data, size);
}

static bool put_diagnostics(rlxc_context *ctx, size_t from, int file)
{
    size_t n;
    const rlxc_diagnostic *said = rlxc_diagnostics(ctx, &n);
    for (size_t i = from; i < n; i++) {
        size_t length = strlen(said[i].message);
        if (!put(file, &said[i].severity, sizeof said[i].severity) ||
            !put(file, &said[i].range, sizeof said[i].range) ||
            !put(file, &length, sizeof length) || !put(file, said[i].message, length))
            return false;
        report->n_diagnostics++;
    }
    return true;
}

_Noreturn static void run_child(rlxc_context *ctx, pid_t parent, const sigset_t *mask, int file,
                                bool (*work)(void *user, rlxc_child *child), void *user)
{
    rlxc_child child = {.file = file};
    size_t said;
    rlxc_diagnostics(ctx, &said);
    rlxc_child_does("generating code", NULL, NULL);
    reset_signals(mask);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    offer_to_be_killed();
    LLVMResetFatalErrorHandler();
    LLVMInstallFatalErrorHandler(on_fatal_error);
    install_bad_alloc_handler(on_bad_alloc, NULL);
    rlxc_on_no_memory(on_no_memory);
    report->fine = work(user, &child);
    report->n_items = child.n_items;
    report->out_of_memory = rlxc_out_of_memory(ctx);
    if (!put_diagnostics(ctx, said, file))
        on_no_memory();
    end_child(report->out_of_memory ? NO_MEMORY : FINISHED, "");
}

/* --- the parent ------------------------------------------------------------------------------ */

typedef struct reader {
    const char *at;
    size_t left;
} reader;

static bool get(reader *r, void *out, size_t size)
{
    if (size > r->left)
        return false;
    memcpy(out, r->at, size);
    r->at += size;
    r->left -= size;
    return true;
}

static const char *get_text(rlxc_context *ctx, reader *r, size_t *size)
{
    char *text = NULL;
    if (!get(r, size, sizeof *size) || *size > r->left)
        return NULL;
    text = rlxc_try_alloc(ctx, *size + 1, 1);
    return text && get(r, text, *size) ? text : NULL;
}

/* False when memory is out. */
static bool take_over(rlxc_context *ctx, const shared *s, reader *r, rlxc_items *out)
{
    for (uint32_t i = 0; i < s->n_items; i++) {
        size_t size;
        const char *text = get_text(ctx, r, &size);
        if (!text)
            return false;
        RLXC_PUSH(ctx, out, (rlx_str){text, size});
    }
    for (uint32_t i = 0; i < s->n_diagnostics; i++) {
        rlxc_severity severity;
        rlxc_range range;
        size_t size;
        const char *text;
        if (!get(r, &severity, sizeof severity) || !get(r, &range, sizeof range) ||
            !(text = get_text(ctx, r, &size)))
            return false;
        void (*say)(rlxc_context *, rlxc_range, const char *, ...) =
            severity == RLXC_ERROR     ? rlxc_error
            : severity == RLXC_WARNING ? rlxc_warning
                                       : rlxc_note;
        say(ctx, range, "%s", text);
    }
    return out->count == s->n_items;
}

static bool read_results(rlxc_context *ctx, const shared *s, int file, rlxc_items *out)
{
    off_t size = lseek(file, 0, SEEK_END);
    if (size <= 0)
        return size == 0;
    void *map = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, file, 0);
    reader r = {map, (size_t)size};
    bool fine = map != MAP_FAILED && take_over(ctx, s, &r, out);
    if (map != MAP_FAILED)
        munmap(map, (size_t)size);
    if (!fine)
        rlxc_set_out_of_memory(ctx);
    return fine;
}

/* Why there is no result. */
static void explain(rlxc_context *ctx, const shared *s, int status)
{
    int end = atomic_load(&s->end), signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const char *doing = s->doing[0] ? s->doing : "generating code";
    const char *name = signal ? sigdescr_np(signal) : NULL;
    if (end == NO_MEMORY || signal == SIGKILL) {
        rlxc_doing(ctx, rlxc_intern_cstr(ctx, doing), NULL);
        rlxc_set_out_of_memory(ctx);
    } else if (end == FATAL) {
        rlxc_internal(ctx, nowhere, "code generation", "LLVM, while %s: %s", doing, s->message);
    } else if (signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
               signal == SIGABRT) {
        rlxc_internal(ctx, nowhere, "code generation", "LLVM crashed while %s: %s", doing,
                      name ? name : "");
    } else {
        rlxc_error(ctx, nowhere, "the code generation process terminated%s%s while %s",
                   name ? " by signal " : "", name ? name : "", doing);
    }
}

/* The child's exit status; -1 where another waited for it. */
static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

/* |s| is new. */
static bool run(rlxc_context *ctx, shared *s, int file, bool (*work)(void *user, rlxc_child *child),
                void *user, rlxc_items *out)
{
    sigset_t all, mask;
    pid_t parent = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask); /* no handler of the host runs in the child */
    pid_t child = fork();
    if (child == 0) {
        report = s;
        run_child(ctx, parent, &mask, file, work, user);
    }
    int failed = errno;
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (child < 0) {
        if (failed == ENOMEM)
            rlxc_set_out_of_memory(ctx);
        else
            rlxc_error(ctx, nowhere, "cannot start the code generation process: %s",
                       strerror(failed));
        return false;
    }
    int status = wait_for(child), end = atomic_load(&s->end);
    bool read = end == FINISHED && read_results(ctx, s, file, out);
    if (end != FINISHED)
        explain(ctx, s, status);
    return read && s->fine;
}

bool rlxc_in_child(rlxc_context *ctx, bool (*work)(void *user, rlxc_child *child), void *user,
                   rlxc_items *out)
{
    int file = memfd_create("rlxc-code", MFD_CLOEXEC);
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool fine = false;
    *out = (rlxc_items){0};
    rlxc_doing(ctx, "generating code", NULL);
    if (s == MAP_FAILED)
        rlxc_set_out_of_memory(ctx);
    else if (file < 0)
        rlxc_error(ctx, nowhere, "cannot create an in-memory file: %s", strerror(errno));
    else
        fine = run(ctx, s, file, work, user, out);
    if (s != MAP_FAILED)
        munmap(s, sizeof *s);
    if (file >= 0)
        close(file);
    return fine;
}
