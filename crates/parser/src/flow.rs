use silcrow_event::{Fragment, TextFragment, TextKind};

use crate::fence::Fence;

/// The text of one section on its way out: white space at its start is dropped, a line break that
/// may belong to a delimiter is withheld (P-4), fences are followed (P-34).
#[derive(Debug)]
pub(crate) struct Flow {
    /// It has content.
    open: bool,
    /// Answers only: a thought knows no fences.
    fence: Option<Fence>,
    out: Out,
}

/// Where content goes.
#[derive(Debug)]
struct Out {
    voice: TextKind,
    part: u32,
    held: Held,
}

/// A line break that is withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    Nothing,
    Cr,
    Lf,
    CrLf,
}

pub(crate) type Sink<'s> = dyn FnMut(Fragment<'_>) + 's;

impl Flow {
    /// The section that will be number `part`, if it gives text.
    pub(crate) const fn new(voice: TextKind, part: u32, first: &'static str) -> Self {
        let fence = match voice {
            TextKind::Think => None,
            TextKind::Respond { .. } => Some(Fence::new(first)),
        };
        Self { open: false, fence, out: Out { voice, part, held: Held::Nothing } }
    }

    pub(crate) fn voice(&self) -> TextKind {
        self.out.voice
    }

    /// Whether it has content.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// Whether a delimiter that comes now counts.
    pub(crate) fn delimiter_counts(&self) -> bool {
        self.fence.as_ref().is_none_or(Fence::delimiter_counts)
    }

    /// Whether the end of the input finds a code fence open.
    pub(crate) fn fence_stays_open(&self) -> bool {
        self.fence.as_ref().is_some_and(Fence::stays_open)
    }

    #[inline]
    pub(crate) fn push(&mut self, text: &str, sink: &mut Sink<'_>) {
        let text = if self.open { text } else { text.trim_start_matches(is_space) };
        if text.is_empty() {
            return;
        }
        self.open = true;
        match &mut self.fence {
            Some(fence) if !fence.passes(text) => {
                fence.push(text, &mut |text| self.out.give_line(text, sink));
            }
            _ if self.out.held == Held::Nothing && !ends_line(text) => self.out.give(text, sink),
            _ => self.out.give_line(text, sink),
        }
    }

    /// Ends the section before a delimiter, or at the end of the input. Says whether it gave text.
    pub(crate) fn close(&mut self, sink: &mut Sink<'_>) -> bool {
        if let Some(fence) = &mut self.fence {
            fence.release(&mut |text| self.out.give_line(text, sink));
        }
        if self.out.held == Held::Cr {
            // It is no line break, so no delimiter owns it (P-4).
            self.out.give("\r", sink);
        }
        if self.open {
            sink(Fragment::Close { part: self.out.part });
        }
        self.open
    }
}

impl Out {
    #[inline]
    fn give(&self, text: &str, sink: &mut Sink<'_>) {
        sink(Fragment::Text(TextFragment { voice: self.voice, part: self.part, text }));
    }

    /// Gives out text that is content, save a line break at its end.
    fn give_line(&mut self, text: &str, sink: &mut Sink<'_>) {
        let mut text = text;
        if self.held == Held::Cr && text.starts_with('\n') {
            self.held = Held::CrLf;
            text = &text[1..];
            if text.is_empty() {
                return;
            }
        }
        let (content, held) = if let Some(content) = text.strip_suffix("\r\n") {
            (content, Held::CrLf)
        } else if let Some(content) = text.strip_suffix('\n') {
            (content, Held::Lf)
        } else if let Some(content) = text.strip_suffix('\r') {
            (content, Held::Cr)
        } else {
            (text, Held::Nothing)
        };
        let released = self.held.as_str();
        self.held = held;
        for text in [released, content] {
            if !text.is_empty() {
                self.give(text, sink);
            }
        }
    }
}

impl Held {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Cr => "\r",
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}

fn ends_line(text: &str) -> bool {
    matches!(text.as_bytes(), [.., b'\n' | b'\r'])
}

/// White space on the wire (P-4).
pub(crate) fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\r' | '\n')
}
