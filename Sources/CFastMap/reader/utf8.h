#ifndef FASTMAP_UTF8_H
#define FASTMAP_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// How many of the four bytes in `word`, the first the lowest, are a UTF-8 sequence; 0 if none. The bits of the
// first two bytes that tell overlong forms, surrogates and values beyond U+10FFFF are tested together.
static inline int fastmap_utf8_length_of(uint32_t word) {
  if ((word & 0x00c0c0f0) == 0x008080e0) {
    uint32_t lead = word & 0x200f;
    return lead != 0 && lead != 0x200d ? 3 : 0;
  }
  if ((word & 0xc0e0) == 0x80c0) return word & 0x1e ? 2 : 0;
  uint32_t lead = word & 0x3007;
  return (word & 0xc0c0c0f8) == 0x808080f0 && lead != 0 && (!(lead & 4) || lead == 4) ? 4 : 0;
}

// Four bytes, completed near the end of the text by such as may follow.
static inline uint32_t fastmap_utf8_last_word(const uint8_t *p, ptrdiff_t left) {
  uint32_t word = p[0], second = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
  word |= (left > 1 ? p[1] : second) << 8 | (left > 2 ? p[2] : 0x80u) << 16 | 0x80000000;
  return word;
}

// The length of the sequence at `p` in bytes, or 0 if none begins there. `left` bytes can be read, at least one.
static inline int fastmap_utf8_length(const uint8_t *p, ptrdiff_t left) {
  uint32_t word = left < 4 ? fastmap_utf8_last_word(p, left)
                           : p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
  return fastmap_utf8_length_of(word);
}

// How many of the bytes come before the first that is not UTF-8: all, where all are.
static inline size_t fastmap_utf8_prefix(const uint8_t *bytes, size_t length) {
  size_t at = 0;
  while (at < length) {
    uint64_t word;
    if (length - at >= 8 && (memcpy(&word, bytes + at, 8), !(word & UINT64_C(0x8080808080808080)))) {
      at += 8;
    } else if (bytes[at] < 0x80) {
      at++;
    } else {
      size_t left = length - at;
      int sequence = fastmap_utf8_length(bytes + at, left > 4 ? 4 : (ptrdiff_t)left);
      if (!sequence || (size_t)sequence > left) return at;
      at += (size_t)sequence;
    }
  }
  return at;
}

#endif
