//! A text as an attachment of a prompt, and the conversion of a file to one.
//!
//! This module never waits: pipes and devices are not read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;

use silcrow_event::MediaRef;
use silcrow_media::FitLimits;
use silcrow_system::SystemOpen as _;
use silcrow_term::plural;
use silcrow_term::quantity::size;
use silcrow_tool::closest_names;

use super::medium_start::{SNIFFED, is_medium};
use super::mention::MentionedLines;
use crate::error::Error;

/// A text as an attachment of a prompt.
///
/// ```
/// use silcrow_session::prompt::{Attachment, MentionedLines};
///
/// # let file = std::env::temp_dir().join(format!("silcrow-lines-{}", std::process::id()));
/// std::fs::write(&file, "one\ntwo\nthree\n").unwrap();
/// let lines = MentionedLines { first: 2, last: 9 };
/// let attachment = Attachment::read_lines(&file, "notes.md", lines)?;
/// assert_eq!((&*attachment.name, &*attachment.text), ("notes.md:2-9", "two\nthree\n"));
/// let error = Attachment::read_lines(&file, "notes.md", MentionedLines { first: 4, last: 4 });
/// assert_eq!(error.unwrap_err().to_string(), "notes.md:4: the file has only 3 lines");
/// # std::fs::remove_file(&file).unwrap();
/// # Ok::<_, silcrow_session::Error>(())
/// ```
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a text has a name and a place")]
pub struct Attachment {
    /// The name, as the person wrote it.
    pub name: String,
    /// The place that the text is from.
    pub what: AttachedSource,
    /// The text itself; for a picture or another file for the model, the line that stands for it, maybe with
    /// a remark.
    pub text: String,
    /// The picture, document or sound.
    pub medium: Option<Box<MediaRef>>,
}

/// The source of the text of an attachment.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum AttachedSource {
    /// A file, or lines of one.
    File,
    /// The names in a folder.
    Folder,
    /// The text that was piped to the program.
    Input,
    /// A text of an MCP server.
    Resource,
    /// A prompt of an MCP server.
    Prompt,
    /// The output of a command that the person has run.
    OwnCommand,
    /// The instructions of a skill that the person starts.
    Skill,
    /// The words of a hook.
    Hook,
}

impl AttachedSource {
    /// Returns the line above the text.
    pub fn about(self, name: &str) -> String {
        // A name cannot begin a new line.
        let name = silcrow_sanitize::sanitize_line(name);
        match self {
            Self::File => format!("The file {name}:"),
            Self::Folder => format!("The folder {name}:"),
            Self::Input => format!("The {name} of this run:"),
            Self::Resource => format!("The text {name} of an MCP server:"),
            Self::Prompt => format!("The prompt {name} of an MCP server:"),
            Self::Skill => format!("The skill {name}, whose instructions the person trusts:"),
            Self::Hook => "A hook of the person says:".to_owned(),
            Self::OwnCommand => format!("The person has run `{name}`, which printed:"),
        }
    }
}

impl Attachment {
    /// Reads a file, or lists a folder.
    pub fn read(path: &Path, name: &str) -> Result<Self, Error> {
        let fail = |error: &io::Error| missing(path, name, error);
        let name = name.to_owned();
        let found = fs::metadata(path).map_err(|error| fail(&error))?;
        if found.is_dir() {
            let text = listing(path).map_err(|error| fail(&error))?;
            return Ok(Self { name, what: AttachedSource::Folder, text, medium: None });
        }
        if let Some(attached) = read_medium(path, &name)? {
            return Ok(attached);
        }
        let read = read_regular(path, MOST_BYTES).map_err(|error| fail(&error))?;
        let bytes = read.ok_or_else(|| irregular(&name))?;
        if bytes.len() > MOST_BYTES {
            return Err(Error::given(format!(
                "{name} has {}, and a file in a prompt has at most {}; let the agent read it with \
                 its tools",
                size(usize::try_from(found.len()).unwrap_or(usize::MAX)),
                size(MOST_BYTES),
            )));
        }
        let text = text(bytes, &name)?;
        Ok(Self { name, what: AttachedSource::File, text, medium: None })
    }

    /// Reads lines of a file.
    pub fn read_lines(path: &Path, name: &str, lines: MentionedLines) -> Result<Self, Error> {
        let MentionedLines { first, last } = lines;
        let shown = match first == last {
            true => format!("{name}:{first}"),
            false => format!("{name}:{first}-{last}"),
        };
        let read = lines_of(path, lines).map_err(|error| missing(path, name, &error))?;
        let FoundLines { bytes, count } = read.ok_or_else(|| irregular(name))?;
        if count < first {
            let why = format!("{shown}: the file has only {}", plural::count(count as u64, "line"));
            return Err(Error::given(why));
        }
        if bytes.len() > MOST_BYTES {
            let most = size(MOST_BYTES);
            let why = format!("{shown} has more than {most}, the most of a file in a prompt");
            return Err(Error::given(why));
        }
        let text = text(bytes, &shown)?;
        Ok(Self { name: shown, what: AttachedSource::File, text, medium: None })
    }
}

