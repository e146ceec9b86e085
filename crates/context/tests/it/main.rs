//! What a model is sent, through the public face.

mod actions;
mod assembled;
mod forged;
mod guides;
mod laws;
mod prompt;
mod read;
