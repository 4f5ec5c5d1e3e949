// How objects look in JSON: properties of classes, mappings, and the plans that they are compiled to.
// It knows no query and no import, and asks no store.
@_exported public import FastMapJSON
