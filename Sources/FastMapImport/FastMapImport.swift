// JSON into a store, or into instances without one: batches, decisions, changes, deletions.
// It knows no context.
@_exported public import FastMapReading
