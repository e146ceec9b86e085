//! The chat of a request from its headers, for clients whose bodies do not name it.
//!
//! Open WebUI sends the id of the chat and the person if `ENABLE_FORWARD_USER_INFO_HEADERS` is set,
//! and more in headers that its settings of a connection can have:
//!
//! ```json
//! {
//!   "X-Silcrow-Message": "{{USER_MESSAGE_ID}}",
//!   "X-Silcrow-Parent": "{{USER_MESSAGE_PARENT_ID}}",
//!   "X-Silcrow-Task": "{{TASK}}"
//! }
//! ```

/// The chat, the message and the person of a request.
///
/// ```
/// use silcrow_front::ChatHeaders;
///
/// let headers = [("x-openwebui-chat-id", "c7"), ("X-Silcrow-Task", "title_generation")];
/// let headers = ChatHeaders::read(headers);
/// assert_eq!(headers.chat.as_deref(), Some("c7"));
/// assert!(headers.is_background_task(true, false));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChatHeaders {
    /// The id of the chat: `X-Silcrow-Chat` or `X-OpenWebUI-Chat-Id`.
    pub chat: Option<String>,
    /// The id of the prompt: `X-Silcrow-Message`.
    pub message: Option<String>,
    /// The id of the message before the prompt: `X-Silcrow-Parent`.
    pub parent: Option<String>,
    /// A task of the client outside the chat, such as a title: `X-Silcrow-Task`.
    pub task: Option<String>,
    /// The id of the person: `X-OpenWebUI-User-Id`.
    pub user: Option<String>,
    /// The name of the person: `X-OpenWebUI-User-Name`.
    pub user_name: Option<String>,
    /// The address of the person: `X-OpenWebUI-User-Email`.
    pub user_email: Option<String>,
    /// The role of the person: `X-OpenWebUI-User-Role`.
    pub user_role: Option<String>,
}

impl ChatHeaders {
    /// Reads headers, whose names are in any case. The first of two with one name counts. An empty
    /// value and a template that the client has not filled in count as missing.
    pub fn read<'a>(headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut read = Self::default();
        for (name, value) in headers {
            let value = value.trim();
            if value.is_empty() || value.starts_with("{{") {
                continue;
            }
            let name = name.to_ascii_lowercase();
            let to = match &*name {
                "x-silcrow-chat" | "x-openwebui-chat-id" => &mut read.chat,
                "x-silcrow-message" => &mut read.message,
                "x-silcrow-parent" => &mut read.parent,
                "x-silcrow-task" => &mut read.task,
                "x-openwebui-user-id" => &mut read.user,
                "x-openwebui-user-name" => &mut read.user_name,
                "x-openwebui-user-email" => &mut read.user_email,
                "x-openwebui-user-role" => &mut read.user_role,
                _ => continue,
            };
            let is_quoted = name == "x-openwebui-user-name";
            to.get_or_insert_with(|| if is_quoted { unquoted(value) } else { value.to_owned() });
        }
        read
    }

    /// Returns whether the plain model answers the request, without tools, and nothing is stored.
    ///
    /// A client that names no task sends it as one message without a stream (`is_single`), for a
    /// chat that the store has (`is_known`). A prompt of such a chat comes with those before it.
    pub const fn is_background_task(&self, is_single: bool, is_known: bool) -> bool {
        self.task.is_some() || (self.chat.is_some() && is_single && is_known)
    }
}

/// Decodes bytes that are written as `%` and two digits. Open WebUI writes names so.
fn unquoted(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [byte, after @ ..] = rest {
        let digits = after.get(..2).and_then(|two| str::from_utf8(two).ok());
        let decoded = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        (rest, _) = match (byte, decoded) {
            (b'%', Some(decoded)) => (&after[2..], bytes.push(decoded)),
            _ => (after, bytes.push(*byte)),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
