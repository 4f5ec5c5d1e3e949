#include "simdjson_subjects.h"

#ifdef BENCHMARKS_HAVE_SIMDJSON

#include <simdjson.h>

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)

const char *simdjson_subjects_version(void) { return STRING(SIMDJSON_VERSION); }

size_t simdjson_subjects_padding(void) { return simdjson::SIMDJSON_PADDING; }

int64_t simdjson_parse(const uint8_t *text, size_t length) {
  static simdjson::dom::parser parser;  // as its documentation says: one, used again and again
  simdjson::dom::element root;
  if (parser.parse(text, length, false).get(root)) return -1;
  simdjson::dom::array elements;
  return root.get(elements) ? 1 : int64_t(elements.size());
}

#else

const char *simdjson_subjects_version(void) { return nullptr; }
size_t simdjson_subjects_padding(void) { return 0; }
int64_t simdjson_parse(const uint8_t *, size_t) { return -1; }
int64_t simdjson_sqlite_families(void *, const uint8_t *, size_t, int64_t) { return -1; }

#endif
