//! The bytes that occur in a text, so that a search for an impossible text reads nothing.

/// A set of bytes: a bit for each.
#[derive(Clone, Copy)]
pub(super) struct ByteSet([u64; 4]);

impl ByteSet {
    /// Returns the bytes of a text.
    pub(super) fn from_text(text: &str) -> Self {
        let mut bits = [0; 4];
        for byte in text.bytes() {
            bits[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
        Self(bits)
    }

    /// Returns whether the text has every byte of a pattern. Otherwise the pattern is not in it.
    pub(super) fn has_all(self, pattern: &str) -> bool {
        pattern.bytes().all(|byte| self.has(byte))
    }

    pub(super) const fn has(self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] & 1 << (byte & 63) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::ByteSet;

    #[test]
    fn byte_sets_hold_exactly_their_bytes() {
        let text: String = ('\0'..='\u{7ff}').collect();
        let all = ByteSet::from_text(&text);
        for byte in 0..=u8::MAX {
            assert_eq!(all.has(byte), text.as_bytes().contains(&byte), "{byte}");
            assert!(!ByteSet::from_text("").has(byte));
        }
        let some = ByteSet::from_text("call [x]");
        assert!(some.has_all("[]") && some.has_all("") && !some.has_all("[TOOL_CALLS]"));
    }
}
