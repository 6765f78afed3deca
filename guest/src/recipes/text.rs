//! Recipes for lines of text: logs, Markdown, CSV. jq reads each line as a string with `-R`.

use std::borrow::Cow::Borrowed as Fixed;

use lro_query::Shape;

use super::{Native, Parameter, ROW, Recipe};
use crate::fields::roles::{LEVELS, Words, capitals_pattern, pattern};

/// Recipes 1 to 10, with words of the text where they are known.
pub(super) fn recipes(words: &Words) -> [Recipe; 10] {
    let looked_for = [
        (2, "prefix", &words.prefix),
        (3, "keyword", &words.keyword),
        (5, "value", &words.value),
        (7, "member", &words.member),
        (10, "pattern", &words.pattern),
    ];
    let mut recipes = RECIPES;
    recipes[5] = if words.without_levels { BY_FIRST_WORD } else { by_level(words) };
    for (number, name, value) in looked_for {
        let recipe = &mut recipes[number - 1];
        let alias = (number == 10).then_some("keyword");
        let parameter = Parameter { alias, ..Parameter::known(name, value.as_deref()) };
        recipe.filter = recipe.filter.replace("LITERAL", &parameter.default).into();
        recipe.parameter = Some(parameter);
    }
    recipes
}

/// What stands before a level that a terminal colors, as a text of a filter has it. To take all colors off the lines would take
/// many times as long.
const COLOR: &str = r"|\u001b\\[[0-9;]*m)";

