#!/usr/bin/env python3
"""Writes the seed corpora of fuzz_app_keys (files of keys, good and bad, and chords) and of
fuzz_app_ui (what hands do, as bytes). The output is kept beside this script."""
import random
from pathlib import Path

HERE = Path(__file__).parent / "corpus"

KEYS = [
    b"{}", b"", b"[]", b"Ctrl+Shift+Z", b"Ctrl++", b"Shift+/", b"Ctrl+Control+A", b"\xff+\xfe",
    b'{"step-next": ["Right", "L"], "quit": []}', b'{"step-next": "Left", "step-previous": "Right"}',
    b'{"quit": "Tab"}', b'{"quit": "Escape"}', b'{"quit": 3}', b'{"quit": ["Q", null]}',
    b'{"quit": "Q", "save": "Q"}', b'{"quit": ["A", "D", "E", "H", "I"]}', b'{"nothing": "Q"}',
    b'{"quit": "Q", "quit": "W"}', b'{"help": ["\\"", "\\\\", "\\u00e9"]}', b'{"help": "\\u0000"}',
    b'\xef\xbb\xbf{"help": "F1"}', b'{"help": "' + b"Ctrl+" * 200 + b'A"}', b'{"help": "Ctrl+\xf0\x9f\x91\x8d"}',
]
for i, text in enumerate(KEYS):
    folder = HERE / "app_keys"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"seed-{i:02}").write_bytes(text)

random.seed(1)
folder = HERE / "app_ui"
folder.mkdir(parents=True, exist_ok=True)
for i in range(24):
    n = random.choice([40, 200, 600])
    steps = bytearray([i])
    while len(steps) < n:
        kind = random.choice([0, 2, 3, 4, 6, 7, 8, 9, 10, 11])
        steps.append(kind)
        steps += bytes(random.randrange(256) for _ in range({0: 2, 2: 1, 3: 1, 4: 3, 8: 1, 9: 2, 10: 1}.get(kind, 0)))
        if kind in (6, 7):
            text = random.choice(["a", "苹果", "هي", "e\u0301", "\n", "\U0001f468\u200d\U0001f469"]).encode()
            steps += bytes([len(text)]) + text + (b"\x02" if kind == 7 else b"")
    (folder / f"seed-{i:02}").write_bytes(bytes(steps))
