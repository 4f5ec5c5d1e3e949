#include <math.h>
#include <stdlib.h>

#include "fastmap_stream.h"
#include "reading.h"
#include "number.h"

// The grammar of reader_tree.c once more, as a machine that can stop between any two bytes. A token that is
// cut is read again from its start, except for a string, which goes on where it was.

enum expected { VALUE, FIRST_ELEMENT, NAME, FIRST_NAME, COLON, ENDS, IN_STRING, IN_NAME };

struct fastmap_skipper {
  enum expected expected;
  uint32_t depth, max_depth;
  bool takes_numbers, takes_halves;  // numbers beyond double, and halves of surrogate pairs
  size_t patience;   // how many bytes of a number that was cut are to be there before it is read again
  uint8_t *objects;  // by depth, whether the open container is an object
  uint32_t capacity;
};

fastmap_skipper *fastmap_skipper_new(void) {
  return calloc(1, sizeof(fastmap_skipper));
}

void fastmap_skipper_free(fastmap_skipper *skipper) {
  if (!skipper) return;
  free(skipper->objects);
  free(skipper);
}

void fastmap_skipper_begin(fastmap_skipper *skipper, const fastmap_read_options *options) {
  skipper->expected = VALUE;
  skipper->depth = 0;
  skipper->patience = 0;
  skipper->max_depth = fastmap_depth_left(options);
  skipper->takes_halves = options && options->takes_values;
  skipper->takes_numbers = options && (options->keeps_reals || options->takes_values);
}

static bool is_in_object(const fastmap_skipper *skipper) { return skipper->objects[skipper->depth - 1]; }

static const uint8_t *open(fastmap_skipper *skipper, fastmap_reading *reading, const uint8_t *p) {
  if (skipper->depth == skipper->max_depth) return fastmap_fail(reading, FASTMAP_READ_TOO_DEEP, p);
  if (skipper->depth == skipper->capacity) {
    uint32_t capacity = skipper->capacity ? skipper->capacity * 2 : FASTMAP_SMALL_STACK;
    uint8_t *objects = capacity > skipper->capacity ? realloc(skipper->objects, capacity) : NULL;
    if (!objects) return fastmap_fail(reading, FASTMAP_READ_MEMORY, p);
    skipper->objects = objects;
    skipper->capacity = capacity;
  }
  bool is_object = *p == '{';
  skipper->objects[skipper->depth++] = is_object;
  skipper->expected = is_object ? FIRST_NAME : FIRST_ELEMENT;
  return p + 1;
}

// A byte that may stand in a number.
static bool is_numeric(uint8_t byte) {
  return fastmap_is_digit(byte) || byte == '-' || byte == '+' || byte == '.' || (byte | 0x20) == 'e';
}

static const uint8_t *skip_number(fastmap_skipper *skipper, fastmap_reading *reading, const uint8_t *p,
                                  bool is_last) {
  size_t length = (size_t)(reading->end - p);
  bool may_go_on = !is_last && is_numeric(reading->end[-1]);
  if (may_go_on && length < skipper->patience)
    return fastmap_fail(reading, FASTMAP_READ_DIGIT_EXPECTED, reading->end);
  fastmap_decimal decimal;
  const uint8_t *next = fastmap_read_number(reading, p, &decimal);
  bool is_cut = next ? next == reading->end && may_go_on : reading->error_at == reading->end;
  skipper->patience = is_cut ? length * 2 : 0;
  if (!next) return NULL;
  if (is_cut) return fastmap_fail(reading, FASTMAP_READ_DIGIT_EXPECTED, reading->end);
  if (!skipper->takes_numbers && fastmap_decimal_overflows(&decimal))
    return fastmap_fail(reading, FASTMAP_READ_NUMBER_OVERFLOW, p);
  skipper->expected = ENDS;
  return next;
}

static const uint8_t *skip_value(fastmap_skipper *skipper, fastmap_reading *reading, const uint8_t *p,
                                 bool is_last) {
  switch (fastmap_peek(reading, p)) {
    case '"': skipper->expected = IN_STRING; return p + 1;
    case '{': case '[': return open(skipper, reading, p);
    case 't': skipper->expected = ENDS; p = fastmap_read_literal(reading, p, "true"); break;
    case 'f': skipper->expected = ENDS; p = fastmap_read_literal(reading, p, "false"); break;
    case 'n': skipper->expected = ENDS; p = fastmap_read_literal(reading, p, "null"); break;
    case '-': case '0': case '1': case '2': case '3': case '4':
    case '5': case '6': case '7': case '8': case '9': return skip_number(skipper, reading, p, is_last);
    default: return fastmap_fail(reading, FASTMAP_READ_VALUE_EXPECTED, p);
  }
  if (!p) skipper->expected = VALUE;
  return p;
}

