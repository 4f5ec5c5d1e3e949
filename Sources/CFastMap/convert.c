#include "fastmap_base64.h"
#include "fastmap_date.h"
#include "walk_internal.h"

static enum conversion put_text(const json_t *value, fastmap_slot *slot) {
  size_t length = json_string_length(value);
  if (length > UINT32_MAX) return UNFIT;
  slot->tag = FASTMAP_STRING;
  slot->length = (uint32_t)length;
  slot->bytes = (const uint8_t *)json_string_value(value);
  return CONVERTED;
}

static enum conversion put_date(bool fits, fastmap_instant instant, fastmap_slot *slot) {
  if (!fits) return UNFIT;
  slot->tag = FASTMAP_DATE;
  slot->length = instant.nanoseconds;
  slot->integer = instant.seconds;
  return CONVERTED;
}

static enum conversion convert_date(const fastmap_plan_attribute *attribute, const json_t *value,
                                    fastmap_slot *slot) {
  fastmap_instant instant = {0};
  bool is_epoch = attribute->type == FASTMAP_TYPE_DATE_EPOCH;
  if (is_epoch || attribute->type == FASTMAP_TYPE_DATE_EPOCH_MS) {
    if (json_is_integer(value)) {
      int64_t units = is_epoch ? 1 : 1000;
      return put_date(fastmap_date_from_epoch_integer(json_integer_value(value), units, &instant), instant,
                      slot);
    }
    if (!json_is_real(value)) return UNFIT;
    double number = json_real_value(value);
    bool fits = is_epoch ? fastmap_date_from_epoch(number, &instant)
                         : fastmap_date_from_epoch_ms(number, &instant);
    return put_date(fits, instant, slot);
  }
  if (!json_is_string(value)) return UNFIT;
  const char *text = json_string_value(value);
  size_t length = json_string_length(value);
  bool fits = attribute->type == FASTMAP_TYPE_DATE_ISO8601
                  ? fastmap_date_parse_iso8601(text, length, &instant)
                  : fastmap_date_parse_pattern(attribute->pattern, attribute->pattern_length, text, length,
                                               &instant);
  return put_date(fits, instant, slot);
}

static enum conversion convert_data(fastmap_batch *batch, const json_t *value, fastmap_slot *slot) {
  if (!json_is_string(value)) return UNFIT;
  const char *text = json_string_value(value);
  size_t length = json_string_length(value);
  size_t capacity = fastmap_base64_decoded_max(length);
  if (capacity > UINT32_MAX) return UNFIT;
  uint8_t *bytes = fastmap_arena_alloc(&batch->arena, capacity ? capacity : 1);
  if (!bytes) return NO_MEMORY;
  size_t count = 0;
  if (!fastmap_base64_decode(text, length, bytes, &count)) return UNFIT;
  slot->tag = FASTMAP_DATA;
  slot->length = (uint32_t)count;
  slot->bytes = bytes;
  return CONVERTED;
}

enum conversion fastmap_convert(fastmap_batch *batch, const fastmap_plan_attribute *attribute,
                                const json_t *value, fastmap_slot *slot) {
  if (json_is_null(value)) {
    slot->tag = FASTMAP_NULL;
    return CONVERTED;
  }
  switch (attribute->type) {
    case FASTMAP_TYPE_BOOLEAN:
      if (!json_is_boolean(value)) return UNFIT;
      slot->tag = FASTMAP_BOOLEAN;
      slot->integer = json_is_true(value);
      return CONVERTED;
    case FASTMAP_TYPE_INTEGER:
      if (!json_is_integer(value)) return UNFIT;
      slot->tag = FASTMAP_INTEGER;
      slot->integer = json_integer_value(value);
      return CONVERTED;
    case FASTMAP_TYPE_NUMBER:
      if (!json_is_number(value)) return UNFIT;
      slot->tag = FASTMAP_NUMBER;
      slot->number = json_number_value(value);
      return CONVERTED;
    case FASTMAP_TYPE_STRING:
      return json_is_string(value) ? put_text(value, slot) : UNFIT;
    case FASTMAP_TYPE_DATA:
      return convert_data(batch, value, slot);
    case FASTMAP_TYPE_NODE:
      slot->tag = FASTMAP_NODE;
      slot->node = value;
      return CONVERTED;
    default:
      return convert_date(attribute, value, slot);
  }
}
