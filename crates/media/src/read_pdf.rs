//! The text of a PDF, read in this process.

use pdf_extract::{Document, PlainTextOutput, output_doc_page};

use crate::pdf_text::{PageRange, PdfText};

/// Returns the text of pages of a PDF. On some damaged files the reader panics.
pub(crate) fn read_pdf(pdf: &[u8], pages: Option<PageRange>) -> Result<PdfText, String> {
    let damaged = |error: &dyn std::error::Error| {
        let why: String = error.to_string().chars().take(200).collect();
        format!("it is damaged: {}", why.replace(char::is_control, " "))
    };
    let mut document = Document::load_mem(pdf).map_err(|error| match error {
        pdf_extract::Error::InvalidPassword => ENCRYPTED.to_owned(),
        error => damaged(&error),
    })?;
    // A PDF that only forbids to print or to copy has an empty password.
    if document.is_encrypted() && document.decrypt("").is_err() {
        return Err(ENCRYPTED.to_owned());
    }
    let page_count = u32::try_from(document.get_pages().len()).unwrap_or(u32::MAX);
    let PageRange { first, last } = PageRange::resolve(pages, page_count);
    if page_count == 0 {
        return Err("it has no pages".to_owned());
    }
    if first > page_count {
        return Err(format!("it ends before page {first}: it has {page_count} pages"));
    }
    let pages = first..=last.min(page_count);
    let pages = pages.map(|number| {
        let mut text = String::new();
        let mut output = PlainTextOutput::new(&mut text);
        output_doc_page(&document, &mut output, number).map_err(|error| damaged(&error))?;
        Ok(tidied(&text))
    });
    Ok(PdfText { page_count, first, pages: pages.collect::<Result<_, String>>()? })
}

/// Returns the text of a page without blanks at the ends of lines, and with one empty line at a time.
fn tidied(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    // Ends of lines and pages stay; other control characters are removed.
    let safe = |char: char| if char.is_control() { ' ' } else { char };
    for line in text.trim().lines() {
        let line: String = line.trim_end().chars().map(safe).collect();
        if line.is_empty() && tidy.ends_with("\n\n") {
            continue;
        }
        tidy.push_str(&line);
        tidy.push('\n');
        if tidy.len() > MOST_OF_PAGE {
            break;
        }
    }
    tidy.truncate(tidy.trim_end().len());
    tidy
}

const ENCRYPTED: &str = "it is encrypted with a password; `qpdf --password=PASSWORD --decrypt IN.pdf \
                         OUT.pdf` makes one that can be read";

/// The number of bytes of a page, beyond which its other lines are left out.
const MOST_OF_PAGE: usize = 256 << 10;
