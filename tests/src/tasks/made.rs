//! Documents that are made, in the forms that tools give them: each is the same one every time.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::corpus::Chance;
use crate::records;

const WORDS: [&str; 24] = [
    "cache", "index", "retry", "deploy", "token", "session", "metric", "shard", "queue", "parser", "schema", "vector",
    "prompt", "latency", "budget", "model", "trace", "user", "error", "timeout", "redis", "backup", "release",
    "region",
];
const PEOPLE: [&str; 6] = ["amara", "bruno", "chidi", "dagny", "eline", "farid"];

/// A document by its name.
///
/// # Panics
/// If no document has that name.
pub fn made(name: &str, count: usize) -> String {
    let mut chance = Chance(count as u64 * 31 + name.len() as u64);
    let chance = &mut chance;
    match name {
        "memories" => list(count, chance, memory).to_string(),
        "issues" => records::issues(count),
        "orders" => records::rows(count),
        "access" => records::log(count),
        "requests" => lines(count, chance, request),
        "events" => lines(count, chance, |number, chance| event(number, chance).to_string()),
        "sheet" => sheet(count, chance).to_string(),
        "pods" => json!({"kind": "PodList", "apiVersion": "v1", "items": list(count, chance, pod)}).to_string(),
        "services" => services(count, chance).to_string(),
        "psql" => psql(count, chance),
        "diff" => (0..count).map(|number| changed_file(number, chance)).collect(),
        "graph" => graph(count, chance),
        other => panic!("no document is named `{other}`"),
    }
}

fn list(count: usize, chance: &mut Chance, record: impl Fn(usize, &mut Chance) -> Value) -> Value {
    (0..count).map(|number| record(number, chance)).collect()
}

fn lines(count: usize, chance: &mut Chance, line: impl Fn(usize, &mut Chance) -> String) -> String {
    (0..count).map(|number| line(number, chance) + "\n").collect()
}

fn words(chance: &mut Chance, count: usize) -> String {
    (0..count).map(|_| chance.pick(&WORDS)).collect::<Vec<_>>().join(" ")
}

fn time(chance: &mut Chance) -> String {
    let (month, day, hour) = (1 + chance.below(6), 1 + chance.below(28), chance.below(24));
    format!("2026-{month:02}-{day:02}T{hour:02}:{:02}:00Z", chance.below(60))
}

/// A memory with a priority, about 600 bytes.
fn memory(number: usize, chance: &mut Chance) -> Value {
    let namespaces = ["_semantic/decisions", "_semantic/knowledge", "_episodic/incidents", "_procedural/runbooks"];
    let tags: Vec<&str> = (0..1 + chance.below(3)).map(|_| chance.pick(&WORDS[..8])).collect();
    json!({
        "id": format!("mem-{number:05}"),
        "title": words(chance, 4),
        "namespace": chance.pick(&namespaces),
        "priority": 1 + chance.below(5),
        "author": chance.pick(&PEOPLE),
        "tags": tags,
        "created": time(chance),
        "content": words(chance, 50),
        "provenance": {
            "agent": chance.pick(&["planner", "coder", "reviewer"]),
            "confidence": (30 + chance.below(71)) as f64 / 100.0,
        },
    })
}

/// A request to a server, as pairs of names and values.
fn request(number: usize, chance: &mut Chance) -> String {
    let status = chance.pick(&[200, 200, 200, 200, 201, 304, 404, 404, 500, 503]);
    let level = if status >= 500 {
        "error"
    } else if status == 404 {
        "warn"
    } else {
        "info"
    };
    let message = if status == 503 { "upstream timed out" } else { "request served" };
    let path = chance.pick(&["/login", "/cart", "/search", "/export", "/health"]);
    let (hour, minute) = (number / 60 % 24, number % 60);
    let day = 1 + number / 1440;
    let time = format!("2026-03-{day:02}T{hour:02}:{minute:02}:00Z");
    format!(
        r#"time={time} level={level} path={path} status={status} ms={} user=u{} msg="{message}""#,
        2 + chance.below(900),
        1 + chance.below(30),
    )
}

/// An event of a build, one JSON object a line.
fn event(number: usize, chance: &mut Chance) -> Value {
    json!({
        "seq": number,
        "at": format!("2026-05-{:02}T{:02}:{:02}:00Z", 1 + number / 240, number / 10 % 24, number % 10 * 6),
        "job": chance.pick(&["lint", "unit", "integration", "package", "publish"]),
        "outcome": chance.pick(&["ok", "ok", "ok", "failed", "skipped"]),
        "seconds": chance.below(900),
        "runner": {"os": chance.pick(&["linux", "macos", "windows"]), "slot": chance.below(8)},
    })
}

/// A sheet of a spreadsheet: rows of values below a row of names.
fn sheet(count: usize, chance: &mut Chance) -> Value {
    let row = |number: usize, chance: &mut Chance| {
        let price = (100 + chance.below(90_000)) as f64 / 100.0;
        json!([
            1000 + number,
            words(chance, 2),
            chance.pick(&["book", "game", "tool", "toy"]),
            price,
            chance.below(200)
        ])
    };
    let mut rows = vec![json!(["sku", "name", "category", "price", "stock"])];
    rows.extend((0..count).map(|number| row(number, chance)));
    json!({"range": format!("Articles!A1:E{}", count + 1), "majorDimension": "ROWS", "values": rows})
}

