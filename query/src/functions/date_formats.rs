//! Formats of dates, with those directives written out that depend on the locale: ours is always C.

/// What a directive stands for in the C locale.
fn written_out(directive: char) -> Option<&'static str> {
    match directive {
        'c' => Some("%a %b %e %H:%M:%S %Y"),
        'x' => Some("%m/%d/%y"),
        'X' => Some("%H:%M:%S"),
        'r' => Some("%I:%M:%S %p"),
        _ => None,
    }
}

/// The format without directives that depend on the locale, and without `E` and `O`, which ask for another form of a
/// directive that only other locales have.
pub(super) fn in_c_locale(format: &str) -> String {
    let mut out = String::with_capacity(format.len() + 16);
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let flags = after.find(|c: char| !"-_0^#123456789".contains(c)).unwrap_or(after.len());
        let directive = after[flags..].strip_prefix(['E', 'O']).unwrap_or(&after[flags..]);
        let Some(letter) = directive.chars().next() else {
            out.push('%');
            rest = after;
            continue;
        };
        match written_out(letter) {
            Some(written) => out.push_str(written),
            None => out.extend(["%", &after[..flags], &directive[..letter.len_utf8()]]),
        }
        rest = &directive[letter.len_utf8()..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_of_the_locale_are_written_out() {
        let rows = [
            ("", ""),
            ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%SZ"),
            ("[%c]", "[%a %b %e %H:%M:%S %Y]"),
            ("%x %X", "%m/%d/%y %H:%M:%S"),
            ("%%c %%%x", "%%c %%%m/%d/%y"),
            ("%Ex %Od %-d %10Y", "%m/%d/%y %d %-d %10Y"),
            ("100%", "100%"),
            ("%é%", "%é%"),
            ("%E", "%E"),
        ];
        for (format, expected) in rows {
            assert_eq!(in_c_locale(format), expected, "{format}");
        }
    }
}
