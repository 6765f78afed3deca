//! Conditions of a filter that hold for every record, whatever it has: a text that stands alone beside `or`, and a comparison
//! that is compared.

use lro_query::json::quote;
use lro_query::tree::{BinaryOp, StrPart, Term, each_part};

use super::in_jq::order;
use super::sample::MOST_FILTER_BYTES;
use crate::extract::advice::jq_path;
use crate::extract::advice::sought::{place, sign};

/// True for a filter that may have such a condition: most have none, and need not be parsed to know that.
pub(super) fn may_be(filter: &str) -> bool {
    [" or ", " and "].iter().any(|word| filter.contains(word)) || filter.matches(['<', '>']).count() > 1
}

/// A remark on the first such condition.
pub(super) fn remark(tree: &Term<&str>, filter: &str) -> Option<String> {
    let mut told = None;
    each_part(tree, &mut |term| {
        if let (None, Term::BinOp(left, operator, right)) = (&told, term) {
            told = match operator {
                BinaryOp::Or => alone("or", left, right, filter),
                BinaryOp::And => alone("and", left, right, filter),
                operator => (is_order(operator) && matches!(&**left, Term::BinOp(_, inner, _) if is_order(inner)))
                    .then(|| RANGE.to_owned()),
            };
        }
    });
    told
}

const RANGE: &str = "a comparison gives true or false, and that is compared next; a range is `3 < .x and .x < 5`";

fn is_order(operator: &BinaryOp<&str>) -> bool {
    matches!(operator, BinaryOp::Cmp(operator) if order(*operator).is_some())
}

/// `.state == "open" or "closed"`
fn alone(word: &str, left: &Term<&str>, right: &Term<&str>, filter: &str) -> Option<String> {
    let value = literal(right)?;
    let again = match left {
        Term::BinOp(path, BinaryOp::Cmp(compared), _) => place(path, &[]).map(|path| {
            let whole = format!("{word} {} {} {value}", jq_path(&path), sign(*compared));
            filter.replacen(&format!("{word} {value}"), &whole, 1)
        }),
        _ => None,
    };
    let again = again.filter(|query| query != filter && query.len() <= MOST_FILTER_BYTES);
    let way = again.map(|query| format!(": write `{query}`")).unwrap_or_default();
    Some(format!("`{word} {value}` is true for every record{way}"))
}

/// A text or a number as it is written.
fn literal(term: &Term<&str>) -> Option<String> {
    match term {
        Term::Num(number) => Some((*number).to_owned()),
        Term::Str(None, parts) => match &parts[..] {
            [StrPart::Str(text)] => Some(quote(text)),
            _ => None,
        },
        _ => None,
    }
}
