#include "fastmap_walk.h"

#include <jansson.h>
#include <stdlib.h>

#include "join_key.h"
#include "kinds.h"
#include "outer.h"

// One occurrence whose relationships are being read.
struct fastmap_frame {
  uint32_t occurrence;
  uint32_t relationship;  // the next to read
  const void **values;    // by relationship, NULL where missing: a json_t, or a fastmap_list
  const json_t *array;    // being read, NULL between relationships
  const fastmap_list *list;  // the same, of a key path with []
  void *member;           // the next one of an object whose members are targets, else NULL
  bool is_keyed;          // whether such an object is being read
  size_t next;            // index in the array, the list or the object
  uint32_t *found;        // occurrences of the relationship being read
  uint32_t found_count;
};

enum outcome {
  MET,        // an occurrence was appended
  NO_KEY,     // a whole representation without a key: as if the member were missing
  NULL_KEY,   // a whole representation with a null key: as if the member were null
  STOP
};

static const fastmap_plan_mapping *mapping_of(const fastmap_batch *batch, uint32_t occurrence) {
  return &batch->plan->mappings[batch->occurrences[occurrence].mapping];
}

static bool append_occurrence(fastmap_batch *batch, fastmap_occurrence occurrence) {
  if (!fastmap_reserve((void **)&batch->occurrences, &batch->capacity, batch->count + 1,
                       sizeof(fastmap_occurrence)))
    return false;
  occurrence.end = batch->count + 1;
  occurrence.object = FASTMAP_NONE;
  batch->occurrences[batch->count++] = occurrence;
  return true;
}

// Gives an occurrence its key. Compiled into its callers, as each object has one.
static inline __attribute__((always_inline)) bool set_key(fastmap_batch *batch, uint32_t entity, fastmap_slot key,
                                                          uint32_t occurrence) {
  batch->occurrences[occurrence].key = key;
  fastmap_key_list *list = &batch->keys[entity];
  if (!fastmap_reserve((void **)&list->entries, &list->capacity, list->count + 1, sizeof(fastmap_key_entry)))
    return false;
  list->entries[list->count++] = (fastmap_key_entry){.key = key, .occurrence = occurrence};
  return true;
}

static bool push_frame(fastmap_batch *batch, uint32_t occurrence, const void **values) {
  if (!fastmap_reserve((void **)&batch->frames, &batch->frame_capacity, batch->frame_count + 1,
                       sizeof(fastmap_frame)))
    return false;
  batch->frames[batch->frame_count++] = (fastmap_frame){.occurrence = occurrence, .values = values};
  return true;
}

// Decides whether an object without a key is new, owned, skipped or a fault. Returns whether the walk goes on.
static bool settle_keyless(fastmap_batch *batch, const reading *reading, const json_t *node) {
  const fastmap_plan_mapping *mapping = reading->mapping;
  fastmap_occurrence *occurrence = &batch->occurrences[reading->occurrence];
  if (batch->fills_root && occurrence->owner == FASTMAP_NONE) return true;
  if (mapping->key_attribute < 0 ||
      (mapping->keyless == FASTMAP_KEYLESS_INSERT && !reading->has_bad_key && !reading->is_deleted)) {
    if (occurrence->owner == FASTMAP_NONE) {
      occurrence->flags |= FASTMAP_KEYLESS | (batch->matches_roots ? FASTMAP_ELEMENT : 0);
      return true;
    }
    bool is_in_list = mapping_of(batch, occurrence->owner)->relationships[occurrence->relationship].to_many;
    bool is_in_element = batch->occurrences[occurrence->owner].flags & FASTMAP_ELEMENT;
    occurrence->flags |= FASTMAP_OWNED | (is_in_list || is_in_element ? FASTMAP_ELEMENT : 0);
    return true;
  }
  bool is_faulty = occurrence->flags & FASTMAP_SKIPPED;
  if (mapping->keyless != FASTMAP_KEYLESS_SKIP || reading->has_bad_key || (is_faulty && !json_is_object(node)))
    occurrence->flags |= FASTMAP_UNIDENTIFIED;
  if (is_faulty) return true;  // its fault is known
  switch (mapping->keyless) {
    case FASTMAP_KEYLESS_SKIP:
      occurrence->flags |= FASTMAP_SKIPPED;
      return true;
    default:
      return fastmap_fault_of_object(
          batch, reading->occurrence,
          reading->key.tag == FASTMAP_NULL ? FASTMAP_FAULT_KEY_NULL : FASTMAP_FAULT_KEY_MISSING, node);
  }
}

