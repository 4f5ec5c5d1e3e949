#ifndef FASTMAP_DOUBLE_H
#define FASTMAP_DOUBLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A JSON number, taken apart. All zero is 0.
typedef struct {
  const uint8_t *digits;  ///< the first digit, after a minus sign
  const uint8_t *end;     ///< after the number
  uint64_t mantissa;      ///< the digits as an integer, cut to the first 19 that count
  int64_t exponent;       ///< of ten, that the mantissa is to be multiplied by
  bool is_negative;
  bool is_integer;        ///< has neither a fraction nor an exponent
  bool is_cut;            ///< has digits that the mantissa has not
} fastmap_decimal;

/// The double nearest to a number, ties to even; infinity beyond the largest.
///
/// 1. Up to 2^53 and 10^±22: one exact multiplication or division (Clinger 1990).
/// 2. Up to 19 digits: a product with a power of five of 128 bits (Eisel-Lemire). Mushtak and Lemire, "Fast number
///    parsing without fallback", 2023, show that it needs no fallback.
/// 3. More digits: the same for the first 19 and for the number after them. Where the two differ, the C
///    library's strtod decides, on a text without a decimal point, so that no locale matters.
///
/// Any thread may call it at any time. The first number that needs a power of five computes them all.
double fastmap_decimal_to_double(const fastmap_decimal *decimal);

enum { FASTMAP_SMALLEST_POWER = -342, FASTMAP_LARGEST_POWER = 308 };

/// The 128 highest bits of 5^n, n from FASTMAP_SMALLEST_POWER; the highest bit of `high` is set.
typedef struct {
  uint64_t high, low;
} fastmap_power_of_five;

/// The table of powers; valid once `fastmap_powers_are_known`.
extern fastmap_power_of_five fastmap_powers_of_five[FASTMAP_LARGEST_POWER - FASTMAP_SMALLEST_POWER + 1];
extern atomic_bool fastmap_powers_are_known;

/// Computes the table, the first time.
void fastmap_compute_powers_of_five(void);

#endif