/// A pod as the API of a cluster gives it.
fn pod(number: usize, chance: &mut Chance) -> Value {
    let app = chance.pick(&["web", "api", "worker", "cron"]);
    json!({
        "metadata": {
            "name": format!("{app}-{number:04}"), "namespace": chance.pick(&["shop", "billing", "search"]),
            "labels": {"app": app, "tier": chance.pick(&["gold", "silver"])}, "creationTimestamp": time(chance),
        },
        "spec": {
            "nodeName": format!("node-{}", 1 + chance.below(5)),
            "containers": [{"name": app, "image": format!("{app}:1.{}", chance.below(9))}],
        },
        "status": {
            "phase": chance.pick(&["Running", "Running", "Running", "Pending", "Failed"]),
            "containerStatuses": [{"name": app, "ready": chance.one_in(2), "restartCount": chance.below(30)}],
        },
    })
}

/// A map of services by name, beside a version.
fn services(count: usize, chance: &mut Chance) -> Value {
    let service = |number: usize, chance: &mut Chance| {
        let record = json!({
            "owner": chance.pick(&PEOPLE), "language": chance.pick(&["go", "rust", "java", "python"]),
            "replicas": 1 + chance.below(9), "port": 8000 + number, "public": chance.one_in(3),
            "about": words(chance, 8),
        });
        (format!("{}-{number}", chance.pick(&WORDS)), record)
    };
    let map: serde_json::Map<String, Value> = (0..count).map(|number| service(number, chance)).collect();
    json!({"version": 3, "services": map})
}

/// Rows as `psql` prints them.
fn psql(count: usize, chance: &mut Chance) -> String {
    let mut out = String::from(
        " id   | customer | country | status    | amount\n------+----------+---------+-----------+---------\n",
    );
    for number in 1..=count {
        let (customer, amount) =
            (format!("c{}", chance.below(90)), format!("{}.{:02}", chance.below(900), chance.below(100)));
        let (country, status) =
            (chance.pick(&["DE", "FR", "IN", "JP", "US"]), chance.pick(&["paid", "paid", "open", "refunded"]));
        writeln!(out, " {number:<4} | {customer:<8} | {country:<7} | {status:<9} | {amount:>7}")
            .expect("a text takes all");
    }
    out + &format!("({count} rows)\n")
}

/// One file of a diff.
fn changed_file(number: usize, chance: &mut Chance) -> String {
    let path = format!("src/{}/{}_{number}.rs", chance.pick(&["server", "client", "shared"]), chance.pick(&WORDS));
    let (index, start) =
        (format!("{:07x}..{:07x}", chance.below(1 << 28), chance.below(1 << 28)), 1 + chance.below(300));
    let removed: String = (0..1 + chance.below(4)).map(|_| format!("-    {};\n", words(chance, 5))).collect();
    let added: String = (0..1 + chance.below(5)).map(|_| format!("+    {};\n", words(chance, 5))).collect();
    let (less, more) = (removed.lines().count(), added.lines().count());
    format!(
        "diff --git a/{path} b/{path}\nindex {index} 100644\n--- a/{path}\n+++ b/{path}\n\
         @@ -{start},{} +{start},{} @@ fn {}()\n\x20    {};\n{removed}{added}\x20    {};\n",
        less + 2,
        more + 2,
        chance.pick(&WORDS),
        words(chance, 3),
        words(chance, 3),
    )
}

/// The file of the reference server of memory: entities, and relations between them.
fn graph(count: usize, chance: &mut Chance) -> String {
    let name = |number: usize| format!("{}-{number}", WORDS[number % WORDS.len()]);
    let entities = (0..count).map(|number| {
        let observations: Vec<String> = (0..1 + chance.below(3)).map(|_| words(chance, 5)).collect();
        let kind = chance.pick(&["service", "team", "decision", "person"]);
        json!({"type": "entity", "name": name(number), "entityType": kind, "observations": observations}).to_string()
    });
    let entities: Vec<String> = entities.collect();
    let relations = (0..count * 2 / 3).map(|number| {
        let kind = chance.pick(&["depends_on", "owns", "replaces"]);
        let to = (number + 1 + chance.below(count - 2)) % count;
        json!({"type": "relation", "from": name(number), "to": name(to), "relationType": kind}).to_string()
    });
    let relations: Vec<String> = relations.collect();
    [entities, relations].concat().join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_the_same_every_time() {
        for name in ["memories", "requests", "events", "sheet", "pods", "services", "psql", "diff", "graph"] {
            let text = made(name, 50);
            assert_eq!(text, made(name, 50), "{name}");
            assert!(text.len() > 2000, "{name} has {} bytes", text.len());
        }
    }

    #[test]
    fn memories_have_priorities_from_one_to_five() {
        let memories: Vec<Value> = serde_json::from_str(&made("memories", 200)).unwrap();
        for priority in 1..=5 {
            assert!(memories.iter().filter(|memory| memory["priority"] == priority).count() > 20);
        }
    }
}
