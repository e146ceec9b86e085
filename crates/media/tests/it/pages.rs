//! Pages of PDFs as pictures.

use image::RgbImage;
use silcrow_media::{
    DirectDecoder, DrawnPages, FitLimits, ImageRegion, MediaDecoder as _, PageRange, PdfPage,
};
use silcrow_testkit::pdf;

fn page(pdf: &[u8], number: u32, region: Option<ImageRegion>) -> Result<PdfPage, String> {
    DirectDecoder.pdf_page(pdf, number, region, &FitLimits::default())
}

fn pixels(page: &PdfPage) -> RgbImage {
    image::load_from_memory(page.picture.data().unwrap()).unwrap().to_rgb8()
}

/// Returns the share of dark pixels in a part of a picture.
fn ink(image: &RgbImage, region: ImageRegion) -> f64 {
    let ImageRegion { x, y, width, height } = region;
    let dark = (x..x + width)
        .flat_map(|x| (y..y + height).map(move |y| image.get_pixel(x, y).0[0]))
        .filter(|value| *value < 128)
        .count();
    dark as f64 / f64::from(width * height)
}

#[test]
fn page_shows_its_text() {
    let document = pdf(&["", "HHHHHHHHHH"]);
    let drawn = page(&document, 2, None).unwrap();
    assert_eq!((drawn.page_count, drawn.picture.size), (2, Some((1357, 1920))));
    let image = pixels(&drawn);
    // The text begins at 72, 770 points, and is 12 points high: 2.28 pixels a point.
    let text = ImageRegion { x: 164, y: 140, width: 190, height: 28 };
    assert!(ink(&image, text) > 0.2, "{}", ink(&image, text));
    let below = ImageRegion { x: 0, y: 180, width: 1357, height: 1740 };
    assert_eq!(ink(&image, below), 0.0);
    let empty = pixels(&page(&document, 1, None).unwrap());
    assert!(empty.pixels().all(|pixel| pixel.0 == [255; 3]));
}

#[test]
fn region_of_a_page_is_drawn_larger() {
    let document = pdf(&["HHHHHHHHHH"]);
    let region = ImageRegion { x: 164, y: 140, width: 192, height: 28 };
    let drawn = page(&document, 1, Some(region)).unwrap();
    assert_eq!(drawn.picture.size, Some((1920, 280)));
    assert_eq!(drawn.picture.line(), "[image: PNG, 1920 × 280: page 1 of 1, 192 × 28 at 164, 140]");
    // It is drawn anew, not scaled: the edges of letters are sharp.
    let image = pixels(&drawn);
    let grey = image.pixels().filter(|pixel| (30..225).contains(&pixel.0[0])).count();
    assert!(ink(&image, ImageRegion { x: 0, y: 0, width: 1920, height: 280 }) > 0.2);
    assert!(grey * 20 < image.pixels().len(), "{grey}");
    let outside = ImageRegion { x: 1357, ..region };
    assert_eq!(
        page(&document, 1, Some(outside)).unwrap_err(),
        "the region is outside of page 1, which has 1357 × 1920 pixels"
    );
}

#[test]
fn undrawable_pages_say_why() {
    let document = pdf(&["a", "b"]);
    for (file, number, why) in [
        (&*document, 3, "it ends before page 3: it has 2 pages"),
        (&*document, 0, "its pages count from 1"),
        (
            b"%PDF-1.7 and nothing",
            1,
            "it cannot be drawn: it is damaged, or encrypted with a password",
        ),
        (
            include_bytes!("encrypted.pdf"),
            1,
            "it cannot be drawn: it is damaged, or encrypted with a password",
        ),
    ] {
        assert_eq!(page(file, number, None).unwrap_err(), why);
    }
}

#[test]
fn few_pages_are_drawn_at_once() {
    let document = pdf(&["1", "2", "3", "4", "5", "6", "7"]);
    let draw = |pages: &str, region| {
        DrawnPages::draw(&DirectDecoder, &document, "a.pdf", pages.parse().ok(), region)
    };
    let drawn = draw("", None).unwrap();
    assert_eq!((drawn.pictures.len(), &*drawn.summary), (5, "pages 1-5 of 7 as pictures"));
    assert_eq!(drawn.notices, [r#"it continues with "pages": "6-7""#]);
    let drawn = draw("6-20", None).unwrap();
    assert_eq!((drawn.pictures.len(), &*drawn.summary), (2, "pages 6-7 of 7 as pictures"));
    assert!(drawn.notices.is_empty());
    let drawn = draw("7", None).unwrap();
    assert_eq!(drawn.summary, "page 7 of 7 as a picture");
    assert_eq!(drawn.pictures[0].name, "a.pdf");
    let region = ImageRegion { x: 0, y: 0, width: 100, height: 100 };
    for pages in ["", "1-2"] {
        let why = draw(pages, Some(region)).unwrap_err();
        assert_eq!(why, "a region is part of one page, such as \"pages\": \"1\"");
    }
    assert_eq!(draw("8", None).unwrap_err(), "it ends before page 8: it has 7 pages");
    assert_eq!(PageRange::MOST, 20);
}

#[test]
fn page_of_any_shape_is_within_the_limits() {
    let limits = FitLimits::default();
    for (shape, size) in [
        ("0 0 595 842", Some((1357, 1920))),
        ("0 0 20000 10", Some((1920, 8))),
        ("0 0 1 1", Some((1920, 1920))),
        ("0 0 0 0", None),
        ("0 0 1e30 1e30", None),
    ] {
        let text = String::from_utf8(pdf(&["text"])).unwrap();
        let document = text.replace("0 0 595 842", shape);
        match page(document.as_bytes(), 1, None) {
            Ok(drawn) => {
                let image = pixels(&drawn);
                assert!(image.width().max(image.height()) <= limits.long_edge, "{shape}");
                assert!(size.is_none_or(|size| image.dimensions() == size), "{shape}");
            }
            Err(why) => assert!(size.is_none(), "{shape}: {why}"),
        }
    }
}
