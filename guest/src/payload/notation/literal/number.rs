//! Numbers of Python in JSON's notation.

use lro_query::json::push_quoted;

use super::Parser;

/// A double has no more digits before its point.
const MOST_DIGITS: usize = 308;

impl Parser<'_> {
    /// Writes the number here; what JSON has no number for is null, or a string.
    pub(super) fn number(&mut self) -> Option<()> {
        let rest = &self.text[self.place..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
        // A sign stands at the beginning or in an exponent; what is left over is seen by the caller.
        let written = &rest[..rest.bytes().take_while(|byte| is_part(byte)).take(2 * MOST_DIGITS).count()];
        self.place += written.len();
        let unsigned = written.strip_prefix(['-', '+']).unwrap_or(written);
        if matches!(unsigned, "inf" | "nan" | "Infinity" | "NaN") {
            self.has_no_number = true;
            self.json.push_str("null");
            return Some(());
        }
        if written.starts_with('+') || written.contains('_') {
            self.is_python = true;
        }
        let is_complex = unsigned.ends_with('j') && unsigned.starts_with(|first: char| first.is_ascii_digit());
        let is_hexadecimal = unsigned.starts_with("0x");
        if is_complex || is_hexadecimal {
            self.is_python = true;
            push_quoted(&mut self.json, written);
            return Some(());
        }
        let digits = unsigned.replace('_', "");
        let (mantissa, exponent) = match digits.find(['e', 'E']) {
            Some(place) => digits.split_at(place),
            None => (digits.as_str(), ""),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "none"));
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = are_digits(whole)
            && (fraction == "none" || are_digits(fraction) && whole.len() + fraction.len() > 0)
            && (fraction != "none" || !whole.is_empty())
            && (whole.len() < 2 || !whole.starts_with('0'));
        let power = exponent.trim_start_matches(['e', 'E']).trim_start_matches(['-', '+']);
        if !is_number || !are_digits(power) || exponent.is_empty() != power.is_empty() {
            return None;
        }
        if whole.len() > MOST_DIGITS {
            push_quoted(&mut self.json, written);
            return Some(());
        }
        self.json.push_str(if written.starts_with('-') { "-" } else { "" });
        self.json.push_str(if whole.is_empty() { "0" } else { whole });
        if fraction != "none" {
            self.json.push('.');
            self.json.push_str(if fraction.is_empty() { "0" } else { fraction });
        }
        self.json.push_str(exponent);
        Some(())
    }
}
