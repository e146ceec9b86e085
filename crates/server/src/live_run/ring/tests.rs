//! A ring returns the pushed messages.

use proptest::prelude::*;
use silcrow_event::{Entry, Event, TextKind, Timestamp};
use silcrow_front::{NativeEncoder, RunEncoder as _};

use super::*;

/// Returns a piece of one of a few texts. Some are too long for a block, have no time, or come
/// late.
fn piece() -> impl Strategy<Value = RunEvent> {
    let kind = prop_oneof![Just(TextKind::Think), Just(TextKind::Respond { last: true })];
    let id = prop_oneof![4 => Just(None), 1 => Just(Some("1"))];
    let text = prop_oneof![8 => "[a-zß ]{1,12}", 1 => Just("long ".repeat(1_000))];
    let time = prop_oneof![
        8 => (0..1_000_000_000_i64).prop_map(Some),
        1 => Just(Some(60_000_000_000)),
        1 => Just(None),
    ];
    let all = (kind, 1..3_u32, id, text, time);
    all.prop_map(
        |(kind, part, id, text, time): (TextKind, u32, Option<&str>, String, Option<i64>)| {
            let fragment = TextFragment { kind, part, id, text: &text };
            let timestamp = time.map(Timestamp::from_nanos);
            let position = LogPosition { timestamp, turn: Some(1), seq: Some(1) };
            RunEventRef::Text(fragment, position).to_owned()
        },
    )
}

/// Returns pieces, and nothing at a stored event.
fn events() -> impl Strategy<Value = Vec<Option<RunEvent>>> {
    let event = prop_oneof![12 => piece().prop_map(Some), 1 => Just(None)];
    prop::collection::vec(event, 0..60)
}

fn messages(events: Vec<Option<RunEvent>>) -> Vec<Arc<LiveMessage>> {
    let (mut encoder, mut stored) = (NativeEncoder::new(), 0);
    let messages = events.into_iter().map(|event| {
        let event = event.unwrap_or_else(|| {
            stored += 1;
            let mut entry = Entry::from(Event::respond("Stored."));
            entry.seq = Some(stored);
            RunEvent::Entry(Box::new(entry))
        });
        let is_native = encoder.count(event.as_ref());
        let output = RunOutput::Event(event);
        Arc::new(LiveMessage { position: encoder.position(), is_native, output })
    });
    messages.collect()
}

/// Pushes messages as a run does.
fn push(ring: &mut MessageRing, messages: &[Arc<LiveMessage>], most: usize) {
    for message in messages {
        let is_kept = match &message.output {
            RunOutput::Event(RunEvent::Text(piece)) => {
                ring.push_text(message.position, piece.fragment(), piece.position, most)
            }
            _ => false,
        };
        if !is_kept {
            ring.push(message, most);
        }
    }
}

fn shown(messages: impl IntoIterator<Item = Arc<LiveMessage>>) -> Vec<String> {
    let show = |message: Arc<LiveMessage>| {
        format!("{:?} {} {:?}", message.position, message.frame(), message.output)
    };
    messages.into_iter().map(show).collect()
}

proptest! {
    #[test]
    fn ring_writes_like_a_continuous_encoder(events in events()) {
        let (mut encoder, mut whole) = (NativeEncoder::new(), String::new());
        let messages = messages(events);
        for message in &messages {
            if let RunOutput::Event(event) = &message.output {
                encoder.encode(event.as_ref(), &mut whole);
            }
        }
        let frames: String = messages.iter().map(|message| message.frame()).collect();
        prop_assert_eq!(frames, whole);
    }

    #[test]
    fn ring_returns_pushed_items(events in events(), at in any::<prop::sample::Index>()) {
        let messages = messages(events);
        let mut ring = MessageRing::new((0, 0));
        let at = at.index(messages.len() + 1);
        push(&mut ring, &messages[..at], usize::MAX);
        // Earlier readers do not see later pushes.
        let before = ring.read();
        push(&mut ring, &messages[at..], usize::MAX);
        prop_assert_eq!(shown(before), shown(messages[..at].to_vec()));
        prop_assert_eq!(shown(ring.read()), shown(messages));
    }

    #[test]
    fn only_read_items_are_skipped(events in events(), at in any::<prop::sample::Index>()) {
        prop_assume!(!events.is_empty());
        let messages = messages(events);
        let mut ring = MessageRing::new((0, 0));
        push(&mut ring, &messages, usize::MAX);
        let known = at.get(&messages).position;
        let mut rest = ring.read();
        rest.skip_before(known);
        let rest = rest.filter(|message| message.position >= known);
        let left = messages.iter().filter(|message| message.position >= known).cloned();
        prop_assert_eq!(shown(rest), shown(left));
    }

    #[test]
    fn ring_keeps_the_latest_messages(events in events(), most in 0..20_000_usize) {
        let messages = messages(events);
        let mut ring = MessageRing::new((0, 0));
        push(&mut ring, &messages, most);
        let (kept, all) = (shown(ring.read()), shown(messages));
        prop_assert!(all.ends_with(&kept));
        prop_assert_eq!(ring.bytes, ring.items.iter().map(RingItem::size).sum::<usize>());
        prop_assert!(ring.bytes <= most);
    }
}
