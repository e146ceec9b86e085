//! The differences of systems for the command itself: the size of a terminal, standard input, open
//! files, and becoming another command.
//!
//! Each function has the same name and meaning in the module of every system. Only this file lists
//! the systems.

#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod windows;

#[cfg(unix)]
pub(crate) use self::unix::{
    become_command, is_ready, may_stay_open, open_files, output_size, raise_open_files,
    screen_size, standard_input,
};
#[cfg(not(unix))]
pub(crate) use self::windows::{
    become_command, is_ready, may_stay_open, open_files, output_size, raise_open_files,
    screen_size, standard_input,
};
