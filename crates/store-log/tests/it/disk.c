// Stands before the C library of a process and records, in order, what it changes below a folder:
// what is created, written, shortened, renamed, removed and synced, and what it says on its output.
//
// SILCROW_DISK_ROOT   the folder
// SILCROW_DISK_TRACE  the file that records are added to
// SILCROW_DISK_FAIL   the number, from 1, of the sync that fails as a disk's does; none if unset
// SILCROW_DISK_CALL   the number, from 1, of the call that something happens to; none if unset
// SILCROW_DISK_OF     which calls are counted: those that open or change something, or, if it is
//                     `reads`, those that open, read, look, list or lock
// SILCROW_DISK_THEN   what happens: `before` or `after` it the process is killed, `stop` stops the
//                     process before it, and a number is the error with which it fails; with a `+`
//                     after it, all later ones fail as well
// SILCROW_DISK_BOOT   a file that is read in place of the id of the machine's start
// SILCROW_DISK_CLOCK  if set, the wall clock stands in 1969
//
// A record is a line `OP A B LENGTH` and LENGTH bytes. `disk.rs` reads them.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const char *root, *boot, *then = "";
static int trace = -1;
static long failing, syncs, calls, chosen;
// What a call does, and what is counted.
enum { READS = 1, CHANGES = 2 };
static int counted = CHANGES;
// Held over a change and its record, so that the records are in the order of the changes.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void start(void) {
    const char *to = getenv("SILCROW_DISK_TRACE"), *fail = getenv("SILCROW_DISK_FAIL");
    root = getenv("SILCROW_DISK_ROOT");
    if (to) trace = syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fail) failing = atol(fail);
    boot = getenv("SILCROW_DISK_BOOT");
    if (getenv("SILCROW_DISK_CALL")) chosen = atol(getenv("SILCROW_DISK_CALL"));
    if (getenv("SILCROW_DISK_THEN")) then = getenv("SILCROW_DISK_THEN");
    if (getenv("SILCROW_DISK_OF")) counted = READS;
}

static void die(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

static void record(char op, unsigned long a, unsigned long b, const void *bytes, size_t length) {
    int kept = errno;
    char head[96];
    int size = snprintf(head, sizeof head, "%c %lu %lu %zu\n", op, a, b, length);
    struct iovec parts[2] = {{head, size}, {(void *)bytes, length}};
    if (trace >= 0 && syscall(SYS_writev, trace, parts, 2) != (long)(size + length)) abort();
    errno = kept;
}

// Before a call: 1 if it is the chosen one, and -1 if that fails.
static int begin(int does, const char *name) {
    if (!(does & counted)) return 0;
    long number = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (number == chosen) record('X', 0, number, name, strlen(name));
    else if (!chosen || number < chosen || !strchr(then, '+')) return 0;
    if (!strcmp(then, "before")) die();
    // A signal to the thread stops the process before the thread goes on.
    if (!strcmp(then, "stop")) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSTOP);
    if (!atoi(then)) return 1;
    errno = atoi(then);
    return -1;
}

// After a call.
static void end(int is_chosen) {
    if (is_chosen == 1 && !strcmp(then, "after")) die();
}

// A process that exits leaves no change without its record: no thread gets further than this.
__attribute__((destructor)) static void stop(void) { pthread_mutex_lock(&mutex); }

static int below(const char *path) {
    size_t length = root ? strlen(root) : 0;
    return length && !strncmp(path, root, length) && (!path[length] || path[length] == '/');
}

// The whole path; 0 where it is not below the root.
static int resolve(int dir, const char *path, char *full) {
    char at[PATH_MAX];
    if (!root) return 0;
    if (path[0] == '/') return snprintf(full, PATH_MAX, "%s", path) < PATH_MAX && below(full);
    if (dir == AT_FDCWD) {
        if (!getcwd(at, sizeof at)) return 0;
    } else {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
        ssize_t length = readlink(link, at, sizeof at - 1);
        if (length < 0) return 0;
        at[length] = 0;
    }
    return snprintf(full, PATH_MAX, "%s/%s", at, path) < PATH_MAX && below(full);
}

static int ours(int fd, struct stat *found) {
    char link[64], path[PATH_MAX];
    int kept = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = root ? readlink(link, path, sizeof path - 1) : -1;
    if (length >= 0) path[length] = 0;
    int is = length >= 0 && below(path) && !fstat(fd, found);
    errno = kept;
    return is;
}

