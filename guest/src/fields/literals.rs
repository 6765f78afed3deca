//! Which of the specification's literals occur in memories: its recipes look for `"_semantic"`, `"keyword"`, `"TAG"`,
//! `"semantic"` and `"pattern"` whatever the file has (LRO-27).

use std::borrow::Cow;

use lro_query::json::{elements, unquote};
use memchr::memchr2_iter;

use crate::fields::memory::{Memory, MemoryKey};
use crate::fields::words::word;

/// What the literals are looked for in, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Literal {
    /// The beginning of a namespace.
    Namespace,
    /// A word of a title.
    Title,
    /// A type of memory.
    MemoryType,
    /// A tag.
    Tag,
    /// A word of a content.
    Content,
    /// No literal, but a list that has something in it.
    Entities,
}

impl Literal {
    const ALL: [Self; 6] = [Self::Namespace, Self::Title, Self::MemoryType, Self::Tag, Self::Content, Self::Entities];

    /// The key under which it is looked for.
    fn key(self) -> MemoryKey {
        match self {
            Self::Namespace => MemoryKey::Namespace,
            Self::Title => MemoryKey::Title,
            Self::MemoryType => MemoryKey::MemoryType,
            Self::Tag => MemoryKey::Tags,
            Self::Content => MemoryKey::Content,
            Self::Entities => MemoryKey::Entities,
        }
    }

    /// What is said of a recipe that finds nothing.
    pub fn absence(self) -> &'static str {
        match self {
            Self::Namespace => "no namespace begins with _semantic",
            Self::Title => "no title has keyword",
            Self::MemoryType => "no memory is semantic",
            Self::Tag => "no memory has the tag TAG",
            Self::Content => "no content has pattern",
            Self::Entities => "no memory has entities",
        }
    }

    /// True if a recipe selects a memory for this value.
    fn is_in(self, value: &str) -> bool {
        let is_text = value.starts_with('"');
        match self {
            Self::Namespace => is_text && unquote(value).starts_with("_semantic"),
            Self::Title => is_text && contains(value, "keyword"),
            Self::MemoryType => is_text && unquote(value) == "semantic",
            Self::Tag if is_text => unquote(value).contains("TAG"),
            Self::Tag => {
                value.starts_with('[') && elements(value).iter().any(|tag| unquoted(tag).as_deref() == Some("TAG"))
            }
            Self::Content => is_text && contains(value, "pattern"),
            Self::Entities => !matches!(value, "null" | "[]" | "{}" | "\"\"" | "0" | "true" | "false"),
        }
    }
}

/// What was found in the memories so far.
#[derive(Debug, Clone, Default)]
pub struct Literals {
    found: [bool; Literal::ALL.len()],
    example: Option<Example>,
}

/// What one memory can be found by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// Its namespace, or the literal with which it begins.
    pub namespace: String,
    /// A word of its title.
    pub title: Option<String>,
    /// A word of its content.
    pub content: Option<String>,
}

impl Literals {
    /// Looks at one more memory, for what has not been found yet.
    pub fn add(&mut self, memory: &Memory<'_>) {
        for (literal, found) in Literal::ALL.into_iter().zip(&mut self.found) {
            *found = *found || memory.get(literal.key()).is_some_and(|value| literal.is_in(value));
        }
        let is_settled = self.example.as_ref().is_some_and(|example| example.namespace == SEMANTIC);
        if !is_settled && let Some(example) = Example::of(memory) {
            let is_better = self.example.is_none() || example.namespace == SEMANTIC;
            self.example = if is_better { Some(example) } else { self.example.take() };
        }
    }

    /// True if a recipe finds something with this literal.
    pub fn has(&self, literal: Literal) -> bool {
        Literal::ALL.into_iter().zip(self.found).any(|(known, found)| found && known == literal)
    }

    /// The first memory with the namespace of the specification's examples, else the first with any.
    pub fn example(&self) -> Option<&Example> {
        self.example.as_ref()
    }
}

