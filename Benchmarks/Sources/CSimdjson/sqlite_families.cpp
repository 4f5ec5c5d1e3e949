// The code that a good C++ programmer would write by hand: simdjson's fastest interface (On Demand), SQLite's prepared
// upserts, one transaction. The members are read in the payload's order.
#include "simdjson_subjects.h"

#ifdef BENCHMARKS_HAVE_SIMDJSON

#include <array>
#include <simdjson.h>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <vector>

namespace ondemand = simdjson::ondemand;

namespace {

/// `2014-05-01T12:00:00Z` as seconds since 1970.
double seconds_of(std::string_view date) {
  auto number = [&](size_t start, size_t count) {
    int64_t value = 0;
    for (size_t i = start; i < start + count; i++) value = value * 10 + (date[i] - '0');
    return value;
  };
  if (date.size() != 20) throw simdjson::simdjson_error(simdjson::INCORRECT_TYPE);
  int64_t month = number(5, 2), year = number(0, 4) - (month <= 2), cycle = year / 400, of_cycle = year % 400;
  int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + number(8, 2) - 1;
  int64_t days = cycle * 146097 + of_cycle * 365 + of_cycle / 4 - of_cycle / 100 + of_year - 719468;
  return double(days * 86400 + number(11, 2) * 3600 + number(14, 2) * 60 + number(17, 2));
}

constexpr std::array<uint8_t, 256> make_digits() {
  std::array<uint8_t, 256> digits{};
  const char *all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (uint8_t i = 0; i < 64; i++) digits[uint8_t(all[i])] = i;
  return digits;
}

/// Decodes base64 into a buffer that is used again and again.
void decode(std::string_view text, std::vector<uint8_t> &bytes) {
  static constexpr auto digits = make_digits();
  bytes.clear();
  uint32_t bits = 0;
  int count = 0;
  for (unsigned char c : text) {
    if (c == '=') break;
    bits = bits << 6 | digits[c];
    if (++count % 4) continue;
    bytes.insert(bytes.end(), {uint8_t(bits >> 16), uint8_t(bits >> 8), uint8_t(bits)});
  }
  if (count % 4 == 2) bytes.push_back(uint8_t(bits >> 4));
  if (count % 4 == 3) bytes.insert(bytes.end(), {uint8_t(bits >> 10), uint8_t(bits >> 2)});
}

struct Statement {
  sqlite3_stmt *handle = nullptr;

  Statement(sqlite3 *database, const std::string &table, const std::string &more_columns) {
    static const std::string columns = "id, boolean, int16, int32, int64, float, double, string, date, data, decimal";
    std::string sql = "INSERT INTO " + table + " (" + columns + more_columns + ") VALUES (?,?,?,?,?,?,?,?,?,?,?";
    sql += more_columns.empty() ? ")" : ",?,?)";
    sql += " ON CONFLICT (id) DO UPDATE SET boolean = excluded.boolean, int16 = excluded.int16,"
           " int32 = excluded.int32, int64 = excluded.int64, float = excluded.float, double = excluded.double,"
           " string = excluded.string, date = excluded.date, data = excluded.data, decimal = excluded.decimal";
    if (!more_columns.empty()) sql += ", parent = excluded.parent, position = excluded.position";
    check(sqlite3_prepare_v3(database, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &handle, nullptr) == SQLITE_OK);
  }
  ~Statement() { sqlite3_finalize(handle); }

  static void check(bool is_right) {
    if (!is_right) throw simdjson::simdjson_error(simdjson::IO_ERROR);
  }

  void run() {
    check(sqlite3_step(handle) == SQLITE_DONE);
    sqlite3_reset(handle);
  }
};

/// Binds the key and the ten attributes. Strings are bound where simdjson has them: they outlive the step.
int64_t bind(ondemand::object &object, sqlite3_stmt *to, std::vector<uint8_t> &bytes) {
  int64_t id = object["id"].get_int64();
  sqlite3_bind_int64(to, 1, id);
  sqlite3_bind_int(to, 2, bool(object["boolean"].get_bool()));
  sqlite3_bind_int64(to, 3, object["int16"].get_int64());
  sqlite3_bind_int64(to, 4, object["int32"].get_int64());
  sqlite3_bind_int64(to, 5, object["int64"].get_int64());
  sqlite3_bind_double(to, 6, object["float"].get_double());
  sqlite3_bind_double(to, 7, object["double"].get_double());
  std::string_view string = object["string"].get_string();
  sqlite3_bind_text(to, 8, string.data(), int(string.size()), SQLITE_STATIC);
  sqlite3_bind_double(to, 9, seconds_of(object["date"].get_string()));
  decode(object["data"].get_string(), bytes);
  sqlite3_bind_blob(to, 10, bytes.data(), int(bytes.size()), SQLITE_STATIC);
  std::string_view decimal = object["decimal"].get_string();
  sqlite3_bind_text(to, 11, decimal.data(), int(decimal.size()), SQLITE_STATIC);
  return id;
}

}  // namespace

int64_t simdjson_sqlite_families(void *handle, const uint8_t *text, size_t length, int64_t first_position) {
  auto database = static_cast<sqlite3 *>(handle);
  if (sqlite3_exec(database, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) != SQLITE_OK) return -1;
  try {
    static ondemand::parser parser;  // as its documentation says: one, used again and again
    auto document = parser.iterate(text, length, length + simdjson::SIMDJSON_PADDING);
    Statement parents(database, "parent", ""), children(database, "child", ", parent, position");
    std::vector<uint8_t> bytes;
    int64_t count = 0;
    for (auto element : document.get_array()) {
      ondemand::object parent = element.get_object();
      int64_t id = bind(parent, parents.handle, bytes);
      parents.run();
      int64_t position = first_position;
      for (auto related : parent["children"].get_array()) {
        ondemand::object child = related.get_object();
        bind(child, children.handle, bytes);
        sqlite3_bind_int64(children.handle, 12, id);
        sqlite3_bind_int64(children.handle, 13, position++);
        children.run();
      }
      count++;
    }
    if (sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK) return count;
  } catch (const simdjson::simdjson_error &) {
  }
  sqlite3_exec(database, "ROLLBACK", nullptr, nullptr, nullptr);
  return -1;
}

#endif
