#ifndef SQLITE_STORE_SHIM_H
#define SQLITE_STORE_SHIM_H

#include <sqlite3.h>

/// `SQLITE_TRANSIENT` is a cast of a number to a function, which Swift does not see.
static const sqlite3_destructor_type sqlite_transient = SQLITE_TRANSIENT;

#endif
