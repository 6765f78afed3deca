//! Diffs of git and of diff.

use serde_json::Value::Null;

use super::*;
use crate::payload::notation::tests::records_of;

#[test]
fn files_become_records() {
    let text = "\
diff --git a/x y.rs b/x y.rs
index 1..2 100644
--- a/x y.rs
+++ b/x y.rs
@@ -1,3 +1,3 @@ fn
 a
--- b
+++ c
 d
@@ -9 +9,2 @@
 e
+f
diff --git a/new b/new
new file mode 100644
index 0..1
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+x
\\ No newline at end of file
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/p b/q
similarity index 100%
rename from p
rename to q
diff --git a/i.png b/i.png
Binary files a/i.png and b/i.png differ
";
    let records = records_of(read(text));
    let found: Vec<String> = records
        .iter()
        .map(|r| {
            format!(
                "{} {} {} +{} -{} @{} {}",
                r["file"], r["old"], r["status"], r["added"], r["deleted"], r["hunks"], r["line"]
            )
        })
        .collect();
    let expected = [
        r#""x y.rs" "x y.rs" "modified" +2 -1 @2 1"#,
        r#""new" null "added" +1 -0 @1 13"#,
        r#""gone" "gone" "deleted" +0 -1 @1 21"#,
        r#""q" "p" "renamed" +0 -0 @0 27"#,
        r#""i.png" "i.png" "modified" +0 -0 @0 31"#,
    ];
    assert_eq!(found, expected);
    let texts: String = records.iter().map(|record| record["text"].as_str().unwrap()).collect();
    assert_eq!(texts, text);
}

#[test]
fn a_merge_a_copy_and_a_missing_newline_are_counted() {
    let text = "\
diff --cc m.rs
index 1,2..3
--- a/m.rs
+++ b/m.rs
@@@ -1,2 -1,2 +1,3 @@@
  a
++b
 -c
@@@ -9,1 -9,1 +10,1 @@@
+ d
diff --git a/n b/n
--- a/n
+++ b/n
@@ -1 +1 @@
-x
\\ No newline at end of file
+y
diff --git a/o b/p
similarity index 100%
copy from o
copy to p
";
    let found: Vec<String> = records_of(read(text))
        .iter()
        .map(|r| format!("{} {} +{} -{} @{}", r["file"], r["status"], r["added"], r["deleted"], r["hunks"]))
        .collect();
    let expected = [r#""m.rs" "modified" +2 -0 @2"#, r#""n" "modified" +1 -1 @1"#, r#""p" "copied" +0 -0 @0"#];
    assert_eq!(found, expected);
}

#[test]
fn a_renamed_file_with_changes_is_one_record() {
    let rename = "similarity index 90%\nrename from x/old\nrename to x/new\nindex 1..2 100644\n";
    let hunk = "@@ -1,2 +1,2 @@\n a\n--- b\n+++ c\n";
    let rows = [
        format!("diff --git a/x/old b/x/new\n{rename}--- a/x/old\n+++ b/x/new\n{hunk}"),
        format!("diff --git x/old x/new\n{rename}--- x/old\n+++ x/new\n{hunk}"),
    ];
    for text in rows {
        let records = records_of(read(&text));
        assert_eq!(records.len(), 1, "{text}");
        let r = &records[0];
        let found = format!("{} {} {} +{} -{}", r["file"], r["old"], r["status"], r["added"], r["deleted"]);
        assert_eq!(found, r#""x/new" "x/old" "renamed" +1 -1"#);
        assert_eq!(r["text"], text);
    }
    let paths =
        "diff --combined new\nindex 1,2..3\n--- a/old\n--- a/new\n+++ b/new\n@@@ -1,1 -1,1 +1,1 @@@\n--- x\n+++ y\n";
    let records = records_of(read(paths));
    assert_eq!((records.len(), &records[0]["added"], &records[0]["deleted"]), (1, &1.into(), &1.into()));
}

#[test]
fn escaped_names_are_decoded() {
    let text = "diff --git \"a/\\303\\274\" \"b/\\303\\266\"\nsimilarity index 100%\nrename from \"\\303\\274\"\nrename to \"\\303\\266\"\n";
    let records = records_of(read(text));
    assert_eq!((&records[0]["file"], &records[0]["old"]), (&"ö".into(), &"ü".into()));
}

#[test]
fn files_that_a_plain_diff_adds_or_removes_are_known_by_their_names() {
    let text = "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    let records = records_of(read(text));
    let status: Vec<_> = records.iter().map(|record| (&record["file"], &record["status"])).collect();
    assert_eq!(status, [(&"x".into(), &"added".into()), (&"y".into(), &"deleted".into())]);
}

#[test]
fn plain_diffs_have_files_too() {
    let text = "Only in a: z\n--- a/x\t2020-01-01\n+++ b/x\t2020-01-01\n@@ -1 +1 @@\n-a\n+b\n--- y\n+++ y\n@@ -1 +1 @@\n-a\n+b\n";
    let records = records_of(read(text));
    assert_eq!(records[0]["text"], "Only in a: z");
    assert_eq!((&records[1]["file"], &records[2]["file"]), (&"x".into(), &"y".into()));
    assert_eq!(records[2]["text"], "--- y\n+++ y\n@@ -1 +1 @@\n-a\n+b\n");
}

#[test]
fn other_text_is_no_diff() {
    for text in ["--- \n+++ \n", "a\n--- b\nc\n", "- a\n- b\n+ c\n", "---\ntitle: x\n---\ntext\n", ""] {
        assert!(read(text).is_none(), "{text}");
    }
}

#[test]
fn lines_of_a_word_diff_are_not_counted() {
    let words = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\none [-a-]{+b+}\n  two\n- three\n";
    let binary = "diff --git a/i.png b/i.png\nBinary files a/i.png and b/i.png differ\n";
    let text = format!("{words}{binary}");
    let records = records_of(read(&text));
    let texts: Vec<_> = records.iter().map(|record| record["text"].as_str().unwrap()).collect();
    assert_eq!(texts, [words, binary]);
    assert_eq!((&records[0]["added"], &records[0]["deleted"], &records[0]["hunks"]), (&Null, &Null, &1.into()));
    assert_eq!((&records[1]["added"], &records[1]["deleted"]), (&0.into(), &0.into()));
}

/// Somebody left lines out, and said so.
#[test]
fn lines_of_a_cut_hunk_are_not_counted() {
    let text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n one\n-a\n[5 lines]\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1,9 +1,9 @@\n-a\ndiff --git a/z b/z\n--- a/z\n+++ b/z\n@@ -1 +1 @@\n-a\n+b\n";
    let records = records_of(read(text));
    let counts: Vec<_> = records.iter().map(|record| (&record["file"], &record["added"])).collect();
    assert_eq!(counts, [(&"x".into(), &Null), (&Null, &Null), (&"y".into(), &Null), (&"z".into(), &1.into())]);
}
