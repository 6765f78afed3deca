//! What `ls -l` prints, and with it `ls -lR`, `find -ls` and `tar -tv`: a record for each file.

mod entry;
mod today;

use lro_query::json::{Object, push_quoted};

use self::entry::Entry;
use self::today::Today;
use super::Reading;
use super::columns::{Column, ColumnKind, is_number};
use super::output::Output;
use super::sample;

/// Headings that may come before the first file: a folder, a total and errors.
const MOST_HEADINGS: usize = 4;

/// True for a list of files that leaves out some of their years.
pub(super) fn lacks_years(text: &str) -> bool {
    is_listing(text) && text.lines().filter_map(Entry::of).any(|entry| entry.lacks_year())
}

fn is_listing(text: &str) -> bool {
    // Other texts may have a line of many megabytes.
    let mut first = sample(text).lines().filter(|line| !line.trim().is_empty()).take(MOST_HEADINGS + 1);
    first.any(|line| Entry::of(line).is_some())
}

/// Reads a list of files that was made at a moment, in milliseconds since 1970. Years that are left out are those before
/// it, if all of them can be: an old list was made at another moment.
pub(super) fn read(text: &str, made: Option<u64>) -> Option<Reading<'_>> {
    if !is_listing(text) {
        return None;
    }
    let (mut sizes, mut today) = (Column::default(), made.and_then(Today::of));
    for entry in text.lines().filter_map(Entry::of) {
        sizes.see(entry.size);
        today = today.filter(|today| !entry.lacks_year() || entry.year_before(today).is_some());
    }
    let sizes = sizes.kind();
    let mut output = Output::of(text);
    let mut folder: Option<&str> = None;
    let mut begins = true;
    for (number, line) in (1..).zip(text.lines()) {
        let entry = Entry::of(line);
        // A folder is named at the beginning or after a blank line; errors may stand before its name.
        let may_name = begins;
        begins = line.is_empty() || begins && entry.is_none();
        match (entry, folder_of(line)) {
            (Some(entry), _) => output.record(1, record(&entry, folder, sizes, today.as_ref()))?,
            (None, Some(name)) if may_name => {
                folder = Some(name);
                output.fits(1);
            }
            _ if is_total(line) => output.fits(1),
            _ => output.line(number, line)?,
        }
    }
    output.finish("listing")
}

/// The folder that a line names.
fn folder_of(line: &str) -> Option<&str> {
    line.strip_suffix(':').filter(|name| !name.is_empty() && !name.starts_with(' '))
}

/// How many blocks the files of a folder have.
fn is_total(line: &str) -> bool {
    let total = line.strip_prefix("total ").or_else(|| line.strip_prefix("insgesamt "));
    total.is_some_and(|total| total.starts_with(|first: char| first.is_ascii_digit()) && !total.contains(' '))
}

