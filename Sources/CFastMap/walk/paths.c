#include "paths.h"

#include <float.h>

// Follows the key paths of a mapping into one representation.

static bool note_unfit(reading *reading, uint32_t index, const json_t *value, uint32_t steps) {
  return fastmap_note_fault(reading->batch, (fastmap_fault){.code = FASTMAP_FAULT_TYPE,
                                                    .occurrence = reading->occurrence,
                                                    .index = index,
                                                    .steps = steps,
                                                    .position = FASTMAP_NONE,
                                                    .node = value});
}

static bool read_as(reading *reading, const fastmap_plan_attribute *attribute, uint32_t index,
                    const json_t *value, uint32_t steps) {
  bool is_key = attribute->flags & FASTMAP_ATTRIBUTE_KEY;
  reading->marks[index] = 1;
  fastmap_slot slot = {0};
  switch (fastmap_convert(&reading->batch->arena, attribute, reading->batch->big_integers, value, &slot)) {
    case FASTMAP_CONVERTED:
      break;
    case FASTMAP_UNFIT:
      reading->has_bad_key |= is_key;
      return note_unfit(reading, index, value, steps);
    case FASTMAP_NO_MEMORY:
      return fastmap_out_of_memory(reading->batch);
  }
  if (slot.tag == FASTMAP_MISSING) {  // null leaves the property alone; as a key it is null all the same
    if (is_key) reading->key.tag = FASTMAP_NULL;
    return true;
  }
  bool is_checked = attribute->flags & FASTMAP_ATTRIBUTE_CHECKED && slot.tag != FASTMAP_NULL;
  if (attribute->flags & FASTMAP_ATTRIBUTE_FLOAT && slot.tag == FASTMAP_NUMBER)
    is_checked = is_checked && !(slot.number >= -FLT_MAX && slot.number <= FLT_MAX);
  if (slot.tag == FASTMAP_NODE || is_checked) {
    fastmap_batch *batch = reading->batch;
    uint32_t mapping = batch->occurrences[reading->occurrence].mapping;
    switch (batch->converter(batch->context, mapping, index, value, &slot)) {
      case FASTMAP_CONVERTED:
        break;
      case FASTMAP_UNFIT:
        reading->has_bad_key |= is_key;
        return fastmap_note_fault(batch, (fastmap_fault){.code = FASTMAP_FAULT_REFUSED,
                                                 .occurrence = reading->occurrence,
                                                 .index = index,
                                                 .steps = steps,
                                                 .position = FASTMAP_NONE,
                                                 .refusal = slot.length,
                                                 .node = value});
      case FASTMAP_NO_MEMORY:
        return fastmap_out_of_memory(batch);
    }
    if (slot.tag == FASTMAP_MISSING) return true;
  }
  if (is_key && slot.tag == FASTMAP_UNSIGNED) {  // no key
    reading->has_bad_key = true;
    return note_unfit(reading, index, value, steps);
  }
  if (is_key) reading->key = slot;
  if (reading->row) reading->row[attribute->field].value = slot;
  return true;
}

bool fastmap_is_read_of_deleted(const fastmap_plan_mapping *mapping, fastmap_plan_use use) {
  if (!use.is_relationship)
    return mapping->attributes[use.index].flags & FASTMAP_ATTRIBUTE_KEY || mapping->deletion->newer == (int32_t)use.index;
  for (uint32_t i = 0; i < mapping->part_count; i++)
    if (mapping->parts[i].is_relationship && mapping->parts[i].index == use.index) return true;
  return false;
}

static bool is_passed_over(const reading *reading, fastmap_plan_use use) {
  return reading->is_deleted && !fastmap_is_read_of_deleted(reading->mapping, use);
}

static bool read_attribute(reading *reading, uint32_t index, const json_t *value, uint32_t steps) {
  if (is_passed_over(reading, (fastmap_plan_use){.index = index})) return true;
  return read_as(reading, &reading->mapping->attributes[index], index, value, steps);
}

// Reads decimal digits as an integer, written in one way only.
static bool is_integer(fastmap_name name, json_int_t *value) {
  bool is_negative = name.length && name.text[0] == '-';
  size_t first = is_negative;
  if (name.length == first || name.length - first > 19 || (name.text[first] == '0' && name.length > 1)) return false;
  uint64_t digits = 0;
  for (size_t i = first; i < name.length; i++) {
    if (name.text[i] < '0' || name.text[i] > '9') return false;
    digits = digits * 10 + (uint64_t)(name.text[i] - '0');
  }
  if (digits > (uint64_t)INT64_MAX + is_negative) return false;
  *value = is_negative ? -(json_int_t)(digits - 1) - 1 : (json_int_t)digits;
  return true;
}

