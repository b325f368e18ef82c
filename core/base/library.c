#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_load(const char *library, const char *package, int n, const LibraryFunction *functions,
                  Error *error)
{
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (!handle)
        return error_set(error, ERROR_UNSUPPORTED, "%s cannot be loaded (Debian: %s): %s", library,
                         package, dlerror());
    for (int i = 0; i < n; i++) {
        void *symbol = dlsym(handle, functions[i].name);
        if (!symbol)
            return error_set(error, ERROR_UNSUPPORTED, "%s has no function %s", library,
                             functions[i].name);
        /* ISO C has no conversion from an object's address to a function's; POSIX has the
         * bytes. */
        memcpy(functions[i].function, &symbol, sizeof symbol);
    }
    return true;
}
