// Runs a command and writes to a file, in order, what it and its children change, sync and say.
//
// tracer FILE COMMAND…
//
// A line is `OP PATH`, and `rename` has two paths with a tab between them. It is written when the call
// has returned without an error. Calls are seen where the kernel does them, so it does not matter
// which library makes them.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/ptrace.h>

// The call that a thread is in.
struct call {
    pid_t thread;
    unsigned long number, args[6];
    // Paths are read when the call begins, because a rename changes what a descriptor is called.
    char paths[2][2 * PATH_MAX];
};

static struct call calls[512];
static FILE *out;

static struct call *call_of(pid_t thread) {
    struct call *free = NULL;
    for (int i = 0; i < 512; i++) {
        if (calls[i].thread == thread) return &calls[i];
        if (!calls[i].thread && !free) free = &calls[i];
    }
    if (!free) abort();
    memset(free, 0, sizeof *free);
    free->thread = thread;
    return free;
}

static void text(pid_t thread, unsigned long at, size_t length, char *to) {
    struct iovec ours = {to, length}, theirs = {(void *)at, length};
    ssize_t got = process_vm_readv(thread, &ours, 1, &theirs, 1, 0);
    // A text may end shortly before memory that cannot be read.
    while (got < 0 && length > 1) {
        length /= 2;
        ours.iov_len = theirs.iov_len = length;
        got = process_vm_readv(thread, &ours, 1, &theirs, 1, 0);
    }
    to[got > 0 ? got : 0] = 0;
}

static void descriptor(pid_t thread, int fd, char *to) {
    char link[64];
    snprintf(link, sizeof link, fd == AT_FDCWD ? "/proc/%d/cwd" : "/proc/%d/fd/%d", thread, fd);
    ssize_t length = readlink(link, to, PATH_MAX - 1);
    to[length > 0 ? length : 0] = 0;
}

static void path(pid_t thread, int dir, unsigned long at, char *to) {
    char name[PATH_MAX];
    text(thread, at, PATH_MAX - 1, name);
    if (name[0] == '/') {
        strcpy(to, name);
        return;
    }
    descriptor(thread, dir, to);
    strcat(to, "/");
    strcat(to, name);
}

static void begin(struct call *call, const struct ptrace_syscall_info *info) {
    call->number = info->entry.nr;
    for (int i = 0; i < 6; i++) call->args[i] = info->entry.args[i];
    call->paths[0][0] = call->paths[1][0] = 0;
    unsigned long *args = call->args;
    switch (call->number) {
    case SYS_openat: case SYS_mkdirat: case SYS_unlinkat:
        path(call->thread, args[0], args[1], call->paths[0]);
        break;
    case SYS_renameat: case SYS_renameat2:
        path(call->thread, args[0], args[1], call->paths[0]);
        path(call->thread, args[2], args[3], call->paths[1]);
        break;
#ifdef SYS_mkdir
    case SYS_open: case SYS_mkdir: case SYS_unlink: case SYS_rmdir:
        path(call->thread, AT_FDCWD, args[0], call->paths[0]);
        break;
    case SYS_rename:
        path(call->thread, AT_FDCWD, args[0], call->paths[0]);
        path(call->thread, AT_FDCWD, args[1], call->paths[1]);
        break;
#endif
    case SYS_fsync: case SYS_fdatasync: case SYS_write: case SYS_pwrite64: case SYS_ftruncate:
        descriptor(call->thread, args[0], call->paths[0]);
        break;
    }
}

static void end(struct call *call, long result) {
    unsigned long *args = call->args;
    char said[4096];
    if (result < 0) return;
    switch (call->number) {
    case SYS_openat:
        if (args[2] & O_CREAT) fprintf(out, "create %s\n", call->paths[0]);
        break;
    case SYS_mkdirat: fprintf(out, "create %s\n", call->paths[0]); break;
    case SYS_unlinkat: fprintf(out, "remove %s\n", call->paths[0]); break;
    case SYS_renameat: case SYS_renameat2:
        fprintf(out, "rename %s\t%s\n", call->paths[0], call->paths[1]);
        break;
#ifdef SYS_mkdir
    case SYS_open:
        if (args[1] & O_CREAT) fprintf(out, "create %s\n", call->paths[0]);
        break;
    case SYS_mkdir: fprintf(out, "create %s\n", call->paths[0]); break;
    case SYS_unlink: case SYS_rmdir: fprintf(out, "remove %s\n", call->paths[0]); break;
    case SYS_rename: fprintf(out, "rename %s\t%s\n", call->paths[0], call->paths[1]); break;
#endif
    case SYS_fsync: case SYS_fdatasync: fprintf(out, "sync %s\n", call->paths[0]); break;
    case SYS_pwrite64: case SYS_ftruncate: fprintf(out, "write %s\n", call->paths[0]); break;
    case SYS_write:
        if (args[0] != STDOUT_FILENO) {
            fprintf(out, "write %s\n", call->paths[0]);
        } else if (result < (long)sizeof said) {
            text(call->thread, args[1], result, said);
            fprintf(out, "say %s%s", said, result && said[result - 1] == '\n' ? "" : "\n");
        }
        break;
    }
    call->number = ~0UL;
}

int main(int count, char **words) {
    if (count < 3 || !(out = fopen(words[1], "we"))) return 2;
    pid_t child = fork();
    if (!child) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        execv(words[2], words + 2);
        _exit(127);
    }
    int status, code = 1;
    waitpid(child, &status, 0);
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                   PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, child, 0, options)) return 3;
    ptrace(PTRACE_SYSCALL, child, 0, 0);
    for (pid_t thread; (thread = waitpid(-1, &status, __WALL)) > 0;) {
        struct call *call = call_of(thread);
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            call->thread = 0;
            if (thread == child) code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
            continue;
        }
        int signal = WSTOPSIG(status);
        if (signal == (SIGTRAP | 0x80)) {
            struct ptrace_syscall_info info;
            ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info);
            if (info.op == PTRACE_SYSCALL_INFO_ENTRY) begin(call, &info);
            if (info.op == PTRACE_SYSCALL_INFO_EXIT) end(call, info.exit.rval);
            signal = 0;
        } else if (status >> 16 || signal == SIGSTOP || signal == SIGTRAP) {
            // An event, or a thread that begins.
            signal = 0;
        }
        ptrace(PTRACE_SYSCALL, thread, 0, signal);
    }
    return fclose(out) ? 4 : code;
}
