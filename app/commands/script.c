#include "screen/script.h"

#include <stdlib.h>

#include "base/file.h"
#include "commands/commands.h"

#define SCRIPT_MAX_BYTES ((size_t)16 << 20)

static const ArgOption options[] = {{0}};

static int script_command(const Args *args)
{
    Error error = {0};
    const char *path = args_word(args, 0);
    Bytes bytes = {0};
    bool ok = path ? file_read(path, SCRIPT_MAX_BYTES, &bytes, &error)
                   : error_set(&error, ERROR_INPUT, "script wants a file, or - for standard input");
    ok = ok && script_run(bytes.data, bytes.size, path, &error);
    bytes_free(&bytes);
    return ok ? EXIT_DONE : command_fail(&error);
}

const Command command_script = {
    "script", "FILE | -",     "drive the window by a text, without a display",
    options,  script_command, NULL,
};
