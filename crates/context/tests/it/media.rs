//! Pictures in the messages of a request: as parts, as lines, and when they are too many.

use proptest::prelude::*;
use silcrow_context::{CompactedHistory, ContextAssembler, ContextInput, FullHistory, ModelLimits};
use silcrow_event::{
    Call, CallResult, Content, ContentPart, ContextSummary, Entry, Event, MediaRef, Message,
};
use silcrow_media::{ImageTokenRule, Senses};
use silcrow_parser::Dialect;

fn picture(number: u32, bytes: u64) -> MediaRef {
    let mut picture = MediaRef::new("image/png", *b"1").with_name("a.png").with_size(1280, 800);
    (picture.number, picture.bytes) = (Some(number), bytes);
    picture
}

fn content(text: &str, pictures: impl IntoIterator<Item = MediaRef>) -> Content {
    let mut content = Content::from(text);
    for picture in pictures {
        content.push(ContentPart::Media(Box::new(picture)));
    }
    content
}

fn turn(turn: u32, event: Event) -> Entry {
    Entry { turn: Some(turn), ..event.into() }
}

/// A log whose tool takes a screenshot in each turn.
fn screens(count: u32, bytes: u64) -> Vec<Entry> {
    let mut log = vec![turn(1, Event::user("Look at the screen."))];
    for number in 1..=count {
        let call = Call::parse("a1", r#"{"name": "screen", "args": {}}"#).unwrap();
        let result = CallResult::success(
            "a1",
            "screen",
            "taken",
            content("Here:", [picture(number, bytes)]),
        );
        log.extend([turn(number, Event::Call(call)), turn(number, Event::Result(result))]);
    }
    for (seq, entry) in (1..).zip(&mut log) {
        entry.seq = Some(seq);
    }
    log
}

fn sighted(log: &[Entry], dialect: Dialect) -> ContextInput<'_> {
    ContextInput::new(log, dialect)
        .with_senses(Senses::IMAGES, ImageTokenRule::Fixed(1000))
        .with_data_marks(true)
}

/// The numbers of the pictures that are shown.
fn shown(messages: &[Message]) -> Vec<u32> {
    let media = messages.iter().flat_map(|message| message.content.media());
    media.filter_map(|medium| medium.number).collect()
}

#[test]
fn picture_takes_the_place_of_its_line() {
    let log = [turn(1, Event::user(content("What is this?", [picture(1, 100)])))];
    let [system, prompt] = &FullHistory.assemble(&sighted(&log, Dialect::Sigil))[..] else {
        panic!()
    };
    assert!(system.content.is_empty());
    let parts = prompt.content.parts();
    assert_eq!(parts[0], ContentPart::Text("What is this?".to_owned()));
    assert_eq!(parts[1], ContentPart::Media(Box::new(picture(1, 100))));
    assert_eq!(parts.len(), 2);
}

#[test]
fn models_without_documents_get_text() {
    let mut pdf = MediaRef::new("application/pdf", *b"%PDF-").with_name("a.pdf");
    pdf.number = Some(1);
    pdf.text = "[data k]\n--- page 1 of 1 ---\nHello\n[end k]".to_owned();
    let log = [turn(1, Event::user(content("Read it.", [pdf.clone()])))];
    let prompt = |senses| {
        let input = sighted(&log, Dialect::Sigil).with_senses(senses, ImageTokenRule::Fixed(1000));
        FullHistory.assemble(&input).iter().next_back().unwrap().content.clone()
    };
    assert_eq!(
        prompt(Senses::IMAGES).text(),
        "Read it.\n[document 1: a.pdf, PDF, 1 kB; its text follows]\n[data k]\n--- page 1 of 1 \
         ---\nHello\n[end k]"
    );
    let native = prompt(Senses::SIGHT);
    assert_eq!(native.parts().last(), Some(&ContentPart::Media(Box::new(pdf))));
    assert!(!native.text().contains("Hello"));
}

#[test]
fn tool_picture_is_within_marks() {
    for dialect in Dialect::ALL {
        let log = screens(1, 100);
        let messages = FullHistory.assemble(&sighted(&log, dialect));
        let last = messages.last().unwrap();
        let at = last.content.parts().iter().position(|part| matches!(part, ContentPart::Media(_)));
        let parts = last.content.parts();
        let at = at.unwrap_or_else(|| panic!("{dialect:?}: {parts:?}"));
        let before = Content::from_iter(parts[..at].iter().cloned()).text().into_owned();
        let after = Content::from_iter(parts[at + 1..].iter().cloned()).text().into_owned();
        assert!(before.contains("[data k"), "{dialect:?}: {parts:?}");
        assert!(after.contains("[end k"), "{dialect:?}: {parts:?}");
    }
}

#[test]
fn picture_follows_line_of_native_result() {
    let log = screens(1, 100);
    let messages = FullHistory.assemble(&sighted(&log, Dialect::Sigil).with_native(Some("m")));
    let last = messages.last().unwrap();
    let [ContentPart::Result(result), ContentPart::Media(_)] = last.content.parts() else {
        panic!("{last:?}")
    };
    assert!(result.text.contains("[image 1: a.png, PNG, 1280 × 800]"), "{}", result.text);
}

