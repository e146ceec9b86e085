//! The commands that print the text of files that are not text.
//!
//! A model that reads a document gets the command to run. If the program is not installed, the
//! command itself says so.

use std::path::Path;

/// Returns a command that prints the text of a file, by its first bytes and by the extension of its
/// name, as documents of several programs are ZIP archives.
pub(crate) fn text_command(path: &str, start: &[u8]) -> Option<String> {
    let ending = Path::new(path).extension().unwrap_or_default();
    let ending = ending.to_string_lossy().to_ascii_lowercase();
    let (before, after) = match start {
        [b'%', b'P', b'D', b'F', ..] => ("pdftotext -layout", " -"),
        [b'P', b'K', 3, 4, ..] => match &*ending {
            "docx" | "odt" | "epub" => ("pandoc --to plain", ""),
            "xlsx" | "ods" | "pptx" | "odp" => ("libreoffice --headless --convert-to pdf", ""),
            _ => ("unzip -l", ""),
        },
        [0x1f, 0x8b, ..] if is_tar(path) => ("tar -tzf", ""),
        [0x1f, 0x8b, ..] => ("gzip -dc", ""),
        [b'B', b'Z', b'h', ..] => ("bzip2 -dc", ""),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => ("xz -dc", ""),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => ("zstd -dc", ""),
        [b'S', b'Q', b'L', b'i', b't', b'e', b' ', b'f', ..] => ("sqlite3", " .schema"),
        _ => return None,
    };
    Some(format!("{before} {}{after}", shell_word(path)))
}

fn is_tar(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    lower.ends_with(".tgz") || lower.ends_with(".tar.gz")
}

/// Returns a path as one word of a shell that is not an option.
fn shell_word(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"./_-".contains(&byte);
    let path = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
    match path.bytes().all(is_plain) {
        true => path,
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_printed_by_a_command() {
        let command = |path, start: &[u8]| text_command(path, start).unwrap_or_default();
        assert_eq!(command("a.pdf", b"%PDF-1.7"), "pdftotext -layout a.pdf -");
        assert_eq!(command("it's a.pdf", b"%PDF-1.7"), r"pdftotext -layout 'it'\''s a.pdf' -");
        assert_eq!(command("-x.pdf", b"%PDF-1.7"), "pdftotext -layout ./-x.pdf -");
        assert_eq!(command("b.DOCX", b"PK\x03\x04"), "pandoc --to plain b.DOCX");
        assert_eq!(command("b.jar", b"PK\x03\x04"), "unzip -l b.jar");
        assert_eq!(command("c.tar.gz", b"\x1f\x8b\x08"), "tar -tzf c.tar.gz");
        assert_eq!(command("c.log.gz", b"\x1f\x8b\x08"), "gzip -dc c.log.gz");
        assert_eq!(command("d.db", b"SQLite format 3\0"), "sqlite3 d.db .schema");
        assert_eq!(command("e.png", b"\x89PNG\r\n"), "");
    }
}
