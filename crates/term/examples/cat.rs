//! Shows a Markdown file, or standard input, on a terminal.
//!
//! Run `cargo run -p silcrow-term --features syntax --example cat -- README.md`. A second argument is
//! the number of columns.

use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::{env, fs};

use silcrow_term::{MarkdownStream, Options, Theme};

fn main() -> io::Result<()> {
    let mut args = env::args().skip(1);
    let text = match args.next().filter(|path| path != "-") {
        Some(path) => fs::read_to_string(path)?,
        None => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text)?;
            text
        }
    };
    let width = args.next().and_then(|width| width.parse().ok()).unwrap_or(80);
    let mut out = io::stdout().lock();
    let theme = if out.is_terminal() { Theme::DARK } else { Theme::PLAIN };

    let mut stream = MarkdownStream::new(&Options::new(width));
    for line in text.split_inclusive('\n') {
        stream.push(line);
        for line in stream.take_done() {
            writeln!(out, "{}", line.to_ansi(&theme))?;
        }
    }
    for line in stream.finish() {
        writeln!(out, "{}", line.to_ansi(&theme))?;
    }
    Ok(())
}
