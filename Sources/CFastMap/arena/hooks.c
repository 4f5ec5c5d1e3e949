#include "hooks.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

// The hooks before ours. They serve all memory outside of arenas.
static json_malloc_t previous_malloc = malloc;
static json_free_t previous_free = free;

static _Thread_local fastmap_tree_arena *current;

// A thread that sees our hooks must see the previous ones. jansson reads its hooks as plain variables, so the
// reader's half of the order is here: values that are read behind the fence are not older than the hook.
static void see_previous(void) { atomic_thread_fence(memory_order_acquire); }

// jansson stores nothing wider than a pointer, a double or a json_int_t.
enum { ALIGNMENT = 8 };
_Static_assert(_Alignof(void *) <= ALIGNMENT && _Alignof(double) <= ALIGNMENT &&
                   _Alignof(json_int_t) <= ALIGNMENT,
               "pieces of an arena must suit everything in a tree");

static void *arena_malloc(size_t size);

// Out of line, and called last, so that the usual way saves no registers.
static __attribute__((noinline)) void *malloc_elsewhere(size_t size) {
  if (current) return fastmap_tree_arena_grow(current, size) ? arena_malloc(size) : NULL;
  see_previous();
  return previous_malloc(size);
}

static void *arena_malloc(size_t size) {
  fastmap_tree_arena *arena = current;
  size_t rounded = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  if (!arena || rounded > (size_t)(arena->end - arena->next)) return malloc_elsewhere(size);
  void *result = arena->next;
  arena->next += rounded;
  FASTMAP_UNPOISON(result, size);
  return result;
}

static void arena_free(void *memory) {
  if (fastmap_tree_arena_holds(memory)) return;
  see_previous();
  previous_free(memory);
}

static void install(void) {
  fastmap_range_prepare();
  json_get_alloc_funcs(&previous_malloc, &previous_free);
  atomic_thread_fence(memory_order_release);
  json_set_alloc_funcs(arena_malloc, arena_free);
}

void fastmap_hooks_install(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
}

bool fastmap_hooks_enter(fastmap_tree_arena *arena) {
  json_malloc_t malloc_now;
  json_free_t free_now;
  json_get_alloc_funcs(&malloc_now, &free_now);
  if (malloc_now != arena_malloc || free_now != arena_free || !fastmap_range_exists()) return false;
  current = arena;
  return true;
}

void fastmap_hooks_leave(void) { current = NULL; }
