use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::*;

/// A terminal that takes a text when the test takes it.
struct SlowTerminal(SyncSender<String>);

impl Write for SlowTerminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        self.0.send(text).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn open() -> (FrameOutput, Receiver<String>) {
    let (sender, taken) = sync_channel(0);
    (FrameOutput::in_background(Box::new(SlowTerminal(sender))), taken)
}

#[test]
fn blocked_terminal_delays_nobody_and_loses_nothing() {
    let (output, taken) = open();
    assert!(output.is_settled());
    output.write("one");
    output.write(" two");
    assert!(!output.is_settled(), "the terminal has taken nothing");
    let reader = thread::spawn(move || taken.iter().collect::<String>());
    output.settle();
    assert!(output.is_settled());
    output.write(" three");
    // The end waits for the rest.
    drop(output);
    assert_eq!(reader.join().unwrap(), "one two three");
}

#[test]
fn closed_terminal_blocks_nobody() {
    let (output, taken) = open();
    drop(taken);
    output.write("one");
    output.settle();
    output.write("two");
    drop(output);
}
