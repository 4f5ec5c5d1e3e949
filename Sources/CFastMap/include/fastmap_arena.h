#ifndef FASTMAP_ARENA_H
#define FASTMAP_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct fastmap_arena_block fastmap_arena_block;

/// Memory that is handed out in order and taken back all at once. All zero is an empty arena.
typedef struct {
  uint8_t *next;
  uint8_t *end;
  fastmap_arena_block *blocks;   ///< in use, the newest first
  fastmap_arena_block *spare;    ///< kept for the next round
} fastmap_arena;

void *fastmap_arena_grow(fastmap_arena *arena, size_t size);

/// Hands out `size` bytes aligned to 16, not cleared; NULL when memory has run out. Valid until the next reset.
static inline void *fastmap_arena_alloc(fastmap_arena *arena, size_t size) {
  size = (size + 15) & ~(size_t)15;
  if (size <= (size_t)(arena->end - arena->next)) {
    void *result = arena->next;
    arena->next += size;
    return result;
  }
  return fastmap_arena_grow(arena, size);
}

/// Takes everything back and keeps the memory for the next round.
void fastmap_arena_reset(fastmap_arena *arena);

/// Gives the memory back to the system.
void fastmap_arena_free(fastmap_arena *arena);

#endif
