/* Word alignment by attention: the target is forced, pieces are gathered to the words of the
 * gold file (source pieces summed, target pieces averaged), and every target word is linked
 * to the source word with the largest weight. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "models/family.h"
#include "models/translation.h"
#include "text/tokenizer.h"
#include "train/evaluate_tasks.h"
#include "train/gold_links.h"

#define BAR "|||"

/* Words of one side: the text as people write it, and where each word begins in it. */
typedef struct Side {
    char *text;
    int *begin; /* [n + 1] */
    int n;
} Side;

/* The character that ends at byte `end`. */
static uint32_t last_character(const char *text, int end)
{
    int begin = end - 1;
    while (begin > 0 && ((unsigned char)text[begin] & 0xC0) == 0x80)
        begin--;
    uint32_t code;
    utf8_decode(text + begin, (size_t)(end - begin), &code);
    return code;
}

/* Gold files put spaces around everything; a model reads "l'eau." and not "l' eau .", and
 * Chinese without any. */
static bool joins(const Side *side, int length, const char *word, size_t n)
{
    uint32_t code;
    utf8_decode(word, n, &code);
    bool is_cjk = utf8_is_cjk(code) || (code > 127 && utf8_is_punctuation(code));
    if (is_cjk && utf8_is_cjk(last_character(side->text, length)))
        return true;
    bool closes = strchr(".,;:!?)]}%", word[0]) != NULL || word[0] == '\'' ||
                  (n == 3 && memcmp(word, "n't", 3) == 0);
    return closes || side->text[length - 1] == '\'' || side->text[length - 1] == '(';
}

static Side split(const char *text, size_t n)
{
    Side side = {memory_new(n + 1, 1), memory_new(n + 2, sizeof(int)), 0};
    int length = 0;
    for (size_t i = 0; i < n;) {
        size_t word = 0;
        while (i + word < n && text[i + word] != ' ' && text[i + word] != '\t')
            word++;
        if (word > 0) {
            if (side.n > 0 && !joins(&side, length, text + i, word))
                side.text[length++] = ' ';
            side.begin[side.n++] = length;
            memcpy(side.text + length, text + i, word);
            length += (int)word;
        }
        i += word + 1;
    }
    side.begin[side.n] = length + 1;
    return side;
}

static void side_free(Side *side)
{
    free(side->text);
    free(side->begin);
}

static int word_at(const Side *side, int offset)
{
    int word = 0;
    while (word + 1 < side->n && side->begin[word + 1] <= offset)
        word++;
    return word;
}

/* out [target words, source words] from the weights of pieces. */
static void gather_words(const Trace *trace, const TokenList *source, const Side *source_side,
                         const TokenList *target, const Side *target_side, double *out)
{
    const TraceTensor *tensor = trace_find(trace, "attention.softmax");
    if (!tensor)
        tensor = trace_find(trace, "attention.weights");
    TraceMatrix m = trace_matrix(trace, tensor, NULL);
    for (int32_t i = 0; i < m.rows && (size_t)i < target->n; i++) {
        int row = word_at(target_side, target->items[i].begin);
        for (int32_t j = 0; j < m.cols; j++)
            out[row * source_side->n + word_at(source_side, source->items[j].begin)] +=
                (double)trace_matrix_get(&m, i, j);
    }
}

static void link_largest(const double *weights, int rows, int cols, AlignLinks *links)
{
    for (int i = 0; i < rows; i++) {
        int best = -1;
        for (int j = 0; j < cols; j++)
            if (weights[i * cols + j] > 0 &&
                (best < 0 || weights[i * cols + j] > weights[i * cols + best]))
                best = j;
        if (best >= 0)
            align_links_add(links, (AlignLink){best, i, false});
    }
}

