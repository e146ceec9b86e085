//! The stand-in model in a loop that runs what it asks for.

mod pace;
mod play;
mod prompts;
mod rules;
mod total;
