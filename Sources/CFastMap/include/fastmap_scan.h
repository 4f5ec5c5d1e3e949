#ifndef FASTMAP_SCAN_H
#define FASTMAP_SCAN_H

#include "fastmap_pages.h"

// Walks the trees of one commit, of a file that may be damaged anywhere, and checks all that LMDB would follow unread. The scan
// reads no file: the caller reads the pages that it asks for.

/// A walk through trees that share the pages of one file, for one thread.
typedef struct fastmap_scan fastmap_scan;

typedef enum fastmap_scan_kind {
  FASTMAP_SCAN_NAMES,  ///< the tree of the tables' names: the caller gets its entries
  FASTMAP_SCAN_TABLE,
  FASTMAP_SCAN_FREE    ///< the tree of the free pages, which its lists name
} fastmap_scan_kind;

/// How far down a walk goes.
typedef enum fastmap_scan_depth {
  FASTMAP_SCAN_RECORD,    ///< that the tree can have its root there; no page is read
  FASTMAP_SCAN_ROOT,      ///< that the root is there
  FASTMAP_SCAN_BRANCHES,  ///< that each page has one use, which no look at one page tells
  FASTMAP_SCAN_PAGES
} fastmap_scan_depth;

typedef enum fastmap_scan_answer {
  FASTMAP_SCAN_DONE,
  FASTMAP_SCAN_READ,   ///< the caller is to fill `buffer` with `count` pages from `page` on, and to go on
  FASTMAP_SCAN_NAME,   ///< an entry of the tree of names
  FASTMAP_SCAN_MEMORY,  ///< there is none for a page; nothing can be scanned after it
  FASTMAP_SCAN_FAULT,  ///< `detail` describes the fault of `page`; nothing can be scanned after it
  FASTMAP_SCAN_CHECKSUM  ///< the same, of an entry whose checksum does not match
} fastmap_scan_answer;

typedef struct fastmap_scan_step {
  uint64_t page, count;
  void *buffer;
  fastmap_page_entry entry;  // valid until the walk goes on
  uint16_t flags;            // of a name's node; without a value where it is elsewhere
  char detail[80];
} fastmap_scan_step;

/// - page_count: pages that the file has. All that is followed is among them.
/// - last_page: the last one that a list of free pages may name, which may be beyond the end of the file.
/// - Returns: NULL when memory has run out.
fastmap_scan *fastmap_scan_new(uint32_t page_size, uint64_t page_count, uint64_t last_page);
void fastmap_scan_free(fastmap_scan *);

/// Begins with a tree. Pages that an earlier tree of this scan has used are used.
///
/// - seed: that the checksums of the entries of a table begin with; 0 where the entries have none.
void fastmap_scan_begin(fastmap_scan *, const fastmap_tree_record *, fastmap_scan_kind, fastmap_scan_depth,
                        uint32_t seed);

/// Goes on to the next answer. O(1) memory a level of the tree, and a run of pages.
fastmap_scan_answer fastmap_scan_next(fastmap_scan *, fastmap_scan_step *);

/// The first page up to `last_page` that nothing refers to and that is not free; 0 if there is none. All trees of the commit were walked.
uint64_t fastmap_scan_first_unused(const fastmap_scan *);

/// A bit for each page up to `last_page` that something refers to, or that is free. The caller frees it. Nothing can be scanned after it.
uint64_t *fastmap_scan_take_used(fastmap_scan *, size_t *word_count);

#endif
