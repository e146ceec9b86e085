use proptest::prelude::*;

use super::{InlineReasoning, InlineTextKind, ReasoningSplitter};

/// Returns the reasoning and the text of an answer in these pieces.
fn split<'a>(
    reasoning: InlineReasoning,
    pieces: impl IntoIterator<Item = &'a str>,
) -> (String, String) {
    let (mut thought, mut text) = (String::new(), String::new());
    let mut take = |part, piece: &str| match part {
        InlineTextKind::Reasoning => thought.push_str(piece),
        InlineTextKind::Text => text.push_str(piece),
    };
    let mut splitter = ReasoningSplitter::new(reasoning);
    for piece in pieces {
        splitter.push(piece, &mut take);
    }
    splitter.finish(&mut take);
    (thought, text)
}

/// Returns the reasoning and the text by looking at the whole text at once.
fn known(reasoning: InlineReasoning, whole: &str) -> (String, String) {
    let inside = match reasoning {
        InlineReasoning::None => None,
        InlineReasoning::Tagged => {
            let begun = whole.trim_start();
            begun.strip_prefix("<think>").filter(|_| whole.len() - begun.len() <= 64)
        }
        InlineReasoning::Opened => Some(whole),
    };
    match inside.map(|inside| inside.split_once("</think>").unwrap_or((inside, ""))) {
        Some((thought, text)) => (thought.to_owned(), text.trim_start().to_owned()),
        None => (String::new(), whole.to_owned()),
    }
}

#[test]
fn leading_thought_is_separated_from_the_answer() {
    use InlineReasoning::{None, Opened, Tagged};
    let long = " ".repeat(65);
    for (reasoning, whole, thought, text) in [
        (Tagged, "<think>hm</think>a", "hm", "a"),
        (Tagged, "\n <think>\nhm\n</think>\n\n§call: {}", "\nhm\n", "§call: {}"),
        (Tagged, "<think></think>a", "", "a"),
        (Tagged, "<think>hm", "hm", ""),
        (Tagged, "<think>hm</thi", "hm</thi", ""),
        (Tagged, "<think><think></think></think>a", "<think>", "</think>a"),
        (Tagged, "<thi", "", "<thi"),
        (Tagged, "<thinking>a</thinking>", "", "<thinking>a</thinking>"),
        (Tagged, "a<think>b</think>", "", "a<think>b</think>"),
        (Tagged, "a</think>b", "", "a</think>b"),
        (Tagged, "  a", "", "  a"),
        (Tagged, "", "", ""),
        (Tagged, &format!("{long}<think>a</think>"), "", &format!("{long}<think>a</think>")),
        (Opened, "hm</think>\na", "hm", "a"),
        (Opened, "hm", "hm", ""),
        (None, "<think>hm</think>a", "", "<think>hm</think>a"),
    ] {
        let expected = (thought.to_owned(), text.to_owned());
        assert_eq!(split(reasoning, [whole]), expected, "{whole}");
        assert_eq!(known(reasoning, whole), expected, "{whole}");
        let ends = whole.char_indices().map(|(at, char)| &whole[at..at + char.len_utf8()]);
        assert_eq!(split(reasoning, ends), expected, "{whole}");
    }
}

#[test]
fn unambiguous_text_is_emitted_at_once() {
    let mut splitter = ReasoningSplitter::new(InlineReasoning::Tagged);
    let mut given = Vec::new();
    for piece in ["<thi", "nk>a", "b</t", "x", "</think", ">", "\n", "c", "<think>"] {
        let mut now = String::new();
        splitter.push(piece, |part, text| {
            if !text.is_empty() {
                now = format!("{part:?} {text}");
            }
        });
        given.push(now);
    }
    let expected =
        ["", "Reasoning a", "Reasoning b", "Reasoning </tx", "", "", "", "Text c", "Text <think>"];
    assert_eq!(given, expected);
    assert!(splitter.is_done());
}

proptest! {
    #[test]
    fn split_is_independent_of_chunking(
        whole in prop::collection::vec(
            prop_oneof![
                Just("<think>"), Just("</think>"), Just("<"), Just("</"), Just("think>"), Just("<thi"),
                Just(" "), Just("\n"), Just("a"), Just("é"), Just("§call: {}\n"),
            ],
            0..12,
        ),
        size in 1usize..6,
    ) {
        use InlineReasoning::{None, Opened, Tagged};
        let whole = whole.concat();
        for reasoning in [None, Tagged, Opened] {
            let expected = known(reasoning, &whole);
            for (at, _) in whole.char_indices() {
                let (one, other) = whole.split_at(at);
                prop_assert_eq!(&split(reasoning, [one, other]), &expected, "{:?} at {}", &whole, at);
            }
            let chars: Vec<_> = whole.chars().collect();
            let pieces: Vec<String> =
                chars.chunks(size).map(|piece| piece.iter().collect()).collect();
            let pieces = pieces.iter().map(String::as_str);
            prop_assert_eq!(&split(reasoning, pieces), &expected, "{:?} by {}", &whole, size);
        }
    }
}
