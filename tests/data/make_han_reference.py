#!/usr/bin/python3
"""Reference numbers for the hierarchical attention network, from PyTorch in double precision.

An implementation of its own, word by word, from the equations: loss, weights and class
probabilities of a few documents, the gradient of every parameter, and the losses of ten steps
of Adam. Writes han_reference.json beside it. Needs python3-torch; the tests need only the JSON.
"""
import json
import math
import os
import torch

torch.set_default_dtype(torch.float64)
E, H, A, V, C = 4, 2, 3, 9, 3
DOCUMENTS = [[[3, 5, 8, 4], [7], [6, 2, 3]], [[5, 1]], [], [[2, 2, 8], [4, 7]]]
LABELS = [0, 2, 1, 2]
CASES = [
    {"pooling": "attention"},
    {"pooling": "attention", "word_entropy": 0.3, "sentence_entropy": 0.2, "smoothing": 0.1},
    {"pooling": "words", "word_entropy": 0.1},
    {"pooling": "mean"},
    {"pooling": "max"},
    {"pooling": "sentences"},
]


def attends(case, level):
    return case["pooling"] == "attention" or (level == "word" and case["pooling"] == "words") or (
        level == "sentence" and case["pooling"] == "sentences")


def shapes(case):
    """Names and shapes of the parameters, as the model files have them."""
    p = {"embedding": (V, E)}
    for level, width in (("word", E), ("sentence", 2 * H)):
        p[f"{level}.W"] = (6 * H, width)
        p[f"{level}.b"] = (1, 6 * H)
        p[f"{level}.forward.U"] = (3 * H, H)
        p[f"{level}.backward.U"] = (3 * H, H)
        if attends(case, level):
            p[f"{level}.attention.W"] = (A, 2 * H)
            p[f"{level}.attention.b"] = (1, A)
            p[f"{level}.context"] = (1, A)
    p["class.W"] = (C, 2 * H)
    p["class.b"] = (1, C)
    return p


def gru(p, level, way, xs):
    h, out = torch.zeros(H), []
    part = slice(0, 3 * H) if way == "forward" else slice(3 * H, 6 * H)
    W, b, U = p[level + ".W"][part], p[level + ".b"][0][part], p[f"{level}.{way}.U"]
    for x in xs:
        r = torch.sigmoid(W[:H] @ x + b[:H] + U[:H] @ h)
        z = torch.sigmoid(W[H:2 * H] @ x + b[H:2 * H] + U[H:2 * H] @ h)
        new = torch.tanh(W[2 * H:] @ x + b[2 * H:] + r * (U[2 * H:] @ h))
        h = (1 - z) * h + z * new
        out.append(h)
    return out


def read(p, case, level, xs):
    """The vector of one sequence and its weights (None: nothing attends)."""
    forward = gru(p, level, "forward", xs)
    backward = gru(p, level, "backward", xs[::-1])[::-1]
    h = torch.stack([torch.cat(pair) for pair in zip(forward, backward)])
    if attends(case, level):
        u = torch.tanh(h @ p[level + ".attention.W"].T + p[level + ".attention.b"][0])
        a = torch.softmax(u @ p[level + ".context"][0], 0)
        return a @ h, a
    if case["pooling"] == "max":
        return h.max(0).values, None
    return h.mean(0), None


def entropy(a):
    return -(a * torch.log(a)).sum()


def document(p, case, sentences):
    if not sentences:
        return p["class.b"][0], [], None, 0, 0
    vectors, weights = [], []
    for words in sentences:
        s, a = read(p, case, "word", [p["embedding"][w] for w in words])
        vectors.append(s)
        weights.append(a)
    v, b = read(p, case, "sentence", vectors)
    W = sum(entropy(a) for a in weights) / len(weights) if weights[0] is not None else 0
    S = entropy(b) if b is not None else 0
    return p["class.W"] @ v + p["class.b"][0], weights, b, W, S


def loss(p, case):
    total = 0
    for sentences, label in zip(DOCUMENTS, LABELS):
        logits, _, _, W, S = document(p, case, sentences)
        log_p = torch.log_softmax(logits, 0)
        s = case.get("smoothing", 0)
        total = total - (1 - s) * log_p[label] - s * log_p.mean()
        total = total + case.get("word_entropy", 0) * W + case.get("sentence_entropy", 0) * S
    return total / len(DOCUMENTS)


def numbers(x):
    return [] if x is None else [float(v) for v in x.flatten()]


def run(case, seed):
    generator = torch.Generator().manual_seed(seed)
    p = {k: (0.6 * torch.randn(s, generator=generator)).requires_grad_() for k, s in
         shapes(case).items()}
    out = {"settings": case, "values": {k: numbers(v) for k, v in p.items()}}
    value = loss(p, case)
    value.backward()
    out["loss"] = float(value)
    out["gradients"] = {k: numbers(v.grad) for k, v in p.items()}
    out["documents"] = []
    for sentences in DOCUMENTS:
        logits, words, weights, _, _ = document(p, case, sentences)
        out["documents"].append({"probabilities": numbers(torch.softmax(logits, 0)),
                                 "words": [numbers(a) for a in words],
                                 "sentences": numbers(weights)})
    optimiser = torch.optim.Adam(p.values(), lr=0.01)
    out["curve"] = []
    for _ in range(10):
        optimiser.zero_grad()
        value = loss(p, case)
        out["curve"].append(float(value))
        value.backward()
        optimiser.step()
    return out


assert not any(math.isnan(run(c, 1)["loss"]) for c in CASES)
result = {"embedding": E, "hidden": H, "attention_hidden": A, "vocabulary": V, "classes": C,
          "documents": DOCUMENTS, "labels": LABELS,
          "cases": [run(c, 7 + i) for i, c in enumerate(CASES)]}
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "han_reference.json")
with open(path, "w") as file:
    json.dump(result, file, separators=(",", ":"))
    file.write("\n")
