//! Lays out the tables that the crate reads in place: nothing is built when a program starts.
//!
//! `data/README.md` says what the files beside it are.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::path::PathBuf;

use hash::Hash;

#[path = "src/hash.rs"]
mod hash;

/// Tokens that have a displacement in common, on average. More of them make smaller tables and a longer search.
const GROUP: usize = 4;

/// A table of the code points of one block; blocks that are equal are stored once.
const BLOCK: usize = 128;

/// The classes in `data/classes.txt`, in the order of `Class` in `src/classes.rs`.
const CLASSES: [&str; 7] = ["other", "upper", "lower", "letter", "mark", "number", "space"];

/// What the tables are between, so that they are found in a module and can be cut out (component/build.rs).
const BEGIN: &[u8; 32] = b"<lro-tokens: the vocabularies>\r\n";
const END: &[u8; 32] = b"</lro-tokens: the vocabularies>\n";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/hash.rs");
    println!("cargo:rerun-if-changed=data");
    let mut all = BEGIN.to_vec();
    for (name, count) in [("cl100k_base", 100_256), ("o200k_base", 199_998)] {
        let (tokens, borders) = tokens(&read(&format!("data/{name}.merges")), count);
        let characters = characters(&tokens);
        write(&format!("{name}.rs"), lay_out(&mut all, &tokens, &[bitmap(&borders), characters]).as_bytes());
    }
    let classes = String::from_utf8(read("data/classes.txt")).expect("the classes are text");
    write("classes.rs", lay_out_classes(&mut all, &classes).as_bytes());
    all.extend(END);
    write("vocabularies", &all);
}

fn read(path: &str) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("cannot read `{path}`: {error}"))
}

fn write(name: &str, bytes: &[u8]) {
    let path = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join(name);
    fs::write(&path, bytes).unwrap_or_else(|error| panic!("cannot write `{}`: {error}", path.display()));
}

/// The tokens by rank, and what stands at the border of their halves: each that is longer than a byte consists of two
/// earlier ones.
fn tokens(packed: &[u8], count: usize) -> (Vec<Vec<u8>>, Vec<usize>) {
    let (bytes, pairs) = packed.split_at(256);
    let width = (count - 1).ilog2() + 1;
    let mut tokens: Vec<Vec<u8>> = bytes.iter().map(|byte| vec![*byte]).collect();
    let mut borders = Vec::new();
    let (mut held, mut bits) = (0u64, 0);
    let mut rest = pairs.iter();
    let mut number = || {
        while bits < width {
            held |= u64::from(*rest.next().expect("a number for each half of a token")) << bits;
            bits += 8;
        }
        let number = held & ((1 << width) - 1);
        held >>= width;
        bits -= width;
        number as usize
    };
    while tokens.len() < count {
        let (left, right) = (number(), number());
        borders.push(hash::border(&tokens[left], &tokens[right]));
        let token = [tokens[left].as_slice(), tokens[right].as_slice()].concat();
        tokens.push(token);
    }
    (tokens, borders)
}

/// A bit for each number: whether it is one of these.
fn bitmap(numbers: &[usize]) -> Vec<u8> {
    let mut bits = vec![0; hash::BORDERS / 8];
    for number in numbers {
        bits[number / 8] |= 1 << (number % 8);
    }
    bits
}

/// Adds the tables of a vocabulary to those that are there, with some more. Returns where they are, as Rust.
///
/// Tokens are numbered by their length, so that a number and a length say where the token's bytes are. The places of
/// tokens are a perfect hash: of a group, all tokens are moved by its displacement to places that are free.
fn lay_out(all: &mut Vec<u8>, tokens: &[Vec<u8>], more: &[Vec<u8>; 2]) -> String {
    let mut ranks: Vec<usize> = (0..tokens.len()).collect();
    ranks.sort_by_key(|rank| tokens[*rank].len());
    let longest = tokens[*ranks.last().expect("there are tokens")].len();
    let first = |length: usize| ranks.partition_point(|rank| tokens[*rank].len() < length);
    let firsts: Vec<String> = (0..=longest + 1).map(|length| first(length).to_string()).collect();
    let hashes: Vec<Hash> = ranks.iter().map(|rank| Hash::of(&tokens[*rank])).collect();
    let (moves, places) = displaced(&hashes);
    let slots = places.iter().map(|number| match number {
        Some(number) => (*number as u32) << hash::TAG_BITS | hashes[*number].tag(),
        None => u32::MAX,
    });
    let [borders, characters] = more;
    let tables: [(&str, Vec<u8>); 6] = [
        ("text", ranks.iter().flat_map(|rank| tokens[*rank].clone()).collect()),
        ("ranks", ranks.iter().flat_map(|rank| rank.to_le_bytes()[..3].to_vec()).collect()),
        ("slots", slots.flat_map(u32::to_le_bytes).collect()),
        ("moves", moves.iter().flat_map(|by| by.to_le_bytes()).collect()),
        ("borders", borders.clone()),
        ("characters", characters.clone()),
    ];
    let mut places = format!("Places {{ firsts: &[{}], ", firsts.join(", "));
    for (name, table) in tables {
        places += &format!("{name}: ({}, {}), ", all.len(), all.len() + table.len());
        all.extend(table);
    }
    places + "}"
}

