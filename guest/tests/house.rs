//! The house: which modules of the top level use which others. `--nocapture` prints the graph.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex::Regex;

/// More modules than this are a list to search in, not a plan to read.
const MOST_MODULES: usize = 14;

/// A module that uses more others knows too much of the house.
const MOST_USED: usize = 7;

/// The modules that a module uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn the_house_has_few_rooms_and_no_circle() {
    let graph = graph();
    let edges: usize = graph.values().map(BTreeSet::len).sum();
    let cycles = cycles(&graph);
    println!("{} modules, {edges} edges, cycles: {cycles:?}", graph.len());
    for (module, used) in &graph {
        println!("{module:>10} {:2} {}", used.len(), used.iter().cloned().collect::<Vec<_>>().join(" "));
    }
    assert!(cycles.is_empty(), "modules use each other: {cycles:?}");
    assert!(graph.len() <= MOST_MODULES, "{} modules stand on one level", graph.len());
    for (module, used) in &graph {
        assert!(used.len() <= MOST_USED, "`{module}` uses {} others: {used:?}", used.len());
    }
}

/// The modules that `lib.rs` declares.
fn graph() -> Graph {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let declaration = Regex::new(r"(?m)^(?:pub )?mod ([a-z_]+);").expect("the pattern is valid");
    let declared = code_of(&root.join("lib.rs"));
    let names: BTreeSet<String> = declaration.captures_iter(&declared).map(|found| found[1].to_owned()).collect();
    let mut graph = Graph::new();
    for name in &names {
        let mut used = BTreeSet::new();
        let file = root.join(name).with_extension("rs");
        if file.exists() {
            used.extend(used_by(&code_of(&file), 1));
        }
        visit(&root.join(name), 1, &mut used);
        used.retain(|other| other != name && names.contains(other));
        graph.insert(name.clone(), used);
    }
    graph
}

/// Adds what the files of a folder use; `depth` is that of the folder's own module.
fn visit(folder: &Path, depth: usize, used: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            visit(&path, depth + 1, used);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test(&path) {
            let is_own = path.file_name().is_some_and(|name| name == "mod.rs");
            used.extend(used_by(&code_of(&path), if is_own { depth } else { depth + 1 }));
        }
    }
}

/// True for a file that has nothing but tests.
fn is_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests.rs" || part.as_os_str() == "differential.rs")
}

/// The text of a file without comments and without the tests at its end.
fn code_of(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The modules of the top level that a file names, which is that deep in the tree: by `crate::`, or by as many
/// `super::`.
fn used_by(code: &str, depth: usize) -> BTreeSet<String> {
    let climb = "super::".repeat(depth);
    let path = Regex::new(&format!(r"(?:^|[^a-z_:])(pub\(in )?(?:crate::|{climb})([a-z_]+|\{{)"))
        .expect("the pattern is valid");
    let mut used = BTreeSet::new();
    for found in path.captures_iter(code) {
        let name = found.get(2).expect("every match has a name");
        match (found.get(1), name.as_str()) {
            (Some(_), _) => {}
            (None, "{") => used.extend(names_in(&code[name.end()..])),
            (None, name) => drop(used.insert(name.to_owned())),
        }
    }
    used
}

/// The first names of a group `{a::b, c::{d, e}}`, from behind its brace.
fn names_in(group: &str) -> Vec<String> {
    let (mut depth, mut names, mut name) = (0, Vec::new(), String::new());
    for character in group.chars() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(std::mem::take(&mut name)),
            other if depth == 0 => name.push(other),
            _ => {}
        }
    }
    names.push(name);
    let first = |name: &String| name.trim().split("::").next().unwrap_or_default().to_owned();
    names.iter().map(first).filter(|name| !name.is_empty()).collect()
}

/// Sets of modules each of which leads to all others of its set.
fn cycles(graph: &Graph) -> BTreeSet<Vec<&str>> {
    let leads_to: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|module| (module.as_str(), reached(graph, module))).collect();
    let circle = |module: &str| -> Vec<&str> {
        let back = |other: &&&str| leads_to[**other].contains(module);
        leads_to[module].iter().filter(back).copied().collect()
    };
    graph.keys().map(|module| circle(module)).filter(|circle| !circle.is_empty()).collect()
}

fn reached<'a>(graph: &'a Graph, module: &str) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut ahead: Vec<&str> = graph[module].iter().map(String::as_str).collect();
    while let Some(next) = ahead.pop() {
        if seen.insert(next) {
            ahead.extend(graph[next].iter().map(String::as_str));
        }
    }
    seen
}

#[test]
fn uses_are_seen_in_every_form() {
    let code = "use crate::{a::b, c::{d, e}};\nuse crate::f;\nuse super::super::g::h;\npub(in crate::i) fn x() { crate::j::k() }";
    let seen: Vec<String> = used_by(code, 2).into_iter().collect();
    assert_eq!(seen, ["a", "c", "f", "g", "j"]);
}
