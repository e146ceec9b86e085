//! Reads objects with bare keys and their own quote: `call:f{city:<q>Paris<q>,n:1}`.
//!
//! This module reads one call, without its enclosing marks.

use crate::body::{BodyContext, BodyStep, CUT, HoldStep, MarkHold, UNFINISHED};
use crate::json_text;

/// The form of such objects in a family.
#[derive(Debug)]
pub(crate) struct LooseForm {
    /// The text before the name.
    pub(crate) prefix: &'static str,
    /// The mark on both sides of a string.
    pub(crate) quote: &'static str,
    /// The quote, and the marks that end the body.
    pub(crate) marks: &'static [&'static str],
}

#[derive(Debug)]
pub(crate) struct LooseBody {
    form: &'static LooseForm,
    /// The text before the opening brace.
    head: String,
    /// The object so far, with its opening brace.
    text: String,
    is_quoted: bool,
    is_json_string: bool,
    is_escaped: bool,
    depth: u32,
    hold: MarkHold,
}

impl LooseBody {
    pub(crate) fn new(form: &'static LooseForm) -> Self {
        Self {
            form,
            head: String::new(),
            text: String::new(),
            is_quoted: false,
            is_json_string: false,
            is_escaped: false,
            depth: 0,
            hold: MarkHold::default(),
        }
    }

    pub(crate) fn step(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        if self.depth == 0 {
            return self.in_head(character);
        }
        if self.is_json_string {
            self.text.push(character);
            if std::mem::take(&mut self.is_escaped) {
            } else if character == '\\' {
                self.is_escaped = true;
            } else if character == '"' {
                self.is_json_string = false;
            }
            return BodyStep::More;
        }
        let marks = if self.is_quoted { &self.form.marks[..1] } else { self.form.marks };
        match self.hold.push(character, marks) {
            HoldStep::Kept => return BodyStep::More,
            HoldStep::Mark(0) => {
                self.is_quoted = !self.is_quoted;
                self.text.push_str(&std::mem::take(&mut self.hold.text));
                return BodyStep::More;
            }
            HoldStep::Mark(_) => {
                let mark = std::mem::take(&mut self.hold.text);
                self.fail(UNFINISHED, false, context);
                return BodyStep::Leave(mark);
            }
            HoldStep::Broken => {
                // The pending text begins with the only `<` of its mark, so the rest is plain, and
                // the last character may begin another mark.
                self.hold.text.pop();
                let kept = std::mem::take(&mut self.hold.text);
                self.text.push_str(&kept);
                return self.step(character, context);
            }
            HoldStep::Other => {}
        }
        self.text.push(character);
        match character {
            _ if self.is_quoted => {}
            '"' => self.is_json_string = true,
            '{' | '[' => self.depth += 1,
            '}' | ']' => {
                self.depth -= 1;
                if self.depth == 0 {
                    return self.close(context);
                }
            }
            _ => {}
        }
        BodyStep::More
    }

    /// Takes the leading part of a text that is inside a string, and returns its length in bytes.
    pub(crate) fn run(&mut self, text: &str) -> usize {
        if self.depth == 0 || !self.hold.text.is_empty() || self.is_escaped {
            return 0;
        }
        let end = match (self.is_json_string, self.is_quoted) {
            (true, _) => memchr::memchr2(b'"', b'\\', text.as_bytes()),
            // The quote begins with an ASCII character.
            (_, true) => memchr::memchr(self.form.quote.as_bytes()[0], text.as_bytes()),
            (false, false) => return 0,
        };
        let end = end.unwrap_or(text.len());
        self.text.push_str(&text[..end]);
        end
    }

    pub(crate) fn finish(&mut self, context: &mut BodyContext<'_, '_>) -> BodyStep {
        self.fail(CUT, true, context)
    }

    fn in_head(&mut self, character: char) -> BodyStep {
        if self.head.is_empty() && character.is_whitespace() {
            return BodyStep::More;
        }
        let prefix = self.form.prefix;
        if character == '{' && self.head.len() > prefix.len() {
            self.text.push('{');
            self.depth = 1;
            return BodyStep::Commit;
        }
        self.head.push(character);
        let is_prefix = prefix.starts_with(self.head.as_str());
        let is_name = self.head.len() > prefix.len()
            && self.head.starts_with(prefix)
            && !character.is_whitespace()
            && !"<>\"`'".contains(character)
            && self.head.len() < MAX_HEAD;
        if is_prefix || is_name { BodyStep::More } else { BodyStep::Refuted }
    }

