#ifndef FASTMAP_WALK_INTERNAL_H
#define FASTMAP_WALK_INTERNAL_H

#include <jansson.h>

#include "fastmap_walk.h"

bool fastmap_grow(void **elements, uint32_t *capacity, uint32_t needed, size_t size);

/// Makes room for `needed` elements of `size` bytes; false when memory has run out.
static inline bool fastmap_reserve(void **elements, uint32_t *capacity, uint32_t needed, size_t size) {
  return needed <= *capacity || fastmap_grow(elements, capacity, needed, size);
}

/// The values that a key path with [] leads to, NULL for those that are missing; without items for null
/// on the way to them. Lives in the batch's arena.
typedef struct {
  const json_t **items;
  size_t count;
} fastmap_list;

// What one representation is being read into.
typedef struct {
  fastmap_batch *batch;
  const fastmap_plan_mapping *mapping;
  uint32_t occurrence;
  fastmap_slot *row;      // NULL where the mapping reads nothing but the key
  fastmap_slot key;
  const void **values;    // by relationship: a json_t, or a fastmap_list
  uint8_t *marks;         // of the mapping: attributes, relationships, and whether an object was met
  bool has_bad_key;       // the key is there, and does not fit
  bool is_reference;      // in a relationship, and nothing but the key
} reading;

/// Notes a fault of an occurrence, if it is the first. Returns whether the walk goes on.
bool fastmap_note_fault(fastmap_batch *batch, fastmap_fault fault);
bool fastmap_fault_of_object(fastmap_batch *batch, uint32_t occurrence, uint32_t code, const json_t *node);

/// Returns false: the walk ends.
bool fastmap_out_of_memory(fastmap_batch *batch);

/// Reads what key paths lead to. Each returns whether the walk goes on.
bool fastmap_read_members(reading *reading, const fastmap_plan_member *members, uint32_t count,
                          const json_t *object, uint32_t steps);
/// Whether a representation says nothing but the key: an object with that alone, or a bare value where the mapping has fields
/// that only an object has.
bool fastmap_is_key_alone(const fastmap_plan_mapping *mapping, const json_t *node);
/// Reads the attributes and relationships whose key path is the representation itself; of a reference, of the attributes
/// only the key.
bool fastmap_read_whole(reading *reading, const json_t *node);
/// Reads a bare value: the key of a related object, or what the attributes without a key path read.
bool fastmap_read_scalar(reading *reading, const json_t *node);

#endif
