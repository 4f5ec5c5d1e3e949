#ifndef FASTMAP_RANGE_H
#define FASTMAP_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The addresses that all tree arenas share.

/// A piece of the range, whole megabytes.
typedef struct {
  uint8_t *start;
  size_t size;
} fastmap_run;

/// Reserves the range. Where the system refuses it, trees are allocated elsewhere.
void fastmap_range_prepare(void);
bool fastmap_range_exists(void);

/// Takes a run of at least `size` bytes from the range; `start` is NULL when there is none. Any thread.
fastmap_run fastmap_range_take(size_t size);
void fastmap_range_give_back(fastmap_run run);

// AddressSanitizer reports any use of memory that no tree has.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FASTMAP_POISONS 1
#endif
#endif
#if defined(FASTMAP_POISONS) || defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define FASTMAP_POISON(start, size) ASAN_POISON_MEMORY_REGION(start, size)
#define FASTMAP_UNPOISON(start, size) ASAN_UNPOISON_MEMORY_REGION(start, size)
#else
#define FASTMAP_POISON(start, size) ((void)(start), (void)(size))
#define FASTMAP_UNPOISON(start, size) ((void)(start), (void)(size))
#endif

#endif
