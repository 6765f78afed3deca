//! Chooses a word of some texts, or a beginning that they share, as an example of what can be looked for in them.
//!
//! The texts are anybody's. A word has ASCII letters and digits only, so it means itself in a filter, in a regular
//! expression and in a shell; and it is short and alone, so it says nothing in our voice.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

/// Shorter words say little of a text.
const WORD_LETTERS: usize = 4;

/// Longer ones are rarely words.
const MOST_LETTERS: usize = 16;

/// Of a longer text with digits, such as a hash or a key, this much is taken.
const MOST_CHARACTERS: usize = 6;

/// Names with digits are rarely longer than this.
const NAME_CHARACTERS: usize = 8;

/// A longer beginning is not shown.
const MOST_BEGINNING: usize = 24;

/// A beginning is a whole part of a text, or one of this many letters.
const SHORT_BEGINNINGS: [usize; 3] = [3, 2, 1];

/// Only this much of each text is looked at.
const LOOKED_AT: usize = 400;

/// Words that nearly every text has; they say nothing of one.
const COMMON: [&str; 32] = [
    "about", "after", "also", "been", "before", "does", "each", "false", "from", "have", "html", "http", "https",
    "into", "more", "must", "null", "only", "some", "that", "their", "them", "then", "there", "these", "they", "this",
    "true", "what", "when", "which", "with",
];

/// The words of some texts.
pub struct Vocabulary<'a> {
    words: Vec<Example<'a>>,
}

/// A word that may be chosen.
struct Example<'a> {
    /// As it stands in the first text that has it.
    form: &'a str,
    /// How good an example it is; of equals the first one is better.
    worth: ([usize; 5], Reverse<usize>),
}

/// What is known of a word.
struct Known<'a> {
    /// As it stands in the first text that has it.
    form: &'a str,
    /// Its place among the words.
    place: usize,
    /// Texts that have it.
    texts: usize,
    /// The last one of them.
    last: Option<usize>,
    /// One of the texts among which the word is chosen has it.
    is_eligible: bool,
}

impl<'a> Vocabulary<'a> {
    /// The words of texts for which `is_eligible` is true, each as good an example as the other texts make it.
    pub fn of(texts: &[&'a str], is_eligible: impl Fn(usize) -> bool) -> Self {
        let mut known: HashMap<Cow<'_, str>, Known<'_>> = HashMap::new();
        for (number, text) in texts.iter().enumerate() {
            for form in words(text) {
                let place = known.len();
                let word = known.entry(lowercase(form)).or_insert(Known {
                    form,
                    place,
                    texts: 0,
                    last: None,
                    is_eligible: false,
                });
                if word.last.replace(number) == Some(number) {
                    continue;
                }
                word.texts += 1;
                if !word.is_eligible && is_eligible(number) {
                    (word.is_eligible, word.form) = (true, form);
                }
            }
        }
        let eligible = known.iter().filter(|(_, word)| word.is_eligible);
        let example = |(key, word): (&Cow<'_, str>, &Known<'a>)| Example {
            form: word.form,
            worth: (worth(key, word, texts.len()), Reverse(word.place)),
        };
        Self { words: eligible.map(example).collect() }
    }

    /// The best one, except some in any case.
    pub fn word(&self, except: &[&str]) -> Option<String> {
        let is_meant = |example: &&Example<'a>| except.iter().all(|other| !other.eq_ignore_ascii_case(example.form));
        let form = self.words.iter().filter(is_meant).max_by_key(|example| example.worth)?.form;
        Some(if is_name(form) { form } else { &form[..MOST_CHARACTERS] }.to_owned())
    }
}

/// Returns a word that some of the texts have and others do not, if there is one; `None` if no text has a word. Only
/// texts for which `is_eligible` is true are sure to have it.
pub fn word(texts: &[&str], is_eligible: impl Fn(usize) -> bool) -> Option<String> {
    Vocabulary::of(texts, is_eligible).word(&[])
}

/// The same letters, all small.
fn lowercase(word: &str) -> Cow<'_, str> {
    match word.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => word.to_ascii_lowercase().into(),
        false => word.into(),
    }
}

/// True for what may be shown whole: letters, or a few characters.
pub fn is_name(word: &str) -> bool {
    word.len() <= NAME_CHARACTERS || (word.len() <= MOST_LETTERS && word.bytes().all(|c| c.is_ascii_alphabetic()))
}

/// How good an example a word is: words of letters first, of these such as tell some texts from the others, of these
/// the most frequent ones of at most half of the texts, of these the longest. `key` is the word in small letters.
fn worth(key: &str, word: &Known<'_>, texts: usize) -> [usize; 5] {
    let is_common = COMMON.contains(&key);
    let is_word = is_plain_word(word.form) && !is_common;
    let tells = word.texts < texts;
    let is_rare = word.texts * 2 <= texts;
    let frequent = if is_rare { word.texts } else { texts - word.texts };
    let length = word.form.len().min(MOST_LETTERS);
    [usize::from(is_word), usize::from(tells), usize::from(is_rare && word.texts > 1), frequent, length]
}

/// True for letters that look like a word: all small, all capital, or with one capital in front.
fn is_plain_word(word: &str) -> bool {
    let inner = &word[1..];
    let letters = (WORD_LETTERS..=MOST_LETTERS).contains(&word.len()) && word.bytes().all(|c| c.is_ascii_alphabetic());
    letters && (inner.bytes().all(|c| c.is_ascii_lowercase()) || word.bytes().all(|c| c.is_ascii_uppercase()))
}

