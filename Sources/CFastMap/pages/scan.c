#include "fastmap_scan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "node.h"

enum { LEVELS = 32 };

// A page on the way to the one at hand.
struct level {
  uint8_t *page;
  uint64_t number;
  uint32_t index, count;
  struct page_key lower, upper;  // the bounds that the branches above set on its keys
};

enum state { AT_START, PAGE_READ, ON_PAGE, RUN_READ, AT_END };

struct fastmap_scan {
  uint32_t page_size;
  uint64_t page_count, last_page;
  uint64_t *used;

  fastmap_tree_record tree, met;  // its record, and the counts of the walk so far
  fastmap_scan_kind kind;
  fastmap_scan_depth depth;
  uint32_t seed;

  enum state state;
  uint32_t level_count;
  struct level levels[LEVELS];
  uint8_t *run;
  uint64_t run_pages;  // that `run` has room for
  uint64_t run_page;

  fastmap_scan_step *step;
};

fastmap_scan *fastmap_scan_new(uint32_t page_size, uint64_t page_count, uint64_t last_page) {
  fastmap_scan *scan = calloc(1, sizeof *scan);
  if (!scan) return NULL;
  scan->page_size = page_size;
  scan->page_count = page_count;
  scan->last_page = last_page;
  scan->state = AT_END;
  scan->used = calloc(last_page / 64 + 1, sizeof *scan->used);
  if (scan->used) return scan;
  free(scan);
  return NULL;
}

void fastmap_scan_free(fastmap_scan *scan) {
  for (uint32_t level = 0; level < LEVELS; level++) free(scan->levels[level].page);
  free(scan->run);
  free(scan->used);
  free(scan);
}

uint64_t *fastmap_scan_take_used(fastmap_scan *scan, size_t *word_count) {
  uint64_t *used = scan->used;
  *word_count = scan->last_page / 64 + 1;
  scan->used = NULL;
  return used;
}

uint64_t fastmap_scan_first_unused(const fastmap_scan *scan) {
  for (uint64_t number = 2; number <= scan->last_page; number++) {
    uint64_t word = scan->used[number / 64];
    if (word == UINT64_MAX) {
      number |= 63;
    } else if (!(word >> number % 64 & 1)) {
      return number;
    }
  }
  return 0;
}

void fastmap_scan_begin(fastmap_scan *scan, const fastmap_tree_record *tree, fastmap_scan_kind kind,
                        fastmap_scan_depth depth, uint32_t seed) {
  scan->tree = *tree;
  scan->met = (fastmap_tree_record){.flags = 0};
  scan->kind = kind;
  scan->depth = depth;
  scan->seed = seed;
  scan->level_count = 0;
  scan->state = AT_START;
}

// MARK: Faults

__attribute__((format(printf, 3, 4))) static fastmap_scan_answer fail(fastmap_scan *scan, uint64_t page,
                                                                      const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(scan->step->detail, sizeof scan->step->detail, format, arguments);
  va_end(arguments);
  scan->step->page = page;
  scan->state = AT_END;
  return FASTMAP_SCAN_FAULT;
}

static bool mark_one(fastmap_scan *scan, uint64_t number) {
  uint64_t bit = UINT64_C(1) << number % 64;
  if (scan->used[number / 64] & bit) {
    fail(scan, number, "used twice");
    return false;
  }
  scan->used[number / 64] |= bit;
  return true;
}

// Notes the use of pages that are to be in the file.
static bool mark(fastmap_scan *scan, uint64_t first, uint64_t count) {
  if (first < 2 || first >= scan->page_count || count > scan->page_count - first || first + count - 1 > scan->last_page) {
    fail(scan, first, "outside of the file");
    return false;
  }
  for (uint64_t number = first; number < first + count; number++)
    if (!mark_one(scan, number)) return false;
  return true;
}

static fastmap_scan_answer ask(fastmap_scan *scan, void *buffer, uint64_t page, uint64_t count, enum state state) {
  scan->step->buffer = buffer;
  scan->step->page = page;
  scan->step->count = count;
  scan->state = state;
  return FASTMAP_SCAN_READ;
}

// MARK: Pages

static enum page_order order_of(const fastmap_scan *scan) {
  return scan->kind == FASTMAP_SCAN_FREE ? ORDER_INTEGERS : ORDER_BYTES;
}

static fastmap_scan_answer no_memory(fastmap_scan *scan) {
  scan->state = AT_END;
  return FASTMAP_SCAN_MEMORY;
}

// Whether `level`, counted from the root, has the leaves.
static bool is_leaf(const fastmap_scan *scan, uint32_t level) { return level + 1 == scan->tree.levels; }

static fastmap_scan_answer push(fastmap_scan *scan, uint64_t number, struct page_key lower, struct page_key upper) {
  if (!mark(scan, number, 1)) return FASTMAP_SCAN_FAULT;
  struct level *level = &scan->levels[scan->level_count++];
  if (!level->page && !(level->page = malloc(scan->page_size))) return no_memory(scan);
  level->number = number;
  level->index = 0;
  level->lower = lower;
  level->upper = upper;
  return ask(scan, level->page, number, 1, PAGE_READ);
}

