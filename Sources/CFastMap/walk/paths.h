#ifndef FASTMAP_PATHS_H
#define FASTMAP_PATHS_H

#include "batch.h"

/// The values at the end of a key path with [], NULL for missing ones; without items for null on the way to
/// them. Lives in the batch's arena.
typedef struct {
  const json_t **items;
  size_t count;
} fastmap_list;

// The state of reading one representation.
typedef struct {
  fastmap_batch *batch;
  const fastmap_plan_mapping *mapping;
  uint32_t occurrence;
  fastmap_batch_slot *row;  // NULL where the mapping reads nothing but the key
  fastmap_slot key;
  const void **values;    // by relationship: a json_t, or a fastmap_list
  uint8_t *marks;         // of the mapping: attributes, relationships, and whether an object was met
  bool has_bad_key;       // the key is there, and does not fit
  bool is_reference;      // in a relationship, and nothing but the key
  bool is_deleted;        // marks the object as deleted
} reading;

/// Reads the values at the ends of key paths. Each function returns whether the walk goes on.
bool fastmap_read_members(reading *reading, const fastmap_plan_member *members, uint32_t count,
                          const json_t *object, uint32_t steps);
bool fastmap_read_elements(reading *reading, const fastmap_plan_member *members, uint32_t count,
                           const json_t *array, uint32_t steps);
/// Gives a value to a field.
///
/// - steps: those of the key path that lead to the value.
bool fastmap_read_use(reading *reading, fastmap_plan_use use, const json_t *value, uint32_t steps);
/// Whether a representation has the key alone: an object with that alone, or a bare value where the mapping has fields
/// that only an object has.
bool fastmap_is_key_alone(const fastmap_plan_mapping *mapping, const json_t *node);
/// Reads the attributes and relationships whose key path is the representation itself; of a reference, of the attributes
/// only the key.
bool fastmap_read_whole(reading *reading, const json_t *node);
/// Gives a representation to the fields that take its kind, and null to the others. A representation that is no object also gives
/// null to the fields that are read from outside.
bool fastmap_read_by_kind(reading *reading, const json_t *node);
/// Reads the name of the member that has the representation, as the value of an attribute.
bool fastmap_read_name(reading *reading, fastmap_name name);
/// The value at the end of a key path without []; NULL where it is missing.
const json_t *fastmap_value_at(const fastmap_plan_member *path, const json_t *node);
/// Whether a representation marks its object as deleted.
bool fastmap_says_deleted(fastmap_batch *batch, uint32_t mapping, const json_t *node);
/// Whether a field of an object that is deleted is read: a part of the key, or the attribute that tells its age.
bool fastmap_is_read_of_deleted(const fastmap_plan_mapping *mapping, fastmap_plan_use use);
/// Reads a bare value: the key of a related object, or the value of the attributes without a key path.
bool fastmap_read_scalar(reading *reading, const json_t *node);

#endif
