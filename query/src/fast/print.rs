//! Values of a plan as the text that the general engine would print.

use simdutf8::basic::from_utf8;

use super::Bail;
use super::record::Record;
use super::text::decoded;
use super::value::Val;
use super::walk::walk;
use crate::Value;
use crate::json::skip::has_unique_keys;
use crate::run::write::write_result;
use crate::value::print_key;

/// Writes a value as JSON, or a string bare where that is asked for.
pub(crate) fn print(out: &mut Vec<u8>, value: &Val<'_>, record: &Record<'_, '_>, raw: bool) -> Result<(), Bail> {
    match value {
        Val::Json(json) if raw => out.extend_from_slice(&decoded(json)),
        Val::Text(text) if raw => out.extend_from_slice(text),
        _ => return print_json(out, value, record),
    }
    Ok(())
}

fn print_json(out: &mut Vec<u8>, value: &Val<'_>, record: &Record<'_, '_>) -> Result<(), Bail> {
    match value {
        Val::Null => out.extend_from_slice(b"null"),
        Val::Bool(true) => out.extend_from_slice(b"true"),
        Val::Bool(false) => out.extend_from_slice(b"false"),
        Val::Number(number) if !record.marks.odd => out.extend_from_slice(number),
        Val::Number(number) => print_like_the_engine(out, number, record)?,
        Val::Count(count) => out.extend(count.to_string().bytes()),
        Val::Float(number) => write_result(out, &Value::from(*number), false),
        Val::Negated(_) => return Err(Bail),
        Val::Json(json) if !record.marks.odd => {
            walk(json.len())?;
            out.push(b'"');
            out.extend_from_slice(json);
            out.push(b'"');
        }
        Val::Json(json) => print_text(out, &decoded(json))?,
        Val::Text(text) => print_text(out, text)?,
        Val::Nested(text) => print_nested(out, text, record)?,
        Val::Record => print_nested(out, record.line, record)?,
        Val::List(values) => {
            out.push(b'[');
            for (i, value) in values.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                print_json(out, value, record)?;
            }
            out.push(b']');
        }
        Val::Object(members) => {
            out.push(b'{');
            for (i, (key, value)) in members.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                print_text(out, key)?;
                out.push(b':');
                print_json(out, value, record)?;
            }
            out.push(b'}');
        }
    }
    Ok(())
}

fn print_text(out: &mut Vec<u8>, text: &[u8]) -> Result<(), Bail> {
    walk(text.len())?;
    print_key(out, from_utf8(text).map_err(|_| Bail)?);
    Ok(())
}

/// True when a record, which is an object, is printed as the line that it came as.
pub(super) fn is_printed_as_it_stands(record: &Record<'_, '_>) -> bool {
    let is_unique = || record.members.iter().all(|member| has_unique_keys(member.value(record.line)));
    !record.marks.odd && !record.marks.spaced && is_unique()
}

/// What stands in the record is copied where it is printed as it stands, and read and printed where it is not.
fn print_nested(out: &mut Vec<u8>, text: &[u8], record: &Record<'_, '_>) -> Result<(), Bail> {
    walk(text.len())?;
    let is_unique = match std::ptr::eq(record.line, text) {
        true => record.members.iter().all(|member| has_unique_keys(member.value(record.line))),
        false => has_unique_keys(text),
    };
    match (record.marks.odd || !is_unique, record.marks.spaced) {
        (true, _) => return print_like_the_engine(out, text, record),
        (false, true) => print_unspaced(out, text),
        (false, false) => out.extend_from_slice(text),
    }
    Ok(())
}

fn print_like_the_engine(out: &mut Vec<u8>, text: &[u8], record: &Record<'_, '_>) -> Result<(), Bail> {
    let text = from_utf8(text).map_err(|_| Bail)?;
    let value = Value::parse(text, record.deepest).map_err(|_| Bail)?;
    write_result(out, &value, false);
    Ok(())
}

/// A text without the space between its tokens.
fn print_unspaced(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let Some(quote) = memchr::memchr(b'"', rest) {
        let (tokens, string) = rest.split_at(quote);
        push_unspaced(out, tokens);
        let mut end = 1;
        loop {
            let Some(found) = memchr::memchr2(b'"', b'\\', &string[end..]) else {
                out.extend_from_slice(string);
                return;
            };
            end += found + 1;
            match string[end - 1] {
                b'"' => break,
                _ => end += 1,
            }
        }
        out.extend_from_slice(&string[..end]);
        rest = &string[end..];
    }
    push_unspaced(out, rest);
}

fn push_unspaced(out: &mut Vec<u8>, tokens: &[u8]) {
    out.extend(tokens.iter().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_between_tokens_goes_and_space_in_strings_stays() {
        let mut out = Vec::new();
        print_unspaced(&mut out, br#" { "a b" : [ 1 , "c \" d" ],	"e\\": null } "#);
        assert_eq!(out, br#"{"a b":[1,"c \" d"],"e\\":null}"#);
    }
}
