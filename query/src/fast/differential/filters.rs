//! Filters that plans are tried on.

use proptest::prelude::*;
use proptest::sample::select;

use super::forms::any_call;

const PATHS: [&str; 23] = [
    ".",
    ".a",
    ".b",
    ".t",
    ".c",
    ".c.d",
    ".a?",
    ".\"é\"",
    ".\"x y\"",
    ".t[0]",
    ".t[-1]",
    ".t[1:]",
    ".a[:2]",
    ".a[1:3]",
    ".missing",
    "$v",
    "$n",
    "\"ab\"",
    "1",
    "null",
    "true",
    "(try .a catch null)",
    "(try .[$v] catch null)",
];

const FUNCTIONS: [&str; 126] = [
    "length",
    "type",
    "ascii_downcase",
    "ascii_upcase",
    "tostring",
    "tojson",
    "keys",
    "keys_unsorted",
    "not",
    "first",
    "startswith(\"a\")",
    "startswith($v)",
    "endswith(\"b\")",
    "contains(\"b\")",
    "contains([\"b\"])",
    "index(\"b\")",
    "index(\"a\")",
    "has(\"d\")",
    "has_member($v)",
    "ltrimstr(\"a\")",
    "rtrimstr(\"b\")",
    "split(\"/\")",
    "join(\", \")",
    "test(\"b\")",
    "test(\"B\"; \"i\")",
    "test(\"ab\"; \"i\")",
    "test(\"K\"; \"i\")",
    "test(\"^[a-c]+$\")",
    "test(\"c$\")",
    "test($v; \"i\")",
    "(. // \"none\")",
    "(. + \"z\")",
    "(-.)",
    "(\"\\(.)-\\(type)\")",
    "@text",
    "@json",
    "map(type)",
    "any",
    "all",
    "any(. == \"a\")",
    "all(type == \"string\")",
    "any(.[]?; . == $v)",
    "any(..; strings | test(\"b\"))",
    "if . then 1 else 2 end",
    "if type == \"string\" then . end",
    "to_entries",
    "to_entries | map(.key)",
    "to_entries | map(select(.value != null)) | from_entries",
    "with_entries(select(.value | type == \"string\"))",
    "with_entries(.value |= tostring)",
    "with_entries(.key |= ascii_upcase)",
    "from_entries",
    "add",
    "sort",
    "unique",
    "reverse",
    "map_values(strings)",
    "map_values(length)",
    "del(.a)",
    "del(.a, .c.d)",
    "del(.c.d, .b)",
    "del(.c, .c.d)",
    "(.a |= type)",
    "(.a = .b)",
    "(.c.d = .a)",
    "(.c.x.y |= .)",
    "(.t += [\"z\"])",
    "(.a += .b)",
    "(.a //= 1)",
    "(.t[] |= type)",
    "(.[] |= strings)",
    "(.a |= empty)",
    "(.c += {e: 1, f: .a})",
    ". as $x | [$x, .]",
    ".a? as $v | {$v, n: $v}",
    ". as {$a, $b, c: $d} | [$a, $b, $d]",
    ".[]? as $x | {x: $x, y: type}",
    ". as $x | .t? as $y | [$x, $y, $v]",
    "reduce .[]? as $x (0; . + ($x | length))",
    "reduce (.t[]?, .a?) as $x (null; [., $x] | length)",
    "reduce .[]? as $x (\"\"; . + ($x | type))",
    "[limit(2; .[]?)]",
    "[first(.[]?)]",
    "first(.t[]? | strings) // \"none\"",
    "[limit(3; range(0; length)) as $i | .[$i]]",
    "[limit(3; range(length)) as $i | \"\\($i)\"]",
    "[range(-1; 2) as $i | .t[$i]?]",
    "length * 2",
    "(length - 1) / 4",
    "length % 3",
    "[.. | numbers] | add",
    ". + .",
    "(.a? + .b?)",
    "sub(\"a\"; \"X\")",
    "gsub(\"[a-b]+\"; \"<>\")",
    "gsub(\"(?<l>[a-z])\"; \"\\(.l)-\")",
    "gsub(\"\"; \"-\")",
    "gsub(\"b$\"; \".\"; \"i\")",
    "[match(\"[a-z]\"; \"g\")]",
    "[match(\"(?<x>b)|(c)\"; \"gi\").string]",
    "[match(\"$\"; \"g\").offset]",
    "capture(\"(?<a>[a-z])(?<b>.)?\")",
    "[scan(\"[a-c]\")]",
    "[scan(\"(a)(b)?\"; \"i\")]",
    "@json \"x \\(.) y\"",
    "@csv \"\\([.a?, 1])\"",
    "@text \"\\(.)\"",
    "[.a?, .b?] as [$a, $b] | {a: $a, b: $b}",
    ". as [$a] | $a",
    "IN(\"a\", 1, null)",
    "IN(.[]?)",
    "isempty(.[]?)",
    "isempty(.a, .b)",
    "toarray",
    "todate",
    "abs",
    "finites",
    "ascii?",
    "sort_by(.a?)",
    "sort_by(.[]?)",
    "group_by(type)",
    "unique_by(length?)",
    "min_by(.)",
    "max_by(type)",
    "sort_by(.a?, .b?) | reverse",
    "(group_by(type) | map({type: (.[0] | type), count: length}))",
];

