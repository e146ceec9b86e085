//! A text file that is open for `file_read`, in its encoding.

use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};

use cap_std::fs::File;
use silcrow_media::ImageSize;
use silcrow_tool::{CancellationToken, ToolError};

use crate::decoded_reader::DecodedReader;
use crate::encoding::TextEncoding;
use crate::known_files::KnownContent;
use crate::line_view::{LineRange, LineView};
use crate::messages;
use crate::resolve::ResolvedPath;
use crate::root::Root;
use crate::text_commands::text_command;

/// A text file that is open.
pub(crate) struct TextSource {
    file: File,
    /// Its length in bytes.
    pub(crate) size: u64,
    pub(crate) encoding: TextEncoding,
    pub(crate) known: KnownContent,
    /// The content, unless it is long.
    content: Option<Vec<u8>>,
}

impl TextSource {
    /// Opens a file, and finds out its encoding unless that is named.
    pub(crate) fn open(
        root: &Root,
        path: &str,
        place: &ResolvedPath,
        named: Option<TextEncoding>,
    ) -> Result<Self, ToolError> {
        let failure = |error: io::Error| root.failure(path, error);
        let (mut file, metadata) = place.open().map_err(failure)?;
        if !metadata.is_file() {
            return Err(messages::not_regular_file(path, metadata.file_type()));
        }
        let (known, content) = KnownContent::read(&mut file, &metadata).map_err(failure)?;
        let mut start = Vec::new();
        if content.is_none() {
            (&mut file).take(MAX_SNIFFED).read_to_end(&mut start).map_err(failure)?;
            file.seek(SeekFrom::Start(0)).map_err(failure)?;
        }
        let sniffed = content.as_deref().unwrap_or(&start);
        let sniffed = &sniffed[..sniffed.len().min(MAX_SNIFFED as usize)];
        // The size in the metadata is too small for files as in `/proc`.
        let size = content.as_ref().map_or(metadata.len(), |content| content.len() as u64);
        let refused = |kind| {
            let bytes = messages::count(size, "byte", "bytes");
            let way = text_command(path, sniffed)
                .map(|command| format!("; the command `{command}` says what is in it"))
                .unwrap_or_default();
            let pixels = ImageSize::read(sniffed).map_or_else(String::new, |size| {
                format!(" of {} × {} pixels", size.width, size.height)
            });
            let path = messages::quoted(path);
            ToolError::new(format!("{path} is {kind}{pixels} ({bytes}), not text{way}"))
        };
        let more = size > sniffed.len() as u64;
        let encoding = match named {
            Some(named) => named.with_mark_of(sniffed),
            None => {
                let found = TextEncoding::detect(sniffed, more).map_err(refused)?;
                content.as_deref().map_or(found, |content| found.reconsidered(content))
            }
        };
        if matches!(encoding, TextEncoding::Utf16 { .. }) && content.is_none() {
            return Err(refused("text in UTF-16 that is too long to be converted"));
        }
        Ok(Self { file, size, encoding, known, content })
    }

    /// Reads lines of it.
    pub(crate) fn view(self, range: LineRange, cancel: &CancellationToken) -> io::Result<LineView> {
        let mark = self.encoding.mark_length();
        let Some(content) = self.content else {
            let mut file = self.file;
            file.seek(SeekFrom::Start(mark as u64))?;
            let reader = BufReader::with_capacity(MAX_BUFFER, file);
            return match self.encoding {
                TextEncoding::Legacy(encoding) => {
                    LineView::read(DecodedReader::new(reader, encoding), range, cancel)
                }
                _ => LineView::read(reader, range, cancel),
            };
        };
        if matches!(self.encoding, TextEncoding::Utf8 { .. }) {
            return LineView::read(&content[mark..], range, cancel);
        }
        let (text, wrong) = self.encoding.decode(&content);
        let mut view = LineView::read(text.as_bytes(), range, cancel)?;
        view.wrong += wrong;
        Ok(view)
    }
}

/// The number of bytes at the beginning of a long file that decide whether it is text.
const MAX_SNIFFED: u64 = 64 << 10;

/// The number of bytes that are read at once.
const MAX_BUFFER: usize = 64 << 10;
