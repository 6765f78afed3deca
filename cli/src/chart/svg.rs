//! A drawing as SVG, light or dark as its reader prefers.

use std::fmt::Write;

use super::{Anchor, Drawing, GROUND, Ink, PALETTE, Shape, Size};

/// The text of the image.
pub(crate) fn text(drawing: &Drawing) -> String {
    let Drawing { width, height, title, description, shapes } = drawing;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-labelledby=\"title description\">\n<title id=\"title\">{}</title>\n\
         <desc id=\"description\">{}</desc>\n<style>\n{}</style>\n<rect class=\"ground\" width=\"{width}\" \
         height=\"{height}\"/>\n",
        escaped(title),
        escaped(description),
        style()
    );
    shapes.iter().for_each(|shape| add(&mut svg, shape));
    svg.push_str("</svg>\n");
    svg
}

fn style() -> String {
    let rules = |is_dark: bool| {
        let colour = |light: u32, dark: u32| if is_dark { dark } else { light };
        let mut rules = format!("  .ground {{ fill: #{:06x} }}\n", colour(GROUND[0], GROUND[1]));
        for (ink, light, dark) in PALETTE {
            // Writing to a text does not fail.
            _ = writeln!(rules, "  .{} {{ fill: #{:06x} }}", class(ink), colour(light, dark));
        }
        rules
    };
    format!(
        "  text {{ font: 12px system-ui, sans-serif; font-variant-numeric: tabular-nums }}\n  .large {{ font-size: 16px; \
         font-weight: 600 }}\n{}@media (prefers-color-scheme: dark) {{\n{}}}\n",
        rules(false),
        rules(true)
    )
}

fn class(ink: Ink) -> String {
    match ink {
        Ink::Text => "text".to_owned(),
        Ink::Muted => "muted".to_owned(),
        Ink::Axis => "axis".to_owned(),
        Ink::Grid => "grid".to_owned(),
        Ink::Kind(kind) => format!("kind{kind}"),
    }
}

fn add(svg: &mut String, shape: &Shape) {
    // Writing to a text does not fail.
    _ = match shape {
        Shape::Rectangle { x, y, width, height, ink, tip } => {
            let place = format!("x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"");
            let class = class(*ink);
            match tip {
                Some(tip) => {
                    writeln!(svg, "<rect class=\"{class}\" {place}><title>{}</title></rect>", escaped(tip))
                }
                None => writeln!(svg, "<rect class=\"{class}\" {place}/>"),
            }
        }
        Shape::Text { x, y, text, size, anchor, ink } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let large = if *size == Size::Title { " large" } else { "" };
            let (class, text) = (class(*ink), escaped(text));
            writeln!(
                svg,
                "<text class=\"{class}{large}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
            )
        }
    };
}

/// Names of tools come from elsewhere.
fn escaped(text: &str) -> String {
    let text = crate::output::printable(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_data() {
        let text = Shape::Text {
            x: 1.0,
            y: 2.0,
            text: "<script>\"&\u{1b}".to_owned(),
            size: Size::Small,
            anchor: Anchor::End,
            ink: Ink::Muted,
        };
        let (title, description) = ("a < b".to_owned(), "c & d".to_owned());
        let svg = super::text(&Drawing { width: 10, height: 20, title, description, shapes: vec![text] });
        assert!(svg.contains("text-anchor=\"end\">&lt;script&gt;&quot;&amp;\\u{1b}</text>"), "{svg}");
        assert!(svg.contains("<title id=\"title\">a &lt; b</title>") && svg.contains("c &amp; d"), "{svg}");
        assert!(svg.contains("prefers-color-scheme: dark") && svg.contains("role=\"img\""), "{svg}");
    }
}
