#include "cursor.h"
#include "check.h"
#include "node.h"

static bool fail(fastmap_page_cursor *cursor, uint64_t page, const char *detail) {
  cursor->levels = 0;
  cursor->has_failed = true;
  cursor->fault = (fastmap_page_fault){detail, page};
  return false;
}

// Whether `count` pages from `first` on are in the file, and the first one is not free. The pages of a run are freed together.
static bool has(fastmap_page_cursor *cursor, uint64_t first, uint64_t count) {
  const fastmap_pages *pages = &cursor->pages;
  if (first < 2 || first >= pages->count || count > pages->count - first)
    return fail(cursor, first, "outside of the file");
  if (pages->free && pages->free[first / 64] >> first % 64 & 1)
    return fail(cursor, first, "in use, and on the list of free pages");
  return true;
}

// The key of a node of a page above. The page was checked, perhaps before the disk damaged it, so the node may be gone.
static bool bound(fastmap_page_cursor *cursor, const struct fastmap_page_step *step, uint32_t index, struct page_key *key) {
  const uint8_t *node = page_node(step->page, cursor->pages.page_size, index);
  if (!node) return fail(cursor, page_number(step->page), "an entry lies outside of the page");
  *key = (struct page_key){node_key(node), node_key_length(node)};
  return true;
}

// A page does not change while it is in use, and it has one kind: its nodes need one check. A page that is written again later was
// written by a process that has verified the store, or as much of a large one as configured.
static const char *check_nodes_once(const fastmap_pages *pages, const uint8_t *page, bool is_leaf) {
  uint64_t number = page_number(page), bit = UINT64_C(1) << number % 64;
  uint64_t *word = number < pages->checked_count ? &pages->checked[number / 64] : NULL;
  if (word && __atomic_load_n(word, __ATOMIC_RELAXED) & bit) return NULL;
  const char *detail = fastmap_page_check_nodes(page, pages->page_size, is_leaf, ORDER_BYTES);
  if (word && !detail) __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
  return detail;
}

// Checks a page below the first `level` steps, which were checked before.
static bool look_over(fastmap_page_cursor *cursor, const uint8_t *page, uint32_t level) {
  uint32_t page_size = cursor->pages.page_size;
  bool is_leaf = level + 1 == cursor->tree.levels;
  const char *detail = check_nodes_once(&cursor->pages, page, is_leaf);
  if (detail) return fail(cursor, page_number(page), detail);
  struct page_key lower = {NULL, 0}, upper = {NULL, 0};
  for (uint32_t above = level; above-- > 0 && !(lower.bytes && upper.bytes);) {
    const struct fastmap_page_step *step = &cursor->path[above];
    if (!lower.bytes && step->index > 0 && !bound(cursor, step, step->index, &lower)) return false;
    if (!upper.bytes && step->index + 1 < step->count && !bound(cursor, step, step->index + 1, &upper)) return false;
  }
  detail = fastmap_page_check_bounds(page, page_size, is_leaf, ORDER_BYTES, lower, upper);
  return detail ? fail(cursor, page_number(page), detail) : true;
}

// Goes to the page below the last step of the path, or to the root.
static bool push(fastmap_page_cursor *cursor, uint64_t number) {
  const fastmap_pages *pages = &cursor->pages;
  uint32_t level = cursor->levels;
  if (!has(cursor, number, 1)) return false;
  const uint8_t *page = pages->map + number * pages->page_size;
  bool is_leaf = level + 1 == cursor->tree.levels;
  const char *detail = page_check_header(page, number, is_leaf);
  if (detail) return fail(cursor, number, detail);
  // LMDB has no page without an entry, and no branch that leads to one page only.
  if (!page_has_bounds(page, pages->page_size, is_leaf ? 1 : 2)) return fail(cursor, number, "its header is damaged");
  if (pages->is_strict && !look_over(cursor, page, level)) return false;
  cursor->path[level] = (struct fastmap_page_step){page, 0, page_nodes(page)};
  cursor->levels = level + 1;
  return true;
}

