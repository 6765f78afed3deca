//! Plays the tasks of `tests/tasks` to the end with each strategy, and prints what the answers cost:
//! `cargo run -p lro-tests --bin tasks`. tests/tasks/README.md has the flags.

use std::fs;
use std::process::ExitCode;

use lro_tests::tasks::documents::Server;
use lro_tests::tasks::model::Model;
use lro_tests::tasks::player::Player;
use lro_tests::tasks::report::{Run, Tables, strategies, tables};
use lro_tests::tasks::strategies::is_ours;
use lro_tests::tasks::table::{self, Row};
use lro_tests::tasks::{page, picture, task};

fn main() -> ExitCode {
    let arguments = Arguments(std::env::args().skip(1).collect());
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tasks: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Arguments(Vec<String>);

impl Arguments {
    fn has(&self, flag: &str) -> bool {
        self.0.iter().any(|argument| argument == flag)
    }

    fn value(&self, flag: &str) -> Option<&str> {
        let at = self.0.iter().position(|argument| argument == flag)?;
        self.0.get(at + 1).map(String::as_str)
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let mut run = Run::new()?;
    if let Some(name) = arguments.value("--document") {
        return look(&run, name);
    }
    let is_blessed = arguments.has("--bless") || std::env::var_os("BLESS").is_some();
    if is_blessed {
        for file in task::files()? {
            task::write(&file, &run.answered(task::read(&file)?)?)?;
        }
        run = Run::new()?;
        let Tables { tables, rows } = tables(&run)?;
        page::bless(&tables)?;
        return fs::write(page::path("cost.svg"), picture::svg(&rows)).map_err(|error| error.to_string());
    }
    if let Some(only) = arguments.value("--only") {
        run.pairs.retain(|(_, task)| task.id.contains(only));
    }
    if let (Some(model), Some(url)) = (arguments.value("--model"), arguments.value("--url")) {
        let model = Model { name: model.into(), url: url.into(), key: std::env::var("TASKS_KEY").ok() };
        return ask(&run, &model, arguments.value("--descriptor").unwrap_or("compact"));
    }
    let is_chosen =
        |name: &&str| arguments.value("--strategies").is_none_or(|names| names.split(',').any(|one| one == *name));
    if arguments.has("--strategies") || arguments.has("--show") || arguments.has("--only") {
        let names: Vec<&'static str> = strategies().into_iter().filter(is_chosen).collect();
        let rows = names.into_iter().map(|name| run.play(name)).collect::<Result<Vec<Row>, String>>()?;
        rows.iter().for_each(|row| print(row, arguments.has("--show")));
        println!("{}", table::strategies(&rows));
    } else {
        for (name, table) in tables(&run)?.tables {
            println!("## {name}\n\n{table}");
        }
    }
    Ok(())
}

/// Prints the conversations of a strategy, or those alone whose answer is wrong though its rule always finds one.
fn print(row: &Row, is_shown: bool) {
    for outcome in &row.outcomes {
        if is_shown || !outcome.is_right && !matches!(row.name, "page" | "cut") {
            println!(
                "== {} {} {}\n{}",
                row.name,
                outcome.id,
                if outcome.is_right { "right" } else { "WRONG" },
                outcome.log
            );
        }
    }
}

/// Plays the tasks with a real model, and prints how each went.
fn ask(run: &Run, model: &Model, descriptor: &str) -> Result<(), String> {
    let known = strategies().into_iter().filter(|name| is_ours(name));
    let name =
        known.into_iter().find(|name| *name == descriptor).ok_or(format!("`{descriptor}` is not a descriptor"))?;
    let mut player = Player::new(&run.place, name);
    let mut row = Row { name, definitions: player.definitions()?, outcomes: Vec::new() };
    for (raw, task) in &run.pairs {
        let outcome = player.ask(model, raw, task)?;
        let verdict = if outcome.is_right { "right" } else { "WRONG" };
        println!("{verdict} {} in {} calls, {} tokens", outcome.id, outcome.calls, outcome.read + outcome.written);
        row.outcomes.push(outcome);
    }
    println!("\n{}", table::strategies(&[row]));
    Ok(())
}

/// Prints what a person needs who writes a task: the first records, our response and our description.
fn look(run: &Run, name: &str) -> Result<(), String> {
    let raw = run.raws.get(name).ok_or_else(|| format!("no document is named `{name}`"))?;
    let records = raw.records(None);
    println!("{} records, {} bytes; the first:", records.len(), raw.text.len());
    records.iter().take(2).for_each(|record| println!("{record}"));
    let mut player = Player::new(&run.place, "full");
    let texts = player.proxy(Server::of(&raw.document))?.look(raw)?;
    texts.iter().for_each(|text| println!("{text}"));
    Ok(())
}
