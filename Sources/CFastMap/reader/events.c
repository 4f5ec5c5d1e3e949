#include "fastmap_events.h"

#include <float.h>
#include <stdlib.h>

#include "number.h"
#include "reading.h"

typedef enum { AT_TOP, AT_VALUE, AT_ELEMENT_OR_END, AT_NAME, AT_NAME_OR_END, BEHIND_VALUE } place;

struct fastmap_events {
  fastmap_reading reading;
  place place;
  uint32_t depth;
  uint64_t objects[FASTMAP_READ_DEFAULT_DEPTH / 64];  ///< a bit for each open container: whether it is an object
};

fastmap_events *fastmap_events_new(void) {
  fastmap_events *events = calloc(1, sizeof *events);
  if (!events) return NULL;
  fastmap_reading *reading = &events->reading;
  reading->text = (fastmap_scratch){.bytes = NULL, .capacity = 0};
  return events;
}

void fastmap_events_free(fastmap_events *events) {
  if (!events) return;
  free(events->reading.text.bytes);
  free(events);
}

// MARK: Hashes

static uint64_t mix(uint64_t a, uint64_t b) {
  __uint128_t product = (__uint128_t)(a ^ UINT64_C(0x9e3779b97f4a7c15)) * (b ^ UINT64_C(0xe7037ed1a0b428db));
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t finish(uint64_t hash) {
  hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
  hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
  return hash ^ hash >> 32;
}

static uint64_t word(const uint8_t *p, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; i++) value |= (uint64_t)p[i] << 8 * i;
  return value;
}

uint64_t fastmap_event_text_hash(const void *text, size_t length) {
  const uint8_t *p = text;
  uint64_t hash = length;
  for (; length >= 8; p += 8, length -= 8) hash = mix(hash, word(p, 8));
  return finish(mix(hash, word(p, length)) + 1);
}

uint64_t fastmap_event_integer_hash(int64_t value) { return finish(mix((uint64_t)value, 2)); }

// MARK: Events

static void fail(fastmap_events *events, fastmap_event *event, const uint8_t *start, const uint8_t *shown_end,
                 bool is_last) {
  fastmap_reading *reading = &events->reading;
  bool could_go_on = !is_last && reading->error_at && reading->error_at >= shown_end;
  event->kind = could_go_on ? FASTMAP_EVENT_MORE : FASTMAP_EVENT_WRONG;
  event->error = reading->error;
  event->error_offset = (size_t)(reading->error_at - start);
}

static bool is_in_object(const fastmap_events *events) {
  uint32_t last = events->depth - 1;
  return events->objects[last / 64] >> last % 64 & 1;
}

static const uint8_t *open_container(fastmap_events *events, fastmap_event *event, const uint8_t *p) {
  bool is_object = *p == '{';
  if (events->depth == FASTMAP_READ_DEFAULT_DEPTH) return fastmap_fail(&events->reading, FASTMAP_READ_TOO_DEEP, p);
  uint64_t bit = UINT64_C(1) << events->depth % 64;
  uint64_t *bits = &events->objects[events->depth / 64];
  *bits = is_object ? *bits | bit : *bits & ~bit;
  events->depth++;
  events->place = is_object ? AT_NAME_OR_END : AT_ELEMENT_OR_END;
  event->kind = is_object ? FASTMAP_EVENT_OBJECT : FASTMAP_EVENT_ARRAY;
  return p + 1;
}

static void close_container(fastmap_events *events, fastmap_event *event) {
  events->depth--;
  events->place = events->depth ? BEHIND_VALUE : AT_TOP;
  event->kind = FASTMAP_EVENT_END;
}

static const uint8_t *read_text(fastmap_events *events, fastmap_event *event, const uint8_t *p) {
  fastmap_text text;
  p = fastmap_read_string(&events->reading, p, &text);
  if (!p) return NULL;
  if (text.is_escaped && !fastmap_decode(&text, &events->reading.text))
    return fastmap_fail(&events->reading, FASTMAP_READ_MEMORY, p);
  event->bytes = text.bytes;
  event->length = text.length;
  event->hash = fastmap_event_text_hash(text.bytes, text.length);
  return p;
}

static uint64_t without_zeros_at_end(uint64_t mantissa) {
  while (mantissa && mantissa % 10 == 0) mantissa /= 10;
  return mantissa;
}

// Whether a fraction ends with a zero that a double does not have: 0.10 and 5.00, but not 5.0, as floats are printed.
static bool has_zeros_at_end(const uint8_t *p, const uint8_t *end) {
  const uint8_t *point = memchr(p, '.', (size_t)(end - p));
  if (!point) return false;
  const uint8_t *last = point + 1;
  while (last < end && fastmap_is_digit(*last)) last++;
  return last[-1] == '0' && last - point > 2;
}

// Finds out whether a double shows the digits of a number, or leaves that to the caller.
static void find_digits(fastmap_event *event, const fastmap_decimal *decimal, double number) {
  event->keeps_digits = false;
  event->digits = 0;
  event->real = number;
  if (decimal->is_integer || decimal->is_cut || isinf(number)) return;
  if (has_zeros_at_end(event->bytes, event->bytes + event->length)) return;
  uint64_t digits = without_zeros_at_end(decimal->mantissa);
  bool is_normal = fabs(number) >= DBL_MIN;
  event->keeps_digits = !digits || (is_normal && digits < UINT64_C(1000000000000000));  // 15 digits always survive
  if (!event->keeps_digits && number != 0) event->digits = digits;
}