static bool align_pair(const Model *model, const Side *source, const Side *target,
                       AlignLinks *links, Error *error)
{
    const Tokenizers *t = model->network;
    const RunInput input = {.text = source->text};
    const RunOptions options = {.force = target->text, .max_steps = 100000};
    const Trace *trace = model_run(model, &input, &options, 0, NULL, error);
    if (!trace)
        return false;
    bool attends = trace_find(trace, "attention.weights") != NULL;
    if (attends) {
        TokenList a = {0}, b = {0};
        tokenizer_encode(t->source, source->text, strlen(source->text), &a);
        tokenizer_encode(t->target, target->text, strlen(target->text), &b);
        double *weights = memory_new((size_t)source->n * (size_t)target->n, sizeof *weights);
        gather_words(trace, &a, source, &b, target, weights);
        link_largest(weights, target->n, source->n, links);
        free(weights);
        token_list_free(&a);
        token_list_free(&b);
    } else {
        error_set(error, ERROR_UNSUPPORTED, "%s has no attention to align with", model_name(model));
    }
    trace_release(trace);
    return attends;
}

/* ---- files ---- */

static size_t line_length(const char *line, const char *end)
{
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    return newline ? (size_t)(newline - line) : (size_t)(end - line);
}

bool evaluate_aligned_pair(const Model *model, const AlignedPair *pair, AlignScore *score,
                           Error *error)
{
    char *line = memory_copy_bytes(pair->text, pair->n_text);
    char *bar = strstr(line, BAR);
    AlignLinks predicted = {0}, wanted = {0};
    bool ok = bar || error_set(error, ERROR_FORMAT, "\"source %s target\" was expected", BAR);
    if (ok) {
        Side source = split(line, (size_t)(bar - line));
        Side target = split(bar + strlen(BAR), strlen(bar + strlen(BAR)));
        ok = align_pair(model, &source, &target, &predicted, error) &&
             gold_links_parse(pair->links, pair->n_links, pair->first, &wanted, error);
        side_free(&source);
        side_free(&target);
    }
    if (ok)
        align_score_add(score, &predicted, &wanted);
    align_links_free(&predicted);
    align_links_free(&wanted);
    free(line);
    return ok;
}

int evaluate_first_word(const char *links, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool starts = i == 0 || links[i - 1] == ' ' || links[i - 1] == '\n' ||
                      links[i - 1] == '-' || links[i - 1] == 'p';
        if (starts && links[i] == '0')
            return 0;
    }
    return 1;
}

static bool score_files(const EvaluateRequest *request, const Bytes *pairs, const Bytes *gold,
                        AlignScore *score, int *count, Error *error)
{
    const char *a = pairs->data, *a_end = a + pairs->size;
    const char *b = gold->data, *b_end = b + gold->size;
    int first = evaluate_first_word(gold->data, gold->size);
    for (*count = 0; a < a_end; (*count)++) {
        if (request->limit > 0 && *count >= request->limit)
            return true;
        size_t n = line_length(a, a_end);
        if (b >= b_end)
            return error_set(error, ERROR_FORMAT, "%s: only %d lines for the %s of %s",
                             request->alignments, *count, "sentence pairs", request->data);
        size_t m = line_length(b, b_end);
        const AlignedPair pair = {a, n, b, m, first};
        if (!evaluate_aligned_pair(request->model, &pair, score, error)) {
            error_prefix(error, "line %d", *count + 1);
            return false;
        }
        a += n + 1;
        b += m + 1;
    }
    return true;
}

json_t *evaluate_alignments(const EvaluateRequest *request, Error *error)
{
    Bytes pairs, gold = {0};
    if (!file_read(request->data, FILE_MAX_READ_BYTES, &pairs, error))
        return NULL;
    AlignScore score = {0};
    int count = 0;
    bool ok = file_read(request->alignments, FILE_MAX_READ_BYTES, &gold, error) &&
              score_files(request, &pairs, &gold, &score, &count, error);
    bytes_free(&pairs);
    bytes_free(&gold);
    if (!ok)
        return NULL;
    json_t *figures = json_object();
    json_object_set_new(figures, "aer", json_real(align_score_error_rate(&score)));
    json_object_set_new(figures, "precision", json_real(align_score_precision(&score)));
    json_object_set_new(figures, "recall", json_real(align_score_recall(&score)));
    json_object_set_new(figures, "pairs", json_integer(count));
    return figures;
}
