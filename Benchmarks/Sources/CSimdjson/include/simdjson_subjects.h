#ifndef BENCHMARKS_SIMDJSON_SUBJECTS_H
#define BENCHMARKS_SIMDJSON_SUBJECTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// simdjson's version; null where it was missing when this was built, and then nothing below may be called.
const char *simdjson_subjects_version(void);

/// Bytes that must be readable behind every text given below.
size_t simdjson_subjects_padding(void);

/// Parses a text into simdjson's own tree (its DOM), in the memory of the one before. On one thread at a time.
///
/// Returns the elements of the root, or 1 where it is no array; -1 where it is not JSON.
int64_t simdjson_parse(const uint8_t *text, size_t length);

/// Reads families and upserts them into the tables `parent` and `child`, in one transaction.
///
/// `database` is an open `sqlite3 *`; `first_position` is added to each child's place in its list. Returns the
/// number of parents; -1 where the text or SQLite fails, and the transaction is rolled back.
int64_t simdjson_sqlite_families(void *database, const uint8_t *text, size_t length, int64_t first_position);

#ifdef __cplusplus
}
#endif

#endif
