//! Pages of a PDF as pictures: as many as a call may have, and how to continue.

use silcrow_event::MediaRef;

use crate::fit_limits::FitLimits;
use crate::image_region::ImageRegion;
use crate::media_decoder::MediaDecoder;
use crate::pdf_page::PdfPage;
use crate::pdf_text::PageRange;

/// Pages of a PDF as pictures, for a model that sees things that are not in their text: a scan, a
/// form, a plan.
///
/// ```
/// # #[cfg(feature = "pdf-pages")] {
/// use silcrow_media::{DirectDecoder, DrawnPages, PageRange};
///
/// let pdf = silcrow_testkit::pdf(&["One.", "Two.", "Three."]);
/// let pages = Some(PageRange { first: 1, last: 2 });
/// let drawn = DrawnPages::draw(&DirectDecoder, &pdf, "a.pdf", pages, None).unwrap();
/// assert_eq!(drawn.pictures[1].line(), "[image: a.pdf, PNG, 1357 × 1920: page 2 of 3]");
/// assert_eq!(drawn.summary, "pages 1-2 of 3 as pictures");
/// assert_eq!(drawn.notices, [r#"it continues with "pages": "3""#]);
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DrawnPages {
    /// A picture of each page.
    pub pictures: Vec<MediaRef>,
    /// The numbers of the pages.
    pub summary: String,
    /// How to continue, if more pages follow.
    pub notices: Vec<String>,
}

impl DrawnPages {
    /// The number of pages that are drawn at once.
    pub const MOST: u32 = 5;

    /// Draws the pages of a range, or the first pages if there is none, at most [`MOST`](Self::MOST). With a
    /// region, draws that part of one page. It blocks the thread.
    ///
    /// # Errors
    ///
    /// Returns the reason in one line, without the name of the file, if a page cannot be drawn, or if there is
    /// a region and not one page.
    pub fn draw(
        decoder: &dyn MediaDecoder,
        pdf: &[u8],
        name: &str,
        pages: Option<PageRange>,
        region: Option<ImageRegion>,
    ) -> Result<Self, String> {
        let range = pages.unwrap_or(PageRange { first: 1, last: Self::MOST });
        if region.is_some() && (pages.is_none() || range.first != range.last) {
            return Err("a region is part of one page, such as \"pages\": \"1\"".to_owned());
        }
        let limits = FitLimits::default();
        let draw = |number| decoder.pdf_page(pdf, number, region, &limits);
        let PdfPage { page_count, picture } = draw(range.first)?;
        let last = range.last.min(page_count).min(range.first.saturating_add(Self::MOST - 1));
        let mut pictures = vec![picture.with_name(name)];
        for number in range.first + 1..=last {
            pictures.push(draw(number)?.picture.with_name(name));
        }
        let mut notices = Vec::new();
        if last < page_count && region.is_none() {
            let (next, end) = (last + 1, page_count.min(last.saturating_add(Self::MOST)));
            let more = if next == end { next.to_string() } else { format!("{next}-{end}") };
            notices.push(format!("it continues with \"pages\": \"{more}\""));
        }
        let summary = match range.first == last {
            true => format!("page {last} of {page_count} as a picture"),
            false => format!("pages {}-{last} of {page_count} as pictures", range.first),
        };
        Ok(Self { pictures, summary, notices })
    }
}
