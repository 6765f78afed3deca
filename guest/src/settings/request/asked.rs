//! What an extraction asks for.

use super::Extract;

impl Extract {
    /// True if the number of results of a recipe or a query is wanted, and not the results.
    pub fn counts_results(&self) -> bool {
        self.count == Some(true) && (self.recipe.is_some() || self.query.is_some())
    }

    /// True if the only result is a number.
    pub fn answers_a_count(&self) -> bool {
        self.count == Some(true) && self.group_by.is_none() && self.aggregate.is_none()
    }

    /// True if criteria select records for a query, or sort them.
    pub fn selects_for_a_query(&self) -> bool {
        self.query.is_some() && (self.conditions.is_some() || self.sort_by.is_some())
    }

    /// True if nothing is asked but the lines themselves.
    pub fn reads_lines(&self) -> bool {
        self.line.is_some() && self.asks_nothing()
    }

    /// True if nothing says what to extract.
    pub fn asks_nothing(&self) -> bool {
        let Self { recipe, query, conditions, select, count, group_by, aggregate, per_group, sort_by, .. } = self;
        let has_groups = group_by.is_some() || aggregate.is_some() || per_group.is_some() || *count == Some(true);
        let has_filter = recipe.is_some() || query.is_some() || conditions.is_some();
        !has_filter && !has_groups && select.is_none() && sort_by.is_none()
    }
}