// The name is kept as a value, which rows and faults may borrow from.
bool fastmap_read_name(reading *reading, fastmap_name name) {
  fastmap_batch *batch = reading->batch;
  if (!batch->names) batch->names = json_array();
  json_int_t number = 0;
  bool is_number = reading->mapping->named_is_integer && is_integer(name, &number);
  json_t *value = is_number ? json_integer(number) : json_stringn_nocheck(name.text ? name.text : "", name.length);
  if (!batch->names || !value || json_array_append_new(batch->names, value) != 0) return fastmap_out_of_memory(batch);
  uint32_t index = (uint32_t)reading->mapping->named_attribute;
  fastmap_plan_attribute attribute = reading->mapping->attributes[index];
  if (reading->mapping->named_is_integer) attribute.flags &= (uint8_t)~FASTMAP_ATTRIBUTE_LENIENT;
  uint32_t fault_count = batch->fault_count;
  bool goes_on = read_as(reading, &attribute, index, value, 0);
  if (batch->fault_count > fault_count && batch->faults[fault_count].code == FASTMAP_FAULT_TYPE)
    batch->faults[fault_count].code = FASTMAP_FAULT_NAME;
  return goes_on;
}

bool fastmap_read_use(reading *reading, fastmap_plan_use use, const json_t *value, uint32_t steps) {
  if (!use.is_relationship) return read_attribute(reading, use.index, value, steps);
  if (is_passed_over(reading, use)) return true;
  static const fastmap_list null_list = {0};
  reading->marks[reading->mapping->attribute_count + use.index] = 1;
  // read_list_use reads lists; this value is a null on the way to one.
  reading->values[use.index] =
      reading->mapping->relationships[use.index].each ? (const void *)&null_list : value;
  return true;
}

// Null in the middle of a key path is null at its end.
static bool read_null(reading *reading, const fastmap_plan_member *member, const json_t *null,
                      uint32_t steps) {
  for (uint32_t i = 0; i < member->use_count; i++)
    if (!fastmap_read_use(reading, member->uses[i], null, steps)) return false;
  for (uint32_t i = 0; i < member->member_count; i++)
    if (!read_null(reading, &member->members[i], null, steps)) return false;
  return true;
}

static fastmap_plan_use first_use(const fastmap_plan_member *member) {
  while (!member->use_count) member = &member->members[0];
  return member->uses[0];
}

static bool step_fault(reading *reading, const fastmap_plan_member *member, const json_t *value,
                       uint32_t steps, uint32_t position) {
  fastmap_plan_use use = first_use(&member->members[0]);
  if (is_passed_over(reading, use)) return true;
  return fastmap_note_fault(reading->batch, (fastmap_fault){.code = FASTMAP_FAULT_STEP,
                                                    .occurrence = reading->occurrence,
                                                    .index = use.index,
                                                    .is_relationship = use.is_relationship,
                                                    .steps = steps,
                                                    .position = position,
                                                    .node = value});
}

// An empty array that stands in a fault for a list that lives for a call. NULL without memory.
static const json_t *lasting_array(fastmap_batch *batch) {
  if (!batch->lasting_array) batch->lasting_array = json_array();
  return batch->lasting_array;
}

// Whether a list gives its field a value: it is empty, or an element has a value, be it null.
static bool has_any(const json_t **items, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (items[i]) return true;
  return count == 0;
}

// Gives a list of values to an attribute, as an array of its own that lives for the call.
static bool read_list(reading *reading, uint32_t index, const json_t **items, size_t count, uint32_t steps) {
  fastmap_batch *batch = reading->batch;
  json_t *list = json_array();
  bool is_built = list != NULL;
  for (size_t i = 0; is_built && i < count; i++)
    is_built = items[i] ? json_array_append(list, (json_t *)items[i]) == 0
                        : json_array_append_new(list, json_null()) == 0;
  uint32_t fault_count = batch->fault_count;
  uint8_t mark = reading->marks[index] | has_any(items, count);
  bool goes_on = is_built ? read_attribute(reading, index, list, steps) : fastmap_out_of_memory(batch);
  reading->marks[index] = mark;
  if (batch->fault_count > fault_count) {
    fastmap_fault *fault = &batch->faults[batch->fault_count - 1];
    if (fault->node == list) fault->node = lasting_array(batch);
  }
  json_decref(list);
  return goes_on;
}

