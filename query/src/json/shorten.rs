//! Text cut to a number of characters, with a sign where something is missing.

/// The beginning of a text.
pub fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Both ends of a text.
pub fn middle_cut(text: &str, characters: usize) -> String {
    if text.chars().nth(characters).is_none() {
        return text.to_owned();
    }
    let (front, back) = (characters - characters / 3, characters / 3);
    let start: String = text.chars().take(front).collect();
    let end = text.char_indices().rev().take(back).last().map_or(text.len(), |(place, _)| place);
    format!("{start}…{}", &text[end..])
}
