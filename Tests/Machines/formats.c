#include <stdlib.h>
#include <string.h>

#include "fastmap_base64.h"
#include "fastmap_date.h"
#include "machine.h"

// The checksums' functions of their own are to be seen, too.
#include "../../Sources/CFastMap/pages/checksum.c"

void print_checksums(void) {
  uint8_t bytes[300];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 167 + 13);
  for (size_t length = 0; length <= 256; length++) {
    uint32_t whole = fastmap_crc32c(7, bytes + length % 8, length);
    printf("checksum of %zu: %08x\n", length, whole);
    if (crc_by_table(7, bytes + length % 8, length) != whole) printf("  another one by the table\n");
  }
#ifdef INSTRUCTION
  fprintf(stderr, "checksums: %s\n", HAS_INSTRUCTION ? "by the processor's instruction" : "by the table, as the processor has no instruction");
#else
  fprintf(stderr, "checksums: by the table\n");
#endif
}

void print_base64(void) {
  uint64_t state = 2;
  for (size_t count = 0; count < 80; count++) {
    uint8_t bytes[80], back[120];
    for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)next_number(&state);
    char text[120];
    size_t length = fastmap_base64_encode(bytes, count, text), back_length = 0;
    bool is_back = fastmap_base64_decode(text, length, back, &back_length);
    printf("base64 %.*s %d\n", (int)length, text, is_back && back_length == count && !memcmp(bytes, back, count));
    if (length) text[next_number(&state) % length] = "!=-_ A"[next_number(&state) % 6];
    printf("  changed: %d\n", fastmap_base64_decode(text, length, back, &back_length));
  }
}

static const char *const dates[] = {
  "2014-07-30T05:00:00Z", "2014-07-30T05:00:00.123456789+02:00", "1969-12-31T23:59:59.5Z", "0000-01-01", "9999-12-31T23:59:60Z",
  "2015-02-29", "2016-02-29t00:00:00z", "2014-07-30 05:00:00-0330", "2014-07-30T05:00", "2014-07-30T24:00:00Z", "",
};
static const char *const patterns[] = {"%Y-%m-%d", "%a, %d %b %Y %T %z", "%s.%f", "%y%j %I:%M %p", "%F %R"};

void print_dates(void) {
  for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
    fastmap_instant instant = {0};
    bool is_read = fastmap_date_parse_iso8601(dates[i], strlen(dates[i]), &instant);
    printf("date %s: %d %lld %u\n", dates[i], is_read, (long long)instant.seconds, instant.nanoseconds);
  }
  uint64_t state = 3;
  for (int i = 0; i < 200; i++) {
    int64_t range = INT64_C(250000000000);
    fastmap_instant instant = {.seconds = (int64_t)(next_number(&state) % (uint64_t)range) - range / 4,
                               .nanoseconds = (uint32_t)(next_number(&state) % 1000000000)};
    char text[80];
    size_t length = fastmap_date_format_iso8601(instant, text);
    printf("date %.*s %a %a\n", (int)length, text, fastmap_date_to_epoch(instant), fastmap_date_to_epoch_ms(instant));
    const char *pattern = patterns[i % 5];
    length = fastmap_date_format_pattern(pattern, strlen(pattern), instant, text, sizeof text);
    fastmap_instant back = {0};
    bool is_read = fastmap_date_parse_pattern(pattern, strlen(pattern), text, length, &back);
    printf("  %.*s %d %lld %u\n", (int)length, text, is_read, (long long)back.seconds, back.nanoseconds);
    fastmap_date_from_epoch(fastmap_date_to_epoch(instant), &back);
    printf("  from the epoch: %lld %u\n", (long long)back.seconds, back.nanoseconds);
  }
}
