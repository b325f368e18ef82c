#!/usr/bin/env python3
"""Writes the numpy files of tests/data/npy with numpy itself: the same row-stochastic 3 x 4
matrix in every type and order that is read, and the kinds that are refused."""
import numpy as np
from pathlib import Path

OUT = Path(__file__).parent / "npy"
M = np.array([[0.5, 0.25, 0.125, 0.125], [0, 1, 0, 0], [0.25, 0.25, 0.25, 0.25]], dtype="<f4")

if __name__ == "__main__":
    for code in ["<f2", "<f4", "<f8", ">f2", ">f4", ">f8"]:
        np.save(OUT / f"{'big' if code[0] == '>' else 'little'}_{code[1:]}.npy", M.astype(code))
    np.save(OUT / "fortran.npy", np.asfortranarray(M))
    ints = np.arange(-3, 9).reshape(3, 4)
    for code in ["i1", "<i2", ">i2", "<i4", "<i8", "u1", "<u2", "<u4", "<u8", "?"]:
        np.save(OUT / f"int_{code.strip('<').replace('>', 'big_').replace('?', 'bool')}.npy",
                np.abs(ints).astype(code) if "u" in code else ints.astype(code))
    np.save(OUT / "scalar.npy", np.float32(0.5))
    np.save(OUT / "empty.npy", np.zeros((0, 5), "<f4"))
    np.save(OUT / "one.npy", M[0])
    np.save(OUT / "five.npy", np.arange(24, dtype="<f4").reshape(2, 1, 3, 2, 2))
    np.save(OUT / "unicode.npy", np.array(["the", "\u20ac", "", "\U0001f600x"]))
    np.save(OUT / "unicode_big.npy", np.array(["the", "\u20ac"]).astype(">U4"))
    np.save(OUT / "bytes.npy", np.array([b"ab", b"", b"\xff"]))
    for version in [(1, 0), (2, 0), (3, 0)]:
        with open(OUT / f"version{version[0]}.npy", "wb") as f:
            np.lib.format.write_array(f, M, version=version)
    np.save(OUT / "refused_object.npy", np.array([M, None], dtype=object), allow_pickle=True)
    np.save(OUT / "refused_complex.npy", M.astype("<c8"))
    np.save(OUT / "refused_struct.npy", np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]))
    np.save(OUT / "refused_date.npy", np.array(["2020-01-01"], dtype="<M8[D]"))
    np.savez(OUT / "stored.npz", a=M, b=np.array(["x", "yz"]))
    np.savez_compressed(OUT / "deflated.npz", a=M, b=np.array(["x", "yz"]))
