use silcrow_event as event;
use silcrow_store::Summary;

use crate::link::{self, SledLink};

/// What is known of a log without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) summary: Summary,
    /// Its place in the list: the higher, the later it was appended to.
    pub(crate) place: u64,
    /// What the next event's record says of the last.
    pub(crate) link: SledLink,
}

impl Meta {
    /// Of a log without events.
    pub(crate) fn new(conversation: &str) -> Self {
        Self { summary: Summary::new(conversation), place: 0, link: link::FIRST }
    }

    /// The position of the last entry.
    pub(crate) const fn head(&self) -> u64 {
        self.summary.events
    }

    /// Takes the next event into account, whose content is `line`.
    pub(crate) fn push(&mut self, entry: &event::Entry, key: &[u8], line: &str) {
        self.summary.push(entry);
        let Summary { first, last, .. } = &mut self.summary;
        (*first, *last) = (time(bits(*first)), time(bits(*last)));
        self.link = link::after(&self.link, key, line.as_bytes());
    }

    /// Head, place, first and last time, each 8 bytes, then the link, then the title, then, if there
    /// is one, a line feed and the user.
    pub(crate) fn write(&self) -> Vec<u8> {
        let Summary { events, first, last, title, user, .. } = &self.summary;
        let numbers = [*events, self.place, bits(*first), bits(*last)];
        let mut out = Vec::with_capacity(4 * size_of::<u64>() + self.link.len() + title.len());
        out.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
        out.extend(self.link);
        // A title is one line.
        out.extend(title.as_bytes());
        if let Some(user) = user {
            out.push(b'\n');
            out.extend(user.as_bytes());
        }
        out
    }

    /// What [`write`](Self::write) wrote of `conversation`.
    pub(crate) fn read(conversation: &str, content: &[u8]) -> Option<Self> {
        let (events, rest) = number(content)?;
        let (place, rest) = number(rest)?;
        let (first, rest) = number(rest)?;
        let (last, rest) = number(rest)?;
        let (link, names) = link::split(rest)?;
        let names = std::str::from_utf8(names).ok()?;
        let (title, user) = match names.split_once('\n') {
            Some((title, user)) => (title, Some(user.to_owned())),
            None => (names, None),
        };
        let summary = Summary {
            conversation: conversation.to_owned(),
            title: title.to_owned(),
            user,
            events,
            first: time(first),
            last: time(last),
        };
        Some(Self { summary, place, link: *link })
    }
}

/// A time as it is kept: the bits of its seconds as a binary fraction, which has no room for single
/// nanoseconds.
fn bits(time: event::Timestamp) -> u64 {
    time.to_string().parse::<f64>().unwrap_or_default().to_bits()
}

/// The time of which [`bits`] are kept. What no time can be is not known.
fn time(bits: u64) -> event::Timestamp {
    f64::from_bits(bits).to_string().parse().unwrap_or_default()
}

/// The number at the beginning, and what follows it.
pub(crate) fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u64::from_be_bytes(*number), rest))
}
