//! Editing a text with the person's own program, such as vi.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::person_program;

/// Lets the person edit a text with the program that `VISUAL` or `EDITOR` names, otherwise with `vi`. Returns
/// `None` if the program fails or changes nothing. The terminal is the program's meanwhile.
///
/// # Errors
///
/// Fails if the program cannot be started, or the file with the text cannot be written or read.
pub(crate) fn edit_outside(text: &str) -> io::Result<Option<String>> {
    let named = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|value| !value.trim().is_empty()));
    let words = named.as_deref().unwrap_or("vi");
    // A program may have arguments, as in `code --wait`.
    let mut words = words.split_whitespace();
    let file = DraftFile::new(text)?;
    let mut command = person_program(words.next().unwrap_or("vi"));
    let status = command.args(words).arg(&file.0).status()?;
    if !status.success() {
        return Ok(None);
    }
    let edited = fs::read_to_string(&file.0)?;
    let edited = edited.strip_suffix('\n').unwrap_or(&edited);
    Ok((edited != text).then(|| edited.to_owned()))
}

/// A file that only the person can read, and that is removed at the end.
struct DraftFile(PathBuf);

impl DraftFile {
    fn new(text: &str) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        for number in 0..MOST_TRIES {
            let name = format!("silcrow-{}-{number}.md", std::process::id());
            let path = env::temp_dir().join(name);
            match options.open(&path) {
                Ok(mut file) => {
                    let draft = Self(path);
                    file.write_all(text.as_bytes())?;
                    return Ok(draft);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for DraftFile {
    fn drop(&mut self) {
        // The person's program may have removed it.
        let _ = fs::remove_file(&self.0);
    }
}

/// The number of names that are tried for a file.
const MOST_TRIES: u32 = 100;
