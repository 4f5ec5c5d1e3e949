// Loaded before all others (LD_PRELOAD), it stands between a program and its system calls. Linux only.
#pragma once

#include <stdint.h>

// As `torture_shim_order` of CProcess, which finds these two by name.
struct shim_order {
  int32_t mode, times;
  int64_t at;
  int32_t error, shortBy, recordTo, dropsSyncs;
};

void torture_shim_begin(const struct shim_order *order);
int64_t torture_shim_end(void);

// The record of a change to a data file: this, and then `length` bytes of a write.
struct shim_event {
  int64_t kind;    // 1 write, 2 write that is on the disk when it returns, 3 sync, 4 length
  int64_t offset;  // of a write; of 4 the length
  int64_t length;
};
