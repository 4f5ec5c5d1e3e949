#include "fastmap_arena.h"

#include <stdlib.h>

struct fastmap_arena_block {
  fastmap_arena_block *next;
  size_t capacity;
};

enum { HEADER = 16, BLOCK = 256 * 1024 };

_Static_assert(sizeof(fastmap_arena_block) <= HEADER, "a block's header must fit before its bytes");

static void use(fastmap_arena *arena, fastmap_arena_block *block) {
  block->next = arena->blocks;
  arena->blocks = block;
  arena->next = (uint8_t *)block + HEADER;
  arena->end = arena->next + block->capacity;
}

void *fastmap_arena_grow(fastmap_arena *arena, size_t size) {
  fastmap_arena_block **link = &arena->spare;
  while (*link && (*link)->capacity < size) link = &(*link)->next;
  fastmap_arena_block *block = *link;
  if (block) {
    *link = block->next;
  } else {
    size_t capacity = size > BLOCK ? size : BLOCK;
    if (capacity > SIZE_MAX - HEADER) return NULL;
    block = malloc(HEADER + capacity);
    if (!block) return NULL;
    block->capacity = capacity;
  }
  use(arena, block);
  void *result = arena->next;
  arena->next += size;
  return result;
}

void fastmap_arena_reset(fastmap_arena *arena) {
  while (arena->blocks) {
    fastmap_arena_block *block = arena->blocks;
    arena->blocks = block->next;
    if (block->capacity > BLOCK) {
      free(block);  // one huge value must not pin its memory for the rest of an import
    } else {
      block->next = arena->spare;
      arena->spare = block;
    }
  }
  arena->next = arena->end = NULL;
}

static void free_all(fastmap_arena_block *block) {
  while (block) {
    fastmap_arena_block *next = block->next;
    free(block);
    block = next;
  }
}

void fastmap_arena_free(fastmap_arena *arena) {
  free_all(arena->blocks);
  free_all(arena->spare);
  *arena = (fastmap_arena){0};
}
