// Filters and queries: their text, their numbers, the way to the objects, and the run.
// No instance of a class is known here, and nothing is written.
@_exported public import FastMapMapping
