#include <stdlib.h>
#include <string.h>

#include "fastmap_checksum.h"
#include "fastmap_pages.h"
#include "machine.h"

// A tree of two leaves below a branch, as LMDB lays it out on the machine at hand: in its order of bytes.

enum { PAGE = 4096, EACH = 20, SEED = 99, BRANCH = 2, LEAF = 3, PAGES = 5 };  // LMDB's first two are its headers

static uint8_t map[PAGES][PAGE];

static void put16(uint8_t *at, uint16_t value) { memcpy(at, &value, 2); }

static void begin(uint64_t number, uint16_t kind) {
  memcpy(map[number], &number, 8);
  put16(map[number] + 10, kind);
  put16(map[number] + 12, 16);
  put16(map[number] + 14, PAGE);
}

// Adds a node with a header of two words of LMDB's own and one of flags.
static uint8_t *add(uint64_t number, const uint8_t *key, uint16_t length, size_t value_length) {
  uint8_t *page = map[number];
  uint16_t lower, upper;
  memcpy(&lower, page + 12, 2);
  memcpy(&upper, page + 14, 2);
  upper = (uint16_t)(upper - ((8 + length + value_length + 1) & ~(size_t)1));
  put16(page + lower, upper);
  put16(page + 12, (uint16_t)(lower + 2));
  put16(page + 14, upper);
  uint8_t *node = page + upper;
  put16(node + 6, length);
  memcpy(node + 8, key, length);
  return node;
}

static void make_key(uint8_t key[8], unsigned number) {
  memset(key, 0, 8);
  key[6] = (uint8_t)(number >> 8);
  key[7] = (uint8_t)number;
}

static void add_entry(uint64_t page, unsigned number) {
  uint8_t key[8], value[4 + 10];
  make_key(key, number * 3);
  memset(value + 4, (int)('a' + number % 26), 10);
  uint32_t checksum = fastmap_crc32c(fastmap_crc32c(SEED, key, 8), value + 4, 10);
  for (int i = 0; i < 4; i++) value[i] = (uint8_t)(checksum >> 8 * i);
  uint8_t *node = add(page, key, 8, sizeof value);
  uint32_t length = sizeof value;
  memcpy(node, &length, 4);
  memcpy(node + 16, value, sizeof value);
}

static void add_child(uint64_t number, unsigned first) {
  uint8_t key[8];
  make_key(key, first * 3);
  uint8_t *node = add(BRANCH, key, first ? 8 : 0, 0);
  uint32_t low = (uint32_t)number;
  memcpy(node, &low, 4);
}

static void print_entry(fastmap_page_answer answer, const fastmap_page_entry *entry) {
  printf(" %d", (int)answer);
  if (answer != FASTMAP_PAGE_FOUND && answer != FASTMAP_PAGE_AFTER) return;
  putchar(' ');
  print_bytes(entry->key, entry->key_length);
  putchar('=');
  print_bytes(entry->value, entry->value_length);
}

void print_pages(void) {
  begin(BRANCH, 1);
  begin(LEAF, 2);
  begin(LEAF + 1, 2);
  add_child(LEAF, 0);
  add_child(LEAF + 1, EACH);
  for (unsigned i = 0; i < 2 * EACH; i++) add_entry(LEAF + i / EACH, i);
  fastmap_pages pages = {.map = &map[0][0], .count = PAGES, .page_size = PAGE};
  fastmap_page_tree tree = {.root = BRANCH, .levels = 2, .seed = SEED};
  fastmap_page_cursor cursor;
  fastmap_page_cursor_init(&cursor, &pages, &tree);
  for (unsigned i = 0; i < 6 * EACH + 5; i += 5) {
    uint8_t key[8];
    make_key(key, i);
    printf("page entry %u:", i);
    print_entry(fastmap_page_seek(&cursor, key, 8), &cursor.entry);
    print_entry(fastmap_page_next(&cursor), &cursor.entry);
    putchar('\n');
    if (cursor.has_failed) printf("  %s\n", cursor.fault.detail);
  }
  fastmap_snapshot snapshot = {.pages = pages};
  snapshot.trees[0] = tree;
  fastmap_snapshot_keep(&snapshot, 0);
  map[LEAF + 1][PAGE - 1] ^= 1;  // in the value of its first entry
  for (unsigned i = 0; i < 2 * EACH; i++) {
    uint8_t key[8];
    make_key(key, i * 3);
    fastmap_page_entry entry;
    fastmap_page_fault fault = {0};
    printf("look-up %u:", i);
    print_entry(fastmap_snapshot_get(&snapshot, 0, key, 8, &entry, &fault), &entry);
    putchar('\n');
  }
}
