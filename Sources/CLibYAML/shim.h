// The header is found by pkg-config's include path; a module map alone can't say <yaml.h>.
#include <yaml.h>