static bool read_list_use(reading *reading, fastmap_plan_use use, const json_t **items, size_t count,
                          uint32_t steps) {
  if (is_passed_over(reading, use)) return true;
  if (!use.is_relationship) return read_list(reading, use.index, items, count, steps);
  fastmap_list *list = fastmap_arena_alloc(&reading->batch->arena, sizeof *list);
  if (!list) return fastmap_out_of_memory(reading->batch);
  *list = (fastmap_list){.items = items, .count = count};
  reading->marks[reading->mapping->attribute_count + use.index] |= has_any(items, count);
  reading->values[use.index] = list;
  return true;
}

// Goes on inside of a list of values, NULL for missing ones.
static bool read_inside_list(reading *reading, const fastmap_plan_member *member, const json_t **items,
                             size_t count, uint32_t steps) {
  for (uint32_t i = 0; i < member->use_count; i++)
    if (!read_list_use(reading, member->uses[i], items, count, steps)) return false;
  for (uint32_t i = 0; i < member->member_count; i++) {
    const fastmap_plan_member *inner = &member->members[i];
    const json_t **inside = fastmap_arena_alloc(&reading->batch->arena, (count ? count : 1) * sizeof *inside);
    if (!inside) return fastmap_out_of_memory(reading->batch);
    bool wants_object = inner->step == FASTMAP_STEP_MEMBER;
    for (size_t at = 0; at < count; at++) {
      const json_t *value = items[at];
      inside[at] = value;
      if (!value || json_is_null(value)) continue;  // null on the way is null at the end
      if (wants_object ? !json_is_object(value) : !json_is_array(value))
        return step_fault(reading, member, value, steps, (uint32_t)at);
      inside[at] = wants_object ? json_object_getn(value, inner->name, inner->length)
                                : json_array_get(value, inner->element);
    }
    if (!read_inside_list(reading, inner, inside, count, steps + 1)) return false;
  }
  return true;
}

static bool read_each(reading *reading, const fastmap_plan_member *member, const json_t *array,
                      uint32_t steps) {
  size_t count = json_array_size(array);
  if (count >= UINT32_MAX) return fastmap_out_of_memory(reading->batch);
  const json_t **items = fastmap_arena_alloc(&reading->batch->arena, (count ? count : 1) * sizeof *items);
  if (!items) return fastmap_out_of_memory(reading->batch);
  for (size_t i = 0; i < count; i++) items[i] = json_array_get(array, i);
  return read_inside_list(reading, member, items, count, steps);
}

static bool read_by_kind(reading *reading, const fastmap_plan_member *member, const json_t *value,
                         uint32_t steps);

// Goes on inside of the value of a member that has steps inside.
static bool read_inside(reading *reading, const fastmap_plan_member *member, const json_t *value,
                        uint32_t steps) {
  if (json_is_null(value)) {
    for (uint32_t i = 0; i < member->member_count; i++)
      if (!read_null(reading, &member->members[i], value, steps)) return false;
    return true;
  }
  bool wants_object = member->members[0].step == FASTMAP_STEP_MEMBER;
  if (wants_object && json_is_object(value))
    return fastmap_read_members(reading, member->members, member->member_count, value, steps);
  if (member->members[0].step == FASTMAP_STEP_NONE) return read_by_kind(reading, member, value, steps);
  if (wants_object || !json_is_array(value)) return step_fault(reading, member, value, steps, FASTMAP_NONE);
  return fastmap_read_elements(reading, member->members, member->member_count, value, steps);
}

