//! The model of a chat: a list to pick one from, with windows, and how much it thinks.

use std::time::Duration;

use futures_util::future::join_all;
use silcrow_console::live::PickerRow;
use silcrow_models::ModelSource;
use silcrow_session::model;
use tokio::time::timeout;

use super::ChatSession;
use super::pick::{PickedRow, pick_row};
use crate::error::Error;

impl ChatSession {
    /// Lets the person pick a model from the lists of the vendors and of the servers on this
    /// machine.
    pub(super) async fn pick_model(&mut self) -> Result<(), Error> {
        let name = model::name(self.args.session.model.as_deref());
        self.say(&format!("{name}; asking who has others"));
        let rows = self.model_rows(&name).await?;
        if rows.is_empty() {
            self.say("nobody answers; silcrow models says why, and /model NAME chooses any");
            return Ok(());
        }
        let names: Vec<_> = rows.iter().map(|row| row.text.clone()).collect();
        self.quiet = None;
        let picked = pick_row(rows, &self.screen, &self.keys).await;
        self.quiet = super::quiet(self.owns_terminal)?;
        let PickedRow { index, sent } = picked?;
        self.queue.extend(sent);
        match index {
            Some(index) => self.choose_model(&names[index]).await,
            None => Ok(()),
        }
    }

    /// Uses another model from the next prompt on.
    pub(super) async fn choose_model(&mut self, name: &str) -> Result<(), Error> {
        let before = self.args.session.model.replace(name.to_owned());
        if let Err(failure) = self.make_again().await {
            self.args.session.model = before;
            return Err(failure);
        }
        self.say(&format!("the model is {name} from the next prompt on"));
        Ok(())
    }

    /// Shows how much the model thinks, or sets it.
    pub(super) async fn effort(&mut self, word: Option<&str>) -> Result<(), Error> {
        let words = silcrow_session::effort_words();
        let Some(word) = word else {
            let now = self.args.session.sampling.effort;
            let now = now.map_or("the model's own", |effort| effort.as_str());
            self.say(&format!("effort {now}; /effort takes {} or default", words.join(", ")));
            return Ok(());
        };
        let effort = match word {
            "default" => None,
            word => Some(word.parse().map_err(|_| {
                Error::given(format!("unknown effort {word}; use {} or default", words.join(", ")))
            })?),
        };
        let before = std::mem::replace(&mut self.args.session.sampling.effort, effort);
        if let Err(failure) = self.make_again().await {
            self.args.session.sampling.effort = before;
            return Err(failure);
        }
        self.say(&format!("the effort is {word} from the next prompt on"));
        Ok(())
    }

    async fn model_rows(&self, chosen: &str) -> Result<Vec<PickerRow>, Error> {
        let options = model::options(chosen, &self.args.session.proxy);
        let sources =
            ModelSource::all(&options, &PORTS).map_err(|error| Error::failed(error.to_string()))?;
        let asked = sources.into_iter().map(|source| timeout(PATIENCE, source.ask()));
        let mut rows = Vec::new();
        for answer in join_all(asked).await.into_iter().flatten() {
            for listed in answer.models().unwrap_or_default() {
                let window = answer.window(listed);
                let text = answer.model_name(listed);
                let label = if text == chosen { "now" } else { "" }.to_owned();
                let more =
                    window.map_or_else(String::new, |window| format!("{}k window", window / 1_000));
                rows.push(PickerRow { label, text, more });
            }
        }
        rows.sort_by_key(|row| row.label.is_empty());
        Ok(rows)
    }
}

/// The ports at which servers of models usually are.
const PORTS: [u16; 4] = [8080, 8000, 11434, 1234];

/// The time in which a source answers.
const PATIENCE: Duration = Duration::from_secs(4);
