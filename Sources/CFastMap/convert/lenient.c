#include "lenient.h"

#include <stdio.h>

#include "fastmap_decimal.h"
#include "put.h"

static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

enum fastmap_conversion fastmap_number_in_text(const json_t *text, fastmap_read_result *number) {
  const char *bytes = json_string_value(text);
  size_t length = json_string_length(text);
  // The reader passes over whitespace, which is no part of a number.
  bool may_be_number = length && (bytes[0] == '-' || is_digit(bytes[0])) && is_digit(bytes[length - 1]);
  if (!may_be_number) return FASTMAP_UNFIT;
  if (fastmap_read(NULL, bytes, length, NULL, number)) return FASTMAP_CONVERTED;
  return number->error == FASTMAP_READ_MEMORY ? FASTMAP_NO_MEMORY : FASTMAP_UNFIT;
}

void fastmap_number_in_text_end(fastmap_read_result *number) {
  fastmap_tree_release(number->tree);
  fastmap_big_integers_free(number->big_integers);
}

// The integer that a number is, by its magnitude. False for a fraction, and beyond uint64.
static bool magnitude_of(const char *text, size_t length, uint64_t *magnitude) {
  fastmap_decimal_value value;
  bool is_whole;
  return fastmap_decimal_scan(text, length, &value) && fastmap_decimal_whole(&value, magnitude, &is_whole) && is_whole;
}

enum fastmap_conversion fastmap_put_integral(const fastmap_plan_attribute *attribute, const char *text,
                                             size_t length, double real, fastmap_slot *slot) {
  static const double two_to_the_63 = 9223372036854775808.0;
  bool is_negative = text ? *text == '-' : real < 0;
  uint64_t magnitude = 0;
  if (text) {
    if (!magnitude_of(text, length, &magnitude)) return FASTMAP_UNFIT;
  } else {
    double size = is_negative ? -real : real;
    if (!(size < 2 * two_to_the_63)) return FASTMAP_UNFIT;
    magnitude = (uint64_t)size;
    if ((double)magnitude != size) return FASTMAP_UNFIT;
  }
  if (magnitude > (uint64_t)INT64_MAX + is_negative)
    return is_negative ? FASTMAP_UNFIT : fastmap_put_unsigned(attribute, magnitude, slot);
  return fastmap_put_integer(attribute, (int64_t)(is_negative ? 0 - magnitude : magnitude), slot);
}

static enum fastmap_conversion put_bytes(const char *bytes, size_t length, fastmap_slot *slot) {
  if (length > UINT32_MAX) return FASTMAP_UNFIT;
  slot->tag = FASTMAP_STRING;
  slot->length = (uint32_t)length;
  slot->bytes = (const uint8_t *)bytes;
  return FASTMAP_CONVERTED;
}

enum fastmap_conversion fastmap_put_text_of(fastmap_arena *arena, const fastmap_big_integers *texts,
                                            const json_t *value, fastmap_slot *slot) {
  enum { MOST_DIGITS = 24 };
  if (json_is_true(value)) return put_bytes("true", 4, slot);
  if (json_is_false(value)) return put_bytes("false", 5, slot);
  size_t length = 0;
  bool may_be_kept = json_is_real(value) || (json_is_integer(value) && !json_integer_value(value));
  const char *kept = may_be_kept ? fastmap_number_text(texts, value, &length) : NULL;
  if (kept) return put_bytes(kept, length, slot);
  if (json_is_integer(value)) {
    char *text = fastmap_arena_alloc(arena, MOST_DIGITS);
    if (!text) return FASTMAP_NO_MEMORY;
    length = (size_t)snprintf(text, MOST_DIGITS, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    return put_bytes(text, length, slot);
  }
  if (!json_is_real(value)) return FASTMAP_UNFIT;
  slot->tag = FASTMAP_NODE;
  slot->node = value;
  return FASTMAP_CONVERTED;
}

bool fastmap_is_empty_relationship(const fastmap_plan_relationship *relationship, const void *node) {
  const json_t *value = node;
  if (relationship->keyed) return json_is_array(value) && !json_array_size(value);
  if (relationship->to_many) return json_is_object(value) && !json_object_size(value);
  return json_is_false(value) || fastmap_is_empty_text(value) ||
         (json_is_array(value) && !json_array_size(value));
}
