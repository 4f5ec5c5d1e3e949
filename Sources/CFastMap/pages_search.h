#ifndef FASTMAP_PAGES_SEARCH_H
#define FASTMAP_PAGES_SEARCH_H

#include "pages_internal.h"

// What keys of 8 to 16 bytes tell of each other's distance: their last 8 bytes, where what comes before is the same.
struct fastmap_scale {
  const uint8_t *key;
  size_t length;
  uint64_t lower, upper;
  bool has_lower, has_upper;
};

static inline bool fastmap_scale_measure(const struct fastmap_scale *scale, const uint8_t *node, uint64_t *place) {
  const uint8_t *key = fastmap_node_key(node);
  if (fastmap_node_key_length(node) != scale->length || memcmp(key, scale->key, scale->length - 8)) return false;
  *place = fastmap_big_endian(key + scale->length - 8);
  return true;
}

// Where a key would be if those between the bounds of the page were evenly spread, as numbers that were counted are: then one
// look replaces the seven of a search by halves, each at memory that no cache holds.
static inline uint32_t fastmap_scale_guess(const struct fastmap_scale *scale, uint32_t count) {
  if (!scale->has_lower || !scale->has_upper) return UINT32_MAX;
  uint64_t place = fastmap_big_endian(scale->key + scale->length - 8);
  if (place < scale->lower || place >= scale->upper) return UINT32_MAX;
  return (uint32_t)((double)(place - scale->lower) / (double)(scale->upper - scale->lower) * count);
}

// Narrows the bounds to those of the page below the last step; those of other keys tell nothing.
static inline void fastmap_scale_narrow(struct fastmap_scale *scale, const fastmap_page_cursor *cursor) {
  if (scale->length < 8 || scale->length > 16) return;
  const struct fastmap_page_step *step = &cursor->path[cursor->levels - 1];
  uint32_t page_size = cursor->pages.page_size;
  if (step->index > 0) {
    const uint8_t *node = fastmap_page_node(step->page, step->index, page_size);
    scale->has_lower = node && fastmap_scale_measure(scale, node, &scale->lower);
  }
  if (step->index + 1 < step->count) {
    const uint8_t *node = fastmap_page_node(step->page, step->index + 1, page_size);
    scale->has_upper = node && fastmap_scale_measure(scale, node, &scale->upper);
  }
}

// The search for a key in the page of the last step, look by look: of a leaf, for the first key that is not before it; of a branch,
// for the last one that is not behind it.
struct fastmap_search {
  uint32_t low, high, middle, stride;
  int direction;
  bool is_exact;
};

// Begins at `guess`, if that is one of the page's, and goes on in strides, which double, until the place is between two of them.
static inline void fastmap_search_begin(struct fastmap_search *search, const fastmap_page_cursor *cursor, uint32_t guess) {
  uint32_t low = cursor->levels == cursor->tree.levels ? 0 : 1, high = cursor->path[cursor->levels - 1].count;
  bool has_guess = guess >= low && guess < high;
  *search = (struct fastmap_search){low, high, has_guess ? guess : (low + high) / 2, has_guess, 0, false};
}

static inline bool fastmap_search_goes_on(const struct fastmap_search *search) {
  return search->low < search->high && !search->is_exact;
}

// One look. Returns false, and the cursor has its fault, where it leads off the page.
static inline bool fastmap_search_look(struct fastmap_search *search, fastmap_page_cursor *cursor, const uint8_t *key,
                                       size_t length) {
  const uint8_t *page = cursor->path[cursor->levels - 1].page;
  const uint8_t *node = fastmap_page_node(page, search->middle, cursor->pages.page_size);
  if (!node) return fastmap_page_fail(cursor, fastmap_page_64(page), "an entry is not on it");
  int order = fastmap_compare_keys(key, length, fastmap_node_key(node), fastmap_node_key_length(node));
  search->is_exact = order == 0;
  if (order == 0) return true;
  if (order < 0) search->high = search->middle; else search->low = search->middle + 1;
  uint32_t low = search->low, high = search->high, stride = search->stride;
  if (search->direction * order < 0) search->stride = stride = 0;
  if (stride == 0) {
    search->middle = (low + high) / 2;
    return true;
  }
  if (order < 0) search->middle = high - low > stride ? high - stride : low;
  else search->middle = high - low > stride ? low + stride - 1 : high - 1;
  search->direction = order < 0 ? -1 : 1;
  search->stride = stride * 2;
  return true;
}

// Where the search has ended.
static inline uint32_t fastmap_search_index(const struct fastmap_search *search, const fastmap_page_cursor *cursor) {
  if (search->is_exact) return search->middle;
  return cursor->levels == cursor->tree.levels ? search->low : search->low - 1;
}

#endif
