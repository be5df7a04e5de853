#include "passes/pass_context.h"

namespace hilo::passes {}