#[test]
fn model_without_vision_gets_a_line() {
    for native in [None, Some("m")] {
        let mut log = screens(1, 100);
        log.push(turn(2, Event::user(content("And this?", [picture(2, 100)]))));
        let input = ContextInput::new(&log, Dialect::Sigil).with_native(native);
        let messages = FullHistory.assemble(&input);
        assert!(shown(&messages).is_empty());
        let text: String = messages.iter().map(|message| message.text().into_owned()).collect();
        for number in [1, 2] {
            let line =
                format!("[image {number}: a.png, PNG, 1280 × 800; this model does not see images]");
            assert!(text.contains(&line), "{text}");
        }
    }
}

#[test]
fn log_without_media_gives_same_messages() {
    let log = [turn(1, Event::user("[image 1: a.png, PNG, 1280 × 800]"))];
    let blind = FullHistory.assemble(&ContextInput::new(&log, Dialect::Sigil));
    let sighted = FullHistory.assemble(&sighted(&log, Dialect::Sigil).with_data_marks(false));
    assert_eq!(blind, sighted);
}

#[test]
fn too_many_pictures_leave_the_last_four() {
    let numbers = |count, bytes, window: Option<u64>| {
        let log = screens(count, bytes);
        let mut limits = ModelLimits::default();
        limits.context = window;
        let input = sighted(&log, Dialect::Sigil);
        shown(&CompactedHistory.assemble(&input.with_limits(limits)))
    };
    // By number.
    assert_eq!(numbers(80, 100, None).len(), 80);
    assert_eq!(numbers(81, 100, None), [78, 79, 80, 81]);
    assert_eq!(numbers(100, 100, None).len(), 4 + 19);
    // By the window: 1,000 tokens each.
    assert_eq!(numbers(10, 100, Some(40_000)).len(), 10);
    assert_eq!(numbers(11, 100, Some(40_000)), [8, 9, 10, 11]);
    // By bytes.
    assert_eq!(numbers(5, 3 << 20, None), [2, 3, 4, 5]);
    // Even a single one that is too large stays.
    assert_eq!(numbers(3, 20 << 20, None), [3]);
    let log = screens(81, 100);
    let messages = FullHistory.assemble(&sighted(&log, Dialect::Sigil));
    let text: String = messages.iter().map(|message| message.text().into_owned()).collect();
    assert!(text.contains("[image 77: a.png, PNG, 1280 × 800; shown earlier"), "{text}");
}

#[test]
fn a_summary_leaves_the_pictures_before_it_out() {
    let mut log = screens(6, 100);
    let summary = ContextSummary {
        content: "Screens.".to_owned(),
        until: 5,
        shortened: 9,
        ..ContextSummary::default()
    };
    log.push(Event::Summary(summary).into());
    log.last_mut().unwrap().seq = Some(14);
    log.push(turn(7, Event::user(content("And?", [picture(7, 100)]))));
    let messages = CompactedHistory.assemble(&sighted(&log, Dialect::Sigil));
    assert_eq!(shown(&messages), [5, 6, 7]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A run sends the messages that a new assembly would give, and its requests begin with the
    /// same bytes until pictures are left out.
    #[test]
    fn a_growing_log_shows_the_same_pictures(
        sizes in prop::collection::vec(1_u64..6 << 20, 1..16),
        window in prop::option::of(8_000_u64..40_000),
        summary in prop::option::of(0_u64..12),
    ) {
        let mut whole = screens(sizes.len() as u32, 0);
        for (size, entry) in sizes.iter().zip(whole.iter_mut().skip(2).step_by(2)) {
            let Event::Result(result) = &mut entry.event else { panic!() };
            let number = result.content.media().next().unwrap().number.unwrap();
            result.content = content("Here:", [picture(number, *size)]);
        }
        if let Some(until) = summary {
            let summary = ContextSummary { content: "S.".to_owned(), until, shortened: until + 2, ..ContextSummary::default() };
            whole.push(Event::Summary(summary).into());
            let last = whole.len() as u64;
            whole.last_mut().unwrap().seq = Some(last);
        }
        let mut limits = ModelLimits::default();
        limits.context = window;
        for history in [&FullHistory as &dyn ContextAssembler, &CompactedHistory] {
            let mut growing = history.begin();
            let mut before: Option<(usize, Vec<Message>)> = None;
            for end in 1..=whole.len() {
                let input = sighted(&whole[..end], Dialect::Sigil).with_limits(limits);
                let messages: Vec<Message> = growing.assemble(&input).into();
                prop_assert_eq!(&messages, &history.assemble(&input));
                let base64: u64 = messages.iter().flat_map(|it| it.content.media()).map(|it| it.bytes.div_ceil(3) * 4).sum();
                prop_assert!(base64 <= 18 << 20);
                let dropped = messages.iter().map(|it| it.text().matches("shown earlier").count()).sum();
                if let Some((before_dropped, before)) = &before
                    && *before_dropped == dropped
                    && !matches!(whole[end - 1].event, Event::Summary(_))
                {
                    let settled = before.len().saturating_sub(2);
                    prop_assert_eq!(&before[..settled], &messages[..settled]);
                }
                before = Some((dropped, messages));
            }
        }
    }
}
