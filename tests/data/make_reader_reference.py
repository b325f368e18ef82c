#!/usr/bin/python3
"""Reference numbers for the readers, from PyTorch in double precision.

An implementation of its own, story by story and word by word, from the equations of Hermann et
al. (2015), Chen et al. (2016) and, for sentence vectors, Sukhbaatar et al. (2015): the loss of a
small batch, the weights of every look, the gradient of every parameter, and the losses of ten
steps of Adam. Writes reader_reference.json beside it. Needs python3-torch; the tests need only
the JSON.
"""
import json
import os
import torch

torch.set_default_dtype(torch.float64)
E, H, A, V, C = 3, 2, 3, 10, 4
STORIES = [[[3, 5, 8, 4], [7, 2], [6, 4, 9]], [[5, 1]], [[2, 3, 8], [4, 4, 7, 6]]]
QUESTIONS = [[2, 7, 9], [8], [3, 6, 5, 4]]
ANSWERS = [1, 3, 0]
CASES = [
    {"attention": "additive"},
    {"attention": "additive", "hops": "3"},
    {"attention": "bilinear", "joint": "no"},
    {"attention": "bilinear", "memory": "sentences", "vectors": "positions", "ages": "2", "hops": "2"},
    {"attention": "dot", "memory": "sentences", "vectors": "positions"},
    {"attention": "additive", "memory": "sentences", "hops": "3"},
    {"attention": "cosine"},
    {"attention": "impatient"},
    {"attention": "impatient", "memory": "sentences"},
    {"attention": "none"},
    {"attention": "dot", "memory": "sentences", "vectors": "bags", "ages": "2", "hops": "3"},
    {"attention": "additive", "memory": "sentences", "vectors": "bags", "hops": "2"},
]
DEFAULTS = {"memory": "words", "vectors": "states", "hops": "1", "joint": "yes", "ages": "0"}


def shapes(s):
    bags = s["vectors"] == "bags"
    d, p = E if bags else 2 * H, {}
    for k in [f".{k}" for k in range(int(s["hops"]) + 1)] if bags else [""]:
        p["embedding" + k] = (V, E)
        if s["ages"] != "0":
            p["age" + k] = (int(s["ages"]), E)
    for prefix in () if bags else ("document", "question"):
        for way in ("forward", "backward"):
            p[f"{prefix}.{way}.W"] = (4 * H, E)
            p[f"{prefix}.{way}.b"] = (1, 4 * H)
            p[f"{prefix}.{way}.U"] = (4 * H, H)
    kind = s["attention"]
    if kind in ("additive", "impatient"):
        p.update({"score.document.W": (A, d), "score.question.W": (A, d), "score.w": (1, A)})
    if kind == "impatient":
        p.update({"score.context.W": (A, d), "carry.W": (d, d)})
    if kind == "bilinear":
        p["score.question.W"] = (d, d)
    if kind == "cosine":
        p["score.b"] = (1, 1)
    if s["joint"] == "yes" and not bags:
        p.update({"join.context.W": (d, d), "join.question.W": (d, d)})
    p.update({"answer.W": (C, d), "answer.b": (1, C)})
    return p


def lstm(p, prefix, x):
    """[(forward, backward)] states of every item."""
    out = []
    for way in ("forward", "backward"):
        h = c = torch.zeros(H)
        states = []
        for v in x if way == "forward" else x[::-1]:
            z = p[f"{prefix}.{way}.W"] @ v + p[f"{prefix}.{way}.b"][0] + p[f"{prefix}.{way}.U"] @ h
            i, f, o = torch.sigmoid(z[:H]), torch.sigmoid(z[H:2 * H] + 1), torch.sigmoid(z[2 * H:3 * H])
            c = f * c + i * torch.tanh(z[3 * H:])
            h = o * torch.tanh(c)
            states.append(h)
        out.append(states if way == "forward" else states[::-1])
    return list(zip(*out))


def sentence_vector(s, p, words, from_end, table=""):
    n, total = len(words), torch.zeros(E)
    for j, word in enumerate(words, 1):
        weight = torch.tensor([(1 - j / n) - (k / E) * (1 - 2 * j / n) for k in range(1, E + 1)])
        total = total + weight * p["embedding" + table][word]
    if s["ages"] != "0" and from_end is not None:
        total = total + p["age" + table][min(from_end, int(s["ages"]) - 1)]
    return total


def score(s, p, state, y):
    kind = s["attention"]
    if kind == "additive":
        return p["score.w"][0] @ torch.tanh(p["score.document.W"] @ y + p["score.question.W"] @ state)
    if kind == "bilinear":
        return (p["score.question.W"] @ state) @ y
    if kind == "dot":
        return state @ y
    if kind == "cosine":
        return torch.exp(p["score.b"][0, 0]) * (state @ y) / (state.norm() * y.norm())
    return torch.zeros(())


