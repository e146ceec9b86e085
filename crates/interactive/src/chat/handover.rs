//! Runs that go on in a server when their person leaves: `/handover`.
//!
//! The run ends here between two steps, and its conversation waits for a server that works in the
//! same folder on the same store (`silcrow serve --work`).

use std::path::PathBuf;

use silcrow_agent::{Error as RunError, RunOutcome};
use silcrow_console::handover::Handover;
use silcrow_environment::quoted_word;
use silcrow_sanitize::sanitize_line;
use silcrow_session::StorePlace;
use silcrow_session::claim::ActiveRun;

use super::ChatSession;
use crate::error::Error;

/// The servers that may continue the runs of a session.
#[derive(Clone)]
pub(super) struct HandoverServers {
    place: StorePlace,
    root: PathBuf,
    /// The identity of the root.
    identity: String,
}

/// The meaning of `/handover` with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HandoverWish {
    /// The run at work goes on in a server.
    Now,
    /// Runs do so if the terminal closes.
    OnClose,
    /// Runs end with the terminal.
    Never,
}

impl HandoverWish {
    pub(super) fn parse(words: &[&str]) -> Result<Self, Error> {
        match words {
            [] => Ok(Self::Now),
            ["close"] => Ok(Self::OnClose),
            ["off"] => Ok(Self::Never),
            _ => Err(Error::given("write /handover, /handover close or /handover off")),
        }
    }
}

impl HandoverServers {
    /// Returns a phrase about who continues a run.
    ///
    /// # Errors
    ///
    /// Returns an error with the person's next step if no server would.
    pub(super) fn find(&self) -> Result<String, Error> {
        let Some(folder) = self.place.folder() else {
            return Err(Error::given(
                "a conversation in memory ends with its process; keep it in a folder with --store DIR",
            ));
        };
        match (ActiveRun::find_worker(folder, &self.identity), &self.place) {
            (Some(server), _) => Ok(server.place()),
            // Servers of other machines cannot be seen.
            (None, StorePlace::Database(_)) => {
                Ok("a server with --work that works in this folder".to_owned())
            }
            (None, _) => Err(Error::given(format!(
                "no server continues runs of this folder, so the run stays here; start one in another \
                 terminal with `{}`, and write /handover again",
                self.command()
            ))),
        }
    }

    /// Returns the command that starts such a server.
    fn command(&self) -> String {
        let root = std::path::absolute(&self.root).unwrap_or_else(|_| self.root.clone());
        let root = quoted_word(&root.display().to_string());
        let store = match &self.place {
            StorePlace::Memory => String::new(),
            StorePlace::Folder(folder) => {
                format!(" --store {}", quoted_word(&folder.display().to_string()))
            }
            StorePlace::Database(database) => {
                format!(" --store {}", quoted_word(&database.shown()))
            }
        };
        sanitize_line(&format!("silcrow serve --work --root {root}{store}")).into_owned()
    }

    /// Shows the effect of a wish, which counts from now on.
    ///
    /// # Errors
    ///
    /// Returns an error if no server would continue a run.
    pub(super) fn wish(&self, wish: HandoverWish, handover: &Handover) -> Result<String, Error> {
        Ok(match wish {
            HandoverWish::Now => format!(
                "once the calls of this step have ended, the run goes on in {}; the terminal may close",
                self.find()?
            ),
            HandoverWish::OnClose => {
                let server = self.find()?;
                handover.set_on_close(true);
                format!("if the terminal closes, a run goes on in {server}")
            }
            HandoverWish::Never => {
                handover.set_on_close(false);
                "a run ends with the terminal".to_owned()
            }
        })
    }
}

impl ChatSession {
    /// Returns the servers that may continue runs of this session.
    pub(super) fn handover_servers(&self) -> HandoverServers {
        let root = self.agent.options().root.as_ref();
        HandoverServers {
            place: self.session.place().clone(),
            root: self.args.session.root.clone(),
            identity: root.map(|root| root.identity.clone()).unwrap_or_default(),
        }
    }

    /// Takes a wish while no run is at work.
    pub(super) fn hand_over_later(&self, words: &[&str]) -> Result<(), Error> {
        let wish = HandoverWish::parse(words)?;
        if wish == HandoverWish::Now {
            return Err(Error::given(
                "nothing runs; /handover close has runs go on in a server if the terminal closes",
            ));
        }
        self.say(&self.handover_servers().wish(wish, self.interruption.handover())?);
        Ok(())
    }

    /// Leaves a run that has ended here to a server, if the person wanted that and did not stop the run
    /// later.
    pub(super) async fn hand_over(
        &self,
        ended: &Result<RunOutcome, RunError>,
        is_stopped: bool,
    ) -> Result<(), Error> {
        let handover = self.interruption.handover();
        let is_ordered = handover.is_ordered();
        handover.end();
        if !is_ordered || is_stopped {
            return Ok(());
        }
        let is_waiting = match ended {
            Ok(RunOutcome::Interrupted) => false,
            Ok(RunOutcome::Waiting(_)) => true,
            // Nothing is left to do, or somebody has to look at it.
            Ok(RunOutcome::Answered) | Err(_) => return Ok(()),
        };
        let (store, servers) = (self.session.store(), self.handover_servers());
        if !store.shared_runs().offer(&self.conversation, &servers.identity).await? {
            let why = "another process has the conversation already; /attach follows it";
            return Err(Error::given(why));
        }
        if is_waiting {
            self.say("a server continues the run once its question is answered");
            return Ok(());
        }
        store.shared_runs().request(&self.conversation).await?;
        let server = servers.find().unwrap_or_else(|_| "the next server with --work".to_owned());
        self.say(&format!(
            "the run goes on in {server}; /attach follows it, in a later session silcrow -c"
        ));
        Ok(())
    }
}
