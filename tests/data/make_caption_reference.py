#!/usr/bin/python3
"""Reference numbers for the caption model, from PyTorch in double precision.

An implementation of its own from the equations (convolutions by torch, the rest picture by
picture): the loss of a small batch, the gradient of every parameter, and the losses of ten
steps of Adam. Hard attention replays given cells. Writes caption_reference.json beside it.
Needs python3-torch; the tests need only the JSON.
"""
import json
import os
import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
SIDE, WIDTH, E, H, A, V = 16, 1, 3, 4, 3, 7
D, L = 4 * WIDTH, (SIDE // 8) ** 2
SENTENCES = [[3, 1, 5, 0], [2, 0], [6, 4, 0]]
CELLS = [[1, 3, 0], [2, 2, 1], [0, 0, 3], [3, 0, 0]]  # [step][sentence]
COVERAGE, POLICY, ENTROPY, BASELINE = 0.3, 0.4, 0.05, -2.0
CASES = [{"attention": "soft"}, {"attention": "soft", "gate": "no"}, {"attention": "hard"},
         {"attention": "hard", "to_go": True, "gate": "no"}]


def shapes(case):
    channels = [WIDTH, 2 * WIDTH, 4 * WIDTH, 4 * WIDTH]
    p, c = {}, 3
    for i, d in enumerate(channels):
        p[f"encoder.{i + 1}.W"], p[f"encoder.{i + 1}.b"] = (d, 9 * c), (1, d)
        c = d
    p.update({"encoder.place": (L, D), "first.h.W": (H, D), "first.h.b": (1, H),
              "first.c.W": (H, D), "first.c.b": (1, H), "attention.W": (A, H),
              "attention.U": (A, D), "attention.b": (1, A), "attention.v": (1, A)})
    if case.get("gate", "yes") == "yes":
        p.update({"gate.w": (1, H), "gate.b": (1, 1)})
    p.update({"words.embedding": (V, E), "decoder.W": (4 * H, E), "decoder.C": (4 * H, D),
              "decoder.U": (4 * H, H), "decoder.b": (1, 4 * H), "output.L_h": (E, H),
              "output.L_z": (E, D), "output.L_o": (V, E), "output.b": (1, V)})
    return p


def encode(p, picture):
    x = (2 * picture - 1).permute(2, 0, 1)[None]
    for i in range(4):
        w = p[f"encoder.{i + 1}.W"]
        w = w.reshape(w.shape[0], 3, 3, -1).permute(0, 3, 1, 2)
        x = F.relu(F.conv2d(x, w, p[f"encoder.{i + 1}.b"][0], stride=2 if i < 3 else 1, padding=1))
    return x[0].permute(1, 2, 0).reshape(L, D) + p["encoder.place"]


def sentence(case, p, picture, words, cells):
    """log p of each word, the weights, and log of the chosen weights."""
    a = encode(p, picture)
    mean = a.mean(0)
    h = torch.tanh(p["first.h.W"] @ mean + p["first.h.b"][0])
    c = torch.tanh(p["first.c.W"] @ mean + p["first.c.b"][0])
    y, logs, alphas, chosen = torch.zeros(E), [], [], []
    for t, word in enumerate(words):
        e = torch.stack([p["attention.v"][0] @ torch.tanh(
            p["attention.W"] @ h + p["attention.U"] @ cell + p["attention.b"][0]) for cell in a])
        alpha = torch.softmax(e, 0)
        z = a[cells[t]] if case["attention"] == "hard" else alpha @ a
        if "gate.w" in p:
            z = torch.sigmoid(p["gate.w"][0] @ h + p["gate.b"][0, 0]) * z
        g = p["decoder.W"] @ y + p["decoder.C"] @ z + p["decoder.U"] @ h + p["decoder.b"][0]
        i, f, o = (torch.sigmoid(g[k * H:(k + 1) * H] + (k == 1)) for k in range(3))
        c = f * c + i * torch.tanh(g[3 * H:])
        h = o * torch.tanh(c)
        r = torch.tanh(y + p["output.L_h"] @ h + p["output.L_z"] @ z)
        logs.append(torch.log_softmax(p["output.L_o"] @ r + p["output.b"][0], 0)[word])
        alphas.append(alpha)
        chosen.append(torch.log(alpha[cells[t]]))
        y = p["words.embedding"][word]
    return torch.stack(logs), torch.stack(alphas), torch.stack(chosen)


def loss(case, p, pictures):
    total = 0
    for i, words in enumerate(SENTENCES):
        cells = [CELLS[t][i] for t in range(len(words))]
        logs, alphas, chosen = sentence(case, p, pictures[i], words, cells)
        total = total - logs.sum()
        if case["attention"] == "soft":
            total = total + COVERAGE * (1 - alphas.sum(0)).pow(2).sum()
            continue
        reward = logs.detach()
        for t in range(len(words)):
            if case.get("to_go"):
                gain = reward[t:].sum() - BASELINE * (len(words) - t)
            else:
                gain = reward.sum() - BASELINE
            total = total - POLICY * gain * chosen[t]
        total = total + ENTROPY * (alphas * alphas.log()).sum()
    return total / sum(map(len, SENTENCES))


def numbers(t):
    return [float(f"{x:.15g}") for x in t.detach().reshape(-1).tolist()]


def main():
    torch.manual_seed(11)
    pictures = torch.rand(len(SENTENCES), SIDE, SIDE, 3)
    out = []
    for case in CASES:
        p = {n: (0.5 * torch.randn(s)).requires_grad_() for n, s in shapes(case).items()}
        value = loss(case, p, pictures)
        value.backward()
        entry = {"case": case, "loss": float(value),
                 "values": {n: numbers(x) for n, x in p.items()},
                 "gradients": {n: numbers(x.grad) for n, x in p.items()}}
        opt = torch.optim.Adam(list(p.values()), 0.01)
        curve = []
        for _ in range(10):
            opt.zero_grad()
            value = loss(case, p, pictures)
            curve.append(float(value))
            value.backward()
            opt.step()
        entry["curve"] = curve
        out.append(entry)
    doc = {"side": SIDE, "width": WIDTH, "embedding": E, "hidden": H, "attention_hidden": A,
           "vocabulary": V, "coverage": COVERAGE, "policy": POLICY, "entropy": ENTROPY,
           "baseline": BASELINE, "sentences": SENTENCES, "cells": CELLS,
           "pictures": numbers(pictures), "cases": out}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "caption_reference.json")
    with open(path, "w") as f:
        f.write("{" + ",\n ".join(f"{json.dumps(k)}: " + (
            "[" + ",\n  ".join(json.dumps(c) for c in v) + "]" if k == "cases" else json.dumps(v))
            for k, v in doc.items()) + "}\n")


main()
