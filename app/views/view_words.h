/* view_words.h - what views write into figures, in every language of the interface.
 *
 * Words with a % are formats: both languages take the same arguments in the same order.
 */
#ifndef FOVEA_VIEWS_VIEW_WORDS_H
#define FOVEA_VIEWS_VIEW_WORDS_H

#define VIEW_WORDS_COMMON(X)                                                                       \
    X(STEP_OF, "step %d of %d", "第 %d 步，共 %d 步")                                              \
    X(MORE_CHANGES, "and %d more changes", "另有 %d 处改动")                                       \
    X(NO_ATTENTION, "This run has no attention weights to draw.",                                  \
      "这次运行没有可画的注意力权重。")                                                            \
    X(NO_TOKENS, "There are no words to draw.", "没有可画的词。")                                  \
    X(NOT_IN_TRACE, "%s are not part of this run; the weights are shown",                          \
      "此次运行没有 %s，显示的是权重")                                                             \
    X(SOURCE, "source", "源句")                                                                    \
    X(OUTPUT, "output", "输出")                                                                    \
    X(WEIGHT, "weight", "权重")                                                                    \
    X(SCORE, "score", "得分")                                                                      \
    X(VALUE, "value", "数值")                                                                      \
    X(PROBABILITY, "probability", "概率")                                                          \
    X(RANK, "rank %d of %d", "排名 %d / %d")                                                       \
    X(PIECES, "pieces", "子词")                                                                    \
    X(RECEIVES, "receives %s from %d rows", "共得 %s，来自 %d 行")                                 \
    X(CHANGE_AT, "step %d: %s", "第 %d 步：%s")                                                    \
    X(CHANGE_TEMPERATURE, "temperature %s", "温度 %s")                                             \
    X(CHANGE_MASK, "“%s” hidden", "“%s”已隐藏")                                                    \
    X(CHANGE_TOKEN, "the word was given", "该词由你指定")                                          \
    X(CHANGE_WEIGHTS, "the weights were painted", "权重由你绘制")                                  \
    X(CHANGE_SELECTION, "the choice was made by hand", "选择由你指定")                             \
    X(CHANGE_SELECTION_OF, "“%s” turned over", "“%s”的选择已翻转")                                 \
    X(CHANGE_WINDOW, "the window was moved", "窗口已移动")                                         \
    X(CHANGE_GLIMPSE, "the glimpse was put there", "注视点由你指定")                               \
    X(CHANGE_CELL, "cell %s hidden", "单元 %s 已隐藏")                                             \
    X(CHANGE_BEAM, "beam of %s", "束宽 %s")                                                        \
    X(CHANGE_LENGTH_PENALTY, "length penalty %s", "长度惩罚 %s")                                   \
    X(CHANGE_REACH, "window D = %s", "窗口 D = %s")                                                \
    X(CHANGE_RENORMALISE, "weights renormalised", "权重已重新归一")                                \
    X(CHANGE_SAMPLE, "choices drawn, seed %s", "随机抽取，种子 %s")                                \
    X(CHANGE_PATHS, "%s further draws", "另抽取 %s 次")                                            \
    X(CHANGE_FORCE, "the output was given", "输出由你指定")                                        \
    X(MODELS_OWN, "model's own", "模型原值")                                                       \
    X(FORCED_TOKEN, "chosen by you, not by the model", "由你指定，而非模型选择")                   \
    X(HIDDEN_TOKEN, "hidden from attention by you", "由你隐藏，注意力看不到")                      \
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
    X(LOCAL_M, "Local attention, monotonic centre", "局部注意力（单调中心）")                      \
    X(LOCAL_P, "Local attention, predicted centre", "局部注意力（预测中心）")                      \
    X(HARD, "Hard attention", "硬注意力")                                                          \
    X(NO_ATTENTION_AT_ALL, "No attention: what the gradient still finds",                          \
      "没有注意力：梯度仍能找到的词")

