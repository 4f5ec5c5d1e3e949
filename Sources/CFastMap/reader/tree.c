#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "reading.h"
#include "number.h"
#include "unread.h"

// One grammar, compiled four times: `builds`, `selects` and `keeps` are constants everywhere. The skipper is the
// reader without the tree; the reader of a shape builds the wanted members, and calls the skipper for the others. One of these
// also keeps the texts of reals.

// Stand-ins for an array and an object that are only read over.
static json_t skipped_array = {JSON_ARRAY, (size_t)-1};
static json_t skipped_object = {JSON_OBJECT, (size_t)-1};

const uint8_t *fastmap_read_literal(fastmap_reading *reading, const uint8_t *p, const char *literal) {
  for (; *literal; p++, literal++)
    if (fastmap_peek(reading, p) != (uint8_t)*literal) return fastmap_fail(reading, FASTMAP_READ_LITERAL, p);
  return p;
}

// A number whose text is kept beside the tree.
static json_t *kept_number(fastmap_reading *reading, const fastmap_decimal *decimal, json_t *node, bool is_big) {
  const uint8_t *start = decimal->digits - decimal->is_negative;
  size_t length = (size_t)(decimal->end - start);
  if (node && !fastmap_big_integers_add(reading->big_integers, node, (const char *)start, length,
                                        is_big)) {
    json_decref(node);
    return NULL;
  }
  return node;
}

// The nearest real stands in for an integer beyond int64.
static json_t *big_integer(fastmap_reading *reading, const fastmap_decimal *decimal) {
  double number = fastmap_decimal_to_double(decimal);
  return kept_number(reading, decimal, json_real(isinf(number) ? copysign(DBL_MAX, number) : number), true);
}

// An integer without the sign of -0, which only its text has.
static json_t *kept_zero(fastmap_reading *reading, const fastmap_decimal *decimal) {
  return kept_number(reading, decimal, json_integer(0), false);
}

FASTMAP_INLINE const uint8_t *read_number(fastmap_reading *reading, const uint8_t *p, json_t **node,
                                          const bool builds, const bool keeps) {
  fastmap_decimal decimal;
  const uint8_t *next = fastmap_read_number(reading, p, &decimal);
  if (!next) return NULL;
  int64_t integer;
  if (decimal.is_integer) {
    if (builds)
      *node = !fastmap_decimal_to_int64(&decimal, &integer) ? big_integer(reading, &decimal)
              : keeps && !integer && decimal.is_negative    ? kept_zero(reading, &decimal)
                                                            : json_integer(integer);
  } else if (builds || decimal.exponent > 288) {  // 19 digits are less than 10^20: no overflow below 10^308
    double number = fastmap_decimal_to_double(&decimal);
    bool is_beyond = isinf(number);
    if (is_beyond) {
      if (!reading->takes_overflow) return fastmap_fail(reading, FASTMAP_READ_NUMBER_OVERFLOW, p);
      number = copysign(DBL_MAX, number);
    }
    if (builds)
      *node = keeps || is_beyond ? kept_number(reading, &decimal, json_real(number), false) : json_real(number);
  }
  return next;
}

// Replaces the escapes of a text that is built. Not even then may it have half of a surrogate pair.
static bool decode(fastmap_reading *reading, fastmap_text *text, fastmap_scratch *scratch) {
  if (reading->half && reading->half >= text->bytes) {
    reading->takes_halves = false;
    return fastmap_read_string(reading, text->bytes - 1, &(fastmap_text){0}) != NULL;  // finds the first one
  }
  return fastmap_decode(text, scratch) || fastmap_fail(reading, FASTMAP_READ_MEMORY, text->bytes);
}

FASTMAP_INLINE const uint8_t *read_text(fastmap_reading *reading, const uint8_t *p, json_t **node,
                                        const bool builds) {
  fastmap_text text;
  p = fastmap_read_string(reading, p, &text);
  if (!builds || !p) return p;
  if (text.is_escaped && !decode(reading, &text, &reading->text)) return NULL;
  *node = json_stringn_nocheck((const char *)text.bytes, text.length);
  return p;
}

