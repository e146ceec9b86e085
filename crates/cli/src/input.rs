//! Reading of a file or of standard input, whole or in pieces.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::failure::Failure;

/// A file to read, or standard input for `-`.
pub(crate) struct Input {
    name: String,
    source: Box<dyn Read>,
}

impl Input {
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            return Ok(Self { name: "standard input".to_owned(), source: Box::new(io::stdin()) });
        }
        let name = path.display().to_string();
        let file = File::open(path).and_then(|file| {
            if file.metadata()?.is_dir() {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
            }
            Ok(file)
        });
        match file {
            Ok(file) => Ok(Self { name, source: Box::new(file) }),
            Err(error) => Err(unreadable(&name, &error)),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the bytes of the next read, which are empty at the end.
    pub(crate) fn next<'b>(&mut self, buffer: &'b mut [u8]) -> Result<&'b [u8], Failure> {
        loop {
            match self.source.read(buffer) {
                Ok(len) => return Ok(&buffer[..len]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(&self.name, &error)),
            }
        }
    }

    pub(crate) fn all(mut self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        match self.source.read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(error) => Err(unreadable(&self.name, &error)),
        }
    }

    /// Reads everything as text.
    pub(crate) fn text(self) -> Result<String, Failure> {
        let name = self.name.clone();
        String::from_utf8(self.all()?).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::given(format!("{name} is not UTF-8 text: byte {at} is invalid"))
        })
    }
}

/// Returns the failure about a file that cannot be read.
pub(crate) fn unreadable(name: &str, error: &io::Error) -> Failure {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "the file does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    };
    Failure::given(format!("cannot read {name}: {why}"))
}
