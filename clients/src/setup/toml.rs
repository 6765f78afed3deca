//! Edits of TOML that keep comments, order and layout.

use serde_json::{Map, Value};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value as TomlValue};

use super::document::{Invalid, Step, line_of, shown};

/// A TOML document that can be edited.
pub(super) struct Toml {
    document: DocumentMut,
    /// toml_edit writes line feeds only.
    has_crlf: bool,
}

impl Toml {
    pub(super) fn parse(text: &str) -> Result<Self, Invalid> {
        let document = text.parse::<DocumentMut>().map_err(|error| Invalid {
            line: error.span().map(|span| line_of(text, span.start)),
            reason: error.message().replace('\n', ", "),
        })?;
        Ok(Self { document, has_crlf: text.contains("\r\n") })
    }

    pub(super) fn to_text(&self) -> String {
        let text = self.document.to_string();
        if self.has_crlf { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text }
    }

    pub(super) fn value(&self) -> Value {
        table_value(self.document.as_table())
    }

    pub(super) fn add_member(&mut self, map: &[Step], key: &str, value: &Value) -> Result<(), Invalid> {
        let is_first = self.document.iter().next().is_none();
        let parent = self.follow(map)?;
        let item = match parent {
            Node::Item(Item::Table(_)) | Node::Root(_) => item_of(value, is_first),
            _ => Item::Value(inline(value)),
        };
        let table = parent.into_table_like().ok_or_else(|| wrong(map))?;
        table.insert(key, item);
        Ok(())
    }

    pub(super) fn insert_element(&mut self, list: &[Step], index: usize, value: &Value) -> Result<(), Invalid> {
        match self.follow(list)? {
            Node::Item(Item::ArrayOfTables(tables)) => match item_of(value, false) {
                Item::Table(table) => tables.push(table),
                _ => return Err(wrong(list)),
            },
            Node::Item(Item::Value(TomlValue::Array(array))) | Node::Value(TomlValue::Array(array)) => {
                let index = index.min(array.len());
                array.insert(index, inline(value));
                // What was the first has no blank before it, unless it has a line of its own.
                if let Some(next) = array.get_mut(index + 1).filter(|next| prefix(next).is_empty()) {
                    next.decor_mut().set_prefix(" ");
                }
            }
            _ => return Err(wrong(list)),
        }
        Ok(())
    }

    pub(super) fn replace(&mut self, path: &[Step], value: &Value) -> Result<(), Invalid> {
        let new = inline(value);
        let place = match self.follow(path)? {
            Node::Item(Item::Value(place)) => place,
            Node::Value(place) => place,
            _ => return Err(wrong(path)),
        };
        let decor = place.decor().clone();
        *place = new;
        *place.decor_mut() = decor;
        Ok(())
    }

    pub(super) fn remove(&mut self, path: &[Step]) -> Result<(), Invalid> {
        let (last, parents) = path.split_last().ok_or_else(|| wrong(path))?;
        let parent = self.follow(parents)?;
        match last {
            Step::Key(key) => {
                let table = parent.into_table_like().ok_or_else(|| wrong(parents))?;
                table.remove(key).ok_or_else(|| wrong(path))?;
            }
            Step::Index(index) => match parent {
                Node::Item(Item::ArrayOfTables(tables)) if *index < tables.len() => {
                    tables.remove(*index);
                }
                Node::Item(Item::Value(TomlValue::Array(array))) | Node::Value(TomlValue::Array(array))
                    if *index < array.len() =>
                {
                    array.remove(*index);
                    if let (0, Some(first)) = (*index, array.get_mut(0).filter(|first| prefix(first) == " ")) {
                        first.decor_mut().set_prefix("");
                    }
                }
                _ => return Err(wrong(path)),
            },
        }
        Ok(())
    }

    fn follow(&mut self, path: &[Step]) -> Result<Node<'_>, Invalid> {
        let mut node = Node::Root(self.document.as_table_mut());
        for (depth, step) in path.iter().enumerate() {
            node = node.step(step).ok_or_else(|| wrong(&path[..=depth]))?;
        }
        Ok(node)
    }
}

