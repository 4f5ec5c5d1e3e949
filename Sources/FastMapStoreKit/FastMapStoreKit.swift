// For authors of stores: the protocols, rows, the schema, bound filters and row tests.
// It knows no JSON, no mapping and no store.
