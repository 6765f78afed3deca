//! Figures as people read them: grouped, with a sign, in columns.

/// A number with a comma between thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A difference in tokens: `−1,234 saved`, `+310 lost`, `0`.
pub(crate) fn signed(difference: i64) -> String {
    let number = grouped(difference.unsigned_abs());
    match difference {
        0 => number,
        ..0 => format!("−{number} saved"),
        1.. => format!("+{number} lost"),
    }
}

/// A table whose first column is text, and whose others are numbers.
pub(crate) struct Table<const COLUMNS: usize> {
    rows: Vec<[String; COLUMNS]>,
}

impl<const COLUMNS: usize> Table<COLUMNS> {
    pub(crate) fn new(header: [&str; COLUMNS]) -> Self {
        Self { rows: vec![header.map(str::to_owned)] }
    }

    pub(crate) fn row(&mut self, mut cells: [String; COLUMNS]) {
        cells[0] = crate::output::printable(&cells[0]).into_owned();
        self.rows.push(cells);
    }

    /// Lines, the numbers right-aligned.
    pub(crate) fn text(&self) -> String {
        let width = |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
        let widths: [usize; COLUMNS] = std::array::from_fn(width);
        let line = |row: &[String; COLUMNS]| {
            let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
        };
        self.rows.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_is_said_in_words_too() {
        assert_eq!([-1234, 0, 310].map(signed), ["−1,234 saved", "0", "+310 lost"]);
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(["TOOL", "N"]);
        table.row(["a\u{1b}".to_owned(), "−12".to_owned()]);
        assert_eq!(table.text(), "TOOL       N\na\\u{1b}  −12\n");
    }
}
