//! What a session needs before its next prompt: a store that was read, and an agent of the settings
//! and of the day.

use std::sync::Arc;

use silcrow_console::attend::lock;

use super::{ChatSession, make};
use crate::failure::Failure;
use crate::model;
use crate::setup::AgentSetup;
use crate::surroundings::today;

impl ChatSession {
    /// Waits until the store can be used, and makes the agent again on a new day.
    pub(super) async fn be_ready(&mut self) -> Result<(), Failure> {
        self.finish_reading().await?;
        self.tell_damage().await;
        let missing = self.servers.settle(&self.cancel).await;
        if std::mem::take(&mut self.tells_servers) {
            missing.iter().for_each(|line| self.say(line));
        }
        let day = today();
        if self.day != day {
            self.make_again().await?;
            self.day = day;
        }
        Ok(())
    }

    /// Waits until the store can be used.
    pub(super) async fn finish_reading(&mut self) -> Result<(), Failure> {
        tokio::select! {
            done = self.reading.finish(&self.place, &self.opened) => done,
            () = self.cancel.cancelled() => Err(Failure::interrupted(self.interruption.signal())),
        }
    }

    /// Says what is damaged of a store that was read.
    pub(super) async fn tell_damage(&mut self) {
        if !self.reading.is_done() {
            return;
        }
        let store = self.opened.store();
        if let Some(line) = self.damage.news(&*store).await {
            self.say(&line);
        }
    }

    /// Makes the agent again, because its settings have changed.
    pub(super) async fn make_again(&mut self) -> Result<(), Failure> {
        let mut setup = AgentSetup::new(&self.args)?;
        let store = self.opened.store();
        setup.use_store(Arc::clone(&store));
        setup.use_servers(&self.servers);
        setup.use_mode(&self.mode);
        setup.read_profile(&*store).await;
        self.processes = setup.processes().clone();
        self.after = setup.after_run(&self.args, &store);
        self.model = model::label(&setup.model).to_owned();
        lock(&self.screen).set_price(setup.price());
        self.agent = make(setup, &self.args, &self.opened, &self.desk);
        Ok(())
    }
}
