//! The reader of files: line by line, in one of four states.
//!
//! ```text
//! file's header ── === id ──► header ── --- ──► wire ── --- name ──► section ─┐
//!                               ▲                │                    │   ▲   │ --- name
//!                               └──── === id ────┴────────────────────┘   └───┘
//! ```

use std::io::{Error, ErrorKind, Result as IoResult};
use std::path::Path;

use crate::case::KEYS;
use crate::marks::{self, HEAD, TITLE};
use crate::{Case, CaseError, CaseFile, CaseSection, head};

impl CaseFile {
    /// Reads a file of cases.
    ///
    /// # Errors
    ///
    /// Returns an error with the wrong line and a correct form.
    pub fn read(text: &str) -> Result<Self, CaseError> {
        let mut reader = CaseReader::default();
        for (index, line) in text.split('\n').enumerate() {
            reader.push(line, index + 1)?;
        }
        reader.finish()
    }

    /// Reads the file of cases at `path`.
    ///
    /// ```
    /// # let folder = std::env::temp_dir().join(format!("silcrow-cases-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// use silcrow_cases::CaseFile;
    ///
    /// let path = folder.join("greetings.cases");
    /// std::fs::write(&path, "=== hello\n---\nHello.\n")?;
    /// assert_eq!(CaseFile::open(&path)?.cases[0].id, "hello");
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error with the path if the file cannot be read, and also with the line if it is
    /// wrong.
    pub fn open(path: impl AsRef<Path>) -> IoResult<Self> {
        let path = path.as_ref();
        let at = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
        let text =
            std::fs::read_to_string(path).map_err(|error| Error::new(error.kind(), at(&error)))?;
        Self::read(&text).map_err(|error| Error::new(ErrorKind::InvalidData, at(&error)))
    }
}

#[derive(Default)]
struct CaseReader<'a> {
    file: CaseFile,
    /// The line of each case's id.
    titles: Vec<usize>,
    state: ReaderState,
    /// The lines of the open text.
    lines: Vec<&'a str>,
    /// The number of the first of these lines.
    first: usize,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum ReaderState {
    /// In the file's header.
    #[default]
    File,
    /// In a case's header.
    Case,
    /// In the wire of a case.
    Wire,
    /// In a section after it.
    Section,
}

impl<'a> CaseReader<'a> {
    fn push(&mut self, line: &'a str, number: usize) -> Result<(), CaseError> {
        let at = |message: String| CaseError::new(number, message);
        if let Some(rest) = line.strip_prefix(TITLE) {
            self.close()?;
            marks::check(line).map_err(at)?;
            return self.title(rest, number);
        }
        if let Some(rest) = line.strip_prefix(HEAD) {
            self.close_text()?;
            marks::check(line).map_err(at)?;
            self.head(rest).map_err(at)?;
            self.first = number + 1;
            return Ok(());
        }
        match self.state {
            ReaderState::File | ReaderState::Case if line.is_empty() => {}
            ReaderState::File => add(&mut self.file.header, line).map_err(at)?,
            ReaderState::Case => add(&mut self.case().header, line).map_err(at)?,
            ReaderState::Wire | ReaderState::Section => self.lines.push(line),
        }
        Ok(())
    }

    /// Begins a case.
    fn title(&mut self, rest: &str, number: usize) -> Result<(), CaseError> {
        let id = rest.strip_prefix(' ').filter(|id| !id.starts_with(' ') && !id.is_empty());
        let id = id.ok_or_else(|| {
            let what =
                format!("`{TITLE}{rest}` names no case: write `=== id`, and ⟨3d⟩== in a text");
            CaseError::new(number, what)
        })?;
        if let Some(other) = self.file.cases.iter().position(|case| case.id == id) {
            let line = self.titles[other];
            return Err(CaseError::new(number, format!("the case on line {line} is `{id}` too")));
        }
        self.file.cases.push(Case { id: id.to_owned(), ..Case::default() });
        self.titles.push(number);
        self.state = ReaderState::Case;
        Ok(())
    }

    /// Begins the wire or a section.
    fn head(&mut self, rest: &str) -> Result<(), String> {
        match (self.state, rest) {
            (ReaderState::File, _) => Err("a line `=== id` begins a case".to_owned()),
            (ReaderState::Case, "") => {
                self.state = ReaderState::Wire;
                Ok(())
            }
            (ReaderState::Case, _) => {
                Err("the first section is the wire, after a line `---`".to_owned())
            }
            (_, "") => Err("the case has a wire; a section has a name: `--- name`".to_owned()),
            (_, rest) => {
                let head = rest.strip_prefix(' ').filter(|head| !head.is_empty());
                let head = head.ok_or_else(|| {
                    format!("`{HEAD}{rest}` begins no section: in a text, write ⟨2d⟩--")
                })?;
                let section = head::read(head)?;
                self.case().sections.push(section);
                self.state = ReaderState::Section;
                Ok(())
            }
        }
    }

    /// Ends the open case.
    fn close(&mut self) -> Result<(), CaseError> {
        self.close_text()?;
        if self.state == ReaderState::Case {
            let message = "the case has no wire: write `---` and the text after its header";
            return Err(CaseError::new(self.titles[self.titles.len() - 1], message));
        }
        let Self { file: CaseFile { header, cases }, .. } = self;
        if let Some(case) = cases.last_mut() {
            case.inherit(header);
        }
        Ok(())
    }

    /// Ends the open text.
    fn close_text(&mut self) -> Result<(), CaseError> {
        let text = marks::decode(&std::mem::take(&mut self.lines), self.first);
        match self.state {
            ReaderState::File | ReaderState::Case => {}
            ReaderState::Wire => self.case().wire = text?,
            ReaderState::Section => {
                let first = self.first;
                let section = self.section();
                section.text = text?;
                section.check().map_err(|message| CaseError::new(first - 1, message))?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<CaseFile, CaseError> {
        self.close()?;
        Ok(self.file)
    }

    fn case(&mut self) -> &mut Case {
        self.file.cases.last_mut().expect("the state says that a case is open")
    }

    fn section(&mut self) -> &mut CaseSection {
        self.case().sections.last_mut().expect("the state says that a section is open")
    }
}

/// Adds a line of a header to it.
fn add(header: &mut Vec<(String, String)>, line: &str) -> Result<(), String> {
    marks::check(line)?;
    let pair = line.split_once(": ").filter(|(_, value)| value.trim() == *value);
    let (key, value) = pair.ok_or_else(|| format!("`{line}` is not `key: value`"))?;
    if !KEYS.contains(&key) {
        return Err(format!("`{key}` is not a key; the keys are {}", KEYS.join(", ")));
    }
    if header.iter().any(|(other, _)| other == key) {
        return Err(format!("the key `{key}` is given twice"));
    }
    header.push((key.to_owned(), value.to_owned()));
    Ok(())
}
