// Checks, statistics, dump and load of any store, for operators.
// A store is known by its protocols; no mapping is.
@_exported public import FastMapJSON
