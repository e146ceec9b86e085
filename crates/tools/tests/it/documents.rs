//! The text of PDFs that `file_read` returns.

use serde_json::json;
use silcrow_testkit::pdf;
use silcrow_tool::{ToolError, ToolOutput};
use silcrow_tools::FileRead;

use crate::{Place, call, content, why};

async fn read(place: &Place, file: &str, pages: &str) -> Result<ToolOutput, ToolError> {
    let tool = FileRead::new(&place.root);
    let args = match pages {
        "" => json!({"file": file}),
        _ => json!({"file": file, "pages": pages}),
    };
    call(&tool, &args.to_string()).await
}

#[tokio::test]
async fn pdf_is_read_by_page() {
    let place = Place::new();
    let pages: Vec<_> = (1..=12).map(|page| format!("This is {page}.")).collect();
    let pages: Vec<_> = pages.iter().map(|page| &**page).collect();
    place.put("short.pdf", pdf(&pages[..2]));
    place.put("long.txt", pdf(&pages));

    let output = read(&place, "short.pdf", "").await.unwrap();
    assert_eq!((&*output.summary, &output.truncated), ("pages 1-2 of 2", &None));
    let text = content(Ok(output));
    assert_eq!(text, "--- page 1 of 2 ---\nThis is 1.\n--- page 2 of 2 ---\nThis is 2.\n");

    // Its bytes decide what it is. Of a long one, the first pages.
    let output = read(&place, "long.txt", "").await.unwrap();
    assert_eq!(output.summary, "pages 1-5 of 12");
    assert_eq!(output.notices, [r#"it continues with "pages": "6-12""#]);
    assert!(output.truncated.is_some());
    let output = read(&place, "long.txt", "12").await.unwrap();
    assert_eq!(output.summary, "page 12 of 12");
    assert_eq!(content(Ok(output)), "--- page 12 of 12 ---\nThis is 12.\n");
}

#[tokio::test]
async fn unreadable_pdf_says_why() {
    let place = Place::new();
    place.put("scan.pdf", pdf(&["", ""]));
    place.put("cut.pdf", b"%PDF-1.7 in ASCII\n");
    for (file, pages, expected) in [
        ("scan.pdf", "", "`scan.pdf` is a PDF, and there is no text in the 2 pages that were read"),
        ("cut.pdf", "", "`cut.pdf` is a PDF, and it is damaged: "),
        ("scan.pdf", "3", "`scan.pdf` is a PDF, and it ends before page 3: it has 2 pages"),
        ("scan.pdf", "x", "`pages`: \"x\" is no range of pages; write \"3\" or \"1-5\""),
    ] {
        let said = why(read(&place, file, pages).await);
        assert!(said.starts_with(expected) && !said.contains('\n'), "{said}");
    }
}

#[tokio::test]
async fn pages_of_a_pdf_are_shown_as_pictures() {
    let place = Place::new();
    place.put("doc/scan.pdf", pdf(&["", "", "", "", "", "", ""]));
    let tool = FileRead::new(&place.root);
    let said = why(call(&tool, r#"{"file": "doc/scan.pdf"}"#).await);
    assert!(said.ends_with(r#"; "pictures": true shows its pages"#), "{said}");

    let output = call(&tool, r#"{"file": "doc/scan.pdf", "pictures": true}"#).await.unwrap();
    assert_eq!(output.summary, "pages 1-5 of 7 as pictures");
    assert_eq!(output.notices, [r#"it continues with "pages": "6-7""#]);
    assert!(output.truncated.is_some());
    let lines = output.content.text();
    assert_eq!(lines.lines().count(), 5);
    assert_eq!(lines.lines().nth(2), Some("[image: scan.pdf, PNG, 1357 × 1920: page 3 of 7]"));

    let args = r#"{"file": "doc/scan.pdf", "pages": "7", "region": [0, 0, 300, 100]}"#;
    let output = call(&tool, args).await.unwrap();
    assert_eq!(output.summary, "page 7 of 7 as a picture");
    assert_eq!(
        output.content.text(),
        "[image: scan.pdf, PNG, 1920 × 640: page 7 of 7, 300 × 100 at 0, 0]"
    );
    for (args, expected) in [
        (r#""region": [0, 0, 9, 9]"#, "a region is part of one page, such as \"pages\": \"1\""),
        (r#""pictures": true, "pages": "8""#, "it ends before page 8: it has 7 pages"),
    ] {
        let said = why(call(&tool, &format!(r#"{{"file": "doc/scan.pdf", {args}}}"#)).await);
        assert_eq!(said, format!("`doc/scan.pdf` is a PDF, and {expected}"));
    }
}
