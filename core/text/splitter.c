#include "text/splitter.h"

#include <string.h>
#include <strings.h>

#include <utf8proc.h>

#include "base/utf8.h"

#define LONGEST_CLITIC    5  /* bytes of "elles" */
#define MAX_CLITIC_PARTS  6  /* with the elisions before them; the last takes the rest */
#define MAX_CONTRACTIONS  3  /* more are no word: it stays whole */
#define LONGEST_CUT_BYTES 64 /* longer words with hyphens are no verb with its pronouns */

static CharacterClass class_beyond_ascii(uint32_t code)
{
    if (utf8_is_cjk(code) || (code >= 0x3001 && code <= 0x303F) ||
        (code >= 0xFF01 && code <= 0xFF65))
        return CHARACTER_CJK;
    switch (utf8proc_category((utf8proc_int32_t)code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return CHARACTER_LETTER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF: return CHARACTER_MARK;
    case UTF8PROC_CATEGORY_ND: return CHARACTER_DIGIT;
    default: return utf8_is_space(code) ? CHARACTER_SPACE : CHARACTER_PUNCTUATION;
    }
}

CharacterClass character_class(uint32_t code)
{
    if (code >= 0x80)
        return class_beyond_ascii(code);
    uint32_t lower = code | 0x20;
    if (lower >= 'a' && lower <= 'z')
        return CHARACTER_LETTER;
    if (code >= '0' && code <= '9')
        return CHARACTER_DIGIT;
    return code == ' ' || (code >= '\t' && code <= '\r') ? CHARACTER_SPACE : CHARACTER_PUNCTUATION;
}

/* Class of the character at `offset`, its code and bytes; past the end it is a space. */
static CharacterClass class_at(const Splitter *s, size_t offset, uint32_t *code, size_t *bytes)
{
    *code = ' ';
    *bytes = 0;
    if (offset >= s->n)
        return CHARACTER_SPACE;
    *bytes = (size_t)utf8_decode(s->text + offset, s->n - offset, code);
    return character_class(*code);
}

static bool is_letter_or_digit(CharacterClass class)
{
    return class == CHARACTER_LETTER || class == CHARACTER_DIGIT;
}

static bool is_apostrophe(uint32_t code)
{
    return code == '\'' || code == 0x2019 || code == 0x00B4 || code == 0x02BC;
}

static bool is_hyphen(uint32_t code)
{
    return code == '-' || code == 0x2010 || code == 0x2011;
}

static bool is_one_of(const char *text, size_t n, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == n && strncasecmp(text, *list, n) == 0)
            return true;
    return false;
}

static size_t skip_marks(const Splitter *s, size_t offset)
{
    uint32_t code;
    size_t bytes;
    while (class_at(s, offset, &code, &bytes) == CHARACTER_MARK)
        offset += bytes;
    return offset;
}

/* U.S. p.m. J.K.: single letters, each with a full stop, two at least. Returns the end, or
 * `begin` when it is none. */
static size_t scan_abbreviation(const Splitter *s, size_t begin)
{
    size_t offset = begin;
    int letters = 0;
    uint32_t code;
    size_t bytes;
    while (class_at(s, offset, &code, &bytes) == CHARACTER_LETTER) {
        if (offset + bytes >= s->n || s->text[offset + bytes] != '.')
            return begin;
        offset += bytes + 1;
        letters++;
    }
    return letters >= 2 ? offset : begin;
}

/* A mark inside of a word: an apostrophe or hyphen between letters or digits, a point,
 * comma or colon between digits. */
static bool joins(uint32_t code, CharacterClass before, CharacterClass after)
{
    if (is_apostrophe(code) || is_hyphen(code))
        return is_letter_or_digit(before) && is_letter_or_digit(after);
    return (code == '.' || code == ',' || code == ':') && before == CHARACTER_DIGIT &&
           after == CHARACTER_DIGIT;
}

static size_t scan_letters(const Splitter *s, size_t begin)
{
    size_t offset = scan_abbreviation(s, begin);
    if (offset > begin)
        return offset;
    CharacterClass before = CHARACTER_SPACE;
    for (;;) {
        uint32_t code, next;
        size_t bytes, next_bytes;
        CharacterClass class = class_at(s, offset, &code, &bytes);
        if (class == CHARACTER_MARK || is_letter_or_digit(class)) {
            before = class == CHARACTER_MARK ? before : class;
            offset += bytes;
            continue;
        }
        if (class != CHARACTER_PUNCTUATION ||
            !joins(code, before, class_at(s, offset + bytes, &next, &next_bytes)))
            return offset;
        offset += bytes;
    }
}

