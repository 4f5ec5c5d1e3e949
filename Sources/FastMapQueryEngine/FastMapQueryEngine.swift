// Filters and queries: their text, their numbers, the way to the objects, and the run.
// It knows no instance of a class, and writes nothing.
@_exported public import FastMapMapping
