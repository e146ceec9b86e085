//! Tests of the public interface.

mod access;
mod commands;
mod decisions;
mod doors;
mod files;
mod folders;
mod options;
mod rules;
mod shared;
mod widths;
mod words;
