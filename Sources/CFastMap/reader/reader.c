#include <jansson.h>
#include <stdlib.h>

#include "../arena/hooks.h"
#include "reading.h"

typedef const uint8_t *(*value_reader)(fastmap_reading *, const uint8_t *);

uint32_t fastmap_depth_left(const fastmap_read_options *options) {
  uint32_t depth = options && options->max_depth ? options->max_depth : FASTMAP_READ_DEFAULT_DEPTH;
  uint32_t outer = options ? options->outer_depth : 0;
  return depth > outer ? depth - outer : 0;
}

static void prepare(fastmap_reading *reading, const fastmap_read_options *options) {
  reading->max_depth = fastmap_depth_left(options);
  reading->rejects_duplicates = options->rejects_duplicates;
  reading->rejects_nul = options->rejects_nul;
  reading->takes_overflow = options->keeps_reals || options->takes_values;
  reading->takes_halves = options->takes_values;
  reading->half = NULL;
  reading->depth = 0;
  reading->capacity = FASTMAP_SMALL_STACK;
  reading->open = reading->small_open;
  reading->root = NULL;
  reading->shape = options->rejects_duplicates ? NULL : options->shape;
  reading->unread = options->unread;
  reading->shapes = reading->small_shapes;
  reading->shape_capacity = FASTMAP_SMALL_STACK;
  reading->name.bytes = reading->name.small;
  reading->text.bytes = reading->text.small;
  reading->name.capacity = reading->text.capacity = FASTMAP_SMALL_TEXT;
  reading->error = FASTMAP_READ_OK;
}

static void finish(fastmap_reading *reading) {
  if (reading->open != reading->small_open) free(reading->open);
  if (reading->shapes != reading->small_shapes) free(reading->shapes);
  if (reading->name.bytes != reading->name.small) free(reading->name.bytes);
  if (reading->text.bytes != reading->text.small) free(reading->text.bytes);
}

// Reads a value and, unless `one_value` is wanted, all that may follow it.
static const uint8_t *read_whole(fastmap_reading *reading, const uint8_t *p, bool one_value,
                                 value_reader read) {
  p = read(reading, p);
  if (!p || one_value) return p;
  p = fastmap_skip_space(p, reading->end);
  return p == reading->end ? p : fastmap_fail(reading, FASTMAP_READ_END_EXPECTED, p);
}

// The same within `max_length`. One byte more is shown to the reader: if that matters to it, the text is too
// large.
static const uint8_t *read_limited(fastmap_reading *reading, const uint8_t *p,
                                   const fastmap_read_options *options, value_reader read) {
  bool is_limited = options->max_length && options->max_length < (size_t)(reading->end - p);
  if (!is_limited) return read_whole(reading, p, options->one_value, read);
  const uint8_t *limit = p + options->max_length;
  reading->end = limit + 1;
  p = read_whole(reading, p, options->one_value, read);
  bool is_too_large = p ? p > limit : reading->error_at >= limit;
  return is_too_large ? fastmap_fail(reading, FASTMAP_READ_TOO_LARGE, limit) : p;
}

static bool run(fastmap_reading *reading, const void *bytes, size_t length,
                const fastmap_read_options *options, value_reader read, fastmap_read_result *result) {
  static const fastmap_read_options defaults = {.start = 0};
  if (!options) options = &defaults;
  prepare(reading, options);
  const uint8_t *base = bytes;
  if (options->unread) options->unread->bytes = base;
  reading->end = base + length;
  const uint8_t *p = base + (options->start < length ? options->start : length);
  p = read_limited(reading, p, options, read);
  finish(reading);
  *result = (fastmap_read_result){.error = reading->error};
  if (p) result->consumed = (size_t)(p - base);
  else result->error_offset = (size_t)(reading->error_at - base);
  return p != NULL;
}

// Reads into `arena`, or with jansson's usual allocation where it is NULL. After an error nothing is left.
static bool read_into(fastmap_tree_arena *arena, fastmap_big_integers **big_integers, const void *bytes,
                      size_t length, const fastmap_read_options *options, fastmap_read_result *result) {
  fastmap_reading reading;
  reading.big_integers = big_integers;
  size_t count = fastmap_big_integers_count(*big_integers);
  fastmap_tree_arena_mark mark = {.next = NULL};
  if (arena) mark = fastmap_tree_arena_get_mark(arena);
  bool has_shape = options && options->shape && !options->rejects_duplicates;
  value_reader read = has_shape ? fastmap_read_shape : fastmap_read_tree;
  if (options && options->keeps_reals) read = fastmap_read_shape_with_texts;
  if (run(&reading, bytes, length, options, read, result)) {
    result->tree = reading.root;
    return true;
  }
  fastmap_big_integers_cut(*big_integers, count);
  if (arena) fastmap_tree_arena_go_back(arena, mark);
  else fastmap_tree_release(reading.root);
  return false;
}

static bool read_in_arena(fastmap_tree_arena *arena, const void *bytes, size_t length,
                          const fastmap_read_options *options, fastmap_read_result *result) {
  if (fastmap_hooks_enter(arena)) {
    bool is_read = read_into(arena, &arena->big_integers, bytes, length, options, result);
    fastmap_hooks_leave();
    if (is_read || result->error != FASTMAP_READ_MEMORY) return is_read;
  }
  // Somebody else's hooks are in place, or addresses are too few: the arena owns a tree outside of it.
  if (!read_into(NULL, &arena->big_integers, bytes, length, options, result)) return false;
  if (fastmap_tree_arena_adopt(arena, result->tree)) return true;
  fastmap_tree_release(result->tree);
  *result = (fastmap_read_result){.error = FASTMAP_READ_MEMORY};
  return false;
}

bool fastmap_read(fastmap_tree_arena *arena, const void *bytes, size_t length,
                  const fastmap_read_options *options, fastmap_read_result *result) {
  fastmap_big_integers *own = NULL;
  bool is_read = arena ? read_in_arena(arena, bytes, length, options, result)
                       : read_into(NULL, &own, bytes, length, options, result);
  if (is_read) result->big_integers = arena ? arena->big_integers : own;
  else fastmap_big_integers_free(own);
  return is_read;
}

bool fastmap_skip(const void *bytes, size_t length, const fastmap_read_options *options,
                  fastmap_read_result *result) {
  fastmap_reading reading;
  return run(&reading, bytes, length, options, fastmap_skip_tree, result);
}
