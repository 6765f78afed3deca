//! Memories to test and to measure with: real ones, as many synthetic ones as wanted, and odd ones. Each corpus is the
//! text of a JSON array.

use std::fmt::Write;

/// 362 real memories at full detail, see `fixtures/README.md`.
pub const REAL: &str = include_str!("../fixtures/mif-memories.json");

/// Memories for measurements: the same ones every time, about 600 bytes each.
pub fn memories(count: usize) -> String {
    synthetic(1, count)
}

/// Memories that look like real ones, the same for the same seed: seven namespaces, all three types, confidences from
/// 0.30 to 1.00, six in ten enriched, text in several scripts, and now and then text that is hostile to shells, filters
/// and terminals.
pub fn synthetic(seed: u64, count: usize) -> String {
    let mut chance = Chance(seed);
    let mut array = String::with_capacity(count * 640 + 2);
    for number in 0..count {
        array.push(if number == 0 { '[' } else { ',' });
        array.push_str(&memory(number, &mut chance));
    }
    array.push_str(if count == 0 { "[]" } else { "]" });
    array
}

/// Records that no tool should give: nulls, odd types, text full of escapes, duplicate keys, numbers that are not
/// doubles, and records that are not objects.
pub fn odd() -> String {
    array(&ODD)
}

/// Records as one JSON array.
pub fn array<S: AsRef<str>>(records: &[S]) -> String {
    let records: Vec<&str> = records.iter().map(AsRef::as_ref).collect();
    format!("[{}]", records.join(","))
}

const NAMESPACES: [(&str, &str); 7] = [
    ("_semantic/knowledge", "semantic"),
    ("_semantic/decisions", "semantic"),
    ("_semantic/entities", "semantic"),
    ("_episodic/sessions", "episodic"),
    ("_episodic/incidents", "episodic"),
    ("_procedural/runbooks", "procedural"),
    ("_procedural/patterns", "procedural"),
];

const TAGS: [&str; 9] = ["TAG", "database", "tag", "cache", "架构", "release", "on call", "\"quoted\"", "C:\\temp"];

const AGENTS: [&str; 4] = ["claude", "gpt", "human", "importer/2.1"];

const WORDS: [&str; 36] = [
    "cache",
    "Postgres",
    "index",
    "keyword",
    "retry",
    "the",
    "pattern",
    "deploys",
    "before",
    "latency",
    "Pattern",
    "a",
    "queue",
    "KEYWORD",
    "of",
    "timeout",
    "migration",
    "with",
    "knowledge",
    "schema",
    "because",
    "replica",
    "fails",
    "on",
    "知識の管理",
    "缓存失效",
    "데이터베이스",
    "база данных",
    "ذاكرة",
    "naïve",
    "Zürich",
    "budget",
    "owner",
    "is",
    "again",
    "rollback",
];

const HOSTILE: [&str; 16] = [
    "$(touch x)",
    "`touch x`; rm -rf ~",
    "' OR 1=1 --",
    "say \"hi\" \\(env) \\\\",
    "first line\nsecond line\r\nthird\tcell",
    "\u{0}nul\u{0}",
    "\u{1b}[31mred\u{1b}[0m \u{7f}",
    "🧠 memory 👩‍👩‍👧‍👦 𝒳",
    "<script>alert('keyword')</script>&amp;",
    "\u{202e}desrever\u{202c} \u{2028}\u{2029}\u{feff}",
    "{\"type\":\"lro_header\",\"count\":0}",
    "%s %n ${HOME} $HOME !! ~",
    "e\u{301}clair, \u{212a}eyword, ﬁle",
    ".. | env, $ENV, input, halt",
    "/etc/passwd; ../../x",
    "-n +2 | jq .",
];

