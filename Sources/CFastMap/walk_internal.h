#ifndef FASTMAP_WALK_INTERNAL_H
#define FASTMAP_WALK_INTERNAL_H

#include <jansson.h>

#include "fastmap_walk.h"

enum conversion { CONVERTED, UNFIT, NO_MEMORY };

/// Reads `value` as the attribute's type. A string or a JSON value is borrowed from the tree.
enum conversion fastmap_convert(fastmap_batch *batch, const fastmap_plan_attribute *attribute,
                                const json_t *value, fastmap_slot *slot);

bool fastmap_grow(void **elements, uint32_t *capacity, uint32_t needed, size_t size);

/// Makes room for `needed` elements of `size` bytes; false when memory has run out.
static inline bool fastmap_reserve(void **elements, uint32_t *capacity, uint32_t needed, size_t size) {
  return needed <= *capacity || fastmap_grow(elements, capacity, needed, size);
}

#endif