// Gives a value to the readers that take its kind, and null to the others: it has taken the place of their values.
static bool read_by_kind(reading *reading, const fastmap_plan_member *member, const json_t *value,
                         uint32_t steps) {
  size_t kind = (size_t)1 << json_typeof(value);
  bool is_taken = false;
  for (uint32_t i = 0; i < member->member_count; i++) is_taken |= (member->members[i].element & kind) != 0;
  if (!is_taken) {
    fastmap_plan_use use = first_use(member);
    return fastmap_note_fault(reading->batch, (fastmap_fault){.code = FASTMAP_FAULT_SHAPE,
                                                      .occurrence = reading->occurrence,
                                                      .index = use.index,
                                                      .is_relationship = use.is_relationship,
                                                      .steps = steps,
                                                      .position = FASTMAP_NONE,
                                                      .node = value});
  }
  for (uint32_t i = 0; i < member->member_count; i++) {
    const fastmap_plan_member *reader = &member->members[i];
    bool takes = reader->element & kind;
    if ((!takes || reader->element & FASTMAP_TAKES_ALL) && !read_null(reading, reader, json_null(), steps))
      return false;
    if (!takes) continue;
    for (uint32_t use = 0; use < reader->use_count; use++)
      if (!fastmap_read_use(reading, reader->uses[use], value, steps)) return false;
    if (reader->member_count && !read_inside(reading, reader, value, steps)) return false;
  }
  return true;
}

bool fastmap_read_elements(reading *reading, const fastmap_plan_member *members, uint32_t count,
                           const json_t *array, uint32_t steps) {
  for (uint32_t i = 0; i < count; i++) {
    const fastmap_plan_member *inner = &members[i];
    if (inner->step == FASTMAP_STEP_EACH) {
      if (!read_each(reading, inner, array, steps + 1)) return false;
      continue;
    }
    const json_t *element = json_array_get(array, inner->element);
    if (!element) continue;
    for (uint32_t use = 0; use < inner->use_count; use++)
      if (!fastmap_read_use(reading, inner->uses[use], element, steps + 1)) return false;
    if (inner->member_count && !read_inside(reading, inner, element, steps + 1)) return false;
  }
  return true;
}

// Finds the values of members, NULL where missing.
//
// Objects of one kind have their members in one order, mostly the mapping's order: each member is first compared with
// the one after the last match. Going over the object costs less than a hash for each name, unless it has many
// unwanted members.
static void find_members(const fastmap_plan_member *members, uint32_t count, const json_t *object,
                         const json_t **values) {
  if (json_object_size(object) > 2 * (size_t)count + 4) {
    for (uint32_t i = 0; i < count; i++)
      values[i] = json_object_getn(object, members[i].name, members[i].length);
    return;
  }
  memset(values, 0, count * sizeof *values);
  uint32_t expected = 0, missing = count;
  json_t *unchanged = (json_t *)object;  // jansson takes a mutable pointer to iterate, and mutates nothing
  for (void *at = json_object_iter(unchanged); at && missing; at = json_object_iter_next(unchanged, at)) {
    const char *name = json_object_iter_key(at);
    size_t length = json_object_iter_key_len(at);
    for (uint32_t tried = 0, i = expected; tried < count; tried++, i = i + 1 == count ? 0 : i + 1) {
      if (members[i].length != length || memcmp(members[i].name, name, length) != 0) continue;
      values[i] = json_object_iter_value(at);
      expected = i + 1 == count ? 0 : i + 1;
      missing--;
      break;
    }
  }
}

// Recurses over the mapping's key paths, never over the data. The plan keeps key paths short.
bool fastmap_read_members(reading *reading, const fastmap_plan_member *members, uint32_t count,
                          const json_t *object, uint32_t steps) {
  const json_t *few[32];
  const json_t **values = few;
  if (count > sizeof few / sizeof *few) {
    values = fastmap_arena_alloc(&reading->batch->arena, count * sizeof *values);
    if (!values) return fastmap_out_of_memory(reading->batch);
  }
  find_members(members, count, object, values);
  for (uint32_t i = 0; i < count; i++) {
    if (!values[i]) continue;
    for (uint32_t use = 0; use < members[i].use_count; use++)
      if (!fastmap_read_use(reading, members[i].uses[use], values[i], steps + 1)) return false;
    if (members[i].member_count && !read_inside(reading, &members[i], values[i], steps + 1)) return false;
  }
  return true;
}

bool fastmap_read_by_kind(reading *reading, const json_t *node) {
  const fastmap_plan_mapping *mapping = reading->mapping;
  for (uint32_t i = 0; !json_is_object(node) && i < mapping->own_count; i++) {
    fastmap_plan_use use = mapping->owns[i].use;
    bool is_key = !use.is_relationship && (int32_t)use.index == mapping->key_attribute;
    if (!is_key && !fastmap_read_use(reading, use, json_null(), 1)) return false;
  }
  return read_by_kind(reading, mapping->shapes, node, 0);
}
