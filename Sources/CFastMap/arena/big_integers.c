#include "big_integers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fastmap_tree_arena.h"

// Texts by node: entries in the order of reading, and a hash table of their numbers, with open addressing,
// at most half full, 0 for a free place.

typedef struct {
  json_t *node;
  char *text;
  size_t length;
  bool is_integer;
} entry;

struct fastmap_big_integers {
  entry *entries;
  size_t count, capacity;
  uint32_t *places;
  size_t place_count;  // a power of two
};

static size_t home(const fastmap_big_integers *table, const void *node) {
  uint64_t hash = (uint64_t)(uintptr_t)node * UINT64_C(0x9e3779b97f4a7c15);
  return (size_t)(hash >> 32) & (table->place_count - 1);
}

// The place of a node, or the free place where it would be.
static uint32_t *place_of(const fastmap_big_integers *table, const void *node) {
  size_t i = home(table, node);
  while (table->places[i] && table->entries[table->places[i] - 1].node != node)
    i = (i + 1) & (table->place_count - 1);
  return &table->places[i];
}

static void settle_all(fastmap_big_integers *table) {
  memset(table->places, 0, table->place_count * sizeof *table->places);
  for (size_t i = 0; i < table->count; i++) *place_of(table, table->entries[i].node) = (uint32_t)i + 1;
}

static bool grow(fastmap_big_integers *table) {
  size_t capacity = table->capacity ? table->capacity * 2 : 8;
  if (capacity > UINT32_MAX / 2) return false;
  entry *entries = realloc(table->entries, capacity * sizeof *entries);
  if (!entries) return false;
  table->entries = entries;
  uint32_t *places = realloc(table->places, capacity * 2 * sizeof *places);
  if (!places) return false;
  table->places = places;
  table->place_count = capacity * 2;
  table->capacity = capacity;
  settle_all(table);
  return true;
}

bool fastmap_big_integers_add(fastmap_big_integers **owner, json_t *node, const char *text, size_t length,
                              bool is_integer) {
  if (!*owner && !(*owner = calloc(1, sizeof **owner))) return false;
  fastmap_big_integers *table = *owner;
  if (table->count == table->capacity && !grow(table)) return false;
  char *copy = malloc(length);
  if (!copy) return false;
  memcpy(copy, text, length);
  // A node that a later member of the same name has pushed out must not give its address to another one. In
  // an arena addresses are given once.
  if (!fastmap_tree_arena_holds(node)) json_incref(node);
  table->entries[table->count++] =
      (entry){.node = node, .text = copy, .length = length, .is_integer = is_integer};
  *place_of(table, node) = (uint32_t)table->count;
  return true;
}

bool fastmap_number_text_add(fastmap_big_integers **owner, void *node, const char *text, size_t length,
                             bool is_integer) {
  return fastmap_big_integers_add(owner, node, text, length, is_integer);
}

size_t fastmap_big_integers_count(const fastmap_big_integers *table) { return table ? table->count : 0; }

void fastmap_big_integers_cut(fastmap_big_integers *table, size_t count) {
  if (!table || table->count == count) return;
  while (table->count > count) {
    entry *last = &table->entries[--table->count];
    free(last->text);
    if (!fastmap_tree_arena_holds(last->node)) json_decref(last->node);
  }
  settle_all(table);
}

void fastmap_big_integers_free(fastmap_big_integers *table) {
  if (!table) return;
  fastmap_big_integers_cut(table, 0);
  free(table->entries);
  free(table->places);
  free(table);
}

static const entry *find(const fastmap_big_integers *table, const void *node) {
  if (!table || !table->count) return NULL;
  uint32_t place = *place_of(table, node);
  return place ? &table->entries[place - 1] : NULL;
}

const char *fastmap_big_integer_text(const fastmap_big_integers *table, const void *node, size_t *length) {
  const entry *found = find(table, node);
  if (!found || !found->is_integer) return NULL;
  *length = found->length;
  return found->text;
}

const char *fastmap_number_text(const fastmap_big_integers *table, const void *node, size_t *length) {
  const entry *found = find(table, node);
  if (!found) return NULL;
  *length = found->length;
  return found->text;
}
