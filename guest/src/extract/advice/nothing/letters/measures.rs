//! Notations of numbers with a unit, a sign, or parts.

use std::collections::BTreeSet;

use regex::Regex;

use super::notation::{Notation, has_digits};

/// How texts are written that are numbers of some kind.
struct Rule {
    /// What they are called.
    noun: &'static str,
    /// Most texts are so.
    most: &'static str,
    /// And some have this.
    some: &'static str,
    /// What jq does with them.
    body: fn(&[String]) -> Option<String>,
    /// The outputs of the filter are the parts of a value.
    has_parts: bool,
}

/// Of several that fit, the first one is meant.
const RULES: [Rule; 10] = [
    Rule {
        noun: "addresses",
        most: "^[0-9]{1,3}([.][0-9]{1,3}){3}$",
        some: "",
        body: |_| Some(NUMBERS_IN_IT.to_owned()),
        has_parts: true,
    },
    Rule {
        noun: "versions",
        most: r"^([0-9]+:)?v?[0-9]+([.][0-9]+)+([-+~a-z][0-9A-Za-z.+~:-]*)?$",
        some: r"^([0-9]+:)?v?[0-9]+[.][0-9]+[.][0-9]|^([0-9]+:|v)[0-9]+[.][0-9]",
        body: of_versions,
        has_parts: true,
    },
    Rule {
        noun: "percentages",
        most: "^[-+]?[0-9.]+%$",
        some: "%",
        body: |_| Some("rtrimstr(\"%\") | tonumber".to_owned()),
        has_parts: false,
    },
    Rule {
        noun: "sizes",
        most: "^[0-9]+([.][0-9]+)? ?([KMGTP]i?[Bb]?|k|[kmgtp]i?[bB]|B|[Bb]ytes)?$",
        some: "[0-9] ?[KMGTPkmgtp]",
        body: of_sizes,
        has_parts: false,
    },
    Rule {
        noun: "durations",
        most: "^([0-9]+([.][0-9]+)? ?(ns|us|µs|ms|s|sec|m|min|h|d|w|y) ?)+$",
        some: "",
        body: of_durations,
        has_parts: false,
    },
    Rule {
        noun: "ages",
        most: "(?i)^(up |about |less than )*(an?|[0-9]+) (second|minute|hour|day|week|month|year)s?( ago)?( [(].*[)])?$",
        some: "",
        body: of_ages,
        has_parts: false,
    },
    Rule {
        noun: "times",
        most: "^[0-9]{1,3}(:[0-9]{2}){1,2}([.][0-9]+)?$",
        some: ":",
        body: of_times,
        has_parts: true,
    },
    Rule {
        noun: "numbers",
        most: r"^-?([1-9][0-9]{0,2}(\s[0-9]{3})+|[0-9]+)([.,][0-9]{1,2})?(\s?[€$£])?$",
        some: r"^-?[1-9][0-9]{0,2}\s[0-9]{3}",
        body: of_groups,
        has_parts: false,
    },
    Rule {
        noun: "numbers",
        most: "^[-+]?[0-9.]+(,[0-9]+)?( ?[€$£])?$",
        some: ",[0-9]{1,2}( ?[€$£])?$",
        body: |_| Some("gsub(\"[^0-9,-]\"; \"\") | sub(\",\"; \".\") | tonumber".to_owned()),
        has_parts: false,
    },
    Rule {
        noun: "numbers",
        most: "^[(]?[-+]?[€$£]? ?[-+]?[0-9]+(,[0-9]{3})*([.][0-9]+)?( ?([€$£]|[A-Z]{3}))?[)]?$",
        some: "[,€$£A-Z(]",
        body: of_amounts,
        has_parts: false,
    },
];

/// The units of durations, and their seconds.
const UNITS: [(&str, &str); 12] = [
    ("ns", "1e-9"),
    ("us", "1e-6"),
    ("µs", "1e-6"),
    ("ms", "0.001"),
    ("s", "1"),
    ("sec", "1"),
    ("m", "60"),
    ("min", "60"),
    ("h", "3600"),
    ("d", "86400"),
    ("w", "604800"),
    ("y", "31536000"),
];

/// The seconds of the units of ages.
const AGES: [(&str, &str); 7] = [
    ("second", "1"),
    ("minute", "60"),
    ("hour", "3600"),
    ("day", "86400"),
    ("week", "604800"),
    ("month", "2592000"),
    ("year", "31536000"),
];

