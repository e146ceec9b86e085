//! Pictures, documents and sounds in requests, in the form of each vendor.

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use silcrow_event::{Content, ContentPart, MediaRef, Message, NativeResult};
use silcrow_provider::{Provider, Request, ToolDeclaration};

use crate::server::{Server, events};
use crate::wire::Api;

fn medium(mime: &str, name: &str, number: u32) -> ContentPart {
    let mut medium = MediaRef::new(mime, *b"abc").with_name(name);
    medium.number = Some(number);
    let medium = if medium.is_image() { medium.with_size(12, 8) } else { medium };
    ContentPart::Media(Box::new(medium))
}

fn content(parts: impl IntoIterator<Item = ContentPart>) -> Content {
    parts.into_iter().collect()
}

fn text(text: &str) -> ContentPart {
    ContentPart::Text(text.to_owned())
}

/// The body of a request.
async fn sent(api: Api, messages: Vec<Message>, tools: bool) -> (String, Value) {
    let server = Server::playing(events(&api.stop()), usize::MAX);
    let model = api.model(&server);
    let tool = ToolDeclaration {
        name: "f".to_owned(),
        description: "F.".to_owned(),
        schema: "{}".to_owned(),
    };
    let tools = if tools { vec![tool] } else { Vec::new() };
    let request = Request::new(messages).with_tools(tools.into());
    model.stream(request).count().await;
    let request = server.requests.try_recv().unwrap();
    let (_, body) = request.split_once("\r\n\r\n").unwrap();
    (body.to_owned(), serde_json::from_str(body).unwrap())
}

/// The content of the last message of a body.
fn last(api: Api, body: &Value) -> &Value {
    let (list, content) = match api {
        Api::Chat | Api::Messages => ("messages", "content"),
        Api::Responses | Api::Interactions => ("input", "content"),
        Api::Gemini => ("contents", "parts"),
    };
    &body[list].as_array().unwrap().last().unwrap()[content]
}

fn prompt() -> Message {
    Message::user(content([
        text("Compare:"),
        medium("image/png", "a.png", 1),
        text("with"),
        medium("application/pdf", "b.pdf", 2),
        text("and say."),
    ]))
}

const A: &str = "[image 1: a.png, PNG, 12 × 8]";
const B: &str = "[document 2: b.pdf, PDF, 1 kB]";

/// Each API's forms of text, and of the picture and the document of the prompt.
fn forms(api: Api) -> (fn(&str) -> Value, Value, Value) {
    let (png, pdf) = ("data:image/png;base64,YWJj", "data:application/pdf;base64,YWJj");
    match api {
        Api::Chat => (
            |text| json!({"type": "text", "text": text}),
            json!({"type": "image_url", "image_url": {"url": png}}),
            json!({"type": "file", "file": {"filename": "b.pdf", "file_data": pdf}}),
        ),
        Api::Responses => (
            |text| json!({"type": "input_text", "text": text}),
            json!({"type": "input_image", "image_url": png}),
            json!({"type": "input_file", "filename": "b.pdf", "file_data": pdf}),
        ),
        Api::Messages => (
            |text| json!({"type": "text", "text": text}),
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "YWJj"}}),
            json!({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "YWJj"}, "title": "b.pdf"}),
        ),
        Api::Gemini => (
            |text| json!({"text": text}),
            json!({"inlineData": {"mimeType": "image/png", "data": "YWJj"}}),
            json!({"inlineData": {"mimeType": "application/pdf", "data": "YWJj"}}),
        ),
        Api::Interactions => (
            |text| json!({"type": "text", "text": text}),
            json!({"type": "image", "data": "YWJj", "mime_type": "image/png"}),
            json!({"type": "document", "data": "YWJj", "mime_type": "application/pdf"}),
        ),
    }
}

#[tokio::test]
async fn media_stand_in_their_place_after_their_line() {
    for api in Api::ALL {
        let (_, body) = sent(api, vec![prompt()], false).await;
        let (text, image, document) = forms(api);
        // Two APIs take the parts of a message one by one.
        let parts = match api {
            Api::Messages | Api::Gemini => json!([
                text("Compare:"),
                text(A),
                image,
                text("with"),
                text(B),
                document,
                text("and say.")
            ]),
            _ => json!([
                text(&format!("Compare:\n{A}")),
                image,
                text(&format!("with\n{B}")),
                document,
                text("and say."),
            ]),
        };
        assert_eq!(*last(api, &body), parts, "{api:?}");
    }
}

#[tokio::test]
async fn media_whose_bytes_are_lost_are_their_lines() {
    for api in Api::ALL {
        let lost = prompt().content.map(|part| match part {
            ContentPart::Media(medium) => ContentPart::Media(Box::new(medium.unloaded())),
            part => part,
        });
        let (body, _) = sent(api, vec![Message::user(lost)], false).await;
        let text = format!("Compare:\n{A}\nwith\n{B}\nand say.");
        let (plain, _) = sent(api, vec![Message::user(text)], false).await;
        assert_eq!(body, plain, "{api:?}");
    }
}

#[tokio::test]
async fn sounds_go_to_those_that_take_them() {
    for api in Api::ALL {
        let sound = content([medium("audio/mpeg", "a.mp3", 1)]);
        let (_, body) = sent(api, vec![Message::user(sound)], false).await;
        let line = "[sound 1: a.mp3, MP3, 1 kB]";
        let (text, ..) = forms(api);
        let sent = match api {
            Api::Chat => {
                json!([text(line), {"type": "input_audio", "input_audio": {"data": "YWJj", "format": "mp3"}}])
            }
            Api::Gemini => {
                json!([text(line), {"inlineData": {"mimeType": "audio/mpeg", "data": "YWJj"}}])
            }
            Api::Interactions => {
                json!([text(line), {"type": "audio", "data": "YWJj", "mime_type": "audio/mpeg"}])
            }
            Api::Messages | Api::Responses => json!([text(line)]),
        };
        assert_eq!(*last(api, &body), sent, "{api:?}");
    }
}

#[tokio::test]
async fn media_follows_its_native_result() {
    for api in [Api::Chat, Api::Messages, Api::Responses, Api::Gemini] {
        let result = NativeResult {
            id: "call_1".to_owned(),
            name: "f".to_owned(),
            text: A.to_owned(),
            is_error: false,
        };
        let mut answer = Content::from(ContentPart::Result(result));
        answer.push(medium("image/png", "a.png", 1));
        answer.push(ContentPart::Text("Well?".to_owned()));
        let messages =
            vec![Message::user("Look."), Message::assistant("ok"), Message::user(answer)];
        let (text, _) = sent(api, messages, true).await;
        let (result, image) = (text.find("call_1"), text.find("YWJj"));
        // Gemini names no calls.
        let result = result.or_else(|| text.find("functionResponse"));
        let well = text.find("Well?");
        assert!(result.is_some() && result < image && image < well, "{api:?}: {text}");
    }
}

#[tokio::test]
async fn requests_with_pictures_extend_the_previous_bytes() {
    for api in Api::ALL {
        for count in [1, 3, 25] {
            let mut messages = vec![Message::system("Look.")];
            let mut last: Option<String> = None;
            for turn in 0..3 {
                let media = (0..count).map(|at| medium("image/png", "a.png", turn * 100 + at));
                messages.push(Message::user(content(media.chain([text("and?")]))));
                let (body, _) = sent(api, messages.clone(), false).await;
                if let Some(last) = &last {
                    assert!(body.starts_with(last.strip_suffix("]}").unwrap()), "{api:?}");
                }
                last = Some(body);
                messages.push(Message::assistant("Yes."));
            }
        }
    }
}