/// For each character of two or three bytes, in two bits: how far its bytes are merged before anything else can be, where
/// its neighbours are not ASCII. 0: not at all; 1: the first two bytes; 2: the last two; 3: all.
///
/// The lowest rank is merged first. So what a character's own bytes make comes first if its rank is lower than that of all
/// tokens that end with a part of the character, or begin with one, and have a byte from beyond it.
fn characters(tokens: &[Vec<u8>]) -> Vec<u8> {
    let ranks: HashMap<&[u8], usize> =
        tokens.iter().enumerate().map(|(rank, token)| (token.as_slice(), rank)).collect();
    let (mut ends, mut starts) = (HashMap::new(), HashMap::new());
    for (rank, token) in tokens.iter().enumerate() {
        for length in 1..token.len().min(3) {
            let (before, end) = token.split_at(token.len() - length);
            let (start, after) = token.split_at(length);
            if before.last() >= Some(&0x80) {
                ends.entry(end).or_insert(rank);
            }
            if after[0] >= 0x80 {
                starts.entry(start).or_insert(rank);
            }
        }
    }
    let mut packed = vec![0; 0x1_0000 / 4];
    for code in 0x80..0x1_0000 {
        let Some(character) = char::from_u32(code) else { continue };
        let text = character.to_string().into_bytes();
        let beyond = (1..text.len())
            .flat_map(|length| [ends.get(&text[..length]).copied(), starts.get(&text[text.len() - length..]).copied()]);
        let first_beyond = beyond.flatten().min().unwrap_or(usize::MAX);
        let rank = |part: &[u8]| ranks.get(part).copied().filter(|rank| *rank < first_beyond).unwrap_or(usize::MAX);
        let (whole, head, tail) = (rank(&text), rank(&text[..2]), rank(&text[text.len() - 2..]));
        let merged = match head.min(tail) {
            _ if whole < usize::MAX => 3,
            usize::MAX => 0,
            _ if head <= tail => 1,
            _ => 2,
        };
        packed[code as usize / 4] |= merged << (code % 4 * 2);
    }
    packed
}

/// Finds a displacement for each group, and returns them with the number of the token at each place.
fn displaced(hashes: &[Hash]) -> (Vec<u16>, Vec<Option<usize>>) {
    let count = hashes.len().div_ceil(GROUP);
    let mut groups = vec![Vec::new(); count];
    for (number, hash) in hashes.iter().enumerate() {
        groups[hash.group(count)].push(number);
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|group| std::cmp::Reverse(groups[*group].len()));
    let mut displacements = vec![0; count];
    let mut places = vec![None; hashes.len() + hashes.len() / 32];
    for group in order {
        let members = &groups[group];
        let fits = |by: &u16| {
            let wanted = |number: &usize| hashes[*number].place(*by, places.len());
            let is_free = |at: usize| places[wanted(&members[at])].is_none();
            let is_alone = |at: usize| members[..at].iter().all(|other| wanted(other) != wanted(&members[at]));
            (0..members.len()).all(|at| is_free(at) && is_alone(at))
        };
        let by = (0..=u16::MAX).find(fits).expect("a displacement that suits the group");
        for number in members {
            let place = hashes[*number].place(by, places.len());
            places[place] = Some(*number);
        }
        displacements[group] = by;
    }
    (displacements, places)
}

/// Adds which block each 128 code points are, then the blocks. Returns where the two begin, as Rust.
fn lay_out_classes(all: &mut Vec<u8>, runs: &str) -> String {
    let mut classes = vec![0u8; 0x11_0000];
    for line in runs.lines() {
        let (start, name) = line.split_once(' ').expect("a code point and a class");
        let start = usize::from_str_radix(start, 16).expect("a code point");
        let class = CLASSES.iter().position(|known| *known == name).expect("a known class");
        classes[start..].fill(class as u8);
    }
    let (mut blocks, mut index) = (Vec::new(), Vec::new());
    for block in classes.chunks(BLOCK) {
        let known = blocks.iter().position(|known| known == &block);
        index.push(known.unwrap_or(blocks.len()) as u8);
        if known.is_none() {
            blocks.push(block);
        }
    }
    assert!(blocks.len() <= 256, "a byte numbers the blocks");
    let (index_at, blocks_at) = (all.len(), all.len() + index.len());
    all.extend(index);
    all.extend(blocks.concat());
    format!("({index_at}, {blocks_at})")
}
