#ifndef FASTMAP_WALK_H
#define FASTMAP_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "fastmap_arena.h"
#include "fastmap_convert.h"
#include "fastmap_plan.h"
#include "fastmap_slot.h"

#define FASTMAP_NONE UINT32_MAX

/// Why a value does not fit. Swift makes the sentence.
enum {
  FASTMAP_FAULT_TYPE = 1,      ///< not a value of the attribute's type
  FASTMAP_FAULT_STEP,          ///< a key path goes through something that is no object
  FASTMAP_FAULT_REPRESENTATION,///< neither an object nor a key
  FASTMAP_FAULT_ARRAY,         ///< an array where one object is expected
  FASTMAP_FAULT_KEY_MISSING,
  FASTMAP_FAULT_KEY_NULL,
  FASTMAP_FAULT_NULL,          ///< null where an object must be
  FASTMAP_FAULT_REFUSED,       ///< the converter said no; `refusal` is its number for the reason
  FASTMAP_FAULT_NAME,          ///< the name of a member is no value of the attribute that it stands for
  FASTMAP_FAULT_PART,          ///< a target has no key, and its key is a part of its owner's
  FASTMAP_FAULT_MEMBERS,       ///< no object where its members are expected
  FASTMAP_FAULT_KIND,          ///< the value that chooses the mapping names none
  FASTMAP_FAULT_SHAPE,         ///< none of the fields at a member takes a value of this kind
  FASTMAP_FAULT_CONTEXT,       ///< the import was given no value for a field, and the object has none
  FASTMAP_FAULT_MEMORY
};

/// States of an occurrence.
enum {
  FASTMAP_WEAK = 1,       ///< met through a weak relationship
  FASTMAP_SKIPPED = 2,    ///< left out: faulty, or without a key where that means to skip it
  FASTMAP_OWNED = 4,      ///< has no key and belongs to its owner
  FASTMAP_KEYLESS = 8,    ///< a root without a key, which belongs to nothing
  FASTMAP_UNLINKED = 16,  ///< resolved to nothing: a weak miss, or left out
  FASTMAP_LATE = 32,      ///< met through a weak relationship, and made by a later one of the batch
  FASTMAP_INSIDE = 64,    ///< its representation is inside of the root's, and not the root's own, which others may read too
  FASTMAP_ELEMENT = 128,  ///< a value: an element of a list, a root that is matched as one, or owned by one of these
  FASTMAP_UNIDENTIFIED = 256, ///< left out, of unknown identity
  FASTMAP_STALE = 512,        ///< changes nothing: older than its object, a weak mention of a deleted object, or owned by such an occurrence; keyed objects inside it count
  FASTMAP_ABSENT = 1024,      ///< left out, as if the payload did not have it: its kind is not wanted
  FASTMAP_DELETED = 2048,     ///< marks its object as deleted; only the key is read
  FASTMAP_GONE = 4096         ///< names an object that the payload deletes, and links to nothing
};

/// The tags that only a fastmap_link has.
enum {
  FASTMAP_OCCURRENCES = FASTMAP_TARGETS + 1,  ///< occurrences + length
  FASTMAP_OBJECT,                             ///< object
  FASTMAP_OBJECTS                             ///< objects + length
};

/// A relationship in a row of a batch. The link refers to occurrences, and once these have their objects, to objects of the batch.
/// In a row for a store, a fastmap_slot takes its place and refers to stored objects.
typedef struct {
  uint8_t tag;  ///< FASTMAP_MISSING, FASTMAP_NULL, or one of its own
  uint8_t policy;
  bool spares_keyed;
  uint8_t unused;
  uint32_t length;
  union {
    const uint32_t *occurrences;
    uint64_t object;
    const uint64_t *objects;
  };
} fastmap_link;

/// One field of a row of a batch.
typedef union {
  fastmap_slot value;  ///< of an attribute
  fastmap_link link;   ///< of a relationship
} fastmap_batch_slot;

_Static_assert(sizeof(fastmap_batch_slot) == sizeof(fastmap_slot), "a row of a batch becomes one for a store in place");

/// Whether both slots have a value, and not the same. Lists are not compared.
static inline bool fastmap_contradicts(const fastmap_batch_slot *old, const fastmap_batch_slot *new_) {
  const fastmap_slot *a = &old->value, *b = &new_->value;
  if (a->tag == FASTMAP_MISSING || b->tag == FASTMAP_MISSING) return false;
  if (a->tag != b->tag) return true;
  switch (a->tag) {
    case FASTMAP_NULL: case FASTMAP_OBJECTS: return false;
    case FASTMAP_STRING: case FASTMAP_DATA: case FASTMAP_JSON: case FASTMAP_DECIMAL:
      return a->length != b->length || (a->length && memcmp(a->bytes, b->bytes, a->length));
    case FASTMAP_DATE: return a->integer != b->integer || a->length != b->length;
    case FASTMAP_NUMBER: return a->number != b->number;
    default: return a->integer != b->integer;
  }
}

