#!/usr/bin/python3
"""Reference numbers for the sentence classifiers, from PyTorch in double precision.

An implementation of its own, sentence by sentence and pair by pair, from the equations: the
loss of a small batch, the gradient of every parameter, and the losses of ten steps of Adam.
Where words are selected, the selection is given and the policy's term is part of the loss,
its reward held constant. Writes sentence_reference.json beside it. Needs python3-torch; the
tests need only the JSON.
"""
import json
import math
import os
import torch
from torch.nn.functional import elu

torch.set_default_dtype(torch.float64)
E, D, V, C, HEADS, FORWARD, HOPS, HOP_HIDDEN, SELECTOR = 3, 4, 9, 3, 2, 5, 2, 3, 2
LAMBDA, FLOOR, PENALTY, TANH = 0.5, 0.25, 0.3, 2.0
SENTENCES = [[3, 5, 8, 4], [7], [6, 2, 3]]
CLASSES = [0, 2, 1]
# Head and dependent flags of every word; the last case leaves a sentence without heads.
SOME = {"head": [1, 0, 1, 1, 1, 0, 1, 0], "dependent": [1, 1, 0, 1, 0, 1, 1, 0]}
NO_HEAD = {"head": [0, 0, 1, 1, 1, 0, 0, 0], "dependent": [1, 0, 0, 0, 1, 1, 1, 0]}

# Examples of two sentences: their numbers above, and flags for the words of both, in order.
PAIRS = [[0, 1], [2, 0]]
PAIR_CLASSES = [2, 1]
SOME_OF_PAIRS = {"head": [1, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1, 0],
                 "dependent": [1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1]}

CASES = [
    ({"attention": "none"}, None),
    ({"attention": "multi-head", "layers": "2", "feed-forward": str(FORWARD)}, None),
    ({"attention": "multi-head", "positions": "no"}, None),
    ({"attention": "structured"}, None),
    ({"attention": "disan"}, None),
    ({"attention": "resan", "direction": "diagonal", "unselected": "drop"}, SOME),
    ({"attention": "resan", "direction": "both", "unselected": "drop"}, NO_HEAD),
    ({"attention": "resan", "direction": "diagonal", "unselected": "zero"}, NO_HEAD),
    ({"attention": "resan", "direction": "both", "unselected": "mean", "fusion": "bigru"}, SOME),
    ({"attention": "resan", "direction": "diagonal", "unselected": "mean", "fusion": "bilstm"},
     NO_HEAD),
    ({"attention": "hard"}, SOME),
    ({"attention": "multi-head", "pair": "yes"}, None),
    ({"attention": "structured", "pair": "yes"}, None),
    ({"attention": "resan", "direction": "both", "pair": "yes"}, SOME_OF_PAIRS),
]
DEFAULTS = {"pair": "no", "layers": "1", "feed-forward": "0", "positions": "yes", "direction": "both",
            "unselected": "drop", "fusion": "pooling"}


def recurrent(p, prefix, gates, e, d):
    for way in ("forward", "backward"):
        p[f"{prefix}.{way}.W"] = (gates * d, e)
        p[f"{prefix}.{way}.b"] = (1, gates * d)
        p[f"{prefix}.{way}.U"] = (gates * d, d)


def n_blocks(s):
    if s["attention"] not in ("disan", "resan"):
        return 0
    return 1 if s["attention"] == "resan" and s["direction"] == "diagonal" else 2


def selectors(s):
    return {"resan": ["head", "dependent"], "hard": ["head"]}.get(s["attention"], [])


