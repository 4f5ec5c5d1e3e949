// Checks, statistics, dump and load of any store, for operators.
// It knows a store by its protocols, and no mapping.
@_exported public import FastMapJSON
