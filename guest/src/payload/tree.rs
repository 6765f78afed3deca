//! Trees: nodes that hold nodes, such as a directory with its `children`. Each node is a record with its path and
//! depth, so that a search reaches every level.

use std::borrow::Cow;

use lro_query::json::{Scan, unquote};

use crate::payload::growth;

/// This many records are looked at to see whether records hold others of their kind.
const SAMPLE: usize = 200;

/// Walking recurses, and the path of a node names all levels above it. Nobody reads a tree that is deeper.
const MOST_LEVELS: u32 = 100;

/// What a node is called in the paths of those below it: the first of these that it has.
const LABELS: [&str; 6] = ["name", "title", "label", "path", "key", "id"];

/// A longer label is a text, and would be repeated in the path of every node below.
const MOST_LABEL_BYTES: usize = 200;

/// The fields that say where a node is: the first pair that no node has.
const FIELDS: [[&str; 2]; 3] = [["path", "depth"], ["tree_path", "tree_depth"], ["node_path", "node_depth"]];

/// Returns the nodes of a tree in the order of its text, each after the one that holds it; `None` if these records are
/// not a tree. The array of nodes in a node becomes their number.
pub fn nodes(records: &[Cow<'_, str>]) -> Option<Vec<String>> {
    let key = records.iter().take(SAMPLE).find_map(|record| holding_key(record))?;
    let mut tree = Tree { key, nodes: Vec::new(), is_too_deep: false };
    for (number, record) in records.iter().enumerate() {
        tree.walk(&mut Scan::of(record), None, number, 0);
    }
    if tree.is_too_deep {
        return None;
    }
    let bytes: usize = records.iter().map(|record| record.len()).sum();
    (tree.nodes.len() > records.len()).then(|| tree.records(growth::most(bytes)))?
}

/// The key, quotes included, under which a record holds records of its kind: these hold others under it, or have the
/// same fields but for it.
fn holding_key(record: &str) -> Option<&str> {
    if !record.starts_with('{') {
        return None;
    }
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    Scan::of(record).members(|scan, key| {
        fields.push(key);
        let value = scan.value();
        // Most arrays are of something else.
        if value.starts_with('[') && value[1..].contains('{') {
            arrays.push((key, value));
        }
    });
    if arrays.is_empty() {
        return None;
    }
    let fields = distinct(fields);
    arrays.into_iter().find_map(|(key, array)| {
        let (mut count, mut same, mut deeper) = (0, 0, false);
        Scan::of(array).elements(|scan| {
            count += 1;
            if scan.peek() != b'{' {
                scan.value();
                return;
            }
            let (mut theirs, mut holds) = (Vec::new(), false);
            scan.members(|scan, field| {
                holds |= field == key && scan.peek() == b'[';
                scan.value();
                theirs.push(field);
            });
            deeper |= holds;
            // Most are of another kind, which their number tells.
            if theirs.len() + 1 >= fields.len() {
                theirs.retain(|field| *field != key);
                let theirs = distinct(theirs);
                let are_ours = theirs.iter().all(|field| fields.binary_search(field).is_ok());
                same += usize::from(theirs.len() + 1 == fields.len() && are_ours);
            }
        });
        (count > 0 && (deeper || (same == count && fields.len() > 1))).then_some(key)
    })
}

/// Each key once, in order.
fn distinct(mut keys: Vec<&str>) -> Vec<&str> {
    keys.sort_unstable();
    keys.dedup();
    keys
}

struct Tree<'a> {
    /// The key that holds nodes, quotes included.
    key: &'a str,
    nodes: Vec<Node>,
    is_too_deep: bool,
}

struct Node {
    parent: Option<usize>,
    label: String,
    /// Its members, without braces.
    members: String,
}

