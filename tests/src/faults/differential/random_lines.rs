//! Random conversations: each line of the client, and in it what the server says to it.

use serde_json::Value;

use crate::faults::random::Random;

/// What the server says last.
pub(super) const LAST: &[u8] = b"{\"method\":\"notifications/last\"}\n";

/// Ids in forms that some clients use, and some that none should.
const IDS: [&str; 14] = [
    "1",
    "2",
    "\"a\"",
    "\"\\u0061\"",
    "1e2",
    "-0",
    "1.0",
    "18446744073709551617",
    "null",
    "{\"a\":[1]}",
    "[]",
    "true",
    "\"\"",
    "\"é😀\\n\"",
];

const METHODS: [&str; 7] =
    ["tools/call", "tools/call", "tools/call", "ping", "resources/read", "sampling/createMessage", "tomorrow/method"];

/// Pieces of texts: what escaping, trimming or decoding would change.
const PIECES: [&str; 16] = [
    "plain ",
    "é",
    "😀",
    "\\u00e9",
    "\\ud83d\\ude00",
    "\\ud800",
    "\\/",
    "\\\\",
    "\\\"",
    "\\n",
    "\\u0000",
    "\u{2028}",
    "\u{feff}",
    "<&>",
    "  ",
    "\u{7f}",
];

const VALUES: [&str; 12] = [
    "0",
    "-0.0",
    "1e400",
    "1.10",
    "12345678901234567890123",
    "null",
    "true",
    "[ ]",
    "{ }",
    "[1 ,2]",
    "\"\"",
    "{\"a\":1,\"a\":2}",
];

/// Lines that are no messages.
const JUNK: [&[u8]; 10] = [
    b"garbage\n",
    b"\n",
    b"\r\n",
    b"   \t\n",
    b"{\"id\":1,\"method\":\n",
    b"\xff\xfe\x00\n",
    b"[]\n",
    b"null\n",
    b"\"text\"\n",
    b"[{\"id\":1,\"method\":\"ping\"},{\"id\":2,\"method\":\"tools/list\"}]\n",
];

/// Lines of a client. No line of the server has many more bytes than `most`. With `lists`, tools are listed too.
pub(super) fn conversation(random: &mut Random, lines: usize, most: usize, lists: bool) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = (0..lines).map(|_| line(random, most, lists)).collect();
    let last = Value::from(String::from_utf8_lossy(LAST));
    all.push(format!("{{\"method\":\"notifications/x\",\"params\":{{\"say\":[{last}]}}}}\n").into_bytes());
    all
}

fn line(random: &mut Random, most: usize, lists: bool) -> Vec<u8> {
    if random.happens(10) {
        return random.one_of(&JUNK).to_vec();
    }
    let id = random.one_of(&IDS);
    let method = if lists && random.happens(15) { "tools/list" } else { random.one_of(&METHODS) };
    let said: Vec<Value> = (0..random.below(3)).map(|_| said(random, id, most).into()).collect();
    let members = [
        format!("\"jsonrpc\"{}:{}\"2.0\"", space(random), space(random)),
        format!("\"id\":{}{id}", space(random)),
        format!("\"method\":\"{method}\""),
        format!(
            "\"params\":{{{}\"name\":\"{}\",\"arguments\":{},\"say\":{}}}",
            space(random),
            random.one_of(&["list", "a", "lro_other"]),
            object(random, 100),
            Value::from(said)
        ),
        format!("\"extra\":{}", random.one_of(&VALUES)),
    ];
    joined(random, &members).into_bytes()
}

/// What the server says: an answer to this id, or something else.
fn said(random: &mut Random, id: &str, most: usize) -> String {
    if random.happens(10) {
        return String::from_utf8_lossy(random.one_of(&JUNK)).into_owned();
    }
    let id = if random.happens(20) { random.one_of(&IDS) } else { id };
    let bytes = random.below(most);
    let what = match random.below(6) {
        0 => format!("\"method\":\"notifications/message\",\"params\":{}", object(random, bytes)),
        1 => format!("\"method\":\"sampling/createMessage\",\"params\":{}", object(random, bytes)),
        2 => format!("\"error\":{{\"code\": -1 ,\"message\":\"{}\"}}", text(random, bytes)),
        3 => format!("\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}]}}", text(random, bytes)),
        4 => format!("\"result\":{{\"content\":[],\"structuredContent\":{}}}", object(random, bytes)),
        _ => format!("\"result\":{}", random.one_of(&VALUES)),
    };
    let members = [format!("\"id\":{id}"), what, format!("\"x\":{}", random.one_of(&VALUES))];
    joined(random, &members)
}

fn joined(random: &mut Random, members: &[String]) -> String {
    let end = random.one_of(&["\n", "\n", "\r\n", " \t\n"]);
    let (before, between) = (space(random), format!("{},{}", space(random), space(random)));
    let start = random.below(members.len());
    let members: Vec<&str> = members.iter().cycle().skip(start).take(members.len()).map(String::as_str).collect();
    format!("{before}{{{}{}}}{end}", members.join(&between), space(random))
}

fn space(random: &mut Random) -> &'static str {
    random.one_of(&["", "", " ", "\t", "  ", "\r"])
}

fn text(random: &mut Random, bytes: usize) -> String {
    let mut text = String::new();
    while text.len() < bytes {
        text.push_str(random.one_of(&PIECES));
    }
    text
}

fn object(random: &mut Random, bytes: usize) -> String {
    let mut members = vec![format!("\"v\":{}", random.one_of(&VALUES))];
    let mut length = 0;
    while length < bytes {
        let member = format!("\"k{}\"{}:\"{}\"", members.len(), space(random), text(random, 60));
        length += member.len();
        members.push(member);
    }
    format!("{{{}}}", members.join(","))
}
