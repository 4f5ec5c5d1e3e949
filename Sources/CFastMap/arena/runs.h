#ifndef FASTMAP_RUNS_H
#define FASTMAP_RUNS_H

#include "big_integers.h"
#include "fastmap_tree_arena.h"
#include "range.h"

struct fastmap_tree_arena {
  uint8_t *next, *end;   ///< the rest of the run in use
  fastmap_run *runs;     ///< runs in use first, the last of them being filled; then runs kept for later
  uint32_t used_count, run_count, run_capacity;
  size_t left_over;      ///< at the ends of runs that were filled
  void **plain_trees;    ///< read while the hooks were somebody else's
  uint32_t plain_count, plain_capacity;
  fastmap_big_integers *big_integers;
};

/// Continues in a run with room for `size` bytes; false when memory has run out.
bool fastmap_tree_arena_grow(fastmap_tree_arena *arena, size_t size);

/// A state of an arena to go back to. All zero is an empty arena.
typedef struct {
  uint8_t *next;
  uint32_t used_count;
  size_t left_over;
} fastmap_tree_arena_mark;

fastmap_tree_arena_mark fastmap_tree_arena_get_mark(const fastmap_tree_arena *arena);
void fastmap_tree_arena_go_back(fastmap_tree_arena *arena, fastmap_tree_arena_mark mark);

/// Makes a tree that is not in the arena its own; false when memory has run out.
bool fastmap_tree_arena_adopt(fastmap_tree_arena *arena, void *tree);

#endif
