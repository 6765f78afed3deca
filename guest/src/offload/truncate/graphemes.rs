//! Where a text can be cut so that no character that people see is torn: after marks, selectors and joiners, and
//! between flags. The rules of Unicode that matter at a cut, without its tables.

/// A cluster is followed no further than this: a longer one is no character that people write.
const MOST_CHARACTERS: usize = 64;

/// Takes characters off the end of a text until it ends where a cluster does; `next` follows it.
pub(super) fn close_head(head: &mut String, next: Option<char>) {
    let Some(mut next) = next else { return };
    for _ in 0..MOST_CHARACTERS {
        let Some(last) = head.chars().next_back() else { return };
        let flags = head.chars().rev().take_while(|character| is_flag(*character)).count();
        if !is_inside(last, next, flags) {
            return;
        }
        head.pop();
        next = last;
    }
}

/// The same for the end of a text that is held backwards; `before` comes before it.
pub(super) fn close_tail(reversed: &mut String, before: Option<char>) {
    let Some(mut before) = before else { return };
    for _ in 0..MOST_CHARACTERS {
        let Some(first) = reversed.chars().next_back() else { return };
        // Flags stand in pairs, so those that are kept are as many as those before them, even or odd.
        let flags = reversed.chars().rev().take_while(|character| is_flag(*character)).count();
        if !is_inside(before, first, flags) {
            return;
        }
        reversed.pop();
        before = first;
    }
}

/// True if two neighbours belong to one cluster; `flags` is how many letters of flags stand on the kept side.
fn is_inside(left: char, right: char, flags: usize) -> bool {
    (left == '\r' && right == '\n')
        || extends(right)
        || left == '\u{200d}'
        || (is_flag(left) && is_flag(right) && flags % 2 == 1)
}

/// Letters of flags: two make one.
fn is_flag(character: char) -> bool {
    matches!(character, '\u{1f1e6}'..='\u{1f1ff}')
}

/// True for what is shown as a part of the character before it: marks, selectors, skin tones, tags, joiners, and the
/// vowels and finals of syllables.
fn extends(character: char) -> bool {
    matches!(u32::from(character),
        0x0300..=0x036F | 0x0483..=0x0489 | 0x0591..=0x05BD | 0x05BF..=0x05C7 | 0x0610..=0x061A | 0x064B..=0x065F
        | 0x0670 | 0x06D6..=0x06DC | 0x06DF..=0x06ED
        // signs of Indic scripts
        | 0x0900..=0x0903 | 0x093A..=0x093C | 0x093E..=0x094F | 0x0981..=0x0983 | 0x09BC | 0x09BE..=0x09CD
        | 0x0A01..=0x0A03 | 0x0A3C..=0x0A4D | 0x0A81..=0x0A83 | 0x0ABC | 0x0ABE..=0x0ACD | 0x0B3C | 0x0B3E..=0x0B4D
        | 0x0BBE..=0x0BCD | 0x0C3E..=0x0C4D | 0x0CBC | 0x0CBE..=0x0CCD | 0x0D3E..=0x0D4D
        // Thai, Lao, Tibetan, Myanmar
        | 0x0E31 | 0x0E34..=0x0E3A | 0x0E47..=0x0E4E | 0x0EB1 | 0x0EB4..=0x0EBC | 0x0EC8..=0x0ECE | 0x0F71..=0x0F84
        | 0x102B..=0x103E
        // vowels and finals of Korean
        | 0x1160..=0x11FF
        | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x200C..=0x200D | 0x20D0..=0x20FF | 0x302A..=0x302F | 0x3099..=0x309A
        | 0xFE00..=0xFE0F | 0xFE20..=0xFE2F | 0x1_F3FB..=0x1_F3FF | 0xE_0020..=0xE_007F | 0xE_0100..=0xE_01EF)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clusters that must stay whole, each with its neighbours.
    const CLUSTERS: [&str; 9] = [
        "e\u{301}\u{323}",
        "👩\u{200d}👩\u{200d}👧",
        "❤\u{fe0f}",
        "👍\u{1f3fd}",
        "🇩🇪",
        "\r\n",
        "कि",
        "\u{1112}\u{1161}\u{11ab}",
        "🏴\u{e0067}\u{e0062}\u{e007f}",
    ];

    #[test]
    fn clusters_stay_whole() {
        for cluster in CLUSTERS {
            let text = format!("a{cluster}{cluster}b");
            let whole = [1, 1 + cluster.len(), 1 + 2 * cluster.len()];
            for (at, _) in text.char_indices().skip(1) {
                let mut head = text[..at].to_owned();
                close_head(&mut head, text[at..].chars().next());
                assert!(whole.contains(&head.len()), "{head:?} of {text:?}");
                let mut tail: String = text[at..].chars().rev().collect();
                close_tail(&mut tail, text[..at].chars().next_back());
                assert!(whole.contains(&(text.len() - tail.len())), "{tail:?} of {text:?}");
            }
        }
    }

    #[test]
    fn what_is_plain_stays() {
        let mut head = "plain".to_owned();
        close_head(&mut head, Some('!'));
        assert_eq!(head, "plain");
        close_head(&mut head, None);
        assert_eq!(head, "plain");
        // The end of a line, and a flag of one letter, are whole.
        for (kept, next) in [("line", '\n'), ("line\r", 'a'), ("a🇩", 'b'), ("a", '🇩')] {
            let mut head = kept.to_owned();
            close_head(&mut head, Some(next));
            assert_eq!(head, kept, "{next:?}");
        }
        let mut endless = "a".to_owned() + &"\u{301}".repeat(500);
        close_head(&mut endless, Some('\u{301}'));
        assert_eq!(endless.chars().count(), 501 - MOST_CHARACTERS);
    }
}
