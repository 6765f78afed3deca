//! Conditions that a text joins: `state=open or state=new and priority>=3`. `and` binds closer than `or`, parentheses
//! closest.
//!
//! The words occur in values too. So a text is divided only where a condition follows: `title=this or that` is one
//! condition, `title=this or title=that` are two. Nothing in double quotes is divided, nor in the quotes of SQL.

use super::clause::Clause;
use super::division::{self, ANDS, ORS, length_of_connector};
use super::{MOST_CONDITIONS, negation, quotes, read_condition, too_many_conditions, typed};
use crate::error::Error;

/// A longer text is one condition.
const MOST_BYTES: usize = 8192;

/// Reads conditions and what joins them.
pub(super) fn read(text: &str, are_lines: bool) -> Result<Clause, Error> {
    negation::check_words(text, are_lines)?;
    // Looking for conditions takes time in proportion to the square of the length.
    if text.len() > MOST_BYTES {
        let beginning = text.floor_char_boundary(MOST_BYTES);
        let mut reader = Reader { text: &text[..beginning], at: 0, count: 0, are_lines };
        // A long text with few conditions is one value. The cut may have broken the last condition.
        return match reader.alternatives(0) {
            Err(error) if reader.count > MOST_CONDITIONS => Err(error),
            _ => read_condition(&text.into(), are_lines),
        };
    }
    let mut reader = Reader { text, at: 0, count: 0, are_lines };
    match reader.alternatives(0)? {
        Some(clause) if reader.at == text.len() => Ok(clause),
        // What is not joined as it should be is one condition: its value may be any text.
        _ => read_condition(&text.into(), are_lines),
    }
}

/// A text, how far it has been read, and how many conditions that were.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    count: usize,
    are_lines: bool,
}

impl<'a> Reader<'a> {
    /// Conditions with `or` between them; `None` if parentheses are not closed.
    fn alternatives(&mut self, depth: usize) -> Result<Option<Clause>, Error> {
        let mut list = Vec::new();
        loop {
            let Some(all) = self.all(depth)? else { return Ok(None) };
            list.push(all);
            if !self.passes(&ORS) {
                return Ok(Some(Clause::any(list)));
            }
        }
    }

    /// Conditions with `and` between them.
    fn all(&mut self, depth: usize) -> Result<Option<Clause>, Error> {
        let mut list = Vec::new();
        loop {
            let Some(one) = self.one(depth)? else { return Ok(None) };
            list.push(one);
            if !self.passes(&ANDS) {
                return Ok(Some(Clause::all(list)));
            }
        }
    }

    /// A condition, or conditions in parentheses.
    fn one(&mut self, depth: usize) -> Result<Option<Clause>, Error> {
        let rest = &self.text[self.at..];
        let (is_negated, group) = negation::passed(rest);
        // Nobody writes more, and each is a call of its own.
        if depth < 8 && group.starts_with('(') {
            self.at += rest.len() - group.len() + 1;
            let inner = self.alternatives(depth + 1)?;
            self.at = self.text.len() - self.text[self.at..].trim_start().len();
            let is_closed = self.text[self.at..].starts_with(')');
            self.at += usize::from(is_closed);
            self.at += blanks_before_end(&self.text[self.at..]);
            let clause = inner.filter(|_| is_closed);
            return Ok(if is_negated { clause.map(Clause::negated) } else { clause });
        }
        let length = self.length_of_condition(rest, depth > 0);
        self.at += length;
        self.count += 1;
        if self.count > MOST_CONDITIONS {
            return Err(too_many_conditions());
        }
        read_condition(&rest[..length].into(), self.are_lines).map(Some)
    }

    /// How far a condition goes: up to what joins it with the next one, or to the end of its parentheses.
    fn length_of_condition(&self, text: &str, is_inside: bool) -> usize {
        let mut open = 0_usize;
        let mut at = 0;
        while let Some(char) = text[at..].chars().next() {
            match char {
                // Up to the closing quote.
                '"' => at += quotes::length_at(text, at).map_or(0, |length| length - 1),
                '\'' => at += typed::length_of_sql_text(text, at).map_or(0, |length| length - 1),
                '(' | '[' => open += 1,
                ')' if open == 0 && is_inside => return at,
                ')' | ']' => open = open.saturating_sub(1),
                // One of several blanks was looked at with those after it.
                char if char.is_whitespace() && text[..at].ends_with(char::is_whitespace) => {}
                _ if open == 0 && division::joins(text, at, self.are_lines) => return at,
                _ => {}
            }
            at += text[at..].chars().next().map_or(0, char::len_utf8);
        }
        at
    }

