//! The tasks of tests/tasks (README there): their answers are what jq computes, our strategies find all of them, and
//! the tables of docs/COST.md are those of this run.

use std::fs;

use lro_tests::markers;
use lro_tests::tasks::report::{Run, Tables, tables};
use lro_tests::tasks::strategies::is_ours;
use lro_tests::tasks::task::Kind;
use lro_tests::tasks::{page, task};

#[test]
fn tasks_are_played_to_the_end() {
    let run = Run::new().unwrap_or_else(|error| panic!("{error}"));
    for file in task::files().unwrap() {
        let tasks: Vec<task::Task> = task::read(&file).unwrap();
        for (task, answered) in tasks.iter().zip(run.answered(tasks.clone()).unwrap()) {
            assert_eq!(task.answer, answered.answer, "`{}`: jq has another answer; BLESS=1 renews it", task.id);
        }
    }
    let Tables { tables, rows } = tables(&run).unwrap_or_else(|error| panic!("{error}"));
    for row in rows.iter().filter(|row| is_ours(row.name)) {
        for outcome in &row.outcomes {
            assert!(outcome.is_right, "`{}` has a wrong answer for `{}`:\n{}", row.name, outcome.id, outcome.log);
        }
    }
    let page_text = fs::read_to_string(page::path("COST.md")).unwrap();
    for (name, table) in tables {
        let difference = page::difference(markers::table(&page_text, name).unwrap(), &table);
        let stale = "docs/COST.md is stale; `BLESS=1 cargo run -p lro-tests --bin tasks` renews it";
        assert_eq!(difference, None, "{stale}: {name}");
    }
}

#[test]
fn there_are_tasks_of_all_kinds() {
    let (tasks, documents) = (task::tasks().unwrap(), task::documents().unwrap());
    assert!(tasks.len() >= 60 && documents.len() >= 20, "{} tasks, {} documents", tasks.len(), documents.len());
    let count = |kind: Kind| tasks.iter().filter(|task| task.kind == kind).count();
    assert!(
        count(Kind::Missing) * 3 >= count(Kind::LookUp) + count(Kind::Missing) - 2,
        "a third of the ids do not exist"
    );
    for kind in [Kind::Filter, Kind::Count, Kind::Group, Kind::Aggregate, Kind::Top, Kind::Range] {
        assert!(count(kind) >= 4, "{kind:?}");
    }
    for kind in [Kind::Record, Kind::Around, Kind::Overview] {
        assert!(count(kind) >= 2, "{kind:?}");
    }
    let is_used = |name: &str| tasks.iter().any(|task| task.document == name);
    assert!(documents.iter().all(|document| is_used(&document.name)));
}
