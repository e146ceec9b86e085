//! The background commands of `shell` as a person looks at them.
//!
//! Output that a person reads here stays unread for the model. Another module runs commands.

use std::sync::Arc;
use std::time::Duration;

use crate::background::BackgroundCommand;
use crate::processes::ShellProcesses;
use crate::report::status;

/// A command that runs in the background, or has, until the model has read its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedProcess {
    /// The id, such as `p1`.
    pub id: String,
    /// The text of the command.
    pub command: String,
    /// The folder that it runs in, relative to the root.
    pub folder: String,
    /// The time since it was started.
    pub age: Duration,
    /// How it ended, in words; `None` while it runs.
    pub ended: Option<String>,
    /// The last lines that it wrote, on both channels: at most 40, of at most 4096 bytes each. They
    /// are as the command wrote them, so they may have control characters.
    pub output: Vec<String>,
}

impl ShellProcesses {
    /// Returns the background commands of a conversation, the oldest first.
    pub fn list(&self, conversation: &str) -> Vec<ListedProcess> {
        let own = self.background().of_conversation(conversation);
        own.iter().map(|(id, command)| listed(id, command)).collect()
    }

    /// Stops a background command of a conversation, and waits until its last process has ended. The
    /// model still reads its end. Returns whether there is such a command.
    pub async fn stop(&self, conversation: &str, id: &str) -> bool {
        let own = self.background().of_conversation(conversation);
        let Some((_, command)) = own.into_iter().find(|(known, _)| known == id) else {
            return false;
        };
        command.stop().await;
        true
    }
}

fn listed(id: &str, command: &Arc<BackgroundCommand>) -> ListedProcess {
    let ended = command.state().ended.map(|ended| match ended {
        Ok(ended) => status(&ended),
        Err(why) => why.to_string(),
    });
    ListedProcess {
        id: id.to_owned(),
        command: command.command.clone(),
        folder: command.folder.clone(),
        age: command.since.elapsed(),
        ended,
        output: command.last_lines(),
    }
}
