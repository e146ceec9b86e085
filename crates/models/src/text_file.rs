//! The text of a whole file, or of standard input.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::error::{Error, ErrorKind};

/// Reads a file, or standard input for `-`.
pub(crate) fn read_text(path: &Path) -> Result<String, Error> {
    let is_input = path == Path::new("-");
    let name = if is_input { "standard input".to_owned() } else { path.display().to_string() };
    let bytes = match is_input {
        true => read_all(io::stdin()),
        false => open(path).and_then(read_all),
    };
    let bytes = bytes.map_err(|error| {
        let why = match error.kind() {
            io::ErrorKind::NotFound => "the file does not exist".to_owned(),
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            _ => error.to_string(),
        };
        Error::new(ErrorKind::File, format!("cannot read {name}: {why}"))
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let why = format!("{name} is not UTF-8 text: byte {at} is invalid");
        Error::new(ErrorKind::File, why)
    })
}

fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    match file.metadata()?.is_dir() {
        true => Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")),
        false => Ok(file),
    }
}

fn read_all(mut source: impl io::Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes)?;
    Ok(bytes)
}
