#!/usr/bin/python3
"""Reference numbers for the encoder-decoders, from PyTorch in double precision.

An implementation of its own, sentence by sentence, from the equations: the loss of a small
batch, the gradient of every parameter, and the losses of ten steps of Adam. Writes
seq2seq_reference.json beside it. Needs python3-torch; the tests need only the JSON.
"""
import json
import math
import os
import torch

torch.set_default_dtype(torch.float64)
E, H, A, V, POSITIONS, D = 3, 2, 3, 9, 5, 1
SOURCES = [[3, 5, 8, 4], [7, 6, 3], [5]]
TARGETS = [[4, 8, 2], [6, 2], [7, 5, 3, 2]]
BEGIN = 1

CASES = [
    {"attention": "additive"},
    {"attention": "additive", "gru": "reset-before"},
    {"attention": "none", "context": "feed"},
    {"attention": "none", "context": "initial", "cell": "lstm"},
    {"attention": "cosine"},
    {"attention": "location"},
    {"attention": "general", "embeddings": "shared"},
    {"attention": "dot"},
    {"attention": "scaled-dot", "cell": "lstm"},
    {"attention": "general", "query": "current", "feeding": "yes", "cell": "lstm"},
    {"attention": "dot", "query": "current", "align": "local-m"},
    {"attention": "general", "query": "current", "feeding": "yes", "align": "local-p"},
    {"attention": "scaled-dot", "projected": "yes"},
]
DEFAULTS = {"align": "global", "query": "previous", "feeding": "no", "context": "feed",
            "cell": "gru", "gru": "reset-after", "embeddings": "separate",
            "projected": "no"}


def shapes(s):
    """Names and shapes of the parameters, as the model files have them."""
    g = 4 if s["cell"] == "lstm" else 3
    d, lstm = 2 * H, s["cell"] == "lstm"
    p = {"source.embedding": (V, E)}
    if s["embeddings"] == "separate":
        p["target.embedding"] = (V, E)
    for way in ("forward", "backward"):
        p[f"encoder.{way}.W"] = (g * H, E)
        p[f"encoder.{way}.b"] = (1, g * H)
        p[f"encoder.{way}.U"] = (g * H, H)
    p["decoder.first.W"] = (d, 2 * H if lstm else H)
    p["decoder.first.b"] = (1, d)
    if lstm:
        p["decoder.first_cell.W"] = (d, 2 * H)
        p["decoder.first_cell.b"] = (1, d)
    att = s["attention"]
    if att == "additive":
        p.update({"attention.W": (A, d), "attention.U": (A, 2 * H), "attention.b": (1, A),
                  "attention.v": (1, A)})
    elif s["projected"] == "yes":
        p.update({"attention.W": (A, d), "attention.U": (A, 2 * H)})
    elif att == "general":
        p["attention.W"] = (2 * H, d)
    elif att == "location":
        p["attention.W"] = (POSITIONS, d)
    elif att == "cosine":
        p["attention.log_beta"] = (1, 1)
    if s["align"] == "local-p":
        p["attention.centre.W"] = (d, d)
        p["attention.centre.v"] = (1, d)
    context = att != "none" or s["context"] == "feed"
    current = s["query"] == "current"
    p["decoder.W"] = (g * d, E)
    p["decoder.b"] = (1, g * d)
    p["decoder.U"] = (g * d, d)
    if s["feeding"] == "yes":
        p["decoder.C"] = (g * d, E)
    elif context and not current:
        p["decoder.C"] = (g * d, 2 * H)
    p["readout.W"] = (E, d + (2 * H if context else 0) + (0 if current else E))
    if not current:
        p["readout.b"] = (1, E)
    p["output.b"] = (1, V)
    return p


def cell(s, xp, h, c, U):
    n = h.shape[0]
    if s["cell"] == "lstm":
        z = xp + U @ h
        i, f, o = (torch.sigmoid(z[k * n:(k + 1) * n]) for k in range(3))
        # the forget gate's constant 1 is added to xp by the caller
        c = f * c + i * torch.tanh(z[3 * n:])
        return o * torch.tanh(c), c
    r = torch.sigmoid(xp[:n] + U[:n] @ h)
    z = torch.sigmoid(xp[n:2 * n] + U[n:2 * n] @ h)
    if s["gru"] == "reset-after":
        cand = torch.tanh(xp[2 * n:] + r * (U[2 * n:] @ h))
    else:
        cand = torch.tanh(xp[2 * n:] + U[2 * n:] @ (r * h))
    return (1 - z) * h + z * cand, c


def recur(s, W, b, U, x, h, c, extra=None):
    xp = W @ x + b[0]
    if s["cell"] == "lstm":
        n = h.shape[0]
        one = torch.zeros(4 * n)
        one[n:2 * n] = 1
        xp = xp + one
    if extra is not None:
        xp = xp + extra
    return cell(s, xp, h, c, U)