def shapes(s):
    p, kind = {"embedding": (V, E)}, s["attention"]
    if kind == "structured":
        recurrent(p, "encoder", 4, E, D)
    else:
        p.update({"input.W": (D, E), "input.b": (1, D)})
    if kind == "multi-head":
        for i in range(int(s["layers"])):
            for part in ("query", "key", "value", "output"):
                p[f"layer{i}.attend.{part}.W"] = (D, D)
                p[f"layer{i}.attend.{part}.b"] = (1, D)
            for k in ([1, 2] if s["feed-forward"] != "0" else [1]):
                p[f"layer{i}.norm{k}.gain"] = (1, D)
                p[f"layer{i}.norm{k}.bias"] = (1, D)
            if s["feed-forward"] != "0":
                p.update({f"layer{i}.forward.in.W": (FORWARD, D), f"layer{i}.forward.in.b": (1, FORWARD),
                          f"layer{i}.forward.out.W": (D, FORWARD), f"layer{i}.forward.out.b": (1, D)})
    for i in range(n_blocks(s)):
        b = f"block{i}"
        p.update({f"{b}.W1": (D, D), f"{b}.W2": (D, D), f"{b}.b1": (1, D), f"{b}.gate.W_s": (D, D),
                  f"{b}.gate.W_h": (D, D), f"{b}.gate.b": (1, D)})
    width = 2 * D if kind == "structured" or n_blocks(s) == 2 else D
    if kind == "structured":
        p.update({"pool.W1": (HOP_HIDDEN, width), "pool.W2": (HOPS, HOP_HIDDEN)})
        width *= HOPS
    elif kind not in ("none", "hard"):
        p.update({"pool.W1": (width, width), "pool.b1": (1, width), "pool.W2": (width, width),
                  "pool.b2": (1, width)})
    width *= 4 if s["pair"] == "yes" else 1
    p.update({"output.W": (D, width), "output.b": (1, D), "class.W": (C, D), "class.b": (1, C)})
    for name in selectors(s):
        n = f"select.{name}"
        if s["fusion"] != "pooling":
            recurrent(p, n, 4 if s["fusion"] == "bilstm" else 3, E, SELECTOR)
        p.update({f"{n}.W": (SELECTOR, 3 * E if s["fusion"] == "pooling" else 2 * SELECTOR),
                  f"{n}.b": (1, SELECTOR), f"{n}.v": (1, SELECTOR), f"{n}.bias": (1, 1)})
    return p


def cell(lstm, xp, h, c, U):
    n = h.shape[0]
    if lstm:
        z = xp + U @ h
        i, f, o = torch.sigmoid(z[:n]), torch.sigmoid(z[n:2 * n] + 1), torch.sigmoid(z[2 * n:3 * n])
        c = f * c + i * torch.tanh(z[3 * n:])
        return o * torch.tanh(c), c
    r = torch.sigmoid(xp[:n] + U[:n] @ h)
    z = torch.sigmoid(xp[n:2 * n] + U[n:2 * n] @ h)
    cand = torch.tanh(xp[2 * n:] + r * (U[2 * n:] @ h))
    return (1 - z) * h + z * cand, c


def both_ways(p, prefix, lstm, x):
    out = []
    for way in ("forward", "backward"):
        U = p[f"{prefix}.{way}.U"]
        h = c = torch.zeros(U.shape[1])
        hs = []
        for v in x if way == "forward" else reversed(x):
            h, c = cell(lstm, p[f"{prefix}.{way}.W"] @ v + p[f"{prefix}.{way}.b"][0], h, c, U)
            hs.append(h)
        out.append(hs if way == "forward" else hs[::-1])
    return torch.stack([torch.cat(pair) for pair in zip(*out)])


def norm(x, gain, bias):
    m = x.mean()
    return (x - m) / torch.sqrt(((x - m) ** 2).mean() + 1e-5) * gain[0] + bias[0]


