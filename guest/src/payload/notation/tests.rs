//! What is read, and above all what is not.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value;

use super::*;

/// A notation's name and its records, or nothing.
pub(super) fn lines_of(reading: Option<Reading>) -> String {
    let (name, text) = match reading {
        None => return String::new(),
        Some(Reading::Document { name, text, .. }) => (name, text.trim_end().to_owned()),
        Some(Reading::Records { name, records, .. }) => (name, records.iter().collect::<Vec<_>>().join("\n")),
    };
    let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    assert!(values.into_iter().all(|value| value.is_ok()), "{text} is not JSON");
    format!("{name} {text}")
}

/// The records, parsed.
pub(super) fn records_of(reading: Option<Reading>) -> Vec<Value> {
    let text = lines_of(reading);
    let json = text.split_once(' ').map_or("", |(_, json)| json);
    serde_json::Deserializer::from_str(json).into_iter::<Value>().map(Result::unwrap).collect()
}

/// Readings of whole texts, by name.
#[test]
fn a_text_is_read_by_the_notation_that_it_is_in() {
    let rows = [
        ("\u{feff}id,name\r\n1,x\r\n2,y\r\n3,z\r\n", "csv {\"id\":1,\"name\":\"x\"}"),
        ("```csv\nid,name\n1,x\n2,y\n3,z\n```\n", "csv {\"id\":1,\"name\":\"x\"}"),
        (
            "sep=;\nOrt;Soll\nUlm;280,49\nHof;5,10\nBonn;7,00\n",
            "csv {\"line\":1,\"text\":\"sep=;\"}\n{\"Ort\":\"Ulm\",\"Soll\":\"280,49\"}",
        ),
        ("[{'a': 1}]", "python [{\"a\":1}]"),
        ("host:a\tstatus:200\nhost:b\tstatus:200\nhost:c\tstatus:500\n", "key-values {\"host\":\"a\",\"status\":200}"),
        ("level=info msg=a\nlevel=info msg=b\nlevel=info msg=c\n", "key-values {\"level\":\"info\",\"msg\":\"a\"}"),
    ];
    for (text, expected) in rows {
        let found = lines_of(read(text, None));
        assert!(found.starts_with(expected), "{text}: {found}");
    }
}

#[test]
fn lines_without_fields_are_counted() {
    let rows = [
        ("id,name\n1,x\n2,y\n3,z\n", 0),
        ("# a\n# b\nid,name\n1,x\n2,y\n3,z\n", 2),
        ("8.0K\ta\n12M\tb\n4.2G\tc\ndu: cannot read directory 'd': Permission denied\n4.3G\ttotal\n", 2),
        ("   1 a\n   2 b\n   3 c\n   6 total\n", 1),
        ("a.py:3: error: no\na.py:7: note: yes\nb.py:1: error: no\nFound 2 errors in 2 files\n", 1),
    ];
    for (text, expected) in rows {
        let Some(Reading::Records { other_lines, .. }) = read(text, None) else { panic!("no records: {text}") };
        assert_eq!(other_lines, expected, "{text}");
    }
}

#[test]
fn other_text_stays_as_it_is() {
    let texts = [
        ("nothing", ""),
        ("a line", "hello"),
        ("blank lines", "\n\n\n"),
        (
            "prose",
            "It was late, and nobody came.\nThen, at last, the door opened, slowly.\nA man, old and grey, stood there.\n",
        ),
        (
            "Markdown",
            "# Title\n\nSome text, with a [link](x).\n\n- one: a\n- two: b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nMore text.\n\n```js\nlet x = {};\n```\n\nAnd more.\n\nAnd yet more.\n",
        ),
        (
            "YAML",
            "name: x\non:\n  push:\n    branches: [main]\njobs:\n  build:\n    runs-on: ubuntu\n\n  test:\n    runs-on: ubuntu\n",
        ),
        ("a list in YAML", "- name: a\n  size: 1\n\n- name: b\n  size: 2\n\n- name: c\n  size: 3\n"),
        ("TOML", "[package]\nname = \"x\"\n\n[dependencies]\na = \"1\"\nb = { version = \"1\" }\n"),
        ("HTML", "<html>\n<body class=\"a\" id=\"b\">\n<p>Hello, world</p>\n</body>\n</html>\n"),
        (
            "Rust",
            "fn main() {\n    let x = (1, 2);\n    println!(\"{x:?}\");\n}\n\n/// Docs: a thing.\nstruct A {\n    b: u8,\n}\n",
        ),
        ("JavaScript", "const a = [\n  1,\n  2,\n];\n\nmodule.exports = {\n  a,\n};\n"),
        ("C", "int main(int argc, char **argv)\n{\n  return 0;\n}\n"),
        (
            "a trace",
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f(x, y)\nValueError: bad, very bad\n",
        ),
        (
            "a log",
            "2026-01-01T00:00:00Z INFO start: a=1\n2026-01-01T00:00:01Z WARN slow: b=2\n2026-01-01T00:00:02Z INFO end: c=3\n",
        ),
        (
            "an access log",
            "1.2.3.4 - - [01/Jan/2026:00:00:00 +0000] \"GET / HTTP/1.1\" 200 12\n1.2.3.4 - - [01/Jan/2026:00:00:01 +0000] \"GET /a HTTP/1.1\" 404 1\n",
        ),
        ("an environment", "PATH=/usr/bin:/bin\nHOME=/home/x\nLANG=C.UTF-8\nEMPTY=\n"),
        ("a tree", "x@1.0.0\n├── a@1.0.0\n│   └── b@2.0.0\n└── c@3.0.0\n"),
        ("paths", "./a/b.rs\n./a/c.rs\n./d.rs\n"),
        ("SQL", "SELECT a, b, c\nFROM t, u\nWHERE a = 1, b = 2;\n"),
    ];
    for (name, text) in texts {
        assert_eq!(lines_of(read(text, None)), "", "{name}");
    }
}

