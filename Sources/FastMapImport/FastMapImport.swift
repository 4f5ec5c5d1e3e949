// JSON into a store, or into instances without one: batches, decisions, changes, deletions.
// No context is known here.
@_exported public import FastMapReading
