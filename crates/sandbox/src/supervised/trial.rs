//! The trial of a sandbox: whether its layers hold on this machine.
//!
//! A trial starts a helper that applies the layers and then tries to break out. If all layers are
//! known to have held since the machine started, the trial waits for the first command. No command
//! runs in a sandbox that this process has not tried.

use std::sync::PoisonError;
use std::time::Duration;

use crate::error::{Error, ErrorKind};
use crate::level::{SandboxLayers, SandboxLevel};
use crate::sandbox::Sandbox;
use crate::supervised::spawn::StartedTree;
use crate::supervised::trial_memory::TrialMemory;
use crate::system::CHOICES;

impl Sandbox {
    /// Chooses the best layers that work here.
    pub(super) fn choose_layers(&mut self) -> Result<(), Error> {
        let wanted = self.options.layers.and(SandboxLayers::ALL);
        let memory = self.options.trial_memory.clone().map(TrialMemory::new);
        let is_remembered =
            memory.as_ref().is_some_and(|memory| memory.has(wanted, &self.options.root));
        if is_remembered && wanted.level() != SandboxLevel::None {
            self.layers = wanted;
            self.state.is_untried = true.into();
            return Ok(());
        }
        let mut reason = None;
        for layers in CHOICES.iter().map(|choice| choice.and(wanted)) {
            if layers.level() == SandboxLevel::None {
                continue;
            }
            self.layers = layers;
            match self.try_layers() {
                Ok(()) => {
                    if let Some(memory) = memory.as_ref().filter(|_| layers == wanted) {
                        memory.keep(layers, &self.options.root);
                    }
                    return Ok(());
                }
                Err(error) => reason = Some(error),
            }
        }
        let message = "no sandbox works here, so a person has to approve each command";
        let error = Error::new(ErrorKind::Unavailable, message);
        Err(match reason {
            Some(reason) => error.with_source(reason),
            None => error,
        })
    }

    /// Tries the layers unless this process has done so. It blocks for some hundredths of a second.
    pub(super) fn ensure_tried(&self) -> Result<(), Error> {
        let mut is_untried = self.state.is_untried.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_untried {
            self.try_layers().map_err(|error| {
                if let Some(memory) = self.options.trial_memory.clone() {
                    TrialMemory::new(memory).forget();
                }
                let words = "the sandbox that worked on this machine before does not work now, so \
                             the command did not run; start this program again, and it looks for \
                             another one";
                Error::new(ErrorKind::Unavailable, words).with_source(error)
            })?;
            *is_untried = false;
        }
        Ok(())
    }

    /// Starts a helper that applies the layers and reports whether they hold.
    fn try_layers(&self) -> Result<(), Error> {
        // The guard is kept until the end: a helper that is stopped has tried nothing.
        let StartedTree { end, guard: _guard, .. } = self.start(&self.settings(), &[])?;
        let outcome = end.with_timeout(LIMIT).wait(&mut |_| ())?;
        if outcome.code == Some(0) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Unavailable, "the helper of the sandbox was ended by a signal"))
    }
}

/// The time limit of a trial, in case the program does not recognize that it was started as the
/// helper. A helper takes some milliseconds, but a busy machine must not lower the level.
const LIMIT: Duration = Duration::from_secs(60);
