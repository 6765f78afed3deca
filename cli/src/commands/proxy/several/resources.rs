//! Which server has a resource: the one that has listed it, or that has a template for it.

use std::collections::HashMap;

/// Resources and templates that are remembered.
const MOST: usize = 100_000;

/// Resources by their URIs, and the beginnings of templates.
#[derive(Default)]
pub(super) struct Resources {
    listed: HashMap<String, usize>,
    templates: Vec<(String, usize)>,
}

impl Resources {
    /// Remembers a resource. False if another server has it already.
    pub(super) fn list(&mut self, server: usize, uri: &str) -> bool {
        if self.listed.len() < MOST || self.listed.contains_key(uri) {
            return *self.listed.entry(uri.to_owned()).or_insert(server) == server;
        }
        true
    }

    /// Remembers a template.
    pub(super) fn template(&mut self, server: usize, template: &str) {
        let entry = (template.to_owned(), server);
        if self.templates.len() < MOST && !self.templates.contains(&entry) {
            self.templates.push(entry);
        }
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
