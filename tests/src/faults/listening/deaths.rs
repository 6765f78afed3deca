//! Servers behind the proxy that die, over HTTP and among several.

use std::thread;
use std::time::Duration;

use super::super::http::chance::Chance;
use super::super::http::process::{children, command, signal};
use super::super::http::speaker::WORD;
use super::super::http::talk::{Answer, Talk};
use super::super::row::Row;
use super::Bench;
use super::door::{Door, call};

pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    Ok(vec![killed(bench)?, several(bench)?])
}

fn killed(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "each request is answered once, and the next session works",
        "the server of a session, or its proxy, is killed with 20 calls in flight, or exits at a call",
    );
    let (door, chance) = (Door::open(bench, &[], &[])?, Chance::of(bench.seed));
    let (mut results, mut errors) = (0, 0);
    for turn in 0..bench.scaled(3, 30) {
        let session = door.begin()?;
        let replies: Vec<Result<_, String>> = thread::scope(|scope| {
            let (door, session) = (&door, &session);
            let calls: Vec<_> = (1..=20)
                .map(|id: usize| {
                    let more = if turn % 3 == 2 && id == 11 {
                        "\"exit\":1".to_owned()
                    } else {
                        format!("\"wait\":{}", 1 + id * 15)
                    };
                    scope.spawn(move || {
                        door.exchange(&door.post(session, &call(&id.to_string(), &more))).map(|reply| (id, reply))
                    })
                })
                .collect();
            thread::sleep(Duration::from_millis(30 + chance.below(200) as u64));
            for inner in children(door.process()) {
                match turn % 3 {
                    0 => signal(inner, "KILL"),
                    1 => children(inner).into_iter().for_each(|server| signal(server, "KILL")),
                    _ => {}
                }
            }
            calls
                .into_iter()
                .map(|call| call.join().map_err(|_| "a client panicked".to_owned()).and_then(|reply| reply))
                .collect()
        });
        for reply in replies {
            row.count(reply.and_then(|(id, reply)| {
                let answers = reply.body.matches(&format!("\"id\":{id},")).count();
                match (reply.status, answers) {
                    (200, 1) if reply.body.contains("\"result\"") => {
                        results += 1;
                        Ok(())
                    }
                    (200, 1) => {
                        errors += 1;
                        Ok(())
                    }
                    // The session had gone before it came.
                    (404 | 503, 0) => {
                        errors += 1;
                        Ok(())
                    }
                    _ => Err(format!("turn {turn}, call {id}: {reply:?}")),
                }
            }));
        }
        row.count(door.works().map_err(|error| format!("turn {turn}: {error}")));
    }
    row.failures.extend(door.quiet().err());
    row.failures.extend(door.close().err());
    Ok(row.seen(format!("{results} results, {errors} errors; no process is left")))
}

fn several(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "a server that dies takes its own calls with it, and no others",
        "one of `--server a --server b` is killed with 20 calls to each in flight",
    );
    let this = std::env::current_exe().map_err(|error| error.to_string())?.display().to_string();
    for turn in 0..bench.scaled(2, 20) {
        let folder = bench.folder()?;
        let mut lro = command(bench.lro(), folder.path(), &[]);
        lro.args(["proxy", "--server", &format!("a={this} {WORD}"), "--server", &format!("b={this} {WORD}")]);
        let mut talk = Talk::begin(lro, &[])?;
        talk.initialize()?;
        talk.ask("\"list\"", "tools/list", "{}")?;
        row.count(talk.wait("\"list\"", Duration::from_secs(20)).map(drop));
        let servers = children(talk.process());
        for id in 0..20 {
            talk.call(&format!("\"a{id}\""), "a__t", "\"wait\":300")?;
            talk.call(&format!("\"b{id}\""), "b__t", "\"wait\":300")?;
        }
        thread::sleep(Duration::from_millis(100));
        if let Some(server) = servers.get(turn % 2) {
            signal(*server, "KILL");
        }
        let mut dead = Vec::new();
        for name in ["a", "b"] {
            let answers: Vec<Result<Answer, String>> =
                (0..20).map(|id| talk.wait(&format!("\"{name}{id}\""), Duration::from_secs(20))).collect();
            let errors = answers.iter().filter(|answer| matches!(answer, Ok(Answer::Error(_)))).count();
            let results =
                answers.iter().filter(|answer| matches!(answer, Ok(Answer::Result(text)) if text == "fine")).count();
            // Some may have been answered before.
            row.count(match (results, errors) {
                (20, 0) => Ok(()),
                _ if results + errors == 20 => {
                    dead.push(name);
                    Ok(())
                }
                _ => {
                    Err(format!("turn {turn}: {name} has {results} results and {errors} errors: {:?}", answers.first()))
                }
            });
        }
        row.count(if dead.len() <= 1 { Ok(()) } else { Err(format!("turn {turn}: {dead:?} have died")) });
        let mut alive = 0;
        for name in ["a", "b"] {
            let id = format!("\"next {name}\"");
            talk.call(&id, &format!("{name}__t"), "")?;
            alive += usize::from(matches!(talk.wait(&id, Duration::from_secs(20))?, Answer::Result(_)));
        }
        row.count(if alive == 1 { Ok(()) } else { Err(format!("turn {turn}: {alive} servers answer")) });
        row.failures.extend(talk.end().err());
    }
    Ok(row)
}
