#ifndef FASTMAP_PAGES_H
#define FASTMAP_PAGES_H

#include "fastmap_page.h"

// Reads the trees of one LMDB snapshot in LMDB's own map. The file may be damaged: every page number, offset and length is checked
// before it is followed, and a fault names its page.
//
// Keys compare as by memcmp; of equal prefixes, the shorter key comes first. Entries point into the map and live as long as the
// snapshot.

#define FASTMAP_PAGE_LEVELS 30  // LMDB takes 32, for which no file is large enough

typedef struct fastmap_page_tree {
  uint64_t root;
  uint32_t levels;
  uint32_t seed;  // the checksums of its entries begin with it
} fastmap_page_tree;

typedef struct fastmap_pages {
  const uint8_t *map;
  uint64_t count;  // pages in the file
  uint32_t page_size;
  // Whether cursors check every page and every entry that they visit. Needed for an unverified file: a key that is not
  // found is then truly missing.
  uint32_t is_strict;
  // A bit for each free page, or NULL if unknown. A free page may be an intact page of an older commit.
  const uint64_t *free;
  // For a strict file: a bit for each of the first `checked_count` pages, set once the nodes of the page were checked.
  // Threads share the bits. NULL: pages are checked at each visit.
  uint64_t *checked;
  uint64_t checked_count;
} fastmap_pages;

typedef struct fastmap_page_fault {
  const char *detail;  // static; NULL if the checksum of the current entry does not match
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

/// A place in a tree, for one thread. Its pages and its tree must outlive it.
typedef struct fastmap_page_cursor {
  fastmap_pages pages;
  fastmap_page_tree tree;
  uint32_t levels;  // filled steps of `path`; 0 is nowhere
  bool has_failed;
  struct fastmap_page_step {
    const uint8_t *page;
    uint32_t index, count;
  } path[FASTMAP_PAGE_LEVELS];
  fastmap_page_entry entry;
  fastmap_page_fault fault;
} fastmap_page_cursor;

void fastmap_page_cursor_init(fastmap_page_cursor *, const fastmap_pages *, const fastmap_page_tree *);

/// Each answers FOUND, NONE or FAULT and sets the cursor's entry or fault. `seek` also answers AFTER. After NONE the place of the
/// cursor is undefined. From nowhere, `next` goes to the first entry and `previous` to the last one. After FAULT both answer FAULT.
fastmap_page_answer fastmap_page_seek(fastmap_page_cursor *, const void *key, size_t length);
fastmap_page_answer fastmap_page_first(fastmap_page_cursor *);
fastmap_page_answer fastmap_page_last(fastmap_page_cursor *);
fastmap_page_answer fastmap_page_next(fastmap_page_cursor *);
fastmap_page_answer fastmap_page_previous(fastmap_page_cursor *);

/// Goes on to later entries of the same page, at most `most`, and checks their checksums.
/// The cursor is at the last of them then. Returns their number. The walk ends before an entry that is not intact or has pages
/// of its own, and at the end of the page. After 0, `fastmap_page_next` goes on, and describes a fault.
uint32_t fastmap_page_next_intact(fastmap_page_cursor *, fastmap_page_entry *entries, uint32_t most);

#define FASTMAP_SNAPSHOT_TREES 8

/// The trees of a snapshot, for one thread.
typedef struct fastmap_snapshot {
  fastmap_pages pages;
  fastmap_page_tree trees[FASTMAP_SNAPSHOT_TREES];
  uint32_t near_tree;  // where keys are often looked up in order
  fastmap_page_cursor near;
} fastmap_snapshot;

/// Chooses the tree that remembers the place of the last key. The pages and trees of the snapshot must be set.
void fastmap_snapshot_keep(fastmap_snapshot *, uint32_t near_tree);

/// Opens a cursor in one of the trees. The snapshot must outlive it.
void fastmap_snapshot_open(const fastmap_snapshot *, uint32_t tree, fastmap_page_cursor *);

/// Finds the entry of a key: FOUND, NONE or FAULT. O(log n) comparisons; for evenly spread numbers, O(1) cache misses. In a strict
/// file, a missing key costs a check of every page on the way to its place.
fastmap_page_answer fastmap_snapshot_get(fastmap_snapshot *, uint32_t tree, const void *key, size_t length,
                                         fastmap_page_entry *, fastmap_page_fault *);

/// The same, for one of many keys that ascend: most of them are on the leaf of the one before, and need no search from the root.
fastmap_page_answer fastmap_snapshot_sweep(fastmap_snapshot *, uint32_t tree, const void *key, size_t length,
                                           fastmap_page_entry *, fastmap_page_fault *);

#endif
