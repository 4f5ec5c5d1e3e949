#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "fastmap_checksum.h"
#include "fastmap_reader.h"
#include "fastmap_stream.h"
#include "fastmap_tree_check.h"
#include "machine.h"

// The reader, the skipper, jansson's own trees and the check of those.

static void print_tree(json_t *node, const fastmap_big_integers *big) {
  size_t length;
  const char *digits = fastmap_big_integer_text(big, node, &length);
  if (digits) {
    printf("big %.*s ", (int)length, digits);
    return;
  }
  switch (json_typeof(node)) {
    case JSON_NULL: printf("null "); break;
    case JSON_TRUE: printf("true "); break;
    case JSON_FALSE: printf("false "); break;
    case JSON_INTEGER: printf("%lld ", (long long)json_integer_value(node)); break;
    case JSON_REAL: printf("%a ", json_real_value(node)); break;
    case JSON_STRING:
      putchar('"');
      print_bytes(json_string_value(node), json_string_length(node));
      printf("\" ");
      break;
    case JSON_ARRAY:
      printf("[ ");
      for (size_t i = 0; i < json_array_size(node); i++) print_tree(json_array_get(node, i), big);
      printf("] ");
      break;
    case JSON_OBJECT:
      printf("{ ");
      for (void *at = json_object_iter(node); at; at = json_object_iter_next(node, at)) {
        print_bytes(json_object_iter_key(at), json_object_iter_key_len(at));
        printf(": ");
        print_tree(json_object_iter_value(at), big);
      }
      printf("} ");
      break;
  }
}

static void print_result(const char *how, const fastmap_read_result *result) {
  printf("  %s: %s at %zu, %zu consumed\n", how, fastmap_read_error_message(result->error), result->error_offset,
         result->consumed);
}

// The value in pieces, as a stream brings it.
static void print_pieces(const uint8_t *bytes, size_t length) {
  fastmap_skipper *skipper = fastmap_skipper_new();
  if (!skipper) exit(1);
  fastmap_skipper_begin(skipper, NULL);
  fastmap_read_result result = {.error = FASTMAP_READ_OK};
  size_t start = 0, end = 0;
  fastmap_skipper_outcome outcome;
  do {
    end = length - end > 7 ? end + 7 : length;
    outcome = fastmap_skipper_feed(skipper, bytes, end, start, end == length, &result);
    start = result.consumed;
  } while (outcome == FASTMAP_SKIPPER_MORE && end < length);
  printf("  in pieces: %d, %zu, %zu\n", (int)outcome, result.consumed, result.error_offset);
  fastmap_skipper_free(skipper);
}

void print_reading(const char *name, const void *bytes, size_t length) {
  const char *base = strrchr(name, '/');
  printf("%s\n", base ? base + 1 : name);
  fastmap_tree_arena *arena = fastmap_tree_arena_new();
  if (!arena) exit(1);
  fastmap_read_result result;
  bool is_read = fastmap_read(arena, bytes, length, NULL, &result);
  print_result("read", &result);
  if (is_read) {
    printf("  tree: ");
    print_tree(result.tree, result.big_integers);
    putchar('\n');
  }
  fastmap_tree_arena_free(arena);
  fastmap_skip(bytes, length, NULL, &result);
  print_result("skipped", &result);
  if (length < 4096) print_pieces(bytes, length);

  json_t *own = json_loadb(bytes, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
  if (!own) return;
  fastmap_tree_verdict verdict;
  fastmap_tree_check(own, 512, &verdict);
  printf("  a tree of jansson's: %d, %llu of %llu bytes\n", (int)verdict.fault, (unsigned long long)verdict.size,
         (unsigned long long)verdict.max_size);
  fastmap_tree_verdict_end(&verdict);
  fastmap_tree_release(own);
}

// Numbers of up to 25 digits at random: the checksum of the numbers as read, and some of them in full.
void print_numbers(void) {
  uint64_t state = 1;
  uint32_t checksum = 0;
  for (int i = 0; i < 20000; i++) {
    char text[64], *out = text;
    if (next_number(&state) & 1) *out++ = '-';
    *out++ = '1' + (char)(next_number(&state) % 9);
    for (uint64_t digits = next_number(&state) % 24; digits; digits--) *out++ = '0' + (char)(next_number(&state) % 10);
    *out++ = '.';
    *out++ = '0' + (char)(next_number(&state) % 10);
    out += sprintf(out, "e%d", (int)(next_number(&state) % 640) - 340);
    fastmap_read_result result;
    if (!fastmap_read(NULL, text, (size_t)(out - text), NULL, &result)) continue;
    char shown[64];
    int length = sprintf(shown, "%a", json_real_value(result.tree));
    checksum = fastmap_crc32c(checksum, shown, (size_t)length);
    if (i % 1000 == 0) printf("%.*s = %s\n", (int)(out - text), text, shown);
    json_decref(result.tree);
  }
  printf("numbers: %08x\n", checksum);
}
