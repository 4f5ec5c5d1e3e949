#ifndef FASTMAP_SLOT_H
#define FASTMAP_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// All kinds of slots, in one list.
///
/// A new kind of value is added at its end, and to `AttributeKind`. Most of Swift switches over `fastmap_kind` without a default, so
/// the compiler names the places that must follow. These are the public kinds and values, JSON, and the formats of the LMDB store
/// and its dumps. A search for `decimal` finds the places with a default or a table:
///
///     CFastMap       convert.c, fingerprint.c
///     FastMapCore    FilterValues, IndexTerms, FilterTree, ImportUnit+Converting, OccurrenceRules
///     stores         IndexEntry, RecordFormat, RecordView+Row (LMDB); sortOrder (memory); ColumnKind (PostgreSQL)
///
/// The numbers are hashed into the fingerprints that stores keep. If one changes, the next import writes such objects again.
#define FASTMAP_KINDS(KIND)                                                                          \
  KIND(missing, MISSING)         /* nothing was said of this field; all-zero memory is a row of these */ \
  KIND(null, NULL)                                                                                   \
  KIND(boolean, BOOLEAN)         /* integer: 0 or 1 */                                               \
  KIND(integer, INTEGER)         /* integer */                                                       \
  KIND(unsigned, UNSIGNED)       /* integer as uint64_t, above INT64_MAX */                          \
  KIND(number, NUMBER)           /* number */                                                        \
  KIND(string, STRING)           /* bytes + length: UTF-8, may hold NUL */                           \
  KIND(date, DATE)               /* integer: seconds since 1970; length: nanoseconds */              \
  KIND(data, DATA)               /* bytes + length */                                                \
  KIND(json, JSON)               /* bytes + length: compact JSON text */                             \
  KIND(node, NODE)               /* node: a JSON value still to be converted, never seen by a store */ \
  KIND(target, TARGET)           /* target: the one object of a to-one relationship */               \
  KIND(targets, TARGETS)         /* targets + length: the objects of a to-many relationship */       \
  KIND(decimal, DECIMAL)         /* bytes + length: a JSON number, with the digits it came with */

#if defined(__clang__)
#define FASTMAP_CLOSED __attribute__((enum_extensibility(closed)))
#define FASTMAP_SWIFT_NAME(name) __attribute__((swift_name(#name)))
#else
#define FASTMAP_CLOSED
#define FASTMAP_SWIFT_NAME(name)
#endif

/// The tags of slots: `FASTMAP_BOOLEAN`.
#define FASTMAP_TAG(name, NAME) FASTMAP_##NAME,
enum { FASTMAP_KINDS(FASTMAP_TAG) };
#undef FASTMAP_TAG

/// The same for Swift, as an enum that has no other cases: `.boolean`.
#define FASTMAP_KIND(name, NAME) FASTMAP_KIND_##NAME FASTMAP_SWIFT_NAME(name) = FASTMAP_##NAME,
typedef enum FASTMAP_CLOSED { FASTMAP_KINDS(FASTMAP_KIND) } fastmap_kind;
#undef FASTMAP_KIND

/// The treatment of a relationship's old targets.
enum { FASTMAP_ASSIGN = 0, FASTMAP_MERGE = 1, FASTMAP_REPLACE = 2 };

/// One field of a row. Its pointers are borrowed from a tree, an arena or a store.
typedef struct {
  uint8_t tag;
  uint8_t policy;  ///< of a relationship
  bool spares_keyed;  ///< of a relationship with FASTMAP_REPLACE: old targets with a key are unlinked, and not deleted
  uint8_t unused;
  uint32_t length;
  union {
    int64_t integer;
    double number;
    const uint8_t *bytes;
    const void *node;
    uint64_t target;
    const uint64_t *targets;
  };
} fastmap_slot;

/// The kind of a slot, for Swift to switch over: `slot.kind`. In C, as Swift would call a function of another module.
FASTMAP_SWIFT_NAME(getter:fastmap_slot.kind(self:))
static inline fastmap_kind fastmap_slot_kind(fastmap_slot slot) { return (fastmap_kind)slot.tag; }

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
