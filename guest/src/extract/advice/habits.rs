//! Habits from other languages that are not jq, recognised in the text of a filter.

use super::functions::of_word;
use super::shown;

/// What to write instead of something that does not parse; `None` if no known habit fits.
pub(super) fn of_syntax(filter: &str) -> Option<String> {
    let code = Code::of(filter);
    let rules: [fn(&Code<'_>) -> Option<String>; 24] = [
        other_quotes,
        escaped_quotes,
        single_backslash,
        a_whole_command,
        sql,
        single_quotes,
        json_path,
        method,
        operators,
        negation,
        infix_words,
        null_tests,
        ternary,
        arrow,
        dotted_keys,
        nested_keys,
        construction_behind_a_path,
        descending,
        digits_as_key,
        at_sign,
        name_with_blanks,
        open_bracket,
        open_block,
        open_pipe,
    ];
    rules.into_iter().find_map(|rule| rule(&code))
}

/// A filter, and a copy with spaces in place of everything between double quotes.
struct Code<'a> {
    filter: &'a str,
    bare: String,
    lower: String,
}

impl<'a> Code<'a> {
    fn of(filter: &'a str) -> Self {
        let (mut bare, mut in_text, mut escaped) = (String::with_capacity(filter.len()), false, false);
        for character in filter.chars() {
            let is_quote = character == '"' && !(in_text && escaped);
            escaped = in_text && character == '\\' && !escaped;
            match in_text && !is_quote {
                true => bare.extend(std::iter::repeat_n(' ', character.len_utf8())),
                false => bare.push(character),
            }
            in_text ^= is_quote;
        }
        Self { filter, lower: bare.to_ascii_lowercase(), bare }
    }

    fn has(&self, part: &str) -> bool {
        self.bare.contains(part)
    }

    /// True if the word is in the text as a whole word.
    fn has_word(&self, word: &str) -> bool {
        self.lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|other| other == word)
    }

    /// The filter with some signs written otherwise, outside of its texts.
    fn with(&self, signs: &[(&str, &str)]) -> String {
        let (mut text, mut at) = (String::new(), 0);
        while at < self.filter.len() {
            let found = signs.iter().find(|(sign, _)| self.bare[at..].starts_with(sign));
            match found {
                Some((sign, other)) => {
                    text.push_str(other);
                    at += sign.len();
                }
                None => {
                    let character = self.filter[at..].chars().next().unwrap_or_default();
                    text.push(character);
                    at += character.len_utf8();
                }
            }
        }
        shown(&text).into_owned()
    }
}

fn other_quotes(code: &Code<'_>) -> Option<String> {
    let typographic = ['“', '”', '‘', '’'];
    code.bare
        .contains(typographic)
        .then(|| format!("use plain quotes: `{}`", shown(&code.filter.replace(typographic, "\""))))
}

fn escaped_quotes(code: &Code<'_>) -> Option<String> {
    let is_so = code.has("\\\"");
    is_so.then(|| format!("the quotes are escaped twice: `{}`", shown(&code.filter.replace("\\\"", "\""))))
}

