#include "unread.h"

#include <jansson.h>
#include <stdlib.h>

// A feed has the same unread members in each object, in one order. So a member is first compared with the member that followed the
// last one before.

enum { PLACES = 2 * FASTMAP_UNREAD_MOST, MOST_TRIED = 16 };

static bool is_named(const fastmap_unread_member *member, const fastmap_shape *shape, const uint8_t *name,
                     size_t length) {
  return member->shape == shape && member->length == length + 2 && !memcmp(member->token + 1, name, length);
}

static uint32_t place_of(const fastmap_shape *shape, const uint8_t *name, size_t length) {
  uint64_t hash = (uintptr_t)shape ^ (uint64_t)length << 48;
  for (; length; name += 8) {
    uint64_t word = 0;
    size_t count = length < 8 ? length : 8;
    memcpy(&word, name, count);
    length -= count;
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 32;
  }
  return (uint32_t)hash & (PLACES - 1);
}

static bool is_ignored(const fastmap_shape *shape, const uint8_t *name, size_t length) {
  for (uint32_t i = 0; i < shape->ignored_count; i++)
    if (shape->ignored[i].length == length && !memcmp(shape->ignored[i].name, name, length)) return true;
  return false;
}

static bool make_room(fastmap_unread *unread) {
  if (!unread->members) unread->members = calloc(FASTMAP_UNREAD_MOST, sizeof *unread->members);
  if (!unread->places) unread->places = calloc(PLACES, sizeof *unread->places);
  return unread->members && unread->places;
}

static fastmap_unread_member *add(fastmap_unread *unread, const fastmap_shape *shape, const uint8_t *name,
                                  size_t length) {
  char *token = unread->count < FASTMAP_UNREAD_MOST ? malloc(length + 2) : NULL;
  if (!token) return NULL;
  token[0] = token[length + 1] = '"';
  memcpy(token + 1, name, length);
  fastmap_unread_member *member = &unread->members[unread->count++];
  *member = (fastmap_unread_member){.shape = shape, .token = token, .length = (uint32_t)length + 2, .root = unread->root,
                                    .is_ignored = is_ignored(shape, name, length)};
  return member;
}

// The member with a name, made if it is new; NULL where there is no room for it.
static fastmap_unread_member *find(fastmap_unread *unread, const fastmap_shape *shape, const uint8_t *name,
                                   size_t length) {
  if (length > FASTMAP_UNREAD_LONGEST_NAME || !make_room(unread)) return NULL;
  uint32_t place = place_of(shape, name, length);
  for (uint32_t tried = 0; tried < MOST_TRIED; tried++, place = (place + 1) & (PLACES - 1)) {
    uint16_t number = unread->places[place];
    if (!number) {
      fastmap_unread_member *member = add(unread, shape, name, length);
      if (member) unread->places[place] = (uint16_t)unread->count;
      return member;
    }
    if (is_named(&unread->members[number - 1], shape, name, length)) return &unread->members[number - 1];
  }
  return NULL;
}

fastmap_unread_member *fastmap_unread_meet(fastmap_unread *unread, const fastmap_shape *shape, const uint8_t *name,
                                           size_t length) {
  fastmap_unread_member *last = unread->last, *member = last ? last->next : NULL;
  if (!member || !is_named(member, shape, name, length)) {
    member = find(unread, shape, name, length);
    if (last) last->next = member;
  }
  if (member) fastmap_unread_count(unread, member);
  else unread->others += unread->takes_back ? -1 : 1;
  unread->last = member;
  return member;
}

void fastmap_unread_end(fastmap_unread *unread) {
  for (uint32_t i = 0; i < unread->count; i++) {
    free(unread->members[i].token);
    free(unread->members[i].steps);
  }
  free(unread->members);
  free(unread->places);
  *unread = (fastmap_unread){0};
}

// MARK: Trees

// An array or an object whose children are being looked at.
typedef struct {
  json_t *node;
  void *member;  // of an object, the next one
  size_t index;  // of an array, the next one
  const fastmap_shape *shape, *within;
} frame;

typedef struct {
  fastmap_unread *unread;
  frame *frames;  // `few`, or from malloc
  size_t count, capacity;
  frame few[8];
} scan;

static bool push(scan *scan, json_t *node, const fastmap_shape *shape, const fastmap_shape *within) {
  if (!shape || !(json_is_object(node) || json_is_array(node))) return true;
  if (scan->count == scan->capacity) {
    bool is_first = scan->frames == scan->few;
    frame *frames = realloc(is_first ? NULL : scan->frames, (scan->capacity *= 2) * sizeof *frames);
    if (!frames) return false;
    if (is_first) memcpy(frames, scan->few, sizeof scan->few);
    scan->frames = frames;
  }
  scan->frames[scan->count++] = (frame){
      .node = node, .member = json_is_object(node) ? json_object_iter(node) : NULL, .shape = shape, .within = within};
  return true;
}

// Notes the way to the innermost object: the child at hand of each other one.
static void note_steps(const scan *scan, fastmap_unread_member *member) {
  member->steps = calloc(scan->count, sizeof *member->steps);
  if (!member->steps) return;
  member->step_count = scan->count - 1;
  for (size_t i = 0; i + 1 < scan->count; i++) {
    const frame *frame = &scan->frames[i];
    if (json_is_array(frame->node)) {
      member->steps[i].index = frame->index - 1;
      continue;
    }
    void *at = json_object_iter(frame->node);  // the member before the next one
    for (void *next; (next = json_object_iter_next(frame->node, at)) != frame->member;) at = next;
    member->steps[i] = (fastmap_tree_step){.name = json_object_iter_key(at), .length = json_object_iter_key_len(at)};
  }
}

static bool visit_member(scan *scan, frame *top) {
  void *at = top->member;
  const char *name = json_object_iter_key(at);
  size_t length = json_object_iter_key_len(at);
  json_t *value = json_object_iter_value(at);
  const fastmap_shape *shape = top->shape;
  top->member = json_object_iter_next(top->node, at);
  const fastmap_shape_member *known = fastmap_shape_find(shape, name, length);
  const fastmap_shape_member *within = top->within ? fastmap_shape_find(top->within, name, length) : NULL;
  if (known) return push(scan, value, known->shape, within ? within->shape : NULL);
  if (shape->is_whole) return push(scan, value, shape->others, NULL);
  if (!shape->title || (top->within && (!within || json_is_null(value)))) return true;
  uint32_t count = scan->unread->count;
  fastmap_unread_member *member = fastmap_unread_meet(scan->unread, shape, (const uint8_t *)name, length);
  if (scan->unread->count > count) note_steps(scan, member);
  return true;
}

bool fastmap_unread_scan(fastmap_unread *unread, const fastmap_shape *shape, const fastmap_shape *within,
                         const void *node) {
  scan scan = {.unread = unread, .capacity = sizeof scan.few / sizeof *scan.few};
  scan.frames = scan.few;
  bool has_memory = push(&scan, (json_t *)node, shape, within);
  while (scan.count && has_memory) {
    frame *top = &scan.frames[scan.count - 1];
    if (top->member) {
      has_memory = visit_member(&scan, top);
    } else if (top->index < json_array_size(top->node)) {
      json_t *element = json_array_get(top->node, top->index++);
      has_memory = push(&scan, element, top->shape->elements, top->within ? top->within->elements : NULL);
    } else {
      scan.count--;
    }
  }
  if (scan.frames != scan.few) free(scan.frames);
  return has_memory;
}
