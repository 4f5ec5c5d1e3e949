// Counts the calls that change files and maps and, at the n-th, exits the process, fails, or records the written bytes.
// Only calls by name from libraries and the program pass here; calls inside of libc do not.
#define _GNU_SOURCE
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { COUNT, EXIT, FAIL, RECORD, FAIL_ALLOCATIONS, NO_WAITING, RECORD_NAMES };
enum { EXIT_STATUS = 99 };

static struct shim_order order;
static int is_armed;
static int64_t calls;  // counted by several threads: LMDB writes a compact copy on one of its own

void torture_shim_begin(const struct shim_order *given) {
  order = *given;
  calls = 0;
  is_armed = 1;
}

int64_t torture_shim_end(void) {
  is_armed = 0;
  return calls;
}

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

// MARK: Turns

// Whether this call is to fail.
static int fails(void) {
  if (!is_armed || order.mode == FAIL_ALLOCATIONS || order.mode == NO_WAITING) return 0;
  int64_t call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
  if (order.at == 0 || call < order.at) return 0;
  if (order.mode == EXIT) _exit(EXIT_STATUS);
  return order.mode == FAIL && call - order.at < order.times;
}

// Fails a call that is no write, where errors are failed at all: a short write has no meaning for it.
#define FAIL_WITH(value)                    \
  do {                                      \
    if (fails() && order.error != 0) {      \
      errno = order.error;                  \
      return value;                         \
    }                                       \
  } while (0)

// How many of so many bytes a failing write writes.
static size_t shortened(size_t length) {
  size_t all_but = order.shortBy > 0 ? (size_t)order.shortBy : 0;
  if (all_but == 0) return length > 1 ? 1 : 0;
  return length > all_but ? length - all_but : 0;
}

// MARK: Recording

static int is_data_file(int descriptor) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path);
  return length > 8 && memcmp(path + length - 8, "data.mdb", 8) == 0;
}

static void put(const void *bytes, size_t length) {
  ssize_t (*write_now)(int, const void *, size_t) = REAL(write);
  while (length > 0) {
    ssize_t count = write_now(order.recordTo, bytes, length);
    if (count <= 0) _exit(98);
    bytes = (const char *)bytes + count;
    length -= (size_t)count;
  }
}

static void record(int descriptor, int64_t kind, int64_t offset, const void *bytes, int64_t length) {
  if (!is_armed || order.mode != RECORD || !is_data_file(descriptor)) return;
  if (kind == 1 && (fcntl(descriptor, F_GETFL) & O_DSYNC) != 0) kind = 2;
  struct shim_event event = {.kind = kind, .offset = offset, .length = bytes == NULL ? 0 : length};
  put(&event, sizeof event);
  if (bytes != NULL) put(bytes, (size_t)length);
}

// MARK: Recording names

// Writes a line: the operation, and the path.
static void note(const char *what, const char *path) {
  if (!is_armed || order.mode != RECORD_NAMES) return;
  char line[PATH_MAX + 16];
  int length = snprintf(line, sizeof line, "%s %s\n", what, path);
  if (length > 0 && (size_t)length < sizeof line) put(line, (size_t)length);
}

// The same, of an open file.
static void note_descriptor(const char *what, int descriptor) {
  if (!is_armed || order.mode != RECORD_NAMES) return;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) _exit(98);
  path[length] = 0;
  note(what, path);
}

// LMDB writes its headers through a descriptor of its own, and each is on the disk when the call returns.
static void note_header(int descriptor) {
  if (!is_armed || order.mode != RECORD_NAMES) return;
  if (is_data_file(descriptor) && (fcntl(descriptor, F_GETFL) & O_DSYNC) != 0) note_descriptor("commit", descriptor);
}

// MARK: Writes

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  if (fails()) {
    if (order.error != 0) {
      errno = order.error;
      return -1;
    }
    length = shortened(length);
  }
  note_header(descriptor);
  ssize_t count = REAL(pwrite)(descriptor, bytes, length, offset);
  if (count > 0) record(descriptor, 1, offset, bytes, count);
  return count;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off_t offset) {
  return pwrite(descriptor, bytes, length, offset);
}

static ssize_t write_parts(int descriptor, const struct iovec *parts, int count, off_t offset, int has_offset) {
  if (fails()) {
    if (order.error != 0) {
      errno = order.error;
      return -1;
    }
    size_t all = 0;
    for (int index = 0; index < count; index++) all += parts[index].iov_len;
    size_t length = shortened(all);
    if (length > parts[0].iov_len) length = parts[0].iov_len;  // shorter still, for several parts
    struct iovec first = {.iov_base = parts[0].iov_base, .iov_len = length};
    return has_offset ? REAL(pwritev)(descriptor, &first, 1, offset) : REAL(writev)(descriptor, &first, 1);
  }
  off_t place = has_offset ? offset : lseek(descriptor, 0, SEEK_CUR);
  ssize_t written =
      has_offset ? REAL(pwritev)(descriptor, parts, count, offset) : REAL(writev)(descriptor, parts, count);
  ssize_t left = written;
  for (int index = 0; index < count && left > 0; index++) {
    ssize_t length = (ssize_t)parts[index].iov_len < left ? (ssize_t)parts[index].iov_len : left;
    record(descriptor, 1, place, parts[index].iov_base, length);
    place += length;
    left -= length;
  }
  return written;
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  return write_parts(descriptor, parts, count, offset, 1);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  return write_parts(descriptor, parts, count, 0, 0);
}

