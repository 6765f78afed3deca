//! What the component says of keys of a request, for a command that has flags.

use serde_json::{Map, Value};

/// Keys as sentences of the component name them, and the flags for them.
const ROWS: [(&str, &str); 15] = [
    ("pass ignore_case: true", "pass --ignore-case"),
    ("pass literal: true", "pass --literal"),
    ("`context`", "--context"),
    ("`next` leads to more", "--next leads to more"),
    ("`on` \"document\"", "--on document"),
    ("`on` \"records\"", "--on records"),
    ("a jq filter as `query`", "a jq filter as --query"),
    ("a jq `query` with `slurp`", "a jq filter as --query with --slurp"),
    ("with `slurp`", "with --slurp"),
    ("`limit` 1", "--limit 1"),
    ("{\"lines\": \"1-20\"}", "--lines 1-20"),
    ("see request.schema.json, `offload`, for every key", "see lro offload --help"),
    ("see request.schema.json, `extract`, for every key", "see lro extract --help"),
    ("see request.schema.json, `search`, for every key", "see lro search --help"),
    ("see request.schema.json, `read`, for every key", "see lro read --help"),
];

/// The sentence with flags.
pub(crate) fn with_flags(text: &str) -> String {
    let text = ROWS.iter().fold(text.to_owned(), |text, (key, flag)| text.replace(key, flag));
    params_as_flags(&text)
}

/// `--param NAME=VALUE` in place of `params` {"NAME": "VALUE"}.
fn params_as_flags(text: &str) -> String {
    const KEY: &str = "`params` ";
    let Some(at) = text.find(KEY) else { return text.to_owned() };
    let (before, behind) = (&text[..at], &text[at + KEY.len()..]);
    let mut values = serde_json::Deserializer::from_str(behind).into_iter::<Map<String, Value>>();
    let Some(Ok(params)) = values.next() else {
        return format!("{}{}", &text[..at + KEY.len()], params_as_flags(behind));
    };
    let rest = &behind[values.byte_offset()..];
    let flag = |(name, value): (&String, &Value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let is_plain = value.chars().all(|c| c.is_alphanumeric() || "-_./:…".contains(c));
        let pair = format!("{name}={value}");
        format!("--param {}", if is_plain { pair } else { format!("'{}'", pair.replace('\'', r"'\''")) })
    };
    let flags: Vec<String> = params.iter().map(flag).collect();
    format!("{before}{}{}", flags.join(" "), params_as_flags(rest))
}

#[cfg(test)]
mod tests {
    use super::with_flags;

    #[test]
    fn sentences_name_flags() {
        let rows = [
            ("pass `params` {\"tag\": \"cache\"}; or not", "pass --param tag=cache; or not"),
            (
                "pass `params` {\"a\": \"it's b\"} or `params` {\"c\": \"…\"}",
                "pass --param 'a=it'\\''s b' or --param c=…",
            ),
            ("`params` is an object", "`params` is an object"),
            ("; `on` \"document\" runs it on the document", "; --on document runs it on the document"),
            ("nothing", "nothing"),
        ];
        for (text, expected) in rows {
            assert_eq!(with_flags(text), expected);
        }
    }
}
