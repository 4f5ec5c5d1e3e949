#include "join_key.h"

#include "fastmap_key_parts.h"

// Joins the parts of a key into one string.

enum found { FOUND, MISSING_PART, NULL_PART, BAD_PART, NO_MEMORY };

static enum found join(reading *reading, const fastmap_slot *parts, uint32_t count,
                       const fastmap_plan_relationship *scope, fastmap_slot *key) {
  size_t length = scope ? 1 + scope->scope_length : 0;
  for (uint32_t i = 0; i < count; i++) length += fastmap_key_part_length(&parts[i]);
  uint8_t *bytes = length < UINT32_MAX ? fastmap_arena_alloc(&reading->batch->arena, length) : NULL;
  if (!bytes) return NO_MEMORY;
  *key = (fastmap_slot){.tag = FASTMAP_STRING, .length = (uint32_t)length, .bytes = bytes};
  for (uint32_t i = 0; i < count; i++) bytes = fastmap_key_part_write(bytes, &parts[i]);
  if (scope) {
    *bytes++ = FASTMAP_PART_END;
    memcpy(bytes, scope->scope, scope->scope_length);
  }
  return FOUND;
}

// Reads an attribute as a key, or as a part of one.
static enum found read_part(reading *reading, uint32_t mapping, uint32_t index, const json_t *value,
                            fastmap_slot *key) {
  if (!value) return MISSING_PART;
  fastmap_batch *batch = reading->batch;
  const fastmap_plan_attribute *attribute = &batch->plan->mappings[mapping].attributes[index];
  enum fastmap_conversion conversion = fastmap_convert(&batch->arena, attribute, batch->big_integers, value, key);
  bool is_checked = attribute->flags & FASTMAP_ATTRIBUTE_CHECKED && key->tag != FASTMAP_NULL;
  if (conversion == FASTMAP_CONVERTED && (key->tag == FASTMAP_NODE || is_checked))
    conversion = batch->converter(batch->context, mapping, index, value, key);
  if (conversion == FASTMAP_NO_MEMORY) return NO_MEMORY;
  if (conversion == FASTMAP_UNFIT) return BAD_PART;
  if (key->tag == FASTMAP_MISSING || key->tag == FASTMAP_NULL) return NULL_PART;
  return key->tag == FASTMAP_INTEGER || key->tag == FASTMAP_STRING ? FOUND : BAD_PART;
}

// Reads the key of a target. Recurses over keys whose parts are targets, which a plan keeps few.
static enum found read_target_key(reading *reading, uint32_t number, const json_t *node, fastmap_slot *key) {
  const fastmap_plan_mapping *mapping = &reading->batch->plan->mappings[number];
  if (!node) return MISSING_PART;
  if (json_is_null(node)) return NULL_PART;
  bool has_fields = mapping->is_row ? json_is_array(node) : json_is_object(node);
  if (!mapping->part_count) {
    const json_t *value = has_fields ? fastmap_value_at(mapping->key_path, node) : node;
    return read_part(reading, number, (uint32_t)mapping->key_attribute, value, key);
  }
  if (!has_fields && json_array_size(node) != mapping->part_count) return BAD_PART;
  fastmap_slot parts[FASTMAP_MOST_PARTS];
  for (uint32_t i = 0; i < mapping->part_count; i++) {
    const fastmap_plan_part *part = &mapping->parts[i];
    const json_t *value = has_fields ? fastmap_value_at(part->path, node) : json_array_get(node, i);
    enum found found =
        part->is_relationship
            ? read_target_key(reading, mapping->relationships[part->index].destination, value, &parts[i])
            : read_part(reading, number, part->index, value, &parts[i]);
    if (found != FOUND) return found;
  }
  return join(reading, parts, mapping->part_count, NULL, key);
}

bool fastmap_join_key(reading *reading) {
  const fastmap_plan_mapping *mapping = reading->mapping;
  reading->marks[mapping->key_attribute] = 1;
  reading->key = (fastmap_slot){0};
  if (reading->has_bad_key) return true;
  fastmap_slot keys[1 + FASTMAP_MOST_PARTS];  // the owner's key comes first
  fastmap_slot *parts = keys + 1;
  bool is_null = false, is_missing = false;
  for (uint32_t i = 0; i < mapping->part_count; i++) {
    uint32_t index = mapping->parts[i].index;
    enum found found = FOUND;
    if (mapping->parts[i].is_relationship) {
      const fastmap_plan_relationship *relationship = &mapping->relationships[index];
      const json_t *value = reading->values[index];
      found = read_target_key(reading, relationship->destination, value, &parts[i]);
      if (found == NO_MEMORY) return fastmap_out_of_memory(reading->batch);
      if (found == BAD_PART || (found == MISSING_PART && value)) {
        reading->has_bad_key = true;
        return fastmap_note_fault(reading->batch, (fastmap_fault){.code = FASTMAP_FAULT_PART,
                                                                  .occurrence = reading->occurrence,
                                                                  .index = index,
                                                                  .is_relationship = true,
                                                                  .steps = FASTMAP_NONE,
                                                                  .position = FASTMAP_NONE,
                                                                  .node = value});
      }
    } else {
      parts[i] = reading->row[mapping->attributes[index].field].value;
      if (parts[i].tag == FASTMAP_MISSING) found = MISSING_PART;
      if (parts[i].tag == FASTMAP_NULL) found = NULL_PART;
    }
    is_null |= found == NULL_PART;
    is_missing |= found == MISSING_PART;
  }
  if (is_null || is_missing) {
    if (!is_missing) reading->key.tag = FASTMAP_NULL;
    return true;
  }
  const fastmap_plan_relationship *scope = NULL;
  if (mapping->is_scoped) {
    const fastmap_occurrence *occurrence = &reading->batch->occurrences[reading->occurrence];
    if (occurrence->owner == FASTMAP_NONE) return true;
    const fastmap_occurrence *owner = &reading->batch->occurrences[occurrence->owner];
    if (owner->key.tag != FASTMAP_INTEGER && owner->key.tag != FASTMAP_STRING) return true;
    keys[0] = owner->key;
    scope = &reading->batch->plan->mappings[owner->mapping].relationships[occurrence->relationship];
  }
  if (join(reading, scope ? keys : parts, mapping->part_count + (scope != NULL), scope, &reading->key) != FOUND)
    return fastmap_out_of_memory(reading->batch);
  reading->row[mapping->attributes[mapping->key_attribute].field].value = reading->key;
  return true;
}
