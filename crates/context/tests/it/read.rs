use silcrow_event::{Call, Event, Fragment, Note, Voice};
use silcrow_parser::{Options, Parser};

/// What a parser makes of wire text: events without their white space, and notes.
pub(crate) fn read(wire: &str, options: impl Into<Options>) -> (Vec<Event>, Vec<Note>) {
    let (mut events, mut notes, mut open) = (Vec::new(), Vec::new(), String::new());
    let mut voice = Voice::Think;
    let mut take = |fragment: Fragment<'_>| match fragment {
        Fragment::Text(text) => {
            voice = text.voice;
            open.push_str(text.text);
        }
        Fragment::Close { .. } => {
            let content = open.trim_end_matches([' ', '\t', '\r', '\n']).to_owned();
            open.clear();
            events.push(match voice {
                Voice::Think => Event::think(content),
                Voice::Respond { .. } => Event::respond(content),
            });
        }
        Fragment::Call(call) => events.push(Event::Call(call)),
        Fragment::Execute => events.push(Event::Execute),
        Fragment::End => events.push(Event::End),
        Fragment::Note(note) => notes.push(note),
        other => panic!("{other:?}"),
    };
    let mut parser = Parser::new(options);
    parser.push(wire, &mut take);
    parser.finish(&mut take);
    (events, notes)
}

pub(crate) fn call(id: &str, name: &str, args: &str) -> Event {
    let content = format!(r#"{{"name": "{name}", "args": {args}}}"#);
    Event::Call(Call::parse(id, content).unwrap())
}
