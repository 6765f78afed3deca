//! Functions that jq does not have, and what it has instead.

use lro_query::{Function, functions};

use super::Advice;
use super::nearest::nearest;

/// Names of other languages, without case and underscores; what jq has; and how it is written.
const FOREIGN: [(&str, &[&str], &str); 43] = [
    (
        "filter where find findall grep",
        &["select"],
        "write `select(CONDITION)`, for example `select(.memory_type == \"semantic\")`",
    ),
    (
        "lower lowercase tolower tolowercase downcase lcase casefold",
        &["ascii_downcase"],
        "write `.title | ascii_downcase`",
    ),
    ("upper uppercase toupper touppercase upcase ucase", &["ascii_upcase"], "write `.title | ascii_upcase`"),
    ("substr substring slice mid left", &[], "slice with brackets: `.title[0:5]` is the first five characters"),
    ("len size strlen", &["length"], "write `.tags | length`"),
    ("count", &["length"], "write `length` with slurp to count records, or `map(select(…)) | length`"),
    (
        "includes include hasvalue inarray",
        &["index", "contains"],
        "write `.tags | index(\"x\")` for an array, `.title | contains(\"x\")` for a text",
    ),
    (
        "matches regexmatch regex regexp rematch research like ilike rlike icontains",
        &["test"],
        "write `.title | test(\"cache\"; \"i\")`; \"i\" ignores case",
    ),
    ("hasprefix beginswith startwith", &["startswith"], "write `.namespace | startswith(\"_semantic\")`"),
    ("hassuffix endwith", &["endswith"], "write `.title | endswith(\"x\")`"),
    ("indexof strpos position", &["index"], "write `.title | index(\"x\")`, which is null where there is none"),
    (
        "distinct uniq dedupe dedup drop_duplicates",
        &["unique", "unique_by"],
        "write `map(.namespace) | unique` with slurp",
    ),
    ("sum total", &["add"], "write `map(.confidence) | add` with slurp"),
    ("avg mean average", &["add", "length"], "write `map(.confidence) | add / length` with slurp"),
    (
        "median percentile stddev",
        &["sort", "add"],
        "jq has no such function: sort the values and take one, `sort | .[length / 2 | floor]`",
    ),
    (
        "orderby sortby order sortdesc",
        &["sort_by"],
        "write `sort_by(.created)` with slurp, and `| reverse` for descending order",
    ),
    (
        "groupby groupby countby",
        &["group_by"],
        "write `group_by(.namespace) | map({namespace: .[0].namespace, count: length})` with slurp",
    ),
    ("str tostr string stringify", &["tostring"], "write `.id | tostring`"),
    (
        "int float number parseint parsefloat tonum toint tofloat double",
        &["tonumber"],
        "write `.x | tonumber`, or `floor` to cut the fraction",
    ),
    ("bool tobool", &["toboolean"], "write `.x | toboolean`"),
    ("concat strcat", &["join", "add"], "write `.a + \" \" + .b`, or `[.a, .b] | join(\" \")`"),
    ("replace replaceall strreplace", &["gsub", "sub"], "write `.title | gsub(\"old\"; \"new\")`"),
    ("strip", &["trim"], "write `.title | trim`"),
    ("isnull isnone isnil isna", &[], "compare with null: `.title == null`"),
    ("notnull isnotnull isdefined", &[], "compare with null: `.title != null`"),
    ("coalesce ifnull nvl default getordefault", &[], "give a default with `//`: `.title // \"none\"`"),
    ("exists haskey hasfield", &["has"], "write `has(\"title\")`, or `.title != null`"),
    ("head take top fetch", &["first", "limit"], "write `.[:5]` with slurp, or pass `limit` beside the filter"),
    ("tail", &["last"], "write `.[-5:]` with slurp"),
    ("foreach each iterate", &[], "`.tags[]` gives each element; records are given one by one already"),
    ("none nil undefined", &["null"], "write `null`"),
    (
        "date todatetime datetime parsedate strtodate totimestamp",
        &["fromdate", "strptime"],
        "ISO 8601 dates compare as text: `.created > \"2026-01-31\"`",
    ),
    (
        "year month day hour",
        &[],
        "take it from the text of a date: `.created[0:4]` is the year, `.created[0:7]` the month",
    ),
    (
        "datediff dateadd timestampdiff",
        &["fromdate"],
        "subtract seconds: `(.modified | fromdate) - (.created | fromdate)`",
    ),
    (
        "today currentdate currenttimestamp time getdate",
        &[],
        "a filter has no clock: write the date into the filter, `.created > \"2026-01-31\"`",
    ),
    ("print echo console.log log4 puts printf", &[], "remove it: the output of a filter is its result"),
    (
        "get getvalue getfield pluck jsonpath jsonextract",
        &["getpath"],
        "write the path: `.provenance.confidence`, or `.[\"key\"]`",
    ),
    ("entries items", &["to_entries"], "write `to_entries`, which gives objects with key and value"),
    ("between", &[], "write `.x >= 1 and .x <= 5`"),
    ("xor nand nor", &[], "jq has `and`, `or` and `| not`"),
    ("merge assign update extend", &["add"], "add objects: `. + {x: 1}`"),
    ("omit exclude without dropfield remove delete", &["del"], "write `del(.content)`"),
    ("pick project columns", &["pick"], "write `{id, title}`"),
];

