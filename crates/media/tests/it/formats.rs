//! Formats by the first bytes.

use silcrow_media::{MediaClass, MediaFormat};

#[test]
fn each_format_is_known_by_its_first_bytes() {
    let starts: [(&[u8], MediaFormat); 14] = [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", MediaFormat::Png),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", MediaFormat::Jpeg),
        (b"GIF87a", MediaFormat::Gif),
        (b"GIF89a", MediaFormat::Gif),
        (b"RIFF\x10\0\0\0WEBPVP8 ", MediaFormat::WebP),
        (b"BM\x36\0\0\0\0\0\0\0\x36", MediaFormat::Bmp),
        (b"MM\0*\0\0\0\x08", MediaFormat::Tiff),
        (b"\0\0\0\x18ftypheic", MediaFormat::Heic),
        (b"\0\0\0\x1cftypavif", MediaFormat::Avif),
        (b"%PDF-1.4\n", MediaFormat::Pdf),
        (b"RIFF\x10\0\0\0WAVEfmt ", MediaFormat::Wav),
        (b"\xff\xfb\x90\x64", MediaFormat::Mp3),
        (b"fLaC\0\0\0\x22", MediaFormat::Flac),
        (b"OggS\0\x02", MediaFormat::Ogg),
    ];
    for (start, format) in starts {
        assert_eq!(MediaFormat::detect(start), Some(format), "{start:?}");
        // A file that ends within its mark has no format.
        assert_eq!(MediaFormat::detect(&start[..2]), None, "{format}");
    }
}

#[test]
fn text_has_no_format() {
    let texts =
        ["", "BMW builds cars.", "<svg xmlns='http://www.w3.org/2000/svg'/>", "ID: 3", "MM*"];
    for text in texts {
        assert_eq!(MediaFormat::detect(text.as_bytes()), None, "{text}");
    }
    // UTF-16 begins as a frame of MPEG audio nearly does.
    assert_eq!(MediaFormat::detect(b"\xff\xfea\0b\0"), None);
}

#[test]
fn each_format_has_its_own_names() {
    let names = |name: fn(MediaFormat) -> &'static str| {
        let mut names: Vec<_> = MediaFormat::ALL.map(name).into();
        names.sort_unstable();
        names.dedup();
        names.len()
    };
    assert_eq!(names(MediaFormat::mime), MediaFormat::ALL.len());
    assert_eq!(names(MediaFormat::extension), MediaFormat::ALL.len());
    assert_eq!(names(MediaFormat::name), MediaFormat::ALL.len());
    for format in MediaFormat::ALL {
        let class = match format.mime().split_once('/').unwrap().0 {
            "image" => MediaClass::Image,
            "audio" => MediaClass::Sound,
            _ => MediaClass::Document,
        };
        assert_eq!(format.class(), class);
    }
}
