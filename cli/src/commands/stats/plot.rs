//! The chart: a bar for each day, what was saved above the axis and what was lost below, stacked by tool.

use std::collections::BTreeMap;

use crate::chart::{Anchor, Drawing, Ink, KINDS, Shape, Size};
use crate::figures::grouped;

/// Differences by day, and in each day by tool: what is saved is negative.
type Days = BTreeMap<String, BTreeMap<String, i64>>;

const WIDTH: f64 = 840.0;
const HEIGHT: f64 = 420.0;
/// Where the bars are.
const LEFT: f64 = 76.0;
const RIGHT: f64 = 820.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 330.0;
/// A wider bar would look like another kind of chart.
const WIDEST_BAR: f64 = 44.0;
/// A day needs some pixels.
const MOST_DAYS: usize = 120;
/// Labels of days below the axis.
const MOST_LABELS: usize = 8;
/// What the legend shows of a name.
const LEGEND_CHARACTERS: usize = 36;
const LEGEND_COLUMNS: usize = 3;

/// Draws the last days. Days in between without results have no bar, and no room: each bar says its day.
pub(super) fn drawing(all: &Days) -> Drawing {
    let days: Vec<(&String, &BTreeMap<String, i64>)> = all.iter().rev().take(MOST_DAYS).collect();
    let days: Vec<_> = days.into_iter().rev().collect();
    let kinds = kinds(&days);
    let scale = Scale::of(&days);
    let mut shapes = headings(&days);
    shapes.extend(scale.lines());
    for (index, (day, tools)) in days.iter().enumerate() {
        shapes.extend(bar(index, days.len(), day, tools, &kinds, &scale));
    }
    shapes.push(line(scale.y(0.0), Ink::Axis));
    shapes.extend(labels(&days));
    shapes.extend(legend(&kinds));
    let (title, description) = (title(&days), description(&days));
    Drawing { width: WIDTH as u32, height: HEIGHT as u32, title, description, shapes }
}

/// The tools with the largest effects, each of which has a colour, in this order. All others share the last one.
fn kinds(days: &[(&String, &BTreeMap<String, i64>)]) -> Vec<String> {
    let mut effects: BTreeMap<&String, u64> = BTreeMap::new();
    for (tool, difference) in days.iter().flat_map(|(_, tools)| tools.iter()) {
        *effects.entry(tool).or_default() += difference.unsigned_abs();
    }
    let mut tools: Vec<(&String, u64)> = effects.into_iter().filter(|(_, effect)| *effect > 0).collect();
    tools.sort_by_key(|(name, effect)| (std::cmp::Reverse(*effect), *name));
    let others = tools.len() >= KINDS;
    let named = tools.into_iter().take(if others { KINDS - 1 } else { KINDS }).map(|(name, _)| name.clone());
    named.chain(others.then(|| OTHERS.to_owned())).collect()
}

const OTHERS: &str = "others";

/// How tokens become heights.
struct Scale {
    /// Between two lines.
    step: f64,
    above: f64,
    below: f64,
}

impl Scale {
    fn of(days: &[(&String, &BTreeMap<String, i64>)]) -> Self {
        let sum = |tools: &BTreeMap<String, i64>, is_saved: bool| -> f64 {
            tools
                .values()
                .filter(|difference| (**difference < 0) == is_saved)
                .map(|difference| difference.unsigned_abs() as f64)
                .sum()
        };
        let most = |is_saved| days.iter().map(|(_, tools)| sum(tools, is_saved)).fold(0.0, f64::max);
        let (above, below) = (most(true), most(false));
        let step = step((above + below).max(1.0) / 4.0);
        let whole = |tokens: f64| (tokens / step).ceil() * step;
        Self { step, above: whole(above).max(step), below: whole(below) }
    }

    fn y(&self, saved: f64) -> f64 {
        TOP + (self.above - saved) / (self.above + self.below) * (BOTTOM - TOP)
    }

