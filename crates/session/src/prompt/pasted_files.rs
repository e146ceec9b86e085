//! Paths that a person pastes or drops on the terminal: bare, in quotation marks, with `\` before blanks, or
//! as `file://` addresses. Pictures, documents and sounds among them go with the prompt.

use std::env;
use std::fs::OpenOptions;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use silcrow_environment::split_words;
use silcrow_system::SystemOpen as _;

use super::medium_start::{SNIFFED, is_medium};
use super::mention::written;

/// Returns the text of a prompt that stands for a pasted one, if it consists of absolute paths of
/// pictures, documents or sounds below the root, the home or the folder of temporary files: each
/// with an `@` before it.
///
/// ```
/// use silcrow_session::prompt::pasted_files;
///
/// # let root = std::env::temp_dir().join(format!("silcrow pasted {}", std::process::id()));
/// # std::fs::create_dir_all(&root).unwrap();
/// # std::fs::write(root.join("My Shot.png"), b"\x89PNG\r\n\x1a\n").unwrap();
/// let pasted = format!("'{}/My Shot.png'", root.display());
/// assert_eq!(pasted_files(&pasted, &root).as_deref(), Some(r"@My\ Shot.png "));
/// assert_eq!(pasted_files("/no/such/file.png", &root), None);
/// # std::fs::remove_dir_all(&root).unwrap();
/// ```
pub fn pasted_files(text: &str, root: &Path) -> Option<String> {
    if text.len() > MOST_BYTES || text.trim().is_empty() {
        return None;
    }
    let whole = text.trim();
    // A path with blanks that nothing escapes is one path.
    let files = match medium_file(whole, root) {
        Some(file) => vec![file],
        None => split_words(whole)?
            .iter()
            .map(|word| medium_file(word, root))
            .collect::<Option<Vec<_>>>()?,
    };
    let mention = |file: PathBuf| {
        let name = file.strip_prefix(root).unwrap_or(&file);
        name.to_str().map(|name| format!("@{} ", written(name)))
    };
    files.into_iter().map(mention).collect()
}

/// Returns the file that a word names, if it is a medium in a place that a person pastes from.
fn medium_file(word: &str, root: &Path) -> Option<PathBuf> {
    let path = match (word.strip_prefix("file://"), word.strip_prefix("~/"), env::home_dir()) {
        (Some(address), ..) => decoded(address.strip_prefix("localhost").unwrap_or(address))?,
        (None, Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(word),
    };
    let places = [Some(root.to_owned()), env::home_dir(), Some(env::temp_dir())];
    let is_near = places.iter().flatten().any(|place| path.starts_with(place));
    let is_plain = path.is_absolute() && !path.components().any(|part| part.as_os_str() == "..");
    if !is_near || !is_plain {
        return None;
    }
    let file = OpenOptions::new().read(true).without_waiting().open(&path).ok()?;
    let mut start = Vec::new();
    let is_file = file.metadata().ok()?.is_file();
    file.take(SNIFFED as u64).read_to_end(&mut start).ok()?;
    (is_file && is_medium(&start)).then_some(path)
}

/// Returns the path of an address, whose `%20` and the like are characters.
fn decoded(address: &str) -> Option<PathBuf> {
    let (mut bytes, mut rest) = (Vec::new(), address.as_bytes());
    while let [first, after @ ..] = rest {
        rest = match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                bytes.push(u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?);
                after
            }
            (b'%', _) => return None,
            _ => {
                bytes.push(*first);
                after
            }
        };
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// The number of bytes of a text that may be paths.
const MOST_BYTES: usize = 8 << 10;

#[test]
fn paths_are_read_as_terminals_write_them() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    std::fs::create_dir(&root).unwrap();
    for name in ["a.png", "my shot é.png"] {
        std::fs::write(root.join(name), b"\x89PNG\r\n\x1a\n").unwrap();
    }
    std::fs::write(folder.path().join("b.pdf"), b"%PDF-1.7").unwrap();
    std::fs::write(root.join("notes.png"), "a text").unwrap();
    let (at, beside) = (root.display(), folder.path().display());
    for (pasted, expected) in [
        (format!("{at}/a.png\n"), Some("@a.png ".to_owned())),
        (format!("'{at}/my shot é.png'"), Some(r"@my\ shot\ é.png ".to_owned())),
        (format!("\"{at}/my shot é.png\" "), Some(r"@my\ shot\ é.png ".to_owned())),
        (format!(r"{at}/my\ shot\ é.png"), Some(r"@my\ shot\ é.png ".to_owned())),
        (format!("{at}/my shot é.png"), Some(r"@my\ shot\ é.png ".to_owned())),
        (format!("file://{at}/my%20shot%20%C3%A9.png"), Some(r"@my\ shot\ é.png ".to_owned())),
        (format!("{at}/a.png {beside}/b.pdf"), Some(format!("@a.png @{beside}/b.pdf "))),
        // A text, a location elsewhere, words beside a path, and text that is not a path.
        (format!("{at}/notes.png"), None),
        (format!("{at}/../b.pdf"), None),
        (format!("look at {at}/a.png"), None),
        ("a.png".to_owned(), None),
        ("/dev/zero".to_owned(), None),
        (String::new(), None),
    ] {
        assert_eq!(pasted_files(&pasted, &root), expected, "{pasted}");
    }
}
