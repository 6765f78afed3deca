//! Parts of a page of the documentation that a program writes: they stand between two markers.

/// Puts a table between its markers.
///
/// # Errors
/// One line that says which marker is missing.
pub fn with(page: &str, name: &str, table: &str) -> Result<String, String> {
    let (start, end) = bounds(page, name)?;
    Ok(format!("{}\n{}\n{}", &page[..start], table.trim_end(), &page[end..]))
}

/// The table between its markers.
///
/// # Errors
/// One line that says which marker is missing.
pub fn table<'a>(page: &'a str, name: &str) -> Result<&'a str, String> {
    let (start, end) = bounds(page, name)?;
    Ok(page[start..end].trim())
}

fn bounds(page: &str, name: &str) -> Result<(usize, usize), String> {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let start = page.find(&open).ok_or_else(|| format!("the page has no marker `{}`", open.trim()))? + open.len();
    let end = page[start..].find(&close).ok_or_else(|| format!("the page has no marker `{close}`"))?;
    Ok((start, start + end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_put_between_its_markers() {
        let page = "a\n<!-- one -->\nold\n<!-- end of one -->\nb\n";
        let page = with(page, "one", "new\n").unwrap();
        assert_eq!(table(&page, "one").unwrap(), "new");
        assert!(page.starts_with("a\n") && page.ends_with("b\n") && table(&page, "two").is_err());
    }
}
