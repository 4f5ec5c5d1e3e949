#include "check.h"

#include "fastmap_checksum.h"
#include "node.h"

static struct page_key key_of(const uint8_t *node) { return (struct page_key){node_key(node), node_key_length(node)}; }

static int compare(struct page_key a, struct page_key b, enum page_order order) {
  if (order == ORDER_BYTES || a.length != 8 || b.length != 8) return compare_keys(a.bytes, a.length, b.bytes, b.length);
  uint64_t x = fastmap_native_64(a.bytes), y = fastmap_native_64(b.bytes);
  return (x > y) - (x < y);
}

const char *fastmap_page_check_nodes(const uint8_t *page, uint32_t page_size, bool is_leaf, enum page_order order) {
  if (!page_has_bounds(page, page_size, 0)) return "its header is damaged";
  uint32_t count = page_nodes(page), upper = fastmap_native_16(page + 14);
  uint64_t size = 0;
  struct page_key previous = {NULL, 0};
  for (uint32_t index = 0; index < count; index++) {
    const uint8_t *node = page_node(page, page_size, index);
    if (!node || node < page + upper || (node - page) % 2) return "an entry lies outside of the page";
    struct page_key key = key_of(node);
    uint64_t end = (uint64_t)(node_value(node) - page) + (is_leaf ? node_value_here(node) : 0);
    if (end > page_size) return "an entry does not end on the page";
    size += (end - (uint64_t)(node - page) + 1) & ~UINT64_C(1);
    if (previous.bytes && compare(previous, key, order) >= 0) return "a key is out of order";
    if (is_leaf || index > 0) previous = key;
  }
  return upper + size == page_size ? NULL : "the entries do not fill the page";
}

const char *fastmap_page_check_bounds(const uint8_t *page, uint32_t page_size, bool is_leaf, enum page_order order,
                              struct page_key lower, struct page_key upper) {
  uint32_t first = is_leaf ? 0 : 1, count = page_nodes(page);
  if (count <= first) return NULL;
  const uint8_t *first_node = page_node(page, page_size, first), *last_node = page_node(page, page_size, count - 1);
  if (!first_node || !last_node) return "an entry lies outside of the page";
  bool is_right = (!lower.bytes || compare(key_of(first_node), lower, order) >= 0)
               && (!upper.bytes || compare(key_of(last_node), upper, order) < 0);
  return is_right ? NULL : "a key is out of order";
}

bool fastmap_page_check_entry(uint32_t seed, const fastmap_page_entry *entry) {
  enum { CHECKSUM = 4 };
  if (entry->value_length < CHECKSUM) return false;
  const uint8_t *value = entry->value;
  uint32_t checksum = fastmap_crc32c(seed, entry->key, entry->key_length);
  return fastmap_little_endian_32(value) == fastmap_crc32c(checksum, value + CHECKSUM, entry->value_length - CHECKSUM);
}

uint32_t fastmap_page_check_entries(uint32_t seed, const fastmap_page_entry *entries, uint32_t count,
                                    const uint8_t *ahead, uint32_t ahead_size) {
  enum { LINE = 64 };
  uint32_t intact = 0, asked = 0, step = ahead && count ? ahead_size / count + LINE : 0;
  for (; intact < count && fastmap_page_check_entry(seed, &entries[intact]); intact++) {
    // A few lines at a time: the processor keeps some requests to memory only, and waits when there are more.
    for (uint32_t end = asked + step < ahead_size ? asked + step : ahead_size; step && asked < end; asked += LINE)
      __builtin_prefetch(ahead + asked);
  }
  return intact;
}
