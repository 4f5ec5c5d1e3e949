#ifndef FASTMAP_NODE_H
#define FASTMAP_NODE_H

#include <stdbool.h>
#include <string.h>

#include "fastmap_pages.h"

#define FASTMAP_PAGE_HEADER 16
#define FASTMAP_NODE_HEADER 8
#define FASTMAP_PAGE_BRANCH 1
#define FASTMAP_PAGE_LEAF 2
#define FASTMAP_PAGE_RUN 4
// Of a node: the value is in a run of pages, whose first number is here.
#define FASTMAP_NODE_ELSEWHERE 1

// LMDB's own numbers, in the machine's byte order; it keeps the halves of a node's length so that this holds.
static inline uint16_t fastmap_page_16(const uint8_t *at) {
  uint16_t value;
  memcpy(&value, at, 2);
  return value;
}

static inline uint32_t fastmap_page_32(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return value;
}

static inline uint64_t fastmap_page_64(const uint8_t *at) {
  uint64_t value;
  memcpy(&value, at, 8);
  return value;
}

static inline uint32_t fastmap_page_nodes(const uint8_t *page) {
  return (uint32_t)(fastmap_page_16(page + 12) - FASTMAP_PAGE_HEADER) / 2;
}

// A node whose key is on its page; NULL where it is not.
static inline const uint8_t *fastmap_page_node(const uint8_t *page, uint32_t index, uint32_t page_size) {
  uint32_t offset = fastmap_page_16(page + FASTMAP_PAGE_HEADER + 2 * index);
  if (offset < FASTMAP_PAGE_HEADER || offset + FASTMAP_NODE_HEADER > page_size) return NULL;
  const uint8_t *node = page + offset;
  return offset + FASTMAP_NODE_HEADER + fastmap_page_16(node + 6) > page_size ? NULL : node;
}

static inline const uint8_t *fastmap_node_key(const uint8_t *node) { return node + FASTMAP_NODE_HEADER; }
static inline size_t fastmap_node_key_length(const uint8_t *node) { return fastmap_page_16(node + 6); }

static inline uint64_t fastmap_big_endian(const uint8_t *at) {
  uint64_t value = fastmap_page_64(at);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

// < 0, 0 or > 0, as by memcmp, then by length. Most keys have 8 to 16 bytes: two words, which may overlap.
static inline int fastmap_compare_keys(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length) {
  if (a_length == b_length && a_length >= 8 && a_length <= 16) {
    uint64_t x = fastmap_big_endian(a), y = fastmap_big_endian(b);
    if (x == y) {
      x = fastmap_big_endian(a + a_length - 8);
      y = fastmap_big_endian(b + b_length - 8);
    }
    return (x > y) - (x < y);
  }
  int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
  return order ? order : (a_length > b_length) - (a_length < b_length);
}

// Writes down what is wrong. Returns false.
static inline bool fastmap_page_fail(fastmap_page_cursor *cursor, uint64_t page, const char *detail) {
  cursor->levels = 0;
  cursor->has_failed = true;
  cursor->fault = (fastmap_page_fault){detail, page};
  return false;
}

// Fills the cursor's entry from a node of a leaf.
bool fastmap_page_take(fastmap_page_cursor *, const uint8_t *page, const uint8_t *node);

// Looks a page over that the last step of the cursor's path leads to.
bool fastmap_page_check(fastmap_page_cursor *, const uint8_t *page, uint32_t level);

// Whether the checksum of the cursor's entry matches.
bool fastmap_page_check_entry(fastmap_page_cursor *);

#endif
