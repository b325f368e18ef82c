/* view_words.h - what views write into figures, in every language of the interface.
 *
 * Words with a % are formats: both languages take the same arguments in the same order.
 */
#ifndef FOVEA_VIEWS_VIEW_WORDS_H
#define FOVEA_VIEWS_VIEW_WORDS_H

#define VIEW_WORDS_COMMON(X)                                                                       \
    X(STEP, "step", "步骤")                                                                        \
    X(STEP_OF, "step %d of %d", "第 %d 步,共 %d 步")                                               \
    X(MORE_CHANGES, "and %d more changes", "另有 %d 处改动")                                       \
    X(NO_ATTENTION, "This run has no attention weights to draw.",                                  \
      "这次运行没有可画的注意力权重。")                                                            \
    X(NO_TOKENS, "There are no words to draw.", "没有可画的词。")                                  \
    X(NOT_IN_TRACE, "%s are not part of this run; the weights are shown",                          \
      "此次运行没有 %s,显示的是权重")                                                              \
    X(SOURCE, "source", "源句")                                                                    \
    X(OUTPUT, "output", "输出")                                                                    \
    X(WEIGHT, "weight", "权重")                                                                    \
    X(SCORE, "score", "得分")                                                                      \
    X(VALUE, "value", "数值")                                                                      \
    X(PROBABILITY, "probability", "概率")                                                          \
    X(RANK, "rank %d of %d", "排名 %d / %d")                                                       \
    X(PIECES, "pieces", "子词")                                                                    \
    X(RECEIVES, "receives %s from %d rows", "共得 %s,来自 %d 行")                                  \
    X(MODELS_OWN, "model's own", "模型原值")                                                       \
    X(FORCED_TOKEN, "chosen by you, not by the model", "由你指定,而非模型选择")                    \
    X(UNKNOWN_TOKEN, "outside the vocabulary", "不在词表中")                                       \
    X(NOT_COMPUTED, "not computed", "未计算")

#define VIEW_WORDS_ATTENTION(X)                                                                    \
    X(ATTENTION, "Attention", "注意力")                                                            \
    X(ADDITIVE, "Additive attention", "加性注意力")                                                \
    X(DOT, "Dot-product attention", "点积注意力")                                                  \
    X(SCALED_DOT, "Scaled dot-product attention", "缩放点积注意力")                                \
    X(GENERAL, "General (bilinear) attention", "双线性注意力")                                     \
    X(COSINE, "Cosine attention", "余弦注意力")                                                    \
    X(LOCATION, "Location-based attention", "基于位置的注意力")                                    \
    X(CONCAT, "Concat attention", "拼接注意力")                                                    \
    X(LOCAL_M, "Local attention, monotonic centre", "局部注意力(单调中心)")                        \
    X(LOCAL_P, "Local attention, predicted centre", "局部注意力(预测中心)")                        \
    X(HARD, "Hard attention", "硬注意力")

#define VIEW_WORDS_HEATMAP(X)                                                                      \
    X(WEIGHTS_LONG, "weights α(t, i)", "权重 α(t, i)")                                             \
    X(SCORES_LONG, "scores e(t, i), before the softmax", "softmax 之前的得分 e(t, i)")             \
    X(SOFTMAX_LONG, "softmax of the scores", "得分的 softmax")                                     \
    X(OWN_LONG, "the model's own weights", "模型自己的权重")                                       \
    X(ROWS_SUM_TO_1, "rows sum to 1", "每行和为 1")                                                \
    X(ROW_SUMS, "row sums", "行和")                                                                \
    X(LEGEND_WEIGHT, "attention weight", "注意力权重")                                             \
    X(LEGEND_SCORE, "score", "得分")                                                               \
    X(LEGEND_PROBABILITY, "probability", "概率")                                                   \
    X(LEGEND_MASK, "allowed", "允许")                                                              \
    X(LEGEND_VALUE, "value", "数值")                                                               \
    X(PER_ROW, "each row to its largest", "各行按其最大值")                                        \
    X(PER_ROW_APPROXIMATE, "rows that share a pixel share their scale",                            \
      "同一像素内的各行共用色标")                                                                  \
    X(MEAN_OVER, "%smean over %s", "%s对 %s 取平均")                                               \
    X(MAX_OVER, "%smaximum over %s", "%s对 %s 取最大")                                             \
    X(ROLLOUT, "attention rollout", "注意力展开 (rollout)")                                        \
    X(LABELS_THINNED, "one label in %d is shown; zoom in for more",                                \
      "每 %d 个标签显示一个,放大可见更多")                                                         \
    X(PEAKS_KEPT, "cells are smaller than pixels: each pixel shows its largest cell",              \
      "单元格小于像素:每个像素显示其中最大的值")                                                   \
    X(RANGE_ESTIMATED, "the range is that of a sample of the rows", "色标范围取自部分行")          \
    X(TOO_LARGE_TO_SHAPE, "too large to merge words or hide tokens: shown as stored",              \
      "矩阵过大,未合并子词或隐藏标记")                                                             \
    X(HIDDEN_COLUMNS, "hidden source tokens (special or padding): %d",                             \
      "已隐藏的特殊或填充标记:%d")                                                                 \
    X(GOLD_SURE, "gold: sure link", "标准对齐:确定")                                               \
    X(GOLD_POSSIBLE, "gold: possible link", "标准对齐:可能")                                       \
    X(NO_GOLD, "this run has no gold alignment", "此次运行没有标准对齐")                           \
    X(GOLD_NOTE,                                                                                   \
      "gold links: alignment error rate %s (largest weight of each row; %d sure, "                 \
      "%d possible)",                                                                              \
      "标准对齐:错误率 %s(取每行最大权重;确定 %d,可能 %d)")

#define VIEW_WORDS_LINKS(X)                                                                        \
    X(LINKS_SUBTITLE, "width and opacity are the weights", "粗细与深浅表示权重")                   \
    X(LINK_BLOCKS, "blocks of %d words: the mean of what they give, the sum of what they receive", \
      "每 %d 个词合为一块:给出取平均,得到取总和")                                                \
    X(LINKS_OMITTED, "links too weak to draw carry %s %% of a row, on average",                    \
      "未画出的弱连接平均占每行的 %s %%")

#define VIEW_WORDS(X)                                                                              \
    VIEW_WORDS_COMMON(X)                                                                           \
    VIEW_WORDS_ATTENTION(X)                                                                        \
    VIEW_WORDS_HEATMAP(X)                                                                          \
    VIEW_WORDS_LINKS(X)

typedef enum {
#define VIEW_WORD(id, english, chinese) WORD_##id,
    VIEW_WORDS(VIEW_WORD)
#undef VIEW_WORD
        WORD_COUNT
} ViewWord;

#endif
