use silcrow_event::Truncation;
use silcrow_tool::HeadTail;

/// Returns the kept parts of a text that comes in pieces of this many characters.
fn kept(text: &str, room: usize, piece: usize) -> (String, Option<Truncation>) {
    let mut ends = HeadTail::new(room);
    let chars: Vec<_> = text.chars().collect();
    for piece in chars.chunks(piece) {
        ends.push(&piece.iter().collect::<String>());
    }
    let left_out = ends.left_out();
    let (head, cut) = ends.finish();
    assert_eq!(cut.as_ref().map_or(0, |cut| cut.omitted_bytes.unwrap()), left_out);
    (head, cut)
}

#[test]
fn truncation_does_not_depend_on_pieces() {
    for text in ["", "a", "0123456789", "é0é1é2é3", "€€€", "x😀😀😀😀", &"xé€😀\n".repeat(50)]
    {
        for room in 0..40 {
            let (head, cut) = kept(text, room, usize::MAX);
            assert_eq!(cut.is_none(), text.len() <= room, "{text} in {room}");
            match &cut {
                None => assert_eq!(head, text),
                Some(cut) => {
                    let tail = cut.tail.as_deref().unwrap();
                    assert!(text.starts_with(&head) && text.ends_with(tail), "{text} in {room}");
                    let whole = head.len() + tail.len() + cut.omitted_bytes.unwrap() as usize;
                    assert_eq!(whole, text.len());
                    assert!(head.len() + tail.len() <= room);
                }
            }
            for piece in 1..9 {
                let again = kept(text, room, piece);
                assert_eq!(again, (head.clone(), cut.clone()), "{text} in {room}");
            }
        }
    }
}

#[test]
fn head_gets_three_quarters() {
    let text: String = (0..10_000).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
    let (head, cut) = kept(&text, 1000, 7);
    assert_eq!(head, &text[..750]);
    let expected = Truncation::default().with_omitted_bytes(9000).with_tail(&text[10_000 - 250..]);
    assert_eq!(cut, Some(expected));
}

#[test]
fn endless_text_takes_little_memory() {
    // A gigabyte in large pieces, ten megabytes in small ones.
    for (piece, pieces) in [(1 << 16, 1 << 14), (7, 1_500_000), (251, 40_000)] {
        let mut ends = HeadTail::new(1000);
        let text = "x".repeat(piece);
        for _ in 0..pieces {
            ends.push(&text);
        }
        // The debug text contains everything that is kept.
        assert!(format!("{ends:?}").len() < 4000, "{piece}");
        assert_eq!(ends.left_out(), (piece * pieces - 1000) as u64, "{piece}");
    }
}
