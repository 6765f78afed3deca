//! 10,000 texts, the same on every machine: slices of samples and phrases in thirty scripts, changed at random, and texts
//! that nobody writes.

use serde_json::Value;

/// How many texts there are.
pub(crate) const COUNT: usize = 10_000;

/// Scripts that the samples do not have.
const PHRASES: &str = include_str!("phrases.txt");

/// Texts in 25 languages, code, JSON, CSV and Markdown.
const SAMPLES: &str = include_str!("../../../tests/fixtures/tokens/samples.json");

/// What rules for splitting ask for, and what they treat in a way of their own.
const PARTS: [&str; 48] = [
    "'s",
    "'S",
    "'ſ",
    "'ll",
    "'LL",
    "'lL",
    "'re",
    "'VE",
    "'m",
    "'d",
    "'T",
    "'l",
    "'",
    "’s",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "  ",
    "    ",
    "\u{a0}",
    "\u{2003}",
    "\u{3000}",
    "\u{85}",
    "\u{1680}",
    "\u{2028}",
    "/",
    "//",
    "///\n",
    "\n/",
    "<|endoftext|>",
    "<|im_start|>",
    "7",
    "1234",
    "٣٤٥٦",
    "Ⅷ",
    "½",
    "ǅ",
    "ʰ",
    "\u{301}",
    "\u{301}\u{302}",
    "ª",
    "_",
    "\u{200d}",
    "👩\u{200d}🚀",
    "\u{feff}",
    "\0",
];

/// A sequence of numbers that look random.
struct Chance(u64);

impl Chance {
    /// A number below `most`.
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % most
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// A character of any kind: half of them below U+3000, a quarter beyond the basic plane.
    fn character(&mut self) -> char {
        let most = *self.of(&[0x250, 0x3000, 0x1_0000, 0x11_0000]);
        char::from_u32(self.below(most) as u32).unwrap_or('\u{fffd}')
    }

    fn slice(&mut self, text: &[char], longest: usize) -> Vec<char> {
        let length = 1 + self.below(longest.min(text.len()));
        let start = self.below(text.len() - length + 1);
        text[start..start + length].to_vec()
    }
}

/// All of them.
pub(crate) fn texts() -> Vec<String> {
    let samples: Vec<Value> = serde_json::from_str(SAMPLES).expect("the samples are JSON");
    let samples = samples.iter().map(|sample| sample["text"].as_str().expect("a sample has a text"));
    let sources: Vec<Vec<char>> = samples.chain(PHRASES.lines()).map(|text| text.chars().collect()).collect();
    let mut chance = Chance(17);
    (0..COUNT).map(|number| text(&mut chance, number, &sources)).collect()
}

fn text(chance: &mut Chance, number: usize, sources: &[Vec<char>]) -> String {
    let source = &sources[number / 2 % sources.len()];
    match number % 10 {
        0..4 => chance.slice(source, 400).into_iter().collect(),
        4..7 => {
            let slice = chance.slice(source, 300);
            changed(chance, slice)
        }
        7 => {
            let other = chance.of(sources).clone();
            let mixed = [chance.slice(source, 20), chance.slice(&other, 20), chance.slice(source, 20)].concat();
            changed(chance, mixed)
        }
        8 => (0..1 + chance.below(60)).map(|_| String::from(*chance.of(&PARTS)) + &word(chance)).collect(),
        _ => hostile(chance),
    }
}

/// A text with some of its characters replaced, put in, repeated, or in another case.
fn changed(chance: &mut Chance, mut text: Vec<char>) -> String {
    for _ in 0..1 + chance.below(8) {
        let at = chance.below(text.len());
        match chance.below(5) {
            0 => text[at] = chance.character(),
            1 => drop(text.splice(at..at, chance.of(&PARTS).chars())),
            2 => drop(text.splice(at..at, vec![text[at]; chance.below(40)])),
            3 => drop(text.splice(at..=at, text[at].to_uppercase().collect::<Vec<char>>())),
            _ => text[at..].iter_mut().take(9).for_each(|letter| letter.make_ascii_uppercase()),
        }
    }
    text.into_iter().collect()
}

fn word(chance: &mut Chance) -> String {
    (0..chance.below(4)).map(|_| *chance.of(&['a', 'B', 'é', 'Σ', '漢', '1', ' ', '-', 'ß'])).collect()
}

fn hostile(chance: &mut Chance) -> String {
    let length = 1 + chance.below(600);
    match chance.below(7) {
        0 => (0..length).map(|_| chance.character()).collect(),
        1 => vec![chance.character(); length * 4].into_iter().collect(),
        2 => chance.of(&PARTS).repeat(length),
        3 => (0..length).map(|_| *chance.of(&['a', 'b'])).collect(),
        4 => (0..length).map(|_| char::from(b'a' + chance.below(26) as u8)).collect(),
        5 => {
            let bytes: Vec<u8> = (0..length).map(|_| chance.below(256) as u8).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        }
        _ => (0..length).map(|_| *chance.of(&[' ', ' ', ' ', '\n', '\r', '\t', 'x', '/', '\u{a0}'])).collect(),
    }
}

/// A text for each 1,024 code points, in which each of them stands in several places.
pub(crate) fn every_character() -> Vec<String> {
    let around = |character: char| format!("a{character}B {character}1{character}{character}'s{character} ");
    let block = |start: u32| (start..start + 1024).filter_map(char::from_u32).map(around).collect();
    (0..0x11_0000).step_by(1024).map(block).collect()
}
