#include "fastmap_checksum.h"

#include <stdbool.h>
#include <string.h>

// Slicing by 8. The table is linear, so entry n is the sum of the entries of n's bits: eight numbers make 256. They
// are the polynomial, shifted once more from each to the one on its left, and from each slice to the next.
#define ENTRY(n, a, b, c, d, e, f, g, h) \
  (((n) & 1 ? a : 0) ^ ((n) & 2 ? b : 0) ^ ((n) & 4 ? c : 0) ^ ((n) & 8 ? d : 0) ^ \
   ((n) & 16 ? e : 0) ^ ((n) & 32 ? f : 0) ^ ((n) & 64 ? g : 0) ^ ((n) & 128 ? h : 0))
#define FOUR(n, ...) \
  ENTRY(n, __VA_ARGS__), ENTRY(n + 1, __VA_ARGS__), ENTRY(n + 2, __VA_ARGS__), ENTRY(n + 3, __VA_ARGS__)
#define SIXTEEN(n, ...) \
  FOUR(n, __VA_ARGS__), FOUR(n + 4, __VA_ARGS__), FOUR(n + 8, __VA_ARGS__), FOUR(n + 12, __VA_ARGS__)
#define SIXTY_FOUR(n, ...) \
  SIXTEEN(n, __VA_ARGS__), SIXTEEN(n + 16, __VA_ARGS__), SIXTEEN(n + 32, __VA_ARGS__), \
      SIXTEEN(n + 48, __VA_ARGS__)
#define SLICE(...) \
  {SIXTY_FOUR(0, __VA_ARGS__), SIXTY_FOUR(64, __VA_ARGS__), SIXTY_FOUR(128, __VA_ARGS__), \
   SIXTY_FOUR(192, __VA_ARGS__)}

static const uint32_t slices[8][256] = {
  SLICE(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf, 0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78),
  SLICE(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8, 0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9),
  SLICE(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5, 0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743),
  SLICE(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6, 0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f),
  SLICE(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91, 0x8f2261d3, 0x1ba8b557, 0x37516aae, 0x6ea2d55c),
  SLICE(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f, 0xc00c303e, 0x85f4168d, 0x0e045beb, 0x1c08b7d6),
  SLICE(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53, 0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4),
  SLICE(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da, 0x847609b4, 0x0d006599, 0x1a00cb32, 0x34019664),
};

#if defined(__x86_64__) || defined(__aarch64__)
// A sum after 128 bytes of zero, by the bytes of the sum before. Two sums of neighbours become one with it.
enum { STRIDE = 128 };
static const uint32_t strides[4][256] = {
  SLICE(0x6992cea2, 0xd3259d44, 0xa3a74c79, 0x42a2ee03, 0x8545dc06, 0x0f67cefd, 0x1ecf9dfa, 0x3d9f3bf4),
  SLICE(0x7b3e77e8, 0xf67cefd0, 0xe915a951, 0xd7c72453, 0xaa623e57, 0x51280a5f, 0xa25014be, 0x414c5f8d),
  SLICE(0x8298bf1a, 0x00dd08c5, 0x01ba118a, 0x03742314, 0x06e84628, 0x0dd08c50, 0x1ba118a0, 0x37423140),
  SLICE(0x6e846280, 0xdd08c500, 0xbffdfcf1, 0x7a178f13, 0xf42f1e26, 0xedb24abd, 0xde88e38b, 0xb8fdb1e7),
};

static inline uint32_t after_stride(uint32_t crc) {
  return strides[0][crc & 255] ^ strides[1][crc >> 8 & 255] ^ strides[2][crc >> 16 & 255] ^ strides[3][crc >> 24];
}
#endif