/// A place in the document.
enum Node<'a> {
    Root(&'a mut Table),
    Item(&'a mut Item),
    /// An element of an array of tables.
    Table(&'a mut Table),
    Value(&'a mut TomlValue),
}

impl<'a> Node<'a> {
    fn step(self, step: &Step) -> Option<Self> {
        match (self, step) {
            (Self::Root(table) | Self::Table(table), Step::Key(key)) => table.get_mut(key).map(Self::Item),
            (Self::Item(item), Step::Key(key)) => item.as_table_like_mut()?.get_mut(key).map(Self::Item),
            (Self::Item(Item::ArrayOfTables(tables)), Step::Index(index)) => tables.get_mut(*index).map(Self::Table),
            (Self::Item(Item::Value(value)) | Self::Value(value), Step::Index(index)) => {
                value.as_array_mut()?.get_mut(*index).map(Self::Value)
            }
            (Self::Value(TomlValue::InlineTable(table)), Step::Key(key)) => table.get_mut(key).map(Self::Value),
            _ => None,
        }
    }

    fn into_table_like(self) -> Option<&'a mut dyn TableLike> {
        match self {
            Self::Root(table) | Self::Table(table) => Some(table),
            Self::Item(item) => item.as_table_like_mut(),
            Self::Value(TomlValue::InlineTable(table)) => Some(table),
            Self::Value(_) => None,
        }
    }
}

/// The blank before a value.
fn prefix(value: &TomlValue) -> String {
    value.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned()
}

fn wrong(path: &[Step]) -> Invalid {
    Invalid::new(format!("{} is missing or has another type than clients expect", shown(path)))
}

/// A value as tables with headers; an object that only has objects has no header of its own.
fn item_of(value: &Value, is_first: bool) -> Item {
    match value {
        Value::Object(members) => Item::Table(table_of(members, is_first)),
        Value::Array(elements) if !elements.is_empty() && elements.iter().all(Value::is_object) => {
            let mut tables = ArrayOfTables::new();
            for members in elements.iter().filter_map(Value::as_object) {
                tables.push(table_of(members, is_first && tables.is_empty()));
            }
            Item::ArrayOfTables(tables)
        }
        other => Item::Value(inline(other)),
    }
}

fn table_of(members: &Map<String, Value>, is_first: bool) -> Table {
    let mut table = Table::new();
    let only_tables =
        members.values().all(|value| matches!(item_of(value, false), Item::Table(_) | Item::ArrayOfTables(_)));
    table.set_implicit(only_tables && !members.is_empty());
    if !is_first {
        table.decor_mut().set_prefix("\n");
    }
    for (key, value) in members {
        table.insert(key, item_of(value, is_first && only_tables));
    }
    table
}

fn inline(value: &Value) -> TomlValue {
    match value {
        Value::Null => TomlValue::from(""),
        Value::Bool(boolean) => TomlValue::from(*boolean),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => TomlValue::from(integer),
            None => TomlValue::from(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => TomlValue::from(text.as_str()),
        Value::Array(elements) => TomlValue::Array(elements.iter().map(inline).collect::<Array>()),
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| (key.as_str(), inline(value)));
            TomlValue::InlineTable(members.collect::<InlineTable>())
        }
    }
}

fn table_value(table: &dyn TableLike) -> Value {
    Value::Object(table.iter().map(|(key, item)| (key.to_owned(), item_value(item))).collect())
}

fn item_value(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => plain(value),
        Item::Table(table) => table_value(table),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table_value(table)).collect(),
    }
}

fn plain(value: &TomlValue) -> Value {
    match value {
        TomlValue::String(text) => Value::from(text.value().as_str()),
        TomlValue::Integer(integer) => Value::from(*integer.value()),
        TomlValue::Float(float) => Value::from(*float.value()),
        TomlValue::Boolean(boolean) => Value::from(*boolean.value()),
        TomlValue::Datetime(moment) => Value::from(moment.to_string()),
        TomlValue::Array(array) => array.iter().map(plain).collect(),
        TomlValue::InlineTable(table) => table_value(table),
    }
}
