//! The access of a decoder that a file has taken over. This program is its own decoder: when it is
//! started to decode a file, it follows the file's instructions instead, and reports the results.

use std::fs;
use std::io::{self, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{self, Command};

use silcrow_media::{DirectDecoder, ErrorKind, FitLimits, ImageRegion, MediaDecoder as _};
use silcrow_session::{ConfinedDecoder, decode_if_asked};

fn main() {
    silcrow_sandbox::run_helper_if_asked();
    let args: Vec<_> = std::env::args().collect();
    if args.get(1).is_some_and(|arg| arg == "--silcrow-decode") {
        let file = Path::new(&args[4]);
        let bytes = fs::read(file).unwrap();
        // Real files are decoded.
        if ![&b"/Catalog"[..], b"IHDR"]
            .iter()
            .any(|real| bytes.windows(real.len()).any(|at| at == *real))
        {
            hostile(file);
        }
    }
    decode_if_asked();
    // A test runner first asks for the names of the tests.
    if args.iter().any(|arg| arg == "--list") {
        let names = if args.iter().any(|arg| arg == "--ignored") { "" } else { "it: test\n" };
        return io::stdout().write_all(names.as_bytes()).unwrap();
    }
    reaches_no_file_and_no_network();
    ends_where_it_needs_too_much_memory();
    answers_are_checked();
    decodes_as_this_process_would();
}

/// Follows the instructions of a file: its lines are the program, the path of a secret, and the
/// port of a server.
fn hostile(file: &Path) -> ! {
    let bytes = fs::read(file).unwrap();
    let said = String::from_utf8_lossy(&bytes).into_owned();
    // The mark of a PNG takes two lines.
    let is_picture = said.contains("PNG\r\n");
    let lines: Vec<_> = said.lines().skip(usize::from(is_picture)).collect();
    let mut out = io::stdout().lock();
    match lines[1] {
        "reach" => {
            let secret = lines[2];
            let read = fs::read_to_string(secret);
            let cat = Command::new("/bin/cat").arg(secret).output();
            let cat = cat.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
            let connected = TcpStream::connect(format!("127.0.0.1:{}", lines[3]));
            let changed = fs::write(secret, "changed");
            let beside = fs::write(file.with_file_name("more"), "x");
            let report = format!(
                "read {:?}, cat {:?}, connected {}, changed {}, beside {}",
                read.unwrap_or_default(),
                cat.unwrap_or_default(),
                connected.is_ok(),
                changed.is_ok(),
                beside.is_ok(),
            );
            out.write_all(format!("1 1\u{c}{report}").as_bytes()).unwrap();
        }
        "grow" => {
            let mut all = Vec::new();
            loop {
                all.push(vec![1u8; 16 << 20]);
                if all.len() > 200 {
                    out.write_all(b"1 1\x0cit has 3 GB").unwrap();
                    break;
                }
            }
        }
        "lie" => {
            let gif = b"GIF89a\x40\x01\xf0\x00\x00\x00\x00";
            let head =
                r#"{"hash":"","type":"image/png","bytes":13,"width":320,"height":240,"name":""}"#;
            out.write_all(&[head.as_bytes(), b"\n", gif].concat()).unwrap();
        }
        other => out.write_all(format!("failed: too_large {other}\nmore").as_bytes()).unwrap(),
    }
    drop(out);
    process::exit(0);
}

fn reaches_no_file_and_no_network() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, "the secret").unwrap();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let file = format!("%PDF-1.7\nreach\n{}\n{port}\n", secret.display());
    let report =
        |decoder: ConfinedDecoder| decoder.pdf_text(file.as_bytes(), None).unwrap().pages.remove(0);
    assert_eq!(
        report(ConfinedDecoder::default()),
        r#"read "", cat "", connected false, changed false, beside false"#
    );
    assert_eq!(fs::read_to_string(&secret).unwrap(), "the secret");
    // Without a sandbox it reaches all of it.
    assert_eq!(
        report(ConfinedDecoder { is_sandbox_off: true }),
        r#"read "the secret", cat "the secret", connected true, changed true, beside true"#
    );
}

fn ends_where_it_needs_too_much_memory() {
    for is_sandbox_off in [false, true] {
        let decoder = ConfinedDecoder { is_sandbox_off };
        let why = decoder.pdf_text(b"%PDF-1.7\ngrow\n", None).unwrap_err();
        assert!(why.starts_with("it cannot be read: its reader ended early"), "{why}");
    }
}

fn answers_are_checked() {
    let picture = |program: &str| {
        let file = [b"\x89PNG\r\n\x1a\n", program.as_bytes()].concat();
        ConfinedDecoder::default().medium(&file, "a.png", &FitLimits::default())
    };
    let error = picture("lie\n").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged, "{error}");
    assert_eq!(error.to_string(), "the picture cannot be decoded: its decoder ended early");
    let why =
        ConfinedDecoder::default().pdf_page(b"%PDF-1.7\nlie\n", 1, None, &FitLimits::default());
    assert!(why.unwrap_err().starts_with("it cannot be read: its reader ended early"));
    let error = picture("own words\n").unwrap_err();
    assert_eq!((error.kind(), &*error.to_string()), (ErrorKind::TooLarge, "own words"));
}

fn decodes_as_this_process_would() {
    let (limits, confined) = (FitLimits::default(), ConfinedDecoder::default());
    let region = ImageRegion { x: 200, y: 150, width: 400, height: 100 };
    let pdf = silcrow_testkit::pdf(&["First page", "Second page"]);
    for region in [None, Some(region)] {
        let page = confined.pdf_page(&pdf, 2, region, &limits).unwrap();
        assert_eq!(
            (page.page_count, page.picture.size),
            (2, if region.is_some() { Some((1920, 480)) } else { Some((1357, 1920)) })
        );
        let here = DirectDecoder.pdf_page(&pdf, 2, region, &limits).unwrap();
        assert_eq!(page.picture.line(), here.picture.line());
        assert!(page.picture.data() == here.picture.data());
    }
    let why = confined.pdf_page(&pdf, 3, None, &limits).unwrap_err();
    assert_eq!(why, "it ends before page 3: it has 2 pages");

    let png = confined.pdf_page(&pdf, 1, None, &limits).unwrap().picture;
    let cut = confined.region(png.data().unwrap(), "a.png", region, &limits).unwrap();
    assert_eq!(cut.line(), "[image: a.png, PNG, 400 × 100: the region at 200, 150]");
    let outside = ImageRegion { x: 1357, ..region };
    let error = confined.region(png.data().unwrap(), "a.png", outside, &limits).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutsideImage, "{error}");
}
