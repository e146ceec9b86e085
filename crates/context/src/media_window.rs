//! The entry from which on the pictures of a log are shown.
//!
//! A vendor refuses a request with too many pictures, and each takes room in the window. When they
//! are too many together, all but the last few become lines at once, so that the cache of a
//! provider breaks once. The log alone decides when this happens, so the same log gives the same
//! requests.

use silcrow_event::{Content, Event, MediaRef};

use crate::input::ContextInput;

/// The pictures that are shown so far, and from which entry on.
#[derive(Clone, Debug, Default)]
pub(crate) struct MediaWindow {
    /// The number of entries read so far.
    read: usize,
    /// The entries, sizes and tokens of the shown pictures.
    shown: Vec<ShownMedium>,
    /// The index of the first entry whose pictures are shown.
    from: usize,
}

#[derive(Clone, Copy, Debug)]
struct ShownMedium {
    entry: usize,
    base64: u64,
    tokens: u64,
    long_edge: u32,
}

impl MediaWindow {
    /// Begins at an entry: the pictures before it are not shown.
    pub(crate) const fn begin(from: usize) -> Self {
        Self { read: from, shown: Vec::new(), from }
    }

    /// Returns the index of the first entry whose pictures are shown.
    pub(crate) const fn from(&self) -> usize {
        self.from
    }

    /// Looks at the new entries of a log, and returns the index of the first whose pictures are shown.
    pub(crate) fn read(&mut self, input: &ContextInput<'_>) -> usize {
        for (index, entry) in input.entries.iter().enumerate().skip(self.read) {
            let Some(content) = content(&entry.event) else { continue };
            for medium in content.media().filter(|medium| input.senses.takes(&medium.mime)) {
                self.shown.push(ShownMedium::new(index, medium, input));
                self.drop_old(input.limits.context);
            }
        }
        self.read = self.read.max(input.entries.len());
        self.from
    }

    /// Leaves out all but the last few if they are too many together.
    fn drop_old(&mut self, window: Option<u64>) {
        let mut most = KEPT;
        while self.is_too_much(window) && self.shown.len() > 1 && most > 0 {
            let first = self.shown.len().saturating_sub(most);
            // The pictures of an entry stay together.
            self.from = self.shown[first].entry;
            let from = self.from;
            self.shown.retain(|shown| shown.entry >= from);
            most -= 1;
        }
    }

    fn is_too_much(&self, window: Option<u64>) -> bool {
        let base64: u64 = self.shown.iter().map(|shown| shown.base64).sum();
        let tokens: u64 = self.shown.iter().map(|shown| shown.tokens).sum();
        let has_large = self.shown.iter().any(|shown| shown.long_edge > LARGE);
        base64 > MOST_BYTES
            || window.is_some_and(|window| tokens > window / 4)
            || self.shown.len() > if has_large { MOST_LARGE } else { MOST }
    }
}

impl ShownMedium {
    fn new(entry: usize, medium: &MediaRef, input: &ContextInput<'_>) -> Self {
        let rule = input.image_tokens;
        let tokens = rule.tokens_of_file(&medium.mime, medium.bytes, medium.size);
        let long_edge = medium.size.map_or(0, |(width, height)| width.max(height));
        Self { entry, base64: medium.bytes.div_ceil(3) * 4, tokens, long_edge }
    }
}

/// Returns the content of an event that may have media.
pub(crate) const fn content(event: &Event) -> Option<&Content> {
    match event {
        Event::User { content, .. } => Some(content),
        Event::Result(result) => Some(&result.content),
        _ => None,
    }
}

/// The number of pictures that stay when there are too many.
const KEPT: usize = 4;

/// The greatest number of pictures in a request, and the greatest number if one of them is large.
const MOST: usize = 80;
const MOST_LARGE: usize = 20;

/// The number of pixels of a side from which a picture is large.
const LARGE: u32 = 1990;

/// The greatest number of bytes of all of them in a request, in base64.
const MOST_BYTES: u64 = 18 << 20;
