//! A PDF with a text on each page, as simple as a PDF can be.

/// Returns a PDF in which each page has these lines. A page without lines has no text, like a
/// scanned page.
///
/// ```
/// let pdf = silcrow_testkit::pdf(&["Hello", "and\nagain"]);
/// assert!(pdf.starts_with(b"%PDF-1.4"));
/// ```
pub fn pdf(pages: &[&str]) -> Vec<u8> {
    let kids: String = (0..pages.len()).map(|page| format!("{} 0 R ", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ];
    for (page, text) in pages.iter().enumerate() {
        let contents = 5 + 2 * page;
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {contents} 0 R \
             /Resources << /Font << /F1 3 0 R >> >> >>"
        ));
        let lines: String = text.lines().map(|line| format!("({line}) Tj 0 -14 Td ")).collect();
        let stream = format!("BT /F1 12 Tf 72 770 Td {lines}ET");
        objects.push(format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()));
    }
    let (mut file, mut places) = ("%PDF-1.4\n".to_owned(), Vec::new());
    for (at, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", at + 1));
    }
    let (start, count) = (file.len(), places.len() + 1);
    let places: String = places.iter().map(|place| format!("{place:010} 00000 n \n")).collect();
    file.push_str(&format!(
        "xref\n0 {count}\n0000000000 65535 f \n{places}trailer\n<< /Size {count} /Root 1 0 R \
         >>\nstartxref\n{start}\n%%EOF\n"
    ));
    file.into_bytes()
}
