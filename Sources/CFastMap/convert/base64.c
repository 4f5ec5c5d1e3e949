#include "fastmap_base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Set in the value of each digit, to tell 'A' from the 0 that the table holds for all other characters.
enum { DIGIT = 64 };

static const uint8_t values[256] = {
  ['A'] = 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87,
          88, 89,
  ['a'] = 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110,
          111, 112, 113, 114, 115,
  ['0'] = 116, 117, 118, 119, 120, 121, 122, 123, 124, 125,
  ['+'] = 126,
  ['/'] = 127,
};

static inline uint32_t value_of(char character) { return values[(uint8_t)character]; }

size_t fastmap_base64_decoded_max(size_t length) { return length / 4 * 3 + length % 4 * 3 / 4; }

bool fastmap_base64_decode(const char *text, size_t length, uint8_t *out, size_t *out_length) {
  if (length && length % 4 == 0 && text[length - 1] == '=') length -= text[length - 2] == '=' ? 2 : 1;

  size_t at = 0;
  size_t count = 0;
  for (; length - at >= 4; at += 4, count += 3) {
    uint32_t a = value_of(text[at]), b = value_of(text[at + 1]);
    uint32_t c = value_of(text[at + 2]), d = value_of(text[at + 3]);
    if (!(a & b & c & d & DIGIT)) return false;
    uint32_t group = (a ^ DIGIT) << 18 | (b ^ DIGIT) << 12 | (c ^ DIGIT) << 6 | (d ^ DIGIT);
    out[count] = (uint8_t)(group >> 16);
    out[count + 1] = (uint8_t)(group >> 8);
    out[count + 2] = (uint8_t)group;
  }

  size_t rest = length - at;
  if (rest == 1) return false;
  if (rest) {
    uint32_t a = value_of(text[at]), b = value_of(text[at + 1]);
    uint32_t c = rest == 3 ? value_of(text[at + 2]) : DIGIT;
    if (!(a & b & c & DIGIT)) return false;
    uint32_t group = (a ^ DIGIT) << 18 | (b ^ DIGIT) << 12 | (c ^ DIGIT) << 6;
    if (group & (rest == 3 ? 0xff : 0xffff)) return false;  // else two texts would mean the same bytes
    out[count++] = (uint8_t)(group >> 16);
    if (rest == 3) out[count++] = (uint8_t)(group >> 8);
  }
  *out_length = count;
  return true;
}

size_t fastmap_base64_encoded_length(size_t count) { return count / 3 * 4 + (count % 3 ? 4 : 0); }

size_t fastmap_base64_encode(const uint8_t *bytes, size_t count, char *out) {
  char *next = out;
  size_t at = 0;
  for (; count - at >= 3; at += 3) {
    uint32_t group = (uint32_t)bytes[at] << 16 | (uint32_t)bytes[at + 1] << 8 | bytes[at + 2];
    *next++ = digits[group >> 18];
    *next++ = digits[group >> 12 & 63];
    *next++ = digits[group >> 6 & 63];
    *next++ = digits[group & 63];
  }
  size_t rest = count - at;
  if (rest) {
    uint32_t group = (uint32_t)bytes[at] << 16 | (rest == 2 ? (uint32_t)bytes[at + 1] << 8 : 0);
    *next++ = digits[group >> 18];
    *next++ = digits[group >> 12 & 63];
    *next++ = rest == 2 ? digits[group >> 6 & 63] : '=';
    *next++ = '=';
  }
  return fastmap_base64_encoded_length(count);
}
