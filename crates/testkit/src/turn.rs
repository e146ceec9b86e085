use silcrow_event::{Call, Event, Json};

/// Model events of one turn in canonical form (L-4, P-15), made of any bytes.
///
/// `0xff`, which is in no UTF-8, parts them. Of each the first byte says what it is; the others
/// are its content: of a call the whole call if they are one, else a string in its arguments.
pub fn turn_from(bytes: &[u8]) -> Vec<Event> {
    let mut events = Vec::new();
    let mut calls = 0;
    let mut waits = false;
    for record in bytes.split(|byte| *byte == 0xff) {
        let Some((kind, content)) = record.split_first() else { continue };
        let content = String::from_utf8_lossy(content);
        let content = content.trim_matches([' ', '\t', '\r', '\n']);
        let event = match kind % 3 {
            0 if !content.is_empty() => Event::respond(content),
            1 if !content.is_empty() => Event::think(content),
            2 => {
                calls += 1;
                let id = format!("a{calls}");
                let wrapped = || {
                    let args = Json::string(content);
                    Call::parse(&id, format!("{{\"name\":\"t\",\"args\":{{\"a\":{args}}}}}"))
                };
                let call = Call::parse(&id, content).or_else(|_| wrapped());
                Event::Call(call.expect("a string is in it, whatever the content"))
            }
            _ => continue,
        };
        let is_call = matches!(event, Event::Call(_));
        if waits && !is_call {
            events.push(Event::Execute);
        }
        waits = is_call;
        events.push(event);
    }
    if waits {
        events.push(Event::Execute);
    }
    if bytes.len() % 2 == 1 {
        events.push(Event::End);
    }
    events
}
