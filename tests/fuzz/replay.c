/* replay.c - runs a fuzz target over the files of its corpus, without libFuzzer.
 *
 * So every input that once was hostile is tried again by every test run, with any compiler.
 * usage: replay_NAME DIRECTORY...
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    Error error = {0};
    Bytes bytes;
    if (!file_read(path, FILE_MAX_READ_BYTES, &bytes, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    /* Exactly as long as it is: the byte behind the input belongs to the sanitizer. */
    uint8_t *copy = malloc(bytes.size ? bytes.size : 1);
    if (bytes.size)
        memcpy(copy, bytes.data, bytes.size);
    LLVMFuzzerTestOneInput(copy, bytes.size);
    free(copy);
    bytes_free(&bytes);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0, count = 0;
    for (int i = 1; i < argc; i++) {
        DIR *directory = opendir(argv[i]);
        if (!directory) {
            fprintf(stderr, "%s: cannot be opened\n", argv[i]);
            return 1;
        }
        for (struct dirent *entry; (entry = readdir(directory));) {
            if (entry->d_name[0] == '.')
                continue;
            char *path = file_join(argv[i], entry->d_name);
            failed |= replay_file(path);
            free(path);
            count++;
        }
        closedir(directory);
    }
    printf("%d inputs\n", count);
    return failed || count == 0;
}
