//! The commit that changed a file, as the record of the file names it.

use lro_query::json::Object;

/// What is known of a commit. A file has these beside its own fields; their names differ from those of the commit's record, so
/// that who counts the commits of an author does not count files.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ChangedBy<'a> {
    /// Nothing for a diff without a commit.
    pub(super) hash: &'a str,
    pub(super) author: Option<&'a str>,
    pub(super) date: Option<&'a str>,
    /// The first line of the message.
    pub(super) subject: Option<&'a str>,
}

impl ChangedBy<'_> {
    /// Writes the fields that are known.
    pub(super) fn write(&self, record: &mut Object) {
        let hash = Some(self.hash).filter(|hash| !hash.is_empty());
        let fields = [
            ("commit", hash),
            ("commit_author", self.author),
            ("author_date", self.date),
            ("subject", self.subject.filter(|subject| !subject.is_empty())),
        ];
        fields
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)))
            .for_each(|(key, value)| record.text(key, value));
    }
}
