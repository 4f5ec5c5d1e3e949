#ifndef BENCHMARKS_HEAP_H
#define BENCHMARKS_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/// Whether the two functions below do something on this platform: they need glibc.
bool heap_is_known(void);

/// Calls of malloc, calloc and realloc that all threads have made so far.
uint64_t heap_call_count(void);

/// Gives memory that was freed back to the kernel. C: `malloc_trim`, which Swift does not see.
void heap_trim(void);

/// Begins and ends the counting of callgrind. Does nothing if the program does not run under it.
void heap_toggle_instructions(void);

#endif
