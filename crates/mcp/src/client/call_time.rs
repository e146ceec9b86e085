//! The time of a call: its limit begins again with each report of progress, and all of it is bounded.

use std::fmt;
use std::time::Duration;

use tokio::sync::Notify;

use crate::client::face::ClientFace;
use crate::config::ServerConfig;

/// The time that a call has.
pub(crate) struct CallTime {
    limit: Duration,
    /// The limit of the call as a whole.
    whole: Duration,
    progress: Notify,
}

/// The limit that a call has reached, as the end of a sentence about its server.
pub(crate) enum ReachedLimit {
    /// The server sent nothing for this time.
    Silence(Duration),
    /// Progress came, and no answer in this time.
    Whole(Duration),
}

impl CallTime {
    pub(crate) fn new(config: &ServerConfig) -> Self {
        let whole = config.timeout.max(config.progress_timeout);
        Self { limit: config.timeout, whole, progress: Notify::new() }
    }

    /// Gives the call its whole limit again, because it has reported progress.
    pub(crate) fn begin_again(&self) {
        self.progress.notify_one();
    }

    /// Waits until the time is over, not counting the time in which a person is asked.
    pub(crate) async fn over(&self, face: &ClientFace) -> ReachedLimit {
        let whole = face.time_over(self.whole);
        tokio::pin!(whole);
        loop {
            tokio::select! {
                biased;
                () = self.progress.notified() => {}
                () = face.time_over(self.limit) => return ReachedLimit::Silence(self.limit),
                () = &mut whole => return ReachedLimit::Whole(self.whole),
            }
        }
    }
}

impl fmt::Display for ReachedLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silence(limit) => write!(f, "did not answer in {} s", limit.as_secs_f64()),
            Self::Whole(limit) => {
                write!(f, "reported progress for {} s and did not answer", limit.as_secs_f64())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, sleep, timeout};

    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[tokio::test(start_paused = true)]
    async fn progress_extends_timeout_up_to_total_limit() {
        let face = ClientFace::new("s", None);
        let time = || CallTime { limit: seconds(10), whole: seconds(60), progress: Notify::new() };
        let began = Instant::now();
        assert!(matches!(time().over(&face).await, ReachedLimit::Silence(_)));
        assert_eq!(began.elapsed(), seconds(10));

        let once = time();
        let began = Instant::now();
        assert!(timeout(seconds(9), once.over(&face)).await.is_err());
        once.begin_again();
        assert!(matches!(once.over(&face).await, ReachedLimit::Silence(_)));
        assert_eq!(began.elapsed(), seconds(19));

        let often = time();
        let began = Instant::now();
        let reports = async {
            loop {
                sleep(seconds(9)).await;
                often.begin_again();
            }
        };
        let over = tokio::select! {
            over = often.over(&face) => over,
            () = reports => unreachable!("it has no end"),
        };
        assert!(matches!(over, ReachedLimit::Whole(_)), "{over}");
        assert_eq!(began.elapsed(), seconds(60));
    }
}
