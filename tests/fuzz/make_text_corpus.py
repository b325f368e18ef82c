#!/usr/bin/env python3
"""Writes the seed corpus of fuzz_app_text: scripts, directions and invisible characters in
every style. The output is kept beside this script."""
from pathlib import Path

FOLDER = Path(__file__).parent / "corpus" / "app_text"
TEXTS = [
    b"attention is all you need", "她正在吃一个绿色的苹果。".encode(), "هي تأكل تفاحة خضراء (3).".encode(),
    "שלום abc 12 דהו".encode(), "हिन्दी क्\u200d".encode(), "👨\u200d👩\u200d👧🇫🇷1\ufe0f\u20e3❤\ufe0f".encode(),
    b"<b>&\"']]>-->", b"a\nb\tc\x01\x7f\xc2\x85", b"\xff\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82",
    "\u202e\u2066\u200b\u200f\ufeff\u00ad".encode(), ("e" + "\u0301" * 70).encode(),
    "\u1100\u1161\u11a8\uac00".encode(), "\U000e0100\U000e0061\U0001f3f4\uffff\ufdd0".encode(), b" " * 40,
    ("a\u05d0" * 60).encode(), "می\u200cخواهم".encode(), "\u2067\u2066\u2068\u2069".encode() * 40,
]

FOLDER.mkdir(parents=True, exist_ok=True)
for i, text in enumerate(TEXTS):
    head = bytes([(i * 37) & 0x3F, 0 if i % 3 else 40])
    (FOLDER / f"seed-{i:02}").write_bytes(head + text)
