//! Recipes for records of any shape, by the roles that their fields play. None of them fails on any record: a field
//! that cannot always be read has no role, and where a role is missing the recipe names no field.

use std::borrow::Cow;

use lro_query::Shape;
use lro_query::json::quote;

use super::{Native, Parameter, ROW, Recipe};
use crate::fields::roles::{Role, Roles};
use crate::payload::path::key;
use crate::payload::shown;

/// Names that jq does not take as the bare key of a member.
const KEYWORDS: [&str; 20] = [
    "def", "module", "import", "include", "if", "then", "else", "elif", "end", "as", "reduce", "foreach", "try",
    "catch", "label", "break", "and", "or", "not", "__loc__",
];

/// Recipes 1 to 10.
pub(super) fn recipes(roles: &Roles) -> [Recipe; 10] {
    let mut recipes = of_fields(roles);
    if !roles.plain.is_empty() {
        let plain = of_fields(&Roles { guarded: roles.guarded, words: roles.words.clone(), ..Roles::default() });
        for (number, recipe) in (1..).zip(plain) {
            if roles.plain.contains(&number) {
                recipes[number - 1] = recipe;
            }
        }
    }
    recipes
}

fn of_fields(roles: &Roles) -> [Recipe; 10] {
    let fields = RoleRecipes(roles);
    [
        fields.list(),
        fields.filter_by_prefix(),
        fields.search(),
        fields.project(),
        fields.filter_by_value(),
        fields.count(),
        fields.filter_by_member(),
        fields.sort(),
        fields.rank(),
        fields.search_texts(),
    ]
}

struct RoleRecipes<'a>(&'a Roles);

