//! The text of a PDF by page: the request, the result, and how it is shown.
//!
//! `read_pdf` finds the text, and a `MediaDecoder` decides in which process.

use std::str::FromStr;

/// Pages of a document, from the first to the last, which count from 1.
///
/// ```
/// use silcrow_media::PageRange;
///
/// assert_eq!("3-5".parse(), Ok(PageRange { first: 3, last: 5 }));
/// assert_eq!("7".parse(), Ok(PageRange { first: 7, last: 7 }));
/// // A call reads at most 20 pages.
/// assert_eq!("1-100".parse(), Ok(PageRange { first: 1, last: 20 }));
/// assert!("5-3".parse::<PageRange>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a range has two ends")]
pub struct PageRange {
    /// The first page.
    pub first: u32,
    /// The last page.
    pub last: u32,
}

/// The text of pages of a PDF.
///
/// ```
/// use silcrow_media::PdfText;
///
/// let text = PdfText { page_count: 3, first: 1, pages: vec!["One.".into(), "Two.".into()] };
/// let shown = text.shown(1000);
/// assert_eq!(shown.text, "--- page 1 of 3 ---\nOne.\n--- page 2 of 3 ---\nTwo.\n");
/// assert_eq!(shown.summary, "pages 1-2 of 3");
/// assert_eq!(shown.notices, [r#"it continues with "pages": "3""#]);
/// assert_eq!(PdfText::parse(&text.to_wire()), Some(text));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a reader gives all of it")]
pub struct PdfText {
    /// The number of pages of the whole document.
    pub page_count: u32,
    /// The number of the first page here.
    pub first: u32,
    /// The text of each page.
    pub pages: Vec<String>,
}

/// Pages as a model reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShownPages {
    /// The pages, each below a line with its number.
    pub text: String,
    /// The numbers of the pages.
    pub summary: String,
    /// The number of pages that are not shown, and how to continue.
    pub notices: Vec<String>,
    /// Whether something is not shown: the end of a page, or more pages.
    pub is_cut: bool,
}

impl PageRange {
    /// The number of pages that are read at once.
    pub const MOST: u32 = 20;

    /// Returns the pages to read of a document with this number of pages: without a range all of at
    /// most ten pages, and the first five of more.
    pub const fn resolve(range: Option<Self>, page_count: u32) -> Self {
        match range {
            Some(range) => range,
            None if page_count <= 10 => Self { first: 1, last: page_count },
            None => Self { first: 1, last: 5 },
        }
    }
}

impl FromStr for PageRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.trim().parse().ok().filter(|page| *page > 0);
        let range: Option<(u32, u32)> = number(first).zip(number(last));
        match range.filter(|(first, last)| first <= last) {
            Some((first, last)) => {
                Ok(Self { first, last: last.min(first.saturating_add(Self::MOST - 1)) })
            }
            None => Err(format!("{text:?} is no range of pages; write \"3\" or \"1-5\"")),
        }
    }
}

impl PdfText {
    /// Returns why there is nothing to read, if no page has text, as in a scan.
    pub fn missing(&self) -> Option<String> {
        if self.pages.iter().any(|page| !page.trim().is_empty()) {
            return None;
        }
        let pages = match self.pages.len() {
            1 => "the page that was".to_owned(),
            count => format!("the {count} pages that were"),
        };
        Some(format!(
            "there is no text in {pages} read of {}: it may be a scan, of which `ocrmypdf IN.pdf OUT.pdf` \
             makes one with text",
            self.page_count
        ))
    }

    /// Returns as many pages as fit into `most` bytes, at least one, which is cut if it is longer.
    pub fn shown(&self, most: usize) -> ShownPages {
        let (mut text, mut last, mut is_cut) = (String::new(), self.first, false);
        for (number, page) in (self.first..).zip(&self.pages) {
            let head = format!("--- page {number} of {} ---\n", self.page_count);
            if text.is_empty() {
                let end = page.floor_char_boundary(most.saturating_sub(head.len()));
                is_cut = end < page.len();
                text = format!("{head}{}\n", &page[..end]);
            } else if text.len() + head.len() + page.len() < most {
                text.push_str(&format!("{head}{page}\n"));
            } else {
                break;
            }
            last = number;
        }
        let mut notices = Vec::new();
        if is_cut {
            notices.push(format!("page {last} is cut"));
        }
        if last < self.page_count {
            let next = last + 1;
            let end = self.page_count.min(next.saturating_add(PageRange::MOST - 1));
            let pages = if next == end { next.to_string() } else { format!("{next}-{end}") };
            notices.push(format!("it continues with \"pages\": \"{pages}\""));
        }
        let summary = match self.first == last {
            true => format!("page {last} of {}", self.page_count),
            false => format!("pages {}-{last} of {}", self.first, self.page_count),
        };
        let is_cut = !notices.is_empty();
        ShownPages { text, summary, notices, is_cut }
    }

    /// Returns the text as one process gives it to another.
    pub fn to_wire(&self) -> String {
        let pages: String = self.pages.iter().map(|page| format!("\u{c}{page}")).collect();
        format!("{} {}{pages}", self.page_count, self.first)
    }

    /// Reads the output of [`to_wire`](Self::to_wire) from a process that need not be trusted.
    pub fn parse(wire: &str) -> Option<Self> {
        let mut parts = wire.split('\u{c}');
        let (count, first) = parts.next()?.split_once(' ')?;
        let pages = parts.take(PageRange::MOST as usize).map(str::to_owned).collect();
        Some(Self { page_count: count.parse().ok()?, first: first.parse().ok()?, pages })
    }
}