#define VIEW_WORDS_HEATMAP(X)                                                                      \
    X(WEIGHTS_LONG, "weights α(t, i)", "权重 α(t, i)")                                             \
    X(SCORES_LONG, "scores e(t, i), before the softmax", "softmax 之前的得分 e(t, i)")             \
    X(SOFTMAX_LONG, "softmax of the scores", "得分的 softmax")                                     \
    X(SALIENCY_LONG, "norm of d log p(t) / d x(i)", "d log p(t) / d x(i) 的范数")                  \
    X(OWN_LONG, "the model's own weights", "模型自己的权重")                                       \
    X(ROWS_SUM_TO_1, "rows sum to 1", "每行和为 1")                                                \
    X(ROW_SUMS, "row sums", "行和")                                                                \
    X(LEGEND_WEIGHT, "attention weight", "注意力权重")                                             \
    X(LEGEND_SALIENCY, "share of the gradient", "梯度占比")                                        \
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
      "每 %d 个标签显示一个，放大可见更多")                                                        \
    X(PEAKS_KEPT, "cells are smaller than pixels: each pixel shows its largest cell",              \
      "单元格小于像素：每个像素显示其中最大的值")                                                  \
    X(RANGE_ESTIMATED, "the range is that of a sample of the rows", "色标范围取自部分行")          \
    X(TOO_LARGE_TO_SHAPE, "too large to merge words or hide tokens: shown as stored",              \
      "矩阵过大，未合并子词或隐藏标记")                                                            \
    X(HIDDEN_COLUMNS, "hidden special tokens of the source: %d", "已隐藏的源端特殊标记：%d")       \
    X(HIDDEN_PADDING, "hidden rows and columns of padding, all zeros: %d",                         \
      "已隐藏的全零填充行列：%d")                                                                  \
    X(MISSING_CELLS, "hatched, because they are no finite numbers: %d cells",                      \
      "斜线格不是有限数值：%d 格")                                                                 \
    X(HIDDEN_SINKS, "hidden columns that take more than half of the weight: %d",                   \
      "已隐藏的汇聚列（占过半权重）：%d")                                                          \
    X(RENORMALISED, "rows divided by what the hidden columns left",                                \
      "各行已按隐藏列之外的权重重新归一")                                                          \
    X(GOLD_SURE, "gold: sure link", "标准对齐：确定")                                              \
    X(GOLD_POSSIBLE, "gold: possible link", "标准对齐：可能")                                      \
    X(NO_GOLD, "this run has no gold alignment", "此次运行没有标准对齐")                           \
    X(GOLD_NOTE,                                                                                   \
      "gold links: alignment error rate %s (largest weight of each row; %d sure, "                 \
      "%d possible)",                                                                              \
      "标准对齐：错误率 %s（取每行最大权重；确定 %d，可能 %d）")

#define VIEW_WORDS_LINKS(X)                                                                        \
    X(LINKS_SUBTITLE, "width and opacity are the weights", "粗细与深浅表示权重")                   \
    X(LINK_BLOCKS, "blocks of %d words: the mean of what they give, the sum of what they receive", \
      "每 %d 个词合为一块：给出取平均，得到取总和")                                                \
    X(LINKS_OMITTED, "links too weak to draw carry %s %% of a row, on average",                    \
      "未画出的弱连接平均占每行的 %s %%")

