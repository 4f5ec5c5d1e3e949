// The reader against json_loadb: the same verdict and the same tree, but for the differences that are meant:
//
// - json_loadb takes one NUL after a number or a literal for nothing; here it is never right.
// - It refuses \u0000 in a name.
// - It refuses integers beyond int64. They are compared with its tree when integers are reals.
// - It counts a value inside of the 2048th array as one level more.
// - Where one value is wanted, it still looks at the character behind a number or a literal, and refuses
//   letters and wrong UTF-8 there.
//
// And the reader against itself: with and without an arena, building or skipping, a value or a text, cut
// short.

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "fastmap_reader.h"

enum { JANSSON_DEPTH = 2048 };

static fastmap_tree_arena *arena;

static void check(bool is_right, const char *what) {
  if (is_right) return;
  fprintf(stderr, "reader_fuzz: %s\n", what);
  abort();
}

static bool read(fastmap_tree_arena *owner, const uint8_t *text, size_t length, fastmap_read_options options,
                 fastmap_read_result *result) {
  options.max_depth = JANSSON_DEPTH;
  bool is_read = fastmap_read(owner, text, length, &options, result);
  check(is_read == (result->tree != NULL), "a tree without success, or success without a tree");
  check(is_read == (result->error == FASTMAP_READ_OK), "an error with success, or none without");
  check(result->consumed <= length && result->error_offset <= length, "an offset outside of the text");
  return is_read;
}

static json_t *load(const uint8_t *text, size_t length, size_t flags, json_error_t *error) {
  return json_loadb((const char *)text, length, flags | JSON_DECODE_ANY | JSON_ALLOW_NUL, error);
}

// For a text with an integer that json_loadb cannot hold.
static void compare_as_reals(const uint8_t *text, size_t length, const fastmap_read_result *ours) {
  check(ours->big_integers != NULL, "json_loadb refuses a number that is no big integer");
  json_error_t error;
  json_t *theirs = load(text, length, JSON_DECODE_INT_AS_REAL, &error);
  if (theirs) check(is_same_tree(ours->tree, theirs, true), "another tree with a big integer");
  json_decref(theirs);
}

static bool is_letter_or_odd(const uint8_t *text, size_t length, size_t offset) {
  if (offset == length) return false;
  uint8_t lower = text[offset] | 0x20;
  return lower >= 0x80 || (lower >= 'a' && lower <= 'z');
}

static void compare_with_jansson(const uint8_t *text, size_t length, const fastmap_read_result *ours,
                                 size_t flags) {
  if (memchr(text, 0, length)) {
    check(!ours->tree || !memchr(text, 0, ours->consumed), "a NUL byte was accepted");
    return;
  }
  json_error_t error;
  json_t *theirs = load(text, length, flags, &error);
  enum json_error_code code = theirs ? json_error_unknown : json_error_code(&error);
  if (theirs) {
    check(ours->tree != NULL, "refused what json_loadb accepts");
    check(is_same_tree(ours->tree, theirs, false), "another tree");
    bool one_value = flags & JSON_DISABLE_EOF_CHECK;
    check(!one_value || ours->consumed == (size_t)error.position, "another end of the value");
  } else if (ours->tree && code == json_error_numeric_overflow) {
    if (!flags) compare_as_reals(text, length, ours);
  } else if (ours->tree && !is_letter_or_odd(text, length, ours->consumed)) {
    check(code == json_error_null_byte_in_key || code == json_error_stack_overflow,
          "accepted what json_loadb refuses");
  }
  json_decref(theirs);
}

static bool is_same_end(const fastmap_read_result *left, const fastmap_read_result *right) {
  return left->error == right->error && left->error_offset == right->error_offset &&
         left->consumed == right->consumed;
}

static void compare_with_skipping(const uint8_t *text, size_t length, const fastmap_read_result *ours,
                                  bool one_value) {
  fastmap_read_options options = {.max_depth = JANSSON_DEPTH, .one_value = one_value};
  fastmap_read_result skipped;
  fastmap_skip(text, length, &options, &skipped);
  check(is_same_end(&skipped, ours), "skipping ends differently");
}

static void compare_with_plain(const uint8_t *text, size_t length, const fastmap_read_result *ours) {
  fastmap_read_result plain;
  read(NULL, text, length, (fastmap_read_options){.start = 0}, &plain);
  check(is_same_end(&plain, ours), "reading without an arena ends differently");
  if (plain.tree) check(is_same_tree(plain.tree, ours->tree, false), "another tree without an arena");
  fastmap_tree_release(plain.tree);
  fastmap_big_integers_free(plain.big_integers);
}

static void compare_with_texts(const uint8_t *text, size_t length, const fastmap_read_result *ours) {
  fastmap_read_result kept;
  read(NULL, text, length, (fastmap_read_options){.keeps_reals = true}, &kept);
  if (ours->error == FASTMAP_READ_NUMBER_OVERFLOW) {  // whatever follows it
    fastmap_tree_release(kept.tree);
    fastmap_big_integers_free(kept.big_integers);
    return;
  }
  check(is_same_end(&kept, ours), "keeping the texts of reals ends differently");
  if (kept.tree) check(is_same_tree(kept.tree, ours->tree, false), "another tree with the texts of reals");
  size_t count = 0;
  if (kept.tree && json_is_real((json_t *)kept.tree))
    check(fastmap_number_text(kept.big_integers, kept.tree, &count) && count, "a real without its text");
  fastmap_tree_release(kept.tree);
  fastmap_big_integers_free(kept.big_integers);
}

// The beginning of a right text is one that ends too early, which its offset says; or a shorter number.
static void compare_with_beginning(const uint8_t *text, size_t length, const fastmap_read_result *ours) {
  if (!ours->tree || length == 0) return;
  size_t shorter = (length * 2654435761u >> 7) % length;
  fastmap_read_result result;
  if (read(arena, text, shorter, (fastmap_read_options){.start = 0}, &result)) return;
  check(result.error_offset == shorter, "the beginning of a right text is wrong in the middle");
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t length) {
  if (!arena) arena = fastmap_tree_arena_new();
  fastmap_read_result result;

  read(arena, text, length, (fastmap_read_options){.start = 0}, &result);
  compare_with_jansson(text, length, &result, 0);
  compare_with_skipping(text, length, &result, false);
  compare_with_plain(text, length, &result);
  compare_with_texts(text, length, &result);
  compare_with_beginning(text, length, &result);

  read(arena, text, length, (fastmap_read_options){.rejects_duplicates = true}, &result);
  compare_with_jansson(text, length, &result, JSON_REJECT_DUPLICATES);

  read(arena, text, length, (fastmap_read_options){.one_value = true}, &result);
  compare_with_jansson(text, length, &result, JSON_DISABLE_EOF_CHECK);
  compare_with_skipping(text, length, &result, true);

  fastmap_tree_arena_reset(arena);
  return 0;
}
