// Stands before the C library of a process and kills it before the call that SILCROW_KILL_AT counts:
// of those that create, write, rename, remove and sync files.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static long at;
static atomic_long calls;

__attribute__((constructor)) static void start(void) {
    const char *number = getenv("SILCROW_KILL_AT");
    if (number) at = atol(number);
}

static void count(void) {
    if (at && atomic_fetch_add(&calls, 1) + 1 == at) kill(getpid(), SIGKILL);
}

int rename(const char *from, const char *to) {
    count();
    return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int mkdir(const char *path, mode_t mode) {
    count();
    return syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int unlink(const char *path) {
    count();
    return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rmdir(const char *path) {
    count();
    return syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

int unlinkat(int dir, const char *path, int flags) {
    count();
    return syscall(SYS_unlinkat, dir, path, flags);
}

int fsync(int fd) {
    count();
    return syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
    count();
    return syscall(SYS_fdatasync, fd);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
    count();
    return syscall(SYS_pwrite64, fd, bytes, length, offset);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (flags & O_CREAT) count();
    return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
