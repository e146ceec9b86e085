//! Calls that run in the background: those of earlier turns, which nothing waits for (P-24).
//!
//! A turn joins the background when its answer is complete and a call of it still runs. It leaves
//! when its last call has ended, and is drained then.

use std::future::pending;

use futures_util::FutureExt as _;
use futures_util::future::select_all;
use silcrow_exec::DriverEvent;

use crate::drive::Run;
use crate::error::Error;
use crate::reading::AnswerEnd;
use crate::turn::Turn;

impl Run<'_> {
    /// Takes what a call of an earlier turn did.
    pub(crate) async fn follow(&mut self, index: usize, event: DriverEvent) -> Result<(), Error> {
        let turn = &mut self.background[index];
        turn.apply(event, &mut self.tap);
        turn.settle(false, &mut self.tap).await?;
        if !turn.is_running() {
            self.background.swap_remove(index).drain(&mut self.tap).await;
        }
        Ok(())
    }

    /// Waits for the calls in the background, or stops them for a reason. Returns whether the
    /// person stopped them.
    pub(crate) async fn drain(&mut self, why: Option<&str>) -> Result<bool, Error> {
        if let Some(why) = why {
            self.stop_background(why).await?;
        }
        let mut stopped = false;
        while self.background.iter().any(Turn::is_running) {
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => {
                    self.stop_background(self.why()).await?;
                    stopped = true;
                }
                (index, event) = any(&mut self.background) => self.follow(index, event).await?,
                exhausted = self.budget.expired() => {
                    self.stop_background(&exhausted.to_string()).await?;
                }
            }
        }
        for mut turn in self.background.drain(..) {
            turn.drain(&mut self.tap).await;
        }
        Ok(stopped)
    }

    /// Stops the calls in the background, all of them at once.
    pub(crate) async fn stop_background(&mut self, why: &str) -> Result<(), Error> {
        for turn in &mut self.background {
            turn.stop(why, AnswerEnd::Cancelled, &mut self.tap);
        }
        for turn in &mut self.background {
            turn.settle(false, &mut self.tap).await?;
        }
        Ok(())
    }
}

/// Waits for the next event of any of these turns. Cancel-safe.
pub(crate) async fn any(turns: &mut [Turn]) -> (usize, DriverEvent) {
    if turns.is_empty() {
        return pending().await;
    }
    let (event, index, _) = select_all(turns.iter_mut().map(|turn| turn.next().boxed())).await;
    (index, event)
}
