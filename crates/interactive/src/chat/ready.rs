//! Prepares a session for its next prompt: reads the store, and makes an agent with the current
//! settings and day.

use silcrow_console::attend::lock;
use silcrow_models::label;
use silcrow_session::{SessionSetup, today};

use super::{ChatSession, make};
use crate::error::Error;

impl ChatSession {
    /// Waits until the store can be used, and makes the agent again on a new day.
    pub(super) async fn be_ready(&mut self) -> Result<(), Error> {
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
    pub(super) async fn finish_reading(&mut self) -> Result<(), Error> {
        tokio::select! {
            done = self.reading.finish(&self.session) => done,
            () = self.cancel.cancelled() => Err(Error::interrupted(self.interruption.signal())),
        }
    }

    /// Shows the damage of a store that was read.
    pub(super) async fn tell_damage(&mut self) {
        if !self.reading.is_done() {
            return;
        }
        let store = self.session.store();
        if let Some(line) = self.damage.news(&*store).await {
            self.say(&line);
        }
    }

    /// Makes the agent again, because its settings have changed.
    pub(super) async fn make_again(&mut self) -> Result<(), Error> {
        let setup = SessionSetup::check(self.args.session.clone(), &self.host)?;
        let mut session = setup.with_store(self.session.opened().clone());
        session.use_servers(&self.servers);
        session.use_mode(self.session.mode());
        session.read_profile().await;
        self.after = session.after_run();
        self.model = label(session.setup().model()).to_owned();
        let mut screen = lock(&self.screen);
        screen.set_price(session.price());
        screen.set_pauses(session.retry_line());
        drop(screen);
        self.agent =
            make(&session, &self.args, &self.desk, &self.screen, self.interruption.handover());
        self.session = session;
        Ok(())
    }
}