static struct page_key key_of(const fastmap_scan *scan, const struct level *level, uint32_t index) {
  const uint8_t *node = page_node(level->page, scan->page_size, index);
  return (struct page_key){node_key(node), node_key_length(node)};
}

static fastmap_scan_answer push_child(fastmap_scan *scan) {
  struct level *level = &scan->levels[scan->level_count - 1];
  uint32_t index = level->index++;
  struct page_key lower = index > 0 ? key_of(scan, level, index) : level->lower;
  struct page_key upper = index + 1 < level->count ? key_of(scan, level, index + 1) : level->upper;
  return push(scan, node_child(page_node(level->page, scan->page_size, index)), lower, upper);
}

// LMDB's keys of the free pages are the numbers of commits.
static fastmap_scan_answer check_commits(fastmap_scan *scan, const struct level *level, bool is_leaf) {
  for (uint32_t index = is_leaf ? 0 : 1; index < level->count; index++) {
    size_t length = key_of(scan, level, index).length;
    if (length != 8) return fail(scan, level->number, "a key of %zu bytes", length);
  }
  return FASTMAP_SCAN_DONE;
}

// Checks the page that was read.
static fastmap_scan_answer check_page(fastmap_scan *scan) {
  struct level *level = &scan->levels[scan->level_count - 1];
  bool leaf = is_leaf(scan, scan->level_count - 1);
  const char *detail = page_check_header(level->page, level->number, leaf);
  if (detail) return fail(scan, level->number, "%s", detail);
  if (scan->depth == FASTMAP_SCAN_ROOT) {
    scan->state = AT_END;
    return FASTMAP_SCAN_DONE;
  }
  detail = fastmap_page_check_nodes(level->page, scan->page_size, leaf, order_of(scan));
  if (detail) return fail(scan, level->number, "%s", detail);
  level->count = page_nodes(level->page);
  // LMDB asserts that a branch leads somewhere.
  uint32_t least = leaf || scan->kind == FASTMAP_SCAN_FREE ? 1 : 2;
  if (level->count < least) return fail(scan, level->number, "%" PRIu32 " entries", level->count);
  if (scan->kind == FASTMAP_SCAN_FREE && check_commits(scan, level, leaf) == FASTMAP_SCAN_FAULT) return FASTMAP_SCAN_FAULT;
  detail = fastmap_page_check_bounds(level->page, scan->page_size, leaf, order_of(scan), level->lower, level->upper);
  if (detail) return fail(scan, level->number, "%s", detail);
  if (leaf) scan->met.leaves++, scan->met.entries += level->count;
  else scan->met.branches++;
  scan->state = ON_PAGE;
  return FASTMAP_SCAN_DONE;
}

// MARK: Values

static bool visit_list(fastmap_scan *scan, const uint8_t *list, uint32_t length) {
  uint64_t page = scan->levels[scan->level_count - 1].number, previous = UINT64_MAX;
  uint64_t count = length >= 8 ? fastmap_native_64(list) : UINT64_MAX;
  if (length % 8 || count > length / 8 - 1) return fail(scan, page, "a list of free pages is not whole"), false;
  for (uint64_t i = 1; i <= count; i++) {
    uint64_t number = fastmap_native_64(list + 8 * i);
    if (number >= previous) return fail(scan, page, "a list of free pages is out of order"), false;
    if (number < 2 || number > scan->last_page) return fail(scan, number, "outside of the file"), false;
    if (!mark_one(scan, number)) return false;
    previous = number;
  }
  return true;
}

static fastmap_scan_answer visit_value(fastmap_scan *scan, const uint8_t *node, const uint8_t *value) {
  uint32_t length = node_value_length(node);
  scan->step->entry = (fastmap_page_entry){node_key(node), value, node_key_length(node), length};
  scan->levels[scan->level_count - 1].index++;
  scan->state = ON_PAGE;
  if (scan->kind == FASTMAP_SCAN_FREE)
    return visit_list(scan, value, length) ? FASTMAP_SCAN_DONE : FASTMAP_SCAN_FAULT;
  if (!scan->seed || fastmap_page_check_entry(scan->seed, &scan->step->entry)) return FASTMAP_SCAN_DONE;
  scan->state = AT_END;
  return FASTMAP_SCAN_CHECKSUM;
}

static fastmap_scan_answer ask_for_run(fastmap_scan *scan, const uint8_t *node) {
  uint64_t first = fastmap_native_64(node_value(node)), count = fastmap_run_pages(node_value_length(node), scan->page_size);
  if (!mark(scan, first, count)) return FASTMAP_SCAN_FAULT;
  if (count > scan->run_pages) {
    free(scan->run);
    scan->run_pages = 0;
    scan->run = malloc(count * scan->page_size);
    if (!scan->run) return no_memory(scan);
    scan->run_pages = count;
  }
  scan->run_page = first;
  return ask(scan, scan->run, first, count, RUN_READ);
}