impl RoleRecipes<'_> {
    /// A field's value, null where a record has none.
    fn value(&self, role: &Role) -> String {
        match self.0.guarded {
            true => format!("(try {} catch null)", role.path),
            false => role.path.to_string(),
        }
    }

    /// A field's text, and nothing where it has none.
    fn text(&self, role: &Role) -> String {
        let last = if role.mixed { "scalars | tostring" } else { "strings" };
        format!("{} | {last}", self.value(role))
    }

    /// The values of all fields; also a record that is a value itself.
    fn any(&self) -> &'static str {
        if self.0.guarded { "., .[]?" } else { ".[]?" }
    }

    /// 1: what the records are.
    fn list(&self) -> Recipe {
        let Some(title) = &self.0.title else {
            let native = native(Shape::Select, "true");
            return Recipe {
                options: "-c",
                pattern: "records, one a line".into(),
                native,
                ..row("List records, one a line", "records", ".")
            };
        };
        let others = [&self.0.category, &self.0.time, &self.0.id];
        let second = others.into_iter().flatten().find(|role| role.path != title.path);
        let names: Vec<String> = [Some(title), second].into_iter().flatten().map(named).collect();
        let values: Vec<String> = [Some(title), second].into_iter().flatten().map(|role| self.value(role)).collect();
        let filter = format!("[{}] | @tsv", values.join(", "));
        let names = names.join(" with ");
        Recipe {
            options: "-r",
            pattern: names.clone().into(),
            native: Native { raw: true, ..native(Shape::Each, filter.clone()) },
            ..row(format!("List {names}"), names, filter)
        }
    }

    /// 2
    fn filter_by_prefix(&self) -> Recipe {
        let (name, condition) = match &self.0.prefix {
            Some(prefix) => (named(prefix), format!("{} | startswith({{}})", self.text(prefix))),
            None => ("any field's".into(), format!("any({}; strings | startswith({{}}))", self.any())),
        };
        let parameter = known("prefix", &self.0.prefix, &self.0.words.prefix);
        selecting(parameter, &condition, row(format!("Filter by {name} prefix"), format!("filter {name}"), ""))
            .with_pattern(format!("by {name} prefix"))
    }

    /// 3
    fn search(&self) -> Recipe {
        let (name, text) = match &self.0.title {
            Some(title) => (named(title), self.text(title)),
            None => ("records".into(), "tostring".to_owned()),
        };
        let row = row(format!("Search {name} by keyword"), format!("search {name}"), "");
        let parameter = known("keyword", &self.0.title, &self.0.words.keyword);
        selecting(parameter, &format!("{text} | test({{}}; \"i\")"), row).with_pattern("by keyword")
    }

    /// 4: the few fields that say most.
    fn project(&self) -> Recipe {
        let roles = [&self.0.id, &self.0.title, &self.0.category, &self.0.time, &self.0.number];
        let mut chosen: Vec<&Role> = Vec::new();
        for role in roles.into_iter().flatten() {
            if chosen.iter().all(|known| known.path.name() != role.path.name()) {
                chosen.push(role);
            }
        }
        chosen.truncate(4);
        if chosen.is_empty() {
            let filter = r#"if type == "object" then keys_unsorted else [] end"#;
            let native = native(Shape::Each, filter);
            return Recipe { options: "-c", native, ..row("List the fields of each record", "fields", filter) };
        }
        let members: Vec<String> = chosen.iter().map(|role| self.member(role)).collect();
        let names: Vec<String> = chosen.into_iter().map(named).collect();
        let filter = format!("{{{}}}", members.join(", "));
        Recipe {
            options: "-c",
            native: native(Shape::Each, filter.clone()),
            ..row(format!("Extract {} only", names.join(", ")), names.join("+"), filter)
        }
    }

    /// A member of an object that has a field's name and value.
    fn member(&self, role: &Role) -> String {
        let name = role.path.name();
        let bare = member_name(name);
        let is_short = role.path.0.len() == 1 && !self.0.guarded && bare == name;
        if is_short { bare } else { format!("{bare}: {}", self.value(role)) }
    }

    /// 5
    fn filter_by_value(&self) -> Recipe {
        let parameter = known("value", &self.0.category, &self.0.words.value);
        let Some(category) = &self.0.category else {
            let row = row("Filter by any field's value", "filter value", "");
            return selecting(parameter, &format!("any({}; . == {{}})", self.any()), row);
        };
        let name = named(category);
        let value = match category.mixed {
            true => format!("({} | tostring)", self.value(category)),
            false => self.value(category),
        };
        let row = row(format!("Filter by {name}"), format!("filter {name}"), "");
        selecting(parameter, &format!("{value} == {{}}"), row)
    }

    /// 6
    fn count(&self) -> Recipe {
        let Some(category) = &self.0.category else {
            let filter = "group_by(type) | map({type: (.[0] | type), count: length})";
            let row = row("Count by JSON type", "count by JSON type", filter);
            // All are objects, unless fields are read with care.
            return Recipe { is_idle: !self.0.guarded, ..over_all(row) }.with_pattern("count by JSON type");
        };
        let name = named(category);
        let label = if name == "count" { "value" } else { category.path.name() };
        let (by, first) = match self.0.guarded {
            true => (self.value(category), format!("(.[0] | {})", self.value(category))),
            false => (category.path.to_string(), format!(".[0]{}", category.path)),
        };
        let filter = format!("group_by({by}) | map({{{}: {first}, count: length}})", member_name(label));
        let text = format!("count by {name}");
        over_all(row(format!("Count by {name}"), text.clone(), filter)).with_pattern(text)
    }

    /// 7
    fn filter_by_member(&self) -> Recipe {
        let Some(member) = &self.0.member else {
            let row = row("Filter by a value at any depth", "filter member", "");
            let category = self.0.category.clone().filter(|category| !category.mixed && category.example.is_some());
            let parameter = known("member", &category, &self.0.words.member);
            return Recipe { is_idle: true, ..selecting(parameter, "any(..; . == {})", row) };
        };
        let name = named(member);
        let list = self.value(member);
        let holds = match &member.of {
            Some(of) => format!("any({list} | arrays | .[]; {of} == {{}})"),
            None => format!("{list} | arrays | index({{}})"),
        };
        let row = row(format!("Filter by member of {name}"), format!("filter {name}"), "");
        selecting(known("member", &self.0.member, &None), &holds, row)
    }

    /// 8
    fn sort(&self) -> Recipe {
        let role = [&self.0.time, &self.0.number, &self.0.title].into_iter().flatten().next();
        let (name, by) = match role {
            Some(role) => (named(role), self.value(role)),
            None => ("themselves".into(), ".".to_owned()),
        };
        let native = native(Shape::Sort { descending: false }, by.clone());
        Recipe {
            options: "-s",
            native,
            sorts_by: role.cloned(),
            ..row(format!("Sort by {name}"), format!("sort by {name}"), format!("sort_by({by})"))
        }
    }

    /// 9: as the fields have it.
    fn rank(&self) -> Recipe {
        if let Some(number) = &self.0.number {
            let (name, by) = (named(number), self.value(number));
            let native = native(Shape::Sort { descending: true }, by.clone());
            let description = format!("Sort by {name}, largest first");
            return Recipe {
                options: "-s",
                native,
                sorts_by: Some(number.clone()),
                ..row(description, format!("sort by {name} desc"), format!("sort_by({by}) | reverse"))
            };
        }
        match self.0.group.as_ref().or(self.0.category.as_ref()) {
            Some(group) => {
                let name = named(group);
                let filter = format!("map({}) | unique", self.value(group));
                over_all(row(format!("List unique {name}"), format!("unique {name}"), filter))
            }
            None => over_all(row("Count records", "count", "length")),
        }
    }

    /// 10
    fn search_texts(&self) -> Recipe {
        let (name, condition) = match &self.0.text {
            Some(text) => (named(text), format!("{} | test({{}}; \"i\")", self.text(text))),
            None => ("every text".into(), "any(..; strings | test({}; \"i\"))".to_owned()),
        };
        let row = row(format!("Full-text search in {name}"), format!("full-text search in {name}"), "");
        let parameter = known("pattern", &self.0.text, &self.0.words.pattern);
        selecting(Parameter { alias: Some("keyword"), ..parameter }, &condition, row)
    }
}

