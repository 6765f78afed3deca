//! Compares what a recipe gives with what its printed command gives under the real jq: as a whole, and record by record.

use std::collections::BTreeSet;

use lro::Source;
use lro_tests::jq;
use lro_tests::shell::Printed;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::offloaded::{Case, Offloaded, Recipe};

/// The literal is one that occurs in the records: the first text of the filter.
pub(crate) const OCCURRING: &str = "";

/// A result of jq, or of ours, in the form in which they are compared.
#[derive(Debug, PartialEq)]
pub(crate) enum Given {
    Json(Value),
    /// Cells of a raw line; what is a number stands as one, since jq 1.6 writes 0.90 as 0.9.
    Row(Vec<Result<f64, String>>),
}

/// Where ours differs from the printed commands of a case under the real jq, and where a description is not true.
pub(crate) fn differences(case: &Case) -> Vec<String> {
    let file = case.offload();
    let difference = |recipe: &Recipe| {
        let problem = difference(&file, recipe).err()?;
        Some(format!("{}, recipe {}: {problem}", case.name, recipe.number))
    };
    let mut differences: Vec<String> = file.recipes.iter().filter_map(difference).collect();
    if std::fs::read_dir(file.folder.path()).unwrap().count() != 1 {
        differences.push(format!("{}: a command has touched something else", case.name));
    }
    differences
}

pub(crate) fn difference(file: &Offloaded, recipe: &Recipe) -> Result<(), String> {
    let printed = difference_of_results(file, recipe)?;
    let reports = jq::reports(&printed);
    match announced(&recipe.description) == reports && (reports > 0 || printed.stderr.is_empty()) {
        true => Ok(()),
        false => Err(format!("`{}`, but jq reports {reports}: {:.300}", recipe.description, printed.stderr)),
    }
}

/// Compares results alone, and answers what jq printed.
pub(crate) fn difference_of_results(file: &Offloaded, recipe: &Recipe) -> Result<Printed, String> {
    let printed = jq::command(&recipe.command, file.folder.path());
    let lines = file.ours(recipe.number, json!({}))?;
    match printed.status {
        Some(5) if recipe.slurps() => nothing_lost(&lines, recipe, file)?,
        Some(0 | 5) => same(&ours(&lines, recipe)?, &theirs(&printed.stdout, recipe))?,
        status => return Err(format!("jq ended with {status:?}: {}", printed.stderr)),
    }
    Ok(printed)
}

/// Decision 26, USER-14: how many reports of jq a description announces.
pub(crate) fn announced(description: &str) -> usize {
    let remarks = description.rsplit_once(" (").and_then(|(_, remarks)| remarks.strip_suffix(')'));
    // What a command does not find is said after that.
    match remarks.and_then(|remarks| remarks.split("; ").next()) {
        Some(remark) if remark.ends_with("reported on stderr") => remark.split(' ').next().unwrap().parse().unwrap(),
        Some(remark) if remark.starts_with("jq fails") => 1,
        _ => 0,
    }
}

/// True for what is said after a description: what jq reports, or what is not found.
pub(crate) fn is_remark(text: &str) -> bool {
    text.starts_with(" (") && text.ends_with(')') && (announced(text) > 0 || text.contains("(no "))
}

/// Ours, read by jq too, so that numbers and duplicate keys mean the same on both sides.
pub(crate) fn ours(lines: &[String], recipe: &Recipe) -> Result<Vec<Given>, String> {
    if recipe.is_raw() {
        return Ok(rows(lines.iter().map(String::as_str)));
    }
    match lines.iter().find(|line| serde_json::from_str::<&RawValue>(line).is_err()) {
        Some(line) => Err(format!("not one JSON text: {line}")),
        None => Ok(jq::read(&lines.join("\n")).into_iter().map(Given::Json).collect()),
    }
}

/// What jq printed. The one array of a slurping command stands for its elements.
pub(crate) fn theirs(stdout: &str, recipe: &Recipe) -> Vec<Given> {
    if recipe.is_raw() {
        return rows(stdout.split_terminator('\n'));
    }
    let values = match <[Value; 1]>::try_from(jq::values(stdout)) {
        Ok([Value::Array(elements)]) if recipe.slurps() => elements,
        Ok(one) => one.into(),
        Err(values) => values,
    };
    values.into_iter().map(Given::Json).collect()
}

pub(crate) fn rows<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Given> {
    let cell = |cell: &str| cell.parse::<f64>().map_err(|_| cell.to_owned());
    lines.map(|line| Given::Row(line.split('\t').map(cell).collect())).collect()
}

pub(crate) fn same(ours: &[Given], theirs: &[Given]) -> Result<(), String> {
    let different = ours.iter().zip(theirs).position(|(ours, theirs)| ours != theirs);
    match different {
        Some(index) => Err(format!("result {index}\n  of ours is {:?},\n  of jq    {:?}", ours[index], theirs[index])),
        None if ours.len() != theirs.len() => Err(format!("{} results of ours, {} of jq", ours.len(), theirs.len())),
        None => Ok(()),
    }
}

