#include "paths.h"

// Reads the values of key paths with [].

// An empty array that stands in a fault for a list that lives for a call. NULL without memory.
static const json_t *lasting_array(fastmap_batch *batch) {
  if (!batch->lasting_array) batch->lasting_array = json_array();
  return batch->lasting_array;
}

// Whether a list says something of its field: it is empty, or an element has a value, be it null.
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
  bool goes_on = is_built ? fastmap_read_use(reading, (fastmap_plan_use){.index = index}, list, steps) : fastmap_out_of_memory(batch);
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
  if (fastmap_is_passed_over(reading, use)) return true;
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
        return fastmap_step_fault(reading, member, value, steps, (uint32_t)at);
      inside[at] = wants_object ? json_object_getn(value, inner->name, inner->length)
                                : json_array_get(value, inner->element);
    }
    if (!read_inside_list(reading, inner, inside, count, steps + 1)) return false;
  }
  return true;
}

bool fastmap_read_each(reading *reading, const fastmap_plan_member *member, const json_t *array,
                      uint32_t steps) {
  size_t count = json_array_size(array);
  if (count >= UINT32_MAX) return fastmap_out_of_memory(reading->batch);
  const json_t **items = fastmap_arena_alloc(&reading->batch->arena, (count ? count : 1) * sizeof *items);
  if (!items) return fastmap_out_of_memory(reading->batch);
  for (size_t i = 0; i < count; i++) items[i] = json_array_get(array, i);
  return read_inside_list(reading, member, items, count, steps);
}
