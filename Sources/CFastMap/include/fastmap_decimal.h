#ifndef FASTMAP_DECIMAL_H
#define FASTMAP_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fastmap_slot.h"

// Exact decimals. A decimal is the text of a JSON number, and keeps the digits it came with: `1.10`, `1.1` and `110e-2` are
// three texts of one value.

enum {
  FASTMAP_DECIMAL_DIGITS = 38,      ///< most digits of a text, without leading zeros
  FASTMAP_DECIMAL_EXPONENT = 6144,  ///< greatest exponent of the first digit, above and below zero
  FASTMAP_DECIMAL_TEXT = 255,       ///< most bytes of a text
  FASTMAP_DECIMAL_KEY = 24          ///< most bytes of a key
};

/// A number, taken apart. Texts of one value have equal members, except `written`.
typedef struct {
  int64_t exponent;  ///< of the first digit: 2 for 123; 0 for zero
  size_t count;      ///< of the digits, without zeros at their end
  size_t written;    ///< digits with the zeros at their end
  int8_t sign;       ///< -1, 0 or 1
  uint8_t digits[FASTMAP_DECIMAL_DIGITS];  ///< the first ones, from 0 to 9, with zeros after the last one
} fastmap_decimal_value;

/// Reads a JSON number of any length. False for any other text. O(length).
bool fastmap_decimal_scan(const void *text, size_t length, fastmap_decimal_value *value);

/// Whether a number is within the limits of digits and exponents.
bool fastmap_decimal_fits(const fastmap_decimal_value *value);

/// Reads the text of a decimal. False, and zero, for anything but one JSON number within all limits above. O(length).
bool fastmap_decimal_read(const void *text, size_t length, fastmap_decimal_value *value);

/// Reads a slot that is an integer or a decimal. False, and zero, for any other slot.
bool fastmap_decimal_read_slot(const fastmap_slot *slot, fastmap_decimal_value *value);

/// The magnitude of a number's integer part. False above UINT64_MAX.
bool fastmap_decimal_whole(const fastmap_decimal_value *value, uint64_t *magnitude, bool *is_whole);

/// The order of two decimals: below 0, 0 or above 0.
int fastmap_decimal_order(const fastmap_decimal_value *a, const fastmap_decimal_value *b);

/// The order of two slots of decimals. Equal texts take no reading.
int fastmap_decimal_order_slots(const fastmap_slot *a, const fastmap_slot *b);

/// Writes bytes that sort as the decimals do. Equal decimals have equal bytes, and no bytes begin with others.
///
///     sign 1 | exponent 2 | pairs of digits, 1 for 00 to 100 for 99 | 0
///
/// The sign is 1 below zero, 2 for zero and 3 above it. The exponent has 8192 added, and is big-endian. Zero is its sign alone.
/// Below zero, all bytes after the sign are inverted.
///
/// - key: FASTMAP_DECIMAL_KEY bytes, filled up with zeros.
/// - Returns: the length.
size_t fastmap_decimal_key(const fastmap_decimal_value *value, uint8_t *key);

#endif
