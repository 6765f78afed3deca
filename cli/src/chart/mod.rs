//! A drawing of rectangles, lines and texts, as SVG and as PNG. Whoever draws says what a colour means, and each form
//! says what it looks like.

mod font;
pub(crate) mod png;
pub(crate) mod svg;

/// A drawing.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// For readers that do not see it.
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) shapes: Vec<Shape>,
}

/// What is drawn, in the order in which it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Rectangle {
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        ink: Ink,
        /// Shown where a reader points at it.
        tip: Option<String>,
    },
    Text {
        x: f64,
        /// Of the line on which the letters stand.
        y: f64,
        text: String,
        size: Size,
        anchor: Anchor,
        ink: Ink,
    },
}

/// What a colour means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    Text,
    /// Text that explains.
    Muted,
    /// The axis.
    Axis,
    /// Lines behind the bars.
    Grid,
    /// The bars of one kind.
    Kind(usize),
}

/// The size of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Small,
    Title,
}

/// The end of a text that its place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How many kinds have a colour of their own.
pub(crate) const KINDS: usize = 7;

/// Colours on a light and on a dark ground. Those of kinds are told apart without red and green; the last is for the rest.
type Palette = [(Ink, u32, u32); KINDS + 4];

const PALETTE: Palette = [
    (Ink::Text, 0x1f2328, 0xe6e9ed),
    (Ink::Muted, 0x59636e, 0x9aa4af),
    (Ink::Axis, 0x59636e, 0x9aa4af),
    (Ink::Grid, 0xe4e7eb, 0x2b3138),
    (Ink::Kind(0), 0x2f6fb0, 0x6aa9e9),
    (Ink::Kind(1), 0xd98a1f, 0xf0b355),
    (Ink::Kind(2), 0x2a9d8f, 0x5cc9bb),
    (Ink::Kind(3), 0x8a5fb5, 0xb893e0),
    (Ink::Kind(4), 0xb0436c, 0xe07fa5),
    (Ink::Kind(5), 0x7d8b2f, 0xb9c766),
    (Ink::Kind(6), 0x8b949e, 0x7d8590),
];

/// The ground, light and dark.
const GROUND: [u32; 2] = [0xffffff, 0x0f1318];