#define VIEW_WORDS_TEXT(X)                                                                         \
    X(TEXT_DOCUMENT, "Which sentences, which words", "哪些句子，哪些词")                           \
    X(TEXT_BARS, "bars: sentence weight · ", "条形：句子权重 · ")                                  \
    X(TEXT_STRIPS, "strips: sentence vectors · ", "色条：句子向量 · ")                             \
    X(TEXT_BY_AUTO, "shade: √p(sentence) · p(word)", "底色：√p(句) · p(词)")                       \
    X(TEXT_BY_WEIGHT, "shade: word weight", "底色：词权重")                                        \
    X(TEXT_BY_LIFT, "shade: word weight, times uniform", "底色：词权重与均匀分布之比")             \
    X(TEXT_BY_EFFECT, "shade: what the verdict loses without the word", "底色：去掉该词的影响")    \
    X(TEXT_BY_GRADIENT, "shade: gradient times input", "底色：梯度乘以输入")                       \
    X(TEXT_FRAMED, "framed: known to hold the answer", "框内：已知含有答案")                       \
    X(TEXT_ROW_OF, "shade: weights in the row of “%s”%s%s", "底色：“%s” 一行的权重%s%s")           \
    X(TEXT_MEAN_ROW, "shade: mean over all rows; point at a word for its own",                     \
      "底色：所有行的平均；指向某词可看该行")                                                      \
    X(TEXT_MEAN, "shade: mean over all rows", "底色：所有行的平均")                                \
    X(TEXT_SHADE, "shade: attention weight", "底色：注意力权重")                                   \
    X(TEXT_NO_LOOK, "nothing has been looked at yet", "尚未查看任何内容")                          \
    X(SUPPORTS, "known to hold the answer", "已知含有答案")                                        \
    X(QUESTION, "question", "问题")                                                                \
    X(STORY, "story", "故事")                                                                      \
    X(SOURCE_TEXT, "source", "源句")                                                               \
    X(CLASSES, "classes", "类别")                                                                  \
    X(ANSWERS, "answers, in percent", "候选答案（百分比）")                                        \
    X(PROBABILITY_OF, "probability that it is the answer", "作为答案的概率")                       \
    X(MASS_OF, "attention on what names it", "对提及它的内容的注意力")                             \
    X(LEGEND_SQRT, "√p(sentence) · p(word)", "√p(句) · p(词)")                                     \
    X(LEGEND_LIFT, "times uniform", "相对均匀分布的倍数")                                          \
    X(LEGEND_EFFECT, "probability lost without it", "去掉后减少的概率")                            \
    X(LEGEND_GRADIENT, "gradient × input", "梯度 × 输入")                                          \
    X(LONGEST_BAR, "longest bar: %s", "最长条形：%s")                                              \
    X(WORD_WEIGHT, "word weight %s, %s× uniform, rank %d of %d",                                   \
      "词权重 %s，为均匀的 %s 倍，第 %d / %d 位")                                                  \
    X(ALONE, "alone in its sentence: its weight is 1 in any case", "句中唯一的词，权重必为 1")     \
    X(SENTENCE_WEIGHT, "sentence %d: weight %s", "第 %d 句：权重 %s")                              \
    X(SENTENCE_OF, "sentence %d of %d", "第 %d 句，共 %d 句")                                      \
    X(WITHOUT_WORD, "without this word %s points", "去掉该词：%s 个百分点")                        \
    X(WORD_GRADIENT, "gradient × input %s points", "梯度 × 输入：%s 个百分点")                     \
    X(WORD_STATE, "length of its state h %s", "状态 h 的长度 %s")                                  \
    X(WITHOUT_SENTENCE, "without this sentence %s points", "去掉该句：%s 个百分点")

#define VIEW_WORDS_PIPELINE(X)                                                                     \
    X(PIPELINE_STEP, "writing step %d \u00b7 \u201c%s\u201d%s%s",                                  \
      "正在写第 %d 步 \u00b7 “%s”%s%s")                                                            \
    X(PIPELINE_ROW, "row %d%s%s", "第 %d 行%s%s")                                                  \
    X(PIPELINE_ROW_OF, "row %d \u00b7 \u201c%s\u201d%s%s", "第 %d 行 \u00b7 “%s”%s%s")             \
    X(PIPELINE_NOTHING, "nothing may be read", "没有可读的词")                                     \
    X(BAND_SCORE, "score", "得分")                                                                 \
    X(BAND_SOFTMAX, "softmax of the scores", "得分的 softmax")                                     \
    X(BAND_SOFTMAX_WINDOW, "softmax inside the window", "窗口内的 softmax")                        \
    X(BAND_PROBABILITIES, "probabilities to choose from", "选择的概率")                            \
    X(BAND_GAUSSIAN, "Gaussian around p", "以 p 为中心的高斯")                                     \
    X(BAND_PRODUCT, "weights = softmax \u00d7 Gaussian", "权重 = softmax \u00d7 高斯")             \
    X(BAND_CHOICE, "the chosen position", "选中的位置")                                            \
    X(BAND_WEIGHTS, "weights", "权重")                                                             \
    X(BAND_PAINTED, "painted weights (bars), model's own (lines)",                                 \
      "绘制的权重（柱）与模型原值（线）")                                                          \
    X(BAND_GRADIENT, "shares of the gradient", "梯度份额")                                         \
    X(BAND_DRAWS, "draws (bars) and soft weights (lines)", "采样频率（柱）与软权重（线）")         \
    X(DRAWN, "drawn", "采样")                                                                      \
    X(READING_SOFT, "read as soft, global", "按软注意力（全局）读")                                \
    X(READING_HARD, "read as hard", "按硬注意力读")                                                \
    X(READING_LOCAL, "read as local", "按局部注意力读")                                            \
    X(NOT_ALL_SCORED,                                                                              \
      "positions outside the window were not scored: other readings miss them too",                \
      "窗口外的位置没有得分，其他读法同样不含它们")                                                \
    X(WINDOW, "p = %s, window [%d, %d]", "p = %s，窗口 [%d, %d]")                                  \
    X(DRAG_CENTRE, "drag to move the window", "拖动可移动窗口")                                    \
    X(DRAG_EDGE, "drag to resize the window", "拖动可改变窗口宽度")                                \
    X(GATE_MEAN, "%s gate, mean", "%s 门均值")                                                     \
    X(QUERY_CONTEXT, "query, context, gates", "查询、上下文与门")                                  \
    X(NEXT_TOKEN, "output  p(%s)", "输出  p(%s)")