impl Tree<'_> {
    /// Takes the value that comes next and all below it. What does not tell its label is called by its number.
    fn walk(&mut self, scan: &mut Scan<'_>, parent: Option<usize>, number: usize, level: u32) {
        if level > MOST_LEVELS || self.is_too_deep {
            self.is_too_deep = true;
            scan.value();
            return;
        }
        let place = self.nodes.len();
        self.nodes.push(Node { parent, label: String::new(), members: String::new() });
        let (mut members, mut label) = (String::new(), None);
        if scan.peek() == b'{' {
            let key_of_nodes = self.key;
            scan.members(|scan, key| {
                if !members.is_empty() {
                    members.push(',');
                }
                members.push_str(key);
                members.push(':');
                if key == key_of_nodes && scan.peek() == b'[' {
                    let mut count = 0;
                    scan.elements(|scan| {
                        self.walk(scan, Some(place), count, level + 1);
                        count += 1;
                    });
                    members.push_str(&count.to_string());
                    return;
                }
                let value = scan.value();
                members.push_str(value);
                let rank = LABELS.iter().position(|label| key[1..].strip_suffix('"') == Some(label));
                if let Some(rank) = rank.filter(|_| is_label(value))
                    && label.as_ref().is_none_or(|(best, _)| rank < *best)
                {
                    label = Some((rank, unquote(value).into_owned()));
                }
            });
        } else {
            members = format!("\"value\":{}", scan.value());
        }
        let node = &mut self.nodes[place];
        node.members = members;
        node.label = label.map_or_else(|| number.to_string(), |(_, label)| label);
    }

    /// The nodes as records, unless these have more than `most` bytes: paths repeat the names of the levels above.
    fn records(self, most: usize) -> Option<Vec<String>> {
        let [path_field, depth_field] = self.free_fields();
        // Behind a node come those below it: only the paths of the levels above have to be known.
        let (mut path, mut ends): (String, Vec<(usize, usize)>) = Default::default();
        let (mut records, mut bytes) = (Vec::with_capacity(self.nodes.len()), 0);
        for (place, node) in self.nodes.into_iter().enumerate() {
            while ends.last().is_some_and(|(above, _)| Some(*above) != node.parent) {
                ends.pop();
            }
            path.truncate(ends.last().map_or(0, |(_, end)| *end));
            if !ends.is_empty() {
                path.push('/');
            }
            path.push_str(&node.label);
            ends.push((place, path.len()));
            let comma = if node.members.is_empty() { "" } else { "," };
            let (quoted, depth) = (serde_json::Value::from(path.as_str()), ends.len() - 1);
            let record = format!("{{\"{path_field}\":{quoted},\"{depth_field}\":{depth}{comma}{}}}", node.members);
            bytes += record.len();
            if bytes > most {
                return None;
            }
            records.push(record);
        }
        Some(records)
    }

    fn free_fields(&self) -> [&'static str; 2] {
        let is_free = |fields: &[&str; 2]| {
            let has = |node: &Node, field: &&str| node.members.contains(&format!("\"{field}\":"));
            !self.nodes.iter().any(|node| fields.iter().any(|field| has(node, field)))
        };
        FIELDS.into_iter().find(is_free).unwrap_or(FIELDS[2])
    }
}

