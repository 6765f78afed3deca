//! What a caller says of the lists of a result, in place of what is generated (SECTION-04, SECTION-05).

use serde_json::{Map, Value};

use crate::keys::keys;

keys! {
    /// What a response says of one list.
    pub struct Section {
        /// What the list is about: a text or an object.
        summary: Value,
        /// The schema of a record.
        schema: Map<String, Value>,
        /// The recipes, numbered from 1.
        recipes: Vec<Recipe>,
    }
}

keys! {
    /// A recipe of the caller's. It has a name, a description, or both.
    pub struct Recipe {
        /// What it does, in a few words.
        name: String,
        /// What it does, in a sentence.
        description: String,
        /// A jq filter on one line, run once per record.
        query: String,
        /// Run it once, on the array of all records.
        slurp: bool,
        /// Print strings without quotes.
        raw: bool,
        /// Variables of the filter, with the values that hold unless an extraction passes others.
        params: Map<String, Value>,
    }
}

impl Recipe {
    /// A recipe by its name and its jq filter.
    pub fn of(name: impl Into<String>, query: impl Into<String>) -> Self {
        Self::default().name(name.into()).query(query.into())
    }

    /// Adds a variable of the filter with its default.
    #[must_use]
    pub fn param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.params.get_or_insert_default().insert(name.into(), value.into());
        self
    }
}