static bool push_child(fastmap_page_cursor *cursor) {
  const struct fastmap_page_step *step = &cursor->path[cursor->levels - 1];
  const uint8_t *node = page_node(step->page, cursor->pages.page_size, step->index);
  if (!node) return fail(cursor, page_number(step->page), "an entry lies outside of the page");
  return push(cursor, node_child(node));
}

static bool push_root(fastmap_page_cursor *cursor) {
  cursor->levels = 0;
  cursor->has_failed = false;
  if (cursor->tree.levels < 1 || cursor->tree.levels > FASTMAP_PAGE_LEVELS)
    return fail(cursor, cursor->tree.root, "wrong number of levels");
  return push(cursor, cursor->tree.root);
}

// Goes down to the first or the last entry below the last step.
static bool push_edge(fastmap_page_cursor *cursor, bool is_last) {
  while (true) {
    struct fastmap_page_step *step = &cursor->path[cursor->levels - 1];
    step->index = is_last ? step->count - 1 : 0;
    if (cursor->levels == cursor->tree.levels) return true;
    if (!push_child(cursor)) return false;
  }
}

// The distance of keys of 8 to 16 bytes: the distance of their last 8 bytes, if their first bytes are equal.
struct scale {
  const uint8_t *key;
  size_t length;
  uint64_t lower, upper;
  bool has_lower, has_upper;
};

static bool measure(const struct scale *scale, const uint8_t *node, uint64_t *place) {
  const uint8_t *key = node_key(node);
  if (node_key_length(node) != scale->length || memcmp(key, scale->key, scale->length - 8)) return false;
  *place = fastmap_big_endian_64(key + scale->length - 8);
  return true;
}

// The place of a key if all keys of the page are evenly spread, as counted numbers are. One cache miss then replaces the seven of a
// binary search.
static uint32_t guess(const struct scale *scale, uint32_t count) {
  if (!scale->has_lower || !scale->has_upper) return UINT32_MAX;
  uint64_t place = fastmap_big_endian_64(scale->key + scale->length - 8);
  if (place < scale->lower || place >= scale->upper) return UINT32_MAX;
  return (uint32_t)((double)(place - scale->lower) / (double)(scale->upper - scale->lower) * count);
}

// Sets the index of the last step. In a leaf, that is the first key that is not less than the wanted one; in a branch, the last key
// that is not greater. Begins at `middle` if that is an index, and doubles its strides until it has passed the key.
static bool search(fastmap_page_cursor *cursor, const uint8_t *key, size_t length, uint32_t middle, bool *is_exact) {
  struct fastmap_page_step *step = &cursor->path[cursor->levels - 1];
  uint32_t page_size = cursor->pages.page_size;
  bool is_leaf = cursor->levels == cursor->tree.levels;
  uint32_t low = is_leaf ? 0 : 1, high = step->count;
  uint32_t stride = middle >= low && middle < high ? 1 : 0;
  int direction = 0;
  *is_exact = false;
  while (low < high) {
    if (stride == 0) middle = (low + high) / 2;
    const uint8_t *node = page_node(step->page, page_size, middle);
    if (!node) return fail(cursor, page_number(step->page), "an entry lies outside of the page");
    int order = compare_keys(key, length, node_key(node), node_key_length(node));
    if (order == 0) {
      *is_exact = true;
      step->index = middle;
      return true;
    }
    if (order < 0) high = middle; else low = middle + 1;
    if (stride == 0) continue;
    if (direction * order < 0) {
      stride = 0;
    } else {
      direction = order < 0 ? -1 : 1;
      if (order < 0) middle = high - low > stride ? high - stride : low;
      else middle = high - low > stride ? low + stride - 1 : high - 1;
      stride *= 2;
    }
  }
  step->index = is_leaf ? low : low - 1;
  return true;
}

