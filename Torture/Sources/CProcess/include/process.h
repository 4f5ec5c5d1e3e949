// Functions that Swift may not call or cannot express: fork, signal handlers, and the switch of the shim.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Forks. Only for a process with one thread: the child has no other, and ends with its parent.
pid_t torture_fork(void);

// Whether something that is loaded has a symbol of that name.
int torture_has_symbol(const char *name);

// How a child that fell over ends: with one of these statuses, said by where the fault was.
enum {
  TORTURE_FELL_IN_LMDB = 101,   // in liblmdb, or in a function that liblmdb called
  TORTURE_FELL_IN_READ = 102,   // elsewhere, reading or writing memory: an address that LMDB gave
  TORTURE_FELL_IN_TRAP = 103,   // elsewhere, at a trap or an abort: a precondition
};

// Makes a fault end this process with one of the statuses above.
void torture_watch_faults(void);

// Ends this process with a signal when it has used so many seconds of processor time, or has waited for twenty times as long.
// A busy machine makes nothing hang. Counts from the last call.
void torture_limit_time(unsigned seconds);

// The shim: whether it is loaded. Arming a shim that is not loaded aborts.
int torture_shim_is_loaded(void);

// The shim's action from the n-th call on; see shim.c.
struct torture_shim_order {
  int32_t mode;        // 0 count, 1 exit, 2 fail, 3 record, 4 fail allocations of FastMap's C and of liblmdb,
                       // 5 let nobody wait with usleep, 6 record names: a line for each `name` that is given,
                       // `sync`, `lock` of a directory, `open` for writing and `commit` (an LMDB header), with its path
  int32_t times;       // fails so many calls from `at` on
  int64_t at;          // 1 is the first call; 0 is none
  int32_t error;       // an errno; 0 for a short write
  int32_t shortBy;     // a short write: 0 writes one byte, else all but so many
  int32_t recordTo;    // a descriptor
  int32_t dropsSyncs;  // syncs return at once, without a sync
};

void torture_shim_arm(const struct torture_shim_order *order);
// Returns the number of calls since it was armed.
int64_t torture_shim_disarm(void);
