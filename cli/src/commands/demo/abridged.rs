//! Long texts as a terminal can show them.

use serde_json::Value;

/// Columns that a line may take, its indentation aside: with it, a line fits a terminal of 100 columns.
const WIDTH: usize = 94;

/// A response as an indented JSON document, one line a field and one line an element, each cut to the width.
pub(super) fn response(response: &Value) -> String {
    let fields = response.as_object().into_iter().flatten().map(|(key, value)| field(key, value));
    format!("   {{\n{}\n   }}\n", fields.collect::<Vec<_>>().join(",\n"))
}

fn field(key: &str, value: &Value) -> String {
    match value {
        Value::Array(elements) if elements.iter().all(Value::is_object) => {
            let lines = elements.iter().map(|element| format!("       {}", cut(&element.to_string(), WIDTH - 4)));
            format!("     \"{key}\": [\n{}\n     ]", lines.collect::<Vec<_>>().join(",\n"))
        }
        value => format!("     {}", cut(&format!("\"{key}\": {value}"), WIDTH - 2)),
    }
}

/// Lines indented, each cut to the width.
pub(super) fn paragraph(text: &str) -> String {
    text.lines().map(|line| format!("   | {}\n", cut(line, WIDTH - 2))).collect()
}

/// A line cut to the width.
pub(super) fn clipped(line: &str) -> String {
    cut(line, WIDTH)
}

fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width - 1).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn lines_are_cut_by_characters() {
        let cases = [("äöü", 3, "äöü"), ("äöüß", 3, "äö…")];
        for (line, width, expected) in cases {
            assert_eq!(cut(line, width), expected);
        }
    }
}
