#include "fastmap_tree_check.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "seen.h"
#include "utf8.h"

enum { LEAST_MAX_SIZE = 64 << 20, TIMES_IN_MEMORY = 64, VALUE_SIZE = 8, SHORT_TEXT = 64 };

// An array or an object whose children are being looked at.
typedef struct {
  json_t *node;
  void *member;       // of an object, the one at hand
  size_t index;       // of an array, the one at hand
  size_t seen;        // its place among the shared nodes; NOT_SHARED
  size_t height;      // arrays and objects within each other, itself counted
  uint64_t size;      // of itself and its descendants so far
} frame;

typedef struct {
  frame *frames;
  size_t count, capacity;
  seen_nodes seen;
  uint64_t in_memory;  // the size in memory of the visited nodes
  size_t max_depth;
  fastmap_tree_verdict *verdict;
} check;

static uint64_t sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static bool fail(check *check, fastmap_tree_fault fault) {
  check->verdict->fault = fault;
  return false;
}

static bool check_text(check *check, const char *bytes, size_t length, fastmap_tree_fault fault) {
  size_t valid = fastmap_utf8_prefix((const uint8_t *)bytes, length);
  if (valid == length) return true;
  check->verdict->offset = valid;
  check->verdict->byte = (uint8_t)bytes[valid];
  return fail(check, fault);
}

static bool push(check *check, json_t *node, size_t seen) {
  if (check->count == check->max_depth) return fail(check, FASTMAP_TREE_TOO_DEEP);
  if (check->count == check->capacity) {
    size_t capacity = check->capacity ? check->capacity * 2 : 64;
    frame *frames = realloc(check->frames, capacity * sizeof *frames);
    if (!frames) return fail(check, FASTMAP_TREE_MEMORY);
    check->frames = frames;
    check->capacity = capacity;
  }
  check->frames[check->count++] = (frame){.node = node, .seen = seen, .height = 1, .size = VALUE_SIZE};
  return true;
}

// Adds the size and height of a child to the innermost open node.
static void add(check *check, uint64_t size, size_t height) {
  if (!check->count) {
    check->verdict->size = size;
    return;
  }
  frame *top = &check->frames[check->count - 1];
  top->size = sum(top->size, size);
  if (height + 1 > top->height) top->height = height + 1;
}

// Who has one owner stands in one place. Others may count references meanwhile, but the tree does not change.
static bool may_be_shared(const json_t *node) {
  return __atomic_load_n(&node->refcount, __ATOMIC_RELAXED) > 1;
}

static bool visit_container(check *check, json_t *node) {
  size_t place = NOT_SHARED;
  if (may_be_shared(node)) {
    bool is_new;
    place = seen_find(&check->seen, node, &is_new);
    if (place == NOT_SHARED) return fail(check, FASTMAP_TREE_MEMORY);
    const seen_node *seen = &check->seen.nodes[place];
    if (!is_new) {
      if (!seen->height) return fail(check, FASTMAP_TREE_CYCLE);
      if (seen->height > check->max_depth - check->count) return fail(check, FASTMAP_TREE_TOO_DEEP);
      add(check, seen->size, seen->height);
      return true;
    }
  }
  return push(check, node, place);
}

static bool visit_string(check *check, json_t *node) {
  size_t length = json_string_length(node);
  add(check, VALUE_SIZE + length, 0);
  if (length > SHORT_TEXT && may_be_shared(node)) {
    bool is_new;
    if (seen_find(&check->seen, node, &is_new) == NOT_SHARED) return fail(check, FASTMAP_TREE_MEMORY);
    if (!is_new) return true;
  }
  check->in_memory += length;
  return check_text(check, json_string_value(node), length, FASTMAP_TREE_UTF8);
}

static bool visit(check *check, json_t *node) {
  check->in_memory += VALUE_SIZE;  // a reference takes that, too
  if (json_is_array(node) || json_is_object(node)) return visit_container(check, node);
  if (json_is_string(node)) return visit_string(check, node);
  add(check, VALUE_SIZE, 0);
  return !json_is_real(node) || isfinite(json_real_value(node)) || fail(check, FASTMAP_TREE_NOT_FINITE);
}

// Moves to the next child of the innermost open one; NULL when there is none.
static json_t *next_child(frame *top, bool is_first) {
  if (json_is_array(top->node)) {
    if (!is_first) top->index++;
    return json_array_get(top->node, top->index);
  }
  top->member = is_first ? json_object_iter(top->node) : json_object_iter_next(top->node, top->member);
  return top->member ? json_object_iter_value(top->member) : NULL;
}

static bool check_name(check *check, frame *top) {
  if (!json_is_object(top->node)) return true;
  size_t length = json_object_iter_key_len(top->member);
  top->size = sum(top->size, length);
  check->in_memory += length;
  return check_text(check, json_object_iter_key(top->member), length, FASTMAP_TREE_NAME_UTF8);
}

static void pop(check *check) {
  frame top = check->frames[--check->count];
  if (top.seen != NOT_SHARED) {
    check->seen.nodes[top.seen].height = top.height;
    check->seen.nodes[top.seen].size = top.size;
  }
  add(check, top.size, top.height);
}

static bool run(check *check, json_t *tree) {
  if (!visit(check, tree)) return false;
  bool is_first = true;
  while (check->count) {
    frame *top = &check->frames[check->count - 1];
    json_t *child = next_child(top, is_first);
    if (!child) {
      pop(check);
      is_first = false;
      continue;
    }
    if (!check_name(check, top)) return false;
    size_t count = check->count;
    if (!visit(check, child)) return false;
    is_first = check->count > count;
  }
  fastmap_tree_verdict *verdict = check->verdict;
  verdict->max_size = LEAST_MAX_SIZE;
  if (check->in_memory > LEAST_MAX_SIZE / TIMES_IN_MEMORY) verdict->max_size = check->in_memory * TIMES_IN_MEMORY;
  return verdict->size <= verdict->max_size || fail(check, FASTMAP_TREE_TOO_LARGE);
}

// Notes the path to the fault: the child at hand of each open node.
static void note_steps(check *check) {
  fastmap_tree_verdict *verdict = check->verdict;
  size_t count = check->count - (check->count && verdict->fault == FASTMAP_TREE_NAME_UTF8);
  if (!count || !(verdict->steps = calloc(count, sizeof *verdict->steps))) return;
  verdict->step_count = count;
  for (size_t i = 0; i < count; i++) {
    const frame *frame = &check->frames[i];
    if (json_is_array(frame->node)) {
      verdict->steps[i] = (fastmap_tree_step){.index = frame->index};
    } else {
      verdict->steps[i] = (fastmap_tree_step){.name = json_object_iter_key(frame->member),
                                              .length = json_object_iter_key_len(frame->member)};
    }
  }
}

bool fastmap_tree_check(const void *tree, size_t max_depth, fastmap_tree_verdict *verdict) {
  *verdict = (fastmap_tree_verdict){.fault = FASTMAP_TREE_OK};
  check check = {.max_depth = max_depth, .verdict = verdict};
  bool is_right = run(&check, (json_t *)tree);
  if (!is_right) note_steps(&check);
  free(check.frames);
  seen_free(&check.seen);
  return is_right;
}

void fastmap_tree_verdict_end(fastmap_tree_verdict *verdict) {
  free(verdict->steps);
  verdict->steps = NULL;
}
