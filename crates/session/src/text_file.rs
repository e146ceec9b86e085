//! Texts of files that options name.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::error::Error;

/// Reads a file as text, or standard input for `-`.
pub(crate) fn read_text(path: &Path) -> Result<String, Error> {
    let name = name(path);
    let read = match path == Path::new("-") {
        true => whole(&mut io::stdin()),
        false => opened(path).and_then(|mut file| whole(&mut file)),
    };
    let bytes = read.map_err(|error| Error::unreadable(&name, &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::given(format!("{name} is not UTF-8 text: byte {at} is invalid"))
    })
}

/// Returns the name in messages of a file that [`read_text`] reads.
pub(crate) fn name(path: &Path) -> String {
    match path == Path::new("-") {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

fn opened(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    Ok(file)
}

fn whole(from: &mut dyn io::Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes)?;
    Ok(bytes)
}
