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
    /// Writes the hash, with which a record begins.
    pub(super) fn write_hash(&self, record: &mut Object) {
        if !self.hash.is_empty() {
            record.text("commit", self.hash);
        }
    }

    /// Writes what else is known, after the fields of the file itself.
    pub(super) fn write_rest(&self, record: &mut Object) {
        let subject = self.subject.filter(|subject| !subject.is_empty());
        let fields = [("commit_author", self.author), ("author_date", self.date), ("subject", subject)];
        for (key, value) in fields {
            value.into_iter().for_each(|value| record.text(key, value));
        }
    }
}