// Reads a string, a number or a literal; of an array or an object its bracket.
FASTMAP_INLINE const uint8_t *read_value(fastmap_reading *reading, const uint8_t *p, json_t **node,
                                         const bool builds, const bool keeps) {
  switch (fastmap_peek(reading, p)) {
    case '"': return read_text(reading, p, node, builds);
    case '{': *node = builds ? json_object() : &skipped_object; return p + 1;
    case '[': *node = builds ? json_array() : &skipped_array; return p + 1;
    case 't': *node = json_true(); return fastmap_read_literal(reading, p, "true");
    case 'f': *node = json_false(); return fastmap_read_literal(reading, p, "false");
    case 'n': *node = json_null(); return fastmap_read_literal(reading, p, "null");
    case '-': case '0': case '1': case '2': case '3': case '4':
    case '5': case '6': case '7': case '8': case '9': return read_number(reading, p, node, builds, keeps);
    default: return fastmap_fail(reading, FASTMAP_READ_VALUE_EXPECTED, p);
  }
}

// The name of a member, and where its quote stands.
typedef struct {
  fastmap_text text;
  const uint8_t *at;
} member_name;

// Replaces the escapes of a name. A name that is not right is none that a shape could have.
static bool decode_name(fastmap_reading *reading, member_name *name, const fastmap_shape *shape) {
  bool is_named = shape && !shape->is_whole;
  if (!is_named || !reading->half || reading->half < name->text.bytes)
    return decode(reading, &name->text, &reading->name);
  name->text = (fastmap_text){.bytes = (const uint8_t *)"\xff", .length = 1};  // never in a name
  return true;
}

// Reads a name and its colon. The name stays valid until the next one is read.
FASTMAP_INLINE const uint8_t *read_name(fastmap_reading *reading, const uint8_t *p, member_name *name,
                                        bool is_first, const fastmap_shape *shape, const bool builds) {
  p = fastmap_skip_space(p, reading->end);
  if (fastmap_peek(reading, p) != '"') {
    fastmap_read_error error = is_first ? FASTMAP_READ_NAME_OR_END_EXPECTED : FASTMAP_READ_NAME_EXPECTED;
    return fastmap_fail(reading, error, p);
  }
  name->at = p;
  p = fastmap_read_string(reading, p, &name->text);
  if (!p) return NULL;
  if (builds && name->text.is_escaped && !decode_name(reading, name, shape)) return NULL;
  p = fastmap_skip_space(p, reading->end);
  return fastmap_peek(reading, p) == ':' ? p + 1 : fastmap_fail(reading, FASTMAP_READ_COLON_EXPECTED, p);
}

// Adds a member whose name the object may have already, with a value that is too deep for jansson to free: it recurses.
static bool replace_member(fastmap_reading *reading, json_t *object, const member_name *name, json_t *value) {
  const char *bytes = (const char *)name->text.bytes;
  json_t *replaced = json_incref(json_object_getn(object, bytes, name->text.length));
  bool is_added = !json_object_setn_new_nocheck(object, bytes, name->text.length, value);
  fastmap_tree_release(replaced);
  return is_added || fastmap_fail(reading, FASTMAP_READ_MEMORY, name->at);
}

static bool add_member(fastmap_reading *reading, json_t *object, const member_name *name, json_t *value) {
  if (reading->max_depth > FASTMAP_READ_DEFAULT_DEPTH && !reading->rejects_duplicates)
    return replace_member(reading, object, name, value);
  size_t size = reading->rejects_duplicates ? json_object_size(object) : 0;
  if (json_object_setn_new_nocheck(object, (const char *)name->text.bytes, name->text.length, value))
    return fastmap_fail(reading, FASTMAP_READ_MEMORY, name->at);
  if (reading->rejects_duplicates && json_object_size(object) == size)
    return fastmap_fail(reading, FASTMAP_READ_DUPLICATE_NAME, name->at);
  return true;
}

// Hands a node over to its container, arrays and objects while they are still empty, so that releasing the root
// releases everything.
FASTMAP_INLINE bool attach(fastmap_reading *reading, json_t *container, const member_name *name, json_t *node,
                           const uint8_t *at) {
  if (!node) return fastmap_fail(reading, FASTMAP_READ_MEMORY, at);
  if (!container) {
    reading->root = node;
    return true;
  }
  if (json_is_object(container)) return add_member(reading, container, name, node);
  return !json_array_append_new(container, node) || fastmap_fail(reading, FASTMAP_READ_MEMORY, at);
}

