//! The prompt of a run: the person's words, and the texts that go with them.
//!
//! The first part of a prompt is what the person wrote. Each file that the words or `--file` name,
//! and what is piped beside the words, is a part of its own, between two lines with a mark (P-41), so
//! that the model reads it as data. Only words that the person typed name files: those of a prompt
//! that is read from standard input do not.

mod attachment;
mod found_file;
mod mention;
mod piped;
mod reference;
mod server_text;

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use silcrow_console::quantity::size;
use silcrow_event::{Content, ContentPart, DataKey};

use attachment::Attachment;
use piped::PipedInput;

pub(crate) use mention::{unescaped, written};
pub(crate) use server_text::{NamedResource, of_server, with_resources};

use crate::failure::Failure;
use crate::input::Input;
use crate::mcp::DeclaredServer;

/// A prompt with the texts that go with it.
pub(crate) struct ExpandedPrompt {
    pub(crate) content: Content,
    /// The lines that say what goes with the words.
    pub(crate) notices: Vec<String>,
    /// The texts of MCP servers that the words name, which are read once the servers run.
    pub(crate) resources: Vec<NamedResource>,
}

/// Returns the prompt of `silcrow run`, which was typed or is read from standard input.
pub(crate) fn prompt(
    given: Option<&str>,
    files: &[PathBuf],
    root: &Path,
    servers: &[DeclaredServer],
) -> Result<ExpandedPrompt, Failure> {
    let typed = given.filter(|prompt| *prompt != "-");
    let Some(typed) = typed else {
        if given.is_none() && io::stdin().is_terminal() {
            return Err(Failure::given("there is no prompt; try silcrow run \"What is here?\""));
        }
        let text = Input::open(Path::new("-"))?.text()?;
        let attached = named(files)?;
        return assembled(&text, attached, Vec::new(), Vec::new());
    };
    let (words, mut attached, resources) = reference::resolve(typed, root, servers)?;
    attached.extend(named(files)?);
    let waits = files.iter().any(|file| file == Path::new("-"));
    let mut notices = Vec::new();
    match piped::read(waits)? {
        PipedInput::Nothing => {}
        PipedInput::Silent(why) => notices.push(why),
        PipedInput::Text(text) => attached.push(text),
    }
    assembled(&words, attached, notices, resources)
}

/// Returns a prompt that the person typed in a session, with the files that it and `files` name.
pub(crate) fn expand(
    prompt: &str,
    files: &[PathBuf],
    root: &Path,
    servers: &[DeclaredServer],
) -> Result<ExpandedPrompt, Failure> {
    let (words, mut attached, resources) = reference::resolve(prompt, root, servers)?;
    attached.extend(named(files)?);
    assembled(&words, attached, Vec::new(), resources)
}

/// Reads the files of `--file`. Standard input is read with what is piped.
fn named(files: &[PathBuf]) -> Result<Vec<Attachment>, Failure> {
    let files = files.iter().filter(|file| *file != Path::new("-"));
    files.map(|file| Attachment::read(file, &file.display().to_string())).collect()
}

fn assembled(
    words: &str,
    attached: Vec<Attachment>,
    mut notices: Vec<String>,
    resources: Vec<NamedResource>,
) -> Result<ExpandedPrompt, Failure> {
    if words.trim().is_empty() {
        return Err(Failure::given("the prompt is empty; say what you want"));
    }
    let total: usize = attached.iter().map(|file| file.text.len()).sum();
    if total > MOST_IN_ALL {
        return Err(Failure::given(format!(
            "the files of this prompt have {}, and {} go with a prompt at most; let the agent read \
             them with its tools",
            size(total),
            size(MOST_IN_ALL),
        )));
    }
    let mut content = Content::from(words);
    for file in &attached {
        notices.push(push(&mut content, words, file));
    }
    Ok(ExpandedPrompt { content, notices, resources })
}

/// Adds a text to a prompt with these words, as data, and returns the line that says so.
fn push(content: &mut Content, words: &str, file: &Attachment) -> String {
    let about = file.what.about(&file.name);
    let text = format!("{about}\n{}", file.text);
    // No text contains its own mark, because a mark within it is changed.
    let key = DataKey::default().with(words.as_bytes()).with(text.as_bytes());
    content.push(ContentPart::Text(format!("\n{}", key.mark().wrap(&text))));
    format!("with {}: {}", file.name, size(file.text.len()))
}

/// The number of bytes that go with a prompt at most.
const MOST_IN_ALL: usize = 1 << 20;