/// `test("\d+")`
fn single_backslash(code: &Code<'_>) -> Option<String> {
    let (mut text, mut in_text, mut is_wrong) = (String::new(), false, false);
    let mut signs = code.filter.chars().peekable();
    while let Some(sign) = signs.next() {
        text.push(sign);
        match sign {
            '"' => in_text = !in_text,
            '\\' if in_text => match signs.peek() {
                Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u' | '(') => text.extend(signs.next()),
                _ => {
                    is_wrong = true;
                    text.push('\\');
                }
            },
            _ => {}
        }
    }
    is_wrong.then(|| format!("in a text, a backslash is written twice: `{}`", shown(&text)))
}

fn a_whole_command(code: &Code<'_>) -> Option<String> {
    let first = code.lower.split_whitespace().next()?;
    ["jq", "tail", "cat", "grep", "lro"]
        .contains(&first)
        .then(|| format!("pass only the filter: the text between the quotes of the shell command, without `{first}`"))
}

fn sql(code: &Code<'_>) -> Option<String> {
    let is_sql = code.lower.starts_with("select ") || code.has_word("from") && code.has_word("where");
    is_sql.then(|| {
        "write jq, not SQL: `select(.memory_type == \"semantic\") | {id, title}`; or pass criteria as `where`"
            .to_owned()
    })
}

fn single_quotes(code: &Code<'_>) -> Option<String> {
    code.has("'").then(|| format!("write text in double quotes: `{}`", code.with(&[("'", "\"")])))
}

/// Signs of JSONPath, and those of jq.
const JSON_PATH: [(&str, &str); 3] = [("$.", "."), (".[*]", "[]"), ("[*]", "[]")];

fn json_path(code: &Code<'_>) -> Option<String> {
    if code.bare.trim_start().starts_with("$.") || code.has("($.") {
        return Some(format!("a path begins with a dot: `{}`", code.with(&JSON_PATH)));
    }
    code.has("[*]").then(|| format!("all elements are `[]`: `{}`", code.with(&JSON_PATH[1..])))
}

/// `.title.contains("x")`
fn method(code: &Code<'_>) -> Option<String> {
    for (at, _) in code.bare.match_indices('(') {
        let before = &code.bare[..at];
        let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        let Some(object) = before[..before.len() - name.len()].strip_suffix('.').map(str::trim_end) else { continue };
        if !name.is_empty() && !object.is_empty() && !object.ends_with(['|', '(']) {
            let word = of_word(name);
            let start = object.rfind([' ', '(', '[', '{', '|', ',', ';']).map_or(0, |at| at + 1);
            let arguments = if code.bare[at..].starts_with("()") { "" } else { "(…)" };
            return Some(format!(
                "values have no methods: pipe the value into the function, `{} | {word}{arguments}`",
                shown(&object[start..])
            ));
        }
    }
    None
}

fn operators(code: &Code<'_>) -> Option<String> {
    let logic: Vec<_> = [("&&", "and"), ("||", "or")].into_iter().filter(|(sign, _)| code.has(sign)).collect();
    if !logic.is_empty() {
        return Some(format!("write `and` and `or`: `{}`", code.with(&logic)));
    }
    if ["=~", "~=", "~"].iter().any(|sign| code.has(sign)) || code.has(" /") && code.has("/)") {
        return Some(
            "a regular expression is a function: `.title | test(\"cache\"; \"i\")`; \"i\" ignores case".into(),
        );
    }
    let comparing = [("===", "=="), ("!==", "!="), ("<>", "!=")];
    let comparing: Vec<_> = comparing.into_iter().filter(|(sign, _)| code.has(sign)).collect();
    (!comparing.is_empty()).then(|| format!("write `==` and `!=`: `{}`", code.with(&comparing)))
}

/// `!.archived`
fn negation(code: &Code<'_>) -> Option<String> {
    let negates = |(at, _): (usize, &str)| !code.bare[at + 1..].starts_with('=');
    code.bare
        .match_indices('!')
        .any(negates)
        .then(|| "put `not` after what it negates: `select(.tags == null | not)`".into())
}

/// `.title contains "x"`, `"x" in .tags`
fn infix_words(code: &Code<'_>) -> Option<String> {
    let lower = code.lower.as_str();
    if lower.contains(" not in ") || lower.contains(" in ") {
        return Some(
            "`in` is not an operator: write `.tags | index(\"x\")` for an array, `.status | IN(\"a\", \"b\")` for a list"
                .into(),
        );
    }
    let words = ["contains", "includes", "startswith", "starts_with", "endswith", "matches", "like", "ilike", "test"];
    let infix = |word: &&str| [" \"", " '"].iter().any(|quote| lower.contains(&format!(" {word}{quote}")));
    let word = words.into_iter().find(infix)?;
    Some(format!("it is a function, not an operator: pipe the value into it, `.title | {}(\"…\")`", of_word(word)))
}

fn null_tests(code: &Code<'_>) -> Option<String> {
    let is_test = code.lower.contains(" is null") || code.lower.contains(" is not ");
    is_test.then(|| "compare with null: `.title == null`, `.title != null`".into())
}

fn ternary(code: &Code<'_>) -> Option<String> {
    code.has(" ? ").then(|| "write `if CONDITION then A else B end`".into())
}

fn arrow(code: &Code<'_>) -> Option<String> {
    let is_function = code.has("=>") || code.has("->") || code.has_word("lambda");
    is_function
        .then(|| "there are no arrow functions: a filter sees its value as `.`, `map(.title)`, `select(.x > 1)`".into())
}

/// `{.id, .title}`
fn dotted_keys(code: &Code<'_>) -> Option<String> {
    let is_dotted = |(at, _): (usize, &str)| {
        let inside = code.bare[at + 1..].split('}').next().unwrap_or_default();
        let members = inside.split(',').map(str::trim);
        members.clone().all(|member| !member.is_empty())
            && members.clone().any(|m| m.starts_with('.') && !m.contains(':'))
    };
    let found = code.bare.match_indices('{').any(is_dotted);
    found.then(|| {
        "name keys without a dot, `{id, title}`; a nested one needs a name, `{confidence: .provenance.confidence}`"
            .into()
    })
}

/// `{id, customer.name}`
fn nested_keys(code: &Code<'_>) -> Option<String> {
    let is_key = |key: &str| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    code.bare.match_indices('{').find_map(|(at, _)| {
        let inside = code.bare[at + 1..].split('}').next()?;
        let member = inside.split(',').map(str::trim).find(|member| {
            let mut keys = member.split('.');
            keys.clone().count() > 1 && keys.all(is_key)
        })?;
        let name = member.rsplit('.').next()?;
        Some(format!("a nested field needs a name: write `{name}: .{member}` in place of `{member}`"))
    })
}

/// `.items[].{sku, qty}`
fn construction_behind_a_path(code: &Code<'_>) -> Option<String> {
    ["].{", "]{"]
        .into_iter()
        .find(|sign| code.has(sign))
        .map(|sign| format!("what is made of a value stands behind a pipe: `{}`", code.with(&[(sign, "] | {")])))
}

fn descending(code: &Code<'_>) -> Option<String> {
    let is_sorted = code.has("sort_by") && (code.has_word("desc") || code.has_word("asc"));
    is_sorted.then(|| "the order is not part of the key: `sort_by(.created) | reverse`".into())
}

/// `._source.@timestamp`
fn at_sign(code: &Code<'_>) -> Option<String> {
    let (_, behind) = code.bare.split_once(".@")?;
    let name: String = behind.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty())
        .then(|| format!("a key with characters other than letters, digits and _ is written in quotes: `.\"@{name}\"`"))
}

