//! The common parts of both APIs of OpenAI: errors, the list of models, messages, and a question as
//! text.

mod answer_form;
mod client_message;
mod client_wishes;
mod declared_tools;
mod error;
mod model_list;
mod request_body;

pub use answer_form::AnswerForm;
pub(crate) use client_message::instructions;
pub use client_message::{ClientMessage, ClientRole};
pub use client_wishes::ClientWishes;
pub(crate) use declared_tools::client_tools;
pub use error::{OpenAiError, OpenAiErrorKind};
pub use model_list::model_list;
pub(crate) use request_body::RequestBody;
