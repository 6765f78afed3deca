//! The members of a memory that the specification's recipes and this project's responses speak of.

use lro_query::json::{Scan, unquote};

use crate::fields::survey::Types;

/// A key that they have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryKey {
    /// Where it belongs.
    Namespace,
    /// What it is called.
    Title,
    /// What kind of memory it is.
    MemoryType,
    /// Words that it can be found by.
    Tags,
    /// What it says.
    Content,
    /// What it is about.
    Entities,
    /// How sure it is: `.provenance.confidence`.
    Confidence,
}

impl MemoryKey {
    const ALL: [Self; 7] =
        [Self::Namespace, Self::Title, Self::MemoryType, Self::Tags, Self::Content, Self::Entities, Self::Confidence];

    /// The one whose value is in this member of a memory.
    pub fn of_member(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.member() == name)
    }

    fn member(self) -> &'static str {
        match self {
            Self::Namespace => "namespace",
            Self::Title => "title",
            Self::MemoryType => "memory_type",
            Self::Tags => "tags",
            Self::Content => "content",
            Self::Entities => "entities",
            Self::Confidence => "provenance",
        }
    }
}

/// The texts of their values in one memory.
#[derive(Debug, Clone, Default)]
pub struct Memory<'a>([Option<&'a str>; MemoryKey::ALL.len()]);

impl<'a> Memory<'a> {
    /// Reads the member that comes next, and returns its type. Of duplicate keys the last one counts, as in jq.
    pub fn read(&mut self, key: MemoryKey, scan: &mut Scan<'a>) -> Types {
        if key == MemoryKey::Confidence && scan.peek() == b'{' {
            self.0[key as usize] = confidence(scan);
            return Types::OBJECT;
        }
        let value = scan.value();
        self.0[key as usize] = Some(value).filter(|_| key != MemoryKey::Confidence);
        Types::of(value)
    }

    /// The value of a key.
    pub fn get(&self, key: MemoryKey) -> Option<&'a str> {
        self.0[key as usize]
    }
}

/// The confidence in the object that comes next.
fn confidence<'a>(scan: &mut Scan<'a>) -> Option<&'a str> {
    const KEY: &str = "\"confidence\"";
    let mut confidence = None;
    scan.members(|scan, key| {
        let value = scan.value();
        if key == KEY || key.contains('\\') && unquote(key) == KEY.trim_matches('"') {
            confidence = Some(value);
        }
    });
    confidence
}
