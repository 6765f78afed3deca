//! What each function is given: one JSON object, whose keys are the parameters of the function in `wit/`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use lro_guest::calls;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A text of the contract. Where that is the text of a JSON document, a caller may give the document itself, so that it
/// is not escaped into a string: the text is then the document as it stands.
#[derive(Debug, Default)]
pub(crate) struct Text<'a>(Cow<'a, str>);

/// A string, which is only copied where it has escapes.
#[derive(Deserialize)]
pub(crate) struct Plain<'a>(#[serde(borrow)] Cow<'a, str>);

impl Text<'_> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(deserializer)?.get();
        match json.starts_with('"') {
            true => serde_json::from_str(json).map(|Plain(text)| Self(text)).map_err(D::Error::custom),
            false => Ok(Self(Cow::Borrowed(json))),
        }
    }
}

/// Of `estimate` and `offload`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Offload<'a> {
    #[serde(borrow)]
    pub(crate) payload: Text<'a>,
    pub(crate) request: Option<Text<'a>>,
    pub(crate) settings: Option<Text<'a>>,
}

/// Of `extract`, `read` and `search`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Extract<'a> {
    #[serde(borrow)]
    pub(crate) source: Source<'a>,
    pub(crate) request: Option<Text<'a>>,
    pub(crate) settings: Option<Text<'a>>,
}

/// Of `cleanup` and `list_files`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cleanup<'a> {
    #[serde(borrow)]
    pub(crate) request: Option<Text<'a>>,
    pub(crate) settings: Option<Text<'a>>,
}

/// Of `describe`, `rebuild` and `copies`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document<'a> {
    #[serde(borrow)]
    pub(crate) source: Source<'a>,
    pub(crate) settings: Option<Text<'a>>,
}

/// Of `resolve`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Resolve<'a> {
    pub(crate) file_text: Option<String>,
    pub(crate) environment: Option<BTreeMap<String, String>>,
    #[serde(borrow)]
    pub(crate) explicit: Option<Text<'a>>,
}

/// Of `tools`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tools<'a> {
    #[serde(borrow)]
    pub(crate) settings: Option<Text<'a>>,
}

/// Of `call`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call<'a> {
    pub(crate) name: String,
    #[serde(borrow)]
    pub(crate) call_arguments: Option<Text<'a>>,
    pub(crate) settings: Option<Text<'a>>,
}

/// Of `offload_result`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OffloadResult<'a> {
    pub(crate) tool: String,
    #[serde(borrow)]
    pub(crate) call_arguments: Option<Text<'a>>,
    pub(crate) call_result: Text<'a>,
    pub(crate) settings: Option<Text<'a>>,
}

/// Of `offload_tools`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OffloadTools<'a> {
    #[serde(borrow)]
    pub(crate) list_result: Text<'a>,
    pub(crate) settings: Option<Text<'a>>,
}

/// Where the records to look at are.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Source<'a> {
    File(#[serde(borrow)] Plain<'a>),
    Content(#[serde(borrow)] Plain<'a>),
}

impl Source<'_> {
    pub(crate) fn as_call(&self) -> calls::Source<'_> {
        match self {
            Self::File(path) => calls::Source::File(&path.0),
            Self::Content(text) => calls::Source::Content(&text.0),
        }
    }
}

/// A text that may be missing; the contract's functions take the empty one for that.
pub(crate) fn text<'a>(given: &'a Option<Text<'_>>) -> &'a str {
    given.as_ref().map_or("", Text::as_str)
}
