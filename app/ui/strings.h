/* strings.h - every word of the interface, in every language, in one table.
 *
 * A line holds an id, English and Simplified Chinese. Words with a % are formats: both
 * languages take the same arguments in the same order (a test compares them). Words of
 * figures are the views' own (views/view_words.h): a figure outlives the window.
 *
 * To add a word, add a line. Keep buttons to one or two words, sentences short, and say what
 * to do rather than what went wrong.
 */
#ifndef FOVEA_UI_STRINGS_H
#define FOVEA_UI_STRINGS_H
#include <stdbool.h>

#include "base/error.h"

#define STRINGS_ACTIONS(X)                                                                         \
    X(ACTION_NONE, "Nothing", "无")                                                                \
    X(ACTION_STEP_NEXT, "Next step", "下一步")                                                     \
    X(ACTION_STEP_PREVIOUS, "Previous step", "上一步")                                             \
    X(ACTION_STEP_FIRST, "First step", "第一步")                                                   \
    X(ACTION_STEP_LAST, "Last step", "最后一步")                                                   \
    X(ACTION_PLAY, "Play or pause", "播放或暂停")                                                  \
    X(ACTION_FASTER, "Play faster", "加快播放")                                                    \
    X(ACTION_SLOWER, "Play slower", "减慢播放")                                                    \
    X(ACTION_VIEW_1, "View 1", "视图 1")                                                           \
    X(ACTION_VIEW_2, "View 2", "视图 2")                                                           \
    X(ACTION_VIEW_3, "View 3", "视图 3")                                                           \
    X(ACTION_VIEW_4, "View 4", "视图 4")                                                           \
    X(ACTION_VIEW_5, "View 5", "视图 5")                                                           \
    X(ACTION_VIEW_6, "View 6", "视图 6")                                                           \
    X(ACTION_VIEW_7, "View 7", "视图 7")                                                           \
    X(ACTION_VIEW_8, "View 8", "视图 8")                                                           \
    X(ACTION_VIEW_9, "View 9", "视图 9")                                                           \
    X(ACTION_ZOOM_IN, "Zoom in", "放大图形")                                                       \
    X(ACTION_ZOOM_OUT, "Zoom out", "缩小图形")                                                     \
    X(ACTION_ZOOM_RESET, "Fit the figure", "图形适合窗口")                                         \
    X(ACTION_TRANSPOSE, "Swap rows and columns", "行列互换")                                       \
    X(ACTION_TOGGLE_SCORES, "Scores or weights", "得分或权重")                                     \
    X(ACTION_TOGGLE_NUMBERS, "Numbers in cells", "格内数字")                                       \
    X(ACTION_TOGGLE_MERGE, "Merge subwords", "合并子词")                                           \
    X(ACTION_TOGGLE_SPECIALS, "Hide special tokens", "隐藏特殊符号")                               \
    X(ACTION_TOGGLE_GOLD, "Gold alignment", "标准对齐")                                            \
    X(ACTION_MODEL_NEXT, "Next model", "下一个模型")                                               \
    X(ACTION_MODEL_PREVIOUS, "Previous model", "上一个模型")                                       \
    X(ACTION_MODEL_CHOOSE, "Choose a model", "选择模型")                                           \
    X(ACTION_FOCUS_INPUT, "Edit the input", "编辑输入")                                            \
    X(ACTION_FOCUS_TARGET, "Force an output", "指定输出")                                          \
    X(ACTION_RESAMPLE, "Sample again", "重新采样")                                                 \
    X(ACTION_MANY_SAMPLES, "1,000 samples of a step", "每步采样 1000 次")                          \
    X(ACTION_BEAM, "Beam search", "束搜索")                                                        \
    X(ACTION_COMPARE, "Compare two runs", "比较两次运行")                                          \
    X(ACTION_PIN, "Pin this run", "固定此次运行")                                                  \
    X(ACTION_LEAVE_OUT, "Leave out each word", "逐词去除")                                         \
    X(ACTION_FOLLOWED, "What followed from the changes", "改动之后的变化")                         \
    X(ACTION_PINNED, "Pinned runs side by side", "并列已固定的运行")                               \
    X(ACTION_UNPIN, "Unpin all runs", "取消全部固定")                                              \
    X(ACTION_LAB, "All models side by side", "并列所有模型")                                       \
    X(ACTION_LENGTHS, "BLEU by sentence length", "按句长的 BLEU")                                  \
    X(ACTION_COST, "Time by sentence length", "按句长的时间")                                      \
    X(ACTION_SAMPLE, "Draw hard choices", "随机抽取硬选择")                                        \
    X(ACTION_UNDO, "Undo", "撤销")                                                                 \
    X(ACTION_REDO, "Redo", "重做")                                                                 \
    X(ACTION_CLEAR_CHANGES, "Undo all changes", "撤销全部改动")                                    \
    X(ACTION_OPEN, "Open a file", "打开文件")                                                      \
    X(ACTION_SAVE, "Save the session", "保存会话")                                                 \
    X(ACTION_EXPORT, "Export the figure", "导出图形")                                              \
    X(ACTION_COPY_CELL, "Copy the cell", "复制单元格")                                             \
    X(ACTION_COPY_ROW, "Copy the row", "复制整行")                                                 \
    X(ACTION_COPY_MATRIX, "Copy the matrix", "复制矩阵")                                           \
    X(ACTION_COPY_FIGURE, "Copy the figure", "复制图形")                                           \
    X(ACTION_SENTENCES, "Sentences of the file", "文件中的句子")                                   \
    X(ACTION_TOKENS, "Type the tokens of a dump", "输入注意力文件的词元")                          \
    X(ACTION_GOLD_FILE, "Open gold links for a dump", "为注意力文件打开标准对齐")                  \
    X(ACTION_BESIDE, "Compare a dump with a file", "与另一注意力文件对比")                         \
    X(ACTION_RECENT, "Recent files", "最近的文件")                                                 \
    X(ACTION_PALETTE, "All commands", "所有命令")                                                  \
    X(ACTION_HELP, "Keys and help", "按键与帮助")                                                  \
    X(ACTION_KEYS, "Choose keys", "自定义按键")                                                    \
    X(ACTION_THEME, "Light or dark", "浅色或深色")                                                 \
    X(ACTION_LANGUAGE, "English or Chinese", "英文或中文")                                         \
    X(ACTION_PANEL_LEFT, "Views and options", "视图与选项栏")                                      \
    X(ACTION_PANEL_RIGHT, "Inspector", "检查栏")                                                   \
    X(ACTION_SCALE_UP, "Larger interface", "放大界面")                                             \
    X(ACTION_SCALE_DOWN, "Smaller interface", "缩小界面")                                          \
    X(ACTION_SCALE_RESET, "Normal interface size", "界面原始大小")                                 \
    X(ACTION_FULL_SCREEN, "Full screen", "全屏")                                                   \
    X(ACTION_QUIT, "Quit", "退出")

