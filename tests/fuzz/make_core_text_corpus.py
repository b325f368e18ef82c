#!/usr/bin/env python3
"""Writes the seed corpora of the fuzzers of core/text: texts that have broken text programs,
and vocabularies that lie. The output is kept beside this script."""
import json
from pathlib import Path

HERE = Path(__file__).parent / "corpus"

TEXTS = {
    "empty": "", "space": " \t\n\u3000", "plain": "The man isn't sleeping. L'homme ne dort pas.",
    "french": "« Quoi ? », dit-il : n'est-ce pas ?! Y a-t-il 10:30 ; oui !",
    "marks": "▁‿⁀ ▁x ‿. x⁀ <s> </s> <0x41>", "chinese": "我们(Tom)吃“苹果”。 好 ？ 𠮷",
    "emoji": "🙂🙂 👨‍👩‍👧 🇫🇷🇫 e\u0301\u0302 \u0301\u200d", "arabic": "مرحبا؟ نعم. यह एक है। ក្រ។",
    "quotes": "\"a.\" 'b!' ``c?'' “d…” (e.) [f!] ... . . .\"", "abbreviations":
    "Mr. J. K. Smith of the U.S. met Dr. No. 5 at 3 p.m. etc. The end. e.g. X. 1. a 2. b",
    "tags": "a.<br>b<BR/>c</p><p class=x>d<br e<", "links": "http://x www. www.a.b!c, https://é/«»?",
    "contractions": "x's's's's n't can't 'tis 'em '70s -lrb- -t-il-t-il l'd'j' a'n't he'd've",
    "runs": "!!!! .... ---- **** ,,,, '''' \"\"\"\" ;;) :-)", "points": "1,000.5 2-3 .5 5. a..b .,",
    "tight": "good.The next.And i.The U.S.The 3.The a.B.c", "long": "-je" * 300 + "»" * 50 + "ñ" * 150,
    "entities": "&amp;quot; &lt;skipped> <skipped> -\n x",
}
BYTES = {"bad": b"a\xff\xe2\x82 b\x80\xc0\xaf\xed\xa0\x80", "cut": b"\xf0\x9f\x98", "zero": b"a\0b \0",
         "controls": bytes(range(1, 32)) + b"\x7f\xc2\x85"}


def save(kind, name, data):
    folder = HERE / kind
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)


def vocabularies():
    special = ["<pad>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    letters = ["▁", "‿", "⁀", "a", "b", "'", "L", "<", "s", ">"]
    at = len(special)
    good = {"type": "bpe", "version": 1, "fold": True, "letters": len(letters),
            "pieces": special + letters + ["▁a", "ab", "▁ab", "'⁀"],
            "merges": [[at, at + 3], [at + 3, at + 4], [at + 10, at + 4], [at + 5, at + 2],
                       [at, at + 11]]}

    def changed(name, **fields):
        save("vocabulary_json", name, json.dumps({**good, **fields}, ensure_ascii=False))

    changed("tokenizer")
    changed("itself", merges=[[at + 10, at + 10]])
    changed("special", merges=[[at + 7, at + 8], [at + 14, at + 9]])
    changed("far", merges=[[1 << 40, -1]])
    changed("twice", pieces=special + letters + ["▁a", "▁a"])
    changed("letters", letters=1 << 62)
    changed("mark_inside", merges=[[at + 3, at]], pieces=special + letters + ["a▁"])
    changed("no_pieces", pieces=[])
    words = {"type": "words", "version": 1, "style": "text", "case": "lower",
             "words": ["<pad>", "<unk>", "abc", "n't", "\""]}
    save("vocabulary_json", "words", json.dumps(words))
    save("vocabulary_json", "words_twice", json.dumps({**words, "words": ["<pad>", "<unk>", "a", "a"]}))
    save("vocabulary_json", "words_types", json.dumps({**words, "words": ["<pad>", "<unk>", [], {}]}))
    save("vocabulary_json", "spaced", json.dumps({**words, "style": "spaced", "case": "kept"}))


def main():
    for kind in ("tokenizer", "sentences"):
        for name, data in {**TEXTS, **BYTES}.items():
            save(kind, name, data)
    vocabularies()


if __name__ == "__main__":
    main()
