//! Which server has a resource: the one that has listed it, or that has a template for it.

use std::collections::HashMap;

use indexmap::IndexSet;

/// Resources and templates that are remembered, and the bytes of their URIs: servers choose them.
const MOST: usize = 100_000;
const MOST_BYTES: usize = 32 << 20;

/// Resources by their URIs, and the beginnings of templates.
#[derive(Default)]
pub(super) struct Resources {
    listed: HashMap<String, usize>,
    templates: IndexSet<(String, usize)>,
    bytes: usize,
}

impl Resources {
    /// Remembers a resource. False if another server has it already.
    pub(super) fn list(&mut self, server: usize, uri: &str) -> bool {
        if let Some(of) = self.listed.get(uri) {
            return *of == server;
        }
        if self.has_room(uri) {
            self.bytes += uri.len();
            self.listed.insert(uri.to_owned(), server);
        }
        true
    }

    /// Remembers a template.
    pub(super) fn template(&mut self, server: usize, template: &str) {
        let entry = (template.to_owned(), server);
        if self.has_room(template) && self.templates.insert(entry) {
            self.bytes += template.len();
        }
    }

    fn has_room(&self, uri: &str) -> bool {
        self.listed.len() + self.templates.len() < MOST && self.bytes + uri.len() <= MOST_BYTES
    }

    /// The server of a resource, or of a template: that with the longest beginning that fits.
    pub(super) fn find(&self, uri: &str) -> Option<usize> {
        let beginning = |template: &str| template.split('{').next().unwrap_or_default().len();
        let fits = |template: &str| template == uri || uri.starts_with(&template[..beginning(template)]);
        let of_template = || {
            let fitting = self.templates.iter().filter(|(template, _)| fits(template));
            fitting.max_by_key(|(template, _)| beginning(template)).map(|(_, server)| *server)
        };
        self.listed.get(uri).copied().or_else(of_template)
    }

    pub(super) fn forget(&mut self, server: usize) {
        self.listed.retain(|_, of| *of != server);
        self.templates.retain(|(_, of)| *of != server);
        let uris = self.listed.keys().chain(self.templates.iter().map(|(template, _)| template));
        self.bytes = uris.map(String::len).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::Resources;

    #[test]
    fn resources_have_a_server() {
        let mut resources = Resources::default();
        assert!(resources.list(0, "file:///a") && resources.list(0, "file:///a"));
        assert!(!resources.list(1, "file:///a"));
        resources.template(0, "file:///{path}");
        resources.template(1, "file:///b/{path}");
        for (uri, server) in [
            ("file:///a", Some(0)),
            ("file:///b/c", Some(1)),
            ("file:///c", Some(0)),
            ("x://", None),
            ("file:///b/{path}", Some(1)),
        ] {
            assert_eq!(resources.find(uri), server, "{uri}");
        }
        resources.forget(0);
        assert_eq!(resources.find("file:///a"), None);
    }
}