#define STRINGS_GROUPS(X)                                                                          \
    X(GROUP_STEPS, "Steps", "步骤")                                                                \
    X(GROUP_VIEWS, "Views", "视图")                                                                \
    X(GROUP_FIGURE, "Figure", "图形")                                                              \
    X(GROUP_RUN, "Model and input", "模型与输入")                                                  \
    X(GROUP_CHANGES, "Changes", "改动")                                                            \
    X(GROUP_FILES, "Files", "文件")                                                                \
    X(GROUP_WINDOW, "Window", "窗口")                                                              \
    X(GROUP_TEXT, "In a text field", "在文本框中")                                                 \
    X(GROUP_EVERYWHERE, "Everywhere", "任何地方")

#define STRINGS_CONTROLS(X)                                                                        \
    X(CLOSE, "Close", "关闭")                                                                      \
    X(CANCEL, "Cancel", "取消")                                                                    \
    X(OK, "OK", "确定")                                                                            \
    X(SEARCH, "Search", "搜索")                                                                    \
    X(SEARCH_COMMANDS, "Type a command", "输入命令")                                               \
    X(NOTHING_FOUND, "Nothing matches.", "没有匹配项。")                                           \
    X(NO_CHOICE, "none", "无")                                                                     \
    X(FOLD_PANEL, "Fold this panel", "收起面板")                                                   \
    X(UNFOLD_PANEL, "Show this panel", "展开面板")                                                 \
    X(CUT, "Cut", "剪切")                                                                          \
    X(COPY, "Copy", "复制")                                                                        \
    X(PASTE, "Paste", "粘贴")                                                                      \
    X(SELECT_ALL, "Select all", "全选")                                                            \
    X(SLIDER_HINT, "Drag, or click to type a number", "拖动，或点击后输入数字")                    \
    X(NOT_A_NUMBER, "\"%s\" is not a number; the value stays %s", "“%s”不是数字；数值仍为 %s")

