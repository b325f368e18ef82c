#!/usr/bin/env python3
"""Writes attention dumps as numpy, safetensors and torch would hold them into
tests/data/dumps. Every weight follows one formula, so that the tests can tell each cell:
raw(l, b, h, t, s) = 1 + (7 l + 5 b + 3 h + 11 t + 13 s) mod 17, divided by the row's sum."""
import json
import pickle
import struct
from pathlib import Path

import numpy as np
import torch

OUT = Path(__file__).parent / "dumps"


def weights(layers, batch, heads, rows, cols):
    l, b, h, t, s = np.ogrid[:layers, :batch, :heads, :rows, :cols]
    raw = 1 + (7 * l + 5 * b + 3 * h + 11 * t + 13 * s) % 17
    return (raw / raw.sum(-1, keepdims=True)).astype("<f4")


def safetensors(path, arrays, metadata):
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for name, (dtype, array) in arrays.items():
        raw = array.tobytes()
        header[name] = {"dtype": dtype, "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def numpy_dumps():
    w = weights(2, 1, 3, 4, 5)
    np.save(OUT / "five.npy", w)
    np.save(OUT / "four.npy", w[:, 0])
    np.save(OUT / "three.npy", w[0, 0])
    np.save(OUT / "two.npy", w[0, 0, 0])
    np.save(OUT / "one.npy", w[0, 0, 0, 0])
    np.save(OUT / "four_fortran_big.npy", np.asfortranarray(w[:, 0].astype(">f8")))
    np.save(OUT / "swapped.npy", np.ascontiguousarray(w[:, 0].swapaxes(-1, -2)))
    np.save(OUT / "scores.npy", np.log(w[0, 0]))
    np.save(OUT / "heads_last.npy", np.ascontiguousarray(w[0, 0].transpose(1, 2, 0)))
    # Twelve layers of self-attention, an array each; the directory sorts 10 before 2.
    layers = weights(12, 1, 3, 4, 4)
    np.savez(OUT / "layers.npz", *[x.astype("<f2") for x in layers],
             tokens=np.array(["[CLS]", "un", "##do", "[SEP]"]))
    np.savez_compressed(OUT / "layers_deflated.npz", *layers, input_ids=np.arange(4)[None])
    # Two sentences padded to 4 x 5: the second has 3 x 4.
    batch = weights(2, 2, 3, 4, 5)
    batch[:, 1, :, 3] = 0
    batch[:, 1, :, :, 4] = 0
    batch[:, 1, :, :3, :4] = weights(2, 2, 3, 3, 4)[:, 1]
    np.save(OUT / "batch.npy", batch)
    (OUT / "batch.src").write_text("a b c d e\nf g h i\n")
    (OUT / "batch.tgt").write_text("v w x y\nv w x\n")
    # What generation leaves: the prompt of two tokens, then one token after the other.
    steps = {}
    full = weights(2, 1, 3, 5, 5)
    for layer in range(2):
        for step in range(4):
            rows = slice(0, 2) if step == 0 else slice(step + 1, step + 2)
            steps[f"step_{step}_layer_{layer}"] = full[layer][:, :, rows, :step + 2]
    np.savez(OUT / "steps.npz", **steps)
    np.savez(OUT / "sentences.npz", weights(1, 1, 1, 3, 4)[0, 0, 0], weights(1, 1, 1, 2, 6)[0, 0, 0])
    np.savez(OUT / "split_heads.npz", **{f"layer.{l}.head.{h}": w[l, 0, h]
                                         for l in range(2) for h in range(3)})
    np.savez(OUT / "half_object.npz", attn=w[0, 0, 0], tokens=np.array([["a"], None], dtype=object))


def safetensors_dumps():
    cross, encoder = weights(2, 1, 3, 4, 5), weights(2, 1, 3, 5, 5)
    arrays = {}
    for l in range(2):
        arrays[f"cross_attentions.{l}"] = ("F16", cross[l].astype("<f2"))
        arrays[f"encoder_attentions.{l}"] = ("F32", encoder[l])
    metadata = {"source": json.dumps(["\u2581the", "\u2581hou", "se", "\u2581.", "</s>"]),
                "target": json.dumps(["das", "Haus", ".", "</s>"]), "note": "not JSON"}
    safetensors(OUT / "cross.safetensors", arrays, metadata)
    bits = weights(1, 1, 1, 3, 4)[0, 0, 0].view("<u4")
    safetensors(OUT / "bf16.safetensors", {"attn": ("BF16", ((bits + 0x8000) >> 16).astype("<u2"))}, None)


def torch_dumps():
    w = torch.from_numpy(weights(2, 1, 3, 4, 5).copy())
    torch.save(tuple(w[l] for l in range(2)), OUT / "tuple.pt")
    torch.save({"attentions": [w[l].half() for l in range(2)], "tokens": ["v", "w"],
                "source": ["a", "b", "c", "d", "e"], "target": ["v", "w", "x", "y"]}, OUT / "dict.pt")
    torch.save(w[0, 0].transpose(1, 2).contiguous().transpose(1, 2), OUT / "view.pt")
    torch.save(torch.cat([w, w], dim=3)[1, 0, :, 4:], OUT / "slice.pt")
    torch.save(w[0, 0, 0].double().requires_grad_(), OUT / "grad.pt")
    torch.save(torch.nn.ParameterDict({"attn": torch.nn.Parameter(w[0, 0, 0])}).state_dict(),
               OUT / "state.pt")
    torch.save(w[0, 0, 0].bfloat16(), OUT / "bf16.pt")
    torch.save(w[0, 0, 0], OUT / "refused_legacy.pt", _use_new_zipfile_serialization=False)
    torch.save(torch.nn.Linear(2, 2), OUT / "refused_module.pt")
    torch.save({"f": print}, OUT / "refused_function.pt")
    torch.save(torch.eye(3).to_sparse(), OUT / "refused_sparse.pt")
    (OUT / "refused.pkl").write_bytes(pickle.dumps([1, 2, 3]))


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    numpy_dumps()
    safetensors_dumps()
    torch_dumps()