// Appends the occurrence of one representation, reads its attributes and leaves its relationships to a frame.
static enum outcome visit(fastmap_batch *batch, fastmap_occurrence occurrence, const json_t *node,
                          fastmap_name name, bool is_whole) {
  const fastmap_plan_mapping *mapping = &batch->plan->mappings[occurrence.mapping];
  fastmap_choice choice = {0};
  if (mapping->kinds) {
    choice = fastmap_choose(batch, occurrence.mapping, node, occurrence.owner);
    occurrence.mapping = choice.mapping;
    if (choice.is_skipped) occurrence.flags |= FASTMAP_SKIPPED | FASTMAP_ABSENT;
    mapping = &batch->plan->mappings[occurrence.mapping];
  }
  occurrence.node = node;
  bool is_root = occurrence.owner == FASTMAP_NONE;
  if (!is_root && (!is_whole || batch->occurrences[occurrence.owner].flags & FASTMAP_INSIDE))
    occurrence.flags |= FASTMAP_INSIDE;
  uint32_t index = batch->count;
  if (!append_occurrence(batch, occurrence)) return fastmap_out_of_memory(batch), STOP;

  reading reading = {.batch = batch,
                     .mapping = mapping,
                     .occurrence = index,
                     .marks = batch->marks + mapping->first_mark};
  bool has_fields = mapping->is_row ? json_is_array(node) : json_is_object(node);
  reading.is_reference = mapping->has_whole_attributes && !mapping->is_scoped && occurrence.flags & FASTMAP_INSIDE &&
                         fastmap_is_key_alone(mapping, node);
  bool key_alone =
      mapping->key_only || (choice.is_reference && !mapping->part_count) ||
      (!has_fields && !mapping->part_count && (!mapping->has_whole_attributes || reading.is_reference));
  if (!key_alone) {
    size_t size = mapping->field_count * sizeof *reading.row;
    reading.row = fastmap_arena_alloc(&batch->arena, size ? size : 1);  // a mapping may have no fields
    if (!reading.row) return fastmap_out_of_memory(batch), STOP;
    if (mapping->blank)
      memcpy(reading.row, mapping->blank, size);
    else
      memset(reading.row, 0, size);
  }
  if (choice.refused && !fastmap_fault_of_object(batch, index, FASTMAP_FAULT_KIND, choice.refused)) return STOP;
  if (mapping->relationship_count) {
    size_t size = mapping->relationship_count * sizeof *reading.values;
    reading.values = fastmap_arena_alloc(&batch->arena, size);
    if (!reading.values) return fastmap_out_of_memory(batch), STOP;
    memset(reading.values, 0, size);
  }

  if (mapping->named_attribute >= 0 && !fastmap_read_name(&reading, name)) return STOP;
  if (json_is_null(node)) {
    if (mapping->part_count) {  // the name is one part
      batch->occurrences[index].flags |= FASTMAP_UNIDENTIFIED;
    } else if (reading.key.tag == FASTMAP_INTEGER || reading.key.tag == FASTMAP_STRING) {
      if (!set_key(batch, mapping->entity, reading.key, index)) return fastmap_out_of_memory(batch), STOP;
    }
    if (!fastmap_fault_of_object(batch, index, FASTMAP_FAULT_NULL, node)) return STOP;
    return MET;
  }
  bool is_filled = batch->fills_root && occurrence.owner == FASTMAP_NONE;
  if (mapping->deletion && has_fields && !is_filled && fastmap_says_deleted(batch, occurrence.mapping, node)) {
    reading.is_deleted = true;
    reading.marks[mapping->deletion->attribute] = 1;
    batch->occurrences[index].flags |= FASTMAP_DELETED;
  }
  bool has_wholes = mapping->whole_count || mapping->whole_relationship_count;
  bool takes_turns = mapping->shapes && !reading.is_reference;
  if (has_wholes && !takes_turns && !fastmap_read_whole(&reading, node)) return STOP;
  if (takes_turns  ? !fastmap_read_by_kind(&reading, node)
      : !has_fields ? !fastmap_read_scalar(&reading, node)
      : mapping->is_row
          ? !fastmap_read_elements(&reading, mapping->members, mapping->member_count, node, 0)
          : !fastmap_read_members(&reading, mapping->members, mapping->member_count, node, 0))
    return STOP;
  if (mapping->own_count && has_fields && !fastmap_read_outer(&reading, node)) return STOP;
  if (mapping->rest_attribute >= 0 && has_fields && reading.row) {
    fastmap_plan_use rest = {.index = (uint32_t)mapping->rest_attribute};
    if (!fastmap_read_use(&reading, rest, node, 0)) return STOP;
  }
  if (mapping->part_count && !fastmap_join_key(&reading)) return STOP;

  bool has_key = reading.key.tag == FASTMAP_INTEGER || reading.key.tag == FASTMAP_STRING;
  if (!has_key && is_whole && mapping->key_attribute >= 0 &&
      !(batch->occurrences[index].flags & FASTMAP_SKIPPED)) {
    batch->count = index;
    return reading.key.tag == FASTMAP_NULL ? NULL_KEY : NO_KEY;
  }
  if (has_fields && !(batch->occurrences[index].flags & (FASTMAP_SKIPPED | FASTMAP_DELETED)))
    reading.marks[mapping->attribute_count + mapping->relationship_count] = 1;
  if (has_key) {
    if (!set_key(batch, mapping->entity, reading.key, index)) return fastmap_out_of_memory(batch), STOP;
  } else if (!choice.is_skipped && !settle_keyless(batch, &reading, node)) {
    return STOP;
  }
  batch->occurrences[index].row = reading.row;
  bool is_skipped = batch->occurrences[index].flags & FASTMAP_SKIPPED;
  bool reads_on = mapping->relationship_count && !reading.is_deleted && (!is_skipped || batch->walks_skipped);
  for (uint32_t i = 0; is_skipped && i < mapping->whole_relationship_count; i++)
    reading.marks[mapping->attribute_count + mapping->whole_relationships[i]] = 1;  // nothing is known of them
  if (reads_on && !push_frame(batch, index, reading.values)) return fastmap_out_of_memory(batch), STOP;
  return MET;
}