// Narrows the bounds to the range of the page below the last step.
static void narrow(const fastmap_page_cursor *cursor, struct scale *scale) {
  const struct fastmap_page_step *step = &cursor->path[cursor->levels - 1];
  uint32_t page_size = cursor->pages.page_size;
  if (step->index > 0) {
    const uint8_t *node = page_node(step->page, page_size, step->index);
    scale->has_lower = node && measure(scale, node, &scale->lower);
  }
  if (step->index + 1 < step->count) {
    const uint8_t *node = page_node(step->page, page_size, step->index + 1);
    scale->has_upper = node && measure(scale, node, &scale->upper);
  }
}

static bool descend(fastmap_page_cursor *cursor, const uint8_t *key, size_t length, bool *is_exact) {
  if (!push_root(cursor)) return false;
  bool is_number = length >= 8 && length <= 16;
  struct scale scale = {key, length, 0, 0, false, false};
  while (true) {
    uint32_t middle = is_number ? guess(&scale, cursor->path[cursor->levels - 1].count) : UINT32_MAX;
    if (!search(cursor, key, length, middle, is_exact)) return false;
    if (cursor->levels == cursor->tree.levels) return true;
    if (is_number) narrow(cursor, &scale);
    if (!push_child(cursor)) return false;
  }
}

// Fills the cursor's entry from a node of a leaf.
static bool take(fastmap_page_cursor *cursor, const uint8_t *page, const uint8_t *node) {
  const fastmap_pages *pages = &cursor->pages;
  uint64_t number = page_number(page);
  uint32_t flags = node_flags(node), length = node_value_length(node);
  const uint8_t *value = node_value(node);
  if (flags & ~(uint32_t)FASTMAP_NODE_ELSEWHERE) return fail(cursor, number, "an entry with other flags");
  if (pages->page_size - (size_t)(value - page) < node_value_here(node))
    return fail(cursor, number, "an entry does not end on the page");
  if (flags) {
    uint64_t first = fastmap_native_64(value), count = fastmap_run_pages(length, pages->page_size);
    if (!has(cursor, first, count)) return false;
    const uint8_t *run = pages->map + first * pages->page_size;
    fastmap_page_header header = fastmap_page_header_at(run);
    if (header.number != first || header.kind != FASTMAP_PAGE_RUN || header.run_pages < count)
      return fail(cursor, first, "not the first page of a value");
    value = run + FASTMAP_PAGE_HEADER;
  }
  cursor->entry = (fastmap_page_entry){node_key(node), value, node_key_length(node), length};
  return true;
}

// MARK: Cursors

void fastmap_page_cursor_init(fastmap_page_cursor *cursor, const fastmap_pages *pages, const fastmap_page_tree *tree) {
  cursor->pages = *pages;
  cursor->tree = *tree;
  cursor->levels = 0;
  cursor->has_failed = false;
}

static fastmap_page_answer answer(fastmap_page_cursor *cursor) {
  const struct fastmap_page_step *step = &cursor->path[cursor->levels - 1];
  const uint8_t *node = page_node(step->page, cursor->pages.page_size, step->index);
  if (!node) {
    fail(cursor, page_number(step->page), "an entry lies outside of the page");
    return FASTMAP_PAGE_FAULT;
  }
  if (!take(cursor, step->page, node)) return FASTMAP_PAGE_FAULT;
  if (!cursor->pages.is_strict || fastmap_page_check_entry(cursor->tree.seed, &cursor->entry)) return FASTMAP_PAGE_FOUND;
  fail(cursor, 0, NULL);
  return FASTMAP_PAGE_FAULT;
}

static bool is_empty(const fastmap_page_cursor *cursor) { return cursor->tree.root == FASTMAP_NO_ROOT; }

static fastmap_page_answer edge(fastmap_page_cursor *cursor, bool is_last) {
  if (is_empty(cursor)) return FASTMAP_PAGE_NONE;
  return push_root(cursor) && push_edge(cursor, is_last) ? answer(cursor) : FASTMAP_PAGE_FAULT;
}

