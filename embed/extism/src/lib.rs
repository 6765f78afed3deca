//! Large Result Offloading as an Extism plug-in: the functions of `wit/`, each from a JSON object to a JSON object.
//!
//! `plugin.schema.json` describes both. An answer is `{"ok": …}`, or `{"error": …}` with a case of the contract's error:
//! what Extism itself reports as an error is always an accident, such as a limit of the manifest.

mod answer;
mod export;
mod input;