/// The numbers between other signs.
const NUMBERS_IN_IT: &str = "scan(\"[0-9]+\") | tonumber";

/// A number and a unit of any kind.
const UNIT: &str = "^[-+]?[0-9]+(?:[.][0-9]+)? ?([A-Za-zµ°Ω][A-Za-zµ°Ω/²³]{0,7})$";

/// What texts with plain numbers are called.
const PLAIN: &str = "texts";

/// The notation of more than half of these texts, which can also read what they are compared with.
pub(super) fn of(texts: &[String], asked: Option<&str>) -> Option<Notation> {
    RULES.iter().find_map(|rule| of_rule(rule, texts, asked)).or_else(|| of_unit(texts))
}

/// Numbers with a unit that is the same in all of them: `3 km`, `12kg`, `7 req/s`.
fn of_unit(texts: &[String]) -> Option<Notation> {
    let is_number = Regex::new(UNIT).ok()?;
    let unit = |text: &String| Some(is_number.captures(text)?.get(1)?.as_str().to_owned());
    let units: Option<BTreeSet<String>> = texts.iter().map(unit).collect();
    let is_one = units.is_some_and(|units| units.len() == 1) && texts.len() > 1;
    let body = r#"capture("^(?<n>[-+]?[0-9.]+)") | .n | tonumber"#;
    is_one.then(|| Notation::with("numbers", &texts[0], Some(body.to_owned()), false))
}

fn of_rule(rule: &Rule, texts: &[String], asked: Option<&str>) -> Option<Notation> {
    let most = Regex::new(rule.most).ok()?;
    let some = Regex::new(rule.some).ok()?;
    let mut ones: Vec<String> = texts.iter().filter(|text| most.is_match(text)).cloned().collect();
    if ones.len() * 2 <= texts.len() || !ones.iter().any(|text| some.is_match(text)) {
        return None;
    }
    let example = ones[0].clone();
    ones.extend(asked.filter(|asked| most.is_match(asked)).map(str::to_owned));
    // Parts of a text without numbers would be an empty list, which is less than any other.
    let is_told = rule.has_parts && !texts.iter().all(|text| has_digits(text));
    let front = if is_told { "select(test(\"[0-9]\")) | " } else { "" };
    let body = (rule.body)(&ones).map(|body| format!("{front}{body}"));
    Some(Notation::with(rule.noun, &example, body, rule.has_parts))
}

/// The notation of versions that look like numbers, such as `1.9` and `1.29`, in a field that is named so.
pub(super) fn of_version_field(name: &str, texts: &[String]) -> Option<Notation> {
    let name = name.to_ascii_lowercase();
    let are_numbers = || texts.iter().all(|text| is_number(text)) && texts.iter().any(|text| text.contains('.'));
    let is_named = name.contains("version") || name == "ver";
    (is_named && are_numbers()).then(|| Notation::with("versions", &texts[0], Some(NUMBERS_IN_IT.to_owned()), true))
}

/// The notation of texts of which some are numbers, and others may go on after their number: `3`, `14 (5m ago)`.
pub(super) fn of_numbers(texts: &[String]) -> Option<Notation> {
    let goes_on = |text: &&String| {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || "-+.".contains(c));
        rest.len() < text.len() && rest.starts_with(" (")
    };
    let example = texts.iter().find(goes_on).or_else(|| texts.iter().find(|text| is_number(text)))?;
    let are_numbers = texts.iter().all(|text| is_number(text) || !has_digits(text));
    let body = if are_numbers { "tonumber" } else { "split(\" \")[0] | tonumber" };
    let is_read = are_numbers || !texts.iter().any(|text| has_groups(text));
    Some(Notation::with(PLAIN, example, is_read.then(|| body.to_owned()), false))
}

/// True for digits in groups, `1 017`, of which the first word is another number.
pub(super) fn has_groups(text: &str) -> bool {
    let mut words =
        text.split_whitespace().map(|word| word.bytes().all(|byte| byte.is_ascii_digit() || b".,".contains(&byte)));
    words.next() == Some(true) && words.next() == Some(true)
}

/// Blanks divide the digits into groups, `1 017`; what has other words is not read.
fn of_groups(texts: &[String]) -> Option<String> {
    let has = |sign: &[char]| texts.iter().any(|text| text.contains(sign));
    let signs = if has(&['€', '$', '£']) { r"[\\s€$£]" } else { r"\\s" };
    // A comma and a point would divide differently.
    let point = match (has(&[',']), has(&['.'])) {
        (true, true) => return None,
        (true, false) => r#"sub(","; ".") | "#,
        (false, _) => "",
    };
    Some(format!("gsub(\"{signs}\"; \"\") | {point}tonumber"))
}

