//! A category with more values than are told apart in a look at all records: a sample shows that they repeat.

use super::candidate::{FieldCandidate, FirstBest, collect};
use super::sample::{Sample, spread};
use super::{OBJECTS_PART, Roles};
use crate::fields::inference::Inference;
use crate::payload::path::Path;
use crate::payload::texts::Texts;

/// Fewer values in a sample do not show whether they repeat.
const LEAST_VALUES: usize = 16;

impl Roles {
    /// The same with a category where no field has few values, if the values of some field repeat in these records.
    pub fn with_category(mut self, inference: &Inference, records: &Texts<'_>) -> Self {
        if self.category.is_some() || inference.root.objects < inference.count / OBJECTS_PART {
            return self;
        }
        let mut scalars = Vec::new();
        collect(&inference.root, &Path::default(), &mut scalars, &mut Vec::new());
        scalars.retain(FieldCandidate::may_repeat);
        if scalars.is_empty() {
            return self;
        }
        let spread = spread(records);
        let sample = Sample::of(&spread);
        let scored = scalars.iter().filter_map(|candidate| {
            let role = candidate.role();
            let mut values = sample.texts(&role);
            values.retain(|value| !value.is_empty());
            let count = values.len();
            values.sort_unstable();
            values.dedup();
            // What is called a type is one, though a sample has most of its values once.
            let most = if candidate.is_named_category() { count * 3 / 4 } else { count / 2 };
            let repeats = count >= LEAST_VALUES && (2..=most).contains(&values.len());
            repeats.then(|| (candidate.as_repeated(inference.root.objects.max(1), values.len()), role))
        });
        self.category = scored.rev_best();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The category of 5,000 records with these members.
    fn category(members: impl Fn(usize) -> String) -> Option<String> {
        let records: Vec<String> = (0..5000).map(|n| format!("{{{}}}", members(n))).collect();
        let inference = Inference::of(&records);
        let texts: Texts<'_> = records.into_iter().map(Into::into).collect::<Vec<_>>().into();
        let roles = Roles::of(&inference).with_category(&inference, &texts).with_examples(&texts);
        assert!(roles.category.as_ref().is_none_or(|category| category.example.is_some()));
        roles.category.map(|category| category.path.to_string())
    }

    #[test]
    fn values_that_repeat_are_a_category_though_they_are_many() {
        // Of a hundred types some are far more frequent than others.
        let types = |n: usize| format!(r#""code":"c{n}","name":"n{n}","type":"t{}""#, (n / 79 % 10) * (n / 7 % 11));
        assert_eq!(category(types).as_deref(), Some(".type"));
        let cities = |n: usize| format!(r#""code":"c{n}","city":"city {}""#, n / 200);
        assert_eq!(category(cities).as_deref(), Some(".city"));
        assert_eq!(category(|n| format!(r#""code":"c{n}","type":"t{n}""#)), None);
        assert_eq!(category(|n| format!(r#""code":"c{n}","city":"city {}""#, n % 3000)), None);
    }
}
