#include <stddef.h>
#include <stdint.h>

int fastmap_fuzz_filter(const uint8_t *start, size_t count);  // FilterFuzz.swift

// In C, as libFuzzer has the main function, and the package manager wants one of its own from an executable in Swift.
int LLVMFuzzerTestOneInput(const uint8_t *start, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *start, size_t count) { return fastmap_fuzz_filter(start, count); }