// Checks the run that was read, and its value.
static fastmap_scan_answer check_run(fastmap_scan *scan) {
  const struct level *level = &scan->levels[scan->level_count - 1];
  const uint8_t *node = page_node(level->page, scan->page_size, level->index);
  fastmap_page_header header = fastmap_page_header_at(scan->run);
  uint64_t count = fastmap_run_pages(node_value_length(node), scan->page_size);
  if (header.number != scan->run_page || header.kind != FASTMAP_PAGE_RUN || header.run_pages < count)
    return fail(scan, scan->run_page, "not the first of %" PRIu64 " pages of a value", count);
  // A value that was written again, shorter, keeps its pages.
  uint64_t rest = header.run_pages - count;
  if (rest && !mark(scan, scan->run_page + count, rest)) return FASTMAP_SCAN_FAULT;
  scan->met.run_pages += header.run_pages;
  return visit_value(scan, node, scan->run + FASTMAP_PAGE_HEADER);
}

static fastmap_scan_answer visit_node(fastmap_scan *scan, const uint8_t *node) {
  uint32_t flags = node_flags(node);
  if (scan->kind == FASTMAP_SCAN_NAMES) {
    size_t length = flags & FASTMAP_NODE_ELSEWHERE ? 0 : node_value_length(node);
    scan->step->entry = (fastmap_page_entry){node_key(node), node_value(node), node_key_length(node), length};
    scan->step->flags = (uint16_t)flags;
    scan->step->page = scan->levels[scan->level_count - 1].number;
    scan->levels[scan->level_count - 1].index++;
    return FASTMAP_SCAN_NAME;
  }
  if (flags & ~(uint32_t)FASTMAP_NODE_ELSEWHERE)
    return fail(scan, scan->levels[scan->level_count - 1].number, "an entry with the flags %" PRIu32, flags);
  return flags ? ask_for_run(scan, node) : visit_value(scan, node, node_value(node));
}

// Goes on with the page at hand, and from its end to the page above.
static fastmap_scan_answer go_on(fastmap_scan *scan) {
  while (scan->level_count) {
    struct level *level = &scan->levels[scan->level_count - 1];
    if (level->index == level->count) {
      scan->level_count--;
      continue;
    }
    if (is_leaf(scan, scan->level_count - 1)) {
      fastmap_scan_answer answer = visit_node(scan, page_node(level->page, scan->page_size, level->index));
      if (answer != FASTMAP_SCAN_DONE) return answer;
    } else if (scan->depth == FASTMAP_SCAN_BRANCHES && is_leaf(scan, scan->level_count)) {
      if (!mark(scan, node_child(page_node(level->page, scan->page_size, level->index++)), 1)) return FASTMAP_SCAN_FAULT;
      scan->met.leaves++;
    } else {
      return push_child(scan);
    }
  }
  return FASTMAP_SCAN_DONE;
}

// MARK: Trees

static fastmap_scan_answer start(fastmap_scan *scan) {
  const fastmap_tree_record *tree = &scan->tree;
  if (tree->root == FASTMAP_NO_ROOT) {
    bool is_told = !tree->levels && !tree->entries;
    if (!is_told) return fail(scan, 0, "entries without a root");
    scan->state = AT_END;
    return FASTMAP_SCAN_DONE;
  }
  if (tree->levels < 1 || tree->levels > LEVELS) return fail(scan, tree->root, "%" PRIu16 " levels", tree->levels);
  if (scan->depth == FASTMAP_SCAN_RECORD) {
    if (!mark(scan, tree->root, 1)) return FASTMAP_SCAN_FAULT;
    scan->state = AT_END;
    return FASTMAP_SCAN_DONE;
  }
  return push(scan, tree->root, (struct page_key){NULL, 0}, (struct page_key){NULL, 0});
}

// Compares the counts of the walk with the tree's record.
static fastmap_scan_answer finish(fastmap_scan *scan) {
  const fastmap_tree_record *tree = &scan->tree, *met = &scan->met;
  bool has_met_entries = scan->depth == FASTMAP_SCAN_PAGES;
  if (has_met_entries && met->entries != tree->entries)
    return fail(scan, tree->root, "%" PRIu64 " entries, the tree records %" PRIu64, met->entries, tree->entries);
  bool is_told = met->branches == tree->branches && met->leaves == tree->leaves &&
                 (!has_met_entries || met->run_pages == tree->run_pages);
  if (!is_told)
    return fail(scan, tree->root, "wrong number of pages");
  scan->state = AT_END;
  return FASTMAP_SCAN_DONE;
}

fastmap_scan_answer fastmap_scan_next(fastmap_scan *scan, fastmap_scan_step *step) {
  scan->step = step;
  fastmap_scan_answer answer = FASTMAP_SCAN_DONE;
  switch (scan->state) {
    case AT_START: return start(scan);
    case AT_END: return FASTMAP_SCAN_DONE;
    case PAGE_READ: answer = check_page(scan); break;
    case RUN_READ: answer = check_run(scan); break;
    case ON_PAGE: break;
  }
  if (answer != FASTMAP_SCAN_DONE || scan->state == AT_END) return answer;
  answer = go_on(scan);
  return answer == FASTMAP_SCAN_DONE ? finish(scan) : answer;
}