static size_t scan_link(const Splitter *s, size_t begin)
{
    static const char *const starts[] = {"http://", "https://", "www."};
    size_t offset = begin;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        size_t length = strlen(starts[i]);
        if (s->n - begin > length && strncasecmp(s->text + begin, starts[i], length) == 0)
            offset = begin + length;
    }
    if (offset == begin)
        return begin;
    size_t end = begin;
    uint32_t code;
    size_t bytes;
    /* A link ends with a letter, digit or slash: what follows is the sentence's. */
    for (CharacterClass class; (class = class_at(s, offset, &code, &bytes)) != CHARACTER_SPACE &&
                               class != CHARACTER_CJK;) {
        offset += bytes;
        if (is_letter_or_digit(class) || (code == '/' && end > begin))
            end = offset;
    }
    return end;
}

/* Western smileys: eyes, an optional nose, a mouth; not the colon of "3:(". */
static size_t scan_smiley(const Splitter *s, size_t begin)
{
    size_t offset = begin;
    if (begin > 0 && s->text[begin - 1] != ' ')
        return begin;
    if (!strchr(":;=", s->text[offset]) || ++offset >= s->n)
        return begin;
    if (s->text[offset] == '-' && ++offset >= s->n)
        return begin;
    if (!s->text[offset] || !strchr("()DPp/|", s->text[offset]))
        return begin;
    uint32_t code;
    size_t bytes;
    return is_letter_or_digit(class_at(s, ++offset, &code, &bytes)) ? begin : offset;
}

/* What a treebank has cut off already: "'s", "'re", "'em", "'70s", and its brackets -lrb-. */
static size_t scan_treebank(const Splitter *s, size_t begin)
{
    static const char *const words[] = {"'s",    "'m",    "'d",    "'ll",   "'ve",    "'re",
                                        "'t",    "'em",   "'n",    "'til",  "'cause", "-lrb-",
                                        "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-",  NULL};
    uint32_t code;
    size_t bytes;
    size_t end = begin + 1;
    CharacterClass class;
    while ((class = class_at(s, end, &code, &bytes)) == CHARACTER_LETTER ||
           class == CHARACTER_DIGIT)
        end += bytes;
    size_t n = end - begin;
    if (s->text[begin] == '\'' && n == 4 && s->text[end - 2] == '0' && s->text[end - 1] == 's')
        return end;
    end += s->text[begin] == '-' && code == '-';
    return is_one_of(s->text + begin, end - begin, words) ? end : begin;
}

static size_t scan_punctuation(const Splitter *s, size_t begin)
{
    char first = s->text[begin];
    if ((unsigned char)first >= 0x80)
        return utf8_next_grapheme(s->text, s->n, begin);
    size_t offset = scan_smiley(s, begin);
    if (offset == begin && s->style == SPLIT_TREEBANK && (first == '\'' || first == '-'))
        offset = scan_treebank(s, begin);
    if (offset > begin)
        return offset;
    while (offset < s->n && s->text[offset] == first)
        offset++;
    return skip_marks(s, offset);
}

/* ---- parts of a word ---- */

static void cut(Splitter *s, size_t end, bool elided)
{
    s->ends[s->n_parts] = end;
    s->elided[s->n_parts++] = elided;
}

static size_t apostrophe_bytes(const char *text, size_t n)
{
    uint32_t code;
    if (!n)
        return 0;
    size_t bytes = (size_t)utf8_decode(text, n, &code);
    return is_apostrophe(code) ? bytes : 0;
}

/* Bytes of an elision at the start of text[0..n), with its apostrophe, or 0. */
static size_t elision_bytes(const char *text, size_t n)
{
    static const char *const elisions[] = {"l", "d",  "j",     "m",      "t",      "s",      "n",
                                           "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", NULL};
    size_t letters = 0;
    while (letters < n && letters < 7 && (text[letters] | 0x20) >= 'a' &&
           (text[letters] | 0x20) <= 'z')
        letters++;
    size_t mark = apostrophe_bytes(text + letters, n - letters);
    return mark && is_one_of(text, letters, elisions) ? letters + mark : 0;
}

/* Bytes of an English contraction at the end of text[0..n), n't with its n, or 0. It follows
 * a letter or digit. */
static size_t contraction_bytes(const char *text, size_t n, SplitStyle style)
{
    static const char *const endings[] = {"s", "m", "d", "ll", "ve", "re", NULL};
    static const char *const whole[] = {"can", "won", "shan", "ain", NULL};
    for (size_t tail = 1; tail <= 2 && tail < n; tail++) {
        for (size_t mark = 1; mark <= 3 && tail + mark < n; mark++) {
            size_t stem = n - tail - mark;
            bool negated = tail == 1 && stem > 1 && (text[n - 1] | 0x20) == 't' &&
                           (text[stem - 1] | 0x20) == 'n' &&
                           (style == SPLIT_TREEBANK || !is_one_of(text, stem, whole));
            if (apostrophe_bytes(text + stem, mark) != mark ||
                (!negated && !is_one_of(text + stem + mark, tail, endings)))
                continue;
            char before = text[stem - (negated ? 2 : 1)];
            return before == '-' || before == '\'' ? 0 : tail + mark + negated;
        }
    }
    return 0;
}

