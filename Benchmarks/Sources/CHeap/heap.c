#include "heap.h"

#include <stdlib.h>

#if defined(__GLIBC__)

#include <malloc.h>

// What an executable defines takes the place of the C library's own in every library that it loads. A
// thread's own counter costs one instruction a call, so times can be taken with it in place.

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static _Thread_local uint64_t calls;

void *malloc(size_t size) {
  calls++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  calls++;
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  calls++;
  return __libc_realloc(old, size);
}

bool heap_is_known(void) { return true; }
uint64_t heap_call_count(void) { return calls; }
void heap_trim(void) { malloc_trim(0); }

#else

bool heap_is_known(void) { return false; }
uint64_t heap_call_count(void) { return 0; }
void heap_trim(void) {}

#endif