static int opened(int dir, const char *path, int flags, mode_t mode) {
    char full[PATH_MAX];
    struct stat found;
    if (boot && !strcmp(path, "/proc/sys/kernel/random/boot_id")) path = boot;
    if (!resolve(dir, path, full)) return syscall(SYS_openat, dir, path, flags, mode);
    pthread_mutex_lock(&mutex);
    int was = !stat(full, &found), changes = flags & (O_CREAT | O_TRUNC), is_chosen = begin(READS | CHANGES, "open");
    int fd = is_chosen < 0 ? -1 : syscall(SYS_openat, dir, path, flags, mode);
    if (fd >= 0 && changes && !fstat(fd, &found)) {
        if (!was) record('C', found.st_ino, 0, full, strlen(full));
        else if (flags & O_TRUNC) record('T', found.st_ino, 0, "", 0);
    }
    end(is_chosen);
    pthread_mutex_unlock(&mutex);
    return fd;
}

#define OPENED(dir) \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    return opened(dir, path, flags, mode);
int open(const char *path, int flags, ...) { OPENED(AT_FDCWD) }
int open64(const char *path, int flags, ...) { OPENED(AT_FDCWD) }
int openat(int dir, const char *path, int flags, ...) { OPENED(dir) }
int openat64(int dir, const char *path, int flags, ...) { OPENED(dir) }

ssize_t write(int fd, const void *bytes, size_t length) {
    struct stat found;
    int is = ours(fd, &found);
    if (!is && fd != STDOUT_FILENO) return syscall(SYS_write, fd, bytes, length);
    pthread_mutex_lock(&mutex);
    if (is) fstat(fd, &found);
    off_t at = !is ? 0 : fcntl(fd, F_GETFL) & O_APPEND ? found.st_size : lseek(fd, 0, SEEK_CUR);
    int is_chosen = is ? begin(CHANGES, "write") : 0;
    ssize_t done = is_chosen < 0 ? -1 : syscall(SYS_write, fd, bytes, length);
    if (done > 0) record(is ? 'W' : 'A', is ? found.st_ino : 0, at, bytes, done);
    end(is_chosen);
    pthread_mutex_unlock(&mutex);
    return done;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
    struct stat found;
    if (!ours(fd, &found)) return syscall(SYS_pwrite64, fd, bytes, length, at);
    pthread_mutex_lock(&mutex);
    int is_chosen = begin(CHANGES, "pwrite");
    ssize_t done = is_chosen < 0 ? -1 : syscall(SYS_pwrite64, fd, bytes, length, at);
    if (done > 0) record('W', found.st_ino, at, bytes, done);
    end(is_chosen);
    pthread_mutex_unlock(&mutex);
    return done;
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
    return pwrite64(fd, bytes, length, at);
}