/// Reads a picture, a document or a sound as an attachment of a prompt, or returns `None` for
/// another file.
///
/// # Errors
///
/// Returns an error for one that cannot be sent, with the reason.
fn read_medium(path: &Path, name: &str) -> Result<Option<Attachment>, Error> {
    let fail = |error: &io::Error| missing(path, name, error);
    let start = read_regular(path, SNIFFED).map_err(|error| fail(&error))?;
    if !start.is_some_and(|start| is_medium(&start)) {
        return Ok(None);
    }
    let read = read_regular(path, FitLimits::default().read_bytes).map_err(|error| fail(&error))?;
    Attachment::of_medium(&read.unwrap_or_default(), name, AttachedSource::File)
}

fn irregular(name: &str) -> Error {
    Error::given(format!("{name} is not a regular file"))
}

/// Reads lines of a regular file, with their ends. A file that is shorter has fewer.
fn lines_of(path: &Path, lines: MentionedLines) -> io::Result<Option<FoundLines>> {
    let Some(file) = opened(path)? else { return Ok(None) };
    let mut reader = BufReader::new(file.take(MOST_SEARCHED));
    let (mut bytes, mut line, mut count) = (Vec::new(), Vec::new(), 0);
    while count < lines.last && bytes.len() <= MOST_BYTES {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        count += 1;
        if count >= lines.first {
            bytes.extend_from_slice(&line);
        }
    }
    Ok(Some(FoundLines { bytes, count }))
}

/// Lines of a file, and the number of the last line that was read.
struct FoundLines {
    bytes: Vec<u8>,
    count: usize,
}

/// Reads a regular file up to one byte more than `most`. Returns `None` for a pipe, a device or a socket,
/// without waiting for it.
fn read_regular(path: &Path, most: usize) -> io::Result<Option<Vec<u8>>> {
    let Some(file) = opened(path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Opens a regular file, or returns `None` for something else.
fn opened(path: &Path) -> io::Result<Option<File>> {
    // Opening a FIFO would otherwise wait for its writer.
    let file: File = OpenOptions::new().read(true).without_waiting().open(path)?;
    Ok(file.metadata()?.is_file().then_some(file))
}

/// Returns bytes as the text of something with this name.
///
/// ```
/// use silcrow_session::prompt::text;
///
/// // A byte order mark is not part of the text.
/// assert_eq!(text("\u{feff}hello".into(), "notes.md")?, "hello");
/// let error = text(b"\xff\xfeh\0".to_vec(), "notes.md").unwrap_err();
/// assert!(error.to_string().contains("iconv -f UTF-16 -t UTF-8"), "{error}");
/// # Ok::<_, silcrow_session::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error that says why they are not text.
pub fn text(bytes: Vec<u8>, name: &str) -> Result<String, Error> {
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = &bytes[..] {
        let way = format!("{name} is UTF-16; convert it with iconv -f UTF-16 -t UTF-8");
        return Err(Error::given(way));
    }
    if bytes.contains(&0) {
        return Err(Error::given(format!("{name} is a binary file; a prompt takes text")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::given(format!(
            "{name} is not UTF-8 text: byte {at} is invalid; convert it with iconv -t UTF-8"
        ))
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Returns the names in a folder, sorted.
fn listing(path: &Path) -> io::Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let end = if entry.path().is_dir() { "/" } else { "" };
        let name = entry.file_name().to_string_lossy().into_owned();
        names.push(format!("{}{end}", silcrow_sanitize::sanitize_line(&name)));
    }
    names.sort_unstable();
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    if more > 0 {
        names.push(format!("[and {more} more]"));
    }
    Ok(names.join("\n"))
}

/// Returns the failure about a file that cannot be read, with the names that are close.
fn missing(path: &Path, name: &str, error: &io::Error) -> Error {
    let failure = Error::unreadable(name, error);
    if error.kind() != io::ErrorKind::NotFound {
        return failure;
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let entries =
        fs::read_dir(parent.unwrap_or_else(|| Path::new("."))).into_iter().flatten().flatten();
    let names: Vec<_> =
        entries.take(MOST_NAMES).filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let typed = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let close = closest_names(typed, names.iter().map(String::as_str));
    match &close[..] {
        [] => failure,
        close => failure.with_way_on(&format!("; there is {}", close.join(", "))),
    }
}

/// The number of bytes of a file in a prompt at most.
pub const MOST_BYTES: usize = 256 << 10;

/// The number of bytes that are searched for lines.
const MOST_SEARCHED: u64 = 256 << 20;

/// The number of names of a folder at most.
const MOST_NAMES: usize = 500;