#define VIEW_WORDS_HEADS(X)                                                                        \
    X(NO_HEADS, "This run has a single matrix, not several heads.",                                \
      "这次运行只有一个矩阵，没有多个头。")                                                        \
    X(HEADS_ONE, "%d %s", "%d %s")                                                                 \
    X(HEADS_SEVERAL, "%d %ss", "%d %s")                                                            \
    X(HEADS_SUBTITLE, "%s \u00b7 %d \u00d7 %d%s%s \u00b7 sorted by %s",                            \
      "%s \u00b7 %d \u00d7 %d%s%s \u00b7 按 %s 排序")                                              \
    X(HEAD, "head", "头")                                                                          \
    X(MEAN, "mean", "平均")                                                                        \
    X(MAX, "max", "最大")                                                                          \
    X(ROLLOUT_SHORT, "rollout", "展开")                                                            \
    X(LEGEND_PER_HEAD, "attention weight, each head to its largest", "注意力权重，各头按其最大值") \
    X(QUERIES_DOWN, "keys \u2192 \u00b7 queries \u2193", "键 \u2192 \u00b7 查询 \u2193")           \
    X(HEAD_ENTROPY, "entropy %s nats, effective %s", "熵 %s 奈特，有效数 %s")                      \
    X(HEAD_DISTANCE, "mean distance %s", "平均距离 %s")                                            \
    X(HEAD_SPECIAL, "on special tokens %s %%", "落在特殊标记上 %s %%")                             \
    X(PATTERN_NONE, "no pattern", "无特定模式")                                                    \
    X(PATTERN_SELF, "pattern: itself", "模式：自身")                                               \
    X(PATTERN_PREVIOUS, "pattern: previous token", "模式：前一个")                                 \
    X(PATTERN_NEXT, "pattern: next token", "模式：后一个")                                         \
    X(PATTERN_FIRST, "pattern: first token", "模式：第一个")                                       \
    X(PATTERN_SPECIAL, "pattern: special tokens", "模式：特殊标记")                                \
    X(PATTERN_WORD, "pattern: same word", "模式：同一个词")

#define VIEW_WORDS_SELECTION(X)                                                                    \
    X(NO_SELECTION, "This run selects no tokens.", "这次运行没有选择词。")                         \
    X(SELECTION_TITLE, "Which tokens look, which are looked at", "哪些词去看，哪些词被看")         \
    X(SELECTION_SUBTITLE, "heads %s %% \u00b7 dependents %s %% \u00b7 pairs %s %%",                \
      "头词 %s %% \u00b7 依存词 %s %% \u00b7 词对 %s %%")                                          \
    X(HEADS_DOWN, "heads \u2193", "头词 \u2193")                                                   \
    X(DEPENDENTS_ACROSS, "\u2190 dependents", "\u2190 依存词")                                     \
    X(KEPT, "selected", "选中")                                                                    \
    X(LEFT_OUT, "left out", "未选")                                                                \
    X(SELECTION_PROBABILITY, "probability %s: %s", "概率 %s:%s")                                   \
    X(GATE_COLUMN, "gate", "门")                                                                   \
    X(POOL_COLUMN, "pooled", "池化")                                                               \
    X(GATE_PART, "gate %s: the word itself, against what it read", "门 %s：词自身与所读内容之比")  \
    X(POOL_PART, "pooled with weight %s", "池化权重 %s")                                           \
    X(MASKED, "masked", "被遮蔽")

#define VIEW_WORDS_IMAGE(X)                                                                        \
    X(NO_IMAGE, "This run looks at no picture.", "这次运行没有图像。")                             \
    X(IMAGE_GRID, "Where it looks for each word", "写每个词时看哪里")                              \
    X(IMAGE_GLIMPSES, "Where it looks, glimpse by glimpse", "逐次注视的位置")                      \
    X(IMAGE_WORD, "step %d \u00b7 \u201c%s\u201d", "第 %d 步 \u00b7 “%s”")                         \
    X(IMAGE_GLIMPSE, "glimpse %d of %d", "第 %d 次注视，共 %d 次")                                 \
    X(IMAGE_TAKEN, "taken by %d of %d draws", "%d / %d 次抽取选中")                                \
    X(IMAGE_CELL, "cell %d, %d", "单元 %d, %d")                                                    \
    X(RETINA, "what it sees", "看到的内容")                                                        \
    X(VERDICT, "what it would say now", "此刻的判断")                                              \
    X(VERDICTS, "after each glimpse", "每次注视之后")