/// `.responses.200`
fn digits_as_key(code: &Code<'_>) -> Option<String> {
    code.bare.match_indices('.').find_map(|(at, _)| {
        let is_behind = code.bare[..at].ends_with(|c: char| c.is_alphabetic() || "_]\"".contains(c));
        let rest = &code.filter[at + 1..];
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        (is_behind && end > 0).then(|| {
            let (before, digits, after) = (&code.filter[..=at], &rest[..end], &rest[end..]);
            format!(
                "a key that begins with a digit is written in quotes: `{}`",
                shown(&format!("{before}\"{digits}\"{after}"))
            )
        })
    })
}

/// `.US Gross`
fn name_with_blanks(code: &Code<'_>) -> Option<String> {
    const KEYWORDS: [&str; 10] = ["and", "or", "not", "as", "if", "then", "elif", "else", "end", "catch"];
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_word = |word: &&str| !word.is_empty() && word.chars().all(is_part) && !KEYWORDS.contains(word);
    code.bare.match_indices('.').find_map(|(at, _)| {
        let rest = &code.bare[at + 1..];
        let end = rest.find(|c: char| !is_part(c) && c != ' ').unwrap_or(rest.len());
        let mut words: Vec<&str> = rest[..end].split(' ').take_while(is_word).collect();
        // A word before a parenthesis is a function.
        if rest[end..].starts_with('(') {
            words.pop();
        }
        let name = words.join(" ");
        (words.len() > 1).then(|| format!("a name with blanks is written in quotes: `.[\"{name}\"]`"))
    })
}

/// The bracket that is never closed, or that closes nothing.
fn open_bracket(code: &Code<'_>) -> Option<String> {
    if code.bare.matches('"').count() % 2 == 1 {
        let at = code.bare.rfind('"').map_or(0, |at| code.filter[..at].chars().count());
        return Some(format!("the quote at character {} is never closed: close the string", at + 1));
    }
    let mut open: Vec<(usize, char)> = Vec::new();
    for (at, sign) in code.bare.chars().enumerate() {
        let opening = match sign {
            '(' | '[' | '{' => {
                open.push((at, sign));
                continue;
            }
            ')' => '(',
            ']' => '[',
            '}' => '{',
            _ => continue,
        };
        match open.pop() {
            Some((_, sign)) if sign == opening => {}
            Some((began, wrong)) => {
                return Some(format!(
                    "the `{wrong}` at character {} is closed by the `{sign}` at character {}",
                    began + 1,
                    at + 1
                ));
            }
            None => return Some(format!("the `{sign}` at character {} closes nothing: remove it", at + 1)),
        }
    }
    let (at, sign) = open.pop()?;
    Some(format!("the `{sign}` at character {} is never closed", at + 1))
}

fn open_block(code: &Code<'_>) -> Option<String> {
    let count =
        |word: &str| code.bare.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| *w == word).count();
    let elif = ["else if", "elseif", "elsif"].into_iter().find(|words| code.lower.contains(&format!("{words} ")));
    if let Some(words) = elif {
        return Some(format!("write `elif` for `{words}`, and one `end`"));
    }
    (count("if") > count("end")).then(|| "close every `if … then … else …` with `end`".into())
}

fn open_pipe(code: &Code<'_>) -> Option<String> {
    let last = code.bare.trim_end();
    let sign = ["//", "|", ",", "and", "or", "==", "+"].into_iter().find(|sign| last.ends_with(sign))?;
    Some(format!("the filter ends after `{sign}`: remove it, or write what follows"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_looked_at() {
        for filter in ["ީ(.i", "é.(", "\"é", "“”", "日.本(", "!é", "{é", "\\\"", "$.é", "é[*]", "a.é.contains(\"x\")"]
        {
            of_syntax(filter);
        }
        assert_eq!(of_syntax("é ="), None);
    }
}