def layers(s, p, h):
    n = h.shape[0]
    for i in range(int(s["layers"])):
        a = f"layer{i}.attend"
        q, k, v = (h @ p[f"{a}.{t}.W"].T + p[f"{a}.{t}.b"] for t in ("query", "key", "value"))
        dk, outs = D // HEADS, []
        for head in range(HEADS):
            c = slice(head * dk, (head + 1) * dk)
            w = torch.softmax(q[:, c] @ k[:, c].T / math.sqrt(dk), 1)
            outs.append(w @ v[:, c])
        y = torch.cat(outs, 1) @ p[f"{a}.output.W"].T + p[f"{a}.output.b"]
        h = torch.stack([norm((h + y)[t], p[f"layer{i}.norm1.gain"], p[f"layer{i}.norm1.bias"])
                         for t in range(n)])
        if s["feed-forward"] != "0":
            f = f"layer{i}.forward"
            y = torch.relu(h @ p[f"{f}.in.W"].T + p[f"{f}.in.b"]) @ p[f"{f}.out.W"].T + p[f"{f}.out.b"]
            h = torch.stack([norm((h + y)[t], p[f"layer{i}.norm2.gain"],
                                  p[f"layer{i}.norm2.bias"]) for t in range(n)])
    return h


def allowed(s, block, i, j):
    if n_blocks(s) == 1:
        return i != j
    return i < j if block == 0 else i > j


def block(s, p, k, h, z):
    """u for the words that stay, in order."""
    n, b, out = h.shape[0], f"block{k}", []
    for j in range(n):
        if not z["head"][j] and s["unselected"] == "drop":
            continue
        readable = [i for i in range(n) if allowed(s, k, i, j)]
        pairs = [i for i in readable if z["dependent"][i]] if z["head"][j] else []
        sj = torch.zeros(D)
        if pairs:
            f = torch.stack([TANH * torch.tanh((p[f"{b}.W1"] @ h[i] + p[f"{b}.W2"] @ h[j]
                                                + p[f"{b}.b1"][0]) / TANH) for i in pairs])
            sj = (torch.softmax(f, 0) * h[pairs]).sum(0)
        elif not z["head"][j] and s["unselected"] == "mean" and readable:
            sj = h[readable].mean(0)
        gate = torch.sigmoid(p[f"{b}.gate.W_s"] @ sj + p[f"{b}.gate.W_h"] @ h[j] + p[f"{b}.gate.b"][0])
        out.append(gate * h[j] + (1 - gate) * sj)
    return torch.stack(out) if out else torch.zeros(0, D)


def positions(n):
    pe = torch.zeros(n, D)
    for t in range(n):
        for k in range(D):
            angle = t / 10000 ** ((k - k % 2) / D)
            pe[t, k] = math.cos(angle) if k % 2 else math.sin(angle)
    return pe


def selector_logits(s, p, name, x):
    n = f"select.{name}"
    x = x.detach()
    if s["fusion"] == "pooling":
        mean = x.mean(0).expand_as(x)
        context = torch.cat((x, mean, x * mean), 1)
    else:
        context = both_ways(p, n, s["fusion"] == "bilstm", x)
    return (elu(context @ p[f"{n}.W"].T + p[f"{n}.b"]) @ p[f"{n}.v"].T + p[f"{n}.bias"])[:, 0]


def vector(s, p, ids, z):
    """One sentence as a vector, and the penalty of its hops."""
    x, kind, penalty = p["embedding"][ids], s["attention"], 0
    n = len(ids)
    if kind == "structured":
        u = both_ways(p, "encoder", True, x)
        a = torch.softmax(torch.tanh(u @ p["pool.W1"].T) @ p["pool.W2"].T, 0)
        penalty = PENALTY * ((a.T @ a - torch.eye(HOPS)) ** 2).sum()
        v = (a.T @ u).reshape(-1)
    elif kind == "multi-head":
        h = math.sqrt(E) * x @ p["input.W"].T + p["input.b"]
        u = layers(s, p, h + positions(n) if s["positions"] == "yes" else h)
    else:
        h = elu(x @ p["input.W"].T + p["input.b"])
        u = h
        if n_blocks(s):
            u = torch.cat([block(s, p, k, h, z) for k in range(n_blocks(s))], 1)
        elif kind == "hard":
            u = h[[i for i in range(n) if z["head"][i]]]
    if kind in ("none", "hard"):
        v = u.mean(0) if u.shape[0] else torch.zeros(D)
    elif kind != "structured":
        scores = elu(u @ p["pool.W1"].T + p["pool.b1"]) @ p["pool.W2"].T + p["pool.b2"]
        v = (torch.softmax(scores, 0) * u).sum(0) if u.shape[0] else torch.zeros(u.shape[1])
    return v, penalty


