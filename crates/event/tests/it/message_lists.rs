//! Lists of messages that grow: the messages that they share, and their encoding.

use proptest::prelude::*;
use silcrow_event::{GrowingMessages, Message, MessageList, Role};

/// A change of a list: the kept part, the number of new messages, and the settled part, each
/// relative to its maximum.
type Growth = (u8, u8, u8);

fn message(number: usize) -> Message {
    let role = [Role::User, Role::Assistant][number % 2];
    Message::new(role, format!("message {number}"))
}

/// Returns the encoding of a list, and how many messages were read for it.
fn encoded(list: &MessageList, form: &'static str) -> (String, usize) {
    let (mut out, mut read) = (b"[".to_vec(), 0);
    list.encode(form, &mut out, |message, out| {
        read += 1;
        out.extend_from_slice(form.as_bytes());
        out.extend_from_slice(message.text().as_bytes());
    });
    (String::from_utf8(out).unwrap(), read)
}

/// Returns the encoding of messages of which none is kept.
fn plain(list: &MessageList, form: &'static str) -> String {
    encoded(&list.to_vec().into(), form).0
}

proptest! {
    /// This holds for any kept and settled part, and for older lists that are used again.
    #[test]
    fn list_encoding_repeats_its_messages(
        growths in prop::collection::vec(any::<Growth>(), 1..12), forms in any::<u16>(),
    ) {
        let mut growing = GrowingMessages::new();
        let mut lists: Vec<MessageList> = Vec::new();
        let mut number = 0;
        for (step, (kept, new, settled)) in growths.into_iter().enumerate() {
            let kept = usize::from(kept) % (growing.list().len() + 1);
            let new: Vec<_> = (0..new % 4).map(|_| { number += 1; message(number) }).collect();
            let all = kept + new.len();
            let mut whole = growing.list()[..kept].to_vec();
            whole.extend(new.iter().cloned());
            let list = growing.renew(kept, new, usize::from(settled) % (all + 1));
            prop_assert_eq!(&list, &whole);
            prop_assert!(list.settled().len() <= list.len());
            lists.push(list);
            let form = ["a", "b"][usize::from(forms >> step & 1)];
            for list in &lists {
                prop_assert_eq!(encoded(list, form).0, plain(list, form));
                for earlier in &lists {
                    let repeated = list.repeated(&earlier.settled());
                    prop_assert_eq!(&list[..repeated], &earlier[..repeated]);
                }
            }
        }
    }
}

#[test]
fn a_conversation_is_encoded_once() {
    let mut growing = GrowingMessages::new();
    let mut read = 0;
    for step in 0..10_000 {
        let settled = growing.list().settled().len();
        let new = [message(step), message(step + 1)];
        let list = growing.renew(settled, new, settled + 1);
        let mut out = Vec::new();
        list.encode("form", &mut out, |_, _| read += 1);
        assert_eq!(list.len(), step + 2);
    }
    // Each message is read when it is settled, and the last one of each list once more.
    assert_eq!(read, 20_000);
}

#[test]
fn changed_list_keeps_settled_messages() {
    let mut growing = GrowingMessages::new();
    let mut list = growing.renew(0, [message(1), message(2)], 1);
    list.push(message(3));
    list.extend([message(4)]);
    assert_eq!(list, [1, 2, 3, 4].map(message).to_vec());
    assert_eq!(list.repeated(&growing.list().settled()), 1);
    assert_eq!(growing.list().len(), 2, "the other list is as it was");
    assert_eq!(Vec::from(list).len(), 4);
}
