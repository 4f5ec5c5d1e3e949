#ifndef FASTMAP_CLMDB_SHIM_H
#define FASTMAP_CLMDB_SHIM_H

#include <errno.h>
#include <lmdb.h>
#include <stdint.h>
#include <sys/types.h>

// The branches that become LMDB 1.x call themselves 0.9.70 and 0.9.90.
#if MDB_VERSION_MAJOR != 0 || MDB_VERSION_MINOR != 9 || MDB_VERSION_PATCH >= 70
#error "FastMap needs the headers of LMDB 0.9 (0.9.24 or later): the files of LMDB 1.x are others, and FastMap reads them itself"
#endif

#if defined(__linux__)
int fallocate(int, int, off_t, off_t);  // glibc shows it to GNU programs only
#endif

/// Gives the first bytes of a file their blocks and leaves what is in them alone, while others may be writing to it.
///
/// Returns 0 or an `errno`: `ENOTSUP` where the system cannot.
static inline int fastmap_allocate(int descriptor, int64_t length) {
#if defined(__linux__)
  return length == 0 || fallocate(descriptor, 0, 0, (off_t)length) == 0 ? 0 : errno;
#else
  (void)descriptor, (void)length;
  return ENOTSUP;
#endif
}

#endif
