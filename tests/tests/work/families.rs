//! Families of documents that a server could send to make a host work. Each is made at any size.

/// A family: its name, and its document of about so many bytes.
pub(crate) type Family = (&'static str, fn(usize) -> String);

/// What all others are compared with.
pub(crate) const PLAIN: Family = ("plain records", plain);

pub(crate) fn plain(bytes: usize) -> String {
    list(bytes, |n| {
        format!(
            r#"{{"title":"Record number {n}","url":"https://example.org/{n}","state":"open","text":"{}"}}"#,
            "some words ".repeat(8)
        )
    })
}

/// Texts in a notation: each record says the names that the text says once or nowhere.
pub(crate) const NOTATIONS: &[Family] = &[
    ("a table of many columns", |bytes| {
        lines(bytes, |n| match n {
            0 => format!("{}\n", (0..400).map(|n| format!("col{n}")).collect::<Vec<_>>().join(",")),
            _ => format!("{}1\n", "1,".repeat(399)),
        })
    }),
    ("a table of one letter a cell", |bytes| format!("ab,cd\n{}", "1,2\n".repeat(bytes / 4))),
    ("bars", |bytes| "|\n|-\n".repeat(bytes / 5)),
    ("tables of one row", |bytes| "| a |\n|---|\n".repeat(bytes / 12)),
    ("a literal of Python", |bytes| format!("[{}]", joined(bytes, |n| format!("{{'a': {n}, 'b': None}}")))),
    ("quotes of Python", |bytes| format!("['{}", "\\'".repeat(bytes / 2))),
    ("lists that break off", |bytes| "[1,\n{\"a\":1}\n".repeat(bytes / 12)),
    ("pairs", |bytes| lines(bytes, |n| format!("level=info n={n} k{}=v\n", n % 600))),
    ("hits of grep", |bytes| lines(bytes, |n| format!("a/{}.c:1:\n", n + 1))),
    ("files of a folder", |bytes| lines(bytes, |n| format!("-rw------- 1 0 2020-01-01  {n}\n"))),
    ("numbers of changed lines", |bytes| lines(bytes, |n| format!("1\t1\ta/{n}\n"))),
    ("stanzas", |bytes| lines(bytes, |n| format!("Name: a{n}\nSize: {n}\n\n"))),
];

/// The families.
pub(crate) const FAMILIES: &[Family] = &[
    ("equal hashes", equal_hashes),
    ("equal hashes beside an escaped key", |bytes| equal_hashes(bytes).replacen('{', r#"{"\u0061":1,"#, 1)),
    ("many keys", |bytes| wide(bytes, 14, |n| format!(r#""key{n:06}":{n}"#))),
    ("many keys beside an escaped one", |bytes| wide(bytes, 14, |n| format!(r#""\u006bey{n:06}":{n}"#))),
    ("many keys of one long beginning", |bytes| wide(bytes, 1010, |n| format!(r#""{}{n:06}":1"#, "k".repeat(1000)))),
    ("a key many times", |bytes| wide(bytes, 6, |_| r#""a":1"#.into())),
    ("every record with other keys", |bytes| list(bytes, |n| format!(r#"{{"k{n}":1,"l{n}":2,"m{n}":3}}"#))),
    ("every record with another escaped key", |bytes| list(bytes, |n| format!(r#"{{"\u0061{n}":1,"b{n}":"x"}}"#))),
    ("every record with 200 other keys", |bytes| list(bytes, |n| object(200, |m| format!(r#""k{n}_{m}":{m}"#)))),
    ("every record with other types", |bytes| {
        let values = ["1", "\"x\"", "null", "[1]", "{\"b\":1}", "true"];
        list(bytes, |n| object(8, |m| format!(r#""f{m}":{}"#, values[n / 6_usize.pow(m as u32) % 6])))
    }),
    ("records of 127 levels", |bytes| {
        list(bytes, |n| format!(r#"{}"k{n}"{}"#, r#"{"a":"#.repeat(127), "}".repeat(127)))
    }),
    ("records of 127 levels, odd", |bytes| {
        list(bytes, |n| format!(r#"{}"\u006b{n}"{}"#, r#"{"\u0061":"#.repeat(127), "}".repeat(127)))
    }),
    ("records of 8 levels", |bytes| list(bytes, |n| format!(r#"{}"k{n}"{}"#, r#"{"a":"#.repeat(8), "}".repeat(8)))),
    ("records of 127 lists", |bytes| list(bytes, |n| format!("{}{n}{}", "[".repeat(127), "]".repeat(127)))),
    ("an object of 2,000 levels beside a list", |bytes| beside(bytes, &nested(2000, &text(bytes / 3)))),
    ("an object of 100,000 levels beside a list", |bytes| beside(bytes, &nested((bytes / 14).min(100_000), "1"))),
    ("objects of objects beside a list", |bytes| {
        beside(bytes, &format!("{{{}}}", joined(bytes / 3, |n| format!(r#""o{n}":{{"p":{{"q":"{n}"}}}}"#))))
    }),
    ("a long key above a list", |bytes| format!(r#"{{"{}":{}}}"#, "k".repeat(bytes / 3), plain(bytes * 2 / 3))),
    ("long keys in records", |bytes| list(bytes, |_| format!(r#"{{"{}":1}}"#, "k".repeat(10_000)))),
    ("ten lists", |bytes| object(10, |n| format!(r#""l{n}":{}"#, list(bytes / 10, |m| format!(r#"{{"a":{m}}}"#))))),
    ("many lists", |bytes| wide_object(bytes, |n| format!(r#""l{n}":[{n},{n},{n}]"#))),
    ("lists of lists", |bytes| list(bytes, |_| "[[[[1],[2]],[[3]]],[]]".into())),
    ("one after the other", |bytes| format!("[{}]", vec!["1"; bytes / 2].join(","))),
    ("empty lists", |bytes| format!("[{}]", vec!["[]"; bytes / 3].join(","))),
    ("lines of numbers", |bytes| "1\n".repeat(bytes / 2)),
    ("many tags in one record", |bytes| {
        format!(r#"[{{"tags":[{}]}},{{"tags":["a"]}},{{"tags":["a"]}}]"#, joined(bytes, |n| format!(r#""t{n}""#)))
    }),
    ("space", |bytes| " ".repeat(bytes - 1) + "."),
    ("space in a list", |bytes| format!("[{}1]", "1, \n \t ".repeat(bytes / 7))),
    ("brackets that are text", |bytes| "(".repeat(bytes)),
    ("brackets without an end", |bytes| "[".repeat(bytes)),
    ("a deep tree", |bytes| {
        list(bytes, |n| format!(r#"{}{{"name":"n{n}"}}{}"#, r#"{"name":"a","children":["#.repeat(40), "]}".repeat(40)))
    }),
    ("a flat tree", |bytes| {
        format!(r#"[{{"name":"a","children":{}}}]"#, list(bytes, |n| format!(r#"{{"name":"n{n}","children":[]}}"#)))
    }),
    ("a map of small records", |bytes| wide_object(bytes, |n| format!(r#""k{n}":{{"a":{n}}}"#))),
    ("a map of values", |bytes| wide_object(bytes, |n| format!(r#""k{n}":{n}"#))),
    ("maps in maps", |bytes| {
        object(6, |n| format!(r#""m{n}":{}"#, wide_object(bytes / 6, |m| format!(r#""k{m}":{{"a":1}}"#))))
    }),
    ("rows under long names", |bytes| {
        let names = (0..50).map(|n| format!(r#""{}{n}""#, "n".repeat(50))).collect::<Vec<_>>().join(",");
        format!("[[{names}],{}]", joined(bytes, |_| format!("[{}0]", "0,".repeat(49))))
    }),
    ("a text in an object", |bytes| format!(r#"{{"content":"{}"}}"#, lines(bytes, |n| format!("line {n}\\n")))),
    ("a list in a text in an object", |bytes| serde_json::json!({"result": plain(bytes)}).to_string()),
    ("short lines of text", |bytes| "a\n".repeat(bytes / 2)),
    ("lines of text with one long beginning", |bytes| lines(bytes, |n| format!("{}{n}\n", "x".repeat(1000)))),
    ("lines of text that are almost an error", |bytes| lines(bytes, |_| format!("{}\n", "eeeerrrr".repeat(40)))),
    ("lines of text that become longer", |bytes| lines(bytes, |n| format!("{}\n", "é".repeat(n)))),
    ("JSON in a string", |bytes| serde_json::Value::from(plain(bytes * 4 / 5)).to_string()),
    ("JSON in strings of records", |bytes| {
        list(bytes, |n| format!(r#"{{"a":{}}}"#, serde_json::Value::from(format!(r#"[{{"b":"{n}\n\"\\"}}]"#))))
    }),
    ("escapes", |bytes| list(bytes, |_| format!(r#"{{"t":"{}"}}"#, r"\u0061".repeat(200)))),
    ("one long number", |bytes| format!(r#"[{{"n":{}}},{{"n":1}},{{"n":2}}]"#, "7".repeat(bytes))),
    ("long numbers", |bytes| list(bytes, |n| format!(r#"{{"n":1{}{n},"m":"x"}}"#, "7".repeat(2000)))),
    ("exponents", |bytes| list(bytes, |n| format!(r#"{{"n":1e{}}}"#, n * 7_919 + 1))),
    ("dates that are none", |bytes| list(bytes, |n| format!(r#"{{"at":"2026-01-31T12:00:00 {n}"}}"#))),
];

/// Families of memories.
pub(crate) const MEMORIES: &[Family] = &[
    ("memories of other namespaces", |bytes| {
        list(bytes, |n| format!(r#"{{"id":"{n}","namespace":"n{n}","memory_type":"x"}}"#))
    }),
    ("memories with other keys", |bytes| {
        list(bytes, |n| format!(r#"{{"id":"{n}","namespace":"n","k{n}":1,"l{n}":2}}"#))
    }),
    ("memories with a score many times", |bytes| {
        list(bytes, |n| format!(r#"{{"id":"{n}","namespace":"n",{}"x":1}}"#, r#""score":1,"#.repeat(50)))
    }),
];

/// An array of records of about so many bytes.
fn list(bytes: usize, record: impl Fn(usize) -> String) -> String {
    format!("[{}]", joined(bytes, record))
}

fn joined(bytes: usize, part: impl Fn(usize) -> String) -> String {
    let mut text = part(0);
    for n in 1.. {
        if text.len() >= bytes {
            break;
        }
        text.push(',');
        text.push_str(&part(n));
    }
    text
}

/// Lines of about so many bytes together.
fn lines(bytes: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for n in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&line(n));
    }
    text
}

fn object(members: usize, member: impl Fn(usize) -> String) -> String {
    format!("{{{}}}", (0..members).map(member).collect::<Vec<_>>().join(","))
}

fn wide_object(bytes: usize, member: impl Fn(usize) -> String) -> String {
    format!("{{{}}}", joined(bytes, member))
}

/// One record with many members, and three small ones.
fn wide(bytes: usize, each: usize, member: impl Fn(usize) -> String) -> String {
    format!(r#"[{},{{"b":2}},{{"b":3}},{{"b":4}}]"#, object(bytes / each, member))
}

/// A list with something beside it.
fn beside(bytes: usize, value: &str) -> String {
    format!(r#"{{"items":{},"x":{value}}}"#, plain(bytes.saturating_sub(value.len()).max(bytes / 2)))
}

fn nested(levels: usize, value: &str) -> String {
    format!("{}{value}{}", r#"{"a":"#.repeat(levels), "}".repeat(levels))
}

fn text(bytes: usize) -> String {
    format!("\"{}\"", r"\\".repeat(bytes / 2))
}

/// One record with keys of 63 letters that all have one hash by foldhash with its public seed, as wasm32 computes it.
fn equal_hashes(bytes: usize) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let letter = |n: usize| char::from(LETTERS[n % LETTERS.len()]);
    let part = |n: usize| format!("k{}{}{}", letter(n / 4096), letter(n / 64), letter(n));
    wide(bytes, 67, |n| format!(r#""vq5sc1fnhashfld-<VykhavWaaaaaaa{}{}eszycidpyopumzgdpamntyya":1"#, part(n), part(n)))
}
