//! The text of PDFs.

use silcrow_media::{DirectDecoder, MediaDecoder as _, PageRange, PdfText};
use silcrow_testkit::pdf;

fn read(pdf: &[u8], pages: &str) -> Result<PdfText, String> {
    DirectDecoder.pdf_text(pdf, pages.parse().ok())
}

#[test]
fn text_of_pages() {
    let document = pdf(&["First page,\ntwo lines.", "", "Third."]);
    let text = read(&document, "").unwrap();
    assert_eq!((text.page_count, text.first, text.pages.len()), (3, 1, 3));
    let flat = |page: &str| page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(flat(&text.pages[0]), "First page, two lines.");
    assert_eq!((&*text.pages[1], &*flat(&text.pages[2])), ("", "Third."));
    assert_eq!(text.missing(), None);

    let text = read(&document, "3-9").unwrap();
    assert_eq!((text.first, text.pages.len()), (3, 1));
    assert_eq!(read(&document, "4").unwrap_err(), "it ends before page 4: it has 3 pages");
}

#[test]
fn first_pages_of_a_long_document() {
    let pages: Vec<_> = (1..=40).map(|page| format!("This is {page}.")).collect();
    let document = pdf(&pages.iter().map(|page| &**page).collect::<Vec<_>>());
    let text = read(&document, "").unwrap();
    assert_eq!((text.page_count, text.pages.len()), (40, 5));
    let text = read(&document, "11-40").unwrap();
    assert_eq!((text.first, text.pages.len()), (11, 20));
    assert!(text.pages[19].contains("This is 30."), "{text:?}");
    let shown = text.shown(110);
    assert_eq!(shown.summary, "pages 11-13 of 40");
    assert_eq!(shown.notices, [r#"it continues with "pages": "14-33""#]);
    let shown = text.shown(25);
    assert_eq!(shown.text, "--- page 11 of 40 ---\nThi\n");
    assert_eq!(shown.notices[0], "page 11 is cut");
}

#[test]
fn documents_without_text_say_why() {
    let why = read(&pdf(&["", ""]), "").unwrap().missing().unwrap();
    assert!(
        why.starts_with("there is no text in the 2 pages that were read of 2: it may"),
        "{why}"
    );
    assert_eq!(read(&pdf(&[]), "").unwrap_err(), "it has no pages");
    let whole = pdf(&["text"]);
    let why = read(&whole[..whole.len() / 2], "").unwrap_err();
    assert!(why.starts_with("it is damaged: "), "{why}");
    let why = read(include_bytes!("encrypted.pdf"), "").unwrap_err();
    assert!(why.starts_with("it is encrypted with a password; `qpdf "), "{why}");
}

#[test]
fn wire_of_another_process_is_checked() {
    for wire in ["", "3", "x 1\u{c}a", "3 -1\u{c}a"] {
        assert_eq!(PdfText::parse(wire), None, "{wire:?}");
    }
    let many = format!("99 1{}", "\u{c}page".repeat(50));
    assert_eq!(PdfText::parse(&many).unwrap().pages.len(), PageRange::MOST as usize);
}
