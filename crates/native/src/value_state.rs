//! The part of the reader of parameters that reads values, and finds their ends.
//!
//! A closer counts if a mark of the form follows it. Otherwise it is a part of the value.

use crate::body::{BodyContext, BodyStep, HoldStep};
use crate::parameters::{ParameterBody, ParameterState};

impl ParameterBody {
    pub(crate) fn value(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        let cdata = [self.form.cdata_close];
        let marks: &[&'static str] = if self.values.is_cdata() { &cdata } else { &self.closers };
        match self.hold.push(character, marks) {
            HoldStep::Kept => BodyStep::More,
            HoldStep::Mark(found) => {
                self.closer = std::mem::take(&mut self.hold.text);
                self.ends_call = found > 0;
                self.state = ParameterState::Behind;
                BodyStep::More
            }
            HoldStep::Other => {
                let mut buffer = [0; 4];
                self.values.push(character.encode_utf8(&mut buffer), self.form, context.sink);
                BodyStep::More
            }
            HoldStep::Broken => {
                let kept = std::mem::take(&mut self.hold.text);
                self.give_back(&kept, context)
            }
        }
    }

    pub(crate) fn behind(
        &mut self,
        character: char,
        context: &mut BodyContext<'_, '_>,
    ) -> BodyStep {
        if self.hold.text.is_empty() && character.is_whitespace() {
            self.closer.push(character);
            return BodyStep::More;
        }
        let marks: &[&'static str] = if self.ends_call { self.form.outer } else { &self.behind };
        match self.hold.push(character, marks) {
            HoldStep::Kept => BodyStep::More,
            HoldStep::Mark(found) => {
                let mark = marks[found];
                self.hold.text.clear();
                self.values.end(self.form, context);
                self.state = ParameterState::Next;
                self.follow(mark, context)
            }
            step => {
                // The closer was a part of the value.
                let mut kept = std::mem::take(&mut self.closer);
                kept.push_str(&std::mem::take(&mut self.hold.text));
                if step == HoldStep::Other {
                    kept.push(character);
                }
                self.state = ParameterState::Value;
                self.give_back(&kept, context)
            }
        }
    }

    /// Adds the first character of a text to the value, and reads the rest again.
    fn give_back(&mut self, kept: &str, context: &mut BodyContext<'_, '_>) -> BodyStep {
        let first = kept.chars().next().map_or(0, char::len_utf8);
        self.values.push(&kept[..first], self.form, context.sink);
        self.replay(&kept[first..], context)
    }

    pub(crate) fn replay(&mut self, text: &str, context: &mut BodyContext<'_, '_>) -> BodyStep {
        for (at, character) in text.char_indices() {
            match self.step(character, context) {
                BodyStep::More => {}
                BodyStep::Done => {
                    return BodyStep::Leave(text[at + character.len_utf8()..].to_owned());
                }
                BodyStep::Leave(left) => {
                    return BodyStep::Leave(left + &text[at + character.len_utf8()..]);
                }
                step => return step,
            }
        }
        BodyStep::More
    }
}
