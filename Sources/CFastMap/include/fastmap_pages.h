#ifndef FASTMAP_PAGES_H
#define FASTMAP_PAGES_H

#include "fastmap_page.h"

// The trees of one LMDB snapshot, read where LMDB has mapped them: for reading alone, and for data files that nobody can
// vouch for. No page number, offset or length is followed before it was looked at; what is wrong is a fault, with its page.
//
// Keys compare as by memcmp, then the shorter one comes first. What is lent stands in the map: it is valid as long as
// the snapshot is.

#define FASTMAP_PAGE_LEVELS 30  // LMDB takes 32, for which no file is large enough

typedef struct fastmap_page_tree {
  uint64_t root;
  uint32_t levels;
  uint32_t seed;  // of the checksums of its values
} fastmap_page_tree;

typedef struct fastmap_pages {
  const uint8_t *map;
  uint64_t count;  // of the pages that the file has
  uint32_t page_size;
  // Whether every page and every entry that a cursor meets is looked over, so that what is not found is not there: of a file
  // that has not been looked over when it was opened.
  uint32_t is_strict;
  // A bit for each page that is free; NULL where nobody has asked. A free page may be one of an older commit, right in all else.
  const uint64_t *free;
} fastmap_pages;

typedef struct fastmap_page_fault {
  const char *detail;  // static; NULL where the checksum of the entry at hand does not match
  uint64_t page;
} fastmap_page_fault;

typedef struct fastmap_page_entry {
  const void *key, *value;
  size_t key_length, value_length;
} fastmap_page_entry;

typedef enum fastmap_page_answer {
  FASTMAP_PAGE_NONE,
  FASTMAP_PAGE_FOUND,  // the key, or an entry
  FASTMAP_PAGE_AFTER,  // not the key, but the entry after it
  FASTMAP_PAGE_FAULT,
} fastmap_page_answer;

/// A place in a tree. Of one thread; what it was made with must live as long.
typedef struct fastmap_page_cursor {
  fastmap_pages pages;
  fastmap_page_tree tree;
  uint32_t levels;  // that are filled; 0 is nowhere
  bool has_failed;
  struct fastmap_page_step {
    const uint8_t *page;
    uint32_t index, count;
  } path[FASTMAP_PAGE_LEVELS];
  const uint8_t *checked[FASTMAP_PAGE_LEVELS];  // of a strict file: the last page of each level that was looked over
  fastmap_page_entry entry;
  fastmap_page_fault fault;
} fastmap_page_cursor;

void fastmap_page_cursor_init(fastmap_page_cursor *, const fastmap_pages *, const fastmap_page_tree *);

/// Each answers FOUND, NONE or FAULT and sets the cursor's entry or fault; seek answers AFTER, too. After NONE the cursor is
/// nowhere in particular. Next and previous begin at the first and the last entry where the cursor is nowhere; after FAULT, they
/// answer FAULT.
fastmap_page_answer fastmap_page_seek(fastmap_page_cursor *, const void *key, size_t length);
fastmap_page_answer fastmap_page_first(fastmap_page_cursor *);
fastmap_page_answer fastmap_page_last(fastmap_page_cursor *);
fastmap_page_answer fastmap_page_next(fastmap_page_cursor *);
fastmap_page_answer fastmap_page_previous(fastmap_page_cursor *);

#define FASTMAP_SNAPSHOT_TREES 8

/// The trees of a snapshot. Of one thread.
typedef struct fastmap_snapshot {
  fastmap_pages pages;
  fastmap_page_tree trees[FASTMAP_SNAPSHOT_TREES];
  uint32_t near_tree;  // whose keys are often those of neighbours
  fastmap_page_cursor near;
} fastmap_snapshot;

/// Of a snapshot whose pages and trees are set: which tree keeps the place of its last key.
void fastmap_snapshot_keep(fastmap_snapshot *, uint32_t near_tree);

/// A cursor in one of the trees, which lives as long as the snapshot.
void fastmap_snapshot_open(const fastmap_snapshot *, uint32_t tree, fastmap_page_cursor *);

/// The entry of a key: FOUND, NONE or FAULT. O(log n) comparisons, and O(1) looks at memory far away where keys are numbers that
/// are evenly spread. Of a strict file, a key that is not there costs a look at all entries of the pages that lead to its place.
fastmap_page_answer fastmap_snapshot_get(fastmap_snapshot *, uint32_t tree, const void *key, size_t length,
                                         fastmap_page_entry *, fastmap_page_fault *);

#endif
