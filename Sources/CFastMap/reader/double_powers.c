#include <pthread.h>

#include "double.h"

// The table of Eisel-Lemire: the highest 128 bits of 5^n for n >= 0 and of 2^m/5^-n for n < 0. The table takes 10 KB
// and three million instructions to compute, once, for the first number that is not simpler. Written down it would be
// 651 lines to skip.

fastmap_power_of_five fastmap_powers_of_five[FASTMAP_LARGEST_POWER - FASTMAP_SMALLEST_POWER + 1];
atomic_bool fastmap_powers_are_known;

// An integer of 1024 bits, the lowest first. 2^128 × 5^308 takes 844, and 2^1023/5^342 leaves 229.
enum { WORDS = 32 };
typedef struct {
  uint32_t words[WORDS];
} wide;

static void multiply_by_5(wide *number) {
  uint64_t carry = 0;
  for (int i = 0; i < WORDS; i++) {
    carry += (uint64_t)number->words[i] * 5;
    number->words[i] = (uint32_t)carry;
    carry >>= 32;
  }
}

// Rounds down. To round down at every step is to round down once.
static void divide_by_5(wide *number) {
  uint64_t rest = 0;
  for (int i = WORDS - 1; i >= 0; i--) {
    rest = rest << 32 | number->words[i];
    number->words[i] = (uint32_t)(rest / 5);
    rest %= 5;
  }
}

static uint64_t bits_from(const wide *number, int first) {
  const uint32_t *word = &number->words[first / 32];
  uint64_t low = word[0] | (uint64_t)word[1] << 32;
  int shift = first % 32;
  return shift ? low >> shift | (uint64_t)word[2] << (64 - shift) : low;
}

static fastmap_power_of_five highest_bits(const wide *number) {
  int length = WORDS * 32;
  while (!(number->words[(length - 1) / 32] >> (length - 1) % 32 & 1)) length--;
  return (fastmap_power_of_five){.high = bits_from(number, length - 64),
                                 .low = bits_from(number, length - 128)};
}

static void compute(void) {
  fastmap_power_of_five *zero = &fastmap_powers_of_five[-FASTMAP_SMALLEST_POWER];
  wide number = {.words = {[4] = 1}};
  for (int n = 0; n <= FASTMAP_LARGEST_POWER; n++) {
    zero[n] = highest_bits(&number);
    multiply_by_5(&number);
  }
  number = (wide){.words = {[WORDS - 1] = 0x80000000}};
  for (int n = -1; n >= FASTMAP_SMALLEST_POWER; n--) {
    divide_by_5(&number);
    zero[n] = highest_bits(&number);
    if (n >= -27) zero[n].low++;  // 128 bits are all that the proof has here: rounded up they are enough
  }
  atomic_store_explicit(&fastmap_powers_are_known, true, memory_order_release);
}

void fastmap_compute_powers_of_five(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, compute);
}