/// True for a number as JSON or a person writes it.
pub(super) fn is_number(text: &str) -> bool {
    let is_plain = text.starts_with(|first: char| first.is_ascii_digit() || "-+.".contains(first));
    is_plain && text.parse::<f64>().is_ok()
}

/// What comes after a sign is a name, and of the same version as far as numbers tell. A version without an epoch has 0.
fn of_versions(texts: &[String]) -> Option<String> {
    let has = |signs: &[char]| texts.iter().any(|text| text.contains(signs));
    let name = if has(&['-', '+', '~']) { "sub(\"[-+~].*\"; \"\") | " } else { "" };
    let epoch = if has(&[':']) { "if test(\":\") then . else \"0:\" + . end | " } else { "" };
    Some(format!("{name}{epoch}{NUMBERS_IN_IT}"))
}

/// `K` is 1024, and so is `Ki`; `kB` is 1000.
fn of_sizes(texts: &[String]) -> Option<String> {
    let is_decimal = texts.iter().any(|text| text.ends_with(['B', 'b']) && !text.contains('i') && text.len() > 2);
    let thousand = if is_decimal { 1000 } else { 1024 };
    Some(format!(
        "capture(\"^(?<n>[0-9.]+) *(?<u>[KMGTP]?)\"; \"i\") | (.n | tonumber) * pow({thousand}; {{K: 1, M: 2, G: 3, T: 4, \
         P: 5}}[.u | ascii_upcase] // 0)"
    ))
}

fn of_durations(texts: &[String]) -> Option<String> {
    let letters = |text: &String| {
        let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    let units: BTreeSet<String> = texts.iter().flat_map(letters).collect();
    let known = UNITS.iter().filter(|(unit, _)| units.contains(*unit));
    let key = |unit: &str| if unit.is_ascii() { unit.to_owned() } else { format!("\"{unit}\"") };
    let seconds: Vec<String> = known.map(|(unit, seconds)| format!("{}: {seconds}", key(unit))).collect();
    let each = format!("(.n | tonumber) * {{{}}}[.u]", seconds.join(", "));
    let is_single = texts.iter().all(|text| letters(text).len() == 1);
    Some(match is_single {
        true => format!("capture(\"(?<n>[0-9.]+) *(?<u>[a-zµ]+)\") | {each}"),
        false => format!("[capture(\"(?<n>[0-9.]+) *(?<u>[a-zµ]+)\"; \"g\") | {each}] | add"),
    })
}

/// `3 hours ago`, `About an hour ago`, `Up 2 days`.
fn of_ages(texts: &[String]) -> Option<String> {
    let known = AGES.iter().filter(|(unit, _)| texts.iter().any(|text| text.contains(unit)));
    let (units, seconds): (Vec<&str>, Vec<String>) =
        known.map(|(unit, seconds)| (*unit, format!("{unit}: {seconds}"))).unzip();
    Some(format!(
        "capture(\"(?<n>[0-9]*) (?<u>{})\") | (.n | tonumber? // 1) * {{{}}}[.u]",
        units.join("|"),
        seconds.join(", ")
    ))
}

/// Amounts of several currencies do not compare.
fn of_amounts(texts: &[String]) -> Option<String> {
    let is_sign = |c: &char| c.is_alphabetic() || "€$£".contains(*c);
    let currencies: BTreeSet<String> = texts.iter().map(|text| text.chars().filter(is_sign).collect()).collect();
    let known = currencies.iter().filter(|currency| !currency.is_empty()).count();
    // In accounts, what is below 0 has brackets.
    let sign = if texts.iter().any(|text| text.starts_with('(')) { "sub(\"^[(]\"; \"-\") | " } else { "" };
    (known < 2).then(|| format!("{sign}gsub(\"[^0-9.-]\"; \"\") | tonumber"))
}

/// Hours and minutes are not to be compared with minutes and seconds.
fn of_times(texts: &[String]) -> Option<String> {
    let parts: BTreeSet<usize> = texts.iter().map(|text| text.matches(':').count()).collect();
    (parts.len() == 1).then(|| "splits(\":\") | tonumber".to_owned())
}
