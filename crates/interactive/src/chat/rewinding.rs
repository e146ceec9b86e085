//! Going back to before an earlier prompt: in the conversation, in the files, or in both.

use silcrow_event::Event;
use silcrow_store::Store;
use silcrow_store::verify::{Report, read_whole};

use super::ChatSession;
use super::stored_prompts::stored_prompts;
use crate::error::Error;

/// The parts that go back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RewoundPart {
    Both,
    Conversation,
    Files,
}

impl ChatSession {
    /// Carries out `/rewind`: no argument lists the prompts, and a number goes back to before one
    /// of them.
    pub(super) async fn rewind(&mut self, words: &[&str]) -> Result<(), Error> {
        let (number, part) = match words {
            [] => {
                self.fork(None).await?;
                self.say("/rewind N goes back to before prompt N; add files or conversation for one half");
                return Ok(());
            }
            [number] => (number, RewoundPart::Both),
            [number, "both"] => (number, RewoundPart::Both),
            [number, "conversation"] => (number, RewoundPart::Conversation),
            [number, "files"] => (number, RewoundPart::Files),
            _ => {
                return Err(Error::given(
                    "use /rewind, /rewind N, or /rewind N files|conversation",
                ));
            }
        };
        self.finish_reading().await?;
        let store = self.session.store();
        let prompts = stored_prompts(&*store, &self.conversation).await?;
        let chosen = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let Some((seq, _)) = chosen.and_then(|index| prompts.get(index)) else {
            let most = prompts.len();
            return Err(Error::given(format!("{number} is not a prompt; use 1 to {most}")));
        };
        let turn = first_turn(&*store, &self.conversation, *seq).await?;
        if let (Some(turn), true) = (turn, part != RewoundPart::Conversation) {
            let (id, turn) = (self.conversation.clone(), turn.to_string());
            self.dispatch(&["undo", &id, "--from", &turn]).await?;
        }
        if part == RewoundPart::Files {
            return Ok(());
        }
        self.fork(Some(number)).await?;
        if part == RewoundPart::Conversation && turn.is_some() {
            self.tell_kept_files().await?;
        }
        Ok(())
    }

    /// Tells the model that the files are not as its conversation left them. A conversation that
    /// begins again has no earlier files.
    async fn tell_kept_files(&self) -> Result<(), Error> {
        let store = self.session.store();
        let head = store.head(&self.conversation).await?;
        if head > 0 {
            let content = KEPT.to_owned();
            store.append(&self.conversation, head, vec![Event::Notice { content }.into()]).await?;
        }
        Ok(())
    }
}

/// Returns the first turn of the model after an event, if there is one.
async fn first_turn(
    store: &dyn Store,
    conversation: &str,
    after: u64,
) -> Result<Option<u32>, Error> {
    let head = store.head(conversation).await?;
    if head <= after {
        return Ok(None);
    }
    // Damaged events are left out; `silcrow log verify` reports them.
    let entries = read_whole(store, conversation, after + 1..=head, &mut Report::default()).await?;
    Ok(entries.iter().find_map(|entry| entry.turn))
}

/// The notice after a conversation went back without its files.
const KEPT: &str = "[The person went back to this place of the conversation. What you changed in files after it \
                    is still there. Read files again before you change them.]";