impl Recipe {
    fn with_pattern(self, pattern: impl Into<Cow<'static, str>>) -> Self {
        Self { pattern: pattern.into(), ..self }
    }
}

/// What is looked for where a caller does not say it: a value of the field, or of any where no field plays the role.
fn known(name: &'static str, role: &Option<Role>, word: &Option<String>) -> Parameter {
    let value = role.as_ref().map_or(word.as_deref(), |role| role.example.as_deref());
    Parameter::known(name, value)
}

/// A field's name in a description or a label.
fn named(role: &Role) -> String {
    shown::name(role.path.name())
}

/// A row that has these texts.
fn row(
    description: impl Into<Cow<'static, str>>,
    label: impl Into<Cow<'static, str>>,
    filter: impl Into<Cow<'static, str>>,
) -> Recipe {
    Recipe { description: description.into(), label: label.into(), filter: filter.into(), ..ROW }
}

fn native(shape: Shape, filter: impl Into<Cow<'static, str>>) -> Native {
    Native { filter: filter.into(), shape, reads: None, raw: false }
}

/// A recipe that selects records by a condition, in which `{}` stands for the parameter: a literal in the shell, and a
/// variable natively.
fn selecting(parameter: Parameter, condition: &str, row: Recipe) -> Recipe {
    let native = native(Shape::Select, with_last(condition, &format!("${}", parameter.name)));
    let shell = with_last(condition, &quote(&parameter.default));
    Recipe { options: "-c", filter: format!("select({shell})").into(), parameter: Some(parameter), native, ..row }
}

/// A condition with the parameter in its place, the last `{}`: what is before it may hold names of any kind.
fn with_last(condition: &str, parameter: &str) -> String {
    let (before, after) = condition.rsplit_once("{}").expect("a condition has a place for its parameter");
    [before, parameter, after].concat()
}

/// A recipe whose filter runs on the array of all records.
fn over_all(row: Recipe) -> Recipe {
    Recipe { options: "-s", native: native(Shape::All, row.filter.clone()), ..row }
}

