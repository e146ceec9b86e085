//! Pictures that `file_read` shows.

use std::io::Cursor;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{ContentPart, MediaRef};
use silcrow_tool::{Tool as _, ToolError, ToolOutput};
use silcrow_tools::{FileRead, KeptMedia};

use crate::{Place, call, why};

/// A picture of stripes in a format.
fn picture(width: u32, height: u32, format: image::ImageFormat) -> Vec<u8> {
    let pixels = image::RgbImage::from_fn(width, height, |x, y| image::Rgb([(x ^ y) as u8, 0, 99]));
    let mut file = Cursor::new(Vec::new());
    image::DynamicImage::from(pixels).write_to(&mut file, format).unwrap();
    file.into_inner()
}

fn shown(output: &ToolOutput) -> MediaRef {
    let [ContentPart::Media(medium)] = output.content.parts() else { panic!("{output:?}") };
    (**medium).clone()
}

#[tokio::test]
async fn picture_is_shown_with_name_and_size() {
    let place = Place::new();
    place.put("img/shot.png", picture(300, 200, image::ImageFormat::Png));
    let output = place.read("img/shot.png").await.unwrap();
    assert_eq!(output.summary, "picture in PNG, 300 × 200");
    let medium = shown(&output);
    assert_eq!(medium.line(), "[image: shot.png, PNG, 300 × 200]");
    assert!(medium.data().unwrap().starts_with(b"\x89PNG"));
    // Its bytes decide what it is.
    place.put("notes.txt", picture(20, 10, image::ImageFormat::Gif));
    assert_eq!(shown(&place.read("notes.txt").await.unwrap()).mime, "image/jpeg");
}

#[tokio::test]
async fn a_large_picture_is_made_to_fit() {
    let place = Place::new();
    place.put("wide.webp", picture(3840, 960, image::ImageFormat::WebP));
    let output = place.read("wide.webp").await.unwrap();
    assert_eq!(output.summary, "picture in WebP, 3840 × 960");
    let line = shown(&output).line();
    assert_eq!(
        line,
        "[image: wide.webp, JPEG, 1920 × 480, 2.00 times smaller than the original of 3840 × 960]"
    );
}

#[tokio::test]
async fn unshowable_picture_says_why() {
    let place = Place::new();
    // Its header says 60,000 × 60,000 pixels.
    let mut bomb = picture(16, 16, image::ImageFormat::Png);
    bomb[16..24].copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
    let cut = picture(100, 100, image::ImageFormat::Png);
    let cut = cut[..cut.len() / 2].to_vec();
    let tiff = b"II*\0\x08\0\0\0 a TIFF".to_vec();
    for (name, bytes, expected) in [
        ("bomb.png", bomb, "60000 × 60000 pixels, and 64 million are read"),
        ("cut.png", cut, "cannot be decoded"),
        ("a.tiff", tiff, "`magick picture.tiff picture.png`"),
        ("tiny.png", picture(4, 40, image::ImageFormat::Png), "a side needs 8"),
    ] {
        place.put(name, bytes);
        let why = why(place.read(name).await);
        assert!(why.contains("that cannot be shown: ") && why.contains(expected), "{why}");
    }
}

#[tokio::test]
async fn a_region_is_cut_from_the_original() {
    let place = Place::new();
    place.put("wide.png", picture(3840, 960, image::ImageFormat::Png));
    let tool = FileRead::new(&place.root);
    let args = r#"{"file": "wide.png", "region": [3000, 100, 500, 400]}"#;
    let output = call(&tool, args).await.unwrap();
    assert_eq!(output.summary, "region of a picture in PNG, 500 × 400");
    let line = "[image: wide.png, PNG, 500 × 400: the region at 3000, 100]";
    assert_eq!(shown(&output).line(), line);
    for (region, expected) in [
        ("[3840, 0, 9, 9]", "outside of the picture, which has 3840 × 960 pixels"),
        ("[0, 0, 9]", "expected an array of length 4"),
        ("[0, 0, -9, 9]", "integer `-9`"),
    ] {
        let args = format!(r#"{{"file": "wide.png", "region": {region}}}"#);
        let said = why(call(&tool, &args).await);
        assert!(said.contains(expected), "{said}");
    }
}

#[tokio::test]
async fn a_region_of_an_earlier_picture_is_shown() {
    let place = Place::new();
    let bytes = picture(300, 200, image::ImageFormat::Png);
    let medium = MediaRef::new("image/png", bytes).with_name("a.png").with_size(300, 200);
    let tool = FileRead::new(&place.root).with_kept_media(Arc::new(OnePicture(medium)));
    let args = r#"{"file": "media:2", "region": [100, 50, 30, 20]}"#;
    let output = call(&tool, args).await.unwrap();
    assert_eq!(output.summary, "region of image 2");
    assert_eq!(shown(&output).line(), "[image: a.png, PNG, 30 × 20: the region at 100, 50]");
    let args = r#"{"file": "media:2", "region": [300, 50, 30, 20]}"#;
    let said = why(call(&tool, args).await);
    assert!(said.starts_with("image 2: the region is outside of the picture"), "{said}");
}

/// A conversation that has one picture, with the number 2.
#[derive(Debug)]
struct OnePicture(MediaRef);

impl KeptMedia for OnePicture {
    fn get<'a>(
        &'a self,
        conversation: &'a str,
        number: u32,
    ) -> BoxFuture<'a, Result<Option<MediaRef>, ToolError>> {
        assert_eq!(conversation, "c");
        async move { Ok((number == 2).then(|| self.0.clone())) }.boxed()
    }
}

#[tokio::test]
async fn earlier_picture_is_shown_again() {
    let place = Place::new();
    let medium = MediaRef::new("image/png", *b"png").with_name("a.png").with_size(10, 10);
    let tool = FileRead::new(&place.root);
    assert!(!tool.description().contains("media:"));
    let tool = tool.with_kept_media(Arc::new(OnePicture(medium.clone())));
    assert!(tool.description().contains(r#"{"file": "media:2"}"#));
    let output = call(&tool, r#"{"file": "media:2"}"#).await.unwrap();
    assert_eq!((&*output.summary, shown(&output)), ("image 2 again", medium));
    for (file, expected) in [
        ("media:3", "this conversation has no image or document 3, or it is lost"),
        ("media:x", "`media:x` is not the number of an image; write \"media:2\" for image 2"),
    ] {
        let said = why(call(&tool, &format!(r#"{{"file": "{file}"}}"#)).await);
        assert_eq!(said, expected);
    }
}
