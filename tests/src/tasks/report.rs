//! A whole run: tasks with their answers, strategies with what came out, and the tables of `docs/COST.md`.

use std::rc::Rc;

use super::conversation::tokens;
use super::documents::{Place, Raw, Raws, Server};
use super::player::{Player, knows_descriptors};
use super::strategies::{DESCRIPTORS, NAMES, is_ours};
use super::table::{self, Row};
use super::task::{self, Document, Task};
use super::{break_even, reader};

/// A place with its documents and tasks.
pub struct Run {
    /// All documents.
    pub documents: Vec<Document>,
    /// Where they are.
    pub place: Place,
    /// What the servers return for them.
    pub raws: Raws,
    /// The tasks, each with its document.
    pub pairs: Vec<(Rc<Raw>, Task)>,
}

impl Run {
    /// Prepares documents and tasks.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn new() -> Result<Self, String> {
        let documents = task::documents()?;
        let place = Place::new(&documents)?;
        let raws = place.raws(&documents)?;
        let pairs = super::documents::pairs(&raws)?;
        Ok(Self { documents, place, raws, pairs })
    }

    /// The tasks of a file with the answers of the real jq, and the share of the records that each needs.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn answered(&self, tasks: Vec<Task>) -> Result<Vec<Task>, String> {
        let answer = |mut task: Task| {
            let raw = self.raws.get(&task.document).ok_or_else(|| format!("`{}` has no document", task.id))?;
            task.answer = raw.answer(&task)?;
            let records = raw.records(task.want.list.as_deref());
            task.share = reader::needed(&task.want, &records).len() as f64 / records.len() as f64;
            Ok(task)
        };
        tasks.into_iter().map(answer).collect()
    }

    /// Plays all tasks with a strategy.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn play(&self, name: &'static str) -> Result<Row, String> {
        let mut player = Player::new(&self.place, name);
        let outcomes = player.play_all(&self.pairs)?;
        Ok(Row { name, definitions: player.definitions()?, outcomes })
    }

    /// Tokens of the response of each descriptor, for each document that is offloaded.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn responses(&self) -> Result<String, String> {
        let names: Vec<&'static str> = if knows_descriptors() { DESCRIPTORS.to_vec() } else { vec!["full"] };
        let mut players: Vec<Player> = names.iter().map(|name| Player::new(&self.place, name)).collect();
        let mut found = Vec::new();
        for document in &self.documents {
            let raw = &self.raws[&document.name];
            let mut responses = Vec::new();
            for player in &mut players {
                responses.push(player.proxy(Server::of(document))?.response(raw)?);
            }
            if !responses.iter().any(|response| *response == raw.text) {
                let counts = responses.iter().map(|response| tokens(response)).collect();
                found.push((document.about.clone(), tokens(&raw.text), counts));
            }
        }
        Ok(table::responses(&names, &found))
    }
}

/// The strategies that can be played with this component.
pub fn strategies() -> Vec<&'static str> {
    NAMES.into_iter().filter(|name| knows_descriptors() || !is_ours(name) || *name == "full").collect()
}

/// What a run prints.
pub struct Tables {
    /// The strategies with what came out.
    pub rows: Vec<Row>,
    /// The tables of the page, by their names.
    pub tables: Vec<(&'static str, String)>,
}

/// All tables of the page, by their names, and the rows of the first.
///
/// # Errors
/// One line that says what failed.
pub fn tables(run: &Run) -> Result<Tables, String> {
    let names = strategies();
    let rows = names.iter().map(|name| run.play(name)).collect::<Result<Vec<Row>, String>>()?;
    let even = break_even::rows(&names)?;
    let ours = if knows_descriptors() { "compact" } else { "full" };
    let tables = vec![
        ("strategies", table::strategies(&rows)),
        ("kinds", table::kinds(&rows)),
        ("responses", run.responses()?),
        ("break-even", break_even::table(&even)),
        ("ours", break_even::costs_of(&even, ours)),
    ];
    Ok(Tables { rows, tables })
}
