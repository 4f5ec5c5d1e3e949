#include "cursor.h"

_Static_assert(sizeof(fastmap_snapshot) <= 1024, "a snapshot is lent on the stack");

void fastmap_snapshot_keep(fastmap_snapshot *snapshot, uint32_t near_tree) {
  fastmap_pages pages = snapshot->pages;
  pages.is_strict = 0;
  snapshot->near_tree = near_tree;
  fastmap_page_cursor_init(&snapshot->near, &pages, &snapshot->trees[near_tree]);
}

void fastmap_snapshot_open(const fastmap_snapshot *snapshot, uint32_t tree, fastmap_page_cursor *cursor) {
  fastmap_page_cursor_init(cursor, &snapshot->pages, &snapshot->trees[tree]);
}

static fastmap_page_answer get(fastmap_snapshot *snapshot, uint32_t tree, const void *key, size_t length, bool is_sweep,
                               fastmap_page_entry *entry, fastmap_page_fault *fault) {
  fastmap_page_cursor here, *cursor = &snapshot->near;
  fastmap_pages pages = snapshot->pages;
  // A key that is found is verified by its checksum later. Only a missing key needs the checks.
  pages.is_strict = 0;
  if (tree != snapshot->near_tree) fastmap_page_cursor_init(cursor = &here, &pages, &snapshot->trees[tree]);
  fastmap_page_answer found = fastmap_page_find(cursor, key, length, is_sweep);
  if (found == FASTMAP_PAGE_NONE && snapshot->pages.is_strict) {
    fastmap_page_cursor_init(cursor = &here, &snapshot->pages, &snapshot->trees[tree]);
    found = fastmap_page_seek(cursor, key, length);
  }
  if (found == FASTMAP_PAGE_NONE || found == FASTMAP_PAGE_AFTER) return FASTMAP_PAGE_NONE;
  *entry = cursor->entry;
  *fault = cursor->fault;
  return found;
}

fastmap_page_answer fastmap_snapshot_get(fastmap_snapshot *snapshot, uint32_t tree, const void *key, size_t length,
                                         fastmap_page_entry *entry, fastmap_page_fault *fault) {
  return get(snapshot, tree, key, length, false, entry, fault);
}

fastmap_page_answer fastmap_snapshot_sweep(fastmap_snapshot *snapshot, uint32_t tree, const void *key, size_t length,
                                           fastmap_page_entry *entry, fastmap_page_fault *fault) {
  return get(snapshot, tree, key, length, true, entry, fault);
}