fn is_label(value: &str) -> bool {
    value.len() <= MOST_LABEL_BYTES && value.starts_with(|first: char| first == '"' || first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes_of(records: &[&str]) -> Option<Vec<String>> {
        nodes(&records.iter().map(|record| Cow::Borrowed(*record)).collect::<Vec<_>>())
    }

    #[test]
    fn nodes_of_every_depth_are_records() {
        let tree = [
            r#"{"name":"a","type":"directory","children":[{"name":"b","type":"directory","children":[{"name":"c","type":"file"}]},{"name":"d","type":"file"}]}"#,
            r#"{"name":"e","type":"file"}"#,
        ];
        let expected = [
            r#"{"path":"a","depth":0,"name":"a","type":"directory","children":2}"#,
            r#"{"path":"a/b","depth":1,"name":"b","type":"directory","children":1}"#,
            r#"{"path":"a/b/c","depth":2,"name":"c","type":"file"}"#,
            r#"{"path":"a/d","depth":1,"name":"d","type":"file"}"#,
            r#"{"path":"e","depth":0,"name":"e","type":"file"}"#,
        ];
        assert_eq!(nodes_of(&tree).unwrap(), expected);
    }

    #[test]
    fn what_is_nested_too_deep_is_no_tree() {
        let nested = |levels: usize| {
            format!(r#"{}{{"name":"leaf"}}{}"#, r#"{"name":"n","children":["#.repeat(levels), "]}".repeat(levels))
        };
        let most = MOST_LEVELS as usize;
        assert_eq!(nodes_of(&[&nested(most)]).map(|nodes| nodes.len()), Some(most + 1));
        for levels in [most + 1, 100_000] {
            assert_eq!(nodes_of(&[&nested(levels)]), None, "{levels}");
        }
    }

    #[test]
    fn the_name_of_the_array_does_not_matter_nor_where_the_label_is() {
        let tree = [r#"{"replies":[{"id":2,"body":"y"},{"id":3,"body":"z","path":"p"}],"id":1,"body":"x"}"#];
        assert_eq!(nodes_of(&tree), None, "one reply has other fields");
        let tree = [r#"{"replies":[{"replies":[],"id":2,"path":"y"}],"id":1,"path":"x"}"#];
        let expected = [
            r#"{"tree_path":"x","tree_depth":0,"replies":1,"id":1,"path":"x"}"#,
            r#"{"tree_path":"x/y","tree_depth":1,"replies":0,"id":2,"path":"y"}"#,
        ];
        assert_eq!(nodes_of(&tree).unwrap(), expected);
    }

    #[test]
    fn records_that_hold_other_things_are_no_tree() {
        let rows: [&[&str]; 4] = [
            &[r#"{"order":1,"items":[{"sku":"a"},{"sku":"b"}]}"#],
            &[r#"{"id":1,"labels":[]}"#],
            &[r#"{"a":[1,2]}"#, "7"],
            &["[[1],[2]]"],
        ];
        for records in rows {
            assert_eq!(nodes_of(records), None, "{records:?}");
        }
    }

    #[test]
    fn records_of_one_kind_are_those_with_the_same_fields_or_with_others_below() {
        let rows = [
            (r#"{"id":1,"kids":[{"id":2}]}"#, true),
            (r#"{"id":1,"kids":[{"id":2},{"id":3}]}"#, true),
            (r#"{"id":1,"kids":[{"id":2},{"x":3}]}"#, false),
            (r#"{"id":1,"n":0,"kids":[{"id":2}]}"#, false),
            (r#"{"id":1,"kids":[{"kids":[],"x":1}]}"#, true),
            (r#"{"id":1,"kids":[{"kids":[],"x":1},{"y":1}]}"#, true),
            (r#"{"id":1,"kids":[{"kids":5,"x":1}]}"#, false),
            (r#"{"id":1,"kids":[{"other":[],"x":1}]}"#, false),
            (r#"{"kids":[{}]}"#, false),
            (r#"{"id":1,"kids":[]}"#, false),
            (r#"{"id":1,"kids":[7]}"#, false),
        ];
        for (record, expected) in rows {
            assert_eq!(holding_key(record), expected.then_some("\"kids\""), "{record}");
        }
    }

    #[test]
    fn a_label_is_a_short_text_or_a_number() {
        let text = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2));
        let rows = [
            (text(3), true),
            ("7".to_owned(), true),
            (text(MOST_LABEL_BYTES), true),
            (text(MOST_LABEL_BYTES + 1), false),
            ("true".to_owned(), false),
            ("[1]".to_owned(), false),
        ];
        for (value, expected) in rows {
            assert_eq!(is_label(&value), expected, "{value}");
        }
    }

    #[test]
    fn a_tree_whose_paths_would_be_most_of_it_stays_as_it_is() {
        let name = "n".repeat(MOST_LABEL_BYTES - 2);
        let level = format!(r#"{{"name":"{name}","children":["#);
        let deep = format!("{}{}", level.repeat(100), "]}".repeat(100));
        assert!(nodes_of(&[&deep]).is_some(), "small trees may grow");
        let many: Vec<String> = (0..100).map(|_| deep.clone()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(nodes_of(&many), None);
    }
}
