//! A run's prompt: the person's words, and the texts that go with them.
//!
//! The first part of a prompt is the person's text. Each file named by the words or by `--file`,
//! and piped input, is a separate part between two lines with a mark (P-41), so that the model
//! reads it as data. Only words that the person typed can name files; a prompt from standard input
//! cannot.

mod attached_medium;
mod attachment;
mod found_file;
mod medium_start;
mod mention;
mod pasted_files;
mod reference;
mod server_text;

use std::path::{Path, PathBuf};

use silcrow_event::{Content, ContentPart, DataKey};
use silcrow_settings::DeclaredServer;
use silcrow_term::quantity::size;

pub use attachment::{AttachedSource, Attachment, MOST_BYTES, text};
pub use medium_start::is_medium;
pub use mention::{MentionedLines, unescaped, written};
pub use pasted_files::pasted_files;
pub use server_text::{NamedResource, of_server, with_resources};

use crate::error::Error;

/// A prompt with the texts that go with it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExpandedPrompt {
    /// The words, and each text as a part.
    pub content: Content,
    /// The lines that describe the attachments.
    pub notices: Vec<String>,
    /// The texts of MCP servers that the words name, which are read once the servers run.
    pub resources: Vec<NamedResource>,
}

/// Returns a prompt that the person typed, with the files and the texts of `servers` that it names.
/// Names of files are relative to `root`.
///
/// ```
/// use silcrow_session::prompt::expand;
///
/// # let folder = std::env::temp_dir().join(format!("silcrow-prompt-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # std::fs::write(folder.join("notes.md"), "Milk").unwrap();
/// # let root = &*folder;
/// let prompt = expand("What is in @notes.md?", root, &[]).unwrap();
/// assert_eq!(prompt.notices, ["with notes.md: 4 B"]);
/// assert_eq!(prompt.content.parts().len(), 2);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// ```
///
/// # Errors
///
/// Returns an error for an empty prompt, and for files that cannot be read, are not text or are too
/// long.
pub fn expand(
    prompt: &str,
    root: &Path,
    servers: &[DeclaredServer],
) -> Result<ExpandedPrompt, Error> {
    PromptDraft::typed(prompt, root, servers)?.build()
}

/// Reads the files that a person names beside the words. Standard input, `-`, is left out.
///
/// # Errors
///
/// Returns an error for files that cannot be read, are not text or are too long.
pub fn named_files(files: &[PathBuf]) -> Result<Vec<Attachment>, Error> {
    let files = files.iter().filter(|file| *file != Path::new("-"));
    files.map(|file| Attachment::read(file, &file.display().to_string())).collect()
}

/// A prompt that is still being extended with texts.
///
/// ```
/// use silcrow_session::prompt::PromptDraft;
///
/// let prompt = PromptDraft::of_words("What is this @nothing?").build().unwrap();
/// assert_eq!(prompt.content.text(), "What is this @nothing?");
/// assert!(PromptDraft::of_words(" ").build().is_err());
/// ```
#[derive(Clone, Debug)]
pub struct PromptDraft {
    words: String,
    attached: Vec<Attachment>,
    resources: Vec<NamedResource>,
}

impl PromptDraft {
    /// Begins a prompt that the person typed, with the files and the texts of `servers` that it names.
    ///
    /// # Errors
    ///
    /// Returns an error for files that cannot be read, are not text or are too long.
    pub fn typed(prompt: &str, root: &Path, servers: &[DeclaredServer]) -> Result<Self, Error> {
        let (words, attached, resources) = reference::resolve(prompt, root, servers)?;
        Ok(Self { words, attached, resources })
    }

    /// Begins a prompt of words that name nothing, such as the input of a pipe.
    pub fn of_words(words: impl Into<String>) -> Self {
        Self { words: words.into(), attached: Vec::new(), resources: Vec::new() }
    }

    /// Adds texts.
    pub fn add(&mut self, texts: impl IntoIterator<Item = Attachment>) {
        self.attached.extend(texts);
    }

    /// Returns the prompt.
    ///
    /// # Errors
    ///
    /// Returns an error for an empty prompt, and for texts that are too long together.
    pub fn build(self) -> Result<ExpandedPrompt, Error> {
        let Self { words, attached, resources } = self;
        if words.trim().is_empty() {
            return Err(Error::given("the prompt is empty; say what you want"));
        }
        let total: usize = attached.iter().map(|file| file.text.len()).sum();
        if total > MOST_IN_ALL {
            return Err(Error::given(format!(
                "the files of this prompt have {}, and {} go with a prompt at most; let the agent \
                 read them with its tools",
                size(total),
                size(MOST_IN_ALL),
            )));
        }
        let (mut content, mut notices) = (Content::from(&*words), Vec::new());
        for file in &attached {
            notices.push(attach(&mut content, &words, file));
        }
        Ok(ExpandedPrompt { content, notices, resources })
    }
}

/// Adds a text to a prompt with these words, as data, and returns the line that says so.
pub(crate) fn attach(content: &mut Content, words: &str, file: &Attachment) -> String {
    if let Some(medium) = &file.medium {
        let mut medium = medium.clone();
        if !medium.text.is_empty() {
            let text = format!("The text of {}:\n{}", medium.line(), medium.text);
            medium.text = wrapped(words, &text);
        }
        content.push(ContentPart::Media(medium));
        return format!("with {}", file.text.trim_matches(['[', ']']));
    }
    let about = file.what.about(&file.name);
    let text = format!("{about}\n{}", file.text);
    content.push(ContentPart::Text(format!("\n{}", wrapped(words, &text))));
    format!("with {}: {}", file.name, size(file.text.len()))
}

/// Returns a text as data beside words.
fn wrapped(words: &str, text: &str) -> String {
    // No text contains its own mark, because a mark within it is changed.
    let key = DataKey::default().with_bytes(words.as_bytes()).with_bytes(text.as_bytes());
    key.mark().wrap(text)
}

/// The number of bytes that go with a prompt at most.
const MOST_IN_ALL: usize = 1 << 20;
