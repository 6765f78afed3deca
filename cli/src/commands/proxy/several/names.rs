//! The names under which the tools and prompts of several servers are listed: `SERVER__NAME`, as coding agents write them
//! too.

use std::collections::HashMap;

/// Between the name of a server, which does not contain it, and a name of its own.
const BETWEEN: &str = "__";

/// Models' interfaces take names up to this.
const MOST_CHARACTERS: usize = 64;

/// A longer name of a server would leave no room for its tools.
const MOST_SERVER_CHARACTERS: usize = 24;

/// The end of a name that had to be cut: a digest of the whole.
const DIGEST_CHARACTERS: usize = 8;

/// Names that had to be cut are remembered up to so many bytes: servers choose them.
const MOST_BYTES: usize = 16 << 20;

/// What names that had to be cut stand for. Others say it themselves.
#[derive(Default)]
pub(super) struct Names {
    cut: HashMap<String, (usize, String)>,
    bytes: usize,
}

impl Names {
    /// Returns the name under which a server's name is listed, and remembers what it stands for.
    pub(super) fn listed(&mut self, server: usize, server_name: &str, name: &str) -> String {
        let whole = format!("{server_name}{BETWEEN}{name}");
        if whole.chars().count() <= MOST_CHARACTERS {
            return whole;
        }
        let listed = cut(&whole);
        if !self.cut.contains_key(&listed) && self.bytes + name.len() <= MOST_BYTES {
            self.bytes += name.len();
            self.cut.insert(listed.clone(), (server, name.to_owned()));
        }
        listed
    }

    /// What a listed name stands for. It may be one that a client has kept from an earlier conversation.
    pub(super) fn find(&self, listed: &str, servers: &[&str]) -> Option<(usize, String)> {
        if let Some(found) = self.cut.get(listed) {
            return Some(found.clone());
        }
        let (server, name) = listed.split_once(BETWEEN)?;
        let server = servers.iter().position(|known| *known == server)?;
        Some((server, name.to_owned()))
    }

    /// Forgets the names of a server.
    pub(super) fn forget(&mut self, server: usize) {
        self.cut.retain(|_, (of, _)| *of != server);
        self.bytes = self.cut.values().map(|(_, name)| name.len()).sum();
    }
}

fn cut(whole: &str) -> String {
    let kept: String = whole.chars().take(MOST_CHARACTERS - DIGEST_CHARACTERS - 1).collect();
    let digest = whole
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |digest, byte| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{kept}_{:08x}", digest >> 32)
}

/// Returns the name of a server in the names of its tools: letters, digits, `-` and single `_` between them.
pub(super) fn server(name: &str) -> String {
    let allowed = |character: char| if character.is_ascii_alphanumeric() { character } else { '_' };
    let mut words = String::new();
    for character in name.chars().map(|character| if character == '-' { '-' } else { allowed(character) }) {
        if character != '_' || !words.ends_with('_') {
            words.push(character);
        }
    }
    let words: String = words.trim_matches('_').chars().take(MOST_SERVER_CHARACTERS).collect();
    words.trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{MOST_CHARACTERS, Names, server};

    #[test]
    fn names_lead_back_to_their_servers() {
        let mut names = Names::default();
        let servers = ["files", "git"];
        for (turn, name) in [(0, "read"), (1, "read"), (0, "__x"), (1, &"long_".repeat(20)), (1, &"long_".repeat(21))] {
            let listed = names.listed(turn, servers[turn], name);
            assert!(listed.len() <= MOST_CHARACTERS, "{listed}");
            assert_eq!(names.find(&listed, &servers), Some((turn, name.to_owned())), "{listed}");
        }
        assert_eq!(names.find("git__new__one", &servers), Some((1, "new__one".to_owned())));
        assert_eq!((names.find("other__x", &servers), names.find("files", &servers)), (None, None));
        names.forget(1);
        let cut = super::cut(&format!("git__{}", "long_".repeat(20)));
        assert_eq!(names.find(&cut, &servers).map(|found| (found.0, found.1.len())), Some((1, cut.len() - 5)));
        // Endless names are listed, and not all of them remembered.
        let long = |number: usize| format!("{number}{}", "n".repeat(1 << 20));
        let listed: Vec<String> = (0..40).map(|number| names.listed(0, "files", &long(number))).collect();
        let known = listed.iter().filter(|name| names.find(name, &servers).is_some_and(|(_, of)| of.len() > 1 << 20));
        assert_eq!((known.count(), names.cut.len()), (15, 15));
    }

    #[test]
    fn names_of_servers_have_few_characters() {
        for (name, expected) in
            [("git", "git"), ("my  files", "my_files"), ("__a__b__", "a_b"), ("x.y/z-1", "x_y_z-1"), ("é", "")]
        {
            assert_eq!(server(name), expected);
        }
    }
}
