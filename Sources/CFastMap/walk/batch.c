#include "batch.h"

#include <stdlib.h>

bool fastmap_grow(void **elements, uint32_t *capacity, uint32_t needed, size_t size) {
  uint64_t larger = (uint64_t)*capacity * 2;
  if (larger < 64) larger = 64;
  if (larger < needed) larger = needed;
  if (larger > UINT32_MAX || larger > SIZE_MAX / size) return false;
  void *moved = realloc(*elements, (size_t)larger * size);
  if (!moved) return false;
  *elements = moved;
  *capacity = (uint32_t)larger;
  return true;
}

fastmap_batch *fastmap_batch_new(const fastmap_plan *plan, bool stops_at_fault) {
  fastmap_batch *batch = calloc(1, sizeof *batch);
  if (!batch) return NULL;
  batch->plan = plan;
  batch->stops_at_fault = stops_at_fault;
  batch->keys = calloc(plan->entity_count ? plan->entity_count : 1, sizeof *batch->keys);
  batch->marks = calloc(plan->mark_count ? plan->mark_count : 1, 1);
  if (batch->keys && batch->marks) return batch;
  free(batch->keys);
  free(batch->marks);
  free(batch);
  return NULL;
}

void fastmap_batch_free(fastmap_batch *batch) {
  if (!batch) return;
  for (uint32_t i = 0; i < batch->plan->entity_count; i++) free(batch->keys[i].entries);
  free(batch->keys);
  free(batch->marks);
  free(batch->occurrences);
  free(batch->faults);
  free(batch->frames);
  json_decref(batch->lasting_array);
  json_decref(batch->names);
  fastmap_arena_free(&batch->arena);
  free(batch);
}

void fastmap_batch_reset(fastmap_batch *batch) {
  for (uint32_t i = 0; i < batch->plan->entity_count; i++) batch->keys[i].count = 0;
  batch->count = batch->fault_count = batch->frame_count = 0;
  if (batch->names) json_array_clear(batch->names);
  fastmap_arena_reset(&batch->arena);
}

void fastmap_batch_skip(fastmap_batch *batch, uint32_t occurrence) {
  batch->occurrences[occurrence].flags |= FASTMAP_SKIPPED;
}

bool fastmap_note_fault(fastmap_batch *batch, fastmap_fault fault) {
  fastmap_occurrence *occurrence = &batch->occurrences[fault.occurrence];
  if (!(occurrence->flags & FASTMAP_SKIPPED)) {  // one fault an object: the first
    fault.where = *occurrence;
    if (!fastmap_reserve((void **)&batch->faults, &batch->fault_capacity, batch->fault_count + 1,
                         sizeof(fastmap_fault)))
      return false;
    batch->faults[batch->fault_count++] = fault;
    occurrence->flags |= FASTMAP_SKIPPED;
  }
  return !batch->stops_at_fault;
}

bool fastmap_fault_of_object(fastmap_batch *batch, uint32_t occurrence, uint32_t code, const json_t *node) {
  return fastmap_note_fault(batch, (fastmap_fault){.code = code,
                                           .occurrence = occurrence,
                                           .index = FASTMAP_NONE,
                                           .position = FASTMAP_NONE,
                                           .node = node});
}

bool fastmap_out_of_memory(fastmap_batch *batch) {
  batch->stops_at_fault = true;
  if (batch->count) fastmap_fault_of_object(batch, batch->count - 1, FASTMAP_FAULT_MEMORY, NULL);
  return false;
}

void fastmap_sort_keys(fastmap_key_entry *entries, fastmap_key_entry *scratch, uint32_t count) {
  bool sorted = true;
  for (uint32_t i = 1; i < count && sorted; i++)
    sorted = fastmap_key_compare(&entries[i - 1].key, &entries[i].key) <= 0;
  if (sorted) return;
  // Bottom-up merge sort: stable, which keeps equal keys in payload order.
  fastmap_key_entry *from = entries, *to = scratch;
  for (uint64_t width = 1; width < count; width *= 2) {
    for (uint64_t start = 0; start < count; start += 2 * width) {
      uint64_t middle = start + width < count ? start + width : count;
      uint64_t end = start + 2 * width < count ? start + 2 * width : count;
      uint64_t left = start, right = middle;
      for (uint64_t out = start; out < end; out++) {
        bool take_left =
            left < middle && (right >= end || fastmap_key_compare(&from[left].key, &from[right].key) <= 0);
        to[out] = take_left ? from[left++] : from[right++];
      }
    }
    fastmap_key_entry *swap = from;
    from = to;
    to = swap;
  }
  if (from != entries) memcpy(entries, from, count * sizeof *entries);
}
