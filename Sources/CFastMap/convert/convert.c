#include "fastmap_convert.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fastmap_base64.h"
#include "fastmap_date.h"
#include "fastmap_decimal.h"
#include "lenient.h"
#include "put.h"

static enum fastmap_conversion put_text(const json_t *value, fastmap_slot *slot) {
  size_t length = json_string_length(value);
  if (length > UINT32_MAX) return FASTMAP_UNFIT;
  slot->tag = FASTMAP_STRING;
  slot->length = (uint32_t)length;
  slot->bytes = (const uint8_t *)json_string_value(value);
  return FASTMAP_CONVERTED;
}

static enum fastmap_conversion put_date(bool fits, fastmap_instant instant, fastmap_slot *slot) {
  if (!fits) return FASTMAP_UNFIT;
  slot->tag = FASTMAP_DATE;
  slot->length = instant.nanoseconds;
  slot->integer = instant.seconds;
  return FASTMAP_CONVERTED;
}

static enum fastmap_conversion convert_epoch_in_text(const fastmap_plan_attribute *attribute,
                                                     const json_t *text, fastmap_slot *slot);

FASTMAP_CONVERT_INLINE enum fastmap_conversion convert_date_of_one_form(
    const fastmap_plan_attribute *attribute, const json_t *value, fastmap_slot *slot) {
  fastmap_instant instant = {0};
  bool is_epoch = attribute->type == FASTMAP_TYPE_DATE_EPOCH;
  if (is_epoch || attribute->type == FASTMAP_TYPE_DATE_EPOCH_MS) {
    if (json_is_integer(value)) {
      int64_t units = is_epoch ? 1 : 1000;
      return put_date(fastmap_date_from_epoch_integer(json_integer_value(value), units, &instant), instant,
                      slot);
    }
    if (json_is_string(value) && attribute->flags & FASTMAP_ATTRIBUTE_LENIENT)
      return convert_epoch_in_text(attribute, value, slot);
    if (!json_is_real(value)) return FASTMAP_UNFIT;
    double number = json_real_value(value);
    bool fits = is_epoch ? fastmap_date_from_epoch(number, &instant)
                         : fastmap_date_from_epoch_ms(number, &instant);
    return put_date(fits, instant, slot);
  }
  if (!json_is_string(value)) return FASTMAP_UNFIT;
  const char *text = json_string_value(value);
  size_t length = json_string_length(value);
  bool fits = attribute->type == FASTMAP_TYPE_DATE_ISO8601
                  ? fastmap_date_parse_iso8601(text, length, &instant)
                  : fastmap_date_parse_pattern(attribute->pattern, attribute->pattern_length, text, length,
                                               &instant);
  return put_date(fits, instant, slot);
}

static enum fastmap_conversion convert_epoch_in_text(const fastmap_plan_attribute *attribute,
                                                     const json_t *text, fastmap_slot *slot) {
  fastmap_read_result number;
  enum fastmap_conversion conversion = fastmap_number_in_text(text, &number);
  if (conversion != FASTMAP_CONVERTED) return conversion;
  conversion = convert_date_of_one_form(attribute, number.tree, slot);
  fastmap_number_in_text_end(&number);
  return conversion;
}

// Whether a date can be written in a form. Every form can write dates from 1970 to 2068.
static bool is_writable(const fastmap_plan_attribute *attribute, fastmap_instant instant) {
  enum { MOST_PER_DIRECTIVE = 32 };
  const int64_t end_of_2068 = 3124224000;
  if (instant.seconds >= 0 && instant.seconds < end_of_2068) return true;
  char text[64 * MOST_PER_DIRECTIVE];
  if (attribute->type == FASTMAP_TYPE_DATE_ISO8601) return fastmap_date_format_iso8601(instant, text) > 0;
  if (!attribute->pattern || attribute->pattern_length > sizeof text / MOST_PER_DIRECTIVE) return true;
  return fastmap_date_format_pattern(attribute->pattern, attribute->pattern_length, instant, text, sizeof text) > 0;
}

static enum fastmap_conversion convert_date(const fastmap_plan_attribute *attribute, const json_t *value,
                                            fastmap_slot *slot) {
  for (const fastmap_plan_attribute *form = attribute; form; form = form->otherwise) {
    enum fastmap_conversion conversion = convert_date_of_one_form(form, value, slot);
    if (conversion == FASTMAP_UNFIT) continue;
    if (conversion != FASTMAP_CONVERTED) return conversion;
    // Exports write the first form, so it must be able to show every stored value.
    fastmap_instant instant = {.seconds = slot->integer, .nanoseconds = slot->length};
    if (is_writable(attribute, instant)) return conversion;
    *slot = (fastmap_slot){0};
  }
  bool is_nothing = attribute->flags & FASTMAP_ATTRIBUTE_LENIENT && fastmap_is_empty_text(value);
  return is_nothing ? fastmap_put_null(attribute, slot) : FASTMAP_UNFIT;
}

