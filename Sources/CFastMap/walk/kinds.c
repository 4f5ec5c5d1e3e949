#include "kinds.h"

#include "outer.h"

// The mapping that a value names, FASTMAP_NONE for no mapping.
static uint32_t named(const fastmap_plan_kinds *kinds, const json_t *value) {
  if (!json_is_string(value)) return FASTMAP_NONE;
  const char *text = json_string_value(value);
  size_t length = json_string_length(value);
  uint32_t low = 0, high = kinds->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const fastmap_plan_kind *kind = &kinds->values[middle];
    size_t shared = kind->length < length ? kind->length : length;
    int order = shared ? memcmp(kind->value, text, shared) : 0;
    if (!order && kind->length == length) return kind->mapping;
    if (order < 0 || (!order && kind->length < length))
      low = middle + 1;
    else
      high = middle;
  }
  return FASTMAP_NONE;
}

fastmap_choice fastmap_choose(const fastmap_batch *batch, uint32_t number, const json_t *node, uint32_t owner) {
  const fastmap_plan_mapping *mapping = &batch->plan->mappings[number];
  const fastmap_plan_kinds *kinds = mapping->kinds;
  fastmap_choice choice = {.mapping = number};
  const json_t *value = NULL;
  if (kinds->outer) value = fastmap_value_at(kinds->outer, fastmap_outer_node(batch, owner, kinds->origin));
  if (!value) value = fastmap_value_at(kinds->path, node);
  if (!value || json_is_null(value)) {
    choice.is_reference = fastmap_is_key_alone(mapping, node);
    return choice;
  }
  uint32_t found = named(kinds, value);
  if (found == FASTMAP_NONE && kinds->otherwise == FASTMAP_KINDLESS_MAPPING) found = kinds->otherwise_mapping;
  if (mapping->is_kind) {
    if (found != number) choice.refused = value;
  } else if (found != FASTMAP_NONE) {
    choice.mapping = found;
  } else if (kinds->otherwise == FASTMAP_KINDLESS_SKIP) {
    choice.is_skipped = true;
  } else {
    choice.refused = value;
  }
  return choice;
}
