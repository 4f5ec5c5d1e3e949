#ifndef FASTMAP_BATCH_H
#define FASTMAP_BATCH_H

#include <jansson.h>

#include "fastmap_walk.h"

bool fastmap_grow(void **elements, uint32_t *capacity, uint32_t needed, size_t size);

/// Makes room for `needed` elements of `size` bytes; false when memory has run out.
static inline bool fastmap_reserve(void **elements, uint32_t *capacity, uint32_t needed, size_t size) {
  return needed <= *capacity || fastmap_grow(elements, capacity, needed, size);
}

/// Notes a fault of an occurrence, if it is the first. Returns whether the walk goes on.
bool fastmap_note_fault(fastmap_batch *batch, fastmap_fault fault);
bool fastmap_fault_of_object(fastmap_batch *batch, uint32_t occurrence, uint32_t code, const json_t *node);

/// Returns false: the walk ends.
bool fastmap_out_of_memory(fastmap_batch *batch);

#endif
