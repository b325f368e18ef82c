#include "session/paths.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/strbuf.h"

#define MODEL_ENDING  ".safetensors"
#define DEFAULT_FIRST "en-fr-additive"

char *paths_beside(const char *name)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        slash[1] = '\0';
    return file_join(slash ? self : ".", name);
}

char *paths_state(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state)
        return file_join(state, "fovea");
    return home && *home ? file_join(home, ".local/state/fovea") : NULL;
}

static char *assets(void)
{
    const char *given = getenv("FOVEA_ASSETS");
    if (given && *given)
        return memory_copy_string(given);
    char *installed = paths_beside("../share/fovea");
    if (file_exists(installed))
        return installed;
    free(installed);
    return memory_copy_string(FOVEA_SOURCE_ASSETS);
}

char *paths_models(void)
{
    char *base = assets();
    char *path = file_join(base, "models");
    free(base);
    return path;
}

static int by_name(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    /* The default stands first. */
    int first = (strcmp(y, DEFAULT_FIRST) == 0) - (strcmp(x, DEFAULT_FIRST) == 0);
    return first ? first : strcmp(x, y);
}

char **paths_list_models(int *n)
{
    char *directory = paths_models();
    char **names = NULL;
    size_t count = 0, capacity = 0;
    DIR *dir = opendir(directory);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *ending = file_extension(entry->d_name);
        if (strcmp(ending, MODEL_ENDING) != 0)
            continue;
        names = memory_grow(names, &capacity, count + 1, sizeof *names);
        names[count++] = memory_copy_bytes(entry->d_name, (size_t)(ending - entry->d_name));
    }
    if (dir)
        closedir(dir);
    free(directory);
    if (count)
        qsort(names, count, sizeof *names, by_name);
    *n = (int)count;
    return names;
}

static void say_what_there_is(const char *name, Error *error)
{
    int n;
    char **names = paths_list_models(&n);
    StrBuf list = {0};
    for (int i = 0; i < n; i++) {
        strbuf_addf(&list, "%s%s", i ? ", " : "", names[i]);
        free(names[i]);
    }
    free(names);
    error_set(error, ERROR_INPUT, "there is no model \"%s\"; installed: %s", name,
              n ? list.text : "none");
    strbuf_free(&list);
}

char *paths_find_model(const char *name, Error *error)
{
    if (strchr(name, '/') || strcmp(file_extension(name), MODEL_ENDING) == 0)
        return memory_copy_string(name);
    char *directory = paths_models();
    StrBuf path = {0};
    strbuf_addf(&path, "%s/%s%s", directory, name, MODEL_ENDING);
    free(directory);
    if (file_exists(path.text))
        return strbuf_take(&path);
    strbuf_free(&path);
    say_what_there_is(name, error);
    return NULL;
}