static uint32_t crc_by_table(uint32_t seed, const uint8_t *next, size_t count) {
  uint32_t crc = ~seed;
  for (; count >= 8; next += 8, count -= 8) {
    crc ^= (uint32_t)next[0] | (uint32_t)next[1] << 8 | (uint32_t)next[2] << 16 | (uint32_t)next[3] << 24;
    crc = slices[7][crc & 255] ^ slices[6][crc >> 8 & 255] ^ slices[5][crc >> 16 & 255] ^
          slices[4][crc >> 24] ^ slices[3][next[4]] ^ slices[2][next[5]] ^ slices[1][next[6]] ^
          slices[0][next[7]];
  }
  for (; count; next++, count--) crc = crc >> 8 ^ slices[0][(crc ^ *next) & 255];
  return ~crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>
#define HAS_INSTRUCTION __builtin_cpu_supports("sse4.2")  // a load and a test: no pointer to set up
#define INSTRUCTION __attribute__((target("sse4.2")))
#define CRC_64(crc, value) (uint32_t)_mm_crc32_u64(crc, value)
#define CRC_32 _mm_crc32_u32
#define CRC_16 _mm_crc32_u16
#define CRC_8 _mm_crc32_u8
#elif defined(__aarch64__) && !defined(__ARM_BIG_ENDIAN)
// Compilers differ in how a function for some processors is marked: the assembler is told instead.
#define ARM_CRC(name, type, instruction)                                                             \
  static inline uint32_t name(uint32_t crc, type value) {                                            \
    __asm__(".arch_extension crc\n\t" instruction : "+r"(crc) : "r"(value));                         \
    return crc;                                                                                      \
  }
ARM_CRC(CRC_64, uint64_t, "crc32cx %w0, %w0, %x1")
ARM_CRC(CRC_32, uint32_t, "crc32cw %w0, %w0, %w1")
ARM_CRC(CRC_16, uint16_t, "crc32ch %w0, %w0, %w1")
ARM_CRC(CRC_8, uint8_t, "crc32cb %w0, %w0, %w1")
#define INSTRUCTION
#if defined(__ARM_FEATURE_CRC32) || defined(__APPLE__)
#define HAS_INSTRUCTION 1
#elif defined(__linux__)
#include <stdatomic.h>
#include <sys/auxv.h>
#define HAS_INSTRUCTION has_instruction()
// ARMv8.0 may lack the instruction. The system is asked once, because its answer never changes.
static bool has_instruction(void) {
  enum { UNKNOWN, NO, YES, CRC32 = 1 << 7 };
  static _Atomic unsigned char answer;
  unsigned char known = atomic_load_explicit(&answer, memory_order_relaxed);
  if (known == UNKNOWN) {
    known = getauxval(AT_HWCAP) & CRC32 ? YES : NO;
    atomic_store_explicit(&answer, known, memory_order_relaxed);
  }
  return known == YES;
}
#else
#define HAS_INSTRUCTION 0
#endif
#endif

#ifdef INSTRUCTION
static inline uint64_t word(const uint8_t *bytes) {
  uint64_t value;
  memcpy(&value, bytes, 8);
  return value;
}

// An instruction takes three cycles, and three of them can be under way. So three parts are summed side by side.
INSTRUCTION static uint32_t crc_by_strides(uint32_t crc, const uint8_t *next, size_t count) {
  for (; count >= 3 * STRIDE; next += 3 * STRIDE, count -= 3 * STRIDE) {
    uint32_t second = 0, third = 0;
    for (size_t at = 0; at < STRIDE; at += 8) {
      crc = CRC_64(crc, word(next + at));
      second = CRC_64(second, word(next + STRIDE + at));
      third = CRC_64(third, word(next + 2 * STRIDE + at));
    }
    crc = after_stride(after_stride(crc) ^ second) ^ third;
  }
  return crc;
}

INSTRUCTION static uint32_t crc_of_rest(uint32_t crc, const uint8_t *next, size_t count) {
  for (; count >= 8; next += 8, count -= 8) crc = CRC_64(crc, word(next));
  if (count & 4) {
    uint32_t value;
    memcpy(&value, next, 4);
    crc = CRC_32(crc, value);
    next += 4;
  }
  if (count & 2) {
    uint16_t value;
    memcpy(&value, next, 2);
    crc = CRC_16(crc, value);
    next += 2;
  }
  if (count & 1) crc = CRC_8(crc, *next);
  return crc;
}

INSTRUCTION static uint32_t crc_by_instruction(uint32_t seed, const uint8_t *next, size_t count) {
  uint32_t crc = ~seed;
  if (count >= 3 * STRIDE) {
    crc = crc_by_strides(crc, next, count);
    size_t done = count - count % (3 * STRIDE);
    next += done;
    count -= done;
  }
  return ~crc_of_rest(crc, next, count);
}
#endif

uint32_t fastmap_crc32c(uint32_t seed, const void *bytes, size_t count) {
#ifdef INSTRUCTION
  if (HAS_INSTRUCTION) return crc_by_instruction(seed, bytes, count);
#endif
  return crc_by_table(seed, bytes, count);
}
