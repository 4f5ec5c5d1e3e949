#ifndef FASTMAP_NUMBER_H
#define FASTMAP_NUMBER_H

#include <math.h>
#include <string.h>

#include "double.h"
#include "reading.h"

enum { FASTMAP_MANTISSA_DIGITS = 19 };  ///< always fit into 64 bits

/// Reads the digits of an exponent, after the e, and adds it.
const uint8_t *fastmap_read_exponent(fastmap_reading *reading, const uint8_t *p, int64_t *exponent);

/// Cuts a mantissa down, whose digits end at `last`, to the first 19 that count. `point` is NULL without one.
void fastmap_cut_mantissa(fastmap_decimal *decimal, const uint8_t *last, const uint8_t *point);

static inline bool fastmap_is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/// Adds up eight values of digits, the first the lowest byte: neighbours, then pairs of them, then fours.
FASTMAP_INLINE uint64_t fastmap_eight_digits(uint64_t values) {
  values = values * 10 + (values >> 8);
  uint64_t first = (values & 0x000000ff000000ff) * (100 + (UINT64_C(1000000) << 32));
  uint64_t second = (values >> 16 & 0x000000ff000000ff) * (1 + (UINT64_C(10000) << 32));
  return (first + second) >> 32;
}

/// Appends up to eight digits to the mantissa. Returns how many there are.
FASTMAP_INLINE int fastmap_read_eight(const uint8_t *p, uint64_t *mantissa) {
  static const uint64_t powers_of_ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  uint64_t values;
  memcpy(&values, p, 8);
  values ^= 0x3030303030303030;
  // The high bit of each byte that is not below 10. One may carry over, but only to bytes after the first.
  uint64_t others = ((values + 0x7676767676767676) | values) & 0x8080808080808080;
  int count = others ? __builtin_ctzll(others) / 8 : 8;
  if (count) *mantissa = *mantissa * powers_of_ten[count] + fastmap_eight_digits(values << (64 - 8 * count));
  return count;
}
#endif

/// Appends digits to the mantissa, which wraps around where they are too many. Eight at a time, the last ones
/// too: how many there are is hard to predict, and a loop over them would end in a misprediction.
FASTMAP_INLINE const uint8_t *fastmap_read_digits(const uint8_t *p, const uint8_t *end, uint64_t *mantissa) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  while (end - p >= 8) {
    int count = fastmap_read_eight(p, mantissa);
    p += count;
    if (count < 8) return p;
  }
#endif
  for (; p < end && fastmap_is_digit(*p); p++) *mantissa = *mantissa * 10 + (uint64_t)(*p - '0');
  return p;
}

/// Reads the number that begins with the minus sign or the digit at `p`.
FASTMAP_INLINE const uint8_t *fastmap_read_number(fastmap_reading *reading, const uint8_t *p,
                                                  fastmap_decimal *decimal) {
  const uint8_t *end = reading->end, *point = NULL;
  *decimal = (fastmap_decimal){.is_negative = *p == '-', .is_integer = true};
  p += decimal->is_negative;
  if (p == end || !fastmap_is_digit(*p)) return fastmap_fail(reading, FASTMAP_READ_DIGIT_EXPECTED, p);
  decimal->digits = p;
  p = fastmap_read_digits(p, end, &decimal->mantissa);
  if (*decimal->digits == '0' && p - decimal->digits > 1)
    return fastmap_fail(reading, FASTMAP_READ_LEADING_ZERO, decimal->digits);
  if (p < end && *p == '.') {
    point = p++;
    if (p == end || !fastmap_is_digit(*p)) return fastmap_fail(reading, FASTMAP_READ_DIGIT_EXPECTED, p);
    p = fastmap_read_digits(p, end, &decimal->mantissa);
    decimal->exponent = point + 1 - p;
    decimal->is_integer = false;
  }
  const uint8_t *last = p;
  if (p < end && (*p | 0x20) == 'e') {
    p = fastmap_read_exponent(reading, p + 1, &decimal->exponent);
    if (!p) return NULL;
    decimal->is_integer = false;
  }
  decimal->end = p;
  if (last - decimal->digits > FASTMAP_MANTISSA_DIGITS) fastmap_cut_mantissa(decimal, last, point);
  return p;
}

/// Whether a number with a fraction or an exponent is too large for a double.
FASTMAP_INLINE bool fastmap_decimal_overflows(const fastmap_decimal *decimal) {
  // 19 digits are less than 10^20: no overflow below 10^308
  return !decimal->is_integer && decimal->exponent > 288 && isinf(fastmap_decimal_to_double(decimal));
}

/// Whether a number without fraction and exponent is an int64, and which.
FASTMAP_INLINE bool fastmap_decimal_to_int64(const fastmap_decimal *decimal, int64_t *value) {
  uint64_t most = (uint64_t)INT64_MAX + decimal->is_negative;
  if (decimal->is_cut || decimal->mantissa > most) return false;
  *value = (int64_t)(decimal->is_negative ? 0 - decimal->mantissa : decimal->mantissa);
  return true;
}

#endif
