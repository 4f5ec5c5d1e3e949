#include "scan.h"

static const uint8_t *skip_by_16(const uint8_t *p, const uint8_t *end) {
#ifdef FASTMAP_VECTOR
  for (; end - p >= 16; p += 16) {
    uint32_t special = fastmap_special(fastmap_load(p));
    if (special) return p + __builtin_ctz(special);
  }
#endif
  while (p < end && fastmap_is_plain(*p)) p++;
  return p;
}

#if defined(__x86_64__) && defined(FASTMAP_VECTOR)
#include <immintrin.h>

__attribute__((target("avx2"))) static const uint8_t *skip_by_32(const uint8_t *p, const uint8_t *end) {
  const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\');
  const __m256i space = _mm256_set1_epi8(' ');
  for (; end - p >= 32; p += 32) {
    __m256i bytes = _mm256_loadu_si256((const __m256i_u *)p);
    __m256i quoting = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, quote), _mm256_cmpeq_epi8(bytes, backslash));
    __m256i special = _mm256_or_si256(quoting, _mm256_cmpgt_epi8(space, bytes));
    uint32_t mask = (uint32_t)_mm256_movemask_epi8(special);
    if (mask) return p + __builtin_ctz(mask);
  }
  return skip_by_16(p, end);
}

const uint8_t *fastmap_skip_plain_far(const uint8_t *p, const uint8_t *end) {
  // A load and a test: no pointer to set up.
  return __builtin_cpu_supports("avx2") ? skip_by_32(p, end) : skip_by_16(p, end);
}
#else
const uint8_t *fastmap_skip_plain_far(const uint8_t *p, const uint8_t *end) { return skip_by_16(p, end); }
#endif
