//! A drawing as PNG, on a light ground, at twice its size: a font of five by seven dots is read well so.

use super::{Anchor, Drawing, GROUND, Ink, PALETTE, Shape, Size, font};

/// Pixels of a unit of the drawing.
const SCALE: u32 = 2;

/// The bytes of the image.
pub(crate) fn bytes(drawing: &Drawing) -> Vec<u8> {
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

    /// The image: a header, texts, and the pixels, row by row, each behind the byte that says that it is as it is.
    fn encoded(&self, title: &str, description: &str) -> Vec<u8> {
        let size = [self.width.to_be_bytes(), self.height.to_be_bytes()].concat();
        let rows = self.pixels.chunks_exact((self.width * 3) as usize);
        let rows: Vec<u8> = rows.flat_map(|row| [&[0], row].concat()).collect();
        let mut bytes = SIGNATURE.to_vec();
        add(&mut bytes, b"IHDR", &[&size[..], &EIGHT_BITS_OF_RGB].concat());
        add(&mut bytes, b"iTXt", &[b"Title\0\0\0\0\0", title.as_bytes()].concat());
        add(&mut bytes, b"iTXt", &[b"Description\0\0\0\0\0", description.as_bytes()].concat());
        add(&mut bytes, b"IDAT", &miniz_oxide::deflate::compress_to_vec_zlib(&rows, COMPRESSION));
        add(&mut bytes, b"IEND", &[]);
        bytes
    }
}

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// Eight bits for each of three colours; the usual compression and filters; not interlaced.
const EIGHT_BITS_OF_RGB: [u8; 5] = [8, 2, 0, 0, 0];

/// More takes longer and saves a few bytes.
const COMPRESSION: u8 = 6;

/// Adds a chunk: its length, its name, its content, and their checksum.
fn add(bytes: &mut Vec<u8>, name: &[u8; 4], content: &[u8]) {
    let length = u32::try_from(content.len()).expect("a chart has some megabytes at most");
    bytes.extend(length.to_be_bytes());
    let summed = bytes.len();
    bytes.extend(name);
    bytes.extend(content);
    let checksum = crc(&bytes[summed..]);
    bytes.extend(checksum.to_be_bytes());
}

/// The checksum of PNG (CRC-32).
fn crc(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xedb8_8320;
    let of_byte = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 })
    };
    !bytes.iter().fold(!0, of_byte)
}

fn colour(ink: Ink) -> u32 {
    PALETTE.iter().find(|(listed, ..)| *listed == ink).map_or(0, |(_, light, _)| *light)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The content of a chunk.
    fn chunk<'a>(image: &'a [u8], name: &[u8]) -> &'a [u8] {
        let at = image.windows(4).position(|window| window == name).unwrap();
        let length = u32::from_be_bytes(image[at - 4..at].try_into().unwrap()) as usize;
        let end = at + 4 + length;
        assert_eq!(image[end..end + 4], crc(&image[at..end]).to_be_bytes());
        &image[at + 4..end]
    }

    #[test]
    fn a_rectangle_has_its_place_and_its_colour() {
        let shape = Shape::Rectangle { x: 1.0, y: 1.0, width: 2.0, height: 1.0, ink: Ink::Kind(1), tip: None };
        let (title, description) = ("a".to_owned(), "−1 é".to_owned());
        let image = bytes(&Drawing { width: 4, height: 3, title, description, shapes: vec![shape] });
        assert_eq!(chunk(&image, b"IHDR"), [0, 0, 0, 8, 0, 0, 0, 6, 8, 2, 0, 0, 0]);
        let rows = miniz_oxide::inflate::decompress_to_vec_zlib(chunk(&image, b"IDAT")).unwrap();
        let at = |x: usize, y: usize| &rows[y * 25 + 1 + x * 3..][..3];
        assert_eq!((at(2, 2), at(5, 3)), (&[0xd9, 0x8a, 0x1f][..], &[0xd9, 0x8a, 0x1f][..]));
        assert_eq!((at(1, 2), at(6, 3), at(2, 4)), (&[255; 3][..], &[255; 3][..], &[255; 3][..]));
        // As its specification has it.
        assert!(chunk(&image, b"IEND").is_empty());
        assert!(image.ends_with(&[0xae, 0x42, 0x60, 0x82]));
    }
}
