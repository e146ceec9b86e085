//! The data that an exporter did not send.

/// The data that an exporter did not send, and the reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportReport {
    /// The number of spans that were sent.
    pub sent: u64,
    /// The number of spans that were dropped, because too many waited.
    pub dropped: u64,
    /// The number of spans that the collector did not accept, despite retries.
    pub refused: u64,
    /// The number of spans that were still waiting when the time was over.
    pub unsent: u64,
    /// The last failure of a request.
    pub failure: Option<String>,
}

impl ExportReport {
    /// Returns a line about lost data, or `None` if nothing was lost.
    pub fn lost(&self) -> Option<String> {
        let lost = self.dropped + self.refused + self.unsent;
        if lost == 0 && self.failure.is_none() {
            return None;
        }
        let spans = if lost == 1 { "span was" } else { "spans were" };
        let parts = [
            (self.dropped, "dropped because too many waited"),
            (self.refused, "not taken"),
            (self.unsent, "still waiting at the end"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<_> = parts.map(|(count, why)| format!("{count} {why}")).collect();
        let mut line = match lost {
            0 => "telemetry: metrics were not sent".to_owned(),
            _ => format!("telemetry: {lost} {spans} not sent ({})", parts.join(", ")),
        };
        if let Some(failure) = &self.failure {
            line.extend([": ", failure]);
        }
        Some(line)
    }
}