/// One place in the payload where an object was met. Occurrences stand in payload order, an owner before its contents.
typedef struct {
  uint32_t mapping;
  uint32_t owner;         ///< occurrence that holds it, FASTMAP_NONE at the root
  uint32_t relationship;  ///< of the owner's mapping
  uint32_t position;      ///< in its array, FASTMAP_NONE when it stands alone
  uint32_t end;           ///< one past the last occurrence inside of it
  uint32_t object;        ///< number given when keys are resolved
  uint32_t flags;
  fastmap_batch_slot *row;  ///< NULL where nothing but the key was read
  fastmap_slot key;       ///< FASTMAP_MISSING without one
  const void *node;       ///< its json_t
} fastmap_occurrence;

/// The name of a member.
typedef struct {
  const char *text;
  size_t length;
} fastmap_name;

/// A value that does not fit.
typedef struct {
  uint32_t code;
  uint32_t occurrence;
  uint32_t index;         ///< attribute or relationship of its mapping, FASTMAP_NONE for the object itself
  uint32_t steps;         ///< key path components that were followed
  uint32_t position;      ///< index in an array, FASTMAP_NONE
  uint32_t refusal;
  bool is_relationship;
  bool is_outer;          ///< the value was looked for outside of the object
  const void *node;       ///< the value found, NULL when missing
  fastmap_occurrence where;  ///< copy: the occurrence itself may be taken back
} fastmap_fault;

/// The key of one occurrence.
typedef struct {
  fastmap_slot key;
  uint32_t occurrence;
  uint32_t unused;
} fastmap_key_entry;

static inline int fastmap_entry_compare(const fastmap_key_entry *a, const fastmap_key_entry *b) {
  return fastmap_key_compare(&a->key, &b->key);
}

typedef struct {
  fastmap_key_entry *entries;
  uint32_t count;
  uint32_t capacity;
} fastmap_key_list;

typedef struct fastmap_frame fastmap_frame;

/// Converts values that C cannot: transforms, JSON kept as text, and values that are looked at once more.
///
/// - node: the json_t, borrowed.
/// - slot: the result of C, FASTMAP_NODE without one; must be filled. For FASTMAP_UNFIT, `length` is the number of the
///   reason.
typedef enum fastmap_conversion (*fastmap_converter)(void *context, uint32_t mapping, uint32_t attribute,
                                                     const void *node, fastmap_slot *slot);

/// The rows of one batch of root objects. Reset and used again for the next one.
typedef struct {
  const fastmap_plan *plan;
  bool stops_at_fault;
  bool walks_skipped;  ///< objects inside of faulty ones are met, too: for their keys
  bool fills_root;  ///< the root is read into an object that is known: it needs no key
  bool matches_roots;  ///< roots without a key are values, as the elements of a list
  fastmap_arena arena;
  fastmap_occurrence *occurrences;
  uint32_t count;
  uint32_t capacity;
  fastmap_key_list *keys;  ///< by entity
  uint8_t *marks;          ///< by mapping: 1 for a field that a representation had, and where an object was met; never taken back
  fastmap_fault *faults;
  uint32_t fault_count;
  uint32_t fault_capacity;
  const fastmap_big_integers *big_integers;  ///< of the tree that is walked; may be NULL
  fastmap_converter converter;
  void *context;  ///< for the converter
  fastmap_frame *frames;
  uint32_t frame_count;
  uint32_t frame_capacity;
  const void *document;  ///< a json_t: the values that the plan reads from the root of the document; NULL for none
  const void *values;  ///< a json_t: the values that were given to the import; NULL for none
  void *lasting_array;  ///< an empty json_t array for faults; NULL where none was needed
  void *names;  ///< a json_t array of the names of members that were read as values; NULL where none was
} fastmap_batch;

/// Makes an empty batch for a plan that must outlive it; NULL when memory has run out.
fastmap_batch *fastmap_batch_new(const fastmap_plan *plan, bool stops_at_fault);
void fastmap_batch_free(fastmap_batch *batch);

/// Forgets the rows and keeps the memory.
void fastmap_batch_reset(fastmap_batch *batch);

/// Walks one root representation and appends its occurrences.
///
/// Never recurses over the data, so depth costs heap and not stack.
///
/// - node: a json_t, borrowed; rows point into it until the batch is reset.
/// - name: the member that has the node, as long as the node; NULL for an element, a line or a lone root.
/// - position: index in the root array, FASTMAP_NONE for a lone root.
/// - Returns: false when the walk must stop: memory has run out, or a fault with `stops_at_fault`.
bool fastmap_walk(fastmap_batch *batch, uint32_t mapping, const void *node, fastmap_name name, uint32_t position);

/// Marks an occurrence and all inside of it as left out, as a fault found later does.
void fastmap_batch_skip(fastmap_batch *batch, uint32_t occurrence);

/// Sorts keys ascending; equal keys stay in payload order. Sorted input costs one pass.
///
/// - scratch: room for as many entries.
void fastmap_sort_keys(fastmap_key_entry *entries, fastmap_key_entry *scratch, uint32_t count);

#endif