    /// Passes over one of these connectors.
    fn passes(&mut self, words: &[&str]) -> bool {
        let rest = &self.text[self.at..];
        let length = words.iter().find_map(|word| length_of_connector(rest, word));
        self.at += length.unwrap_or_default();
        length.is_some()
    }
}

/// How many blanks there are, if nothing follows them.
fn blanks_before_end(text: &str) -> usize {
    if text.trim().is_empty() { text.len() } else { 0 }
}

/// A text as a request has it.
#[cfg(test)]
fn exact(text: &str) -> String {
    match read(text, false) {
        Ok(clause) => clause.exact().to_string(),
        Err(error) => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_divided_where_a_condition_follows() {
        let rows = [
            ("a=1 or b=2", r#"{"any":["a=1","b=2"]}"#),
            ("a=1 || b>=2||c~=x", r#"{"any":["a=1","b>=2","c~=x"]}"#),
            ("a=1 OR b=2 and c=3", r#"{"any":["a=1",{"all":["b=2","c=3"]}]}"#),
            ("(a=1 or b=2) and c=3", r#"{"all":[{"any":["a=1","b=2"]},"c=3"]}"#),
            ("( a = 1 or ( b=2 && !c ) )", r#"{"any":["a=1",{"all":["b=2","!c"]}]}"#),
            ("tags or labels", r#"{"any":["tags","labels"]}"#),
            ("tags or priority>=3 or !x", r#"{"any":["tags","priority>=3","!x"]}"#),
            ("a in (x, y) or b in [1,2]", r#"{"any":["a in x,y","b in 1,2"]}"#),
            ("a=x or b in 1,2", r#"{"any":["a=x","b in 1,2"]}"#),
            ("a contains x or b contains y z", r#"{"any":["a~=x","b~=y z"]}"#),
            ("n between 3 and 5 or n=9", r#"{"any":["n=3..5","n=9"]}"#),
            ("n=9 or n between 3 and 5", r#"{"any":["n=9","n=3..5"]}"#),
            ("a=1 and b=2 and c=3", r#"{"all":["a=1","b=2","c=3"]}"#),
            ("a=\"x or y\" or b=2", r#"{"any":["a=x or y","b=2"]}"#),
            ("a=x(1) or b=f(2)", r#"{"any":["a=x(1)","b=f(2)"]}"#),
            ("Major Genre=a b or Major Genre = c", r#"{"any":["Major Genre=a b","Major Genre=c"]}"#),
            ("(a=1 or b=2)  ", r#"{"any":["a=1","b=2"]}"#),
            ("tags or labels contains x", r#"{"any":["tags","labels~=x"]}"#),
            ("tags or labels here", "cannot extract: `tags or labels here` is not a valid condition"),
            (
                "Major Genre in (a, b) or IMDB Rating in [7, 8]",
                r#"{"any":["Major Genre in a,b","IMDB Rating in 7,8"]}"#,
            ),
            ("a=1 and \"b or c=d\">2", r#"{"all":["a=1","\"b or c=d\">2"]}"#),
            ("\"a b\"=1 or !\"c d\" or \"e f\" in x,y", r#"{"any":["a b=1","!c d","e f in x,y"]}"#),
            (
                "IMDB Rating>=8 or Rotten Tomatoes Rating>=95",
                r#"{"any":["IMDB Rating>=8","Rotten Tomatoes Rating>=95"]}"#,
            ),
            ("Major Genre=a b and Running Time = x", r#"{"all":["Major Genre=a b","Running Time=x"]}"#),
            ("Major Genre in (a, b) or Running Time=x", r#"{"any":["Major Genre in a,b","Running Time=x"]}"#),
            ("title=this or that or IMDB Rating>8", r#"{"any":["title=this or that","IMDB Rating>8"]}"#),
            ("größe>3 or ö=ü", r#"{"any":["größe>3","ö=ü"]}"#),
        ];
        for (text, expected) in rows {
            assert_eq!(exact(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_a_part_of_a_value_is_not_divided() {
        let rows = [
            ("title=this or that", "title=this or that"),
            ("title~=rock and roll", "title~=rock and roll"),
            ("title~=cats or dogs in rain", "title~=cats or dogs in rain"),
            ("title~=it fails or it contains errors", "title~=it fails or it contains errors"),
            ("title=\"a or b=c\"", "title=\"a or b=c\""),
            ("title=~a||b", "title=~a||b"),
            ("title=oracle", "title=oracle"),
            ("title=for x=1", "title=for x=1"),
            ("title in (a or b=1, c)", "title in [\"a or b=1\", c]"),
            ("title=:( or b=2", "title=:( or b=2"),
            ("n between 3 and 5", "n=3..5"),
            ("title=a or ", "title=a or"),
            ("title=this or that one=2", "title=this or that one=2"),
            ("Major Genre=a or b, that is c=2", "Major Genre=a or b, that is c=2"),
            ("title=5\" or 6\"", "title=5\" or 6\""),
        ];
        for (text, expected) in rows {
            let Ok(Clause::One(condition)) = read(text, false) else { panic!("{text}") };
            let expected = match read(expected, false) {
                Ok(Clause::One(condition)) => condition,
                other => panic!("{other:?}"),
            };
            assert_eq!(condition, expected, "{text}");
        }
    }

    #[test]
    fn nothing_in_quotes_is_divided() {
        let rows = [
            (r#"a="long or b=1""#, vec!["long or b=1"]),
            (r#"a="x\" or b=1" or c="y""#, vec!["x\" or b=1", "y"]),
            (r#"a="x\\" or c="y""#, vec!["x\\", "y"]),
            (r#"a="x " or c="y""#, vec!["x ", "y"]),
            (r#"a="" or c="y""#, vec!["", "y"]),
            (r#"a."x or b=1"=2 or c=y"#, vec!["2", "y"]),
        ];
        for (text, expected) in rows {
            let clause = read(text, false).unwrap();
            let conditions = clause.conditions();
            let values: Vec<&str> = conditions.iter().filter_map(|one| one.values.last()?.as_str()).collect();
            assert_eq!(values, expected, "{text}");
        }
    }

    #[test]
    fn a_text_past_a_bound_is_one_condition() {
        let long = |bytes: usize| format!("a=1 or b={}", "x".repeat(bytes - "a=1 or b=".len()));
        let deep = |depth: usize| format!("{}a=1{}", "(".repeat(depth), ")".repeat(depth));
        let rows = [
            (long(MOST_BYTES), 2, "a"),
            (long(MOST_BYTES + 1), 1, "a"),
            (deep(8), 1, "a"),
            (deep(9), 1, "(a"),
            // Not closed, or followed by more than what joins: nothing is dropped.
            ("(a=1) b=2".to_owned(), 1, "(a"),
            ("(a=1".to_owned(), 1, "(a"),
        ];
        for (text, count, field) in rows {
            let clause = read(&text, false).unwrap();
            let conditions = clause.conditions();
            assert_eq!((conditions.len(), conditions[0].field.name.as_str()), (count, field), "{text:.40}");
        }
    }

    #[test]
    fn lines_are_the_only_field_of_a_text() {
        for (text, parts) in [
            ("line~=a or line~=b", 2),
            ("~=a or ~=b", 2),
            ("~=a or b=c", 1),
            ("~=key=1 and other=2", 1),
            ("~=a && =~^b", 2),
        ] {
            assert_eq!(read(text, true).unwrap().conditions().len(), parts, "{text}");
        }
    }

    #[test]
    fn hostile_texts_end() {
        let negated = format!("a=1{} or !z z", " or !b".repeat(1300));
        let words = format!("a b{} =x", " in".repeat(40_000));
        let some = " or !b".repeat(15) + " or z z";
        for text in [
            "(",
            ")",
            "((((((((((a=1",
            &"(".repeat(9000),
            &"a=1 or ".repeat(2000),
            "or or or",
            " or ",
            "||",
            "\"",
            &negated,
            &words,
            &format!("a=1{}", some.repeat(80)),
            &format!("a=1{}", " or x".repeat(1600)),
            &format!("a=1{} or b=2", " ".repeat(8000)),
            &format!("a{}", " is null or a is".repeat(500)),
            &"\"a,".repeat(2000),
        ] {
            if let Ok(clause) = read(text, false) {
                assert!(!clause.conditions().is_empty(), "{text}");
            }
        }
        let many = (0..60_000).map(|at| format!("f{at}=1")).collect::<Vec<_>>();
        let any = Clause::read(&serde_json::json!({"any": many}), false).unwrap_err().to_string();
        assert!(any.contains("more than 20 conditions"), "{any}");
        let text = read(&many.join(" or "), false).unwrap_err().to_string();
        assert!(text.contains("more than 20 conditions"), "{text}");
        let refused = read(&negated, false).unwrap_err().to_string();
        assert!(refused.contains("more than 20 conditions"), "{refused}");
    }
}
