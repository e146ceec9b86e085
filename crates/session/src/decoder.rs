//! Pictures and PDFs, decoded by this program again in a sandbox of its own, without a network, within
//! bounds of memory and time.
//!
//! Such files are written by strangers, and what decodes them can fail in any way. So the bytes go into a
//! folder that nothing else uses, and only a text or a picture comes back.
//!
//! This module knows what is asked for and what is believed of the answer. `job` runs the process.

mod decode_folder;
mod job;

use std::fs;
use std::io::{self, Write as _};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use silcrow_event::MediaRef;
use silcrow_media::{
    DirectDecoder, Error, ErrorKind, FitLimits, ImageSize, MediaClass, MediaDecoder, MediaFormat,
    PageRange, PdfText,
};

use job::{DecodeJob, JobFailure};

/// Decodes the file that the arguments of this process name, and ends the process, if it was started to do
/// that. Otherwise it lets [`ConfinedDecoder`] start this program for that. Call it early in `main`, after
/// [`run_helper_if_asked`](silcrow_sandbox::run_helper_if_asked).
pub fn decode_if_asked() {
    let args: Vec<_> = std::env::args().take(6).collect();
    let [_, asked, job, how, file] = &args[..] else {
        return IS_DECODER.store(true, Ordering::Relaxed);
    };
    if asked != ASKED {
        return IS_DECODER.store(true, Ordering::Relaxed);
    }
    let output = match fs::read(file) {
        Err(error) => format!("{FAILED}{} {error}", ErrorKind::Damaged.as_str()).into_bytes(),
        Ok(bytes) if job == PDF => match DirectDecoder.pdf_text(&bytes, how.parse().ok()) {
            Ok(text) => text.to_wire().into_bytes(),
            Err(why) => format!("{FAILED}{} {why}", ErrorKind::Damaged.as_str()).into_bytes(),
        },
        Ok(bytes) => match DirectDecoder.medium(&bytes, "", &read_limits(how)) {
            Ok(medium) => {
                let head = format!("{}\n", medium.to_json()).into_bytes();
                [&head, medium.data().unwrap_or_default()].concat()
            }
            Err(error) => format!("{FAILED}{} {error}", error.kind()).into_bytes(),
        },
    };
    let written = io::stdout().write_all(&output);
    process::exit(i32::from(written.is_err()));
}

/// Decodes pictures and PDFs in a process that is confined.
///
/// It does so in a program whose `main` calls [`decode_if_asked`]. In any other program pictures are
/// decoded in the process itself, and PDFs are not. So are pictures where no sandbox can be had; their decoders are
/// written in Rust, and pixels are counted before anything is decoded.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "a person turns the sandbox off or not")]
pub struct ConfinedDecoder {
    /// Whether nothing confines the process, because the person wants that.
    pub is_sandbox_off: bool,
}

impl ConfinedDecoder {
    fn run(self, job: &str, how: &str, file: &[u8], memory: u64) -> Result<Vec<u8>, JobFailure> {
        let words = [ASKED, job, how];
        DecodeJob { words, file, memory, is_sandbox_off: self.is_sandbox_off }.run()
    }
}

impl MediaDecoder for ConfinedDecoder {
    fn medium(&self, bytes: &[u8], name: &str, limits: &FitLimits) -> Result<MediaRef, Error> {
        let here = || DirectDecoder.medium(bytes, name, limits);
        let format = MediaFormat::detect(bytes);
        if !format.is_some_and(|format| format.class() == MediaClass::Image)
            || bytes.len() > limits.read_bytes
            || !IS_DECODER.load(Ordering::Relaxed)
        {
            return here();
        }
        let damaged = |why: &str| {
            let text = format!("the picture cannot be decoded: {why}");
            Error::new(ErrorKind::Damaged, text)
        };
        let output = match self.run(PICTURE, &write_limits(limits), bytes, MEMORY_FOR_PICTURE) {
            Ok(output) => output,
            Err(JobFailure::NoSandbox(_)) => return here(),
            Err(JobFailure::Failed(why)) => return Err(damaged(&why)),
        };
        if let Some(said) = output.strip_prefix(FAILED.as_bytes()) {
            return Err(read_failure(&String::from_utf8_lossy(said)));
        }
        checked(&output, name, limits).ok_or_else(|| damaged("its decoder ended early"))
    }

