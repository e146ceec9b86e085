//! Decoders of pictures and PDFs that run in another process of this program, in a sandbox without
//! a network, with limits of memory and time.
//!
//! Strangers write such files, and their decoders can fail in any way. So the bytes go into a
//! separate folder, and only a text or a picture comes back.
//!
//! `job` runs the process, and `wire` has its input and output.

mod decode_folder;
mod job;
mod wire;

use std::fs;
use std::io::{self, Write as _};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use silcrow_event::MediaRef;
use silcrow_media::{
    DirectDecoder, Error, ErrorKind, FitLimits, ImageRegion, MediaClass, MediaDecoder, MediaFormat,
    PageRange, PdfPage, PdfText,
};

use job::{DecodeJob, JobFailure};
use wire::{
    FAILED, PAGE, PDF, PICTURE, checked, checked_page, decoded, read_failure, write_limits,
    write_region,
};

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
        Ok(bytes) => decoded(job, how, &bytes),
        Err(error) => Err(Error::new(ErrorKind::Damaged, error.to_string())),
    };
    let output =
        output.unwrap_or_else(|error| format!("{FAILED}{} {error}", error.kind()).into_bytes());
    let written = io::stdout().write_all(&output);
    process::exit(i32::from(written.is_err()));
}

/// Decodes pictures and PDFs in a process that is confined.
///
/// It does so in a program whose `main` calls [`decode_if_asked`]. In any other program pictures
/// are decoded in the process itself, and PDFs are not. So are pictures if no sandbox is available;
/// their decoders are written in Rust, and pixels are counted before decoding.
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

    /// Returns a picture or a region of it, or `None` if this process should decode it.
    fn picture(
        self,
        bytes: &[u8],
        name: &str,
        region: Option<ImageRegion>,
        limits: &FitLimits,
    ) -> Option<Result<MediaRef, Error>> {
        let format = MediaFormat::detect(bytes);
        if !format.is_some_and(|format| format.class() == MediaClass::Image)
            || bytes.len() > limits.read_bytes
            || !IS_DECODER.load(Ordering::Relaxed)
        {
            return None;
        }
        let damaged = |why: &str| {
            let text = format!("the picture cannot be decoded: {why}");
            Error::new(ErrorKind::Damaged, text)
        };
        let how = format!("{}{}", write_limits(limits), write_region(region));
        let output = match self.run(PICTURE, &how, bytes, MEMORY_FOR_PICTURE) {
            Ok(output) => output,
            Err(JobFailure::NoSandbox(_)) => return None,
            Err(JobFailure::Failed(why)) => return Some(Err(damaged(&why))),
        };
        if let Some(said) = output.strip_prefix(FAILED.as_bytes()) {
            return Some(Err(read_failure(&String::from_utf8_lossy(said))));
        }
        Some(checked(&output, name, limits).ok_or_else(|| damaged("its decoder ended early")))
    }
}

impl MediaDecoder for ConfinedDecoder {
    fn medium(&self, bytes: &[u8], name: &str, limits: &FitLimits) -> Result<MediaRef, Error> {
        self.picture(bytes, name, None, limits)
            .unwrap_or_else(|| DirectDecoder.medium(bytes, name, limits))
    }

    fn region(
        &self,
        bytes: &[u8],
        name: &str,
        region: ImageRegion,
        limits: &FitLimits,
    ) -> Result<MediaRef, Error> {
        self.picture(bytes, name, Some(region), limits)
            .unwrap_or_else(|| DirectDecoder.region(bytes, name, region, limits))
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
        let output = self.run(PDF, &pages, pdf, MEMORY_FOR_PDF).map_err(about_pdf)?;
        let output = String::from_utf8_lossy(&output);
        match output.strip_prefix(FAILED) {
            Some(said) => Err(read_failure(said).to_string()),
            None => PdfText::parse(&output).ok_or_else(|| BEYOND.to_owned()),
        }
    }

    fn draws_pdf(&self) -> bool {
        IS_DECODER.load(Ordering::Relaxed) && DirectDecoder.draws_pdf()
    }

    fn pdf_page(
        &self,
        pdf: &[u8],
        page: u32,
        region: Option<ImageRegion>,
        limits: &FitLimits,
    ) -> Result<PdfPage, String> {
        if !self.draws_pdf() {
            return Err("nothing here draws its pages".to_owned());
        }
        let how = format!("{page},{}{}", write_limits(limits), write_region(region));
        let output = self.run(PAGE, &how, pdf, MEMORY_FOR_PDF).map_err(about_pdf)?;
        if let Some(said) = output.strip_prefix(FAILED.as_bytes()) {
            return Err(read_failure(&String::from_utf8_lossy(said)).to_string());
        }
        checked_page(&output, limits).ok_or_else(|| BEYOND.to_owned())
    }
}

/// Returns the reason why a process has no output for a PDF.
fn about_pdf(failure: JobFailure) -> String {
    match failure {
        JobFailure::NoSandbox(why) => format!("it is read in a sandbox only: {why}"),
        JobFailure::Failed(why) => why,
    }
}

/// Whether this program decodes when it is started for that.
static IS_DECODER: AtomicBool = AtomicBool::new(false);

const BEYOND: &str = "it cannot be read: its reader ended early, as it needs more than 512 MiB of memory or \
                      is damaged in an unusual way";

/// The argument of a process that decodes a file.
const ASKED: &str = "--silcrow-decode";

/// The memory of a process, in bytes.
const MEMORY_FOR_PDF: u64 = 512 << 20;
const MEMORY_FOR_PICTURE: u64 = 1 << 30;
