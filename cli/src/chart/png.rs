//! A drawing as PNG, on a light ground, at twice its size: a font of five by seven dots is read well so.

use std::io;

use super::{Anchor, Drawing, GROUND, Ink, PALETTE, Shape, Size, font};

/// Pixels of a unit of the drawing.
const SCALE: u32 = 2;

/// The bytes of the image.
pub(crate) fn bytes(drawing: &Drawing) -> io::Result<Vec<u8>> {
    let mut canvas = Canvas::of(drawing.width * SCALE, drawing.height * SCALE);
    drawing.shapes.iter().for_each(|shape| canvas.add(shape));
    canvas.encoded(&drawing.title, &drawing.description)
}

/// Pixels, three bytes each.
struct Canvas {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Canvas {
    fn of(width: u32, height: u32) -> Self {
        let mut canvas = Self { width, height, pixels: vec![0; (width * height * 3) as usize] };
        canvas.fill([0.0, 0.0, f64::from(width), f64::from(height)], GROUND[0]);
        canvas
    }

    fn add(&mut self, shape: &Shape) {
        let scale = f64::from(SCALE);
        match shape {
            Shape::Rectangle { x, y, width, height, ink, .. } => {
                self.fill([x * scale, y * scale, (x + width) * scale, (y + height) * scale], colour(*ink));
            }
            Shape::Text { x, y, text, size, anchor, ink } => {
                let dot = if *size == Size::Title { scale * 1.5 } else { scale };
                let width = font::dots(text) as f64 * dot;
                let left = match anchor {
                    Anchor::Start => x * scale,
                    Anchor::Middle => x * scale - width / 2.0,
                    Anchor::End => x * scale - width,
                };
                self.write(text, (left, y * scale - font::HEIGHT as f64 * dot), dot, colour(*ink));
            }
        }
    }

    /// Writes a text from its upper left corner.
    fn write(&mut self, text: &str, (left, top): (f64, f64), dot: f64, colour: u32) {
        for (column, row) in font::lit(text) {
            let (x, y) = (left + column as f64 * dot, top + row as f64 * dot);
            self.fill([x, y, x + dot, y + dot], colour);
        }
    }

    /// Fills the pixels from left and top to right and bottom.
    fn fill(&mut self, edges: [f64; 4], colour: u32) {
        let within = |edge: f64, most: u32| edge.round().clamp(0.0, f64::from(most)) as u32;
        let [left, right] = [edges[0], edges[2]].map(|edge| within(edge, self.width));
        let [top, bottom] = [edges[1], edges[3]].map(|edge| within(edge, self.height));
        let [_, red, green, blue] = colour.to_be_bytes();
        for y in top..bottom {
            for x in left..right {
                let at = ((y * self.width + x) * 3) as usize;
                self.pixels[at..at + 3].copy_from_slice(&[red, green, blue]);
            }
        }
    }

    fn encoded(&self, title: &str, description: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        for (keyword, text) in [("Title", title), ("Description", description)] {
            encoder.add_itxt_chunk(keyword.to_owned(), text.to_owned()).map_err(io::Error::other)?;
        }
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer.write_image_data(&self.pixels).map_err(io::Error::other)?;
        writer.finish().map_err(io::Error::other)?;
        Ok(bytes)
    }
}

fn colour(ink: Ink) -> u32 {
    PALETTE.iter().find(|(listed, ..)| *listed == ink).map_or(0, |(_, light, _)| *light)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_has_its_place_and_its_colour() {
        let shape = Shape::Rectangle { x: 1.0, y: 1.0, width: 2.0, height: 1.0, ink: Ink::Kind(1), tip: None };
        let (title, description) = ("a".to_owned(), "−1 é".to_owned());
        let drawing = Drawing { width: 4, height: 3, title, description, shapes: vec![shape] };
        let image = bytes(&drawing).unwrap();
        let mut reader = png::Decoder::new(io::Cursor::new(image)).read_info().unwrap();
        assert_eq!((reader.info().width, reader.info().height), (8, 6));
        let mut pixels = vec![0; 8 * 6 * 3];
        reader.next_frame(&mut pixels).unwrap();
        let at = |x: usize, y: usize| &pixels[(y * 8 + x) * 3..][..3];
        assert_eq!((at(2, 2), at(5, 3)), (&[0xd9, 0x8a, 0x1f][..], &[0xd9, 0x8a, 0x1f][..]));
        assert_eq!((at(1, 2), at(6, 3), at(2, 4)), (&[255; 3][..], &[255; 3][..], &[255; 3][..]));
    }
}