/// The namespace of the specification's examples.
const SEMANTIC: &str = "_semantic";

impl Example {
    fn of(memory: &Memory<'_>) -> Option<Self> {
        let text = |key| memory.get(key).filter(|value| value.starts_with('"')).map(unquote);
        let namespace = text(MemoryKey::Namespace).filter(|name| is_plain_namespace(name))?;
        let namespace = if namespace.starts_with(SEMANTIC) { SEMANTIC.to_owned() } else { namespace.into_owned() };
        let word = |key| text(key).and_then(|text| word(&[&text], |_| true));
        let (title, content) = (word(MemoryKey::Title), word(MemoryKey::Content));
        (title.is_some() || content.is_some()).then_some(Self { namespace, title, content })
    }
}

/// True for a namespace that can stand in an example.
fn is_plain_namespace(name: &str) -> bool {
    (1..=40).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-/.".contains(&byte))
}

fn unquoted(value: &str) -> Option<Cow<'_, str>> {
    value.starts_with('"').then(|| unquote(value))
}

/// True if a JSON string has a word of ASCII letters, in any case.
fn contains(json: &str, word: &str) -> bool {
    // An escape may be a letter, and so may the sign for Kelvin.
    if json.contains("\\u") || (word.contains('k') && json.contains('\u{212a}')) {
        return unquote(json).to_lowercase().contains(word);
    }
    let (bytes, first) = (json.as_bytes(), word.as_bytes()[0]);
    memchr2_iter(first, first.to_ascii_uppercase(), bytes)
        .any(|at| bytes.get(at..at + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::survey::Survey;

    fn seen(records: &[&str]) -> Literals {
        Survey::of(records).literals
    }

    #[test]
    fn a_literal_is_found_as_its_recipe_finds_it() {
        let rows = [
            (Literal::Namespace, r#"{"namespace":"_semantic/x"}"#, true),
            (Literal::Namespace, r#"{"namespace":"x/_semantic"}"#, false),
            (Literal::Title, r#"{"title":"A KeyWords"}"#, true),
            (Literal::Title, r#"{"title":"\u006beyword"}"#, true),
            (Literal::Title, "{\"title\":\"\u{212a}EYWORD\"}", true),
            (Literal::Title, r#"{"title":["keyword"],"content":"keyword"}"#, false),
            (Literal::MemoryType, r#"{"memory_type":"semantic"}"#, true),
            (Literal::MemoryType, r#"{"memory_type":"semantics"}"#, false),
            (Literal::Tag, r#"{"tags":["a","TAG"]}"#, true),
            (Literal::Tag, r#"{"tags":"a TAG"}"#, true),
            (Literal::Tag, r#"{"tags":["TAGS","tag",1]}"#, false),
            (Literal::Content, r#"{"content":"p, a PATTERN"}"#, true),
            (Literal::Content, r#"{"content":"patter"}"#, false),
            (Literal::Entities, r#"{"entities":[1]}"#, true),
            (Literal::Entities, r#"{"entities":[]}"#, false),
        ];
        for (literal, record, found) in rows {
            assert_eq!(seen(&["{}", record, "{}"]).has(literal), found, "{literal:?}: {record}");
        }
    }

    #[test]
    fn the_example_is_a_memory_that_has_both() {
        let none = r#"{"namespace":"a b","title":"Words here"}"#;
        let other = r#"{"namespace":"_episodic/x","title":"The deploy failed","content":null}"#;
        let semantic = r#"{"namespace":"_semantic/y","title":"?","content":"about caching"}"#;
        assert_eq!(seen(&[none]).example(), None);
        assert_eq!(seen(&[none, other]).example().unwrap().namespace, "_episodic/x");
        let expected = Example { namespace: SEMANTIC.into(), title: None, content: Some("caching".into()) };
        for records in [[none, other, semantic, other], [semantic, other, none, semantic]] {
            assert_eq!(seen(&records).example(), Some(&expected));
        }
    }
}