def encode(s, p, ids):
    out, last = {}, {}
    for way in ("forward", "backward"):
        h = c = torch.zeros(H)
        hs = []
        for i in ids if way == "forward" else reversed(ids):
            h, c = recur(s, p[f"encoder.{way}.W"], p[f"encoder.{way}.b"], p[f"encoder.{way}.U"],
                         p["source.embedding"][i], h, c)
            hs.append(h)
        out[way] = hs if way == "forward" else hs[::-1]
        last[way] = (h, c)
    ann = torch.stack([torch.cat(x) for x in zip(out["forward"], out["backward"])])
    if s["cell"] == "lstm":
        hh = torch.cat((last["forward"][0], last["backward"][0]))
        cc = torch.cat((last["forward"][1], last["backward"][1]))
        s0 = torch.tanh(p["decoder.first.W"] @ hh + p["decoder.first.b"][0])
        c0 = p["decoder.first_cell.W"] @ cc + p["decoder.first_cell.b"][0]
    else:
        s0 = torch.tanh(p["decoder.first.W"] @ last["backward"][0] + p["decoder.first.b"][0])
        c0 = None
    return ann, torch.cat((last["forward"][0], last["backward"][0])), s0, c0


def attend(s, p, q, ann, t):
    S, att = ann.shape[0], s["attention"]
    if att == "additive":
        e = torch.stack([p["attention.v"][0] @ torch.tanh(p["attention.W"] @ q
                         + p["attention.U"] @ h + p["attention.b"][0]) for h in ann])
    elif att == "general":
        e = ann @ (p["attention.W"] @ q)
    elif att == "location":
        e = (p["attention.W"] @ q)[:S]
    elif att == "cosine":
        e = torch.exp(p["attention.log_beta"][0, 0]) * torch.stack(
            [q @ h / max(q.norm() * h.norm(), torch.tensor(1e-8)) for h in ann])
    else:
        keys = ann
        if s["projected"] == "yes":
            q, keys = p["attention.W"] @ q, ann @ p["attention.U"].T
        e = keys @ q / (math.sqrt(q.shape[0]) if att == "scaled-dot" else 1)
    lo, hi, mu = 0, S - 1, None
    if s["align"] == "local-m":
        k = min(t, S - 1)
        lo, hi = max(0, k - D), min(S - 1, k + D)
    elif s["align"] == "local-p":
        mu = torch.sigmoid(p["attention.centre.v"][0] @ torch.tanh(p["attention.centre.W"] @ q)) \
            * (S - 1)
        k = int(math.floor(float(mu)))
        lo, hi = max(0, k - D), min(S - 1, k + D)
    if att == "location":
        hi = min(hi, POSITIONS - 1)
    a = torch.zeros(S)
    a[lo:hi + 1] = torch.softmax(e[lo:hi + 1], 0)
    if mu is not None:
        j = torch.arange(S)
        a = a * torch.exp(-(j - mu) ** 2 / (2 * (D / 2) ** 2))
    return a @ ann


def sentence_loss(s, p, src, tgt):
    emb = p["source.embedding" if s["embeddings"] == "shared" else "target.embedding"]
    ann, fixed, h, c = encode(s, p, src)
    att, current = s["attention"] != "none", s["query"] == "current"
    feed = torch.zeros(E)
    y, loss, first = BEGIN, 0, True
    for t, want in enumerate(tgt):
        ctx = None
        if att and not current:
            ctx = attend(s, p, h, ann, t)
        elif not att and s["context"] == "feed":
            ctx = fixed
        extra = None
        if s["feeding"] == "yes":
            extra = p["decoder.C"] @ feed
        elif ctx is not None:
            extra = p["decoder.C"] @ ctx
        h, c = recur(s, p["decoder.W"], p["decoder.b"], p["decoder.U"], emb[y], h, c, extra)
        if att and current:
            ctx = attend(s, p, h, ann, t)
            r = torch.tanh(p["readout.W"] @ torch.cat((ctx, h)))
        else:
            r = torch.tanh(p["readout.W"] @ torch.cat([h] + ([] if ctx is None else [ctx])
                                                      + [emb[y]]) + p["readout.b"][0])
        feed = r
        loss = loss - torch.log_softmax(emb @ r + p["output.b"][0], 0)[want]
        y = want
    return loss


def batch_loss(s, p):
    total = sum(sentence_loss(s, p, a, b) for a, b in zip(SOURCES, TARGETS))
    return total / sum(map(len, TARGETS))


def numbers(t):
    return [float(f"{x:.15g}") for x in t.detach().reshape(-1).tolist()]


def main():
    out = []
    for k, case in enumerate(CASES):
        s = dict(DEFAULTS, **case)
        torch.manual_seed(100 + k)
        p = {n: (0.6 * torch.randn(shape)).requires_grad_() for n, shape in shapes(s).items()}
        loss = batch_loss(s, p)
        loss.backward()
        entry = {"settings": case, "loss": float(loss),
                 "values": {n: numbers(x) for n, x in p.items()},
                 "gradients": {n: numbers(x.grad) for n, x in p.items()}}
        opt = torch.optim.Adam(list(p.values()), 0.01)
        curve = []
        for _ in range(10):
            opt.zero_grad()
            loss = batch_loss(s, p)
            curve.append(float(loss))
            loss.backward()
            opt.step()
        entry["curve"] = curve
        out.append(entry)
    doc = {"embedding": E, "encoder_hidden": H, "attention_hidden": A, "vocabulary": V,
           "positions": POSITIONS, "window": D, "sources": SOURCES, "targets": TARGETS,
           "cases": out}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seq2seq_reference.json")
    with open(path, "w") as f:
        f.write("{" + ",\n ".join(f"{json.dumps(k)}: " + (
            "[" + ",\n  ".join(json.dumps(c) for c in v) + "]" if k == "cases" else json.dumps(v))
            for k, v in doc.items()) + "}\n")


main()