/// Advice on a function that is not defined.
pub(super) fn of_function(name: &str, arity: usize) -> Advice {
    let same: Vec<Function> = functions().filter(|function| function.name == name).collect();
    if let Some(hint) = other_arity(&same, arity) {
        return Advice::new(hint, same.iter().map(signature));
    }
    let plain: String = name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect();
    // A name that is known but for its case is no foreign one.
    let is_slip = |known: &str| known.replace('_', "") == plain;
    if let Some(Function { name: known, .. }) = functions().find(|function| is_slip(function.name)) {
        return Advice::new(format!("write `{known}`"), [known]);
    }
    if let Some((_, known, hint)) = FOREIGN.iter().find(|(foreign, ..)| foreign.split(' ').any(|word| word == plain)) {
        return Advice::new(*hint, known.iter().copied());
    }
    let near = nearest(name, functions().map(|function| function.name));
    let hint = match &near[..] {
        [] => "use jq's own functions; a field name begins with a dot, and text is written in double quotes".to_owned(),
        near => format!("did you mean {}?", either(near)),
    };
    Advice::new(hint, near)
}

/// Advice on a variable that is not defined.
pub(super) fn of_variable(name: &str) -> Advice {
    let plain = name.trim_start_matches('$');
    Advice::new(
        format!("pass it with the filter, params {{\"{plain}\": …}}, or bind it inside: `… as ${plain} | …`"),
        [] as [&str; 0],
    )
}

/// A function that exists with other numbers of arguments.
fn other_arity(known: &[Function], arity: usize) -> Option<String> {
    let least = known.first()?;
    if let Some(hint) = known.iter().find_map(|function| function.hint) {
        return Some(hint.to_owned());
    }
    let (name, takes) = (least.name, |arity| known.iter().any(|function| function.arity == arity));
    Some(match arity {
        2 if name.ends_with("_by") && takes(1) => format!(
            "`{name}` takes one filter: write `{name}(.a, .b)` for several keys, and behind a pipe what is done with the result"
        ),
        1 if takes(0) => format!("`{name}` takes its input from the left: write `… | {name}`"),
        2 if takes(1) => format!("`{name}` takes its input from the left: write `… | {name}(…)`"),
        1 if takes(2) => format!("arguments are separated by `;`: write `{name}(…; …)`"),
        0 => format!("`{name}` needs an argument: write `{}`", signature(least)),
        _ => format!("write {}", either(&known.iter().map(signature).collect::<Vec<_>>())),
    })
}

/// `test(…; …)`
fn signature(function: &Function) -> String {
    match function.arity {
        0 => function.name.to_owned(),
        arity => format!("{}({})", function.name, vec!["…"; arity].join("; ")),
    }
}

/// Names as alternatives: `a`, `b` or `c`.
pub(super) fn either<S: AsRef<str>>(names: &[S]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// What to write for a word of another language; itself where jq has it.
pub(super) fn of_word(word: &str) -> String {
    let advice = of_function(word, 1);
    let is_known = functions().any(|function| function.name == word);
    match advice.known.first() {
        Some(known) if !is_known => known.clone(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recommended_exists() {
        for (foreign, known, _) in FOREIGN {
            for name in known {
                assert!(functions().any(|function| function.name == *name), "{name} for {foreign}");
            }
        }
    }

    #[test]
    fn every_kind_of_name_has_its_advice() {
        let rows = [
            ("filter", 1, "write `select(CONDITION)`"),
            ("toLowerCase", 0, "ascii_downcase"),
            ("startsWith", 1, "write `startswith`"),
            ("length", 1, "write `… | length`"),
            ("sub", 1, "separated by `;`"),
            ("max", 1, "max_by"),
            ("selct", 1, "did you mean `select`?"),
            ("frobnicate", 0, "begins with a dot"),
            ("test", 0, "needs an argument"),
        ];
        for (name, arity, part) in rows {
            let hint = of_function(name, arity).hint;
            assert!(hint.contains(part), "{name}/{arity}: {hint}");
        }
    }
}