static fastmap_link *link_of(const fastmap_batch *batch, const fastmap_frame *frame) {
  const fastmap_plan_relationship *relationship =
      &mapping_of(batch, frame->occurrence)->relationships[frame->relationship];
  return &batch->occurrences[frame->occurrence].row[relationship->field].link;
}

// A relationship that reads its owner's own representation counts as present once it has made an object.
static void mark_relationship(fastmap_batch *batch, const fastmap_frame *frame) {
  const fastmap_plan_mapping *mapping = mapping_of(batch, frame->occurrence);
  batch->marks[mapping->first_mark + mapping->attribute_count + frame->relationship] = 1;
}

static void end_relationship(fastmap_batch *batch, fastmap_frame *frame, uint8_t tag) {
  const fastmap_plan_relationship *relationship =
      &mapping_of(batch, frame->occurrence)->relationships[frame->relationship];
  if (relationship->whole) mark_relationship(batch, frame);
  *link_of(batch, frame) = (fastmap_link){
      .tag = tag, .policy = relationship->policy, .length = frame->found_count, .occurrences = frame->found};
  frame->relationship++;
  frame->array = NULL;
  frame->list = NULL;
  frame->is_keyed = false;
}

static enum outcome visit_related(fastmap_batch *batch, uint32_t frame_index, const json_t *node,
                                  fastmap_name name, uint32_t position) {
  const fastmap_frame *frame = &batch->frames[frame_index];
  const fastmap_plan_relationship *relationship =
      &mapping_of(batch, frame->occurrence)->relationships[frame->relationship];
  fastmap_occurrence child = {.mapping = relationship->destination,
                              .owner = frame->occurrence,
                              .relationship = frame->relationship,
                              .position = position,
                              .flags = relationship->weak ? FASTMAP_WEAK : 0};
  child.flags |= batch->occurrences[frame->occurrence].flags & FASTMAP_SKIPPED;
  uint32_t index = batch->count;
  enum outcome outcome = visit(batch, child, node, name, relationship->whole);
  frame = &batch->frames[frame_index];  // visiting may have moved the frames
  if (outcome == MET) {
    frame->found[frame->found_count] = index;
    batch->frames[frame_index].found_count++;
  }
  return outcome;
}

// A value that a relationship cannot read. Its owner is left out.
static bool refuse_value(fastmap_batch *batch, fastmap_frame *frame, uint32_t code, const json_t *value) {
  uint32_t owner = frame->occurrence;
  fastmap_fault fault = {.code = code,
                         .occurrence = owner,
                         .index = frame->relationship,
                         .is_relationship = true,
                         .steps = FASTMAP_NONE,
                         .position = FASTMAP_NONE,
                         .node = value};
  if (!fastmap_note_fault(batch, fault)) return false;
  if (batch->walks_skipped) {
    frame->relationship++;
    return true;
  }
  batch->occurrences[owner].end = batch->count;
  batch->frame_count--;
  return true;
}

static bool make_room(fastmap_batch *batch, fastmap_frame *frame, size_t size) {
  if (size >= UINT32_MAX) return fastmap_out_of_memory(batch);
  frame->found = fastmap_arena_alloc(&batch->arena, (size ? size : 1) * sizeof(uint32_t));
  return frame->found ? true : fastmap_out_of_memory(batch);
}

