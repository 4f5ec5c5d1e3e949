#ifndef FASTMAP_PLAN_H
#define FASTMAP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "fastmap_slot.h"

/// The type that an attribute reads.
enum {
  FASTMAP_TYPE_BOOLEAN,
  FASTMAP_TYPE_INTEGER,
  FASTMAP_TYPE_NUMBER,
  FASTMAP_TYPE_STRING,
  FASTMAP_TYPE_DATE_ISO8601,
  FASTMAP_TYPE_DATE_EPOCH,
  FASTMAP_TYPE_DATE_EPOCH_MS,
  FASTMAP_TYPE_DATE_PATTERN,
  FASTMAP_TYPE_DATA,
  FASTMAP_TYPE_DECIMAL,
  FASTMAP_TYPE_NODE  ///< any value, left as a node for Swift to convert
};

/// How an attribute departs from its type.
enum {
  FASTMAP_ATTRIBUTE_RANGED = 1,      ///< integers from `least` to `greatest`
  FASTMAP_ATTRIBUTE_LENIENT = 2,     ///< takes "12" and 12.0 for 12, 0, 1 and "true" for a boolean, 12 for "12", "" for null
  FASTMAP_ATTRIBUTE_KEEPS = 4,       ///< null leaves the value alone
  FASTMAP_ATTRIBUTE_READS_NULL = 8,  ///< null is left as a node, too
  FASTMAP_ATTRIBUTE_CHECKED = 16,    ///< Swift looks at the value once more
  FASTMAP_ATTRIBUTE_UNSIGNED = 32,   ///< takes integers above INT64_MAX
  FASTMAP_ATTRIBUTE_FLOAT = 64,      ///< looked at once more only where a float cannot hold it
  FASTMAP_ATTRIBUTE_KEY = 128        ///< the primary key, or a part of it
};

/// One attribute of a mapping: the place of its value, and the demands on it.
typedef struct fastmap_plan_attribute {
  uint32_t field;  ///< slot of the entity's row
  uint8_t type;
  uint8_t flags;
  int64_t least;
  int64_t greatest;
  const char *pattern;  ///< of a date, else NULL; borrowed from the plan
  uint32_t pattern_length;
  const struct fastmap_plan_attribute *otherwise;  ///< of a date, the form to try next; NULL for none
} fastmap_plan_attribute;

/// One relationship of a mapping.
typedef struct {
  uint32_t field;        ///< slot of the entity's row
  uint32_t destination;  ///< number of the mapping that reads the related objects
  uint8_t policy;
  bool to_many;
  bool weak;
  bool whole;  ///< reads the owner's own representation
  bool each;   ///< reads one value of each element of an array
  bool lenient;  ///< takes [], "" and false for null where it is to-one, and {} for [] where it is to-many
  bool rows;   ///< an array is one of its objects, or a key of several parts
  bool keyed;  ///< the targets are the members of an object, and their names are values of the targets
  bool looks_again;   ///< a mapping of the field is weak: missed targets are looked for once more when the payload ends
  bool is_custom;     ///< a policy of the caller's decides
  const char *scope;  ///< entity and name, for the keys of scoped targets; else NULL
  uint32_t scope_length;
  bool owns_keyless;  ///< its targets may lack their key: those belong to the owner, the others do not
} fastmap_plan_relationship;

/// The use of a member's value.
typedef struct {
  bool is_relationship;
  uint32_t index;  ///< in the mapping's attributes or relationships
} fastmap_plan_use;

/// How a step of a key path leads inwards. FASTMAP_STEP_NONE leads to the value itself.
enum { FASTMAP_STEP_MEMBER, FASTMAP_STEP_INDEX, FASTMAP_STEP_EACH, FASTMAP_STEP_NONE };

/// Kinds of JSON values, as bits by the number of the type.
enum {
  FASTMAP_TAKES_OBJECTS = 1,
  FASTMAP_TAKES_ARRAYS = 2,
  FASTMAP_TAKES_STRINGS = 4,
  FASTMAP_TAKES_NUMBERS = 8 | 16,
  FASTMAP_TAKES_BOOLEANS = 32 | 64,
  FASTMAP_TAKES_ALL = 256  ///< beside others: members that an object lacks count as null
};

/// One step that a mapping takes, with the uses of its value and the steps inside of the value. The inner steps are all
/// members of an object, or all are elements of an array. Or all are FASTMAP_STEP_NONE, one for each reader of a value of
/// several kinds: a reader that takes its kind reads it, and the others read null.
typedef struct fastmap_plan_member {
  uint8_t step;
  size_t element;  ///< of an index; or the kinds that a reader takes
  const char *name;
  uint32_t length;
  uint32_t use_count;
  const fastmap_plan_use *uses;
  uint32_t member_count;
  const struct fastmap_plan_member *members;
} fastmap_plan_member;