    /// Lines with the tokens that they stand for.
    fn lines(&self) -> Vec<Shape> {
        let count = ((self.above + self.below) / self.step).round() as i64;
        let lowest = -(self.below / self.step).round() as i64;
        let value = |index| (lowest + index) as f64 * self.step;
        (0..=count)
            .flat_map(|index| {
                let (at, y) = (value(index), self.y(value(index)));
                let sign = if at < 0.0 { "−" } else { "" };
                let label = format!("{sign}{}", grouped(at.abs() as u64));
                [line(y, Ink::Grid), text(LEFT - 8.0, y + 4.0, label, Anchor::End, Ink::Muted)]
            })
            .collect()
    }
}

/// One, two or five times a power of ten, at least this much.
fn step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps.into_iter().find(|step| *step >= least).unwrap_or(10.0 * power).max(1.0)
}

/// The pieces of a day, in the order of the legend from the axis on.
fn bar(
    index: usize,
    count: usize,
    day: &str,
    tools: &BTreeMap<String, i64>,
    kinds: &[String],
    scale: &Scale,
) -> Vec<Shape> {
    let kind_of = |tool: &str| kinds.iter().position(|kind| kind == tool).unwrap_or(kinds.len().saturating_sub(1));
    let mut pieces: Vec<(usize, &String, i64)> =
        tools.iter().filter(|(_, difference)| **difference != 0).map(|(tool, at)| (kind_of(tool), tool, *at)).collect();
    pieces.sort_unstable();
    let width = (room(count) * 0.72).min(WIDEST_BAR);
    let x = centre(index, count) - width / 2.0;
    let (mut saved, mut lost) = (0.0, 0.0);
    let piece = |(kind, tool, difference): (usize, &String, i64)| {
        let tokens = difference.unsigned_abs() as f64;
        let (from, to, word) =
            if difference < 0 { (saved, saved + tokens, "saved") } else { (-lost, -lost - tokens, "lost") };
        if difference < 0 {
            saved += tokens
        } else {
            lost += tokens
        }
        let (top, bottom) = (scale.y(from.max(to)), scale.y(from.min(to)));
        let tip = format!("{day}, {tool}: {} {word}", grouped(difference.unsigned_abs()));
        // A gap of a pixel tells pieces apart.
        let height = (bottom - top - 1.0).max(0.5);
        let ink = Ink::Kind(if kinds.get(kind).is_some_and(|name| name == OTHERS) { KINDS - 1 } else { kind });
        Shape::Rectangle { x, y: top, width, height, ink, tip: Some(tip) }
    };
    pieces.into_iter().map(piece).collect()
}

fn room(count: usize) -> f64 {
    (RIGHT - LEFT) / count.max(1) as f64
}

fn centre(index: usize, count: usize) -> f64 {
    LEFT + room(count) * (index as f64 + 0.5)
}

/// The days below the bars, as many as there is room for.
fn labels(days: &[(&String, &BTreeMap<String, i64>)]) -> Vec<Shape> {
    let every = days.len().div_ceil(MOST_LABELS).max(1);
    let labelled = days.iter().enumerate().step_by(every);
    labelled
        .map(|(index, (day, _))| {
            text(centre(index, days.len()), BOTTOM + 20.0, (*day).clone(), Anchor::Middle, Ink::Muted)
        })
        .collect()
}

fn legend(kinds: &[String]) -> Vec<Shape> {
    let column = (RIGHT - LEFT) / LEGEND_COLUMNS as f64;
    let entry = |(index, name): (usize, &String)| {
        let (row, place) = (index / LEGEND_COLUMNS, index % LEGEND_COLUMNS);
        let (x, y) = (LEFT + place as f64 * column, BOTTOM + 44.0 + row as f64 * 18.0);
        let ink = Ink::Kind(if name == OTHERS { KINDS - 1 } else { index });
        let short = shortened(name);
        let mark = Shape::Rectangle { x, y: y - 9.0, width: 10.0, height: 10.0, ink, tip: None };
        [mark, text(x + 16.0, y, short, Anchor::Start, Ink::Text)]
    };
    kinds.iter().enumerate().flat_map(entry).collect()
}

/// The end of a long name tells more than its beginning: `mcp__server__tool`.
fn shortened(name: &str) -> String {
    let characters = name.chars().count();
    match characters > LEGEND_CHARACTERS {
        true => format!("…{}", name.chars().skip(characters + 1 - LEGEND_CHARACTERS).collect::<String>()),
        false => name.to_owned(),
    }
}

