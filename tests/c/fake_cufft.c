#include "fake_vendor.h"
