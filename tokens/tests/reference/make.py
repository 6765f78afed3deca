"""Counts the texts of `tests/reference.rs` with the reference and writes `tokens.txt` beside this file.

    TOKENS_TEXTS=TEXTS cargo test -p lro-tokens --test reference
    python make.py ASSETS TEXTS

ASSETS is the folder `assets` of the crate tiktoken-rs, which ships OpenAI's files. Needs PyPI's tiktoken; the rules for
splitting are those of its package. Nothing is fetched.
"""

import base64
import json
import pathlib
import sys

import tiktoken
from tiktoken_ext import openai_public

GROUP = 20


def encoding(name, assets):
    """tiktoken's own definition, with the vocabulary from a file."""

    def from_file(url, **_):
        lines = (assets / pathlib.PurePosixPath(url).name).read_bytes().splitlines()
        return {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in lines}

    openai_public.load_tiktoken_bpe = from_file
    return tiktoken.Encoding(**getattr(openai_public, name)())


def digest(lists):
    value = 0x811C9DC5
    for tokens in lists:
        for token in tokens:
            for byte in token.to_bytes(4, "little"):
                value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def counted(encoding, texts):
    lists = [encoding.encode_ordinary(text) for text in texts]
    return " ".join(str(len(tokens)) for tokens in lists) + f" {digest(lists):08x}"


def main(assets, texts):
    encodings = [encoding(name, pathlib.Path(assets)) for name in ("o200k_base", "cl100k_base")]
    # Not `splitlines`: a text may have other line ends than JSON Lines.
    texts = [json.loads(line) for line in pathlib.Path(texts).read_text().split("\n") if line]
    groups = [texts[start : start + GROUP] for start in range(0, len(texts), GROUP)]
    lines = [" | ".join(counted(encoding, group) for encoding in encodings) + "\n" for group in groups]
    pathlib.Path(__file__).with_name("tokens.txt").write_text("".join(lines))


main(*sys.argv[1:])
