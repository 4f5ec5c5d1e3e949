#ifndef CATALOGUE_H
#define CATALOGUE_H

#include <jansson.h>

/// Imports an array of books into the LMDB store at `path`, which is made where there is none.
///
/// - tree: borrowed for the call; nobody changes it meanwhile.
/// - message: receives the error, if there is one; has room for `capacity` bytes.
/// - Returns: how many books the tree has; -1 where something is wrong, and the store is as it was.
long catalogue_import(const char *path, json_t *tree, char *message, size_t capacity);

#endif
