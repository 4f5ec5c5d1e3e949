#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "fastmap_reader.h"
#include "fastmap_walk.h"
#include "machine.h"

// One mapping with an attribute of each type and people within each other.

enum { ID, NAME, PRICE, IS_NEW, BORN, SEEN, PHOTO, CITY, SCORES, FRIENDS, FIELDS };

static const fastmap_plan_attribute attributes[] = {
  [ID] = {.field = ID, .type = FASTMAP_TYPE_INTEGER},
  [NAME] = {.field = NAME, .type = FASTMAP_TYPE_STRING},
  [PRICE] = {.field = PRICE, .type = FASTMAP_TYPE_NUMBER, .flags = FASTMAP_ATTRIBUTE_LENIENT},
  [IS_NEW] = {.field = IS_NEW, .type = FASTMAP_TYPE_BOOLEAN},
  [BORN] = {.field = BORN, .type = FASTMAP_TYPE_DATE_ISO8601},
  [SEEN] = {.field = SEEN, .type = FASTMAP_TYPE_DATE_EPOCH_MS},
  [PHOTO] = {.field = PHOTO, .type = FASTMAP_TYPE_DATA},
  [CITY] = {.field = CITY, .type = FASTMAP_TYPE_STRING},
  [SCORES] = {.field = SCORES, .type = FASTMAP_TYPE_INTEGER},  // of a list: always a fault
};
static const fastmap_plan_relationship friends = {.field = FRIENDS, .to_many = true};

#define USE(n) (const fastmap_plan_use[]){{.index = n}}
#define ATTRIBUTE(text, n) {.name = text, .length = sizeof text - 1, .use_count = 1, .uses = USE(n)}

static const char *const people[] = {
  "{\"id\":1,\"name\":\"Ada\",\"price\":1.5,\"is_new\":true,\"born\":\"1815-12-10\",\"seen\":1406696400123,\"photo\":\"AQID\","
  "\"address\":{\"city\":\"London\"},\"friends\":[{\"id\":2,\"friends\":[{\"id\":1}]},null,3,{\"id\":-9223372036854775808}]}",
  "{\"id\":4,\"price\":\"12.25\",\"name\":null,\"born\":null}", "{\"name\":\"nobody\"}", "{\"id\":\"x\"}", "{\"id\":5,\"photo\":\"A\"}",
  "{\"id\":6,\"address\":[]}", "{\"id\":7,\"friends\":[[]]}", "8", "{\"id\":9223372036854775808}",
  "{\"id\":9,\"scores\":[{\"n\":1},{}]}",
};

static void print_slot(const fastmap_slot *slot) {
  printf(" %u", slot->tag);
  switch (slot->tag) {
    case FASTMAP_BOOLEAN: case FASTMAP_INTEGER: printf(":%lld", (long long)slot->integer); break;
    case FASTMAP_DATE: printf(":%lld.%u", (long long)slot->integer, slot->length); break;
    case FASTMAP_NUMBER: printf(":%a", slot->number); break;
    case FASTMAP_STRING: case FASTMAP_DATA: putchar(':'); print_bytes(slot->bytes, slot->length); break;
    default: break;
  }
}

static void print_field(const fastmap_batch_slot *field) {
  if (field->link.tag != FASTMAP_OCCURRENCES) {
    print_slot(&field->value);
    return;
  }
  printf(" %u", field->link.tag);
  for (uint32_t i = 0; i < field->link.length; i++) printf(":%u", field->link.occurrences[i]);
}

static void print_batch(const fastmap_batch *batch) {
  for (uint32_t i = 0; i < batch->count; i++) {
    const fastmap_occurrence *occurrence = &batch->occurrences[i];
    printf("  %u of %u at %u, flags %u, key", i, occurrence->owner, occurrence->position, occurrence->flags);
    print_slot(&occurrence->key);
    printf(", row");
    for (uint32_t field = 0; occurrence->row && field < FIELDS; field++) print_field(&occurrence->row[field]);
    putchar('\n');
  }
  for (uint32_t i = 0; i < batch->fault_count; i++)
    printf("  fault %u of %u at %u: %d\n", batch->faults[i].code, batch->faults[i].occurrence, batch->faults[i].index,
           batch->faults[i].node ? (int)json_typeof((const json_t *)batch->faults[i].node) : -1);
}

void print_walk(void) {
  const fastmap_plan_member city = ATTRIBUTE("city", CITY);
  const fastmap_plan_member number = ATTRIBUTE("n", SCORES);
  const fastmap_plan_member each = {.step = FASTMAP_STEP_EACH, .member_count = 1, .members = &number};
  const fastmap_plan_use to_friends = {.is_relationship = true};
  const fastmap_plan_member members[] = {
    ATTRIBUTE("id", ID), ATTRIBUTE("name", NAME), ATTRIBUTE("price", PRICE), ATTRIBUTE("is_new", IS_NEW),
    ATTRIBUTE("born", BORN), ATTRIBUTE("seen", SEEN), ATTRIBUTE("photo", PHOTO),
    {.name = "address", .length = 7, .member_count = 1, .members = &city},
    {.name = "scores", .length = 6, .member_count = 1, .members = &each},
    {.name = "friends", .length = 7, .use_count = 1, .uses = &to_friends},
  };
  const fastmap_plan_mapping mapping = {
    .field_count = FIELDS, .attribute_count = FRIENDS, .relationship_count = 1, .key_attribute = ID,
    .attributes = attributes, .relationships = &friends, .member_count = sizeof members / sizeof *members, .members = members};
  const fastmap_plan plan = {.mapping_count = 1, .entity_count = 1, .mark_count = FIELDS + 1, .mappings = &mapping};
  fastmap_tree_arena *arena = fastmap_tree_arena_new();
  fastmap_batch *batch = fastmap_batch_new(&plan, false);
  if (!arena || !batch) exit(1);
  for (size_t i = 0; i < sizeof people / sizeof *people; i++) {
    fastmap_read_result result;
    if (!fastmap_read(arena, people[i], strlen(people[i]), NULL, &result)) exit(1);
    batch->big_integers = result.big_integers;
    printf("walk %zu: %d\n", i, fastmap_walk(batch, 0, result.tree, (fastmap_name){0}, FASTMAP_NONE));
    print_batch(batch);
    fastmap_batch_reset(batch);
  }
  fastmap_batch_free(batch);
  fastmap_tree_arena_free(arena);
}