fastmap_page_answer fastmap_page_first(fastmap_page_cursor *cursor) { return edge(cursor, false); }
fastmap_page_answer fastmap_page_last(fastmap_page_cursor *cursor) { return edge(cursor, true); }

// Goes to the edge of the leaf beside the current one.
static fastmap_page_answer go_beside(fastmap_page_cursor *cursor, bool is_back) {
  uint32_t level = cursor->levels - 1;
  while (true) {
    if (level == 0) return FASTMAP_PAGE_NONE;
    struct fastmap_page_step *step = &cursor->path[--level];
    if (is_back ? step->index > 0 : step->index + 1 < step->count) break;
  }
  cursor->levels = level + 1;
  if (is_back) cursor->path[level].index--; else cursor->path[level].index++;
  return push_child(cursor) && push_edge(cursor, is_back) ? answer(cursor) : FASTMAP_PAGE_FAULT;
}

fastmap_page_answer fastmap_page_next(fastmap_page_cursor *cursor) {
  if (cursor->has_failed) return FASTMAP_PAGE_FAULT;
  if (is_empty(cursor)) return FASTMAP_PAGE_NONE;
  if (cursor->levels == 0) return edge(cursor, false);
  struct fastmap_page_step *leaf = &cursor->path[cursor->levels - 1];
  if (leaf->index < leaf->count) leaf->index++;
  return leaf->index < leaf->count ? answer(cursor) : go_beside(cursor, false);
}

fastmap_page_answer fastmap_page_previous(fastmap_page_cursor *cursor) {
  if (cursor->has_failed) return FASTMAP_PAGE_FAULT;
  if (is_empty(cursor)) return FASTMAP_PAGE_NONE;
  if (cursor->levels == 0) return edge(cursor, true);
  struct fastmap_page_step *leaf = &cursor->path[cursor->levels - 1];
  if (leaf->index == 0) return go_beside(cursor, true);
  leaf->index--;
  return answer(cursor);
}

// The leaf after the current one; NULL where another branch leads to it.
static const uint8_t *next_leaf(const fastmap_page_cursor *cursor) {
  if (cursor->levels < 2) return NULL;
  const fastmap_pages *pages = &cursor->pages;
  const struct fastmap_page_step *branch = &cursor->path[cursor->levels - 2];
  if (branch->index + 1 >= branch->count) return NULL;
  const uint8_t *node = page_node(branch->page, pages->page_size, branch->index + 1);
  return node && node_child(node) < pages->count ? pages->map + node_child(node) * pages->page_size : NULL;
}

uint32_t fastmap_page_next_intact(fastmap_page_cursor *cursor, fastmap_page_entry *entries, uint32_t most) {
  if (cursor->has_failed || cursor->levels == 0 || cursor->levels != cursor->tree.levels) return 0;
  struct fastmap_page_step *leaf = &cursor->path[cursor->levels - 1];
  uint32_t page_size = cursor->pages.page_size, count = 0;
  for (uint32_t index = leaf->index + 1; count < most && index < leaf->count; index++) {
    const uint8_t *node = page_node(leaf->page, page_size, index);
    if (!node || node_flags(node)) break;
    const uint8_t *value = node_value(node);
    uint32_t length = node_value_length(node);
    if (page_size - (size_t)(value - leaf->page) < length) break;
    entries[count++] = (fastmap_page_entry){node_key(node), value, node_key_length(node), length};
  }
  // A page of small records is one call.
  const uint8_t *ahead = leaf->index == 0 ? next_leaf(cursor) : NULL;
  count = fastmap_page_check_entries(cursor->tree.seed, entries, count, ahead, page_size);
  if (count) {
    leaf->index += count;
    cursor->entry = entries[count - 1];
  }
  return count;
}

