//! A slow decoder over the whole input, straight from the WHATWG text: decode, split into lines,
//! interpret each line.

use crate::decoded::Seen;

pub(crate) fn decode(input: &[u8]) -> Seen {
    let text = String::from_utf8_lossy(input).into_owned();
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let mut state = State::default();
    let mut line = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\r' | '\n' => {
                if char == '\r' && chars.peek() == Some(&'\n') {
                    chars.next();
                }
                state.line(&std::mem::take(&mut line));
            }
            char => line.push(char),
        }
    }
    if !line.is_empty() {
        state.line(&line);
    }
    let pending = (!state.data.is_empty()).then(|| state.open());
    Seen { events: state.events, pending: pending.map(|(event, data, _)| (event, data)) }
}

#[derive(Default)]
struct State {
    data: String,
    event: String,
    id: String,
    events: Vec<(String, String, String)>,
}

impl State {
    fn line(&mut self, line: &str) {
        if line.is_empty() {
            if !self.data.is_empty() {
                let event = self.open();
                self.events.push(event);
            }
            self.data.clear();
            self.event.clear();
        } else if let Some((name, value)) = line.split_once(':') {
            self.field(name, value.strip_prefix(' ').unwrap_or(value));
        } else {
            self.field(line, "");
        }
    }

    fn field(&mut self, name: &str, value: &str) {
        match name {
            "event" => self.event = value.to_owned(),
            "data" => {
                self.data.push_str(value);
                self.data.push('\n');
            }
            "id" if !value.contains('\0') => self.id = value.to_owned(),
            _ => {}
        }
    }

    fn open(&self) -> (String, String, String) {
        let event = if self.event.is_empty() { "message" } else { &self.event };
        let data = self.data.strip_suffix('\n').unwrap_or(&self.data);
        (event.to_owned(), data.to_owned(), self.id.clone())
    }
}