#define VIEW_WORDS_COMPARE(X)                                                                      \
    X(NOTHING_TO_COMPARE,                                                                          \
      "Nothing to compare with yet: change something, or pin a run and make another.",             \
      "尚无可对比的运行：请作些改动，或先固定一次运行再做另一次。")                                \
    X(BEFORE_CHANGES, "before the changes", "改动之前")                                            \
    X(AFTER_CHANGES, "after the changes", "改动之后")                                              \
    X(DIFFERENCE_TITLE, "What changed", "变化之处")                                                \
    X(DIFFERENCE_SUBTITLE, "%s minus %s", "%s 减去 %s")                                            \
    X(FIRST_RUN, "the other run", "另一次运行")                                                    \
    X(SECOND_RUN, "this run", "此次运行")                                                          \
    X(LEGEND_DIFFERENCE, "difference of weights", "权重之差")                                      \
    X(COMPARE_SUMMARY,                                                                             \
      "rows: Jensen-Shannon %s nats on average, largest weight in the same place in %s %%",        \
      "各行：平均 Jensen-Shannon 散度 %s 奈特，最大权重位置相同 %s %%")                            \
    X(COMPARE_WORST, "most different row: %s (%s nats)", "差别最大的一行：%s（%s 奈特）")          \
    X(COMPARE_LABELS, "words that differ between the two: %d", "两者不同的词数：%d")               \
    X(COMPARE_SHAPES, "not the same shape: shown side by side", "形状不同，改为并列显示")

#define VIEW_WORDS_TRAINING(X)                                                                     \
    X(NO_CHECKPOINTS, "This run holds no checkpoints of a training.", "这次运行没有训练检查点。")  \
    X(TRAINING_TITLE, "Attention while it is learned", "学习过程中的注意力")                       \
    X(CHECKPOINT, "checkpoint %s", "检查点 %s")                                                    \
    X(STEPS_AXIS, "training step", "训练步")                                                       \
    X(LOSS_AXIS, "loss", "损失")                                                                   \
    X(TRAIN_SERIES, "training", "训练")                                                            \
    X(VALID_SERIES, "validation", "验证")                                                          \
    X(NO_VARIANCE, "This model has no record of how noisy its policy's gradient was.",             \
      "此模型没有策略梯度噪声的记录。")                                                            \
    X(VARIANCE_TITLE, "How noisy the policy's gradient was", "策略梯度的噪声")                     \
    X(VARIANCE_SUBTITLE,                                                                           \
      "variance of its estimate while training, by what the reward is compared with",              \
      "训练过程中梯度估计的方差，按回报所比较的基线")                                              \
    X(VARIANCE_AXIS, "variance, logarithmic", "方差（对数刻度）")                                  \
    X(EPOCH_AXIS, "epoch", "轮次")                                                                 \
    X(EPOCH_NUMBER, "epoch %s", "第 %s 轮")                                                        \
    X(BASELINE_NONE, "nothing", "无基线")                                                          \
    X(BASELINE_MOVING, "moving average (REINFORCE)", "滑动平均（REINFORCE）")                      \
    X(BASELINE_LEARNED, "learned baseline (actor-critic)", "学习的基线（actor-critic）")           \
    X(NO_BEAM, "This run made no beam search.", "这次运行没有使用束搜索。")                        \
    X(BEAM_TITLE, "Beam search", "束搜索")                                                         \
    X(BEAM_SUBTITLE,                                                                               \
      "\u25cf %d finished   \u25cb %d live   \u00d7 %d pruned \u00b7 numbers are scores",          \
      "\u25cf 完成 %d 条   \u25cb 存活 %d 条   \u00d7 剪除 %d 条 \u00b7 数字为得分")               \
    X(BEAM_DROPPED, "pruned at step %d: score %s, the worst kept had %s",                          \
      "在第 %d 步被剪除：得分 %s，保留者中最低为 %s")                                              \
    X(BEAM_TOKEN, "log p %s, p %s %%", "log p %s,p %s %%")                                         \
    X(BEAM_FINISHED, "finished", "已完成")                                                         \
    X(BEAM_LIVE, "live", "存活")                                                                   \
    X(BEAM_PRUNED, "pruned", "已剪除")

