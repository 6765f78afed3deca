//! Work is proportional to bytes, whatever a server sends. Instructions are counted instead of time, so a figure is the same
//! on every machine.

mod work {
    pub(crate) mod families;
}

use std::iter;

use lro_tests::metered::{Call, Metered};
use work::families::{FAMILIES, Family, MEMORIES, NOTATIONS, PLAIN, plain};

/// The smaller of two sizes of each document, in bytes: so large that what a call costs at least does not count.
const BYTES: usize = 150_000;

/// The larger size is so many times the smaller one.
const TIMES: usize = 4;

/// Instructions a byte of an offload; one of plain records takes 70. Records of a few bytes each come closest: much is done
/// once a record. The number is fixed: as a multiple of the cost of plain records, it would fall when those get cheaper.
const MOST_OF_OFFLOAD: u64 = 1_400;

/// The same for a text in a notation: records made of cells of one letter have three times its bytes. A table of 400 such
/// columns takes 0.2 s for each megabyte.
const MOST_OF_NOTATION: u64 = 3_500;

/// Instructions a byte of any other call: half a second for each megabyte, at two instructions a nanosecond.
const MOST_EACH: u64 = 3_000;

/// What a call costs before it has looked at a byte: definitions that are read, and recipes that are tried on a record.
const MOST_AT_LEAST: u64 = 30_000_000;

/// Four times as many bytes may cost so many hundredths of four times as much. Sorting needs more than a line.
const MOST_GROWTH: u64 = 125;

/// A family at both sizes.
struct Measured {
    name: &'static str,
    bytes: [usize; 2],
    calls: Vec<(String, [Call; 2])>,
}

/// All calls on a family's documents.
fn measured(metered: &Metered, operation: &str, (name, document): &Family) -> Measured {
    let texts = [document(BYTES), document(TIMES * BYTES)];
    let [mut small, large] = texts.each_ref().map(|text| calls(metered, operation, text));
    assert_eq!(small.len(), large.len(), "{name}: only one of both sizes is offloaded");
    let calls = small.drain(..).zip(large).map(|((what, small), (_, large))| (what, [small, large])).collect();
    Measured { name, bytes: texts.map(|text| text.len()), calls }
}

fn calls(metered: &Metered, operation: &str, text: &str) -> Vec<(String, Call)> {
    let mut calls = vec![
        ("offload-result".to_owned(), metered.offload_result(text)),
        ("offload".to_owned(), metered.offload(operation, text)),
        ("truncated".to_owned(), metered.truncate_result(text)),
    ];
    if let Some(file) = metered.take_file() {
        calls.push(("describe".to_owned(), metered.describe(&file)));
        calls.push(("rebuild".to_owned(), metered.rebuild(&file)));
        calls.extend((1..=10).map(|number| (format!("recipe {number}"), metered.recipe(&file, number))));
    }
    calls
}

impl Measured {
    /// What is wrong with it, when an offload may cost so many instructions a byte.
    fn faults(&self, most_of_offload: u64) -> Vec<String> {
        let mut faults = Vec::new();
        for (what, calls) in &self.calls {
            let name = self.name;
            if let Some(error) = calls.iter().find_map(|call| call.error.as_ref()) {
                faults.push(format!("{name}: {what} fails: {error}"));
                continue;
            }
            let [small, large] = calls.each_ref().map(|call| call.fuel);
            let most = if what.starts_with("offload") { most_of_offload } else { MOST_EACH };
            let each = large / self.bytes[1] as u64;
            if large > MOST_AT_LEAST + most * self.bytes[1] as u64 {
                faults.push(format!("{name}: {what} costs {each} instructions a byte, {most} are allowed"));
            }
            // Documents are not exactly of the size that was asked for.
            let expected = small * self.bytes[1] as u64 / self.bytes[0] as u64;
            if large > MOST_AT_LEAST + expected * MOST_GROWTH / 100 {
                faults.push(format!("{name}: {what} costs {small} and then {large} instructions"));
            }
        }
        faults
    }

    /// Instructions a byte of each call, for reading.
    fn shown(&self) -> String {
        let each = |call: &Call| call.fuel / self.bytes[1] as u64;
        let figures: Vec<String> = self.calls.iter().map(|(_, [_, large])| format!("{:>6}", each(large))).collect();
        format!("{:45}{}", self.name, figures.join(""))
    }
}

#[test]
fn no_document_costs_much_more_than_plain_records() {
    let metered = Metered::new(lro::COMPONENT);
    let families = iter::once(&PLAIN).chain(FAMILIES).map(|family| ("fetch", family, MOST_OF_OFFLOAD));
    let notations = NOTATIONS.iter().map(|family| ("fetch", family, MOST_OF_NOTATION));
    let memories = MEMORIES.iter().map(|family| ("recall", family, MOST_OF_OFFLOAD));
    let mut faults = Vec::new();
    for (operation, family, most) in families.chain(notations).chain(memories) {
        let measured = measured(&metered, operation, family);
        println!("{}", measured.shown());
        faults.extend(measured.faults(most));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn many_small_records_fit_into_the_memory_of_an_offload() {
    let metered = Metered::new(lro::COMPONENT);
    for record in ["1", "[]", "{}", "\"a\""] {
        let text = format!("[{}]", vec![record; 6_000_000 / (record.len() + 1)].join(","));
        let call = metered.offload("fetch", &text);
        assert_eq!(call.error, None, "{record}");
        assert!(metered.take_file().is_some(), "{record} is offloaded");
    }
}

#[test]
fn the_memory_of_a_small_call_does_not_grow_and_that_of_a_large_one_grows_rarely() {
    let metered = Metered::new(lro::COMPONENT);
    for (bytes, most) in [(300, 0), (3_000, 0), (1_000_000, 8)] {
        let text = plain(bytes);
        for (name, call) in
            [("estimate", metered.estimate("fetch", &text)), ("offload", metered.offload("fetch", &text))]
        {
            assert_eq!(call.error, None, "{name} of {bytes} bytes");
            assert!(call.growths <= most, "{name} of {bytes} bytes: {} growths", call.growths);
        }
    }
}
