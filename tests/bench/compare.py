#!/usr/bin/python3
"""Fovea and its peers in turn (A B A B ...): least and median times, ratios, targets.

  FOVEA_PEERS=DIRECTORY compare.py [--rounds N] [--seconds S] [--only WORDS] [--json]

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
        self.least, self.median = {}, {}

    def add(self, side, line):
        for unit, factor in (("ms", 1), ("us", 1e-3)):
            if "min_" + unit in line:
                key = side, line["case"]
                self.least.setdefault(key, []).append(line["min_" + unit] * factor)
                self.median.setdefault(key, []).append(line["median_" + unit] * factor)

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
    if not os.path.exists(os.path.join(folder, "models", "step512.onnx")):
        subprocess.run([PYTHON, os.path.join(HERE, "peers.py"), "onnx/export.py",
                        os.path.join(folder, "models")], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
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
    times, weights, checked = Times(), [], False
    if torch:
        weights = [os.path.join(WORK, f"{h}.safetensors") for h in (256, 512)]
        if not all(map(os.path.exists, weights)):
            subprocess.run([PYTHON, os.path.join(HERE, "peers.py"), "--weights", WORK], check=True)
    groups = [g for g in GROUPS if not args.only or args.only in g[0]]
    for turn in range(args.rounds):
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
    return times


def run_starts(args, torch, onnx):
    """Whole processes, in turn."""
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
    found = {}
    for _ in range(args.rounds):
        for side, command in commands.items():
            found.setdefault(side, []).extend(
                lines_of([os.path.join(BUILD, "tests", "bench_start"), side, "5", *command]))
    environment = dict(os.environ, SDL_VIDEODRIVER="offscreen", XDG_STATE_HOME=tempfile.mkdtemp())
    found["window"] = lines_of([os.path.join(BUILD, "tests", "bench_start"), "window", "10",
                                os.path.join(BUILD, "tests", "bench_window"), "open"],
                               env=environment)
    for side, lines in found.items():
        if lines:
            yield {"figure": "start to a translated sentence" if side != "window"
                   else "start to a window with a finished heatmap",
                   "side": "fovea" if side == "window" else side,
                   "min_ms": min(line["min_ms"] for line in lines),
                   "median_ms": statistics.median(line["median_ms"] for line in lines),
                   "cpu_min_ms": min(line["cpu_min_ms"] for line in lines),
                   "max_rss_MB": max(line["max_rss_MB"] for line in lines)}


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


def table(rows):
    print(f"{'':36} {'fovea ms':>10}  peers: ms, ratio (target)")
    for row in rows:
        text = f"{row['figure']:36} {row['min_ms']:10.3f}"
        for name, peer in row.items():
            if isinstance(peer, dict):
                mark = "" if peer["target"] is None else \
                    f" ({peer['target']:g}{'' if peer['met'] else ' MISSED'})"
                text += f"  {name} {peer['min_ms']:.3f} {peer['ratio']:.2f}x{mark}"
        print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each figure and round")
    parser.add_argument("--only", help="translation, han, ram, resan, luong, encoder or start")
    parser.add_argument("--json", action="store_true", help="JSON lines instead of a table")
    args = parser.parse_args()
    os.makedirs(WORK, exist_ok=True)
    torch = has_torch()
    onnx = prepare_onnx() if torch else None
    rows = list(rows_of(run_groups(args, torch, onnx))) if args.only != "start" else []
    starts = list(run_starts(args, torch, onnx)) if args.only in (None, "start") else []
    if not args.json:
        table(rows)
    for row in starts if not args.json else rows + starts:
        print(json.dumps(row))


if __name__ == "__main__":
    main()
