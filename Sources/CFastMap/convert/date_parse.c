#include <string.h>

#include "fastmap_date.h"

// The numbers in a text, before it is known to be a real date.
typedef struct {
  int32_t year, month, day, hour, minute, second;
  int32_t offset;  // seconds east of UTC
  uint32_t nanoseconds;
} civil;

// Howard Hinnant's days_from_civil, http://howardhinnant.github.io/date_algorithms.html: eras of 400 years,
// and years that begin in March, so that a leap day comes last. One era is added at first to keep year -1 out
// of the way.
static int32_t days_from_civil(int32_t year, int32_t month, int32_t day) {
  uint32_t shifted = (uint32_t)(year + 400 - (month <= 2));
  uint32_t year_of_era = shifted % 400;
  uint32_t day_of_year = (153 * (uint32_t)(month > 2 ? month - 3 : month + 9) + 2) / 5 + (uint32_t)day - 1;
  uint32_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return (int32_t)(shifted / 400 * 146097 + day_of_era) - 146097 - 719468;
}

static bool instant_from_civil(const civil *date, fastmap_instant *out) {
  static const uint8_t lengths[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (date->month < 1 || date->month > 12 || date->day < 1) return false;
  if (date->day > lengths[date->month - 1] &&
      !(date->month == 2 && date->day == 29 && fastmap_is_leap_year(date->year)))
    return false;
  if (date->hour > 23 || date->minute > 59 || date->second > 60) return false;
  int32_t time = date->hour * 3600 + date->minute * 60 + date->second - date->offset;
  out->seconds = (int64_t)days_from_civil(date->year, date->month, date->day) * 86400 + time;
  out->nanoseconds = date->nanoseconds;
  return true;
}

// The text that is left is text[next ..< length].
typedef struct {
  const char *text;
  size_t length;
  size_t next;
} reader;

// Above 9 for all but digits.
static inline uint32_t digit(char character) { return (uint32_t)(uint8_t)character - '0'; }

static bool at_digit(const reader *from) {
  return from->next < from->length && digit(from->text[from->next]) <= 9;
}

static bool read_character(reader *from, char character) {
  if (from->next == from->length || from->text[from->next] != character) return false;
  from->next++;
  return true;
}

// Two digits; clears `good` unless both are.
static inline int32_t pair(const char *text, bool *good) {
  uint32_t tens = digit(text[0]), ones = digit(text[1]);
  *good &= (tens <= 9) & (ones <= 9);
  return (int32_t)(tens * 10 + ones);
}

static bool read_pair(reader *from, int32_t *value) {
  bool good = from->length - from->next >= 2;
  if (!good) return false;
  *value = pair(from->text + from->next, &good);
  if (good) from->next += 2;
  return good;
}

// 1 to 9 digits.
static bool read_fraction(reader *from, uint32_t *nanoseconds) {
  if (!at_digit(from)) return false;
  uint32_t value = 0;
  for (int i = 0; i < 9; i++) value = value * 10 + (at_digit(from) ? digit(from->text[from->next++]) : 0);
  *nanoseconds = value;
  return true;
}

// Z, ±hh, ±hhmm or ±hh:mm.
static bool read_offset(reader *from, int32_t *offset) {
  *offset = 0;
  if (read_character(from, 'Z') || read_character(from, 'z')) return true;
  bool west = read_character(from, '-');
  if (!west && !read_character(from, '+')) return false;
  int32_t hours, minutes = 0;
  if (!read_pair(from, &hours)) return false;
  size_t end_of_hours = from->next;
  read_character(from, ':');
  if (!read_pair(from, &minutes)) from->next = end_of_hours;
  if (hours > 23 || minutes > 59) return false;
  *offset = (hours * 60 + minutes) * (west ? -60 : 60);
  return true;
}

// Reads the rest after a date: nothing, or T and a time with an offset or without one. Sets the hours, minutes and seconds.
static inline __attribute__((always_inline)) bool read_time(const char *text, size_t length, size_t next, civil *date) {
  if (next == length) return true;
  if (length - next < 6) return false;
  const char *time = text + next;
  bool good = ((time[0] | 0x20) == 't') | (time[0] == ' ');
  good &= time[3] == ':';
  date->hour = pair(time + 1, &good);
  date->minute = pair(time + 4, &good);
  bool has_seconds = length - next >= 9 && time[6] == ':';
  if (has_seconds) date->second = pair(time + 7, &good);
  reader rest = {.text = text, .length = length, .next = next + (has_seconds ? 9 : 6)};
  if (has_seconds && (read_character(&rest, '.') || read_character(&rest, ','))) {
    good &= read_fraction(&rest, &date->nanoseconds);
    while (at_digit(&rest)) rest.next++;
  }
  if (rest.next < length) good &= read_offset(&rest, &date->offset) && rest.next == length;
  return good;
}

// Adds a time to the days since 1970. 24:00 is the next midnight.
static bool instant_from_days(int32_t days, const civil *time, fastmap_instant *out) {
  bool is_midnight = !time->minute && !time->second && !time->nanoseconds;
  if (time->hour > 24 - !is_midnight || time->minute > 59 || time->second > 60) return false;
  out->seconds = (int64_t)days * 86400 + time->hour * 3600 + time->minute * 60 + time->second - time->offset;
  out->nanoseconds = time->nanoseconds;
  return true;
}

// A Monday is 0. Day 0 was a Thursday.
static int32_t weekday_of(int32_t days) { return ((days + 3) % 7 + 7) % 7; }

// The Monday of week 1, which has the year's first Thursday and January 4.
static int32_t first_week_of(int32_t year) {
  int32_t days = days_from_civil(year, 1, 4);
  return days - weekday_of(days);
}

static bool days_of_week_date(const char *text, int32_t year, int32_t *days) {
  bool good = text[8] == '-';
  int32_t week = pair(text + 6, &good), day = (int32_t)digit(text[9]);
  if (!good || week < 1 || day < 1 || day > 7) return false;
  int32_t monday = first_week_of(year) + (week - 1) * 7;
  *days = monday + day - 1;
  return monday < first_week_of(year + 1);
}

static bool days_of_ordinal_date(const char *text, int32_t year, int32_t *days) {
  bool good = digit(text[7]) <= 9;
  int32_t day = pair(text + 5, &good) * 10 + (int32_t)digit(text[7]);
  if (!good || day < 1 || day > 365 + fastmap_is_leap_year(year)) return false;
  *days = days_from_civil(year, 1, 1) + day - 1;
  return true;
}

// YYYY-Www-D and YYYY-DDD, with a time or without one.
static bool parse_rare_date(const char *text, size_t length, fastmap_instant *out) {
  bool good = text[4] == '-';
  civil date = {.year = pair(text, &good) * 100 + pair(text + 2, &good)};
  bool is_week = (text[5] | 0x20) == 'w';
  if (!good || (is_week && length < 10)) return false;
  int32_t days = 0;
  bool is_date = is_week ? days_of_week_date(text, date.year, &days) : days_of_ordinal_date(text, date.year, &days);
  return is_date && read_time(text, length, is_week ? 10 : 8, &date) && instant_from_days(days, &date, out);
}

bool fastmap_date_parse_iso8601(const char *text, size_t length, fastmap_instant *out) {
  if (length < 8) return false;
  if (text[7] != '-') return parse_rare_date(text, length, out);
  if (length < 10) return false;
  bool good = text[4] == '-';
  civil date = {.year = pair(text, &good) * 100 + pair(text + 2, &good),
                .month = pair(text + 5, &good),
                .day = pair(text + 8, &good)};
  if (!read_time(text, length, 10, &date) || !good) return false;
  if (date.hour < 24) return instant_from_civil(&date, out);
  civil day = {.year = date.year, .month = date.month, .day = date.day};
  fastmap_instant midnight;
  return instant_from_civil(&day, &midnight) &&
         instant_from_days((int32_t)(midnight.seconds / 86400), &date, out);
}

// The fields that a pattern reads from a text.
typedef struct {
  civil date;
  bool has_month_or_day;
  int32_t day_of_year;  // 0 if not said
  bool is_of_12_hours;
  bool is_afternoon;
  bool has_epoch;
  int64_t epoch;
} fields;

static bool is_space(char character) { return character == ' ' || (character >= '\t' && character <= '\r'); }

static bool skip_space(reader *from) {
  while (from->next < from->length && is_space(from->text[from->next])) from->next++;
  return true;
}

static bool read_number(reader *from, int width, int32_t least, int32_t most, int32_t *value) {
  if (!at_digit(from)) return false;
  int32_t number = 0;
  while (width-- && at_digit(from)) number = number * 10 + (int32_t)digit(from->text[from->next++]);
  *value = number;
  return number >= least && number <= most;
}

static char lower(char character) {
  return character >= 'A' && character <= 'Z' ? (char)(character | 0x20) : character;
}

static bool read_word(reader *from, const char *word, size_t length) {
  if (length > from->length - from->next) return false;
  for (size_t i = 0; i < length; i++)
    if (lower(from->text[from->next + i]) != lower(word[i])) return false;
  from->next += length;
  return true;
}

// A name or its first three letters.
static bool read_name(reader *from, const char *const *names, int32_t count, int32_t *index) {
  for (*index = 0; *index < count; ++*index) {
    const char *name = names[*index];
    if (read_word(from, name, strlen(name)) || read_word(from, name, 3)) return true;
  }
  return false;
}

static bool read_epoch(reader *from, int64_t *seconds) {
  bool negative = read_character(from, '-');
  if (!at_digit(from)) return false;
  int64_t value = 0;
  while (at_digit(from)) {
    if (value > INT64_MAX / 10 - 1) return false;
    value = value * 10 + digit(from->text[from->next++]);
  }
  *seconds = negative ? -value : value;
  return true;
}

static bool read_pattern(reader *from, const char *pattern, size_t length, fields *said);

static bool read_directive(reader *from, char directive, fields *said) {
  civil *date = &said->date;
  int32_t ignored;
  switch (directive) {
    case 'Y': return read_number(from, 4, 0, 9999, &date->year);
    case 'y':
      if (!read_number(from, 2, 0, 99, &date->year)) return false;
      date->year += date->year < 69 ? 2000 : 1900;
      return true;
    case 'm':
      said->has_month_or_day = true;
      return read_number(from, 2, 1, 12, &date->month);
    case 'b':
    case 'B':
    case 'h':
      said->has_month_or_day = true;
      if (!read_name(from, fastmap_month_names, 12, &date->month)) return false;
      date->month++;
      return true;
    case 'e':
      skip_space(from);
      // fall through
    case 'd':
      said->has_month_or_day = true;
      return read_number(from, 2, 1, 31, &date->day);
    case 'j': return read_number(from, 3, 1, 366, &said->day_of_year);
    case 'a':
    case 'A': return read_name(from, fastmap_weekday_names, 7, &ignored);
    case 'H':
      said->is_of_12_hours = false;
      return read_number(from, 2, 0, 23, &date->hour);
    case 'I':
      said->is_of_12_hours = true;
      return read_number(from, 2, 1, 12, &date->hour);
    case 'p':
      said->is_afternoon = read_word(from, "PM", 2);
      return said->is_afternoon || read_word(from, "AM", 2);
    case 'M': return read_number(from, 2, 0, 59, &date->minute);
    case 'S': return read_number(from, 2, 0, 60, &date->second);
    case 'f': return read_fraction(from, &date->nanoseconds);
    case 'z': return read_offset(from, &date->offset);
    case 'Z': return read_word(from, "UTC", 3) || read_word(from, "GMT", 3) || read_word(from, "Z", 1);
    case 's':
      said->has_epoch = true;
      return read_epoch(from, &said->epoch);
    case 'T': return read_pattern(from, "%H:%M:%S", 8, said);
    case 'R': return read_pattern(from, "%H:%M", 5, said);
    case 'D': return read_pattern(from, "%m/%d/%y", 8, said);
    case 'F': return read_pattern(from, "%Y-%m-%d", 8, said);
    case 'n':
    case 't': return skip_space(from);
    case '%': return read_character(from, '%');
    default: return false;
  }
}

static bool read_pattern(reader *from, const char *pattern, size_t length, fields *said) {
  for (size_t i = 0; i < length; i++) {
    if (is_space(pattern[i])) {
      skip_space(from);
    } else if (pattern[i] != '%') {
      if (!read_character(from, pattern[i])) return false;
    } else if (++i == length || !read_directive(from, pattern[i], said)) {
      return false;
    }
  }
  return true;
}

static bool instant_from_fields(fields *said, fastmap_instant *out) {
  civil *date = &said->date;
  if (said->has_epoch) {
    if (!fastmap_date_from_epoch_integer(said->epoch, 1, out)) return false;
    out->nanoseconds = date->nanoseconds;
    return true;
  }
  if (said->is_of_12_hours) date->hour = date->hour % 12 + (said->is_afternoon ? 12 : 0);
  if (!said->day_of_year) return instant_from_civil(date, out);

  int32_t day = days_from_civil(date->year, 1, 1) + said->day_of_year - 1;
  if (said->has_month_or_day) {  // said twice, so both must agree
    return day == days_from_civil(date->year, date->month, date->day) && instant_from_civil(date, out);
  }
  if (said->day_of_year == 366 && !fastmap_is_leap_year(date->year)) return false;
  if (!instant_from_civil(date, out)) return false;
  out->seconds += (int64_t)(said->day_of_year - 1) * 86400;  // from January 1, the default
  return true;
}

bool fastmap_date_parse_pattern(const char *pattern, size_t pattern_length, const char *text, size_t length,
                                fastmap_instant *out) {
  fields said = {.date = {.year = 1970, .month = 1, .day = 1}};
  reader from = {.text = text, .length = length};
  return read_pattern(&from, pattern, pattern_length, &said) && from.next == length &&
         instant_from_fields(&said, out);
}
