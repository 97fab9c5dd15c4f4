/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sites, and the tables in which their addresses are looked up.

   A search takes no lock. An address leaves its table only when its module was unloaded; as long as
   a thread asks for it, its code runs, so that it stays. */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/objects.h"
#include "sites/sites.h"
#include "watch.h"

struct sites sites[SITE_KINDS];

/* Twice as many as there are sites. A slot that a site has left is GONE. */
#define SLOTS (2 * SITES)
static const char gone;
#define GONE ((const void *)&gone)

static struct slot {
  const void *address;
  struct site *site;
} slots[SITE_KINDS][SLOTS];

/* How many objects had been unloaded when the tables were last seen through. */
static unsigned long unloads;

static unsigned first_slot(const void *address) { return gomp_amp_hash_address(address) % SLOTS; }

/* The slot of ADDRESS, or the end of where it could be. */
static struct slot *look_up(enum site_kind kind, const void *address) {
  unsigned at = first_slot(address);
  for (unsigned i = 0; i < SLOTS; i++, at = (at + 1) % SLOTS) {
    struct slot *slot = &slots[kind][at];
    /* Acquire the site, which was stored before. */
    const void *found = __atomic_load_n(&slot->address, __ATOMIC_ACQUIRE);
    if (found == address || found == NULL)
      return slot;
  }
  return NULL;
}

/* Where an address is. */
struct place {
  ElfW(Addr) address;
  const char *module;
  uintptr_t in_module;
};

static int look_in_module(struct dl_phdr_info *info, size_t size __attribute__((unused)),
                          void *data) {
  struct place *place = data;
  if (!gomp_amp_in_object(info, place->address))
    return 0;
  place->module = info->dlpi_name;
  place->in_module = place->address - info->dlpi_addr;
  return 1;
}

static struct site describe(const void *address) {
  struct place place = {.address = (ElfW(Addr))address};
  struct site site = {.name = gomp_amp_site_name(address)};
  dl_iterate_phdr(look_in_module, &place);
  site.address = place.in_module;
  /* The program itself has no name there. */
  if (place.module != NULL)
    site.module = realpath(place.module[0] != '\0' ? place.module : "/proc/self/exe", NULL);
  return site;
}

static bool same_text(const char *a, const char *b) {
  return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same(const struct site *a, const struct site *b) {
  return a->address == b->address && same_text(a->name, b->name) &&
         (same_text(a->module, b->module) || b->module == NULL);
}

static void forget(struct site *site) {
  free(site->name);
  free(site->module);
}

/* Addresses of modules that were unloaded leave the tables. */
static void forget_unloaded(void) {
  const unsigned long present = gomp_amp_count_unloads();
  if (present == unloads)
    return;
  for (unsigned kind = 0; kind < SITE_KINDS; kind++)
    for (unsigned i = 0; i < SLOTS; i++) {
      struct slot *slot = &slots[kind][i];
      struct site found;
      if (slot->address == NULL || slot->address == GONE)
        continue;
      found = describe(slot->address);
      if (!same(slot->site, &found))
        __atomic_store_n(&slot->address, GONE, __ATOMIC_RELAXED);
      forget(&found);
    }
  __atomic_store_n(&unloads, present, __ATOMIC_RELAXED);
}

/* The site that is described as FOUND, which this takes over. */
static struct site *add_site(enum site_kind kind, struct site *found) {
  struct sites *list = &sites[kind];
  struct site *site = NULL;
  for (unsigned i = 0; i < list->count; i++)
    if (same(list->site[i], found)) {
      forget(found);
      return list->site[i];
    }
  if (list->count < SITES)
    site = malloc(sizeof *site);
  if (site == NULL) {
    forget(found);
    return NULL;
  }
  *site = *found;
  site->number = list->count;
  list->site[list->count] = site;
  __atomic_store_n(&list->count, list->count + 1, __ATOMIC_RELEASE);
  return site;
}

static struct site *__attribute__((noinline)) make_site(enum site_kind kind, const void *address) {
  struct slot *slot;
  struct site *site = NULL;
  sigset_t before;
  hold_signals(&before);
  take_lock();
  forget_unloaded();
  slot = look_up(kind, address);
  if (slot != NULL && slot->address == address)
    site = slot->site;
  else if (slot != NULL) {
    struct site found = describe(address);
    site = add_site(kind, &found);
    if (site != NULL) {
      slot->site = site;
      __atomic_store_n(&slot->address, address, __ATOMIC_RELEASE);
    }
  }
  release_lock();
  drop_signals(&before);
  return site;
}

struct site *find_site(enum site_kind kind, const void *address, bool check) {
  const struct slot *slot = look_up(kind, address);
  if (__builtin_expect(slot != NULL && READ(slot->address) == address, 1) &&
      (!check || gomp_amp_count_unloads() == READ(unloads)))
    return slot->site;
  /* A full list costs no lock, unless an unloaded module has come back. */
  if (slot != NULL && READ(slot->address) == NULL && READ(sites[kind].count) == SITES &&
      gomp_amp_count_unloads() == READ(unloads))
    return NULL;
  return address != NULL ? make_site(kind, address) : NULL;
}
