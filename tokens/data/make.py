"""Packs the vocabularies and the classes of characters beside this file. Run once; nothing is fetched.

    python make.py ASSETS

ASSETS is the folder `assets` of the crate tiktoken-rs, which ships OpenAI's files. Needs PyPI's tiktoken.

A vocabulary is a list of merges: each token that is longer than a byte is two earlier tokens put together, so two
numbers of a token say it. `NAME.merges` holds the order of the 256 single bytes, then the two numbers of each token,
packed in as many bits as the largest number needs, lowest bit first. `classes.txt` holds where each run of code points
of one class begins, as tiktoken's own regular expressions see them.
"""

import base64
import hashlib
import pathlib
import sys

import tiktoken

HERE = pathlib.Path(__file__).parent
# As tiktoken checks them.
FILES = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
CLASSES = {
    "upper": r"[\p{Lu}\p{Lt}]",
    "lower": r"\p{Ll}",
    "letter": r"[\p{Lm}\p{Lo}]",
    "mark": r"\p{M}",
    "number": r"\p{N}",
    "space": r"\s",
}


def last_merge(text, ranks):
    """The two tokens that byte-pair encoding makes this one of."""
    parts = [bytes([byte]) for byte in text]
    while len(parts) > 2:
        pairs = [(ranks.get(parts[i] + parts[i + 1], len(ranks)), i) for i in range(len(parts) - 1)]
        rank, i = min(pairs)
        assert rank < len(ranks), f"{text} cannot be reached"
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return [ranks[part] for part in parts]


def pack(name, digest, assets):
    data = (assets / f"{name}.tiktoken").read_bytes()
    assert hashlib.sha256(data).hexdigest() == digest, name
    tokens = [base64.b64decode(line.split()[0]) for line in data.splitlines()]
    ranks = {token: rank for rank, token in enumerate(tokens)}
    assert all(len(token) == 1 for token in tokens[:256])
    numbers = [last_merge(token, ranks) for token in tokens[256:]]
    assert all(max(pair) < 256 + i for i, pair in enumerate(numbers))
    width = (len(tokens) - 1).bit_length()
    packed, bits, held = bytearray(b"".join(tokens[:256])), 0, 0
    for number in (number for pair in numbers for number in pair):
        bits |= number << held
        held += width
        while held >= 8:
            packed.append(bits & 255)
            bits >>= 8
            held -= 8
    packed.append(bits)
    (HERE / f"{name}.merges").write_bytes(packed)


def classes():
    characters = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    class_of = {}
    ranks = {bytes([byte]): byte for byte in range(256)}
    for name, pattern in CLASSES.items():
        encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        for character in encoding.decode(encoding.encode_ordinary(characters)):
            assert class_of.setdefault(character, name) == name
    lines, before = [], None
    for character in characters:
        name = class_of.get(character, "other")
        if name != before:
            lines.append(f"{ord(character):x} {name}\n")
            before = name
    (HERE / "classes.txt").write_text("".join(lines))


for name, digest in FILES.items():
    pack(name, digest, pathlib.Path(sys.argv[1]))
classes()
