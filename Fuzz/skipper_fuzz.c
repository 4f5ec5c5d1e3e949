// A value checked piece by piece against the same value checked as a whole: the same verdict, the same
// offsets, wherever its text is cut. And the reader, which is asked again with more text when a value was cut:
// the beginning of a text, right or wrong, is either cut at its end or wrong where the whole is.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastmap_stream.h"

static void check(bool is_right, const char *what) {
  if (is_right) return;
  fprintf(stderr, "skipper_fuzz: %s\n", what);
  abort();
}

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

// Shows the text from the first wanted byte up to a growing end, in memory of its own, so that a look behind it
// is noticed.
static void compare_cut(const uint8_t *text, size_t length, const fastmap_read_options *options,
                        const fastmap_read_result *whole, uint32_t step, uint32_t seed) {
  static fastmap_skipper *skipper;
  if (!skipper) skipper = fastmap_skipper_new();
  fastmap_skipper_begin(skipper, options);
  size_t from = 0, to = 0;
  for (;;) {
    to += step ? step : 1 + next_random(&seed) % 40;
    if (to > length) to = length;
    bool is_last = to == length;
    uint8_t *piece = malloc(to - from + 1);
    memcpy(piece, text + from, to - from);
    fastmap_read_result result;
    fastmap_skipper_outcome outcome = fastmap_skipper_feed(skipper, piece, to - from, 0, is_last, &result);
    free(piece);
    switch (outcome) {
      case FASTMAP_SKIPPER_DONE:
        check(whole->error == FASTMAP_READ_OK, "took what is wrong");
        check(from + result.consumed == whole->consumed, "ends elsewhere");
        return;
      case FASTMAP_SKIPPER_WRONG:
        check(result.error == whole->error, "another error");
        check(from + result.error_offset == whole->error_offset, "another place");
        return;
      case FASTMAP_SKIPPER_MORE:
        check(!is_last, "wants more than there is");
        check(result.consumed <= to - from, "consumed what is not there");
        from += result.consumed;
    }
  }
}

static void compare_beginning(const uint8_t *text, size_t length, const fastmap_read_options *options,
                              const fastmap_read_result *whole, uint32_t seed) {
  size_t shorter = length ? next_random(&seed) % length : 0;
  fastmap_read_result result;
  if (fastmap_skip(text, shorter, options, &result)) {
    check(result.consumed == shorter || (!whole->error && result.consumed == whole->consumed),
          "the beginning of a text is a value, and the text is not");
  } else if (result.error_offset != shorter) {
    check(result.error == whole->error && result.error_offset == whole->error_offset,
          "the beginning of a text is wrong elsewhere");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t length) {
  uint32_t seed = (uint32_t)length;
  for (size_t i = 0; i < length; i++) seed = seed * 31 + text[i];
  fastmap_read_options options = {.one_value = true, .max_depth = 40, .outer_depth = seed % 41};
  fastmap_read_result whole;
  fastmap_skip(text, length, &options, &whole);
  compare_cut(text, length, &options, &whole, 1, seed);
  compare_cut(text, length, &options, &whole, 0, seed);
  compare_beginning(text, length, &options, &whole, seed);

  fastmap_place start = {.line = 1, .column = 1}, place = {.line = 1, .column = 1};
  size_t cut = length ? seed % length : 0;
  place = fastmap_place_behind(fastmap_place_behind(place, text, cut), text + cut, length - cut);
  fastmap_place all = fastmap_place_behind(start, text, length);
  check(all.line == place.line && all.column == place.column, "another place when it is cut");
  return 0;
}
