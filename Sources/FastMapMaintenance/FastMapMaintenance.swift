// What operators ask of any store: checks, statistics, dump and load.
// It knows a store by its protocols, and no mapping.
@_exported public import FastMapJSON