/// A part of a primary key: an attribute, or a relationship to one object, whose key is the part.
typedef struct {
  bool is_relationship;
  uint32_t index;  ///< in the mapping's attributes or relationships
  const fastmap_plan_member *path;  ///< the way to the part; NULL where it is the representation itself
} fastmap_plan_part;

enum { FASTMAP_MOST_PARTS = 4 };

/// The treatment of an object whose primary key is missing or null.
enum { FASTMAP_KEYLESS_ERROR, FASTMAP_KEYLESS_SKIP, FASTMAP_KEYLESS_INSERT };

/// Where the values of a `fastmap_plan_outer` are, if not in the object that owns so many levels: in the document, or among the
/// values that were given to the import.
enum { FASTMAP_OF_OBJECT = 0, FASTMAP_OF_DOCUMENT = 0xFFFFFFFE, FASTMAP_OF_CONTEXT = 0xFFFFFFFF };

/// The values that a mapping reads from one place outside of the representation.
typedef struct {
  uint32_t origin;  ///< the number of levels up, or one of the above
  uint32_t member_count;
  const fastmap_plan_member *members;
} fastmap_plan_outer;

/// The own name of a field that is read from outside, for an object without such a place.
typedef struct {
  fastmap_plan_use use;
  bool is_needed;  ///< without a value the import ends: it was not given one
  const char *name;
  uint32_t length;
} fastmap_plan_own;

/// A value that chooses a mapping.
typedef struct {
  const char *value;
  uint32_t length;
  uint32_t mapping;
} fastmap_plan_kind;

/// The treatment of a value that chooses none.
enum { FASTMAP_KINDLESS_ERROR, FASTMAP_KINDLESS_SKIP, FASTMAP_KINDLESS_MAPPING };

/// The choice of a mapping by a value of the representation.
typedef struct {
  uint32_t origin;  ///< as of a `fastmap_plan_outer`
  const fastmap_plan_member *outer;  ///< the way to the value from there; NULL where it is in the object
  const fastmap_plan_member *path;  ///< the way to the value in the object, and to nothing else
  uint32_t count;
  const fastmap_plan_kind *values;  ///< ascending by their bytes
  uint8_t otherwise;
  uint32_t otherwise_mapping;
} fastmap_plan_kinds;

/// The values of an attribute that say that an object is deleted.
typedef struct {
  uint32_t attribute;
  const fastmap_plan_member *path;  ///< the way to its value and to nothing else
  int32_t newer;  ///< the attribute by which an object is newer or older; -1 for none
  uint32_t count;  ///< 0 for any value but null
  const fastmap_slot *values;
} fastmap_plan_deletion;

/// One mapping, compiled. Key paths are split into a tree of members.
typedef struct {
  uint32_t entity;
  uint32_t field_count;       ///< slots of a row of the entity
  uint32_t attribute_count;
  uint32_t relationship_count;
  int32_t key_attribute;      ///< index in attributes, -1 without a primary key
  uint32_t part_count;        ///< of a key of several parts, which the key attribute joins; else 0
  const fastmap_plan_part *parts;
  bool is_scoped;             ///< the key begins with the owner's, and ends with the name of the owner's relationship
  int32_t rest_attribute;     ///< the attribute with the members that no field reads; -1 for none
  int32_t named_attribute;    ///< the attribute that is the name of the member with the object; -1 for none
  bool named_is_integer;      ///< the name is an integer
  uint8_t keyless;
  bool key_only;              ///< reads nothing but the key
  bool has_whole_attributes;
  bool is_row;                ///< an object is an array, and all key paths begin with an index
  const fastmap_plan_attribute *attributes;
  const fastmap_plan_relationship *relationships;
  const fastmap_plan_member *key_path;  ///< the way to the key and to nothing else; NULL where it is the representation itself
  uint32_t whole_count;       ///< attributes whose key path is the representation itself
  const uint32_t *whole;
  const fastmap_plan_member *shapes;    ///< the readers of a representation that take turns by its kind; else NULL
  uint32_t member_count;
  const fastmap_plan_member *members;
  uint32_t whole_relationship_count;
  const uint32_t *whole_relationships;
  uint32_t outer_count;
  const fastmap_plan_outer *outers;
  uint32_t own_count;
  const fastmap_plan_own *owns;
  const fastmap_plan_kinds *kinds;  ///< of a mapping with kinds, and of its kinds; else NULL
  bool is_kind;               ///< it is a kind, and not the mapping that chooses
  const fastmap_slot *blank;  ///< of a kind, a row with its name, and null where only other kinds have fields; else NULL
  const fastmap_plan_deletion *deletion;  ///< NULL without deletions
  uint32_t first_mark;        ///< of its marks in a batch: attributes, relationships, and whether an object was met
} fastmap_plan_mapping;

/// A plan, immutable and shared by any number of walks. Swift owns the memory.
typedef struct {
  uint32_t mapping_count;
  uint32_t entity_count;
  uint32_t mark_count;  ///< of all mappings
  const fastmap_plan_mapping *mappings;
} fastmap_plan;

#endif
