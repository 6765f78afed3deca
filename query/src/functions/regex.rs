//! Regular expressions as jq reads them, for an engine that reads some things otherwise.

use std::borrow::Cow;

/// The names of the groups that hold the newline after a `$` begin with this. No pattern of jq can have such a name: a
/// full stop is not allowed there.
const NEWLINE_GROUP: &str = "_newline.";

/// True for the name of a group that holds the newline after a `$`. The match ends where the group begins.
pub(crate) fn is_newline_group(name: &str) -> bool {
    name.starts_with(NEWLINE_GROUP)
}

/// Rewrites a pattern: `$` and `\Z` also match before a newline at the end, and a brace that begins no repetition stands
/// for itself.
///
/// The engine cannot look ahead, so the newline is matched, in a group of its own (see [`is_newline_group`]). Whoever needs
/// to know where a match ends leaves it out.
pub(crate) fn as_jq_reads_it(pattern: &str) -> Cow<'_, str> {
    if !pattern.contains(['$', '{']) && !pattern.contains(r"\Z") {
        return Cow::Borrowed(pattern);
    }
    let mut rewritten = String::with_capacity(pattern.len() + 24);
    let (mut in_class, mut ends, mut rest) = (0_u32, 0_u32, pattern);
    while let Some(character) = rest.chars().next() {
        let after = &rest[character.len_utf8()..];
        let end = if in_class == 0 { end_anchor(rest) } else { None };
        if let Some((written, anchor)) = end {
            ends += 1;
            rewritten.push_str(&format!(r"(?:(?<{NEWLINE_GROUP}{ends}>\n)??{anchor})"));
            rest = &rest[written..];
            continue;
        }
        let taken = match character {
            '\\' => escape(rest),
            '[' => {
                in_class += 1;
                1
            }
            ']' => {
                in_class = in_class.saturating_sub(1);
                1
            }
            '{' if in_class == 0 && !repeats(after) => {
                rewritten.push_str(r"\{");
                rest = after;
                continue;
            }
            other => other.len_utf8(),
        };
        rewritten.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    Cow::Owned(rewritten)
}

/// The length of a sign for the end of the text, and the engine's sign for it. `$` stays one, as it means the end of a
/// line after `(?m)`.
fn end_anchor(rest: &str) -> Option<(usize, &'static str)> {
    if rest.starts_with('$') {
        return Some((1, "$"));
    }
    rest.starts_with(r"\Z").then_some((2, r"\z"))
}

/// The length of an escape, the braces of `\p{L}` and `\x{41}` included.
fn escape(text: &str) -> usize {
    let Some(kind) = text[1..].chars().next() else {
        return 1;
    };
    let short = 1 + kind.len_utf8();
    let braced = matches!(kind, 'p' | 'P' | 'x' | 'u') && text[short..].starts_with('{');
    if braced { text.find('}').map_or(short, |end| end + 1) } else { short }
}

/// True for `2}`, `2,}` and `2,3}`: what follows the brace of a repetition.
fn repeats(after: &str) -> bool {
    let Some((inside, _)) = after.split_once('}') else {
        return false;
    };
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !least.is_empty() && digits(least) && digits(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_lone_braces_are_rewritten() {
        let rows = [
            ("plain", "plain"),
            ("c$", r"c(?:(?<_newline.1>\n)??$)"),
            (r"a$|b\Z", r"a(?:(?<_newline.1>\n)??$)|b(?:(?<_newline.2>\n)??\z)"),
            (r"\$[$]", r"\$[$]"),
            (r"\\Z\\$", r"\\Z\\(?:(?<_newline.1>\n)??$)"),
            ("{", r"\{"),
            ("a{x}", r"a\{x}"),
            ("a{2}b{2,}c{2,3}", "a{2}b{2,}c{2,3}"),
            (r"\p{L}{", r"\p{L}\{"),
            (r"[{$]", r"[{$]"),
            (r"{\", r"\{\"),
        ];
        for (pattern, rewritten) in rows {
            assert_eq!(as_jq_reads_it(pattern), rewritten);
        }
    }
}
