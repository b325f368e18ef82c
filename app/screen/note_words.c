#include "screen/note_words.h"

#include <string.h>

#define MOST_PLACES 8

/* "%" is a place of the English pattern; "%1" of the other the first of them. The first pattern
 * that fits counts. */
static const struct {
    const char *english, *chinese;
} sentences[] = {
    /* arrays */
    {"% and % more like it taken as %", "%1 及另外 %2 个同类数组，按 %3 理解"},
    {"does not look like attention: values below zero, taken as scores",
     "看来不是注意力：有负值，按分数显示"},
    {"does not look like attention: values above one, taken as scores",
     "看来不是注意力：有大于 1 的值，按分数显示"},
    {"rows and columns both sum to one, so the order is a guess",
     "行和与列和都为 1，行列方向是猜测"},
    {"neither rows nor columns sum to one, so the order is a guess",
     "行和与列和都不为 1，行列方向是猜测"},
    {"swapped, because columns sum to one and rows do not", "列和为 1 而行和不是，已交换行列"},
    {"rows and columns exchanged, as asked", "已按要求交换行列"},
    {"% taken as %", "%1 按 %2 理解"},
    {"one of % sentences in one object: an object a sentence shows all",
     "同一对象内 %1 句中的一句：每句一个对象即可全部显示"},
    {"left out: %", "未读入：%1"},
    {"some axes are numbered, for want of tokens", "有些轴没有词元，以编号显示"},
    {"they can stand beside the file, in .tokens.json or .src and .tgt",
     "词元可放在同名的 .tokens.json 或 .src、.tgt 文件中"},
    /* texts */
    {"the file has the source's words as rows", "文件以源端词为行"},
    {"turned round", "已转置"},
    {"% links point beyond the sentence: is this the right sentence, and does the file count from "
     "0 or from 1?",
     "%1 条连线超出句子：句子对吗？文件从 0 还是从 1 计数？"},
    {"no position in the file is 0, so it was taken to count from 1",
     "文件中没有位置 0，按从 1 计数理解"},
    {"only the largest weight of every row is in the file", "文件只含每行最大的权重"},
    {"the table cuts words to the width of its columns", "表格把词截到了列宽"},
    {"posteriors are not within 0 and 1", "后验值不在 0 与 1 之间"},
    {"their softmax is shown", "显示其 softmax"},
    /* tokens */
    {"%: % tokens for % %", "%1：%2 个词元对 %3 个%4"},
    {"taken as the sentence and its end mark", "理解为句子加句末符"},
    {"taken as the sentence and a mark at either end", "理解为句子加首尾符"},
    {"the end mark has none", "句末符没有对应"},
    {"%: % % of zeros behind the sentence were taken as padding",
     "%1：句后全零的 %2 个%3按填充处理"},
    {"%: % tokens do not fit % %, so these are numbered. Are the tokens of another sentence, or "
     "counted in words where the model has pieces?",
     "%1：%2 个词元与 %3 个%4不符，故以编号显示。词元是否属于另一句，或按词而非子词计数？"},
    {"%: pieces of %, marks taken off", "%1：%2 子词，已去掉标记"},
    {"no tokens of the % were found", "没有找到%1的词元"},
    {"they can stand beside the file, in .src and .tgt or .tokens.json",
     "词元可放在同名的 .src、.tgt 或 .tokens.json 文件中"},
    {"gold: % of % links lie beyond the % x % tokens and were left out",
     "标准对齐：%2 条连线中有 %1 条超出 %3 x %4 个词元，已略去"},
    {"are they of another sentence, or counted in words where the model has pieces?",
     "是否属于另一句，或按词而非子词计数？"},
    /* models */
    {"attention.weights is the mean of cross.weights over layers and heads",
     "attention.weights 是 cross.weights 对各层各头的平均"},
    {"% has never seen % words of the %: %", "%1 从未见过%3中的 %2 个词：%4"},
    {"% has never seen % word of the %: %", "%1 从未见过%3中的 %2 个词：%4"},
    {"all read alike", "读来没有区别"},
    {"the document is long: only words of its heaviest sentences were left out one at a time",
     "文档较长：只对权重最大的句子逐词去除"},
    {"most words of this text are unknown to the model: the verdict says little",
     "模型不认识其中大多数词：判断意义不大"},
    {"too long to ask what the fixed context holds of each word",
     "句子太长，不再求固定上下文对各词的记忆"},
};