def join(p, r, u):
    return torch.tanh(p["join.context.W"] @ r + p["join.question.W"] @ u)


def read_bags(s, p, story, question):
    """The memory network: keys and values of hop k from tables k - 1 and k."""
    n, looks = len(story), []
    u = sentence_vector(s, p, question, None, ".0")
    for k in range(int(s["hops"])):
        keys, values = ([sentence_vector(s, p, words, n - 1 - i, f".{k + j}")
                         for i, words in enumerate(story)] for j in (0, 1))
        a = torch.softmax(torch.stack([score(s, p, u, m) for m in keys]), 0)
        looks.append(a)
        u = u + sum(w * m for w, m in zip(a, values))
    return p["answer.W"] @ u + p["answer.b"][0], looks


def read(s, p, story, question):
    """Logits and the weights of every look."""
    if s["vectors"] == "bags":
        return read_bags(s, p, story, question)
    over_sentences = s["memory"] == "sentences"
    if over_sentences and s["vectors"] == "positions":
        n = len(story)
        x = [sentence_vector(s, p, words, n - 1 - i) for i, words in enumerate(story)]
    else:
        x = [p["embedding"][word] for words in story for word in words]
    states, y = lstm(p, "document", x), []
    if over_sentences and s["vectors"] == "states":
        for words in story:
            y.append(torch.cat([states[len(words) - 1][0], states[0][1]]))
            states = states[len(words):]
    else:
        y = [torch.cat(pair) for pair in states]
    asked = lstm(p, "question", [p["embedding"][word] for word in question])
    u = torch.cat([asked[-1][0], asked[0][1]])
    looks, g = [], u
    if s["attention"] == "impatient":
        r = torch.zeros(2 * H)
        for pair in asked:
            q = p["score.question.W"] @ torch.cat(pair) + p["score.context.W"] @ r
            e = torch.stack([p["score.w"][0] @ torch.tanh(p["score.document.W"] @ m + q) for m in y])
            a = torch.softmax(e, 0)
            r = sum(w * m for w, m in zip(a, y)) + torch.tanh(p["carry.W"] @ r)
        looks.append(a)
        g = join(p, r, u)
    else:
        for _ in range(int(s["hops"])):
            a = torch.softmax(torch.stack([score(s, p, g, m) for m in y]), 0)
            r = sum(w * m for w, m in zip(a, y))
            looks.append(a)
            g = join(p, r, g) if s["joint"] == "yes" else r
    return p["answer.W"] @ g + p["answer.b"][0], looks


def batch_loss(s, p):
    total, all_looks = 0, []
    for story, question, answer in zip(STORIES, QUESTIONS, ANSWERS):
        logits, looks = read(s, p, story, question)
        total = total - torch.log_softmax(logits, 0)[answer] / len(STORIES)
        all_looks.append([numbers(a) for a in looks])
    return total, all_looks


def numbers(t):
    return [float(f"{x:.15g}") for x in t.detach().reshape(-1).tolist()]


def main():
    out = []
    for k, case in enumerate(CASES):
        s = {**DEFAULTS, **case}
        torch.manual_seed(900 + k)
        p = {n: (0.8 * torch.randn(shape)).requires_grad_() for n, shape in shapes(s).items()}
        loss, looks = batch_loss(s, p)
        loss.backward()
        zero = torch.zeros(())
        entry = {"settings": s, "loss": float(loss), "looks": looks,
                 "values": {n: numbers(x) for n, x in p.items()},
                 "gradients": {n: numbers(x.grad if x.grad is not None else zero.expand(x.shape))
                               for n, x in p.items()}}
        opt = torch.optim.Adam(list(p.values()), 0.01)
        curve = []
        for _ in range(10):
            opt.zero_grad()
            loss, _ = batch_loss(s, p)
            curve.append(float(loss))
            loss.backward()
            opt.step()
        entry["curve"] = curve
        out.append(entry)
    doc = {"sizes": {"embedding": E, "hidden": H, "attention-hidden": A}, "vocabulary": V,
           "answers": C, "stories": STORIES, "questions": QUESTIONS, "right": ANSWERS, "cases": out}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reader_reference.json")
    with open(path, "w") as f:
        f.write("{" + ",\n ".join(f"{json.dumps(k)}: " + (
            "[" + ",\n  ".join(json.dumps(c) for c in v) + "]" if k == "cases" else json.dumps(v))
            for k, v in doc.items()) + "}\n")


main()
