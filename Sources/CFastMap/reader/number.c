#include "number.h"

const uint8_t *fastmap_read_exponent(fastmap_reading *reading, const uint8_t *p, int64_t *exponent) {
  const uint8_t *end = reading->end;
  bool is_negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p == end || !fastmap_is_digit(*p)) return fastmap_fail(reading, FASTMAP_READ_DIGIT_EXPECTED, p);
  int64_t value = 0;
  for (; p < end && fastmap_is_digit(*p); p++)
    if (value < INT64_C(1) << 40) value = value * 10 + (*p - '0');  // more takes a terabyte of digits
  *exponent += is_negative ? -value : value;
  return p;
}

void fastmap_cut_mantissa(fastmap_decimal *decimal, const uint8_t *last, const uint8_t *point) {
  int count = 0;
  uint64_t mantissa = 0;
  const uint8_t *p = decimal->digits;
  for (; p < last && count < FASTMAP_MANTISSA_DIGITS; p++) {
    if (p == point || (count == 0 && *p == '0')) continue;
    mantissa = mantissa * 10 + (uint64_t)(*p - '0');
    count++;
  }
  int64_t left_out = last - p - (point && point >= p);
  decimal->mantissa = mantissa;
  decimal->exponent += left_out;
  decimal->is_cut = left_out > 0;
}
