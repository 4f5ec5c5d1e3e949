#ifndef FASTMAP_CHECK_H
#define FASTMAP_CHECK_H

#include "fastmap_pages.h"

// Checks of the properties that a search relies on. Each returns NULL, or a description of the fault.

struct page_key {
  const uint8_t *bytes;  // NULL: none
  size_t length;
};

enum page_order {
  ORDER_BYTES,     // of our keys
  ORDER_INTEGERS   // of LMDB's own keys of the free pages
};

/// Checks that all nodes are on the page and fill it, and that their keys ascend. A page whose nodes do not fill it has
/// lost one, and a key out of order hides others.
const char *fastmap_page_check_nodes(const uint8_t *page, uint32_t page_size, bool is_leaf, enum page_order order);

/// Checks that the keys of a page, whose nodes were checked, are within the bounds that the branches above set: none is
/// before `lower`, all are before `upper`.
const char *fastmap_page_check_bounds(const uint8_t *page, uint32_t page_size, bool is_leaf, enum page_order order,
                              struct page_key lower, struct page_key upper);

/// Whether a value begins with the checksum of the seed, the key and its other bytes.
bool fastmap_page_check_entry(uint32_t seed, const fastmap_page_entry *entry);

/// How many of some entries come before the first one whose value does not.
///
/// Meanwhile it asks for `ahead_size` bytes from `ahead` on, so that they come from memory for the next call. `ahead` may be NULL.
uint32_t fastmap_page_check_entries(uint32_t seed, const fastmap_page_entry *entries, uint32_t count,
                                    const uint8_t *ahead, uint32_t ahead_size);

#endif
