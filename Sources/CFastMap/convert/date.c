#include "fastmap_date.h"

#include <string.h>

enum { NANOSECONDS = 1000000000 };

// Three million years: beyond, a number is more likely a mistake than a date.
static const int64_t limit = 100000000000000;

const char *const fastmap_month_names[12] = {"January",   "February", "March",    "April",
                                             "May",       "June",     "July",     "August",
                                             "September", "October",  "November", "December"};

const char *const fastmap_weekday_names[7] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                              "Thursday", "Friday", "Saturday"};

const char *const fastmap_date_directives = "YmdeHMSyIpjbBhaATDFRzZsfnt%";

bool fastmap_date_pattern_check(const char *pattern, size_t length, size_t *bad_offset) {
  for (size_t i = 0; i < length; i++) {
    if (pattern[i] != '%') continue;
    if (i + 1 < length && memchr(fastmap_date_directives, pattern[i + 1], strlen(fastmap_date_directives))) {
      i++;
      continue;
    }
    if (bad_offset) *bad_offset = i;
    return false;
  }
  return true;
}

// whole + part / parts, rounded once. Below 2^22 the number of parts is exact and only the division rounds.
// Above, a fraction of 9 digits that is not halfway between two doubles is so far from it that the quotient's
// error, 2^-54 at most, cannot cross it.
static double join(int64_t whole, int64_t part, int64_t parts) {
  if (whole < 1 << 22) return (double)(whole * parts + part) / (double)parts;
  return (double)whole + (double)part / (double)parts;
}

// By magnitude: -0.1 is stored as -1 s and 900 ms, but -1 + 0.9 is not the double -0.1.
static double to_real(fastmap_instant instant, int64_t units) {
  if (instant.seconds > limit || instant.seconds < -limit) return (double)instant.seconds * (double)units;
  bool negative = instant.seconds < 0;
  int64_t seconds = negative ? -instant.seconds : instant.seconds;
  int64_t nanoseconds = instant.nanoseconds;
  if (negative && nanoseconds) {
    seconds--;
    nanoseconds = NANOSECONDS - nanoseconds;
  }
  int64_t parts = NANOSECONDS / units;
  double result = join(seconds * units + nanoseconds / parts, nanoseconds % parts, parts);
  return negative ? -result : result;
}

static fastmap_instant from_magnitude(bool negative, int64_t whole, int64_t nanoseconds, int64_t units) {
  int64_t seconds = whole / units;
  nanoseconds += whole % units * (NANOSECONDS / units);
  if (nanoseconds >= NANOSECONDS) {  // the fraction was rounded up
    seconds++;
    nanoseconds -= NANOSECONDS;
  }
  if (negative) {
    seconds = -seconds;
    if (nanoseconds) {
      seconds--;
      nanoseconds = NANOSECONDS - nanoseconds;
    }
  }
  return (fastmap_instant){.seconds = seconds, .nanoseconds = (uint32_t)nanoseconds};
}

static bool from_real(double value, int64_t units, fastmap_instant *out) {
  bool negative = value < 0;
  double magnitude = negative ? -value : value;
  if (!(magnitude <= (double)(limit * units))) return false;  // NaN too
  int64_t whole = (int64_t)magnitude;
  double fraction = magnitude - (double)whole;
  int64_t parts = NANOSECONDS / units;
  int64_t microseconds = (int64_t)(fraction * (double)(parts / 1000) + 0.5);
  *out = from_magnitude(negative, whole, microseconds * 1000, units);
  if (to_real(*out, units) == value) return true;
  *out = from_magnitude(negative, whole, (int64_t)(fraction * (double)parts + 0.5), units);
  return true;
}

bool fastmap_date_from_epoch(double seconds, fastmap_instant *out) { return from_real(seconds, 1, out); }

bool fastmap_date_from_epoch_ms(double milliseconds, fastmap_instant *out) {
  return from_real(milliseconds, 1000, out);
}

bool fastmap_date_from_epoch_integer(int64_t value, int64_t units_per_second, fastmap_instant *out) {
  if (units_per_second != 1 && units_per_second != 1000) return false;
  int64_t rest = value % units_per_second;
  int64_t seconds = value / units_per_second;
  if (rest < 0) {
    rest += units_per_second;
    seconds--;
  }
  if (seconds > limit || seconds < -limit) return false;
  uint32_t nanoseconds = (uint32_t)(rest * (NANOSECONDS / units_per_second));
  *out = (fastmap_instant){.seconds = seconds, .nanoseconds = nanoseconds};
  return true;
}

double fastmap_date_to_epoch(fastmap_instant instant) { return to_real(instant, 1); }

double fastmap_date_to_epoch_ms(fastmap_instant instant) { return to_real(instant, 1000); }
