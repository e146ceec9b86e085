use proptest::prelude::*;
use silcrow_cases::CaseFile;
use silcrow_provider::sse::{MAX_EVENT, MAX_LINE, MAX_STRAY, SseDecoder, SseTooLong};

use crate::decoded::{self, Seen, decode};
use crate::reference;

/// The data of the events of `input`, the same at every cut in two and byte by byte.
#[track_caller]
fn check(input: &[u8], data: &[&str]) -> Seen {
    let whole = decode([input]).unwrap();
    for cut in 0..=input.len() {
        let (left, right) = input.split_at(cut);
        assert_eq!(decode([left, right]).unwrap(), whole, "cut at {cut}");
    }
    assert_eq!(decode(input.chunks(1)).unwrap(), whole, "byte by byte");
    assert_eq!(reference::decode(input), whole, "the reference");
    assert_eq!(whole.events.iter().map(|event| &*event.1).collect::<Vec<_>>(), data);
    whole
}

#[test]
fn all_line_endings_are_recognized() {
    check(b"data: a\ndata: b\n\ndata: c\n\n", &["a\nb", "c"]);
    check(b"data: a\rdata: b\r\rdata: c\r\r", &["a\nb", "c"]);
    check(b"data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", &["a\nb", "c"]);
    check(b"data: a\r\n\ndata: b\n\r\ndata: c\r\r\n", &["a", "b", "c"]);
}

#[test]
fn carriage_return_ends_a_line_at_once() {
    let mut decoder = SseDecoder::new();
    let mut count = 0;
    decoder.push(b"data: a\r\r", &mut |_| count += 1).unwrap();
    assert_eq!(count, 1);
}

#[test]
fn byte_order_mark_is_skipped_only_at_start() {
    check(b"\xEF\xBB\xBFdata: a\n\n\xEF\xBB\xBFdata: b\n\n", &["a"]);
    check(b"\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\n", &[]);
    check(b"\xEF\xBB\xBF", &[]);
}

#[test]
fn fields_are_read_by_the_letter() {
    check(b"data:{\"a\":1}\n\n", &["{\"a\":1}"]);
    check(b"data:  two\n\n", &[" two"]);
    check(b"data\n\n", &[""]);
    check(b"data\ndata\n\n", &["\n"]);
    check(b"data:\n\n", &[""]);
    check(b" data: a\nDATA: a\ndatas: a\n\n", &[]);
    check(b": ping\n\n:\n\n:OPENROUTER PROCESSING\n\n", &[]);
    check(b"data: a\n: between\ndata: b\n\n", &["a\nb"]);
    check(b"retry: 10\nfoo: bar\n\n", &[]);
}

#[test]
fn event_without_data_is_dropped_with_its_type() {
    let seen = check(b"event: ping\n\ndata: a\n\nevent: error\ndata: b\n\n", &["a", "b"]);
    assert_eq!(seen.events[0].0, "message");
    assert_eq!(seen.events[1].0, "error");
}

#[test]
fn id_persists_and_nul_ids_are_ignored() {
    let seen = check(b"id: 1\ndata: a\n\nid: 2\0\ndata: b\n\nid\ndata: c\n\n", &["a", "b", "c"]);
    let ids: Vec<_> = seen.events.iter().map(|event| &*event.2).collect();
    assert_eq!(ids, ["1", "1", ""]);
}

#[test]
fn characters_survive_cuts_and_broken_ones_are_replaced() {
    check("data: §🗼é\n\n".as_bytes(), &["§🗼é"]);
    check(b"data: a\xFFb\xC3\n\ndata: \xED\xA0\xBDc\n\n", &["a\u{FFFD}b\u{FFFD}", "���c"]);
}

#[test]
fn unfinished_event_is_pending() {
    for input in ["data: a", "data: a\n", "data: a\r", "data: a\nda", "data: a\n: b"] {
        let pending = check(input.as_bytes(), &[]).pending;
        assert_eq!(pending, Some(("message".to_owned(), "a".to_owned())), "{input:?}");
    }
    let pending = check(b"event: error\ndata: a\ndata: b", &[]).pending;
    assert_eq!(pending, Some(("error".to_owned(), "a\nb".to_owned())));
    for input in ["", "\n", ": ping", "event: error", "da"] {
        assert_eq!(check(input.as_bytes(), &[]).pending, None, "{input:?}");
    }
    assert_eq!(check(b"data: a\n\n", &["a"]).pending, None);
}

