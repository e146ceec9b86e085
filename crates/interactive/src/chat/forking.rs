//! Forks of the conversation of a chat: the last prompt taken back, and `/fork`.

use silcrow_console::attend::lock;
use silcrow_history::stored_head;
use silcrow_session::{ForkName, new_conversation};
use silcrow_term::{Line, Style};

use super::ChatSession;
use super::said::MOST_COLUMNS;
use super::stored_prompts::stored_prompts;
use crate::error::Error;

impl ChatSession {
    /// Takes the last prompt back: the conversation continues in a fork that ends before it.
    pub(super) async fn step_back(&mut self) -> Result<(), Error> {
        let prompts = stored_prompts(&*self.session.store(), &self.conversation).await?;
        match prompts.last() {
            Some((seq, _)) if *seq > 1 => self.fork_at(seq - 1).await,
            // The first prompt is taken back: the conversation begins again.
            Some(_) => {
                self.conversation = new_conversation();
                self.say(&format!("new conversation {}", self.conversation));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Lists the prompts, or continues in a fork.
    pub(super) async fn fork(&mut self, number: Option<&str>) -> Result<(), Error> {
        let prompts = stored_prompts(&*self.session.store(), &self.conversation).await?;
        if prompts.is_empty() {
            return Err(Error::given("there is nothing to fork yet"));
        }
        let Some(number) = number else {
            let mut lines = Vec::new();
            for (index, (_, prompt)) in prompts.iter().enumerate() {
                let number = Line::styled(&format!("{:>3} ", index + 1), Style::PLAIN.bold());
                let first = prompt.trim().lines().next().unwrap_or_default();
                lines.push(number.with_text(first, Style::PLAIN).shortened(MOST_COLUMNS));
            }
            let keys = "/fork N continues from before prompt N; /fork end copies all of it";
            lines.push(Line::styled(keys, Style::PLAIN.dim()));
            lock(&self.screen).show_lines(&lines);
            return Ok(());
        };
        if number == "end" {
            let (_, head) = stored_head(&*self.session.store(), &self.conversation).await?;
            return self.fork_at(head).await;
        }
        let chosen = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let Some((seq, prompt)) = chosen.and_then(|index| prompts.get(index)) else {
            let most = prompts.len();
            return Err(Error::given(format!("{number} is not a prompt; use 1 to {most}, or end")));
        };
        match seq {
            1 => {
                self.conversation = new_conversation();
                self.say(&format!("new conversation {}", self.conversation));
            }
            seq => self.fork_at(seq - 1).await?,
        }
        self.draft.clone_from(prompt);
        Ok(())
    }

    /// Continues in a fork that ends at an event.
    async fn fork_at(&mut self, seq: u64) -> Result<(), Error> {
        let name = ForkName::new(&format!("{}@{seq}", self.conversation));
        let id = new_conversation();
        name.begin(&self.agent, &*self.session.store(), (&*id).into()).await?;
        let before = std::mem::replace(&mut self.conversation, id);
        self.say(&format!("conversation {}, a fork of {before}", self.conversation));
        Ok(())
    }
}
