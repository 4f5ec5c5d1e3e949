// Reads of objects and records, and exports to JSON.
// Nothing is written to a store.
@_exported public import FastMapQueryEngine