const MANY: [&str; 14] = [
    ".[]",
    ".[]?",
    "..",
    ".t[]",
    ".t[]?",
    "empty",
    "strings",
    "numbers",
    "objects",
    "arrays",
    "values",
    "scalars",
    "nulls",
    "iterables",
];

/// A filter with one output.
pub(super) fn single() -> impl Strategy<Value = String> {
    let path = select(&PATHS[..]).prop_map(str::to_owned);
    path.prop_recursive(3, 12, 3, |inner| {
        let operator = select(&["==", "!=", "<", "<=", ">", ">=", "and", "or", "//", "+"][..]);
        prop_oneof![
            4 => (inner.clone(), select(&FUNCTIONS[..])).prop_map(|(of, function)| format!("({of} | {function})")),
            3 => (inner.clone(), any_call()).prop_map(|(of, function)| format!("({of} | {function})")),
            3 => (inner.clone(), operator, inner.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            1 => (inner.clone(), select(&FUNCTIONS[..])).prop_map(|(of, f)| format!("(try ({of} | {f}) catch \"no\")")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}, {b}]")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("([{a}, {b}] | @tsv)")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("([{a}, {b}] | @csv)")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{a, x: {a}, \"y z\": {b}, $v}}")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("\"\\({a}): \\({b})\\n\"")),
        ]
    })
}

/// A filter with any number of outputs.
pub(super) fn many() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => single(),
        3 => single().prop_map(|condition| format!("select({condition})")),
        2 => (single(), select(&MANY[..])).prop_map(|(of, many)| format!("{of} | {many}")),
        2 => (single(), single()).prop_map(|(condition, then)| format!("select({condition}) | {then}")),
        1 => (single(), single()).prop_map(|(a, b)| format!("{a}, {b}")),
        1 => (select(&MANY[..]), single()).prop_map(|(many, then)| format!("{many} | {then}")),
        1 => (select(&MANY[..]), single()).prop_map(|(many, then)| format!("[{many} | {then}]")),
    ]
}

/// What looks at one end of what is sorted, with and without a pipe.
const ENDS: [&str; 11] = [
    "[0]",
    "[0].a",
    "[-1]",
    "[-1].t",
    " | .[0].a?",
    " | first",
    " | last",
    " | reverse | .[0]",
    " | reverse | .[-1].a",
    " | .[:2] | .[-1]",
    " | .[-2]",
];

/// What takes what is sorted apart.
const SPREADS: [&str; 6] = ["[]", "[].a", " | .[]", " | reverse | .[]", " | .[:2] | .[].b?", "[:2][]"];

/// A filter on the array of all records.
pub(super) fn whole() -> impl Strategy<Value = String> {
    let before = prop_oneof![
        3 => Just(String::new()),
        1 => many().prop_map(|each| format!("map({each}) | ")),
        1 => many().prop_map(|each| format!("[.[] | {each}] | ")),
    ];
    let step = prop_oneof![
        1 => Just("length".to_owned()),
        1 => Just("unique".to_owned()),
        1 => Just("sort".to_owned()),
        3 => many().prop_map(|key| format!("sort_by({key})")),
        1 => single().prop_map(|key| format!("sort_by({key}) | reverse")),
        1 => single().prop_map(|key| format!("sort_by({key}) | .[:2]")),
        1 => (single(), single()).prop_map(|(key, then)| format!("sort_by({key}) | reverse | .[0:3] | map({then})")),
        1 => (single(), select(&ENDS[..])).prop_map(|(key, end)| format!("sort_by({key}){end}")),
        1 => (single(), select(&SPREADS[..]), single())
            .prop_map(|(key, spread, then)| format!("sort_by({key}){spread} | {then}")),
        1 => single().prop_map(|key| format!("unique_by({key})")),
        1 => single().prop_map(|key| format!("min_by({key})")),
        1 => single().prop_map(|key| format!("max_by({key})")),
        2 => single().prop_map(|key| format!("group_by({key}) | map({{count: length, first: .[0].a, it: first}})")),
        2 => (single(), many())
            .prop_map(|(key, each)| format!("group_by({key}) | map({{count: length, all: map({each})}})")),
        2 => (many(), many()).prop_map(|(a, b)| format!("[map({a}), length, map({b})]")),
        // A field of criteria, whose arrays give each of their elements.
        2 => (single(), many()).prop_map(|(key, each)| {
            let opened = format!("({key} | if type == \"array\" then .[] else . end)");
            format!("map({{k: {opened}, v: [{each}]}}) | group_by([.k]) | map({{k: .[0].k, v: map(.v[])}})")
        }),
        1 => many().prop_map(|each| format!("map({each})")),
        1 => many().prop_map(|each| format!(".[] | {each}")),
    ];
    let after = select(&["", "", "", " | length", " | .[0]", " | map(.count)", " | . as $x | $x", " | tojson, 1"][..]);
    (before, step, after).prop_map(|(before, step, after)| format!("{before}{step}{after}"))
}
