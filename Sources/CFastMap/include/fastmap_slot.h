#ifndef FASTMAP_SLOT_H
#define FASTMAP_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// What a slot holds. The numbers are internal: no file format depends on them.
enum {
  FASTMAP_MISSING = 0,  ///< nothing was said of this field; all-zero memory is a row of these
  FASTMAP_NULL,
  FASTMAP_BOOLEAN,      ///< integer: 0 or 1
  FASTMAP_INTEGER,      ///< integer
  FASTMAP_UNSIGNED,     ///< integer as uint64_t, above INT64_MAX
  FASTMAP_NUMBER,       ///< number
  FASTMAP_STRING,       ///< bytes + length: UTF-8, may hold NUL
  FASTMAP_DATE,         ///< integer: seconds since 1970; length: nanoseconds
  FASTMAP_DATA,         ///< bytes + length
  FASTMAP_JSON,         ///< bytes + length: compact JSON text
  FASTMAP_NODE,         ///< node: a JSON value still to be converted, never seen by a store
  FASTMAP_TARGET,       ///< target: the one object of a to-one relationship
  FASTMAP_TARGETS,      ///< targets + length: the objects of a to-many relationship
  FASTMAP_OCCURRENCES   ///< occurrences + length: related objects before they are resolved
};

/// What is done with the old targets of a relationship.
enum { FASTMAP_ASSIGN = 0, FASTMAP_MERGE = 1, FASTMAP_REPLACE = 2 };

/// One field of a row. It owns nothing: pointers are borrowed from a tree, an arena or a store.
typedef struct {
  uint8_t tag;
  uint8_t policy;  ///< of a relationship
  bool spares_keyed;  ///< of a relationship with FASTMAP_REPLACE: old targets with a key are let go of, and not deleted
  uint8_t unused;
  uint32_t length;
  union {
    int64_t integer;
    double number;
    const uint8_t *bytes;
    const void *node;
    uint64_t target;
    const uint64_t *targets;
    const uint32_t *occurrences;
  };
} fastmap_slot;

_Static_assert(sizeof(fastmap_slot) == 16, "two slots must share a quarter of a cache line");

/// The order of primary keys: all integers before all strings, integers by value, strings by their bytes.
static inline int fastmap_key_compare(const fastmap_slot *a, const fastmap_slot *b) {
  if (a->tag != b->tag) return a->tag < b->tag ? -1 : 1;
  if (a->tag == FASTMAP_INTEGER) return (a->integer > b->integer) - (a->integer < b->integer);
  uint32_t shared = a->length < b->length ? a->length : b->length;
  int order = shared ? memcmp(a->bytes, b->bytes, shared) : 0;
  return order ? order : (a->length > b->length) - (a->length < b->length);
}

#endif
