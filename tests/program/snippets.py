"""Runs the Python of README.md as it stands there, with stand-ins for a model and a tokenizer,
and compares what Fovea reads from the files with what the stand-ins gave.

    snippets.py save README FOLDER      run the blocks; expected arrays and tokens go beside
    snippets.py check FOLDER            compare with the traces that `fovea export` wrote
"""
import json
import os
import re
import sys

import numpy as np

LAYERS, HEADS = 2, 3
WORDS = {"the old green house": ["the", "old", "green", "house", "</s>"],
         "la vieille maison verte": ["la", "vieille", "maison", "ver", "##te", "</s>"]}
WRITTEN = ["<s>", "la", "maison", "verte", "</s>"]


class Tensor:
    """What PyTorch's tensors are asked for, and nothing that NumPy's arrays have by accident."""

    def __init__(self, data, moved=0):
        self.data, self.moved = np.asarray(data), moved
        self.shape = self.data.shape

    def detach(self):
        return Tensor(self.data, 1)

    def float(self):
        assert self.moved == 1, "float of what still has a gradient"
        return Tensor(self.data.astype(np.float32), 2)

    def cpu(self):
        return Tensor(self.data, 3)

    def numpy(self):
        assert self.moved == 3, "numpy of a tensor that is elsewhere"
        return self.data

    def __getitem__(self, i):
        return Tensor(self.data[i]) if self.data.ndim > 1 or isinstance(i, slice) else self.data[i]

    def __iter__(self):
        return iter(self.data)


class Struct(dict):
    __getattr__ = dict.__getitem__


def weights(seed, batch, rows, cols, causal=None):
    """Softmax rows; with `causal` the first row sees that many columns."""
    rng = np.random.default_rng(seed)
    a = np.exp(rng.normal(size=(batch, HEADS, rows, cols)))
    if causal is not None:
        a *= np.arange(cols)[None, :] < causal + np.arange(rows)[:, None]
    return (a / a.sum(-1, keepdims=True)).astype(np.float16)


def tensors(seed, rows, cols, causal=None):
    return tuple(Tensor(weights(seed + layer, 1, rows, cols, causal)) for layer in range(LAYERS))


def steps(seed, prompt, count, cols=None):
    """What generate gives: first the prompt, then a row at a time; `cols` fixed for cross."""
    out = []
    for step in range(count):
        rows = prompt if step == 0 else 1
        width = cols or prompt + step
        out.append(tensors(seed + 10 * step, rows, width, None if cols else width - rows + 1))
    return tuple(out)


class Tokenizer:
    def __init__(self):
        self.names = sorted({w for words in WORDS.values() for w in words} | set(WRITTEN))

    def ids(self, words):
        return Tensor([[self.names.index(w) for w in words]])

    def __call__(self, text=None, text_target=None, return_tensors=None):
        assert return_tensors == "pt"
        return Struct(input_ids=self.ids(WORDS[text or text_target]))

    def convert_ids_to_tokens(self, ids):
        return [self.names[int(i)] for i in ids]


class Model:
    """Remembers in `seen` what it gave: [layers, heads, rows, columns] by name."""

    def __init__(self, kind, tokenizer):
        self.kind, self.tokenizer, self.seen = kind, tokenizer, {}

    def give(self, name, layers):
        self.seen[name] = np.stack([layer.data[0] for layer in layers]).astype(np.float32)
        return layers

    def give_steps(self, name, given):
        rows = sum(step[0].shape[2] for step in given)
        whole = np.zeros((LAYERS, HEADS, rows, given[-1][0].shape[3]), np.float32)
        for layer in range(LAYERS):
            at = 0
            for step in given:
                part = step[layer].data[0]
                whole[layer, :, at:at + part.shape[1], :part.shape[2]] = part
                at += part.shape[1]
        self.seen[name] = whole
        return given

    def __call__(self, input_ids, decoder_input_ids=None, output_attentions=False):
        assert output_attentions
        n = input_ids.shape[1]
        if self.kind == "one":
            return Struct(attentions=self.give("attention", tensors(1, n, n)))
        t = decoder_input_ids.shape[1]
        return Struct(encoder_attentions=self.give("encoder", tensors(2, n, n)),
                      decoder_attentions=self.give("decoder", tensors(3, t, t, 1)),
                      cross_attentions=self.give("cross", tensors(4, t, n)))

    def generate(self, input_ids, output_attentions=False, return_dict_in_generate=False):
        assert output_attentions and return_dict_in_generate
        n, t = input_ids.shape[1], len(WRITTEN) - 1
        if self.kind == "one":
            ids = np.concatenate([input_ids.data, self.tokenizer.ids(WRITTEN[1:]).data], axis=1)
            return Struct(attentions=self.give_steps("attention", steps(5, n, t)),
                          sequences=Tensor(ids))
        return Struct(encoder_attentions=self.give("encoder", tensors(6, n, n)),
                      decoder_attentions=self.give_steps("decoder", steps(7, 1, t)),
                      cross_attentions=self.give_steps("cross", steps(8, 1, t, cols=n)),
                      sequences=self.tokenizer.ids(WRITTEN))


