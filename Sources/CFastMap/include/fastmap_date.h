#ifndef FASTMAP_DATE_H
#define FASTMAP_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Dates without locale, time zone files or libc's time functions. All functions are pure: any thread may call
// them. Texts and patterns are borrowed for the call and need no NUL at the end; output gets none. A
// function that returns false leaves `out` as it was.

/// A point in time: seconds since 1970-01-01T00:00:00Z, rounded down, and the nanoseconds to add to them.
typedef struct {
  int64_t seconds;
  uint32_t nanoseconds;  ///< below 1 000 000 000, before 1970 too
} fastmap_instant;

/// Reads `YYYY-MM-DDThh:mm:ss[.fraction](Z|±hh:mm)` (RFC 3339), years 0000 to 9999. Also takes t, z, a space
/// for T, `±hhmm`, `±hh`, no offset (UTC), no seconds, a comma before the fraction, and a date alone (midnight UTC).
/// The date may be a week date, `YYYY-Www-D`, or an ordinal date, `YYYY-DDD`. Second 60 is the next second, and 24:00:00
/// the next day's midnight. Digits of the fraction after the ninth are cut off. False if the text is anything else or names no real
/// date. O(length).
bool fastmap_date_parse_iso8601(const char *text, size_t length, fastmap_instant *out);

/// Writes `YYYY-MM-DDThh:mm:ss[.fraction]Z`, the fraction without trailing zeros and only if it is not zero.
/// Returns the length, or 0 if the year is not within 0000 to 9999. O(1).
size_t fastmap_date_format_iso8601(fastmap_instant instant, char out[40]);

/// The directives of patterns, without their %. Static.
extern const char *const fastmap_date_directives;

/// Whether the two functions below know every directive of `pattern`. If not, sets `bad_offset` (unless NULL)
/// to the offset of the first % that they do not know. O(length).
bool fastmap_date_pattern_check(const char *pattern, size_t length, size_t *bad_offset);

/// Reads a date like strptime in the C locale.
///
///     %Y %m %d %e %H %M %S %y %I %p %j %b %B %h %a %A %T %D %F %R %z %Z %s %f %n %t %%
///
/// Numbers may have fewer digits than usual, names may be short or long and of
/// any case. %y is 1969 to 2068. %z is ±hhmm, ±hh:mm, ±hh or Z, and %Z UTC, GMT or Z. %f is 1 to 9 digits of
/// a fraction, added to the seconds (also to a negative %s, as `fastmap_date_format_pattern` writes it). %s
/// outweighs all other fields but %f; weekdays are read and not compared. Whitespace stands for any run of
/// whitespace, even none. Missing fields are taken from 1970-01-01 00:00:00 UTC. False if the text does not
/// fit, is not used up or names no real date. O(length).
bool fastmap_date_parse_pattern(const char *pattern, size_t pattern_length, const char *text, size_t length,
                                fastmap_instant *out);

/// Writes a date like strftime in the C locale, in UTC, with the directives above. %Y has 4 digits, %f 6 or
/// if needed 9, %z is +0000 and %Z UTC. Returns the length, or 0 if `capacity` is too small, the pattern has
/// an unknown directive, or the year does not fit. %Y takes 0 to 9999. %y takes 1969 to 2068; others would be read
/// as another year. O(length).
size_t fastmap_date_format_pattern(const char *pattern, size_t pattern_length, fastmap_instant instant,
                                   char *out, size_t capacity);

/// The instant `seconds` after 1970, in whole microseconds if they convert back to exactly `seconds`, else in
/// nanoseconds. False for NaN and beyond ±1e14. O(1).
bool fastmap_date_from_epoch(double seconds, fastmap_instant *out);

/// As `fastmap_date_from_epoch`, in milliseconds. False for NaN and beyond ±1e17, the same range. O(1).
bool fastmap_date_from_epoch_ms(double milliseconds, fastmap_instant *out);

/// As `fastmap_date_from_epoch`, for whole seconds (`units_per_second` 1) or milliseconds (1000). O(1).
bool fastmap_date_from_epoch_integer(int64_t value, int64_t units_per_second, fastmap_instant *out);

/// The double nearest to the seconds between 1970 and `instant`. Gives back the exact argument of
/// `fastmap_date_from_epoch`, if that had at most 9 digits after the point or was at least 100 days away from
/// 1970. O(1).
double fastmap_date_to_epoch(fastmap_instant instant);

/// As `fastmap_date_to_epoch`, in milliseconds, where 6 digits after the point are exact. O(1).
double fastmap_date_to_epoch_ms(fastmap_instant instant);

// The calendar that reading and writing share.

/// January first. Static.
extern const char *const fastmap_month_names[12];

/// Sunday first. Static.
extern const char *const fastmap_weekday_names[7];

static inline bool fastmap_is_leap_year(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

#endif