/* What stands in the places; other words are names. */
static const struct {
    const char *english, *chinese;
} words[] = {
    {"layer", "层"},      {"head", "头"},       {"batch", "批"},
    {"sentence", "句"},   {"step", "步"},       {"token", "词元"},
    {"source", "源端"},   {"target", "目标端"}, {"source and the target", "源端与目标端"},
    {"rows", "行"},       {"columns", "列"},    {"rows and columns", "行列"},
    {"weights", "权重"},  {"words", "整词"},    {"story", "故事"},
    {"question", "问题"},
};

typedef struct Part {
    const char *text;
    size_t n;
} Part;

static void add_word(Part word, StrBuf *out)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].english) == word.n &&
            memcmp(words[i].english, word.text, word.n) == 0) {
            strbuf_add(out, words[i].chinese);
            return;
        }
    strbuf_add_bytes(out, word.text, word.n);
}

/* Until the next `end`, which is passed over; the rest where there is none. */
static Part next_part(const char **rest, const char *end)
{
    const char *found = strstr(*rest, end);
    Part part = {*rest, found ? (size_t)(found - *rest) : strlen(*rest)};
    *rest += part.n + (found ? strlen(end) : 0);
    return part;
}

/* "layer, head, target": one after the other. */
static void add_words(Part list, StrBuf *out)
{
    char room[256];
    if (list.n >= sizeof room) {
        strbuf_add_bytes(out, list.text, list.n);
        return;
    }
    memcpy(room, list.text, list.n);
    room[list.n] = '\0';
    const char *rest = room;
    for (bool is_first = true; *rest; is_first = false) {
        if (!is_first)
            strbuf_add(out, ", ");
        add_word(next_part(&rest, ", "), out);
    }
}

/* Where `text` begins with what the pattern has before its next place: how long that is, or -1. */
static bool takes(const char **pattern, Part *text, size_t *n)
{
    *n = strcspn(*pattern, "%");
    if (*n > text->n || memcmp(*pattern, text->text, *n) != 0)
        return false;
    *pattern += *n;
    text->text += *n;
    text->n -= *n;
    return true;
}

static const char *find(Part text, const char *wanted, size_t n)
{
    for (size_t i = 0; i + n <= text.n; i++)
        if (memcmp(text.text + i, wanted, n) == 0)
            return text.text + i;
    return NULL;
}

/* What stands in the places of the pattern; false: the text is another one. A place ends where
 * what follows it in the pattern comes first, the last one where the text does. */
static bool match(const char *pattern, Part text, Part places[MOST_PLACES])
{
    size_t n;
    if (!takes(&pattern, &text, &n))
        return false;
    for (int k = 0; *pattern == '%' && k < MOST_PLACES; k++) {
        size_t literal = strcspn(++pattern, "%");
        const char *end = literal == 0 ? text.text + text.n : find(text, pattern, literal);
        if (literal > 0 && pattern[literal] == '\0' && text.n >= literal)
            end = text.text + text.n - literal;
        if (!end)
            return false;
        places[k] = (Part){text.text, (size_t)(end - text.text)};
        text.n -= places[k].n;
        text.text = end;
        if (!takes(&pattern, &text, &n))
            return false;
    }
    return *pattern == '\0' && text.n == 0;
}

static void fill(const char *pattern, const Part places[MOST_PLACES], StrBuf *out)
{
    for (const char *p = pattern; *p; p++) {
        if (*p == '%')
            add_words(places[*++p - '1'], out);
        else
            strbuf_add_char(out, *p);
    }
}

static void say_part(Part part, StrBuf *out)
{
    Part places[MOST_PLACES] = {{0}};
    for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++)
        if (match(sentences[i].english, part, places)) {
            fill(sentences[i].chinese, places, out);
            return;
        }
    strbuf_add_bytes(out, part.text, part.n);
}

void note_say(Language language, const char *note, StrBuf *out)
{
    strbuf_add(out, "");
    if (language != LANGUAGE_CHINESE) {
        strbuf_add(out, note);
        return;
    }
    for (bool is_first = true; *note; is_first = false) {
        if (!is_first)
            strbuf_add(out, "；");
        say_part(next_part(&note, "; "), out);
    }
}

void note_say_place(Language language, const char *place, StrBuf *out)
{
    strbuf_add(out, "");
    if (language != LANGUAGE_CHINESE) {
        strbuf_add(out, place);
        return;
    }
    for (bool is_first = true; *place; is_first = false) {
        Part part = next_part(&place, ", ");
        const char *space = find(part, " ", 1);
        size_t n = space ? (size_t)(space - part.text) : part.n;
        if (!is_first)
            strbuf_add(out, "，");
        add_word((Part){part.text, n}, out);
        strbuf_add_bytes(out, part.text + n, part.n - n);
    }
}