/// Texts that would cost much if a reader looked at anything more than a few times, or wrote more than it may.
fn hostile(bytes: usize) -> Vec<String> {
    let parts = [
        "[",
        "{",
        "(",
        "'",
        "\"",
        "|",
        "=",
        ",",
        "\t",
        ";",
        "-",
        "+",
        "\n",
        "\\",
        "a=",
        "a=1 ",
        "[\n",
        "{\n",
        "{'a':",
        "[[],",
        "[''\n",
        "x(",
        "[x(",
        "[<",
        "<",
        "[{\"a\":[",
        "(\n",
        "('a'\n",
        "|-",
        "|\n|-\n",
        "| a |\n|---|\n",
        "A  ",
        "A ",
        "a,",
        "a,b\n\"",
        "a: ",
        "a:\n",
        "a: b\n\n",
        "commit 0123456\n",
        "diff --git a/a b/a\n",
        "--- a\n+++ b\n",
        "@@ -1,99 +1,99 @@\n",
        "*** 1. row\n",
        "-[ RECORD 1 ]\n",
        "--- ",
        "[1,\n{\"a\":1}\n",
        "{\"a\":1}\n{",
        "[0,0",
        "[{",
        "b'\\",
        "\\u",
        "é",
        "\u{feff}",
        "a,b\n1,2\n",
        "a,b\n\n",
        "a;b\n\n1;2,5\n",
        "\"a\nb\",c\n",
        "{a:",
        "{(",
        "{{",
        "x: 1\n---\n",
        "+--+\n",
        "   x\n",
        "(((('a'",
        "Decimal(",
        "a/b:1:x\n",
        "a/b-1-x\na/b-2-x\n--\n",
        "a/b:1:",
        "1:x\n",
        "a/b:0\n",
        "-1-1:1:",
        "a-1-",
        "Binary file a matches\n",
        "-rw-r--r-- 1 a b 4 Nov 27 15:34 x\n",
        "a:\n\n",
        "total 4\n",
        "1\t1\ta/b\n",
        " a | 1 +\n",
        "0123456 a\n1\t1\ta/b\n",
        "1\ta/b\n",
        " 1 a/b\n",
        " 1 total\n",
    ];
    parts.iter().map(|part| part.repeat(bytes / part.len())).collect()
}

/// Pieces of all notations.
const PIECES: [&str; 92] = [
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "'",
    "\"",
    "|",
    "=",
    ",",
    "\t",
    ";",
    "-",
    "+",
    "\n",
    "\n\n",
    "\\",
    ":",
    ": ",
    " ",
    "  ",
    "é",
    "日本",
    "a",
    "B",
    "name",
    "NAME",
    "id",
    "1",
    "2.50",
    "-",
    "true",
    "None",
    "nan",
    "\r\n",
    "a=1 ",
    "k: v\n",
    "1,2\n",
    "id,name\n",
    "| a | b |\n",
    "|---|---|\n",
    "+--+--+\n",
    "┌──┬──┐\n",
    "│",
    "commit 0123456789\n",
    "diff --git a/x b/x\n",
    "--- a\n+++ b\n",
    "@@ -1 +1 @@\n",
    "-[ RECORD 1 ]\n",
    "*** 1. row\n",
    "Author: x\n",
    "```\n",
    "datetime.date(2020, 1, 2)",
    "Decimal('1')",
    "b'\\xff'",
    "defaultdict(",
    "User(id=",
    "<a ",
    ">",
    "\\u00e9",
    "\\ud83d",
    "{'a': [",
    "[{\"a\":[1,2]},",
    "  x  y\n",
    "0  1  2\n",
    "NAME  AGE  UP\n",
    "---  ----\n",
    "set()",
    "...",
    "a/b.c:1:x\n",
    "a/b.c:2:5:x\n",
    "a/b.c-3-x\n",
    "--\n",
    "7:x\n",
    "8-x\n",
    "a/b.c:0\n",
    "Binary file a matches\n",
    "grep: a: b\n",
    "-rw-r--r-- 1 a b 4 Nov 27 15:34 x\n",
    "lrwxrwxrwx 1 a b 4.0K 2026-11-27 15:34 x -> é\n",
    "/a/b:\n",
    "total 4\n",
    "1\t-\ta/b\n",
    "1\t1\ta/{b => }/c\n",
    " a.c | 1 +\n",
    " a.c | Bin 0 -> 1 bytes\n",
    " 1 file changed, 1 insertion(+)\n",
    "4.0K\ta/b\n",
    " 1 a/b\n",
    " 1  2 3 total\n",
    "+++-===-===\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a text has, what is made of it is JSON.
    #[test]
    fn readings_are_json(pieces in proptest::collection::vec((proptest::sample::select(&PIECES[..]), 1..4_usize), 0..40)) {
        let text: String = pieces.iter().map(|(piece, times)| piece.repeat(*times)).collect();
        for text in [text.as_str(), &text.repeat(5)] {
            lines_of(read(text, None));
            READERS.iter().for_each(|reader| drop(lines_of(reader.read(text, None))));
        }
    }
}

#[test]
fn hostile_texts_are_read_within_bounds() {
    for text in hostile(160 << 10) {
        let made = match read(&text, None) {
            None => 0,
            Some(Reading::Document { text, .. }) => text.len(),
            Some(Reading::Records { records, .. }) => records.iter().map(|record| record.len()).sum(),
        };
        assert!(made <= output::most_bytes(&text) + (1 << 20), "{:?}", &text.chars().take(20).collect::<String>());
    }
}