static enum fastmap_conversion convert_data(fastmap_arena *arena, const fastmap_plan_attribute *attribute,
                                            const json_t *value, fastmap_slot *slot) {
  if (!json_is_string(value)) return FASTMAP_UNFIT;
  const char *text = json_string_value(value);
  size_t length = json_string_length(value);
  if (!length && attribute->flags & FASTMAP_ATTRIBUTE_LENIENT) return fastmap_put_null(attribute, slot);
  size_t capacity = fastmap_base64_decoded_max(length);
  if (capacity > UINT32_MAX) return FASTMAP_UNFIT;
  uint8_t *bytes = fastmap_arena_alloc(arena, capacity ? capacity : 1);
  if (!bytes) return FASTMAP_NO_MEMORY;
  size_t count = 0;
  if (!fastmap_base64_decode(text, length, bytes, &count)) return FASTMAP_UNFIT;
  slot->tag = FASTMAP_DATA;
  slot->length = (uint32_t)count;
  slot->bytes = bytes;
  return FASTMAP_CONVERTED;
}

static enum fastmap_conversion put_number(double number, fastmap_slot *slot) {
  slot->tag = FASTMAP_NUMBER;
  slot->number = number;
  return FASTMAP_CONVERTED;
}

// The tree has the largest real for a number beyond it, which is no value of its own; the text of that real tells.
static bool is_beyond_double(const fastmap_big_integers *big_integers, const json_t *value) {
  enum { MOST_DIGITS = DBL_MAX_10_EXP + 1 };
  size_t length = 0;
  const char *digits = fastmap_big_integer_text(big_integers, value, &length);
  if (!digits) {
    const char *text = fastmap_number_text(big_integers, value, &length);
    fastmap_read_result result;
    return text && !fastmap_skip(text, length, NULL, &result);
  }
  if (*digits == '-') digits++, length--;
  if (length > MOST_DIGITS) return true;
  char text[MOST_DIGITS + 1] = {0};
  memcpy(text, digits, length);
  return isinf(strtod(text, NULL));
}

// An integer beyond int64 is a real in the tree; its digits say whether it fits.
static enum fastmap_conversion put_big_integer(const fastmap_plan_attribute *attribute,
                                               const fastmap_big_integers *big_integers, const json_t *value,
                                               fastmap_slot *slot) {
  size_t length = 0;
  const char *digits = fastmap_big_integer_text(big_integers, value, &length);
  if (!digits) return FASTMAP_UNFIT;
  uint64_t integer = 0;
  for (size_t i = 0; i < length; i++) {
    unsigned digit = (unsigned)(digits[i] - '0');
    if (digit > 9 || integer > (UINT64_MAX - digit) / 10) return FASTMAP_UNFIT;
    integer = integer * 10 + digit;
  }
  return fastmap_put_unsigned(attribute, integer, slot);
}

static enum fastmap_conversion convert_scalar_leniently(const fastmap_plan_attribute *attribute,
                                                        const fastmap_big_integers *big_integers,
                                                        const json_t *value, fastmap_slot *slot);

FASTMAP_CONVERT_INLINE enum fastmap_conversion convert_scalar(
    const fastmap_plan_attribute *attribute, const fastmap_big_integers *big_integers, const json_t *value,
    fastmap_slot *slot) {
  switch (attribute->type) {
    case FASTMAP_TYPE_BOOLEAN:
      if (!json_is_boolean(value)) break;
      return fastmap_put_boolean(json_is_true(value), slot);
    case FASTMAP_TYPE_INTEGER:
      if (json_is_integer(value)) return fastmap_put_integer(attribute, json_integer_value(value), slot);
      if (json_is_real(value) &&
          put_big_integer(attribute, big_integers, value, slot) == FASTMAP_CONVERTED)
        return FASTMAP_CONVERTED;
      break;
    default: {
      if (!json_is_number(value)) break;
      double number = json_number_value(value);
      if (fabs(number) >= DBL_MAX && is_beyond_double(big_integers, value)) break;
      return put_number(number, slot);
    }
  }
  return attribute->flags & FASTMAP_ATTRIBUTE_LENIENT
             ? convert_scalar_leniently(attribute, big_integers, value, slot)
             : FASTMAP_UNFIT;
}

static bool is_text(const json_t *value, const char *text) {
  return json_string_length(value) == strlen(text) && !memcmp(json_string_value(value), text, strlen(text));
}

