use silcrow_event::Oddity;

use crate::aside::Aside;

/// What stands around call bodies: the brackets and commas of a list, and a code fence (P-8).
#[derive(Debug)]
pub(crate) struct List {
    /// The body stands in a code fence.
    pub(crate) fenced: bool,
    /// Behind the fence's run, on its line.
    in_fence_line: bool,
    open: bool,
    items: u32,
    /// A comma stands behind the last item.
    comma: bool,
    /// What stands behind the closing bracket.
    behind: Option<Aside>,
}

impl List {
    pub(crate) const fn new() -> Self {
        Self {
            fenced: false,
            in_fence_line: false,
            open: false,
            items: 0,
            comma: false,
            behind: None,
        }
    }

    /// Takes text that stands at `at` of the wire text, and tells of what had to be repaired.
    pub(crate) fn push(&mut self, text: &str, at: u64, repaired: &mut dyn FnMut(&str, u64)) {
        if let Some(behind) = &mut self.behind {
            behind.push(text, at);
            return;
        }
        if text == "```" && !self.fenced {
            self.fenced = true;
            self.in_fence_line = true;
            return;
        }
        for (index, char) in text.char_indices() {
            let at = at + index as u64;
            match char {
                '\n' => self.in_fence_line = false,
                _ if self.in_fence_line => {}
                '[' => self.open = true,
                ',' => {
                    if self.comma || self.items == 0 {
                        repaired("a comma without a call before it was dropped", at);
                    }
                    self.comma = true;
                }
                ']' => {
                    if self.comma {
                        repaired("a comma behind the last call was dropped", at);
                    }
                    self.behind = Some(Aside::new(Oddity::StrayText, self.fenced));
                }
                _ => {}
            }
        }
    }

    /// An item is over; `at` is where.
    pub(crate) fn item(&mut self, at: u64, repaired: &mut dyn FnMut(&str, u64)) {
        if self.items > 0 && !self.comma {
            repaired("a comma between two calls was missing", at);
        }
        self.items += 1;
        self.comma = false;
    }

    /// The list is over; says whether its closing bracket is missing, and what stands behind it.
    pub(crate) fn finish(self) -> (bool, Option<Aside>) {
        (self.open && self.behind.is_none(), self.behind)
    }
}
