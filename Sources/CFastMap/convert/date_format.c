#include <string.h>

#include "fastmap_date.h"

enum { DAY = 86400, NANOSECONDS = 1000000000 };

// An instant in UTC, taken apart.
typedef struct {
  fastmap_instant instant;
  int64_t year;
  uint32_t month, day, hour, minute, second;
  uint32_t day_of_year;  // from 1
  uint32_t weekday;      // 0 is Sunday
} civil;

// The days are counted by Howard Hinnant's civil_from_days,
// http://howardhinnant.github.io/date_algorithms.html: eras of 400 years, and years that begin in March, so
// that a leap day comes last.
static civil civil_from_instant(fastmap_instant instant) {
  int64_t days = instant.seconds / DAY;
  int64_t second_of_day = instant.seconds % DAY;
  if (second_of_day < 0) {
    second_of_day += DAY;
    days--;
  }
  int64_t shifted = days + 719468;
  int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  uint32_t day_of_era = (uint32_t)(shifted - era * 146097);
  uint32_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  uint32_t day_from_march = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  uint32_t month_from_march = (5 * day_from_march + 2) / 153;
  uint32_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  int64_t year = era * 400 + year_of_era + (month <= 2);
  uint32_t leap = fastmap_is_leap_year(year);
  uint32_t second = (uint32_t)second_of_day;
  return (civil){
      .instant = instant,
      .year = year,
      .month = month,
      .day = day_from_march - (153 * month_from_march + 2) / 5 + 1,
      .hour = second / 3600,
      .minute = second / 60 % 60,
      .second = second % 60,
      .day_of_year = (day_from_march + 59 + leap) % (365 + leap) + 1,
      .weekday = (uint32_t)((days % 7 + 11) % 7),  // day 0 was a Thursday
  };
}

static char *put_digits(char *out, uint32_t value, int width) {
  for (int i = width; i--; value /= 10) out[i] = (char)('0' + value % 10);
  return out + width;
}

size_t fastmap_date_format_iso8601(fastmap_instant instant, char out[40]) {
  civil date = civil_from_instant(instant);
  if (date.year < 0 || date.year > 9999 || instant.nanoseconds >= NANOSECONDS) return 0;
  char *next = put_digits(out, (uint32_t)date.year, 4);
  *next++ = '-';
  next = put_digits(next, date.month, 2);
  *next++ = '-';
  next = put_digits(next, date.day, 2);
  *next++ = 'T';
  next = put_digits(next, date.hour, 2);
  *next++ = ':';
  next = put_digits(next, date.minute, 2);
  *next++ = ':';
  next = put_digits(next, date.second, 2);
  if (instant.nanoseconds) {
    *next++ = '.';
    next = put_digits(next, instant.nanoseconds, 9);
    while (next[-1] == '0') next--;
  }
  *next++ = 'Z';
  return (size_t)(next - out);
}

typedef struct {
  char *out;
  size_t capacity;
  size_t length;
} writer;

static bool put_text(writer *to, const char *text, size_t length) {
  if (length > to->capacity - to->length) return false;
  memcpy(to->out + to->length, text, length);
  to->length += length;
  return true;
}

static bool put_number(writer *to, uint32_t value, int width) {
  char digits[9];
  put_digits(digits, value, width);
  return put_text(to, digits, (size_t)width);
}

static bool put_epoch(writer *to, int64_t seconds) {
  char digits[20];
  size_t first = sizeof digits;
  uint64_t left = seconds < 0 ? 0 - (uint64_t)seconds : (uint64_t)seconds;
  do digits[--first] = (char)('0' + left % 10);
  while (left /= 10);
  if (seconds < 0) digits[--first] = '-';
  return put_text(to, digits + first, sizeof digits - first);
}

static bool put_pattern(writer *to, const char *pattern, size_t length, const civil *date);

static bool put_directive(writer *to, char directive, const civil *date) {
  const char *month = fastmap_month_names[date->month - 1];
  const char *weekday = fastmap_weekday_names[date->weekday];
  uint32_t nanoseconds = date->instant.nanoseconds;
  switch (directive) {
    case 'Y': return date->year >= 0 && date->year <= 9999 && put_number(to, (uint32_t)date->year, 4);
    case 'y': return date->year >= 1969 && date->year <= 2068 && put_number(to, (uint32_t)date->year, 2);
    case 'm': return put_number(to, date->month, 2);
    case 'd': return put_number(to, date->day, 2);
    case 'e': return date->day < 10 ? put_text(to, " ", 1) && put_number(to, date->day, 1)
                                    : put_number(to, date->day, 2);
    case 'H': return put_number(to, date->hour, 2);
    case 'I': return put_number(to, (date->hour + 11) % 12 + 1, 2);
    case 'M': return put_number(to, date->minute, 2);
    case 'S': return put_number(to, date->second, 2);
    case 'f': return nanoseconds % 1000 ? put_number(to, nanoseconds, 9)
                                        : put_number(to, nanoseconds / 1000, 6);
    case 'p': return put_text(to, date->hour < 12 ? "AM" : "PM", 2);
    case 'j': return put_number(to, date->day_of_year, 3);
    case 'b':
    case 'h': return put_text(to, month, 3);
    case 'B': return put_text(to, month, strlen(month));
    case 'a': return put_text(to, weekday, 3);
    case 'A': return put_text(to, weekday, strlen(weekday));
    case 's': return put_epoch(to, date->instant.seconds);
    case 'z': return put_text(to, "+0000", 5);
    case 'Z': return put_text(to, "UTC", 3);
    case 'T': return put_pattern(to, "%H:%M:%S", 8, date);
    case 'R': return put_pattern(to, "%H:%M", 5, date);
    case 'D': return put_pattern(to, "%m/%d/%y", 8, date);
    case 'F': return put_pattern(to, "%Y-%m-%d", 8, date);
    case 'n': return put_text(to, "\n", 1);
    case 't': return put_text(to, "\t", 1);
    case '%': return put_text(to, "%", 1);
    default: return false;
  }
}

static bool put_pattern(writer *to, const char *pattern, size_t length, const civil *date) {
  for (size_t i = 0; i < length; i++) {
    if (pattern[i] != '%') {
      if (!put_text(to, pattern + i, 1)) return false;
    } else if (++i == length || !put_directive(to, pattern[i], date)) {
      return false;
    }
  }
  return true;
}

size_t fastmap_date_format_pattern(const char *pattern, size_t pattern_length, fastmap_instant instant,
                                   char *out, size_t capacity) {
  if (instant.nanoseconds >= NANOSECONDS) return 0;
  civil date = civil_from_instant(instant);
  writer to = {.out = out, .capacity = capacity};
  return put_pattern(&to, pattern, pattern_length, &date) ? to.length : 0;
}
