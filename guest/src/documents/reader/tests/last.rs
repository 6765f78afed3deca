//! The last lines of a file.

use super::*;

#[test]
fn the_last_lines_are_read_wherever_the_file_ends() {
    let ten: String = (1..=10).map(|number| format!("line {number}\n")).collect();
    for (promised, text) in [(10, ten.as_str()), (10, ten.trim_end()), (12, &ten), (8, &ten)] {
        let file = file(text).replace(r#""count":10"#, &format!("\"count\":{promised}"));
        let (found, pages) = all_pages(&file, json!({"lines": "-3", "max_bytes": 9}));
        let first = if promised == 8 { 6 } else { 8 };
        let expected: Vec<&str> = text.split_inclusive('\n').skip(first - 1).collect();
        assert_eq!((found, pages[0].first, pages.last().unwrap().last), (expected.concat(), first as u32, 10));
        assert_eq!(read(&file, json!({"lines": -99})).unwrap().first, 1, "{promised}");
    }
    let page = read(&file(&ten), json!({"lines": "-2", "header": true})).unwrap();
    assert_eq!((page.first, page.last, page.total, page.next), (10, 11, Some(11), None));
    let page = read(&file(""), json!({"lines": "-2"})).unwrap();
    assert_eq!(page.remarks, ["the file is empty: it has no lines"]);
}
