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

static bool is_same_key(const json_t *a, const json_t *b) {
  bool is_key = (json_is_string(a) && json_is_string(b)) || (json_is_integer(a) && json_is_integer(b));
  return is_key && json_equal(a, b);
}

// The part of a key in an object, or in a reference: an array of the parts.
static const json_t *part_in(const fastmap_plan_mapping *target, uint32_t part, const json_t *node) {
  if (json_is_array(node)) return json_array_size(node) == target->part_count ? json_array_get(node, part) : NULL;
  return target->parts[part].path ? fastmap_value_at(target->parts[part].path, node) : NULL;
}

static bool is_same_object(const fastmap_plan_mapping *target, const json_t *a, const json_t *b) {
  for (uint32_t i = 0; i < target->part_count; i++)
    if (!is_same_key(part_in(target, i, a), part_in(target, i, b))) return false;
  if (target->part_count) return true;
  if (!target->key_path) return false;
  return is_same_key(json_is_object(a) ? fastmap_value_at(target->key_path, a) : a,
                     json_is_object(b) ? fastmap_value_at(target->key_path, b) : b);
}

// Whether an object that has its key has nothing else.
static bool is_reference(const fastmap_plan_mapping *target, const json_t *node) {
  if (!target->part_count) return fastmap_is_key_alone(target, node);
  return json_is_array(node) || json_object_size(node) <= target->part_count;
}

// True if the own value has the same targets, and at least one in full where the outside value has only its key: an export writes
// an object in full where it comes first.
static bool says_more(const fastmap_plan_relationship *relationship, const fastmap_plan_mapping *target,
                      const json_t *outside, const json_t *own) {
  bool is_list = relationship->to_many && json_is_array(own) && json_is_array(outside);
  size_t count = is_list ? json_array_size(own) : 1;
  if (is_list ? json_array_size(outside) != count : relationship->to_many) return false;
  bool is_fuller = false;
  for (size_t i = 0; i < count; i++) {
    const json_t *there = is_list ? json_array_get(outside, i) : outside, *here = is_list ? json_array_get(own, i) : own;
    if (!is_same_object(target, there, here)) return false;
    is_fuller |= is_reference(target, there) && json_is_object(here) && !is_reference(target, here);
  }
  return is_fuller;
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