/// Where jq gives up on the whole set, ours has every record in it all the same.
pub(crate) fn nothing_lost(lines: &[String], recipe: &Recipe, file: &Offloaded) -> Result<(), String> {
    let records = file.lines.len();
    let results = jq::read(&lines.join("\n"));
    let complete = if recipe.filter.contains("count: length") {
        results.iter().map(|group| group["count"].as_u64().unwrap()).sum::<u64>() == records as u64
    } else if recipe.filter.contains("unique") {
        let all = jq::read(&file.lines.join("\n"));
        let namespaces: BTreeSet<String> = all.iter().map(|record| record["namespace"].to_string()).collect();
        results.iter().map(Value::to_string).collect::<BTreeSet<_>>() == namespaces
    } else {
        let known: BTreeSet<String> = jq::read(&file.lines.join("\n")).iter().map(Value::to_string).collect();
        let expected = if recipe.filter.ends_with(".[:10]") { records.min(10) } else { records };
        results.len() == expected && results.iter().all(|result| known.contains(&result.to_string()))
    };
    if complete { Ok(()) } else { Err(format!("{} results do not hold all of {records} records", lines.len())) }
}

/// Where ours differs from jq on single records, and where the whole is not what they give one after the other.
pub(crate) fn differences_by_record(case: &Case) -> Vec<String> {
    let file = case.offload();
    let of_recipe = |recipe: &Recipe| {
        let differences = recipe_differences_by_record(&file, recipe).unwrap_or_else(|error| vec![error]);
        let named = |difference| format!("{}, recipe {}: {difference}", case.name, recipe.number);
        differences.into_iter().map(named).collect::<Vec<_>>()
    };
    file.recipes.iter().filter(|recipe| !recipe.slurps()).flat_map(of_recipe).collect()
}

pub(crate) fn recipe_differences_by_record(file: &Offloaded, recipe: &Recipe) -> Result<Vec<String>, String> {
    let whole = file.ours(recipe.number, json!({}))?;
    let singly = ours_by_record(recipe, file)?;
    if whole != singly.concat() {
        return Err("the whole is not its parts".into());
    }
    let mut ours = ours(&whole, recipe)?.into_iter();
    let mut differences = Vec::new();
    for ((line, results), theirs) in file.lines.iter().zip(singly).zip(theirs_by_record(recipe, &file.lines)) {
        let ours: Vec<Given> = ours.by_ref().take(results.len()).collect();
        let compared = theirs.map_or(Ok(()), |theirs| same(&ours, &theirs));
        differences.extend(compared.err().map(|difference| format!("{line}: {difference}")));
    }
    Ok(differences)
}

/// What ours gives on each record: all in one call, told apart by a memory between them that every recipe selects.
pub(crate) fn ours_by_record(recipe: &Recipe, file: &Offloaded) -> Result<Vec<Vec<String>>, String> {
    const MARK: &str = r#"{"id":"mark","title":"the mark, keyword","namespace":"_semantic","memory_type":"semantic","tags":["TAG"],"content":"pattern","entities":[1]}"#;
    let lines: Vec<String> = file.lines.iter().map(|line| format!("{line}\n{MARK}\n")).collect();
    let source = Source::Content(format!("{}\n{}", file.header, lines.concat()));
    let results = file.extract(&source, recipe.number, json!({}))?;
    let mut singly: Vec<Vec<String>> = results.split(|result| result.contains("the mark")).map(<[_]>::to_vec).collect();
    match singly.len() == file.lines.len() + 1 && singly.pop() == Some(Vec::new()) {
        true => Ok(singly),
        false => Err("the mark is not among the results as often as among the records".into()),
    }
}

/// What jq gives on each record alone, and nothing where it fails.
pub(crate) fn theirs_by_record(recipe: &Recipe, records: &[String]) -> Vec<Option<Vec<Given>>> {
    let input = if recipe.slurps() { "[.] | " } else { "" };
    let filter = format!("try [{input}{}] catch null", recipe.filter);
    let printed = jq::filter(["-c"], &filter, &records.join("\n"));
    assert_eq!((printed.status, printed.stderr.as_str()), (Some(0), ""));
    let outputs = jq::values(&printed.stdout);
    assert_eq!(outputs.len(), records.len());
    let given = |outputs: Value| {
        let outputs = outputs.as_array()?;
        let raw = outputs.iter().map(|output| output.as_str().filter(|_| recipe.is_raw()));
        let lines: Vec<String> =
            raw.zip(outputs).map(|(raw, output)| raw.map_or(output.to_string(), str::to_owned)).collect();
        Some(theirs(&lines.join("\n"), recipe))
    };
    outputs.into_iter().map(given).collect()
}

/// A recipe with a parameter against its filter with another literal.
pub(crate) fn difference_with_parameter(
    file: &Offloaded,
    number: usize,
    name: &str,
    literal: &str,
    value: &str,
) -> Result<(), String> {
    let recipe = &file.recipes[number - 1];
    let first = recipe.filter.find('"').map(|start| jq::first_text(&recipe.filter[start..]));
    let literal = if literal == OCCURRING { first.expect("the filter has a text") } else { json!(literal).to_string() };
    let replaced = json!(value).to_string();
    assert_eq!(recipe.filter.matches(&literal).count(), 1, "{}", recipe.filter);
    let filter = recipe.filter.replace(&literal, &replaced);
    let options = Some(recipe.options.as_str()).filter(|options| !options.is_empty());
    let printed = jq::filter(options, &filter, &file.lines.join("\n"));
    let lines = file.ours(number, json!({ name: value }));
    if jq::reports(&printed) == file.lines.len() {
        // No record could be handled: the value is not a regular expression.
        return lines.map_or(Ok(()), |lines| Err(format!("jq always fails, ours gives {} results", lines.len())));
    }
    same(&ours(&lines?, recipe)?, &theirs(&printed.stdout, recipe))
}

/// The elements of an array's text.
pub(crate) fn inner(array: &str) -> &str {
    &array[1..array.len() - 1]
}
