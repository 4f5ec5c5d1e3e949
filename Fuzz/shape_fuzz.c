// Reading the values that a shape wants against reading everything and cutting the tree down to the shape: the
// same verdict, the same offsets, the same tree, whether unread members are counted or not. Shapes are made at random from the text.

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "fastmap_reader.h"

enum { SHAPES = 4, NAMES = 8, PLACES = 16 };

static const char *const names[NAMES] = {"", "a", "b", "id", "name", "ab", "\xc3\xa9", "x\n"};

static fastmap_shape shapes[SHAPES];
static fastmap_shape_member members[SHAPES][NAMES];
static uint32_t places[SHAPES][PLACES];

static void check(bool is_right, const char *what) {
  if (is_right) return;
  fprintf(stderr, "shape_fuzz: %s\n", what);
  abort();
}

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

// One of the shapes, or everything.
static const fastmap_shape *any(uint32_t *state) {
  uint32_t number = next_random(state) % (SHAPES + 1);
  return number == SHAPES ? NULL : &shapes[number];
}

static void make_shapes(uint32_t state) {
  memset(places, 0, sizeof places);
  for (int i = 0; i < SHAPES; i++) {
    uint32_t count = 0;
    for (int name = 0; name < NAMES; name++) {
      if (next_random(&state) % 3) continue;
      uint32_t length = (uint32_t)strlen(names[name]);
      members[i][count++] = (fastmap_shape_member){.name = names[name], .length = length, .shape = any(&state)};
    }
    fastmap_shape_settle(places[i], PLACES, members[i], count);
    shapes[i] = (fastmap_shape){.member_count = count, .members = members[i], .places = places[i],
                                .place_count = PLACES, .elements = any(&state),
                                .title = next_random(&state) % 4 ? "Title" : NULL};
  }
}

// A new reference to the part of a tree that a shape wants.
static json_t *cut_down(json_t *node, const fastmap_shape *shape) {
  if (!shape || !(json_is_object(node) || json_is_array(node))) return json_incref(node);
  if (json_is_array(node)) {
    json_t *array = json_array();
    for (size_t i = 0; i < json_array_size(node); i++)
      json_array_append_new(array, cut_down(json_array_get(node, i), shape->elements));
    return array;
  }
  json_t *object = json_object();
  for (void *i = json_object_iter(node); i; i = json_object_iter_next(node, i)) {
    const char *name = json_object_iter_key(i);
    size_t length = json_object_iter_key_len(i);
    const fastmap_shape_member *member = fastmap_shape_find(shape, name, length);
    if (!member) continue;
    json_object_setn_new_nocheck(object, name, length, cut_down(json_object_iter_value(i), member->shape));
  }
  return object;
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t length) {
  static fastmap_tree_arena *arena;
  if (!arena) arena = fastmap_tree_arena_new();
  uint32_t seed = (uint32_t)length;
  for (size_t i = 0; i < length; i++) seed = seed * 31 + text[i];
  make_shapes(seed);
  fastmap_read_options options = {.max_depth = 100, .one_value = seed & 1};
  fastmap_read_result whole, part;
  fastmap_read(arena, text, length, &options, &whole);
  options.shape = &shapes[0];
  fastmap_unread unread = {0};
  if (seed & 2) options.unread = &unread;
  fastmap_read(arena, text, length, &options, &part);
  check(part.error == whole.error, "another verdict");
  check(part.error_offset == whole.error_offset && part.consumed == whole.consumed, "another place");
  if (whole.tree) {
    json_t *expected = cut_down(whole.tree, &shapes[0]);
    check(is_same_tree(part.tree, expected, false), "another tree");
    json_decref(expected);
  }
  fastmap_read_result plain;
  if (fastmap_read(NULL, text, length, &options, &plain)) {
    check(is_same_tree(plain.tree, part.tree, false), "another tree without an arena");
    fastmap_tree_release(plain.tree);
    fastmap_big_integers_free(plain.big_integers);
  }
  if (whole.tree) fastmap_unread_scan(&unread, &shapes[0], NULL, whole.tree);
  fastmap_unread_end(&unread);
  fastmap_tree_arena_reset(arena);
  return 0;
}
