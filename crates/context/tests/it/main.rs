//! What a model is sent, through the public face.

mod actions;
mod assembled;
mod forged;
mod guides;
mod history;
mod laws;
mod pairing;
mod prompt;
mod read;
