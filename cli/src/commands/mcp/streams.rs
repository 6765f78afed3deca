//! Standard input and output, each with a thread that blocks: so it does not matter whether they are pipes, sockets, files or
//! terminals, and whether somebody made them non-blocking.

use std::io::{self, ErrorKind, Read, Write};
use std::thread;

use tokio::sync::{mpsc, oneshot};

use crate::output;
use crate::patient::Patient;

/// What is read at once: what a pipe holds.
const BLOCK_BYTES: usize = 1 << 16;

/// Blocks that wait to be looked at.
const MOST_BLOCKS: usize = 4;

/// Messages that wait to be written.
const MOST_WAITING: usize = 16;

/// What is written: a line, or word that all before has been written.
pub(super) enum Written {
    Line(Vec<u8>),
    All(oneshot::Sender<()>),
}

/// What the client says.
pub(super) struct Input {
    blocks: mpsc::Receiver<io::Result<Vec<u8>>>,
    block: Vec<u8>,
    /// How much of the block has been consumed.
    consumed: usize,
}

impl Input {
    /// # Errors
    /// No thread can be started.
    pub(super) fn begin() -> io::Result<Self> {
        let (sender, blocks) = mpsc::channel(MOST_BLOCKS);
        thread::Builder::new().name("lro-input".to_owned()).spawn(move || read_all(&sender))?;
        Ok(Self { blocks, block: Vec::new(), consumed: 0 })
    }

    /// Bytes that have not been consumed; none at the end of the input. Nothing is lost when this is not waited for to the
    /// end.
    ///
    /// # Errors
    /// The input cannot be read.
    pub(super) async fn fill(&mut self) -> io::Result<&[u8]> {
        if self.consumed == self.block.len() {
            self.block = self.blocks.recv().await.transpose()?.unwrap_or_default();
            self.consumed = 0;
        }
        Ok(&self.block[self.consumed..])
    }

    pub(super) fn consume(&mut self, bytes: usize) {
        self.consumed += bytes;
    }
}

fn read_all(blocks: &mpsc::Sender<io::Result<Vec<u8>>>) {
    let (mut input, mut buffer) = (Patient::new(io::stdin()), vec![0; BLOCK_BYTES]);
    loop {
        let (block, is_last) = match input.read(&mut buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Ok(0) => return,
            Ok(bytes) => (Ok(buffer[..bytes].to_vec()), false),
            Err(error) => (Err(error), true),
        };
        // Nobody reads any more when the conversation has ended.
        if blocks.blocking_send(block).is_err() || is_last {
            return;
        }
    }
}

/// Takes what is to be written. It is closed as soon as nothing can be written any more.
///
/// # Errors
/// No thread can be started.
pub(super) fn output() -> io::Result<mpsc::Sender<Written>> {
    let (sender, mut lines) = mpsc::channel(MOST_WAITING);
    thread::Builder::new().name("lro-output".to_owned()).spawn(move || write_all(&mut lines))?;
    Ok(sender)
}

/// Writes line after line, each of them whole.
fn write_all(lines: &mut mpsc::Receiver<Written>) {
    let mut stream = Patient::new(io::stdout());
    while let Some(written) = lines.blocking_recv() {
        match written {
            Written::Line(line) => {
                if let Err(error) = stream.write_all(&line).and_then(|()| stream.flush()) {
                    return output::cannot_write(&error);
                }
            }
            // Who does not wait does not want to know.
            Written::All(sender) => _ = sender.send(()),
        }
    }
}
