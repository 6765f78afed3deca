//! The tree of a filter, for whoever explains one: jaq's types, and a walk through all parts.

pub use jaq_core::load::lex::StrPart;
pub use jaq_core::load::parse::{BinaryOp, Pattern, Term};
pub use jaq_core::ops::Cmp;
pub use jaq_core::path::{Part, Path};

pub use crate::syntax::each_part;
