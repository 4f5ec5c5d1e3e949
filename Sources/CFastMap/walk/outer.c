#include "outer.h"

// Reads values of owners, of the document, and of the import.

const json_t *fastmap_outer_node(const fastmap_batch *batch, uint32_t owner, uint32_t origin) {
  if (origin == FASTMAP_OF_CONTEXT) return batch->values;
  if (origin == FASTMAP_OF_DOCUMENT) return batch->document;
  for (uint32_t level = 1; level < origin && owner != FASTMAP_NONE; level++) owner = batch->occurrences[owner].owner;
  return owner == FASTMAP_NONE ? NULL : batch->occurrences[owner].node;
}

static bool has_value(const reading *reading, fastmap_plan_use use) {
  if (use.is_relationship) return reading->values[use.index];
  const fastmap_plan_attribute *attribute = &reading->mapping->attributes[use.index];
  if (reading->row) return reading->row[attribute->field].value.tag != FASTMAP_MISSING;
  return reading->key.tag != FASTMAP_MISSING;
}

// Whether the blank row of the mapping's kind has a value here, and no other one was read.
static bool is_blank(const reading *reading, fastmap_plan_use use) {
  const fastmap_slot *blank = reading->mapping->blank;
  if (!blank || use.is_relationship || !reading->row) return false;
  uint32_t field = reading->mapping->attributes[use.index].field;
  return blank[field].tag == FASTMAP_STRING && reading->row[field].value.bytes == blank[field].bytes;
}

static bool read_from(reading *reading, const fastmap_plan_outer *outer, const json_t *node) {
  uint32_t fault_count = reading->batch->fault_count;
  bool goes_on = true;
  bool wants_object = outer->members[0].step == FASTMAP_STEP_MEMBER;
  if (wants_object && json_is_object(node))
    goes_on = fastmap_read_members(reading, outer->members, outer->member_count, node, 0);
  else if (!wants_object && json_is_array(node))
    goes_on = fastmap_read_elements(reading, outer->members, outer->member_count, node, 0);
  for (; fault_count < reading->batch->fault_count; fault_count++)
    reading->batch->faults[fault_count].is_outer = true;
  return goes_on;
}

// Whether a value outside is the key alone of the object that the own value has in full. Keys of targets are no owner's.
static bool is_key_of(const fastmap_plan_mapping *target, const json_t *outside, const json_t *own) {
  if (!json_is_object(own) || fastmap_is_key_alone(target, own)) return false;
  if (target->part_count && json_array_size(outside) == target->part_count) {
    for (uint32_t i = 0; i < target->part_count; i++) {
      const json_t *part = target->parts[i].path ? fastmap_value_at(target->parts[i].path, own) : NULL;
      if (!json_equal(json_array_get(outside, i), part)) return false;
    }
    return true;
  }
  if (!target->key_path || !fastmap_is_key_alone(target, outside)) return false;
  const json_t *key = json_is_object(outside) ? fastmap_value_at(target->key_path, outside) : outside;
  return json_equal(key, fastmap_value_at(target->key_path, own));
}

// Whether the own value has the same targets as the value outside, and says more of them: an export writes each of them in full
// where it comes first.
static bool says_more(const fastmap_plan_relationship *relationship, const fastmap_plan_mapping *target,
                      const json_t *outside, const json_t *own) {
  if (!relationship->to_many) return is_key_of(target, outside, own);
  size_t count = json_array_size(own);
  if (!json_is_array(outside) || json_array_size(outside) != count) return false;
  bool found = false;
  for (size_t i = 0; i < count; i++) {
    const json_t *there = json_array_get(outside, i), *here = json_array_get(own, i);
    bool is_fuller = is_key_of(target, there, here);
    if (!is_fuller && !json_equal(there, here)) return false;
    found |= is_fuller;
  }
  return found;
}

bool fastmap_read_outer(reading *reading, const json_t *node) {
  fastmap_batch *batch = reading->batch;
  const fastmap_plan_mapping *mapping = reading->mapping;
  uint32_t owner = batch->occurrences[reading->occurrence].owner;
  for (uint32_t i = 0; i < mapping->outer_count; i++) {
    const json_t *start = fastmap_outer_node(batch, owner, mapping->outers[i].origin);
    if (start && !read_from(reading, &mapping->outers[i], start)) return false;
  }
  for (uint32_t i = 0; i < mapping->own_count; i++) {
    const fastmap_plan_own *own = &mapping->owns[i];
    const json_t *value = json_object_getn(node, own->name, own->length);
    if (has_value(reading, own->use) && !(value && is_blank(reading, own->use))) {
      uint32_t mark = own->use.index + (own->use.is_relationship ? mapping->attribute_count : 0);
      reading->marks[mark] |= value != NULL;
      if (!value || !own->use.is_relationship) continue;
      const fastmap_plan_relationship *relationship = &mapping->relationships[own->use.index];
      const fastmap_plan_mapping *target = &batch->plan->mappings[relationship->destination];
      const void **known = &reading->values[own->use.index];
      if (!relationship->each && says_more(relationship, target, *known, value)) *known = value;
    } else if (value) {
      if (!fastmap_read_use(reading, own->use, value, 1)) return false;
    } else if (own->is_needed && reading->row && !fastmap_is_key_alone(mapping, node) &&
               (!reading->is_deleted || fastmap_is_read_of_deleted(mapping, own->use))) {
      return fastmap_note_fault(batch, (fastmap_fault){.code = FASTMAP_FAULT_CONTEXT,
                                                       .occurrence = reading->occurrence,
                                                       .index = own->use.index,
                                                       .is_relationship = own->use.is_relationship,
                                                       .steps = 1,
                                                       .position = FASTMAP_NONE,
                                                       .node = node});
    }
  }
  return true;
}
