// The header is found by pkg-config's include path; a module map alone can't say <libpq-fe.h>.
#include <libpq-fe.h>
