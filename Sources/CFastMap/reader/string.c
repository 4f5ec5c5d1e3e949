#include <stdlib.h>
#include <string.h>

#include "reading.h"
#include "utf8.h"

static const uint8_t *read_utf8(fastmap_reading *reading, const uint8_t *p) {
  while (p < reading->end && *p >= 0x80) {
    ptrdiff_t left = reading->end - p;
    int length = fastmap_utf8_length(p, left);
    if (!length) return fastmap_fail(reading, FASTMAP_READ_UTF8, p);
    if (length > left) return fastmap_fail(reading, FASTMAP_READ_UNTERMINATED_STRING, reading->end);
    p += length;
  }
  return p;
}

static int hexadecimal(uint8_t digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  digit |= 0x20;
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

static uint32_t four_digits(const uint8_t *p) {
  uint32_t unit = 0;
  for (int i = 0; i < 4; i++) unit = unit << 4 | (uint32_t)hexadecimal(p[i]);
  return unit;
}

static bool is_high_surrogate(uint32_t unit) { return unit >> 10 == 0xd800 >> 10; }
static bool is_low_surrogate(uint32_t unit) { return unit >> 10 == 0xdc00 >> 10; }

// Reads the \u at `p` and its digits.
static const uint8_t *read_unit(fastmap_reading *reading, const uint8_t *p, uint32_t *unit) {
  for (int i = 2; i < 6; i++) {
    if (p + i == reading->end) return fastmap_fail(reading, FASTMAP_READ_UNTERMINATED_STRING, reading->end);
    if (hexadecimal(p[i]) < 0) return fastmap_fail(reading, FASTMAP_READ_UNICODE_ESCAPE, p);
  }
  *unit = four_digits(p + 2);
  return p + 6;
}

// Half of a surrogate pair at `p`; after it, at `next`, is something else.
static const uint8_t *read_half(fastmap_reading *reading, const uint8_t *p, const uint8_t *next) {
  if (!reading->takes_halves) return fastmap_fail(reading, FASTMAP_READ_LONE_SURROGATE, p);
  reading->half = p;
  return next;
}

static const uint8_t *read_low_surrogate(fastmap_reading *reading, const uint8_t *p, const uint8_t *first) {
  for (int i = 0; i < 2; i++) {
    if (p + i == reading->end) return fastmap_fail(reading, FASTMAP_READ_UNTERMINATED_STRING, reading->end);
    if (p[i] != "\\u"[i]) return read_half(reading, first, p);
  }
  uint32_t unit;
  const uint8_t *next = read_unit(reading, p, &unit);
  return next && !is_low_surrogate(unit) ? read_half(reading, first, p) : next;
}

static const uint8_t *read_unicode_escape(fastmap_reading *reading, const uint8_t *p) {
  uint32_t unit;
  const uint8_t *next = read_unit(reading, p, &unit);
  if (!next) return NULL;
  if (is_low_surrogate(unit)) return read_half(reading, p, next);
  if (unit == 0 && reading->rejects_nul) return fastmap_fail(reading, FASTMAP_READ_NUL, p);
  return is_high_surrogate(unit) ? read_low_surrogate(reading, next, p) : next;
}

// The byte for the character after a backslash; 0 for a character that may not stand there.
static uint8_t escaped(uint8_t letter) {
  switch (letter) {
    case '"': case '\\': case '/': return letter;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
  }
}

const uint8_t *fastmap_read_special(fastmap_reading *reading, const uint8_t *p, bool *is_escaped) {
  if (*p >= 0x80) return read_utf8(reading, p);
  if (*p != '\\') return fastmap_fail(reading, FASTMAP_READ_CONTROL_CHARACTER, p);
  *is_escaped = true;
  if (p + 1 == reading->end) return fastmap_fail(reading, FASTMAP_READ_UNTERMINATED_STRING, reading->end);
  if (p[1] == 'u') return read_unicode_escape(reading, p);
  return escaped(p[1]) ? p + 2 : fastmap_fail(reading, FASTMAP_READ_ESCAPE, p);
}

static uint8_t *write_utf8(uint8_t *out, uint32_t scalar) {
  if (scalar < 0x80) {
    *out++ = (uint8_t)scalar;
    return out;
  }
  int continuations = scalar < 0x800 ? 1 : scalar < 0x10000 ? 2 : 3;
  static const uint8_t marks[] = {0, 0xc0, 0xe0, 0xf0};
  *out++ = (uint8_t)(marks[continuations] | scalar >> 6 * continuations);
  while (continuations--) *out++ = (uint8_t)(0x80 | (scalar >> 6 * continuations & 0x3f));
  return out;
}

// Decodes the \u at `*p`, with its second half if it has one, and moves past it.
static uint8_t *decode_unit(const uint8_t **p, uint8_t *out) {
  uint32_t scalar = four_digits(*p + 2);
  *p += 6;
  if (is_high_surrogate(scalar)) {
    scalar = 0x10000 + ((scalar & 0x3ff) << 10) + (four_digits(*p + 2) & 0x3ff);
    *p += 6;
  }
  return write_utf8(out, scalar);
}

static bool reserve(fastmap_scratch *scratch, size_t length) {
  if (length <= scratch->capacity) return true;
  if (scratch->bytes != scratch->small) free(scratch->bytes);
  scratch->bytes = malloc(length);
  scratch->capacity = scratch->bytes ? length : 0;
  return scratch->bytes != NULL;
}

bool fastmap_decode(fastmap_text *text, fastmap_scratch *scratch) {
  if (!reserve(scratch, text->length)) return false;  // no escape is shorter than its character in UTF-8
  const uint8_t *p = text->bytes, *end = p + text->length;
  uint8_t *out = scratch->bytes;
  while (p < end) {
    size_t count = fastmap_copy_plain(p, end, out);
    p += count;
    out += count;
    if (p == end) break;
    if (p[1] == 'u') {
      out = decode_unit(&p, out);
    } else {
      *out++ = escaped(p[1]);
      p += 2;
    }
  }
  *text = (fastmap_text){.bytes = scratch->bytes, .length = (size_t)(out - scratch->bytes)};
  return true;
}
