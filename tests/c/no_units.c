/* In place of rt/unit.c, for tests of the runtime alone: no function of the library is shared. */
#include "rt/rt.h"

Unit *
unit_find(const char *symbol, bool disk)
{
    (void)symbol, (void)disk;
    return NULL;
}

void *
unit_entry(const Unit *u)
{
    (void)u;
    return NULL;
}

const SwSite *
unit_site(const Unit *u, int32_t site)
{
    (void)u, (void)site;
    return NULL;
}

void
unit_release(Unit *u)
{
    (void)u;
}
