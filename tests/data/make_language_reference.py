#!/usr/bin/python3
"""Reference numbers for the language models, from PyTorch in double precision.

An implementation of its own, sentence by sentence, from the equations of Cheng, Dong and
Lapata (2016): the loss of a small batch, the gradient of every parameter, and the losses of
ten steps of Adam. Writes language_reference.json beside it. Needs python3-torch; the tests
need only the JSON.
"""
import json
import os
import torch

torch.set_default_dtype(torch.float64)
E, D, A, V, BEGIN, END = 3, 4, 2, 9, 1, 2
SENTENCES = [[3, 5, 8, 4, END], [7, END], [6, 4, 3, END]]


def shapes(kind):
    p = {"embedding": (V, E), "input.W": (4 * D, E), "input.b": (1, 4 * D),
         "recurrent.U": (4 * D, D)}
    if kind == "intra":
        p.update({"attention.W_x": (A, E), "attention.W_h": (A, D), "attention.W_r": (A, D),
                  "attention.v": (1, A)})
    p.update({"readout.W": (E, D), "readout.b": (1, E), "output.b": (1, V)})
    return p


def sentence_loss(kind, p, target):
    hs, cs, r, loss, word = [], [], torch.zeros(D), 0, BEGIN
    for want in target:
        x = p["embedding"][word]
        m = torch.zeros(D)
        if kind == "none":
            r, m = (hs[-1], cs[-1]) if hs else (torch.zeros(D), m)
        elif hs:
            q = p["attention.W_x"] @ x + p["attention.W_r"] @ r
            e = torch.stack([p["attention.v"][0] @ torch.tanh(p["attention.W_h"] @ h + q) for h in hs])
            s = torch.softmax(e, 0)
            r, m = s @ torch.stack(hs), s @ torch.stack(cs)
        z = p["input.W"] @ x + p["input.b"][0] + p["recurrent.U"] @ r
        i, f, o = torch.sigmoid(z[:D]), torch.sigmoid(z[D:2 * D] + 1), torch.sigmoid(z[2 * D:3 * D])
        c = f * m + i * torch.tanh(z[3 * D:])
        h = o * torch.tanh(c)
        hs.append(h)
        cs.append(c)
        y = p["embedding"] @ (p["readout.W"] @ h + p["readout.b"][0]) + p["output.b"][0]
        loss = loss - torch.log_softmax(y, 0)[want]
        word = want
    return loss


def batch_loss(kind, p):
    return sum(sentence_loss(kind, p, s) for s in SENTENCES) / sum(map(len, SENTENCES))


def numbers(t):
    return [float(f"{x:.15g}") for x in t.detach().reshape(-1).tolist()]


def main():
    out = []
    for k, kind in enumerate(("intra", "none")):
        torch.manual_seed(500 + k)
        p = {n: (0.7 * torch.randn(shape)).requires_grad_() for n, shape in shapes(kind).items()}
        loss = batch_loss(kind, p)
        loss.backward()
        entry = {"settings": {"attention": kind}, "loss": float(loss),
                 "values": {n: numbers(x) for n, x in p.items()},
                 "gradients": {n: numbers(x.grad) for n, x in p.items()}}
        opt = torch.optim.Adam(list(p.values()), 0.01)
        curve = []
        for _ in range(10):
            opt.zero_grad()
            loss = batch_loss(kind, p)
            curve.append(float(loss))
            loss.backward()
            opt.step()
        entry["curve"] = curve
        out.append(entry)
    doc = {"sizes": {"embedding": E, "hidden": D, "attention-hidden": A}, "vocabulary": V,
           "sentences": SENTENCES, "cases": out}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "language_reference.json")
    with open(path, "w") as f:
        f.write("{" + ",\n ".join(f"{json.dumps(k)}: " + (
            "[" + ",\n  ".join(json.dumps(c) for c in v) + "]" if k == "cases" else json.dumps(v))
            for k, v in doc.items()) + "}\n")


main()