// Begins the next relationship of the top frame that the payload speaks of.
static bool begin_relationship(fastmap_batch *batch, uint32_t frame_index) {
  fastmap_frame *frame = &batch->frames[frame_index];
  const fastmap_plan_mapping *mapping = mapping_of(batch, frame->occurrence);
  while (frame->relationship < mapping->relationship_count && !frame->values[frame->relationship])
    frame->relationship++;
  if (frame->relationship == mapping->relationship_count) {
    batch->occurrences[frame->occurrence].end = batch->count;
    batch->frame_count--;
    return true;
  }
  const fastmap_plan_relationship *relationship = &mapping->relationships[frame->relationship];
  frame->found_count = 0;
  frame->next = 0;
  if (relationship->each) {
    frame->list = frame->values[frame->relationship];
    if (!frame->list->items) {
      frame->found = NULL;
      end_relationship(batch, frame, FASTMAP_NULL);
      return true;
    }
    return make_room(batch, frame, frame->list->count);
  }
  const json_t *value = frame->values[frame->relationship];
  if (json_is_null(value)) {
    frame->found = NULL;
    end_relationship(batch, frame, FASTMAP_NULL);
    return true;
  }
  if (relationship->lenient && fastmap_is_empty_relationship(relationship, value)) {
    frame->found = NULL;
    end_relationship(batch, frame, relationship->to_many ? FASTMAP_OCCURRENCES : FASTMAP_NULL);
    return true;
  }
  if (relationship->keyed) {
    if (!json_is_object(value)) return refuse_value(batch, frame, FASTMAP_FAULT_MEMBERS, value);
    frame->is_keyed = true;
    frame->member = json_object_iter((json_t *)value);  // jansson mutates nothing
    return make_room(batch, frame, json_object_size(value));
  }
  bool is_row = relationship->rows && !relationship->to_many;
  if (json_is_array(value) && !relationship->whole && !is_row) {
    if (!relationship->to_many) return refuse_value(batch, frame, FASTMAP_FAULT_ARRAY, value);
    frame->array = value;
    return make_room(batch, frame, json_array_size(value));
  }
  if (!make_room(batch, frame, 1)) return false;
  switch (visit_related(batch, frame_index, value, (fastmap_name){0}, FASTMAP_NONE)) {
    case MET:
      end_relationship(batch, &batch->frames[frame_index], FASTMAP_OCCURRENCES);
      return true;
    case NULL_KEY:
      end_relationship(batch, &batch->frames[frame_index], FASTMAP_NULL);
      return true;
    case NO_KEY:
      batch->frames[frame_index].relationship++;
      return true;
    case STOP:
      break;
  }
  return false;
}

static bool walk_array(fastmap_batch *batch, uint32_t frame_index) {
  fastmap_frame *frame = &batch->frames[frame_index];
  const json_t *element = NULL;
  size_t count = frame->list ? frame->list->count : json_array_size(frame->array);
  while (frame->next < count) {
    element = frame->list ? frame->list->items[frame->next] : json_array_get(frame->array, frame->next);
    frame->next++;
    if (element && !json_is_null(element)) break;  // null among many is passed over
    element = NULL;
  }
  if (!element) {
    end_relationship(batch, frame, FASTMAP_OCCURRENCES);
    return true;
  }
  return visit_related(batch, frame_index, element, (fastmap_name){0}, (uint32_t)(frame->next - 1)) != STOP;
}

// Visits the next member of an object whose members are targets.
static bool walk_members(fastmap_batch *batch, uint32_t frame_index, json_t *object) {
  fastmap_frame *frame = &batch->frames[frame_index];
  while (frame->member) {
    void *at = frame->member;
    frame->member = json_object_iter_next(object, at);
    frame->next++;
    const json_t *value = json_object_iter_value(at);
    if (json_is_null(value)) continue;  // null among many is passed over
    fastmap_name name = {.text = json_object_iter_key(at), .length = json_object_iter_key_len(at)};
    return visit_related(batch, frame_index, value, name, (uint32_t)(frame->next - 1)) != STOP;
  }
  end_relationship(batch, frame, FASTMAP_OCCURRENCES);
  return true;
}

bool fastmap_walk(fastmap_batch *batch, uint32_t mapping, const void *node, fastmap_name name,
                  uint32_t position) {
  fastmap_occurrence root = {.mapping = mapping, .owner = FASTMAP_NONE, .position = position};
  batch->frame_count = 0;
  if (visit(batch, root, node, name, false) == STOP) return false;
  while (batch->frame_count) {
    uint32_t top = batch->frame_count - 1;
    fastmap_frame *frame = &batch->frames[top];
    bool goes_on = frame->is_keyed ? walk_members(batch, top, (json_t *)frame->values[frame->relationship])
                   : frame->array || frame->list ? walk_array(batch, top)
                                                 : begin_relationship(batch, top);
    if (!goes_on) return false;
  }
  return true;
}