/* Bytes of one "-tu", "-t-il" at the start of text[0..n), or 0. */
static size_t clitic_bytes(const char *text, size_t n)
{
    static const char *const clitics[] = {
        "je",  "tu",  "il",   "elle", "on", "nous", "vous", "ils", "elles", "ce", "moi",
        "toi", "lui", "leur", "le",   "la", "les",  "y",    "en",  "ci",    "là", NULL};
    if (n < 2 || text[0] != '-')
        return 0;
    size_t start = n > 3 && (text[1] | 0x20) == 't' && text[2] == '-' ? 3 : 1;
    size_t end = start;
    while (end < n && end - start <= LONGEST_CLITIC && text[end] != '-')
        end++;
    return is_one_of(text + start, end - start, clitics) ? end : 0;
}

/* Cuts text[begin..end) before its first hyphen from which only clitics follow. */
static void cut_clitics(Splitter *s, size_t begin, size_t end)
{
    if (end - begin > LONGEST_CUT_BYTES)
        return;
    for (size_t i = begin + 1; i < end; i++) {
        size_t stop = i;
        for (size_t bytes; stop < end && (bytes = clitic_bytes(s->text + stop, end - stop)) > 0;)
            stop += bytes;
        if (stop < end || stop == i)
            continue;
        cut(s, i, false);
        for (stop = i; s->n_parts < MAX_CLITIC_PARTS && stop < end;)
            cut(s, stop += clitic_bytes(s->text + stop, end - stop), false);
        break;
    }
}

/* The ends of what stays when the contractions at the end of text[begin..end) are taken off
 * one by one: could|n't|'ve. Returns how many there are; none when there are too many, or when
 * n't is not next to the core: such a word stays whole. */
static int find_contractions(const Splitter *s, size_t begin, size_t end,
                             size_t stems[MAX_CONTRACTIONS])
{
    int n = 0;
    bool innermost = false;
    for (size_t bytes; (bytes = contraction_bytes(s->text + begin, end - begin, s->style)) > 0;
         end -= bytes) {
        if (n == MAX_CONTRACTIONS || innermost)
            return 0;
        stems[n++] = end - bytes;
        innermost = (s->text[end - bytes] | 0x20) == 'n';
    }
    return n;
}

static void cut_word(Splitter *s, size_t begin, size_t end)
{
    s->n_parts = 0;
    s->next_part = 0;
    size_t core = begin;
    for (size_t bytes; s->style == SPLIT_TRANSLATION && s->n_parts < 2 &&
                       (bytes = elision_bytes(s->text + core, end - core)) > 0 &&
                       core + bytes < end;)
        cut(s, core += bytes, true);
    size_t stems[MAX_CONTRACTIONS];
    int n = find_contractions(s, core, end, stems);
    if (s->style == SPLIT_TRANSLATION)
        cut_clitics(s, core, n ? stems[n - 1] : end);
    while (n-- > 0)
        if (!s->n_parts || s->ends[s->n_parts - 1] < stems[n])
            cut(s, stems[n], false);
    if (!s->n_parts || s->ends[s->n_parts - 1] < end)
        cut(s, end, false);
}

/* ---- the walk ---- */

void splitter_init(Splitter *splitter, const char *text, size_t n, SplitStyle style)
{
    *splitter = (Splitter){.text = text, .n = n, .style = style};
}

static void take_part(Splitter *s, SplitWord *word)
{
    word->kind = SPLIT_LETTERS;
    word->part = s->next_part > 0;
    word->elided = s->elided[s->next_part];
    word->end = s->ends[s->next_part++];
}

bool splitter_next(Splitter *s, SplitWord *word)
{
    uint32_t code;
    size_t bytes;
    size_t begin = s->offset;
    CharacterClass class;
    while ((class = class_at(s, begin, &code, &bytes)) == CHARACTER_SPACE && bytes)
        begin += bytes;
    if (begin >= s->n)
        return false;
    *word = (SplitWord){.begin = begin, .spaced = begin == 0 || begin > s->offset};
    size_t link;
    if (s->next_part < s->n_parts) {
        take_part(s, word);
    } else if (class == CHARACTER_LETTER && (link = scan_link(s, begin)) > begin) {
        word->end = link;
        word->kind = SPLIT_LETTERS;
    } else if (is_letter_or_digit(class)) {
        cut_word(s, begin, scan_letters(s, begin));
        take_part(s, word);
    } else if (class == CHARACTER_CJK) {
        word->end = skip_marks(s, begin + bytes);
        word->kind = SPLIT_CJK;
    } else {
        word->end = scan_punctuation(s, begin);
        word->kind = SPLIT_PUNCTUATION;
    }
    s->offset = word->end;
    return true;
}