static bool grow_open(fastmap_reading *reading) {
  if (reading->capacity > UINT32_MAX / 2) return false;
  uint32_t capacity = reading->capacity * 2;
  bool is_small = reading->open == reading->small_open;
  json_t **open = realloc(is_small ? NULL : reading->open, capacity * sizeof *open);
  if (!open) return false;
  for (uint32_t i = 0; is_small && i < reading->depth; i++) open[i] = reading->small_open[i];
  reading->open = open;
  reading->capacity = capacity;
  return true;
}

FASTMAP_INLINE bool push(fastmap_reading *reading, json_t *container, const uint8_t *at) {
  if (reading->depth == reading->max_depth) return fastmap_fail(reading, FASTMAP_READ_TOO_DEEP, at);
  if (reading->depth == reading->capacity && !grow_open(reading))
    return fastmap_fail(reading, FASTMAP_READ_MEMORY, at);
  reading->open[reading->depth++] = container;
  return true;
}

// Continues after a value and closes each container that ends there. Stops after a comma, where an array or an
// object has only begun, or where nothing is open any more.
FASTMAP_INLINE const uint8_t *read_ends(fastmap_reading *reading, const uint8_t *p, json_t **container,
                                        bool *is_first) {
  while (*container) {
    bool is_object = json_is_object(*container);
    p = fastmap_skip_space(p, reading->end);
    uint8_t byte = fastmap_peek(reading, p);
    if (byte == (is_object ? '}' : ']')) {
      *container = reading->open[--reading->depth];
      *is_first = false;
    } else if (*is_first) {
      return p;
    } else if (byte == ',') {
      return p + 1;
    } else {
      return fastmap_fail(reading, is_object ? FASTMAP_READ_COMMA_OR_BRACE_EXPECTED
                                             : FASTMAP_READ_COMMA_OR_BRACKET_EXPECTED, p);
    }
    p++;
  }
  return p;
}

// Notes the shape of the container that was opened last around the innermost one.
FASTMAP_INLINE bool push_shape(fastmap_reading *reading, const fastmap_shape *shape, const uint8_t *at) {
  if (reading->depth > reading->shape_capacity) {
    bool is_small = reading->shapes == reading->small_shapes;
    uint32_t count = reading->shape_capacity, capacity = reading->capacity;
    const fastmap_shape **shapes = realloc(is_small ? NULL : reading->shapes, capacity * sizeof *shapes);
    if (!shapes) return fastmap_fail(reading, FASTMAP_READ_MEMORY, at);
    for (uint32_t i = 0; is_small && i < count; i++) shapes[i] = reading->small_shapes[i];
    reading->shapes = shapes;
    reading->shape_capacity = capacity;
  }
  reading->shapes[reading->depth - 1] = shape;
  return true;
}

// Keeps the first member of an object that nothing reads, without its value: the object must not seem empty.
static bool keep_first(fastmap_reading *reading, json_t *object, const member_name *name) {
  return json_object_size(object) || add_member(reading, object, name, json_null());
}

static inline uint64_t load(const uint8_t *p) {
  uint64_t word;
  memcpy(&word, p, sizeof word);
  return word;
}

// Skips a value at `p`, most often without a call.
FASTMAP_INLINE const uint8_t *skip_value(fastmap_reading *reading, const uint8_t *p) {
  p = fastmap_skip_space(p, reading->end);
  uint8_t byte = fastmap_peek(reading, p);
  json_t *none = NULL;
  if (byte == '"') return read_text(reading, p, &none, false);
  return fastmap_is_digit(byte) ? read_number(reading, p, &none, false, false) : fastmap_skip_tree(reading, p);
}

// Whether the text at `p` begins with the name of a member, which has no escapes.
FASTMAP_INLINE bool begins_with(const fastmap_reading *reading, const uint8_t *p, const fastmap_unread_member *member,
                                const fastmap_shape *shape) {
  if (member->shape != shape || !member->is_plain || (size_t)(reading->end - p) < member->length) return false;
  const uint8_t *token = (const uint8_t *)member->token;
  uint32_t length = member->length, at = 0;
  for (; at + 8 <= length; at += 8)
    if (load(p + at) != load(token + at)) return false;
  if (length >= 8) return load(p + length - 8) == load(token + length - 8);
  for (; at < length; at++)
    if (p[at] != token[at]) return false;
  return true;
}