/// A name as the key of a member: bare where jq takes it.
fn member_name(name: &str) -> String {
    if KEYWORDS.contains(&name) { quote(name) } else { key(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(json: &str) -> Roles {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_recipe_that_failed_names_no_field() {
        let roles = roles(r#"{"title":{"path":".title"},"time":{"path":".at"},"plain":[8]}"#);
        let recipes = recipes(&roles);
        assert_eq!(recipes[0].filter, "[.title, .at] | @tsv");
        assert_eq!(recipes[7].filter, "sort_by(.)");
    }

    #[test]
    fn names_that_jq_reads_otherwise_are_quoted() {
        let roles = roles(
            r#"{"title":{"path":".and"},"id":{"path":".\"odd key\""},"category":{"path":".user.end"},"number":{"path":".__loc__"}}"#,
        );
        let recipes = recipes(&roles);
        let filter = r#"{"odd key": ."odd key", "and": .and, "end": .user.end, "__loc__": .__loc__}"#;
        assert_eq!(recipes[3].filter, filter);
        assert_eq!(recipes[5].filter, r#"group_by(.user.end) | map({"end": .[0].user.end, count: length})"#);
    }

    #[test]
    fn names_that_are_not_words_are_quoted_in_sentences() {
        let roles = roles(
            r#"{"title":{"path":".\"US Gross\""},"category":{"path":".\"send the keys\""},"number":{"path":".n"}}"#,
        );
        let recipes = recipes(&roles);
        let said: Vec<&str> = [0, 2, 5, 8].map(|place| &*recipes[place].description).into();
        let expected = [
            r#"List ."US Gross" with ."send the keys""#,
            r#"Search ."US Gross" by keyword"#,
            r#"Count by ."send the keys""#,
            "Sort by n, largest first",
        ];
        assert_eq!(said, expected);
        assert_eq!(recipes[3].label, r#"."US Gross"+."send the keys"+n"#);
        assert_eq!(recipes[5].pattern, r#"count by ."send the keys""#);
    }

    #[test]
    fn a_recipe_that_sorts_has_the_field_that_it_sorts_by() {
        let sorted = |json: &str| -> Vec<(usize, String)> {
            let by = |(number, recipe): (usize, Recipe)| Some((number, recipe.sorts_by?.path.to_string()));
            (1..).zip(recipes(&roles(json))).filter_map(by).collect()
        };
        let both = r#"{"time":{"path":".time"},"number":{"path":".time_ms"}}"#;
        assert_eq!(sorted(both), [(8, ".time".to_owned()), (9, ".time_ms".to_owned())]);
        assert_eq!(sorted(r#"{"title":{"path":".a"},"category":{"path":".b"}}"#), [(8, ".a".to_owned())]);
        assert_eq!(sorted(r#"{"time":{"path":".time"},"plain":[8]}"#), []);
    }

    #[test]
    fn recipes_that_say_little_are_known() {
        let idle = |json: &str| -> Vec<usize> {
            (1..).zip(recipes(&roles(json))).filter(|(_, recipe)| recipe.is_idle).map(|(number, _)| number).collect()
        };
        assert_eq!(idle(r#"{"title":{"path":".title"}}"#), [6, 7]);
        assert_eq!(idle(r#"{"guarded":true}"#), [7]);
        assert_eq!(idle(r#"{"category":{"path":".a"},"member":{"path":".b"}}"#), Vec::<usize>::new());
    }

    #[test]
    fn where_records_are_no_objects_a_field_is_read_with_care() {
        let guarded = roles(r#"{"guarded":true,"title":{"path":".a.b","mixed":true}}"#);
        let recipes = recipes(&guarded);
        assert_eq!(recipes[0].filter, "[(try .a.b catch null)] | @tsv");
        assert_eq!(recipes[2].filter, r#"select((try .a.b catch null) | scalars | tostring | test("keyword"; "i"))"#);
        assert_eq!(recipes[3].filter, "{b: (try .a.b catch null)}");
    }
}
