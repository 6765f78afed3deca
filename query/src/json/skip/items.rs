//! What is in an array or object whose text has been skipped.

use super::Cursor;

/// The elements of an array, or the members of an object, in a text that has been skipped.
pub(crate) struct Items<'a> {
    cursor: Cursor<'a>,
    is_object: bool,
}

impl<'a> Items<'a> {
    /// Those of this array or object; `None` for anything else.
    pub(crate) fn of(text: &'a [u8]) -> Option<Self> {
        let is_object = match text.first()? {
            b'{' => true,
            b'[' => false,
            _ => return None,
        };
        let mut cursor = Cursor::new(text);
        cursor.at = 1;
        Some(Self { cursor, is_object })
    }
}

impl<'a> Iterator for Items<'a> {
    /// The key as it stands, empty in an array, and the value.
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let cursor = &mut self.cursor;
        cursor.space();
        if cursor.at > 1 && cursor.eat(b',') {
            cursor.space();
        }
        let mut key = 0..0;
        if self.is_object {
            let start = cursor.at + 1;
            key = start..start + cursor.key().ok()? as usize;
        }
        let start = cursor.at;
        // At the closing bracket there is no value.
        cursor.value(u32::MAX).ok()?;
        Some((&cursor.text[key], &cursor.text[start..cursor.at]))
    }
}
