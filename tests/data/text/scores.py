#!/usr/bin/env python3
"""Writes scores.json: BLEU and chrF2 of small corpora, computed from the published
definitions without any of our code. Run it again after adding a corpus.

Words: the rules of mteval-v13a as regular expressions. Chinese: every character of the listed
blocks apart, then the same rules. BLEU and chrF: as core/text/bleu.h and chrf.h state them."""
import json
import math
import random
import re
from collections import Counter
from pathlib import Path

RULES = [(re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),
         (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
         (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
         (re.compile(r"([0-9])(-)"), r"\1 \2 ")]

# Written as text because the script that everybody uses compares text: what stands here with
# five digits is two characters, and the comparison means something else than it says.
BLOCKS = [("\u3400", "\u4db5"), ("\u4e00", "\u9fa5"), ("\u9fa6", "\u9fbb"), ("\uf900", "\ufa2d"),
          ("\ufa30", "\ufa6a"), ("\ufa70", "\ufad9"), ("\u20000", "\u2a6d6"),
          ("\u2f800", "\u2fa1d"), ("\uff00", "\uffef"), ("\u2e80", "\u2eff"),
          ("\u3000", "\u303f"), ("\u31c0", "\u31ef"), ("\u2f00", "\u2fdf"), ("\u2ff0", "\u2fff"),
          ("\u3100", "\u312f"), ("\u31a0", "\u31bf"), ("\ufe10", "\ufe1f"), ("\ufe30", "\ufe4f"),
          ("\u2600", "\u26ff"), ("\u2700", "\u27bf"), ("\u3200", "\u32ff"), ("\u3300", "\u33ff")]


def by_rules(line):
    for rule, result in RULES:
        line = rule.sub(result, line)
    return line.split()


def words_13a(line):
    for old, new in (("<skipped>", ""), ("-\n", ""), ("\n", " "), ("&quot;", '"'), ("&amp;", "&"),
                     ("&lt;", "<"), ("&gt;", ">")):
        line = line.replace(old, new)
    return by_rules(f" {line} ")


def words_zh(line):
    chinese = lambda c: any(first <= c <= last for first, last in BLOCKS)
    return by_rules("".join(f" {c} " if chinese(c) else c for c in line.strip()))


def words_char(line):
    return " ".join(line).split()


WORDS = {"13a": words_13a, "zh": words_zh, "char": words_char}


def ngrams(items, order):
    return Counter(tuple(items[i:i + order]) for i in range(len(items) - order + 1))


def bleu(pairs, tokens):
    match, total, h_length, r_length = [0] * 4, [0] * 4, 0, 0
    for hypothesis, reference in pairs:
        h, r = WORDS[tokens](hypothesis.rstrip()), WORDS[tokens](reference.rstrip())
        h_length += len(h)
        r_length += len(r)
        for n in range(4):
            ours, theirs = ngrams(h, n + 1), ngrams(r, n + 1)
            match[n] += sum((ours & theirs).values())
            total[n] += sum(ours.values())
    if not any(match) or not all(total):
        return 0.0
    precisions, missing = [], 0
    for m, t in zip(match, total):
        missing += m == 0
        precisions.append(m / t if m else 1 / (2 ** missing * t))
    penalty = 1.0 if h_length >= r_length else math.exp(1 - r_length / h_length)
    return 100 * penalty * math.prod(precisions) ** 0.25


def chrf(pairs):
    h_count, r_count, match = [0] * 6, [0] * 6, [0] * 6
    for hypothesis, reference in pairs:
        h, r = "".join(hypothesis.split()), "".join(reference.split())
        for n in range(6):
            ours, theirs = ngrams(h, n + 1), ngrams(r, n + 1)
            if theirs:
                h_count[n] += sum(ours.values())
            r_count[n] += sum(theirs.values())
            match[n] += sum((ours & theirs).values())
    orders = [n for n in range(6) if h_count[n] and r_count[n]]
    if not orders or not any(match):
        return 0.0
    precision = sum(match[n] / h_count[n] for n in orders) / len(orders)
    recall = sum(match[n] / r_count[n] for n in orders) / len(orders)
    return 100 * 5 * precision * recall / (4 * precision + recall)


REFERENCES = {
    "french": ["L'homme qui dort n'a rien vu\u202f!", "Il est dix heures et demie, à peu près.",
               "«\u00a0Viens-tu\u202f?\u00a0» demanda-t-elle.", "Quelle belle matinée pour marcher.",
               "Le prix était de 1\u202f250,50 € en 2019-2020.", "Je n'en sais rien..."],
    "english": ["The bridge was built in 1932, and it still stands.", "Who\u2019s there? Nobody.",
                "It costs $3.50 (or 4,000 won) at the market/shop.", "\"Yes,\" she said; \"no!\"",
                "A well-known writer, born in the 1990s.", "That's all."],
    "chinese": ["我们昨天去了公园。", "他说：“你好！”", "今天的气温是25.5度，很热。",
                "Tom喜欢吃苹果和梨，你呢？", "𠮷野家在哪里？", "书－本；页…"],
}

SPECIAL = {
    "same": [("The cat sat on the mat.", "The cat sat on the mat.")],
    "nothing_common": [("alpha beta gamma delta", "one two three four")],
    "empty_hypothesis": [("", "Not empty at all."), ("Not empty at all.", "Not empty at all.")],
    "all_empty": [("", "a b c d")],
    "both_empty": [("", "")],
    "three_words": [("a b c", "a b c")],
    "four_words": [("a b c d", "a b c d")],
    "short_and_brief": [("the cat", "the cat sat on the mat"), ("on the mat it sat", "on a mat")],
    "clipped": [("the the the the the the the", "the cat is on the mat")],
    "smoothed_twice": [("the mat on sat cat the", "the cat sat on the mat")],
    "entities": [("a &lt; b &amp;&amp; c &quot;d&quot; &amp;lt;", "a < b && c \"d\" &lt;")],
    "skipped": [("<skipped>one two three four", "one two three four")],
    "lines": [("well-\nknown one\ntwo three  \n", "wellknown one two three")],
    "numbers": [("1,000.5 2-3 .5 5. 7,x x,7 a.b ..,, 1.-2", "1,000.5 2 - 3 . 5 5 . 7 , x")],
    "marks": [("{a|b}~[c\\d]^_`e' f-g (h) i+j =k <l> m@n #o %p &q *r !s ;t :u ?v /w \"x\" $y",
               "{a|b} [c\\d] e' f-g")],
    "points": [(". , .. a.,b .,", ", . a . , b"), (".", "."), ("..", ". ."), ("a..b", "a . . b")],
    "blanks": [("a\u00a0b\u2009c\u3000d\u202fe \u001cf", "a b c d e f")],
    "emoji": [("good 🙂 day 🙂🙂 it is", "good 🙂 day 🙂 it was")],
    "long_reference": [("a b c d e", "a b c d e " * 12)],
}


def garble(text, chance, generator):
    """A translation that is partly right: pieces dropped, doubled and exchanged."""
    words = text.split(" ") if " " in text else list(text)
    out = []
    for word in words:
        draw = generator.random()
        if draw < chance / 3:
            continue
        out.append(word)
        if draw > 1 - chance / 3:
            out.append(word)
        elif draw > 1 - 2 * chance / 3 and len(out) > 1:
            out[-1], out[-2] = out[-2], out[-1]
    return (" " if " " in text else "").join(out)


def main():
    generator = random.Random(11)
    corpora = dict(SPECIAL)
    for name, references in REFERENCES.items():
        for chance in (0.0, 0.2, 0.6):
            corpora[f"{name}_{chance}"] = [(garble(r, chance, generator), r) for r in references]
    out = [{"name": name, "pairs": pairs, "chrf": chrf(pairs),
            "bleu": {tokens: bleu(pairs, tokens) for tokens in WORDS},
            "words": {tokens: [" ".join(WORDS[tokens](h.rstrip())) for h, _ in pairs]
                      for tokens in WORDS}}
           for name, pairs in corpora.items()]
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(out, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
