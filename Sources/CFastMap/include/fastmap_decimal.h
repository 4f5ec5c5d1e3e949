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

/// A decimal, taken apart. Texts of one value have equal members.
typedef struct {
  int16_t exponent;  ///< of the first digit: 2 for 123; 0 for zero
  int8_t sign;       ///< -1, 0 or 1
  uint8_t count;     ///< of the digits, without zeros at their end
  uint8_t digits[FASTMAP_DECIMAL_DIGITS];  ///< from 0 to 9, with zeros behind the last one
} fastmap_decimal_value;

/// Reads a text. False for anything but one JSON number within the limits above. O(length).
bool fastmap_decimal_read(const void *text, size_t length, fastmap_decimal_value *value);

/// Reads a slot that is an integer or a decimal. False for any other slot.
bool fastmap_decimal_read_slot(const fastmap_slot *slot, fastmap_decimal_value *value);

/// The order of two values: below 0, 0 or above 0.
int fastmap_decimal_order(const fastmap_decimal_value *a, const fastmap_decimal_value *b);

/// The order of two slots of decimals. Equal texts take no reading.
int fastmap_decimal_order_slots(const fastmap_slot *a, const fastmap_slot *b);

/// Writes bytes that sort as the values do. Equal values have equal bytes, and no bytes begin with others.
///
///     sign 1 | exponent 2 | pairs of digits, 1 for 00 to 100 for 99 | 0
///
/// Zero is its sign alone. Below zero, all bytes behind the sign are inverted.
///
/// - key: FASTMAP_DECIMAL_KEY bytes, filled up with zeros.
/// - Returns: the length.
size_t fastmap_decimal_key(const fastmap_decimal_value *value, uint8_t *key);

#endif