// Skips the value at `p` of a member that the shape of its object does not name, and counts the member. While the members that followed
// it in an earlier object follow again, their names need not be read.
static __attribute__((noinline)) const uint8_t *skip_unread(fastmap_reading *reading, const uint8_t *p,
                                                            const fastmap_shape *shape, const member_name *name) {
  fastmap_unread *unread = reading->unread;
  fastmap_unread_member *member = unread->last ? unread->last->next : NULL;
  if (member && begins_with(reading, name->at, member, shape)) {
    fastmap_unread_count(unread, member);
  } else {
    uint32_t count = unread->count;
    member = fastmap_unread_meet(unread, shape, name->text.bytes, name->text.length);
    if (unread->count > count) {
      member->is_plain = name->text.bytes == name->at + 1;
      member->offset = (size_t)(name->at - unread->bytes);
    }
  }
  p = skip_value(reading, p);
  while (p && member && (member = member->next)) {
    const uint8_t *next = fastmap_skip_space(p, reading->end);
    if (fastmap_peek(reading, next) != ',') break;
    next = fastmap_skip_space(next + 1, reading->end);
    if (!begins_with(reading, next, member, shape)) break;
    next = fastmap_skip_space(next + member->length, reading->end);
    if (fastmap_peek(reading, next) != ':') break;
    fastmap_unread_count(unread, member);
    p = skip_value(reading, next + 1);
  }
  return p;
}

FASTMAP_INLINE const uint8_t *read_tree(fastmap_reading *reading, const uint8_t *p, const bool builds,
                                        const bool selects, const bool keeps) {
  json_t *container = NULL;  // the innermost that is open
  const fastmap_shape *shape = NULL;  // its shape
  const fastmap_shape *wanted = selects ? reading->shape : NULL;  // the shape of the value to come
  member_name name = {.at = NULL};
  for (;;) {
    json_t *node = NULL;
    const uint8_t *start = p = fastmap_skip_space(p, reading->end);
    p = read_value(reading, p, &node, builds, keeps && (wanted ? wanted->keeps_reals : !reading->shape));
    if (!p || (builds && !attach(reading, container, &name, node, start))) return NULL;
    bool is_first = *start == '[' || *start == '{';
    if (is_first) {
      if (!push(reading, container, start)) return NULL;
      if (selects && !push_shape(reading, shape, start)) return NULL;
      container = node;
      shape = wanted;
    }
    for (bool is_wanted = false; !is_wanted;) {
      uint32_t depth = reading->depth;
      p = read_ends(reading, p, &container, &is_first);
      if (!p || !container) return p;
      if (selects && reading->depth < depth) shape = reading->shapes[reading->depth];
      is_wanted = true;
      if (!json_is_object(container)) {
        if (selects) wanted = shape ? shape->elements : NULL;
        break;
      }
      p = read_name(reading, p, &name, is_first, selects ? shape : NULL, builds);
      if (!p) return NULL;
      if (!selects) break;
      const fastmap_shape_member *member =
          shape ? fastmap_shape_find(shape, (const char *)name.text.bytes, name.text.length) : NULL;
      wanted = member ? member->shape : NULL;
      is_wanted = member || !shape;
      if (!is_wanted && shape->is_whole) {
        wanted = shape->others;
        is_wanted = true;
      } else if (!is_wanted) {
        if (shape->tells_empty && !keep_first(reading, container, &name)) return NULL;
        p = reading->unread && shape->title ? skip_unread(reading, p, shape, &name) : fastmap_skip_tree(reading, p);
      }
      if (!p) return NULL;
      is_first = false;
    }
  }
}

const uint8_t *fastmap_read_tree(fastmap_reading *reading, const uint8_t *p) {
  return read_tree(reading, p, true, false, false);
}

const uint8_t *fastmap_read_shape(fastmap_reading *reading, const uint8_t *p) {
  return read_tree(reading, p, true, true, false);
}

const uint8_t *fastmap_read_shape_with_texts(fastmap_reading *reading, const uint8_t *p) {
  return read_tree(reading, p, true, true, true);
}

const uint8_t *fastmap_skip_tree(fastmap_reading *reading, const uint8_t *p) {
  return read_tree(reading, p, false, false, false);
}