static int is_file(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// Copies of a store are written with this; and answers of children, into pipes.
ssize_t write(int descriptor, const void *bytes, size_t length) {
  if (!is_armed || !is_file(descriptor)) return REAL(write)(descriptor, bytes, length);
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
  return write_parts(descriptor, &part, 1, 0, 0);
}

// MARK: Contents and maps

static int sync_with(int (*sync)(int), int descriptor) {
  FAIL_WITH(-1);
  record(descriptor, 3, 0, NULL, 0);
  int status = is_armed && order.dropsSyncs ? 0 : sync(descriptor);
  if (status == 0) note_descriptor("sync", descriptor);
  return status;
}

int fdatasync(int descriptor) { return sync_with(REAL(fdatasync), descriptor); }
int fsync(int descriptor) { return sync_with(REAL(fsync), descriptor); }

int ftruncate(int descriptor, off_t length) {
  FAIL_WITH(-1);
  int status = REAL(ftruncate)(descriptor, length);
  if (status == 0) record(descriptor, 4, length, NULL, 0);
  return status;
}

int ftruncate64(int descriptor, off_t length) { return ftruncate(descriptor, length); }

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
  // Memory without a file is an allocation, which Swift cannot live without.
  if (descriptor >= 0) FAIL_WITH(MAP_FAILED);
  return REAL(mmap)(address, length, protection, flags, descriptor, offset);
}

void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
  return mmap(address, length, protection, flags, descriptor, offset);
}

int munmap(void *address, size_t length) {
  FAIL_WITH(-1);
  return REAL(munmap)(address, length);
}

// MARK: Names and locks

int rename(const char *from, const char *to) {
  FAIL_WITH(-1);
  int status = REAL(rename)(from, to);
  if (status == 0) note("name", to);
  return status;
}

int link(const char *from, const char *to) {
  FAIL_WITH(-1);
  int status = REAL(link)(from, to);
  if (status == 0) note("name", to);
  return status;
}

int unlink(const char *path) {
  FAIL_WITH(-1);
  return REAL(unlink)(path);
}

int mkdir(const char *path, mode_t mode) {
  FAIL_WITH(-1);
  int status = REAL(mkdir)(path, mode);
  if (status == 0) note("name", path);
  return status;
}

int rmdir(const char *path) {
  FAIL_WITH(-1);
  return REAL(rmdir)(path);
}

int fchmod(int descriptor, mode_t mode) {
  FAIL_WITH(-1);
  return REAL(fchmod)(descriptor, mode);
}

int flock(int descriptor, int operation) {
  FAIL_WITH(-1);
  int status = REAL(flock)(descriptor, operation);
  if (status == 0 && operation == LOCK_EX) note_descriptor("lock", descriptor);
  return status;
}

// Locks, and the flag that keeps descriptors from other programs; the other commands only ask.
int fcntl(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (command == F_SETLK || command == F_SETLKW || command == F_GETLK || command == F_SETFD) FAIL_WITH(-1);
  return REAL(fcntl)(descriptor, command, argument);
}

int fcntl64(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return fcntl(descriptor, command, argument);
}

int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list rest;
    va_start(rest, flags);
    mode = (mode_t)va_arg(rest, unsigned);
    va_end(rest);
  }
  FAIL_WITH(-1);
  if ((flags & O_ACCMODE) != O_RDONLY) note("open", path);
  return REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list rest;
    va_start(rest, flags);
    mode = (mode_t)va_arg(rest, unsigned);
    va_end(rest);
  }
  return open(path, flags, mode);
}

// Opening a damaged store looks several times, in case another process is about to mend it.
int usleep(useconds_t time) { return is_armed && order.mode == NO_WAITING ? 0 : REAL(usleep)(time); }

// MARK: Memory

// Fails only allocations of liblmdb and FastMap's C code: Swift ends the process when there is no memory.

extern void *__libc_malloc(size_t length);
extern void *__libc_calloc(size_t count, size_t length);
extern void *__libc_realloc(void *memory, size_t length);

static int is_ours(void *caller) {
  Dl_info info;
  if (dladdr(caller, &info) == 0) return 0;
  if (info.dli_fname != NULL && strstr(info.dli_fname, "liblmdb") != NULL) return 1;
  return info.dli_sname != NULL && strncmp(info.dli_sname, "fastmap_", 8) == 0;
}

static int fails_to_allocate(void *caller) {
  static __thread int is_asking;
  if (!is_armed || order.mode != FAIL_ALLOCATIONS || is_asking) return 0;
  is_asking = 1;
  int is_counted = is_ours(caller);
  is_asking = 0;
  if (!is_counted) return 0;
  calls++;
  if (order.at == 0 || calls < order.at || calls - order.at >= order.times) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t length) {
  return fails_to_allocate(__builtin_return_address(0)) ? NULL : __libc_malloc(length);
}

void *calloc(size_t count, size_t length) {
  return fails_to_allocate(__builtin_return_address(0)) ? NULL : __libc_calloc(count, length);
}

void *realloc(void *memory, size_t length) {
  return fails_to_allocate(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, length);
}