#[test]
fn stray_lines_are_kept_at_any_chunking() {
    let bytes = b"data: 1\r\n\r\n{\r\n  \"error\": 1\r\n: ping\nretry: 3\nid\n}\r\ndatum: 2";
    for size in 1..bytes.len() {
        let mut decoder = SseDecoder::new();
        for piece in bytes.chunks(size) {
            decoder.push(piece, &mut |event| assert_eq!(event.data, "1")).unwrap();
        }
        assert_eq!(decoder.stray(), "{\n  \"error\": 1\n}\ndatum: 2", "by {size}");
    }
    let mut decoder = SseDecoder::new();
    for _ in 0..1000 {
        decoder.push("x".repeat(1000).as_bytes(), &mut |_| ()).unwrap();
        decoder.push(b"\n", &mut |_| ()).unwrap();
    }
    let kept = decoder.stray().len();
    assert!((MAX_STRAY - 1001..=MAX_STRAY).contains(&kept), "{kept}");
}

#[test]
fn line_limit_is_exact() {
    let line = |length: usize| {
        let mut line = b"data:".to_vec();
        line.resize(length, b'x');
        line.extend_from_slice(b"\n\n");
        line
    };
    for chunk in [1, 4096, usize::MAX] {
        let (fits, over) = (line(MAX_LINE), line(MAX_LINE + 1));
        assert_eq!(decode(fits.chunks(chunk)).unwrap().events.len(), 1);
        assert_eq!(decode(over.chunks(chunk)), Err(SseTooLong::Line));
        assert_eq!(decode(over[..over.len() - 2].chunks(chunk)), Err(SseTooLong::Line));
    }
}

#[test]
fn event_limit_is_exact() {
    let line = [b"data:", &vec![b'x'; MAX_EVENT / 8 - 1][..], b"\n"].concat();
    let fits = [&line.repeat(8)[..], b"\n"].concat();
    let full = [&line.repeat(8)[..], b"data:\n\n"].concat();
    let over = [&line.repeat(8)[..], b"data: y\n\n"].concat();
    for chunk in [64, usize::MAX] {
        assert_eq!(decode(fits.chunks(chunk)).unwrap().events[0].1.len(), MAX_EVENT - 1);
        assert_eq!(decode(full.chunks(chunk)).unwrap().events[0].1.len(), MAX_EVENT);
        assert_eq!(decode(over.chunks(chunk)), Err(SseTooLong::Event));
    }
}

#[test]
fn nothing_follows_an_error() {
    let mut decoder = SseDecoder::new();
    let mut count = 0;
    let mut push = |bytes: &[u8]| decoder.push(bytes, &mut |_| count += 1);
    assert_eq!(push(&vec![b'x'; MAX_LINE + 1]), Err(SseTooLong::Line));
    assert_eq!(push(b"\n\ndata: a\n\n"), Err(SseTooLong::Line));
    assert_eq!(count, 0);
    assert_eq!(decoder.finish(), Err(SseTooLong::Line));
}

/// Byte streams with many of the format's special bytes.
fn streams() -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(vec![
        &b"data"[..],
        b"data:",
        b"data: ",
        b"event:",
        b"id: ",
        b":",
        b" ",
        b"\n",
        b"\n\n",
        b"\r",
        b"\r\n",
        b"\r\n\r\n",
        b"\0",
        b"\xEF\xBB\xBF",
        b"\xC2\xA7",
        b"\xF0\x9F",
        b"\xFF",
        b"x",
        b"{}",
    ]);
    prop::collection::vec(word, 0..40).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn any_chunking_matches_the_reference(
        stream in prop_oneof![streams(), prop::collection::vec(any::<u8>(), 0..60)],
        cuts in prop::collection::vec(0.0..1.0, 0..8),
    ) {
        let mut cuts: Vec<_> =
            cuts.iter().map(|cut: &f64| (cut * stream.len() as f64) as usize).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|pair| &stream[pair[0]..pair[1]]);
        prop_assert_eq!(decode(pieces).unwrap(), reference::decode(&stream));
        decoded::sse(&stream);
    }
}

/// The corpus has every stream that once failed.
#[test]
fn corpus_decodes_equally_at_any_chunking() {
    let file = CaseFile::read(include_str!("../cases/streams.cases"));
    let cases = file.unwrap_or_else(|error| panic!("{error}")).cases;
    assert!(cases.len() > 2, "{} streams are too few", cases.len());
    for case in cases {
        decoded::sse(case.wire.as_bytes());
    }
}
