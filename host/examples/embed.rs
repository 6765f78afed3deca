//! A tool server in miniature: every result passes through LRO on its way to the client.
//!
//! Run it with `cargo run -p lro --example embed`.

use lro::{ExtractRequest, Lro, OffloadRequest, Options, Outcome, Source};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let lro = Lro::open(&Options::of(folder.path()))?;

    let result = search_results();
    let answer = lro.offload(&result, &OffloadRequest::of("search"))?;
    for event in &answer.events {
        eprintln!("{}: {}", event.name, event.message);
    }
    println!("the client gets:\n{}\n", answer.text(&result));

    if let Outcome::Offloaded(stored) = &answer.outcome {
        let request = ExtractRequest::of_query("select(.stars > 995) | .name");
        let page = lro.extract(&Source::File(stored.file_name.clone()), &request)?;
        println!("and asks for {} results:\n{}", page.count, page.results);
    }
    Ok(())
}

/// What a search tool would return: a thousand records.
fn search_results() -> String {
    let records: Vec<String> = (0..1000)
        .map(|stars| format!(r#"{{"id":"repository-{stars}","name":"Number {stars}","stars":{stars}}}"#))
        .collect();
    format!("[{}]", records.join(","))
}
