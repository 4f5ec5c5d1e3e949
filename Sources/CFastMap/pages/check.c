#include "fastmap_checksum.h"
#include "node.h"

// What a search believes, looked at: a page whose nodes do not fill it has lost one; a key out of its order, or out of the
// bounds that the branches above set, hides others; so does one that was changed within them, as its checksum tells.

struct key {
  const uint8_t *bytes;  // NULL: none
  size_t length;
};

static struct key key_of(const uint8_t *node) {
  return (struct key){fastmap_node_key(node), fastmap_node_key_length(node)};
}

static int compare(struct key a, struct key b) { return fastmap_compare_keys(a.bytes, a.length, b.bytes, b.length); }

// The bounds of the page below the first `level` steps: no key is before `lower`, all are before `upper`. The pages of the
// steps have been looked over.
static void bounds(const fastmap_page_cursor *cursor, uint32_t level, struct key *lower, struct key *upper) {
  *lower = *upper = (struct key){NULL, 0};
  while (level-- > 0 && !(lower->bytes && upper->bytes)) {
    const struct fastmap_page_step *step = &cursor->path[level];
    uint32_t page_size = cursor->pages.page_size;
    if (!lower->bytes && step->index > 0) *lower = key_of(fastmap_page_node(step->page, step->index, page_size));
    if (!upper->bytes && step->index + 1 < step->count)
      *upper = key_of(fastmap_page_node(step->page, step->index + 1, page_size));
  }
}

static bool check_nodes(fastmap_page_cursor *cursor, const uint8_t *page, bool is_leaf) {
  uint32_t page_size = cursor->pages.page_size, count = fastmap_page_nodes(page), upper = fastmap_page_16(page + 14);
  uint64_t number = fastmap_page_64(page), size = 0;
  struct key previous = {NULL, 0};
  for (uint32_t index = 0; index < count; index++) {
    const uint8_t *node = fastmap_page_node(page, index, page_size);
    if (!node || node < page + upper || (node - page) % 2) return fastmap_page_fail(cursor, number, "an entry is not on it");
    size_t length = FASTMAP_NODE_HEADER + fastmap_node_key_length(node);
    if (is_leaf) length += fastmap_page_16(node + 4) & FASTMAP_NODE_ELSEWHERE ? 8 : fastmap_page_32(node);
    size += (length + 1) & ~(size_t)1;
    struct key key = key_of(node);
    if (previous.bytes && compare(previous, key) >= 0) return fastmap_page_fail(cursor, number, "a key is out of order");
    if (is_leaf || index > 0) previous = key;
  }
  if (upper + size != page_size) return fastmap_page_fail(cursor, number, "its entries do not fill it");
  return true;
}

bool fastmap_page_check_entry(fastmap_page_cursor *cursor) {
  const fastmap_page_entry *entry = &cursor->entry;
  const uint8_t *value = entry->value;
  if (entry->value_length >= 4) {
    uint32_t checksum = fastmap_crc32c(cursor->tree.seed, entry->key, entry->key_length);
    checksum = fastmap_crc32c(checksum, value + 4, entry->value_length - 4);
    uint32_t found = (uint32_t)value[0] | (uint32_t)value[1] << 8 | (uint32_t)value[2] << 16 | (uint32_t)value[3] << 24;
    if (found == checksum) return true;
  }
  return fastmap_page_fail(cursor, 0, NULL);
}

bool fastmap_page_check(fastmap_page_cursor *cursor, const uint8_t *page, uint32_t level) {
  bool is_leaf = level + 1 == cursor->tree.levels;
  if (cursor->checked[level] != page) {
    cursor->checked[level] = NULL;
    if (!check_nodes(cursor, page, is_leaf)) return false;
    cursor->checked[level] = page;
  }
  struct key lower, upper;
  bounds(cursor, level, &lower, &upper);
  uint32_t page_size = cursor->pages.page_size;
  struct key first = key_of(fastmap_page_node(page, is_leaf ? 0 : 1, page_size));
  struct key last = key_of(fastmap_page_node(page, fastmap_page_nodes(page) - 1, page_size));
  if ((lower.bytes && compare(first, lower) < 0) || (upper.bytes && compare(last, upper) >= 0))
    return fastmap_page_fail(cursor, fastmap_page_64(page), "a key is out of order");
  return true;
}
