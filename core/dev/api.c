/* SPDX-License-Identifier: BSD-3-Clause
 * The drivers' interfaces that there are, the preferred one first. */
#include "dev/dev.h"

const DevApi *
dev_api(int i)
{
    return i == 0 ? dev_cuda() : i == 1 ? dev_opencl() : NULL;
}
