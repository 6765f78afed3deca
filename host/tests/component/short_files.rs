//! A file that is shorter or longer than its header says is told as such, never answered as if it were whole.

use std::fs;

use lro::{Case, Error, ExtractRequest, Extracted, OffloadRequest, Source};
use serde_json::{Value, json};

use crate::given::{self, Place, records};

/// What is done to the text of a file, and what is then said of it.
type Damage = (fn(&str) -> String, &'static str);

const DAMAGES: [Damage; 4] = [
    (|text| lines(text, 151), "the file was cut: it has 150 of 300 records"),
    (
        |text| text[..lines(text, 151).len() - 5].to_owned(),
        "the file was cut: it has 150 of 300 records, the last one in part",
    ),
    (|text| text[..text.len() - 1].to_owned(), "the file was cut: the last of its 300 records is there in part"),
    (|text| format!("{text}{{\"id\":\"m1\"}}\n"), "the file has 301 records, and its header says 300"),
];

fn lines(text: &str, count: usize) -> String {
    text.split_inclusive('\n').take(count).collect()
}

fn requests() -> Vec<ExtractRequest> {
    let query = |query: &str| ExtractRequest::default().query(query);
    vec![
        query(".id"),
        query(".id").chunk_bytes(500),
        query("length").slurp(true),
        query("map(.id) | sort").slurp(true),
        ExtractRequest::default().count(true),
        ExtractRequest::default().sort_by("id"),
        ExtractRequest::default().recipe(1),
    ]
}

fn extract(place: &Place, file: &Source, request: &ExtractRequest) -> Extracted {
    let mut pages = place.lro.extract_all(file, request);
    pages.by_ref().for_each(|page| _ = page.unwrap());
    pages.extracted().clone()
}

#[test]
fn each_call_says_so() {
    for (damage, expected) in DAMAGES {
        let place = Place::new();
        let path = place.inside(&place.offload(&records(300)).file_name);
        let source = Source::File(path.to_str().unwrap().to_owned());
        for request in requests() {
            assert_eq!(extract(&place, &source, &request).remarks, Vec::<String>::new(), "whole: {request:?}");
        }
        fs::write(&path, damage(&fs::read_to_string(&path).unwrap())).unwrap();
        for request in requests() {
            let remarks = extract(&place, &source, &request).remarks;
            let told = remarks.iter().filter(|remark| remark.contains(expected)).count();
            assert_eq!(told, 1, "{expected}: {request:?}: {remarks:?}");
        }
        let description: Value = serde_json::from_str(&place.lro.describe(&source).unwrap()).unwrap();
        assert!(description["incomplete"].as_str().is_some_and(|text| text.contains(expected)), "{description}");
        let Err(Error::Case(Case::Io(problem))) = place.lro.rebuild(&source) else {
            panic!("{expected}: it was rebuilt")
        };
        assert!(problem.message.contains(expected), "{}", problem.message);
    }
}

/// A page that does not come to the end cannot know.
#[test]
fn a_page_within_a_cut_file_says_nothing() {
    let place = Place::new();
    let path = place.inside(&place.offload(&records(300)).file_name);
    fs::write(&path, lines(&fs::read_to_string(&path).unwrap(), 151)).unwrap();
    let source = Source::File(path.to_str().unwrap().to_owned());
    let first = ExtractRequest::default().query(".id").limit(5);
    assert!(extract(&place, &source, &first).remarks.is_empty());
}

/// Several threads look at a large file, each at a part of it.
#[test]
fn a_large_file_says_so_too() {
    let place = Place::new();
    let path = place.inside(&place.offload(&records(300_000)).file_name);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.len() > 8 << 20, "it has several parts");
    let source = Source::File(path.to_str().unwrap().to_owned());
    let request = ExtractRequest::default().query(".id");
    assert!(extract(&place, &source, &request).remarks.is_empty());
    fs::write(&path, lines(&text, 250_001)).unwrap();
    assert_eq!(extract(&place, &source, &request).remarks, ["the file was cut: it has 250000 of 300000 records"]);
}

#[test]
fn a_text_that_was_cut_says_so() {
    let place = Place::new();
    let text: String = (0..3000).map(|line| format!("line {line}\n\n")).collect();
    let path = place.inside(&place.offload(&text).file_name);
    let source = Source::File(path.to_str().unwrap().to_owned());
    assert_eq!(place.lro.rebuild(&source).unwrap(), text);
    fs::write(&path, lines(&fs::read_to_string(&path).unwrap(), 101)).unwrap();
    let request = ExtractRequest::default().query(".");
    assert_eq!(extract(&place, &source, &request).remarks, ["the file was cut: it has 100 of 6000 lines"]);
    assert!(place.lro.rebuild(&source).is_err());
}

/// A document of several lists in a session, reached from the session's own folder as from the output directory.
#[test]
fn a_document_of_a_session_is_rebuilt_from_wherever_it_is_reached() {
    let place = Place::new();
    let list: Value = serde_json::from_str(&records(150)).unwrap();
    let document = json!({ "a": list, "b": list, "c": list }).to_string();
    let request = OffloadRequest::of("list_things").session("s-1");
    let stored = given::stored(place.lro.offload(&document, &request).unwrap());
    let within = given::lro(&place.inside("s-1"));
    let names: Vec<&str> =
        stored.sections.iter().map(|section| &*section.file_name).chain([&*stored.file_name]).collect();
    assert_eq!(names.len(), 3);
    for name in &names {
        let path = place.inside(name).to_str().unwrap().to_owned();
        for lro in [&place.lro, &within] {
            assert_eq!(lro.rebuild(&Source::File(path.clone())).unwrap(), document, "{name}");
        }
    }
    // What a kill between the files leaves.
    fs::remove_file(place.inside(&stored.file_name)).unwrap();
    let error = place.lro.rebuild(&Source::File(names[0].to_owned())).unwrap_err();
    assert!(error.message().contains("is missing") && error.hint().contains("interrupted"), "{error:?}");
}