fn title(days: &[(&String, &BTreeMap<String, i64>)]) -> String {
    match days {
        [] => "Tokens saved and lost: no results yet".to_owned(),
        [(day, _)] => format!("Tokens saved and lost on {day}"),
        [(first, _), .., (last, _)] => format!("Tokens saved and lost, {first} to {last}"),
    }
}

fn description(days: &[(&String, &BTreeMap<String, i64>)]) -> String {
    let differences = || days.iter().flat_map(|(_, tools)| tools.values());
    let sum =
        |is_saved: bool| -> u64 { differences().filter(|at| (**at < 0) == is_saved).map(|at| at.unsigned_abs()).sum() };
    let [saved, lost] = [true, false].map(|is_saved| grouped(sum(is_saved)));
    format!("{saved} saved (above the axis) and {lost} lost (below), net of responses and extractions.")
}

fn headings(days: &[(&String, &BTreeMap<String, i64>)]) -> Vec<Shape> {
    let (x, y) = (LEFT, 26.0);
    let large = Shape::Text { x, y, text: title(days), size: Size::Title, anchor: Anchor::Start, ink: Ink::Text };
    vec![large, text(x, y + 20.0, description(days), Anchor::Start, Ink::Muted)]
}

fn line(y: f64, ink: Ink) -> Shape {
    Shape::Rectangle { x: LEFT, y: y - 0.5, width: RIGHT - LEFT, height: 1.0, ink, tip: None }
}

fn text(x: f64, y: f64, text: String, anchor: Anchor, ink: Ink) -> Shape {
    Shape::Text { x, y, text, size: Size::Small, anchor, ink }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(rows: &[(&str, &str, i64)]) -> Days {
        let mut days = Days::new();
        for (day, tool, difference) in rows {
            days.entry((*day).to_owned()).or_default().insert((*tool).to_owned(), *difference);
        }
        days
    }

    #[test]
    fn what_is_saved_stands_above_the_axis_and_what_is_lost_below() {
        let drawing =
            drawing(&days(&[("2026-11-23", "a", -4000), ("2026-11-23", "b", 500), ("2026-11-24", "a", -100)]));
        let axis = drawing.shapes.iter().find_map(|shape| match shape {
            Shape::Rectangle { y, ink: Ink::Axis, .. } => Some(y + 0.5),
            _ => None,
        });
        let axis = axis.unwrap();
        let pieces: Vec<(f64, f64, &str)> = drawing.shapes.iter().filter_map(piece).collect();
        assert_eq!(pieces.len(), 3);
        for (top, bottom, tip) in pieces {
            match tip.ends_with("saved") {
                true => assert!(bottom <= axis, "{tip}"),
                false => assert!(top >= axis - 0.001 && tip == "2026-11-23, b: 500 lost", "{tip}"),
            }
        }
        assert!(
            drawing.description.starts_with("4,100 saved (above the axis) and 500 lost"),
            "{}",
            drawing.description
        );
    }

    fn piece(shape: &Shape) -> Option<(f64, f64, &str)> {
        match shape {
            Shape::Rectangle { y, height, tip: Some(tip), .. } => Some((*y, y + height, tip)),
            _ => None,
        }
    }

    #[test]
    fn any_figures_give_a_drawing_within_its_bounds() {
        let many: Vec<(String, String)> =
            (0..300).map(|day| (format!("{:04}-01-01", 2000 + day), format!("tool{}", day % 20))).collect();
        let many: Vec<_> = many.iter().map(|(day, tool)| (day.as_str(), tool.as_str(), -1)).collect();
        for all in [&[][..], &[("2026-11-23", "a", 0)], &[("2026-11-23", "a", 1 << 40)], &many] {
            for shape in drawing(&days(all)).shapes {
                if let Shape::Rectangle { x, y, width, height, .. } = shape {
                    let within = x >= 0.0 && y >= 0.0 && x + width <= WIDTH && y + height <= HEIGHT;
                    assert!(within && width > 0.0 && height > 0.0, "{x} {y} {width} {height}");
                }
            }
        }
        assert_eq!([0.1, 1.0, 3.0, 900.0].map(step), [1.0, 1.0, 5.0, 1000.0]);
    }
}
