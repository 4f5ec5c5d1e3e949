#ifndef FASTMAP_MACHINE_H
#define FASTMAP_MACHINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Prints the C core's results for the same input on any machine: scripts/check-machines compares the outputs.

/// The next of a series of numbers that is the same everywhere.
static inline uint64_t next_number(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/// Prints a text so that its bytes can be told apart on a line.
static inline void print_bytes(const void *bytes, size_t length) {
  for (const uint8_t *p = bytes; length--; p++)
    if (*p < 0x20 || *p >= 0x7f || *p == '\\') printf("\\%02x", *p);
    else putchar(*p);
}

void print_reading(const char *name, const void *bytes, size_t length);
void print_numbers(void);
void print_walk(void);
void print_checksums(void);
void print_base64(void);
void print_dates(void);
void print_pages(void);

#endif
