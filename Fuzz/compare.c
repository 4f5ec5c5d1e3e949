#include "compare.h"

#include <string.h>

static bool is_same_real(double left, double right) { return !memcmp(&left, &right, sizeof left); }

static bool is_same_string(const json_t *left, const json_t *right) {
  size_t length = json_string_length(left);
  return length == json_string_length(right) &&
         !memcmp(json_string_value(left), json_string_value(right), length);
}

static bool is_same_array(json_t *left, json_t *right, bool as_reals) {
  size_t size = json_array_size(left);
  if (size != json_array_size(right)) return false;
  for (size_t i = 0; i < size; i++)
    if (!is_same_tree(json_array_get(left, i), json_array_get(right, i), as_reals)) return false;
  return true;
}

static bool is_same_member(void *left, void *right, bool as_reals) {
  size_t length = json_object_iter_key_len(left);
  return length == json_object_iter_key_len(right) &&
         !memcmp(json_object_iter_key(left), json_object_iter_key(right), length) &&
         is_same_tree(json_object_iter_value(left), json_object_iter_value(right), as_reals);
}

static bool is_same_object(json_t *left, json_t *right, bool as_reals) {
  if (json_object_size(left) != json_object_size(right)) return false;
  void *l = json_object_iter(left), *r = json_object_iter(right);
  for (; l && r; l = json_object_iter_next(left, l), r = json_object_iter_next(right, r)) {
    if (!is_same_member(l, r, as_reals)) return false;
    // A member of the iteration is also found by name.
    json_t *found = json_object_getn(left, json_object_iter_key(l), json_object_iter_key_len(l));
    if (found != json_object_iter_value(l)) return false;
  }
  return !l && !r;
}

bool is_same_tree(json_t *left, json_t *right, bool as_reals) {
  if (as_reals && json_is_integer(left))  // == as -0, an integer, is read as -0.0 then
    return json_is_real(right) && (double)json_integer_value(left) == json_real_value(right);
  if (json_typeof(left) != json_typeof(right)) return false;
  switch (json_typeof(left)) {
    case JSON_OBJECT: return is_same_object(left, right, as_reals);
    case JSON_ARRAY: return is_same_array(left, right, as_reals);
    case JSON_STRING: return is_same_string(left, right);
    case JSON_INTEGER: return json_integer_value(left) == json_integer_value(right);
    case JSON_REAL: return is_same_real(json_real_value(left), json_real_value(right));
    default: return true;
  }
}
