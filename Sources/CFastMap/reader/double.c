#include "double.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Names as in Lemire, "Number parsing at a gigabyte per second" (2021), section 5.

typedef struct {
  uint64_t high, low;
} product;

static product multiply(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 uint128;
  uint128 whole = (uint128)a * b;
  return (product){.high = (uint64_t)(whole >> 64), .low = (uint64_t)whole};
#else
  uint64_t a1 = a >> 32, a0 = (uint32_t)a, b1 = b >> 32, b0 = (uint32_t)b;
  uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  uint64_t carry = a0 * b1 + (uint32_t)middle;
  return (product){.high = a1 * b1 + (middle >> 32) + (carry >> 32), .low = a * b};
#endif
}

enum { MANTISSA_BITS = 52, INFINITE_EXPONENT = 2047 };

static double from_bits(uint64_t exponent, uint64_t mantissa) {
  uint64_t bits = exponent << MANTISSA_BITS | (mantissa & ((UINT64_C(1) << MANTISSA_BITS) - 1));
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

// The highest bits of w × 5^q, enough of them to round by.
static product approximate(uint64_t w, int64_t q) {
  if (!atomic_load_explicit(&fastmap_powers_are_known, memory_order_acquire)) fastmap_compute_powers_of_five();
  const fastmap_power_of_five *power = &fastmap_powers_of_five[q - FASTMAP_SMALLEST_POWER];
  product first = multiply(w, power->high);
  const uint64_t undecided = UINT64_MAX >> (MANTISSA_BITS + 3);
  if ((first.high & undecided) == undecided) {
    product second = multiply(w, power->low);
    first.low += second.high;
    if (second.high > first.low) first.high++;
  }
  return first;
}

// Mantissas below the smallest normal one are shifted until the exponent is 0.
static double subnormal(uint64_t mantissa, int64_t exponent) {
  if (exponent < -62) return 0;
  mantissa >>= 1 - exponent;
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  return from_bits(mantissa >> MANTISSA_BITS, mantissa);
}

static double eisel_lemire(uint64_t w, int64_t q) {
  if (w == 0 || q < FASTMAP_SMALLEST_POWER) return 0;
  if (q > FASTMAP_LARGEST_POWER) return from_bits(INFINITE_EXPONENT, 0);
  int leading = __builtin_clzll(w);
  product z = approximate(w << leading, q);
  int upper = (int)(z.high >> 63);
  int shift = upper + 64 - MANTISSA_BITS - 3;
  uint64_t mantissa = z.high >> shift;
  // 217706/2^16 is log2(10): the exponent of 10^q. 1023 is the biased exponent of 1.
  int64_t exponent = ((217706 * q) >> 16) + 63 + upper - leading + 1023;
  if (exponent <= 0) return subnormal(mantissa, exponent);
  // A tie can only be where 5^q divides or is divided exactly.
  bool is_tie = z.low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << shift == z.high;
  if (is_tie) mantissa &= ~UINT64_C(1);
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  if (mantissa >> (MANTISSA_BITS + 1)) exponent++, mantissa = 0;
  return exponent >= INFINITE_EXPONENT ? from_bits(INFINITE_EXPONENT, 0)
                                       : from_bits((uint64_t)exponent, mantissa);
}

// A tie between two doubles has at most 767 digits. After these, it only counts whether there are more.
enum { DIGITS_THAT_COUNT = 800 };

// Writes a number as digits and an exponent, which no locale writes differently, and asks the C library.
static double by_strtod(const fastmap_decimal *decimal) {
  char text[DIGITS_THAT_COUNT + 32];
  int count = 0;
  bool is_more = false;
  for (const uint8_t *p = decimal->digits; p < decimal->end && (*p | 0x20) != 'e'; p++) {
    if (*p == '.' || (*p == '0' && count == 0)) continue;
    if (count < DIGITS_THAT_COUNT) text[count++] = (char)*p;
    else is_more |= *p != '0';
  }
  // The mantissa's exponent belongs to its last digit, the 19th of these.
  int64_t exponent = decimal->exponent - (count - 19);
  if (is_more) {
    text[count++] = '1';
    exponent--;
  }
  snprintf(text + count, 24, "e%lld", (long long)exponent);
  return strtod(text, NULL);
}

static bool is_exact(const fastmap_decimal *decimal) {
  return FLT_EVAL_METHOD == 0 && !decimal->is_cut && decimal->mantissa <= UINT64_C(1) << 53 &&
         decimal->exponent >= -22 && decimal->exponent <= 22;
}

static double magnitude(const fastmap_decimal *decimal) {
  static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (is_exact(decimal)) {
    double mantissa = (double)decimal->mantissa;
    return decimal->exponent < 0 ? mantissa / powers_of_ten[-decimal->exponent]
                                 : mantissa * powers_of_ten[decimal->exponent];
  }
  double number = eisel_lemire(decimal->mantissa, decimal->exponent);
  if (!decimal->is_cut || number == eisel_lemire(decimal->mantissa + 1, decimal->exponent)) return number;
  return by_strtod(decimal);
}

double fastmap_decimal_to_double(const fastmap_decimal *decimal) {
  double number = magnitude(decimal);
  return decimal->is_negative ? -number : number;
}
