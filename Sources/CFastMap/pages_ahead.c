#include "pages_search.h"

// The searches for many keys beside each other, look by look: while the memory that one waits for comes, the others ask for theirs. In a
// tree that no cache holds, a search waits some ten times; sixteen wait for each other.

#define LANES 16
// Of smaller trees, the caches hold most.
#define LEAST_LEVELS 3

struct lane {
  fastmap_page_cursor cursor;
  struct fastmap_scale scale;
  struct fastmap_search search;
  bool is_on;
};

// A page's header, and where its first 56 nodes stand.
static void ask_for_page(const struct lane *lane) {
  const fastmap_page_cursor *cursor = &lane->cursor;
  const struct fastmap_page_step *step = &cursor->path[cursor->levels - 1];
  const uint8_t *node = fastmap_page_node(step->page, step->index, cursor->pages.page_size);
  if (!node) return;
  uint64_t number = fastmap_page_32(node) | (uint64_t)fastmap_page_16(node + 4) << 32;
  if (number >= cursor->pages.count) return;
  const uint8_t *page = cursor->pages.map + number * cursor->pages.page_size;
  __builtin_prefetch(page);
  __builtin_prefetch(page + 64);
}

// The node that the next look is at: its key and, of a leaf, the beginning of its value.
static void ask_for_node(const struct lane *lane) {
  const fastmap_page_cursor *cursor = &lane->cursor;
  const uint8_t *page = cursor->path[cursor->levels - 1].page;
  uint32_t offset = fastmap_page_16(page + FASTMAP_PAGE_HEADER + 2 * lane->search.middle);
  if (offset >= cursor->pages.page_size) return;
  __builtin_prefetch(page + offset);
  __builtin_prefetch(page + offset + 64);
}

static void begin(struct lane *lane) {
  const fastmap_page_cursor *cursor = &lane->cursor;
  fastmap_search_begin(&lane->search, cursor, fastmap_scale_guess(&lane->scale, cursor->path[cursor->levels - 1].count));
}

// Looks until the place in the page of every lane is found.
static void search(struct lane *lanes, uint32_t count) {
  for (uint32_t index = 0; index < count; index++)
    if (lanes[index].is_on) ask_for_node(&lanes[index]);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (struct lane *lane = lanes; lane < lanes + count; lane++) {
      if (!lane->is_on || !fastmap_search_goes_on(&lane->search)) continue;
      lane->is_on = fastmap_search_look(&lane->search, &lane->cursor, lane->scale.key, lane->scale.length);
      if (!lane->is_on || !fastmap_search_goes_on(&lane->search)) continue;
      ask_for_node(lane);
      goes_on = true;
    }
  }
}

static void descend(struct lane *lanes, uint32_t count) {
  for (uint32_t level = 1; level < lanes->cursor.tree.levels; level++) {
    search(lanes, count);
    for (struct lane *lane = lanes; lane < lanes + count; lane++) {
      if (!lane->is_on) continue;
      fastmap_page_cursor *cursor = &lane->cursor;
      cursor->path[cursor->levels - 1].index = fastmap_search_index(&lane->search, cursor);
      fastmap_scale_narrow(&lane->scale, cursor);
      ask_for_page(lane);
    }
    for (struct lane *lane = lanes; lane < lanes + count; lane++) {
      if (!lane->is_on) continue;
      lane->is_on = fastmap_page_push_child(&lane->cursor);
      if (lane->is_on) begin(lane);
    }
  }
  search(lanes, count);
}

void fastmap_snapshot_ahead(const fastmap_snapshot *snapshot, uint32_t tree, const fastmap_page_key *keys, size_t count) {
  if (snapshot->trees[tree].root == FASTMAP_NO_ROOT || snapshot->trees[tree].levels < LEAST_LEVELS) return;
  fastmap_pages pages = snapshot->pages;
  pages.is_strict = 0;
  struct lane lanes[LANES];
  for (size_t first = 0; first < count; first += LANES) {
    uint32_t width = count - first < LANES ? (uint32_t)(count - first) : LANES;
    for (uint32_t index = 0; index < width; index++) {
      struct lane *lane = &lanes[index];
      const fastmap_page_key *key = &keys[first + index];
      fastmap_page_cursor_init(&lane->cursor, &pages, &snapshot->trees[tree]);
      lane->scale = (struct fastmap_scale){key->bytes, key->length, 0, 0, false, false};
      lane->is_on = fastmap_page_push_root(&lane->cursor);
      if (lane->is_on) begin(lane);
    }
    descend(lanes, width);
  }
}
