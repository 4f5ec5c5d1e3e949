#include "fastmap_decimal.h"

#include <string.h>

static bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

// Adds the exponent after an e. NULL without a digit.
static const uint8_t *read_exponent(const uint8_t *p, const uint8_t *end, int64_t *exponent) {
  const int64_t beyond_all_texts = (int64_t)1 << 40;
  bool is_negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p == end || !is_digit(*p)) return NULL;
  int64_t value = 0;
  for (; p < end && is_digit(*p); p++)
    if (value < beyond_all_texts) value = value * 10 + (*p - '0');
  *exponent += is_negative ? -value : value;
  return p;
}

// Adds digits. Zeros in front of the first one only move it.
static const uint8_t *read_digits(const uint8_t *p, const uint8_t *end, fastmap_decimal_value *value, int64_t *zeros) {
  for (; p < end && is_digit(*p); p++) {
    uint8_t digit = (uint8_t)(*p - '0');
    if (!value->written && !digit) {
      ++*zeros;
      continue;
    }
    if (value->written < FASTMAP_DECIMAL_DIGITS) value->digits[value->written] = digit;
    value->written++;
    if (digit) value->count = value->written;
  }
  return p;
}

bool fastmap_decimal_scan(const void *text, size_t length, fastmap_decimal_value *value) {
  memset(value, 0, sizeof *value);
  const uint8_t *p = text, *end = p + length;
  bool is_negative = p < end && *p == '-';
  p += is_negative;
  const uint8_t *start = p;
  int64_t zeros = 0, zeros_behind_point = 0;
  p = read_digits(p, end, value, &zeros);
  if (p == start || (*start == '0' && p - start > 1)) return false;
  int64_t exponent = (int64_t)value->written - 1;
  if (p < end && *p == '.') {
    const uint8_t *fraction = ++p;
    p = read_digits(p, end, value, &zeros_behind_point);
    if (p == fraction) return false;
    exponent -= zeros_behind_point;
  }
  if (p < end && (*p | 0x20) == 'e') p = read_exponent(p + 1, end, &exponent);
  if (p != end) return false;
  value->sign = !value->count ? 0 : is_negative ? -1 : 1;
  value->exponent = value->count ? exponent : 0;
  return true;
}

bool fastmap_decimal_fits(const fastmap_decimal_value *value) {
  return value->written <= FASTMAP_DECIMAL_DIGITS && value->exponent <= FASTMAP_DECIMAL_EXPONENT &&
         value->exponent >= -FASTMAP_DECIMAL_EXPONENT;
}

bool fastmap_decimal_read(const void *text, size_t length, fastmap_decimal_value *value) {
  if (length <= FASTMAP_DECIMAL_TEXT && fastmap_decimal_scan(text, length, value) && fastmap_decimal_fits(value))
    return true;
  memset(value, 0, sizeof *value);
  return false;
}

// Reads an integer, which has 20 digits at most.
static void read_integer(uint64_t magnitude, bool is_negative, fastmap_decimal_value *value) {
  uint8_t digits[20];
  size_t count = 0;
  memset(value, 0, sizeof *value);
  for (; magnitude; magnitude /= 10) digits[count++] = (uint8_t)(magnitude % 10);
  if (!count) return;
  for (size_t i = 0; i < count; i++) value->digits[i] = digits[count - 1 - i];
  value->written = count;
  value->exponent = (int64_t)count - 1;
  value->sign = is_negative ? -1 : 1;
  while (!value->digits[count - 1]) count--;
  value->count = count;
}

bool fastmap_decimal_read_slot(const fastmap_slot *slot, fastmap_decimal_value *value) {
  uint64_t bits = (uint64_t)slot->integer;
  switch (slot->tag) {
    case FASTMAP_DECIMAL: return fastmap_decimal_read(slot->bytes, slot->length, value);
    case FASTMAP_UNSIGNED: read_integer(bits, false, value); return true;
    case FASTMAP_INTEGER: read_integer(slot->integer < 0 ? 0 - bits : bits, slot->integer < 0, value); return true;
    default: memset(value, 0, sizeof *value); return false;
  }
}

bool fastmap_decimal_whole(const fastmap_decimal_value *value, uint64_t *magnitude, bool *is_whole) {
  enum { DIGITS_OF_UINT64 = 20 };
  *magnitude = 0;
  *is_whole = value->exponent >= 0 ? value->count <= (uint64_t)value->exponent + 1 : !value->count;
  if (value->exponent >= DIGITS_OF_UINT64) return false;
  for (int64_t i = 0; i <= value->exponent; i++) {
    uint8_t digit = value->digits[i];
    if (*magnitude > (UINT64_MAX - digit) / 10) return false;
    *magnitude = *magnitude * 10 + digit;
  }
  return true;
}

int fastmap_decimal_order(const fastmap_decimal_value *a, const fastmap_decimal_value *b) {
  if (a->sign != b->sign) return a->sign < b->sign ? -1 : 1;
  int order = a->exponent == b->exponent ? memcmp(a->digits, b->digits, sizeof a->digits)
                                         : (a->exponent > b->exponent) - (a->exponent < b->exponent);
  return a->sign < 0 ? (order < 0) - (order > 0) : order;
}

int fastmap_decimal_order_slots(const fastmap_slot *a, const fastmap_slot *b) {
  if (a->length == b->length && (!a->length || !memcmp(a->bytes, b->bytes, a->length))) return 0;
  fastmap_decimal_value first, second;
  bool is_first = fastmap_decimal_read_slot(a, &first), is_second = fastmap_decimal_read_slot(b, &second);
  if (is_first && is_second) return fastmap_decimal_order(&first, &second);
  // A text that no store writes comes after all values.
  if (is_first != is_second) return is_first ? -1 : 1;
  uint32_t shared = a->length < b->length ? a->length : b->length;
  int order = shared ? memcmp(a->bytes, b->bytes, shared) : 0;
  return order ? order : (a->length > b->length) - (a->length < b->length);
}

size_t fastmap_decimal_key(const fastmap_decimal_value *value, uint8_t *key) {
  enum { BELOW_ZERO = 1, ZERO = 2, ABOVE_ZERO = 3, BIAS = 1 << 13 };
  memset(key, 0, FASTMAP_DECIMAL_KEY);
  key[0] = value->sign < 0 ? BELOW_ZERO : value->sign ? ABOVE_ZERO : ZERO;
  if (!value->sign) return 1;
  uint16_t exponent = (uint16_t)(value->exponent + BIAS);
  key[1] = (uint8_t)(exponent >> 8);
  key[2] = (uint8_t)exponent;
  size_t length = 3;
  // After the last digit there are zeros.
  for (size_t i = 0; i < value->count; i += 2)
    key[length++] = (uint8_t)(value->digits[i] * 10 + value->digits[i + 1] + 1);
  length++;
  if (value->sign < 0)
    for (size_t i = 1; i < length; i++) key[i] = (uint8_t)~key[i];
  return length;
}