    fn reads_pdf(&self) -> bool {
        IS_DECODER.load(Ordering::Relaxed) && DirectDecoder.reads_pdf()
    }

    fn pdf_text(&self, pdf: &[u8], pages: Option<PageRange>) -> Result<PdfText, String> {
        if !self.reads_pdf() {
            return Err("nothing here reads its text".to_owned());
        }
        let pages = pages
            .map_or_else(|| "-".to_owned(), |PageRange { first, last }| format!("{first}-{last}"));
        let output =
            self.run(PDF, &pages, pdf, MEMORY_FOR_PDF).map_err(|failure| match failure {
                JobFailure::NoSandbox(why) => format!("it is read in a sandbox only: {why}"),
                JobFailure::Failed(why) => why,
            })?;
        let output = String::from_utf8_lossy(&output);
        match output.strip_prefix(FAILED) {
            Some(said) => Err(read_failure(said).to_string()),
            None => PdfText::parse(&output).ok_or_else(|| BEYOND.to_owned()),
        }
    }
}

/// Returns the medium of an output, if it is within the limits: the process that wrote it need not be
/// trusted.
fn checked(output: &[u8], name: &str, limits: &FitLimits) -> Option<MediaRef> {
    let end = output.iter().position(|byte| *byte == b'\n')?;
    let head = MediaRef::parse(str::from_utf8(&output[..end]).ok()?)?;
    let bytes = &output[end + 1..];
    let format = MediaFormat::detect(bytes).filter(|format| format.is_read_everywhere())?;
    let size = ImageSize::read(bytes)?;
    let ImageSize { width, height } = size;
    let fits = head.size == Some((width, height))
        && size.long_edge() <= limits.long_edge
        && bytes.len() <= limits.bytes;
    let alt: String =
        head.alt.chars().filter(|char| !char.is_control()).take(MOST_OF_ALT).collect();
    let medium = MediaRef::new(format.mime(), bytes).with_name(name).with_size(width, height);
    fits.then(|| medium.with_original(head.original).with_alt(alt))
}

/// Reads the reason why a file cannot be decoded, as another process says it.
fn read_failure(said: &str) -> Error {
    let line = said.lines().next().unwrap_or_default();
    let (kind, why) = line.split_once(' ').unwrap_or(("", line));
    let why: String = why.chars().filter(|char| !char.is_control()).take(MOST_OF_REASON).collect();
    let kind = ErrorKind::ALL.into_iter().find(|known| known.as_str() == kind);
    Error::new(kind.unwrap_or(ErrorKind::Damaged), why)
}

fn write_limits(limits: &FitLimits) -> String {
    let FitLimits { long_edge, bytes, read_bytes, read_pixels, short_edge } = limits;
    format!("{long_edge},{bytes},{read_bytes},{read_pixels},{short_edge}")
}

fn read_limits(text: &str) -> FitLimits {
    let mut numbers = text.split(',').map_while(|number| number.parse::<u64>().ok());
    let mut next = |usual: u64| numbers.next().unwrap_or(usual);
    let usual = FitLimits::default();
    FitLimits {
        long_edge: u32::try_from(next(0)).unwrap_or(usual.long_edge),
        bytes: usize::try_from(next(0)).unwrap_or(usual.bytes),
        read_bytes: usize::try_from(next(0)).unwrap_or(usual.read_bytes),
        read_pixels: next(usual.read_pixels),
        short_edge: u32::try_from(next(0)).unwrap_or(usual.short_edge),
    }
}

/// Whether this program decodes when it is started for that.
static IS_DECODER: AtomicBool = AtomicBool::new(false);

const BEYOND: &str = "it cannot be read: its reader ended early, as it needs more than 512 MiB of memory or \
                      is damaged in an unusual way";

/// The argument of a process that decodes a file.
const ASKED: &str = "--silcrow-decode";

const PDF: &str = "pdf";
const PICTURE: &str = "picture";

/// The beginning of an output that is the reason why there is none.
const FAILED: &str = "failed: ";

/// The memory of a process, in bytes.
const MEMORY_FOR_PDF: u64 = 512 << 20;
const MEMORY_FOR_PICTURE: u64 = 1 << 30;

const MOST_OF_ALT: usize = 100;
const MOST_OF_REASON: usize = 400;