// Whether the current leaf has the place of a key: not before the current entry, and before the next key of the branch
// above. Usual in a sweep of ascending keys, and both pages are in the cache.
static bool is_here(const fastmap_page_cursor *cursor, const uint8_t *key, size_t length) {
  if (cursor->levels < 2 || cursor->levels != cursor->tree.levels) return false;
  const struct fastmap_page_step *leaf = &cursor->path[cursor->levels - 1], *branch = leaf - 1;
  if (leaf->index >= leaf->count || branch->index + 1 >= branch->count) return false;
  const uint8_t *entry = page_node(leaf->page, cursor->pages.page_size, leaf->index);
  const uint8_t *next = page_node(branch->page, cursor->pages.page_size, branch->index + 1);
  return entry && next
      && compare_keys(key, length, node_key(entry), node_key_length(entry)) >= 0
      && compare_keys(key, length, node_key(next), node_key_length(next)) < 0;
}

// Checks the entry before the place of a missing key. That entry may be the key, damaged; or may show that a damaged branch led to
// the wrong page.
static bool check_before(fastmap_page_cursor *cursor) {
  struct fastmap_page_step *leaf = &cursor->path[cursor->levels - 1];
  if (leaf->index > 0) {
    leaf->index--;
    if (answer(cursor) == FASTMAP_PAGE_FAULT) return false;
    leaf->index++;
    return true;
  }
  fastmap_page_cursor before = *cursor;
  if (go_beside(&before, true) != FASTMAP_PAGE_FAULT) return true;
  *cursor = before;
  return false;
}

fastmap_page_answer fastmap_page_seek(fastmap_page_cursor *cursor, const void *key, size_t length) {
  if (is_empty(cursor)) return FASTMAP_PAGE_NONE;
  bool is_exact;
  if (is_here(cursor, key, length)) {
    uint32_t neighbour = cursor->path[cursor->levels - 1].index + 1;
    if (!search(cursor, key, length, neighbour, &is_exact)) return FASTMAP_PAGE_FAULT;
  } else if (!descend(cursor, key, length, &is_exact)) {
    return FASTMAP_PAGE_FAULT;
  }
  struct fastmap_page_step *leaf = &cursor->path[cursor->levels - 1];
  if (cursor->pages.is_strict && !is_exact && !check_before(cursor)) return FASTMAP_PAGE_FAULT;
  fastmap_page_answer found = leaf->index < leaf->count ? answer(cursor) : go_beside(cursor, false);
  return found == FASTMAP_PAGE_FOUND && !is_exact ? FASTMAP_PAGE_AFTER : found;
}

// Goes to the next entry of the same page, if it has the key.
static bool step_to(fastmap_page_cursor *cursor, const uint8_t *key, size_t length) {
  if (cursor->levels == 0 || cursor->levels != cursor->tree.levels) return false;
  struct fastmap_page_step *leaf = &cursor->path[cursor->levels - 1];
  if (leaf->index + 1 >= leaf->count) return false;
  const uint8_t *node = page_node(leaf->page, cursor->pages.page_size, leaf->index + 1);
  if (!node || compare_keys(key, length, node_key(node), node_key_length(node))) return false;
  leaf->index++;
  return true;
}

fastmap_page_answer fastmap_page_find(fastmap_page_cursor *cursor, const void *key, size_t length, bool is_sweep) {
  bool is_exact = true;
  if (is_empty(cursor)) return FASTMAP_PAGE_NONE;
  if (!step_to(cursor, key, length)) {
    bool is_near = is_sweep && is_here(cursor, key, length);
    uint32_t neighbour = is_near ? cursor->path[cursor->levels - 1].index : 0;
    if (is_near ? !search(cursor, key, length, neighbour, &is_exact) : !descend(cursor, key, length, &is_exact))
      return FASTMAP_PAGE_FAULT;
  }
  return is_exact ? answer(cursor) : FASTMAP_PAGE_NONE;
}