#define STRINGS_HELP(X)                                                                            \
    X(HELP_TITLE, "Keys", "按键")                                                                  \
    X(HELP_HINT, "%s finds any command by its name", "按 %s 可按名称查找命令")                     \
    X(KEY_VIEWS, "View 1 to 9", "视图 1 至 9")                                                     \
    X(KEY_FOCUS, "Next control", "下一个控件")                                                     \
    X(KEY_FOCUS_BACK, "Previous control", "上一个控件")                                            \
    X(KEY_LEAVE, "Close, leave a field", "关闭，离开文本框")                                       \
    X(KEY_PRESS, "Press a control", "按下控件")                                                    \
    X(KEY_WORD, "By words", "逐词移动")                                                            \
    X(KEY_SELECT, "Select", "选择")                                                                \
    X(KEY_DELETE_WORD, "Delete a word", "删除一词")                                                \
    X(KEY_SUBMIT, "Accept", "确认")

#define STRINGS_SCREEN(X)                                                                          \
    X(TYPE_A_SENTENCE, "Type a sentence", "输入一句话")                                            \
    X(TYPE_A_TARGET, "Type the output that the model must write", "输入模型必须写出的译文")        \
    X(EXAMPLES, "Examples", "示例")                                                                \
    X(VIEWS, "Views", "视图")                                                                      \
    X(OPTIONS, "Options", "选项")                                                                  \
    X(EXPORT, "Export", "导出")                                                                    \
    X(STEP_OF, "step %d of %d", "第 %d 步，共 %d 步")                                              \
    X(TYPE_A_DOCUMENT, "Type or paste a text", "输入或粘贴一段文字")                               \
    X(DOCUMENT_OF, "sentences: %d · words: %d", "%d 句，%d 词")                                    \
    X(TAKE_OUT, "Take it out of the text", "从文本中删除")                                         \
    X(SENTENCE_OF, "sentence %d of %d", "第 %d 句，共 %d 句")                                      \
    X(SPEED, "%g×", "%g×")                                                                         \
    X(NEXT_WORD, "Next word · step %d", "下一个词 · 第 %d 步")                                     \
    X(CLASS, "Class", "类别")                                                                      \
    X(THIS_CELL, "This cell", "此单元格")                                                          \
    X(THIS_STEP, "This step", "此步骤")                                                            \
    X(CHANGES, "Changes", "改动")                                                                  \
    X(NO_CHANGES, "none · drag in a row to repaint it", "无 · 在一行中拖动可重绘权重")             \
    X(RIGHT_CLICK_WORD, "none · right-click a word to hide or weigh it",                           \
      "无 · 右击一个词可隐藏它或改变其权重")                                                       \
    X(UNDO_ONE, "undo", "撤销")                                                                    \
    X(TYPE_A_STORY, "Type a story, one sentence a line", "输入一个故事，每行一句")                 \
    X(STORIES, "Stories", "故事")                                                                  \
    X(STORY_OF, "Story %d of %d · question %d", "故事 %d / %d · 问题 %d")                          \
    X(TYPE_A_QUESTION, "Ask a question", "提出一个问题")                                           \
    X(RUN, "Run", "运行")                                                                          \
    X(TEMPERATURE, "Temperature", "温度")                                                          \
    X(BEAM, "Beam", "束宽")                                                                        \
    X(WINDOW, "Window D", "窗口 D")                                                                \
    X(NOTES, "Assumed", "假定")                                                                    \
    X(PINNED, "Pinned: the next run is compared with this one", "已固定：下次运行将与此次对比")    \
    X(PAGE_OPENED, "a web page: its text is read, without tags and menus",                         \
      "网页：只读正文，不含标签与菜单")                                                            \
    X(FOLDER, "folder", "文件夹")                                                                  \
    X(FILE_NAME, "File name", "文件名")                                                            \
    X(OPEN, "Open", "打开")                                                                        \
    X(SAVE, "Save", "保存")                                                                        \
    X(SAVED, "saved as %s", "已保存为 %s")                                                         \
    X(SAVED_WITHOUT, "saved as %s; pinned runs that are too large for a session: %d",              \
      "已保存为 %s；因过大而未存入的固定运行：%d")                                                 \
    X(FORMAT, "Format", "格式")                                                                    \
    X(PICTURES, "Pictures", "图片")                                                                \
    X(NUMBERS, "Numbers", "数据")                                                                  \
    X(AS_ON_SCREEN, "as on the screen", "与屏幕一致")                                              \
    X(REPLACE, "Replace it", "替换")                                                               \
    X(EXISTS, "%s exists already", "%s 已存在")                                                    \
    X(WRITING, "Writing…", "写入中…")                                                              \
    X(NAME_IT, "Give the file a name", "请输入文件名")                                             \
    X(ONE_PAGE, "one page", "单页")                                                                \
    X(N_PAGES, "%d pages", "%d 页")                                                                \
    X(N_STEPS, "%d steps", "%d 步")                                                                \
    X(SENTENCES, "Sentences", "句子")                                                              \
    X(IMPORTED, "imported", "导入")                                                                \
    X(LOST_WORK, "The last session ended unexpectedly; its work was kept",                         \
      "上次会话意外结束，其内容已保留")                                                            \
    X(RESTORE, "Restore", "恢复")                                                                  \
    X(COPIED, "Copied", "已复制")                                                                  \
    X(RAN_IN, "ran in %.1f ms", "运行用时 %.1f 毫秒")                                              \
    X(NONE_YET, "none", "无")                                                                      \
    X(CLICK_TO_FLIP, "none · click a word to select it or leave it out",                           \
      "无 · 点击词语可选中或排除")                                                                 \
    X(CLICK_TO_LOOK, "none · click in the picture to look there", "无 · 点击图片可移动注视点")     \
    X(ANSWER_AFTER, "Its answer after step %d", "第 %d 步之后的回答")                              \
    X(PICTURE, "Picture", "图片")                                                                  \
    X(ERASE, "Eraser", "橡皮擦")                                                                   \
    X(UNDO_STROKE, "Undo", "撤销")                                                                 \
    X(CLEAR_PICTURE, "Clear", "清空")                                                              \
    X(ADD_OBJECT, "Add an object", "添加物体")                                                     \
    X(SCENE_TIP, "Drag objects into the picture, or move them; out of it, they are gone.",         \
      "把物体拖进图片并移动；拖出图片即可删除。")                                                  \
    X(SCENE_FULL, "a scene has at most %d objects", "场景中最多 %d 个物体")                        \
    X(TYPE_STROKES, "Draw on the pad, or type points: 20,15 75,15 45,85",                          \
      "在画板上绘画，或输入点：20,15 75,15 45,85")                                                 \
    X(TYPE_A_SCENE, "Describe a scene: two cats above a car",                                      \
      "描述一个场景：two cats above a car")                                                        \
    X(CHOICES, "Hard choices", "硬性选择")                                                         \
    X(SAMPLE, "Draw by chance", "随机抽取")                                                        \
    X(DRAW_AGAIN, "Draw again", "重新抽取")                                                        \
    X(EXPECTATION, "Mean of 1,000 draws", "1000 次抽取的均值")                                     \
    X(PATHS, "Further draws", "更多次抽取")                                                        \
    X(RUNNING, "running…", "运行中…")

