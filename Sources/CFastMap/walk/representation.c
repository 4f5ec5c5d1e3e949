#include "paths.h"

// Reads a representation as a whole: a bare value, a key alone, a value that marks its object as deleted.

const json_t *fastmap_value_at(const fastmap_plan_member *path, const json_t *node) {
  for (const fastmap_plan_member *step = path; step && node; step = step->member_count ? step->members : NULL)
    node = step->step == FASTMAP_STEP_MEMBER ? json_object_getn(node, step->name, step->length)
                                             : json_array_get(node, step->element);
  return node;
}

bool fastmap_says_deleted(fastmap_batch *batch, uint32_t number, const json_t *node) {
  const fastmap_plan_mapping *mapping = &batch->plan->mappings[number];
  const fastmap_plan_deletion *deletion = mapping->deletion;
  const json_t *value = fastmap_value_at(deletion->path, node);
  if (!value || json_is_null(value)) return false;
  const fastmap_plan_attribute *attribute = &mapping->attributes[deletion->attribute];
  fastmap_slot slot = {0};
  enum fastmap_conversion conversion = fastmap_convert(&batch->arena, attribute, batch->big_integers, value, &slot);
  bool is_checked = attribute->flags & FASTMAP_ATTRIBUTE_CHECKED && slot.tag != FASTMAP_NULL;
  if (conversion == FASTMAP_CONVERTED && (slot.tag == FASTMAP_NODE || is_checked))
    conversion = batch->converter(batch->context, number, deletion->attribute, value, &slot);
  if (conversion != FASTMAP_CONVERTED || slot.tag == FASTMAP_MISSING || slot.tag == FASTMAP_NULL) return false;
  for (uint32_t i = 0; i < deletion->count; i++) {
    const fastmap_slot *wanted = &deletion->values[i];
    if (wanted->tag != slot.tag) continue;
    if (slot.tag == FASTMAP_STRING ? !fastmap_key_compare(wanted, &slot) : wanted->integer == slot.integer) return true;
  }
  return deletion->count == 0;
}

// Reads an array of the parts of a key.
static bool read_parts(reading *reading, const json_t *array) {
  const fastmap_plan_mapping *mapping = reading->mapping;
  for (uint32_t i = 0; i < mapping->part_count; i++) {
    const json_t *value = json_array_get(array, i);
    uint32_t index = mapping->parts[i].index;
    if (mapping->parts[i].is_relationship) {
      reading->values[index] = value;
      reading->marks[mapping->attribute_count + index] = 1;
    } else if (!fastmap_read_use(reading, (fastmap_plan_use){.index = index}, value, 0)) {
      return false;
    }
  }
  return true;
}

// A bare value: the key of a related object, or the value of the attributes without a key path. A bare key refers to
// an object; at the root there is nothing that refers.
bool fastmap_read_scalar(reading *reading, const json_t *node) {
  const fastmap_plan_mapping *mapping = reading->mapping;
  bool is_key_whole = mapping->key_attribute >= 0 && !mapping->key_path;
  if (mapping->has_whole_attributes && (is_key_whole || !reading->is_reference)) return true;  // read already
  bool is_root = reading->batch->occurrences[reading->occurrence].owner == FASTMAP_NONE;
  if (mapping->part_count && !mapping->is_scoped && mapping->named_attribute < 0 && !is_root && json_array_size(node) == mapping->part_count)
    return read_parts(reading, node);
  if (!mapping->part_count && mapping->key_attribute >= 0 && mapping->named_attribute < 0 && !is_root && !json_is_array(node) && !json_is_object(node))
    return fastmap_read_use(reading, (fastmap_plan_use){.index = (uint32_t)mapping->key_attribute}, node, 0);
  return fastmap_fault_of_object(reading->batch, reading->occurrence, FASTMAP_FAULT_REPRESENTATION, node);
}

// Recurses over the key path. The plan keeps key paths short.
static bool is_alone(const fastmap_plan_member *step, const json_t *node) {
  const fastmap_plan_member *next = step->member_count ? step->members : NULL;
  if (step->step == FASTMAP_STEP_MEMBER) {
    const json_t *value = json_object_size(node) == 1 ? json_object_getn(node, step->name, step->length) : NULL;
    return value && (!next || is_alone(next, value));
  }
  size_t count = json_array_size(node);
  if (step->step == FASTMAP_STEP_INDEX ? count != step->element + 1 : !json_is_array(node)) return false;
  for (size_t i = 0; i < count; i++) {
    const json_t *value = json_array_get(node, i);
    bool is_wanted = step->step == FASTMAP_STEP_EACH || i == step->element;
    if (is_wanted ? next && !is_alone(next, value) : !json_is_null(value)) return false;
  }
  return true;
}

bool fastmap_is_key_alone(const fastmap_plan_mapping *mapping, const json_t *node) {
  if (mapping->key_attribute < 0 || json_is_array(node) || json_is_null(node)) return false;
  if (mapping->named_attribute >= 0) return json_is_object(node) && json_object_size(node) == 0;
  if (json_is_object(node)) return mapping->key_path && is_alone(mapping->key_path, node);
  return mapping->member_count > 0;
}

bool fastmap_read_whole(reading *reading, const json_t *node) {
  const fastmap_plan_mapping *mapping = reading->mapping;
  for (uint32_t i = 0; i < mapping->whole_count; i++) {
    if (reading->is_reference && (int32_t)mapping->whole[i] != mapping->key_attribute) {
      reading->marks[mapping->whole[i]] = 1;  // nothing is known of it
      continue;
    }
    if (!fastmap_read_use(reading, (fastmap_plan_use){.index = mapping->whole[i]}, node, 0)) return false;
  }
  if (!reading->row) return true;  // a bare key has no relationships
  for (uint32_t i = 0; i < mapping->whole_relationship_count; i++)
    reading->values[mapping->whole_relationships[i]] = node;
  return true;
}
