//! The table of strategies as a picture: a bar for the tokens that an answer takes, on a scale of powers of ten.

use std::fmt::Write;

use super::table::{Row, thousands};

const WIDTH: f64 = 860.0;
/// Where bars begin and how long the longest is.
const BARS: (f64, f64) = (300.0, 400.0);
const HEIGHT: f64 = 30.0;
const TOP: f64 = 64.0;
/// The ends of the scale, in tokens.
const SCALE: (f64, f64) = (100.0, 100_000.0);

/// The picture as SVG, which follows the reader's choice of a light or a dark page.
pub fn svg(rows: &[Row]) -> String {
    let height = TOP + HEIGHT * rows.len() as f64 + 40.0;
    let mut out = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title">
<title id="title">Tokens read and written for an answer, on average, by strategy</title>
<style>
text {{ font: 13px system-ui, sans-serif; fill: #1f2328; }}
.head {{ font-weight: 600; font-size: 15px; }}
.quiet {{ fill: #59636e; }}
.page {{ fill: #ffffff; }}
.line {{ stroke: #d1d9e0; }}
.theirs {{ fill: #9aa4af; }}
.wrong {{ fill: #d9a3a3; }}
.ours {{ fill: #1f6feb; }}
@media (prefers-color-scheme: dark) {{
text {{ fill: #f0f6fc; }}
.quiet {{ fill: #9198a1; }}
.page {{ fill: #0d1117; }}
.line {{ stroke: #3d444d; }}
.theirs {{ fill: #656c76; }}
.wrong {{ fill: #8a4a4a; }}
.ours {{ fill: #4493f8; }}
}}
</style>
<rect class="page" width="{WIDTH}" height="{height}"/>
<text class="head" x="16" y="26">Tokens read and written for an answer, on average</text>
<text class="quiet" x="{WIDTH}" dx="-16" y="26" text-anchor="end">right answers, calls after the server's own</text>
"#
    );
    let bottom = TOP + HEIGHT * rows.len() as f64;
    for tick in [100_usize, 1000, 10_000, 100_000] {
        let x = place(tick as f64);
        writeln!(out, r#"<line class="line" x1="{x:.0}" x2="{x:.0}" y1="{:.0}" y2="{bottom:.0}"/>"#, TOP - 12.0)
            .and_then(|()| {
                let label = thousands(tick);
                writeln!(
                    out,
                    r#"<text class="quiet" x="{x:.0}" y="{:.0}" text-anchor="middle">{label}</text>"#,
                    bottom + 20.0
                )
            })
            .expect("a text takes all");
    }
    for (number, row) in rows.iter().enumerate() {
        bar(&mut out, row, TOP + HEIGHT * number as f64).expect("a text takes all");
    }
    out + "</svg>\n"
}

fn bar(out: &mut String, row: &Row, y: f64) -> std::fmt::Result {
    let (right, all) = (row.right(), row.outcomes.len());
    let class = match super::strategies::is_ours(row.name) {
        true => "ours",
        false if right < all => "wrong",
        false => "theirs",
    };
    let (end, middle) = (place(row.cost()), y + 13.0);
    writeln!(out, r#"<text x="16" y="{middle:.0}">{}</text>"#, short(row.name))?;
    writeln!(
        out,
        r#"<rect class="{class}" x="{}" y="{y:.0}" width="{:.0}" height="18" rx="3"/>"#,
        BARS.0,
        end - BARS.0
    )?;
    let cost = thousands(row.cost().round() as usize);
    writeln!(out, r#"<text x="{:.0}" y="{middle:.0}">{cost}</text>"#, end + 8.0)?;
    let calls = row.calls(|_| true);
    let said = format!("{:.0} %, {calls:.2}", 100.0 * right as f64 / all.max(1) as f64);
    writeln!(out, r#"<text class="quiet" x="{WIDTH}" dx="-16" y="{middle:.0}" text-anchor="end">{said}</text>"#)
}

/// Where a number of tokens is on the scale.
fn place(tokens: f64) -> f64 {
    let share = (tokens.max(SCALE.0) / SCALE.0).log10() / (SCALE.1 / SCALE.0).log10();
    BARS.0 + BARS.1 * share.min(1.0)
}

/// A name that fits before a bar.
fn short(name: &str) -> &str {
    match name {
        "inline" => "everything inline",
        "page" => "first page of 5 records",
        "cut" => "head and tail of 6 KB each",
        "chunks" => "saved path, read in chunks",
        "preview" => "mcpagent, threshold 10,000 tokens",
        "preview-1600" => "mcpagent, threshold 1,600 tokens",
        "full" => "lro, full descriptor",
        "compact" => "lro, compact descriptor",
        "bare" => "lro, bare descriptor",
        "envelope" => "lro, envelope",
        other => other,
    }
}
