//! Several tables with a blank line between them, as `kubectl get all` prints them.

use super::{Layout, record};
use crate::payload::notation::Reading;
use crate::payload::notation::columns::{Column, ColumnKind};
use crate::payload::notation::names::keys;
use crate::payload::notation::output::Output;

/// Reads a text that consists of tables with names in capitals. Every line must fit: a blank line may have any meaning.
pub(super) fn read(text: &str) -> Option<Reading<'static>> {
    let text = text.trim_matches('\n');
    // Few texts begin with such a table, and only of these more is looked at.
    Layout::spaced(text.lines().next()?)?;
    if !text.contains("\n\n") {
        return None;
    }
    let mut output = Output::of(text);
    for table in text.split("\n\n").map(|table| table.trim_matches('\n')).filter(|table| !table.is_empty()) {
        let (head, rows) = table.split_once('\n')?;
        let layout = Layout::spaced(head)?;
        let rows: Vec<Vec<&str>> = rows.lines().map(|line| layout.cells(line)).collect::<Option<_>>()?;
        let mut columns = vec![Column::default(); layout.names.len()];
        for row in &rows {
            columns.iter_mut().zip(row).for_each(|(column, cell)| column.see(cell));
        }
        let kinds: Vec<ColumnKind> = columns.iter().map(Column::kind).collect();
        let keys = keys(layout.names.iter().copied());
        rows.iter().try_for_each(|row| output.record(1, record(&keys, &kinds, row)))?;
    }
    output.finish("aligned")
}
