#!/usr/bin/env python3
"""Writes the seed corpora of the readers in core/trace and core/format: one good input of
every kind, and the lies that a reader must see through. The output is kept beside this
script; run it again only to add seeds."""
import io
import json
import struct
import zipfile
from pathlib import Path

HERE = Path(__file__).parent / "corpus"


def save(kind, name, data):
    folder = HERE / kind
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode()
    (folder / name).write_bytes(data)


def trace_json():
    good = {
        "fovea": 1, "model": "m", "seed": 3, "input": "a \u20ac", "output": "b", "score": -1.5,
        "texts": {"question": "q"}, "attributes": {"family": "f"}, "notes": ["n"],
        "axes": [
            {"name": "sentence", "kind": "index", "length": 1},
            {"name": "source", "kind": "token", "labels": ["a", "\u20ac"], "spans": [[0, 1], [2, 5]],
             "flags": {"special": [1], "continues": [0]}, "parent_axis": "sentence",
             "parents": [0, -1]},
            {"name": "cell", "kind": "grid", "rows": 1, "cols": 2}],
        "tensors": [
            {"name": "w", "role": "weights", "axes": ["source", "cell"],
             "data": [[0.5, "nan"], ["-inf", 1e-38]]},
            {"name": "i", "role": "mask", "type": "U64", "axes": ["cell"],
             "data": ["18446744073709551615", 1]},
            {"name": "h", "role": "state", "type": "F8_E4M3", "axes": ["cell"], "data": [448, -0.0]}],
        "steps": [{"index": 0, "token": "b", "id": 2, "probability": 0.5, "forced": True,
                   "candidates": [{"token": "b", "id": 2, "probability": 0.5}],
                   "scalars": {"entropy": 0.7},
                   "window": {"centre": 0.5, "low": 0, "high": 1, "sigma": 1.0},
                   "selection": [1], "boxes": [[0, 0, 1, 1]]}],
        "classes": [{"label": "c", "probability": 1}],
        "beam": [{"parent": -1, "step": 0, "token": "b", "id": 2, "log_probability": -1,
                  "score": -1, "state": "finished"}],
        "image": {"width": 1, "height": 1, "rgba": "AAECAw=="},
        "changes": [{"step": -1, "kind": "token", "text": "t"}]}
    save("trace_json", "good", json.dumps(good, ensure_ascii=False))
    save("trace_json", "least", '{"fovea":1}')
    save("trace_json", "bom", b'\xef\xbb\xbf{"fovea":1}')
    save("trace_json", "deep", "[" * 3000)
    save("trace_json", "deep_data", '{"fovea":1,"axes":[{"name":"a","length":1}],"tensors":[{"name":"w",'
         '"axes":["a","a","a","a","a","a"],"data":' + "[" * 7 + "1" + "]" * 7 + "}]}")
    save("trace_json", "promise", '{"fovea":1,"axes":[{"name":"a","length":16777216}],"tensors":'
         '[{"name":"w","axes":["a","a","a","a"],"data":[]}]}')
    save("trace_json", "duplicate", '{"fovea":1,"axes":[{"name":"a","length":1},{"name":"a","length":2}]}')
    save("trace_json", "huge_number", '{"fovea":1,"score":1e400,"seed":99999999999999999999}')
    save("trace_json", "empty_axis", '{"fovea":1,"axes":[{"name":"a","length":0},{"name":"b","length":'
         '16777216}],"tensors":[{"name":"w","axes":["a","b","b","b"],"data":[]}]}')
    save("trace_json", "bad_utf8", b'{"fovea":1,"input":"\xff\xfe"}')


