//! Picking an earlier conversation.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use silcrow_console::attend::lock;
use silcrow_console::live::{KeyEffect, LiveScreen, PickerRow, PickerStep, RowPicker, TypedInput};
use silcrow_event::Timestamp;
use silcrow_history::{ConversationOwner, Conversations};
use silcrow_store::{Store, Summary};

use super::terminal::KeyboardSource;
use crate::error::Error;

/// The conversation that a person picked.
pub(super) struct PickedConversation {
    /// The id, or `None` if the person picked none.
    pub(super) id: Option<String>,
    /// The lines that the person sent before the list was gone.
    pub(super) sent: Vec<String>,
}

/// Lets the person pick one of the conversations of a user.
pub(super) async fn pick(
    store: &dyn Store,
    user: Option<&str>,
    screen: &Arc<Mutex<LiveScreen>>,
    keys: &KeyboardSource,
) -> Result<PickedConversation, Error> {
    let conversations = Conversations::list(store, ConversationOwner::Just(user)).await?;
    let conversations = conversations.recent();
    if conversations.is_empty() {
        return Err(Error::given("no earlier conversation"));
    }
    let now = SystemTime::now().into();
    let rows = conversations.iter().map(|one| row(one, now)).collect();
    let PickedRow { index, sent } = pick_row(rows, screen, keys).await?;
    let id = index.map(|index| conversations[index].conversation.clone());
    Ok(PickedConversation { id, sent })
}

/// The row that a person picked.
pub(super) struct PickedRow {
    /// Its number, or `None` if the person picked none.
    pub(super) index: Option<usize>,
    /// The lines that the person sent before the list was gone.
    pub(super) sent: Vec<String>,
}

/// Lets the person pick one of these rows.
pub(super) async fn pick_row(
    rows: Vec<PickerRow>,
    screen: &Arc<Mutex<LiveScreen>>,
    keys: &KeyboardSource,
) -> Result<PickedRow, Error> {
    let mut picker = RowPicker::new(rows);
    let mut keyboard = keys()
        .map_err(|error| Error::failed(format!("cannot read keys from the terminal: {error}")))?;
    let index = loop {
        lock(screen).draw_picker(Some(&picker));
        match keyboard.next().await {
            Ok(TypedInput::Key(key)) => match picker.key(key) {
                PickerStep::Waits => {}
                PickerStep::Picked(index) => break Some(index),
                PickerStep::Left => break None,
            },
            Ok(TypedInput::Resized | TypedInput::Paste(_)) => {}
            Err(_) => break None,
        }
    };
    lock(screen).draw_picker(None);
    // Keys that were typed too early begin the next line.
    let mut sent = Vec::new();
    for typed in keyboard.close().await {
        let mut screen = lock(screen);
        match typed {
            TypedInput::Key(key) => {
                if let KeyEffect::Send(text) = screen.key(key) {
                    sent.push(text);
                }
            }
            TypedInput::Paste(text) => screen.paste(&text),
            TypedInput::Resized => {}
        }
    }
    Ok(PickedRow { index, sent })
}

fn row(one: &Summary, now: Timestamp) -> PickerRow {
    let folder = one.folder.as_deref().unwrap_or_default();
    let text = if one.title.is_empty() { "(no prompt)" } else { &one.title };
    PickerRow {
        label: silcrow_history::age(one.last, now),
        text: text.to_owned(),
        more: format!("{folder}  {}", one.conversation),
    }
}