/// Recipe 6 of a log.
fn by_level(words: &Words) -> Recipe {
    let in_capitals = words.levels_in_capitals;
    let pattern = |known: &[&str]| {
        let pattern = if in_capitals { capitals_pattern(known) } else { pattern(known) };
        if words.levels_in_colors { pattern.replacen(')', COLOR, 1) } else { pattern }
    };
    let flags = if in_capitals { "" } else { r#"; "i""# };
    let written = |words: &str| if in_capitals { words.to_ascii_uppercase() } else { words.to_owned() };
    let chosen = |levels: [String; LEVELS.len()]| format!(r#"{} else "none" end"#, levels.join(" el"));
    let level = chosen(LEVELS.map(|(level, words)| format!(r#"if test("{}"{flags}) then "{level}""#, pattern(words))));
    // A command has the expression once, a plan as it is tested.
    let named =
        chosen(LEVELS.map(|(level, words)| format!(r#"if has("{}") then "{level}""#, written(&words.join("|")))));
    // The name of the variable stays in small letters.
    let any = pattern(&["WORDS"]).replace("WORDS", r"\($words)");
    let has = format!(r#"def has($words): test("{any}"{flags}); "#);
    let counted = "group_by(.) | map({level: .[0], count: length})";
    Recipe {
        description: Fixed("Count lines by level of severity"),
        options: "-Rnc",
        filter: format!("{has}[inputs | {named}] | {counted}").into(),
        label: Fixed("count by level"),
        pattern: Fixed("count by level of severity"),
        native: Native {
            filter: format!("map({level}) | {counted}").into(),
            shape: Shape::All,
            reads: None,
            raw: true,
        },
        ..ROW
    }
}

/// Recipe 6 of a text without levels: many lists and traces begin each line with what it is.
const BY_FIRST_WORD: Recipe = Recipe {
    description: Fixed("Count lines by their first word, the ten most frequent"),
    options: "-Rnc",
    filter: Fixed(
        r#"[inputs | .[0:40] | split(" ")[0]] | group_by(.) | map({word: .[0], count: length}) | sort_by(-.count) | .[:10]"#,
    ),
    label: Fixed("count by first word"),
    pattern: Fixed("count by first word"),
    native: all(
        r#"map(.[0:40] | split(" ")[0]) | group_by(.) | map({word: .[0], count: length}) | sort_by(-.count) | .[:10]"#,
    ),
    ..ROW
};

/// A native program that is run on each line.
const fn each(filter: &'static str) -> Native {
    Native { filter: Fixed(filter), shape: Shape::Each, reads: None, raw: true }
}

/// A native program over the array of all lines.
const fn all(filter: &'static str) -> Native {
    Native { filter: Fixed(filter), shape: Shape::All, reads: None, raw: true }
}

/// The rows. `LITERAL` stands for the literal of the parameter, which is a plain word: it needs no escapes.
const RECIPES: [Recipe; 10] = [
    Recipe {
        description: Fixed("List the first 120 characters of each line"),
        options: "-Rr",
        filter: Fixed(".[0:120]"),
        label: Fixed("lines"),
        pattern: Fixed("the beginning of each line"),
        native: each(".[0:120]"),
        ..ROW
    },
    Recipe {
        description: Fixed("Filter by the beginning of a line"),
        options: "-Rr",
        filter: Fixed(r#"select(startswith("LITERAL"))"#),
        label: Fixed("filter by prefix"),
        pattern: Fixed("by prefix"),
        native: each("select(startswith($prefix))"),
        ..ROW
    },
    Recipe {
        description: Fixed("Search lines by keyword, in any case"),
        options: "-Rr",
        filter: Fixed(r#"select(test("LITERAL"; "i"))"#),
        label: Fixed("search lines"),
        pattern: Fixed("by keyword"),
        native: each(r#"select(test($keyword; "i"))"#),
        ..ROW
    },
    Recipe {
        description: Fixed("List each line's length and first 40 characters"),
        options: "-Rc",
        filter: Fixed("{length: length, start: .[0:40]}"),
        label: Fixed("lengths"),
        native: each("{length: length, start: .[0:40]}"),
        ..ROW
    },
    Recipe {
        description: Fixed("Filter lines that contain a text, in this case"),
        options: "-Rr",
        filter: Fixed(r#"select(contains("LITERAL"))"#),
        label: Fixed("filter by text"),
        native: each("select(contains($value))"),
        ..ROW
    },
    BY_FIRST_WORD,
    Recipe {
        description: Fixed("Filter by a whole word, between spaces"),
        options: "-Rr",
        filter: Fixed(r#"select(" " + . + " " | contains(" LITERAL "))"#),
        label: Fixed("filter by word"),
        native: each(r#"select(" " + . + " " | contains(" " + $member + " "))"#),
        ..ROW
    },
    Recipe {
        description: Fixed("Sort lines"),
        options: "-Rn",
        filter: Fixed("[inputs] | sort"),
        label: Fixed("sort"),
        native: all("sort"),
        ..ROW
    },
    Recipe {
        description: Fixed("List the ten longest lines, each cut to 400 characters"),
        options: "-Rn",
        filter: Fixed("[inputs] | sort_by(length) | reverse | .[:10] | map(.[0:400])"),
        label: Fixed("longest lines"),
        native: all("sort_by(length) | reverse | .[:10] | map(.[0:400])"),
        ..ROW
    },
    Recipe {
        description: Fixed("Search lines by a regular expression"),
        options: "-Rr",
        filter: Fixed(r#"select(test("LITERAL"))"#),
        label: Fixed("full-text search"),
        native: each("select(test($pattern))"),
        ..ROW
    },
];

#[cfg(test)]
mod tests {
    use lro_query::{Limits, from_json, outputs};

    use super::*;

    #[test]
    fn colors_are_no_part_of_a_level() {
        let lines =
            r#"["\u001b[31mERROR\u001b[0m x","[\u001b[1;33mWARN\u001b[m] y","\u001b[2m10:00\u001b[0m INFO error"]"#;
        let words = Words { levels_in_capitals: true, levels_in_colors: true, ..Words::default() };
        let recipe = &recipes(&words)[5];
        let command = recipe.filter.replace("inputs", ".[]");
        for filter in [&*recipe.native.filter, &*command] {
            let (found, failure) = outputs(filter, from_json(lines).unwrap(), &Limits::default()).unwrap();
            let expected = r#"[{"level":"error","count":1},{"level":"info","count":1},{"level":"warning","count":1}]"#;
            assert!(failure.is_none() && found.concat().contains(expected), "{found:?}");
        }
    }

    #[test]
    fn lines_are_counted_by_levels_that_are_words() {
        let lines = r#"["test an_error ... ok","ERROR: x","[warn] y","a::error::b","FATAL error","info","liberror-x"]"#;
        let any = r#"[{"level":"error","count":2},{"level":"info","count":1},{"level":"none","count":3},{"level":"warning","count":1}]"#;
        let capitals = r#"[{"level":"error","count":2},{"level":"none","count":5}]"#;
        let first_words = r#"[{"word":"ERROR:","count":1},{"word":"FATAL","count":1}"#;
        for (without_levels, levels_in_capitals, expected) in
            [(false, false, any), (false, true, capitals), (true, false, first_words)]
        {
            let recipes = recipes(&Words { without_levels, levels_in_capitals, ..Words::default() });
            let (found, failure) =
                outputs(&recipes[5].native.filter, from_json(lines).unwrap(), &Limits::default()).unwrap();
            assert!(failure.is_none() && found.concat().contains(expected), "{found:?}");
        }
    }
}
