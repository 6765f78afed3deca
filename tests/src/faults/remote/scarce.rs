//! Few descriptors and few threads.

use std::thread;
use std::time::Duration;

use super::super::http::site::{JSON, Site, answer, reply, usual, write};
use super::super::http::talk::Answer;
use super::super::row::Row;
use super::{Bench, ONCE, begin};

/// How long a call may take.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    let descriptors: Vec<String> = (bench.scaled(10, 6)..bench.scaled(26, 40))
        .step_by(bench.scaled(3, 1))
        .map(|most| format!("ulimit -n {most}"))
        .collect();
    // A thread takes 2 MiB of addresses and more: with few addresses there are few threads. It holds for every user. The proxy
    // starts with 4.9 million kibibytes or so.
    let addresses: Vec<String> = (0..bench.scaled(6, 20))
        .map(|step| format!("ulimit -v {}", 4_600_000 + step * bench.scaled(120_000, 40_000)))
        .collect();
    Ok(vec![
        under(bench, "few descriptors (ulimit -n), 64 calls at once", &descriptors)?,
        under(bench, "few addresses for threads (ulimit -v), 64 calls at once", &addresses)?,
    ])
}

fn under(bench: &Bench, fault: &str, limits: &[String]) -> Result<Row, String> {
    let mut row = Row::new(&format!("{ONCE}; or the proxy does not start and says why"), fault);
    let (mut started, mut results, mut errors) = (0, 0, 0);
    for limit in limits {
        let folder = bench.folder()?;
        let site = Site::serve(|request, stream| {
            let bytes = usual(request, "s").unwrap_or_else(|| {
                thread::sleep(Duration::from_millis(100));
                reply(200, JSON, &answer(&request.id(), "fine"))
            });
            write(stream, &bytes);
            false
        })?;
        let script = format!("{limit}; exec \"$@\"");
        let mut talk = begin(bench, folder.path(), &["sh", "-c", &script, "sh"], &site, &[])?;
        // It may not even start.
        let begun = talk.initialize();
        let ids: Vec<String> = (1..=64).map(|id| id.to_string()).collect();
        let mut outcome;
        if let Ok(Answer::Result(_)) = begun {
            started += 1;
            outcome = ids.iter().try_for_each(|id| talk.call(id, "t", ""));
            for id in &ids {
                match talk.wait(id, PATIENCE) {
                    Ok(Answer::Result(_)) => results += 1,
                    Ok(Answer::Error(_)) => errors += 1,
                    Err(error) => outcome = outcome.and(Err(error)),
                }
            }
            let ended = talk.end().map(|_| ());
            outcome = outcome.and(ended);
        } else {
            outcome = talk.gave_up();
        }
        row.count(outcome.map_err(|error| format!("{limit}: {error}")));
    }
    Ok(row.seen(format!("{started} of {} proxies started; {results} results, {errors} errors", limits.len())))
}
