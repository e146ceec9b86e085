//! Environments through the public interface. No variable of this process is changed.

mod secrets;
mod words;
