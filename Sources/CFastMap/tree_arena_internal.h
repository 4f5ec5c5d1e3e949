#ifndef FASTMAP_TREE_ARENA_INTERNAL_H
#define FASTMAP_TREE_ARENA_INTERNAL_H

#include <stdint.h>

#include "fastmap_reader.h"
#include "fastmap_tree_arena.h"

// The range of addresses (tree_arena_range.c).

/// A piece of the range, whole megabytes.
typedef struct {
  uint8_t *start;
  size_t size;
} fastmap_run;

/// Reserves the range. Where none is to be had, all goes on without.
void fastmap_range_prepare(void);
bool fastmap_range_exists(void);

/// Takes a run of at least `size` bytes from the range; `start` is NULL when there is none. Any thread.
fastmap_run fastmap_range_take(size_t size);
void fastmap_range_give_back(fastmap_run run);

// What no tree has is out of bounds, where AddressSanitizer watches.
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

// Allocation (tree_arena.c).

struct fastmap_tree_arena {
  uint8_t *next, *end;   ///< what is left of the run in use
  fastmap_run *runs;     ///< those in use first, the last of them being filled; then those kept for later
  uint32_t used_count, run_count, run_capacity;
  size_t left_over;      ///< at the ends of runs that were filled
  void **plain_trees;    ///< read while the hooks were somebody else's
  uint32_t plain_count, plain_capacity;
  fastmap_big_integers *big_integers;
};

/// Continues in a run with room for `size` bytes; false when memory has run out.
bool fastmap_tree_arena_grow(fastmap_tree_arena *arena, size_t size);

/// A state of an arena to go back to.
typedef struct {
  uint8_t *next;
  uint32_t used_count;
  size_t left_over;
} fastmap_tree_arena_mark;

fastmap_tree_arena_mark fastmap_tree_arena_get_mark(const fastmap_tree_arena *arena);
void fastmap_tree_arena_go_back(fastmap_tree_arena *arena, fastmap_tree_arena_mark mark);

/// Makes a tree that is not in the arena its own; false when memory has run out.
bool fastmap_tree_arena_adopt(fastmap_tree_arena *arena, void *tree);

// jansson's hooks (tree_arena_hooks.c).

/// Puts the hooks in place, the first time.
void fastmap_hooks_install(void);

/// Lets jansson allocate from an arena on this thread; false if somebody replaced the hooks, or there is no
/// range.
bool fastmap_hooks_enter(fastmap_tree_arena *arena);
void fastmap_hooks_leave(void);

#endif
