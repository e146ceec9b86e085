//! A long conversation with ten screenshots of 4 MB and three PDFs: the size of the store, and the bytes of
//! each request. `SILCROW_MEDIA_TURNS` sets the number of turns.

use std::fs;
use std::io::{Cursor, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use silcrow_testkit::pdf;

use crate::killer::say;
use crate::pictures::says;
use crate::server::request;
use crate::support::Sandbox;

/// The size of a request.
#[derive(Clone, Copy, Debug)]
struct RequestSize {
    bytes: usize,
    /// The bytes with which the request before it began, too, which a vendor may have cached.
    repeated: usize,
    pictures: usize,
    documents: usize,
}

/// Answers each request in the same way, and keeps its size.
fn serve() -> (String, Arc<Mutex<Vec<RequestSize>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let requests = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&requests);
    thread::spawn(move || {
        let mut before = String::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let request = request(&mut stream).split_once("\r\n\r\n").unwrap().1.to_owned();
            let pairs = request.bytes().zip(before.bytes());
            kept.lock().unwrap().push(RequestSize {
                bytes: request.len(),
                repeated: pairs.take_while(|(new, old)| new == old).count(),
                pictures: request.matches("data:image/").count(),
                documents: request.matches("data:application/pdf").count(),
            });
            before = request;
            // The client may have hung up.
            let _ = stream.write_all(&says("§respond: I have seen it.\n§end"));
        }
    });
    (address, requests)
}

/// A screenshot, which has about 4 MB if it is 1,920 pixels wide: a desktop with a photo, which compresses
/// badly.
fn screenshot(seed: u32, width: u32) -> Vec<u8> {
    let noise = |x: u32, y: u32| {
        let mixed = (x ^ seed).wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca6b);
        (mixed.wrapping_mul(mixed | 1) >> 24) as u8
    };
    let pixels =
        image::RgbImage::from_fn(width, width * 9 / 16, |x, y| match x < width * 125 / 192 {
            true => image::Rgb([noise(x, y), noise(x + 7, y), noise(x, y + 9)]),
            false => image::Rgb([240, 240, (seed * 20) as u8]),
        });
    let mut file = Cursor::new(Vec::new());
    image::DynamicImage::from(pixels).write_to(&mut file, image::ImageFormat::Png).unwrap();
    file.into_inner()
}

fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| match entry.file_type().unwrap().is_dir() {
            true => size_of(&entry.path()),
            false => entry.metadata().unwrap().len(),
        })
        .sum()
}

#[test]
fn files_are_kept_once_and_requests_bounded() {
    let turns = std::env::var("SILCROW_MEDIA_TURNS").map_or(3, |turns| turns.parse().unwrap());
    // Without optimizations a large picture takes seconds, and it may take no more than 20.
    let width = if turns < 10 { 480 } else { 1920 };
    let sandbox = Sandbox::new();
    let (address, requests) = serve();
    let model = format!("compatible:http://{address}#gpt-4o");
    let lines = "A line of a report, with a figure or two in it.\n".repeat(40);
    let page = |number| format!("This is page {number}.\n{lines}");
    let (mut files, mut given) = (0, 0);
    for turn in 1..=turns {
        let mut prompt = format!("Turn {turn}: what do you see? {}", "More words. ".repeat(80));
        let every = turns / 10;
        let name = match (turn % every.max(1), turn) {
            (0, turn) if turn / every.max(1) <= 10 => {
                let name = format!("shot{turn}.png");
                fs::write(sandbox.root().join(&name), screenshot(turn, width)).unwrap();
                Some(name)
            }
            _ => None,
        };
        let third = turns / 3;
        let report = (turn % third == 1 % third && turn / third < 3).then(|| {
            let name = format!("report{turn}.pdf");
            let pages: Vec<_> = (1..=10).map(|number| page(number + turn)).collect();
            let pages: Vec<_> = pages.iter().map(|page| &**page).collect();
            fs::write(sandbox.root().join(&name), pdf(&pages)).unwrap();
            name
        });
        for name in name.into_iter().chain(report) {
            given += fs::metadata(sandbox.root().join(&name)).unwrap().len();
            prompt += &format!(" @{name}");
            files += 1;
        }
        let flag = if turn == 1 { "--new" } else { "--conversation" };
        let args = ["run", &prompt, flag, "talk", "--model", &model, "--window", "30000"];
        sandbox.silcrow(&args).ends(0);
    }
    let requests = requests.lock().unwrap().clone();
    let export = sandbox.silcrow(&["log", "export", "talk"]).ends(0).out.clone();
    let kept: u64 = export
        .lines()
        .filter(|line| line.contains("\"media/talk\"") && !line.contains("\"list\""))
        // Two hexadecimal digits a byte.
        .map(|line| line.len() as u64 / 2)
        .sum();
    let store = size_of(&sandbox.path("data/silcrow"));
    let largest = requests.iter().max_by_key(|request| request.bytes).unwrap();
    let all: usize = requests.iter().map(|request| request.bytes).sum();
    let repeated: usize = requests.iter().map(|request| request.repeated).sum();
    let mut sizes: Vec<_> = requests.iter().map(|request| request.bytes).collect();
    sizes.sort_unstable();
    say(&format!(
        "{turns} turns, {files} files of {given} bytes, kept as about {kept}, store {store}, {} requests of \
         {all} bytes, {repeated} of them repeated, the median {}, the largest {largest:?}",
        requests.len(),
        sizes[sizes.len() / 2],
    ));
    for (at, request) in requests.iter().enumerate() {
        say(&format!("request {at}: {request:?}"));
    }
    assert!(largest.bytes < 20 << 20, "{largest:?}");
    assert!(store < kept + kept / 20 + (4 << 20), "{store} for {kept}");
    let last = requests.last().unwrap();
    assert!(last.pictures <= 10 && last.documents <= 3, "{last:?}");
}