static const uint8_t *read_number(fastmap_events *events, fastmap_event *event, const uint8_t *p) {
  fastmap_decimal decimal;
  const uint8_t *next = fastmap_read_number(&events->reading, p, &decimal);
  if (!next) return NULL;
  event->bytes = p;
  event->length = (size_t)(next - p);
  if (decimal.is_integer && fastmap_decimal_to_int64(&decimal, &event->integer)) {
    event->kind = FASTMAP_EVENT_INTEGER;
    event->hash = fastmap_event_integer_hash(event->integer);
    event->keeps_digits = event->integer > -(INT64_C(1) << 53) && event->integer < INT64_C(1) << 53;
    event->digits = 0;
    return next;
  }
  event->kind = decimal.is_integer ? FASTMAP_EVENT_BIG_INTEGER : FASTMAP_EVENT_REAL;
  double number = fastmap_decimal_to_double(&decimal);
  find_digits(event, &decimal, number);
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  event->hash = decimal.is_integer || isinf(number) ? fastmap_event_text_hash(p, event->length) : finish(mix(bits, 3));
  return next;
}

static const uint8_t *read_value(fastmap_events *events, fastmap_event *event, const uint8_t *p) {
  events->place = events->depth ? BEHIND_VALUE : AT_TOP;
  switch (fastmap_peek(&events->reading, p)) {
    case '"': event->kind = FASTMAP_EVENT_STRING; return read_text(events, event, p);
    case '{': case '[': return open_container(events, event, p);
    case 't': event->kind = FASTMAP_EVENT_TRUE; return fastmap_read_literal(&events->reading, p, "true");
    case 'f': event->kind = FASTMAP_EVENT_FALSE; return fastmap_read_literal(&events->reading, p, "false");
    case 'n': event->kind = FASTMAP_EVENT_NULL; return fastmap_read_literal(&events->reading, p, "null");
    case '-': case '0': case '1': case '2': case '3': case '4':
    case '5': case '6': case '7': case '8': case '9': return read_number(events, event, p);
    default: return fastmap_fail(&events->reading, FASTMAP_READ_VALUE_EXPECTED, p);
  }
}

static const uint8_t *read_name(fastmap_events *events, fastmap_event *event, const uint8_t *p, bool may_end) {
  fastmap_reading *reading = &events->reading;
  uint8_t byte = fastmap_peek(reading, p);
  if (byte == '}' && may_end) {
    close_container(events, event);
    return p + 1;
  }
  if (byte != '"')
    return fastmap_fail(reading, may_end ? FASTMAP_READ_NAME_OR_END_EXPECTED : FASTMAP_READ_NAME_EXPECTED, p);
  event->kind = FASTMAP_EVENT_NAME;
  p = read_text(events, event, p);
  if (!p) return NULL;
  p = fastmap_skip_space(p, reading->end);
  if (fastmap_peek(reading, p) != ':') return fastmap_fail(reading, FASTMAP_READ_COLON_EXPECTED, p);
  events->place = AT_VALUE;
  return p + 1;
}

// Continues after an element or a member: to the end, or over a comma to the next one.
static const uint8_t *read_behind(fastmap_events *events, fastmap_event *event, const uint8_t *p) {
  fastmap_reading *reading = &events->reading;
  bool is_object = is_in_object(events);
  uint8_t byte = fastmap_peek(reading, p);
  if (byte == (is_object ? '}' : ']')) {
    close_container(events, event);
    return p + 1;
  }
  if (byte != ',')
    return fastmap_fail(
        reading, is_object ? FASTMAP_READ_COMMA_OR_BRACE_EXPECTED : FASTMAP_READ_COMMA_OR_BRACKET_EXPECTED, p);
  p = fastmap_skip_space(p + 1, reading->end);
  return is_object ? read_name(events, event, p, false) : read_value(events, event, p);
}

static const uint8_t *read_event(fastmap_events *events, fastmap_event *event, const uint8_t *p) {
  switch (events->place) {
    case AT_NAME: return read_name(events, event, p, false);
    case AT_NAME_OR_END: return read_name(events, event, p, true);
    case BEHIND_VALUE: return read_behind(events, event, p);
    case AT_ELEMENT_OR_END:
      if (fastmap_peek(&events->reading, p) == ']') {
        close_container(events, event);
        return p + 1;
      }
      return read_value(events, event, p);
    case AT_TOP: case AT_VALUE: break;
  }
  return read_value(events, event, p);
}

void fastmap_events_next(fastmap_events *events, const void *bytes, size_t length, size_t start, bool is_last,
                         fastmap_event *event) {
  const uint8_t *first = bytes, *end = first + length, *p = fastmap_skip_space(first + start, end);
  fastmap_events before = {.place = events->place, .depth = events->depth};
  events->reading.end = end;
  event->error = FASTMAP_READ_OK;
  event->consumed = (size_t)(p - first);
  if (p == end && (!is_last || (events->place == AT_TOP && !events->depth))) {
    event->kind = is_last ? FASTMAP_EVENT_FINISH : FASTMAP_EVENT_MORE;
    return;
  }
  const uint8_t *next = read_event(events, event, p);
  // A value at the end of the piece may continue after it.
  bool is_scalar = next && next == end && event->kind >= FASTMAP_EVENT_NAME;
  if (next && !(is_scalar && !is_last && end[-1] != '"' && end[-1] != ':')) {
    event->consumed = (size_t)(next - first);
    return;
  }
  events->place = before.place;
  events->depth = before.depth;
  if (next) {
    event->kind = FASTMAP_EVENT_MORE;
  } else {
    fail(events, event, first, end, is_last);
  }
}
