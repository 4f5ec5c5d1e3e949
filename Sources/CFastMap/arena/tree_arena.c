#include <stdlib.h>

#include "hooks.h"

enum { KEPT_SIZE = 16 << 20 };

fastmap_tree_arena *fastmap_tree_arena_new(void) {
  fastmap_hooks_install();
  return calloc(1, sizeof(fastmap_tree_arena));
}

// Ends the trees. Keeps runs of memory that fit into `kept` bytes, the first runs first.
static void empty(fastmap_tree_arena *arena, size_t kept) {
  fastmap_big_integers_free(arena->big_integers);
  arena->big_integers = NULL;
  while (arena->plain_count) fastmap_tree_release(arena->plain_trees[--arena->plain_count]);
  uint32_t kept_count = 0;
  for (uint32_t i = 0; i < arena->run_count; i++) {
    fastmap_run run = arena->runs[i];
    if (run.size <= kept) {
      kept -= run.size;
      arena->runs[kept_count++] = run;
    } else {
      fastmap_range_give_back(run);
    }
  }
  arena->run_count = kept_count;
  fastmap_tree_arena_go_back(arena, (fastmap_tree_arena_mark){.next = NULL});
}

void fastmap_tree_arena_reset(fastmap_tree_arena *arena) { empty(arena, KEPT_SIZE); }

void fastmap_tree_arena_free(fastmap_tree_arena *arena) {
  if (!arena) return;
  empty(arena, 0);
  free(arena->runs);
  free(arena->plain_trees);
  free(arena);
}
