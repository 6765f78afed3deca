//! The account as a table for people, and as JSON.

use serde_json::{Value, json};

use super::account::{Account, Sums};
use super::replay::Client;
use crate::figures::{Table, grouped, signed};
use crate::output::counted;

/// What is said about the figures.
#[derive(Debug)]
pub(super) struct About {
    pub(super) tokenizer: String,
    /// Extractions that are assumed after each replayed result, and the tokens of one.
    pub(super) assumed: Option<(u32, u32)>,
}

/// The tables.
pub(super) fn text(accounts: &[(Client, Account)], about: &About) -> String {
    let mut text = accounts.iter().map(|(client, account)| table(*client, account)).collect::<String>();
    text.push_str(&explained(accounts, about));
    text
}

fn table(client: Client, account: &Account) -> String {
    let total = account.total();
    let mut rows: Vec<(&String, &Sums)> = account.tools.iter().collect();
    // The largest effects first, whichever sign they have.
    rows.sort_by_key(|(name, sums)| (std::cmp::Reverse(sums.difference().unsigned_abs()), *name));
    let mut table = Table::new([
        "TOOL",
        "RESULTS",
        "OFFLOADED",
        "WITHOUT",
        "OF THESE READS",
        "WITH",
        "OF THESE EXTR.",
        "DIFFERENCE",
    ]);
    for (name, sums) in rows {
        table.row(cells(name, sums));
    }
    table.row(cells("all", &total));
    let title = format!(
        "{}: {}, {}\n",
        client.title(),
        counted(account.transcripts, "transcript"),
        counted(total.results, "result")
    );
    format!("{title}{}\n", table.text())
}

fn cells(name: &str, sums: &Sums) -> [String; 8] {
    [
        name.to_owned(),
        grouped(sums.results),
        grouped(sums.offloaded()),
        grouped(sums.without()),
        grouped(sums.without.reads_tokens),
        grouped(sums.with()),
        grouped(sums.with.extractions_tokens + sums.with.assumed_tokens),
        signed(sums.difference()),
    ]
}

/// What the columns mean, and what the figures are worth.
fn explained(accounts: &[(Client, Account)], about: &About) -> String {
    let mut total = Account::default();
    for (client, account) in accounts {
        *total.tool(client.title()) = account.total();
    }
    let total = total.total();
    let mut lines = vec![
        format!("Tokens of {}. The difference is WITH minus WITHOUT: − is saved, + is lost.", about.tokenizer),
        "WITHOUT is what the client shows, with its own cut, and the reads of files that it saved.".to_owned(),
        "WITH is responses, results that stay, and extractions: calls that read offloaded files.".to_owned(),
    ];
    let [saved, part] = [total.from_saved_file, total.from_part].map(grouped);
    if total.replayed > 0 {
        let whole = grouped(total.replayed - total.from_saved_file - total.from_part);
        lines.push(format!(
            "Replayed: {whole} from whole results, {saved} from files that the client saved, {part} from a part that the \
             transcript holds."
        ));
        lines.push(match about.assumed {
            Some((count, tokens)) => format!(
                "ASSUMED, not measured: {} of {tokens} tokens after each replayed result.",
                counted(u64::from(count), "extraction")
            ),
            None => unknown(&total),
        });
    }
    if total.not_counted > 0 {
        let gone = counted(total.not_counted, "offloaded result");
        lines.push(format!("Not counted, because the file is gone: {gone}."));
    }
    lines.push("Not counted: each later request sends all of this again, mostly from the provider's cache.".to_owned());
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Nobody knows what would have been asked of results that were not offloaded.
fn unknown(total: &Sums) -> String {
    let known = "What would have been extracted from replayed results is unknown (--extractions assumes it)";
    match u64::try_from(-total.difference()) {
        Ok(saved) if saved > 0 => {
            format!("{known}: above {} tokens for each, offloading loses.", grouped(saved / total.replayed))
        }
        _ => format!("{known}."),
    }
}

/// The same as JSON.
pub(super) fn json(accounts: &[(Client, Account)], about: &About, remarks: &[String]) -> Value {
    let row = |sums: &Sums| {
        let mut row = json!(sums);
        row["difference"] = sums.difference().into();
        row
    };
    let clients = accounts.iter().map(|(client, account)| {
        let tools = account.tools.iter().map(|(name, sums)| {
            let mut row = row(sums);
            row["tool"] = name.as_str().into();
            row
        });
        json!({ "client": client.name(), "transcripts": account.transcripts, "tools": tools.collect::<Vec<_>>(),
            "total": row(&account.total()) })
    });
    let assumed = about.assumed.map(|(count, tokens)| json!({ "extractions": count, "tokens_each": tokens }));
    json!({
        "tokenizer": about.tokenizer,
        "sign": "the difference is with minus without: negative is saved, positive is lost",
        "assumed": assumed,
        "clients": clients.collect::<Vec<_>>(),
        "remarks": remarks,
    })
}
