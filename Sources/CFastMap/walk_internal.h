#ifndef FASTMAP_WALK_INTERNAL_H
#define FASTMAP_WALK_INTERNAL_H

#include <jansson.h>

#include "fastmap_walk.h"


bool fastmap_grow(void **elements, uint32_t *capacity, uint32_t needed, size_t size);

/// Makes room for `needed` elements of `size` bytes; false when memory has run out.
static inline bool fastmap_reserve(void **elements, uint32_t *capacity, uint32_t needed, size_t size) {
  return needed <= *capacity || fastmap_grow(elements, capacity, needed, size);
}

#endif