def example_loss(s, p, sentences, want, z):
    """sentences: one or two lists of ids; z: flags of each."""
    vectors, penalties = zip(*(vector(s, p, ids, own) for ids, own in zip(sentences, z)))
    v, penalty = vectors[0], sum(penalties)
    if s["pair"] == "yes":
        a, b = vectors
        v = torch.cat((a, b, (a - b).abs(), a * b))
    o = elu(p["output.W"] @ v + p["output.b"][0])
    nll = -torch.log_softmax(p["class.W"] @ o + p["class.b"][0], 0)[want]
    loss = nll + penalty
    names = selectors(s)
    if names:
        costs = [max(0, sum(own[k]) / len(own[k]) - FLOOR) for own in z for k in names]
        reward = max(-float(nll), -5.0) - LAMBDA * sum(costs) / len(costs)
        for ids, own in zip(sentences, z):
            for k in names:
                flags = torch.tensor(own[k], dtype=torch.float64)
                a = selector_logits(s, p, k, p["embedding"][ids])
                log_p = flags * torch.nn.functional.logsigmoid(a) \
                    + (1 - flags) * torch.nn.functional.logsigmoid(-a)
                loss = loss - reward * log_p.sum()
    return loss


def batch_loss(s, p, z):
    total, at = 0, 0
    pair = s["pair"] == "yes"
    examples = PAIRS if pair else [[i] for i in range(len(SENTENCES))]
    for example, want in zip(examples, PAIR_CLASSES if pair else CLASSES):
        sentences, flags = [SENTENCES[i] for i in example], []
        for ids in sentences:
            flags.append({k: ([1] * len(ids) if z is None else z[k][at:at + len(ids)])
                          for k in ("head", "dependent")})
            at += len(ids)
        total = total + example_loss(s, p, sentences, want, flags)
    return total / len(examples)


def numbers(t):
    return [float(f"{x:.15g}") for x in t.detach().reshape(-1).tolist()]


def main():
    out = []
    for k, (case, z) in enumerate(CASES):
        s = dict(DEFAULTS, **case)
        torch.manual_seed(300 + k)
        p = {n: (0.7 * torch.randn(shape)).requires_grad_() for n, shape in shapes(s).items()}
        loss = batch_loss(s, p, z)
        loss.backward()
        entry = {"settings": case, "selection": z, "loss": float(loss),
                 "values": {n: numbers(x) for n, x in p.items()},
                 "gradients": {n: numbers(x.grad if x.grad is not None else 0 * x)
                               for n, x in p.items()}}
        opt = torch.optim.Adam(list(p.values()), 0.01)
        curve = []
        for _ in range(10):
            opt.zero_grad()
            loss = batch_loss(s, p, z)
            curve.append(float(loss))
            loss.backward()
            opt.step()
        entry["curve"] = curve
        out.append(entry)
    doc = {"sizes": {"embedding": E, "hidden": D, "heads": HEADS, "hops": HOPS,
                     "hop-hidden": HOP_HIDDEN, "selector-hidden": SELECTOR, "c": int(TANH)},
           "vocabulary": V, "classes": C, "lambda": LAMBDA, "floor": FLOOR, "penalty": PENALTY,
           "sentences": SENTENCES, "labels": CLASSES,
           "pairs": PAIRS, "pair_labels": PAIR_CLASSES, "cases": out}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sentence_reference.json")
    with open(path, "w") as f:
        f.write("{" + ",\n ".join(f"{json.dumps(k)}: " + (
            "[" + ",\n  ".join(json.dumps(c) for c in v) + "]" if k == "cases" else json.dumps(v))
            for k, v in doc.items()) + "}\n")


main()
