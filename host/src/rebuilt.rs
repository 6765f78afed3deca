//! A document that is rebuilt part by part.

use serde_json::json;

use crate::answer::Source;
use crate::error::Error;
use crate::offloader::Lro;
use crate::progress::Progress;

/// The parts of a document: texts, in their order.
#[must_use = "parts are rebuilt when they are asked for"]
pub struct RebuiltParts {
    lro: Lro,
    source: Source,
    next: Next,
    progress: Progress,
}

enum Next {
    First,
    At(String),
    End,
}

impl RebuiltParts {
    /// The parts of a source that has been presented already.
    pub(crate) fn of(lro: Lro, source: Source) -> Self {
        Self { lro, source, next: Next::First, progress: Progress::default() }
    }

    /// How many bytes of the document have been rebuilt. How many there will be is not known.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    fn part(&self, next: Option<&str>) -> Result<(String, Option<String>), Error> {
        let (request, settings) = (json!({ "next": next }).to_string(), self.lro.settings.text()?);
        let part = self.lro.reading("rebuilding", &self.source).run(&self.lro.compiled, |instance, store| {
            instance.lro_offload_documents().call_rebuild_part(store, &self.source, &request, &settings)
        });
        let part = part.map_err(|error| self.lro.settings.output_dir.explained(error))?;
        Ok((part.text, part.next))
    }
}

impl Iterator for RebuiltParts {
    type Item = Result<String, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let part = match std::mem::replace(&mut self.next, Next::End) {
            Next::First => self.part(None),
            Next::At(next) => self.part(Some(&next)),
            Next::End => return None,
        };
        Some(part.map(|(text, next)| {
            self.next = next.map_or(Next::End, Next::At);
            self.progress.add(text.len() as u64);
            text
        }))
    }
}
