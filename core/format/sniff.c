#include "format/sniff.h"

#include <string.h>

#include "format/web_page.h"

static bool starts_with(const char *data, size_t n, const char *prefix)
{
    size_t length = strlen(prefix);
    return n >= length && memcmp(data, prefix, length) == 0;
}

/* Of people's data XML is none either. */
static bool is_markup(const char *data, size_t n)
{
    return web_page_recognise(data, n) || starts_with(data, n, "<?xml");
}

bool sniff_impostor(const char *data, size_t n, const char *name, Error *error)
{
    if (n == 0)
        error_set(error, ERROR_FORMAT, "%s: the file is empty", name);
    else if (starts_with(data, n, "version https://git-lfs.github.com/spec/"))
        error_set(error, ERROR_FORMAT,
                  "%s: this is a Git LFS pointer of %zu bytes, not the file itself; run \"git lfs "
                  "pull\" where it came from",
                  name, n);
    else if (is_markup(data, n))
        error_set(
            error, ERROR_FORMAT,
            "%s: this is a web page or XML, not data; the download probably gave an error page",
            name);
    else
        return false;
    return true;
}

#define TO_NPZ "numpy.savez(\"new.npz\", *[numpy.asarray(x) for x in a])"

/* What begins so, and what to say about it. */
static const struct {
    const char *magic;
    size_t n;
    const char *text;
} FOREIGN[] = {
    {"\x80\x02", 2,
     "a Python pickle, perhaps an old torch file; nothing in it is executed here. Convert it in "
     "Python: a = torch.load(\"file\"); " TO_NPZ},
    {"\x80\x03", 2,
     "a Python pickle; convert it in Python: a = pickle.load(open(\"file\", \"rb\")); " TO_NPZ},
    {"\x80\x04", 2,
     "a Python pickle; convert it in Python: a = pickle.load(open(\"file\", \"rb\")); " TO_NPZ},
    {"\x80\x05", 2,
     "a Python pickle; convert it in Python: a = pickle.load(open(\"file\", \"rb\")); " TO_NPZ},
    {"\x89HDF\r\n", 6,
     "an HDF5 file; convert it in Python: f = h5py.File(\"file\"); numpy.savez(\"new.npz\", **{k: "
     "f[k][()] for k in f})"},
    {"PK\3\4", 4, "a zip archive, but not of numpy arrays nor of torch tensors"},
    {"\x1f\x8b", 2, "compressed by gzip; uncompress it first"},
    {"BZh", 3, "compressed by bzip2; uncompress it first"},
    {"\xFD"
     "7zXZ",
     5, "compressed by xz; uncompress it first"},
    {"\x28\xB5\x2F\xFD", 4, "compressed by zstd; uncompress it first"},
    {"\x89PNG", 4, "a picture, not an attention dump"},
    {"\xFF\xD8\xFF", 3, "a picture, not an attention dump"},
    {"GIF8", 4, "a picture, not an attention dump"},
    {"%PDF", 4, "a PDF document, not an attention dump"},
    {"GGUF", 4, "a GGUF model; models are opened from safetensors files"},
    {"\x7F"
     "ELF",
     4, "a program"},
};

bool sniff_foreign(const char *data, size_t n, const char *name, Error *error)
{
    for (size_t i = 0; i < sizeof FOREIGN / sizeof *FOREIGN; i++) {
        if (n < FOREIGN[i].n || memcmp(data, FOREIGN[i].magic, FOREIGN[i].n) != 0)
            continue;
        error_set(error, ERROR_UNSUPPORTED, "%s: %s", name, FOREIGN[i].text);
        return true;
    }
    return false;
}