#define STRINGS_WHAT_IF(X)                                                                         \
    X(LENGTH_PENALTY, "Length penalty", "长度惩罚")                                                \
    X(NO_CELL, "point at a cell, or click one, to copy it", "请指向或点击一个单元格再复制")        \
    X(IS_LOCKED, "This weight is locked", "此权重已锁定")                                          \
    X(WORD_HIDDEN, "“%s” is hidden from attention", "注意力看不到“%s”")                            \
    X(WORD_SHOWN, "“%s” is seen again", "注意力重新看到“%s”")                                      \
    X(HIDE_WORD, "Hide “%s” everywhere", "处处隐藏“%s”")                                           \
    X(SHOW_WORD, "Show “%s” again", "重新显示“%s”")                                                \
    X(LOCK, "Lock this weight", "锁定此权重")                                                      \
    X(GIVE_ALL, "Give it all the weight", "给它全部权重")                                          \
    X(TAKE_AWAY, "Take its weight away", "去掉它的权重")                                           \
    X(TAKE_POSITION, "Choose this position", "选择此位置")                                         \
    X(OWN_ROW, "The model's own row", "恢复模型自己的权重")                                        \
    X(FOLLOWED, "What followed", "随之而来的变化")                                                 \
    X(TOKENS_DIFFER, "%d of %d tokens differ", "%d 个词不同，共 %d 个")                            \
    X(COMPARE_WITH, "With", "对比")                                                                \
    X(BEFORE_CHANGES, "before the changes", "改动之前")                                            \
    X(PINNED_RUNS, "Pinned runs", "已固定的运行")                                                  \
    X(OTHER_MODELS, "Other models", "其他模型")                                                    \
    X(DISTANCES, "How far apart", "差距")                                                          \
    X(OF_WORDS, "mean over %d rows of the same words", "词相同的 %d 行的平均")                     \
    X(TOTAL_VARIATION, "Total variation", "全变差")                                                \
    X(SAME_PLACE, "Same largest weight", "最大权重位置相同")                                       \
    X(EACH_ROW, "each row: JS, total variation, same place (=)",                                   \
      "逐行：JS、全变差、位置是否相同（=）")                                                       \
    X(PRESS_A_KEY, "press a key…", "请按键…")                                                      \
    X(KEYS_HINT, "Click, then press a key; Backspace takes it away", "点击后按键；退格键取消")     \
    X(KEYS_RESET, "As they were", "恢复默认")                                                      \
    X(NOTHING_RECENT, "Nothing was opened yet.", "尚未打开过文件。")