def safetensors_file(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def safetensors():
    one = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    save("safetensors", "good", safetensors_file({"a": one, "__metadata__": {"k": "v"}}, b"\0" * 8))
    for dtype, size in [("F64", 8), ("F16", 2), ("BF16", 2), ("F8_E4M3", 1), ("F8_E5M2", 1), ("I8", 1),
                        ("I16", 2), ("I32", 4), ("I64", 8), ("U8", 1), ("U64", 8), ("BOOL", 1)]:
        entry = {"dtype": dtype, "shape": [1, 3], "data_offsets": [0, 3 * size]}
        save("safetensors", "type_" + dtype, safetensors_file({"a": entry}, bytes(range(3 * size))))
    save("safetensors", "scalar", safetensors_file({"a": dict(one, shape=[], data_offsets=[0, 4])}, b"abcd"))
    save("safetensors", "empty", safetensors_file({"a": dict(one, shape=[0, 5], data_offsets=[0, 0])}))
    save("safetensors", "overlap", safetensors_file({"a": one, "b": dict(one, data_offsets=[4, 12])}, b"\0" * 12))
    save("safetensors", "hole", safetensors_file({"a": dict(one, data_offsets=[4, 12])}, b"\0" * 12))
    save("safetensors", "outside", safetensors_file({"a": dict(one, data_offsets=[0, 1 << 40])}, b"\0" * 8))
    save("safetensors", "overflow", safetensors_file({"a": dict(one, shape=[1 << 32, 1 << 32])}, b"\0" * 8))
    save("safetensors", "negative", safetensors_file({"a": dict(one, shape=[-2])}, b"\0" * 8))
    save("safetensors", "long_header", safetensors_file({}, length=(1 << 64) - 1))
    save("safetensors", "twice", safetensors_file(b'{"a":{},"a":{}}'))
    save("safetensors", "lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")


def npy_file(descr, shape, data=b"", fortran=False, version=1, length=None):
    text = f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
    width = "<H" if version == 1 else "<I"
    size = struct.pack(width, len(text) if length is None else length)
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + data


def npy():
    for descr, size in [("<f4", 4), (">f8", 8), ("<f2", 2), ("|i1", 1), ("<i8", 8), ("|b1", 1), ("<V2", 2),
                        ("<U3", 12), (">U1", 4), ("|S2", 2)]:
        save("npy", "type_" + descr[1:] + ("_big" if descr[0] == ">" else ""),
             npy_file(descr, "(2, 1)", bytes(range(2 * size))))
    save("npy", "fortran", npy_file("<f4", "(2, 2)", b"\0" * 16, fortran=True, version=2))
    save("npy", "python2", npy_file("<f4", "(2L,)", b"\0" * 8))
    save("npy", "scalar", npy_file("<f4", "()", b"\0" * 4, version=3))
    save("npy", "empty", npy_file("<f4", "(0, 99999999999999999)"))
    save("npy", "overflow", npy_file("<f8", "(4294967296, 4294967296)", b"\0" * 8))
    save("npy", "object", npy_file("|O", "(1,)", b"\x80\x04N."))
    save("npy", "no_width", npy_file("<U0", "(9999999999,)"))
    save("npy", "struct", npy_file([("a", "<f4")], "(1,)", b"\0" * 4))
    save("npy", "long_header", npy_file("<f4", "(1,)", version=2, length=(1 << 32) - 1))


def zip_file(members, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def zips():
    stored = zip_file([("a", b"plain"), ("b/c", b"")])
    deflated = zip_file([("a", b"a" * 200)], zipfile.ZIP_DEFLATED)
    save("zip", "stored", stored)
    save("zip", "deflated", deflated)
    save("zip", "empty", zip_file([]))
    save("zip", "comment", stored[:-2] + b"\3\0abc")
    save("zip", "bomb", deflated.replace(struct.pack("<I", 200), struct.pack("<I", 0x7FFFFFFF)))
    save("zip", "method", stored.replace(b"PK\1\2\x14\3\x14\0\0\0\0\0", b"PK\1\2\x14\3\x14\0\0\0\x5d\0"))
    save("zip", "cut", stored[:-3])
    save("zip", "far_directory", stored[:-6] + b"\xff\xff\xff\x7f\0\0")
    save("zip", "many", stored[:-12] + b"\xff\xff" + stored[-10:])


DUMPS = Path(__file__).parent.parent / "data" / "dumps"


def torch_member(name, suffix):
    with zipfile.ZipFile(DUMPS / name) as archive:
        return next(archive.read(n) for n in archive.namelist() if n.endswith(suffix))


def pickles():
    for name in ["tuple", "dict", "state", "grad", "refused_module"]:
        save("pickle", name, torch_member(name + ".pt", "/data.pkl"))
    save("pickle", "call", b"cos\nsystem\nX\2\0\0\0ls\x85R.")
    save("pickle", "itself", b"]q\0h\0a.")
    save("pickle", "memo", b"Nr\xff\xff\xff\x7f.")
    save("pickle", "below_mark", b"NNN(\x87t.")
    save("pickle", "deep", b"(" * 500 + b"t" * 500 + b".")
    save("pickle", "growing", b"]q\0" + b"h\0h\0\x86q\0" * 60 + b".")


def imports():
    for path in sorted(DUMPS.iterdir()):
        if path.stat().st_size < 3000 and path.suffix not in {".src", ".tgt"}:
            save("import", "dump_" + path.name, path.read_bytes())
    texts = {
        "nematus": "\ufeff7 ||| das Haus ||| -1.5 ||| the house ||| 3 3\r\n0.8 0.1 0.1\r\n0.1 0.8 0.1\r\n0 0 1\r\n\r\n",
        "sockeye": "0 ||| a b </s> ||| -1 ||| c ||| 1 ||| 3\n0.5 0.25 0.25\n",
        "bars": "0 ||| a ||| b ||| -1.5 ||| c ||| d ||| 3 3\n1 0 0\n0 1 0\n0 0 1\n",
        "empty_source": "0 ||| x ||| 0 ||| ||| 1 2\n1\n1\n",
        "ragged": "0 ||| a ||| 0 ||| b ||| 1 1\n1 0\n1\n",
        "marian_hard": "das Haus . ||| 0-0 1-1 2-2\n\nx |||\n",
        "marian_soft": "das Haus ||| 0.9,0.1,0 0.1,0.8,0.1 0,0,1,0,0\n",
        "marian_nbest": "0 ||| das ||| 1,0 0,1 ||| WordScores= -0.1 ||| F0= -1.2 ||| -0.4\n",
        "scorer": "0.5,0.5 1,0\nnan,inf 1e999,-1\n",
        "fairseq": "S-7\tthe hou@@ se\nH-7\t-0.3\tdas Haus\nA-7\t0-0 2-1\nA-7\t0.5,0.5\nA-7\t0 2 2\nA-7\t\n",
        "fairseq_far": "A-0\t16777000-16777000\nA-1\t16777000\n",
        "onmt": "SENT 1: ['a', \"b'\"]\n                  the      house \n       das *0.8000000  0.2000000 \n",
        "pharaoh": "0-0 1p2\n\n18-1\n",
        "pharaoh_far": "1048576-1048576\n",
        "naacl": "3 1 2 P\n1 1 1\n3 2 2 S 0.75\n",
        "naacl_far": "1048576 1 1\n",
        "lines": '{"src":["a","b"],"tgt":["x"],"att":[[0.5,0.5]],"axis":"tgt-src"}\n{"src":[],"att":[[]]}\n',
        "heads": '{"tokens":["a","b"],"attention":[[[[1,0],[0.5,0.5]],[[0,1],[1,0]]]]}',
        "neat": '[{"id":"s","text":["so","good"],"attention":[0.25,0.75,0.0],"label":1,"posterior":[0,1.5]}]',
        "bare": "[[0.5, 0.5], [null, true]]",
        "traces": '{"fovea":1,"input":"one"}\n{"fovea":1,"input":"two"}\n',
        "deep": '{"att":' + "[" * 60 + "1" + "]" * 60 + "}",
        "uneven": '{"att":[[1,2],[3]],"tokens":[1]}',
        "html": "<!doctype html><html>",
        "lfs": "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
    }
    for name, text in texts.items():
        save("import", name, text)


if __name__ == "__main__":
    pickles()
    imports()
    npy()
    zips()
    trace_json()
    safetensors()