int ftruncate64(int fd, off64_t length) {
    struct stat found;
    if (!ours(fd, &found)) return syscall(SYS_ftruncate, fd, length);
    pthread_mutex_lock(&mutex);
    int is_chosen = begin(CHANGES, "ftruncate");
    int done = is_chosen < 0 ? -1 : syscall(SYS_ftruncate, fd, length);
    if (!done) record('T', found.st_ino, length, "", 0);
    end(is_chosen);
    pthread_mutex_unlock(&mutex);
    return done;
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

// Nothing is held meanwhile: what is written during a sync is not part of it.
static int synced(int fd, long call) {
    struct stat found;
    if (!ours(fd, &found)) return syscall(call, fd);
    pthread_mutex_lock(&mutex);
    int is_chosen = begin(CHANGES, "sync");
    long number = ++syncs;
    record('S', found.st_ino, number, "", 0);
    pthread_mutex_unlock(&mutex);
    int fails = number == failing || is_chosen < 0;
    int done = fails ? -1 : syscall(call, fd);
    if (fails) errno = is_chosen < 0 ? atoi(then) : EIO;
    pthread_mutex_lock(&mutex);
    record(done ? 'F' : 'E', found.st_ino, number, "", 0);
    end(is_chosen);
    pthread_mutex_unlock(&mutex);
    return done;
}
int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

int renameat(int from_dir, const char *from, int to_dir, const char *to) {
    char both[2 * PATH_MAX], *second;
    if (!resolve(from_dir, from, both)) return syscall(SYS_renameat2, from_dir, from, to_dir, to, 0);
    second = both + strlen(both) + 1;
    if (!resolve(to_dir, to, second)) abort();
    pthread_mutex_lock(&mutex);
    int is_chosen = begin(CHANGES, "rename");
    int done = is_chosen < 0 ? -1 : syscall(SYS_renameat2, from_dir, from, to_dir, to, 0);
    if (!done) record('R', 0, 0, both, second - both + strlen(second));
    end(is_chosen);
    pthread_mutex_unlock(&mutex);
    return done;
}
int rename(const char *from, const char *to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }

int unlinkat(int dir, const char *path, int flags) {
    char full[PATH_MAX];
    if (!resolve(dir, path, full)) return syscall(SYS_unlinkat, dir, path, flags);
    pthread_mutex_lock(&mutex);
    int is_chosen = begin(CHANGES, "unlink");
    int done = is_chosen < 0 ? -1 : syscall(SYS_unlinkat, dir, path, flags);
    if (!done) record('U', 0, 0, full, strlen(full));
    end(is_chosen);
    pthread_mutex_unlock(&mutex);
    return done;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdirat(int dir, const char *path, mode_t mode) {
    char full[PATH_MAX];
    struct stat found;
    if (!resolve(dir, path, full)) return syscall(SYS_mkdirat, dir, path, mode);
    pthread_mutex_lock(&mutex);
    int is_chosen = begin(CHANGES, "mkdir");
    int done = is_chosen < 0 ? -1 : syscall(SYS_mkdirat, dir, path, mode);
    if (!done && !stat(full, &found)) record('D', found.st_ino, 0, full, strlen(full));
    end(is_chosen);
    pthread_mutex_unlock(&mutex);
    return done;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// A call that only reads `fd`: -1 if it fails.
static int reads(int fd, const char *name) {
    struct stat found;
    if (!(counted & READS) || !ours(fd, &found)) return 0;
    pthread_mutex_lock(&mutex);
    int is_chosen = begin(READS, name);
    pthread_mutex_unlock(&mutex);
    return is_chosen;
}

ssize_t read(int fd, void *bytes, size_t length) {
    return reads(fd, "read") < 0 ? -1 : syscall(SYS_read, fd, bytes, length);
}
ssize_t pread64(int fd, void *bytes, size_t length, off64_t at) {
    return reads(fd, "pread") < 0 ? -1 : syscall(SYS_pread64, fd, bytes, length, at);
}
ssize_t pread(int fd, void *bytes, size_t length, off_t at) { return pread64(fd, bytes, length, at); }
int flock(int fd, int how) { return reads(fd, "flock") < 0 ? -1 : syscall(SYS_flock, fd, how); }
struct dirent64 *readdir64(DIR *dir) {
    return reads(dirfd(dir), "readdir") < 0 ? NULL : NEXT(readdir64)(dir);
}

// A call that only looks at a path: -1 if it fails.
static int looks(int dir, const char *path, const char *name) {
    char full[PATH_MAX], named[PATH_MAX];
    if (!(counted & READS) || !resolve(dir, path, full)) return 0;
    snprintf(named, sizeof named, "%s %s", name, strrchr(full, '/') + 1);
    pthread_mutex_lock(&mutex);
    int is_chosen = begin(READS, named);
    pthread_mutex_unlock(&mutex);
    return is_chosen;
}

int statx(int dir, const char *path, int flags, unsigned mask, struct statx *found) {
    // Rust asks with no path whether the system has this call.
    const char *volatile at = path, *name = mask == STATX_INO ? "identify" : "stat";
    int fails = at && *at ? looks(dir, path, name) : reads(dir, "fstat");
    return fails < 0 ? -1 : syscall(SYS_statx, dir, path, flags, mask, found);
}
DIR *opendir(const char *path) {
    return looks(AT_FDCWD, path, "opendir") < 0 ? NULL : NEXT(opendir)(path);
}

// What copies within the kernel is done by reading and writing instead.
ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t length, unsigned flags) {
    errno = ENOSYS;
    return -1;
}
ssize_t sendfile64(int to, int from, off64_t *at, size_t length) {
    errno = ENOSYS;
    return -1;
}

int clock_gettime(clockid_t id, struct timespec *to) {
    int done = syscall(SYS_clock_gettime, id, to);
    if (id == CLOCK_REALTIME && getenv("SILCROW_DISK_CLOCK")) to->tv_sec = -1000;
    return done;
}
