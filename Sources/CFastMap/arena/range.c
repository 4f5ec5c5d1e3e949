#define _DEFAULT_SOURCE 1  // MAP_ANONYMOUS

#include "range.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "fastmap_tree_arena.h"

// One range of addresses for the whole process, reserved at once and paid for where it is used, cut into
// megabytes. So an address is an arena's if it is in the range: a subtraction and a comparison.

enum { CHUNK = 1 << 20, WARM_CHUNKS = 8, LENT_CHUNKS = 256, HUGE_CHUNKS = 2, ROOM = 4 };

#if UINTPTR_MAX > UINT32_MAX
#define LARGEST_RANGE ((size_t)64 << 30)
#else
#define LARGEST_RANGE ((size_t)512 << 20)
#endif
#define SMALLEST_RANGE ((size_t)64 << 20)

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

static uint8_t *range_start;
static size_t range_size;  // 0 if the system gave none: arenas then hold nothing

// By chunk. Documents reuse memory without a system call. When a document frees its chunks, a few single chunks stay
// warm. The memory of a large document is lent to the system, which takes the pages if it needs them. Otherwise they
// wait for the next document.
enum state { COLD, WARM, LENT, TAKEN };
static uint8_t states[LARGEST_RANGE / CHUNK];
static size_t counts[TAKEN + 1];  // of chunks, by state; the count of cold ones wraps and means nothing
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// Addresses that leave three times as many to the rest of the process: where they are limited (ulimit -v, valgrind), maps, stacks and
// malloc need theirs. NULL where there are too few.
static uint8_t *reserve(size_t size) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  if (size > SIZE_MAX / ROOM) return NULL;
  uint8_t *start = mmap(NULL, size * ROOM, PROT_NONE, flags, -1, 0);
  if (start == MAP_FAILED) return NULL;
  munmap(start + size, size * (ROOM - 1));
  return start;
}

void fastmap_range_prepare(void) {
  for (size_t size = LARGEST_RANGE; size >= SMALLEST_RANGE; size /= 2) {
    uint8_t *start = reserve(size);
    if (!start) continue;
    // The reserve begins with a huge page, and so does every second chunk.
    size_t huge = (size_t)HUGE_CHUNKS * CHUNK, past = (uintptr_t)start % huge;
    range_start = start + (past ? huge - past : 0);
    range_size = past ? size - huge : size;
    return;
  }
}

bool fastmap_range_exists(void) { return range_size > 0; }

bool fastmap_tree_arena_holds(const void *node) {
  return (uintptr_t)node - (uintptr_t)range_start < range_size;
}

// The first of `count` free chunks in a row, on a huge page if they are several; the number of all chunks if
// there is none.
static size_t find(size_t count) {
  size_t all = range_size / CHUNK, row = 0;
  size_t step = count > 1 ? HUGE_CHUNKS : 1;
  for (size_t i = 0; i < all; i++) {
    bool may_begin = row || i % step == 0;
    row = states[i] == TAKEN || !may_begin ? 0 : row + 1;
    if (row == count) return i + 1 - count;
  }
  return all;
}

// A run of several chunks is most likely filled: huge pages, where the system has them, cost a fault for 2 MiB
// and not for 4 KiB. A single chunk is not worth one.
static void ask_for_huge_pages(size_t first, size_t count) {
#ifdef MADV_HUGEPAGE
  if (count >= HUGE_CHUNKS) madvise(range_start + first * CHUNK, count * CHUNK, MADV_HUGEPAGE);
#else
  (void)first, (void)count;
#endif
}

static size_t find_warm(void) {
  const uint8_t *warm = counts[WARM] ? memchr(states, WARM, range_size / CHUNK) : NULL;
  return warm ? (size_t)(warm - states) : find(1);
}

static void set_state(size_t first, size_t count, enum state state) {
  for (size_t i = first; i < first + count; i++) {
    counts[states[i]]--;
    counts[state]++;
    states[i] = state;
  }
}

static bool take(size_t first, size_t count) {
  bool is_warm = count == 1 && states[first] == WARM;
  if (!is_warm && mprotect(range_start + first * CHUNK, count * CHUNK, PROT_READ | PROT_WRITE)) return false;
  if (!is_warm) ask_for_huge_pages(first, count);
  set_state(first, count, TAKEN);
  return true;
}

fastmap_run fastmap_range_take(size_t size) {
  fastmap_run run = {0};
  if (size > range_size) return run;
  size_t count = (size + CHUNK - 1) / CHUNK;
  pthread_mutex_lock(&mutex);
  size_t first = count == 1 ? find_warm() : find(count);
  if (first < range_size / CHUNK && take(first, count))
    run = (fastmap_run){.start = range_start + first * CHUNK, .size = count * CHUNK};
  pthread_mutex_unlock(&mutex);
  return run;
}

// Where the system knows no such loan, or refuses it, a run is mapped again. Lent memory is out of reach.
static bool lend(fastmap_run run) {
#ifdef MADV_FREE
  return !madvise(run.start, run.size, MADV_FREE) && !mprotect(run.start, run.size, PROT_NONE);
#else
  return (void)run, false;
#endif
}

// Maps a run anew, which gives its memory back to the system. Where that fails it stays, unused.
static void cool(fastmap_run run) {
  mmap(run.start, run.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static enum state let_go(fastmap_run run, size_t count) {
  if (count == 1 && counts[WARM] < WARM_CHUNKS) return WARM;
  if (counts[LENT] + count <= LENT_CHUNKS && lend(run)) return LENT;
  cool(run);
  return COLD;
}

void fastmap_range_give_back(fastmap_run run) {
  size_t first = (size_t)(run.start - range_start) / CHUNK, count = run.size / CHUNK;
  FASTMAP_POISON(run.start, run.size);
  pthread_mutex_lock(&mutex);
  set_state(first, count, let_go(run, count));
  pthread_mutex_unlock(&mutex);
}

size_t fastmap_tree_arena_lent(void) {
  pthread_mutex_lock(&mutex);
  size_t count = counts[LENT];
  pthread_mutex_unlock(&mutex);
  return count * CHUNK;
}
