#include <stdio.h>

#include "catalogue.h"

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: from-c STORE\n");
    return 2;
  }
  json_t *books = json_array();
  json_array_append_new(books, json_pack("{s:i, s:s}", "id", 1, "title", "Dune"));
  json_array_append_new(books, json_pack("{s:i, s:s}", "id", 2, "title", "Solaris"));

  char message[256];
  long imported = catalogue_import(arguments[1], books, message, sizeof message);
  json_decref(books);  // it stays ours
  if (imported < 0) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  printf("%ld books\n", imported);
  return 0;
}
