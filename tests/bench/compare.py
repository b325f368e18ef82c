#!/usr/bin/python3
"""Fovea and its peers in turn (A B A B ...): one table of figures, targets, and what was met.

  FOVEA_PEERS=DIRECTORY compare.py [--rounds N] [--seconds S] [--minutes M] [--only WORDS] [--json]

A further round begins only if it ends within the minutes (9), judged by the rounds before it.

FOVEA_PEERS holds the peers' scripts (README.md says which); without it only our own figures are
printed. FOVEA_BUILD is the build folder (default build/bench, made by run.sh). PyTorch is run
by /usr/bin/python3, ONNX Runtime by node. A side that is not there is left out.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("FOVEA_BUILD", os.path.join(ROOT, "build", "bench"))
PEERS = os.environ.get("FOVEA_PEERS")
WORK = os.path.join(BUILD, "peers")
PYTHON = "/usr/bin/python3"

# Title, our case, then the peers': (side, case, how many times as fast we want to be).
FIGURES = [
    ("decode step, hidden 256", "step B1 H256 S20", [
        ("onnx", "step B1 H256 S20", 1.5), ("torch", "step B1 mv (tuned) H256 S20", None),
        ("torch", "step B1 H256 S20", 7)]),
    ("decode step, hidden 512", "step B1 H512 S20", [
        ("onnx", "step B1 H512 S20", 1.1), ("torch", "step B1 mv (tuned) H512 S20", None),
        ("torch", "step B1 H512 S20", 4)]),
    ("step of a beam of 5, hidden 256", "beam5 step (model only) H256 S20", [
        ("onnx", "beam5 step (model only) H256 S20", 1)]),
    ("the same with search and encoding", "beam5 per step (incl. encode) H256 S20", [
        ("torch", "beam5 per step (incl. encode) H256 S20", None)]),
    ("step of a beam of 5, hidden 512", "beam5 step (model only) H512 S20", [
        ("onnx", "beam5 step (model only) H512 S20", 1)]),
    ("encode 20 tokens, hidden 256", "encode H256 S20", [
        ("onnx", "encode H256 S20", 1.2), ("torch", "encode H256 S20", 5)]),
    ("training step, hidden 256", "train step B64 T12 Adam H256", [
        ("torch", "train step B64 T12 Adam H256", 1.3)]),
    ("training step, hidden 512", "train step B64 T12 Adam H512", [
        ("torch", "train step B64 T12 Adam H512", None)]),
    ("HAN, training step of 32 documents", "train step 32 docs E100 SGD", [
        ("torch", "train step 32 docs E100 SGD", 1.7)]),
    ("HAN, one document", "forward 1 doc 15x20 E100", [
        ("torch", "forward 1 doc 15x20 E100", None)]),
    ("RAM, training step of 128 pictures", "train step B128 6x8x8 M1 Adam", [
        ("torch", "train step B128 6x8x8 M1 Adam", 1.7)]),
    ("ReSAN block, 30 words", "forward B1 n30 d300, all pairs", [
        ("torch", "forward B1 n30 d300", 5)]),
    ("ReSAN block, 128 words", "forward B1 n128 d300, all pairs", [
        ("torch", "forward B1 n128 d300", 5)]),
    ("encoder 6 x 512, 128 words", "forward+attention 6x512x8 n128", [
        ("onnx", "forward+attention 6x512x8 n128", 1.1),
        ("torch", "forward+attention 6x512x8 n128", 1.1)]),
    ("encoder 6 x 512, 512 words", "forward+attention 6x512x8 n512", [
        ("onnx", "forward+attention 6x512x8 n512", 1.25),
        ("torch", "forward+attention 6x512x8 n512", 1.25)]),
    ("attention over 5,000, global", "attention only dot S5000", [
        ("torch", "attention only dot S5000", None)]),
    ("attention over 5,000, local-p", "attention only local-p S5000", [
        ("torch", "attention only local-p S5000", None)]),
]

# Figures of our own: title, our case (or process), which number of its line, at most.
# Two threads are compared with one by the time that passes.
LIMITS = [
    ("attention over 5,000, local-p, ms", "attention only local-p S5000", "min_ms", 0.05),
    ("key to new picture, median ms", "key to new picture", "median_ms", 16),
    ("144 heads of 256 x 256, first drawn, ms", "144 heads of 256 x 256, first frame",
     "median_ms", 300),
    ("144 heads moved and zoomed, p90 of a frame, ms",
     "144 heads of 256 x 256, a frame while it is moved and zoomed", "p90_ms", 16.7),
    ("4,096 x 4,096, first drawn, ms", "4,096 x 4,096, first frame", "median_ms", None),
    ("4,096 x 4,096 moved and zoomed, p90 of a frame, ms",
     "4,096 x 4,096, a frame while it is moved and zoomed", "p90_ms", 16.7),
    ("review of 300 words edited, new picture, median ms",
     "review of 300 words, key to new picture", "median_ms", 16.7),
    ("the same with the effects of all words, median ms",
     "review of 300 words, key to effects of all words", "median_ms", None),
    ("8,192 x 8,192 moved and zoomed, p90 of a frame, ms",
     "8,192 x 8,192 halves, a frame while it is moved and zoomed", "p90_ms", 16.7),
    ("24 x 16 heads of 1,024 x 1,024, first drawn, ms",
     "24 x 16 heads of 1,024 x 1,024 halves, first frame", "median_ms", 2000),
    ("start to a translated sentence, ms", "start: fovea", "min_ms", 15),
    ("start to a translated sentence, processor ms", "start: fovea", "cpu_min_ms", None),
    ("start to a translated sentence, MB", "start: fovea", "max_rss_MB", 30),
    ("start to a window with a finished heatmap, ms", "start: window", "min_ms", 250),
    ("the same, processor ms", "start: window", "cpu_min_ms", None),
]

# Our case, and a second one of ours that it may not exceed (a hundredth is noise).
PAIRS = [
    ("training step, hidden 256: two threads", "train step B64 T12 Adam H256, two threads",
     "train step B64 T12 Adam H256", 1.01),
    ("HAN, training step: two threads", "train step 32 docs E100 SGD, two threads",
     "train step 32 docs E100 SGD", 1.01),
    ("local-p over 5,000 against 50", "attention only local-p S5000",
     "attention only local-p S50", 1.25),
]

# What runs in turn: our program, the peers' script, and whether ONNX Runtime has it too.
GROUPS = [("translation", "bahdanau.py"), ("han", "han.py"), ("ram", "ram.py"),
          ("resan", "resan.py"), ("luong", "luong.py"), ("encoder", "transformer.py")]


def lines_of(command, cwd=None, env=None):
    done = subprocess.run(command, cwd=cwd, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(f"compare: {' '.join(command)} failed:\n{done.stderr[-800:]}", file=sys.stderr)
        return []
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


class Times:
    """Every measurement of one side and case, in milliseconds."""

    def __init__(self):
        self.least, self.median, self.numbers = {}, {}, {}

    def add(self, side, line):
        for name, value in line.items() if side == "fovea" else ():
            if isinstance(value, float):
                key = line["case"], name
                self.numbers[key] = min(value, self.numbers.get(key, value))
        for unit, factor in (("ms", 1), ("us", 1e-3)):
            if "min_" + unit in line:
                key = side, line["case"]
                self.least.setdefault(key, []).append(line["min_" + unit] * factor)
                self.median.setdefault(key, []).append(line["median_" + unit] * factor)

    def number(self, case, name):
        return self.numbers.get((case, name))

    def get(self, side, case):
        key = side, case
        if key not in self.least:
            return None
        return min(self.least[key]), statistics.median(self.median[key])


def has_torch():
    return bool(PEERS) and subprocess.run([PYTHON, "-c", "import torch"], check=False,
                                          stderr=subprocess.DEVNULL).returncode == 0


def prepare_onnx():
    """The peers' ONNX folder with its package and the exported models, or None."""
    folder = os.path.join(WORK, "onnx")
    if not shutil.which("node") or not os.path.isdir(os.path.join(PEERS, "onnx")):
        return None
    if not os.path.isdir(os.path.join(folder, "node_modules")):
        os.makedirs(folder, exist_ok=True)
        for name in os.listdir(os.path.join(PEERS, "onnx")):
            shutil.copyfile(os.path.join(PEERS, "onnx", name), os.path.join(folder, name))
        if subprocess.run(["npm", "install", "--ignore-scripts", "--silent"], cwd=folder,
                          check=False).returncode:
            return None
    models = os.path.join(folder, "models")
    if not os.path.isdir(models):  # Whole or not at all: an export takes a minute.
        shutil.rmtree(models + ".part", ignore_errors=True)
        subprocess.run([PYTHON, os.path.join(HERE, "peers.py"), "onnx/export.py",
                        models + ".part"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        os.rename(models + ".part", models)
    # Processor time for node as well.
    with open(os.path.join(folder, "clock.cjs"), "w") as file:
        file.write("if (process.env.FOVEA_BENCH_CLOCK !== 'wall')\n"
                   "  Object.defineProperty(performance, 'now', {value: () => {\n"
                   "    const used = process.cpuUsage();\n"
                   "    return (used.user + used.system) / 1e3;\n  }});\n")
    return folder


def run_onnx(folder, seconds):
    return lines_of(["node", "--require", "./clock.cjs", "run.mjs", "models", "1", str(seconds)],
                    cwd=folder)


def compare_tokens(ours, onnx):
    """Greedy tokens of all sides on the same weights: equal, or the end."""
    for line in ours:
        if "tokens" not in line:
            continue
        width = line["case"].rsplit("H", 1)[1]
        with open(os.path.join(WORK, f"tokens{width}.json")) as file:
            theirs = {"PyTorch": json.load(file)}
        if onnx and width == "256":
            done = subprocess.run(["node", "run.mjs", "models", "start"], cwd=onnx, check=True,
                                  stdout=subprocess.PIPE, text=True)
            theirs["ONNX Runtime"] = json.loads(done.stdout)
        for name, tokens in theirs.items():
            if tokens != line["tokens"]:
                sys.exit(f"compare: hidden {width}: {name} writes {tokens}, we {line['tokens']}")
            print(f"hidden {width}: the 20 greedy tokens are those of {name}", file=sys.stderr)


def run_groups(args, torch, onnx):
    times, weights, checked, longest = Times(), [], False, 0
    if torch:
        weights = [os.path.join(WORK, f"{h}.safetensors") for h in (256, 512)]
        if not all(map(os.path.exists, weights)):
            subprocess.run([PYTHON, os.path.join(HERE, "peers.py"), "--weights", WORK], check=True)
    groups = [g for g in GROUPS if not args.only or args.only in g[0]]
    for turn in range(args.rounds):
        began = time.monotonic()
        if turn and began + longest > args.deadline:
            print(f"no time for round {turn + 1} of {args.rounds}", file=sys.stderr)
            break
        for name, script in groups:
            print(f"round {turn + 1}: {name}", file=sys.stderr)
            command = [os.path.join(BUILD, "tests", "bench_" + name), str(args.seconds)]
            ours = lines_of(command + (weights if name == "translation" else []))
            if torch and name == "translation" and not checked:
                compare_tokens(ours, onnx)
                checked = True
            for line in ours:
                times.add("fovea", line)
            if torch:
                for line in lines_of([PYTHON, os.path.join(HERE, "peers.py"), script, "--threads",
                                      "1", "--seconds", str(args.seconds)]):
                    times.add("torch", line)
        if onnx and any(g[0] in ("translation", "encoder") for g in groups):
            for line in run_onnx(onnx, args.seconds):
                times.add("onnx", line)
        longest = max(longest, time.monotonic() - began)
    return times


def run_starts(args, times, torch, onnx):
    """Windows and whole processes; these in turn."""
    program = os.path.join(BUILD, "tests", "bench_window")
    with tempfile.TemporaryDirectory() as folder:  # it writes matrices beside itself
        for line in lines_of([program, str(args.seconds)], cwd=folder,
                             env=dict(os.environ, XDG_STATE_HOME=folder)):
            times.add("fovea", line)
    model = os.path.join(ROOT, "assets", "models", "en-fr-additive.safetensors")
    sentence = "The old man who lives near the station reads a long book in his garden every day."
    commands = {"fovea": [os.path.join(BUILD, "app", "fovea"), "run", "-m", model, "-t", sentence]}
    if torch:
        state = os.path.join(WORK, "256.pt")
        subprocess.run([PYTHON, "-c", "import sys, torch; sys.path.insert(0, sys.argv[1]); "
                        "from model_bahdanau import Bahdanau; torch.manual_seed(1); "
                        "torch.save(Bahdanau(H=256).state_dict(), sys.argv[2])", PEERS, state],
                       check=True)
        commands["torch"] = [PYTHON, os.path.join(PEERS, "startup_child.py"), state, "256"]
    if onnx:
        commands["onnx"] = ["node", os.path.join(onnx, "run.mjs"), os.path.join(onnx, "models"),
                            "start"]
    starter = os.path.join(BUILD, "tests", "bench_start")
    for _ in range(args.rounds):
        for side, command in commands.items():
            runs = "20" if side == "fovea" else "3"
            for line in lines_of([starter, "start: " + side, runs, *command]):
                times.add(side, line)
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, SDL_VIDEODRIVER="offscreen", XDG_STATE_HOME=folder)
        for line in lines_of([starter, "start: window", "10", program, "open"], env=environment):
            times.add("fovea", line)


def rows_of(times):
    for title, case, peers in FIGURES:
        ours = times.get("fovea", case)
        if not ours:
            continue
        row = {"figure": title, "min_ms": round(ours[0], 4), "median_ms": round(ours[1], 4)}
        for side, peer_case, target in peers:
            theirs = times.get(side, peer_case)
            if theirs:
                name = side + (" mv" if " mv " in peer_case else "")
                row[name] = {"min_ms": round(theirs[0], 4), "median_ms": round(theirs[1], 4),
                             "ratio": round(theirs[0] / ours[0], 2), "target": target,
                             "met": target is None or theirs[0] / ours[0] >= target}
        yield row


def limit_rows(times):
    for title, case, name, most in LIMITS:
        value = times.number(case, name)
        if value is not None:
            yield {"figure": title, "value": round(value, 3), "at_most": most,
                   "met": most is None or value <= most}
    for title, case, other, most in PAIRS:
        ours, than = times.get("fovea", case), times.get("fovea", other)
        if ours and than:
            yield {"figure": title + ", ratio", "value": round(ours[0] / than[0], 2),
                   "at_most": most, "met": ours[0] <= most * than[0]}
    for side in ("torch", "onnx"):
        ours, theirs = times.get("fovea", "start: fovea"), times.get(side, "start: " + side)
        if ours and theirs:
            yield {"figure": "start to a translated sentence", "min_ms": round(ours[0], 2),
                   side: {"min_ms": round(theirs[0], 2), "ratio": round(theirs[0] / ours[0], 2),
                          "target": None, "met": True}}


def verdict(row):
    if row.get("at_most", row.get("target")) is None:
        return ""
    return "met" if row["met"] else "NOT MET"


def table(rows):
    print(f"{'figure':52}{'fovea':>10}{'peer':>22}{'ratio':>8}{'target':>10}")
    for row in rows:
        if "value" in row:
            target = "" if row["at_most"] is None else f"<= {row['at_most']:g}"
            print(f"{row['figure']:52}{row['value']:10.3f}{'':30}{target:>10}  {verdict(row)}")
        for side, peer in row.items():
            if isinstance(peer, dict):
                other = f"{side} {peer['min_ms']:.3f}"
                target = "" if peer["target"] is None else f">= {peer['target']:g}"
                print(f"{row['figure']:52}{row['min_ms']:10.3f}{other:>22}{peer['ratio']:8.2f}"
                      f"{target:>10}  {verdict(peer)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.4, help="for each figure and round")
    parser.add_argument("--minutes", type=float, default=9, help="no round that ends later")
    parser.add_argument("--only", help="translation, han, ram, resan, luong, encoder or start")
    parser.add_argument("--json", action="store_true", help="JSON lines instead of a table")
    args = parser.parse_args()
    args.deadline = time.monotonic() + 60 * args.minutes - 75  # the rest is for the starts
    os.makedirs(WORK, exist_ok=True)
    torch = has_torch()
    onnx = prepare_onnx() if torch else None
    times = run_groups(args, torch, onnx) if args.only != "start" else Times()
    if args.only in (None, "start"):
        run_starts(args, times, torch, onnx)
    rows = [*rows_of(times), *limit_rows(times)]
    if not args.json:
        table(rows)
    for row in rows if args.json else ():
        print(json.dumps(row))


if __name__ == "__main__":
    main()
