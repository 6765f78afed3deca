//! Regular expressions as jq reads them, for an engine that reads two things otherwise.

use std::borrow::Cow;

/// Rewrites a pattern: `$` also matches before a newline at the end, and a brace that begins no repetition stands for
/// itself.
pub(crate) fn as_jq_reads_it(pattern: &str) -> Cow<'_, str> {
    if !pattern.contains(['$', '{']) {
        return Cow::Borrowed(pattern);
    }
    let mut rewritten = String::with_capacity(pattern.len() + 8);
    let (mut in_class, mut rest) = (0_u32, pattern);
    while let Some(character) = rest.chars().next() {
        let after = &rest[character.len_utf8()..];
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
            '$' if in_class == 0 => {
                rewritten.push_str(r"(?:\n?\z)");
                rest = after;
                continue;
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
    fn a_dollar_and_a_lone_brace_are_rewritten() {
        let rows = [
            ("plain", "plain"),
            ("c$", r"c(?:\n?\z)"),
            (r"\$[$]", r"\$[$]"),
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