    fn close(&mut self, context: &mut BodyContext<'_, '_>) -> BodyStep {
        context.sink.begin();
        context.sink.name.push_str(&self.head[self.form.prefix.len()..]);
        let mut reader = LooseReader { rest: &self.text, quote: self.form.quote };
        let mut args = String::with_capacity(self.text.len() + 8);
        match reader.value(&mut args, MAX_DEPTH) {
            Some(()) => {
                context.sink.args.push_str(&args);
                context.sink.complete(context.emit);
            }
            None => context.sink.fail(NO_OBJECT, false, &self.text, context.emit),
        }
        BodyStep::Done
    }

    fn fail(&mut self, why: &str, truncated: bool, context: &mut BodyContext<'_, '_>) -> BodyStep {
        context.sink.begin();
        if let Some(name) = self.head.strip_prefix(self.form.prefix) {
            context.sink.name.push_str(name);
        }
        let text = format!("{}{}", self.head, self.text);
        context.sink.fail(why, truncated, &text, context.emit);
        BodyStep::Done
    }
}

/// The rest of an object. Blanks before it are skipped.
struct LooseReader<'a> {
    rest: &'a str,
    quote: &'static str,
}

impl LooseReader<'_> {
    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.trim_start();
        let after = rest.strip_prefix(text);
        self.rest = after.unwrap_or(rest);
        after.is_some()
    }

    fn value(&mut self, out: &mut String, room: u8) -> Option<()> {
        let room = room.checked_sub(1)?;
        if self.take("{") {
            out.push('{');
            while !self.take("}") {
                if !out.ends_with('{') {
                    out.push(',');
                }
                self.key(out)?;
                out.push(':');
                self.value(out, room)?;
                if !self.take(",") && !self.rest.starts_with('}') {
                    return None;
                }
            }
            out.push('}');
        } else if self.take("[") {
            out.push('[');
            while !self.take("]") {
                if !out.ends_with('[') {
                    out.push(',');
                }
                self.value(out, room)?;
                if !self.take(",") && !self.rest.starts_with(']') {
                    return None;
                }
            }
            out.push(']');
        } else if self.take(self.quote) {
            self.quoted(out)?;
        } else if self.rest.starts_with('"') {
            self.json_string(out)?;
        } else {
            let end = self.rest.find([',', ']', '}']).unwrap_or(self.rest.len());
            let word = self.rest[..end].trim();
            match word {
                "" => return None,
                "true" | "false" | "null" => out.push_str(word),
                "None" => out.push_str("null"),
                "True" => out.push_str("true"),
                "False" => out.push_str("false"),
                _ if json_text::is_number(word) => out.push_str(word),
                _ => json_text::string(word, out),
            }
            self.rest = &self.rest[end..];
        }
        Some(())
    }

    fn key(&mut self, out: &mut String) -> Option<()> {
        if self.take(self.quote) {
            self.quoted(out)?;
        } else if self.rest.starts_with('"') {
            self.json_string(out)?;
        } else {
            let end = self.rest.find(':')?;
            json_text::string(self.rest[..end].trim(), out);
            self.rest = &self.rest[end..];
        }
        self.take(":").then_some(())
    }

    /// Reads a string whose opening quote of the form was read.
    fn quoted(&mut self, out: &mut String) -> Option<()> {
        let end = self.rest.find(self.quote)?;
        json_text::string(&self.rest[..end], out);
        self.rest = &self.rest[end + self.quote.len()..];
        Some(())
    }

    fn json_string(&mut self, out: &mut String) -> Option<()> {
        let mut is_escaped = false;
        let end = self.rest.bytes().enumerate().skip(1).find(|(_, byte)| {
            let is_end = *byte == b'"' && !is_escaped;
            is_escaped = *byte == b'\\' && !is_escaped;
            is_end
        });
        let (text, rest) = self.rest.split_at(end?.0 + 1);
        out.push_str(text);
        self.rest = rest;
        Some(())
    }
}

const NO_OBJECT: &str =
    "the arguments are not an object of the form that the model was trained for";
const MAX_HEAD: usize = 256;
const MAX_DEPTH: u8 = 126;
