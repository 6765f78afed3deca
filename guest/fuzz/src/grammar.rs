//! Filters and records from a grammar, made from the bytes of a target. They end soon: nothing in them repeats.

use arbitrary::{Result, Unstructured};

const KEYS: [&str; 8] = ["id", "name", "tags", "size", "deep", "a", "b", "open"];
const TEXTS: [&str; 12] = ["", "a", "Ada", "b,c", "ä☆", "2026-01-02", "1", "null", "A B", "x\\\"y", "\\n", "a.b"];
const NUMBERS: [&str; 12] = ["0", "1", "-1", "2", "3", "1.5", "10", "100", "0.1", "-2.5", "1e3", "7"];

/// Functions without arguments that ours and every jq since 1.6 have with one meaning.
const PLAIN: [&str; 46] = [
    "length",
    "keys",
    "not",
    "type",
    "tostring",
    "tonumber",
    "ascii_downcase",
    "ascii_upcase",
    "add",
    "any",
    "all",
    "sort",
    "unique",
    "reverse",
    "min",
    "max",
    "flatten",
    "first",
    "last",
    "floor",
    "to_entries",
    "from_entries",
    "tojson",
    "empty",
    "numbers",
    "strings",
    "arrays",
    "objects",
    "iterables",
    "scalars",
    "booleans",
    "nulls",
    "values",
    "transpose",
    "@csv",
    "@tsv",
    "@json",
    "@html",
    "@uri",
    "@sh",
    "@base64",
    "explode",
    "keys_unsorted",
    "utf8bytelength",
    "error",
    "fabs",
];

/// Functions of one filter.
const OF_FILTERS: [&str; 12] = [
    "map",
    "select",
    "sort_by",
    "group_by",
    "unique_by",
    "min_by",
    "max_by",
    "map_values",
    "with_entries",
    "any",
    "all",
    "first",
];

/// Functions of one value.
const OF_VALUES: [&str; 14] = [
    "has",
    "contains",
    "inside",
    "startswith",
    "endswith",
    "ltrimstr",
    "rtrimstr",
    "split",
    "join",
    "index",
    "rindex",
    "indices",
    "flatten",
    "test",
];

/// Entries with a key that is a text. Of others jq 1.6 makes no object, and later ones and ours do.
const KEYED: &str = r#" | select(type == "object" and ((.key // .name) | type == "string"))"#;

