#include <stdlib.h>

#include "runs.h"

enum { LARGEST_STEP = 64 << 20 };

static size_t capacity_of(const fastmap_tree_arena *arena, uint32_t count) {
  size_t capacity = 0;
  for (uint32_t i = 0; i < count; i++) capacity += arena->runs[i].size;
  return capacity;
}

size_t fastmap_tree_arena_capacity(const fastmap_tree_arena *arena) {
  return capacity_of(arena, arena->run_count);
}

size_t fastmap_tree_arena_used(const fastmap_tree_arena *arena) {
  return capacity_of(arena, arena->used_count) - (size_t)(arena->end - arena->next) - arena->left_over;
}

static bool has_room(void **elements, uint32_t count, uint32_t *capacity, size_t size) {
  if (count < *capacity) return true;
  if (count > UINT32_MAX / 2) return false;
  uint32_t larger = count ? count * 2 : 8;
  void *moved = realloc(*elements, larger * size);
  if (!moved) return false;
  *elements = moved;
  *capacity = larger;
  return true;
}

// Continues at `next` in the last of the runs in use.
static void use(fastmap_tree_arena *arena, uint32_t used_count, uint8_t *next) {
  arena->used_count = used_count;
  arena->next = next;
  arena->end = used_count ? arena->runs[used_count - 1].start + arena->runs[used_count - 1].size : NULL;
  FASTMAP_POISON(arena->next, (size_t)(arena->end - arena->next));
}

// Adds a run at the end. The more there is, the larger: few of them for a large tree, little waste for a
// small one.
static bool add_run(fastmap_tree_arena *arena, size_t size) {
  if (!has_room((void **)&arena->runs, arena->run_count, &arena->run_capacity, sizeof(fastmap_run)))
    return false;
  size_t step = fastmap_tree_arena_capacity(arena);
  if (step > LARGEST_STEP) step = LARGEST_STEP;
  fastmap_run run = fastmap_range_take(size > step ? size : step);
  if (!run.start) run = fastmap_range_take(size);
  if (!run.start) return false;
  arena->runs[arena->run_count++] = run;
  return true;
}

bool fastmap_tree_arena_grow(fastmap_tree_arena *arena, size_t size) {
  uint32_t next = arena->used_count, found = next;
  while (found < arena->run_count && arena->runs[found].size < size) found++;
  if (found == arena->run_count && !add_run(arena, size)) return false;
  fastmap_run run = arena->runs[found];
  arena->runs[found] = arena->runs[next];
  arena->runs[next] = run;
  arena->left_over += (size_t)(arena->end - arena->next);
  use(arena, next + 1, run.start);
  return true;
}

fastmap_tree_arena_mark fastmap_tree_arena_get_mark(const fastmap_tree_arena *arena) {
  return (fastmap_tree_arena_mark){.next = arena->next, .used_count = arena->used_count, .left_over = arena->left_over};
}

void fastmap_tree_arena_go_back(fastmap_tree_arena *arena, fastmap_tree_arena_mark mark) {
  use(arena, mark.used_count, mark.next);
  arena->left_over = mark.left_over;
}

bool fastmap_tree_arena_adopt(fastmap_tree_arena *arena, void *tree) {
  if (!has_room((void **)&arena->plain_trees, arena->plain_count, &arena->plain_capacity, sizeof(void *)))
    return false;
  arena->plain_trees[arena->plain_count++] = tree;
  return true;
}