fn record(entry: &Entry<'_>, folder: Option<&str>, sizes: ColumnKind, today: Option<&Today>) -> String {
    let mut record = Object::default();
    if let Some(folder) = folder {
        record.text("folder", folder);
    }
    record.text("name", entry.name);
    if let Some(target) = entry.target {
        record.text("target", target);
    }
    record.text("type", entry.kind());
    let mut size = String::new();
    match sizes {
        ColumnKind::Number => sizes.write(&mut size, entry.size),
        _ => push_quoted(&mut size, entry.size),
    }
    record.json("size", size);
    if let Some(device) = entry.device {
        record.text("device", device);
    }
    record.text("modified", &entry.modified(today));
    record.text("mode", entry.mode);
    if let Some(links) = entry.links {
        record.json("links", links);
    }
    for (key, value) in ["owner", "group", "context"].into_iter().zip(entry.owners) {
        if let Some(value) = value {
            record.text(key, value);
        }
    }
    let keys = if entry.numbers[1].is_some() { ["inode", "blocks"] } else { ["number"; 2] };
    for (key, value) in keys.into_iter().zip(entry.numbers) {
        match value {
            Some(value) if is_number(value) => record.json(key, value),
            Some(value) => record.text(key, value),
            None => {}
        }
    }
    record.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::{lines_of, records_of};
    use serde_json::json;

    #[test]
    fn files_become_records() {
        let text = "/etc:\ntotal 12\ndrwxr-xr-x 75 root root 4096 Nov 27 15:34 .\n-rw-r--r--. 1 root my-group 3040 May 25  2023 a  b\n\n/etc/x:\ntotal 0\nlrwxrwxrwx 1 0 0 7 Jun  4  2025 l -> ../m n\ncrw------- 1 root root  10, 234 2026-11-19 18:28 btrfs\n\n/etc/y:\ntotal 0\n";
        let expected = [
            json!({"folder":"/etc","name":".","type":"folder","size":4096,"modified":"Nov 27 15:34","mode":"drwxr-xr-x","links":75,"owner":"root","group":"root"}),
            json!({"folder":"/etc","name":"a  b","type":"file","size":3040,"modified":"2023-05-25","mode":"-rw-r--r--.","links":1,"owner":"root","group":"my-group"}),
            json!({"folder":"/etc/x","name":"l","target":"../m n","type":"link","size":7,"modified":"2025-06-04","mode":"lrwxrwxrwx","links":1,"owner":"0","group":"0"}),
            json!({"folder":"/etc/x","name":"btrfs","type":"character device","size":null,"device":"10, 234","modified":"2026-11-19T18:28","mode":"crw-------","links":1,"owner":"root","group":"root"}),
        ];
        assert_eq!(records_of(read(text, None)), expected);
        // 2026-11-28.
        let dated = records_of(read(text, Some(1_795_867_200_000)));
        let modified: Vec<_> = dated.iter().map(|record| &record["modified"]).collect();
        assert_eq!(modified, ["2026-11-27T15:34", "2023-05-25", "2025-06-04", "2026-11-19T18:28"]);
        assert!(lacks_years(text) && !lacks_years(&text.replace("Nov 27 15:34", "Nov 27  2026")));
    }

    #[test]
    fn the_years_of_an_old_list_are_not_known() {
        let line = |date: &str| format!("-rw-r--r-- 1 a b 4 {date} x\n");
        let rows = [
            (
                ["Nov 27 15:34", "11-26 15:34", "Jun  1 00:00"],
                ["2026-11-27T15:34", "2026-11-26T15:34", "2026-06-01T00:00"],
            ),
            (["Nov 27 15:34", "Jan  1 00:00", "Nov 27  2019"], ["Nov 27 15:34", "Jan  1 00:00", "2019-11-27"]),
            (["Nov 27 15:34", "27 févr. 15:34", "Nov 27  2019"], ["2026-11-27T15:34", "27 févr. 15:34", "2019-11-27"]),
        ];
        for (dates, expected) in rows {
            let text = dates.map(line).concat();
            let found = records_of(read(&text, Some(1_795_867_200_000)));
            let modified: Vec<_> = found.iter().map(|record| &record["modified"]).collect();
            assert_eq!(modified, expected, "{text}");
        }
    }

    #[test]
    fn dates_and_sizes_have_many_forms() {
        let rows = [
            ("-rw-r--r-- 1 a b 4 2026-11-27 15:34:11.139640578 +0000 x", "x", "2026-11-27T15:34:11.139640578+00:00"),
            ("-rw-r--r-- 1 a b 4 2026-05-09  x y", "x y", "2026-05-09"),
            ("-rw-r--r-- 1 a b 4 11-27 15:34 x", "x", "11-27 15:34"),
            ("-rw-r--r-- 1 a b 4 Nov 27 15:34:11 2026  x", " x", "2026-11-27T15:34:11"),
            ("-rw-r--r-- 1 a b 4 27. Nov 15:34 x", "x", ""),
            ("-rw-r--r-- 1 a b 4 27 Nov 15:34 x", "x", "27 Nov 15:34"),
            ("-rw-r--r-- 1 a b 4 27 févr. 2025 x", "x", "27 févr. 2025"),
            ("-rw-r--r-- 1 4 Nov 27 15:34 x", "x", "Nov 27 15:34"),
            ("-rw-r--r-- a/b 4 2026-11-27 15:34 x/y z", "x/y z", "2026-11-27T15:34"),
            ("   32891 4 -rw-r--r-- 1 a b 4 Nov 27 15:34 ./x", "./x", "Nov 27 15:34"),
            ("-rw-r--r-- 1 a b 4 Nov 27 15:34", "", ""),
            ("-rw-r--r-- 1 a b 4 2026-11-27 15:34", "15:34", ""),
            ("-rw-r--r-- 1 a b c d e 4 Nov 27 15:34 x", "", ""),
            ("d????????? ? ? ? ? ? x", "", ""),
            ("-rw-r--r--  x", "", ""),
            ("drwxr-xr-x", "", ""),
        ];
        for (line, name, modified) in rows {
            let entry = Entry::of(line);
            let found = entry.as_ref().map_or((String::new(), ""), |entry| (entry.modified(None), entry.name));
            if !modified.is_empty() {
                assert_eq!(found, (modified.to_owned(), name), "{line}");
            } else {
                assert!(entry.is_none(), "{line}");
            }
        }
        let units = "-rw-r--r-- 1 a b 4.0K Nov 27 15:34 x\n".repeat(2) + "-rw-r--r-- 1 a b 40 Nov 27 15:34 x\n";
        let sizes: Vec<_> = records_of(read(&units, None)).iter().map(|record| record["size"].clone()).collect();
        assert_eq!(sizes, ["4.0K", "4.0K", "40"]);
    }

    #[test]
    fn other_lists_stay_lines() {
        let texts = [
            "total 4\na\nb\nc\n",
            "- rw a 1\n- rw b 2\n- rw c 3\n",
            "-rw-r--r-- 1 a b 4 Nov 27 15:34 x\nit is so\nand so\nand more\nof it\n",
        ];
        for text in texts {
            assert_eq!(lines_of(read(text, None)), "", "{text}");
        }
    }
}
