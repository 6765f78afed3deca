//! Functions of the general engine, called with values of a plan.

use simdutf8::basic::from_utf8;

use super::Bail;
use super::record::Record;
use super::value::Val;
use crate::budget;
use crate::functions::Plain;
use crate::value::{Text, Value};

/// What the function says; it bails where that is an error.
pub(super) fn called<'a>(
    function: Plain,
    input: &Val<'a>,
    argument: Option<&Val<'a>>,
    record: &Record<'a, '_>,
) -> Result<Val<'a>, Bail> {
    let value = engine_value(input, record)?;
    let bytes = value.as_str().map_or(0, str::len);
    if !budget::call() || !budget::bytes(bytes) {
        return Err(Bail);
    }
    let result = match (function, argument) {
        (Plain::Of(function), None) => function(value),
        (Plain::With(function), Some(argument)) => function(value, engine_value(argument, record)?),
        _ => return Err(Bail),
    };
    plan_value(result.map_err(|_| Bail)?)
}

fn engine_value(value: &Val<'_>, record: &Record<'_, '_>) -> Result<Value, Bail> {
    let parsed = |text: &[u8]| {
        let text = from_utf8(text).map_err(|_| Bail)?;
        Value::parse(text, record.deepest).map_err(|_| Bail)
    };
    Ok(match value {
        Val::Null => Value::Null,
        Val::Bool(value) => Value::Bool(*value),
        Val::Number(text) | Val::Nested(text) => parsed(text)?,
        Val::Count(_) | Val::Float(_) => Value::from(value.number()?),
        Val::Json(_) | Val::Text(_) => {
            let text = value.text().ok_or(Bail)?;
            Value::Text(Text::from(from_utf8(&text).map_err(|_| Bail)?.to_owned()))
        }
        Val::Record => parsed(record.line)?,
        Val::List(values) => {
            Value::array(values.iter().map(|value| engine_value(value, record)).collect::<Result<_, _>>()?)
        }
        Val::Object(_) | Val::Negated(_) => return Err(Bail),
    })
}

fn plan_value<'a>(value: Value) -> Result<Val<'a>, Bail> {
    Ok(match &value {
        Value::Null => Val::Null,
        Value::Bool(value) => Val::Bool(*value),
        // A number that was written may have more digits than a float.
        Value::Number(number) => Val::Float(number.float().filter(|number| number.is_finite()).ok_or(Bail)?),
        Value::Text(text) => Val::Text(text.as_bytes().to_vec().into()),
        Value::Array(values) => Val::List(values.iter().cloned().map(plan_value).collect::<Result<_, _>>()?),
        Value::Object(_) => return Err(Bail),
    })
}
