//! Answers as the APIs write them: each delta an event, each event a chunk of HTTP.

use silcrow_provider::Provider;
use silcrow_vendors::{ApiKey, Chat, Gemini, Interactions, Messages, Responses};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Api {
    Chat,
    Messages,
    Responses,
    Gemini,
    Interactions,
}

impl Api {
    pub(crate) const ALL: [Self; 5] =
        [Self::Chat, Self::Messages, Self::Responses, Self::Gemini, Self::Interactions];

    pub(crate) fn model(self, url: &str) -> Box<dyn Provider> {
        let key = ApiKey::new("sk-1", "KEY");
        match self {
            Self::Chat => Box::new(Chat::new("m", key).unwrap().with_base(url).unwrap()),
            Self::Messages => Box::new(Messages::new("m", key).unwrap().with_base(url).unwrap()),
            Self::Responses => Box::new(Responses::new("m", key).unwrap().with_base(url).unwrap()),
            Self::Gemini => Box::new(Gemini::new("m", key).unwrap().with_base(url).unwrap()),
            Self::Interactions => {
                Box::new(Interactions::new("m", key).unwrap().with_base(url).unwrap())
            }
        }
    }

    /// The answer of HTTP, with this many deltas of text.
    pub(crate) fn body(self, deltas: usize) -> Vec<u8> {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\
                    Transfer-Encoding: chunked\r\n\r\n";
        let mut body = head.as_bytes().to_vec();
        for event in self.events(deltas) {
            body.extend_from_slice(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes());
        }
        body.extend_from_slice(b"0\r\n\r\n");
        body
    }

    /// The same without HTTP.
    pub(crate) fn plain(self, deltas: usize) -> Vec<u8> {
        self.events(deltas).collect::<String>().into_bytes()
    }

    fn events(self, deltas: usize) -> impl Iterator<Item = String> {
        // The pieces differ, as a model's do.
        let texts = ["The ", "next ", "line", "\\n", "§call: ", "{\\\"name\\\": ", "größer "];
        let pieces = (0..deltas).map(move |at| self.delta(texts[at % texts.len()], at));
        pieces.chain(std::iter::once(self.end().to_owned()))
    }

    fn delta(self, text: &str, at: usize) -> String {
        match self {
            Self::Chat => format!(
                "data: {{\"id\":\"chatcmpl-7Q\",\"object\":\"chat.completion.chunk\",\
                 \"created\":1795241258,\"model\":\"m\",\"choices\":[{{\"index\":0,\
                 \"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n"
            ),
            Self::Messages => format!(
                "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\
                 \"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n"
            ),
            Self::Responses => format!(
                "event: response.output_text.delta\ndata: {{\"type\":\
                 \"response.output_text.delta\",\"sequence_number\":{at},\"item_id\":\"msg_7Q\",\
                 \"output_index\":0,\"content_index\":0,\"delta\":\"{text}\",\"logprobs\":[]}}\n\n"
            ),
            Self::Gemini => format!(
                "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{text}\"}}],\
                 \"role\":\"model\"}},\"index\":0}}],\"usageMetadata\":{{\"promptTokenCount\":9,\
                 \"candidatesTokenCount\":{at},\"totalTokenCount\":{at}}},\
                 \"modelVersion\":\"m\",\"responseId\":\"7Q\"}}\n\n"
            ),
            Self::Interactions => format!(
                "event: step.delta\ndata: {{\"event_type\":\"step.delta\",\"index\":0,\
                 \"delta\":{{\"type\":\"text\",\"text\":\"{text}\"}},\"event_id\":\"{at}\"}}\n\n"
            ),
        }
    }

    const fn end(self) -> &'static str {
        match self {
            Self::Chat => {
                "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
                 data: [DONE]\n\n"
            }
            Self::Messages => {
                "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n\
                 data: {\"type\":\"message_stop\"}\n\n"
            }
            Self::Responses => {
                "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n"
            }
            Self::Gemini => "data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\n",
            Self::Interactions => {
                "data: {\"event_type\":\"interaction.completed\",\
                 \"interaction\":{\"id\":\"i\",\"status\":\"completed\"}}\n\n"
            }
        }
    }
}