#define STRINGS_DUMPS(X)                                                                           \
    X(DUMP_FILE, "File", "文件")                                                                   \
    X(ALL_SENTENCES, "All sentences…", "所有句子…")                                                \
    X(TURN_AXES, "Swap axes", "行列互换")                                                          \
    X(TYPE_TOKENS, "Type tokens…", "输入词元…")                                                    \
    X(GOLD_FILE, "Gold links…", "标准对齐文件…")                                                   \
    X(FILE_BESIDE, "Compare with a file…", "与另一文件对比…")                                      \
    X(NO_FILE_BESIDE, "no file yet", "尚无文件")                                                   \
    X(SOURCE_TOKENS, "Source: one word after the other, with spaces", "源端：词元以空格分隔")      \
    X(TARGET_TOKENS, "Output: one word after the other, with spaces", "输出端：词元以空格分隔")    \
    X(N_ITEMS, "source %d, output %d", "源端 %d，输出端 %d")                                       \
    X(SORT_BY, "Sort", "排序")                                                                     \
    X(IN_FILE_ORDER, "as in the file", "按文件顺序")                                               \
    X(RISING, "lowest first", "从低到高")                                                          \
    X(FALLING, "highest first", "从高到低")                                                        \
    X(MEASURED, "measured %d of %d", "已计算 %d / %d")                                             \
    X(SENTENCES_FOUND, "%d of %d", "%d / %d")                                                      \
    X(SENTENCES_CUT, "the first %d are listed; search for others", "仅列出前 %d 句，其余请搜索")   \
    X(MEASURES, "This sentence", "此句")                                                           \
    X(CHECKED, "Checked", "检查")                                                                  \
    X(CHECK_NOTHING, "nothing odd: rows sum to one, no negatives, no NaN",                         \
      "未见异常：各行之和为一，无负值，无 NaN")                                                    \
    X(CHECK_NAN, "not a number: %s cells · first at %s", "非数值：%s 格 · 首处 %s")                \
    X(CHECK_INFINITE, "infinite: %s cells · first at %s", "无穷大：%s 格 · 首处 %s")               \
    X(CHECK_NEGATIVE, "below zero: %s cells · lowest %s at %s", "负值：%s 格 · 最低 %s，%s")       \
    X(CHECK_ROW_SUM, "rows that do not sum to one: %s · worst %s at %s",                           \
      "和不为一的行：%s · 最差 %s，%s")                                                            \
    X(CHECK_COLUMN_SUM, "columns sum to one, rows do not: %s · swapped?",                          \
      "列和为一而行和不为一：%s · 行列颠倒？")                                                     \
    X(CHECK_ZERO_ROWS, "rows of zeros (masked or padding): %s · first at %s",                      \
      "全零的行（遮蔽或填充）：%s · 首处 %s")                                                      \
    X(CHECK_ZERO_COLUMNS, "columns of zeros (masked or padding): %s · first at %s",                \
      "全零的列（遮蔽或填充）：%s · 首处 %s")                                                      \
    X(CHECK_UNIFORM, "one value in every cell: %s · first at %s", "处处相同的矩阵：%s · 首处 %s")  \
    X(CHECK_SINK, "more than half of the weight in one column: %s · most %s at %s",                \
      "过半权重集中于一列：%s · 最多 %s，%s")                                                      \
    X(CHECK_OTHER, "does not look like attention: %s · neither rows nor columns sum to one",       \
      "不像注意力：%s · 行和、列和都不为一")
