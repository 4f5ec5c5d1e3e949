#ifndef FASTMAP_PAGE_H
#define FASTMAP_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The format of data.mdb, as LMDB 0.9 writes it on a 64-bit machine, in the machine's byte order. All code that takes a
// page apart uses this header.
//
//   pages 0 and 1  one meta page each; the commit t writes page t % 2, and the newer one counts
//   a page         number 8 | pad 2 | kind 2 | lower 2 | upper 2 | offsets of the nodes, 2 each, up to `lower` … nodes from `upper` on
//   a run          number 8 | pad 2 | kind 2 | pages 4 | a value that has pages of its own
//   a leaf         node: length of the value 4 | flags 2 | key length 2 | key | value
//   a branch       node: page number below 6             | key length 2 | key          the first key does not count
//   a meta page    header 16 | magic 4 | version 4 | address 8 | map size 8
//                  | tree of free pages 48 | tree of the names 48 | last page 8 | commit 8
//   a tree         pad 4 (page size, in the first tree) | flags 2 | levels 2
//                  | branches, leaves and pages of runs 8 each | entries 8 | root 8
//   a free list    count 8 | page number 8 | page number 8 | …, descending

#define FASTMAP_PAGE_HEADER 16
#define FASTMAP_TREE_RECORD 48
#define FASTMAP_META_PAGE 152
#define FASTMAP_META_COMMIT 144  // where a meta page has the number of its commit
#define FASTMAP_META_MAGIC 0xBEEFC0DE
#define FASTMAP_NO_ROOT UINT64_MAX  // of a tree without pages

enum { FASTMAP_PAGE_BRANCH = 1, FASTMAP_PAGE_LEAF = 2, FASTMAP_PAGE_RUN = 4, FASTMAP_PAGE_META = 8 };

// Flags of a node.
enum {
  FASTMAP_NODE_ELSEWHERE = 1,  // the value is in a run, whose first page number is here
  FASTMAP_NODE_TREE = 2        // the value is the record of a tree
};

typedef struct fastmap_page_header {
  uint64_t number;
  uint16_t kind, lower, upper;
  uint32_t run_pages;  // of a run
} fastmap_page_header;

typedef struct fastmap_tree_record {
  uint16_t flags, levels;
  uint64_t branches, leaves, run_pages, entries, root;
} fastmap_tree_record;

typedef struct fastmap_meta_page {
  fastmap_page_header header;
  uint32_t magic, version;
  uint32_t later_version;  // where LMDB 1.x has it, whose page headers are longer; 0 without its mark
  uint32_t page_size;
  uint64_t map_size, last_page, commit;
  fastmap_tree_record free, names;
} fastmap_meta_page;

/// One entry of a page. The fields that belong to a value have no meaning for a branch, and `child` has none for a leaf.
typedef struct fastmap_node {
  uint32_t offset, key, value;  // where it, its key and its value begin on the page
  uint32_t key_length, value_length;
  uint16_t flags;
  uint64_t child;
  uint64_t run;  // the first page of a value that is elsewhere; 0 where that is not on the page
} fastmap_node;

/// Each reads so many bytes as the constant of its name above, at any alignment.
fastmap_page_header fastmap_page_header_at(const void *page);
fastmap_tree_record fastmap_tree_record_at(const void *bytes);
fastmap_meta_page fastmap_meta_page_at(const void *bytes);

/// How many nodes the header of a page speaks of, as far as their offsets are on the page.
uint32_t fastmap_page_count(const void *page, uint32_t page_size);

/// Reads a node, by its place among the nodes or by its offset. False where it, or its key, is not on the page; its value may not be.
///
/// - index: below `fastmap_page_count`.
bool fastmap_page_node_at(const void *page, uint32_t page_size, uint32_t index, fastmap_node *node);
bool fastmap_page_node_from(const void *page, uint32_t page_size, uint32_t offset, fastmap_node *node);

/// The bytes that the node of a leaf takes.
uint64_t fastmap_node_size(const fastmap_node *node);

/// The pages that a value of so many bytes needs.
static inline uint64_t fastmap_run_pages(uint32_t length, uint32_t page_size) {
  return (FASTMAP_PAGE_HEADER - 1 + (uint64_t)length) / page_size + 1;
}

#endif