// A number in a string, as if it stood there without the quotes.
static enum fastmap_conversion convert_number_in_text(const fastmap_plan_attribute *attribute,
                                                      const json_t *text, fastmap_slot *slot) {
  fastmap_read_result number;
  enum fastmap_conversion conversion = fastmap_number_in_text(text, &number);
  if (conversion != FASTMAP_CONVERTED) return conversion;
  if (attribute->type == FASTMAP_TYPE_INTEGER && json_is_real((const json_t *)number.tree))
    conversion = fastmap_put_integral(attribute, json_string_value(text), json_string_length(text), 0, slot);
  else
    conversion = convert_scalar(attribute, number.big_integers, number.tree, slot);
  fastmap_number_in_text_end(&number);
  return conversion;
}

static enum fastmap_conversion convert_scalar_leniently(const fastmap_plan_attribute *attribute,
                                                        const fastmap_big_integers *big_integers,
                                                        const json_t *value, fastmap_slot *slot) {
  if (fastmap_is_empty_text(value)) return fastmap_put_null(attribute, slot);
  bool is_boolean = attribute->type == FASTMAP_TYPE_BOOLEAN;
  if (json_is_string(value)) {
    if (is_boolean && is_text(value, "true")) return fastmap_put_boolean(true, slot);
    if (is_boolean && is_text(value, "false")) return fastmap_put_boolean(false, slot);
    return convert_number_in_text(attribute, value, slot);
  }
  if (is_boolean) {
    bool is_zero_or_one = json_is_integer(value) && (uint64_t)json_integer_value(value) <= 1;
    return is_zero_or_one ? fastmap_put_boolean(json_integer_value(value), slot) : FASTMAP_UNFIT;
  }
  if (attribute->type != FASTMAP_TYPE_INTEGER || !json_is_real(value)) return FASTMAP_UNFIT;
  size_t length = 0;
  const char *text = fastmap_number_text(big_integers, value, &length);
  return fastmap_put_integral(attribute, text, length, json_real_value(value), slot);
}

// A decimal keeps the digits of its text. A real whose text is not known is left for Swift to write in its shortest form.
static enum fastmap_conversion convert_decimal(fastmap_arena *arena, const fastmap_plan_attribute *attribute,
                                               const fastmap_big_integers *big_integers, const json_t *value,
                                               fastmap_slot *slot) {
  if (attribute->flags & FASTMAP_ATTRIBUTE_LENIENT && fastmap_is_empty_text(value))
    return fastmap_put_null(attribute, slot);
  if (json_is_string(value)) {
    enum fastmap_conversion conversion = put_text(value, slot);
    if (conversion != FASTMAP_CONVERTED) return conversion;
  } else {
    if (!json_is_number(value)) return FASTMAP_UNFIT;
    enum fastmap_conversion conversion = fastmap_put_text_of(arena, big_integers, value, slot);
    if (conversion != FASTMAP_CONVERTED || slot->tag == FASTMAP_NODE) return conversion;
  }
  fastmap_decimal_value decimal;
  if (!fastmap_decimal_read(slot->bytes, slot->length, &decimal)) {
    *slot = (fastmap_slot){0};
    return FASTMAP_UNFIT;
  }
  slot->tag = FASTMAP_DECIMAL;
  return FASTMAP_CONVERTED;
}

enum fastmap_conversion fastmap_convert(fastmap_arena *arena, const fastmap_plan_attribute *attribute,
                                        const fastmap_big_integers *big_integers, const void *node,
                                        fastmap_slot *slot) {
  const json_t *value = node;
  if (json_is_null(value) && !(attribute->flags & FASTMAP_ATTRIBUTE_READS_NULL))
    return fastmap_put_null(attribute, slot);
  switch (attribute->type) {
    case FASTMAP_TYPE_BOOLEAN:
    case FASTMAP_TYPE_INTEGER:
    case FASTMAP_TYPE_NUMBER:
      return convert_scalar(attribute, big_integers, value, slot);
    case FASTMAP_TYPE_STRING:
      if (json_is_string(value)) return put_text(value, slot);
      return attribute->flags & FASTMAP_ATTRIBUTE_LENIENT
                 ? fastmap_put_text_of(arena, big_integers, value, slot)
                 : FASTMAP_UNFIT;
    case FASTMAP_TYPE_DATA:
      return convert_data(arena, attribute, value, slot);
    case FASTMAP_TYPE_DECIMAL:
      return convert_decimal(arena, attribute, big_integers, value, slot);
    case FASTMAP_TYPE_NODE:
      if (attribute->flags & FASTMAP_ATTRIBUTE_LENIENT && fastmap_is_empty_text(value))
        return fastmap_put_null(attribute, slot);
      slot->tag = FASTMAP_NODE;
      slot->node = value;
      return FASTMAP_CONVERTED;
    default:
      return convert_date(attribute, value, slot);
  }
}