def attention_module(query, key, value, need_weights, average_attn_weights):
    assert need_weights and not average_attn_weights
    return None, Tensor(weights(9, 1, 2, 4))


def expected(name, model, tokenizer):
    source = WORDS["the old green house"]
    if name == "module":
        return {"attention.weights": weights(9, 1, 2, 4)[0].astype(np.float32)}, {
            "source": source[:4], "target": ["la", "maison"]}
    if name == "forward":
        tokens = {"token": source}
    elif name == "generate":
        tokens = {"token": source + WRITTEN[1:-1]}
    elif name == "forward-pair":
        tokens = {"source": source, "target": WORDS["la vieille maison verte"]}
    else:
        tokens = {"source": source, "target": WRITTEN[:-1]}
    arrays = {("attention.weights" if k == "attention" else f"attention.{k}.weights"): v
              for k, v in model.seen.items()}
    return arrays, tokens


def save(readme, folder):
    text = open(readme, encoding="utf-8").read()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    files = [re.findall(r'save\("([a-z-]+)\.npz"', block) for block in blocks]
    assert "def save(" in blocks[0] and all(len(f) == 1 for f in files[1:]), files
    names = [f[0] for f in files[1:]]
    assert names == ["forward", "forward-pair", "generate-pair", "generate", "module"], names
    os.chdir(folder)
    for name, block in zip(names, blocks[1:]):
        tokenizer = Tokenizer()
        model = Model("pair" if name.endswith("pair") else "one", tokenizer)
        space = {"model": model, "tokenizer": tokenizer, "attention": attention_module,
                 "query": None, "key": None, "value": None}
        exec(blocks[0] + block, space)
        arrays, tokens = expected(name, model, tokenizer)
        np.savez(name + ".expected", **arrays)
        json.dump(tokens, open(name + ".tokens", "w"))
        print(name)


def numbers(data):
    return np.array(data, dtype=object).astype(np.float32)


def shown(token):
    """A token as it is drawn: marks of pieces off."""
    return token[2:] if token.startswith("##") else token


def check(folder):
    os.chdir(folder)
    names = sorted(f[:-len(".expected.npz")] for f in os.listdir(".")
                   if f.endswith(".expected.npz"))
    assert len(names) == 5, names
    for name in names:
        trace = json.load(open(name + ".json"))
        labels = {axis["name"]: axis.get("labels") for axis in trace["axes"]}
        for axis, tokens in json.load(open(name + ".tokens")).items():
            assert labels[axis] == [shown(t) for t in tokens], (name, axis, labels[axis])
        tensors_ = {t["name"]: t for t in trace["tensors"]}
        wanted = np.load(name + ".expected.npz")
        assert sorted(wanted.files) == sorted(tensors_), (name, wanted.files, list(tensors_))
        for tensor in wanted.files:
            got = numbers(tensors_[tensor]["data"])
            assert got.shape == wanted[tensor].shape, (name, tensor, got.shape)
            assert np.array_equal(got, wanted[tensor]), (name, tensor)
            assert tensors_[tensor]["role"] == "weights", (name, tensor)
        print("ok", name)


if __name__ == "__main__":
    save(sys.argv[2], sys.argv[3]) if sys.argv[1] == "save" else check(sys.argv[2])
