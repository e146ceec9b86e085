//! Decoding of bytes as text, and detection of bytes that are not text. It knows no files.

/// Text that was decoded from bytes.
#[derive(Debug)]
pub(crate) struct FileText {
    pub(crate) text: String,
    /// The number of bytes that were decoded.
    pub(crate) used: usize,
    /// The number of bytes that are not UTF-8 and became `�`.
    pub(crate) wrong: usize,
}

/// Decodes the beginning of some bytes into at most `max` bytes of text. If `more` bytes follow, an
/// incomplete character at the end is left out.
///
/// # Errors
///
/// Returns a description of the bytes if they are not text.
pub(crate) fn decode(bytes: &[u8], max: usize, more: bool) -> Result<FileText, &'static str> {
    if let Some(kind) = not_text(bytes, more) {
        return Err(kind);
    }
    let mut done = FileText { text: String::new(), used: 0, wrong: 0 };
    for chunk in bytes.utf8_chunks() {
        let (valid, invalid) = (chunk.valid(), chunk.invalid());
        let fits = valid.floor_char_boundary(max - done.text.len());
        done.text.push_str(&valid[..fits]);
        done.used += fits;
        let last = done.used + invalid.len() == bytes.len();
        if fits < valid.len() || invalid.is_empty() || (more && last && is_cut(invalid)) {
            break;
        }
        if done.text.len() + char::REPLACEMENT_CHARACTER.len_utf8() > max {
            break;
        }
        done.text.push(char::REPLACEMENT_CHARACTER);
        done.used += invalid.len();
        done.wrong += invalid.len();
    }
    Ok(done)
}

/// Returns a description of the bytes if they are not UTF-8 text. Text may have a few wrong bytes.
pub(crate) fn not_text(bytes: &[u8], more: bool) -> Option<&'static str> {
    let starts = |magic: &[u8]| bytes.starts_with(magic);
    if starts(b"\xff\xfe") || starts(b"\xfe\xff") {
        return Some("text in UTF-16");
    }
    let mut wrong: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    if let Some(end) = bytes.utf8_chunks().last().map(|chunk| chunk.invalid())
        && more
        && is_cut(end)
    {
        wrong -= end.len();
    }
    let many = wrong > 1 && wrong > bytes.len() / 10;
    if !many && !bytes.contains(&0) {
        return None;
    }
    let known = KINDS.iter().find(|(magic, _)| starts(magic));
    let other = if bytes.contains(&0) { "binary" } else { "no UTF-8 text" };
    Some(known.map_or(other, |(_, kind)| kind))
}

/// Returns whether these are the first bytes of a character.
fn is_cut(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// The first bytes of common kinds of files.
const KINDS: [(&[u8], &str); 16] = [
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a WebP, WAV or AVI file"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive, or a document made as one"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ", "xz data"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"\x7fELF", "an ELF program or library"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program or library"),
    (b"MZ", "a Windows program or library"),
    (b"\0asm", "a WebAssembly module"),
    (b"SQLite format 3\0", "an SQLite database"),
];