/* Changes of a run; %d is the step, %s what it was set to. */
#define STRINGS_EDITS(X)                                                                           \
    X(EDIT_TEMPERATURE, "temperature %s", "温度 %s")                                               \
    X(EDIT_BEAM, "beam of %s", "束宽 %s")                                                          \
    X(EDIT_LENGTH_PENALTY, "length penalty %s", "长度惩罚 %s")                                     \
    X(EDIT_WINDOW, "window D = %s", "窗口 D = %s")                                                 \
    X(EDIT_RENORMALISE, "weights renormalised%s", "权重已归一化%s")                                \
    X(EDIT_SAMPLE, "choices drawn, seed %s", "随机抽取，种子 %s")                                  \
    X(EDIT_PATHS, "%s further draws", "另抽取 %s 次")                                              \
    X(EDIT_FORCE, "output given: “%s”", "指定输出：“%s”")                                          \
    X(EDIT_HIDDEN, "“%s” hidden", "隐藏“%s”")                                                      \
    X(EDIT_TOKEN, "step %d writes “%s”", "第 %d 步写“%s”")                                         \
    X(EDIT_WEIGHTS, "step %d repainted%s", "第 %d 步权重已重绘%s")                                 \
    X(EDIT_SELECTED, "step %d takes position %s", "第 %d 步取位置 %s")                             \
    X(EDIT_CENTRE, "step %d centre %s", "第 %d 步中心 %s")                                         \
    X(EDIT_STEP_WINDOW, "step %d window D = %s", "第 %d 步窗口 D = %s")                            \
    X(EDIT_FLIPS, "step %d, selections flipped: %s", "第 %d 步翻转选择：%s")

#define STRINGS(X)                                                                                 \
    STRINGS_ACTIONS(X)                                                                             \
    STRINGS_GROUPS(X)                                                                              \
    STRINGS_CONTROLS(X)                                                                            \
    STRINGS_HELP(X)                                                                                \
    STRINGS_SCREEN(X)                                                                              \
    STRINGS_WHAT_IF(X)                                                                             \
    STRINGS_DUMPS(X)                                                                               \
    STRINGS_EDITS(X)

typedef enum { LANGUAGE_ENGLISH, LANGUAGE_CHINESE, LANGUAGE_COUNT } Language;

typedef enum {
#define STRING_ID(id, english, chinese) STRING_##id,
    STRINGS(STRING_ID)
#undef STRING_ID
        STRING_COUNT,
} StringId;

/* Lives as long as the program. */
const char *ui_text(Language language, StringId id);

/* "en" or "zh", as in settings and on the command line. */
const char *language_code(Language language);
bool language_find(const char *code, Language *language, Error *error) FOVEA_MUST_USE;

/* What the person's environment asks for: LC_ALL, LC_MESSAGES, LANG. */
Language language_of_environment(void);

#endif
