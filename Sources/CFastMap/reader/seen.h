#ifndef FASTMAP_SEEN_H
#define FASTMAP_SEEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/// A node that several others may hold, with the height and size of its subtree.
typedef struct {
  const void *node;
  size_t height;    ///< 0 while its children are being looked at, and of a string
  uint64_t size;
} seen_node;

/// Nodes by their addresses. All zero is empty.
typedef struct {
  seen_node *nodes;    ///< in the order they were met
  size_t count, capacity;
  size_t *slots;       ///< open addressing: a place in `nodes` and 1, 0 where free
  size_t slot_count;   ///< a power of two
} seen_nodes;

#define NOT_SHARED SIZE_MAX

static inline size_t seen_slot(const seen_nodes *seen, const void *node) {
  uint64_t hash = (uint64_t)(uintptr_t)node * UINT64_C(0x9e3779b97f4a7c15);
  size_t slot = (size_t)(hash >> 32) & (seen->slot_count - 1);
  while (seen->slots[slot] && seen->nodes[seen->slots[slot] - 1].node != node)
    slot = (slot + 1) & (seen->slot_count - 1);
  return slot;
}

static inline bool seen_grow(seen_nodes *seen) {
  size_t capacity = seen->capacity ? seen->capacity * 2 : 32;
  seen_node *nodes = realloc(seen->nodes, capacity * sizeof *nodes);
  if (!nodes) return false;
  seen->nodes = nodes;
  size_t *slots = calloc(capacity * 2, sizeof *slots);
  if (!slots) return false;
  free(seen->slots);
  seen->slots = slots;
  seen->slot_count = capacity * 2;
  seen->capacity = capacity;
  for (size_t i = 0; i < seen->count; i++) seen->slots[seen_slot(seen, nodes[i].node)] = i + 1;
  return true;
}

/// The place of a node, which is added where it was not met before; NOT_SHARED when memory has run out.
static inline size_t seen_find(seen_nodes *seen, const void *node, bool *is_new) {
  if (seen->count == seen->capacity && !seen_grow(seen)) return NOT_SHARED;
  size_t slot = seen_slot(seen, node);
  *is_new = !seen->slots[slot];
  if (*is_new) {
    seen->nodes[seen->count] = (seen_node){.node = node};
    seen->slots[slot] = ++seen->count;
  }
  return seen->slots[slot] - 1;
}

static inline void seen_free(seen_nodes *seen) {
  free(seen->nodes);
  free(seen->slots);
}

#endif