/// The words of the beginning of a text. What touches a letter that is not ASCII is a part of a word, and left out.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let text = beginning_of(text);
    let is_ascii = text.is_ascii();
    // Scripts without spaces stand between words as signs do; letters with accents belong to a word.
    let separates = move |c: char| match is_ascii {
        true => !c.is_ascii_alphanumeric(),
        false => !c.is_alphanumeric() || c > '\u{24f}',
    };
    text.split(separates).filter(move |word| !word.is_empty() && (is_ascii || word.is_ascii()))
}

/// Returns the beginning of some texts that tells them best from the others; where none tells any, one that all share,
/// and where they share none, that of the first text.
pub fn beginning(texts: &[&str], is_plain: impl Fn(char) -> bool) -> Option<String> {
    let plain = |text: &&str| text.find(|c| !is_plain(c)).unwrap_or(text.len()).min(MOST_BEGINNING);
    let plain: Vec<&str> = texts.iter().map(|text| &text[..plain(text)]).collect();
    let mut sorted = texts.to_vec();
    sorted.sort_unstable();
    let count = |beginning: &str| {
        let first = sorted.partition_point(|text| *text < beginning);
        sorted[first..].partition_point(|text| text.starts_with(beginning))
    };
    let mut best: Option<([usize; 3], &str)> = None;
    for (text, original) in plain.iter().zip(texts) {
        let is_torn = original.as_bytes().get(MOST_BEGINNING).is_some_and(u8::is_ascii_alphanumeric);
        for mut end in ends(text) {
            end.is_whole &= !(is_torn && end.at == MOST_BEGINNING);
            let begins = count(&text[..end.at]);
            let tells = begins > 1 && begins < texts.len();
            let worth = match (tells, begins) {
                (true, _) if end.is_whole => [3, begins * (texts.len() - begins), MOST_BEGINNING - end.at],
                (true, _) => [1, begins * (texts.len() - begins), end.at],
                (false, 1) if end.at < MOST_BEGINNING => [0, 0, 0],
                (false, _) if end.is_whole => [2, end.at, 0],
                _ => continue,
            };
            if best.is_none_or(|(known, _)| worth > known) {
                best = Some((worth, &text[..end.at]));
            }
        }
    }
    best.map(|(_, text)| text.to_owned())
}

/// A place where a beginning may end.
struct End {
    at: usize,
    /// It is the end of a part of the text.
    is_whole: bool,
}

/// Where a beginning of a plain text may end: before a sign that follows a letter or digit, at its end, after a marker,
/// or after the first letters.
fn ends(text: &str) -> Vec<End> {
    let bytes = text.as_bytes();
    let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let whole = (1..=text.len()).filter(|at| is_letter(at - 1) && !is_letter(*at));
    let mut ends: Vec<End> = whole.map(|at| End { at, is_whole: true }).collect();
    // A marker, such as that of a heading.
    let marker =
        text.find(' ').filter(|at| *at > 0 && !text.bytes().take(*at).any(|byte| byte.is_ascii_alphanumeric()));
    ends.extend(marker.map(|at| End { at: at + 1, is_whole: true }));
    if is_letter(0) {
        let short = SHORT_BEGINNINGS.into_iter().filter(|at| *at < text.len() && is_letter(at - 1));
        ends.extend(short.map(|at| End { at, is_whole: false }));
    }
    ends
}

/// The part of a text that is looked at.
pub fn beginning_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(LOOKED_AT)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any(texts: &[&str]) -> Option<String> {
        word(texts, |_| true)
    }

    #[test]
    fn a_word_tells_some_texts_from_the_others() {
        let rows: [(&[&str], Option<&str>); 7] = [
            (&["Cache is stale", "Cache is slow", "Queue is slow", "Queue with a lock"], Some("Cache")),
            (&["Issue 1", "Issue 2", "Issue 3"], Some("Issue")),
            (&["über Ärger", "Größe"], None),
            (&["知識 Redis の使い方", "知識"], Some("Redis")),
            (&["9f86d081884c7d659a2feaa0c55ad015", "60303ae22b998861bce3b28f33eec1be"], Some("9f86d0")),
            (&["A-0", "A-1"], Some("0")),
            (&["", "?"], None),
        ];
        for (texts, expected) in rows {
            assert_eq!(any(texts).as_deref(), expected, "{texts:?}");
        }
    }

    #[test]
    fn a_word_is_of_an_eligible_text_and_not_excepted() {
        let texts = ["stale cache", "stale cache", "open queue", "closed door"];
        assert_eq!(word(&texts, |place| place == 2).as_deref(), Some("queue"));
        assert_eq!(Vocabulary::of(&texts, |place| place == 2).word(&["QUEUE"]).as_deref(), Some("open"));
        assert_eq!(word(&texts, |_| false), None);
    }

    #[test]
    fn a_beginning_is_shared_by_several_texts() {
        let plain = |c: char| c.is_ascii_alphanumeric() || " _-./:@+#".contains(c);
        let rows: [(&[&str], Option<&str>); 8] = [
            (&["src/auth/a.rs", "src/auth/b.rs", "src/db/c.rs", "docs/d.md"], Some("src/auth")),
            (&["user-1", "user-2"], Some("user")),
            (&["Alice", "Anna", "Bob"], Some("A")),
            (&["Alice Smith", "Bob Jones"], Some("Alice")),
            (&["# One", "# Two", "text"], Some("# ")),
            (&["9f86d081884c7d659a2feaa0c55ad015"], Some("9f8")),
            (&["\"quoted\"", "日本"], None),
            (&["/usr/share/doc/readme.txt"], Some("/usr")),
        ];
        for (texts, expected) in rows {
            assert_eq!(beginning(texts, plain).as_deref(), expected, "{texts:?}");
        }
    }
}
