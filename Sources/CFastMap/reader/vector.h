#ifndef FASTMAP_VECTOR_H
#define FASTMAP_VECTOR_H

#include <stdint.h>

// Sixteen bytes at once, with SSE2 or NEON, which every x86-64 and every arm64 has; a mask has the bits 0 to
// 15 for them. Elsewhere FASTMAP_VECTOR is not defined.

#define FASTMAP_INLINE static inline __attribute__((always_inline))

#if defined(FASTMAP_PLAIN)  // in tests: as if there were neither
#elif defined(__SSE2__)
#define FASTMAP_VECTOR 1
#include <emmintrin.h>

typedef __m128i fastmap_bytes;

FASTMAP_INLINE fastmap_bytes fastmap_load(const uint8_t *p) {
  return _mm_loadu_si128((const __m128i_u *)p);
}
FASTMAP_INLINE void fastmap_store(uint8_t *p, fastmap_bytes bytes) {
  _mm_storeu_si128((__m128i_u *)p, bytes);
}
FASTMAP_INLINE uint32_t fastmap_mask(fastmap_bytes truths) { return (uint32_t)_mm_movemask_epi8(truths); }
FASTMAP_INLINE fastmap_bytes fastmap_or(fastmap_bytes a, fastmap_bytes b) { return _mm_or_si128(a, b); }
FASTMAP_INLINE fastmap_bytes fastmap_equal(fastmap_bytes bytes, char byte) {
  return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte));
}
FASTMAP_INLINE fastmap_bytes fastmap_less(fastmap_bytes bytes, signed char byte) {
  return _mm_cmplt_epi8(bytes, _mm_set1_epi8(byte));
}

#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)
#define FASTMAP_VECTOR 1
#include <arm_neon.h>

typedef uint8x16_t fastmap_bytes;

FASTMAP_INLINE fastmap_bytes fastmap_load(const uint8_t *p) { return vld1q_u8(p); }
FASTMAP_INLINE void fastmap_store(uint8_t *p, fastmap_bytes bytes) { vst1q_u8(p, bytes); }
FASTMAP_INLINE uint32_t fastmap_mask(fastmap_bytes truths) {
  const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  fastmap_bytes bits = vandq_u8(truths, vld1q_u8(weights));
  return vaddv_u8(vget_low_u8(bits)) | (uint32_t)vaddv_u8(vget_high_u8(bits)) << 8;
}
FASTMAP_INLINE fastmap_bytes fastmap_or(fastmap_bytes a, fastmap_bytes b) { return vorrq_u8(a, b); }
FASTMAP_INLINE fastmap_bytes fastmap_equal(fastmap_bytes bytes, char byte) {
  return vceqq_u8(bytes, vdupq_n_u8((uint8_t)byte));
}
FASTMAP_INLINE fastmap_bytes fastmap_less(fastmap_bytes bytes, signed char byte) {
  return vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(byte));
}
#endif

#ifdef FASTMAP_VECTOR
/// Quotes, backslashes, control characters, and as the comparison is signed, all that is not ASCII.
FASTMAP_INLINE uint32_t fastmap_special(fastmap_bytes bytes) {
  fastmap_bytes quoting = fastmap_or(fastmap_equal(bytes, '"'), fastmap_equal(bytes, '\\'));
  return fastmap_mask(fastmap_or(quoting, fastmap_less(bytes, 0x20)));
}

FASTMAP_INLINE uint32_t fastmap_not_space(fastmap_bytes bytes) {
  fastmap_bytes breaks = fastmap_or(fastmap_equal(bytes, '\n'), fastmap_equal(bytes, '\r'));
  fastmap_bytes blanks = fastmap_or(fastmap_equal(bytes, ' '), fastmap_equal(bytes, '\t'));
  return fastmap_mask(fastmap_or(breaks, blanks)) ^ 0xffff;
}

FASTMAP_INLINE uint32_t fastmap_backslashes(fastmap_bytes bytes) {
  return fastmap_mask(fastmap_equal(bytes, '\\'));
}
#endif

#endif
