#!/usr/bin/python3
"""Reference numbers for the recurrent attention model, from PyTorch in double precision.

An implementation of its own from the equations: the hybrid loss of a small batch with given
places, the gradient of every parameter, and the losses of ten steps of Adam, for each kind
of baseline. Writes ram_reference.json beside it. Needs python3-torch; the tests need only
the JSON.
"""
import json
import math
import os
import torch

torch.set_default_dtype(torch.float64)
SIDE, PATCH, SCALES, GLIMPSES, A, D, N = 9, 2, 3, 4, 3, 5, 3
SIGMA, VALUE, POLICY, MOVING = 0.3, 0.7, 0.4, 0.35
CASES = [("none", 0.0), ("moving", 0.5), ("learned", 0.25)]
SHAPES = {"what.W": (A, SCALES * PATCH * PATCH), "what.b": (1, A), "where.W": (A, 2),
          "where.b": (1, A), "glimpse.W_what": (D, A), "glimpse.W_where": (D, A),
          "glimpse.b": (1, D), "core.W": (D, D), "core.U": (D, D), "core.b": (1, D),
          "action.W": (10, D), "action.b": (1, 10), "location.W": (2, D), "location.b": (1, 2),
          "baseline.w": (1, D), "baseline.b": (1, 1)}


def look(picture, place):
    x, y = (max(-1.0, min(1.0, float(v))) for v in place)
    out = []
    for j in range(SCALES):
        f, side = 2 ** j, PATCH * 2 ** j
        left = math.floor((x + 1) / 2 * SIDE) - side // 2
        top = math.floor((y + 1) / 2 * SIDE) - side // 2
        for r in range(PATCH):
            for c in range(PATCH):
                total = 0.0
                for v in range(top + r * f, top + (r + 1) * f):
                    for u in range(left + c * f, left + (c + 1) * f):
                        if 0 <= v < SIDE and 0 <= u < SIDE:
                            total += float(picture[v, u])
                out.append(total / f ** 2)
    return torch.tensor(out), torch.tensor([x, y])


def loss(p, pictures, labels, places, kind, early):
    total = 0
    for i in range(N):
        h, means, baselines, states = torch.zeros(D), [], [], []
        for t in range(GLIMPSES):
            seen, where = look(pictures[i], places[t][i])
            a = torch.relu(p["what.W"] @ seen + p["what.b"][0])
            w = torch.relu(p["where.W"] @ where + p["where.b"][0])
            g = torch.relu(p["glimpse.W_what"] @ a + p["glimpse.W_where"] @ w + p["glimpse.b"][0])
            h = torch.relu(p["core.U"] @ h + p["core.W"] @ g + p["core.b"][0])
            states.append(h)
            means.append(torch.tanh(p["location.W"] @ h.detach() + p["location.b"][0]))
            baselines.append(p["baseline.w"][0] @ h.detach() + p["baseline.b"][0, 0])
        logits = [p["action.W"] @ s + p["action.b"][0] for s in states]
        ce = [-torch.log_softmax(x, 0)[labels[i]] for x in logits]
        reward = float(int(torch.argmax(logits[-1])) == labels[i])
        total = total + ce[-1] + early * sum(ce[:-1]) / (GLIMPSES - 1)
        for t in range(GLIMPSES - 1):
            total = total + VALUE * (baselines[t] - reward) ** 2 / (GLIMPSES - 1)
            b = {"none": 0.0, "moving": MOVING, "learned": float(baselines[t])}[kind]
            away = (torch.tensor(places[t + 1][i]) - means[t]).pow(2).sum()
            # minus the log-density of the place, without what does not depend on the mean
            total = total + POLICY * (reward - b) * away / (2 * SIGMA ** 2)
    return total / N


def numbers(t):
    return [float(f"{x:.15g}") for x in t.detach().reshape(-1).tolist()]


def main():
    torch.manual_seed(7)
    pictures = torch.rand(N, SIDE, SIDE)
    labels = [3, 0, 7]
    places = (torch.rand(GLIMPSES, N, 2) * 2.6 - 1.3).tolist()
    out = []
    for kind, early in CASES:
        p = {n: (0.6 * torch.randn(s)).requires_grad_() for n, s in SHAPES.items()}
        # The first picture's label is what the model answers, so that rewards differ.
        with torch.no_grad():
            p["action.b"][0, labels[0]] += 1.5
        value = loss(p, pictures, labels, places, kind, early)
        value.backward()
        entry = {"baseline": kind, "early": early, "loss": float(value),
                 "values": {n: numbers(x) for n, x in p.items()},
                 "gradients": {n: numbers(x.grad) for n, x in p.items()}}
        opt = torch.optim.Adam(list(p.values()), 0.01)
        curve = []
        for _ in range(10):
            opt.zero_grad()
            value = loss(p, pictures, labels, places, kind, early)
            curve.append(float(value))
            value.backward()
            opt.step()
        entry["curve"] = curve
        out.append(entry)
    doc = {"side": SIDE, "patch": PATCH, "scales": SCALES, "glimpses": GLIMPSES,
           "glimpse_hidden": A, "hidden": D, "sigma": SIGMA, "value": VALUE, "policy": POLICY,
           "moving": MOVING, "pictures": [numbers(x) for x in pictures], "labels": labels,
           "places": [v for t in places for i in t for v in i], "cases": out}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ram_reference.json")
    with open(path, "w") as f:
        f.write("{" + ",\n ".join(f"{json.dumps(k)}: " + (
            "[" + ",\n  ".join(json.dumps(c) for c in v) + "]" if k == "cases" else json.dumps(v))
            for k, v in doc.items()) + "}\n")


main()
