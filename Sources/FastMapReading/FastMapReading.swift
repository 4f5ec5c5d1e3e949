// Reads of objects and records, and exports to JSON.
// It writes nothing to a store.
@_exported public import FastMapQueryEngine
