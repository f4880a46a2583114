/* SPDX-License-Identifier: BSD-3-Clause
 * What all back ends share: giving back what one made. */
#include "gen/gen.h"
#include <stdlib.h>

void
gen_free(GenOutput *o)
{
    free(o->object);
    for (int i = 0; i < SW_LEN(o->text); i++)
        free(o->text[i]);
    free(o->remarks);
    free(o->error);
    *o = (GenOutput){0};
}
