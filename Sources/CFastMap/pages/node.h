#ifndef FASTMAP_NODE_H
#define FASTMAP_NODE_H

#include "bytes.h"
#include "fastmap_page.h"

// The parser of nodes. A node is a pointer to where it begins; it is on its page with its header and its key.

enum { NODE_HEADER = 8 };

static inline uint64_t page_number(const uint8_t *page) { return fastmap_native_64(page); }

/// A description of the fault, if a page does not belong at this place of its tree; NULL otherwise.
static inline const char *page_check_header(const uint8_t *page, uint64_t number, bool is_leaf) {
  if (page_number(page) != number) return "part of another tree";
  if (fastmap_native_16(page + 10) == (is_leaf ? FASTMAP_PAGE_LEAF : FASTMAP_PAGE_BRANCH)) return NULL;
  return is_leaf ? "not a leaf" : "not a branch";
}

/// Whether the offsets of at least so many nodes come before the nodes, and both are on the page.
static inline bool page_has_bounds(const uint8_t *page, uint32_t page_size, uint32_t least_nodes) {
  uint32_t lower = fastmap_native_16(page + 12), upper = fastmap_native_16(page + 14);
  return lower >= FASTMAP_PAGE_HEADER + 2 * least_nodes && lower % 2 == 0 && lower <= upper && upper <= page_size;
}

/// The nodes of a page whose header was checked.
static inline uint32_t page_nodes(const uint8_t *page) {
  return (uint32_t)(fastmap_native_16(page + 12) - FASTMAP_PAGE_HEADER) / 2;
}

static inline uint32_t node_key_length(const uint8_t *node) { return fastmap_native_16(node + 6); }
static inline const uint8_t *node_key(const uint8_t *node) { return node + NODE_HEADER; }
static inline uint32_t node_flags(const uint8_t *node) { return fastmap_native_16(node + 4); }
static inline const uint8_t *node_value(const uint8_t *node) { return node_key(node) + node_key_length(node); }
// LMDB keeps the halves of a length in the order that makes it one number of the machine's.
static inline uint32_t node_value_length(const uint8_t *node) { return fastmap_native_32(node); }
static inline uint64_t node_child(const uint8_t *node) {
  return fastmap_native_32(node) | (uint64_t)fastmap_native_16(node + 4) << 32;
}

/// The bytes that the value takes on the page itself.
static inline uint32_t node_value_here(const uint8_t *node) {
  return node_flags(node) & FASTMAP_NODE_ELSEWHERE ? 8 : node_value_length(node);
}

/// NULL where a node with its key is not on the page.
static inline const uint8_t *page_node_from(const uint8_t *page, uint32_t page_size, uint32_t offset) {
  if (offset < FASTMAP_PAGE_HEADER || offset + NODE_HEADER > page_size) return NULL;
  const uint8_t *node = page + offset;
  return offset + NODE_HEADER + node_key_length(node) > page_size ? NULL : node;
}

static inline const uint8_t *page_node(const uint8_t *page, uint32_t page_size, uint32_t index) {
  return page_node_from(page, page_size, fastmap_native_16(page + FASTMAP_PAGE_HEADER + 2 * index));
}

// < 0, 0 or > 0, as by memcmp, then by length. Most keys have 8 to 16 bytes: two words, which may overlap.
static inline int compare_keys(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length) {
  if (a_length == b_length && a_length >= 8 && a_length <= 16) {
    uint64_t x = fastmap_big_endian_64(a), y = fastmap_big_endian_64(b);
    if (x == y) {
      x = fastmap_big_endian_64(a + a_length - 8);
      y = fastmap_big_endian_64(b + b_length - 8);
    }
    return (x > y) - (x < y);
  }
  int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
  return order ? order : (a_length > b_length) - (a_length < b_length);
}

#endif
