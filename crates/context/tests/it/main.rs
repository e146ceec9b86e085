//! The messages to a model, through the public interface.

mod actions;
mod assembled;
mod compacted;
mod cut_batches;
mod forged;
mod growing;
mod guides;
mod history;
mod instructions;
mod laws;
mod marks;
mod media;
mod needed;
mod notices;
mod pairing;
mod passed_on;
mod passed_on_outputs;
mod prompt;
mod read;
mod steered;
mod summaries;
