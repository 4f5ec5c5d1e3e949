// What users import: all modules of the core, and the articles.
// It has no code of its own.
@_exported public import FastMapContexts
@_exported public import FastMapMaintenance
