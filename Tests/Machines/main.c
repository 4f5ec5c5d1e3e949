#include <stdlib.h>

#include "machine.h"

static const char *const cases[] = {
  "", " ", "null", "[true,false,null]", "{\"a\":{\"b\":[1,2.5,-0,-0.0,1e400]}}", "[1e308,1e-400,4.9e-324,0.1,123456789012345678]",
  "[9223372036854775807,9223372036854775808,-9223372036854775808,-9223372036854775809,18446744073709551616]",
  "\"\\u00e9\\ud83d\\ude00\\u0000\\n\"", "\"\\ud800\"", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "\"\xc3\"", "\"\xed\xa0\x80\"", "[1,]",
  "{\"a\":1,\"a\":{\"b\":2}}", "{\"a\" 1}", "[01]", "[1.]", "[\"\t\"]", "[[[[[[[[]]]]]]]]", "\xef\xbb\xbf[]", "[1] x", "tru", "\"abc",
  "{\"long name that is more than sixteen bytes\":\"a text of more than thirty-two bytes, so that vectors have a turn\"}",
};

static void print_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return perror(path), exit(1);
  size_t length = 0, capacity = 1 << 16;
  char *bytes = malloc(capacity);
  while (bytes) {
    length += fread(bytes + length, 1, capacity - length, file);
    if (length < capacity) break;
    bytes = realloc(bytes, capacity *= 2);
  }
  if (!bytes) exit(1);
  print_reading(path, bytes, length);
  free(bytes);
  fclose(file);
}

int main(int count, char **arguments) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char name[32];
    snprintf(name, sizeof name, "case %zu", i);
    size_t length = 0;
    while (cases[i][length]) length++;
    print_reading(name, cases[i], length);
  }
  for (int i = 1; i < count; i++) print_file(arguments[i]);
  print_numbers();
  print_walk();
  print_checksums();
  print_base64();
  print_dates();
  print_pages();
  return 0;
}
