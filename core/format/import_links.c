/* import_links.c - files of links: Pharaoh, TALP, NAACL. */
#include <stdlib.h>

#include "base/memory.h"
#include "format/import_formats.h"
#include "format/import_text.h"

static bool recognise(const char *data, size_t n)
{
    return links_recognise(data, n);
}

static bool open_links(ImportSet *set, Error *error)
{
    size_t n;
    const char *data = import_file_data(set->file, &n);
    LinksFile *links = memory_new(1, sizeof *links);
    set->state = links;
    LinksOptions how = set->options.links;
    how.swap = how.swap != set->options.swap;
    if (!links_parse(data, n, import_file_name(set->file), &how, links, error))
        return false;
    for (int32_t i = 0; i < links->n; i++) {
        StrBuf label = {0};
        if (links->naacl && links->at[i].n == 0)
            continue; /* the numbers may be far apart */
        Words words = import_tokens_get(&set->tokens, IMPORT_SOURCE, i);
        strbuf_add(&label, "");
        for (int32_t k = 0; k < words.n && label.length < 400; k++)
            strbuf_addf(&label, "%s%s", k ? " " : "", words.at[k]);
        if (label.length == 0)
            links_add_line(&links->at[i], &label);
        if (import_too_many(set, error)) {
            words_free(&words);
            strbuf_free(&label);
            return false;
        }
        import_add_item(set, (Slice){label.text, label.length})->number = i;
        words_free(&words);
        strbuf_free(&label);
    }
    return true;
}

static const Trace *build(ImportSet *set, int32_t i, Error *error)
{
    const LinksFile *links = set->state;
    int32_t sentence = (int32_t)set->items[i].number;
    ImportMatrix matrix = {
        .source = import_tokens_get(&set->tokens, IMPORT_SOURCE, sentence),
        .target = import_tokens_get(&set->tokens, IMPORT_TARGET, sentence),
    };
    TraceBuilder *builder = import_begin_trace(set, i);
    if (links->one_based && !links->naacl && set->options.links.base == LINKS_BASE_GUESS)
        trace_add_note(builder, "no position in the file is 0, so it was taken to count from 1");
    if (set->options.swap)
        trace_add_note(builder, IMPORT_EXCHANGED);
    Error fault = {0};
    if (!import_text_links(builder, &links->at[sentence], &matrix, &fault))
        trace_builder_fail(builder, &fault);
    matrix.gold = import_tokens_gold(&set->tokens, sentence);
    return import_finish_matrix(builder, &matrix, error);
}

static void close_links(ImportSet *set)
{
    if (set->state)
        links_free(set->state);
    free(set->state);
}

const ImportFormat IMPORT_LINKS = {"word alignments", recognise, open_links, build, close_links};