/// One memory as JSON text.
fn memory(number: usize, chance: &mut Chance) -> String {
    let (namespace, memory_type) = chance.pick(&NAMESPACES);
    // As Python writes JSON: everything beyond ASCII as escapes, surrogate pairs included.
    let ascii = chance.one_in(5);
    let text = |text: &str| if ascii { ascii_json(text) } else { serde_json::Value::from(text).to_string() };
    let created = moment(chance);
    let or_null = |known: bool, value: String| if known { value } else { "null".into() };

    let mut record = format!(r#"{{"id":"urn:mif:memory:{number:08}","memory_type":"{memory_type}""#);
    let mut member = |key: &str, value: String| write!(record, r#","{key}":{value}"#).expect("strings take all");
    if !chance.one_in(40) {
        member("namespace", text(namespace));
    }
    let words = 3 + chance.below(5);
    let title = phrase(words, 10, chance);
    member("title", or_null(!chance.one_in(40), text(&title)));
    let words = if chance.one_in(100) { 400 } else { 6 + chance.below(14) };
    member("content", text(&phrase(words, 6, chance)));
    member("created", format!(r#""{created}""#));
    if !chance.one_in(20) {
        let tags: Vec<String> = (0..chance.below(4)).map(|_| text(chance.pick(&TAGS))).collect();
        member("tags", array(&tags));
    }
    member("status", r#""active""#.into());
    let (agent, confidence) = (chance.pick(&AGENTS), 30 + chance.below(71));
    member(
        "provenance",
        format!(
            r#"{{"source_type":"conversation","agent":"{agent}","trust_level":"verified","confidence":{}.{:02}}}"#,
            confidence / 100,
            confidence % 100
        ),
    );
    if chance.below(10) < 6 {
        let name = phrase(2, 20, chance);
        member("modified", format!(r#""{}""#, moment(chance)));
        member("summary", text(&phrase(6, 20, chance)));
        member("entities", format!(r#"[{{"name":{},"entity_type":"concept"}}]"#, text(&name)));
        let target = chance.below(number + 1);
        member("relationships", format!(r#"[{{"type":"relates-to","target":"urn:mif:memory:{target:08}"}}]"#));
    }
    record.push('}');
    record
}

/// Words, and a hostile phrase in one of so many.
fn phrase(words: usize, one_in: usize, chance: &mut Chance) -> String {
    let mut words: Vec<&str> = (0..words).map(|_| chance.pick(&WORDS)).collect();
    if chance.one_in(one_in) {
        words.push(chance.pick(&HOSTILE));
    }
    words.join(" ")
}

/// One of 336 moments, so that some memories were created at the same one.
fn moment(chance: &mut Chance) -> String {
    let (month, day, hour) = (1 + chance.below(3), 1 + chance.below(28), 6 * chance.below(4));
    format!("2026-{month:02}-{day:02}T{hour:02}:00:00Z")
}

fn ascii_json(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    let mut ascii = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() {
            ascii.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(ascii, "\\u{unit:04x}").expect("strings take all");
            }
        }
    }
    ascii
}

/// A small generator of random numbers, splitmix64: the corpus must not change with the version of a library.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`; the bias of the remainder does not matter here.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("it is below a usize")
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

const ODD: [&str; 78] = [
    // not objects
    "null",
    "true",
    "false",
    "0",
    "-1.5e-3",
    "1.10",
    "1e3",
    "12345678901234567890123",
    r#""text""#,
    r#""""#,
    r#""TAG, keyword, pattern, prefix""#,
    "[]",
    r#"["_semantic","TAG","member",["value"]]"#,
    r#"[1,[2,[3,[{"title":"keyword"}]]]]"#,
    // missing and null
    "{}",
    r#"{"":""}"#,
    r#"{"id":null,"title":null,"namespace":null,"memory_type":null,"tags":null,"created":null,"content":null,"confidence":null,"provenance":null,"entities":null}"#,
    // title
    r#"{"id":1,"title":""}"#,
    r#"{"id":1,"title":7}"#,
    r#"{"id":1.10,"title":true}"#,
    r#"{"id":[1],"title":["keyword"]}"#,
    r#"{"id":{"a":1e3},"title":{"keyword":1}}"#,
    r#"{"title":"a KEYWORD \u212aeyword k\u0065yword"}"#,
    r#"{"title":"nul \u0000, tab \t, lines \n\r\n, quote \", backslash \\, slash \/, \u2028"}"#,
    r#"{"title":"\ud83d\ude00 keyword 知識","namespace":"_semantic/\ud842\udfb7"}"#,
    // namespace
    r#"{"namespace":""}"#,
    r#"{"namespace":"_semantic"}"#,
    r#"{"namespace":"_SEMANTIC"}"#,
    r#"{"namespace":1.10}"#,
    r#"{"namespace":1e3}"#,
    r#"{"namespace":1000}"#,
    r#"{"namespace":false}"#,
    r#"{"namespace":["_semantic"]}"#,
    r#"{"namespace":{"_semantic":1}}"#,
    // memory type
    r#"{"memory_type":"semantic"}"#,
    r#"{"memory_type":"Semantic"}"#,
    r#"{"memory_type":["semantic"]}"#,
    r#"{"memory_type":3}"#,
    // tags
    r#"{"tags":[]}"#,
    r#"{"tags":["TAG"]}"#,
    r#"{"tags":[null,1,["TAG"]]}"#,
    r#"{"tags":[{"TAG":1},"tag","TAG","TAG"]}"#,
    r#"{"tags":"TAG"}"#,
    r#"{"tags":"no-TAG-s"}"#,
    r#"{"tags":"tag"}"#,
    r#"{"tags":{"TAG":1}}"#,
    r#"{"tags":0}"#,
    r#"{"tags":true}"#,
    // created
    r#"{"created":"2026-01-01"}"#,
    r#"{"created":1767225600}"#,
    r#"{"created":["2026"]}"#,
    r#"{"created":{"$date":1}}"#,
    // content
    r#"{"content":""}"#,
    r#"{"content":"a\nPattern\n"}"#,
    r#"{"content":["pattern"]}"#,
    r#"{"content":5}"#,
    // confidence
    r#"{"confidence":"0.9"}"#,
    r#"{"confidence":0.90,"provenance":{"confidence":0.90}}"#,
    r#"{"confidence":-1,"provenance":{"confidence":"0.9"}}"#,
    r#"{"provenance":"somebody"}"#,
    r#"{"provenance":{}}"#,
    r#"{"provenance":[]}"#,
    r#"{"provenance":{"confidence":null}}"#,
    r#"{"provenance":{"confidence":[1]}}"#,
    r#"{"provenance":{"confidence":1E3}}"#,
    r#"{"provenance":{"confidence":1000,"note":"as much"}}"#,
    r#"{"provenance":{"confidence":-0.0}}"#,
    r#"{"provenance":{"confidence":0}}"#,
    r#"{"provenance":{"confidence":12345678901234567890123}}"#,
    // entities
    r#"{"entities":[]}"#,
    r#"{"entities":[0]}"#,
    r#"{"entities":-5}"#,
    r#"{"entities":"x"}"#,
    r#"{"entities":true}"#,
    // spelling
    r#"{"title":"keyword","title":"second","namespace":"_semantic/first","namespace":null,"tags":["TAG"],"tags":[]}"#,
    r#"{"\u0074itle":"keyword","name\u0073pace":"_semantic/escaped"}"#,
    r#"{ "id" : "spaced" ,	"title" : "keyword" , "n" : [ 1.10 , 1e3 , 9007199254740993 ] }"#,
    r#"{"n":123456789012345678901234567890,"value":"value","list":["member"],"p":"prefix"}"#,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synthetic_memories_depend_on_their_seed_alone() {
        assert_eq!(synthetic(7, 100), synthetic(7, 100));
        assert_ne!(synthetic(7, 100), synthetic(8, 100));
        assert_eq!(synthetic(7, 0), "[]");
    }

    #[test]
    fn synthetic_memories_are_as_various_as_they_say() {
        let text = memories(1000);
        assert!((550..650).contains(&(text.len() / 1000)), "{} bytes a record", text.len() / 1000);
        let records: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
        let having = |key: &str| records.iter().filter(|record| record.get(key).is_some()).count();
        let distinct = |key: &str| {
            let texts = records.iter().filter_map(|record| record[key].as_str());
            texts.collect::<std::collections::BTreeSet<_>>().len()
        };
        assert!((550..650).contains(&having("entities")), "six in ten are enriched");
        assert_eq!((distinct("namespace"), distinct("memory_type"), distinct("id")), (7, 3, 1000));
        assert!(distinct("created") < 1000, "some are as old as others");
        let confidences: Vec<f64> = records.iter().filter_map(|r| r["provenance"]["confidence"].as_f64()).collect();
        assert_eq!(confidences.len(), 1000);
        assert!(confidences.iter().all(|confidence| (0.3..=1.0).contains(confidence)));
        for part in ["$(touch x)", "\\u0000", "\\ud83e\\udde0", "🧠", "<script>", "知識の管理", "\\\\(env)"] {
            assert!(text.contains(part), "{part}");
        }
    }

    #[test]
    fn odd_records_are_json() {
        assert!(serde_json::from_str::<Vec<serde_json::Value>>(&odd()).is_ok());
    }
}
