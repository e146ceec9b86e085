use silcrow_exec::HeadTail;

/// What is left of a text that comes in pieces of so many characters.
fn kept(text: &str, room: usize, piece: usize) -> (String, u64) {
    let mut ends = HeadTail::new(room);
    let chars: Vec<_> = text.chars().collect();
    for piece in chars.chunks(piece) {
        ends.push(&piece.iter().collect::<String>());
    }
    let left_out = ends.left_out();
    (ends.finish(), left_out)
}

#[test]
fn what_fits_is_whole_and_what_is_cut_does_not_depend_on_the_pieces() {
    for text in ["", "a", "0123456789", "é0é1é2é3", "€€€", "x😀😀😀😀", &"xé€😀\n".repeat(50)]
    {
        for room in 0..40 {
            let (whole, left_out) = kept(text, room, usize::MAX);
            assert_eq!(left_out == 0, text.len() <= room, "{text} in {room}");
            if left_out == 0 {
                assert_eq!(whole, text);
            }
            for piece in 1..9 {
                assert_eq!(kept(text, room, piece), (whole.clone(), left_out), "{text} in {room}");
            }
        }
    }
}

#[test]
fn the_beginning_has_three_quarters_and_all_bytes_are_accounted_for() {
    let text: String = (0..10_000).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
    let (kept, left_out) = kept(&text, 1000, 7);
    let (head, rest) = kept.split_once('\n').unwrap();
    let (line, tail) = rest.split_once('\n').unwrap();
    assert_eq!(head, &text[..750]);
    assert_eq!(tail, &text[10_000 - 250..]);
    assert_eq!(left_out, 9000);
    assert_eq!(line, "[9000 bytes are left out here and gone; ask for less, or for a part of it]");
}

#[test]
fn endless_text_takes_no_more_memory_than_a_little() {
    // A gigabyte in large pieces, ten megabytes in small ones.
    for (piece, pieces) in [(1 << 16, 1 << 14), (7, 1_500_000), (251, 40_000)] {
        let mut ends = HeadTail::new(1000);
        let text = "x".repeat(piece);
        for _ in 0..pieces {
            ends.push(&text);
        }
        // The debug text holds all of what is kept.
        assert!(format!("{ends:?}").len() < 4000, "{piece}");
        assert_eq!(ends.left_out(), (piece * pieces - 1000) as u64, "{piece}");
    }
}
