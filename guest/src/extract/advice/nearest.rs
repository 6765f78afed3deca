//! Names that are close to one that does not exist.

/// More names than this are not worth reading.
const MOST_NAMES: usize = 3;

/// The names that were probably meant, the nearest first.
pub(super) fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut near: Vec<(usize, &str)> =
        names.into_iter().filter_map(|name| distance(wrong, name).map(|distance| (distance, name))).collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(MOST_NAMES).map(|(_, name)| name).collect()
}

/// The text that was probably meant by one with a slip in it. One with another first letter is another text, and so is one with
/// another number, or one that goes on. Leading words that both share do not count: `src/a` is not a slip for `src/bc`.
pub(super) fn respelled<'a>(wrong: &str, texts: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let slips = |text: &str| {
        let front = front_words(wrong, text);
        let (wrong, text) = (plain(&wrong[front..]), plain(&text[front..]));
        let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).collect::<Vec<_>>();
        let is_like = wrong.chars().next() == text.chars().next() && digits(&wrong) == digits(&text);
        is_like.then(|| slips(&wrong, &text))?
    };
    let near = texts.into_iter().filter_map(|text| Some((slips(text)?, text)));
    near.min_by_key(|(slips, _)| *slips).map(|(_, text)| text)
}

/// How many bytes two texts have in common before their last words.
fn front_words(a: &str, b: &str) -> usize {
    let same = a.char_indices().zip(b.chars()).take_while(|((_, a), b)| a == b);
    same.filter(|((_, sign), _)| !sign.is_alphanumeric()).last().map_or(0, |((at, sign), _)| at + sign.len_utf8())
}

/// How far two names are apart; `None` if that is too far to be a slip.
fn distance(a: &str, b: &str) -> Option<usize> {
    let (a, b) = (plain(a), plain(b));
    let parted = |long: &str, short: &str| short.len() > 2 && (long.starts_with(short) || long.ends_with(short));
    slips(&a, &b).or_else(|| (parted(&a, &b) || parted(&b, &a)).then_some(bearable(&a, &b) + 1))
}

/// How many slips there are between two names; `None` if there are too many.
fn slips(a: &str, b: &str) -> Option<usize> {
    if a == b || plural(a) == b || plural(b) == a {
        return Some(0);
    }
    let (a_length, b_length, most) = (a.chars().count(), b.chars().count(), bearable(a, b));
    // Most names are too different in length to be compared.
    (a_length.abs_diff(b_length) <= most).then(|| edits(a, b)).filter(|edits| *edits <= most)
}

/// So many slips are taken for one word.
fn bearable(a: &str, b: &str) -> usize {
    let shorter = a.chars().count().min(b.chars().count());
    // Two names of one letter are always one edit apart.
    (shorter / 3).max(1).min(shorter.saturating_sub(1))
}

/// Without what is most often written otherwise: case and the signs between words.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn plural(name: &str) -> String {
    match name.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{name}s"),
    }
}

/// Letters inserted, left out, replaced, or swapped with their neighbour.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (rows[i][j] + usize::from(x != y)).min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_near_and_other_words_are_not() {
        let names = ["title", "tags", "memory_type", "created", "entity", "select", "startswith"];
        assert_eq!(nearest("a", ["b", "n"]), [""; 0]);
        let rows: [(&str, &[&str]); 9] = [
            ("Title", &["title"]),
            ("titel", &["title"]),
            ("tag", &["tags"]),
            ("memoryType", &["memory_type"]),
            ("type", &["memory_type"]),
            ("entities", &["entity"]),
            ("selct", &["select"]),
            ("starts_with", &["startswith"]),
            ("author", &[]),
        ];
        for (wrong, expected) in rows {
            assert_eq!(nearest(wrong, names), expected, "{wrong}");
        }
    }

    #[test]
    fn a_text_is_respelled_and_not_another_one() {
        let texts =
            ["Open", "closed", "in_progress", "won't fix", "release-12", "fix the parser", "lib/ms", "lib/express"];
        for (wrong, expected) in [
            ("opne", Some("Open")),
            ("In Progress", Some("in_progress")),
            ("wontfix", Some("won't fix")),
            ("close", Some("closed")),
            ("release-13", None),
            ("pen", None),
            ("fix", None),
            ("merged", None),
            ("lib/x", None),
            ("lib/expres", Some("lib/express")),
            ("lib-express", Some("lib/express")),
            ("in_progres", Some("in_progress")),
        ] {
            assert_eq!(respelled(wrong, texts), expected, "{wrong}");
        }
    }
}
