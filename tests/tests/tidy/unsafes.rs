//! `unsafe`: where it is, how often, and why. It is counted, so that more of it in a known file is looked at too.

use lro_tests::sources::{Source, sources};

/// Files with `unsafe` of their own, how many there are in each, and what for.
const UNSAFE: [(&str, usize, &str); 9] = [
    ("cli/src/allocator.rs", 1, "a parameter of the allocator of the C library"),
    ("cli/src/system.rs", 2, "what a command does between fork and exec, and whether a signal is ignored"),
    ("clients/src/calls.rs", 3, "functions with the names that JavaScript calls"),
    ("guest/src/disk/allocator.rs", 9, "an allocator that hands every call on, so that the end of memory is told"),
    ("guest/src/disk/last_words.rs", 1, "a function with the name that hosts call first"),
    ("guest/src/disk/memory.rs", 4, "memory that the allocator is given"),
    ("host/src/cache.rs", 2, "loading compiled code, from a file of this user that nobody else can write to"),
    ("host/src/engine.rs", 1, "the name of the processors that code is compiled for"),
    ("query/src/json/simd.rs", 10, "instructions for sixteen bytes at a time"),
];

/// Files with generated code that is unsafe.
const GENERATED: [(&str, usize); 5] = [
    ("embed/http/src/lib.rs", 1),
    ("embed/spin/src/lib.rs", 2),
    ("embed/tools/component/src/lib.rs", 1),
    ("embed/wasmcloud/src/lib.rs", 2),
    ("guest/src/component.rs", 1),
];

/// The code of a line: neither a comment nor a text.
fn code(line: &str) -> String {
    let line = line.split("//").next().unwrap_or_default();
    line.split('"').step_by(2).collect::<Vec<_>>().join(" ")
}

/// How often a file has the keyword, and how often it allows that.
fn counted(source: &Source) -> (usize, usize) {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let code: String = source.text.lines().map(code).collect::<Vec<_>>().join("\n");
    let count = |word: &str| code.split(|character| !is_word(character)).filter(|other| *other == word).count();
    (count("unsafe"), count("unsafe_code"))
}

#[test]
fn unsafe_code_is_where_it_is_listed() {
    let line = |text: &str| Source { path: String::new(), text: text.to_owned() };
    assert_eq!(counted(&line("unsafe { f() } // unsafe\n#[allow(unsafe_code, reason = \"unsafe\")]")), (1, 1));
    let (sources, mut found) = (sources(), Vec::new());
    for source in sources.iter().filter(|source| source.path.ends_with(".rs")) {
        let (unsafes, allowed) = counted(source);
        let listed = UNSAFE.iter().find(|(path, ..)| *path == source.path);
        let generated = GENERATED.iter().find(|(path, _)| *path == source.path);
        assert_eq!(unsafes, listed.map_or(0, |(_, count, _)| *count), "`unsafe` in {}", source.path);
        match (listed, generated) {
            (None, None) => assert_eq!(allowed, 0, "{} allows `unsafe`", source.path),
            (None, Some((_, count))) => assert_eq!(allowed, *count, "{} allows `unsafe`", source.path),
            _ => assert!(allowed > 0, "{} has `unsafe` without allowing it", source.path),
        }
        if listed.is_some() || generated.is_some() {
            found.push(&source.path);
        }
    }
    assert_eq!(found.len(), UNSAFE.len() + GENERATED.len(), "a file of the list is gone; these are there: {found:?}");
}
