#!/usr/bin/python3
"""Reference numbers for the Transformer translator, from PyTorch in double precision.

Written from the equations of Vaswani et al. 2017, sentence by sentence. Writes
transformer_reference.json beside it.
"""
import json
import math
import os
import torch

torch.set_default_dtype(torch.float64)
D, H, F, L, V = 6, 2, 5, 2, 9
SOURCES = [[3, 5, 8, 4], [7, 6, 3], [5]]
TARGETS = [[4, 8, 2], [6, 2], [7, 5, 3, 2]]


def shapes(norm):
    p = {"embedding": (V, D)}
    for side in ("encoder", "decoder"):
        for i in range(L):
            parts = ["self"] + (["cross"] if side == "decoder" else [])
            for part in parts:
                for x in ("query", "key", "value", "output"):
                    p[f"{side}.{i}.{part}.{x}.W"] = (D, D)
                    p[f"{side}.{i}.{part}.{x}.b"] = (1, D)
            p[f"{side}.{i}.feed.in.W"] = (F, D)
            p[f"{side}.{i}.feed.in.b"] = (1, F)
            p[f"{side}.{i}.feed.out.W"] = (D, F)
            p[f"{side}.{i}.feed.out.b"] = (1, D)
            for n in parts + ["feed"]:
                p[f"{side}.{i}.norm.{n}.gain"] = (1, D)
                p[f"{side}.{i}.norm.{n}.bias"] = (1, D)
        if norm == "before":
            p[f"{side}.norm.gain"] = (1, D)
            p[f"{side}.norm.bias"] = (1, D)
    p["output.b"] = (1, V)
    return p


def positions(n):
    pe = torch.zeros(n, D)
    for t in range(n):
        for i in range(0, D, 2):
            pe[t, i] = math.sin(t / 10000 ** (i / D))
            if i + 1 < D:
                pe[t, i + 1] = math.cos(t / 10000 ** (i / D))
    return pe


def lin(p, n, x):
    return x @ p[n + ".W"].T + p[n + ".b"][0]


def norm(p, n, x):
    m = x.mean(1, keepdim=True)
    v = ((x - m) ** 2).mean(1, keepdim=True)
    return (x - m) / torch.sqrt(v + 1e-5) * p[n + ".gain"][0] + p[n + ".bias"][0]


def attention(p, n, x, mem, causal):
    q, k, v = lin(p, n + ".query", x), lin(p, n + ".key", mem), lin(p, n + ".value", mem)
    out, w = [], D // H
    for h in range(H):
        c = slice(h * w, (h + 1) * w)
        s = q[:, c] @ k[:, c].T / math.sqrt(w)
        if causal:
            s = s.masked_fill(torch.triu(torch.ones_like(s), 1) > 0, -math.inf)
        out.append(torch.softmax(s, 1) @ v[:, c])
    return lin(p, n + ".output", torch.cat(out, 1))


def part(p, where, name, x, f):
    if where == "after":
        return norm(p, name, x + f(x))
    return x + f(norm(p, name, x))


def stack(p, where, side, x, mem):
    for i in range(L):
        b = f"{side}.{i}."
        x = part(p, where, b + "norm.self", x,
                 lambda y: attention(p, b + "self", y, y, side == "decoder"))
        if side == "decoder":
            x = part(p, where, b + "norm.cross", x,
                     lambda y: attention(p, b + "cross", y, mem, False))
        x = part(p, where, b + "norm.feed", x,
                 lambda y: lin(p, b + "feed.out", torch.relu(lin(p, b + "feed.in", y))))
    return norm(p, side + ".norm", x) if where == "before" else x


def batch_loss(p, where):
    total = 0
    for src, tgt in zip(SOURCES, TARGETS):
        e = p["embedding"]
        mem = stack(p, where, "encoder", e[src] * math.sqrt(D) + positions(len(src)), None)
        inp = [1] + tgt[:-1]
        y = stack(p, where, "decoder", e[inp] * math.sqrt(D) + positions(len(inp)), mem)
        lp = torch.log_softmax(y @ e.T + p["output.b"][0], 1)
        total = total - sum(lp[t, w] for t, w in enumerate(tgt))
    return total / sum(map(len, TARGETS))


def numbers(t):
    return [float(f"{x:.15g}") for x in t.detach().reshape(-1).tolist()]


cases = []
for k, where in enumerate(("after", "before")):
    torch.manual_seed(200 + k)
    p = {n: (0.4 * torch.randn(s) + (1 if n.endswith("gain") else 0)).requires_grad_()
         for n, s in shapes(where).items()}
    loss = batch_loss(p, where)
    loss.backward()
    c = {"norm": where, "loss": float(loss), "values": {n: numbers(x) for n, x in p.items()},
         "gradients": {n: numbers(x.grad) for n, x in p.items()}, "curve": []}
    opt = torch.optim.Adam(list(p.values()), 0.01)
    for _ in range(10):
        opt.zero_grad()
        loss = batch_loss(p, where)
        c["curve"].append(float(loss))
        loss.backward()
        opt.step()
    cases.append(c)
doc = {"width": D, "heads": H, "feed_forward": F, "layers": L, "vocabulary": V,
       "sources": SOURCES, "targets": TARGETS}
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "transformer_reference.json")
with open(path, "w") as f:
    f.write("{" + ",\n ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in doc.items()))
    f.write(',\n "cases": [' + ",\n  ".join(json.dumps(c) for c in cases) + "]}\n")
