#!/usr/bin/python3
"""Runs a script of the peers on the network that Fovea has too, by the same clock.

  peers.py SCRIPT [ARGUMENT ...]    a script of $FOVEA_PEERS
  peers.py --weights DIRECTORY      H.safetensors and tokensH.json for H = 256 and 512

The peers' encoder-decoder is changed so that both sides compute the same: the output is tied to
the target embedding (which therefore has the width of the states), and the recurrent part of a
candidate state has no bias. With one thread the clock is the processor time, as on our side,
unless FOVEA_BENCH_CLOCK=wall.
"""
import json
import os
import runpy
import struct
import sys
import time

peers = os.environ["FOVEA_PEERS"]
sys.path.insert(0, peers)
WIDTHS = (256, 512)


def threads():
    return sys.argv[sys.argv.index("--threads") + 1] if "--threads" in sys.argv else "1"


def share_network():
    import torch
    import model_bahdanau
    plain = model_bahdanau.Bahdanau

    class Shared(plain):
        def __init__(self, V=8000, E=256, H=256):
            super().__init__(V, H, H)
            self.E = E
            self.out.weight = self.tgt_emb.weight
            with torch.no_grad():
                for bias in (self.enc.bias_hh_l0, self.enc.bias_hh_l0_reverse, self.cell.bias_hh):
                    bias[2 * H:] = 0

    model_bahdanau.Bahdanau = Shared
    return model_bahdanau


def gru(weight_ih, weight_hh, bias_ih, bias_hh):
    """W, U and b as Fovea has them: z weighs the new state there, the old one here."""
    h = weight_hh.shape[1]
    out = [t.detach().clone() for t in (weight_ih, weight_hh, bias_ih + bias_hh)]
    for t in out:
        t[h:2 * h] *= -1
    return out


def tensors(m):
    h = m.H
    yield "source.embedding", m.src_emb.weight
    yield "target.embedding", m.tgt_emb.weight
    for name, end in (("forward", "l0"), ("backward", "l0_reverse")):
        w, u, b = gru(*(getattr(m.enc, part + "_" + end)
                        for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")))
        yield f"encoder.{name}.W", w
        yield f"encoder.{name}.b", b
        yield f"encoder.{name}.U", u
    yield "decoder.first.W", m.init_s.weight
    yield "decoder.first.b", m.init_s.bias
    yield "attention.W", m.Wa.weight
    yield "attention.U", m.Ua.weight
    yield "attention.b", m.Ua.bias
    yield "attention.v", m.va.weight
    w, u, b = gru(m.cell.weight_ih, m.cell.weight_hh, m.cell.bias_ih, m.cell.bias_hh)
    yield "decoder.W", w[:, :h]
    yield "decoder.b", b
    yield "decoder.U", u
    yield "decoder.C", w[:, h:]
    yield "readout.W", m.pre.weight
    yield "readout.b", m.pre.bias
    yield "output.b", m.out.bias


def save(path, m):
    header, data = {}, b""
    for name, t in tensors(m):
        t = t.detach().contiguous()
        shape = list(t.shape) if t.dim() == 2 else [1, t.shape[0]]
        values = t.numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": shape,
                        "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def write_weights(directory):
    import torch
    module = share_network()
    os.makedirs(directory, exist_ok=True)
    for h in WIDTHS:
        torch.manual_seed(1)  # as the export for ONNX Runtime does
        m = module.Bahdanau(H=h).eval()
        save(os.path.join(directory, f"{h}.safetensors"), m)
        tokens, _ = module.greedy(m, m.step, torch.arange(3, 23).unsqueeze(0), 20)
        with open(os.path.join(directory, f"tokens{h}.json"), "w") as file:
            json.dump(tokens, file)


if sys.argv[1] == "--weights":
    write_weights(sys.argv[2])
else:
    script = sys.argv[1]
    sys.argv = sys.argv[1:]
    if threads() == "1" and os.environ.get("FOVEA_BENCH_CLOCK") != "wall":
        time.perf_counter = time.process_time
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[variable] = threads()
    if os.path.basename(script) in ("bahdanau.py", "export.py"):
        share_network()
    runpy.run_path(os.path.join(peers, script), run_name="__main__")