#define VIEW_WORDS_LEFT_OUT(X)                                                                     \
    X(LEFT_OUT_TITLE, "Without each word", "逐词去除")                                             \
    X(LEFT_OUT_TAU, "rank correlation of weight and effect: τ", "权重与影响的秩相关：τ")           \
    X(LEFT_OUT_RHO, "ρ", "ρ")                                                                      \
    X(LEFT_OUT_ROWS, "of single steps: τ", "单步平均：τ")                                          \
    X(LEFT_OUT_WEIGHT, "mean weight", "平均权重")                                                  \
    X(LEFT_OUT_EFFECT, "log p lost without it", "去掉后损失的 log p")                              \
    X(LEFT_OUT_LOST, "effect, nats", "影响（奈特）")                                               \
    X(LEFT_OUT_OUTPUT, "what is then written", "此时的输出")                                       \
    X(LEFT_OUT_VERDICT, "verdict without it", "此时的判断")                                        \
    X(LEFT_OUT_SAME, "the same", "不变")

/* What traces call their axes and items, and heads are sorted by; see view_name. */
#define VIEW_WORDS_NAMES(X)                                                                        \
    X(NAME_LAYER, "layer", "层")                                                                   \
    X(NAME_HEAD, "head", "头")                                                                     \
    X(NAME_DIRECTION, "direction", "方向")                                                         \
    X(NAME_FORWARD, "forward", "前文")                                                             \
    X(NAME_BACKWARD, "backward", "后文")                                                           \
    X(NAME_FEATURE, "feature", "特征")                                                             \
    X(NAME_HOP, "hop", "跳")                                                                       \
    X(NAME_LOOK, "look", "次查看")                                                                 \
    X(NAME_CHECKPOINT, "checkpoint", "检查点")                                                     \
    X(NAME_TOKEN, "token", "词")                                                                   \
    X(NAME_DOCUMENT, "document", "文档")                                                           \
    X(NAME_CELL, "cell", "格")                                                                     \
    X(NAME_PLACE, "place", "位置")                                                                 \
    X(NAME_ENTROPY, "entropy", "熵")                                                               \
    X(NAME_DISTANCE, "distance", "距离")                                                           \
    X(NAME_DIAGONAL, "diagonal", "对角")                                                           \
    X(NAME_PREVIOUS, "previous", "前一个词")                                                       \
    X(NAME_NEXT, "next", "后一个词")                                                               \
    X(NAME_FIRST, "first", "首词")                                                                 \
    X(NAME_SPECIAL, "special", "特殊符号")                                                         \
    X(NAME_SELF, "self", "自身")

#define VIEW_WORDS_OUTCOME(X)                                                                      \
    X(OUTCOME_TITLE, "What followed", "随之而来的变化")                                            \
    X(OUTCOME_SUBTITLE, "%d of %d tokens differ", "%d 个词不同，共 %d 个")                         \
    X(OUTCOME_BEFORE, "before", "之前")                                                            \
    X(OUTCOME_AFTER, "after", "之后")                                                              \
    X(OUTCOME_CHANGE, "change, in points", "变化（百分点）")                                       \
    X(OUTCOME_OLD, "“%s” now %s %%", "“%s”现为 %s %%")                                             \
    X(OUTCOME_GIVEN, "changed by you", "由你改动")

#define VIEW_WORDS(X)                                                                              \
    VIEW_WORDS_COMMON(X)                                                                           \
    VIEW_WORDS_ATTENTION(X)                                                                        \
    VIEW_WORDS_HEATMAP(X)                                                                          \
    VIEW_WORDS_LINKS(X)                                                                            \
    VIEW_WORDS_TEXT(X)                                                                             \
    VIEW_WORDS_PIPELINE(X)                                                                         \
    VIEW_WORDS_HEADS(X)                                                                            \
    VIEW_WORDS_SELECTION(X)                                                                        \
    VIEW_WORDS_IMAGE(X)                                                                            \
    VIEW_WORDS_COMPARE(X)                                                                          \
    VIEW_WORDS_TRAINING(X)                                                                         \
    VIEW_WORDS_LEFT_OUT(X)                                                                         \
    VIEW_WORDS_NAMES(X)                                                                            \
    VIEW_WORDS_OUTCOME(X)

typedef enum {
#define VIEW_WORD(id, english, chinese) WORD_##id,
    VIEW_WORDS(VIEW_WORD)
#undef VIEW_WORD
        WORD_COUNT
} ViewWord;

#endif
