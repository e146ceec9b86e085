//! An answer of a server.

use serde_json::Value;

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no answer: {text:?}"));
        Self { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    /// Returns the value of a header, in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the data of a stream without ids: JSON, or `[DONE]` as text.
    pub(crate) fn data(&self) -> Vec<Value> {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| data.into())).collect()
    }

    /// Returns the code of an error, which has a message.
    pub(crate) fn code(&self) -> String {
        let error = &self.json()["error"];
        assert!(!error["message"].as_str().unwrap().is_empty());
        error["code"].as_str().unwrap().to_owned()
    }
}
