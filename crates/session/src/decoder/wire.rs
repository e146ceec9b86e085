//! The messages of a decoding process: the words of its job, and the bytes that it prints.
//!
//! Only one side is trusted: the answer is checked against the limits again.

use silcrow_event::MediaRef;
use silcrow_media::{
    DirectDecoder, Error, ErrorKind, FitLimits, ImageRegion, ImageSize, MediaDecoder as _,
    MediaFormat, PdfPage,
};

/// Does one job, and returns the process's output.
pub(super) fn decoded(job: &str, how: &str, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let damaged = |why: String| Error::new(ErrorKind::Damaged, why);
    let (how, region) = how.split_once(';').unwrap_or((how, ""));
    let region = read_region(region);
    match job {
        PDF => {
            let text = DirectDecoder.pdf_text(bytes, how.parse().ok()).map_err(damaged)?;
            Ok(text.to_wire().into_bytes())
        }
        PAGE => {
            let (number, how) = how.split_once(',').unwrap_or_default();
            let number = number.parse().unwrap_or_default();
            let page = DirectDecoder.pdf_page(bytes, number, region, &read_limits(how));
            let PdfPage { page_count, picture } = page.map_err(damaged)?;
            Ok([format!("{page_count} ").into_bytes(), written(&picture)].concat())
        }
        _ => match region {
            Some(region) => DirectDecoder.region(bytes, "", region, &read_limits(how)),
            None => DirectDecoder.medium(bytes, "", &read_limits(how)),
        }
        .map(|medium| written(&medium)),
    }
}

/// Returns a medium as one process gives it to another: a line that describes it, and its bytes.
fn written(medium: &MediaRef) -> Vec<u8> {
    let head = format!("{}\n", medium.to_json()).into_bytes();
    [&head, medium.data().unwrap_or_default()].concat()
}

/// Returns the medium of an output, if it is within the limits: the process that wrote it need not be
/// trusted.
pub(super) fn checked(output: &[u8], name: &str, limits: &FitLimits) -> Option<MediaRef> {
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

/// Returns the page of an output, if its picture is within the limits.
pub(super) fn checked_page(output: &[u8], limits: &FitLimits) -> Option<PdfPage> {
    let end = output.iter().position(|byte| *byte == b' ')?;
    let page_count = str::from_utf8(&output[..end]).ok()?.parse().ok()?;
    Some(PdfPage { page_count, picture: checked(&output[end + 1..], "", limits)? })
}

/// Reads the reason why a file cannot be decoded, as another process says it.
pub(super) fn read_failure(said: &str) -> Error {
    let line = said.lines().next().unwrap_or_default();
    let (kind, why) = line.split_once(' ').unwrap_or(("", line));
    let why: String = why.chars().filter(|char| !char.is_control()).take(MOST_OF_REASON).collect();
    let kind = ErrorKind::ALL.into_iter().find(|known| known.as_str() == kind);
    Error::new(kind.unwrap_or(ErrorKind::Damaged), why)
}

pub(super) fn write_limits(limits: &FitLimits) -> String {
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

pub(super) fn write_region(region: Option<ImageRegion>) -> String {
    region.map_or_else(String::new, |ImageRegion { x, y, width, height }| {
        format!(";{x},{y},{width},{height}")
    })
}

fn read_region(text: &str) -> Option<ImageRegion> {
    let mut numbers = text.split(',').map_while(|number| number.parse().ok());
    let (x, y) = (numbers.next()?, numbers.next()?);
    Some(ImageRegion { x, y, width: numbers.next()?, height: numbers.next()? })
}

pub(super) const PAGE: &str = "page";
pub(super) const PDF: &str = "pdf";
pub(super) const PICTURE: &str = "picture";

/// The beginning of an output that is the reason why there is none.
pub(super) const FAILED: &str = "failed: ";

const MOST_OF_ALT: usize = 100;
const MOST_OF_REASON: usize = 400;
