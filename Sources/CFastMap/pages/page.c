#include "node.h"

fastmap_page_header fastmap_page_header_at(const void *bytes) {
  const uint8_t *page = bytes;
  return (fastmap_page_header){.number = page_number(page),
                               .kind = fastmap_native_16(page + 10),
                               .lower = fastmap_native_16(page + 12),
                               .upper = fastmap_native_16(page + 14),
                               .run_pages = fastmap_native_32(page + 12)};
}

fastmap_tree_record fastmap_tree_record_at(const void *bytes) {
  const uint8_t *tree = bytes;
  return (fastmap_tree_record){.flags = fastmap_native_16(tree + 4),
                               .levels = fastmap_native_16(tree + 6),
                               .branches = fastmap_native_64(tree + 8),
                               .leaves = fastmap_native_64(tree + 16),
                               .run_pages = fastmap_native_64(tree + 24),
                               .entries = fastmap_native_64(tree + 32),
                               .root = fastmap_native_64(tree + 40)};
}

fastmap_meta_page fastmap_meta_page_at(const void *bytes) {
  const uint8_t *page = bytes;
  bool is_later = fastmap_native_32(page + 24) == FASTMAP_META_MAGIC;
  return (fastmap_meta_page){.header = fastmap_page_header_at(page),
                             .magic = fastmap_native_32(page + 16),
                             .version = fastmap_native_32(page + 20),
                             .later_version = is_later ? fastmap_native_32(page + 28) : 0,
                             .map_size = fastmap_native_64(page + 32),
                             .page_size = fastmap_native_32(page + 40),
                             .free = fastmap_tree_record_at(page + 40),
                             .names = fastmap_tree_record_at(page + 88),
                             .last_page = fastmap_native_64(page + 136),
                             .commit = fastmap_native_64(page + FASTMAP_META_COMMIT)};
}

uint32_t fastmap_page_count(const void *page, uint32_t page_size) {
  uint32_t lower = fastmap_page_header_at(page).lower;
  if (lower > page_size) lower = page_size;
  return lower > FASTMAP_PAGE_HEADER ? (lower - FASTMAP_PAGE_HEADER) / 2 : 0;
}

bool fastmap_page_node_at(const void *page, uint32_t page_size, uint32_t index, fastmap_node *node) {
  uint32_t offset = fastmap_native_16((const uint8_t *)page + FASTMAP_PAGE_HEADER + 2 * index);
  const uint8_t *start = offset % 2 ? NULL : page_node_from(page, page_size, offset);
  if (!start) return false;
  uint32_t key_length = node_key_length(start), value = offset + NODE_HEADER + key_length;
  bool has_run = node_flags(start) & FASTMAP_NODE_ELSEWHERE && value + 8 <= page_size;
  *node = (fastmap_node){.offset = offset,
                         .key = offset + NODE_HEADER,
                         .value = value,
                         .key_length = key_length,
                         .value_length = node_value_length(start),
                         .flags = (uint16_t)node_flags(start),
                         .child = node_child(start),
                         .run = has_run ? fastmap_native_64(node_value(start)) : 0};
  return true;
}

uint64_t fastmap_node_size(const fastmap_node *node) {
  uint64_t here = node->flags & FASTMAP_NODE_ELSEWHERE ? 8 : node->value_length;
  return (NODE_HEADER + node->key_length + here + 1) & ~UINT64_C(1);
}
