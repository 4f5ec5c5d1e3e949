#ifndef FASTMAP_READER_SCAN_H
#define FASTMAP_READER_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vector.h"

// The loops that look at every byte: over whitespace and over the plain part of a string. Nothing is read
// after the end, so the last bytes of a text are looked at one by one.

static inline bool fastmap_is_plain(uint8_t byte) {
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

static inline bool fastmap_is_space(uint8_t byte) {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/// The first byte that a string may not simply contain, or that is not ASCII; `end` if there is none. For
/// long strings: 16 or 32 bytes at a time, as the machine has it.
const uint8_t *fastmap_skip_plain_far(const uint8_t *p, const uint8_t *end);

/// The same, expecting it within 32 bytes: one branch for most strings, as their lengths are hard to predict.
FASTMAP_INLINE const uint8_t *fastmap_skip_plain(const uint8_t *p, const uint8_t *end) {
#ifdef FASTMAP_VECTOR
  if (end - p >= 32) {
    uint32_t special = fastmap_special(fastmap_load(p)) | fastmap_special(fastmap_load(p + 16)) << 16;
    if (special) return p + __builtin_ctz(special);
    return fastmap_skip_plain_far(p + 32, end);
  }
#endif
  while (p < end && fastmap_is_plain(*p)) p++;
  return p;
}

/// The first byte that is not whitespace; `end` if there is none.
FASTMAP_INLINE const uint8_t *fastmap_skip_space(const uint8_t *p, const uint8_t *end) {
  if (p < end && *p > ' ') return p;  // none, as in compact texts
  if (end - p > 1 && p[1] > ' ') return p + fastmap_is_space(*p);  // one, as after a colon
#ifdef FASTMAP_VECTOR
  for (; end - p >= 16; p += 16) {
    uint32_t others = fastmap_not_space(fastmap_load(p));
    if (others) return p + __builtin_ctz(others);
  }
#endif
  while (p < end && fastmap_is_space(*p)) p++;
  return p;
}

/// Copies up to the next backslash or `end`, and some more that does not count, but not more than is there.
/// Returns how much counts.
FASTMAP_INLINE size_t fastmap_copy_plain(const uint8_t *p, const uint8_t *end, uint8_t *out) {
  const uint8_t *start = p;
#ifdef FASTMAP_VECTOR
  for (; end - p >= 16; p += 16, out += 16) {
    fastmap_bytes bytes = fastmap_load(p);
    fastmap_store(out, bytes);
    uint32_t backslashes = fastmap_backslashes(bytes);
    if (backslashes) return (size_t)(p - start) + (size_t)__builtin_ctz(backslashes);
  }
#endif
  while (p < end && *p != '\\') *out++ = *p++;
  return (size_t)(p - start);
}

#endif
