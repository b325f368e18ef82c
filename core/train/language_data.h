/* language_data.h - sentences for a language model: as token ids, and their batches. */
#ifndef FOVEA_TRAIN_LANGUAGE_DATA_H
#define FOVEA_TRAIN_LANGUAGE_DATA_H
#include "base/file.h"
#include "math/ragged.h"
#include "text/tokenizer.h"
#include "train/pairs.h"

/* Lines up to the first TAB, each text once: pairs of sentences serve as they are. */
typedef struct LanguageLines {
    Bytes bytes;
    struct {
        const char *text; /* into bytes */
        size_t n;
    } * items;
    int n;
} LanguageLines;

/* ERROR_FORMAT names file and line of invalid UTF-8, or says that there is no text. */
bool language_lines_read(const char *path, LanguageLines *lines, Error *error) FOVEA_MUST_USE;
bool language_lines_parse(const char *name, Bytes bytes, LanguageLines *lines,
                          Error *error) FOVEA_MUST_USE;
void language_lines_free(LanguageLines *lines);

/* A sentence is a Pair of which only the target counts: its pieces and the end mark.
 * Sentences of more than max_pieces (0: any) are skipped. */
Pairs *language_encode(const LanguageLines *lines, const char *path, const Tokenizer *tokenizer,
                       int max_pieces, Error *error);

/* A shard of a batch, sorted by falling length; in the arena. */
typedef struct LanguageBatch {
    Ragged rows;           /* step-major                                      */
    int n_tokens_in_batch; /* of all shards                                 */
    const int *input_ids;  /* [rows.rows] begin mark, then the sentence      */
    const int *target_ids; /* [rows.rows] the sentence, then the end mark    */
} LanguageBatch;

LanguageBatch language_batch(Arena *arena, const Pairs *sentences, const BatchPlan *plan, int batch,
                             int shard, int n_shards);

#endif
