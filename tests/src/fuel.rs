//! What calls cost in instructions of the component: estimates, offloads, recipes and filters on fixed inputs.

use serde_json::json;

use crate::metered::{Call, Metered};
use crate::{corpus, records};

/// Filters as models write them: values that are changed and made, variables, loops, expressions, dates.
const FILTERS: &str = include_str!("../../cli/benches/filters.txt");

/// Before a filter, this keeps it from a plan: no plan knows definitions.
const DEFINITION: &str = "def same: .; ";

/// Of so many filters one is measured in the general engine too.
const GENERAL_EVERY: usize = 4;

/// Expressions that searches and `test` look for.
const PATTERNS: [&str; 4] = ["error|warn", "cache", "[0-9]+ (days|hours)", "(?i)pattern"];

/// Results that calls are measured on, by their names: the operation, and the payload.
pub type Input = (&'static str, &'static str, String);

/// What is compared together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An estimate, or an offload.
    Offload,
    /// One of the ten recipes.
    Recipe,
    /// A filter as models write them.
    Filter,
    /// A search, or a filter with a regular expression.
    Expression,
}

/// What a call costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// What it is compared with.
    pub kind: Kind,
    /// The call, by a name that no other one on its input has.
    pub call: String,
    /// Instructions of the component.
    pub fuel: u64,
}

/// Returns the inputs that lie in the repository, or are made the same each time.
pub fn inputs() -> Vec<Input> {
    vec![
        ("memories", "recall", corpus::memories(400)),
        ("issues", "list_issues", records::issues(400)),
        ("corpus", "recall", corpus::REAL.to_owned()),
        ("rows", "list_rows", records::rows(1000)),
        ("csv", "list_rows", records::csv(1000)),
        ("log", "read_log", records::log(1000)),
    ]
}

/// Returns the filters.
pub fn filters() -> Vec<&'static str> {
    FILTERS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// Returns what the calls on an input cost: with the ten recipes, expressions for memories and issues, and, for memories,
/// the filters.
///
/// # Errors
/// The first call that fails, with its reason.
pub fn figures(metered: &Metered, (name, operation, payload): &Input) -> Result<Vec<Figure>, String> {
    let cost = |kind: Kind, what: &str, call: Call| match call.error {
        Some(error) => Err(format!("{name}: {what}: {error}")),
        None => Ok(Figure { kind, call: what.to_owned(), fuel: call.fuel }),
    };
    let mut figures = vec![
        cost(Kind::Offload, "estimate", metered.estimate(operation, payload))?,
        cost(Kind::Offload, "offload", metered.offload(operation, payload))?,
    ];
    let file = metered.take_file().ok_or_else(|| format!("{name}: nothing is offloaded"))?;
    // The same records as a server of tools returns them.
    let result = json!({"content": [{"type": "text", "text": payload}]}).to_string();
    figures.push(cost(Kind::Offload, "offload of an MCP result", metered.offload("call", &result))?);
    metered.take_file().ok_or_else(|| format!("{name}: no MCP result is offloaded"))?;
    // All results stand on one page.
    let extract = |key: &str, value: serde_json::Value| {
        metered.extract(&file, &json!({ key: value, "limit": u32::MAX, "max_bytes": u32::MAX }))
    };
    for number in 1..=10 {
        figures.push(cost(Kind::Recipe, &format!("recipe {number}"), extract("recipe", number.into()))?);
    }
    if *operation == "recall" {
        for filter in filters() {
            figures.push(cost(Kind::Filter, filter, extract("query", filter.into()))?);
        }
        for filter in filters().into_iter().step_by(GENERAL_EVERY) {
            let general = format!("{DEFINITION}{filter}");
            figures.push(cost(Kind::Filter, &general, extract("query", general.as_str().into()))?);
        }
    }
    let texts = match *operation {
        "recall" => "content",
        "list_issues" => "body",
        _ => return Ok(figures),
    };
    for pattern in PATTERNS {
        figures.push(cost(Kind::Expression, &format!("search {pattern}"), metered.search(&file, pattern))?);
        // A plan has the first of these, and the general engine the second one.
        let test = format!("select(.{texts} | test({}))", json!(pattern));
        figures.push(cost(Kind::Expression, &test, extract("query", test.as_str().into()))?);
        let within = format!(".{texts} | [splits(\"\\n\")] | any(.[]; test({}))", json!(pattern));
        figures.push(cost(Kind::Expression, &within, extract("query", within.as_str().into()))?);
    }
    Ok(figures)
}