const BINARY: [&str; 16] = ["+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "and", "or", "//", ",", "|", "%"];

const ASSIGNING: [&str; 7] = ["=", "|=", "+=", "-=", "*=", "//=", "%="];

/// What is made of matches.
const MATCHING: [&str; 7] = [
    r#"sub("(?<x>[a-z])"; "<\(.x)>")"#,
    r#"gsub("[-,.]"; "+")"#,
    r#"gsub("(?<x>[A-Z])(?<y>[a-z])?"; .x + "\(.y)")"#,
    r#"capture("(?<x>[a-zA-Z]+)(?<y>,)?")"#,
    r#"[scan("[a-z]+")]"#,
    r#"[scan("([a-z])(.)")]"#,
    r#"[match("(?<x>[a-z])|-"; "g")]"#,
];

/// A filter of some depth.
pub(crate) fn filter(bytes: &mut Unstructured<'_>, depth: u32) -> Result<String> {
    if depth == 0 || bytes.is_empty() {
        return leaf(bytes);
    }
    let next = |bytes: &mut Unstructured<'_>| filter(bytes, depth - 1);
    Ok(match bytes.int_in_range(0..=26_u8)? {
        0..=2 => format!("{} | {}", next(bytes)?, next(bytes)?),
        3..=4 => {
            let operator = bytes.choose(&BINARY)?;
            operation(&next(bytes)?, operator, &next(bytes)?)
        }
        5..=6 => {
            let function = bytes.choose(&OF_FILTERS)?;
            let keyed = if *function == "with_entries" { KEYED } else { "" };
            format!("{function}({}{keyed})", next(bytes)?)
        }
        7 => format!("[{}]", next(bytes)?),
        8..=9 => object(bytes, depth)?,
        10 => format!("if {} then {} else {} end", next(bytes)?, next(bytes)?, next(bytes)?),
        11 => format!("(try ({}) catch \"failed\")", next(bytes)?),
        12 => bound(&postfix(bytes)?, &next(bytes)?, bytes)?,
        13 => format!("\"\\({})-\"", next(bytes)?),
        14 => format!("reduce {}[]? as $x (0; . + ($x | length))", postfix(bytes)?),
        15 => format!("(({})?)", next(bytes)?),
        16 => format!("select({} {} {})", postfix(bytes)?, bytes.choose(&BINARY[4..10])?, value(bytes)?),
        17 => format!("{} |= {}", path(bytes)?, leaf(bytes)?),
        18 => format!("del({})", path(bytes)?),
        19 => format!("del({}, {})", path(bytes)?, path(bytes)?),
        20 => format!("{} {} ({})", path(bytes)?, bytes.choose(&ASSIGNING)?, next(bytes)?),
        21 => format!("[{}{})]", bytes.choose(&["first(", "limit(2; ", "(range(3) | "])?, next(bytes)?),
        22 => (*bytes.choose(&MATCHING)?).to_owned(),
        23 => format!("IN({}, {})", value(bytes)?, value(bytes)?),
        24 => format!("@json \"\\({}) \\({})\"", postfix(bytes)?, next(bytes)?),
        25 => bound("range(0; 3)", &next(bytes)?, bytes)?,
        _ => format!("{}({})", bytes.choose(&OF_VALUES)?, value(bytes)?),
    })
}

fn operation(left: &str, operator: &str, right: &str) -> String {
    // A pipe would take the operator to one of its sides.
    let operand = |text: &str| if text.contains('|') { format!("({text})") } else { text.to_owned() };
    format!("({} {operator} {})", operand(left), operand(right))
}

/// A variable of a value, or of its parts, and a filter that may look at it.
fn bound(value: &str, filter: &str, bytes: &mut Unstructured<'_>) -> Result<String> {
    let pattern = bytes.choose(&["$x", "$x", "{a: $x}", "{$x}", "[$x]", "[$y, $x]"])?;
    let body = match bytes.int_in_range(0..=6_u8)? {
        0 => filter.to_owned(),
        1 => format!("$x | {filter}"),
        2 => format!("[$x, ({filter})]"),
        3 => format!("$x + ({filter})"),
        4 => format!("{{a: $x, b: ({filter})}}"),
        5 => format!("(.[$x]? // ({filter}))"),
        _ => format!("[.[]? | . == $x] | {filter}"),
    };
    Ok(format!("({value} as {pattern} | {body})"))
}

/// A value stands in brackets, which the grammar of jq wants.
fn object(bytes: &mut Unstructured<'_>, depth: u32) -> Result<String> {
    let (first, second) = (bytes.choose(&KEYS)?, bytes.choose(&KEYS)?);
    Ok(match bytes.int_in_range(0..=2_u8)? {
        0 => format!("{{{first}}}"),
        1 => format!("{{{first}, {second}: ({})}}", filter(bytes, depth - 1)?),
        _ => format!("{{{first}: ({})}}", filter(bytes, depth - 1)?),
    })
}

fn leaf(bytes: &mut Unstructured<'_>) -> Result<String> {
    Ok(match bytes.int_in_range(0..=7_u8)? {
        0 => ".".to_owned(),
        1..=3 => postfix(bytes)?,
        4 => value(bytes)?,
        _ => match *bytes.choose(&PLAIN)? {
            "from_entries" => format!("(map(.{KEYED}) | from_entries)"),
            function => function.to_owned(),
        },
    })
}

/// A path with what may stand behind it.
fn postfix(bytes: &mut Unstructured<'_>) -> Result<String> {
    let mut path = path(bytes)?;
    match bytes.int_in_range(0..=5_u8)? {
        0 => path.push_str("[]"),
        1 => path.push_str("[]?"),
        2 => path.push('?'),
        3 => path.push_str(bytes.choose(&["[0]", "[-1]", "[1:]", "[:1]", "[-2:]"])?),
        _ => {}
    }
    Ok(path)
}

fn path(bytes: &mut Unstructured<'_>) -> Result<String> {
    let mut path = format!(".{}", bytes.choose(&KEYS)?);
    if bytes.ratio(1, 4)? {
        path.push_str(&format!(".{}", bytes.choose(&KEYS)?));
    }
    Ok(path)
}

fn value(bytes: &mut Unstructured<'_>) -> Result<String> {
    Ok(match bytes.int_in_range(0..=7_u8)? {
        0..=2 => format!("\"{}\"", bytes.choose(&TEXTS)?),
        3..=5 => (*bytes.choose(&NUMBERS)?).to_owned(),
        6 => (*bytes.choose(&["null", "true", "false"])?).to_owned(),
        _ => (*bytes.choose(&["[]", "{}", "[1]", "[\"a\"]", "{\"a\":1}"])?).to_owned(),
    })
}

/// A record: mostly an object with keys that filters name.
pub(crate) fn record(bytes: &mut Unstructured<'_>) -> Result<String> {
    let mut members = Vec::new();
    for key in KEYS {
        if bytes.ratio(2, 3)? {
            members.push(format!("\"{key}\":{}", json(bytes, 2)?));
        }
    }
    Ok(if bytes.ratio(1, 12)? { json(bytes, 2)? } else { format!("{{{}}}", members.join(",")) })
}

fn json(bytes: &mut Unstructured<'_>, depth: u32) -> Result<String> {
    let nested = if depth == 0 { 7 } else { 10 };
    Ok(match bytes.int_in_range(0..=nested)? {
        0..=2 => format!("\"{}\"", bytes.choose(&TEXTS)?),
        3..=5 => (*bytes.choose(&NUMBERS)?).to_owned(),
        6 => (*bytes.choose(&["true", "false"])?).to_owned(),
        7 => "null".to_owned(),
        8..=9 => {
            let elements: Result<Vec<String>> =
                (0..bytes.int_in_range(0..=3_u8)?).map(|_| json(bytes, depth - 1)).collect();
            format!("[{}]", elements?.join(","))
        }
        _ => {
            let mut members: Vec<String> = Vec::new();
            for key in ["a", "b"] {
                if bytes.ratio(1, 2)? {
                    members.push(format!("\"{key}\":{}", json(bytes, depth - 1)?));
                }
            }
            format!("{{{}}}", members.join(","))
        }
    })
}
