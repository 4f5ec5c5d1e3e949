#define _GNU_SOURCE 1  // sched_getaffinity

#include "fastmap_cores.h"

#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif

unsigned fastmap_core_count(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return (unsigned)CPU_COUNT(&set);
#endif
  // Not on Linux, or on one with more processors than the set has room for.
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (unsigned)count : 1;
}