// Where the character that is cut at the end of a run of others begins.
static const uint8_t *cut_character(const uint8_t *run, const uint8_t *end) {
  const uint8_t *p = end;
  while (p > run && (p[-1] & 0xc0) == 0x80) p--;
  return p > run ? p - 1 : run;
}

// Goes on inside of a string. After an error at the end, `safe` is where to go on.
static const uint8_t *skip_string(fastmap_skipper *skipper, fastmap_reading *reading, const uint8_t *p,
                                  const uint8_t **safe) {
  for (;;) {
    *safe = p = fastmap_skip_plain(p, reading->end);
    if (p == reading->end) return fastmap_fail(reading, FASTMAP_READ_UNTERMINATED_STRING, p);
    if (*p == '"') break;
    bool is_escaped;
    const uint8_t *next = fastmap_read_special(reading, p, &is_escaped);
    if (!next) {
      if (*p >= 0x80 && reading->error_at == reading->end) *safe = cut_character(p, reading->end);
      return NULL;
    }
    p = next;
  }
  skipper->expected = skipper->expected == IN_NAME ? COLON : ENDS;
  return p + 1;
}

static const uint8_t *skip_ends(fastmap_skipper *skipper, fastmap_reading *reading, const uint8_t *p) {
  bool is_object = is_in_object(skipper);
  uint8_t byte = fastmap_peek(reading, p);
  if (byte == (is_object ? '}' : ']')) {
    skipper->depth--;
  } else if (byte == ',') {
    skipper->expected = is_object ? NAME : VALUE;
  } else {
    return fastmap_fail(reading, is_object ? FASTMAP_READ_COMMA_OR_BRACE_EXPECTED
                                           : FASTMAP_READ_COMMA_OR_BRACKET_EXPECTED, p);
  }
  return p + 1;
}

// Goes one token further.
static const uint8_t *advance(fastmap_skipper *skipper, fastmap_reading *reading, const uint8_t *p,
                              bool is_last, const uint8_t **safe) {
  uint8_t byte = fastmap_peek(reading, p);
  switch (skipper->expected) {
    case IN_STRING: case IN_NAME: return skip_string(skipper, reading, p, safe);
    case ENDS: return skip_ends(skipper, reading, p);
    case COLON:
      if (byte != ':') return fastmap_fail(reading, FASTMAP_READ_COLON_EXPECTED, p);
      skipper->expected = VALUE;
      return p + 1;
    case FIRST_NAME: case FIRST_ELEMENT:
      if (byte == (skipper->expected == FIRST_NAME ? '}' : ']')) {
        skipper->expected = ENDS;
        skipper->depth--;
        return p + 1;
      }
      if (skipper->expected == FIRST_ELEMENT) break;
      if (byte != '"') return fastmap_fail(reading, FASTMAP_READ_NAME_OR_END_EXPECTED, p);
      skipper->expected = IN_NAME;
      return p + 1;
    case NAME:
      if (byte != '"') return fastmap_fail(reading, FASTMAP_READ_NAME_EXPECTED, p);
      skipper->expected = IN_NAME;
      return p + 1;
    case VALUE: break;
  }
  enum expected before = skipper->expected;
  p = skip_value(skipper, reading, p, is_last);
  if (!p) skipper->expected = before;
  return p;
}

fastmap_skipper_outcome fastmap_skipper_feed(fastmap_skipper *skipper, const void *bytes, size_t length,
                                             size_t start, bool is_last, fastmap_read_result *result) {
  const uint8_t *base = bytes, *p = base + (start < length ? start : length), *safe;
  fastmap_reading reading;
  reading.end = base + length;
  reading.rejects_nul = false;
  reading.takes_halves = skipper->takes_halves;
  reading.error = FASTMAP_READ_OK;
  *result = (fastmap_read_result){.error = FASTMAP_READ_OK};
  while (skipper->expected != ENDS || skipper->depth) {
    bool is_in_string = skipper->expected == IN_STRING || skipper->expected == IN_NAME;
    if (!is_in_string) p = fastmap_skip_space(p, reading.end);
    safe = p;
    const uint8_t *next = p == reading.end && !is_last ? NULL : advance(skipper, &reading, p, is_last, &safe);
    if (next) {
      p = next;
      continue;
    }
    bool is_cut = p == reading.end || reading.error_at == reading.end;
    if (is_cut && !is_last) {
      result->consumed = (size_t)(safe - base);
      return FASTMAP_SKIPPER_MORE;
    }
    result->error = reading.error;
    result->error_offset = (size_t)(reading.error_at - base);
    return FASTMAP_SKIPPER_WRONG;
  }
  result->consumed = (size_t)(p - base);
  return FASTMAP_SKIPPER_DONE;
}
